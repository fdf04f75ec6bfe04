"""Starts that cannot be: bodies inside each other, open joints, contacts that already approach."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81
ROADS = {"step": cl.Moreau(dt=1e-3), "event": cl.EventDriven()}


def ball(depth: float, **options: Any) -> cl.Model:
    """A ball of radius 0.1 that starts inside the floor."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    disc = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.1 - depth), **options)
    return cl.Model(floor, disc, cl.Contact(disc, floor, mu=0.3, eps_N=0.5), gravity=(0.0, -G))


@pytest.mark.trust("TR-N-13")
@pytest.mark.contact_laws(rows_from=1)  # the first is the start inside the floor
@pytest.mark.parametrize("sizes", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("road", ROADS)
def test_penetrations_of_up_to_ten_sizes(road: str, sizes: float) -> None:
    """Refused by name, or brought back without speed: at most 1 % of m g d becomes energy."""
    depth = 0.2 * sizes
    model = ball(depth)
    with pytest.raises(cl.SimulationError, match=f"'ball-floor' starts {depth:.3g} m inside"):
        cl.simulate(model, 0.3, method=ROADS[road], penetration="refuse", progress=False)
    sol = cl.simulate(model, 0.3, method=ROADS[road], progress=False)
    assert any("'ball-floor'" in text and "inside" in text for text in sol.info.warnings)
    assert np.abs(sol.u).max() <= math.sqrt(2.0 * G * depth)
    assert sol.energy.kinetic.max() <= 0.01 * G * depth
    assert sol["ball.position.y"][-1] == pytest.approx(0.1, abs=1e-6)


def ends(sol: cl.Solution, bar: float, rocker: float) -> Any:
    """Return how far the ends of coupler and rocker lie apart, from their angles."""
    a, b, d = (np.asarray(sol[f"{name}.angle"]) for name in "ABD")
    x = np.cos(a) + bar * np.cos(a + b) - (3.0 + rocker * np.cos(d))
    return np.stack((x, np.sin(a) + bar * np.sin(a + b) - rocker * np.sin(d)))


@pytest.mark.trust("TR-N-13")
@pytest.mark.parametrize("gap", [1e-3, 0.03, 1.0])
def test_a_loop_that_does_not_close_is_closed_or_named(gap: float) -> None:
    """Angles that leave a four-bar open are first guesses: it is assembled, or said to be open."""
    ground = cl.Ground()
    crank, coupler, rocker = (cl.Body(n, mass=1.0, inertia=0.1) for n in ("crank", "bar", "rocker"))
    model = cl.Model(
        cl.Revolute("A", ground, crank, angle=1.0),
        cl.Revolute("B", crank, coupler, at=(1.0, 0.0)),
        cl.Revolute("D", ground, rocker, at=(3.0, 0.0)),
        cl.Revolute("C", coupler, rocker, at=(3.0 + gap, 0.0), at_second=(2.5, 0.0)),
        gravity=(0.0, -G),
    )
    sol = cl.simulate(model, 0.01, progress=False)
    assert sol.ok, sol.info.message
    # what was given is kept, the rest was a first guess
    assert sol["A.angle"][0] == 1.0
    # an assembled loop is closed to 1e-11 of its size, and stays so
    assert np.abs(sol["constraints.position_error"]).max() < 1e-10
    # the same from outside: both bars reach the same point, within 1e-11 of their 3 m and its sum
    assert np.abs(ends(sol, 3.0 + gap, 2.5)).max() < 1e-10
    with pytest.raises(cl.CornerlawError, match="'C' stays open by"):
        cl.simulate(model.replace({"B.angle": 0.3, "D.angle": 1.2}), 0.01, progress=False)
    far = cl.Model(
        cl.Revolute("A", ground, crank, angle=1.0),
        cl.Revolute("B", crank, coupler, at=(1.0, 0.0)),
        cl.Revolute("D", ground, rocker, at=(9.0 + gap, 0.0)),
        cl.Revolute("C", coupler, rocker, at=(3.0, 0.0), at_second=(2.5, 0.0)),
    )
    with pytest.raises(cl.CornerlawError, match="'C' stays open by"):
        cl.simulate(far, 0.01, progress=False)


@pytest.mark.trust("TR-N-13")
@pytest.mark.parametrize("speed", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("road", ROADS)
def test_contacts_that_approach_at_the_start(road: str, speed: float) -> None:
    """Closed and approaching at t = 0: an impact at once, by its law, without energy gained."""
    model = ball(0.0, velocity=(0.0, -speed))
    sol = cl.simulate(model, 1e-2, method=ROADS[road], progress=False)
    hit = next(event for event in sol.events if event.kind == "impact")
    assert hit.time <= 1e-3 + 1e-12
    assert hit.data["gamma_N_plus"] == pytest.approx(0.5 * speed, rel=1e-2, abs=2e-2 * G * 1e-1)
    assert sol.energy.kinetic[1:].max() <= 0.5 * speed**2 * (1.0 + 1e-9)


def pin(depth: float, velocity: tuple[float, float]) -> cl.Model:
    """A pin with a clearance of 0.5 mm that starts inside the wall of its bore."""
    body = cl.Body("pin", mass=0.2, inertia=1e-5, position=(5e-4 + depth, 0.0), velocity=velocity)
    journal = cl.Circle("journal", body, radius=0.0095)
    bore = cl.Circle("bore", cl.Ground("housing"), radius=0.01, inside=True)
    bearing = cl.Contact(journal, bore, name="bearing", mu=0.05, eps_N=0.4)
    return cl.Model(body, journal, bore, bearing, gravity=(0.0, -G))


@pytest.mark.trust("TR-N-13")
@pytest.mark.contact_laws(rows_from=1)  # the first is the start inside the bore
@pytest.mark.parametrize("velocity", [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.1)])
@pytest.mark.parametrize("depth", [1e-9, 1e-5, 1e-4])
def test_a_moving_pin_inside_the_wall_runs_on_as_from_the_wall(
    depth: float, velocity: tuple[float, float]
) -> None:
    """Moved apart before the first event: the run is that of a start at the wall."""
    sol = cl.simulate(pin(depth, velocity), 0.02, method=cl.EventDriven(), progress=False)
    right = cl.simulate(pin(0.0, velocity), 0.02, method=cl.EventDriven(), progress=False)
    assert any("'bearing' started" in text for text in sol.info.warnings)
    assert sol["bearing"].gap.min() > -1e-11
    assert sol["pin.position"][-1] == pytest.approx(right["pin.position"][-1], abs=1e-8)
    assert sol.energy.total.max() <= 0.5 * 0.2 * 0.1**2 * (1.0 + 1e-9)


@pytest.mark.trust("TR-N-13")
@pytest.mark.contact_laws(rows_from=1)  # the first is the start inside the bore
@pytest.mark.parametrize("road", ROADS)
def test_an_overlap_beyond_the_clearance_says_what_to_check(road: str) -> None:
    """Deeper inside the wall than there is room in the bore: a wrong position, and named so."""
    sol = cl.simulate(pin(2e-3, (0.0, 0.0)), 1e-2, method=ROADS[road], progress=False)
    found = next(text for text in sol.info.warnings if "'bearing'" in text)
    assert "more than the clearance, 0.0005 m" in found
    assert "cl.distance(model, 'journal', 'bore')" in found
    sol = cl.simulate(pin(1e-4, (0.0, 0.0)), 1e-2, method=ROADS[road], progress=False)
    assert not any("clearance" in text for text in sol.info.warnings)


def four_bar(ground: cl.Ground) -> cl.Model:
    """A moving four-bar with a tip on its coupler that starts inside a ground."""
    crank, bar, rocker = (cl.Body(n, mass=1.0, inertia=0.1) for n in ("crank", "bar", "rocker"))
    tip = cl.Circle("tip", bar, at=(1.5, -1.0), radius=0.05)
    return cl.Model(
        cl.Revolute("A", ground, crank, at=(0.0, 0.5), angle=1.0, speed=-2.0),
        cl.Revolute("B", crank, bar, at=(1.0, 0.0)),
        cl.Revolute("D", ground, rocker, at=(3.0, 0.5)),
        cl.Revolute("C", bar, rocker, at=(3.0, 0.0), at_second=(1.5, 0.0)),
        tip,
        cl.Contact(tip, ground, name="hit", mu=0.3, eps_N=0.2),
        gravity=(0.0, -G),
    )


@pytest.mark.trust("TR-N-13")
def test_a_loop_is_moved_out_with_its_joints_closed() -> None:
    """Positions and velocities of a loop suit each other after it was moved out of a ground."""
    gap = cl.distance(four_bar(cl.Ground("floor", normal=(0.0, 1.0))), "tip", "floor").gap
    floor = cl.Ground("floor", normal=(0.0, 1.0), at=(0.0, gap + 1e-3))
    sol = cl.simulate(four_bar(floor), 0.05, method=cl.EventDriven(), progress=False)
    assert any("'hit' started 0.001 m inside" in text for text in sol.info.warnings)
    assert sol["hit"].gap.min() > -1e-9
    places, speeds = [], []
    for name, arm in (("bar", 3.0), ("rocker", 1.5)):
        body = sol[name]
        along = np.stack((np.cos(body.angle), np.sin(body.angle)), axis=1)
        across = np.stack((-along[:, 1], along[:, 0]), axis=1)
        places.append(body.position[:, :2] + arm * along)
        speeds.append(body.velocity[:, :2] + arm * body.angular_velocity[:, None] * across)
    assert places[0] == pytest.approx(places[1], abs=1e-9)
    assert speeds[0] == pytest.approx(speeds[1], abs=1e-9)


@pytest.mark.trust("TR-N-13")
def test_contacts_that_cannot_be_moved_apart_are_named() -> None:
    """A disc wider than the slot it is in: no position is right, and the error says which pair."""
    ground = cl.Ground("slot")
    left = cl.Line("left", ground, at=(0.0, 0.0), normal=(1.0, 0.0))
    right = cl.Line("right", ground, at=(0.15, 0.0), normal=(-1.0, 0.0))
    disc = cl.Disk("disc", mass=1.0, radius=0.1, position=(0.06, 0.0), velocity=(0.3, 0.1))
    pairs = (cl.Contact(disc, side, eps_N=0.5) for side in (left, right))
    model = cl.Model(left, right, disc, *pairs)
    with pytest.raises(cl.SimulationError, match=r"'disc-(left|right)' is .* inside its partner"):
        cl.simulate(model, 0.1, method=cl.EventDriven(), progress=False)


def test_a_pin_that_fills_its_bore_is_refused() -> None:
    """Without clearance there is nothing to touch: a joint. A compliant one may be that tight."""
    body = cl.Body("rod", mass=0.2, inertia=1e-5)
    circle = cl.Circle("pin", body, radius=0.01)
    bore = cl.Circle("bore", cl.Ground("housing"), radius=0.01, inside=True)
    with pytest.raises(cl.ModelError, match="'play': Circle 'pin' fills Circle 'bore'"):
        cl.Contact(circle, bore, name="play")
    with pytest.raises(cl.ModelError, match="use a Revolute joint, or a smaller circle"):
        cl.Model(body, circle, bore, cl.Contact("pin", "bore", name="play"))
    cl.Contact(circle, bore, name="play", normal=cl.KelvinVoigt(1e6, 10.0))
