"""Principal pivoting alone: bounds of every kind of set, its word, how few exchanges it needs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.kernels.complementarity.pivoting import solve_pivoting
from cornerlaw.simulate.complementarity.compiled import Session
from tests.unit.test_islands import rounds

KINDS = [
    cl.sets.interval(-0.4, 0.9), cl.sets.free(), cl.sets.unilateral(),
    cl.sets.disc(0.05, normal=2, size=1), cl.sets.interval(-math.inf, 0.3),
    cl.sets.interval(-0.2, math.inf), cl.sets.ball(0.6, size=1), cl.sets.unilateral(),
    cl.sets.friction(0.05, normal=7), cl.sets.ball(0.1, size=1),
]  # fmt: skip


def begin(seed: int) -> Session:
    """Return a problem of all kinds of sets, with little friction."""
    rng = np.random.default_rng(seed)
    n = len(KINDS)
    A = rng.normal(size=(n, n))
    problem = cl.ContactProblem(A @ A.T + np.eye(n), 3.0 * rng.normal(size=n), KINDS)
    return Session(problem, 1e-10, np.zeros(n))


@pytest.mark.parametrize("seed", range(16))
def test_pivoting_alone_solves_every_kind_of_set(seed: int) -> None:
    session = begin(seed)
    assert session.run(solve_pivoting) == SOLVED
    assert session.problem.residual(session.x) <= 1e-10
    # sets of active rows that were looked at: few, as all wrong rows change at once
    assert session.scratch.iterations[0] <= 12


def test_pivoting_says_when_it_has_no_answer() -> None:
    session = Session(
        cl.ContactProblem([[-1.0]], [-1.0], [cl.sets.unilateral()]), 1e-10, np.zeros(1)
    )
    assert session.run(solve_pivoting) == NOT_SOLVED
    disc = cl.ContactProblem.frictional(np.eye(3), np.array([-1.0, 0.2, 0.1]), 0.3)
    assert Session(disc, 1e-10, np.zeros(3)).run(solve_pivoting) == NOT_SOLVED


# the first two are problems on which exchanges of all wrong rows go round in circles
@pytest.mark.parametrize("seed", [685, 3699, 0, 1, 2, 3])
def test_exchanges_are_those_of_the_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 14))
    A = rng.normal(size=(n, n + seed % 2))
    G, c = A @ A.T + 1e-3 * np.eye(n), rng.normal(size=n)
    problem = cl.ContactProblem(G, c, [cl.sets.unilateral()] * n)
    session = Session(problem, 1e-10, np.zeros(n))
    assert session.run(solve_pivoting) == SOLVED
    assert session.scratch.iterations[0] == rounds(G, c)


def test_a_ball_of_one_row_starts_inside() -> None:
    problem = cl.ContactProblem([[1.0]], [0.3], [cl.sets.ball(0.6, size=1)])
    session = Session(problem, 1e-10, np.zeros(1))
    assert session.run(solve_pivoting) == SOLVED
    assert session.scratch.iterations[0] == 1 and session.x == pytest.approx([-0.3], abs=1e-12)
