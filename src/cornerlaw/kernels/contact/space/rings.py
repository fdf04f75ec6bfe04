"""A circle, a thin ring, against solids: the places of the ring nearest to them.

The distance of a point from a convex solid is known in closed form, and along the ring it has a
slope: f(p) = d(c + R u(p)), f' = R n . t. Every change of sign of the slope from below leads to a
contact; what passes through the opening of the ring does not touch it. Where the ring lies flat,
points of the ring itself, a twenty-fourth of a turn apart, hold it. Two thin curves have no inside:
their gap is the distance. Scratch: f, its slope and the place of every sample in
w.contact_b[0 : 72], then angle, f and identity of the candidates. (T-18.30)
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CIRCLE
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.curvature import of_rim
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    of_sphere,
    scaled,
    store_nothing,
    store_point,
    to_local,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.rounds import nearest_on

_SAMPLES = 24
_STEP = 2.0 * math.pi / _SAMPLES
_C = 96  # first candidate in the scratch: angle, f, identity
_MOST = 40
_FLAT = 1e-9  # of the radius: rise of f all round below which a ring lies flat
_TILTED = 0.4  # of the radius: rise of f up to which its points are of use
_NEAR = 0.5  # angle within which a contact is the one of the last call


@kernel
def _measure(m, w, c1, c2, angle):
    """Return distance of the solid c2 at an angle of the ring c1, and its slope. (T-18.30)"""
    f, g, R = m.contours.frame[c1], m.contours.frame[c2], m.contours.data[m.contours.start[c1]]
    c, s = math.cos(angle), math.sin(angle)
    x = to_local(w, g, to_world(w, f, (R * c, R * s, 0.0)))
    d, n, _ = nearest_on(m, c2, x)
    t = turn_to_world(w, f, (-R * s, R * c, 0.0))
    return d, dot(turn_to_world(w, g, n), t)


@kernel
def _lowest(m, w, c1, c2, low, slope_low, high, slope_high):
    """Return the angle where the slope changes its sign, by secants and bisection."""
    angle = 0.5 * (low + high)
    for i in range(80):
        # bisection keeps the secant from creeping
        if i % 3 < 2 and slope_high > slope_low:
            angle = low - slope_low * (high - low) / (slope_high - slope_low)
        if not (angle > low and angle < high) or i % 3 == 2:
            angle = 0.5 * (low + high)
        if not (angle > low and angle < high):
            break
        _, slope = _measure(m, w, c1, c2, angle)
        if slope == 0.0 or high - low < 1e-15:
            break
        if slope < 0.0:
            low, slope_low = angle, slope
        else:
            high, slope_high = angle, slope
    return angle


@kernel
def _add(b, count, angle, d, identity):
    if count < _MOST:
        p = _C + 3 * count
        b[p], b[p + 1], b[p + 2] = angle, d, float(identity)
        return count + 1
    return count


@kernel
def _may_dip(b, i, least, R):
    """Tell whether the arc after sample i may lead below a distance by the planes at both ends.

    The distance is convex in space: it is above f + n . (x - x_i), the sagitta of the arc is small.
    """
    j = (i + 1) % _SAMPLES
    sagitta = R * (1.0 - math.cos(_STEP))
    down = min(b[i] + min(b[_SAMPLES + i] * _STEP, 0.0), b[j] - max(b[_SAMPLES + j] * _STEP, 0.0))
    return down - sagitta < least


@kernel
def _find_lowest(m, w, c1, c2, R):
    """Write the local minima along the ring as candidates, return their number. (T-18.30)"""
    b, count, least = w.contact_b, 0, math.inf
    for i in range(_SAMPLES):
        b[i], b[_SAMPLES + i] = _measure(m, w, c1, c2, _STEP * i)
        least = min(least, b[i])
    for i in range(_SAMPLES):
        j = (i + 1) % _SAMPLES
        parts = 1
        rising = b[_SAMPLES + i] < 0.0 and b[_SAMPLES + j] >= 0.0
        if not rising and _may_dip(b, i, least, R):
            parts = 4
        low, slope_low = _STEP * i, b[_SAMPLES + i]
        for k in range(parts):
            high = _STEP * (i + (k + 1) / parts)
            slope_high = b[_SAMPLES + j]
            if k + 1 < parts:
                _, slope_high = _measure(m, w, c1, c2, high)
            if slope_low < 0.0 and slope_high >= 0.0:
                angle = _lowest(m, w, c1, c2, low, slope_low, high, slope_high)
                d, _ = _measure(m, w, c1, c2, angle)
                count = _add(b, count, angle, d, -1)
            low, slope_low = high, slope_high
    return count


@kernel
def _is_flat(b, R):
    """Tell whether the distance is the same all round."""
    low, high = math.inf, -math.inf
    for i in range(_SAMPLES):
        low, high = min(low, b[i]), max(high, b[i])
    return high - low < _FLAT * R


@kernel
def _away(a, b):
    """Return the angle between two places of the ring."""
    d = abs(a - b) % (2.0 * math.pi)
    return min(d, 2.0 * math.pi - d)


@kernel
def _name(m, w, k, count):
    """Give every minimum the number of the slot's one it continues, else a free one.

    The slots keep the angles of their contacts; numbers from 32 on are minima.
    """
    b, s, room = w.contact_b, w.contact_s, m.slots.count[k]
    for i in range(min(count, room)):
        p, best, near = _C + 3 * i, -1, _NEAR
        for j in range(room):
            known = w.contact_id[k + j]
            if known < 32 or _away(b[p], s[4 * (k + j)]) >= near:
                continue
            taken = False
            for l in range(i):
                taken = taken or b[_C + 3 * l + 2] == known
            if not taken:
                best, near = known, _away(b[p], s[4 * (k + j)])
        free = 32
        while best < 0:
            taken = False
            for l in range(i):
                taken = taken or b[_C + 3 * l + 2] == free
            for j in range(room):
                taken = taken or w.contact_id[k + j] == free
            if not taken:
                best = free
            free += 1
        b[p + 2] = best


@kernel
def _sort(b, count):
    """Put the nearest candidates first."""
    for i in range(1, count):
        for j in range(i, 0, -1):
            p, q = _C + 3 * (j - 1), _C + 3 * j
            if b[p + 1] <= b[q + 1]:
                break
            for a in range(3):
                b[p + a], b[q + a] = b[q + a], b[p + a]


@kernel
def _hold(m, w, k, count, R):
    """Fill the slots with points of the ring that lie far from the others; return the number."""
    b, room = w.contact_b, m.slots.count[k]
    least = b[_C + 1] if count > 0 else b[0]
    while count < room:
        best, far = -1, 0.5 * math.pi / room
        for i in range(_SAMPLES):
            if b[i] > least + _TILTED * R:
                continue
            away = math.pi
            for j in range(count):
                away = min(away, _away(_STEP * i, b[_C + 3 * j]))
            for s in range(k, k + room):
                if w.contact_id[s] == i:
                    away += 0.2
            if away > far + 1e-9:
                best, far = i, away
        if best < 0:
            break
        count = _add(b, count, _STEP * best, b[best], best)
    return count


@kernel
def _store(m, w, slot, swap, c1, c2, i):
    """Write candidate i to a slot."""
    b, p = w.contact_b, _C + 3 * i
    f, g, R = m.contours.frame[c1], m.contours.frame[c2], m.contours.data[m.contours.start[c1]]
    r1 = to_world(w, f, (R * math.cos(b[p]), R * math.sin(b[p]), 0.0))
    d, n, (k1, p1, k2, p2, e) = nearest_on(m, c2, to_local(w, g, r1))
    n, e = turn_to_world(w, g, n), turn_to_world(w, g, e)
    identity = int(b[p + 2])
    curve = of_rim(m, w, c1, r1, scaled(-1.0, n)) if identity >= 32 else of_sphere(0.0)
    store_point(w, slot, swap, d, n, r1, along(r1, -d, n), curve, (k1, p1, k2, p2, e), identity)
    w.contact_s[4 * slot] = b[p]


@kernel
def detect_ring(m, w, k, swap, c1, c2):
    """Find the contacts of a circle with a solid or a thin curve and write all slots. (T-18.30)"""
    if m.contours.kind[c1] != SHAPE_CIRCLE:
        swap, c1, c2 = not swap, c2, c1
    b, room = w.contact_b, m.slots.count[k]
    R = m.contours.data[m.contours.start[c1]]
    count = _find_lowest(m, w, c1, c2, R)
    if _is_flat(b, R):
        count = 0
    _sort(b, count)
    count = min(count, room)
    _name(m, w, k, count)
    count = _hold(m, w, k, count, R)
    # slots that keep their contact first, then free ones
    j = w.contact_j
    for s in range(room):
        j[s] = -1
    for again in range(2):
        for i in range(count):
            known = int(b[_C + 3 * i + 2])
            placed = False
            for s in range(room):
                placed = placed or j[s] == i
            for s in range(room):
                if not placed and j[s] < 0 and (again == 1 or w.contact_id[k + s] == known):
                    j[s], placed = i, True
    for s in range(room):
        if j[s] < 0:
            store_nothing(w, k + s)
        else:
            _store(m, w, k + s, swap, c1, c2, j[s])
