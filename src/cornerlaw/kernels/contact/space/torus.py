"""Tori: a ring with a radius about it, against whatever has a distance.

The contact is the nearest point of the ring, a minimum over its angle. A torus that lies on its
side touches along a circle: where a pair has three slots two more points hold it.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_PLANE, SHAPE_POINT, SHAPE_SPHERE
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import (
    bend,
    distance_to,
    grow,
    has_core,
    of_ring,
    radius_about,
)
from cornerlaw.kernels.contact.space.geometry import (
    add,
    along,
    axis_of,
    dot,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    to_local,
    turn_to_local,
)

_SAMPLES = 48
_STEPS = 60
_FINE = 4e-16
_LEVEL = 1e-9  # relative difference over the ring below which any angle is as good
_MARKS = 12  # places of the ring at which a lying torus may be held
_HOLD = math.radians(25.0)  # how far a place may be from where it should be


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
    """Return distance, slope and bend of what is least at the contact, over the arc. (T-18.30)"""
    R, core = m.contours.data[m.contours.start[c]], has_core(m, other)
    x, radial, e = ring_at(m, w, c, angle)
    d, n, curve = distance_to(m, w, other, 0, x)
    factor = d if core else 1.0
    slope, curvature = factor * dot(n, e), -factor * dot(n, radial) / R
    return d, slope, curvature + bend(core, d, n, curve, e, e)


@kernel
def _refine(m, w, c, other, low, high):
    """Return the angle of the minimum between two: Newton's method inside a bracket."""
    R, angle = m.contours.data[m.contours.start[c]], 0.5 * (low + high)
    for _ in range(_STEPS):
        _, slope, curvature = _objective(m, w, c, other, angle)
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
def _search(m, w, c, other, last):
    """Return the angle of the least distance: all minima between samples are looked at.

    Where the distance is the same all round the last angle stays.
    """
    width = 2.0 * math.pi / _SAMPLES
    least, most, best = math.inf, -math.inf, 0.0
    d, before, _ = _objective(m, w, c, other, 0.0)
    for i in range(_SAMPLES):
        if d < least:
            least, best = d, i * width
        most = max(most, d)
        d, after, _ = _objective(m, w, c, other, (i + 1) * width)
        if before <= 0.0 <= after and before < after:
            angle = _refine(m, w, c, other, i * width, (i + 1) * width)
            found, _, _ = _objective(m, w, c, other, angle)
            if found <= least:
                least, best = found, angle
        before = after
    if most - least <= _LEVEL * m.contours.data[m.contours.start[c]] and last == last:
        return last
    return best


@kernel
def _nearest_angle(m, w, c, other, last):
    """Return the angle of the contact on the ring: in closed form for a plane or a centre."""
    kind, f = m.contours.kind[other], m.contours.frame[c]
    if kind == SHAPE_PLANE:
        n = turn_to_local(w, f, axis_of(w, m.contours.frame[other], 2))
        x, y, size = -n[0], -n[1], 1.0
    elif kind == SHAPE_POINT or kind == SHAPE_SPHERE:
        p = to_local(w, f, origin_of(w, m.contours.frame[other]))
        x, y, size = p[0], p[1], m.contours.data[m.contours.start[c]]
        if radius_about(m, other) < 0.0:
            x, y = -x, -y
    else:
        return _search(m, w, c, other, last)
    if x * x + y * y <= (_LEVEL * size) ** 2:
        return last if last == last else 0.0
    return math.atan2(y, x)


@kernel
def _store(m, w, slot, swap, c, other, angle, identity):
    """Write the contact at an angle: of the torus, or of the ball in it where it is a mark."""
    start = m.contours.start[c]
    R, r, about = m.contours.data[start], m.contours.data[start + 1], radius_about(m, other)
    x, radial, e = ring_at(m, w, c, angle)
    d, u, curve = distance_to(m, w, other, 0, x)
    g, n = d - r - about, scaled(-1.0, u)
    own = of_ring(n, R, r, radial, e) if identity == 0 else of_sphere(r)
    store_point(w, slot, swap, g, n, along(x, about - d, u), along(x, -r, u), grow(curve, about),
                own, identity)  # fmt: skip


@kernel
def _mark_near(angle, last):
    """Return the place of the ring nearest to an angle, the last one where it still holds."""
    width = 2.0 * math.pi / _MARKS
    if last > 0:
        off = (last - 1) * width - angle
        off -= 2.0 * math.pi * round(off / (2.0 * math.pi))
        if abs(off) <= _HOLD:
            return last
    return 1 + round(angle / width) % _MARKS


@kernel
def detect_torus(m, w, k, swap, other, c):
    """Find the contacts of a torus with a point, sphere, plane, solid or torus. (T-18.30)

    Slot k is the nearest point. With three slots the balls in the ring at two of twelve fixed
    places stand beside it, about 120 degrees before and behind. (T-18.31)
    """
    angle = _nearest_angle(m, w, c, other, w.contact_s[4 * k])
    w.contact_s[4 * k] = angle
    _store(m, w, k, swap, c, other, angle, 0)
    for i in range(1, m.slots.count[k]):
        if i > 2:
            store_nothing(w, k + i)
            continue
        aim = angle + (2.0 * math.pi / 3.0 if i == 1 else -2.0 * math.pi / 3.0)
        mark = _mark_near(aim, w.contact_id[k + i])
        place = (mark - 1) * (2.0 * math.pi / _MARKS)
        _store(m, w, k + i, swap, c, other, place, mark)
    return OK
