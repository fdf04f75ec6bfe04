"""Pieces of Lemke's method against numpy: what several attempts and Newton's method would hide."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.kernels.complementarity.lemke import (
    _first_row,
    _inverse_entry,
    _is_bilateral,
    _is_earlier,
    _leaving_row,
    enter_free,
    exchange,
    guess_lemke,
    pivot_lemke,
    start_basis,
)
from cornerlaw.kernels.complementarity.linear_form import (
    assemble_linear_form,
    has_linear_form,
    number_unknowns,
)
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.simulate.complementarity.compiled import Session


def begin(G: Any, c: Any, sets: Any = None, attempt: int = 0) -> tuple[Session, int]:
    """Return a problem with its first tableau and the number of unknowns."""
    sets = sets or [cl.sets.unilateral()] * len(c)
    session = Session(cl.ContactProblem(G, c, sets), 1e-10, np.zeros(len(c)))
    prepare(session.p, session.s)
    m = int(number_unknowns(session.p, session.s))
    assemble_linear_form(session.p, session.s, m, attempt)
    start_basis(session.s, m)
    return session, m


def basis(M: Any, d: Any, chosen: Any) -> Any:
    """Return the columns of w - M z - d z_0 = q that belong to the chosen variables."""
    m = len(M)
    whole = np.hstack([np.eye(m), -M, -d[:, None]])
    return whole[:, chosen]


def test_multipliers_of_bilateral_rows_enter_first() -> None:
    """All but the redundant one, whatever stands between them."""
    W = np.array([[1.0, 0.5, 0.0], [0.2, 1.0, 0.3], [2.0, 1.0, 0.0], [0.0, 0.4, 1.0]])
    kinds = [cl.sets.free(), cl.sets.unilateral(), cl.sets.free(), cl.sets.free()]
    session, m = begin(W @ W.T, np.array([1.0, -1.0, 2.0, 0.5]), kinds)
    enter_free(session.s, m)
    basic = set(session.scratch.basic[:m].tolist())
    # rows 0 and 2 are one row: the larger of equal pivots is taken, and no other is left
    assert m == 4 and m + 3 in basic and len(basic & {m, m + 2}) == 1
    assert 1 in basic and m + 1 not in basic
    # w and z of a row alike; the artificial variable belongs to none
    marks = [bool(_is_bilateral(session.s, m, variable)) for variable in range(2 * m + 1)]
    assert marks == [True, False, True, True] * 2 + [False]


@pytest.mark.parametrize("seed", range(4))
def test_order_of_tied_rows_is_that_of_the_inverse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(5, 5))
    session, m = begin(A @ A.T + np.eye(5), rng.normal(size=5), attempt=2)
    s, T = session.s, session.scratch.tableau
    M, d = T[:m, :m].copy(), T[:m, m].copy()
    for row, column in ((1, m), (3, 0), (0, 3)):
        exchange(s, m, row, column)
        inverse = np.linalg.inv(basis(M, d, session.scratch.basic[:m]))
        found = np.array([[_inverse_entry(s, m, i, k) for k in range(m)] for i in range(m)])
        np.testing.assert_allclose(found, inverse, atol=1e-12)
        for j in range(m + 1):
            rows = np.flatnonzero(np.abs(T[:m, j]) > 1e-9)
            for a, b in itertools.permutations(rows, 2):
                apart = inverse[a] / -T[a, j] - inverse[b] / -T[b, j]
                # no two rows of an inverse are multiples of each other: some entry decides
                first = apart[np.abs(apart) > 1e-10][0]
                assert bool(_is_earlier(s, m, a, b, j)) == (first < 0.0)


def test_a_pivot_that_is_rounding_beside_others_blocks_nothing() -> None:
    session, m = begin(np.eye(3), np.ones(3))
    T = session.scratch.tableau
    T[:3, 0], T[:3, m + 1] = (-1e3, -2e-9, 1.0), (1.0, 0.0, 1.0)
    assert _leaving_row(session.s, m, 0) == 0
    T[0, 0] = -1.0  # beside smaller ones it counts
    assert _leaving_row(session.s, m, 0) == 1
    T[:2, 0] = 1.0
    assert _leaving_row(session.s, m, 0) == -1


def test_first_row_is_the_most_negative_one_if_there_is_any() -> None:
    for c, row in (([1.0, 0.0, 2.0], -1), ([1.0, -1.0, -3.0], 2), ([-2.0, -1.0, -2.0], 2)):
        session, m = begin(np.eye(3), np.array(c))
        assert _first_row(session.s, m) == row


def test_number_of_pivots_or_the_word_for_none() -> None:
    def pivots(G: Any, c: Any, limit: int) -> int:
        session, m = begin(np.array(G), np.array(c))
        return int(pivot_lemke(session.p, session.s, m, limit))

    assert pivots([[1.0]], [1.0], 5) == 0
    assert pivots([[1.0]], [-1.0], 5) == 1
    assert pivots([[2.0, 1.0], [1.0, 2.0]], [-1.0, -1.5], 5) == 2
    assert pivots([[2.0, 1.0], [1.0, 2.0]], [-1.0, -1.5], 1) == -1
    assert pivots([[-1.0]], [-1.0], 5) == -1  # a ray: there is no solution


# every kind of a plane set; friction follows the load of the third and of the last but one
KINDS = [
    cl.sets.interval(-0.4, 0.9), cl.sets.free(), cl.sets.unilateral(),
    cl.sets.friction(0.5, normal=2), cl.sets.interval(-math.inf, 0.3), cl.sets.interval(0.7, 0.7),
    cl.sets.interval(-0.2, math.inf), cl.sets.ball(0.6, size=1), cl.sets.unilateral(),
    cl.sets.friction(0.3, normal=8),
]  # fmt: skip


@pytest.mark.parametrize("attempt", [0, 1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_the_linear_form_alone_finds_the_solution(seed: int, attempt: int) -> None:
    """Without the steps of Newton's method that follow, and whatever was there before."""
    rng = np.random.default_rng(seed)
    n = len(KINDS)
    A = rng.normal(size=(n, n))
    problem = cl.ContactProblem(A @ A.T + np.eye(n), 3.0 * rng.normal(size=n), KINDS)
    session = Session(problem, 1e-10, np.zeros(n))
    prepare(session.p, session.s)
    session.scratch.tableau[:] = np.nan
    assert has_linear_form(session.p)
    assert guess_lemke(session.p, session.s, attempt, 50) >= 0
    # every other attempt adds 1e-9 to the diagonal
    assert problem.residual(session.x) <= (1e-7 if attempt % 2 else 1e-11)


