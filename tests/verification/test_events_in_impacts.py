"""Events and stop conditions that an impact fulfils: its jump carries their functions over zero."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G, HEIGHT, EPS = 9.81, 1.0, 0.5
ROADS = [cl.EventDriven(), cl.Moreau(dt=1e-4)]
IDS = ["events", "dt"]

FALL = math.sqrt(2.0 * HEIGHT / G)  # time of the first impact
SPEED = G * FALL


def near(method: Any) -> float:
    """Return how exact times, and velocities over g, are."""
    return 1e-8 if isinstance(method, cl.EventDriven) else 3e-4


def floor(t, r, A, v, Omega, q, u, x, z, p, F, M, Q):
    Q[0] = 1.0
    return q[0], 0.0, 0.0


def rising(t, r, A, v, Omega, q, u, x, z, p):
    return u[0]


def count(name, t, r, A, v, Omega, q, u, x, z, p):
    z[0] += 1.0


def halt(name, t, r, A, v, Omega, q, u, x, z, p):
    u[0] = 0.25


def drop(**options: Any) -> cl.Model:
    """Return a ball that falls on a floor, whose element sees its velocity pass zero."""
    ball = cl.Slider("ball", mass=2.0, position=HEIGHT)
    given: dict[str, Any] = {"discrete": {"turned": 0.0}, "indicators": {"turns": rising}}
    element = cl.ForceElement(
        "floor", coordinates=("ball.position",), rows={"n": cl.UnilateralRow(floor, eps_N=EPS)},
        **{**given, **options},
    )  # fmt: skip
    return cl.Model(ball, element, cl.Torque("weight", ball, value=-2.0 * G))


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_on_event_sees_the_jump_of_an_impact(method: Any) -> None:
    """The velocity passes zero at impacts and at the tops between them."""
    sol = cl.simulate(drop(on_event=count), 1.17, method=method)
    top, again = FALL + EPS * SPEED / G, FALL + 2.0 * EPS * SPEED / G
    third = again + 2.0 * EPS**2 * SPEED / G
    times = [FALL, top, again, again + EPS**2 * SPEED / G, third]
    assert [e.time for e in sol.events if e.kind == "turns"] == pytest.approx(
        times, abs=near(method)
    )
    assert sol["floor"].turned[-1] == 5.0


def test_on_event_stands_behind_the_impact() -> None:
    """Both jumps have their limits: first the impact, then what on_event makes of it."""
    sol = cl.simulate(drop(on_event=halt, directions={"turns": 1}), FALL + 0.01, method=ROADS[0])
    at = np.flatnonzero(np.abs(sol.t - FALL) < 1e-9)
    limits = sol.side[at] != 0
    assert sol.side[at][limits].tolist() == [-1, 1, -1, 1]
    expected = [-SPEED, EPS * SPEED, EPS * SPEED, 0.25]
    assert sol["ball"].velocity[at][limits] == pytest.approx(expected, abs=1e-8)
    assert sol["ball"].velocity[-1] == pytest.approx(0.25 - 0.01 * G, abs=1e-7)


@pytest.mark.parametrize("method", ROADS, ids=IDS)
@pytest.mark.parametrize("watched", [True, False])
def test_a_stop_within_an_impact_ends_behind_it(watched: bool, method: Any) -> None:
    """The last state is the one behind the impact, none within; with an event there, too."""
    none = {"indicators": None, "on_event": None}
    model = drop(on_event=count) if watched else drop(**none)
    stop = cl.Stop("up", "ball.velocity", above=0.0)
    sol = cl.simulate(model, 1.2, method=method, stop=stop)
    assert sol.info.status == "stopped"
    assert sol.t[-1] == pytest.approx(FALL, abs=near(method))
    assert sol["ball"].velocity[-1] == pytest.approx(EPS * SPEED, abs=G * near(method))
    assert sol.final.u[0] == sol["ball"].velocity[-1]
    assert sol["floor"].turned[-1] == (1.0 if watched else 0.0)
    # of time stepping: weight until the last step, too
    weight = 0.0 if isinstance(method, cl.EventDriven) else 4.0 * G * method.dt
    impulse = 2.0 * (1.0 + EPS) * SPEED
    assert sol["floor.n"].Lambda_N.sum() == pytest.approx(impulse, abs=1e-7 + weight)


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_the_stepping_interface_sees_the_jump_too(method: Any) -> None:
    sim = cl.Simulation(drop(on_event=count), method=method, dt=0.01)
    sim.step(duration=1.17)
    assert float(sim["floor.turned"]) == 5.0
