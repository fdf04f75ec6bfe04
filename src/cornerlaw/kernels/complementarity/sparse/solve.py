"""Large problems of a step: the warm start, then sweeps and Newton as for small ones."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.sparse.newton import iterate_newton, write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.rows import prepare
from cornerlaw.kernels.complementarity.sparse.sweeps import sweep_contacts
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse

ROUNDS = 5


@kernel
def solve_sparse(m, w):
    """Solve the compact problem from the first guess p.x; return SOLVED or NOT_SOLVED.

    What was solved in the last step and has not changed is only checked. Writes p.x, p.gamma,
    s.residual, and in s.iterations the round that succeeded. (T-12.26)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    s.iterations[0] = 0
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    if s.residual[0] <= s.options[TOLERANCE]:
        return SOLVED
    reference = prepare(m, p, c, s.options[V_REF])
    if not reference < math.inf:
        return NOT_SOLVED
    order_velocities(m, p, c)
    write_masses(m, c)
    tight = 0.1 * s.options[TOLERANCE]
    for n in range(ROUNDS):
        if n > 0:
            sweep_contacts(p, c, reference, 20 * n * n, tight)
        iterate_newton(m, p, c, reference, 8 if n == 0 else 20, tight)
        s.residual[0] = residual_sparse(m, w, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            s.iterations[0] = n + 1
            return SOLVED
    return NOT_SOLVED
