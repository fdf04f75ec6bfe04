"""Events of a user's element that set velocities: impacts written by hand, rows met behind them."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G, EPS = 9.81, 0.7


def above(t, r, A, v, Omega, q, u, x, p):
    return q[0] - p[0]


def bounce(name, t, r, A, v, Omega, q, u, x, p):
    u[0] = -p[1] * u[0]


def bouncing(*others: Any) -> cl.Model:
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 1.0), velocity=(0.3, 0.0))
    floor = cl.ForceElement(
        "floor", coordinates=("ball.position_y",), indicators={"hit": above},
        directions={"hit": -1.0}, on_event=bounce, parameters={"height": 0.0, "eps": EPS},
    )  # fmt: skip
    return cl.Model(ball, floor, *others, gravity=(0.0, -G))


def impact_times(n: int) -> Any:
    """t_1 = sqrt(2 h / g), then 2 eps^k v / g from one to the next."""
    first = math.sqrt(2.0 / G)
    return first + np.concatenate(([0.0], np.cumsum(2.0 * first * EPS ** np.arange(1, n))))


@pytest.mark.parametrize(
    ("method", "error"),
    [
        (cl.RungeKutta8(), 1e-12), (cl.RungeKutta5(), 1e-12), (cl.Radau(), 1e-12),
        (cl.RungeKutta4(dt=0.01), 1e-12), (cl.GeneralisedAlpha(dt=1e-3), 1e-12),
        (cl.EventDriven(), 1e-12),
        # on the straight line between two steps, to second order here
        (cl.Moreau(dt=1e-3), 1e-5), (cl.Theta(dt=1e-3), 1e-5),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else "",
)  # fmt: skip
def test_ball_bounced_by_an_event(method: Any, error: float) -> None:
    sol = cl.simulate(bouncing(), 2.0, method=method)
    assert [event.kind for event in sol.events] == ["hit"] * 4
    assert np.abs([event.time for event in sol.events] - impact_times(4)).max() < error
    left, right = np.flatnonzero(sol.side == -1), np.flatnonzero(sol.side == 1)
    before, after = sol["ball"].velocity[left], sol["ball"].velocity[right]
    assert np.abs(after[:, 1] + EPS * before[:, 1]).max() < 1e-12
    assert np.abs(after[:, 0] - 0.3).max() < 1e-12
    for event, speed in zip(sol.events, after[:, 1], strict=True):
        assert event.name == "floor" and event.data == {"ball.velocity_y": speed}


def test_stepping_and_restart_bounce_alike() -> None:
    method = cl.RungeKutta4(dt=0.01)
    sol = cl.simulate(bouncing(), 2.0, method=method)
    sim = cl.Simulation(bouncing(), method=method)
    sim.step(200)
    assert sim["ball.position"] == pytest.approx(sol["ball"].position[-1], abs=1e-12)
    first = cl.simulate(bouncing(), 1.0, method=method)
    rest = cl.simulate(bouncing(), 2.0, method=method, initial=first)
    assert rest["ball"].position[-1] == pytest.approx(sol["ball"].position[-1], abs=1e-12)


def by_angle(t, r, A, v, Omega, q, u, x, p):
    return q[0] - p[0]


def test_other_velocities_follow_where_rows_demand_it() -> None:
    """A pendulum that hits a wall: as a hinge, and as a point on a rod with one velocity set."""

    def reverse(name, t, r, A, v, Omega, q, u, x, p):
        u[0] = -0.5 * u[0]

    def side(t, r, A, v, Omega, q, u, x, p):
        return math.atan2(q[0], -q[1]) - p[0]

    event: dict[str, Any] = {"directions": {"wall": -1.0}, "on_event": reverse}
    body = cl.Body("bob", mass=1.0, inertia=1e-12, com=(0.0, -1.0))
    hinge = cl.Revolute("hinge", cl.Ground(), body, angle=1.0)
    by_hinge = cl.ForceElement(
        "stop", coordinates=("hinge.angle",), indicators={"wall": by_angle},
        parameters={"at": -0.2}, **event,
    )  # fmt: skip
    known = cl.simulate(cl.Model(hinge, by_hinge, gravity=(0.0, -G)), 3.0)
    start = (math.sin(1.0), -math.cos(1.0))
    point = cl.PointMass("point", mass=1.0, position=start)
    rod = cl.Distance("rod", cl.Ground(), point, length=1.0)
    by_point = cl.ForceElement(
        "stop", coordinates=("point.position_x", "point.position_y"), indicators={"wall": side},
        parameters={"at": -0.2}, **event,
    )  # fmt: skip
    own = cl.simulate(cl.Model(point, rod, by_point, gravity=(0.0, -G)), 3.0)
    times = [[event.time for event in sol.events] for sol in (known, own)]
    assert len(times[0]) == 2 and np.abs(np.subtract(*times)).max() < 1e-7
    assert np.abs(own["constraints"].velocity_error).max() < 1e-12
    assert set(own.events[0].data) == {"point.velocity_x", "point.velocity_y"}
    place = own["point"].position[-1]
    assert math.atan2(place[0], -place[1]) == pytest.approx(known["hinge"].angle[-1], abs=1e-7)


def clock(t, r, A, v, Omega, q, u, x, p):
    return t - 0.5


def test_closed_contact_meets_a_velocity_that_was_set() -> None:
    """Kicked down at rest on a floor with eps = 0.5 it leaves with half that speed at once."""

    def kick(name, t, r, A, v, Omega, q, u, x, p):
        u[0], u[1] = 2.0, -1.0

    disk = cl.Disk("disk", mass=1.0, radius=0.1, position=(0.0, 0.1))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    kicker = cl.ForceElement(
        "kicker", coordinates=("disk.position_x", "disk.position_y"),
        indicators={"now": clock}, on_event=kick,
    )  # fmt: skip
    contact = cl.Contact(disk, floor, eps_N=0.5)
    model = cl.Model(disk, floor, contact, kicker, gravity=(0.0, -G))
    y = 0.1 + 0.5 * 0.06 - G / 2.0 * 0.06**2
    for method in (cl.EventDriven(), cl.Moreau(dt=1e-4)):
        sol = cl.simulate(model, 0.56, method=method)
        # of time stepping: the weight of a step, 1e-3 m/s
        error = 1e-9 if isinstance(method, cl.EventDriven) else 1e-4
        assert sol["disk"].position[-1, 1] == pytest.approx(y, abs=error)
        assert sol["disk"].position[-1, 0] == pytest.approx(0.12, abs=1e-3)
        assert sol["disk"].position[:, 1].min() > 0.1 - 1e-6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda *a: a[7].fill(math.nan), "sets ball.velocity_y to a value that is not a finite"),
        (lambda *a: a[6].fill(1.0), "writes to q, which cannot be set"),
        (lambda *a: 3.0, "returns 3.0; write new values"),
    ],
    ids=["nan", "q", "returned"],
)  # fmt: skip
def test_bad_resets_are_refused(change: Any, sentence: str) -> None:
    with pytest.raises(cl.SimulationError, match=sentence) as found:
        cl.simulate(bouncing().replace({"floor.on_event": change}), 1.0)
    assert "ForceElement 'floor': on_event 'hit' at t = 0.45" in str(found.value)


def test_prescribed_and_impossible_velocities_are_refused() -> None:
    def push(name, t, r, A, v, Omega, q, u, x, p):
        u[:] = 5.0

    body = cl.Body("body", mass=1.0, inertia=1.0)
    driven = cl.Revolute("hinge", cl.Ground(), body, drive=lambda t: t * t)
    element = cl.ForceElement(
        "kick", coordinates=("hinge.angle",), indicators={"now": clock}, on_event=push
    )
    with pytest.raises(cl.SimulationError, match=r"sets hinge\.speed, whose motion is prescribed"):
        cl.simulate(cl.Model(driven, element), 1.0)
    bob = cl.PointMass("bob", mass=1.0, position=(0.0, 1.0))
    rod = cl.Distance("rod", cl.Ground(), bob, length=1.0)
    both = ("bob.position_x", "bob.position_y")
    element = cl.ForceElement("kick", coordinates=both, indicators={"now": clock}, on_event=push)
    with pytest.raises(cl.SimulationError, match="sets velocities that 'rod' does not allow, by 5"):
        cl.simulate(cl.Model(bob, rod, element), 1.0)


def test_accept_does_not_set_velocities() -> None:
    def remember(t, r, A, v, Omega, q, u, x, z, p):
        u[0] = 0.0

    def nothing(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
        Q[0] = 0.0

    wheel = cl.Rotor("wheel", inertia=1.0, speed=1.0)
    element = cl.ForceElement(
        "memory", coordinates=("wheel.angle",), law=nothing, discrete={"a": 0.0}, accept=remember
    )
    with pytest.raises(cl.SimulationError, match="writes to u, which would jump"):
        cl.simulate(cl.Model(wheel, element), 1.0)
