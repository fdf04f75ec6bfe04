"""Impacts with friction: which laws pass that of joints on, and what is said of a gain."""

import re
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl


def arm(*, stop: bool = True) -> cl.Model:
    """Return an arm that falls onto a peg at its far end, with friction in its pin."""
    ground = cl.Ground("ground")
    bar = cl.Body("bar", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    pin = cl.Revolute("pin", ground, bar, angle=0.2, friction=cl.Coulomb(0.5, radius=0.3))
    tip = cl.ContactPoint("tip", bar, at=(1.0, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    more = [tip, floor, cl.Contact(tip, floor, eps_N=0.5)] if stop else []
    return cl.Model(ground, bar, pin, *more, gravity=(0.0, -9.81))


def said(law: Any, **options: Any) -> list[str]:
    sol = cl.simulate(arm(**options), 0.05, method=cl.EventDriven(impact=law))
    return [text for text in sol.info.warnings if "loaded by the reaction" in text]


@pytest.mark.parametrize("law", [cl.Poisson(), cl.Poisson("new"), cl.Sequential()])
def test_laws_without_a_form_for_it_say_so_by_name(law: Any) -> None:
    (text,) = said(law)
    assert "'pin" in text and type(law).__name__ in text and "Newton()" in text
    with pytest.raises(cl.SimulationError, match="loaded by the reaction"):
        cl.simulate(arm(), 0.05, method=cl.EventDriven(impact=law), strict=True)


@pytest.mark.parametrize("law", [cl.Newton(), cl.NewtonBoth()])
def test_newtons_laws_pass_it_and_say_nothing(law: Any) -> None:
    assert not said(law)


def test_nothing_is_said_where_nothing_can_strike() -> None:
    assert not said(cl.Poisson(), stop=False)


def test_newton_loses_more_than_poisson() -> None:
    """The pin takes part of the impulse and its friction, radius 0.3 m, dissipates with it."""
    speeds = []
    for law in (cl.Newton(), cl.Poisson()):
        sol = cl.simulate(arm(), 0.6, method=cl.EventDriven(impact=law))
        (hit, *_) = [e for e in sol.events if e.kind == "impact"]
        speeds.append(hit.data["energy"])
    assert speeds[0] < 0.0 and speeds[1] < 0.0
    assert abs(speeds[0] - speeds[1]) > 1e-3


def eccentric(mu: float) -> cl.Model:
    """Return a body that flies onto a foot far off its centre, left and down, without weight."""
    body = cl.Body(
        "body", mass=1.0, inertia=0.1, position=(0.0, 0.68), velocity=(-1.1, -1.0),
    )  # fmt: skip
    foot = cl.ContactPoint("foot", body, at=(0.44, -0.58))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    return cl.Model(body, foot, floor, cl.Contact(foot, floor, mu=mu, eps_N=0.95, name="step"))


@pytest.mark.parametrize("method", [cl.EventDriven(), cl.Moreau(dt=1e-3)], ids=["events", "steps"])
def test_a_gain_of_newtons_law_is_reported_with_the_name_of_its_impact(method: Any) -> None:
    """Friction turns sliding into approach, which Newton's law gives back: Kane's paradox."""
    sol = cl.simulate(eccentric(0.5), 0.15, method=method)
    (hit,) = [e for e in sol.events if e.kind == "impact"]
    gain = sol.statistics["largest_impact_gain"]
    # the kinetic energy of the body is all there is; it says the same, to rounding
    kinetic = sol.energy.kinetic
    assert gain > 0.1
    assert kinetic[-1] - kinetic[0] == pytest.approx(gain, rel=1e-9)
    assert hit.data["energy"] == pytest.approx(gain, rel=1e-12)
    (text,) = [text for text in sol.info.warnings if "gained" in text]
    found = re.search(r"^the impact of 'step' at t = (\S+) s gained (\S+) J", text)
    assert found, text
    # six and three digits are printed
    assert float(found.group(1)) == pytest.approx(hit.time, rel=1e-5)
    assert float(found.group(2)) == pytest.approx(gain, rel=5e-3)


@pytest.mark.parametrize("method", [cl.EventDriven(), cl.Moreau(dt=1e-3)], ids=["events", "steps"])
def test_nothing_is_said_of_an_impact_that_gains_nothing(method: Any) -> None:
    sol = cl.simulate(eccentric(0.0), 0.15, method=method)
    assert np.count_nonzero([e.kind == "impact" for e in sol.events]) == 1
    assert not [text for text in sol.info.warnings if "gained" in text]
    assert sol.statistics["largest_impact_gain"] == 0.0
