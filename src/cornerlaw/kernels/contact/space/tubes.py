"""Tubes about a spline in space, touched from outside or inside: tracks, rails and marble runs.

A tube has a radius about its centre line. From outside an open one ends in half a ball; from inside
(negative radius) its ends are open and its wall is as thick as the radius.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CAPSULE
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import radius_about
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    dot,
    norm,
    of_sphere,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_local,
    to_world,
    turn_to_world,
)

_PIECES = 6  # samples in an interval
_STEPS = 60
_FINE = 4e-16


@kernel
def _line_at(d, n, i, h):
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
def _bound(d, n, i, p):
    """Return a bound from below of the distance of p from interval i. (T-18.33)

    From its middle no point is farther than the terms of the Taylor series there reach.
    """
    half = 0.5 * (d[4 + i + 1] - d[4 + i])
    r, first, second = _line_at(d, n, i, half)
    at = 4 + n + 12 * i
    third = math.sqrt(d[at + 3] ** 2 + d[at + 7] ** 2 + d[at + 11] ** 2)
    reach = half * (norm(first) + half * (0.5 * norm(second) + half * third))
    return norm(sub(p, r)) - reach


@kernel
def _slope(d, n, i, h, p):
    """Return distance from p and two derivatives of half its square. (T-18.32)"""
    r, first, second = _line_at(d, n, i, h)
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

    The interval of the last point comes first; those that cannot be nearer are left out. (T-18.33)
    """
    least, place, first = math.inf, d[4], -1
    if last == last:
        first = interval_of(d, n, last)
        least, place = _nearest_in(d, n, first, p, least, place)
    for i in range(n - 1):
        if i != first and _bound(d, n, i, p) < least:
            least, place = _nearest_in(d, n, i, p, least, place)
    return place


@kernel
def _store(m, w, slot, swap, c, p, R, identity):
    """Write the contact of a ball of radius R about p with tube c."""
    d, n, f = m.contours.data[m.contours.start[c] :], m.contours.size[c], m.contours.frame[c]
    y, radius = to_local(w, f, p), d[0]
    s = nearest_place(d, n, y, w.contact_s[4 * slot])
    w.contact_s[4 * slot] = s
    i = interval_of(d, n, s)
    r, first, second = _line_at(d, n, i, s - d[4 + i])
    size = norm(first)
    e, x = scaled(1.0 / size, first), sub(y, r)
    distance = norm(x)
    at_end = d[3] == 0.0 and (s <= d[1] or s >= d[2])
    at_end = at_end and abs(dot(x, e)) > 1e-12 * (distance + abs(radius))
    if radius < 0.0 and (at_end or distance > -2.0 * radius):
        store_nothing(w, slot)
        return
    u = scaled(1.0 / distance, x) if distance > 0.0 else any_tangent(e)
    if radius < 0.0:
        u, distance = scaled(-1.0, u), -distance
    bow = -dot(second, u) / (size * size)
    own = 1.0, radius, 1.0, radius, turn_to_world(w, f, e)
    if not at_end:
        own = bow, 1.0 + radius * bow, 1.0, radius, own[4]
    normal, r2 = turn_to_world(w, f, u), to_world(w, f, along(r, radius, u))
    store_point(w, slot, swap, distance - radius - R, normal, along(p, -R, normal), r2,
                of_sphere(R), own, identity)  # fmt: skip


@kernel
def detect_tube(m, w, k, swap, other, c):
    """Find the contact of a tube with a point, a sphere or the two end balls of a capsule.

    The gap is that of the distance from the centre line; bow = -r'' . n / |r'|^2. (T-18.32)
    """
    R, f = radius_about(m, other), m.contours.frame[other]
    if R < 0.0:
        for i in range(m.slots.count[k]):
            store_nothing(w, k + i)
        return OK
    half = 0.0
    if m.contours.kind[other] == SHAPE_CAPSULE:
        half = m.contours.data[m.contours.start[other] + 1]
    for i in range(m.slots.count[k]):
        z = half if i == 0 else -half
        _store(m, w, k + i, swap, c, to_world(w, f, (0.0, 0.0, z)), R, i)
    return OK
