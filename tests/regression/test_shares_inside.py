"""Forces that are not unique lie inside the sets of every single corner. (T-15.20)

Even shares of such forces can leave their sets although others that do the same do not. Stored rows
then showed feet that pull and brakes above their bound, and events were late.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from contact_laws import assert_contact_laws

import cornerlaw as cl
from cornerlaw.arrays.corner_work import OPEN

G = 9.81
TOLERANCES = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)


def box_on_slope(angle: float, mu: float) -> cl.Model:
    """Return a box in space that stands on a slope with four corners, all held."""
    size = (0.2, 0.3, 0.5)
    n = math.sin(angle), 0.0, math.cos(angle)
    body = cl.Body(
        "box", inertia=cl.inertia.box(1.0, size), position=(0.25 * n[0], 0.0, 0.25 * n[2]),
        rotation=cl.rotation.about((0.0, 1.0, 0.0), angle),
    )  # fmt: skip
    hull = cl.Box("hull", body, size=size)
    slope = cl.Ground("slope", normal=n)
    contact = cl.Contact(hull, slope, mu=mu)
    return cl.Model(body, hull, slope, contact, gravity=(0.0, 0.0, -G))


@pytest.mark.parametrize("rtol", TOLERANCES)
def test_a_box_about_to_tip(rtol: float) -> None:
    """Its uphill corners carry all but nothing: an even share of theirs would pull."""
    angle = math.atan(0.4) - 1e-3
    model = box_on_slope(angle, 0.5)
    method = cl.EventDriven(rtol=rtol, atol=1e-3 * rtol)
    sol = cl.simulate(model, 0.3, method=method, progress=False)
    assert_contact_laws(sol, model)
    feet = [name for name in sol.parts if f"{name}.lam_N" in sol and sol[name].state[-1] != OPEN]
    assert len(feet) == 4
    normal = [sol[name].lam_N for name in feet]
    # the weight, and its moment about the downhill edge, which the uphill corners hold
    assert sum(normal)[-1] == pytest.approx(G * math.cos(angle), rel=1e-9)
    uphill = G * (0.1 * math.cos(angle) - 0.25 * math.sin(angle)) / 0.2
    assert sum(sorted(lam[-1] for lam in normal)[:2]) == pytest.approx(uphill, rel=1e-7)


def table(x: float, y: float, mu: float) -> cl.Model:
    """Return a table on four legs at (+-1, +-1), its weight over (x, y); pushed if mu is not 0."""
    body = cl.Body(
        "table", mass=2.0, inertia=(1.0, 1.0, 1.0), com=(x, y, 0.5), position=(0.0, 0.0, 0.0)
    )
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    parts: list[Any] = [body, floor]
    for k, (a, b) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        leg = cl.ContactPoint(f"leg {k}", body, at=(float(a), float(b), 0.0))
        parts += [leg, cl.Contact(leg, floor, name=f"foot {k}", mu=mu)]
    return cl.Model(*parts, gravity=(0.4 if mu else 0.0, 0.1 if mu else 0.0, -G))


def run_table(x: float, y: float, mu: float) -> tuple[cl.Solution, Any]:
    model = table(x, y, mu)
    sol = cl.simulate(model, 0.1, method=cl.EventDriven(), progress=False)
    assert sol.info.status == "done"
    assert_contact_laws(sol, model)
    return sol, np.array([sol[f"foot {k}"].lam_N[-1] for k in range(4)])


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.3, 0.2), (0.8, 0.1), (0.6, 0.6), (0.98, -0.95)])
def test_a_table_on_four_legs(at: tuple[float, float]) -> None:
    """Where the even share of the leg across is below zero it carries nothing, the others all."""
    x, y = at
    sol, feet = run_table(x, y, 0.0)
    weight = 2.0 * G
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    expected = 0.25 * weight * (1.0 + signs @ np.array([x, y]))
    expected += np.array([1, -1, 1, -1]) * max(0.0, -expected[0], -expected[2])
    expected += np.array([-1, 1, -1, 1]) * max(0.0, -expected[1], -expected[3])
    assert feet == pytest.approx(expected, abs=1e-9 * weight)
    assert not [event for event in sol.events if event.time > 0.0]


@pytest.mark.parametrize("at", [(0.3, 0.2), (0.8, 0.1), (0.6, 0.6), (0.9, -0.85)])
def test_a_table_that_friction_holds(at: tuple[float, float]) -> None:
    """Each foot is in its own cone, and all of them hold weight, push and moments."""
    x, y = at
    sol, feet = run_table(x, y, 0.1)
    force = np.array([sol[f"foot {k}"].lam_T[-1] for k in range(4)])
    assert np.all(np.linalg.norm(force, axis=1) <= 0.1 * feet + 1e-9)
    assert feet.sum() == pytest.approx(2.0 * G, abs=1e-8)
    assert np.linalg.norm(force.sum(axis=0)) == pytest.approx(2.0 * math.hypot(0.4, 0.1), abs=1e-8)
    assert np.abs(sol["table"].velocity).max() < 1e-12


def brake(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = 1.0
    return q[0], 0.0, 0.0


def pad(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = 0.5
    return 0.5 * q[0], 0.0, 0.0


def stop(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = -1.0
    return -q[0], 0.0, 0.0


def pushed(rows: dict[str, Any], force: Any) -> cl.Model:
    """Return a slider that rows hold against a force of time."""
    slider = cl.Slider("slider", mass=0.5)
    element = cl.ForceElement("held", coordinates=("slider.position",), rows=rows)
    return cl.Model(slider, element, cl.Torque("push", slider, value=force))


def test_brake_and_pad_slip_when_both_have_reached_their_ends() -> None:
    """A brake of 1 N and a pad of 2 N at half the lever hold 2 N; even shares leave at 1.5 N."""
    rows = {"brake": cl.SetRow(brake, upper=1.0), "pad": cl.SetRow(pad, upper=2.0)}
    model = pushed(rows, lambda t: t)
    sol = cl.simulate(model, 2.2, method=cl.EventDriven(max_step=0.05), progress=False)
    assert_contact_laws(sol, model)
    later = [event for event in sol.events if event.time > 0.0]
    # forces must fall below their ends by 1e-9 of the largest one
    assert [event.time for event in later] == pytest.approx([2.0, 2.0], abs=1e-8)
    assert {event.kind for event in later} == {"slip"}
    holds = sol.t < 2.0 - 1e-6
    carried, other = -sol["held.brake"].lam_T[holds], -sol["held.pad"].lam_T[holds]
    even = sol.t[holds] / 1.5
    assert carried == pytest.approx(np.minimum(even, 1.0), abs=1e-9)
    assert other == pytest.approx(np.maximum(even, 2.0 * (sol.t[holds] - 1.0)), abs=1e-9)


@pytest.mark.parametrize("bound", [0.3, 1.0, 5.0])
def test_brake_and_stop_in_turn(bound: float) -> None:
    """A force that turns presses against the stop or pulls from it, where the brake alone holds."""
    rows = {"brake": cl.SetRow(brake, upper=bound), "stop": cl.UnilateralRow(stop)}
    model = pushed(rows, lambda t: 0.2 + 0.49 * math.sin(9.0 * t))
    sol = cl.simulate(model, 2.0, method=cl.EventDriven(), progress=False)
    assert_contact_laws(sol, model)
    # at most -0.29 N: each of the brakes holds that
    assert np.abs(sol["slider"].position).max() < 1e-15
    carried, pressed = sol["held.brake"].lam_T, sol["held.stop"].lam_N
    assert np.abs(carried).max() <= bound * (1.0 + 1e-9) and pressed.min() >= -1e-9
    force = 0.2 + 0.49 * np.sin(9.0 * sol.t)
    assert carried - pressed == pytest.approx(-force, abs=1e-9)
    assert not [event for event in sol.events if event.time > 0.0]
