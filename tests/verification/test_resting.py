"""Resting contacts neither creep nor sink; events that are easy to miss are found."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from contact_laws import assert_contact_laws
from figures import Figure

import cornerlaw as cl

G = 9.81
SQUARE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
ROADS = {"stepping": cl.Moreau(dt=1e-3), "events": cl.EventDriven()}


def slope_box(mu: float = 0.5) -> cl.Model:
    """Return a box of side 1 m at rest on a slope of 10 degrees."""
    a = math.radians(10.0)
    n = (-math.sin(a), math.cos(a))
    box = cl.Body("box", mass=1.0, inertia=1.0 / 6.0, position=(0.5 * n[0], 0.5 * n[1]), rotation=a)
    shape = cl.Polygon("shape", box, vertices=SQUARE)
    slope = cl.Ground("slope", normal=n)
    contact = cl.Contact(shape, slope, mu=mu)
    return cl.Model(box, shape, slope, contact, gravity=(0.0, -G))


def stack(count: int, mu: float = 0.1, speed: float = 0.02) -> cl.Model:
    """Return equal boxes on level ground, shaken by random horizontal velocities.

    With mu < width / height of the pile no friction of whatever direction can tip it.
    """
    rng = np.random.default_rng(1)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[cl.Part] = [floor]
    below: cl.Part = floor
    corners = [(0.2 * x, 0.2 * y) for x, y in SQUARE]
    for k in range(count):
        body = cl.Body(
            f"box {k}", mass=1.0, inertia=0.04 / 6.0, position=(0.0, 0.1 + 0.2 * k),
            velocity=(speed * float(rng.normal()), 0.0),
        )  # fmt: skip
        shape = cl.Polygon(f"shape {k}", body, vertices=corners)
        parts += [body, shape, cl.Contact(shape, below, mu=mu, name=f"contact {k}")]
        below = shape
    return cl.Model(*parts, gravity=(0.0, -G))


def rest(model: cl.Model, method: object, t_end: float) -> tuple[cl.Solution, float, float]:
    """Return a run with its creep from 1 s on [m/s] and its largest penetration [m].

    Every step of the first second is stored, in which shaken piles slide, tip and rock, and every
    whole second behind it. Penetration is taken over all rows: the position correction of a step
    and the location of an event leave none but rounding, whatever the pile does.
    """
    early, late = np.arange(1000) * 1e-3, np.linspace(1.0, t_end, round(t_end))
    sol = cl.simulate(
        model, t_end, method=method, t_eval=np.concatenate((early, late)), progress=False
    )
    assert np.count_nonzero(sol.t < 1.0) >= 1000
    one = int(np.flatnonzero(sol.t == 1.0)[-1])
    moved = max(
        float(np.linalg.norm(sol[body.name].position[-1] - sol[body.name].position[one]))
        for body in model.bodies
    )
    gaps = [sol[f"{name}.gap"].min() for name in sol.parts if f"{name}.gap" in sol]
    return sol, moved / (sol.t[-1] - 1.0), max(0.0, -min(gaps))


@pytest.mark.parametrize("road", ROADS)
def test_box_on_slope_stays(road: str, figure: Figure) -> None:
    model = slope_box()
    sol, creep, penetration = rest(model, ROADS[road], 60.0)
    figure("creep [m/s]", creep, 1e-12)
    figure("penetration [m]", penetration, 1e-9)
    assert creep < 1e-12, creep
    assert penetration < 1e-9, penetration
    assert_contact_laws(sol, model)
    # the two lower corners carry the weight; friction holds its downhill part
    force = sum(sol[f"shape-slope[{k}]"].lam_T[-1] for k in range(4))
    assert abs(abs(force) - G * math.sin(math.radians(10.0))) < 1e-9


@pytest.mark.verify
@pytest.mark.parametrize("scheme", [cl.Stiegelmeyr, cl.HalfExplicit, cl.Theta])
def test_box_on_slope_stays_by_every_scheme(scheme: Any, figure: Figure) -> None:
    """The minute on the slope, by the schemes of time stepping other than Moreau's."""
    _, creep, penetration = rest(slope_box(), scheme(dt=1e-3), 60.0)
    figure("creep [m/s]", creep, 1e-12)
    figure("penetration [m]", penetration, 1e-9)
    assert creep < 1e-12, creep
    assert penetration < 1e-9, penetration


