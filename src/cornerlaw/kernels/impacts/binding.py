"""Binding: give an impact the addresses of its law and of the solver of problems."""

from typing import Any

from numba import types

from cornerlaw.arrays.impact_arrays import (
    CRADLE,
    NEWTON,
    NEWTON_BOTH,
    POISSON_COULOMB,
    POISSON_NEW,
    POISSON_OLD,
    SEQUENTIAL,
)
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.auto import solve_auto
from cornerlaw.kernels.impacts.cradle import solve_cradle_impact
from cornerlaw.kernels.impacts.newton import solve_newton_impact
from cornerlaw.kernels.impacts.poisson import solve_poisson_impact
from cornerlaw.kernels.impacts.sequential import solve_sequential_impact
from cornerlaw.kernels.late import Job, address_of

_LAWS: dict[int, Any] = {
    NEWTON: solve_newton_impact,
    NEWTON_BOTH: solve_newton_impact,
    POISSON_COULOMB: solve_poisson_impact,
    POISSON_OLD: solve_poisson_impact,
    POISSON_NEW: solve_poisson_impact,
    CRADLE: solve_cradle_impact,
    SEQUENTIAL: solve_sequential_impact,
}


def bind_impact(law: int, p: Bundle, imp: Bundle, s: Bundle) -> None:
    """Compile, or load, a law and the solver of problems, and write their addresses into imp."""
    kinds = [bundle._numba_type for bundle in (p, imp, s)]
    imp.solver[0] = address_of(solve_auto, (kinds[0], kinds[2]))
    bind_law_alone(law, p, imp, s)


def law_job(law: int, p: Bundle, imp: Bundle, s: Bundle) -> Job:
    """Return the kernel of a law and the types of its arguments."""
    return _LAWS[law], (types.int64, *(bundle._numba_type for bundle in (p, imp, s)))


def bind_law_alone(law: int, p: Bundle, imp: Bundle, s: Bundle) -> None:
    """Compile, or load, a law and write its address into imp; the solver is bound elsewhere."""
    imp.law[0] = address_of(*law_job(law, p, imp, s))
