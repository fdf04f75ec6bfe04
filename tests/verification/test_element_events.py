"""Events of the user's force elements: located zeros of indicators, changed states, errors.

The elements have closed forms: a relay with hysteresis, an integrator that is emptied when full, a
gearbox that shifts at given speeds.
"""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

LOW, HIGH, GAIN = 0.5, 1.5, 2.0


def warm(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
    x_dot[0] = p[0] * z[0] - x[0]


def too_hot(t, r, A, v, Omega, q, u, x, z, p):
    return x[0] - 1.5


def too_cold(t, r, A, v, Omega, q, u, x, z, p):
    return x[0] - 0.5


def switch(name, t, r, A, v, Omega, q, u, x, z, p):
    z[0] = 0.0 if name == "hot" else 1.0
    z[1] += 1.0


def thermostat(**changes: Any) -> cl.ForceElement:
    options: dict[str, Any] = {
        "law": warm,
        "parameters": {"power": GAIN},
        "states": {"temperature": 1.0},
        "discrete": {"on": 1.0, "count": 0.0},
        "indicators": {"hot": too_hot, "cold": too_cold},
        "directions": {"hot": 1.0, "cold": -1.0},
        "on_event": switch,
    }
    return cl.ForceElement("thermostat", **(options | changes))


def model_of(*elements: cl.ForceElement) -> cl.Model:
    return cl.Model(cl.Rotor("wheel", inertia=1.0, speed=1.0), *elements)


def with_ball() -> cl.Model:
    """The same beside a ball that bounces until it rests."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 2.0))
    wheel = cl.Rotor("wheel", inertia=1.0, speed=1.0)
    contact = cl.Contact(ball, floor, eps_N=0.5)
    return cl.Model(wheel, ball, floor, contact, thermostat(), gravity=(0.0, -9.81))


def switching_times(t_end: float) -> list[float]:
    """Heating x = 2 - (2 - x0) exp(-t) up to 1.5, cooling x = 1.5 exp(-t) down to 0.5."""
    times = [math.log((GAIN - 1.0) / (GAIN - HIGH))]
    while times[-1] < t_end:
        cooling = len(times) % 2 == 1
        ratio = HIGH / LOW if cooling else (GAIN - LOW) / (GAIN - HIGH)
        times.append(times[-1] + math.log(ratio))
    return times[:-1]


@pytest.mark.parametrize(
    ("method", "error"),
    [
        (cl.RungeKutta8(rtol=1e-12, atol=1e-14), 1e-11),
        (cl.RungeKutta5(rtol=1e-10, atol=1e-12), 1e-8),
        (cl.Radau(rtol=1e-8, atol=1e-10), 1e-6),
        (cl.RungeKutta4(dt=1e-2), 1e-8),
        (cl.GeneralisedAlpha(dt=1e-3), 1e-5),
        (cl.EventDriven(rtol=1e-12, atol=1e-14), 1e-11),
        (cl.Moreau(dt=1e-3), 5e-3),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else "",
)
def test_relay_switches_at_the_times_of_its_closed_form(method: Any, error: float) -> None:
    """Heated towards 2, cooled towards 0, switched at 1.5 and 0.5: a saw of exponentials."""
    expected = switching_times(6.0)
    contacts = isinstance(method, cl.EventDriven | cl.Moreau)
    model = with_ball() if contacts else model_of(thermostat())
    sol = cl.simulate(model, 6.0, method=method)
    own = [event for event in sol.events if event.name == "thermostat"]
    assert [event.kind for event in own] == ["hot", "cold"] * (len(expected) // 2) + ["hot"] * (
        len(expected) % 2
    )
    assert np.abs(np.array([event.time for event in own]) - expected).max() < error
    assert sol["thermostat.count"][-1] == len(expected)
    assert sol["wheel.angle"][-1] == pytest.approx(6.0, abs=1e-9)
    if contacts:
        assert any(event.kind == "impact" for event in sol.events)
        assert sol["ball.position.y"][-1] == pytest.approx(0.1, abs=1e-6)


def test_limits_at_an_event_are_stored() -> None:
    sol = cl.simulate(model_of(thermostat()), 1.0)
    left, right = np.flatnonzero(sol.side == -1)[0], np.flatnonzero(sol.side == 1)[0]
    assert right == left + 1 and sol.t[left] == sol.t[right]
    assert sol["thermostat.on"][left] == 1.0 and sol["thermostat.on"][right] == 0.0
    assert sol["thermostat.temperature"][right] == pytest.approx(HIGH, abs=1e-12)
    assert sol.events[0].data == {"on": 0.0, "count": 1.0}


def test_output_times_keep_their_rows_beside_the_events() -> None:
    times = np.linspace(0.0, 2.0, 21)
    sol = cl.simulate(model_of(thermostat()), 2.0, t_eval=times)
    assert np.isin(times, sol.t).all()
    x = sol["thermostat.temperature"]
    t_hot = math.log(2.0)
    rows = np.isin(sol.t, times)
    expected = np.where(times < t_hot, 2.0 - np.exp(-times), 1.5 * np.exp(-(times - t_hot)))
    cold = t_hot + math.log(3.0)
    expected = np.where(times > cold, 2.0 - 1.5 * np.exp(-(times - cold)), expected)
    assert np.abs(x[rows] - expected).max() < 1e-8


def test_an_integrator_is_emptied_when_full() -> None:
    """x_dot = |rate| of a wheel with constant speed 3; emptied at 1: events at k / 3."""

    def fill(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        x_dot[0] = u[0]

    def full(t, r, A, v, Omega, q, u, x, p):
        return x[0] - 1.0

    def empty(name, t, r, A, v, Omega, q, u, x, p):
        x[0] = 0.0

    wheel = cl.Rotor("wheel", inertia=1.0, speed=3.0)
    meter = cl.ForceElement(
        "meter",
        coordinates=("wheel.angle",),
        law=fill,
        states={"level": 0.0},
        indicators={"full": full},
        on_event=empty,
    )
    sol = cl.simulate(cl.Model(wheel, meter), 10.5)
    times = np.array([event.time for event in sol.events])
    assert np.abs(times - np.arange(1, 32) / 3.0).max() < 1e-12
    assert sol["meter.level"][-1] == pytest.approx(0.5, abs=1e-11)


def test_a_gearbox_shifts_and_the_torque_follows() -> None:
    """Torque 4 / (1 + gear) on J = 2: speed grows with 2, 1, 2/3 rad/s^2, shifted at 1 and 2."""

    def drive(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
        Q[0] = p[0] / (1.0 + z[0])

    def fast(t, r, A, v, Omega, q, u, x, z, p):
        return u[0] - (1.0 + z[0])

    def shift(name, t, r, A, v, Omega, q, u, x, z, p):
        z[0] += 1.0

    wheel = cl.Rotor("wheel", inertia=2.0)
    box = cl.ForceElement(
        "gearbox",
        coordinates=("wheel.angle",),
        law=drive,
        parameters={"torque": 4.0},
        discrete={"gear": 0.0},
        indicators={"fast": fast},
        directions={"fast": 1.0},
        on_event=shift,
        outputs={"ratio": lambda t, r, A, v, Omega, q, u, x, z, p: 1.0 / (1.0 + z[0])},
    )
    sol = cl.simulate(cl.Model(wheel, box), 2.0)
    assert [event.time for event in sol.events] == pytest.approx([0.5, 1.5], abs=1e-12)
    assert sol["wheel.speed"][-1] == pytest.approx(2.0 + 0.5 * 2.0 / 3.0, abs=1e-11)
    assert sol["gearbox.ratio"][-1] == pytest.approx(1.0 / 3.0)
    half = cl.simulate(cl.Model(wheel, box), 1.0)
    rest = cl.simulate(cl.Model(wheel, box), 2.0, initial=half)
    assert rest["wheel.speed"][-1] == pytest.approx(sol["wheel.speed"][-1], abs=1e-11)


def test_indicators_that_cross_together_are_all_seen() -> None:
    twin = cl.ForceElement(
        "twin",
        law=warm,
        parameters={"power": GAIN},
        states={"temperature": 1.0},
        discrete={"on": 1.0, "count": 0.0},
        indicators={"hot": too_hot, "cold": too_cold},
        directions={"hot": 1.0, "cold": -1.0},
        on_event=switch,
    )
    sol = cl.simulate(model_of(thermostat(), twin), 6.0)
    n = len(switching_times(6.0))
    assert sol["thermostat.count"][-1] == sol["twin.count"][-1] == n
    assert len(sol.events) == 2 * n
    assert (np.diff(sol.t[sol.side == 1]) > 0.0).all()  # one pair of rows per time


def test_a_stop_at_the_same_time_ends_the_run_behind_the_event() -> None:
    stop = cl.Stop("enough", "thermostat.temperature", above=HIGH)
    sol = cl.simulate(model_of(thermostat()), 6.0, stop=stop)
    assert sol.info.status == "stopped" and sol["thermostat.on"][-1] == 0.0
    later = cl.simulate(
        model_of(thermostat()), 6.0, stop=cl.Stop("cool", "thermostat.temperature", below=1.0)
    )
    assert later.t[-1] == pytest.approx(math.log(2.0) + math.log(1.5), abs=1e-8)


def test_stepping_has_the_same_events() -> None:
    sim = cl.Simulation(model_of(thermostat()), method=cl.RungeKutta4(dt=1e-2))
    sim.step(600)
    assert sim.t == pytest.approx(6.0, abs=1e-12)
    times = [event.time for event in sim.events]
    assert np.abs(np.array(times) - switching_times(6.0)).max() < 1e-8
    sim.reset()
    assert sim.events == () and sim["thermostat.on"] == 1.0
    sim.step(600)
    assert [event.time for event in sim.events] == times


def test_an_interpreted_indicator_gives_the_same_times() -> None:
    limits = {"hot": 1.5}

    def hot(t, r, A, v, Omega, q, u, x, z, p):
        return x[0] - limits["hot"]

    a = cl.simulate(model_of(thermostat()), 2.0)
    indicators = {"hot": cl.Interpreted(hot), "cold": too_cold}
    b = cl.simulate(model_of(thermostat(indicators=indicators)), 2.0)
    assert [e.time for e in a.events] == [e.time for e in b.events]


def test_other_solves_leave_discrete_states_alone() -> None:
    """At rest the temperature is that of the state of the switch, and only it is linearised."""
    model = model_of(thermostat()).replace({"wheel.speed": 0.0})
    assert cl.equilibrium(model)["thermostat.temperature"] == pytest.approx(GAIN)
    off = model.replace({"thermostat.discrete.on": 0.0})
    assert cl.equilibrium(off)["thermostat.temperature"] == pytest.approx(0.0, abs=1e-9)
    lin = cl.linearise(model)
    assert lin.states == ("thermostat.temperature",)
    assert lin.A.shape == (3, 3) and lin.A[2, 2] == pytest.approx(-1.0)


def test_errors_name_the_element() -> None:
    def broken(name, t, r, A, v, Omega, q, u, x, z, p):
        raise KeyError("gear")

    def endless(name, t, r, A, v, Omega, q, u, x, z, p):
        x[0] = np.nextafter(1.5, 0.0)  # at once back to where it came from

    def lost(name, t, r, A, v, Omega, q, u, x, z, p):
        z[0] = math.nan

    def answers(name, t, r, A, v, Omega, q, u, x, z, p):
        return 1.0

    def fails(t, r, A, v, Omega, q, u, x, z, p):
        return math.sqrt(x[0] - 1.2)

    def raises(t, r, A, v, Omega, q, u, x, z, p):
        return {"a": 1.0}["b"]

    cases = [
        ({"on_event": broken}, r"'thermostat': on_event 'hot' at t = 0.69.* KeyError: 'gear'"),
        ({"on_event": endless}, r"'thermostat': event 'hot' happens again and again"),
        ({"on_event": lost}, r"'thermostat': on_event .* sets 'on' to a value that is not"),
        ({"on_event": answers}, r"'thermostat': on_event .* returns 1.0; write new values"),
        (
            {"indicators": {"hot": fails}, "directions": {}},
            r"'thermostat': indicators\[hot\] gives nan",
        ),
        (
            {"indicators": {"hot": cl.Interpreted(raises)}, "directions": {}},
            r"'thermostat': indicators\[hot\] fails with KeyError: 'b'",
        ),
    ]
    for changes, text in cases:
        with pytest.raises(cl.SimulationError, match=text):
            cl.simulate(model_of(thermostat(**changes)), 6.0)


def test_wrong_declarations_are_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"discrete": {"temperature": 1.0}}, "'temperature' is one of the states already"),
        ({"indicators": None, "directions": None}, "on_event needs indicators"),
        ({"directions": {"hott": 1.0}}, "unknown indicator 'hott'; did you mean 'hot'"),
        (
            {"directions": {"hot": 2.0}},
            r"must be 1 \(rising\), -1 \(falling\) or 0 \(both\), got 2",
        ),
    ]
    for changes, text in cases:
        with pytest.raises(cl.CornerlawError, match=text):
            thermostat(**changes)
    with pytest.raises(cl.CompileError, match=r"indicators\[hot\] cannot be Sampled"):
        sampled = {"hot": cl.Sampled(too_hot, 0.1)}
        cl.simulate(model_of(thermostat(indicators=sampled, directions=None)), 1.0)
    with pytest.raises(cl.UsageError, match="'thermostat' has indicators"):
        cl.periodic_orbit(model_of(thermostat()), cl.Section(period=1.0))


def test_an_indicator_that_returns_to_zero_within_a_step_is_seen() -> None:
    """Thrown up from the level that is watched, again and again, with steps as long as a flight."""

    def push(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
        x_dot[0] = x[1]
        x_dot[1] = -9.81

    def level(t, r, A, v, Omega, q, u, x, z, p):
        return x[0]

    def throw(name, t, r, A, v, Omega, q, u, x, z, p):
        x[1] = -0.8 * x[1]
        z[0] += 1.0

    ball = cl.ForceElement(
        "ball",
        law=push,
        states={"height": 1.0, "speed": 0.0},
        discrete={"n": 0.0},
        indicators={"level": level},
        directions={"level": -1.0},
        on_event=throw,
    )
    sol = cl.simulate(model_of(ball), 3.0)
    first = math.sqrt(2.0 / 9.81)
    flights = 2.0 * 0.8 ** np.arange(1, 20) * first
    times = first + np.concatenate([[0.0], np.cumsum(flights)])
    times = times[times < 3.0]
    found = np.array([event.time for event in sol.events])
    assert found.size == times.size and np.abs(found - times).max() < 1e-10
