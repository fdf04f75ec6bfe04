"""Large problems with friction along a path of rounded laws, from soft corners to sharp ones.

Load x, speed w >= 0 beside the velocity gamma_N, and friction x_T with the radius R = mu x obey

    g x w = tau,    R gamma_T + s x_T = 0,    s (s - tau / (g R)) = |gamma_T|^2

instead of their corners. The speed s is never zero, so that friction has a slope wherever it
stands, and with tau going to zero the laws become the corners. (T-12.34) [Chan1999]
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import eval_natural_map, largest_entry
from cornerlaw.kernels.complementarity.sparse.envelope import factor_envelope, solve_envelope
from cornerlaw.kernels.complementarity.sparse.newton import (
    LOAD,
    assemble,
    write_push,
    write_step,
)
from cornerlaw.kernels.complementarity.sparse.rows import eval_gamma, row_speed

STIFFEST = 1e-9  # compliance of the linear problem: below it free velocities lose their digits
SHARES = (0.1, 0.4, 0.8, 1.0)  # of tau that steps aim at after the best guess
GOOD = 0.5  # of a step: no other share is tried
NARROW, WIDE, TURNED = 0.05, 10.0, 1e3  # how far off the path a point may be, in tau
_HALVINGS = 12
_PATIENCE = 15  # steps in which the map does not fall by a tenth: the path has come to its end
SHARPEST = 1e-14  # tau over the square of the reference velocity, where rounding is larger


@kernel
def has_coulomb_only(p):
    """Tell whether all sets are [0, inf) or discs of friction with a load."""
    for k in range(p.n_sets[0]):
        if p.lower_0[k] != 0.0 and p.kind[k] != BALL:
            return False
        if p.master[k] < 0:
            if p.kind[k] == BALL or p.size[k] != 1 or p.upper_0[k] < math.inf:
                return False
        elif p.upper_0[k] != 0.0:
            return False
        elif p.kind[k] != BALL and (p.size[k] != 1 or p.lower_1[k] != -p.upper_1[k]):
            return False
    return True


@kernel
def _sliding(squares, load, tau):
    """Return t = tau / (g R), the speed s and 2 s - t for |gamma_T|^2 and the load g R."""
    t = tau / load
    q = math.sqrt(t * t + 4.0 * squares)
    return t, 0.5 * (t + q), q


@kernel
def _squares(p, k, gamma, along, fraction):
    """Return |gamma + fraction along|^2 of the rows of set k."""
    total = 0.0
    for i in range(p.start[k], p.start[k] + p.size[k]):
        total += (gamma[i] + fraction * along[i]) ** 2
    return total


@kernel
def _begin(m, p, c, reference):
    """Write loads that make the reference velocity, no friction, and slacks to c.F; return tau."""
    for k in range(p.n_sets[0]):
        for i in range(p.start[k], p.start[k] + p.size[k]):
            p.x[i] = 0.3 * reference / c.scale[i] if p.master[k] < 0 else 0.0
            c.along[i] = 0.0
    eval_gamma(m, p, c, p.x, p.gamma)
    total, count = 0.0, 0
    for k in range(p.n_sets[0]):
        if p.master[k] < 0:
            i = p.start[k]
            c.F[i] = max(p.gamma[i], 0.1 * reference)
            total += c.scale[i] * p.x[i] * c.F[i]
            count += 1
    return total / count


@kernel
def _write_slopes(p, c, tau):
    """Write B and l of dx = a - B dgamma + l dx_m at the point. (T-12.35)"""
    for k in range(p.n_sets[0]):
        begin, end, m = p.start[k], p.start[k] + p.size[k], p.master[k]
        for i in range(begin, end):
            for j in range(4):
                c.slope[i, j] = 0.0
        g = c.scale[begin]
        if m < 0:
            c.slope[begin, 0] = p.x[begin] / (c.F[begin] + STIFFEST * g * p.x[begin])
            continue
        mu = p.upper_1[k]
        radius = mu * p.x[m]
        if not radius > 0.0:
            continue
        t, s, q = _sliding(_squares(p, k, p.gamma, c.along, 0.0), g * radius, tau)
        stiff = s + STIFFEST * g * radius
        for i in range(begin, end):
            for j in range(begin, end):
                own = radius if i == j else 0.0
                c.slope[i, j - begin] = (own + 2.0 * p.x[i] * p.gamma[j] / q) / stiff
            c.slope[i, LOAD] = -(mu * p.gamma[i] - p.x[i] * mu * s * t / (radius * q)) / stiff


@kernel
def _write_parts(p, c, tau, share, weight):
    """Write a of dx = a - B dgamma + l dx_m for a step that aims at share tau. (T-12.35)

    The curvature of the path, c.x_trial, counts with a weight.
    """
    for k in range(p.n_sets[0]):
        begin, end, m = p.start[k], p.start[k] + p.size[k], p.master[k]
        g = c.scale[begin]
        if m < 0:
            x, slack = p.x[begin], c.F[begin]
            push = share * tau / g - x * slack + x * (slack - p.gamma[begin])
            push -= weight * c.x_trial[begin]
            c.part[begin] = push / (slack + STIFFEST * g * x)
            continue
        radius = p.upper_1[k] * p.x[m]
        t, s, q = 0.0, 1.0, 1.0
        if radius > 0.0:
            t, s, q = _sliding(_squares(p, k, p.gamma, c.along, 0.0), g * radius, tau)
        for i in range(begin, end):
            push = radius * p.gamma[i] + s * p.x[i] + p.x[i] * s * (share - 1.0) * t / q
            push += weight * c.x_trial[i]
            c.part[i] = -push / (s + STIFFEST * g * radius)


@kernel
def _write_direction(p, c, tau, share, weight):
    """Write the step c.step of all rows and c.along = W dv, with the factors at hand."""
    for i in range(p.n[0]):
        c.along[i] = 0.0
    _write_parts(p, c, tau, share, weight)
    write_push(p, c)
    solve_envelope(c, c.rhs)
    write_step(p, c)
    for i in range(p.n[0]):
        c.along[i] = row_speed(c, i, c.dv)


@kernel
def _write_curvature(p, c, tau):
    """Write what a step to tau = 0 leaves out, products of changes, to c.x_trial. [Mehrotra1992]"""
    for k in range(p.n_sets[0]):
        begin, end, m = p.start[k], p.start[k] + p.size[k], p.master[k]
        if m < 0:
            way = p.gamma[begin] + c.along[begin] - c.F[begin]
            c.x_trial[begin] = c.step[begin] * way
            continue
        mu = p.upper_1[k]
        radius = mu * p.x[m]
        change, t = 0.0, 0.0
        if radius > 0.0:
            squares = _squares(p, k, p.gamma, c.along, 0.0)
            t, s, q = _sliding(squares, c.scale[begin] * radius, tau)
            for i in range(begin, end):
                change += 2.0 * p.gamma[i] * c.along[i]
            change = (change - s * t * (1.0 + c.step[m] / p.x[m])) / q
        for i in range(begin, end):
            c.x_trial[i] = mu * c.step[m] * c.along[i] + change * c.step[i]


@kernel
def _way_to_cone(p, c, k):
    """Return the fraction of the step at which the friction of set k reaches its bound."""
    m, mu = p.master[k], p.upper_1[k]
    radius, change = mu * p.x[m], mu * c.step[m]
    a, b, d = change * change, radius * change, radius * radius
    for i in range(p.start[k], p.start[k] + p.size[k]):
        a -= c.step[i] * c.step[i]
        b -= p.x[i] * c.step[i]
        d -= p.x[i] * p.x[i]
    # smallest positive root of a f^2 + 2 b f + d
    root = b * b - a * d
    if root < 0.0:
        return math.inf
    q = -(b + math.copysign(math.sqrt(root), b))
    least = math.inf
    if a != 0.0 and q / a > 0.0:
        least = q / a
    if q != 0.0 and d / q > 0.0:
        least = min(least, d / q)
    return least


@kernel
def _longest(p, c):
    """Return how much of the step keeps loads, slacks and friction inside."""
    most = math.inf
    for k in range(p.n_sets[0]):
        i = p.start[k]
        if p.master[k] >= 0:
            if p.upper_1[k] > 0.0:
                most = min(most, _way_to_cone(p, c, k))
            continue
        if c.step[i] < 0.0:
            most = min(most, -p.x[i] / c.step[i])
        # slacks become the velocities that they are to be
        way = p.gamma[i] + c.along[i] - c.F[i]
        if way < 0.0:
            most = min(most, -c.F[i] / way)
    return 1.0 if most > 1.0 else 0.98 * most


@kernel
def _distance(p, c, tau, fraction):
    """Return how far off the path a fraction of the step ends, over what is allowed."""
    worst = 0.0
    for k in range(p.n_sets[0]):
        begin, end, m = p.start[k], p.start[k] + p.size[k], p.master[k]
        g = c.scale[begin]
        if m < 0:
            way = p.gamma[begin] + c.along[begin] - c.F[begin]
            x, slack = p.x[begin] + fraction * c.step[begin], c.F[begin] + fraction * way
            product = g * x * slack / tau
            worst = max(worst, product / WIDE, NARROW / product if product > 0.0 else math.inf)
            continue
        radius = p.upper_1[k] * (p.x[m] + fraction * c.step[m])
        if not radius > 0.0:
            continue
        squares = _squares(p, k, p.gamma, c.along, fraction)
        _, s, _ = _sliding(squares, g * radius, tau)
        total = 0.0
        for i in range(begin, end):
            gamma, x = p.gamma[i] + fraction * c.along[i], p.x[i] + fraction * c.step[i]
            total += (radius * gamma + s * x) ** 2
        worst = max(worst, g * math.sqrt(total) / (TURNED * tau))
    return worst


@kernel
def _search(p, c, tau, share, now):
    """Return the fraction of the step that stays near the path, and how near."""
    fraction, found = _longest(p, c), math.inf
    for halving in range(_HALVINGS):
        found = _distance(p, c, tau * (1.0 - fraction * (1.0 - share)), fraction)
        if found <= max(1.0, 0.5 * now):
            return fraction, found
        fraction *= 0.6
    return 0.0, found


@kernel
def _take(p, c, fraction):
    """Move loads, friction and slacks by a fraction of the step."""
    for k in range(p.n_sets[0]):
        if p.master[k] < 0:
            i = p.start[k]
            c.F[i] += fraction * (p.gamma[i] + c.along[i] - c.F[i])
    for i in range(p.n[0]):
        p.x[i] += fraction * c.step[i]


@kernel
def _advance(p, c, tau):
    """Step to the smallest tau, the matrix being factored; return tau and whether it moved."""
    for i in range(p.n[0]):
        c.along[i] = 0.0
    now = _distance(p, c, tau, 0.0)
    _write_direction(p, c, tau, 0.0, 0.0)
    _write_curvature(p, c, tau)
    ahead = min(1.0, _longest(p, c) / 0.98)
    least, chosen, fraction, weight = math.inf, 1.0, 0.0, 0.0
    share, bend = 1.0, 0.0
    for n in range(len(SHARES) + 1):
        share, bend = max(1e-3, (1.0 - ahead) ** 2), ahead * ahead
        if n > 0:
            share, bend = SHARES[n - 1], 0.0
        _write_direction(p, c, tau, share, bend)
        part, found = _search(p, c, tau, share, now)
        rest = 1.0 - part * (1.0 - share)
        if found > 1.0:
            # back to the path first
            rest += found
        if part > 0.0 and rest < least:
            least, chosen, fraction, weight = rest, share, part, bend
        if part > GOOD and found <= 1.0:
            break
    if chosen != share or weight != bend:
        _write_direction(p, c, tau, chosen, weight)
    _take(p, c, fraction)
    return tau * (1.0 - fraction * (1.0 - chosen)), fraction > 0.0


@kernel
def follow_path(m, p, c, reference, limit):
    """Follow the path of rounded laws from soft corners on; return the smallest natural map.

    Ends where the map does not fall by a tenth in _PATIENCE steps. Writes p.x, the point with the
    smallest map, over the reference. Needs contacts, order and masses; the
    problem has loads and friction alone. (T-12.34)
    """
    n = p.n[0]
    tau, best = _begin(m, p, c, reference), math.inf
    idle, known = 0, math.inf
    for step in range(limit):
        eval_gamma(m, p, c, p.x, p.gamma)
        eval_natural_map(p, c, p.x, p.gamma, c.F_trial)
        size = largest_entry(c.F_trial, n) / reference
        if size < best:
            best = size
            for i in range(n):
                c.x_best[i] = p.x[i]
        idle += 1
        if size < 0.9 * known:
            idle, known = 0, size
        if not size < math.inf or idle > _PATIENCE or not tau > SHARPEST * reference * reference:
            break
        for i in range(n):
            c.along[i] = 0.0
        _write_slopes(p, c, tau)
        assemble(m, p, c)
        factor_envelope(c, 1e-14)
        tau, moved = _advance(p, c, tau)
        if not moved:
            break
    for i in range(n):
        p.x[i] = c.x_best[i]
    return best
