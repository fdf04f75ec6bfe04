"""Vertices, faces and edges of boxes, convex polyhedra and straight edges, in the marker's axes.

A capsule counts by its axis, the straight edge that it is the neighbourhood of. Numbers of a
polyhedron: n_v, n_f, n_e, n_loop, vertices, then normal, loop start and loop count of every face,
the vertices of all loops (counter-clockwise seen from outside), and of every edge two vertices and
two faces.
"""

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_EDGE,
    SHAPE_POLYHEDRON,
)
from cornerlaw.kernels._numba import kernel


@kernel
def is_polytope(m, c):
    """Tell whether contour c, or the axis of a capsule c, is the hull of finitely many vertices."""
    kind = m.contours.kind[c]
    return (
        kind == SHAPE_EDGE or kind == SHAPE_CAPSULE or kind == SHAPE_BOX or kind == SHAPE_POLYHEDRON
    )


@kernel
def half_length(m, c):
    """Return half the length of an edge or of the axis of a capsule."""
    s = m.contours.start[c]
    return m.contours.data[s + 1] if m.contours.kind[c] == SHAPE_CAPSULE else m.contours.data[s]


@kernel
def count_vertices(m, c):
    """Return the number of vertices."""
    kind = m.contours.kind[c]
    if kind == SHAPE_BOX:
        return 8
    if kind == SHAPE_POLYHEDRON:
        return int(m.contours.data[m.contours.start[c]])
    return 2


@kernel
def count_faces(m, c):
    """Return the number of faces; an edge has none."""
    kind = m.contours.kind[c]
    if kind == SHAPE_BOX:
        return 6
    if kind == SHAPE_POLYHEDRON:
        return int(m.contours.data[m.contours.start[c] + 1])
    return 0


@kernel
def count_edges(m, c):
    """Return the number of edges."""
    kind = m.contours.kind[c]
    if kind == SHAPE_BOX:
        return 12
    if kind == SHAPE_POLYHEDRON:
        return int(m.contours.data[m.contours.start[c] + 2])
    return 1


@kernel
def vertex_of(m, c, i):
    """Return vertex i; the bits of i are the signs of a box's vertex."""
    kind, s, data = m.contours.kind[c], m.contours.start[c], m.contours.data
    if kind == SHAPE_BOX:
        return (
            data[s] if i & 1 else -data[s],
            data[s + 1] if i & 2 else -data[s + 1],
            data[s + 2] if i & 4 else -data[s + 2],
        )
    if kind == SHAPE_POLYHEDRON:
        p = s + 4 + 3 * i
        return data[p], data[p + 1], data[p + 2]
    h = half_length(m, c)
    return 0.0, 0.0, h if i == 1 else -h


@kernel
def _faces_at(m, c):
    s = m.contours.start[c]
    return s + 4 + 3 * int(m.contours.data[s])


@kernel
def normal_of(m, c, f):
    """Return the outward unit normal of face f; box: face 2 a + 1 looks along +a, 2 a along -a."""
    if m.contours.kind[c] == SHAPE_BOX:
        x = 1.0 if f & 1 else -1.0
        a = f >> 1
        return (x if a == 0 else 0.0), (x if a == 1 else 0.0), (x if a == 2 else 0.0)
    p, data = _faces_at(m, c) + 5 * f, m.contours.data
    return data[p], data[p + 1], data[p + 2]


@kernel
def count_loop(m, c, f):
    """Return the number of vertices of face f."""
    if m.contours.kind[c] == SHAPE_BOX:
        return 4
    return int(m.contours.data[_faces_at(m, c) + 5 * f + 4])


@kernel
def loop_vertex(m, c, f, j):
    """Return vertex j of face f, counter-clockwise seen from outside."""
    if m.contours.kind[c] == SHAPE_BOX:
        a = f >> 1
        b = (a + 1) % 3
        d = (a + 2) % 3
        # corner j of the square: signs along b and d, the other way round on the lower face
        if f & 1:
            plus_b, plus_d = (1 if j == 1 or j == 2 else 0), (1 if j >= 2 else 0)
        else:
            plus_b, plus_d = (1 if j >= 2 else 0), (1 if j == 1 or j == 2 else 0)
        return ((f & 1) << a) | (plus_b << b) | (plus_d << d)
    s, data = _faces_at(m, c), m.contours.data
    n_f = int(data[m.contours.start[c] + 1])
    return int(data[s + 5 * n_f + int(data[s + 5 * f + 3]) + j])


@kernel
def edge_of(m, c, e):
    """Return both vertices of edge e and the two faces it belongs to, -1 for a bare edge."""
    kind = m.contours.kind[c]
    if kind == SHAPE_BOX:
        a = e >> 2
        b = (a + 1) % 3
        d = (a + 2) % 3
        low = ((e & 1) << b) | (((e >> 1) & 1) << d)
        return low, low | (1 << a), 2 * b + (e & 1), 2 * d + ((e >> 1) & 1)
    if kind == SHAPE_POLYHEDRON:
        s, data = m.contours.start[c], m.contours.data
        n_f, n_loop = int(data[s + 1]), int(data[s + 3])
        p = _faces_at(m, c) + 5 * n_f + n_loop + 4 * e
        return int(data[p]), int(data[p + 1]), int(data[p + 2]), int(data[p + 3])
    return 0, 1, -1, -1
