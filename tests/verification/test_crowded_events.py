"""Events that change nothing: gaps below zero by a rounding, forces that are not unique."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81


RISE, KICK = 2e-11, 0.1  # of the floor [m], and when [s]


def floor(t, r, A, v, Omega, q, u, x, z, p, F, M, Q):
    Q[0] = 1.0
    return q[0] - z[0], 0.0, 0.0


def begins(t, r, A, v, Omega, q, u, x, z, p):
    return t - 0.1


def lift(name, t, r, A, v, Omega, q, u, x, z, p):
    z[0] = 2e-11
    u[0] = p[0]


def wall(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = -1.0
    return -q[0], 0.0, 0.0


def along(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = 1.0
    return q[0], 0.0, 0.0


@pytest.mark.parametrize("speed", [1e-6, 1e-5, 1e-3])
def test_a_gap_below_zero_that_opens(speed: float) -> None:
    """A floor that rises by less than counts as closed: the ball turns below it, or hops."""
    ball = cl.Slider("ball", mass=2.0)
    element = cl.ForceElement(
        "floor", coordinates=("ball.position",), rows={"n": cl.UnilateralRow(floor)},
        discrete={"level": 0.0}, indicators={"begins": begins}, on_event=lift,
        parameters={"speed": speed},
    )  # fmt: skip
    weight = cl.Torque("weight", ball, value=-2.0 * G)
    sol = cl.simulate(cl.Model(ball, element, weight), 0.2, method=cl.EventDriven())
    assert sol.info.status == "done"
    assert len(sol.events) < 10
    assert sol["ball"].velocity.max() == speed
    rests = sol.t > KICK + 2.0 * speed / G + 1e-6
    assert np.abs(sol["ball"].position[rests] - RISE).max() < 1e-15
    assert sol["floor.n"].lam_N[rests] == pytest.approx(2.0 * G, abs=1e-9)


@pytest.mark.parametrize("pull", [0.04, 0.9, -0.04])
def test_a_stop_beside_friction_that_sticks(pull: float) -> None:
    """Both hold a spool that an oscillating force pulls: any share inside of the sets is right."""

    def force(t: float) -> float:
        return -pull * math.cos(20.0 * t)

    spool = cl.Slider("spool", mass=0.03)
    rows: dict[str, Any] = {"stop": cl.UnilateralRow(wall), "dry": cl.SetRow(along, upper=1.0)}
    element = cl.ForceElement("valve", coordinates=("spool.position",), rows=rows)
    push = cl.Torque("push", spool, value=force)
    sol = cl.simulate(cl.Model(spool, element, push), 1.0, method=cl.EventDriven())
    assert sol.info.status == "done"
    assert len(sol.events) < 100
    assert np.abs(sol["spool"].position).max() < 1e-15
    stop, dry = sol["valve.stop"].lam_N, sol["valve.dry"].lam_T
    assert stop.min() > -1e-6 and np.abs(dry).max() < 1.0 + 1e-6
    balance = dry - stop + np.array([force(t) for t in sol.t])
    assert np.abs(balance).max() < 1e-9
