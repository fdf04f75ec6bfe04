"""Rows of a constant matrix without zeros, and the scratch of the solver that works on them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.arrays.state import Floats, Ints

ROOM = 64  # numbers of the factors per row; a problem that needs more is left to other solvers


class SparseRows(NamedTuple):
    """Columns and values, row by row; no rows at all where the matrix is kept in full."""

    start: Ints  # (n + 1,)
    column: Ints
    value: Floats


class IslandScratch(NamedTuple):
    """Room for the solver of unilateral rows, for problems of up to n rows."""

    order: Ints  # (n,) rows of the problem, island by island, neighbours near each other
    spot: Ints  # (n,) where a row stands in that order, -1 = not yet
    carries: Ints  # (n,) 1 = the row is closed, its multiplier is free; on entry a first guess
    wrong: Ints  # (n,) 1 = it violates its law like that
    dropped: Ints  # (n,) 1 = it was taken out since the others determine it
    rank: Ints  # (n,) place among the closed rows of its island, -1 none
    listed: Ints  # (n,) closed rows of the island
    first: Ints  # (n,) first column of a row of the factors
    at: Ints  # (n,) where column 0 of that row would stand
    lower: Floats  # (ROOM n,) factors
    inverse: Floats  # (n,) of the pivots
    y: Floats  # (n,)
    active: Ints  # (n,) rows of a problem of positions
    place: Ints  # (n,) place of a row in it, -1 none
    dv: Floats  # (nu,) velocity that multipliers make


class ConstantPattern(NamedTuple):
    """Which entries of the matrices of a model with constant masses and rows may not be zero."""

    inverse: list[Ints]  # of M^-1, velocity by velocity
    rows: list[Ints]  # of W
    response: list[Ints]  # of Z = M^-1 W
    coupling: list[Ints]  # of G = W Z, the row itself first


def new_sparse_rows(columns: Iterable[Ints] = ()) -> SparseRows:
    """Allocate rows with the given columns; without any there is no matrix."""
    lists = list(columns)
    if not lists:
        return SparseRows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    start = np.concatenate(([0], np.cumsum([len(x) for x in lists]))).astype(np.int64)
    column = np.concatenate(lists).astype(np.int64)
    return SparseRows(start, column, np.zeros(column.size))


def new_island_scratch(n: int, nu: int) -> IslandScratch:
    """Allocate room for n rows on nu velocities."""

    def ints() -> Ints:
        return np.zeros(n, np.int64)

    return IslandScratch(
        order=ints(),
        spot=ints(),
        carries=ints(),
        wrong=ints(),
        dropped=ints(),
        rank=ints(),
        listed=ints(),
        first=ints(),
        at=ints(),
        lower=np.zeros(ROOM * n),
        inverse=np.zeros(n),
        y=np.zeros(n),
        active=ints(),
        place=np.full(n, -1, np.int64),
        dv=np.zeros(nu),
    )


def find_pattern(m: ModelArrays) -> ConstantPattern:
    """Return the pattern of a model whose masses are blocks and whose rows are sums."""
    blocks, rows = m.blocks, m.rows
    of = np.repeat(np.arange(blocks.n.size), blocks.n)
    span = [np.arange(u, u + n) for u, n in zip(blocks.u_start, blocks.n, strict=True)]
    lists = [
        np.unique(rows.lists[first : first + n])
        for first, n in zip(rows.list_start, rows.n_list, strict=True)
    ]
    responses = [
        np.concatenate([span[b] for b in np.unique(of[x])]) if x.size else x for x in lists
    ]
    acting: list[list[int]] = [[] for _ in range(int(m.nu))]
    for i, x in enumerate(lists):
        for j in x:
            acting[j].append(i)
    coupling = []
    for i, x in enumerate(responses):
        near = np.unique(np.array([k for j in x for k in acting[j]], np.int64))
        coupling.append(np.concatenate(([i], near[near != i])).astype(np.int64))
    return ConstantPattern([span[b] for b in of], lists, responses, coupling)
