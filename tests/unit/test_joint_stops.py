"""Rows of the stops of joints with several coordinates, by hand and against differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cornerlaw as cl
from cornerlaw.compile import compile_model
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.constraints import eval_constraint_state
from cornerlaw.kernels.kinematics import (
    advance_position,
    eval_bias_accelerations,
    eval_frame_accelerations,
)
from cornerlaw.kernels.rows import eval_rows
from cornerlaw.kernels.stages import bind_stages

EXACT = {"rtol": 1e-13, "atol": 1e-14}
GROUND = cl.Ground()
LIMITS = {"swing": 2.5, "twist": (-1.0, 2.0)}


def body(name: str) -> cl.Body:
    return cl.Body(name, mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.1, -0.2, 0.3))


class Stops:
    """Gaps, their rates and accelerations without accelerations of coordinates."""

    def __init__(self, model: cl.Model) -> None:
        self.compiled = compile_model(model)
        n = self.compiled.arrays.row_scale.size
        self.work = self.compiled.workspace()
        arrays = bind_stages(self.compiled.arrays._replace(n_rows=n), self.work)
        self.m, self.w = Bundle(arrays), Bundle(self.work)
        self.first = len(self.compiled.rows)
        self.labels = [corner.label for corner in self.compiled.corners]

    def __call__(self, q: Any, u: Any) -> tuple[Any, Any, Any]:
        """Return g, gamma and the rate of gamma at constant u."""
        q, u = np.array(q, dtype=float), np.array(u, dtype=float)
        eval_constraint_state(self.m, self.w, 0.0, q, u)
        k, w = self.first, self.work
        g, gamma = w.g[k:].copy(), w.gamma[k:].copy()
        rest = np.zeros_like(u)
        eval_bias_accelerations(self.m, self.w, rest, w.acc)
        eval_frame_accelerations(self.m, self.w, w.acc)
        eval_rows(self.m, self.w, 0.0, q, u, rest)
        return g, gamma, w.gamma_dot[k:].copy()

    def moved(self, q: Any, u: Any, step: float) -> tuple[Any, Any, Any]:
        found = np.array(q, dtype=float)
        advance_position(self.m, found.copy(), step * np.array(u), found)
        return self(found, u)


def chain(**options: Any) -> cl.Model:
    """Return two ball joints in a row; the second has stops."""
    near, far = body("near"), body("far")
    return cl.Model(
        cl.Spherical("root", GROUND, near),
        cl.Spherical("socket", near, far, at=(0.2, 0.1, 0.0), **options),
    )


AXES = [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (1.0, -2.0, 0.5)]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("seed", range(3))
def test_rates_of_swing_and_twist(axis: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turned = cl.rotation.about((1.0, 0.0, 0.0), 0.4)
    model = chain(limits=LIMITS, limit_axis=axis, orientation=turned)
    stops = Stops(model)
    assert stops.labels == ["socket.swing", "socket.twist_lower", "socket.twist_upper"]
    q = rng.normal(size=8)
    q[:4] /= np.linalg.norm(q[:4])
    q[4:] = np.array([1.0, *0.5 * rng.normal(size=3)])
    q[4:] /= np.linalg.norm(q[4:])
    u = rng.normal(size=6)
    _, gamma, gamma_dot = stops(q, u)
    step = 1e-5
    behind, ahead = stops.moved(q, u, -step), stops.moved(q, u, step)
    # central differences: 1e-10 of the third derivative, and rounding over the step
    assert_allclose(gamma, (ahead[0] - behind[0]) / (2.0 * step), atol=1e-8)
    assert_allclose(gamma_dot, (ahead[1] - behind[1]) / (2.0 * step), atol=1e-8)
    assert np.abs(gamma).min() > 1e-3
    assert gamma[2] == -gamma[1]


@pytest.mark.parametrize(("theta", "tau"), [(0.0, 0.3), (0.5, 0.0), (1.9, -0.7), (2.4, 1.9)])
def test_swing_and_twist_of_a_known_turn(theta: float, tau: float) -> None:
    """Twist about z first, then a swing about a level axis: both come back."""
    swing, axis = 0.5 * theta, np.array([0.6, 0.8])
    half = 0.5 * tau
    # quaternion product (cos s, sin s n) (cos h, sin h z)
    x, y = math.sin(swing) * axis
    q = [math.cos(swing) * math.cos(half), x * math.cos(half) + y * math.sin(half),
         y * math.cos(half) - x * math.sin(half), math.cos(swing) * math.sin(half)]  # fmt: skip
    one = body("one")
    stops = Stops(cl.Model(cl.Spherical("socket", GROUND, one, limits=LIMITS)))
    g, gamma, _ = stops(q, (0.0, 0.0, 0.7))
    assert_allclose(g, (2.5 - theta, tau + 1.0, 2.0 - tau), **EXACT)
    # a spin about the axis of the body is a twist
    assert_allclose(gamma, (0.0, 0.7, -0.7), **EXACT)


def test_stops_of_a_ball_joint_that_closes_a_loop() -> None:
    one = body("one")
    tree = Stops(cl.Model(cl.Spherical("socket", GROUND, one, limits=LIMITS)))
    loop = Stops(cl.Model(cl.Spherical("socket", GROUND, one, limits=LIMITS, closure=True)))
    e = np.array([0.9, 0.2, -0.3, 0.1])
    e /= np.linalg.norm(e)
    omega = (0.3, -0.5, 0.8)
    # the same turn about the same point as a free body
    for a, b in zip(tree(e, omega), loop((0, 0, 0, *e), (0, 0, 0, *omega)), strict=True):
        assert_allclose(a, b, atol=1e-13)


SEVERAL = [
    (cl.Universal, {"angle_1": (-0.5, 1.5), "angle_2": (-1.0, 0.7)}),
    (cl.Cylindrical, {"angle": (-0.5, None), "displacement": (None, 0.8)}),
    (cl.PlanarJoint, {"position_x": (-0.1, 0.2), "angle": (-2.0, 2.0)}),
    (cl.FreeJoint, {"position_z": (-0.1, 0.2), "swing": 1.0}),
    (cl.Translation, {"position_y": (None, 0.4), "position_z": (0.0, 0.2)}),
]


@pytest.mark.parametrize(("kind", "limits"), SEVERAL)
def test_every_scalar_coordinate_may_have_stops(kind: Any, limits: Any) -> None:
    joint = kind("j", GROUND, body("one"), limits=limits, eps_N=0.3)
    stops = Stops(cl.Model(joint))
    expected = [
        "j.swing" if name == "swing" else f"j.{name}_{end}"
        for name in limits
        for end, there in zip(("lower", "upper"), joint.limit_ranges[name], strict=True)
        if there is not None
    ]
    assert stops.labels == expected
    assert [corner.eps_N for corner in stops.compiled.corners] == [0.3] * len(expected)


def test_restitution_of_every_coordinate_of_its_own() -> None:
    joint = cl.Universal(
        "u", GROUND, body("one"), limits={"angle_1": (0.0, 1.0), "angle_2": (None, 1.0)},
        eps_N={"angle_2": 0.4},
    )  # fmt: skip
    corners = Stops(cl.Model(joint)).compiled.corners
    assert [corner.eps_N for corner in corners] == [0.0, 0.0, 0.4]


@pytest.mark.parametrize(("first", "second"), [(0.3, -0.4), (-0.9, 0.8), (1.2, 1.1)])
def test_stops_of_a_universal_joint_that_closes_a_loop(first: float, second: float) -> None:
    limits = {"angle_1": (-1.0, 1.5), "angle_2": (-1.0, 1.3)}
    one = body("one")
    tree = Stops(cl.Model(cl.Universal("u", GROUND, one, limits=limits)))
    loop = Stops(cl.Model(cl.Universal("u", GROUND, one, limits=limits, closure=True)))
    g, gamma, _ = tree((first, second), (0.7, -0.4))
    assert_allclose(g, (first + 1.0, 1.5 - first, second + 1.0, 1.3 - second), **EXACT)
    # as a free body: turned about x, then about the new y
    c1, s1, c2, s2 = (f(0.5 * x) for x in (first, second) for f in (math.cos, math.sin))
    e = (c1 * c2, s1 * c2, c1 * s2, s1 * s2)
    # 0.7 about x of the ground, -0.4 about y of the body, in axes of the body
    omega = (0.7 * math.cos(second), -0.4, 0.7 * math.sin(second))
    found = loop((0.0, 0.0, 0.0, *e), (0.0, 0.0, 0.0, *omega))
    assert_allclose(found[0], g, atol=1e-13)
    assert_allclose(found[1], gamma, atol=1e-13)
