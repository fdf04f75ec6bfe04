"""Steps at rest: the impulses of the last step, mended with the factors of an earlier one.

Impulses that are merely accepted while they are good enough are a control loop without feedback:
what they leave of a velocity stays, and what once stopped it acts again in every step. One step of
Newton's method closes the loop; as long as the same rows take part, its matrix hardly changes.
(T-12.30)
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import eval_natural_map, largest_entry
from cornerlaw.kernels.complementarity.sparse.envelope import factor_symmetric, solve_symmetric
from cornerlaw.kernels.complementarity.sparse.newton import (
    write_masses,
    write_push,
    write_slopes,
    write_step,
)
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.rows import eval_gamma
from cornerlaw.kernels.complementarity.sparse.symmetric import assemble_symmetric

ETA = 1e-6  # small enough to gain six digits in a step, large enough to lose none by rounding
STEPS = 4
NEAR = 1e-3  # size of the map above which a guess is no guess


@kernel
def has_factors(w):
    """Tell whether the factors at hand are those of the rows that take part now."""
    k, c, n = w.k, w.k.compact, w.k.problem.n[0]
    if c.n_kept[0] != n:
        return False
    for a in range(n):
        if c.kept[a] != k.active[a]:
            return False
    return True


@kernel
def keep_factors(m, w):
    """Factor the matrix at p.x, p.gamma and the map c.F, and note whose it is."""
    k, c, p = w.k, w.k.compact, w.k.problem
    order_velocities(m, p, c)
    write_masses(m, c)
    write_slopes(p, c, ETA, False)
    assemble_symmetric(m, p, c)
    factor_symmetric(c, 1e-14)
    for a in range(p.n[0]):
        c.kept[a] = k.active[a]
    c.n_kept[0] = p.n[0]


@kernel
def settle(m, w, reference, tolerance):
    """Take steps of Newton's method with kept factors from p.x; tell whether the map is small.

    Writes p.x, the best point met. (T-12.30)
    """
    c, p = w.k.compact, w.k.problem
    n, best, fresh = p.n[0], math.inf, False
    for step in range(STEPS + 1):
        eval_gamma(m, p, c, p.x, p.gamma)
        eval_natural_map(p, c, p.x, p.gamma, c.F)
        size = largest_entry(c.F, n) / reference
        if size < best:
            for a in range(n):
                c.x_best[a] = p.x[a]
        if size <= tolerance:
            return True
        if not size <= NEAR or step == STEPS:
            break
        if not size < 0.1 * best or not has_factors(w):
            # factors that do not help belong to other states of the contacts
            if fresh:
                break
            keep_factors(m, w)
            fresh = True
        best = min(best, size)
        write_slopes(p, c, ETA, False)
        write_push(p, c)
        solve_symmetric(c, c.rhs)
        write_step(p, c)
        for a in range(n):
            p.x[a] += c.step[a]
    for a in range(n):
        p.x[a] = c.x_best[a]
    return False
