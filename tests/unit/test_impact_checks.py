"""Impacts are measured when they are finished, by code that no law and no solver shares. (T-13.25)

Laws and solvers are spoiled here on purpose: none may pass.
"""

from __future__ import annotations

from importlib import import_module
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
from cornerlaw.kernels.late import address_of, call

POISSON = [cl.Poisson("coulomb"), cl.Poisson("old"), cl.Poisson("new")]
WITH_FRICTION = [cl.Newton(), cl.NewtonBoth(), *POISSON]
LAWS = [*WITH_FRICTION, cl.Cradle(), cl.Sequential()]


def name_of(law: cl.ImpactLaw) -> str:
    return f"{type(law).__name__} {getattr(law, 'variant', '')}".strip()


WEAKEN, STRENGTHEN, PULL, LOSE, LEAVE_THE_CONE, PUSH_THE_NEXT = range(6)
LAW, FAULT = 2, 3  # places behind the rows in use where the kernel below finds what it shall do


@numba.njit
def spoil(p, imp, fault):  # type: ignore[no-untyped-def]
    """Change the impulses that a law has found."""
    for i in range(p.n[0]):
        if fault == WEAKEN:
            imp.Lambda[i] *= 0.4  # contacts are left approaching
        elif fault == STRENGTHEN:
            imp.Lambda[i] *= 1.1  # more comes back than there was
        elif fault == PULL:
            imp.Lambda[i] = -imp.Lambda[i]
    if fault == LOSE:
        imp.Lambda[0] = np.nan
    elif fault == LEAVE_THE_CONE:
        imp.Lambda[1] = 2.0 * imp.kept[3, 1] * imp.Lambda[0]  # p has bounds of a phase
    elif fault == PUSH_THE_NEXT:
        imp.Lambda[1] += 0.01  # it is not hit and separates


@numba.njit
def spoiled(law, p, imp, s):  # type: ignore[no-untyped-def]
    """Solve an impact by the law at hand, and spoil it."""
    status = call(p.start[LAW], law, p, imp, s)
    spoil(p, imp, p.start[FAULT])
    return status


def impact(law: cl.ImpactLaw, eps: float = 1.0, friction: bool = False) -> tuple[Any, ...]:
    """Return two balls in a row that are hit at the first, or one contact with friction."""
    p, imp, s = new_problem(4), new_impact(4), new_solver_scratch(4)
    p.n[0] = p.n_sets[0] = 2
    p.start[:], p.size[:], p.upper_0[:] = np.arange(4), 1, np.inf
    p.G[:2, :2], p.c[:2] = [[2.0, -1.0], [-1.0, 2.0]], [-1.0, 1.5]
    if friction:
        p.master[1], p.lower_1[1], p.upper_0[1], p.upper_1[1] = 0, -0.3, 0.0, 0.3
    imp.eps[:2] = eps, 0.0 if friction else eps
    bundles = [Bundle(part) for part in (p, imp, s)]
    bind_impact(law.code, *bundles)
    return p, imp, s, bundles


def solve_spoiled(law: cl.ImpactLaw, fault: int, arrays: tuple[Any, ...]) -> int:
    p, imp, _, bundles = arrays
    p.start[LAW], p.start[FAULT] = imp.law[0], fault
    kinds = [bundle._numba_type for bundle in bundles]
    imp.law[0] = address_of(spoiled, (types.int64, *kinds))
    return int(solve_impact(law.code, *bundles))


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_a_right_impact_passes(law: cl.ImpactLaw) -> None:
    """Whatever number an earlier problem has left: the residual is that of this impact."""
    _, _, s, bundles = impact(law)
    s.residual[0] = 7.0
    assert solve_impact(law.code, *bundles) == SOLVED
    # solvers stop at 1e-10, the sequential law at 1e-11 of the velocities
    assert s.residual[0] <= 1e-10


@pytest.mark.parametrize("fault", [WEAKEN, STRENGTHEN, PULL, LOSE, PUSH_THE_NEXT])
@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_no_spoiled_law_passes(law: cl.ImpactLaw, fault: int) -> None:
    arrays = impact(law)
    assert solve_spoiled(law, fault, arrays) == REFUSED_WRONG
    assert arrays[2].residual[0] > 1e-3


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_no_friction_outside_its_cone_passes(law: cl.ImpactLaw) -> None:
    assert solve_impact(law.code, *impact(law, 0.5, friction=True)[3]) == SOLVED
    arrays = impact(law, 0.5, friction=True)
    assert solve_spoiled(law, LEAVE_THE_CONE, arrays) == REFUSED_WRONG


@pytest.mark.parametrize("law", POISSON[1:], ids=name_of)
def test_what_eps_T_gives_back_is_no_fault(law: cl.ImpactLaw) -> None:
    """A super ball: sticking in compression is reversed, whatever is left of the cone."""
    p, imp, s, bundles = impact(law, 0.8, friction=True)
    imp.eps[1] = 0.9
    p.upper_1[1], p.lower_1[1] = 2.0, -2.0
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


@numba.njit
def do_nothing(law, p, imp, s):  # type: ignore[no-untyped-def]
    """Leave everything as it was."""
    return 0


@pytest.mark.parametrize("law", [cl.Newton(), cl.Sequential()])
def test_no_run_goes_on_behind_a_wrong_impact(law: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "_LAWS", {**binding._LAWS, law.code: do_nothing})
    # which asks the cache for every kernel, and this one has none
    system = import_module("cornerlaw.simulate.system")
    monkeypatch.setattr(system, "share_compilation", lambda *arguments: None)
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
