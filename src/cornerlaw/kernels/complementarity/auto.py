"""The default solver: a cascade in which every answer is checked by the independent residual."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.gauss_seidel import sweep_gauss_seidel
from cornerlaw.kernels.complementarity.lemke import guess_lemke
from cornerlaw.kernels.complementarity.linear_form import has_linear_form
from cornerlaw.kernels.complementarity.newton import iterate_newton
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.kernels.complementarity.verify import residual


@kernel
def _is_better(p, s):
    """Check p.x by the independent residual; keep it in s.x_start if it is the best so far."""
    value = residual(p, s.options[V_REF])
    if value < s.residual[0]:
        s.residual[0] = value
        for i in range(p.n[0]):
            s.x_start[i] = p.x[i]
    return s.residual[0] <= s.options[TOLERANCE]


@kernel
def _finish(p, s):
    """Return to the best point and report."""
    for i in range(p.n[0]):
        p.x[i] = s.x_start[i]
    s.residual[0] = residual(p, s.options[V_REF])
    return SOLVED if s.residual[0] <= s.options[ACCEPTED] else NOT_SOLVED


@kernel
def solve_auto(p, s):
    """Solve by whatever works; return SOLVED, NOT_SOLVED or INFEASIBLE.

    Newton from the first guess, Gauss-Seidel with Newton, Lemke for plane sets. Writes p.x,
    p.gamma, s.residual.
    """
    n = p.n[0]
    s.iterations[0] = 0
    s.residual[0] = math.inf
    if n == 0:
        s.residual[0] = 0.0
        return SOLVED
    reference = prepare(p, s)
    if not reference < math.inf:
        return NOT_SOLVED
    tight = 0.1 * s.options[TOLERANCE]
    if reference > 0.0:
        iterate_newton(p, s, reference, 8, tight)
    if _is_better(p, s):
        return _finish(p, s)
    for round in range(3):
        sweep_gauss_seidel(p, s, reference, 20 * (1 + round * round), tight)
        if _is_better(p, s):
            return _finish(p, s)
        iterate_newton(p, s, reference, 20, tight)
        if _is_better(p, s):
            return _finish(p, s)
    form = has_linear_form(p)
    if form > 0:
        for attempt in range(6):
            guess_lemke(p, s, attempt, 20)
            if form == 1:
                sweep_gauss_seidel(p, s, reference, 5, tight)
            iterate_newton(p, s, reference, 30, tight)
            if _is_better(p, s):
                return _finish(p, s)
    return _finish(p, s)
