"""The solver of unilateral rows, island by island, against Murty's method on the dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cornerlaw.arrays.sparse_rows import new_island_scratch, new_sparse_rows
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.islands import solve_islands

SMALL = 1e-13


def rows_of(G: Any) -> Any:
    """Return a matrix without its zeros, the diagonal first in every row."""
    n = len(G)
    columns = [
        np.concatenate(([i], [j for j in np.flatnonzero(G[i]) if j != i])).astype(np.int64)
        for i in range(n)
    ]
    found = new_sparse_rows(columns)
    found.value[:] = np.concatenate([G[i, x] for i, x in enumerate(columns)])
    return found


def solve(G: Any, c: Any, chosen: Any, guess: Any) -> tuple[bool, Any]:
    """Solve the problem of the chosen rows of G; return whether it is solved, and x."""
    n, rows = len(chosen), rows_of(G)
    scratch = new_island_scratch(len(G), len(G))
    place = np.full(len(G), -1, np.int64)
    place[chosen] = np.arange(n)
    scratch.carries[:n] = guess
    x = np.full(n, np.nan)
    active = np.array(chosen, np.int64)
    given = Bundle(rows), Bundle(scratch), n, active, place, np.array(c), x, SMALL
    return bool(solve_islands(*given)), x


def murty(G: Any, c: Any) -> Any:
    """Return x by single exchanges of the last wrong row, which end for a positive definite G."""
    closed = np.zeros(len(c), bool)
    while True:
        x = np.zeros(len(c))
        x[closed] = np.linalg.solve(G[np.ix_(closed, closed)], -c[closed])
        wrong = np.where(closed, x < 0.0, G @ x + c < 0.0)
        if not wrong.any():
            return x
        last = np.flatnonzero(wrong)[-1]
        closed[last] = not closed[last]


def chains(rng: Any, sizes: tuple[int, ...]) -> Any:
    """Return G = W M^-1 W^T of chains of masses with stops between neighbours, rows mixed up."""
    parts = []
    for size in sizes:
        W = np.zeros((size - 1, size))
        for k in range(size - 1):
            W[k, k], W[k, k + 1] = rng.uniform(0.5, 2.0), -rng.uniform(0.5, 2.0)
        parts.append(W * rng.uniform(0.5, 3.0, size) @ W.T)
    n = sum(len(part) for part in parts)
    G, at = np.zeros((n, n)), 0
    for part in parts:
        G[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    order = rng.permutation(n)
    return G[np.ix_(order, order)]


@pytest.mark.parametrize("seed", range(40))
def test_islands_are_solved_as_the_whole(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G = chains(rng, (2, 3, 5, 9, 2, 14))
    chosen = np.flatnonzero(rng.uniform(size=len(G)) < 0.8)
    c = rng.normal(size=chosen.size)
    expected = murty(G[np.ix_(chosen, chosen)], c)
    assert 0 < np.count_nonzero(expected) < chosen.size
    for guess in (c < 0.0, np.zeros(chosen.size), np.ones(chosen.size), expected > 0.0):
        done, x = solve(G, c, chosen, guess)
        assert done
        # condition numbers up to some hundred
        assert x == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_full_matrices_and_no_rows() -> None:
    rng = np.random.default_rng(7)
    A = rng.normal(size=(12, 12))
    G, c = A @ A.T + 0.1 * np.eye(12), rng.normal(size=12)
    done, x = solve(G, c, np.arange(12), c < 0.0)
    assert done and x == pytest.approx(murty(G, c), rel=1e-9, abs=1e-9)
    assert solve(G, c[:0], np.arange(0), 0)[0]


def test_both_flanks_of_a_mesh_in_the_guess() -> None:
    """Two rows that cannot carry at once: one of them is dropped, and opens."""
    G = np.array([[1.0, -1.0, 0.5], [-1.0, 1.0, -0.5], [0.5, -0.5, 1.0]])
    c = np.array([-1.0, 1.5, -0.2])
    done, x = solve(G, c, np.arange(3), np.ones(3))
    assert done
    assert x == pytest.approx([1.0, 0.0, 0.0], abs=1e-14) or np.all(G @ x + c >= -1e-13)
    assert x @ (G @ x + c) == pytest.approx(0.0, abs=1e-13)


def test_rows_that_share_a_load_are_left_to_others() -> None:
    """Two equal stops: how they share the impulse is not this solver's to say."""
    G = np.ones((2, 2))
    assert not solve(G, np.array([-1.0, -1.0]), np.arange(2), np.ones(2))[0]
    # a row that nothing moves
    assert not solve(np.zeros((1, 1)), np.array([-1.0]), np.arange(1), np.ones(1))[0]
