"""A user joint anywhere in a loop: another joint of the loop closes it, the motion is the same."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()
LENGTHS, BASE = (1.0, 2.5, 2.0), 2.2
METHOD = cl.RungeKutta8(rtol=1e-12, atol=1e-13)
T = np.linspace(0.0, 0.6, 7)


def turn(q, u):
    R = np.eye(3)
    R[0, 0] = R[1, 1] = math.cos(q[0])
    R[1, 0] = math.sin(q[0])
    R[0, 1] = -R[1, 0]
    S = np.zeros((6, 1))
    S[5, 0] = 1.0
    return R, np.zeros(3), S, np.zeros(6)


def swing(t):
    return 0.8 + 2.0 * t + 0.3 * math.sin(5.0 * t)


def four_bar(
    own: int | None,
    first: dict[str, Any],
    order: Any = range(4),
    tilt: float | None = None,
    **options: Any,
) -> cl.Model:
    """A four-bar of four revolutes, one of them written by the user.

    `first` is told to joint 0; `tilt` of the coupler chooses between two ways to close the loop.
    """
    tilts = (None, tilt, None)
    bars = [
        cl.Body(f"b{k}", mass=1.0 + k, inertia=0.1 + 0.1 * k, com=(0.5 * LENGTHS[k], 0.05),
                rotation=tilts[k])
        for k in range(3)
    ]  # fmt: skip
    places: tuple[Any, ...] = (
        (GROUND, bars[0], {}),
        (bars[0], bars[1], {"at": (LENGTHS[0], 0.0)}),
        (bars[1], bars[2], {"at": (LENGTHS[1], 0.0), "at_second": (LENGTHS[2], 0.0)}),
        (bars[2], GROUND, {"at_second": (BASE, 0.0)}),
    )
    joints: list[cl.Joint] = []
    for k, (one, two, at) in enumerate(places):
        told = first if k == 0 else {}
        if k == own:
            names = {"angle": "q0", "speed": "u0"}
            mine = {names.get(n, n): (v,) if n in names else v for n, v in told.items()}
            joints.append(cl.UserJoint(f"j{k}", one, two, kinematics=turn, n=1, **at, **mine))
        else:
            joints.append(cl.Revolute(f"j{k}", one, two, **at, **told))
    return cl.Model(*(joints[k] for k in order), gravity=(0.0, -9.81), **options)


def distance(a: cl.Solution, b: cl.Solution) -> float:
    """Return the largest difference of positions and velocities of the bars."""
    names = [f"b{k}.{what}" for k in range(3) for what in ("position", "velocity")]
    return max(float(np.abs(a[name] - b[name]).max()) for name in names)


def run(model: cl.Model) -> cl.Solution:
    return cl.simulate(model, T[-1], t_eval=T, method=METHOD)


@pytest.mark.parametrize("own", range(4))
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_free_four_bar(own: int, order: tuple[int, ...]) -> None:
    told = {"angle": 0.8, "speed": 2.0}
    assert distance(run(four_bar(own, told, order)), run(four_bar(None, told))) < 1e-9


@pytest.mark.parametrize("own", range(4))
def test_driven_four_bar(own: int) -> None:
    """The crank is driven, be it the user's joint or not; the drive needs the same torque."""
    found, plain = run(four_bar(own, {"drive": swing})), run(four_bar(None, {"drive": swing}))
    assert distance(found, plain) < 1e-9
    # of torques up to some hundred newton metres
    assert np.abs(found["j0.drive_force"] - plain["j0.drive_force"]).max() < 1e-9 * 100.0


@pytest.mark.parametrize("own", range(4))
def test_locked_four_bar_keeps_its_forces(own: int) -> None:
    """With the crank locked at zero the loop is a structure; its joint forces are the same."""
    told: dict[str, Any] = {"locked": True}
    gap = BASE - LENGTHS[0]
    tilt = math.acos((LENGTHS[1] ** 2 + gap**2 - LENGTHS[2] ** 2) / (2.0 * LENGTHS[1] * gap))
    found = cl.assemble(four_bar(own, told, tilt=tilt))
    plain = cl.assemble(four_bar(None, told, tilt=tilt))
    assert distance(found, plain) < 1e-9
    for k in range(4):
        # newtons of a structure that weighs sixty
        assert np.abs(found[f"j{k}.force"] - plain[f"j{k}.force"]).max() < 1e-9 * 100.0


def test_absolute_coordinates_leave_the_user_joint_relative() -> None:
    told = {"angle": 0.8, "speed": 2.0}
    found = run(four_bar(1, told, coordinates="absolute"))
    assert distance(found, run(four_bar(None, told))) < 1e-9


def test_user_joint_wins_against_joints_with_initial_values() -> None:
    """All four angles are given: without a rank of its own the joint declared last would close."""
    bars = [cl.Body(f"b{k}", mass=1.0, inertia=0.1, com=(0.5, 0.0)) for k in range(3)]
    joints = (
        cl.Revolute("j0", GROUND, bars[0], angle=0.5 * math.pi),
        cl.Revolute("j1", bars[0], bars[1], at=(1.0, 0.0), angle=-0.5 * math.pi),
        cl.Revolute("j2", GROUND, bars[2], at=(1.0, 0.0), angle=0.5 * math.pi),
        cl.UserJoint("j3", bars[1], bars[2], kinematics=turn, n=1, at=(1.0, 0.0),
                     at_second=(1.0, 0.0), q0=(0.5 * math.pi,)),
    )  # fmt: skip
    sol = cl.assemble(cl.Model(*joints, gravity=(0.0, -9.81)))
    assert np.allclose(sol["b1.position"][0], (0.0, 1.0), rtol=0.0, atol=1e-12)
    assert abs(sol["j3.q1"][0] - 0.5 * math.pi) < 1e-12


def test_a_point_mass_cannot_be_carried() -> None:
    ball = cl.PointMass("p", mass=1.0, position=(0.0, 0.0))
    model = cl.Model(cl.UserJoint("own", GROUND, ball, kinematics=turn, n=1))
    with pytest.raises(cl.ModelError, match="UserJoint 'own' cannot carry PointMass 'p'"):
        cl.simulate(model, 0.1)
