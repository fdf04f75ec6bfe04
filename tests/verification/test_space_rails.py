"""Long shapes at rest: capsules in pipes and on landscapes, rails on a plane.

Each would tip or fall through if it had one contact point instead of those that hold it.
"""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import cornerlaw as cl

MASS, GRAVITY = 2.0, 9.81
ROUND, LENGTH = 0.04, 0.2
ROADS = [cl.Moreau(dt=1e-3), cl.EventDriven()]


def rest(body: Any, shape: Any, other: Any, method: Any, **more: Any) -> tuple[Any, Any]:
    """Return a run from rest and the forces of the points of the pair at its end, upwards."""
    model = cl.Model(
        body, shape, other, cl.Contact(shape, other, name="pair", **more),
        gravity=(0.0, 0.0, -GRAVITY),
    )  # fmt: skip
    sol = cl.simulate(model, 0.5, method=method, progress=False)
    moved = sol[body.name].position - sol[body.name].position[0]
    # it stays where it was but for rounding and the tolerance of the solver
    assert np.abs(moved).max() < 1e-9
    assert np.abs(sol[body.name].angular_velocity).max() < 1e-8
    assert sol["pair"].force[-1] == pytest.approx((0.0, 0.0, MASS * GRAVITY), abs=1e-6)
    return sol, [x.name for x in model.contacts]


def capsule(z: float) -> tuple[Any, Any]:
    inertia = cl.inertia.capsule(MASS, radius=ROUND, length=LENGTH, axis="x")
    body = cl.Body("body", mass=MASS, inertia=inertia, position=(0.0, 0.0, z))
    shape = cl.Capsule("shape", body, radius=ROUND, length=LENGTH, axis=(1.0, 0.0, 0.0))
    return body, shape


@pytest.mark.parametrize("method", ROADS, ids=["stepping", "events"])
def test_capsule_lies_in_a_straight_pipe_on_both_ends(method: Any) -> None:
    body, shape = capsule(ROUND - 0.1)
    points = tuple((x, 0.0, 0.0) for x in (-1.0, -0.3, 0.4, 1.0))
    pipe = cl.Tube("pipe", cl.Ground("g"), points=points, radius=0.1, inside=True)
    sol, _ = rest(body, shape, pipe, method, mu=0.3)
    for i in range(2):
        assert sol[f"pair[{i}]"].gap[-1] == pytest.approx(0.0, abs=1e-9)
    assert sol["pair[2]"].gap[-1] == math.inf
    assert sol["pair"].centre_of_pressure[-1] == pytest.approx((0.0, 0.0, -0.1), abs=1e-6)


def arc(radius: float, half: float, n: int = 25) -> tuple[tuple[float, float, float], ...]:
    angle = np.linspace(-half, half, n)
    return tuple((radius * math.sin(a), 0.0, radius * (math.cos(a) - 1.0)) for a in angle)


@pytest.mark.parametrize("method", ROADS, ids=["stepping", "events"])
def test_capsule_lies_in_a_bent_pipe_on_its_middle(method: Any) -> None:
    """The floor of a pipe over a hill is flatter than the capsule is thick: it balances there."""
    body, shape = capsule(ROUND - 0.1)
    pipe = cl.Tube("pipe", cl.Ground("g"), points=arc(1.0, 0.8), radius=0.1, inside=True)
    sol, _ = rest(body, shape, pipe, method, mu=0.3)
    assert sol["pair[2]"].gap[-1] == pytest.approx(0.0, abs=1e-9)
    # below the ends the circle of the floor, of 0.9 m, is lower
    lower = math.hypot(0.5 * LENGTH, 0.9 + ROUND) - 0.9 - ROUND
    for i in range(2):
        # the spline leaves the circle by its fourth power
        assert sol[f"pair[{i}]"].gap[-1] == pytest.approx(lower, abs=1e-6)


@pytest.mark.parametrize("method", ROADS, ids=["stepping", "events"])
def test_capsule_lies_across_a_valley_on_both_ends(method: Any) -> None:
    x = np.linspace(-1.0, 1.0, 21)
    heights = tuple(tuple(0.5 * a * a for _ in range(5)) for a in x)
    land = cl.HeightField("land", cl.Ground("g"), heights=heights, size=(2.0, 1.0))
    # the centre of an end is one radius above the parabola, along its normal
    foot = brentq(lambda a: a - ROUND * a / math.hypot(1.0, a) - 0.5 * LENGTH, 0.1, 0.2, xtol=1e-15)
    body, shape = capsule(0.5 * foot * foot + ROUND / math.hypot(1.0, foot))
    sol, _ = rest(body, shape, land, method, mu=0.3)
    for i in range(2):
        assert sol[f"pair[{i}]"].gap[-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("method", ROADS, ids=["stepping", "events"])
def test_capsule_lies_on_a_hill_on_its_middle(method: Any) -> None:
    x = np.linspace(-1.0, 1.0, 21)
    heights = tuple(tuple(-0.5 * a * a for _ in range(5)) for a in x)
    land = cl.HeightField("land", cl.Ground("g"), heights=heights, size=(2.0, 1.0))
    body, shape = capsule(ROUND)
    sol, _ = rest(body, shape, land, method, mu=0.3)
    assert sol["pair[2]"].gap[-1] == pytest.approx(0.0, abs=1e-9)
    assert min(sol[f"pair[{i}]"].gap[-1] for i in range(2)) > 1e-3


STRAIGHT = tuple((x, 0.0, 0.0) for x in (-0.5, -0.2, 0.2, 0.5))
_TURN = np.linspace(-1.57, 1.57, 9)
HALF_CIRCLE = tuple((0.5 * math.sin(a), 0.5 * math.cos(a), 0.0) for a in _TURN)


@pytest.mark.parametrize("method", ROADS, ids=["stepping", "events"])
@pytest.mark.parametrize("points", [STRAIGHT, HALF_CIRCLE], ids=["straight", "bent"])
def test_rail_lies_on_a_floor(points: Any, method: Any) -> None:
    centre = tuple(np.mean(points, axis=0))
    body = cl.Body(
        "body", mass=MASS, inertia=(0.1, 0.2, 0.25), com=centre, position=(0.0, 0.0, ROUND)
    )
    shape = cl.Tube("shape", body, points=points, radius=ROUND)
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    sol, _ = rest(body, shape, floor, method, mu=0.3)
    place = (centre[0], centre[1], 0.0)
    assert sol["pair"].centre_of_pressure[-1] == pytest.approx(place, abs=1e-6)


def test_rail_falls_on_a_floor_and_stays_above() -> None:
    body = cl.Body("body", mass=MASS, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 0.4))
    shape = cl.Tube("shape", body, points=arc(0.4, 1.2), radius=ROUND)
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    pair = cl.Contact(shape, floor, name="pair", mu=0.3)
    model = cl.Model(body, shape, floor, pair, gravity=(0.0, 0.0, -GRAVITY))
    sol = cl.simulate(model, 1.5, method=cl.Moreau(dt=1e-3), progress=False)
    # the line sampled finely is never below its radius
    line = np.array(arc(0.4, 1.2, 400))
    for r, A in zip(sol["body"].position, sol["body"].rotation, strict=True):
        heights = (r + line @ A.T)[:, 2]
        # samples of the arc are off the spline by 1e-5, a step of impact adds no depth
        assert heights.min() > ROUND - 1e-4
