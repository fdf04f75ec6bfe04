"""Points and spheres against planes, each other and solids: nearest points in closed form.

A sphere of negative radius is seen from inside; a point is a sphere without radius.
"""

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
    SHAPE_PLANE,
    SHAPE_SPHERE,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    axis_of,
    dot,
    norm,
    of_plane,
    of_sphere,
    origin_of,
    scaled,
    store_point,
    sub,
    to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.hollow import detect_in_hollow
from cornerlaw.kernels.contact.space.hulls import nearest_on_hull
from cornerlaw.kernels.contact.space.nearest import (
    nearest_of_ellipsoid,
    nearest_on_box,
    nearest_on_capsule,
    nearest_on_cone,
    nearest_on_cylinder,
    nearest_on_ring,
)


@kernel
def _radius(m, c):
    """Return the signed radius of a sphere, zero of a point."""
    return m.contours.data[m.contours.start[c]] if m.contours.kind[c] == SHAPE_SPHERE else 0.0


@kernel
def nearest_on(m, c, x):
    """Return signed distance, normal and curvature of solid c at its nearest point to x."""
    kind = m.contours.kind[c]
    data = m.contours.data[m.contours.start[c] :]
    if kind == SHAPE_CAPSULE:
        return nearest_on_capsule(data[0], data[1], x)
    if kind == SHAPE_EDGE:
        return nearest_on_capsule(0.0, data[0], x)
    if kind == SHAPE_CIRCLE:
        return nearest_on_ring(data[0], x)
    if kind == SHAPE_CYLINDER:
        return nearest_on_cylinder(data[0], data[1], x)
    if kind == SHAPE_CONE:
        return nearest_on_cone(data[0], data[1], x)
    if kind == SHAPE_ELLIPSOID:
        return nearest_of_ellipsoid((data[0], data[1], data[2]), x)
    if kind == SHAPE_BOX:
        return nearest_on_box((data[0], data[1], data[2]), x)
    return nearest_on_hull(data, x)


@kernel
def _detect_spheres(m, w, k, swap, c1, c2):
    """Write slot k for two spheres: g = +-|d| - R_1 - R_2, minus where one is hollow. (T-18.1)"""
    R1, R2 = _radius(m, c1), _radius(m, c2)
    o1, o2 = origin_of(w, m.contours.frame[c1]), origin_of(w, m.contours.frame[c2])
    side = -1.0 if R1 < 0.0 or R2 < 0.0 else 1.0
    d = sub(o1, o2)
    size = norm(d)
    n = scaled(side / size, d) if size > 0.0 else (0.0, 0.0, 1.0)
    g = side * size - R1 - R2
    r1, r2 = along(o1, -R1, n), along(o2, R2, n)
    store_point(w, k, swap, g, n, r1, r2, of_sphere(R1), of_sphere(R2), 0)


@kernel
def _detect_on_plane(m, w, k, swap, c1, c2):
    """Write slot k for a sphere on a plane. (T-18.1)"""
    R, f = _radius(m, c1), m.contours.frame[c2]
    o, n = origin_of(w, m.contours.frame[c1]), axis_of(w, f, 2)
    g = dot(sub(o, origin_of(w, f)), n) - R
    r1 = along(o, -R, n)
    store_point(w, k, swap, g, n, r1, along(r1, -g, n), of_sphere(R), of_plane(), 0)


@kernel
def detect_round(m, w, k):
    """Find the contacts of a point or sphere with a plane, a sphere or a solid. (T-18.1)"""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    if m.contours.kind[c2] <= SHAPE_SPHERE:
        _detect_spheres(m, w, k, swap, c1, c2)
        return OK
    if m.contours.kind[c2] == SHAPE_PLANE:
        _detect_on_plane(m, w, k, swap, c1, c2)
        return OK
    R, f = _radius(m, c1), m.contours.frame[c2]
    if R < 0.0:
        detect_in_hollow(m, w, k, swap, c1, c2)
        return OK
    o = origin_of(w, m.contours.frame[c1])
    d, n, (k1, p1, k2, p2, e) = nearest_on(m, c2, to_local(w, f, o))
    n, e = turn_to_world(w, f, n), turn_to_world(w, f, e)
    r1 = along(o, -R, n)
    r2 = along(o, -d, n)
    store_point(w, k, swap, d - R, n, r1, r2, of_sphere(R), (k1, p1, k2, p2, e), 0)
    return OK
