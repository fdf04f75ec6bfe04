"""Curvature tuples of the features of solids: vertices, edges, rims, generators, ellipsoids.

Every direction e is laid into the tangent plane of the contact. (T-18.23)
"""

import math

from cornerlaw.arrays.kinds import (
    SHAPE_CAPSULE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_ELLIPSOID,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    axis_of,
    cross,
    dot,
    norm,
    of_sphere,
    origin_of,
    scaled,
    sub,
)
from cornerlaw.kernels.contact.space.patches import (
    DISC,
    FIRST,
    POINT,
    POLYGON,
    SECOND,
    SEGMENT,
    centre_of,
    count_of,
    flat_of,
    identity_of,
    normal_of_patch,
    place_of,
    type_of,
)
from cornerlaw.kernels.contact.space.support import spread

_ALIGNED = 1e-7  # sine between normal and face below which the contact is on the face
_FLAT = 1e-6  # sine below which a rim lies flat, its points are corners


@kernel
def _tangent(n, e):
    """Return the part of e at right angles to n, of unit length."""
    e = along(e, -dot(e, n), n)
    size = norm(e)
    if size < 1e-12:
        return any_tangent(n)
    return scaled(1.0 / size, e)


@kernel
def of_ellipsoid(m, w, c, d):
    """Return the curvature of an ellipsoid where its outward normal is d.

    The radii are the eigenvalues of J in the tangent plane. (T-18.23)
    """
    e = any_tangent(d)
    f = cross(d, e)
    je, jf = spread(m, w, c, d, e), spread(m, w, c, d, f)
    a, b, g = dot(e, je), dot(e, jf), dot(f, jf)
    angle = 0.5 * math.atan2(2.0 * b, a - g)
    x, y = math.cos(angle), math.sin(angle)
    first = a * x * x + 2.0 * b * x * y + g * y * y
    second = a * y * y - 2.0 * b * x * y + g * x * x
    return 1.0, first, 1.0, second, along(scaled(x, e), y, f)


@kernel
def of_rim(m, w, c, x, d):
    """Return the curvature of a rim at its point x for the outward normal d.

    Along the rim k / p = d . u / R with the unit vector u from the axis to x, across it a corner.
    (T-18.23)
    """
    f = m.contours.frame[c]
    a = axis_of(w, f, 2)
    u = _tangent(a, sub(x, origin_of(w, f)))
    return dot(d, u), m.contours.data[m.contours.start[c]], 1.0, 0.0, _tangent(d, cross(a, u))


@kernel
def _of_generator(m, w, c, x, e, d):
    """Return the curvature of the side of a cylinder, cone or capsule, or of an edge, along e.

    Across it k / p = rho / r with the distance r of x from the axis and rho the sine between d and
    the axis. (T-18.23)
    """
    kind, f = m.contours.kind[c], m.contours.frame[c]
    e = _tangent(d, e)
    if kind == SHAPE_CAPSULE:
        return 0.0, 1.0, 1.0, m.contours.data[m.contours.start[c]], e
    if kind == SHAPE_CYLINDER or kind == SHAPE_CONE:
        a = axis_of(w, f, 2)
        r = norm(cross(a, sub(x, origin_of(w, f))))
        return 0.0, 1.0, norm(cross(a, d)), r, e
    return 0.0, 1.0, 1.0, 0.0, e


@kernel
def of_vertex(m, w, c, side, i, d):
    """Return the curvature at vertex i of patch `side` for the outward normal d."""
    kind = m.contours.kind[c]
    if kind == SHAPE_CAPSULE:
        return of_sphere(m.contours.data[m.contours.start[c]])
    if kind == SHAPE_ELLIPSOID:
        return of_ellipsoid(m, w, c, d)
    on_rim = kind == SHAPE_CYLINDER or (kind == SHAPE_CONE and identity_of(w, side, i) < 8)
    if on_rim and (type_of(w, side) < DISC or i == 0):
        a = axis_of(w, m.contours.frame[c], 2)
        if norm(cross(a, d)) > _FLAT:
            return of_rim(m, w, c, place_of(w, side, i), d)
    return of_sphere(0.0)


@kernel
def of_border(m, w, c, side, i, x, d):
    """Return the curvature at x on edge i of patch `side`: an edge, a generator or a rim."""
    if type_of(w, side) >= DISC:
        return of_rim(m, w, c, x, d)
    j = i + 1 if i + 1 < count_of(w, side) else FIRST
    e = sub(place_of(w, side, j), place_of(w, side, i))
    return _of_generator(m, w, c, x, e, d)


@kernel
def _of_polygon(m, w, c, side, u, v, x, d, tolerance):
    """Return the curvature of a polygon at u, v: a face, or its border where the normal tilts."""
    if norm(cross(normal_of_patch(w, side), d)) > _ALIGNED:
        n = count_of(w, side)
        for i in range(n):
            a = flat_of(w, side, i)
            if math.hypot(u - a[0], v - a[1]) <= tolerance:
                return of_vertex(m, w, c, side, i, d)
        for i in range(n):
            a, b = flat_of(w, side, i), flat_of(w, side, i + 1 if i + 1 < n else FIRST)
            du, dv = b[0] - a[0], b[1] - a[1]
            if abs(du * (v - a[1]) - dv * (u - a[0])) <= tolerance * math.hypot(du, dv):
                return of_border(m, w, c, side, i, x, d)
    return 0.0, 1.0, 0.0, 1.0, any_tangent(d)


@kernel
def of_patch(m, w, c, side, u, v, x, d, tolerance):
    """Return the curvature of patch `side` at u, v, position x, for the outward normal d."""
    kind = type_of(w, side)
    if kind == POINT:
        return of_vertex(m, w, c, side, FIRST, d)
    if kind == POLYGON:
        return _of_polygon(m, w, c, side, u, v, x, d, tolerance)
    if kind == SEGMENT:
        p, q = place_of(w, side, FIRST), place_of(w, side, SECOND)
        way = sub(q, p)
        if abs(dot(way, d)) > _ALIGNED * norm(way):
            for i in range(2):
                a = flat_of(w, side, i)
                if math.hypot(u - a[0], v - a[1]) <= tolerance:
                    return of_vertex(m, w, c, side, i, d)
        return of_border(m, w, c, side, FIRST, x, d)
    tilted = norm(cross(normal_of_patch(w, side), d)) > _ALIGNED
    away = norm(sub(x, centre_of(w, side))) - m.contours.data[m.contours.start[c]]
    if tilted and abs(away) <= tolerance:
        return of_rim(m, w, c, x, d)
    return 0.0, 1.0, 0.0, 1.0, any_tangent(d)
