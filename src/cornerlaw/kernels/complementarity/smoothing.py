"""Corner laws with rounded corners, and the homotopy that sharpens them.

In velocity units X = g x the prox onto an interval is clipping, and clipping is a sum of ramps; the
ramp max(z, 0) is rounded to

    h(z) = (z + sqrt(z^2 + 4 tau^2)) / 2,     x = h(x - v)  <=>  x v = tau^2, x > 0, v > 0

so that unilateral rows follow the central path of interior-point methods. A parameter t leads from
a problem with one solution at t = 1 (much rounding, no friction, contacts pushed apart) to the
problem itself at t = 0: tau and the push fall with t, friction grows with 1 - t. (T-12.15)
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.solver_scratch import PATH_TAU
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import eval_gamma

_COMPLIANCE = 1e-3  # of bilateral rows at t = 1, for redundant ones


@kernel
def _ramp(z, tau):
    """Return h, dh/dz and dh/dtau of the rounded ramp."""
    root = math.sqrt(z * z + 4.0 * tau * tau)
    # the other root of the quadratic, for no digit is lost then
    value = 0.5 * (z + root) if z > 0.0 else 2.0 * tau * tau / (root - z)
    return value, value / root, 2.0 * tau / root


@kernel
def _clip(z, lower, upper, tau):
    """Return the rounded clipping P and its slopes in z, lower, upper, tau."""
    if upper == math.inf:
        h, slope, wide = _ramp(z - lower, tau)
        return lower + h, slope, 1.0 - slope, 0.0, wide
    if lower == -math.inf:
        h, slope, wide = _ramp(upper - z, tau)
        return upper - h, slope, 0.0, 1.0 - slope, -wide
    h_1, slope_1, wide_1 = _ramp(z - lower, tau)
    h_2, slope_2, wide_2 = _ramp(z - upper, tau)
    return lower + h_1 - h_2, slope_1 - slope_2, 1.0 - slope_1, slope_2, wide_1 - wide_2


@kernel
def _shorten(r, radius, tau):
    """Return the rounded length q of a vector of length r clipped to a radius.

    Then q / r and the slopes of q in r, radius, tau.
    """
    h_1, slope_1, wide_1 = _ramp(r + radius, tau)
    h_2, slope_2, wide_2 = _ramp(r - radius, tau)
    slope = slope_1 - slope_2
    # q is odd in r; a quotient of two tiny numbers has no digits
    factor = (h_1 - radius - h_2) / r if r > 1e-6 * (radius + tau) else slope
    return factor, slope, slope_1 - 1.0 + slope_2, wide_1 - wide_2


@kernel
def _bounds(p, s, k, X, t):
    """Return the bounds of set k in velocity units, with friction grown to 1 - t of its value.

    Then the slopes of both in the load X_m.
    """
    g = s.scale[p.start[k]]
    lower, upper = g * p.lower_0[k], g * p.upper_0[k]
    m = p.master[k]
    if m < 0:
        return lower, upper, 0.0, 0.0
    load = max(X[m], 0.0)
    low, high = (1.0 - t) * p.lower_1[k], (1.0 - t) * p.upper_1[k]
    if low != 0.0:
        lower += low * load
    if high != 0.0:
        upper += high * load
    if not X[m] > 0.0:
        low, high = 0.0, 0.0
    return lower, upper, low, high


@kernel
def _push(p, k, push, t):
    """Return the velocity that pushes a one-sided row away from its bound."""
    if p.master[k] >= 0 or p.kind[k] == BALL:
        return 0.0
    if p.lower_0[k] > -math.inf and p.upper_0[k] == math.inf:
        return push * t
    if p.lower_0[k] == -math.inf and p.upper_0[k] < math.inf:
        return -push * t
    return 0.0


@kernel
def eval_smoothed(p, s, X, t, push, F):
    """Write F(X; t), which vanishes on the path, and p.gamma; return its mean square in tau t.

    (T-12.15)
    """
    n = p.n[0]
    for i in range(n):
        s.x_trial[i] = X[i] / s.scale[i]
    eval_gamma(p, s.x_trial, p.gamma)
    total = 0.0
    for k in range(p.n_sets[0]):
        lower, upper, _, _ = _bounds(p, s, k, X, t)
        begin, end = p.start[k], p.start[k] + p.size[k]
        if p.kind[k] == BALL:
            r = 0.0
            for i in range(begin, end):
                r += (X[i] - p.gamma[i]) ** 2
            r = math.sqrt(r)
            factor = _shorten(r, upper, s.path[PATH_TAU, begin] * t)[0]
            for i in range(begin, end):
                F[i] = X[i] - factor * (X[i] - p.gamma[i])
        elif lower == -math.inf and upper == math.inf:
            for i in range(begin, end):
                F[i] = p.gamma[i] + _COMPLIANCE * t * X[i]
        else:
            shift = _push(p, k, push, t)
            for i in range(begin, end):
                tau = s.path[PATH_TAU, i] * t
                F[i] = X[i] - _clip(X[i] - p.gamma[i] - shift, lower, upper, tau)[0]
        for i in range(begin, end):
            total += (F[i] / (s.path[PATH_TAU, i] * t)) ** 2
    return total / n


@kernel
def _write_row(p, s, i, slope, A):
    """Write row i of the Jacobian of X_i - P(X_i - gamma_i) for the slope of P."""
    for j in range(p.n[0]):
        A[i, j] = slope * p.G[i, j] / s.scale[j]
    A[i, i] += 1.0 - slope


@kernel
def _write_ball(p, s, k, X, t, A):
    """Write the rows of a ball and their rate in t. P = q e e^T' + (q / r) (1 - e e^T)."""
    n = p.n[0]
    _, radius, _, high = _bounds(p, s, k, X, t)
    begin, end = p.start[k], p.start[k] + p.size[k]
    tau = s.path[PATH_TAU, begin]
    r = 0.0
    for i in range(begin, end):
        r += (X[i] - p.gamma[i]) ** 2
    r = math.sqrt(r)
    factor, slope, in_radius, in_tau = _shorten(r, radius, tau * t)
    m = p.master[k]
    for i in range(begin, end):
        e_i = (X[i] - p.gamma[i]) / r if r > 0.0 else 0.0
        for j in range(n):
            A[i, j] = 0.0
        for l in range(begin, end):
            e_l = (X[l] - p.gamma[l]) / r if r > 0.0 else 0.0
            part = (slope - factor) * e_i * e_l + (factor if l == i else 0.0)
            for j in range(n):
                A[i, j] += part * p.G[l, j] / s.scale[j]
            A[i, l] -= part
        A[i, i] += 1.0
        A[i, n] = -in_tau * tau * e_i
        if m >= 0:
            A[i, m] -= in_radius * high * e_i
            A[i, n] += in_radius * p.upper_1[k] * max(X[m], 0.0) * e_i


