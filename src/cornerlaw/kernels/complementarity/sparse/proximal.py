"""Large problems with friction by a sequence of problems with slightly compliant contacts.

A little compliance makes the multipliers functions of the velocity, friction by its own load:

    x(v) = P(x_k - (c + W v) / (eta g)),    M v = W^T x(v),    x_k+1 = x(v)

An equation of the size of the bodies is left, however redundant the contacts are, and its solution
is that of a natural map of the size eta g |x - x_k|. (T-12.32)
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
from cornerlaw.kernels.complementarity.sparse.convex import eval_momentum, eval_speeds
from cornerlaw.kernels.complementarity.sparse.envelope import factor_envelope, solve_envelope
from cornerlaw.kernels.complementarity.sparse.newton import LOAD, assemble
from cornerlaw.kernels.complementarity.sparse.rows import eval_gamma

_STEPS = 30  # of Newton's method in a round
_HALVINGS = 6
_CLIMBS = 2  # steps of a round that may make the defect grow: the equation is full of kinks
SOFTEST = 0.1  # eta of the first round
SOFTER, STIFFER = 2.0, 0.7  # change of eta after a round that failed, and one that did not
ENOUGH = 1e-4  # eta from which rounds go further in their direction before they are stiffer
FURTHEST = 7.0  # lengths of the last change that a round may start ahead
ROUNDING = 1e-15  # defect of the velocity, times eta, below which Newton's method does not get


@kernel
def _write_slope(p, c, k, rate, z):
    """Write the slopes of P at z for set k per -gamma and per load, whose own set is done."""
    begin, end, m = p.start[k], p.start[k] + p.size[k], p.master[k]
    lower, upper = eval_bounds(p, k, z)
    loaded = m >= 0 and z[m] > 0.0
    length = 0.0
    for i in range(begin, end):
        length += z[i] * z[i]
        for j in range(4):
            c.slope[i, j] = 0.0
        c.slope[i, i - begin] = rate
    if p.kind[k] != BALL:
        if z[begin] < lower or z[begin] > upper:
            c.slope[begin, 0] = 0.0
            if loaded:
                c.slope[begin, LOAD] = p.lower_1[k] if z[begin] < lower else p.upper_1[k]
        return
    length = math.sqrt(length)
    if length < upper:
        return
    # a ball without size has no inside
    share = upper / length if upper > 0.0 else 0.0
    length = length if length > 0.0 else 1.0
    for i in range(begin, end):
        e = z[i] / length
        for j in range(begin, end):
            across = (1.0 if i == j else 0.0) - e * (z[j] / length)
            c.slope[i, j - begin] = rate * share * across
        if loaded:
            c.slope[i, LOAD] = e * p.upper_1[k]


@kernel
def _respond(p, c, eta, fraction, slopes):
    """Write x(v) to c.x_trial, loads first, p.gamma + fraction c.along being c + W v."""
    z = c.x_trial
    for a in range(p.n[0]):
        z[a] = p.x[a] - (p.gamma[a] + fraction * c.along[a]) / (eta * c.scale[a])
    for turn in range(2):
        for k in range(p.n_sets[0]):
            if (p.master[k] >= 0) == (turn == 1):
                if slopes:
                    _write_slope(p, c, k, 1.0 / (eta * c.scale[p.start[k]]), z)
                project_set(p, k, z, z)


@kernel
def _eval_defect(m, p, c, fraction):
    """Write W^T x - M (v + fraction d) to c.rhs, with x at c.x_trial and d at c.y.

    Return the largest entry of M^-1 times it, a velocity, and its square in the norm of M^-1.
    """
    size = c.n_local[0]
    for l in range(size):
        c.momentum[l] = c.v[l] + fraction * c.y[l]
    eval_momentum(m, c, c.momentum, c.rhs)
    for l in range(size):
        c.rhs[l] = -c.rhs[l]
    for a in range(p.n[0]):
        x = c.x_trial[a]
        if x != 0.0:
            for y in range(c.start_W[a], c.start_W[a + 1]):
                c.rhs[c.local[c.column_W[y]]] += c.W[y] * x
    groups, worst, merit = m.groups, 0.0, 0.0
    for l in range(size):
        j = c.order[l]
        g, row = groups.of[j], groups.place[j]
        n = groups.start[g + 1] - groups.start[g]
        at, first, total = c.inverse_at[g] + row * n, l - row, 0.0
        for x in range(n):
            total += c.inverse[at + x] * c.rhs[first + x]
        if not abs(total) <= worst:
            worst = abs(total)
        merit += total * c.rhs[l]
    return worst, merit


@kernel
def _search(m, p, c, eta, merit):
    """Return the fraction of the step to take, and whether the defect falls along it.

    Where none of them helps, the whole step is taken: beyond a kink the next one does.
    """
    fraction, best, best_fraction = 1.0, math.inf, 1.0
    for halving in range(_HALVINGS):
        _respond(p, c, eta, fraction, False)
        _, value = _eval_defect(m, p, c, fraction)
        if value < best:
            best, best_fraction = value, fraction
        if value <= (1.0 - 1e-4 * fraction) * merit:
            break
        fraction *= 0.5
    if best <= 0.98 * merit:
        return best_fraction, True
    return 1.0, False


@kernel
def _solve_compliant(m, p, c, eta, tolerance):
    """Find v with the multipliers p.x at rest; tell whether its defect is below the tolerance.

    (M + W^T B W) d = W^T x - M v, B the slopes of x. Writes c.v and the multipliers c.x_trial.
    (T-12.33)
    """
    n, size = p.n[0], c.n_local[0]
    eval_speeds(p, c, c.v, p.gamma)
    for a in range(n):
        p.gamma[a] += p.c[a]
        c.along[a] = 0.0
    climbs = 0
    for step in range(_STEPS + 1):
        _respond(p, c, eta, 0.0, True)
        worst, merit = _eval_defect(m, p, c, 0.0)
        if step > 0 and worst <= tolerance:
            return True
        if step == _STEPS or climbs > _CLIMBS or not worst < math.inf:
            break
        assemble(m, p, c)
        factor_envelope(c, 1e-14)
        for l in range(size):
            c.y[l] = c.rhs[l]
        solve_envelope(c, c.y)
        eval_speeds(p, c, c.y, c.along)
        fraction, falls = _search(m, p, c, eta, merit)
        climbs += 0 if falls else 1
        for l in range(size):
            c.v[l] += fraction * c.y[l]
        for a in range(n):
            p.gamma[a] += fraction * c.along[a]
            c.along[a] = 0.0
    return False


@kernel
def take_step(m, p, c, reference, eta, ahead, size, point):
    """Solve one compliant problem from p.x and c.v; return the size of the natural map at its end.

    The multipliers at rest are those of p.x and `ahead` times the change c.step of the last round:
    along stresses that hardly move anything, rounds would creep. Writes p.x, c.v and c.step; where
    nothing is found they stay, and the size is infinite. `point` holds p.x meanwhile. (T-12.32)
    """
    n, n_local = p.n[0], c.n_local[0]
    for a in range(n):
        point[a] = p.x[a]
        if ahead > 0.0:
            p.x[a] += ahead * c.step[a]
    for l in range(n_local):
        c.b[l] = c.v[l]
    tolerance = reference * max(ROUNDING / eta, 1e-2 * min(size, 1.0))
    found = math.inf
    if _solve_compliant(m, p, c, eta, tolerance):
        for a in range(n):
            p.x[a] = c.x_trial[a]
        eval_gamma(m, p, c, p.x, p.gamma)
        eval_natural_map(p, c, p.x, p.gamma, c.F)
        found = largest_entry(c.F, n) / reference
    if found < 1e2 * size:
        for a in range(n):
            c.step[a] = (p.x[a] - point[a]) / (1.0 + ahead)
        return found
    for a in range(n):
        p.x[a] = point[a]
    for l in range(n_local):
        c.v[l] = c.b[l]
    return math.inf


@kernel
def next_compliance(eta, ahead, found, size):
    """Return eta and the lead of the next round: stiffer or further, after failures less so."""
    if found == math.inf:
        if ahead > 0.0:
            return eta, float(int(0.25 * ahead))
        return min(SOFTER * eta, 1.0), 0.0
    if eta > ENOUGH:
        return STIFFER * eta, 0.0
    if not found < 3.0 * size:
        return eta, 0.0
    if ahead >= FURTHEST:
        return 0.5 * eta, float(int(0.5 * ahead))
    return eta, min(2.0 * ahead + 1.0, FURTHEST)
