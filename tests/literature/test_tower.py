"""The tower of ten masses: solvers find the one right state among 3^10 without enumeration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl
from cornerlaw.gallery.contacts import tower
from cornerlaw.problems.sets import interval

P = tower.Parameters()
EXCITATIONS = tower.excitations(P, 200)
SOLVERS = [cl.Lemke(), cl.Pivoting(), cl.GaussSeidel(), "auto"]


def name_of(solver: object) -> str:
    return solver if isinstance(solver, str) else type(solver).__name__


@cache
def enumerated(k: int) -> tuple[np.ndarray, np.ndarray]:
    """All states that obey the laws in one excitation, and the velocities after it."""
    return tower.enumerate_states(P, *EXCITATIONS[k])


def compare_state(solver: object, k: int) -> None:
    """Solve one excitation and compare state and velocities with the enumeration."""
    given = EXCITATIONS[k]
    states, ends = enumerated(k)
    assert len(states) == 1, "the oracle finds one state"
    G, c, bound = tower.problem(P, *given)
    sets = [interval(-b, b) for b in bound]
    result = cl.ContactProblem(G, c, sets).solve(solver)
    gamma = G @ result.x + c
    scale = np.abs(c).max()
    # solvers stop at 1e-10 of the largest velocity
    np.testing.assert_allclose(
        gamma, np.diff(ends[0], prepend=given[1]), rtol=0.0, atol=1e-8 * scale
    )
    assert (np.abs(result.x) <= bound * (1.0 + 1e-9)).all()
    # the state from forces and velocities, not from the oracle: no contact is near a corner
    slips = np.abs(gamma) > 1e-7 * scale
    assert np.where(slips, np.sign(gamma), 0.0).tolist() == states[0].tolist()


@pytest.mark.parametrize("solver", SOLVERS, ids=name_of)
def test_solvers_find_the_enumerated_state(solver: object) -> None:
    for k in range(10):
        compare_state(solver, k)


@pytest.mark.verify
@pytest.mark.parametrize("solver", SOLVERS, ids=name_of)
def test_solvers_find_the_enumerated_state_of_200_excitations(
    solver: object, figure: Figure
) -> None:
    for k in range(len(EXCITATIONS)):
        compare_state(solver, k)
    figure("excitations with the enumerated state of 3^10", len(EXCITATIONS))


@pytest.mark.verify
def test_both_roads_shake_the_tower_alike(figure: Figure) -> None:
    """Event-driven and time stepping end with velocities that agree to first order in the step."""
    fine = tower.simulate(P, t_end=0.2, method=cl.EventDriven(), progress=False)
    names = [f"block {i + 1}.velocity" for i in range(tower.N)]
    exact = np.array([fine[name][-1] for name in names])
    errors = []
    for dt in (2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4):
        coarse = tower.simulate(P, t_end=0.2, method=cl.Moreau(dt=dt), progress=False)
        errors.append(np.abs(np.array([coarse[name][-1] for name in names]) - exact).max())
    slope = np.polyfit(np.log(2.0) * -np.arange(5), np.log(errors), 1)[0]
    figure("order of the roads", float(slope))
    assert slope > 0.8
