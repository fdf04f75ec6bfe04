"""Boxes and polyhedra on surfaces and height fields: vertices, crests of edges, peaks of faces.

Every point has the signed distance of the polytope from the surface at its foot as its gap, and the
normal of the surface there.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_HEIGHTS
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.crests import find_crests, find_peaks, least_of
from cornerlaw.kernels.contact.space.crowd import (
    add_point,
    assign_slots,
    choose_points,
    name_points,
    point_at,
    point_of_slot,
    sort_points,
)
from cornerlaw.kernels.contact.space.distance import distance_to
from cornerlaw.kernels.contact.space.feet import (
    SIDE,
    find_foot,
    height_over,
    is_on,
    sample_surface,
    start_of,
)
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    norm,
    of_edge,
    of_plane,
    of_sphere,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_local,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polytopes import (
    count_edges,
    count_faces,
    count_vertices,
    edge_of,
    normal_of,
    vertex_of,
)
from cornerlaw.kernels.contact.space.surface_forms import (
    basis_of,
    of_surface,
    place_point,
    range_of,
    vector_at,
    wrap,
)
from cornerlaw.kernels.contact.space.surface_search import find_nearest

_BAND = 0.25  # of the size: points that are farther than the nearest by more are left out
_STEEP = 4.0  # slope of a height field, about, up to which height tells that a vertex is far
_NEAR = 0.05  # of the size: gap up to which local searches find the nearest point
_DEPTH = 0.25  # how far a point may be behind an open surface, per size of that
_SAME = 1e-12  # of the size: distances that are no different
_ON = 1e-7  # of the size: how far from a vertex or edge its nearest point may be


@kernel
def _size_of(m, c):
    """Return the distance of the farthest vertex from the marker."""
    size = 0.0
    for i in range(count_vertices(m, c)):
        size = max(size, norm(vertex_of(m, c, i)))
    return size


@kernel
def _most_behind(m, w, c):
    """Return how far a point may be behind a surface and still be in contact with it."""
    s0, s1, t0, t1, closed_s, closed_t = range_of(m, c)
    if m.contours.kind[c] == SHAPE_HEIGHTS or closed_s or closed_t:
        return math.inf
    place_point(m, w, c, s0, t0, 0)
    a = vector_at(w.contact_c[0], 0)
    place_point(m, w, c, s1, t1, 0)
    return _DEPTH * norm(sub(vector_at(w.contact_c[0], 0), a))


@kernel
def _find_vertices(m, w, other, c, band):
    """Write the feet of all vertices that may be among the nearest and return their number."""
    f, n_v, lowest, count = m.contours.frame[other], count_vertices(m, other), math.inf, 0
    for i in range(n_v):
        x = to_world(w, f, vertex_of(m, other, i))
        lowest = min(lowest, height_over(m, w, c, x))
    for i in range(n_v):
        x = to_world(w, f, vertex_of(m, other, i))
        if height_over(m, w, c, x) > _STEEP * (max(lowest, 0.0) + band):
            continue
        s, t = start_of(m, w, c, x)
        s, t, h, found = find_foot(m, w, c, x, s, t)
        if found and is_on(m, c, s, t):
            s, t = wrap(m, c, s, t)
            count = add_point(w, count, h, s, t, x, i)
    return count


@kernel
def _feature_at(m, other, x, u, flat, sharp, tolerance):
    """Return the feature that carries the nearest point x, in the polytope's axes, or -1.

    A face where the distance is flat, with the direction u, else a vertex where it is sharp in both
    directions, or an edge.
    """
    n_v, n_e = count_vertices(m, other), count_edges(m, other)
    best, least = -1, tolerance
    if flat:
        cosine = -1.0
        for i in range(count_faces(m, other)):
            here = dot(normal_of(m, other, i), u)
            if here > cosine:
                best, cosine = n_v + n_e + i, here
        return best
    if sharp:
        for i in range(n_v):
            away = norm(sub(vertex_of(m, other, i), x))
            if away < least:
                best, least = i, away
        return best
    for i in range(n_e):
        a, b, _, _ = edge_of(m, other, i)
        p = vertex_of(m, other, a)
        e = sub(vertex_of(m, other, b), p)
        v = sub(x, p)
        away = norm(along(v, -dot(v, e) / dot(e, e), e))
        if away < least:
            best, least = n_v + i, away
    return best


@kernel
def _add_nearest(m, w, k, other, c, size, count):
    """Append the nearest of all places of the surface where it is nearer than the points so far.

    Far from the surface a place has several feet: there all of its places are looked at. (T-18.37)
    """
    least = least_of(w.contact_b, count)
    if least <= _NEAR * size:
        return count
    s, t, found = find_nearest(m, w, other, 0, c, 4 * k)
    if not found or not is_on(m, c, s, t):
        return count
    place_point(m, w, c, s, t, SIDE)
    r = vector_at(w.contact_c[SIDE], 0)
    n, _, _, _ = basis_of(w.contact_c[SIDE])
    d, u, curve = distance_to(m, w, other, 0, r)
    if not 0.0 < d < least - _SAME * size or dot(u, n) > 0.0:
        return count
    f = m.contours.frame[other]
    x = along(r, -d, u)
    turned = sub(to_local(w, f, along(x, 1.0, u)), to_local(w, f, x))
    flat, sharp = curve[0] == 0.0 and curve[2] == 0.0, curve[0] == 1.0 and curve[2] == 1.0
    feature = _feature_at(m, other, to_local(w, f, x), turned, flat, sharp, _ON * size)
    if feature < 0:
        return count
    return add_point(w, count, d, s, t, x, feature)


@kernel
def _curve_of(m, w, other, feature):
    """Return the curvature of a vertex, edge or face."""
    n_v, f = count_vertices(m, other), m.contours.frame[other]
    if feature < n_v:
        return of_sphere(0.0)
    if feature >= n_v + count_edges(m, other):
        return of_plane()
    a, b, _, _ = edge_of(m, other, feature - n_v)
    e = sub(vertex_of(m, other, b), vertex_of(m, other, a))
    return of_edge(turn_to_world(w, f, scaled(1.0 / norm(e), e)))


@kernel
def _store(m, w, slot, swap, other, c, i):
    """Write point i of the list to a slot."""
    b, p = w.contact_b, point_at(i)
    g, s, t, identity = b[p], b[p + 1], b[p + 2], int(b[p + 7])
    curve = _curve_of(m, w, other, int(b[p + 6]))
    place_point(m, w, c, s, t, SIDE)
    n, _, _, _ = basis_of(w.contact_c[SIDE])
    r = vector_at(w.contact_c[SIDE], 0)
    own = of_surface(w.contact_c[SIDE])
    store_point(w, slot, swap, g, n, along(r, g, n), r, curve, own, identity)
    w.contact_s[4 * slot], w.contact_s[4 * slot + 1] = s, t


@kernel
def detect_footing(m, w, k, swap, other, c):
    """Find the contacts of a box or polyhedron with a surface or height field. (T-18.49)

    All vertices, minima of edges and peaks under faces that are about as near as the nearest; the
    slots take the nearest of them.
    """
    size, room = _size_of(m, other), m.slots.count[k]
    band, deepest = _BAND * size, -_most_behind(m, w, c)
    if m.contours.kind[c] != SHAPE_HEIGHTS:
        sample_surface(m, w, c)
    count = _find_vertices(m, w, other, c, band)
    limit = least_of(w.contact_b, count) + band
    count = find_peaks(m, w, other, c, limit, count)
    limit = min(limit, least_of(w.contact_b, count) + band)
    count = find_crests(m, w, other, c, limit, count)
    count = _add_nearest(m, w, k, other, c, size, count)
    limit = least_of(w.contact_b, count) + band
    for i in range(count):
        p = point_at(i)
        if w.contact_b[p] > limit or w.contact_b[p] < deepest:
            w.contact_b[p] = math.inf
    sort_points(w.contact_b, count)
    while count > 0 and w.contact_b[point_at(count - 1)] == math.inf:
        count -= 1
    name_points(m, w, k, c, count, count_vertices(m, other))
    chosen = choose_points(m, w, k, count, size) if count > 0 else 0
    assign_slots(m, w, k, chosen)
    for s in range(room):
        i = point_of_slot(w, s)
        if i < 0:
            store_nothing(w, k + s)
        else:
            _store(m, w, k + s, swap, other, c, i)
    return OK
