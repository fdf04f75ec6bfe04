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
@pytest.mark.contact_laws(skip="the first row is the start inside the floor")
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
    assert sol.statistics.get("drift", 0.0) < 1e-9 or sol.ok
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
