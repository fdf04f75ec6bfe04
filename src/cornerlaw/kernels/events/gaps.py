"""The closing of a gap between two samples of a step.

Between two samples a gap is a cubic in Hermite form, since its rate is known as well. A contour
with ends, or with one face, can be out of sight at one of them: the gap is infinite there. What is
in sight in between is then looked at piece by piece. (T-15.11) (T-15.18)
"""

import math

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.rows import is_in_plane
from cornerlaw.kernels.events.indicators import NORMAL, RATE
from cornerlaw.kernels.integrators.control import EPS
from cornerlaw.kernels.integrators.layout import EVAL_AT
from cornerlaw.kernels.late import call

NOWHERE = 1e299  # gaps above are those of contours that have no candidate
CLOSE_LOOKS = 10  # halvings in search of the time at which a candidate vanishes


@kernel
def locate(r, c, side, a, b, level):
    """Return a status and the time just behind the fall of an indicator below its level in (a, b).

    At a it is not below the level, at b it is. Regula falsi with bisection as safeguard.
    """
    k = r.w.k
    f_a = f_b = math.nan
    for n in range(200):
        if b - a <= 4.0 * EPS * max(abs(a), abs(b)):
            break
        t = 0.5 * (a + b)
        # two steps of interpolation (with Illinois' halving), then one of bisection
        if n % 3 != 2 and f_a == f_a and f_b == f_b and f_a != f_b:
            t = b - f_b * (b - a) / (f_b - f_a)
            edge = 0.01 * EPS * max(abs(a), abs(b))
            if not (a + edge < t < b - edge):
                t = 0.5 * (a + b)
        code = call(r.s.address[EVAL_AT], r, t)
        if code != OK:
            return code, b
        f = k.indicator[c, side] - level
        if f < 0.0:
            b, f_b = t, f
            if f_a == f_a:
                f_a *= 0.5 if n % 3 == 1 else 1.0
        else:
            a, f_a = t, f
            if f == 0.0:
                b = t
                break
    return OK, b


@kernel
def _lowest_cubic(g_a, g_b, v_a, v_b, h):
    """Return where in (0, 1) the Hermite cubic has a minimum, or -1."""
    # derivative of the cubic over theta: c1 + 2 c2 theta + 3 c3 theta^2
    c1 = h * v_a
    c2 = 3.0 * (g_b - g_a) - h * (2.0 * v_a + v_b)
    c3 = h * (v_a + v_b) - 2.0 * (g_b - g_a)
    if abs(c3) < 1e-14 * (abs(c2) + abs(c1)):
        return -0.5 * c1 / c2 if c2 > 0.0 else -1.0
    root = c2 * c2 - 3.0 * c3 * c1
    if root <= 0.0:
        return -1.0
    # the zero where the second derivative is positive, in a form without cancellation
    root = math.sqrt(root)
    if c2 > 0.0:
        return -c1 / (c2 + root)
    return (root - c2) / (3.0 * c3)


@kernel
def _highest_cubic(g_a, g_b, v_a, v_b, h):
    """Return where in (0, 1) the Hermite cubic has a maximum, or -1."""
    return _lowest_cubic(-g_a, -g_b, -v_a, -v_b, h)


@kernel
def _bend_of_cubic(g_a, g_b, v_a, v_b, h):
    """Return where in (0, 1) the Hermite cubic has its inflection, or -1, and its rate there."""
    c1 = h * v_a
    c2 = 3.0 * (g_b - g_a) - h * (2.0 * v_a + v_b)
    c3 = h * (v_a + v_b) - 2.0 * (g_b - g_a)
    if not abs(3.0 * c3) > abs(c2) or c2 * c3 >= 0.0:
        return -1.0, 0.0
    theta = -c2 / (3.0 * c3)
    return theta, (c1 + c2 * theta) / h


