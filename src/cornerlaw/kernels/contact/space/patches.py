"""Patches: the face, edge, generator, disc or point that a solid shows in a direction.

Every contact point of two solids lies where their patches lie over each other, seen along the
normal. Coordinates of a patch: u, v along two tangents, h along the normal n. Scratch of contour i:
b = 2304 + 1024 i in w.contact_b with x, y, z, u, v, h of up to 128 vertices, then from b + 1000 on
the outward normal, the centre, the radius and whether the ends are flat; 256 i in w.contact_j with
type, number, and from the eighth place on the identities of the vertices. (T-18.20)
"""

import math

import numpy as np

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
    SHAPE_POLYHEDRON,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    norm,
    scaled,
    sub,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polytopes import (
    count_edges,
    count_faces,
    count_loop,
    edge_of,
    half_length,
    loop_vertex,
    normal_of,
    vertex_of,
)
from cornerlaw.kernels.contact.space.support import highest_vertex, support_in_axes

# numbers of a plain integer type: a literal argument would compile every callee once more
FIRST = np.int64(0)
SECOND = np.int64(1)
POINT = np.int64(0)
SEGMENT = np.int64(1)
POLYGON = np.int64(2)
DISC = np.int64(3)

SAMPLES = np.int64(8)  # points on the rim of a disc
_FOUR = np.int64(4)
_MOST = 128  # vertices of a polygon; more are thinned out
_B, _J = 2304, 256
_COSINE, _SINE = math.cos(0.2), math.sin(0.2)  # tilt up to which a face or edge is shown as such
_FLAT = 2e-10  # tilt below which the lowest point of a disc stays where it was
_LEVEL = 1e-9  # of the size: a vertex that is as high as the highest


@kernel
def type_of(w, side):
    """Return the type of patch `side`."""
    return w.contact_j[_J * side]


@kernel
def count_of(w, side):
    """Return the number of vertices of patch `side`."""
    return w.contact_j[_J * side + 1]


@kernel
def identity_of(w, side, i):
    """Return which vertex of the solid vertex i of patch `side` is."""
    return w.contact_j[_J * side + 8 + i]


@kernel
def place_of(w, side, i):
    """Return the world position of vertex i of patch `side`."""
    b, p = w.contact_b, _B + 1024 * side + 6 * i
    return b[p], b[p + 1], b[p + 2]


@kernel
def flat_of(w, side, i):
    """Return u, v, h of vertex i of patch `side`."""
    b, p = w.contact_b, _B + 1024 * side + 6 * i
    return b[p + 3], b[p + 4], b[p + 5]


@kernel
def normal_of_patch(w, side):
    """Return the outward normal of a polygon or disc."""
    b, p = w.contact_b, _B + 1024 * side + 1000
    return b[p], b[p + 1], b[p + 2]


@kernel
def centre_of(w, side):
    """Return the centre of a disc."""
    b, p = w.contact_b, _B + 1024 * side + 1003
    return b[p], b[p + 1], b[p + 2]


@kernel
def radius_of(w, side):
    """Return the radius of a disc, or the one of a round segment about its core."""
    return w.contact_b[_B + 1024 * side + 1006]


@kernel
def has_flat_ends(w, side):
    """Tell whether a round segment ends in rims, as a cylinder, not in balls."""
    return w.contact_b[_B + 1024 * side + 1007] == 1.0


@kernel
def _head(w, side, kind, n, normal, centre, radius):
    w.contact_j[_J * side], w.contact_j[_J * side + 1] = kind, n
    b, p = w.contact_b, _B + 1024 * side + 1000
    for a in range(3):
        b[p + a], b[p + 3 + a] = normal[a], centre[a]
    b[p + 6], b[p + 7] = radius, 0.0


@kernel
def _put(w, side, i, x, identity):
    b, p = w.contact_b, _B + 1024 * side + 6 * i
    b[p], b[p + 1], b[p + 2] = x[0], x[1], x[2]
    w.contact_j[_J * side + 8 + i] = identity


