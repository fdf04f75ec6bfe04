"""Large problems of a step: the warm start, then sweeps and Newton as for small ones."""

import math

from cornerlaw.arrays.compact import MOST_FALLBACK
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.sparse.newton import iterate_newton, write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.rows import prepare
from cornerlaw.kernels.complementarity.sparse.sweeps import sweep_contacts
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse

ROUNDS = 9
NEAR = 1e-6  # residual of a first guess that some sweeps, or friction taken anew, may mend
PORTIONS = 12  # portions of sweeps from such a guess


@kernel
def _sweep_near(m, w, reference):
    """Sweep in portions until the residual is small; tell whether it is.

    Sweeps keep every multiplier in its set, and a wall at rest needs only a few from step to step.
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    for portion in range(PORTIONS):
        sweep_contacts(p, c, reference, 2, 0.1 * s.options[TOLERANCE])
        before = s.residual[0]
        s.residual[0] = residual_sparse(m, w, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            return True
        if not s.residual[0] < before:
            return False
    return False


@kernel
def _forget_friction(p):
    """Set the friction of a first guess to zero, well inside its cones.

    Redundant contacts at rest creep to their bounds, and there Newton gets caught.
    """
    for k in range(p.n_sets[0]):
        if p.master[k] >= 0:
            for i in range(p.start[k], p.start[k] + p.size[k]):
                p.x[i] = 0.0


@kernel
def solve_sparse(m, w):
    """Solve the compact problem from the first guess p.x; return SOLVED or NOT_SOLVED.

    What was solved in the last step and has not changed is only checked. The best point of a
    problem that is too large for a matrix counts as solved when it is accepted. Writes p.x,
    p.gamma, s.residual, and in s.iterations the round that succeeded. (T-12.26)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    s.iterations[0] = 0
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    if s.residual[0] <= s.options[TOLERANCE]:
        return SOLVED
    reference = prepare(m, p, c, s.options[V_REF])
    if not reference < math.inf:
        return NOT_SOLVED
    if s.residual[0] <= NEAR and _sweep_near(m, w, reference):
        s.iterations[0] = 1
        return SOLVED
    order_velocities(m, p, c)
    write_masses(m, c)
    tight, least, best = 0.1 * s.options[TOLERANCE], math.inf, w.k.y
    if s.residual[0] <= NEAR:
        for i in range(p.n[0]):
            best[i] = p.x[i]
        _forget_friction(p)
        iterate_newton(m, p, c, reference, 12, tight, True)
        s.residual[0] = residual_sparse(m, w, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            s.iterations[0] = 2
            return SOLVED
        for i in range(p.n[0]):
            p.x[i] = best[i]
    for n in range(ROUNDS):
        if n > 0:
            sweep_contacts(p, c, reference, 20 * n * n, tight)
        # a matrix that follows the loads of friction converges faster, where its factors are good
        iterate_newton(m, p, c, reference, 8 if n == 0 else 20, tight, n % 2 == 0)
        s.residual[0] = residual_sparse(m, w, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            s.iterations[0] = n + 3
            return SOLVED
        if s.residual[0] < least:
            least = s.residual[0]
            for i in range(p.n[0]):
                best[i] = p.x[i]
    if p.n[0] <= MOST_FALLBACK or not least < math.inf:
        return NOT_SOLVED
    for i in range(p.n[0]):
        p.x[i] = best[i]
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    return SOLVED if s.residual[0] <= s.options[ACCEPTED] else NOT_SOLVED
