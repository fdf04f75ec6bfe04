"""The place of a spline nearest to a shape, and that of a straight line farthest from a spline.

The first is for tubes touched from outside: the least distance of the centre line's points. The
second is for a capsule inside a pipe: of its axis only what is farthest from the centre line can
touch, in a bend its middle. Scratch: pieces that are still to be searched.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import bend, distance_to, has_core
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    norm,
    scaled,
    sub,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.splines import interval_of, line_at, nearest_place, reach_of

_PIECES = 4  # of an interval at first
_STEPS = 60
_FINE = 4e-16
_SURE = 1e-11  # of an interval: what a hidden minimum may be lower
_SHORT = 4e-6  # of an interval: a piece that hides less than that
_MOST = 3000  # distances in a search, after which pieces are as good as they are
_LEVEL = 1e-9  # of an interval: difference over the line below which any place is as good
_ON_AXIS = 16  # pieces of the axis of a capsule
_BENT = 1e-9  # slope of the distance along the axis above which a bend is no rounding


@kernel
def _look(m, w, c, n, other, i, h):
    """Return distance and gradient of the shape at h in interval i of line c."""
    d, f = m.contours.data[m.contours.start[c] :], m.contours.frame[c]
    r, _, _ = line_at(d, n, i, h)
    distance, u, _ = distance_to(m, w, other, 0, to_world(w, f, r))
    return distance, u


@kernel
def _objective(m, w, c, n, other, i, h):
    """Return slope and bend, over the parameter, of what is least at the contact. (T-18.46)"""
    d, f, core = m.contours.data[m.contours.start[c] :], m.contours.frame[c], has_core(m, other)
    r, first, second = line_at(d, n, i, h)
    first, second = turn_to_world(w, f, first), turn_to_world(w, f, second)
    distance, u, curve = distance_to(m, w, other, 0, to_world(w, f, r))
    factor = distance if core else 1.0
    slope, curvature = factor * dot(u, first), factor * dot(u, second)
    return slope, curvature + bend(core, distance, u, curve, first, first)


@kernel
def _refine(m, w, c, n, other, i, low, high):
    """Return the place of the minimum between two in an interval: Newton inside a bracket."""
    h, width = 0.5 * (low + high), high - low
    for _ in range(_STEPS):
        slope, curvature = _objective(m, w, c, n, other, i, h)
        if slope < 0.0:
            low = h
        else:
            high = h
        new = h - slope / curvature if curvature > 0.0 else math.nan
        if not low <= new <= high:
            new = 0.5 * (low + high)
        step = abs(new - h)
        h = new
        if step <= _FINE * (abs(h) + width):
            break
    return h


@kernel
def _push(b, depth, low, d_low, u_low, high, d_high, u_high):
    p = 10 * depth
    b[p], b[p + 1], b[p + 2], b[p + 3], b[p + 4] = low, d_low, u_low[0], u_low[1], u_low[2]
    b[p + 5], b[p + 6], b[p + 7], b[p + 8], b[p + 9] = high, d_high, u_high[0], u_high[1], u_high[2]
    return depth + 1


@kernel
def _floor(w, f, d, n, i, b, p):
    """Return what the distance does not fall below on a piece, and its slopes at both ends.

    A convex distance lies above its tangent planes; r'' changes evenly along an interval. (T-18.47)
    """
    low, u_low = b[p], (b[p + 2], b[p + 3], b[p + 4])
    high, u_high = b[p + 5], (b[p + 7], b[p + 8], b[p + 9])
    width = high - low
    _, first, second = line_at(d, n, i, low)
    _, last, after = line_at(d, n, i, high)
    first, last = turn_to_world(w, f, first), turn_to_world(w, f, last)
    second, after = turn_to_world(w, f, second), turn_to_world(w, f, after)
    slope_low, slope_high = dot(u_low, first), dot(u_high, last)
    fall_low = max(0.0, max(-dot(u_low, second), -dot(u_low, after)))
    fall_high = max(0.0, max(-dot(u_high, second), -dot(u_high, after)))
    half = 0.5 * width * width
    from_low = b[p + 1] + min(slope_low, 0.0) * width - fall_low * half
    from_high = b[p + 6] - max(slope_high, 0.0) * width - fall_high * half
    return max(from_low, from_high), slope_low, slope_high


@kernel
def _search_interval(m, w, c, n, other, i, least, place, most, count):
    """Look for a lower minimum in interval i: pieces are halved while one may hide. (T-18.47)

    Return least distance and its place, the largest distance, and the number of distances so far.
    """
    d, f, b = m.contours.data[m.contours.start[c] :], m.contours.frame[c], w.contact_b
    start, size = d[4 + i], d[4 + i + 1] - d[4 + i]
    depth, before = 0, 0.0
    d_before, u_before = _look(m, w, c, n, other, i, 0.0)
    most = max(most, d_before)
    if d_before < least:
        least, place = d_before, start
    for j in range(1, _PIECES + 1):
        h = size * j / _PIECES
        found, u = _look(m, w, c, n, other, i, h)
        most = max(most, found)
        if found < least:
            least, place = found, start + h
        depth = _push(b, depth, before, d_before, u_before, h, found, u)
        before, d_before, u_before = h, found, u
    while depth > 0:
        depth -= 1
        p = 10 * depth
        low, d_low, u_low = b[p], b[p + 1], (b[p + 2], b[p + 3], b[p + 4])
        high, d_high, u_high = b[p + 5], b[p + 6], (b[p + 7], b[p + 8], b[p + 9])
        bound, slope_low, slope_high = _floor(w, f, d, n, i, b, p)
        if bound >= least - _SURE * size:
            continue
        width, middle = high - low, 0.5 * (low + high)
        if slope_low < 0.0 < slope_high:
            at = _refine(m, w, c, n, other, i, low, high)
            found, _ = _look(m, w, c, n, other, i, at)
            if found <= least:
                least, place = found, start + at
            if low + 0.01 * width < at < high - 0.01 * width:
                middle = at
        if width <= _SHORT * size or count >= _MOST:
            continue
        d_middle, u_middle = _look(m, w, c, n, other, i, middle)
        count += 1
        if d_middle < least:
            least, place = d_middle, start + middle
        depth = _push(b, depth, low, d_low, u_low, middle, d_middle, u_middle)
        depth = _push(b, depth, middle, d_middle, u_middle, high, d_high, u_high)
    return least, place, most, count


@kernel
def nearest_to_shape(m, w, c, n, other, last):
    """Return the parameter of the point of line c that is nearest to a convex shape. (T-18.46)

    The interval of the last point comes first; those that cannot be nearer are left out. Where the
    whole line is at the same distance the last place stays.
    """
    d = m.contours.data[m.contours.start[c] :]
    least, place, most, count, first, skipped = math.inf, d[1], -math.inf, 0, -1, False
    if last == last:
        first = interval_of(d, n, last)
        least, place, most, count = _search_interval(
            m, w, c, n, other, first, least, place, most, count
        )
    for i in range(n - 1):
        if i == first:
            continue
        middle, _ = _look(m, w, c, n, other, i, 0.5 * (d[4 + i + 1] - d[4 + i]))
        if middle - reach_of(d, n, i) >= least:
            skipped = True
            continue
        least, place, most, count = _search_interval(
            m, w, c, n, other, i, least, place, most, count
        )
    if not skipped and most - least <= _LEVEL * (d[2] - d[1]):
        return last if last == last else d[1]
    return place


@kernel
def _from_line(d, n, o, a, t, s):
    """Return distance of o + t a from the line, its slope over t, and the place nearest to it."""
    p = along(o, t, a)
    s = nearest_place(d, n, p, s)
    i = interval_of(d, n, s)
    r, _, _ = line_at(d, n, i, s - d[4 + i])
    x = sub(p, r)
    size = norm(x)
    return size, dot(scaled(1.0 / size, x), a) if size > 0.0 else 0.0, s


@kernel
def _highest_between(d, n, o, a, low, slope_low, high, slope_high, s):
    """Return where the distance is largest between two places: the root of its slope. (T-18.48)

    False position with halved weights (Illinois).
    """
    t, size = low, 0.0
    for _ in range(_STEPS):
        t = (low * slope_high - high * slope_low) / (slope_high - slope_low)
        if not low < t < high:
            t = 0.5 * (low + high)
        size, slope, s = _from_line(d, n, o, a, t, s)
        if slope > 0.0:
            low, slope_low, slope_high = t, slope, 0.5 * slope_high
        elif slope < 0.0:
            high, slope_high, slope_low = t, slope, 0.5 * slope_low
        if abs(slope) <= _FINE or high - low <= _FINE * (abs(low) + abs(high)):
            break
    return t, size, s


@kernel
def farthest_on_axis(d, n, o, a, half, s):
    """Return where between -half and half o + t a is farthest from the line, away from both ends.

    Return the place, the parameter of the line, and whether there is one. (T-18.48)
    """
    best, most, found, width = 0.0, -math.inf, False, 2.0 * half / _ON_AXIS
    before, slope_before, s = _from_line(d, n, o, a, -half, s)
    low, where = -half, s
    for j in range(1, _ON_AXIS + 1):
        t = j * width - half
        after, slope, s = _from_line(d, n, o, a, t, s)
        if abs(slope) <= _BENT:
            continue  # the largest distance itself may be here
        # the distance changes by no more than the way
        if slope_before > _BENT and slope < 0.0 and 0.5 * (before + after + t - low) > most:
            at, size, place = _highest_between(d, n, o, a, low, slope_before, t, slope, s)
            if size > most:
                best, most, where, found = at, size, place, True
        low, before, slope_before = t, after, slope
    return best, where, found
