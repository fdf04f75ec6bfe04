"""Exact normals: the separation sigma(n) made largest near a direction found by a search.

sigma is smooth but for creases: the circles of directions at right angles to an edge or to a
generator of a cylinder or cone, and the single directions of faces. Newton's method runs on the
sphere, on every crease near by, and crossings of creases and faces are taken as they are; whichever
gives the largest true separation wins, so that no choice of features can be wrong. (T-18.16)
Scratch: creases (a, s) of contour i in w.contact_b[16 + 64 i : 80 + 64 i].
"""

import math

import numpy as np

from cornerlaw.arrays.kinds import SHAPE_CONE, SHAPE_CYLINDER
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.discs import between_discs, beyond_rim
from cornerlaw.kernels.contact.space.geometry import (
    add,
    along,
    any_tangent,
    axis_of,
    cross,
    dot,
    norm,
    scaled,
    sub,
    turn_to_local,
    turn_to_world,
    unit,
)
from cornerlaw.kernels.contact.space.polytopes import (
    count_edges,
    count_faces,
    edge_of,
    is_polytope,
    normal_of,
    vertex_of,
)
from cornerlaw.kernels.contact.space.support import difference, spread, support_in_axes

FIRST = np.int64(0)
SECOND = np.int64(1)
_CREASES = 16  # creases of a contour that are looked at
_ROUNDS = 40
_ROUNDING = 1e-14  # of the size: at the top steps may lose as much
_SHORTER = 25
_REPEATS = 8


@kernel
def _bend(m, w, c1, c2, n, t):
    """Return the rate of x1 - x2 when n turns with the rate t: -(J1 + J2) t. (T-18.14)"""
    back = (-n[0], -n[1], -n[2])
    return scaled(-1.0, add(spread(m, w, c1, back, t), spread(m, w, c2, n, t)))


@kernel
def climb_sphere(m, w, c1, c2, n, size):
    """Return the largest sigma near n, and its direction, by Newton's method on the sphere.

    With x = x1 - x2 and tangents e of n: gradient e . x, second derivative
    e . (-(J1 + J2) e') - sigma e . e'. (T-18.16)
    """
    x = difference(m, w, c1, c2, n)
    sigma = dot(n, x)
    for _ in range(_ROUNDS):
        e = any_tangent(n)
        f = cross(n, e)
        g_e, g_f = dot(e, x), dot(f, x)
        de, df = _bend(m, w, c1, c2, n, e), _bend(m, w, c1, c2, n, f)
        h_ee, h_ff = dot(e, de) - sigma, dot(f, df) - sigma
        h_ef = 0.5 * (dot(e, df) + dot(f, de))
        det = h_ee * h_ff - h_ef * h_ef
        if h_ee < 0.0 and det > 0.0:
            s, t = (h_ef * g_f - h_ff * g_e) / det, (h_ef * g_e - h_ee * g_f) / det
        else:
            # not on top of a hill: uphill by a length of the order of the size
            scale = 1.0 / (abs(h_ee) + abs(h_ff) + abs(h_ef))
            s, t = g_e * scale, g_f * scale
        step = math.sqrt(s * s + t * t)
        if not step > 1e-15:
            break
        if step > 0.5:
            s, t = 0.5 * s / step, 0.5 * t / step
        better = False
        for _ in range(_SHORTER):
            n_new = unit(along(along(n, s, e), t, f))
            x_new = difference(m, w, c1, c2, n_new)
            if dot(n_new, x_new) >= sigma - _ROUNDING * size:
                better = True
                break
            s, t = 0.25 * s, 0.25 * t
            if abs(s) + abs(t) < 1e-16:
                break
        if not better:
            break
        n, x, sigma = n_new, x_new, dot(n_new, x_new)
        if step < 1e-11:
            break
    return sigma, n