@kernel
def _show_box(m, w, c, side, d):
    """Write the face, edge or vertex that a box shows in direction d of its axes."""
    f = m.contours.frame[c]
    size = abs(d[0]), abs(d[1]), abs(d[2])
    top = highest_vertex(m, c, d)
    zero = (0.0, 0.0, 0.0)
    for a in range(3):
        if size[a] >= _COSINE:
            face = 2 * a + ((top >> a) & 1)
            normal = turn_to_world(w, f, normal_of(m, c, face))
            _head(w, side, POLYGON, _FOUR, normal, zero, 0.0)
            for j in range(4):
                i = loop_vertex(m, c, face, j)
                _put(w, side, j, to_world(w, f, vertex_of(m, c, i)), i)
            return
    least = 0 if size[0] <= min(size[1], size[2]) else (1 if size[1] <= size[2] else 2)
    _put(w, side, FIRST, to_world(w, f, vertex_of(m, c, top)), top)
    if size[least] <= _SINE:
        i = top ^ (1 << least)
        _put(w, side, SECOND, to_world(w, f, vertex_of(m, c, i)), i)
        _head(w, side, SEGMENT, SECOND + 1, zero, zero, 0.0)
    else:
        _head(w, side, POINT, SECOND, zero, zero, 0.0)


@kernel
def _shown_face(m, c, d, level):
    """Return the face of a polyhedron nearest to direction d with a vertex at the level, or -1."""
    best, cosine = -1, _COSINE
    for i in range(count_faces(m, c)):
        here = dot(normal_of(m, c, i), d)
        if here <= cosine:
            continue
        for j in range(count_loop(m, c, i)):
            if dot(d, vertex_of(m, c, loop_vertex(m, c, i, j))) >= level:
                best, cosine = i, here
                break
    return best


@kernel
def _shown_edge(m, c, d, level):
    """Return the edge of a polyhedron nearest to a right angle with d that reaches the level."""
    best, sine = -1, _SINE
    for e in range(count_edges(m, c)):
        i, j, _, _ = edge_of(m, c, e)
        p, q = vertex_of(m, c, i), vertex_of(m, c, j)
        h, l = dot(d, p), dot(d, q)
        if max(h, l) < level:
            continue
        here = abs(h - l) / norm(sub(q, p))
        if here < sine:
            best, sine = e, here
    return best


@kernel
def _show_polyhedron(m, w, c, side, d):
    """Write the face, edge or vertex that a polyhedron shows in direction d of its axes."""
    f = m.contours.frame[c]
    zero = (0.0, 0.0, 0.0)
    top = highest_vertex(m, c, d)
    x = vertex_of(m, c, top)
    level = dot(d, x) - _LEVEL * (norm(x) + abs(dot(d, x)))
    face = _shown_face(m, c, d, level)
    if face >= 0:
        n = count_loop(m, c, face)
        step = (n + _MOST - 1) // _MOST
        normal = turn_to_world(w, f, normal_of(m, c, face))
        count = FIRST
        for j in range(0, n, step):
            i = loop_vertex(m, c, face, j)
            _put(w, side, count, to_world(w, f, vertex_of(m, c, i)), i)
            count += 1
        _head(w, side, POLYGON, count, normal, zero, 0.0)
        return
    edge = _shown_edge(m, c, d, level)
    if edge >= 0:
        i, j, _, _ = edge_of(m, c, edge)
        _put(w, side, FIRST, to_world(w, f, vertex_of(m, c, i)), i)
        _put(w, side, SECOND, to_world(w, f, vertex_of(m, c, j)), j)
        _head(w, side, SEGMENT, SECOND + 1, zero, zero, 0.0)
    else:
        _put(w, side, FIRST, to_world(w, f, x), top)
        _head(w, side, POINT, SECOND, zero, zero, 0.0)


@kernel
def _show_edge(m, w, c, side, d, radius):
    """Write the generator or the end that an edge or capsule shows in direction d of its axes."""
    f, h = m.contours.frame[c], half_length(m, c)
    zero = (0.0, 0.0, 0.0)
    offset = scaled(radius, d)
    if abs(d[2]) <= _SINE:
        for i in range(2):
            end = along(offset, 1.0, (0.0, 0.0, -h if i == 0 else h))
            _put(w, side, i, to_world(w, f, end), i)
        _head(w, side, SEGMENT, SECOND + 1, zero, zero, radius)
        return
    i = 1 if d[2] >= 0.0 else 0
    end = along(offset, 1.0, (0.0, 0.0, -h if i == 0 else h))
    _put(w, side, FIRST, to_world(w, f, end), i)
    _head(w, side, POINT, SECOND, zero, zero, radius)


