"""Convex polyhedra seen from a point: nearest face, edge or vertex.

`data` is the polyhedron as compile/hulls.py writes it: numbers of vertices, faces, edges and loop
places; vertices; per face normal, start and count of its loop; loops; per edge two vertices and
two faces.
"""

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
)

_VERTICES = 4  # where the vertices begin


@kernel
def hull_vertex(data, i):
    """Return vertex i."""
    k = _VERTICES + 3 * int(i)
    return data[k], data[k + 1], data[k + 2]


@kernel
def _face_start(data):
    return _VERTICES + 3 * int(data[0])


@kernel
def _loop_start(data):
    return _face_start(data) + 5 * int(data[1])


@kernel
def _height_over(data, f, x):
    """Return the height of x over the plane of face f."""
    k = _face_start(data) + 5 * f
    n = (data[k], data[k + 1], data[k + 2])
    return dot(n, sub(x, hull_vertex(data, data[_loop_start(data) + int(data[k + 3])])))


@kernel
def _is_over(data, f, x):
    """Tell whether x is above face f itself, not beyond its edges."""
    k = _face_start(data) + 5 * f
    n = (data[k], data[k + 1], data[k + 2])
    loop, count = _loop_start(data) + int(data[k + 3]), int(data[k + 4])
    before = hull_vertex(data, data[loop + count - 1])
    for j in range(count):
        here = hull_vertex(data, data[loop + j])
        if dot(cross(sub(here, before), sub(x, before)), n) < 0.0:
            return False
        before = here
    return True


@kernel
def _nearest_edge(data, x, normal):
    """Return distance, normal and curvature of the nearest edge or vertex to a point outside.

    A point on the edge itself has the normal of a face.
    """
    start = _loop_start(data) + int(data[3])
    best, least, place = 0, math.inf, 0.0
    for e in range(int(data[2])):
        a = hull_vertex(data, data[start + 4 * e])
        v = sub(hull_vertex(data, data[start + 4 * e + 1]), a)
        s = min(max(dot(sub(x, a), v) / dot(v, v), 0.0), 1.0)
        d = sub(x, along(a, s, v))
        if dot(d, d) < least:
            best, least, place = e, dot(d, d), s
    a = hull_vertex(data, data[start + 4 * best])
    b = hull_vertex(data, data[start + 4 * best + 1])
    v = sub(b, a)
    foot = a if place == 0.0 else b if place == 1.0 else along(a, place, v)
    d = sub(x, foot)
    size = norm(d)
    if size == 0.0:
        return 0.0, normal, of_plane()
    n = scaled(1.0 / size, d)
    if place == 0.0 or place == 1.0:
        return size, n, of_sphere(0.0)
    return size, n, of_edge(scaled(1.0 / norm(v), v))


@kernel
def nearest_on_hull(data, x):
    """Return the nearest of a convex polyhedron: face, edge or vertex. (T-18.8)"""
    best, highest = 0, -math.inf
    for f in range(int(data[1])):
        height = _height_over(data, f, x)
        if height > highest:
            best, highest = f, height
    over = highest <= 0.0
    if not over:
        for f in range(int(data[1])):
            height = _height_over(data, f, x)
            # the plane through the nearest face separates: no other face is over x as well
            if height > 0.0 and _is_over(data, f, x):
                best, highest, over = f, height, True
                break
    k = _face_start(data) + 5 * best
    normal = (data[k], data[k + 1], data[k + 2])
    return (highest, normal, of_plane()) if over else _nearest_edge(data, x, normal)
