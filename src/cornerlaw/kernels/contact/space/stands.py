"""Points by which a solid stands on something flatter than itself: ends, rims, vertices.

On a plane and inside a hollow sphere a solid has a fixed list of points, one for every slot: both
ends of a capsule or edge, three points of every rim, the apex of a cone, the vertices of a box or
polyhedron.
"""

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.hulls import hull_vertex
from cornerlaw.kernels.contact.space.rims import rim_angle
from cornerlaw.kernels.contact.space.vertices import box_vertex, choose_vertices, settle_vertices


@kernel
def prepare_points(m, w, k, c, x, size):
    """Choose the vertices of a large polyhedron c, extreme along x or farthest from it."""
    data, count = m.contours.data[m.contours.start[c] :], m.slots.count[k]
    if m.contours.size[c] > count:
        settle_vertices(w, k, count, choose_vertices(w, data, x, size, count))


@kernel
def point_of_slot(m, w, k, c, j, x, y, size):
    """Return (p, r, R, i) of slot k + j: a ball of radius r about the point p of solid c.

    R > 0 marks a point that runs along a rim of that radius, extreme towards (x, y); `size` is what
    (x, y) is compared with. i is the identity, -1 if the slot has no point. (T-18.10)
    """
    data, kind = m.contours.data[m.contours.start[c] :], m.contours.kind[c]
    if kind == SHAPE_CAPSULE or kind == SHAPE_EDGE:
        r, half = (data[0], data[1]) if kind == SHAPE_CAPSULE else (0.0, data[0])
        return (0.0, 0.0, -half if j == 0 else half), r, 0.0, j
    if kind == SHAPE_CONE and j == 0:
        return (0.0, 0.0, data[1]), 0.0, 0.0, 0
    if kind == SHAPE_BOX:
        return box_vertex(data, j), 0.0, 0.0, j
    if kind == SHAPE_CIRCLE or kind == SHAPE_CYLINDER or kind == SHAPE_CONE:
        # the three points of a rim stand together, the apex before those of the base
        place = (j - 1) if kind == SHAPE_CONE else j % 3
        z = 0.0
        if kind == SHAPE_CYLINDER:
            z = -data[1] if j < 3 else data[1]
        cosine, sine, runs = rim_angle(m, w, k + j - place, place, x, y, size)
        p = (data[0] * cosine, data[0] * sine, z)
        return p, 0.0, data[0] if runs else 0.0, j
    i = w.contact_j[m.slots.count[k] + j] if m.contours.size[c] > m.slots.count[k] else j
    return hull_vertex(data, max(i, 0)), 0.0, 0.0, i
