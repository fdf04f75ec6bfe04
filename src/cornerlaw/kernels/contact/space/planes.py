"""Solids on a plane: their lowest points, and as many more as hold them at rest."""

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.ellipsoids import of_ellipsoid, support_of_ellipsoid
from cornerlaw.kernels.contact.space.geometry import (
    along,
    axis_of,
    dot,
    of_plane,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.hulls import hull_vertex
from cornerlaw.kernels.contact.space.nearest import of_rim
from cornerlaw.kernels.contact.space.rims import extreme_angle, held_angle
from cornerlaw.kernels.contact.space.vertices import box_vertex, choose_vertices, settle_vertices


@kernel
def _store(m, w, k, swap, c1, c2, x, curve, identity):
    """Write slot k for the point x of the solid, in its axes, over the plane c1. (T-17.10)"""
    f, plane = m.contours.frame[c2], m.contours.frame[c1]
    r2, up = to_world(w, f, x), axis_of(w, plane, 2)
    g = dot(sub(r2, origin_of(w, plane)), up)
    curve_2 = (curve[0], curve[1], curve[2], curve[3], turn_to_world(w, f, curve[4]))
    n, r1 = scaled(-1.0, up), along(r2, -g, up)
    store_point(w, k, swap, g, n, r1, r2, of_plane(), curve_2, identity)


@kernel
def _store_rim(m, w, k, swap, c1, c2, n, R, z, identity):
    """Write slots k, k + 1, k + 2 for a rim of radius R at the height z. (T-17.11)"""
    c, s = extreme_angle(m, w, k, n[0], n[1], 1.0)
    _store(m, w, k, swap, c1, c2, (R * c, R * s, z), of_rim(n, c, s, R), identity)
    for j in range(1, 3):
        c, s = held_angle(m, w, k, j)
        _store(m, w, k + j, swap, c1, c2, (R * c, R * s, z), of_sphere(0.0), identity + j)


@kernel
def _store_hull(m, w, k, swap, c1, c2, n):
    """Write the slots of a polyhedron: one per vertex, or those chosen of many."""
    data, count = m.contours.data[m.contours.start[c2] :], m.slots.count[k]
    if data[0] <= count:
        for i in range(count):
            _store(m, w, k + i, swap, c1, c2, hull_vertex(data, i), of_sphere(0.0), i)
        return
    found = choose_vertices(w, data, n, 0.0, count)
    settle_vertices(w, k, count, found)
    for s in range(count):
        i = w.contact_j[count + s]
        if i < 0:
            store_nothing(w, k + s)
        else:
            _store(m, w, k + s, swap, c1, c2, hull_vertex(data, i), of_sphere(0.0), i)


@kernel
def detect_plane(m, w, k):
    """Find the contacts of a solid with a plane. (T-17.10)"""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    kind, data = m.contours.kind[c2], m.contours.data[m.contours.start[c2] :]
    f = m.contours.frame[c2]
    # downwards, in the axes of the solid
    n = turn_to_local(w, f, scaled(-1.0, axis_of(w, m.contours.frame[c1], 2)))
    if kind == SHAPE_CAPSULE or kind == SHAPE_EDGE:
        r, half = (data[0], data[1]) if kind == SHAPE_CAPSULE else (0.0, data[0])
        for j in range(2):
            x = along((0.0, 0.0, -half if j == 0 else half), r, n)
            _store(m, w, k + j, swap, c1, c2, x, of_sphere(r), j)
    elif kind == SHAPE_CIRCLE:
        _store_rim(m, w, k, swap, c1, c2, n, data[0], 0.0, 0)
    elif kind == SHAPE_CYLINDER:
        _store_rim(m, w, k, swap, c1, c2, n, data[0], -data[1], 0)
        _store_rim(m, w, k + 3, swap, c1, c2, n, data[0], data[1], 3)
    elif kind == SHAPE_CONE:
        _store(m, w, k, swap, c1, c2, (0.0, 0.0, data[1]), of_sphere(0.0), 0)
        _store_rim(m, w, k + 1, swap, c1, c2, n, data[0], 0.0, 1)
    elif kind == SHAPE_ELLIPSOID:
        a = (data[0], data[1], data[2])
        x = support_of_ellipsoid(a, n)
        m_x = (x[0] / (a[0] * a[0]), x[1] / (a[1] * a[1]), x[2] / (a[2] * a[2]))
        _store(m, w, k, swap, c1, c2, x, of_ellipsoid(a, m_x), 0)
    elif kind == SHAPE_BOX:
        for i in range(8):
            _store(m, w, k + i, swap, c1, c2, box_vertex(data, i), of_sphere(0.0), i)
    else:
        _store_hull(m, w, k, swap, c1, c2, n)
    return OK
