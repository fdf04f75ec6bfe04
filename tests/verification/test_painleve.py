"""Painleve's rod over a range of friction and lean: no solution, several, and one (TR-N-06)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from contact_laws import assert_contact_laws
from figures import Figure

import cornerlaw as cl
from cornerlaw.gallery.contacts import painleve_rod as rod

P = rod.Parameters()
COARSE = [(mu, theta) for mu in (1.0, 1.5, 2.0) for theta in (30.0, 50.0, 63.0, 80.0)]
FINE = [(mu, theta) for mu in np.linspace(1.0, 2.0, 11) for theta in np.linspace(30.0, 80.0, 11)]
SPINS = (0.0, 6.0)


def case(mu: float, theta: float, omega: float) -> rod.Parameters:
    return replace(P, mu=float(mu), theta=math.radians(theta), omega=omega)


def run(p: rod.Parameters) -> cl.Solution:
    """A short run in which the state hardly changes but for jumps."""
    return rod.simulate(p, t_end=2e-3, progress=False)


def check_case(p: rod.Parameters) -> str:
    """Run one rod and compare with what its A and b say; return which of the cases it was."""
    A, b = rod.coefficients(p)
    sol = run(p)
    kinds = [e.kind for e in sol.events]
    for name in ("rod.position", "rod.velocity", "tip-floor.lam_N", "tip-floor.gamma_T"):
        assert np.isfinite(sol[name]).all()
    assert_contact_laws(sol, rod.build(p))
    total = rod.energy(sol)
    # an integration with 1e-9 of some ten joule
    assert np.diff(total).max(initial=0.0) <= 1e-8
    if b > 0.0:
        # no force is a solution, whatever A: the tip leaves
        assert "painleve" not in kinds and "impact" not in kinds
        assert sol["tip-floor.gap"][-1] > 0.0
        # a force that holds it is a second solution, which is told by name
        assert kinds.count("ambiguous") == (A < 0.0), kinds
        return "several" if A < 0.0 else "leaves"
    if A > 0.0:
        assert "painleve" not in kinds and "impact" not in kinds
        assert "ambiguous" not in kinds
        assert sol["tip-floor.lam_N"][0] == pytest.approx(-b / A, rel=1e-9)
        return "one"
    assert kinds.count("painleve") == 1 and "ambiguous" not in kinds
    jump = next(e for e in sol.events if e.kind == "impact").data
    normal, tangential = rod.impulse(p)
    # the impulse is that of a sliding contact with next to no approach
    assert jump["Lambda_N"] == pytest.approx(normal, rel=1e-9)
    assert jump["Lambda_T"] == pytest.approx(tangential, rel=1e-9)
    assert jump["energy"] == pytest.approx(-0.5 * p.speed * tangential, rel=1e-9)
    return "none"


def check_steps(p: rod.Parameters) -> None:
    """Compare the impulse of time stepping with that of the impact."""
    A, b = rod.coefficients(p)
    steps = (1e-4, 5e-5, 2.5e-5)
    found = np.array([rod.stepped_impulse(p, dt) for dt in steps])
    assert np.isfinite(found).all()
    expected = np.array(rod.impulse(p) if A < 0.0 and b < 0.0 else (0.0, 0.0))
    errors = np.abs(found - expected).max(axis=1)
    if b > 0.0:
        assert errors.max() == 0.0
    elif A > 0.0:
        # one force holds the tip, which slides on: Lambda_N = -b / A dt, Lambda_T = mu Lambda_N.
        # The rods of this case do not turn, so that a step of any length knows their A and b, and
        # errs by the residual of its solver, 1e-10 of the largest velocity
        assert p.omega == 0.0
        held = -b / A * np.array(steps)
        room = 1e-10 * p.speed * (1.0 + p.mu) / A
        np.testing.assert_allclose(found[:, 0], held, rtol=1e-9, atol=room)
        np.testing.assert_allclose(found[:, 1], p.mu * held, rtol=1e-9, atol=room)
    else:
        assert errors[0] <= 0.02 * expected[0]
        # first order: what gravity does in a step
        np.testing.assert_allclose(errors[:-1] / errors[1:], 2.0, rtol=0.02)


@pytest.mark.trust("TR-N-06")
@pytest.mark.parametrize("omega", SPINS)
def test_event_driven_over_friction_and_lean(omega: float, figure: Figure) -> None:
    cases = [check_case(case(mu, theta, omega)) for mu, theta in COARSE]
    found = set(cases)
    figure("cases by their solutions", {kind: cases.count(kind) for kind in sorted(found)})
    assert found == ({"none", "one"} if omega == 0.0 else {"several", "leaves"})


@pytest.mark.trust("TR-N-06")
@pytest.mark.parametrize("omega", SPINS)
def test_time_stepping_over_friction_and_lean(omega: float) -> None:
    for mu, theta in COARSE:
        check_steps(case(mu, theta, omega))


@pytest.mark.trust("TR-N-06")
@pytest.mark.verify
@pytest.mark.parametrize("omega", SPINS)
def test_whole_range(omega: float, figure: Figure) -> None:
    cases = []
    for mu, theta in FINE:
        p = case(mu, theta, omega)
        A, b = rod.coefficients(p)
        if min(abs(A), abs(b)) > 1e-3:  # one of the points lies on the boundary
            cases.append(check_case(p))
            check_steps(p)
    figure("cases by their solutions", {kind: cases.count(kind) for kind in sorted(set(cases))})
    assert len(cases) >= len(FINE) - 1


def test_problem_of_the_sliding_tip_has_none_or_several_solutions() -> None:
    """On acceleration level, with the direction of sliding given: lam_N >= 0, A lam_N + b >= 0."""
    for omega, count in ((0.0, 0), (6.0, 2)):
        A, b = rod.coefficients(replace(P, omega=omega))
        solutions = [x for x in {0.0, -b / A} if x >= 0.0 and A * x + b >= -1e-12]
        assert len(solutions) == count


@pytest.mark.parametrize("beside", ["box", "tied"])
def test_several_solutions_are_told_beside_other_contacts(beside: str) -> None:
    """The rod alone is ambiguous; a box that rests elsewhere does not hide it."""
    p = replace(P, omega=6.0)
    plain = rod.build(p)
    parts: list[cl.Part] = [*plain.parts]
    floor = next(part for part in parts if part.name == "floor")
    box = cl.Body("box", mass=1.0, inertia=0.1, position=(9.0, 0.1))
    corners = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
    hull = cl.Polygon("hull", box, vertices=corners)
    parts += [box, hull, cl.Contact(hull, floor, mu=0.5)]
    if beside == "tied":
        # a weak spring couples the bodies, not the rows of their contacts
        parts.append(cl.Spring("tie", box, "rod", stiffness=1e-3, rest=9.0))
    model = cl.Model(*parts, gravity=(0.0, -p.gravity))
    sol = cl.simulate(model, 2e-3, method=cl.EventDriven(), progress=False)
    found = [(e.kind, e.name) for e in sol.events]
    assert found.count(("ambiguous", "tip-floor")) == 1, found
    assert not any(kind == "ambiguous" and name != "tip-floor" for kind, name in found)


@pytest.mark.trust("TR-N-06")
@pytest.mark.parametrize("law", [cl.Newton(), cl.Poisson("coulomb"), cl.Poisson("new")])
def test_impact_without_collision_by_every_law(law: cl.ImpactLaw) -> None:
    """Nothing approaches: restitution has nothing to give back, all laws agree."""
    sol = rod.simulate(P, t_end=2e-3, method=cl.EventDriven(impact=law), progress=False)
    jump = next(e for e in sol.events if e.kind == "impact").data
    assert (jump["Lambda_N"], jump["Lambda_T"]) == pytest.approx((0.3, 0.4), rel=1e-9)


@pytest.mark.verify
def test_a_sliding_rod_passes_the_boundary() -> None:
    """Rods that slide and fall from many angles run to the end, whatever they meet."""
    for theta in np.radians(np.linspace(15.0, 85.0, 8)):
        for omega in (-3.0, -1.0, 1.0, 3.0):
            p = replace(P, theta=float(theta), omega=omega, mu=1.8, speed=3.0)
            sol = rod.simulate(p, t_end=0.15, progress=False)
            assert sol.status == "done"
            assert np.isfinite(sol["rod.velocity"]).all()
            assert np.diff(rod.energy(sol)).max(initial=0.0) <= 1e-7
