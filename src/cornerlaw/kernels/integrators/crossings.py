"""Zero crossings of the indicators within one step: detection at its ends, location inside.

Of an even number of zeros within one step the ends show nothing; `max_step` bounds the step.
Indicators of the user's elements are looked at between the ends, too: in parts, and where one turns
towards zero within a part.
"""

import math

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import EPS, copy, settle
from cornerlaw.kernels.integrators.layout import DT, T_A, USER_INDICATORS
from cornerlaw.kernels.late import call
from cornerlaw.kernels.rates import eval_indicators

PARTS = 4  # of a step in which indicators of the user are looked at
SHORT = 1e-6  # of a part: the way over which slopes are taken
LOOKS = 40  # for the turn of an indicator
FROM, TO = 3, 4  # entries of Scratch.step: the part of the step that holds the first crossing


@kernel
def eval_indicators_packed(r, t, y, g):
    """Write the indicators g at y = (q, u, x)."""
    a = r.m.nq
    b = a + r.m.nu
    eval_indicators(r.m, r.w, t, y[:a], y[a:b], y[b:], g)
    if r.s.address[USER_INDICATORS] != 0:
        call(r.s.address[USER_INDICATORS], r.m, r.w, t, y, g)


@kernel
def eval_dense(r, t, y):
    """Write y(t) of the dense output, theta = (t - t_A) / dt.

    Monomial form: y = y_A + sum_j c_j theta^j. Nested form with alternating factors:
    y = y_A + theta (c_1 + (1 - theta) (c_2 + theta (c_3 + ...))). [Hairer1993, II.6]
    (T-7.6) (T-7.7)
    """
    dense, nested = r.memory.dense, r.s.nested[0] == 1
    theta = (t - r.memory.head[T_A]) / r.memory.head[DT]
    for i in range(y.size):
        y[i] = 0.0
    for j in range(dense.shape[0] - 1, 0, -1):
        factor = 1.0 - theta if nested and j % 2 == 0 else theta
        for i in range(y.size):
            y[i] = (y[i] + dense[j, i]) * factor
    for i in range(y.size):
        y[i] += dense[0, i]


@kernel
def crosses(g_A, g_E, sense):
    """Return whether an indicator crosses zero in its sense: g_A < 0 <= g_E or g_A > 0 >= g_E."""
    return (g_A < 0.0 <= g_E and sense >= 0) or (g_A > 0.0 >= g_E and sense <= 0)


@kernel
def detect_crossings(r):
    """Mark the indicators that change sign over the step and return whether any does.

    Writes g_new and the marks: the end of the step at the place of the located time, infinity where
    nothing crosses. (T-7.18)
    """
    m, s, memory = r.m, r.s, r.memory
    found = False
    if m.n_indicators > 0:
        eval_indicators_packed(r, s.step[0], s.y_new, s.g_new)
    for k in range(m.n_indicators):
        crossed = crosses(memory.g[k], s.g_new[k], m.indicators.direction[k])
        memory.t_cross[k] = s.step[0] if crossed else math.inf
        found = found or crossed
    return found


@kernel
def _eval_inside(r, t, g):
    """Write the indicators at a time inside the step, settled; return a status."""
    eval_dense(r, t, r.s.y_row)
    code = settle(r, t, r.s.y_row)
    if code == OK:
        eval_indicators_packed(r, t, r.s.y_row, g)
    return code


@kernel
def _eval_slopes(r, t, way, g, slopes):
    """Write the rates of indicators that are g at t, by a difference over a way; give a status."""
    probe = r.s.g_probe
    code = _eval_inside(r, t + way, probe)
    for k in range(g.size):
        slopes[k] = (probe[k] - g[k]) / way
    return code


@kernel
def _look_for_turn(r, k, a, b):
    """Return a status and a time in (a, b) at which indicator k is beyond zero, or b.

    It has one sign at both ends and may come to zero and turn between them. Where the tangents of
    both ends meet before zero, a convex curve does not; else the zero of its slope is bracketed.
    """
    s = r.s
    sign = 1.0 if r.memory.g[k] > 0.0 else -1.0
    end, way = b, SHORT * (b - a)
    g_a, g_b = sign * r.memory.g[k], sign * s.g_row[k]
    v_a, v_b = sign * s.g_slopes[0, k], sign * s.g_slopes[1, k]
    for _ in range(LOOKS):
        if not (g_a > 0.0 and g_b > 0.0 and v_a < 0.0 and v_b > 0.0 and b - a > way):
            break
        meet = (g_b - g_a - v_b * (b - a)) / (v_a - v_b)
        if g_a + v_a * meet > 0.0:
            break
        # a turn near one end must not creep: a tenth of the bracket at least
        share = min(max(v_a / (v_a - v_b), 0.1), 0.9)
        t = a + share * (b - a)
        code = _eval_inside(r, t, s.g_probe)
        if code != OK:
            return code, end
        g = sign * s.g_probe[k]
        if g <= 0.0:
            return OK, t
        code = _eval_inside(r, t + way, s.g_probe)
        if code != OK:
            return code, end
        slope = (sign * s.g_probe[k] - g) / way
        if slope < 0.0:
            a, g_a, v_a = t, g, slope
        else:
            b, g_b, v_b = t, g, slope
    return OK, end


