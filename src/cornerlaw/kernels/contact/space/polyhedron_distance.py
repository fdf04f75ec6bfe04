"""Distance of a point from a convex polyhedron, face by face."""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    cross,
    dot,
    norm,
    of_edge,
    of_plane,
    of_sphere,
    scaled,
    sub,
    unit,
)


@kernel
def _vertex(data, v):
    return data[4 + 3 * v], data[5 + 3 * v], data[6 + 3 * v]


@kernel
def _on_edge(y, p, q):
    """Return the nearest point of the edge from p to q, and 1 on the edge, 2 at its ends."""
    e = sub(q, p)
    s = dot(e, sub(y, p)) / dot(e, e)
    if s <= 0.0:
        return p, 2
    if s >= 1.0:
        return q, 2
    return along(p, s, e), 1


@kernel
def _on_face(y, data, n, h, first, count):
    """Return the nearest point of a face, whether on face 0, edge 1 or vertex 2, and the edge."""
    best, what, least, e = along(y, -h, n), 0, math.inf, (1.0, 0.0, 0.0)
    for i in range(count):
        p = _vertex(data, int(data[first + i]))
        q = _vertex(data, int(data[first + (i + 1) % count]))
        # outside an edge the nearest point is on the boundary
        if dot(cross(n, sub(q, p)), sub(y, p)) < 0.0:
            point, kind = _on_edge(y, p, q)
            d = norm(sub(y, point))
            if d < least:
                best, what, least, e = point, kind, d, unit(sub(q, p))
    return best, what, e


@kernel
def from_polyhedron(y, data):
    """Return signed distance, gradient and curvature: the highest face inside, else the nearest."""
    n_v, n_f = int(data[0]), int(data[1])
    faces = 4 + 3 * n_v
    loops = faces + 5 * n_f
    highest, least = -math.inf, math.inf
    n, what, e = (0.0, 0.0, 1.0), 0, (1.0, 0.0, 0.0)
    for i in range(n_f):
        at = faces + 5 * i
        normal, first = (data[at], data[at + 1], data[at + 2]), loops + int(data[at + 3])
        h = dot(normal, sub(y, _vertex(data, int(data[first]))))
        if h > highest:
            highest = h
            if h <= 0.0:
                n = normal
        if h > 0.0:
            point, kind, edge = _on_face(y, data, normal, h, first, int(data[at + 4]))
            d = norm(sub(y, point))
            if d < least:
                least, what, e = d, kind, edge
                n = normal if kind == 0 else scaled(1.0 / d, sub(y, point))
    if highest <= 0.0:
        return highest, n, of_plane()
    if what == 0:
        return least, n, of_plane()
    if what == 1:
        return least, n, of_edge(e)
    return least, n, of_sphere(0.0)
