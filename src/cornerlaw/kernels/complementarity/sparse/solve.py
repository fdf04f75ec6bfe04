"""Large problems of a step: the last impulses, then Newton, then convex problems and Newton."""

import math

from cornerlaw.arrays.compact import MOST_FALLBACK
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.sparse.convex import take_round
from cornerlaw.kernels.complementarity.sparse.newton import iterate_newton, write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.rows import prepare, reference_of
from cornerlaw.kernels.complementarity.sparse.settle import has_factors, settle
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse

ROUNDS = 60
# compliance that a round adds, of the mobility of a contact: a share of the size of the map
SHARE, SOFTEST, STIFFEST = 0.03, 3e-2, 1e-4
ATTEMPTS = 5  # of Newton's method at what is accepted already
PROMISING = 1e-2  # size of the map from which Newton's method may get to the solution


@kernel
def _check(m, w, least, best):
    """Keep p.x if it is the best point so far; return the smallest residual."""
    p, s = w.k.problem, w.k.solver
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    if s.residual[0] < least:
        for a in range(p.n[0]):
            best[a] = p.x[a]
        return s.residual[0]
    return least


@kernel
def _solve_rounds(m, w, reference, least, best):
    """Solve convex problems until Newton's method gets to the solution; return the residual."""
    p, c, s, point = w.k.problem, w.k.compact, w.k.solver, w.k.z
    tight, size, tried, attempts = 0.1 * s.options[TOLERANCE], 1.0, PROMISING, 0
    for n in range(ROUNDS):
        size = take_round(m, p, c, reference, min(SOFTEST, max(STIFFEST, SHARE * size)), size)
        s.iterations[0] += 1
        if size > tried:
            continue
        for a in range(p.n[0]):
            point[a] = p.x[a]
        found = iterate_newton(m, p, c, reference, 12, tight, True)
        least = _check(m, w, least, best)
        attempts += 1
        enough = attempts >= ATTEMPTS and least <= s.options[ACCEPTED]
        if least <= s.options[TOLERANCE] or enough:
            break
        if found < size:
            size = found
        else:
            for a in range(p.n[0]):
                p.x[a] = point[a]
        tried = 0.3 * size
    return least


@kernel
def solve_sparse(m, w):
    """Solve the compact problem from the first guess p.x; return SOLVED or NOT_SOLVED.

    The best point of a problem that is too large for a matrix counts as solved when it is accepted.
    Writes p.x, p.gamma, s.residual, and in s.iterations 0, or one more than the number of convex
    problems. (T-12.26)
    """
    p, c, s = w.k.problem, w.k.compact, w.k.solver
    s.iterations[0] = 0
    tight, best = 0.1 * s.options[TOLERANCE], w.k.y
    known = has_factors(w)
    reference = reference_of(p, s.options[V_REF])
    if not known:
        prepare(m, p, c)
    if not reference < math.inf:
        return NOT_SOLVED
    if settle(m, w, reference, 1e-2 * tight):
        s.residual[0] = residual_sparse(m, w, s.options[V_REF])
        if s.residual[0] <= s.options[TOLERANCE]:
            return SOLVED
    if known:
        prepare(m, p, c)
    order_velocities(m, p, c)
    write_masses(m, c)
    s.iterations[0] = 1
    least = _check(m, w, math.inf, best)
    iterate_newton(m, p, c, reference, 8, tight, True)
    least = _check(m, w, least, best)
    if least > s.options[TOLERANCE]:
        least = _solve_rounds(m, w, reference, least, best)
    for a in range(p.n[0]):
        p.x[a] = best[a]
    s.residual[0] = residual_sparse(m, w, s.options[V_REF])
    limit = s.options[ACCEPTED] if p.n[0] > MOST_FALLBACK else s.options[TOLERANCE]
    return SOLVED if s.residual[0] <= limit else NOT_SOLVED
