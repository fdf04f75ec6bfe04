"""Forces that are not unique lie inside the sets of every single corner. (T-15.7)

Even shares of such forces can leave their sets although others that do the same do not. Stored rows
then showed feet that pull and brakes above their bound, and events were late.
"""

from __future__ import annotations

import math
from typing import Any

import clarabel
import numpy as np
import pytest
from contact_laws import assert_contact_laws
from scipy.sparse import csc_matrix

import cornerlaw as cl
from cornerlaw.arrays.corner_work import OPEN, STICK
from cornerlaw.gallery.space import conveyor_space

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


def nearest_forces(legs: Any, com: Any, push: Any, mu: float) -> Any:
    """Return the forces on the legs by another solver: least sum of squares over shares. (T-15.7)

    The shares are those of the smallest forces: the largest of all for a normal force, and the
    bound of friction for its two parts.
    """
    n = len(legs)
    E = np.zeros((6, 3 * n))
    for k, leg in enumerate(legs):
        x, y, z = np.subtract(leg, com)
        E[:3, 3 * k : 3 * k + 3] = np.eye(3)
        E[3:, 3 * k : 3 * k + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    f = np.concatenate([-2.0 * np.array([*push, -G]), np.zeros(3)])
    first = np.linalg.lstsq(E, f, rcond=1e-12)[0]
    largest = np.abs(first).max()
    share = np.full(3 * n, largest)
    for k in range(n):
        share[3 * k : 3 * k + 2] = max(mu * abs(first[3 * k + 2]), 1e-6 * largest)
    root, cones = np.sqrt(share), [clarabel.ZeroConeT(6)]
    rows, right = [E * root], [f]
    for k in range(n):
        disc = np.zeros((3, 3 * n))
        disc[0, 3 * k + 2] = -mu * root[3 * k + 2]
        disc[1, 3 * k], disc[2, 3 * k + 1] = -root[3 * k], -root[3 * k + 1]
        rows.append(disc)
        right.append(np.zeros(3))
        cones.append(clarabel.SecondOrderConeT(3))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    matrix = csc_matrix(np.vstack(rows))
    found = clarabel.DefaultSolver(
        csc_matrix(np.eye(3 * n)), np.zeros(3 * n), matrix, np.concatenate(right), cones, settings
    ).solve()
    assert str(found.status) in ("Solved", "AlmostSolved")
    return (root * np.array(found.x)).reshape(n, 3)


# all feet of these tables stick; others tip or slide, and have unique forces
@pytest.mark.parametrize("seed", [0, 1, 7, 9, 10, 12, 13, 16, 17, 19, 20, 26, 29])
def test_random_tables_against_another_solver(seed: int) -> None:
    """Three to six legs hold a push and a weight anywhere over them, each in its own cone."""
    rng = np.random.default_rng(seed)
    n, mu = int(rng.integers(3, 7)), float(rng.uniform(0.2, 0.8))
    angles = np.sort(rng.uniform(0.0, 2.0 * math.pi, n))
    legs = [(math.cos(a), math.sin(a), 0.0) for a in angles]
    com = (*(rng.dirichlet(np.full(n, 0.3)) @ np.array(legs))[:2], 0.2)
    push = 0.3 * mu * G * rng.uniform(-1.0, 1.0, 2)
    body = cl.Body("table", mass=2.0, inertia=(1.0, 1.0, 1.0), com=com, position=(0.0, 0.0, 0.0))
    parts: list[Any] = [body, floor := cl.Ground("floor", normal=(0.0, 0.0, 1.0))]
    for k, at in enumerate(legs):
        leg = cl.ContactPoint(f"leg {k}", body, at=at)
        parts += [leg, cl.Contact(leg, floor, name=f"foot {k}", mu=mu)]
    model = cl.Model(*parts, gravity=(*push, -G))
    sol = cl.simulate(model, 0.01, method=cl.EventDriven(), progress=False)
    assert_contact_laws(sol, model)
    assert all(sol[f"foot {k}"].state[-1] == STICK for k in range(n))
    found = np.array([sol[f"foot {k}"].force[-1] for k in range(n)])
    # an interior point to 1e-12 of the objective is known to the root of that
    assert found == pytest.approx(nearest_forces(legs, com, push, mu), abs=2e-5 * G)


def test_a_box_that_begins_to_slide_on_four_feet() -> None:
    """It does when the whole of it must, at one event, whichever foot a search would give up."""
    p = conveyor_space.Parameters()
    sol = conveyor_space.simulate(p, t_end=0.01)
    assert_contact_laws(sol, conveyor_space.build(p), passive=False)
    slips = [event.time for event in sol.events if event.kind == "slip"]
    before = int(np.searchsorted(sol.t, slips[0]))
    feet = [name for name in sol.parts if f"{name}.state" in sol and sol[name].state[before]]
    friction = np.linalg.norm(sum(sol[name].lam_T[before] for name in feet))
    normal = sum(sol[name].lam_N[before] for name in feet)
    assert len(feet) == 4 and friction == pytest.approx(p.mu * normal, rel=1e-7)


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