@pytest.mark.parametrize("road", ROADS)
def test_slope_holds_up_to_the_angle_of_friction(road: str) -> None:
    """tan 10 deg = 0.1763: 0.18 holds, 0.17 slides with g (sin - mu cos)."""
    sol, creep, _ = rest(slope_box(0.18), ROADS[road], 3.0)
    assert creep < 1e-12
    model = slope_box(0.17)
    sol, _, _ = rest(model, ROADS[road], 3.0)
    a = math.radians(10.0)
    rate = G * (math.sin(a) - 0.17 * math.cos(a))
    way = np.linalg.norm(sol["box"].position[-1] - sol["box"].position[0])
    # constant forces: stepping with end velocities is off by rate t dt / 2
    slack = 1e-9 if road == "events" else 1e-3 * rate * 3.0
    assert abs(way - 0.5 * rate * 9.0) < slack


@pytest.mark.parametrize("road", ROADS)
def test_small_stack_comes_to_rest(road: str) -> None:
    model = stack(2, 0.5)
    sol, creep, penetration = rest(model, ROADS[road], 5.0)
    assert creep < 1e-12, creep
    assert penetration < 1e-9, penetration
    assert_contact_laws(sol, model)
    force = sol["contact 0"].force[-1]
    assert np.allclose(force, (0.0, 2.0 * G), atol=1e-8)


@pytest.mark.verify
@pytest.mark.parametrize("road", ROADS)
def test_stack_of_ten_comes_to_rest(road: str, figure: Figure) -> None:
    model = stack(10)
    sol, creep, penetration = rest(model, ROADS[road], 60.0)
    figure("creep [m/s]", creep, 1e-12)
    figure("penetration [m]", penetration, 1e-9)
    _assert_rests(sol, model, creep, penetration)


@pytest.mark.verify
@pytest.mark.parametrize("road", ROADS)
def test_stack_that_rocks_comes_to_rest(road: str, figure: Figure) -> None:
    """With mu = 0.5 the shaken pile tips and rocks before it rests."""
    model = stack(10, 0.5)
    sol, creep, penetration = rest(model, ROADS[road], 60.0)
    figure("creep [m/s]", creep, 1e-12)
    figure("penetration [m]", penetration, 1e-9)
    _assert_rests(sol, model, creep, penetration)


def _assert_rests(sol: cl.Solution, model: cl.Model, creep: float, penetration: float) -> None:
    assert creep < 1e-12, creep
    assert penetration < 1e-9, penetration
    assert_contact_laws(sol, model)


def falling_rod() -> cl.Model:
    """Return a rod that falls over, with its lower end sliding on the floor."""
    a = 1.2
    rod = cl.Body(
        "rod", mass=1.0, inertia=1.0 / 12.0, rotation=a,
        position=(0.5 * math.cos(a), 0.5 * math.sin(a)),
    )  # fmt: skip
    tip = cl.ContactPoint("tip", rod, at=(-0.5, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    return cl.Model(rod, tip, floor, cl.Contact(tip, floor, mu=0.1), gravity=(0.0, -G))


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_contact_that_turns_stays_closed(dt: float) -> None:
    """A tip about which a rod turns leaves the floor by a trace in every step, and comes back."""
    times = np.linspace(0.0, 0.3, 31)
    exact = cl.simulate(falling_rod(), 0.3, method=cl.EventDriven(), t_eval=times, progress=False)
    sol = cl.simulate(falling_rod(), 0.3, method=cl.Moreau(dt=dt), progress=False)
    assert [event.kind for event in sol.events] == ["touch"]
    lam = sol["tip-floor"].lam_N[1:]
    smooth = sol["tip-floor"].lam_N[round(0.01 / dt) :: round(0.01 / dt)]
    assert lam.min() > 0.0
    assert 0.0 <= sol["tip-floor"].gap.max() < 10.0 * G * dt**2
    # forces are means over the step before: first order
    assert np.abs(smooth - exact["tip-floor"].lam_N[1:]).max() < 50.0 * G * dt


def bouncing(speed: float) -> cl.Model:
    """Return a point thrown down from 1 m above the floor, e = 0.8."""
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 1.0), velocity=(0.0, -speed))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    return cl.Model(ball, floor, cl.Contact(ball, floor, eps_N=0.8), gravity=(0.0, -G))