@kernel
def climb_crease(m, w, c1, c2, n, a, height):
    """Return the largest sigma near n among the directions with n . a = height, and its place.

    n = height a + n_a; along the circle n' = a x n, n'' = -n_a. (T-18.16)
    """
    across = along(n, -dot(a, n), a)
    size = norm(across)
    radius = math.sqrt(max(1.0 - height * height, 0.0))
    if size < 1e-9 or radius < 1e-9:
        return -math.inf, n
    across = scaled(radius / size, across)
    n = along(across, height, a)
    x = difference(m, w, c1, c2, n)
    # the top is between two places whose slopes differ in sign: a step beyond them is halved
    place, low, high = 0.0, -math.inf, math.inf
    for _ in range(_ROUNDS):
        turn = cross(a, across)
        slope = dot(turn, x)
        if slope > 0.0:
            low = place
        else:
            high = place
        curve = dot(turn, _bend(m, w, c1, c2, n, turn)) - dot(across, x)
        step = -slope / curve if curve < 0.0 else (0.3 if slope > 0.0 else -0.3)
        step = min(max(step, -0.3), 0.3)
        if not abs(step) > 1e-15:
            break
        if place + step <= low or place + step >= high:
            step = 0.5 * (low + high) - place
        place += step
        across = add(scaled(math.cos(step), across), scaled(math.sin(step), turn))
        n = along(across, height, a)
        x = difference(m, w, c1, c2, n)
        if abs(step) < 1e-11:
            break
    # the rounding of many turns
    across = along(across, -dot(a, across), a)
    n = along(scaled(radius / norm(across), across), height, a)
    return dot(n, difference(m, w, c1, c2, n)), n


@kernel
def _cross_creases(n, a, s, b, t):
    """Return the unit vector near n with n . a = s and n . b = t; n itself where there is none."""
    c = cross(a, b)
    det = dot(c, c)
    if det < 1e-24:
        return n
    q = dot(a, b)
    alpha, beta = (s - q * t) / det, (t - q * s) / det
    flat = add(scaled(alpha, a), scaled(beta, b))
    rest = (1.0 - dot(flat, flat)) / det
    if rest < 0.0:
        return n
    gamma = math.sqrt(rest)
    found = along(flat, gamma if dot(n, c) >= 0.0 else -gamma, c)
    return unit(found)


@kernel
def _add_crease(w, side, count, a, s):
    if count < _CREASES:
        p = 16 + 64 * side + 4 * count
        w.contact_b[p], w.contact_b[p + 1], w.contact_b[p + 2] = a[0], a[1], a[2]
        w.contact_b[p + 3] = s
        return count + 1
    return count


@kernel
def crease_of(w, side, i):
    """Return axis and height of crease i of contour `side`: n . a = s."""
    p = 16 + 64 * side + 4 * i
    b = w.contact_b
    return (b[p], b[p + 1], b[p + 2]), b[p + 3]


@kernel
def _collect_edges(m, w, c, side, d, angle):
    """Collect the edges of a polytope nearly at right angles to d that nearly carry its support."""
    f = m.contours.frame[c]
    top = dot(d, support_in_axes(m, c, d))
    count = FIRST
    for e in range(count_edges(m, c)):
        i, j, _, _ = edge_of(m, c, e)
        p, q = vertex_of(m, c, i), vertex_of(m, c, j)
        way = sub(q, p)
        length = norm(way)
        rise = dot(d, way)
        if abs(rise) > angle * length:
            continue
        if max(dot(d, p), dot(d, q)) < top - 2.0 * angle * length:
            continue
        count = _add_crease(w, side, count, turn_to_world(w, f, scaled(1.0 / length, way)), 0.0)
    return count


