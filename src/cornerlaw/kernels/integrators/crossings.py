"""Zero crossings of the indicators within one step: detection at its ends, location inside.

An indicator with an even number of zeros within one step is not seen; `max_step` bounds the step.
Those of the user's elements are also looked at between the ends.
"""

import math

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import EPS, copy, settle
from cornerlaw.kernels.integrators.layout import DT, T_A, USER_INDICATORS
from cornerlaw.kernels.late import call
from cornerlaw.kernels.rates import eval_indicators

PARTS = 4  # of a step in which indicators of the user are looked at
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
def narrow_search(r):
    """Write to step the part of the step in which the first crossing lies; return a status.

    The whole step, unless there are indicators of the user: then the first of its parts over which
    any indicator changes sign, with the marks, g and g_new of that part. An event leaves its
    indicator at zero, and the way back to zero may be shorter than a step. Needs the dense output.
    """
    s, memory = r.s, r.memory
    begin, end = memory.head[T_A], s.step[0]
    s.step[FROM], s.step[TO] = begin, end
    if s.address[USER_INDICATORS] == 0:
        return OK
    for i in range(1, PARTS + 1):
        s.step[TO] = end
        if i < PARTS:
            s.step[TO] = begin + (end - begin) * i / PARTS
            eval_dense(r, s.step[TO], s.y_row)
            code = settle(r, s.step[TO], s.y_row)
            if code != OK:
                return code
            eval_indicators_packed(r, s.step[TO], s.y_row, s.g_row)
        else:
            copy(s.g_new, s.g_row)
        found = False
        for k in range(s.g_row.size):
            crossed = crosses(memory.g[k], s.g_row[k], r.m.indicators.direction[k])
            memory.t_cross[k] = s.step[TO] if crossed else math.inf
            found = found or crossed
        if found:
            copy(s.g_row, s.g_new)
            return OK
        copy(s.g_row, memory.g)
        s.step[FROM] = s.step[TO]
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
