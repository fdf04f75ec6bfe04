"""Newton's law, in normal direction or in both: one problem."""

from cornerlaw.arrays.impact_arrays import NEWTON_BOTH
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.impacts.sets import is_bilateral, is_normal
from cornerlaw.kernels.impacts.verify import verify_phase
from cornerlaw.kernels.late import call


@kernel
def prepare_newton(law, p, imp):
    """Write c of Newton's law, (1 + eps) gamma_minus on the rows that have restitution.

        -(gamma_plus + eps gamma_minus) in N_C(Lambda)

    These are the normal rows, and with NEWTON_BOTH the friction rows too. (T-13.5) (T-13.6)
    [Moreau1988]
    """
    for k in range(p.n_sets[0]):
        is_tangential = not is_normal(p, k) and not is_bilateral(p, k)
        for i in range(p.start[k], p.start[k] + p.size[k]):
            p.c[i] = imp.gamma_minus[i]
            if is_normal(p, k) or (law == NEWTON_BOTH and is_tangential):
                p.c[i] += imp.eps[i] * imp.gamma_minus[i]


@kernel
def finish_newton(p, imp):
    """Write the impulses."""
    for i in range(p.n[0]):
        imp.Lambda[i] = p.x[i]


@kernel
def solve_newton_impact(law, p, imp, s):
    """Solve an impact with Newton's law. (T-13.5) (T-13.6)"""
    prepare_newton(law, p, imp)
    status = verify_phase(p, s, 0.0, call(imp.solver[0], p, s))
    finish_newton(p, imp)
    return status