@kernel
def collect_creases(m, w, c, side, n, angle):
    """Write the creases of contour c within an angle of n, return their number and the face near n.

    `side` 0 is the contour that n points to: its outward direction is -n. The face is the direction
    of n at right angles to it, zero where no face is near. (T-18.16)
    """
    f = m.contours.frame[c]
    sign = -1.0 if side == 0 else 1.0
    d = turn_to_local(w, f, scaled(sign, n))
    kind, s, data = m.contours.kind[c], m.contours.start[c], m.contours.data
    cosine = math.cos(angle)
    if is_polytope(m, c):
        face, best = (0.0, 0.0, 0.0), cosine
        for i in range(count_faces(m, c)):
            normal = normal_of(m, c, i)
            if dot(normal, d) > best:
                best, face = dot(normal, d), turn_to_world(w, f, scaled(sign, normal))
        return _collect_edges(m, w, c, side, d, angle), face
    a = axis_of(w, f, 2)
    count, face = FIRST, (0.0, 0.0, 0.0)
    if kind == SHAPE_CYLINDER:
        if abs(d[2]) < angle:
            count = _add_crease(w, side, count, a, 0.0)
        if abs(d[2]) > cosine:
            face = scaled(sign if d[2] > 0.0 else -sign, a)
    elif kind == SHAPE_CONE:
        height = data[s] / math.sqrt(data[s] ** 2 + data[s + 1] ** 2)
        if abs(math.acos(min(max(d[2], -1.0), 1.0)) - math.acos(height)) < angle:
            count = _add_crease(w, side, count, a, sign * height)
        if d[2] < -cosine:
            face = scaled(-sign, a)
    return count, face


@kernel
def _start_beside(m, w, c1, c2, face_1, face_2, i, size):
    """Return a start beside the sharp peaks of discs, where Newton's method stops; zero: none.

    1, 2: between the faces of two discs; 3, 4: beside the first or second face. (T-18.16)
    """
    near_1, near_2 = dot(face_1, face_1) > 0.0, dot(face_2, face_2) > 0.0
    if i <= 2 and near_1 and near_2:
        return between_discs(m, w, c1, c2, face_1, face_2, i == 1)
    if i == 3 and near_1:
        return beyond_rim(m, w, c1, c2, c1, face_1, size)
    if i == 4 and near_2:
        return beyond_rim(m, w, c1, c2, c2, face_2, size)
    return 0.0, 0.0, 0.0


@kernel
def _refine_once(m, w, c1, c2, n, angle, size, preference):
    """Return the largest sigma found from n, its direction and code; see refine."""
    count_1, face_1 = collect_creases(m, w, c1, FIRST, n, angle)
    count_2, face_2 = collect_creases(m, w, c2, SECOND, n, angle)
    best, kept, code = -math.inf, n, 2
    for i in range(2):
        face = face_1 if i == 0 else face_2
        if dot(face, face) > 0.0:
            sigma = dot(face, difference(m, w, c1, c2, face))
            if sigma > best + preference:
                best, kept, code = sigma, face, i
    for i in range(count_1):
        a, s = crease_of(w, FIRST, i)
        for j in range(count_2):
            b, t = crease_of(w, SECOND, j)
            found = _cross_creases(n, a, s, b, t)
            sigma = dot(found, difference(m, w, c1, c2, found))
            if sigma > best + preference:
                best, kept, code = sigma, found, 2
    for i in range(count_1 + count_2):
        a, s = crease_of(w, FIRST, i) if i < count_1 else crease_of(w, SECOND, i - count_1)
        sigma, found = climb_crease(m, w, c1, c2, n, a, s)
        if sigma > best + preference:
            best, kept, code = sigma, found, 2
    for i in range(5):
        start = n if i == 0 else _start_beside(m, w, c1, c2, face_1, face_2, i, size)
        if dot(start, start) == 0.0:
            continue
        sigma, found = climb_sphere(m, w, c1, c2, start, size)
        if sigma > best + preference:
            best, kept, code = sigma, found, 2
    return best, kept, code


@kernel
def refine(m, w, c1, c2, n, angle, size, preference):
    """Return the largest sigma within an angle of n, its direction, and which contour's face it is.

    The most special direction is taken that comes within `preference` of the best: the face of
    contour 1 (0) or 2 (1), crossing creases, one crease or none (2). Where the way was far, other
    creases are near than at the start, and it goes on from there. (T-18.16)
    """
    cosine = math.cos(0.5 * angle)
    sigma, found, code = _refine_once(m, w, c1, c2, n, angle, size, preference)
    for _ in range(_REPEATS):
        if dot(found, n) > cosine:
            break
        n = found
        sigma, found, code = _refine_once(m, w, c1, c2, n, angle, size, preference)
    return sigma, found, code
