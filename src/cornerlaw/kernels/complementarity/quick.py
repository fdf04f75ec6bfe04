"""The solver of the run loop: what solves nearly all problems of a step, in little code.

A model begins with it; where it fails, the run goes on with the whole cascade of `solve_auto`.
"""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.gauss_seidel import sweep_gauss_seidel
from cornerlaw.kernels.complementarity.newton import iterate_newton
from cornerlaw.kernels.complementarity.pair import residual_pair
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.kernels.complementarity.single import solve_single
from cornerlaw.kernels.complementarity.verify import residual

ROUNDS = 4


@kernel
def _residual_of_single(p, v_ref):
    """Return the residual of a single contact at p.x; writes p.gamma = G x + c."""
    if p.n[0] == 1:
        return residual(p, v_ref)
    G, c, x = p.G, p.c, p.x
    found, p.gamma[0], p.gamma[1] = residual_pair(
        G[0, 0], G[0, 1], G[1, 0], G[1, 1], c[0], c[1], p.lower_1[1], p.upper_1[1], x[0], x[1],
        v_ref,
    )  # fmt: skip
    return found


@kernel
def solve_quick(p, s):
    """Solve by sweeps of Gauss-Seidel, each polished by Newton; return SOLVED or NOT_SOLVED.

    A single contact has a closed form. The first round starts with Newton at the first guess.
    Writes p.x, p.gamma, s.residual, and in s.iterations the round that succeeded. (T-12.14)
    """
    s.iterations[0] = 0
    s.residual[0] = 0.0
    if p.n[0] == 0:
        return SOLVED
    first, second = p.x[0], p.x[min(1, p.x.size - 1)]
    if solve_single(p):
        s.residual[0] = _residual_of_single(p, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            return SOLVED
        p.x[0], p.x[min(1, p.x.size - 1)] = first, second
    s.residual[0] = math.inf
    reference = prepare(p, s)
    if not reference < math.inf:
        return NOT_SOLVED
    tight = 0.1 * s.options[TOLERANCE]
    for n in range(ROUNDS):
        if n > 0:
            sweep_gauss_seidel(p, s, reference, 20 * n * n, tight)
        iterate_newton(p, s, reference, 8 if n == 0 else 20, tight)
        s.residual[0] = residual(p, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            s.iterations[0] = n
            return SOLVED
    return NOT_SOLVED
