"""Tori: a ring with a radius about it, against whatever has a distance.

The contact is the nearest point of the ring, a minimum over its angle. A torus that lies on its
side touches along a circle: where a pair has three slots two more points hold it.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_PLANE, SHAPE_POINT, SHAPE_SPHERE
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import (
    distance_to,
    grow,
    has_core,
    of_ring,
    radius_about,
)
from cornerlaw.kernels.contact.space.geometry import (
    along,
    axis_of,
    cross,
    norm,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    to_local,
    turn_to_local,
)
from cornerlaw.kernels.contact.space.polytopes import is_polytope
from cornerlaw.kernels.contact.space.ring_edges import touch_edge
from cornerlaw.kernels.contact.space.torus_search import find_lowest, ring_at

_LEVEL = 1e-9  # relative difference over the ring below which any angle is as good
_MARKS = 12  # places of the ring at which a lying torus may be held
_CREASE = 1e-5  # angle on both sides of a minimum where it is looked for: that is known to 4e-6
_ONE_FACE = 1e-3  # sine between the normals on both sides of a minimum that is in no crease
_HOLD = math.radians(25.0)  # how far a place may be from where it should be


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
        return find_lowest(m, w, c, other, last)
    if x * x + y * y <= (_LEVEL * size) ** 2:
        return last if last == last else 0.0
    return math.atan2(y, x)


@kernel
def _below_edge(m, w, c, other, angle, x, d, u, curve):
    """Return place, distance, normal and curvature of a polytope, and the angle on the ring.

    Those of the edge of the polytope where the ring is below one, else those it is given. (T-18.44)
    """
    before, _, _ = ring_at(m, w, c, angle - _CREASE)
    after, _, _ = ring_at(m, w, c, angle + _CREASE)
    _, n_a, _ = distance_to(m, w, other, 0, before)
    _, n_b, _ = distance_to(m, w, other, 0, after)
    if norm(cross(n_a, n_b)) < _ONE_FACE:
        return x, d, u, curve, angle
    touches, place, angle_there, g, n, edge = touch_edge(m, w, c, other, angle, n_a, n_b)
    return (place, g, n, edge, angle_there) if touches else (x, d, u, curve, angle)


@kernel
def _store(m, w, slot, swap, c, other, angle, identity):
    """Write the contact at an angle: of the torus, or of the ball in it where it is a mark."""
    start = m.contours.start[c]
    R, r, about = m.contours.data[start], m.contours.data[start + 1], radius_about(m, other)
    x, radial, e = ring_at(m, w, c, angle)
    d, u, curve = distance_to(m, w, other, 0, x)
    if d <= 0.0 and identity == 0 and is_polytope(m, other) and not has_core(m, other):
        # the line of the ring is inside, and may be below an edge
        x, d, u, curve, angle = _below_edge(m, w, c, other, angle, x, d, u, curve)
        _, radial, e = ring_at(m, w, c, angle)
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
    """Find the contacts of a torus with a point, sphere, plane, solid or torus. (T-18.31)

    Slot k is the nearest point. With three slots the balls in the ring at two of twelve fixed
    places stand beside it, about 120 degrees before and behind. (T-18.32)
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
