"""Splines in space, the centre lines of tubes: their points, and the one nearest to a place."""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import dot, norm, sub

_PIECES = 6  # samples in an interval
_STEPS = 60
_FINE = 4e-16


@kernel
def line_at(d, n, i, h):
    """Return the centre line and two derivatives at h in interval i of n knots."""
    at = 4 + n + 12 * i
    x, y, z = d[at : at + 4], d[at + 4 : at + 8], d[at + 8 : at + 12]
    r = (
        x[0] + h * (x[1] + h * (x[2] + h * x[3])),
        y[0] + h * (y[1] + h * (y[2] + h * y[3])),
        z[0] + h * (z[1] + h * (z[2] + h * z[3])),
    )
    first = (
        x[1] + h * (2.0 * x[2] + h * 3.0 * x[3]),
        y[1] + h * (2.0 * y[2] + h * 3.0 * y[3]),
        z[1] + h * (2.0 * z[2] + h * 3.0 * z[3]),
    )
    second = 2.0 * x[2] + 6.0 * h * x[3], 2.0 * y[2] + 6.0 * h * y[3], 2.0 * z[2] + 6.0 * h * z[3]
    return r, first, second


@kernel
def reach_of(d, n, i):
    """Return what no point of interval i is farther than from its middle: the Taylor series there.

    (T-18.34)
    """
    half = 0.5 * (d[4 + i + 1] - d[4 + i])
    _, first, second = line_at(d, n, i, half)
    at = 4 + n + 12 * i
    third = math.sqrt(d[at + 3] ** 2 + d[at + 7] ** 2 + d[at + 11] ** 2)
    return half * (norm(first) + half * (0.5 * norm(second) + half * third))


@kernel
def _bound(d, n, i, p):
    """Return a bound from below of the distance of p from interval i. (T-18.34)"""
    r, _, _ = line_at(d, n, i, 0.5 * (d[4 + i + 1] - d[4 + i]))
    return norm(sub(p, r)) - reach_of(d, n, i)


@kernel
def _slope(d, n, i, h, p):
    """Return distance from p and two derivatives of half its square. (T-18.33)"""
    r, first, second = line_at(d, n, i, h)
    x = sub(r, p)
    return norm(x), dot(x, first), dot(first, first) + dot(x, second)


@kernel
def _refine(d, n, i, p, low, high):
    """Return the place of the minimum between two in an interval: Newton inside a bracket."""
    h = 0.5 * (low + high)
    for _ in range(_STEPS):
        _, slope, bend = _slope(d, n, i, h, p)
        if slope < 0.0:
            low = h
        else:
            high = h
        new = h - slope / bend
        if not (bend > 0.0 and low <= new <= high):
            new = 0.5 * (low + high)
        step = abs(new - h)
        h = new
        if step <= _FINE * (abs(h) + d[4 + i + 1] - d[4 + i]):
            break
    return h


@kernel
def _nearest_in(d, n, i, p, least, place):
    """Return the least distance of p from interval i and its place, if less than the one given."""
    width = (d[4 + i + 1] - d[4 + i]) / _PIECES
    _, before, _ = _slope(d, n, i, 0.0, p)
    for j in range(_PIECES + 1):
        found, after, _ = _slope(d, n, i, j * width, p)
        if found < least:
            least, place = found, d[4 + i] + j * width
        if j > 0 and before < 0.0 < after:
            h = _refine(d, n, i, p, (j - 1) * width, j * width)
            found, _, _ = _slope(d, n, i, h, p)
            if found <= least:
                least, place = found, d[4 + i] + h
        before = after
    return least, place


@kernel
def interval_of(d, n, s):
    """Return the interval of a parameter."""
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if d[4 + middle] <= s:
            low = middle
        else:
            high = middle
    return low


@kernel
def nearest_place(d, n, p, last):
    """Return the parameter of the point of the centre line nearest to p, of all there are.

    The interval of the last point comes first; those that cannot be nearer are left out. (T-18.34)
    """
    least, place, first = math.inf, d[4], -1
    if last == last:
        first = interval_of(d, n, last)
        least, place = _nearest_in(d, n, first, p, least, place)
    for i in range(n - 1):
        if i != first and _bound(d, n, i, p) < least:
            least, place = _nearest_in(d, n, i, p, least, place)
    return place