@kernel
def _choose_sample(r, begin, target):
    """Move step[TO] from the end of a part to where an indicator is beyond zero; return a status.

    Expects g_row at the target. An indicator that starts at zero, as its event leaves it, is looked
    at a little behind it first, to know the side it has gone to.
    """
    s = r.s
    way = SHORT * (target - begin)
    s.step[TO] = target
    for k in range(s.g_row.size):
        if r.memory.g[k] == 0.0 and begin == r.memory.head[T_A]:
            s.step[TO] = begin + way
    if s.step[TO] < target:
        return _eval_inside(r, s.step[TO], s.g_row)
    code = _eval_slopes(r, begin, way, r.memory.g, s.g_slopes[0])
    if code == OK:
        code = _eval_slopes(r, target, -way, s.g_row, s.g_slopes[1])
    for k in range(s.g_row.size):
        if code == OK:
            code, t = _look_for_turn(r, k, begin, target)
            s.step[TO] = min(s.step[TO], t)
    if code == OK and s.step[TO] < target:
        code = _eval_inside(r, s.step[TO], s.g_row)
    return code


@kernel
def _mark_crossings(r):
    """Mark the indicators that cross zero in the part of the step; return whether any does."""
    s, memory = r.s, r.memory
    found = False
    for k in range(s.g_row.size):
        crossed = crosses(memory.g[k], s.g_row[k], r.m.indicators.direction[k])
        memory.t_cross[k] = s.step[TO] if crossed else math.inf
        found = found or crossed
    return found


@kernel
def narrow_search(r):
    """Write to step the part of the step in which the first crossing lies; return a status.

    The whole step, unless there are indicators of the user: then the first of its parts over which
    any indicator changes sign, with the marks, g and g_new of that part. Parts end on a grid, and
    where an indicator turns beyond zero. Needs the dense output. (T-7.18)
    """
    s, memory = r.s, r.memory
    begin, end = memory.head[T_A], s.step[0]
    s.step[FROM], s.step[TO] = begin, end
    if s.address[USER_INDICATORS] == 0:
        return OK
    i = 1
    while i <= PARTS:
        target = end if i == PARTS else begin + (end - begin) * i / PARTS
        copy(s.g_new, s.g_row)
        code = OK if i == PARTS else _eval_inside(r, target, s.g_row)
        if code == OK:
            code = _choose_sample(r, s.step[FROM], target)
        if code != OK:
            return code
        if _mark_crossings(r):
            copy(s.g_row, s.g_new)
            return OK
        copy(s.g_row, memory.g)
        s.step[FROM] = s.step[TO]
        i += 1 if s.step[TO] >= target else 0
    return OK


@kernel
def locate_crossing(r, k):
    """Set t_cross of indicator k just behind its zero, to a few units of rounding; return a status.

    The bracket shrinks by the interpolate-truncate-project rule, which is never slower than
    bisection by more than one step. States inside are brought onto the constraints first, so that
    the row stored later has the same indicator. [Oliveira2020]
    """
    s = r.s
    a, b = s.step[FROM], s.step[TO]
    sign = 1.0 if r.memory.g[k] < 0.0 else -1.0
    g_a, g_b = sign * r.memory.g[k], sign * s.g_new[k]
    width = b - a
    half = 2.0 * EPS * max(abs(a), abs(b))
    radius = half * 2.0 ** (math.ceil(math.log2(max(width / (2.0 * half), 1.0))) + 1.0)
    while b - a > 2.0 * half:
        middle = 0.5 * (a + b)
        reach = radius - 0.5 * (b - a)
        radius *= 0.5
        t = (g_b * a - g_a * b) / (g_b - g_a)
        toward = 1.0 if middle >= t else -1.0
        shift = 0.2 * (b - a) * (b - a) / width
        t = t + toward * shift if shift <= abs(middle - t) else middle
        if abs(t - middle) > reach:
            t = middle - toward * reach
        if not (a < t < b):
            t = middle
        if not (a < t < b):
            break
        eval_dense(r, t, s.y_row)
        code = settle(r, t, s.y_row)
        if code != OK:
            return code
        eval_indicators_packed(r, t, s.y_row, s.g_row)
        g = sign * s.g_row[k]
        if g >= 0.0:
            b, g_b = t, g
        else:
            a, g_a = t, g
    r.memory.t_cross[k] = b
    return OK
