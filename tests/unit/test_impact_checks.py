"""Impacts are measured when they are finished, by code that no law and no solver shares. (T-13.25)

Laws and solvers are spoiled here on purpose: none may pass.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba import types

import cornerlaw as cl
from cornerlaw.arrays.impact_arrays import REFUSED_WRONG, new_impact
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED, new_problem
from cornerlaw.arrays.solver_scratch import new_solver_scratch
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.auto import solve_auto
from cornerlaw.kernels.impacts import binding
from cornerlaw.kernels.impacts.binding import bind_impact
from cornerlaw.kernels.impacts.solve import solve_impact
from cornerlaw.kernels.late import address_of

POISSON = [cl.Poisson("coulomb"), cl.Poisson("old"), cl.Poisson("new")]
WITH_FRICTION = [cl.Newton(), cl.NewtonBoth(), *POISSON]
LAWS = [*WITH_FRICTION, cl.Cradle(), cl.Sequential()]


def name_of(law: cl.ImpactLaw) -> str:
    return f"{type(law).__name__} {getattr(law, 'variant', '')}".strip()


@numba.njit
def weaken(p, imp, s):  # type: ignore[no-untyped-def]
    """Leave the contacts approaching."""
    for i in range(p.n[0]):
        imp.Lambda[i] *= 0.4


@numba.njit
def strengthen(p, imp, s):  # type: ignore[no-untyped-def]
    """Give more back than there was."""
    for i in range(p.n[0]):
        imp.Lambda[i] *= 1.1


@numba.njit
def pull(p, imp, s):  # type: ignore[no-untyped-def]
    for i in range(p.n[0]):
        imp.Lambda[i] = -imp.Lambda[i]


@numba.njit
def lose(p, imp, s):  # type: ignore[no-untyped-def]
    imp.Lambda[0] = np.nan


@numba.njit
def leave_the_cone(p, imp, s):  # type: ignore[no-untyped-def]
    imp.Lambda[1] = 2.0 * imp.kept[3, 1] * imp.Lambda[0]  # kept while bounds are those of a phase


@numba.njit
def push_the_next(p, imp, s):  # type: ignore[no-untyped-def]
    """Press on a contact that is not hit and separates."""
    imp.Lambda[1] += 0.01


def spoiled(law: cl.ImpactLaw, change: Any) -> Any:
    """Return the kernel of a law with what changes its impulses behind it."""
    kernel = binding._LAWS[law.code]

    @numba.njit
    def wrong(law, p, imp, s):  # type: ignore[no-untyped-def]
        status = kernel(law, p, imp, s)
        change(p, imp, s)
        return status

    return wrong


def impact(law: cl.ImpactLaw, eps: float = 1.0, friction: bool = False) -> tuple[Any, ...]:
    """Return two balls in a row that are hit at the first, or one contact with friction."""
    p, imp, s = new_problem(2), new_impact(2), new_solver_scratch(2)
    p.n[0] = p.n_sets[0] = 2
    p.start[:], p.size[:], p.upper_0[:] = np.arange(2), 1, np.inf
    p.G[:], p.c[:] = [[2.0, -1.0], [-1.0, 2.0]], [-1.0, 1.5]
    if friction:
        p.master[1], p.lower_1[1], p.upper_0[1], p.upper_1[1] = 0, -0.3, 0.0, 0.3
    imp.eps[:] = eps, 0.0 if friction else eps
    bundles = [Bundle(part) for part in (p, imp, s)]
    bind_impact(law.code, *bundles)
    return p, imp, s, bundles


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_a_right_impact_passes(law: cl.ImpactLaw) -> None:
    """Whatever number an earlier problem has left: the residual is that of this impact."""
    _, _, s, bundles = impact(law)
    s.residual[0] = 7.0
    assert solve_impact(law.code, *bundles) == SOLVED
    # solvers stop at 1e-10, the sequential law at 1e-11 of the velocities
    assert s.residual[0] <= 1e-10


@pytest.mark.parametrize("change", [weaken, strengthen, pull, lose, push_the_next])
@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_no_spoiled_law_passes(law: cl.ImpactLaw, change: Any) -> None:
    _, imp, s, bundles = impact(law)
    kinds = [bundle._numba_type for bundle in bundles]
    imp.law[0] = address_of(spoiled(law, change), (types.int64, *kinds))
    assert solve_impact(law.code, *bundles) == REFUSED_WRONG
    assert s.residual[0] > 1e-3


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_no_friction_outside_its_cone_passes(law: cl.ImpactLaw) -> None:
    _, imp, _, bundles = impact(law, 0.5, friction=True)
    assert solve_impact(law.code, *bundles) == SOLVED
    kinds = [bundle._numba_type for bundle in bundles]
    imp.law[0] = address_of(spoiled(law, leave_the_cone), (types.int64, *kinds))
    assert solve_impact(law.code, *bundles) == REFUSED_WRONG


@pytest.mark.parametrize("law", POISSON[1:], ids=name_of)
def test_what_eps_T_gives_back_is_no_fault(law: cl.ImpactLaw) -> None:
    """A super ball: sticking in compression is reversed, whatever is left of the cone."""
    _, imp, s, bundles = impact(law, 0.8, friction=True)
    imp.eps[1] = 0.9
    bundles[0].upper_1[1], bundles[0].lower_1[1] = 2.0, -2.0
    assert solve_impact(law.code, *bundles) == SOLVED
    assert abs(imp.Lambda[1]) > 0.0
    assert s.residual[0] <= 1e-10


@numba.njit
def give_up(p, s):  # type: ignore[no-untyped-def]
    """Return no impulse at all and call it a solution."""
    for i in range(p.n[0]):
        p.x[i] = 0.0
        p.gamma[i] = p.c[i]
    s.residual[0] = 0.0
    return 0


@numba.njit
def solve_compression_roughly(p, s):  # type: ignore[no-untyped-def]
    """Solve; where a contact approaches, as only before compression, to eight digits."""
    status = solve_auto(p, s)
    if p.c[0] < 0.0:
        p.x[0] *= 1.0 + 1e-9
    return status


@pytest.mark.parametrize("law", [*WITH_FRICTION, cl.Cradle()], ids=name_of)
def test_a_solver_that_says_it_is_done_is_not_believed(law: cl.ImpactLaw) -> None:
    # the cradle asks it for the plastic part alone
    _, imp, s, bundles = impact(law, 0.5)
    kinds = [bundle._numba_type for bundle in bundles]
    imp.solver[0] = address_of(give_up, (kinds[0], kinds[2]))
    assert solve_impact(law.code, *bundles) == NOT_SOLVED
    assert s.residual[0] > 1e-3


@pytest.mark.parametrize("law", POISSON, ids=name_of)
def test_the_residual_is_the_larger_of_both_phases(law: cl.ImpactLaw) -> None:
    _, imp, s, bundles = impact(law, 0.5)
    kinds = [bundle._numba_type for bundle in bundles]
    imp.solver[0] = address_of(solve_compression_roughly, (kinds[0], kinds[2]))
    assert solve_impact(law.code, *bundles) == SOLVED
    # Lambda_NC is 1/2: the end of compression is off by G 1e-9 / 2 of the speed 1
    assert 4e-10 < s.residual[0] < 1e-8


def falling_disc() -> cl.Model:
    """Return a disc that falls on the floor."""
    disc = cl.Disk("disc", mass=1.0, radius=0.1, position=(0.0, 0.15))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    return cl.Model(disc, floor, cl.Contact(disc, floor, eps_N=1.0), gravity=(0.0, -9.81))


@pytest.mark.parametrize("law", [cl.Newton(), cl.Poisson(), cl.Cradle(), cl.Sequential()])
def test_no_run_goes_on_behind_a_wrong_impact(law: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**binding._LAWS, law.code: spoiled(law, weaken)}
    monkeypatch.setattr(binding, "_LAWS", wrong)
    with pytest.raises(cl.SimulationError, match="breaks the laws of the contacts") as error:
        cl.simulate(falling_disc(), 0.3, method=cl.EventDriven(impact=law))
    assert error.value.solution.t[-1] == pytest.approx(np.sqrt(2.0 * 0.05 / 9.81), abs=1e-9)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "method",
    [
        *(cl.EventDriven(impact=law) for law in (cl.Newton(), cl.Poisson(), cl.Sequential())),
        cl.Moreau(dt=1e-3),
        cl.Theta(dt=1e-3),
    ],
)
def test_every_impact_tells_its_residual(method: Any) -> None:
    sol = cl.simulate(falling_disc(), 0.5, method=method)
    found = [event.data["residual"] for event in sol.events if event.kind == "impact"]
    assert len(found) >= 2
    assert all(0.0 <= value <= 1e-10 for value in found)
    assert max(found) <= sol.statistics["worst_residual"]
