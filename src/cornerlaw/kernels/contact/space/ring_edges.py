"""A ring that dips into an edge or a rim of a solid: where both curves are nearest to each other.

Just inside a solid the distance has a crease below every edge, and along a ring a minimum there,
whose place is no point of contact: it is the one where faces change. The ring touches the edge
itself, as two edges of polytopes do, at the stationary distance of both curves. (T-18.44)
"""

import math

from cornerlaw.arrays.kinds import SHAPE_CONE, SHAPE_CYLINDER
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.curvature import of_rim
from cornerlaw.kernels.contact.space.geometry import (
    add,
    along,
    cross,
    dot,
    norm,
    of_edge,
    of_plane,
    scaled,
    sub,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polytopes import (
    count_edges,
    count_faces,
    edge_of,
    is_polytope,
    normal_of,
    vertex_of,
)

_SAME = 1.0 - 1e-9  # cosine between normals of one face
_AXIAL = 0.9999999  # cosine between the normal of a cap and the axis
_STEPS = 40
_REACH = 0.2  # largest step along the ring, and of its own length along an edge
_AWAY = 0.5  # angle up to which the place may be from the crease
_SHORT = 1e-13  # last step
_PARALLEL = 1e-3  # sine between both curves below which they have no normal


@kernel
def _edge_between(m, c, n_a, n_b):
    """Return the vertices of the edge between the faces with two normals, or -1."""
    for e in range(count_edges(m, c)):
        i, j, left, right = edge_of(m, c, e)
        p, q = normal_of(m, c, left), normal_of(m, c, right)
        one, other = min(dot(p, n_a), dot(q, n_b)), min(dot(p, n_b), dot(q, n_a))
        if max(one, other) > _SAME:
            return i, j
    return -1, -1


@kernel
def _rim_between(m, c, n_a, n_b):
    """Return height and radius of the rim between the side and a cap, radius 0 for none."""
    d, kind = m.contours.data[m.contours.start[c] :], m.contours.kind[c]
    if kind != SHAPE_CYLINDER and kind != SHAPE_CONE:
        return 0.0, 0.0
    cap = n_a[2] if abs(n_a[2]) > abs(n_b[2]) else n_b[2]
    side = n_b[2] if abs(n_a[2]) > abs(n_b[2]) else n_a[2]
    if abs(cap) < _AXIAL or abs(side) > _AXIAL:
        return 0.0, 0.0
    if kind == SHAPE_CONE:
        return 0.0, d[0]
    return math.copysign(d[1], cap), d[0]


@kernel
def _on_curve(w, f, p, q, R, s):
    """Return place, tangent and bend at s of the edge from p to q, or of the rim about p."""
    if R > 0.0:
        c, d = R * math.cos(s), R * math.sin(s)
        out = turn_to_world(w, f, (c, d, 0.0))
        return add(to_world(w, f, p), out), turn_to_world(w, f, (-d, c, 0.0)), scaled(-1.0, out)
    a = to_world(w, f, p)
    e = sub(to_world(w, f, q), a)
    return along(a, s, e), e, (0.0, 0.0, 0.0)


@kernel
def _on_ring(w, f, R, angle):
    """Return place, tangent and bend of the ring at an angle."""
    c, s = R * math.cos(angle), R * math.sin(angle)
    out = turn_to_world(w, f, (c, s, 0.0))
    return to_world(w, f, (c, s, 0.0)), turn_to_world(w, f, (-s, c, 0.0)), scaled(-1.0, out)


@kernel
def _approach(w, f, R, g, p, q, rim, angle, s):
    """Return angle and s where |r - y|^2 / 2 of both curves is least, and whether it is.

    Newton's method on (r - y) . r' = 0, (r - y) . y' = 0.
    """
    for _ in range(_STEPS):
        r, t, bow = _on_ring(w, f, R, angle)
        y, e, bend = _on_curve(w, g, p, q, rim, s)
        v = sub(r, y)
        F1, F2 = dot(v, t), -dot(v, e)
        H11, H12, H22 = dot(t, t) + dot(v, bow), -dot(t, e), dot(e, e) - dot(v, bend)
        det = H11 * H22 - H12 * H12
        if not (H11 > 0.0 and det > _PARALLEL * _PARALLEL * H11 * H22):
            return angle, s, False
        da, ds = (H12 * F2 - H22 * F1) / det, (H12 * F1 - H11 * F2) / det
        cut = _REACH / max(_REACH, max(abs(da), abs(ds)))
        angle, s = angle + cut * da, s + cut * ds
        if abs(da) <= _SHORT and abs(ds) <= _SHORT:
            return angle, s, True
    return angle, s, False


@kernel
def _between(n, n_a, n_b):
    """Tell whether a direction is between those of two faces."""
    a, b, c = dot(n, n_a), dot(n, n_b), dot(n_a, n_b)
    return a - c * b >= 0.0 and b - c * a >= 0.0


@kernel
def touch_edge(m, w, c1, c2, angle, n_a, n_b):
    """Return whether ring c1 touches the edge below a crease at an angle, and place, gap and curve.

    n_a, n_b are the outward normals of solid c2 on both sides of the crease. Returned are the place
    on the ring, its angle, the signed distance g, the outward normal n of both curves, and the
    curvature of the solid. (T-18.44)
    """
    f, g, R = m.contours.frame[c1], m.contours.frame[c2], m.contours.data[m.contours.start[c1]]
    nothing = False, (0.0, 0.0, 0.0), angle, 0.0, n_a, of_plane()
    a, b = turn_to_local(w, g, n_a), turn_to_local(w, g, n_b)
    r, _, _ = _on_ring(w, f, R, angle)
    p = q = (0.0, 0.0, 0.0)
    rim = s = 0.0
    if is_polytope(m, c2):
        # inside a capsule the axis is a crease, but no edge
        i, j = _edge_between(m, c2, a, b) if count_faces(m, c2) > 0 else (-1, -1)
        if i < 0:
            return nothing
        p, q = vertex_of(m, c2, i), vertex_of(m, c2, j)
        y, e, _ = _on_curve(w, g, p, q, rim, 0.0)
        s = dot(sub(r, y), e) / dot(e, e)
    else:
        height, rim = _rim_between(m, c2, a, b)
        if rim == 0.0:
            return nothing
        p = (0.0, 0.0, height)
        out = turn_to_local(w, g, sub(r, to_world(w, g, p)))
        s = math.atan2(out[1], out[0])
    place, s, found = _approach(w, f, R, g, p, q, rim, angle, s)
    beyond = rim == 0.0 and (s < 0.0 or s > 1.0)
    if not found or beyond or abs(place - angle) > _AWAY:
        return nothing
    r, t, _ = _on_ring(w, f, R, place)
    y, e, _ = _on_curve(w, g, p, q, rim, s)
    n = cross(t, e)
    n = scaled(math.copysign(1.0 / norm(n), dot(n, add(n_a, n_b))), n)
    gap = dot(n, sub(r, y))
    if gap > 0.0 or not _between(n, n_a, n_b):
        return nothing
    curve = of_rim(m, w, c2, y, n) if rim > 0.0 else of_edge(scaled(1.0 / norm(e), e))
    return True, r, place, gap, n, curve
