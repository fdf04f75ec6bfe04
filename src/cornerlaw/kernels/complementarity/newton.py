"""Semismooth Newton on the natural map of the prox equations, with line search."""

import math

from cornerlaw.arrays.problem import BALL, NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_NEWTON, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.dense import factor_guarded, solve_factored
from cornerlaw.kernels.complementarity.prox import (
    eval_bounds,
    eval_gamma,
    eval_natural_map,
    largest_entry,
    prepare,
)
from cornerlaw.kernels.complementarity.verify import residual

_HALVINGS = 12
_PATIENCE = 6  # steps without a new best value before Newton gives up, a third of all if more


@kernel
def _copy_row(p, s, i, A):
    """Write row i of the Jacobian where the set leaves x_i free: gamma_i = 0."""
    for j in range(p.n[0]):
        A[i, j] = p.G[i, j] / s.scale[j]


@kernel
def _bound_row(p, s, k, i, slope, x, A):
    """Write row i of the Jacobian where x_i stands at a bound with the given slope in its load."""
    for j in range(p.n[0]):
        A[i, j] = 0.0
    A[i, i] = 1.0
    m = p.master[k]
    if m >= 0 and x[m] > 0.0:
        A[i, m] -= slope * s.scale[i] / s.scale[m]


@kernel
def _ball_rows(p, s, k, x, gamma, radius, length, A):
    """Write the rows of a ball whose trial point z lies outside, at distance `length`.

    With e = z / |z| and P = 1 - e e^T: dF = g dx - g e dR - (R / |z|) P (g dx - G dx).
    """
    n = p.n[0]
    begin, end = p.start[k], p.start[k] + p.size[k]
    g = s.scale[begin]
    factor = radius / length
    m = p.master[k]
    for i in range(begin, end):
        e_i = (x[i] - gamma[i] / g) / length
        for j in range(n):
            total = 0.0
            for l in range(begin, end):
                e_l = (x[l] - gamma[l] / g) / length
                P = (1.0 if l == i else 0.0) - e_i * e_l
                total += P * ((g if j == l else 0.0) - p.G[l, j])
            A[i, j] = ((g if j == i else 0.0) - factor * total) / s.scale[j]
        if m >= 0 and x[m] > 0.0:
            A[i, m] -= g * e_i * p.upper_1[k] / s.scale[m]


@kernel
def assemble_jacobian(p, s, x, gamma, A):
    """Write the Jacobian of the natural map in the unknowns g x. (T-12.6) [AlartCurnier1991]"""
    for k in range(p.n_sets[0]):
        lower, upper = eval_bounds(p, k, x)
        begin, end = p.start[k], p.start[k] + p.size[k]
        if p.kind[k] == BALL:
            length = 0.0
            for i in range(begin, end):
                z = x[i] - gamma[i] / s.scale[i]
                length += z * z
            length = math.sqrt(length)
            if length > upper:
                _ball_rows(p, s, k, x, gamma, max(upper, 0.0), length, A)
            else:
                for i in range(begin, end):
                    _copy_row(p, s, i, A)
            continue
        for i in range(begin, end):
            z = x[i] - gamma[i] / s.scale[i]
            if z < lower:
                _bound_row(p, s, k, i, p.lower_1[k], x, A)
            elif z > upper:
                _bound_row(p, s, k, i, p.upper_1[k], x, A)
            else:
                _copy_row(p, s, i, A)


@kernel
def _search(p, s, merit):
    """Halve the step until the merit falls; write the point and its map, return its merit.

    When no fraction helps, the best of them is taken: the map is only piecewise smooth and a
    Newton method that never climbs gets caught at a kink.
    """
    n = p.n[0]
    fraction = 1.0
    best, best_fraction = math.inf, 0.0
    for halving in range(_HALVINGS):
        for i in range(n):
            s.x_trial[i] = p.x[i] + fraction * s.step[i] / s.scale[i]
        eval_gamma(p, s.x_trial, p.gamma)
        value = eval_natural_map(p, s, s.x_trial, p.gamma, s.F_trial)
        if value < best:
            best, best_fraction = value, fraction
        if value <= (1.0 - 1e-4 * fraction) * merit:
            break
        fraction *= 0.5
    if best_fraction != fraction:
        for i in range(n):
            s.x_trial[i] = p.x[i] + best_fraction * s.step[i] / s.scale[i]
        eval_gamma(p, s.x_trial, p.gamma)
        eval_natural_map(p, s, s.x_trial, p.gamma, s.F_trial)
    for i in range(n):
        p.x[i] = s.x_trial[i]
        s.F[i] = s.F_trial[i]
    return best


@kernel
def iterate_newton(p, s, reference, limit, tolerance):
    """Run semismooth Newton from p.x; return the largest entry of the map, over the reference.

    Each step solves (J + eta) d = -F in velocity units; eta follows the residual, so that
    redundant rows get the smallest change that does the job and full speed comes back near the
    solution. Writes p.x (the best point met), p.gamma and s.iterations. (T-12.7)
    """
    n = p.n[0]
    eval_gamma(p, p.x, p.gamma)
    merit = eval_natural_map(p, s, p.x, p.gamma, s.F)
    size = largest_entry(s.F, n) / reference
    best = size
    for i in range(n):
        s.x_best[i] = p.x[i]
    idle = 0
    patience = max(_PATIENCE, limit // 3)
    extra = 0
    s.iterations[0] = 0
    for iteration in range(limit):
        if size <= tolerance:
            # one step beyond the tolerance costs little and usually reaches rounding
            extra += 1
            if extra > 1 or size <= 1e-3 * tolerance:
                break
        if not size < math.inf:
            break
        assemble_jacobian(p, s, p.x, p.gamma, s.A)
        eta = min(1e-4, max(1e-11, 1e-3 * size))
        for i in range(n):
            s.A[i, i] += eta
            s.step[i] = -s.F[i]
        factor_guarded(s.A, n, s.pivot, s.row_end, 1e-14)
        solve_factored(s.A, n, s.pivot, s.row_end, s.step)
        merit = _search(p, s, merit)
        size = largest_entry(s.F, n) / reference
        s.iterations[0] = iteration + 1
        if size < best:
            idle = 0 if size < 0.9 * best else idle + 1
            best = size
            for i in range(n):
                s.x_best[i] = p.x[i]
        else:
            idle += 1
        if idle >= patience:
            break
    for i in range(n):
        p.x[i] = s.x_best[i]
    return best


@kernel
def solve_newton(p, s):
    """Solve by semismooth Newton from the first guess p.x; return SOLVED or NOT_SOLVED.

    Writes p.x, p.gamma, s.residual, s.iterations. (T-12.7)
    """
    reference = prepare(p, s)
    tolerance = s.options[TOLERANCE]
    if reference > 0.0:
        iterate_newton(p, s, reference, int(s.options[MAX_NEWTON]), 0.1 * tolerance)
    s.residual[0] = residual(p, s.options[V_REF])
    return SOLVED if s.residual[0] <= tolerance else NOT_SOLVED