@kernel
def _find_open(r, c, t_a, start, v_a):
    """Walk back from `start` to t_a until the gap is open.

    Returns a status, a time at which it is open (inf if none is found) and the last one at which
    it was found shut (inf if none was). A short hop may end long before the next sample.
    """
    k, shut = r.w.k, math.inf
    while True:
        code = call(r.s.address[EVAL_AT], r, start)
        if code != OK or k.indicator[c, NORMAL] > 0.0:
            return code, start, shut
        shut = start
        if v_a <= 0.0 or start - t_a <= 8.0 * EPS * max(abs(t_a), start - t_a):
            return OK, math.inf, shut
        start = t_a + 0.25 * (start - t_a)


@kernel
def _look_for_dip(r, c, start, g_lo, v_lo, hi, g_hi, v_hi):
    """Look for a dip below zero of a gap that is open at both ends; return as `_look_at_gap`.

    The minimum is searched with the true gap as long as the tangents of both ends, which bound a
    convex gap from below, meet below zero. A gap that rises at both ends, or falls at both, may
    have one as well, on the convex side of its inflection.
    """
    k, lo = r.w.k, start
    shortest = 1e-9 * (hi - lo)
    if v_lo >= 0.0 < v_hi or v_lo < 0.0 >= v_hi:
        theta, rate = _bend_of_cubic(g_lo, g_hi, v_lo, v_hi, hi - lo)
        if theta < 0.0 or rate * v_hi >= 0.0:
            return OK, math.inf
        t = lo + theta * (hi - lo)
        code = call(r.s.address[EVAL_AT], r, t)
        if code != OK:
            return code, t
        g, v = k.indicator[c, NORMAL], k.indicator[c, RATE]
        if g < 0.0:
            return locate(r, c, NORMAL, start, t, 0.0)
        if v_hi > 0.0:
            lo, g_lo, v_lo = t, g, v
        else:
            hi, g_hi, v_hi = t, g, v
    for _ in range(60):
        width = hi - lo
        if not v_lo < 0.0 < v_hi or width <= shortest:
            break
        reach = (g_hi - g_lo - v_hi * width) / (v_lo - v_hi)
        if g_lo + v_lo * reach > 0.0:
            break
        theta = _lowest_cubic(g_lo, g_hi, v_lo, v_hi, width)
        t = lo + width * (theta if 0.05 < theta < 0.95 else 0.5)
        code = call(r.s.address[EVAL_AT], r, t)
        if code != OK:
            return code, t
        g, v = k.indicator[c, NORMAL], k.indicator[c, RATE]
        if g < 0.0:
            return locate(r, c, NORMAL, start, t, 0.0)
        if v < 0.0:
            lo, g_lo, v_lo = t, g, v
        else:
            hi, g_hi, v_hi = t, g, v
    return OK, math.inf


@kernel
def _turns_below(r, c, g_a, v_a, peak, shut):
    """Return a status and when a gap closes that is never open: where it ends to rise, if it does.

    Before, its velocity is one of separation, and the event would change nothing.
    """
    if not v_a > 0.0:
        return OK, shut
    code = call(r.s.address[EVAL_AT], r, peak)
    return code, peak if r.w.k.indicator[c, NORMAL] >= g_a else shut


@kernel
def _look_between(r, c, first, t_a, g_a, v_a, t_b, g_b, v_b):
    """Return a status and the time at which a gap in sight at both ends closes, or inf.

    A corner that has just opened starts at a gap of zero: it must first be open before it closes.
    That is so at the `first` sample of a step only.
    """
    k = r.w.k
    start, h = t_a, t_b - t_a
    if not first and g_a <= 0.0 and v_a < 0.0:
        return OK, t_a  # it closes at the sample itself
    if g_a <= 0.0:
        theta = _highest_cubic(g_a, g_b, v_a, v_b, h)
        opens = v_a > 0.0 and v_b > 0.0  # below zero by a rounding, or by what counts as closed
        if (g_b >= 0.0 or opens) and not (0.0 < theta < 1.0):
            return OK, math.inf
        peak = t_a + h * (theta if 0.0 < theta < 1.0 else 0.5)
        code, start, shut = _find_open(r, c, t_a, peak, v_a)
        if code == OK and start == math.inf and g_b < 0.0:
            return _turns_below(r, c, g_a, v_a, peak, shut)
        if code != OK or start == math.inf:
            # it never opened: rounding
            return code, math.inf
        if shut < math.inf:
            return locate(r, c, NORMAL, start, shut, 0.0)
    if g_b < 0.0:
        return locate(r, c, NORMAL, start, t_b, 0.0)
    if start > t_a:
        g_a, v_a = k.indicator[c, NORMAL], k.indicator[c, RATE]
    return _look_for_dip(r, c, start, g_a, v_a, t_b, g_b, v_b)


