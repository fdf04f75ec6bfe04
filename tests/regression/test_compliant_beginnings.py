"""Compliant contacts in the step or at the instant in which they begin."""

from __future__ import annotations

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81
DAMPED = cl.KelvinVoigt(stiffness=1e4, damping=20.0)


def falling_disc() -> cl.Model:
    """A disc that rests on a rigid floor, and one that falls on it with a damped contact."""
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    lower = cl.Disk("lower", mass=2.0, radius=0.1, position=(0.0, 0.1))
    disc = cl.Disk("upper", mass=1.0, radius=0.1, position=(0.0, 0.31), velocity=(0.0, -0.5))
    return cl.Model(
        lower,
        disc,
        cl.Contact(lower, floor, name="below"),
        cl.Contact(disc, lower, name="above", normal=DAMPED),
        gravity=(0.0, -G),
    )


def test_a_damper_acts_from_the_first_instant_of_a_contact() -> None:
    """What touches at an event bears its force there: the forces of all others follow from it."""
    sol = cl.simulate(falling_disc(), 0.05, method=cl.EventDriven())
    touch = next(event for event in sol.events if event.name == "above")
    after = int(np.flatnonzero((sol.t == touch.time) & (sol.side == 1))[0])
    damped = 20.0 * -sol["above.gamma_N"][after]
    assert damped > 10.0
    assert sol["above.lam_N"][after] == pytest.approx(damped, rel=1e-9)
    assert sol["below.lam_N"][after] == pytest.approx(2.0 * G + damped, rel=1e-9)


@pytest.mark.parametrize("part", [0.2, 0.6, 0.9])
def test_friction_of_a_contact_that_closes_anywhere_in_an_implicit_step(part: float) -> None:
    """Its normal impulse has its friction in the same step, whichever half it begins in."""
    dt = 2e-3
    disc = cl.Disk(
        "disc", mass=1.0, radius=0.1, position=(0.0, 0.1 + part * dt), velocity=(1.0, -1.0)
    )
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    contact = cl.Contact(disc, floor, name="c", mu=0.3, normal=DAMPED)
    model = cl.Model(disc, contact, gravity=(0.0, -G))
    sol = cl.simulate(model, 5 * dt, method=cl.Theta(dt=dt, theta=1.0))
    assert sol["c.lam_N"][1] > 1.0
    assert sol["c.lam_T"][1:] == pytest.approx(-0.3 * sol["c.lam_N"][1:], rel=1e-9)
