"""Separating axes of polytopes: all faces, and all pairs of edges that can touch.

The difference of two polytopes is one whose faces come from a face of either, or from a pair of
edges whose arcs cross on the sphere of normals. The best of them is the exact penetration. A
distance needs a search where vertices are nearest; the axes are a bound for it.
"""

import math

import numpy as np

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    add,
    cross,
    dot,
    norm,
    scaled,
    sub,
    to_local,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polytopes import (
    count_edges,
    count_faces,
    edge_of,
    loop_vertex,
    normal_of,
    vertex_of,
)
from cornerlaw.kernels.contact.space.support import support_in_axes

_FIRST = np.int64(0)
_PARALLEL = 1e-16  # squared sine below which edges are parallel: a face then does as well


@kernel
def best_face(m, w, c, other):
    """Return the face of polytope c that separates most from another one, and by how much.

    sigma = min_y N . (y - p) with the outward normal N and a point p of the face. (T-18.17)
    """
    f, g = m.contours.frame[c], m.contours.frame[other]
    best, sigma = -1, -math.inf
    for i in range(count_faces(m, c)):
        normal = normal_of(m, c, i)
        p = vertex_of(m, c, loop_vertex(m, c, i, _FIRST))
        d = turn_to_local(w, g, turn_to_world(w, f, normal))
        y = support_in_axes(m, other, (-d[0], -d[1], -d[2]))
        height = dot(normal, sub(to_local(w, f, to_world(w, g, y)), p))
        if height > sigma:
            best, sigma = i, height
    return best, sigma


@kernel
def _arcs_cross(m, c1, c2, e1, a, b, e2, c, d):
    """Return the common direction of the arcs of two edges in the difference, 0 where none.

    Edge 1 with outward normals a, b of its faces, edge 2 with the opposite ones c, d; a bare edge
    has the whole circle at right angles to it. (T-18.18)
    """
    zero = (0.0, 0.0, 0.0)
    u = cross(e1, e2)
    size = dot(u, u)
    if size <= _PARALLEL * dot(e1, e1) * dot(e2, e2):
        return zero
    side = dot(u, add(c, d)) if count_faces(m, c2) > 0 else dot(u, add(a, b))
    u = scaled((1.0 if side > 0.0 else -1.0) / math.sqrt(size), u)
    if count_faces(m, c1) > 0 and dot(u, add(a, b)) <= 0.0:
        return zero
    return u


@kernel
def best_edges(m, w, c1, c2):
    """Return the separation of the best pair of edges of two polytopes and its direction n.

    sigma = n . (p1 - p2) with n at right angles to both edges. (T-18.18)
    """
    f, g = m.contours.frame[c1], m.contours.frame[c2]
    faces_1, faces_2 = count_faces(m, c1) > 0, count_faces(m, c2) > 0
    sigma, best = -math.inf, (0.0, 0.0, 0.0)
    a, b, c, d = best, best, best, best
    for i in range(count_edges(m, c1)):
        v0, v1, left, right = edge_of(m, c1, i)
        # edge 1 in the axes of contour 2
        p1 = to_local(w, g, to_world(w, f, vertex_of(m, c1, v0)))
        e1 = sub(to_local(w, g, to_world(w, f, vertex_of(m, c1, v1))), p1)
        if faces_1:
            a = turn_to_local(w, g, turn_to_world(w, f, normal_of(m, c1, left)))
            b = turn_to_local(w, g, turn_to_world(w, f, normal_of(m, c1, right)))
        for j in range(count_edges(m, c2)):
            w0, w1, left, right = edge_of(m, c2, j)
            if faces_2:
                c, d = normal_of(m, c2, left), normal_of(m, c2, right)
                if dot(c, e1) * dot(d, e1) >= 0.0:
                    continue
            p2 = vertex_of(m, c2, w0)
            e2 = sub(vertex_of(m, c2, w1), p2)
            if faces_1 and dot(a, e2) * dot(b, e2) >= 0.0:
                continue
            u = _arcs_cross(m, c1, c2, e1, a, b, e2, scaled(-1.0, c), scaled(-1.0, d))
            if dot(u, u) == 0.0:
                continue
            height = -dot(u, sub(p1, p2))
            if height > sigma:
                sigma, best = height, (-u[0], -u[1], -u[2])
    if sigma > -math.inf:
        best = turn_to_world(w, g, best)
        best = scaled(1.0 / norm(best), best)
    return sigma, best


@kernel
def best_axis(m, w, c1, c2, tolerance, last):
    """Return the best separating axis: sigma, n, and whose face it is, 0 or 1, else 2.

    Within the tolerance a face is preferred to edges, the last one to the other, the first contour
    to the second, so that bodies at rest do not change their reference by rounding. (T-18.17)
    """
    i1, sigma_1 = best_face(m, w, c1, c2)
    i2, sigma_2 = best_face(m, w, c2, c1)
    sigma, n = best_edges(m, w, c1, c2)
    faces = max(sigma_1, sigma_2)
    if faces >= sigma - tolerance and faces > -math.inf:
        first = sigma_1 >= faces - tolerance
        if first and last == 1.0 and sigma_2 >= faces - tolerance:
            first = False
        if first:
            n = turn_to_world(w, m.contours.frame[c1], normal_of(m, c1, i1))
            return sigma_1, (-n[0], -n[1], -n[2]), 0
        return sigma_2, turn_to_world(w, m.contours.frame[c2], normal_of(m, c2, i2)), 1
    return sigma, n, 2
