"""Find the first event of a step on its dense output.

The step is sampled at a few states. Between two of them a gap is a cubic in Hermite form, since
its rate is known as well: a pair of zeros that a sign test would not see shows as its minimum.
Other indicators are looked at by the parabola through three samples. What looks like an event is
then located on the true indicator. (T-15.11)
"""

import math

from cornerlaw.arrays.corner_work import OPEN, SAMPLES, STICK
from cornerlaw.arrays.kinds import SHAPE_POINT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.compliance import is_rigid
from cornerlaw.kernels.events.gaps import NOWHERE, locate, look_at_gap
from cornerlaw.kernels.events.indicators import NORMAL, RATE, eval_corner_indicators, eval_settled
from cornerlaw.kernels.events.options import GAP_TOL
from cornerlaw.kernels.integrators.control import EPS
from cornerlaw.kernels.integrators.crossings import eval_dense
from cornerlaw.kernels.integrators.layout import EVAL_AT, T_A
from cornerlaw.kernels.late import call

SLACK = 1e-9  # forces below this fraction of the largest one count as zero
MOST_CUTS = 20  # of a step, each to a quarter, until its samples follow the gaps
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
        if not (A[NORMAL] < NOWHERE and B[NORMAL] < NOWHERE):
            continue
        travel = h * max(abs(A[RATE]), abs(B[RATE]))
        if travel > 2.0 * size and min(A[NORMAL], B[NORMAL]) < travel:
            return True
    return False


@kernel
def _is_in_sight(r, c, a):
    """Tell whether the pair of corner c has a candidate at sample a, in whichever of its slots."""
    m, k = r.m, r.w.k
    first = m.slots.first[m.corners.slot[c]]
    for other in range(k.status.size):
        s = m.corners.slot[other]
        if s >= 0 and m.slots.first[s] == first and k.samples[a, other, NORMAL] < NOWHERE:
            return True
    return False


@kernel
def _may_appear(r, c, h):
    """Tell whether a pair could come into sight and be out of it again between two samples.

    Without a candidate the place of the rate holds how long it cannot, see `eval_blind_time`.
    """
    k = r.w.k
    if r.m.corners.slot[c] < 0:
        return False
    for a in range(1, SAMPLES):
        A, B = k.samples[a - 1, c], k.samples[a, c]
        if A[NORMAL] < NOWHERE or B[NORMAL] < NOWHERE or h <= max(A[RATE], B[RATE]):
            continue
        if not (_is_in_sight(r, c, a - 1) or _is_in_sight(r, c, a)):
            return True
    return False


@kernel
def _is_resolved(r):
    """Return whether the samples follow the gaps: each lies on the cubic of its neighbours.

    A step that is long for the states can be too long for a gap, where a surface moves by itself.
    Only gaps that come near zero matter. (T-15.11)
    """
    k = r.w.k
    h = 2.0 * (r.s.step[0] - r.memory.head[T_A]) / (SAMPLES - 1)
    smallest = r.options[GAP_TOL]  # below this a gap is rounding
    for c in range(k.status.size):
        if k.status[c] != OPEN or r.m.corners.always[c] == 1 or k.behind[c] == 1:
            continue
        if _may_pass(r, c, 0.5 * h) or _may_appear(r, c, 0.5 * h):
            return False
        for a in range(1, SAMPLES - 1):
            A, B, C = k.samples[a - 1, c], k.samples[a, c], k.samples[a + 1, c]
            if not max(A[NORMAL], B[NORMAL], C[NORMAL]) < NOWHERE:
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
    if a + 2 < SAMPLES and f_a < NOWHERE:
        f_c = k.samples[a + 2, c, side]
        bend = f_a - 2.0 * f_b + f_c
        # vertex of the parabola, in units of the sampling interval from the middle sample
        if f_c < NOWHERE and bend > 0.0:
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
    for c in range(k.status.size):
        if not k.samples[0, c, NORMAL] < 0.0:
            k.behind[c] = 0
    for a in range(SAMPLES - 1):
        t_a, t_b = t + width * a / (SAMPLES - 1), t + width * (a + 1) / (SAMPLES - 1)
        if a == SAMPLES - 2:
            t_b = r.s.step[0]
        for c in range(k.status.size):
            for side in range(2):
                k.root[c, side] = math.inf
                if side == NORMAL and k.status[c] == OPEN and r.m.corners.always[c] == 0:
                    code, found = look_at_gap(r, c, a, t_a, t_b)
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
        if k.behind[c] == 1:
            continue
        for a in range(SAMPLES):
            if k.samples[a, c, NORMAL] < -r.options[GAP_TOL]:
                return True
    return False


@kernel
def _shorten_until_resolved(r, begin):
    """Cut the step until its samples follow the gaps; return a status and count the cuts."""
    k, code = r.w.k, OK
    while code == OK and k.shortened[0] < MOST_CUTS and not _is_resolved(r):
        k.shortened[0] += 1
        code = _end_samples_at(r, begin + 0.25 * (r.s.step[0] - begin))
    return code


@kernel
def _forget_event(k):
    k.event_time[0] = math.inf
    for c in range(k.status.size):
        k.fired[c] = 0


@kernel
def find_event(r):
    """Find the first event of the step; return a status and write its time, or inf.

    What lies in front of an event is sampled again: a gap that is below zero there closed before
    it, between two samples of the whole step, and opened again. Where these samples do not follow
    the gaps, the step ends before the event, which is found by a later one. (T-15.11)
    """
    k = r.w.k
    _forget_event(k)
    k.shortened[0] = 0
    code = sample_step(r, False)
    begin = r.memory.head[T_A]
    if code == OK:
        code = _shorten_until_resolved(r, begin)
    if code == OK:
        code = _search_samples(r)
    for _ in range(LOOKS):
        found = k.event_time[0]
        if code != OK or not begin + 64.0 * EPS * abs(found) < found < math.inf:
            return code
        code = _end_samples_at(r, found)
        if code != OK:
            return code
        if not _sinks_in(r):
            before = k.shortened[0]
            code = _shorten_until_resolved(r, begin)
            if code != OK or k.shortened[0] == before:
                return code
            _forget_event(k)
            code = _search_samples(r)
            continue
        code = _search_samples(r)
        if k.event_time[0] >= found - 1e-6 * (found - begin):
            break
    return code
