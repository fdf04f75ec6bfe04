"""One impact of all closed contacts by one of the laws."""

import math

from cornerlaw.arrays.impact_arrays import REFUSED_WRONG
from cornerlaw.arrays.problem import SOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.impacts.sets import keep_bounds, multiply, restore_bounds
from cornerlaw.kernels.impacts.verify import verify_impact
from cornerlaw.kernels.late import call


@kernel
def eval_energy_change(p, imp):
    """Write the energy change of the impact in both forms.

        2 dT = (gamma_plus + gamma_minus)^T Lambda = 2 gamma_plus^T Lambda - Lambda^T G Lambda

    (T-13.2)
    """
    n = p.n[0]
    first, second = 0.0, 0.0
    for i in range(n):
        first += 0.5 * (imp.gamma_plus[i] + imp.gamma_minus[i]) * imp.Lambda[i]
        second += imp.gamma_plus[i] * imp.Lambda[i]
        for j in range(n):
            second -= 0.5 * imp.Lambda[i] * p.G[i, j] * imp.Lambda[j]
    imp.energy[0] = first
    imp.energy[1] = second


@kernel
def _begin(p, imp):
    """Keep what the law will change, and clear what it will find."""
    keep_bounds(p, imp)
    for i in range(p.n[0]):
        imp.gamma_minus[i] = p.c[i]
        imp.Lambda[i] = 0.0
        imp.Lambda_C[i] = 0.0
        imp.gamma_C[i] = math.nan


@kernel
def _end(p, imp):
    """Put back c and the bounds, and write impulses, velocities and energy."""
    restore_bounds(p, imp)
    for i in range(p.n[0]):
        p.c[i] = imp.gamma_minus[i]
        p.x[i] = imp.Lambda[i]
    multiply(p, imp.Lambda, imp.gamma_minus, imp.gamma_plus)
    for i in range(p.n[0]):
        p.gamma[i] = imp.gamma_plus[i]
    eval_energy_change(p, imp)


@kernel
def solve_impact(law, p, imp, s):
    """Solve an impact: Lambda and gamma_plus = gamma_minus + G Lambda of all rows of the problem.

    The law's number says which variant; its kernel is bound by `bind_impact`.
    On entry p holds G, the sets, gamma_minus as c and a first guess x; on return x is Lambda, gamma
    is gamma_plus, all else is as before, `imp` holds the details, and s.residual the largest
    residual of its problems and of the finished impact. Returns SOLVED or the reason of failure: a
    status of the solver of problems, or REFUSED_*. (T-13.1)
    """
    _begin(p, imp)
    s.residual[0] = 0.0
    status = call(imp.law[0], law, p, imp, s)
    _end(p, imp)
    if status == SOLVED and not verify_impact(law, p, imp, s):
        return REFUSED_WRONG
    return status