@kernel
def _look_until_lost(r, c, first, t_a, g_a, v_a, t_b):
    """Look at a gap whose candidate vanishes before t_b; return as `_look_between`.

    Bisection for the time at which it vanishes, until the gap cannot close before.
    """
    k, lo, hi, g_lo, v_lo, n = r.w.k, t_a, t_b, g_a, v_a, 0
    while hi - lo > 4.0 * EPS * max(abs(lo), abs(hi)):
        # twice the way, since the rate changes
        if n >= CLOSE_LOOKS and g_lo + 2.0 * (hi - lo) * min(v_lo, 0.0) > 0.0:
            break
        n += 1
        t = 0.5 * (lo + hi)
        code = call(r.s.address[EVAL_AT], r, t)
        if code != OK:
            return code, t
        g, v = k.indicator[c, NORMAL], k.indicator[c, RATE]
        if not g < NOWHERE:
            hi = t
            continue
        code, found = _look_between(r, c, first and lo == t_a, lo, g_lo, v_lo, t, g, v)
        if code != OK or found < math.inf:
            return code, found
        lo, g_lo, v_lo = t, g, v
    return OK, math.inf


@kernel
def _look_from_sight(r, c, t_a, t_b, g_b, v_b):
    """Look at a gap whose candidate appears behind t_a; return as `_look_between`.

    Bisection for the time at which it appears. Where its gap is below zero from then on, it came
    into sight behind the contour, beyond an end of it: that is no contact, and k.behind tells.
    """
    k, lo, hi, g_hi, v_hi, n = r.w.k, t_a, t_b, g_b, v_b, 0
    if g_b >= 0.0 and v_b <= 0.0:
        return OK, math.inf  # all that could be between is a dip
    while hi - lo > 4.0 * EPS * max(abs(lo), abs(hi)):
        if n >= CLOSE_LOOKS and g_b >= 0.0:
            break
        n += 1
        t = 0.5 * (lo + hi)
        code = call(r.s.address[EVAL_AT], r, t)
        if code != OK:
            return code, t
        g, v = k.indicator[c, NORMAL], k.indicator[c, RATE]
        if not g < NOWHERE:
            lo = t
            continue
        if g < 0.0 <= g_b:
            return OK, math.inf  # it comes out from behind
        if g >= 0.0:
            code, found = _look_between(r, c, False, t, g, v, hi, g_hi, v_hi)
            if code != OK or found < math.inf:
                return code, found
        hi, g_hi, v_hi = t, g, v
    if g_b < 0.0:
        k.behind[c] = 1
    return OK, math.inf


@kernel
def look_at_gap(r, c, a, t_a, t_b):
    """Return a status and the time at which the gap of an open corner closes in (t_a, t_b), or inf.

    The interval is the one behind sample a.
    """
    k = r.w.k
    A, B = k.samples[a, c], k.samples[a + 1, c]
    if k.behind[c] == 1:
        return OK, math.inf
    if not (A[NORMAL] < NOWHERE and B[NORMAL] < NOWHERE) and not is_in_plane(r.m, c):
        # points of a manifold come and go: a sign test is all there is
        if B[NORMAL] < 0.0:
            return locate(r, c, NORMAL, t_a, t_b, 0.0)
        return OK, math.inf
    if not B[NORMAL] < NOWHERE:
        if not A[NORMAL] < NOWHERE:
            return OK, math.inf
        return _look_until_lost(r, c, a == 0, t_a, A[NORMAL], A[RATE], t_b)
    if not A[NORMAL] < NOWHERE:
        return _look_from_sight(r, c, t_a, t_b, B[NORMAL], B[RATE])
    return _look_between(r, c, a == 0, t_a, A[NORMAL], A[RATE], t_b, B[NORMAL], B[RATE])
