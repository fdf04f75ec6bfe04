"""Smoothing Newton on Fischer-Burmeister functions of friction cones.

A contact with friction is written in its cone: with a = (x_N, x_T / mu), b = (gamma_N + s, mu
gamma_T) and s = mu |gamma_T| [DeSaxce1998] the law is a in L, b in L, a b = 0 with the cone
L = {|a_T| <= a_N}, and

    phi(a, b) = a + b - (a^2 + b^2 + 2 tau^2 e)^(1/2)

in the algebra of L vanishes where a b = tau^2 e: its zeros for tau -> 0 are the central path of a
convex problem as long as s is held. One path is followed for each s; s is then taken anew.
[FukushimaLuoTseng2001]
"""

import math

from cornerlaw.arrays.problem import BALL, INTERVAL, NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_NEWTON, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.dense import factor_guarded, solve_factored
from cornerlaw.kernels.complementarity.newton import iterate_newton
from cornerlaw.kernels.complementarity.prox import eval_bounds, eval_gamma, prepare
from cornerlaw.kernels.complementarity.verify import residual

_PATHS = 12  # values of s tried
_END = 1e-8  # of the largest velocity: where the path ends and Newton steps take over
_SHORT_STEPS = 5  # that a path survives
_HALVINGS = 10


@kernel
def _cone_of(p, s, k):
    """Return the only friction set of a unilateral set k if both make a cone, else -1."""
    if p.kind[k] != INTERVAL or p.size[k] != 1:
        return -1
    if p.lower_0[k] != 0.0 or p.upper_0[k] != math.inf:
        return -1
    f = s.tied[k]
    if f < 0 or s.next_tied[f] >= 0 or p.upper_0[f] != 0.0 or not p.upper_1[f] > 1e-9:
        return -1
    if p.kind[f] == BALL:
        return f
    is_symmetric = p.lower_0[f] == 0.0 and p.lower_1[f] == -p.upper_1[f]
    return f if p.size[f] == 1 and is_symmetric else -1


@kernel
def _scale_rows(p, s):
    """Write the weights x = weight y that make the scaled G one of unit diagonal, and the cones.

    s.cone: per set the friction set of its cone, -1 none, -2 if it is itself one. Rows without
    a cone keep their weights 1 / sqrt(g).
    """
    for i in range(p.n[0]):
        s.weight[i] = 1.0 / math.sqrt(s.scale[i])
    for k in range(p.n_sets[0]):
        s.cone[k] = -1
    for k in range(p.n_sets[0]):
        if s.owner[k] == k:
            f = _cone_of(p, s, k)
            s.cone[k] = f
            if f >= 0:
                s.cone[f] = -2
                for i in range(p.start[f], p.start[f] + p.size[f]):
                    s.weight[i] *= p.upper_1[f]


@kernel
def _eval_phi(a0, a1, a2, a3, b0, b1, b2, b3, tau, out):
    """Write phi(a, b) into out[0] and the root w into out[1]; return the determinant of w."""
    v0 = a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3 + b0 * b0 + b1 * b1 + b2 * b2 + b3 * b3
    v0 += 2.0 * tau * tau
    v1 = 2.0 * (a0 * a1 + b0 * b1)
    v2 = 2.0 * (a0 * a2 + b0 * b2)
    v3 = 2.0 * (a0 * a3 + b0 * b3)
    length = math.sqrt(v1 * v1 + v2 * v2 + v3 * v3)
    # the smaller eigenvalue cannot fall below 2 tau^2, whatever rounding says
    low = math.sqrt(max(v0 - length, 2.0 * tau * tau))
    high = math.sqrt(v0 + length)
    w0 = 0.5 * (low + high)
    part = 0.5 * (high - low) / length if length > 0.0 else 0.0
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = w0, part * v1, part * v2, part * v3
    out[0, 0] = a0 + b0 - w0
    out[0, 1] = a1 + b1 - out[1, 1]
    out[0, 2] = a2 + b2 - out[1, 2]
    out[0, 3] = a3 + b3 - out[1, 3]
    return low * high


@kernel
def _load_cone(p, s, k, y):
    """Write a, b of the cone of set k into s.local[2], s.local[3]."""
    f = s.cone[k]
    n = p.start[k]
    for j in range(4):
        s.local[2, j] = 0.0
        s.local[3, j] = 0.0
    s.local[2, 0] = y[n]
    s.local[3, 0] = s.weight[n] * (p.gamma[n] + s.shift[n])
    for j in range(p.size[f]):
        i = p.start[f] + j
        s.local[2, 1 + j] = y[i]
        s.local[3, 1 + j] = s.weight[i] * p.gamma[i]


