"""Rows of contacts against differences along a motion of two free bodies."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl


def _bodies() -> tuple[cl.Body, cl.Body]:
    first = cl.Body("first", mass=1.3, inertia=0.4, com=(0.1, -0.05), position=(0.0, 2.0))
    second = cl.Body("second", mass=2.1, inertia=0.7, position=(0.1, 0.0))
    return first, second


def _egg(s: float) -> Any:
    return (0.6 * math.cos(s), 0.4 * math.sin(s) + 0.05 * math.sin(2.0 * s))


def _pair(kind: str, first: cl.Body, second: cl.Body) -> tuple[Any, Any]:
    square = ((-0.4, -0.3), (0.5, -0.3), (0.4, 0.4), (-0.4, 0.3))
    round_1 = cl.Circle("a", first, radius=0.3, at=(0.1, 0.2))
    if kind == "circle on line":
        return round_1, cl.Line("b", second, at=(0.0, 0.2), normal=(0.1, 1.0))
    if kind == "circle on circle":
        return round_1, cl.Circle("b", second, radius=0.7, at=(-0.1, 0.1))
    if kind == "circle in circle":
        return round_1, cl.Circle("b", second, radius=4.0, inside=True)
    if kind == "point on circle":
        return cl.ContactPoint("a", first, at=(0.2, -0.4)), cl.Circle("b", second, radius=0.7)
    if kind == "polygon on line":
        return cl.Polygon("a", first, vertices=square), cl.Line("b", second, normal=(0.0, 1.0))
    if kind == "line under polygon":
        return cl.Line("a", first, at=(0.0, 1.0), normal=(0.0, -1.0)), cl.Polygon(
            "b", second, vertices=square
        )
    if kind == "parabola on line":
        shape = cl.Parabola("a", first, curvature=1.5, axis=(0.0, 1.0), width=2.0)
        return shape, cl.Line("b", second, normal=(0.0, 1.0))
    return cl.Curve("a", first, function=_egg, s=(0.0, 2.0 * np.pi), closed=True), cl.Circle(
        "b", second, radius=0.5
    )


PAIRS = (
    "circle on line",
    "circle on circle",
    "circle in circle",
    "point on circle",
    "polygon on line",
    "line under polygon",
    "parabola on line",
    "curve on circle",
)


class _Motion:
    """A motion of both bodies with constant accelerations of all coordinates."""

    def __init__(self, model: cl.Model) -> None:
        from cornerlaw.simulate.system import System

        self.system = System(model)
        rng = np.random.default_rng(5)
        nu = self.system.arrays.nu
        self.q = np.array([0.0, 2.0, 0.3, 0.1, 0.0, -0.2])
        self.u, self.a = rng.normal(size=nu), rng.normal(size=nu)

    def rows(self, t: float, corner: int, shift: Any = 0.0) -> tuple[Any, ...]:
        """Return g, gamma, gamma_dot and W of both rows of a corner at a time."""
        from cornerlaw.kernels.contact.detect import detect_slot
        from cornerlaw.kernels.corners.rows import eval_corner
        from cornerlaw.kernels.kinematics import (
            eval_bias_accelerations,
            eval_frame_accelerations,
            eval_kinematics,
        )

        s = self.system
        q, u = self.q + self.u * t + 0.5 * self.a * t * t, self.u + self.a * t + shift
        eval_kinematics(s.m, s.w, q, u)
        eval_bias_accelerations(s.m, s.w, self.a, s.work.acc)
        eval_frame_accelerations(s.m, s.w, s.work.acc)
        s.work.n_entries[0] = 0
        detect_slot(s.m, s.w, int(s.arrays.corners.slot[corner]))
        eval_corner(s.m, s.w, corner, t, q, u, self.a)
        rows = [int(s.arrays.corners.row_N[corner]), int(s.arrays.corners.row_T[corner])]
        w = s.work
        return w.g[rows].copy(), w.gamma[rows].copy(), w.gamma_dot[rows].copy(), w.W[rows].copy()


def _slope(values: Any, h: float) -> Any:
    """Return the derivative in the middle of five values, to fourth order."""
    a, b, _, d, e = values
    return (a - 8.0 * b + 8.0 * d - e) / (12.0 * h)


@pytest.mark.parametrize("kind", PAIRS)
def test_gap_rate_velocities_and_accelerations_are_derivatives(kind: str) -> None:
    first, second = _bodies()
    pair = _pair(kind, first, second)
    model = cl.Model(first, second, cl.Contact(*pair, mu=0.3, name="contact"))
    motion = _Motion(model)
    h = 1e-3
    checked = 0
    for corner in range(len(motion.system.compiled.corners)):
        series = [motion.rows(k * h, corner) for k in (-2, -1, 0, 1, 2)]
        if not all(np.isfinite(values[0][0]) for values in series):
            continue
        _, gamma, gamma_dot, W = series[2]
        # five-point differences leave 1e-10 of the values; rounding over h leaves 1e-12
        assert _slope([v[0][0] for v in series], h) == pytest.approx(gamma[0], abs=1e-8)
        assert _slope([v[1][0] for v in series], h) == pytest.approx(gamma_dot[0], abs=1e-7)
        assert _slope([v[1][1] for v in series], h) == pytest.approx(gamma_dot[1], abs=1e-7)
        for j in range(W.shape[1]):
            step = np.zeros(W.shape[1])
            step[j] = 1.0
            # velocities are linear in u
            assert motion.rows(0.0, corner, step)[1] - gamma == pytest.approx(W[:, j], abs=1e-12)
        checked += 1
    assert checked
