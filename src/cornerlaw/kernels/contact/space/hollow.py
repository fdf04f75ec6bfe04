"""Solids inside a hollow sphere: their points farthest from its centre."""

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.ellipsoids import farthest_on_ellipsoid, of_ellipsoid
from cornerlaw.kernels.contact.space.geometry import (
    along,
    norm,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.hulls import hull_vertex
from cornerlaw.kernels.contact.space.nearest import of_rim
from cornerlaw.kernels.contact.space.rims import extreme_angle, held_angle
from cornerlaw.kernels.contact.space.vertices import box_vertex, choose_vertices, settle_vertices


@kernel
def _store(m, w, k, swap, c1, c2, d, n, curve, identity):
    """Write slot k for a point at the distance d and in the direction n of the hollow's centre.

    g = R - d; direction and curvature are in the axes of the solid. (T-17.7)
    """
    R = -m.contours.data[m.contours.start[c1]]
    o, f = origin_of(w, m.contours.frame[c1]), m.contours.frame[c2]
    n, e = turn_to_world(w, f, n), turn_to_world(w, f, curve[4])
    r1, r2 = along(o, R, n), along(o, d, n)
    curve_2 = (curve[0], curve[1], curve[2], curve[3], e)
    store_point(w, k, swap, R - d, n, r1, r2, of_sphere(-R), curve_2, identity)


@kernel
def _direction(p, x):
    """Return distance and unit vector from x to p."""
    d = sub(p, x)
    size = norm(d)
    return (size, scaled(1.0 / size, d)) if size > 0.0 else (0.0, (0.0, 0.0, 1.0))


@kernel
def _store_ball(m, w, k, swap, c1, c2, x, p, r, identity):
    """Write slot k for a ball of radius r about the point p of the solid, r = 0 for a vertex."""
    d, n = _direction(p, x)
    _store(m, w, k, swap, c1, c2, d + r, n, of_sphere(r), identity)


@kernel
def _store_rim(m, w, k, swap, c1, c2, x, R, z, identity):
    """Write slots k, k + 1, k + 2 for a rim of radius R at the height z. (T-17.11)"""
    c, s = extreme_angle(m, w, k, -x[0], -x[1], R)
    d, n = _direction((R * c, R * s, z), x)
    _store(m, w, k, swap, c1, c2, d, n, of_rim(n, c, s, R), identity)
    for j in range(1, 3):
        c, s = held_angle(m, w, k, j)
        p = (R * c, R * s, z)
        _store_ball(m, w, k + j, swap, c1, c2, x, p, 0.0, identity + j)


@kernel
def _store_hull(m, w, k, swap, c1, c2, x):
    """Write the slots of a polyhedron: one per vertex, or those chosen of many."""
    data, count = m.contours.data[m.contours.start[c2] :], m.slots.count[k]
    if data[0] <= count:
        for i in range(count):
            _store_ball(m, w, k + i, swap, c1, c2, x, hull_vertex(data, i), 0.0, i)
        return
    n = choose_vertices(w, data, x, -m.contours.data[m.contours.start[c1]], count)
    settle_vertices(w, k, count, n)
    for s in range(count):
        i = w.contact_j[count + s]
        if i < 0:
            store_nothing(w, k + s)
        else:
            _store_ball(m, w, k + s, swap, c1, c2, x, hull_vertex(data, i), 0.0, i)


@kernel
def detect_in_hollow(m, w, k, swap, c1, c2):
    """Find the contacts of solid c2 with the hollow sphere c1 around it. (T-17.7)"""
    kind, data = m.contours.kind[c2], m.contours.data[m.contours.start[c2] :]
    x = to_local(w, m.contours.frame[c2], origin_of(w, m.contours.frame[c1]))
    if kind == SHAPE_CAPSULE or kind == SHAPE_EDGE:
        r, half = (data[0], data[1]) if kind == SHAPE_CAPSULE else (0.0, data[0])
        _store_ball(m, w, k, swap, c1, c2, x, (0.0, 0.0, -half), r, 0)
        _store_ball(m, w, k + 1, swap, c1, c2, x, (0.0, 0.0, half), r, 1)
    elif kind == SHAPE_CIRCLE:
        _store_rim(m, w, k, swap, c1, c2, x, data[0], 0.0, 0)
    elif kind == SHAPE_CYLINDER:
        _store_rim(m, w, k, swap, c1, c2, x, data[0], -data[1], 0)
        _store_rim(m, w, k + 3, swap, c1, c2, x, data[0], data[1], 3)
    elif kind == SHAPE_CONE:
        _store_ball(m, w, k, swap, c1, c2, x, (0.0, 0.0, data[1]), 0.0, 0)
        _store_rim(m, w, k + 1, swap, c1, c2, x, data[0], 0.0, 1)
    elif kind == SHAPE_ELLIPSOID:
        a = (data[0], data[1], data[2])
        d, normal = farthest_on_ellipsoid(a, x)
        n = scaled(1.0 / norm(normal), normal)
        _store(m, w, k, swap, c1, c2, d, n, of_ellipsoid(a, normal), 0)
    elif kind == SHAPE_BOX:
        for i in range(8):
            _store_ball(m, w, k + i, swap, c1, c2, x, box_vertex(data, i), 0.0, i)
    else:
        _store_hull(m, w, k, swap, c1, c2, x)