@kernel
def _cone_phi(s, tau):
    a, b = s.local[2], s.local[3]
    return _eval_phi(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], tau, s.local)


@kernel
def _smooth_row(p, s, k, i, y, tau):
    """Return F_i of a row outside cones: gamma = 0, or phi against one or both bounds."""
    lower, upper = eval_bounds(p, k, s.x_trial)
    if p.kind[k] == BALL:
        # a box around the ball is near enough for a point that Newton starts from
        lower = -upper
    a, b = y[i], s.weight[i] * p.gamma[i]
    if lower == -math.inf and upper == math.inf:
        return b
    if lower > -math.inf and upper == math.inf:
        a -= lower / s.weight[i]
        return a + b - math.sqrt(a * a + b * b + 2.0 * tau * tau)
    # prox row, smoothed by nothing: bounded multipliers cause no trouble
    return a - max(lower / s.weight[i], min(upper / s.weight[i], a - b))


@kernel
def _eval_map(p, s, y, tau, F):
    """Write F at y; return its sum of squares. Writes p.gamma and s.x_trial as well."""
    n = p.n[0]
    for i in range(n):
        s.x_trial[i] = s.weight[i] * y[i]
    eval_gamma(p, s.x_trial, p.gamma)
    for k in range(p.n_sets[0]):
        if s.cone[k] == -2:
            continue
        if s.cone[k] >= 0:
            _load_cone(p, s, k, y)
            _cone_phi(s, tau)
            F[p.start[k]] = s.local[0, 0]
            f = s.cone[k]
            for j in range(p.size[f]):
                F[p.start[f] + j] = s.local[0, 1 + j]
            continue
        for i in range(p.start[k], p.start[k] + p.size[k]):
            F[i] = _smooth_row(p, s, k, i, y, tau)
    total = 0.0
    for i in range(n):
        total += F[i] * F[i]
    return total


@kernel
def _write_row(p, s, i, slope_a, slope_b):
    """Write row i of the Jacobian: slope_a e_i + slope_b (scaled row of G)."""
    for j in range(p.n[0]):
        s.A[i, j] = slope_b * s.weight[i] * p.G[i, j] * s.weight[j]
    s.A[i, i] += slope_a


@kernel
def _write_plain_rows(p, s, k, y, tau):
    """Write the Jacobian of the rows of a set outside cones."""
    lower, upper = eval_bounds(p, k, s.x_trial)
    if p.kind[k] == BALL:
        lower = -upper
    for i in range(p.start[k], p.start[k] + p.size[k]):
        a, b = y[i], s.weight[i] * p.gamma[i]
        if lower == -math.inf and upper == math.inf:
            _write_row(p, s, i, 0.0, 1.0)
        elif lower > -math.inf and upper == math.inf:
            a -= lower / s.weight[i]
            root = math.sqrt(a * a + b * b + 2.0 * tau * tau)
            _write_row(p, s, i, 1.0 - a / root, 1.0 - b / root)
        elif a - b <= lower / s.weight[i] or a - b >= upper / s.weight[i]:
            _write_row(p, s, i, 1.0, 0.0)
        else:
            _write_row(p, s, i, 0.0, 1.0)


@kernel
def _cone_row(p, s, k, j):
    return p.start[k] if j == 0 else p.start[s.cone[k]] + j - 1


@kernel
def _slopes(s, source, det, out):
    """Write out = 1 - L_w^-1 L_v of a cone, v = s.local[source], L the arrow matrix of a vector."""
    w, v = s.local[1], s.local[source]
    for j in range(4):
        # column j of L_v
        for i in range(4):
            s.local[4, i] = v[0] if i == j else 0.0
        if j == 0:
            for i in range(1, 4):
                s.local[4, i] = v[i]
        else:
            s.local[4, 0] = v[j]
        inner = 0.0
        for i in range(1, 4):
            inner += w[i] * s.local[4, i]
        top = (w[0] * s.local[4, 0] - inner) / det
        out[0, j] = -top
        for i in range(1, 4):
            out[i, j] = -(s.local[4, i] - w[i] * top) / w[0]
        out[j, j] += 1.0


@kernel
def _write_cone_rows(p, s, k, y, tau):
    """Write the Jacobian of a cone: D_a + D_b (scaled rows of G)."""
    n = p.n[0]
    _load_cone(p, s, k, y)
    det = _cone_phi(s, tau)
    _slopes(s, 2, det, s.slope_a)
    _slopes(s, 3, det, s.slope_b)
    size = 1 + p.size[s.cone[k]]
    for r in range(size):
        i = _cone_row(p, s, k, r)
        for j in range(n):
            s.A[i, j] = 0.0
        for q in range(size):
            l = _cone_row(p, s, k, q)
            factor = s.slope_b[r, q] * s.weight[l]
            for j in range(n):
                s.A[i, j] += factor * p.G[l, j] * s.weight[j]
            s.A[i, l] += s.slope_a[r, q]


