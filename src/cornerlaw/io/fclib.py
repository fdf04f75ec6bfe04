"""Frictional contact problems in the HDF5 format of FCLIB [Acary2014].

A local problem is u = W r + V lam + q, V^T r + R lam + s = 0 with contacts of `spacedim` rows each,
normal first, and a coefficient of friction per contact. Matrices are stored as in CSparse: nz = -2
compressed rows, -1 compressed columns, otherwise triplets.
"""

import io
import os
from typing import Any

import numpy as np

from cornerlaw.arrays.problem import BALL, INTERVAL
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import FileError, UsageError
from cornerlaw.problems import ContactProblem, sets
from cornerlaw.problems.plain import open_plain, plain_array, plain_int
from cornerlaw.results.atomic import whole_file

MAX_ROWS = 10_000


def read_fclib(path: str | os.PathLike[str]) -> ContactProblem:
    """Read a local frictional contact problem; bilateral rows follow the contacts."""
    with open_plain(path) as file:
        if "fclib_local" not in file:
            raise FileError(f'"{os.fspath(path)}" holds no local problem of FCLIB.')
        return _read_local(file, os.fspath(path))


def is_fclib_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is HDF5 with a local problem of FCLIB."""
    try:
        with open_plain(path) as file:
            return "fclib_local" in file
    except FileError:
        return False


def _read_local(file: Any, name: str) -> ContactProblem:
    top = "fclib_local"
    group = file[top]
    dim = plain_int(file, f"{top}/spacedim", name)
    mu = np.asarray(plain_array(file, f"{top}/vectors/mu", name), dtype=float)
    q = np.asarray(plain_array(file, f"{top}/vectors/q", name), dtype=float)
    if dim not in (2, 3) or q.size != dim * mu.size or q.size > MAX_ROWS:
        raise FileError(f'"{name}" has {q.size} rows for {mu.size} contacts of {dim} rows.')
    W = _matrix(file, f"{top}/W", name)
    plain = ContactProblem.frictional(W, q, mu, dim=dim)
    if "V" not in group:
        return plain
    V = _matrix(file, f"{top}/V", name)
    R = _matrix(file, f"{top}/R", name) if "R" in group else np.zeros((V.shape[1], V.shape[1]))
    s = np.asarray(plain_array(file, f"{top}/vectors/s", name), dtype=float)
    G = np.block([[W, V], [V.T, R]])
    items = [*plain.sets, sets.free(V.shape[1])]
    return ContactProblem(G, np.concatenate([q, s]), items)


def _matrix(file: Any, key: str, name: str) -> Floats:
    """Return a stored matrix in dense form; every index is checked."""
    m, n, nz = (plain_int(file, f"{key}/{entry}", name) for entry in ("m", "n", "nz"))
    if not (0 < m <= MAX_ROWS and 0 < n <= MAX_ROWS):
        raise FileError(f'"{name}" has a matrix of {m} x {n}; the limit is {MAX_ROWS} rows.')
    values = np.asarray(plain_array(file, f"{key}/x", name), dtype=float)
    i = np.asarray(plain_array(file, f"{key}/i", name), dtype=np.int64)
    p = np.asarray(plain_array(file, f"{key}/p", name), dtype=np.int64)
    if nz >= 0:
        rows, columns, values = i[:nz], p[:nz], values[:nz]
    else:
        lines = m if nz == -2 else n
        if p.size != lines + 1 or p[0] != 0 or np.any(np.diff(p) < 0) or p[-1] > values.size:
            raise FileError(f'"{name}" has a matrix whose pointers do not fit its size.')
        outer = np.repeat(np.arange(lines), np.diff(p))
        inner, values = i[: p[-1]], values[: p[-1]]
        rows, columns = (outer, inner) if nz == -2 else (inner, outer)
    if rows.size != values.size or columns.size != values.size:
        raise FileError(f'"{name}" has a matrix with missing indices.')
    if values.size and not (rows.min() >= 0 and rows.max() < m and columns.min() >= 0):
        raise FileError(f'"{name}" has a matrix with indices outside of it.')
    if values.size and columns.max() >= n:
        raise FileError(f'"{name}" has a matrix with indices outside of it.')
    dense = np.zeros((m, n))
    np.add.at(dense, (rows, columns), values)
    return dense


def write_fclib(
    problem: ContactProblem,
    path: str | os.PathLike[str],
    *,
    title: str = "contact problem",
    description: str = "",
    x: Any = None,
) -> None:
    """Write a problem of contacts with friction as FCLIB HDF5, optionally with a guess x."""
    import h5py

    dim, mu = _contacts(problem)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = np.array([dim], np.int32)
        group["info/title"] = np.bytes_(title)
        group["info/description"] = np.bytes_(description)
        group["info/math_info"] = np.bytes_("")
        group["vectors/mu"] = mu
        group["vectors/q"] = problem.c
        _write_matrix(group.create_group("W"), problem.G)
        if x is not None:
            guess = np.asarray(x, dtype=float)
            file["guesses/number_of_guesses"] = np.array([1], np.int32)
            file["guesses/1/r"] = guess
            file["guesses/1/u"] = problem.gamma(guess)
    with whole_file(path) as out:
        out.write(buffer.getvalue())


def _contacts(problem: ContactProblem) -> tuple[int, Floats]:
    """Return rows per contact and coefficients; anything else has no place in the format."""
    dims, mu = set(), []
    for k in range(0, len(problem.sets), 2):
        pair = problem.sets[k : k + 2]
        normal, tied = pair[0], pair[-1]
        plain = normal == sets.unilateral() and tied.master == problem.starts[k]
        ball = tied.kind == BALL and tied.upper_0 == 0.0
        line = tied.kind == INTERVAL and tied.lower_0 == tied.upper_0 == 0.0
        line = line and tied.size == 1 and tied.lower_1 == -tied.upper_1
        if len(pair) < 2 or not plain or not (ball or line):
            raise UsageError(
                f"FCLIB knows contacts of a normal row and its friction only; set {k} is another."
            )
        dims.add(1 + tied.size)
        mu.append(tied.upper_1)
    if len(dims) != 1 or not dims <= {2, 3}:
        raise UsageError("FCLIB knows contacts of 2 or of 3 rows, all alike.")
    return dims.pop(), np.array(mu)


def _write_matrix(group: Any, dense: Floats) -> None:
    from scipy import sparse

    matrix = sparse.csr_matrix(dense)
    numbers = {"m": dense.shape[0], "n": dense.shape[1], "nz": -2, "nzmax": matrix.nnz}
    for key, value in numbers.items():
        group[key] = np.array([value], np.int32)
    group["p"] = matrix.indptr.astype(np.int32)
    group["i"] = matrix.indices.astype(np.int32)
    group["x"] = matrix.data
