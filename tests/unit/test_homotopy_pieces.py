"""Pieces of the homotopy against numpy: rounded laws, their slopes, tangents and steps of paths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_PATHS, PATH_METRIC, PATH_POINT, PATH_TAU
from cornerlaw.kernels.complementarity.homotopy import (
    _factor_bordered,
    _find_start,
    _polish,
    follow_homotopy,
    solve_homotopy,
)
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.kernels.complementarity.smoothing import (
    _COMPLIANCE,
    _clip,
    _ramp,
    _shorten,
    assemble_smoothed,
    eval_smoothed,
)
from cornerlaw.simulate.complementarity.compiled import Session

# rows of every kind: contacts with friction in a line and in a disc, rows with one bound, with the
# other one, with both and with none, a ball of given size
SETS = [
    cl.sets.unilateral(), cl.sets.unilateral(), cl.sets.friction(0.6, normal=1),
    cl.sets.unilateral(), cl.sets.disc(0.4, normal=3), cl.sets.free(),
    cl.sets.interval(-math.inf, 0.7), cl.sets.interval(-0.5, 1.5),
    cl.sets.interval(-1.0, math.inf), cl.sets.ball(0.8),
]  # fmt: skip
STARTS = np.cumsum([0, *(item.size for item in SETS)])


def ramp(z: float, tau: float) -> float:
    return 0.5 * (z + math.hypot(z, 2.0 * tau))


def slope_of(function: Any, at: tuple[float, ...], k: int, h: float = 1e-6) -> Any:
    """Return the derivative in argument k by central differences."""
    ends = []
    for sign in (1.0, -1.0):
        point = list(at)
        point[k] += sign * h
        ends.append(function(*point))
    return (ends[0] - ends[1]) / (2.0 * h)


@pytest.mark.parametrize("z", [-3.0, -0.2, 0.0, 0.4, 5.0])
@pytest.mark.parametrize("tau", [0.3, 1.0])
def test_a_rounded_ramp_and_its_slopes(z: float, tau: float) -> None:
    value, in_z, in_tau = _ramp(z, tau)
    assert value == pytest.approx(ramp(z, tau), rel=1e-12)
    # differences of second order with a step of 1e-6
    assert in_z == pytest.approx(slope_of(ramp, (z, tau), 0), abs=1e-9)
    assert in_tau == pytest.approx(slope_of(ramp, (z, tau), 1), abs=1e-9)
    # far to the left, where the sum of both roots would lose all digits: tau^2 / |z|
    assert _ramp(-1e8, tau)[0] == pytest.approx(tau * tau / 1e8, rel=1e-9)


def clipped(z: float, lower: float, upper: float, tau: float) -> float:
    """Return the rounded clipping: to a bound, ramps away from it."""
    if upper == math.inf:
        return lower + ramp(z - lower, tau)
    if lower == -math.inf:
        return upper - ramp(upper - z, tau)
    return lower + ramp(z - lower, tau) - ramp(z - upper, tau)


@pytest.mark.parametrize("bounds", [(0.5, math.inf), (-math.inf, 0.7), (-0.4, 0.9)])
@pytest.mark.parametrize("z", [-2.0, 0.1, 3.0])
def test_rounded_clipping_and_its_slopes(bounds: tuple[float, float], z: float) -> None:
    tau = 0.3
    value, in_z, in_lower, in_upper, in_tau = _clip(z, *bounds, tau)
    assert value == pytest.approx(clipped(z, *bounds, tau), rel=1e-12)
    at = (z, *bounds, tau)
    for k, slope in ((0, in_z), (1, in_lower), (2, in_upper), (3, in_tau)):
        wanted = slope_of(clipped, at, k) if math.isfinite(at[k]) else 0.0
        assert slope == pytest.approx(wanted, abs=1e-9)


def shortened(r: float, radius: float, tau: float) -> float:
    return ramp(r + radius, tau) - radius - ramp(r - radius, tau)


@pytest.mark.parametrize("r", [0.1, 0.9, 4.0])
def test_rounded_length_and_its_slopes(r: float) -> None:
    at = (r, 0.8, 0.3)
    factor, *slopes = _shorten(*at)
    assert factor * r == pytest.approx(shortened(*at), rel=1e-12)
    for k, slope in enumerate(slopes):
        assert slope == pytest.approx(slope_of(shortened, at, k), abs=1e-9)


def test_a_length_of_nearly_nothing_has_the_slope_as_its_factor() -> None:
    """The quotient of numbers of the size of rounding would be noise."""
    assert _shorten(1e-12, 1.0, 1.0)[0] == pytest.approx(slope_of(shortened, (0.0, 1.0, 1.0), 0))


def mixed(seed: int) -> Session:
    """Return a problem of all sets with its scales and the rounding of every row."""
    rng = np.random.default_rng(seed)
    n = int(STARTS[-1])
    A = rng.normal(size=(n, n + 3))
    session = Session(cl.ContactProblem(A @ A.T, rng.normal(size=n), SETS), 1e-10, np.zeros(n))
    prepare(session.p, session.s)
    session.scratch.path[PATH_TAU, :n] = rng.uniform(0.2, 0.8, size=n)
    return session


def rounded_map(session: Session, X: Any, t: float, push: float) -> Any:
    """Return F of the path by plain numpy: X - P(X - gamma), in the order of the rows."""
    problem, n = session.problem, session.problem.n
    scale, tau = session.scratch.scale[:n], session.scratch.path[PATH_TAU, :n] * t
    gamma = np.asarray(problem.G) @ (X / scale) + problem.c
    F = np.zeros(n)
    for k in range(len(SETS)):
        rows = slice(STARTS[k], STARTS[k + 1])
        i = int(STARTS[k])
        z, g = X[rows] - gamma[rows], scale[i]
        if k == 2:
            size = (1.0 - t) * 0.6 * max(X[1], 0.0)
            F[i] = X[i] - clipped(z[0], -size, size, tau[i])
        elif k in (4, 9):
            load = (1.0 - t) * 0.4 * max(X[3], 0.0)
            radius, r = load if k == 4 else 0.8 * g, float(np.linalg.norm(z))
            F[rows] = X[rows] - shortened(r, radius, tau[i]) / r * z
        elif k == 5:
            F[i] = gamma[i] + _COMPLIANCE * t * X[i]
        elif k == 6:
            F[i] = X[i] - clipped(z[0] + push * t, -math.inf, 0.7 * g, tau[i])
        elif k == 7:
            F[i] = X[i] - clipped(z[0], -0.5 * g, 1.5 * g, tau[i])
        else:
            lower = -g if k == 8 else 0.0
            F[i] = X[i] - clipped(z[0] - push * t, lower, math.inf, tau[i])
    return F


@pytest.mark.parametrize("seed", range(6))
def test_the_map_of_the_path_and_its_slopes(seed: int) -> None:
    """The Jacobian, and its last column: the slope in -log t."""
    session = mixed(seed)
    p, s, n = session.p, session.s, session.problem.n
    rng = np.random.default_rng(50 + seed)
    t, push = 0.4, 0.3
    X = np.zeros(session.scratch.F.size)
    X[:n] = 2.0 * rng.normal(size=n)
    # loads that push and that do not
    X[1], X[3] = (1.5, 0.7) if seed % 3 else (-0.4, 1.2)
    F = np.zeros(session.scratch.F.size)
    mean = eval_smoothed(p, s, X, t, push, F)
    wanted = rounded_map(session, X[:n], t, push)
    np.testing.assert_allclose(F[:n], wanted, rtol=1e-11, atol=1e-12)
    tau = session.scratch.path[PATH_TAU, :n] * t
    assert mean == pytest.approx(np.mean((wanted / tau) ** 2), rel=1e-10)
    assemble_smoothed(p, s, X, t, push, session.scratch.A)
    A, h = session.scratch.A[:n, : n + 1], 1e-6
    for j in range(n + 1):
        ends = []
        for sign in (1.0, -1.0):
            point, time = X[:n].copy(), t
            if j < n:
                point[j] += sign * h
            else:
                time = t * math.exp(-sign * h)
            ends.append(rounded_map(session, point, time, push))
        slope = (ends[0] - ends[1]) / (2.0 * h)
        np.testing.assert_allclose(A[:, j], slope, rtol=0.0, atol=1e-7 * np.abs(slope).max())


@pytest.mark.parametrize("seed", range(8))
def test_orientation_is_the_sign_of_the_bordered_determinant(seed: int) -> None:
    session = mixed(seed)
    p, s, n = session.p, session.s, session.problem.n
    rng = np.random.default_rng(80 + seed)
    t, push = 0.4, 0.3
    X, direction = np.zeros((2, session.scratch.path.shape[1]))
    X[:n], direction[: n + 1] = rng.normal(size=n), rng.normal(size=n + 1)
    session.scratch.path[PATH_METRIC, : n + 1] = rng.uniform(0.5, 2.0, size=n + 1)
    eval_smoothed(p, s, X, t, push, session.scratch.F)
    assemble_smoothed(p, s, X, t, push, session.scratch.A)
    whole = session.scratch.A[: n + 1, : n + 1].copy()
    whole[n] = session.scratch.path[PATH_METRIC, : n + 1] * direction[: n + 1]
    sign = _factor_bordered(p, s, X, t, push, direction)
    assert sign == np.sign(np.linalg.det(whole))


def test_the_first_point_of_a_path_is_found_by_halved_steps() -> None:
    """A Newton step that leads as far behind the root as before it is no gain: half of it is."""
    tau, push, c = 0.5, 0.1, -10.0
    session = Session(cl.ContactProblem([[1.0]], [c], [cl.sets.unilateral()]), 1e-10, np.zeros(1))
    prepare(session.p, session.s)
    # gamma = 20 X + c: the slope of the map is 20 where the contact is closed and one elsewhere
    session.scratch.scale[0], session.scratch.path[PATH_TAU, 0] = 0.05, tau

    def value(X: float) -> float:
        return X - ramp(-19.0 * X - c - push, tau)

    def ratio(X: float) -> float:
        z = -19.0 * X - c - push
        slope = 1.0 + 19.0 * 0.5 * (1.0 + z / math.hypot(z, 2.0 * tau))
        return (value(X - value(X) / slope) / value(X)) ** 2

    low, high = 0.5, 2.0  # from the root on
    assert ratio(low) < 1.0 < ratio(high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if ratio(middle) < 1.00005 else (low, middle)
    session.scratch.path[PATH_POINT, 0] = low
    assert _find_start(session.p, session.s, push)
    assert value(float(session.scratch.path[PATH_POINT, 0])) == pytest.approx(0.0, abs=1e-5)


def polished(G: Any, c: Any, start: Any) -> tuple[float, int]:
    """Return the residual behind Newton's method from a point, and its last count of steps."""
    n = len(c)
    problem = cl.ContactProblem(G, c, [cl.sets.unilateral()] * n)
    session = Session(problem, 1e-10, np.zeros(n))
    reference = prepare(session.p, session.s)
    session.scratch.path[PATH_POINT, :n] = np.array(start) * session.scratch.scale[:n]
    value = _polish(session.p, session.s, reference)
    return float(value), int(session.scratch.iterations[0])