@kernel
def _step(p, s, tau):
    """Write the Newton step at s.y into s.step."""
    n = p.n[0]
    for k in range(p.n_sets[0]):
        if s.cone[k] >= 0:
            _write_cone_rows(p, s, k, s.y, tau)
        elif s.cone[k] == -1:
            _write_plain_rows(p, s, k, s.y, tau)
    for i in range(n):
        s.A[i, i] += 1e-12
        s.step[i] = -s.F[i]
    factor_guarded(s.A, n, s.pivot, s.row_end, 1e-15)
    solve_factored(s.A, n, s.pivot, s.row_end, s.step)


@kernel
def _advance(p, s, tau, merit):
    """Take the Newton step, halved until the merit falls; return merit and fraction."""
    n = p.n[0]
    fraction = 1.0
    value = math.inf
    for halving in range(_HALVINGS):
        for i in range(n):
            s.x_old[i] = s.y[i] + fraction * s.step[i]
        value = _eval_map(p, s, s.x_old, tau, s.F)
        if value <= (1.0 - 1e-3 * fraction) * merit:
            break
        fraction *= 0.5
    for i in range(n):
        s.y[i] = s.x_old[i]
    return value, fraction


@kernel
def follow_path(p, s, limit):
    """Follow the central path of the convex problem with s.shift held, to its end; write p.x.

    Returns the Newton steps taken. Every step starts from the last point with a smaller tau as
    soon as the map is as small as tau. (T-12.9)
    """
    n = p.n[0]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(s.weight[i] * (p.c[i] + s.shift[i])))
    for i in range(n):
        s.y[i] = 0.0
    for k in range(p.n_sets[0]):
        if s.owner[k] == k:
            lower, upper = p.lower_0[k], p.upper_0[k]
            if lower == 0.0 and upper == math.inf:
                s.y[p.start[k]] = largest
    tau = largest
    merit = _eval_map(p, s, s.y, tau, s.F)
    done, short = 0, 0
    for iteration in range(limit):
        _step(p, s, tau)
        merit, fraction = _advance(p, s, tau, merit)
        done = iteration + 1
        if not merit < math.inf:
            break
        if merit <= n * tau * tau:
            if tau <= _END * largest:
                break
            tau *= 0.05 if fraction == 1.0 else 0.3
            merit = _eval_map(p, s, s.y, tau, s.F)
        elif fraction < 1e-2:
            short += 1
            if short > _SHORT_STEPS:
                break
    for i in range(n):
        p.x[i] = s.weight[i] * s.y[i]
    return done


@kernel
def start_path(p, s):
    """Find cones and weights for `follow_path`, with no sliding assumed."""
    _scale_rows(p, s)
    for i in range(p.n[0]):
        s.shift[i] = 0.0


@kernel
def renew_shift(p, s, part):
    """Move s by a part of the way to mu |gamma_T| for all cones."""
    for k in range(p.n_sets[0]):
        if s.cone[k] >= 0:
            f = s.cone[k]
            total = 0.0
            for i in range(p.start[f], p.start[f] + p.size[f]):
                total += p.gamma[i] * p.gamma[i]
            i = p.start[k]
            s.shift[i] += part * (p.upper_1[f] * math.sqrt(total) - s.shift[i])


@kernel
def next_path(p, s, path, limit):
    """Follow one path, then take s anew from its end; return the Newton steps taken.

    Where s does not settle in a few paths it is moved half the way only: with strong friction
    the full step may jump to and fro.
    """
    done = follow_path(p, s, limit)
    eval_gamma(p, p.x, p.gamma)
    renew_shift(p, s, 1.0 if path < 3 else 0.5)
    return done


@kernel
def solve_fischer_burmeister(p, s):
    """Solve by paths of convex problems and Newton steps from their ends.

    Writes p.x, p.gamma, s.residual, s.iterations; returns SOLVED or NOT_SOLVED. (T-12.9)
    """
    reference = prepare(p, s)
    tolerance = s.options[TOLERANCE]
    start_path(p, s)
    s.residual[0] = math.inf
    done = 0
    for path in range(_PATHS):
        done += next_path(p, s, path, 2 * int(s.options[MAX_NEWTON]))
        iterate_newton(p, s, reference, 20, 0.1 * tolerance)
        done += s.iterations[0]
        s.residual[0] = residual(p, s.options[V_REF])
        if s.residual[0] <= tolerance:
            s.iterations[0] = done
            return SOLVED
    s.iterations[0] = done
    return NOT_SOLVED
