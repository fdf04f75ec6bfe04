"""The solver of unilateral rows, island by island, against Murty's method on the dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core import config

from cornerlaw.arrays.sparse_rows import new_island_scratch, new_sparse_rows
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity import islands
from cornerlaw.kernels.complementarity.islands import BLOCKS, solve_islands

SMALL = 1e-13


def rows_of(G: Any, kept: Any = None) -> Any:
    """Return a matrix without its zeros but those kept, the diagonal first in every row."""
    n, there = len(G), (G != 0.0) | (False if kept is None else kept)
    columns = [
        np.concatenate(([i], [j for j in np.flatnonzero(there[i]) if j != i])).astype(np.int64)
        for i in range(n)
    ]
    found = new_sparse_rows(columns)
    found.value[:] = np.concatenate([G[i, x] for i, x in enumerate(columns)])
    return found


def solve(
    G: Any, c: Any, chosen: Any, guess: Any, scratch: Any = None, kept: Any = None
) -> tuple[bool, Any]:
    """Solve the problem of the chosen rows of G; return whether it is solved, and x."""
    n, rows = len(chosen), rows_of(G, kept)
    scratch = scratch or new_island_scratch(len(G), len(G))
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
    for c in (-1.0, 1.0):
        assert not solve(np.zeros((1, 1)), np.array([c]), np.arange(1), np.array([c < 0.0]))[0]


def tree_of(seed: int) -> Any:
    """Return a matrix of chains mixed up, and for every row the number of its chain."""
    G = chains(np.random.default_rng(seed), (4, 6, 3, 8))
    chain = np.arange(len(G))
    for _ in range(len(G)):  # the smallest number that is met
        chain = np.array([chain[np.flatnonzero(row)].min() for row in G])
    return G, chain


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_do_not_act_on_each_other_are_kept_apart(seed: int) -> None:
    """Rows are listed chain by chain, in each of them level by level from the first one."""
    G, chain = tree_of(seed)
    scratch = new_island_scratch(len(G), len(G))
    assert solve(G, np.ones(len(G)), np.arange(len(G)), np.zeros(len(G)), scratch)[0]
    listed = chain[scratch.order]
    assert np.count_nonzero(np.diff(listed)) == 3
    assert (np.argsort(scratch.order) == scratch.spot).all()


def test_factors_need_the_room_of_the_envelope_and_no_more() -> None:
    """A chain that is numbered from one end has one entry before the diagonal in each row."""
    n = 6
    G = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    x = np.array([1.0, 2.0, 0.5, 1.5, 1.0, 2.0])
    for c, expected in ((-G @ x, x), (np.append(-G[:-1, :-1] @ x[:-1], 7.0), np.append(x[:-1], 0))):
        scratch = new_island_scratch(n, n)._replace(lower=np.zeros(n - 1))
        done, found = solve(G, c, np.arange(n), np.ones(n), scratch)
        assert done and found == pytest.approx(expected, abs=1e-14)
        # one number less: left to other solvers, also where the answer would need less
        scratch = new_island_scratch(n, n)._replace(lower=np.zeros(n - 2))
        assert not solve(G, c, np.arange(n), np.ones(n), scratch)[0]


@pytest.mark.parametrize("seed", range(6))
def test_envelope_begins_where_its_rows_do(seed: int) -> None:
    """A chain in any order, all of it closed: what other rows have does not widen a row."""
    G = chains(np.random.default_rng(seed), (10,))
    x, n = np.ones(len(G)), len(G)
    scratch = new_island_scratch(n, n)
    done, found = solve(G, -G @ x, np.arange(n), np.ones(n), scratch)
    assert done and found == pytest.approx(x, abs=1e-12)
    closed = G[np.ix_(scratch.listed, scratch.listed)]
    assert scratch.first.tolist() == [int(np.flatnonzero(row)[0]) for row in np.tril(closed)]


def test_an_entry_that_is_zero_does_not_widen_the_envelope() -> None:
    """A place that the pattern of a model has, although nothing acts there at the moment."""
    n = 6
    G = np.zeros((n + 1, n + 1))
    G[:n, :n] = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    G[n, n] = 1.0
    kept = np.zeros(G.shape, bool)
    kept[n - 1, n] = kept[n, n - 1] = True
    x = np.ones(n + 1)
    scratch = new_island_scratch(n + 1, n + 1)._replace(lower=np.zeros(n - 1))
    done, found = solve(G, -G @ x, np.arange(n + 1), np.ones(n + 1), scratch, kept)
    assert done and found == pytest.approx(x, abs=1e-14)


def test_rows_that_neither_move_nor_carry_are_right_as_they_are() -> None:
    G = np.array([[2.0, -1.0], [-1.0, 2.0]])
    for c in ([0.0, 0.0], [0.0, 1.0], [1.0, 0.0]):
        done, x = solve(G, np.array(c), np.arange(2), np.zeros(2))
        assert done and not x.any()


def flanks(pairs: int) -> Any:
    """Return pairs of rows that act against each other, the pairs in a chain."""
    n = 2 * pairs
    W = np.zeros((n, pairs))
    for k in range(pairs):
        W[2 * k, k], W[2 * k + 1, k] = 1.0, -1.0
        if k:
            W[2 * k, k - 1], W[2 * k + 1, k - 1] = 0.3, -0.3
    return W @ W.T


@pytest.mark.parametrize(("pairs", "done"), [(BLOCKS, True), (BLOCKS + 1, False)])
def test_islands_with_many_rows_too_much_are_left_to_others(pairs: int, done: bool) -> None:
    G = flanks(pairs)
    c = np.where(np.arange(2 * pairs) % 2, 2.0, -1.0)  # backlash: the second flanks stay open
    found, x = solve(G, c, np.arange(2 * pairs), np.ones(2 * pairs))
    assert found == done
    if done:
        assert not x[1::2].any() and (G @ x + c)[::2] == pytest.approx(0.0, abs=1e-13)


def test_a_row_that_others_hold_ends_the_search_at_once() -> None:
    """Rows 0 and 1 are one: while one of them is closed, the other neither opens nor carries."""
    G = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
    c = np.array([0.2, 0.2, -1.0])  # closed alone, row 2 lifts both: a guess finds it, not a search
    done, x = solve(G, c - np.array([0.0, 0.0, 1.0]), np.arange(3), np.array([0, 0, 1]))
    assert done and x == pytest.approx([0.0, 0.0, 2.0])
    assert not solve(G, c, np.arange(3), np.ones(3))[0]


def rounds(G: Any, c: Any) -> int:
    """Return how many sets of closed rows the method of Judice and Pires looks at."""
    closed, fewest, blocks = c < 0.0, len(c) + 1, BLOCKS
    for k in range(1, 1000):
        x = np.zeros(len(c))
        x[closed] = np.linalg.solve(G[np.ix_(closed, closed)], -c[closed])
        wrong = np.where(closed, x * np.diag(G) < SMALL, G @ x + c < -SMALL)
        count = int(wrong.sum())
        if count == 0:
            return k
        blocks = BLOCKS if count < fewest else blocks - 1
        fewest = min(fewest, count)
        if blocks > 0:
            closed ^= wrong
        else:
            closed[np.flatnonzero(wrong)[-1]] ^= True
    raise AssertionError("no end")


# two problems on which exchanges of all wrong rows go round in circles, and some others
@pytest.mark.skipif(not config.DISABLE_JIT, reason="counts calls of plain Python")
@pytest.mark.parametrize("seed", [685, 3699, 0, 1, 2, 3])
def test_exchanges_are_those_of_the_method(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 14))
    A = rng.normal(size=(n, n + seed % 2))
    G, c = A @ A.T + 1e-3 * np.eye(n), rng.normal(size=n)
    calls, number = [], islands._number
    monkeypatch.setattr(islands, "_number", lambda *given: calls.append(1) or number(*given))
    assert solve(G, c, np.arange(n), c < 0.0)[0]
    assert len(calls) == rounds(G, c)
    assert seed not in (685, 3699) or len(calls) > BLOCKS
