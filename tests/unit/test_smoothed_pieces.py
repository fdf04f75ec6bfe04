"""Pieces of the smoothed Fischer-Burmeister map against numpy: cones, values, Newton steps."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.kernels.complementarity.fischer_burmeister import (
    _cone_of,
    _eval_map,
    _eval_phi,
    _scale_rows,
    _step,
)
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.simulate.complementarity.compiled import Session

# a contact in space, one with three tangents, rows of every other kind, and a clutch on a load
SETS = [
    cl.sets.unilateral(), cl.sets.disc(0.4, normal=0), cl.sets.unilateral(),
    cl.sets.disc(0.7, normal=3, size=3), cl.sets.free(), cl.sets.unilateral(),
    cl.sets.interval(-0.5, 1.5), cl.sets.ball(0.8), cl.sets.interval(-1.0, math.inf),
]  # fmt: skip
FRICTION = {0: 1, 2: 3}  # set of the load: set of its disc


def mixed(seed: int) -> Session:
    """Return a problem of all sets, scaled."""
    rng = np.random.default_rng(seed)
    n = sum(item.size for item in SETS)
    A = rng.normal(size=(n, n + 3))
    session = Session(cl.ContactProblem(A @ A.T, rng.normal(size=n), SETS), 1e-10, np.zeros(n))
    prepare(session.p, session.s)
    _scale_rows(session.p, session.s)
    return session


def product(a: Any, b: Any) -> Any:
    """Return the Jordan product of the cone."""
    return np.concatenate(([a @ b], a[0] * b[1:] + b[0] * a[1:]))


@pytest.mark.parametrize("seed", range(20))
def test_root_and_value_of_the_map(seed: int) -> None:
    """phi = a + b - w, w o w = a o a + b o b + 2 tau^2 e, w in the cone."""
    rng = np.random.default_rng(seed)
    a, b, tau = rng.normal(size=4), rng.normal(size=4), 10.0 ** -rng.integers(0, 4)
    out = np.zeros((2, 4))
    determinant = _eval_phi(*a, *b, tau, out)
    w = out[1]
    squares = product(a, a) + product(b, b) + np.array([2.0 * tau * tau, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(product(w, w), squares, rtol=0.0, atol=1e-13)
    assert w[0] > np.linalg.norm(w[1:])
    np.testing.assert_allclose(out[0], a + b - w, rtol=0.0, atol=1e-15)
    assert determinant == pytest.approx(w[0] ** 2 - w[1:] @ w[1:], rel=1e-9)


def test_cones_are_contacts_with_one_disc() -> None:
    session = mixed(0)
    wanted = [-1] * len(SETS)
    for load, disc in FRICTION.items():
        wanted[load], wanted[disc] = disc, -2
    assert session.scratch.cone[: len(SETS)].tolist() == wanted
    for k in (4, 5, 6, 7, 8):
        assert _cone_of(session.p, session.s, k) == -1


def test_friction_that_differs_by_direction_makes_no_cone() -> None:
    even = cl.sets.friction(0.3, normal=0)
    odd = replace(cl.sets.friction(0.3, normal=2), lower_1=-0.1)
    sets = [cl.sets.unilateral(), even, cl.sets.unilateral(), odd]
    session = Session(cl.ContactProblem(np.eye(4), np.ones(4), sets), 1e-10, np.zeros(4))
    prepare(session.p, session.s)
    session.scratch.cone[:] = 7
    _scale_rows(session.p, session.s)
    assert session.scratch.cone[:4].tolist() == [1, -2, -1, -1]


@pytest.mark.parametrize("seed", range(12))
def test_steps_are_those_of_newton(seed: int) -> None:
    """The matrix by central differences of the map."""
    session = mixed(seed)
    p, s, n = session.p, session.s, session.problem.n
    rng = np.random.default_rng(100 + seed)
    y, tau = 2.0 * rng.normal(size=n), 0.3
    session.scratch.shift[:n] = rng.uniform(0.0, 1.0, size=n)

    def value(point: Any) -> Any:
        F = np.zeros(session.scratch.F.size)
        total = _eval_map(p, s, point, tau, F)
        assert total == pytest.approx(F[:n] @ F[:n], rel=1e-12)
        return F[:n]

    room = session.scratch.y
    h, J = 1e-6, np.zeros((n, n))
    for j in range(n):
        ends = []
        for sign in (1.0, -1.0):
            point = np.zeros(room.size)
            point[:n] = y
            point[j] += sign * h
            ends.append(value(point))
        J[:, j] = (ends[0] - ends[1]) / (2.0 * h)
    room[:n] = y
    session.scratch.F[:n] = value(room)
    F = session.scratch.F[:n].copy()
    _step(p, s, tau)
    np.testing.assert_allclose(J @ session.scratch.step[:n], -F, atol=1e-5 * np.abs(F).max())


def test_rows_outside_cones() -> None:
    """The laws of single rows, each written from its own definition."""
    session = mixed(3)
    n, scratch = session.problem.n, session.scratch
    y = np.zeros(scratch.y.size)
    y[:n] = np.random.default_rng(3).normal(size=n)
    F, tau = np.zeros(scratch.F.size), 0.1
    _eval_map(session.p, session.s, y, tau, F)
    weight = scratch.weight[:n]
    b = weight * session.problem.gamma(weight * y[:n])
    for k in range(4, len(SETS)):
        for i in range(n)[session.problem.rows(k)]:
            item = SETS[k]
            low, high = (-0.8, 0.8) if k == 7 else (item.lower_0, item.upper_0)
            if math.isinf(low):
                wanted = b[i]
            elif math.isinf(high):
                a = y[i] - low / weight[i]
                wanted = a + b[i] - math.sqrt(a * a + b[i] ** 2 + 2.0 * tau**2)
            else:
                wanted = y[i] - np.clip(y[i] - b[i], low / weight[i], high / weight[i])
            assert F[i] == pytest.approx(wanted, abs=1e-12), (k, i)