def test_newton_goes_on_from_what_is_promising_only() -> None:
    """It starts again where it has come near, and finds nothing left to do if it was there."""
    value, steps = polished([[2.0, 0.5], [0.5, 1.0]], [-2.0, -1.0], [5.0, 0.0])
    assert value <= 1e-12 and steps <= 1
    # no solution: gamma_1 = -1 - x_1
    value, steps = polished([[-1.0, 0.0], [0.0, 1.0]], [-1.0, -1.0], [1.0, 0.0])
    assert value > 1e-3 and steps <= 20


def test_a_path_may_begin_with_a_small_step() -> None:
    """Its parameter falls by less than a hundredth first; only one that rises has turned back."""
    problem = cl.ContactProblem(
        [[-3.1e-6, -0.0047], [5.2, -1.8]], [1.8, -0.44], [cl.sets.unilateral()] * 2
    )
    session = Session(problem, 1e-10, np.zeros(2))
    reference = prepare(session.p, session.s)
    assert follow_homotopy(session.p, session.s, reference, 4, 120) <= 1e-10


def test_paths_end_with_the_right_word() -> None:
    problem = cl.ContactProblem([[2.0, 0.5], [0.5, 1.0]], [-2.0, -1.0], [cl.sets.unilateral()] * 2)
    for paths, word in ((6, SOLVED), (0, NOT_SOLVED)):
        session = Session(problem, 1e-10, np.zeros(2))
        session.scratch.options[MAX_PATHS] = paths
        assert session.run(solve_homotopy) == word
