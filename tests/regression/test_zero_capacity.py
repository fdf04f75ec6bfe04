"""Brakes and clutches without capacity are free; event by event they once never closed again."""

from typing import Any

import pytest

import cornerlaw as cl


def speed_at_end(capacity: Any, torque: Any, start: float = 0.0) -> float:
    rotor = cl.Rotor("r", inertia=1.0, speed=start)
    model = cl.Model(
        rotor, cl.Brake("b", rotor, capacity=capacity), cl.Torque("t", rotor, value=torque)
    )
    return float(cl.simulate(model, t_end=2.0, method=cl.EventDriven())["r"].speed[-1])


@pytest.mark.parametrize(
    ("torque", "start", "end"),
    [(1.0, 0.0, 2.0), (0.0, 0.0, 0.0), (-1.0, 1.0, -1.0), (lambda t: 1.0 - 2.0 * t, 0.0, -2.0)],
)
def test_without_capacity_nothing_brakes(torque: Any, start: float, end: float) -> None:
    assert abs(speed_at_end(0.0, torque, start) - end) < 1e-12


def test_a_brake_that_closes_later() -> None:
    """Free until 0.5 s, then against 1 N m: 2 * 0.5 + (2 - 1) * 1.5."""
    assert abs(speed_at_end(cl.Table((0.0, 0.5, 0.5 + 1e-9), (0.0, 0.0, 1.0)), 2.0) - 2.5) < 1e-6


def test_a_ball_joint_without_capacity_is_free() -> None:
    ground, body = cl.Ground(), cl.Body("ball", mass=1.0, inertia=(0.5, 0.5, 0.5))
    joint = cl.Spherical("socket", ground, body)
    model = cl.Model(
        ground, body, joint, cl.JointFriction("rub", joint, torque=0.0),
        cl.Torque("push", body, value=(0.3, 0.0, 0.4)),
    )  # fmt: skip
    sol = cl.simulate(model, t_end=1.0, method=cl.EventDriven())
    assert abs(sol["ball"].angular_velocity[-1] - (0.6, 0.0, 0.8)).max() < 1e-9