def test_what_has_a_linear_form() -> None:
    def has(*sets: Any) -> bool:
        n = sum(item.size for item in sets)
        problem = cl.ContactProblem(np.eye(n), np.ones(n), list(sets))
        return bool(has_linear_form(Session(problem, 1e-10, np.zeros(n)).p))

    row = cl.sets.unilateral()
    assert has(row, cl.sets.friction(0.3, normal=0)) and has(*KINDS)
    assert has(row, row, row, cl.sets.friction(0.3, normal=1), cl.sets.friction(0.3, normal=2))
    assert has(cl.sets.ball(0.5, size=1)) and not has(cl.sets.ball(0.5, size=2))
    assert not has(row, cl.sets.disc(0.3, normal=0))
    bounded = cl.sets.interval(0.0, 2.0)
    for k in range(4):
        loads = [bounded if i == k else row for i in range(4)]
        for i in range(4):
            assert has(*loads, cl.sets.friction(0.3, normal=i)) == (i != k)


def test_every_other_attempt_adds_a_ridge() -> None:
    G = np.array([[2.0, 0.5], [0.5, 3.0]])
    first, second, third = (
        begin(G, np.ones(2), attempt=k)[0].scratch.tableau[:2, :2].copy() for k in range(3)
    )
    np.testing.assert_allclose(second - first, 1e-9 * np.eye(2), rtol=0.0, atol=1e-15)
    assert (third == first).all()
