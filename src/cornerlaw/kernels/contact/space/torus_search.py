"""The place of a ring nearest to a shape: samples all round, then arcs with a bound.

Samples find the minima of smooth shapes. Corners of boxes and polyhedra make minima that are
narrower than any distance of samples; arcs in which one may hide are halved until none can.
Scratch: distance, slope and fall of every sample, then the arcs that are still to be searched.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CIRCLE, SHAPE_TORUS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import bend, distance_to, has_core
from cornerlaw.kernels.contact.space.geometry import add, along, axis_of, dot, origin_of, scaled

_SAMPLES = 48
_WIDTH = 2.0 * math.pi / _SAMPLES
_STEPS = 60
_FINE = 4e-16
_LEVEL = 1e-9  # relative difference over the ring below which any angle is as good
_SURE = 1e-11  # of the radius: what a hidden minimum may be lower
_SHORT = 4e-6  # arc that hides less than that
_SHORT_OF_RINGS = 0.01  # the same between two rings, whose distance is smooth
_MOST = 1500  # distances in a search, after which arcs are as good as they are
_ARCS = 160  # first arc in the scratch


@kernel
def ring_at(m, w, c, angle):
    """Return the point of the ring at an angle, its unit radius and unit tangent."""
    f, R = m.contours.frame[c], m.contours.data[m.contours.start[c]]
    x, y = axis_of(w, f, 0), axis_of(w, f, 1)
    cosine, sine = math.cos(angle), math.sin(angle)
    radial = add(scaled(cosine, x), scaled(sine, y))
    return along(origin_of(w, f), R, radial), radial, add(scaled(-sine, x), scaled(cosine, y))


@kernel
def _objective(m, w, c, other, angle):
    """Return slope and bend of what is least at the contact, over the arc. (T-18.31)"""
    R, core = m.contours.data[m.contours.start[c]], has_core(m, other)
    x, radial, e = ring_at(m, w, c, angle)
    d, n, curve = distance_to(m, w, other, 0, x)
    factor = d if core else 1.0
    slope, curvature = factor * dot(n, e), -factor * dot(n, radial) / R
    return slope, curvature + bend(core, d, n, curve, e, e)


@kernel
def _measure(m, w, c, other, angle):
    """Return distance, slope R n . e and fall R n . u at an angle, for the bound. (T-18.45)"""
    R = m.contours.data[m.contours.start[c]]
    x, radial, e = ring_at(m, w, c, angle)
    d, n, _ = distance_to(m, w, other, 0, x)
    return d, R * dot(n, e), R * dot(n, radial)


@kernel
def _refine(m, w, c, other, low, high):
    """Return the angle of the minimum between two: Newton's method inside a bracket."""
    R, angle = m.contours.data[m.contours.start[c]], 0.5 * (low + high)
    for _ in range(_STEPS):
        slope, curvature = _objective(m, w, c, other, angle)
        if slope < 0.0:
            low = angle
        else:
            high = angle
        new = angle - slope / (curvature * R)
        if not (curvature > 0.0 and low <= new <= high):
            new = 0.5 * (low + high)
        step = abs(new - angle)
        angle = new
        if step <= _FINE * 6.0:
            break
    return angle


@kernel
def _bound(length, a, b, R, convex):
    """Return what the distance cannot fall below within an arc between a and b.

    A convex distance lies above its tangent planes, d(x) >= f_a + n_a . (x - x_a). Any distance
    changes by no more than the way. (T-18.45)
    """
    if not convex:
        return 0.5 * (a[0] + b[0] - R * length)
    bend = 0.5 * length * length
    low = a[0] + min(a[1], 0.0) * length - max(a[2], 0.0) * bend
    high = b[0] - max(b[1], 0.0) * length - max(b[2], 0.0) * bend
    return max(low, high)


@kernel
def _push(b, depth, low, at_low, high, at_high):
    p = _ARCS + 8 * depth
    b[p], b[p + 1], b[p + 2], b[p + 3] = low, at_low[0], at_low[1], at_low[2]
    b[p + 4], b[p + 5], b[p + 6], b[p + 7] = high, at_high[0], at_high[1], at_high[2]
    return depth + 1