def test_first_apex(figure: Figure) -> None:
    sol = cl.simulate(
        bouncing(0.0), 1.2, method=cl.EventDriven(), t_eval=np.linspace(0.0, 1.2, 120001)
    )
    first = next(e.time for e in sol.events if e.kind == "impact")
    apex = sol["ball"].position[sol.t > first + 1e-9, 1].max()
    assert abs(apex - 0.64) < 1e-6
    steps = 0.02 * 0.5 ** np.arange(6)
    errors = []
    for dt in steps:
        model = bouncing(0.0)
        sol = cl.simulate(model, 0.9, method=cl.Moreau(dt=dt))
        assert_contact_laws(sol, model)
        hit = next(e for e in sol.events if e.kind == "impact")
        assert abs(hit.data["gamma_N_plus"] / hit.data["gamma_N_minus"] + 0.8) < 1e-12
        errors.append(abs(sol["ball"].position[sol.t > hit.time, 1].max() - 0.64))
    assert np.all(np.array(errors) < 2.0 * math.sqrt(2.0 * G) * steps), errors
    # the error depends on where in a step the impact falls: order 1 in the mean only
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    figure("order of the apex", float(order))
    assert 0.5 < order < 1.6, (order, list(zip(steps, errors, strict=True)))


@pytest.mark.trust("TR-N-08")
def test_sliding_modes_of_twins() -> None:
    """x' = -sgn x twice, as speeds under dry friction: both reach zero and stay (TR-N-08)."""
    twins = [cl.Slider(f"twin {k}", mass=1.0, velocity=1.0) for k in range(2)]
    brakes = [cl.Brake(f"brake {k}", twins[k], capacity=1.0) for k in range(2)]
    model = cl.Model(*twins, *brakes)
    for method in ROADS.values():
        sol = cl.simulate(model, 3.0, method=method, progress=False)
        for k in range(2):
            u = sol[f"twin {k}"].velocity
            assert np.allclose(u, np.maximum(1.0 - sol.t, 0.0), rtol=0.0, atol=1e-12)
            assert np.all(np.abs(u[sol.t > 1.0 + 1e-9]) < 1e-20)  # no chatter, no remnant
    assert sol.statistics["steps"] < 200


def flight(method: cl.EventDriven, start: cl.Solution, y: float, v: float, t_end: float):
    """Return a run of the thrown mass from another start."""
    initial = replace(start.final, t=0.0, q=np.array([y]), u=np.array([v]), dt=0.0, memory=[])
    return cl.simulate(CEILING, t_end, method=method, initial=initial, progress=False)


_MASS = cl.Slider("mass", mass=1.0, position=-1.0)
CEILING = cl.Model(
    _MASS,
    cl.Torque("weight", _MASS, value=-G),
    cl.Limit("ceiling", _MASS, upper=0.0, eps_N=1.0),
)


@pytest.mark.trust("TR-N-09")
@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.verify)])
def test_grazing_pairs_are_found(count: int) -> None:
    """A mass thrown at a ceiling that it would pass twice, close together (TR-N-09).

    Over a parabola the integrator makes steps as long as the flight; both crossings are within
    1e-4 to 1e-2 of it. The impact is at the first of them and the mass never passes.
    """
    method = cl.EventDriven()
    first = cl.simulate(CEILING, 0.1, method=method, progress=False)
    rng = np.random.default_rng(9)
    for _ in range(count):
        t_end = rng.uniform(0.5, 2.0)
        separation = t_end * 10.0 ** rng.uniform(-4.0, -2.0)
        # y = -G (t - a) (t - b) / 2 with b = a + separation
        a = rng.uniform(0.2, 0.8) * t_end
        b = a + separation
        sol = flight(method, first, -0.5 * G * a * b, 0.5 * G * (a + b), t_end)
        hits = [event for event in sol.events if event.kind == "impact"]
        text = f"a = {a}, separation = {separation}, found {[(e.time, e.name) for e in hits]}"
        assert len(hits) == 1, text
        # rounding of y (1e-15) over the slope G separation / 2, which is at least 2.5e-4
        assert abs(hits[0].time - a) < 1e-10, text
        assert sol["mass"].position.max() < 1e-12, text


