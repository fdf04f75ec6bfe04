"""A circle, a thin ring, against solids: the places of the ring nearest to them.

The distance of a point from a convex solid is known in closed form, and along the ring it has a
slope: f(p) = d(c + R u(p)), f' = R n . t. Every change of sign of the slope from below leads to a
contact; what passes through the opening of the ring does not touch it. Where the ring lies flat,
points of the ring itself, a twenty-fourth of a turn apart, hold it. Two thin curves have no inside:
their gap is the distance. Scratch: f, its slope and its bend at every sample in
w.contact_b[0 : 72], then angle, f and identity of the candidates. (T-18.31)
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CIRCLE
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.curvature import of_rim
from cornerlaw.kernels.contact.space.geometry import (
    along,
    axis_of,
    cross,
    dot,
    norm,
    of_sphere,
    scaled,
    store_nothing,
    store_point,
    to_local,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.ring_edges import touch_edge
from cornerlaw.kernels.contact.space.rounds import nearest_on

_SAMPLES = 24
_STEP = 2.0 * math.pi / _SAMPLES
_C = 96  # first candidate in the scratch: angle, f, identity
_MOST = 40
_ARCS = 320  # in the scratch: both ends of the arcs that are still to be searched
_DEPTH = 40
_FINE = 0.012  # length of an arc in which a change of sign of the slope is followed
_TINY = 1e-6  # length of an arc that is not halved further
_SAME = 1e-10  # of the radius: what is lower by less is not looked for
_FLAT = 1e-9  # of the radius: rise of f all round below which a ring lies flat
_TILTED = 0.4  # of the radius: rise of f up to which its points are of use
_LYING = math.cos(0.4)
_CREASE = 1e-9  # angle on both sides of a minimum where it is looked for
_ONE_FACE = 1e-3  # sine between the normals on both sides of a minimum that is in no crease
_NEAR = 0.5  # angle within which a contact is the one of the last call
# of the radius, of a ring beside a ring: no bound, but with it ten thousand poses miss no minimum
_BEND_OF_RINGS = 4.0


@kernel
def _measure(m, w, c1, c2, angle):
    """Return distance of the solid c2 at an angle of the ring c1, its slope and largest bend.

    The distance from a convex solid lies above its tangent planes, so that along the ring it falls
    below its tangent by no more than R n . rho s^2 / 2, rho away from the centre. (T-18.43)
    """
    f, g, R = m.contours.frame[c1], m.contours.frame[c2], m.contours.data[m.contours.start[c1]]
    c, s = math.cos(angle), math.sin(angle)
    x = to_local(w, g, to_world(w, f, (R * c, R * s, 0.0)))
    d, n, _ = nearest_on(m, c2, x)
    n = turn_to_world(w, g, n)
    slope = dot(n, turn_to_world(w, f, (-R * s, R * c, 0.0)))
    if m.contours.kind[c2] == SHAPE_CIRCLE:
        # the distance from another ring is not convex: no bound, but no minimum was missed
        return d, slope, _BEND_OF_RINGS * R
    return d, slope, max(dot(n, turn_to_world(w, f, (R * c, R * s, 0.0))), 0.0)


@kernel
def _lowest(m, w, c1, c2, low, slope_low, high, slope_high):
    """Return the angle where the slope changes its sign, by secants and bisection, and both slopes.

    They differ where the distance has a crease.
    """
    angle = 0.5 * (low + high)
    for i in range(80):
        # bisection keeps the secant from creeping
        if i % 3 < 2 and slope_high > slope_low:
            angle = low - slope_low * (high - low) / (slope_high - slope_low)
        if not (angle > low and angle < high) or i % 3 == 2:
            angle = 0.5 * (low + high)
        if not (angle > low and angle < high):
            break
        _, slope, _ = _measure(m, w, c1, c2, angle)
        if slope == 0.0:
            # before it the distance still falls, or the same place would be found again
            slope_low, slope_high = -1e-300, 0.0
            break
        if high - low < 1e-15:
            break
        if slope < 0.0:
            low, slope_low = angle, slope
        else:
            high, slope_high = angle, slope
    return angle, slope_low, slope_high


@kernel
def _away(a, b):
    """Return the angle between two places of the ring."""
    d = abs(a - b) % (2.0 * math.pi)
    return min(d, 2.0 * math.pi - d)


@kernel
def _add(b, count, angle, d, identity):
    """Append a candidate; of two minima next to each other the lower one stays. Return how many."""
    for i in range(count if identity < 0 else 0):
        p = _C + 3 * i
        if _away(b[p], angle) < _FINE:
            if d < b[p + 1]:
                b[p], b[p + 1] = angle, d
            return count
    if count < _MOST:
        p = _C + 3 * count
        b[p], b[p + 1], b[p + 2] = angle, d, float(identity)
        return count + 1
    return count


@kernel
def _push(b, depth, low, d_low, slope_low, bend_low, high, d_high, slope_high, bend_high):
    p = _ARCS + 8 * depth
    b[p], b[p + 1], b[p + 2], b[p + 3] = low, d_low, slope_low, bend_low
    b[p + 4], b[p + 5], b[p + 6], b[p + 7] = high, d_high, slope_high, bend_high
    return depth + 1


@kernel
def _bound(length, d_low, slope_low, d_high, slope_high, bend):
    """Return what the distance cannot fall below within an arc. (T-18.43)

    It is lowest at an end, or where the parabolas with the bend that leave both ends cross.
    """
    # the ring turns away from its tangents: what rises along them rises less
    less = 1.0 - length * length / 6.0
    slope_low = slope_low * less if slope_low > 0.0 else slope_low
    slope_high = slope_high * less if slope_high < 0.0 else slope_high
    lift = 0.5 * bend * length * length
    rise = slope_high + bend * length
    if rise <= slope_low:
        return min(d_low, d_high)
    s = (d_low - d_high - lift + rise * length) / (rise - slope_low)
    s = min(max(s, 0.0), length)
    return min(d_low, d_high, d_low + slope_low * s - 0.5 * bend * s * s)


@kernel
def _search_arc(m, w, c1, c2, i, least, count, R):
    """Append the minima of the arc after sample i; return their number and the least distance.

    An arc is halved while a minimum below all others may hide in it, also beside one that has been
    found: inside a solid the distance has creases. (T-18.43)
    """
    b, j, S = w.contact_b, (i + 1) % _SAMPLES, _SAMPLES
    depth = _push(
        b, 0, _STEP * i, b[i], b[S + i], b[2 * S + i],
        _STEP * (i + 1), b[j], b[S + j], b[2 * S + j],
    )  # fmt: skip
    while depth > 0:
        depth -= 1
        p = _ARCS + 8 * depth
        low, d_low, slope_low, bend_low = b[p], b[p + 1], b[p + 2], b[p + 3]
        high, d_high, slope_high, bend_high = b[p + 4], b[p + 5], b[p + 6], b[p + 7]
        length = high - low
        lowest = _bound(length, d_low, slope_low, d_high, slope_high, max(bend_low, bend_high))
        hides = lowest < least - _SAME * R and depth + 2 < _DEPTH
        changes = slope_low < 0.0 and slope_high >= 0.0
        if changes and (not hides or length <= _FINE):
            middle, before, after = _lowest(m, w, c1, c2, low, slope_low, high, slope_high)
            d, _, bend = _measure(m, w, c1, c2, middle)
            # the normal may be that of either side
            bend = max(bend, bend_low, bend_high)
            count = _add(b, count, middle, d, -1)
        elif hides and length > _TINY:
            middle = 0.5 * (low + high)
            d, before, bend = _measure(m, w, c1, c2, middle)
            after = before
        else:
            continue
        least = min(least, d)
        if hides:
            depth = _push(b, depth, low, d_low, slope_low, bend_low, middle, d, before, bend)
            depth = _push(b, depth, middle, d, after, bend, high, d_high, slope_high, bend_high)
    return count, least


@kernel
def _is_flat(b, R):
    """Tell whether the distance is the same all round."""
    low, high = math.inf, -math.inf
    for i in range(_SAMPLES):
        low, high = min(low, b[i]), max(high, b[i])
    return high - low < _FLAT * R


@kernel
def _find_lowest(m, w, c1, c2, R):
    """Write the local minima along the ring as candidates, return their number. (T-18.31)"""
    b, count, least = w.contact_b, 0, math.inf
    for i in range(_SAMPLES):
        b[i], b[_SAMPLES + i], b[2 * _SAMPLES + i] = _measure(m, w, c1, c2, _STEP * i)
        least = min(least, b[i])
    if _is_flat(b, R):
        return 0
    for i in range(_SAMPLES):
        count, least = _search_arc(m, w, c1, c2, i, least, count, R)
    return count


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
def _nearest(m, w, c1, c2, angle):
    """Return a place of the ring, and distance, normal and curvature of the solid c2."""
    f, g, R = m.contours.frame[c1], m.contours.frame[c2], m.contours.data[m.contours.start[c1]]
    r = to_world(w, f, (R * math.cos(angle), R * math.sin(angle), 0.0))
    d, n, (k1, p1, k2, p2, e) = nearest_on(m, c2, to_local(w, g, r))
    return r, d, turn_to_world(w, g, n), (k1, p1, k2, p2, turn_to_world(w, g, e))


@kernel
def _lies_on(m, w, c1, c2, angle):
    """Tell whether the plane of the ring is nearly the one of the solid near an angle."""
    _, _, n, _ = _nearest(m, w, c1, c2, angle)
    return abs(dot(n, axis_of(w, m.contours.frame[c1], 2))) > _LYING


@kernel
def _hold(m, w, k, c1, c2, count, flat, R):
    """Fill the slots with points of a ring that lies, far from the others; return the number.

    A ring with the same distance all round lies, or hangs about what passes through its middle.
    """
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
            if away > far + 1e-9 and (flat or _lies_on(m, w, c1, c2, _STEP * i)):
                best, far = i, away
        if best < 0:
            break
        count = _add(b, count, _STEP * best, b[best], best)
    return count


@kernel
def _at_minimum(m, w, c1, c2, angle):
    """Return place, gap, normal and curvature of the solid at a minimum. (T-18.44)

    Just inside an edge or rim of the solid the distance has a crease: of two faces with the normals
    n_a, n_b the minimum is where they change. The ring touches the edge beside it. Deep inside,
    where it has passed a crease of no edge, the distance and the normal of one face are taken.
    """
    r, d, near, curve = _nearest(m, w, c1, c2, angle)
    if d > 0.0:
        return r, d, near, curve
    _, _, n_a, _ = _nearest(m, w, c1, c2, angle - _CREASE)
    _, _, n_b, _ = _nearest(m, w, c1, c2, angle + _CREASE)
    if norm(cross(n_a, n_b)) < _ONE_FACE:
        return r, d, near, curve
    touches, place, _, g, n, edge = touch_edge(m, w, c1, c2, angle, n_a, n_b)
    return (place, g, n, edge) if touches else (r, d, near, curve)


@kernel
def _store(m, w, slot, swap, c1, c2, i):
    """Write candidate i to a slot."""
    b, p = w.contact_b, _C + 3 * i
    identity = int(b[p + 2])
    if identity >= 32:
        r1, d, n, solid = _at_minimum(m, w, c1, c2, b[p])
        curve = of_rim(m, w, c1, r1, scaled(-1.0, n))
    else:
        r1, d, n, solid = _nearest(m, w, c1, c2, b[p])
        curve = of_sphere(0.0)
    store_point(w, slot, swap, d, n, r1, along(r1, -d, n), curve, solid, identity)
    w.contact_s[4 * slot] = b[p]


@kernel
def detect_ring(m, w, k, swap, c1, c2):
    """Find the contacts of a circle with a solid or a thin curve and write all slots. (T-18.31)"""
    if m.contours.kind[c1] != SHAPE_CIRCLE:
        swap, c1, c2 = not swap, c2, c1
    data, start = m.contours.data, m.contours.start
    # the distance from a ring is not convex, but over an arc of a smaller one it nearly is
    if m.contours.kind[c2] == SHAPE_CIRCLE and data[start[c2]] < data[start[c1]]:
        swap, c1, c2 = not swap, c2, c1
    b, room = w.contact_b, m.slots.count[k]
    R = data[start[c1]]
    count = _find_lowest(m, w, c1, c2, R)
    flat = _is_flat(b, R)
    _sort(b, count)
    count = min(count, room)
    _name(m, w, k, count)
    count = _hold(m, w, k, c1, c2, count, flat, R)
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