@kernel
def _sample(m, w, c, other):
    """Write the samples; return least and largest distance, and the angle of the least.

    Minima between samples with a slope down and up are among them.
    """
    s, least, most, best = w.contact_b, math.inf, -math.inf, 0.0
    for i in range(_SAMPLES):
        s[3 * i], s[3 * i + 1], s[3 * i + 2] = _measure(m, w, c, other, i * _WIDTH)
        most = max(most, s[3 * i])
        if s[3 * i] < least:
            least, best = s[3 * i], i * _WIDTH
    for i in range(_SAMPLES):
        before, after = s[3 * i + 1], s[3 * ((i + 1) % _SAMPLES) + 1]
        if before <= 0.0 <= after and before < after:
            angle = _refine(m, w, c, other, i * _WIDTH, (i + 1) * _WIDTH)
            found, _, _ = _measure(m, w, c, other, angle)
            if found <= least:
                least, best = found, angle
    return least, most, best


@kernel
def _search_arc(m, w, c, other, i, least, best, count, convex):
    """Look for a lower minimum in the arc after sample i: halved while one may hide. (T-18.45)

    Return least distance, its angle, and the number of distances so far.
    """
    b, j, R = w.contact_b, (i + 1) % _SAMPLES, m.contours.data[m.contours.start[c]]
    short = _SHORT if convex else _SHORT_OF_RINGS
    first = b[3 * i], b[3 * i + 1], b[3 * i + 2]
    last = b[3 * j], b[3 * j + 1], b[3 * j + 2]
    depth = _push(b, 0, i * _WIDTH, first, (i + 1) * _WIDTH, last)
    while depth > 0:
        depth -= 1
        p = _ARCS + 8 * depth
        low, at_low = b[p], (b[p + 1], b[p + 2], b[p + 3])
        high, at_high = b[p + 4], (b[p + 5], b[p + 6], b[p + 7])
        length = high - low
        if _bound(length, at_low, at_high, R, convex) >= least - _SURE * R:
            continue
        if length > short and count < _MOST:
            # beside a minimum that is known the slope says more than at the middle
            known = low + 0.01 * length < best < high - 0.01 * length
            middle = best if known else 0.5 * (low + high)
            at_middle = _measure(m, w, c, other, middle)
            count += 1
            if at_middle[0] < least:
                least, best = at_middle[0], middle
            depth = _push(b, depth, low, at_low, middle, at_middle)
            depth = _push(b, depth, middle, at_middle, high, at_high)
        elif at_low[1] < 0.0 <= at_high[1]:
            angle = _refine(m, w, c, other, low, high)
            found, _, _ = _measure(m, w, c, other, angle)
            if found < least:
                least, best = found, angle
    return least, best, count


@kernel
def _polish(m, w, c, other, least, best, reach):
    """Return the angle of the minimum beside a place, which may have been a sample of an arc."""
    _, before, _ = _measure(m, w, c, other, best - reach)
    _, after, _ = _measure(m, w, c, other, best + reach)
    if not before < 0.0 < after:
        return best
    angle = _refine(m, w, c, other, best - reach, best + reach)
    found, _, _ = _measure(m, w, c, other, angle)
    return angle if found <= least else best


@kernel
def find_lowest(m, w, c, other, last):
    """Return the angle of the least distance of shape `other` from the ring of torus c. (T-18.31)

    Where the distance is the same all round the last angle stays.
    """
    least, most, best = _sample(m, w, c, other)
    if most - least <= _LEVEL * m.contours.data[m.contours.start[c]]:
        return last if last == last else best
    kind = m.contours.kind[other]
    convex = kind != SHAPE_TORUS and kind != SHAPE_CIRCLE
    sampled, count = least, 0
    for i in range(_SAMPLES):
        least, best, count = _search_arc(m, w, c, other, i, least, best, count, convex)
    if least < sampled:
        return _polish(m, w, c, other, least, best, 1e-4)
    return best
