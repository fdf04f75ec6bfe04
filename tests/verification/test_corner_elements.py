"""Set-valued elements on both roads: time stepping and event-driven against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81
DT = 1e-3
GROUND = cl.Ground()
A, B = cl.Rotor("a", inertia=1.0, speed=10.0), cl.Rotor("b", inertia=2.0)
# between events the bound follows the reaction of the evaluation before, which begins at zero
LAGGING = 1e-6
ROADS = [cl.Moreau(dt=DT), cl.EventDriven(rtol=1e-9)]


def close(
    road: Any,
    sol: cl.Solution,
    expected: dict[str, Any],
    stepping: float = 1e-9,
    events: float = 1e-8,
) -> None:
    """Compare end values; where the exact motion bends inside a step, stepping errs by `stepping`.

    The event-driven road is exact up to its tolerance.
    """
    atol = stepping if isinstance(road, cl.Moreau) else events
    for name, value in expected.items():
        np.testing.assert_allclose(sol[name][-1], value, rtol=0.0, atol=atol, err_msg=name)


def run(model: cl.Model, t_end: float, road: Any) -> cl.Solution:
    return cl.simulate(model, t_end, method=road, progress=False)


both = pytest.mark.parametrize("road", ROADS, ids=["stepping", "events"])


@both
@pytest.mark.parametrize(
    "part",
    [
        cl.Brake("k", A, capacity=2.0),
        cl.JointFriction("k", A, torque=2.0),
        cl.JointFriction("k", A, mu=0.1, load=200.0, radius=0.1),
        cl.JointFriction("k", A, mu=cl.Table((0.0, 100.0), (0.1, 0.1)), load=200.0, radius=0.1),
        cl.UserSet("k", coordinates=("a",), coefficients=(1.0,), lower=-2.0, upper=3.0),
    ],
    ids=["brake", "torque", "load", "table", "set"],
)
def test_dry_friction_stops_a_rotor(part: Any, road: Any) -> None:
    # 10 rad/s against 2 N m: at rest after 5 s and 25 rad; the rule of the midpoint is exact
    close(road, run(cl.Model(A, part), 6.0, road), {"a.angle": 25.0, "a.speed": 0.0})


@both
def test_clutch_brings_two_rotors_to_one_speed(road: Any) -> None:
    model = cl.Model(A, B, cl.Clutch("k", A, B, capacity=2.0))
    # the difference of 10 rad/s shrinks by 2 + 1 per second: equal after 10/3 s
    sol = run(model, 2.0, road)
    close(road, sol, {"a.speed": 6.0, "b.speed": 2.0})
    close(road, run(model, 4.0, road), {"a.speed": 10.0 / 3.0, "b.speed": 10.0 / 3.0})


@both
def test_guide_with_friction_from_its_own_reaction(road: Any) -> None:
    block = cl.Body("block", mass=2.0, inertia=0.1)
    guide = cl.Prismatic(
        "guide", GROUND, block, axis=(1.0, 0.0), velocity=3.0, friction=cl.Coulomb(0.2)
    )
    sol = run(cl.Model(guide, gravity=(0.0, -G)), 2.0, road)
    # m a = -mu m g until rest; inside the last step of stepping the block stops by v dt / 2
    distance = 9.0 / (2.0 * 0.2 * G)
    close(
        road,
        sol,
        {"block.position": (distance, 0.0), "block.velocity": (0.0, 0.0)},
        0.2 * G * DT**2,
        LAGGING,
    )


@both
def test_bearing_with_friction_from_its_own_reaction(road: Any) -> None:
    # a balanced disk: the bearing carries its weight, the torque is mu r m g
    disk = cl.Body("disk", mass=3.0, inertia=0.02)
    law = cl.Coulomb(0.1, radius=0.05)
    bearing = cl.Revolute("bearing", GROUND, disk, speed=50.0, friction=law)
    sol = run(cl.Model(bearing, gravity=(0.0, -G)), 2.0, road)
    end = 50.0 - 0.1 * 0.05 * 3.0 * G / 0.02 * 2.0
    close(road, sol, {"disk.angular_velocity": end}, 1e-9, LAGGING)


@both
def test_sliding_in_one_direction_is_dearer(road: Any) -> None:
    # against 4 N m forward and 1 N m backward, with -2 N m: 10 - 6 t, then -(t - 10/6)
    part = cl.UserSet("u", coordinates=("a",), coefficients=(1.0,), lower=-4.0, upper=1.0)
    model = cl.Model(A, part, cl.Torque("t", A, value=-2.0))
    close(road, run(model, 4.0, road), {"a.speed": -(4.0 - 10.0 / 6.0)}, 6.0 * DT)


@both
def test_stop_with_restitution(road: Any) -> None:
    model = cl.Model(A, cl.Limit("l", A, upper=5.0, eps_N=0.5))
    # at 0.5 s, then back at half the speed; stepping sees the stop up to a step too late
    close(road, run(model, 1.0, road), {"a.speed": -5.0, "a.angle": 2.5}, 2.0 * 10.0 * DT)


@both
def test_backlash_passes_the_blow_on(road: Any) -> None:
    model = cl.Model(A, B, cl.Backlash("p", A, B, gap=2.0, eps_N=1.0))
    # elastic: the speeds of 1 and 2 kg m^2 after a central blow with 10 rad/s
    close(road, run(model, 0.2, road), {"a.speed": -10.0 / 3.0, "b.speed": 20.0 / 3.0})


@both
def test_freewheel_takes_along_and_lets_run(road: Any) -> None:
    slow = A.replace(speed=-1.0)
    wheel = cl.Freewheel("w", "b", "a")
    model = cl.Model(slow, B, wheel, cl.Torque("t", "a", value=1.0))
    # a alone to -1 + t until it catches b at rest, then both together
    close(road, run(model, 3.0, road), {"a.speed": 2.0 / 3.0, "b.speed": 2.0 / 3.0}, DT)


@both
def test_rope_catches_a_falling_bob(road: Any) -> None:
    bob = cl.PointMass("bob", mass=1.0, position=(0.0, -0.5))
    model = cl.Model(bob, cl.Rope("r", GROUND, bob, length=1.0), gravity=(0.0, -G))
    close(road, run(model, 0.3, road), {"bob.velocity": (0.0, -0.3 * G)})
    sol = run(model, 1.0, road)
    # stepping lets the rope be longer by one step of the fall until it corrects positions
    close(road, sol, {"bob.position": (0.0, -1.0), "bob.velocity": (0.0, 0.0)}, math.sqrt(G) * DT)
    np.testing.assert_allclose(sol["r.lam_N"][-1], G, rtol=1e-9)


@both
def test_belt_takes_a_block_along(road: Any) -> None:
    own = cl.LagrangianSystem("own", M=np.eye(2), h=(0.0, -G), q0=(0.0, 0.0))
    contact = cl.UserContact(
        "c", on=own, gap=0.0, normal=(0.0, 1.0), tangent=(1.0, 0.0), mu=0.2, surface=0.1 * G
    )
    # mu g for half a second, then with the belt
    sol = run(cl.Model(own, contact), 2.0, road)
    close(road, sol, {"own.q1": 0.1 * G * 1.75, "own.q1_dot": 0.1 * G}, 0.2 * G * DT**2)


@both
@pytest.mark.parametrize("speed", [1.0, 0.05])
def test_blow_on_a_guide_is_felt_by_its_friction(road: Any, speed: float) -> None:
    """A point hits a block from above; the guide's friction has the impulse mu m v at most."""
    block = cl.Body("block", mass=2.0, inertia=0.1)
    guide = cl.Prismatic(
        "guide", GROUND, block, axis=(1.0, 0.0), velocity=speed, friction=cl.Coulomb(0.3)
    )
    corners = ((-1.0, -0.1), (1.0, -0.1), (1.0, 0.1), (-1.0, 0.1))
    top = cl.Polygon("top", block, vertices=corners)
    height = 0.1 + 0.5 * 2.0
    ball = cl.PointMass(
        "ball", mass=0.5, position=(0.5 * speed, height), velocity=(0.0, -2.0)
    )  # fmt: skip
    model = cl.Model(guide, top, ball, cl.Contact(ball, top, name="blow"))
    sol = run(model, 0.6, road)
    left = max(0.0, speed - 0.3 * 0.5 * 2.0 / 2.0)
    close(road, sol, {"block.velocity": (left, 0.0)}, 1e-9, 1e-9)
    assert sol.statistics["unsettled_loads"] == 0


@pytest.mark.parametrize("road", ROADS, ids=["stepping", "events"])
def test_guide_that_nearly_jams_by_its_own_friction_is_reported(road: Any) -> None:
    """A steep rod presses a light slider against its guide with what drives it: mu tan a = 0.95."""
    slider = cl.Body("slider", mass=0.01, inertia=1.0)
    weight = cl.Body("weight", mass=1.0, inertia=1.0, position=(-1.0, math.sqrt(3.0)))
    floor = cl.Prismatic(
        "floor", GROUND, slider, axis=(1.0, 0.0), velocity=math.sqrt(3.0), friction=cl.Coulomb(0.55)
    )
    shaft = cl.Prismatic(
        "shaft", GROUND, weight, axis=(0.0, 1.0), at=(-1.0, math.sqrt(3.0)), velocity=-1.0
    )
    model = cl.Model(floor, shaft, cl.Rod("rod", slider, weight, length=2.0), gravity=(0.0, -G))
    sol = run(model, 0.01, road)
    assert any("did not settle" in text for text in sol.info.warnings)
    assert sol.info.status == "degraded"
    assert sol.statistics["unsettled_loads"] > 0
