"""Projected Jacobi: all rows move at once."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_SWEEPS, RELAXATION, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import (
    eval_gamma,
    eval_natural_map,
    largest_entry,
    prepare,
    project_all,
)
from cornerlaw.kernels.complementarity.verify import residual


@kernel
def eval_curvature(p, s, out):
    """Write 1/r of every row: the largest sum |G_ij| over j of the rows of its contact.

    Then G - 1/r is negative semidefinite for a symmetric G, and no step overshoots. (T-12.2)
    """
    n = p.n[0]
    for k in range(p.n_sets[0]):
        out[p.start[k]] = 0.0
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += abs(p.G[i, j])
        first = p.start[s.owner[s.set_of[i]]]
        out[first] = max(out[first], total)
    for i in range(n - 1, -1, -1):
        first = p.start[s.owner[s.set_of[i]]]
        out[i] = out[first] if out[first] > 0.0 else 1.0


@kernel
def solve_jacobi(p, s):
    """Solve by projected Jacobi from the first guess p.x; return SOLVED or NOT_SOLVED.

    x <- prox(x - r gamma). Writes p.x, p.gamma, s.residual, s.iterations. (T-12.2)
    """
    n = p.n[0]
    reference = prepare(p, s)
    eval_curvature(p, s, s.y)
    tolerance = s.options[TOLERANCE]
    relaxation = s.options[RELAXATION]
    limit = int(s.options[MAX_SWEEPS])
    project_all(p, p.x)
    done = 0
    for sweep in range(limit):
        eval_gamma(p, p.x, p.gamma)
        eval_natural_map(p, s, p.x, p.gamma, s.F)
        worst = largest_entry(s.F, n)
        if not worst < math.inf or worst <= 0.5 * tolerance * reference:
            break
        for i in range(n):
            p.x[i] -= relaxation * p.gamma[i] / s.y[i]
        project_all(p, p.x)
        done = sweep + 1
    s.iterations[0] = done
    s.residual[0] = residual(p, s.options[V_REF])
    return SOLVED if s.residual[0] <= tolerance else NOT_SOLVED
