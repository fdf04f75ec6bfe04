"""Large problems by a sequence of convex ones in the space of velocities.

With the loads of friction held, all sets are given, and velocities are the minimum of a convex
function; multipliers come in by the proximal point method, so that redundant contacts do no harm:

    v    = argmin 1/2 v^T M v + sum eta g / 2 |P(z)|^2,    z = x - (c + W v) / (eta g)
    x   <- P(z)

The function has one minimum and a positive definite matrix M + W^T B W everywhere: Newton's method
with a search along its direction finds the minimum from any start. (T-12.27)
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import (
    eval_bounds,
    eval_natural_map,
    largest_entry,
    project_set,
)
from cornerlaw.kernels.complementarity.sparse.envelope import factor_symmetric, solve_symmetric
from cornerlaw.kernels.complementarity.sparse.rows import eval_gamma, row_speed
from cornerlaw.kernels.complementarity.sparse.symmetric import assemble_symmetric

_STEPS = 40  # of Newton's method in a round: what is left is left to the next
_PROBES = 30  # of a search along a direction


@kernel
def _project(p, z):
    """Overwrite z with its projection, all bounds at the loads of p.x."""
    for k in range(p.n_sets[0]):
        project_set(p, k, p.x, z)


@kernel
def _write_slopes(p, c, z, eta):
    """Write the slopes of P at z per -gamma: rate, 0, or that of a ball outside of it. (T-12.28)"""
    for k in range(p.n_sets[0]):
        lower, upper = eval_bounds(p, k, p.x)
        begin, end = p.start[k], p.start[k] + p.size[k]
        rate = 1.0 / (eta * c.scale[begin])
        length = 0.0
        for i in range(begin, end):
            length += z[i] * z[i]
            for j in range(3):
                c.slope[i, j] = 0.0
            c.slope[i, i - begin] = rate
        if p.kind[k] != BALL:
            if z[begin] < lower or z[begin] > upper:
                c.slope[begin, 0] = 0.0
            continue
        length = math.sqrt(length)
        if length >= upper:
            # a ball without size has no inside
            rate *= upper / length if upper > 0.0 else 0.0
            length = length if length > 0.0 else 1.0
            for i in range(begin, end):
                for j in range(begin, end):
                    across = (1.0 if i == j else 0.0) - z[i] / length * (z[j] / length)
                    c.slope[i, j - begin] = rate * across


@kernel
def eval_momentum(m, c, v, out):
    """Write M v to `out`, both in the order of elimination."""
    groups = m.groups
    for l in range(c.n_local[0]):
        j = c.order[l]
        g, row = groups.of[j], groups.place[j]
        n = groups.start[g + 1] - groups.start[g]
        at, first, total = c.inverse_at[g] + row * n, l - row, 0.0
        for x in range(n):
            total += c.mass[at + x] * v[first + x]
        out[l] = total


@kernel
def _spread(c, v):
    """Copy a velocity from the order of elimination to c.dv."""
    for l in range(c.n_local[0]):
        c.dv[c.order[l]] = v[l]


@kernel
def eval_speeds(p, c, v, out):
    """Write W v of all rows, v in the order of elimination."""
    _spread(c, v)
    for a in range(p.n[0]):
        out[a] = row_speed(c, a, c.dv)


@kernel
def _eval_trial(p, c, eta, fraction):
    """Write z = x - (c + W (v + fraction d)) / (eta g) to c.x_trial."""
    for a in range(p.n[0]):
        gamma = p.gamma[a] + fraction * c.along[a]
        c.x_trial[a] = p.x[a] - gamma / (eta * c.scale[a])


@kernel
def _eval_slope(p, c, eta, fraction, linear, quadratic):
    """Return the derivative of the function along the direction, which grows with the fraction."""
    _eval_trial(p, c, eta, fraction)
    _project(p, c.x_trial)
    total = linear + fraction * quadratic
    for a in range(p.n[0]):
        total -= c.x_trial[a] * c.along[a]
    return total


@kernel
def _search(p, c, eta, linear, quadratic):
    """Return the fraction of the step at which the derivative has nearly vanished."""
    low, at_low = 0.0, _eval_slope(p, c, eta, 0.0, linear, quadratic)
    enough = 0.1 * abs(at_low)
    high, at_high = 1.0, _eval_slope(p, c, eta, 1.0, linear, quadratic)
    if abs(at_high) <= enough:
        return 1.0
    while at_high < 0.0 and high < 64.0:
        low, at_low = high, at_high
        high *= 2.0
        at_high = _eval_slope(p, c, eta, high, linear, quadratic)
    fraction = high
    for probe in range(_PROBES):
        if not at_high > 0.0 or not at_low < 0.0:
            break
        width = high - low
        fraction = low - width * at_low / (at_high - at_low)
        # away from the ends, so that the interval shrinks at either side
        fraction = min(max(fraction, low + 0.1 * width), high - 0.1 * width)
        value = _eval_slope(p, c, eta, fraction, linear, quadratic)
        if abs(value) <= enough:
            break
        if value < 0.0:
            low, at_low = fraction, value
        else:
            high, at_high = fraction, value
    return fraction


@kernel
def _eval_gradient(m, p, c):
    """Write W^T x - M v, with x at c.x_trial, to c.rhs; return the largest entry of M^-1 of it."""
    eval_momentum(m, c, c.v, c.rhs)
    for l in range(c.n_local[0]):
        c.rhs[l] = -c.rhs[l]
    for a in range(p.n[0]):
        x = c.x_trial[a]
        if x != 0.0:
            for y in range(c.start_W[a], c.start_W[a + 1]):
                c.rhs[c.local[c.column_W[y]]] += c.W[y] * x
    groups, worst = m.groups, 0.0
    for l in range(c.n_local[0]):
        j = c.order[l]
        g, row = groups.of[j], groups.place[j]
        n = groups.start[g + 1] - groups.start[g]
        at, first, total = c.inverse_at[g] + row * n, l - row, 0.0
        for x in range(n):
            total += c.inverse[at + x] * c.rhs[first + x]
        worst = max(worst, abs(total))
    return worst


@kernel
def _minimise(m, p, c, eta, tolerance):
    """Find v for the multipliers p.x; leaves the new ones in c.x_trial. (T-12.28)"""
    n, size = p.n[0], c.n_local[0]
    eval_speeds(p, c, c.v, p.gamma)
    for a in range(n):
        p.gamma[a] += p.c[a]
        c.along[a] = 0.0
    for step in range(_STEPS):
        _eval_trial(p, c, eta, 0.0)
        _write_slopes(p, c, c.x_trial, eta)
        _project(p, c.x_trial)
        # one step at least, or multipliers would run after velocities that stay
        if not _eval_gradient(m, p, c) > (tolerance if step > 0 else 0.0):
            return
        assemble_symmetric(m, p, c)
        factor_symmetric(c, 1e-14)
        solve_symmetric(c, c.rhs)
        eval_speeds(p, c, c.rhs, c.along)
        eval_momentum(m, c, c.rhs, c.momentum)
        linear = quadratic = 0.0
        for l in range(size):
            linear += c.v[l] * c.momentum[l]
            quadratic += c.rhs[l] * c.momentum[l]
        fraction = _search(p, c, eta, linear, quadratic)
        for l in range(size):
            c.v[l] += fraction * c.rhs[l]
        for a in range(n):
            p.gamma[a] += fraction * c.along[a]
    _eval_trial(p, c, eta, 0.0)
    _project(p, c.x_trial)


@kernel
def start_rounds(m, p, c):
    """Begin with the velocities that p.x makes."""
    eval_gamma(m, p, c, p.x, p.gamma)
    for l in range(c.n_local[0]):
        c.v[l] = c.dv[c.order[l]]


@kernel
def take_round(m, p, c, reference, eta, size):
    """Solve one convex problem with the loads of p.x, nearly; return the size of the natural map.

    `size` is that of the round before: a rough answer is enough where loads are rough, and the next
    round goes on from its velocities. Writes p.x and p.gamma; needs contacts, order and masses.
    (T-12.27)
    """
    _minimise(m, p, c, eta, reference * min(1e-2, max(1e-13, 1e-2 * size)))
    for a in range(p.n[0]):
        p.x[a] = c.x_trial[a]
    eval_gamma(m, p, c, p.x, p.gamma)
    eval_natural_map(p, c, p.x, p.gamma, c.F)
    return largest_entry(c.F, p.n[0]) / reference