@kernel
def _show_disc(m, w, c, side, d, R, z, first, place):
    """Write a disc of radius R at height z: samples of its rim from the lowest point on.

    The angle of the lowest point stands in w.contact_s[place]; level discs keep it.
    """
    f, s = m.contours.frame[c], w.contact_s
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if rho > _FLAT:
        angle = math.atan2(d[1], d[0])
        s[place] = angle
    elif s[place] == s[place]:
        angle = s[place]
    else:
        angle = 0.0
    for j in range(SAMPLES):
        turned = angle + 2.0 * math.pi * j / SAMPLES
        rim = (R * math.cos(turned), R * math.sin(turned), z)
        if j == 0 and rho > _FLAT:
            rim = (R * d[0] / rho, R * d[1] / rho, z)
        _put(w, side, j, to_world(w, f, rim), first + j)
    normal = turn_to_world(w, f, (0.0, 0.0, 1.0 if d[2] > 0.0 else -1.0))
    centre = to_world(w, f, (0.0, 0.0, z))
    _head(w, side, DISC, SAMPLES, normal, centre, R)


@kernel
def _show_round(m, w, c, side, d, place):
    """Write the disc, generator, rim point or apex of a cylinder or cone."""
    f, kind = m.contours.frame[c], m.contours.kind[c]
    s, data = m.contours.start[c], m.contours.data
    R = data[s]
    zero = (0.0, 0.0, 0.0)
    rho = math.sqrt(d[0] * d[0] + d[1] * d[1])
    low = d[2] < 0.0
    if abs(d[2]) >= _COSINE and (kind != SHAPE_CONE or low):
        z = 0.0
        if kind == SHAPE_CYLINDER:
            z = -data[s + 1] if low else data[s + 1]
        _show_disc(m, w, c, side, d, R, z, FIRST if low else SAMPLES, place)
        return
    x, y = R * d[0] / max(rho, 1e-300), R * d[1] / max(rho, 1e-300)
    if kind == SHAPE_CYLINDER:
        h = data[s + 1]
        if abs(d[2]) <= _SINE:
            _put(w, side, FIRST, to_world(w, f, (x, y, -h)), FIRST)
            _put(w, side, SECOND, to_world(w, f, (x, y, h)), SAMPLES)
            _head(w, side, SEGMENT, SECOND + 1, zero, zero, R)
            w.contact_b[_B + 1024 * side + 1007] = 1.0
            return
        _put(w, side, FIRST, to_world(w, f, (x, y, -h if low else h)), FIRST if low else SAMPLES)
    else:
        H = data[s + 1]
        slope = math.sqrt(R * R + H * H)
        # sine of the angle between d and the generator's normal, positive towards the apex
        sine = (d[2] * H - rho * R) / slope
        if abs(sine) <= _SINE and d[2] * R + rho * H > 0.0 and rho > 1e-9:
            _put(w, side, FIRST, to_world(w, f, (x, y, 0.0)), FIRST)
            _put(w, side, SECOND, to_world(w, f, (0.0, 0.0, H)), SAMPLES)
            _head(w, side, SEGMENT, SECOND + 1, zero, zero, 0.0)
            return
        if sine > 0.0:
            _put(w, side, FIRST, to_world(w, f, (0.0, 0.0, H)), SAMPLES)
        else:
            _put(w, side, FIRST, to_world(w, f, (x, y, 0.0)), FIRST)
    _head(w, side, POINT, SECOND, zero, zero, R)


@kernel
def show_patch(m, w, c, side, n, e, t, origin, place):
    """Write the patch that contour c shows; `side` 0 is the contour that n points to. (T-18.20)

    e and t are the tangents; the warm start of a disc stands at `place` of w.contact_s.
    """
    f, kind = m.contours.frame[c], m.contours.kind[c]
    sign = -1.0 if side == 0 else 1.0
    d = turn_to_local(w, f, scaled(sign, n))
    if kind == SHAPE_BOX:
        _show_box(m, w, c, side, d)
    elif kind == SHAPE_POLYHEDRON:
        _show_polyhedron(m, w, c, side, d)
    elif kind == SHAPE_EDGE:
        _show_edge(m, w, c, side, d, 0.0)
    elif kind == SHAPE_CAPSULE:
        _show_edge(m, w, c, side, d, m.contours.data[m.contours.start[c]])
    elif kind == SHAPE_ELLIPSOID:
        zero = (0.0, 0.0, 0.0)
        _put(w, side, FIRST, to_world(w, f, support_in_axes(m, c, d)), FIRST)
        _head(w, side, POINT, SECOND, zero, zero, 0.0)
    else:
        _show_round(m, w, c, side, d, place)
    b = w.contact_b
    for i in range(count_of(w, side)):
        x, p = sub(place_of(w, side, i), origin), _B + 1024 * side + 6 * i
        b[p + 3], b[p + 4], b[p + 5] = dot(x, e), dot(x, t), dot(x, n)