def line_crossed() -> cl.Model:
    """Return a thrown mass that counts how often it crosses a line, which does not change it."""
    mass = cl.Body("mass", mass=1.0)
    rail = cl.Prismatic("rail", cl.Ground(), mass, axis=(1.0, 0.0), displacement=-1.0)

    def law(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        Q[0] = -G

    def line(t, r, A, v, Omega, q, u, x, z, p):  # type: ignore[no-untyped-def]
        return q[0]

    def count(name, t, r, A, v, Omega, q, u, x, z, p):  # type: ignore[no-untyped-def]
        z[0] = z[0] + 1.0

    watch = cl.ForceElement(
        "watch", coordinates=("rail.displacement",), law=law, discrete={"n": 0.0},
        indicators={"line": line}, on_event=count,
    )  # fmt: skip
    return cl.Model(rail, watch)


@pytest.mark.trust("TR-N-09")
@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.verify)])
def test_pairs_of_plain_crossings_are_found(count: int) -> None:
    """The same parabolas through a line that nothing holds them at: both crossings, in order."""
    model, method = line_crossed(), cl.EventDriven()
    first = cl.simulate(model, 0.1, method=method, progress=False)
    rng = np.random.default_rng(10)
    for _ in range(count):
        t_end = rng.uniform(0.5, 2.0)
        a = rng.uniform(0.2, 0.8) * t_end
        b = a + t_end * 10.0 ** rng.uniform(-4.0, -2.0)
        initial = replace(
            first.final, t=0.0, q=np.array([-0.5 * G * a * b]), u=np.array([0.5 * G * (a + b)]),
            dt=0.0, memory=[],
        )  # fmt: skip
        sol = cl.simulate(model, t_end, method=method, initial=initial, progress=False)
        times = [event.time for event in sol.events if event.name.startswith("watch")]
        assert len(times) == 2, f"a = {a}, b - a = {b - a}, found {times}"
        # rounding of y (1e-15) over the slope G (b - a) / 2, which is at least 2.5e-4
        assert np.abs(np.array(times) - (a, b)).max() < 1e-10


@pytest.mark.contact_laws(rows_from=1)  # the first is the start inside the floor
@pytest.mark.parametrize("depth", [0.001, 0.1, 0.25])
@pytest.mark.parametrize("road", ROADS)
def test_start_inside_each_other(road: str, depth: float) -> None:
    """Discs that start inside the floor are refused by name, or moved out without speed."""
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.1 - depth))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(ball, floor, mu=0.3, eps_N=0.5)
    model = cl.Model(ball, floor, contact, gravity=(0.0, -G))
    with pytest.raises(cl.CornerlawError, match="ball-floor"):
        cl.simulate(model, 0.1, method=ROADS[road], penetration="refuse")
    sol = cl.simulate(model, 0.5, method=ROADS[road], progress=False)
    assert np.abs(sol["ball"].velocity).max() < 1e-9  # no speed from being pushed out
    assert np.abs(sol["ball"].position[-1, 1] - 0.1) < 1e-9
    energy = sol.energy.kinetic
    assert energy.max() < 1e-2 * G * depth  # TR-N-13: at most 1 % of m g d


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("road", ROADS)
def test_numbers_that_are_none_end_the_run(road: str, bad: float) -> None:
    """A force that turns to nan or inf ends the run at once and keeps what came before."""

    def push(t: float, q: float, u: float) -> float:
        return bad if t > 0.5 else 1.0

    mass = cl.Slider("mass", mass=1.0, position=0.0)
    model = cl.Model(
        mass, cl.Torque("push", mass, value=push), cl.Limit("stop", mass, lower=0.0, upper=10.0)
    )
    with pytest.raises(cl.SimulationError) as error:
        cl.simulate(model, 1.0, method=ROADS[road], progress=False)
    sol = error.value.solution
    assert sol is not None
    assert np.all(np.isfinite(sol.q))
    assert 0.4 < sol.t[-1] <= 0.5 + 2e-3
