"""Find the first event of a step on its dense output.

The step is sampled at a few states. Between two of them a gap is a cubic in Hermite form, since
its rate is known as well: a pair of zeros that a sign test would not see shows as its minimum.
Other indicators are looked at by the parabola through three samples. What looks like an event is
then located on the true indicator. (T-15.10)
"""

import math

from cornerlaw.arrays.corner_work import OPEN, SAMPLES, STICK
from cornerlaw.arrays.kinds import SHAPE_POINT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.compliance import is_rigid
from cornerlaw.kernels.events.indicators import NORMAL, RATE, eval_corner_indicators, eval_settled
from cornerlaw.kernels.events.options import GAP_TOL
from cornerlaw.kernels.integrators.control import EPS
from cornerlaw.kernels.integrators.crossings import eval_dense
from cornerlaw.kernels.integrators.layout import EVAL_AT, T_A
from cornerlaw.kernels.late import call

SLACK = 1e-9  # forces below this fraction of the largest one count as zero
LOOKS = 8  # at the time in front of an event, each time that an earlier one was found there


@kernel
def force_scale(k):
    """Return the largest multiplier of the state at hand, at least what rounding can make."""
    largest = 1e-6
    for i in range(k.lam.size):
        largest = max(largest, abs(k.lam[i]))
    return largest


@kernel
def eval_between(r, t):
    """Write the indicators at a time inside the step; return a status."""
    eval_dense(r, t, r.s.y_row)
    return eval_settled(r, t, r.s.y_row)


@kernel
def sample_step(r, is_cut):
    """Write the indicators at SAMPLES states of the step; return a status.

    The end of a step that was cut is a state inside it. k.level holds for every corner and side
    what its indicator must fall below.
    """
    k, s = r.w.k, r.s
    t, width = r.memory.head[T_A], s.step[0] - r.memory.head[T_A]
    for a in range(SAMPLES):
        if a == 0:
            for i in range(s.y_row.size):
                s.y_row[i] = s.y[i]
            code = eval_corner_indicators(r, t, s.y_row)
        elif a == SAMPLES - 1 and not is_cut:
            for i in range(s.y_row.size):
                s.y_row[i] = s.y_new[i]
            code = eval_corner_indicators(r, s.step[0], s.y_row)
        else:
            code = call(r.s.address[EVAL_AT], r, t + width * a / (SAMPLES - 1))
        if code != OK:
            return code
        if a == 0:
            scale = force_scale(k)
            for c in range(k.status.size):
                k.level[c] = -SLACK * scale * k.slack[c]
        for c in range(k.status.size):
            for b in range(3):
                k.samples[a, c, b] = k.indicator[c, b]
    return OK


@kernel
def _may_pass(r, c, h):
    """Return whether two round contours could pass through each other between two samples.

    On the far side their gap is open again, and nothing in it tells.
    """
    k, s = r.w.k, r.m.corners.slot[c]
    if s < 0:
        return False
    curve = r.w.contact_k[s]
    if r.m.contours.kind[r.m.slots.contour_1[s]] >= SHAPE_POINT:
        return False  # steps in space are bounded by the sizes of the bodies
    if curve[0] == 0.0 or curve[2] == 0.0:
        return False
    size = abs(curve[1] / curve[0]) + abs(curve[3] / curve[2])
    for a in range(1, SAMPLES):
        A, B = k.samples[a - 1, c], k.samples[a, c]
        travel = h * max(abs(A[RATE]), abs(B[RATE]))
        if travel > 2.0 * size and min(A[NORMAL], B[NORMAL]) < travel:
            return True
    return False


@kernel
def _is_resolved(r):
    """Return whether the samples follow the gaps: each lies on the cubic of its neighbours.

    A step that is long for the states can be too long for a gap, where a surface moves by itself.
    Only gaps that come near zero matter. (T-15.10)
    """
    k = r.w.k
    h = 2.0 * (r.s.step[0] - r.memory.head[T_A]) / (SAMPLES - 1)
    smallest = r.options[GAP_TOL]  # below this a gap is rounding
    for c in range(k.status.size):
        if k.status[c] != OPEN or r.m.corners.always[c] == 1:
            continue
        if _may_pass(r, c, 0.5 * h):
            return False
        for a in range(1, SAMPLES - 1):
            A, B, C = k.samples[a - 1, c], k.samples[a, c], k.samples[a + 1, c]
            if not (A[NORMAL] < 1e299 and B[NORMAL] < 1e299 and C[NORMAL] < 1e299):
                continue
            middle = 0.5 * (A[NORMAL] + C[NORMAL]) + 0.125 * h * (A[RATE] - C[RATE])
            error = abs(middle - B[NORMAL])
            size = max(abs(A[NORMAL]), abs(C[NORMAL]), h * abs(A[RATE]), h * abs(C[RATE]))
            lowest = min(A[NORMAL], B[NORMAL], C[NORMAL])
            if error > max(0.02 * size, smallest) and lowest < 4.0 * error:
                return False
    return True


