"""Support points of solids: the furthest point in a direction, and how it moves with the direction.

A capsule is represented by its axis; its radius is taken off the gap afterwards, since the offset
by a ball changes no normal. Separation of two solids along the unit vector n:

    sigma(n) = min_{x in 1} n . x - max_{y in 2} n . y        (T-18.13)

Its largest value over all n is the signed gap, distance or penetration, its place the normal.
"""

import math

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
    SHAPE_POLYHEDRON,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    dot,
    sub,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polytopes import half_length, vertex_of

AXIAL = 1e-13  # sine below which a direction is taken along the axis of a disc


@kernel
def radius_of_offset(m, c):
    """Return the radius by which a solid extends beyond its core: that of a capsule, else 0."""
    if m.contours.kind[c] == SHAPE_CAPSULE:
        return m.contours.data[m.contours.start[c]]
    return 0.0


@kernel
def extent(m, c):
    """Return a length of the size of contour c: the radius of a ball about the marker."""
    kind, s, data = m.contours.kind[c], m.contours.start[c], m.contours.data
    if kind == SHAPE_BOX:
        return math.sqrt(data[s] ** 2 + data[s + 1] ** 2 + data[s + 2] ** 2)
    if kind == SHAPE_ELLIPSOID:
        return max(data[s], data[s + 1], data[s + 2])
    if kind == SHAPE_CYLINDER:
        return math.sqrt(data[s] ** 2 + data[s + 1] ** 2)
    if kind == SHAPE_CONE:
        return max(data[s], data[s + 1])
    if kind == SHAPE_POLYHEDRON:
        size = 0.0
        for i in range(int(data[s])):
            x = vertex_of(m, c, i)
            size = max(size, dot(x, x))
        return math.sqrt(size)
    if kind == SHAPE_CAPSULE:
        return data[s] + data[s + 1]
    return data[s]


@kernel
def highest_vertex(m, c, d):
    """Return the vertex of a polytope that is furthest in direction d of its axes."""
    kind = m.contours.kind[c]
    if kind == SHAPE_BOX:
        return (1 if d[0] >= 0.0 else 0) | (2 if d[1] >= 0.0 else 0) | (4 if d[2] >= 0.0 else 0)
    if kind == SHAPE_POLYHEDRON:
        s, data = m.contours.start[c], m.contours.data
        best, height, p = 0, -math.inf, s + 4
        for i in range(int(data[s])):
            h = d[0] * data[p] + d[1] * data[p + 1] + d[2] * data[p + 2]
            if h > height:
                best, height = i, h
            p += 3
        return best
    return 1 if d[2] >= 0.0 else 0


@kernel
def support_in_axes(m, c, d):
    """Return the point of the core of contour c furthest in direction d, both in its axes."""
    kind, s, data = m.contours.kind[c], m.contours.start[c], m.contours.data
    if kind == SHAPE_EDGE or kind == SHAPE_CAPSULE:
        h = half_length(m, c)
        return 0.0, 0.0, h if d[2] >= 0.0 else -h
    if kind == SHAPE_BOX or kind == SHAPE_POLYHEDRON:
        return vertex_of(m, c, highest_vertex(m, c, d))
    if kind == SHAPE_ELLIPSOID:
        x, y, z = data[s] ** 2 * d[0], data[s + 1] ** 2 * d[1], data[s + 2] ** 2 * d[2]
        h = math.sqrt(x * d[0] + y * d[1] + z * d[2])
        return x / h, y / h, z / h
    # a rim, or along the axis the middle of its disc
    R, z = data[s], 0.0
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if kind == SHAPE_CYLINDER:
        z = data[s + 1] if d[2] >= 0.0 else -data[s + 1]
    elif kind == SHAPE_CONE and data[s + 1] * d[2] > R * rho:
        return 0.0, 0.0, data[s + 1]
    if rho <= AXIAL * abs(d[2]):
        return 0.0, 0.0, z
    return R * d[0] / rho, R * d[1] / rho, z


@kernel
def spread_in_axes(m, c, d, t):
    """Return the rate J t of the support point when the unit direction d turns with the rate t.

    Rim of radius R about the axis: J = R / rho e e^T, with rho the sine between d and the axis and
    e the tangent of the rim; ellipsoid with D = diag(a^2, b^2, c^2): J = (D - x x^T) / h with
    h = sqrt(d . D d). (T-18.14)
    """
    kind, s, data = m.contours.kind[c], m.contours.start[c], m.contours.data
    if kind == SHAPE_ELLIPSOID:
        x = support_in_axes(m, c, d)
        h, along_x = dot(x, d), dot(x, t)
        return (
            (data[s] ** 2 * t[0] - x[0] * along_x) / h,
            (data[s + 1] ** 2 * t[1] - x[1] * along_x) / h,
            (data[s + 2] ** 2 * t[2] - x[2] * along_x) / h,
        )
    if kind == SHAPE_CYLINDER or kind == SHAPE_CIRCLE or kind == SHAPE_CONE:
        rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
        at_apex = kind == SHAPE_CONE and data[s + 1] * d[2] > data[s] * rho
        if not at_apex and rho > AXIAL:
            rate = data[s] / rho * (d[0] * t[1] - d[1] * t[0]) / (rho * rho)
            return -rate * d[1], rate * d[0], 0.0
    return 0.0, 0.0, 0.0


@kernel
def support(m, w, c, d):
    """Return the point of the core of contour c furthest in direction d, in the world."""
    f = m.contours.frame[c]
    return to_world(w, f, support_in_axes(m, c, turn_to_local(w, f, d)))


@kernel
def spread(m, w, c, d, t):
    """Return the rate of the support point when the unit direction d turns with the rate t."""
    f = m.contours.frame[c]
    return turn_to_world(w, f, spread_in_axes(m, c, turn_to_local(w, f, d), turn_to_local(w, f, t)))


@kernel
def difference(m, w, c1, c2, n):
    """Return x1 - x2 of the support points against and along n; its part along n is sigma(n).

    (T-18.13)
    """
    return sub(support(m, w, c1, (-n[0], -n[1], -n[2])), support(m, w, c2, n))