@kernel
def assemble_smoothed(p, s, X, t, push, A):
    """Write the Jacobian of F in X, and in column n its derivative in the length -log t.

    p.gamma must belong to X. (T-12.16)
    """
    n = p.n[0]
    for k in range(p.n_sets[0]):
        begin, end = p.start[k], p.start[k] + p.size[k]
        if p.kind[k] == BALL:
            _write_ball(p, s, k, X, t, A)
            continue
        lower, upper, low, high = _bounds(p, s, k, X, t)
        if lower == -math.inf and upper == math.inf:
            for i in range(begin, end):
                _write_row(p, s, i, 1.0, A)
                A[i, i] += _COMPLIANCE * t
                A[i, n] = _COMPLIANCE * X[i]
            continue
        shift = _push(p, k, push, t)
        m = p.master[k]
        for i in range(begin, end):
            tau = s.path[PATH_TAU, i]
            z = X[i] - p.gamma[i] - shift
            _, slope, in_lower, in_upper, in_tau = _clip(z, lower, upper, tau * t)
            _write_row(p, s, i, slope, A)
            A[i, n] = slope * shift / t - in_tau * tau
            if m >= 0:
                A[i, m] -= in_lower * low + in_upper * high
                load = max(X[m], 0.0)
                A[i, n] += (in_lower * p.lower_1[k] + in_upper * p.upper_1[k]) * load
    for i in range(n):
        A[i, n] *= -t
