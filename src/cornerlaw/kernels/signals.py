"""Scalar signals: constants, tables, compiled functions; two derivatives for given motion."""

import math

from cornerlaw.arrays.kinds import CONSTANT, FUNCTION, STRIBECK, TABLE_LINEAR
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.slots import call_slot


@kernel
def eval_signal(s, k, arguments, out):
    """Return signal k at the given arguments (tables look at the first one only)."""
    kind = s.kind[k]
    if kind == CONSTANT:
        return s.data[s.start[k]]
    if kind == FUNCTION:
        call_slot(s.address[k], arguments, arguments[:0], out)
        return out[0]
    if kind == STRIBECK:
        return _eval_stribeck(s, s.start[k], arguments[0])
    _eval_table(s, k, arguments[0], out)
    return out[0]


@kernel
def _eval_stribeck(s, start, v):
    """Return kinetic + (static - kinetic) exp(-|v / v_s|^n) + viscous |v|. (T-10.26)"""
    d = s.data
    static, kinetic, v_s, n, viscous = (
        d[start],
        d[start + 1],
        d[start + 2],
        d[start + 3],
        d[start + 4],
    )
    speed = abs(v)
    return kinetic + (static - kinetic) * math.exp(-((speed / v_s) ** n)) + viscous * speed


@kernel
def eval_motion(s, k, arguments, out):
    """Write value, first and second time derivative of signal k to out[:3]."""
    kind = s.kind[k]
    if kind == CONSTANT:
        out[0], out[1], out[2] = s.data[s.start[k]], 0.0, 0.0
    elif kind == FUNCTION:
        call_slot(s.address[k], arguments, arguments[:0], out)
    else:
        _eval_table(s, k, arguments[0], out)


@kernel
def _eval_table(s, k, x, out):
    """Write value and derivatives of a piecewise cubic: data = knots, then 4 coefficients each.

    On interval i: y = c0 + c1 h + c2 h^2 + c3 h^3 with h = x - knot_i.
    """
    n, start = s.points[k], s.start[k]
    first, last = s.data[start], s.data[start + n - 1]
    outside = x < first or x > last
    clamped = min(max(x, first), last)
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if s.data[start + middle] <= clamped:
            low = middle
        else:
            high = middle
    c = start + n + 4 * low
    h = clamped - s.data[start + low]
    c0, c1, c2, c3 = s.data[c], s.data[c + 1], s.data[c + 2], s.data[c + 3]
    if s.kind[k] == TABLE_LINEAR:
        c2, c3 = 0.0, 0.0
    out[0] = c0 + h * (c1 + h * (c2 + h * c3))
    out[1] = c1 + h * (2.0 * c2 + h * 3.0 * c3)
    out[2] = 2.0 * c2 + 6.0 * c3 * h
    if outside:
        out[2] = 0.0
        if s.hold[k] == 1:
            out[1] = 0.0
        else:
            out[0] += out[1] * (x - clamped)
