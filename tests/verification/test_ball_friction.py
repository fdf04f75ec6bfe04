"""Dry friction of ball joints in all directions: a given moment, or mu * radius * reaction."""

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

J, T = 0.5, 1.4
START = np.array([3.0, -2.0, 6.0])
ROADS = [pytest.param(cl.EventDriven(rtol=1e-10), 1e-9, id="events"),
         pytest.param(cl.Moreau(dt=1e-3), 1.001e-3, id="steps")]  # fmt: skip


@pytest.mark.parametrize(("method", "error"), ROADS)
def test_a_given_moment_stops_a_ball_along_its_own_direction(method: Any, error: float) -> None:
    """J w' = -T w / |w| of a ball: the direction stays, and it rests after |w| J / T."""
    ground, body = cl.Ground(), cl.Body("ball", mass=2.0, inertia=(J, J, J))
    joint = cl.Spherical("socket", ground, body, angular_velocity=tuple(START))
    model = cl.Model(ground, body, joint, cl.JointFriction("rub", joint, torque=T))
    sol = cl.simulate(model, t_end=3.0, method=method)
    stop = np.linalg.norm(START) * J / T
    (stuck,) = [event for event in sol.events if event.kind == "stick"]
    assert abs(stuck.time - stop) <= error
    w = sol["ball"].angular_velocity
    moving = sol.t < stop - 2e-3
    exact = START * (1.0 - sol.t[moving, None] / stop)
    assert np.abs(w[moving] - exact).max() < 1e-9
    assert np.abs(w[sol.t > stop + 2e-3]).max() < 1e-9
    sliding = sol["rub"].lam_T[1:][moving[1:]]
    assert np.abs(sliding + T * START / np.linalg.norm(START)).max() < 1e-8


@pytest.mark.parametrize(("method", "error"), ROADS)
def test_friction_of_a_socket_under_its_own_reaction(method: Any, error: float) -> None:
    """A pendulum that hangs still and spins about the vertical: the moment is mu R m g."""
    ground = cl.Ground()
    body = cl.Body("bob", mass=2.0, inertia=(J, J, J), com=(0.0, 0.0, -0.3))
    joint = cl.Spherical(
        "socket", ground, body, angular_velocity=(0.0, 0.0, 5.0),
        friction=cl.Coulomb(0.2, radius=0.05),
    )  # fmt: skip
    model = cl.Model(ground, body, joint, gravity=(0.0, 0.0, -9.81))
    sol = cl.simulate(model, t_end=15.0, method=method)
    moment = 0.2 * 0.05 * 2.0 * 9.81
    (stuck,) = [event for event in sol.events if event.kind == "stick"]
    assert abs(stuck.time - 5.0 * J / moment) <= error
    assert np.abs(sol["socket.friction"].lam_T[1] - (0.0, 0.0, -moment)).max() < 1e-9


def test_a_motor_below_the_moment_does_not_turn_the_ball() -> None:
    ground, body = cl.Ground(), cl.Body("ball", mass=2.0, inertia=(0.1, 0.2, 0.3))
    joint = cl.Spherical("socket", ground, body)
    for size, holds in ((0.99, True), (1.01, False)):
        push = tuple(size * T * np.array([0.6, 0.0, 0.8]))
        model = cl.Model(
            ground, body, joint, cl.JointFriction("rub", joint, torque=T),
            cl.Torque("push", body, value=push),
        )  # fmt: skip
        sol = cl.simulate(model, t_end=0.5, method=cl.EventDriven())
        assert (np.abs(sol["ball"].angular_velocity[-1]).max() < 1e-12) == holds
