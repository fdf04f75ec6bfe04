"""Frictional contact problems in the text format of Siconos, plain or compressed.

    dimension, contacts, storage (0 dense, 1 blocks), rows, columns, matrix, q, mu

Dense matrices and blocks are stored by columns.
"""

import gzip
import os
from collections.abc import Iterator

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.errors import FileError, ModelError
from cornerlaw.problems import ContactProblem

MAX_ROWS = 10_000
MAX_BYTES = 500_000_000


def read_siconos(path: str | os.PathLike[str]) -> ContactProblem:
    """Read a frictional contact problem written by Siconos."""
    name = os.fspath(path)
    if os.path.exists(name) and not os.path.isfile(name):
        raise FileError(f'"{name}" is not a plain file.')
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else open(path, "rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError) as error:
        raise FileError(f'"{name}" cannot be read: {error}.') from None
    if len(content) > MAX_BYTES:
        raise FileError(f'"{name}" has more than {MAX_BYTES} bytes of text.')
    try:
        return _parse(iter(content.decode("ascii").split()), name)
    except StopIteration:
        raise FileError(f'"{name}" ends in the middle of a problem.') from None
    except (ValueError, ModelError) as error:
        raise FileError(f'"{name}" holds no valid problem: {error}') from None


def _ints(words: Iterator[str], count: int) -> list[int]:
    return [int(next(words)) for _ in range(count)]


def _floats(words: Iterator[str], count: int) -> Floats:
    return np.array([float(next(words)) for _ in range(count)])


def _parse(words: Iterator[str], name: str) -> ContactProblem:
    dim, contacts, storage, rows, columns = _ints(words, 5)
    n = dim * contacts
    if dim not in (2, 3) or not 0 < n <= MAX_ROWS or rows != n or columns != n:
        raise FileError(f'"{name}" has a matrix {rows} x {columns} for {contacts} contacts.')
    if storage == 0:
        G = _floats(words, n * n).reshape(n, n).T
    elif storage == 1:
        G = _read_blocks(words, n, name)
    else:
        raise FileError(f'"{name}" stores its matrix in the unknown way {storage}.')
    q = _floats(words, n)
    return ContactProblem.frictional(G, q, _floats(words, contacts), dim=dim)


def _read_blocks(words: Iterator[str], n: int, name: str) -> Floats:
    count, block_rows, block_columns = _ints(words, 3)
    if not (0 <= count <= n * n and 0 < block_rows <= n and 0 < block_columns <= n):
        raise FileError(f'"{name}" has {count} blocks in {block_rows} x {block_columns} places.')
    row_ends, column_ends = _ints(words, block_rows), _ints(words, block_columns)
    filled, stored = _ints(words, 2)
    if filled != block_rows + 1 or stored != count:
        raise FileError(f'"{name}" has block pointers that do not fit.')
    pointer, places = _ints(words, filled), _ints(words, stored)
    G = np.zeros((n, n))
    row_edges, column_edges = [0, *row_ends], [0, *column_ends]
    for row in range(block_rows):
        for k in range(pointer[row], pointer[row + 1]):
            if _ints(words, 1) != [k] or not 0 <= places[k] < block_columns:
                raise FileError(f'"{name}" has its blocks out of order.')
            top, bottom = row_edges[row], row_edges[row + 1]
            left, right = column_edges[places[k]], column_edges[places[k] + 1]
            block = _floats(words, (bottom - top) * (right - left))
            G[top:bottom, left:right] = block.reshape(right - left, bottom - top).T
    return G