@kernel
def _threshold(m, k, c, side):
    """Return the level an indicator has to fall below: zero for gaps and speeds."""
    if side == NORMAL:
        if not is_rigid(m, c):
            return -1e-15  # rounding at the first touch
        return 0.0 if k.status[c] == OPEN else k.level[c]
    if k.status[c] == STICK:
        return k.level[c]
    return 0.0 if k.slack[c] == 1.0 else -1e-12 * k.slack[c]


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
    convex gap from below, meet below zero.
    """
    k, lo = r.w.k, start
    shortest = 1e-9 * (hi - lo)
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
def _look_at_gap(r, c, a, t_a, t_b):
    """Return a status and the time at which the gap of an open corner closes in (t_a, t_b), or inf.

    A corner that has just opened starts at a gap of zero: it must first be open before it closes.
    """
    k = r.w.k
    A, B = k.samples[a, c], k.samples[a + 1, c]
    g_a, g_b, v_a, v_b, h = A[NORMAL], B[NORMAL], A[RATE], B[RATE], t_b - t_a
    if not (g_a < 1e299 and g_b < 1e299):
        # nothing in sight on one side: a sign test is all there is
        if g_b < 0.0:
            return locate(r, c, NORMAL, t_a, t_b, 0.0)
        return OK, math.inf
    start = t_a
    if a > 0 and g_a <= 0.0 and v_a < 0.0:
        return OK, t_a  # it closes at the sample itself
    if g_a <= 0.0:
        theta = _highest_cubic(g_a, g_b, v_a, v_b, h)
        if g_b >= 0.0 and not (0.0 < theta < 1.0):
            return OK, math.inf
        start = t_a + h * (theta if 0.0 < theta < 1.0 else 0.5)
        code, start, shut = _find_open(r, c, t_a, start, v_a)
        if code != OK or start == math.inf:
            # it never opened: rounding if the gap is open at the end, else it closes here
            return code, math.inf if g_b >= 0.0 else shut
        if shut < math.inf:
            return locate(r, c, NORMAL, start, shut, 0.0)
    if g_b < 0.0:
        return locate(r, c, NORMAL, start, t_b, 0.0)
    if start > t_a:
        g_a, v_a = k.indicator[c, NORMAL], k.indicator[c, RATE]
    return _look_for_dip(r, c, start, g_a, v_a, t_b, g_b, v_b)


@kernel
def _look_at_other(r, c, side, a, t_a, t_b):
    """Return a status and the time at which another indicator falls below its level, or inf."""
    k = r.w.k
    level = _threshold(r.m, k, c, side)
    f_a, f_b = k.samples[a, c, side], k.samples[a + 1, c, side]
    if f_b < level:
        if f_a < level:
            # below already at the start of the step: the event is there
            return OK, t_a
        return locate(r, c, side, t_a, t_b, level)
    if a + 2 < SAMPLES and f_a < 1e299:
        f_c = k.samples[a + 2, c, side]
        bend = f_a - 2.0 * f_b + f_c
        # vertex of the parabola, in units of the sampling interval from the middle sample
        if f_c < 1e299 and bend > 0.0:
            shift = 0.5 * (f_a - f_c) / bend
            lowest = f_b - 0.5 * bend * shift * shift
            if -1.0 < shift < 0.0 and lowest < level:
                t = t_b + shift * (t_b - t_a)
                code = call(r.s.address[EVAL_AT], r, t)
                if code != OK:
                    return code, t
                if k.indicator[c, side] < level:
                    return locate(r, c, side, t_a, t, level)
    return OK, math.inf


@kernel
def _search_samples(r):
    """Find the first event between the samples; return a status and write its time, or inf.

    Writes k.fired for the corners whose indicators meet there: 1 normal, 2 tangential, 3 both.
    """
    k = r.w.k
    t, width = r.memory.head[T_A], r.s.step[0] - r.memory.head[T_A]
    first = math.inf
    for a in range(SAMPLES - 1):
        t_a, t_b = t + width * a / (SAMPLES - 1), t + width * (a + 1) / (SAMPLES - 1)
        if a == SAMPLES - 2:
            t_b = r.s.step[0]
        for c in range(k.status.size):
            for side in range(2):
                k.root[c, side] = math.inf
                if side == NORMAL and k.status[c] == OPEN and r.m.corners.always[c] == 0:
                    code, found = _look_at_gap(r, c, a, t_a, t_b)
                else:
                    code, found = _look_at_other(r, c, side, a, t_a, t_b)
                if code != OK:
                    return code
                k.root[c, side] = found
                first = min(first, found)
        if first < math.inf:
            reach = first + 1e-13 * max(abs(first), width)
            for c in range(k.status.size):
                k.fired[c] = 0
                for side in range(2):
                    if k.root[c, side] <= reach:
                        k.fired[c] += 1 + side
            k.event_time[0] = first
            return OK
    return OK


@kernel
def _end_samples_at(r, t):
    """Let the step end at t and sample it; return a status."""
    r.s.step[0] = t
    return sample_step(r, True)


@kernel
def _sinks_in(r):
    """Tell whether an open gap is below zero at a sample, by more than rounding."""
    k, m = r.w.k, r.m
    for c in range(k.status.size):
        if k.status[c] != OPEN or m.corners.always[c] == 1 or not is_rigid(m, c):
            continue
        for a in range(SAMPLES):
            if k.samples[a, c, NORMAL] < -r.options[GAP_TOL]:
                return True
    return False


@kernel
def find_event(r):
    """Find the first event of the step; return a status and write its time, or inf.

    What lies in front of an event is sampled again: a gap that is below zero there closed before
    it, between two samples of the whole step, and opened again. (T-15.10)
    """
    k = r.w.k
    k.event_time[0] = math.inf
    for c in range(k.status.size):
        k.fired[c] = 0
    k.shortened[0] = 0
    code = sample_step(r, False)
    begin = r.memory.head[T_A]
    while code == OK and k.shortened[0] < 20 and not _is_resolved(r):
        k.shortened[0] += 1
        code = _end_samples_at(r, begin + 0.25 * (r.s.step[0] - begin))
    if code == OK:
        code = _search_samples(r)
    for _ in range(LOOKS):
        found = k.event_time[0]
        if code != OK or not begin + 64.0 * EPS * abs(found) < found < math.inf:
            return code
        code = _end_samples_at(r, found)
        if code != OK or not _sinks_in(r):
            return code
        code = _search_samples(r)
        if k.event_time[0] >= found - 1e-6 * (found - begin):
            break
    return code
