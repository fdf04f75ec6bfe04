"""Compliant contacts in the step or at the instant in which they begin."""

from __future__ import annotations

import pytest

import cornerlaw as cl

G = 9.81
DAMPED = cl.KelvinVoigt(stiffness=1e4, damping=20.0)


def struck_disc() -> cl.Model:
    """A disc that rests on a rigid floor, and one that strikes it, in numbers without rounding."""
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    lower = cl.Disk("lower", mass=2.0, radius=0.125, position=(0.0, 0.125))
    upper = cl.Disk("upper", mass=1.0, radius=0.125, position=(0.0, 0.375), velocity=(0.0, -0.5))
    return cl.Model(
        lower,
        upper,
        cl.Contact(lower, floor, name="below"),
        cl.Contact(upper, lower, name="above", normal=DAMPED),
        gravity=(0.0, -G),
    )


def test_a_damper_acts_from_the_first_instant_of_a_contact() -> None:
    """What touches at an event bears its force there: the forces of all others follow from it."""
    sol = cl.simulate(struck_disc(), 0.01, method=cl.EventDriven())
    assert sol["above.gap"][0] == 0.0
    assert sol["above.lam_N"][0] == pytest.approx(20.0 * 0.5, rel=1e-12)
    assert sol["below.lam_N"][0] == pytest.approx(2.0 * G + 20.0 * 0.5, rel=1e-12)


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
