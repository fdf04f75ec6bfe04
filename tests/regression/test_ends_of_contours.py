"""Contours with ends or with one face: what happens where their candidate for a contact vanishes.

The gap of an arc, a segment or an open curve is infinite beyond its ends and behind its face. A
fast body is out of sight of one sample of a step when it was in sight of the last one, and what
closed in between used to be passed over. A closed contact that came to an end ended the run.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contact_laws import allow

import cornerlaw as cl

BASE = cl.Ground("base")


def contour(kind: str, name: str, on: Any) -> Any:
    """Return a contour below a moving body, or on top of the base."""
    up = 1.0 if on is BASE else -1.0
    makers: dict[str, Callable[[], Any]] = {
        "point": lambda: cl.ContactPoint(name, on),
        "circle": lambda: cl.Circle(name, on, radius=0.1),
        "arc": lambda: cl.Arc(
            name, on, radius=0.1, start=0.04 if up > 0 else -3.1, end=3.1 if up > 0 else -0.04
        ),
        "line": lambda: cl.Line(name, on, normal=(0, 1)),
        "segment": lambda: cl.Segment(name, on, start=(-0.2 * up, 0.0), end=(0.2 * up, 0.0)),
        "polygon": lambda: cl.Polygon(
            name, on, vertices=((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
        ),
        "parabola": lambda: cl.Parabola(name, on, curvature=5.0, width=0.3, axis=(0.0, -up)),
        "curve": lambda: cl.Curve(
            name, on, function=lambda s: (-up * s, -2.0 * up * s * s), s=(-0.2, 0.2)
        ),
    }
    return makers[kind]()


def falling(first: str, second: str, **start: Any) -> cl.Model:
    """Return a body with the first contour that falls on the second."""
    body = cl.Body("body", mass=1.0, inertia=0.01, **start)
    a, b = contour(first, "a", body), contour(second, "b", BASE)
    contact = cl.Contact(a, b, mu=0.3, eps_N=0.3, name="c")
    return cl.Model(body, a, b, contact, gravity=(0.0, -9.81))


def first_impact(sol: cl.Solution) -> float:
    """Return the time of the first impact, inf without one."""
    return min((e.time for e in sol.events if e.kind == "impact"), default=math.inf)


def run(model: cl.Model, t_end: float, method: Any) -> cl.Solution:
    """Return the run of a model."""
    return cl.simulate(model, t_end, method=method, progress=False)


PAIRS = [
    (first, second)
    for first in ("arc", "segment", "parabola", "curve")
    for second in ("point", "circle", "arc", "line", "segment", "polygon", "parabola", "curve")
]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=str)
def test_no_impact_is_passed_over(first: str, second: str) -> None:
    rng = np.random.default_rng(PAIRS.index((first, second)))
    for _ in range(2):
        model = falling(
            first,
            second,
            position=(float(rng.uniform(-0.08, 0.08)), 0.6),
            rotation=float(rng.uniform(-0.3, 0.3)),
            angular_velocity=float(rng.uniform(-1.0, 1.0)),
        )
        exact = first_impact(run(model, 0.4, cl.EventDriven()))
        stepped = first_impact(run(model, 0.4, cl.Moreau(dt=1e-3)))
        # time stepping finds an impact up to two steps late
        assert stepped == pytest.approx(exact, abs=3e-3)


def test_steps_of_any_length_find_the_same_impact() -> None:
    model = falling("arc", "point", position=(0.013, 0.6), rotation=0.02)
    times = [
        first_impact(run(model, 0.45, cl.EventDriven(max_step=step))) for step in (1e-2, math.inf)
    ]
    assert times[1] == pytest.approx(times[0], abs=1e-12)
    assert times[1] == pytest.approx(0.3195, abs=1e-4)


@pytest.mark.parametrize("longest", [1e-3, math.inf])
def test_a_contact_detaches_at_the_end_of_a_parabola(longest: float) -> None:
    model = falling("parabola", "line", position=(0.0, 0.3), rotation=0.2)
    sol = run(model, 0.6, cl.EventDriven(max_step=longest))
    assert sol.status == "done"
    last = sol.events[-1]
    assert (last.name, last.kind) == ("c", "detach")
    # the slope of the parabola at its end is curvature times half its width
    assert sol.at(last.time, "body.angle") == pytest.approx(-math.atan(0.75), abs=1e-12)
    assert sol["c.gap"][-1] == math.inf
    reference = run(model, 0.6, cl.Moreau(dt=1e-4))
    # first order: 1.2e-3 with ten times the step
    assert sol["body.position"][-1] == pytest.approx(reference["body.position"][-1], abs=2e-4)


@pytest.mark.parametrize("round_one", [True, False])
def test_what_comes_from_behind_a_segment_passes(round_one: bool) -> None:
    ball = cl.Body("ball", mass=1.0, inertia=0.01, position=(0.01, -0.5), velocity=(0.0, 5.0))
    skin = contour("circle" if round_one else "point", "skin", ball)
    floor = contour("segment", "floor", BASE)
    model = cl.Model(ball, skin, floor, cl.Contact(skin, floor, eps_N=0.5, name="c"))
    sol = run(model, 0.4, cl.EventDriven())
    assert not sol.events
    assert sol["ball.position.y"][-1] == pytest.approx(1.5, abs=1e-12)


def test_what_came_from_behind_is_hit_on_its_way_back() -> None:
    ball = cl.Body("ball", mass=1.0, inertia=0.01, position=(0.01, -0.5), velocity=(0.0, 5.0))
    skin, floor = contour("circle", "skin", ball), contour("segment", "floor", BASE)
    contact = cl.Contact(skin, floor, eps_N=0.5, name="c")
    model = cl.Model(ball, skin, floor, contact, gravity=(0.0, -9.81))
    # y = -0.5 + 5 t - g t^2 / 2 falls to the radius at the second root
    time = (5.0 + math.sqrt(25.0 - 2.0 * 9.81 * 0.6)) / 9.81
    assert first_impact(run(model, 1.0, cl.EventDriven())) == pytest.approx(time, abs=1e-12)


def test_events_of_elements_do_not_bring_back_what_came_from_behind() -> None:
    def passes(t, r, A, v, Omega, q, u, x, p):  # type: ignore[no-untyped-def]
        return t - 0.33

    # it turns back while it overlaps the segment from behind, at t = 0.326 s
    ball = cl.Body("ball", mass=1.0, inertia=0.01, position=(0.01, -0.5), velocity=(0.0, 3.2))
    skin, floor = contour("circle", "skin", ball), contour("segment", "floor", BASE)
    contact = cl.Contact(skin, floor, eps_N=0.5, name="c")
    clock = cl.ForceElement("clock", indicators={"passes": passes})
    model = cl.Model(ball, skin, floor, contact, clock, gravity=(0.0, -9.81))
    # behind its face the gap is below zero, by as much as half the ball that is still in sight
    with allow(gap_tol=0.1 + 1e-9):
        sol = run(model, 0.6, cl.EventDriven())
    assert [event.kind for event in sol.events] == ["passes"]
    assert sol["ball.velocity.y"][-1] == pytest.approx(3.2 - 9.81 * 0.6, rel=1e-12)


@pytest.mark.parametrize("way", [1.0, 3.0, 5.0])
def test_a_narrow_arc_is_not_passed_over(way: float) -> None:
    # down the diagonal, in sight of the arc for two milliseconds on its way
    start, speed = (-way, 0.12 + way), (20.0, -20.0)
    ball = cl.Disk("ball", mass=1.0, radius=0.02, position=start, velocity=speed)
    top = cl.Arc("top", BASE, radius=0.1, start=math.radians(80.0), end=math.radians(100.0))
    model = cl.Model(ball, top, cl.Contact(ball, top, eps_N=0.5, name="c"))
    sol = run(model, 0.5, cl.EventDriven())
    assert first_impact(sol) == pytest.approx(way / 20.0, abs=1e-12)
    assert sol["ball.velocity.y"][-1] == pytest.approx(10.0, rel=1e-12)


def test_an_impact_at_the_start_has_a_left_limit() -> None:
    a, b = cl.Rotor("a", inertia=0.1, speed=2.0), cl.Rotor("b", inertia=0.1, speed=4.0)
    model = cl.Model(a, b, cl.Freewheel("f", a, b))
    for times in (None, [0.0, 0.5, 1.0], [0.5, 1.0]):
        sol = cl.simulate(model, 1.0, method=cl.EventDriven(), t_eval=times, progress=False)
        assert (sol.left(0.0, "a.speed"), sol.right(0.0, "a.speed")) == (2.0, pytest.approx(3.0))
        assert (sol.left(0.0, "b.speed"), sol.right(0.0, "b.speed")) == (4.0, pytest.approx(3.0))
        assert tuple(sol.side[:3]) == (-1, 1, 0)
        energy = 0.05 * (sol["a.speed"] ** 2 + sol["b.speed"] ** 2)
        assert energy[1] - energy[0] == pytest.approx(-sol.statistics["impact_loss"], rel=1e-12)
    still = model.replace({"a.speed": 4.0})
    assert run(still, 1.0, cl.EventDriven()).side[0] == 0
