"""Segments and convex polygons against each other: both ends of the overlap of two faces."""

import math

from cornerlaw.arrays.kinds import CONTOUR_SEGMENT
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import (
    DEPTH,
    count_faces,
    face_of,
    store_contact,
    store_nothing,
    vertex_of,
)

_BACK = 1e-9  # cosine above which a normal is taken to come from behind a segment


@kernel
def _is_behind(m, w, c, other):
    """Tell whether a segment c with one face has all of the other contour behind it.

    Another segment has no depth, so that it may sink in by a tenth of the length.
    """
    if m.contours.kind[c] != CONTOUR_SEGMENT:
        return False
    px, py, ex, ey, length = face_of(m, w, c, 0)
    highest = -math.inf
    for j in range(m.contours.size[other]):
        x, y = vertex_of(m, w, other, j)
        highest = max(highest, ey * (x - px) - ex * (y - py))
    margin = DEPTH * length if m.contours.size[other] == 2 else 0.0
    return highest < -margin


@kernel
def _face_distance(m, w, c, i, other):
    """Return how far the other contour stays in front of face i, -inf if seen from behind."""
    px, py, ex, ey, _ = face_of(m, w, c, i)
    nx, ny = ey, -ex
    if m.contours.kind[other] == CONTOUR_SEGMENT:
        _, _, fx, fy, _ = face_of(m, w, other, 0)
        if nx * fy - ny * fx > _BACK:
            return -math.inf
    least = math.inf
    for j in range(m.contours.size[other]):
        x, y = vertex_of(m, w, other, j)
        least = min(least, nx * (x - px) + ny * (y - py))
    return least


@kernel
def _best_face(m, w, c, other):
    """Return the face of c that separates the other contour most, and by how much. (T-10.14)"""
    best, distance = -1, -math.inf
    for i in range(count_faces(m, c)):
        d = _face_distance(m, w, c, i, other)
        if d > distance:
            best, distance = i, d
    return best, distance


@kernel
def _opposite_face(m, w, c, nx, ny):
    """Return the face whose outward normal is most opposite to n."""
    best, least = 0, math.inf
    for i in range(count_faces(m, c)):
        _, _, ex, ey, _ = face_of(m, w, c, i)
        cosine = ey * nx - ex * ny
        if cosine < least:
            best, least = i, cosine
    return best


@kernel
def _vertex_on_face(m, w, k, swap, c1, i, c2, j):
    """Write slot k for vertex i of c1 over face j of c2, beyond whose ends its corners are near.

    (T-10.15)
    """
    x, y = vertex_of(m, w, c1, i)
    px, py, ex, ey, length = face_of(m, w, c2, j)
    height = ey * (x - px) - ex * (y - py)
    along = ex * (x - px) + ey * (y - py)
    if height > 0.0 and (along < 0.0 or along > length):
        qx, qy = px, py
        if along > length:
            qx, qy = px + length * ex, py + length * ey
        _join_vertices(w, k, swap, x, y, qx, qy)
        return
    n = ey, -ex
    r2 = x - height * n[0], y - height * n[1]
    store_contact(w, k, swap, height, n, (x, y), r2, (1.0, 0.0), (0.0, 1.0))


@kernel
def _join_vertices(w, k, swap, x1, y1, x2, y2):
    """Write slot k for two corners apart from each other."""
    dx, dy = x1 - x2, y1 - y2
    distance = math.sqrt(dx * dx + dy * dy)
    n = (dx / distance, dy / distance) if distance > 0.0 else (0.0, 1.0)
    store_contact(w, k, swap, distance, n, (x1, y1), (x2, y2), (1.0, 0.0), (1.0, 0.0))


@kernel
def _nearest_vertices(m, w, k, c1, c2):
    """Write slot k for the two nearest vertices."""
    least, best_i, best_j = math.inf, 0, 0
    for i in range(m.contours.size[c1]):
        x1, y1 = vertex_of(m, w, c1, i)
        for j in range(m.contours.size[c2]):
            x2, y2 = vertex_of(m, w, c2, j)
            d = (x1 - x2) ** 2 + (y1 - y2) ** 2
            if d < least:
                least, best_i, best_j = d, i, j
    x1, y1 = vertex_of(m, w, c1, best_i)
    x2, y2 = vertex_of(m, w, c2, best_j)
    _join_vertices(w, k, False, x1, y1, x2, y2)


@kernel
def _low_end_first(m, w, k, low, high, backwards):
    """Tell whether the low end of the overlap belongs to the first of the two slots.

    A corner stays in the slot it was in, so that its history is not lost when a body tips over it;
    otherwise the ends are ordered along the tangent. Each slot remembers its corner.
    """
    a, b = m.slots.start[k], m.slots.start[k + 1]
    first = not backwards
    if w.contact_s[a] == low or w.contact_s[b] == high:
        first = True
    elif w.contact_s[b] == low or w.contact_s[a] == high:
        first = False
    w.contact_s[a], w.contact_s[b] = (low, high) if first else (high, low)
    return first


@kernel
def detect_flats(m, w, k, c1, c2):
    """Find both contacts of two segments or polygons and write slots k and k + 1.

    The face that separates most is the reference; the ends of its overlap with the opposite face
    are corners of one contour over a face of the other. (T-10.14) (T-10.15)
    """
    if _is_behind(m, w, c1, c2) or _is_behind(m, w, c2, c1):
        store_nothing(w, k)
        store_nothing(w, k + 1)
        return
    i1, d1 = _best_face(m, w, c1, c2)
    i2, d2 = _best_face(m, w, c2, c1)
    if i1 < 0 and i2 < 0:
        store_nothing(w, k)
        store_nothing(w, k + 1)
        return
    # p has the reference face, q the opposite one
    swap = d1 > d2
    p, q, i, d = c2, c1, i2, d2
    if swap:
        p, q, i, d = c1, c2, i1, d1
    _, _, ex, ey, _ = face_of(m, w, p, i)
    j = _opposite_face(m, w, q, ey, -ex)
    _overlap(m, w, k, swap, p, i, q, j, d)


@kernel
def _overlap(m, w, k, swap, p, i, q, j, distance):
    """Write slots k and k + 1 for the overlap of face i of p and face j of q.

    `swap` tells that p is the first contour. Corner v of the first contour is number 2 v + 1, of
    the second 2 v.
    """
    px, py, ex, ey, length = face_of(m, w, p, i)
    i_high = i + 1 if i + 1 < m.contours.size[p] else 0
    j_low = j + 1 if j + 1 < m.contours.size[q] else 0
    j_high = j
    x, y = vertex_of(m, w, q, j_low)
    low = ex * (x - px) + ey * (y - py)
    x, y = vertex_of(m, w, q, j_high)
    high = ex * (x - px) + ey * (y - py)
    if low > high:
        # seen along the edge of a thin plate
        j_low, j_high, low, high = j_high, j_low, high, low
    if low > length or high < 0.0:
        thin = m.contours.size[p] == 2 and m.contours.size[q] == 2
        if distance > 0.0 or thin:
            c1, c2 = (p, q) if swap else (q, p)
            _nearest_vertices(m, w, k, c1, c2)
        else:
            _vertex_on_face(m, w, k, swap, q, j_low if low > length else j_high, p, i)
        store_nothing(w, k + 1)
        return
    of_p, of_q = (1, 0) if swap else (0, 1)
    low_corner = 2 * j_low + of_q if low >= 0.0 else 2 * i + of_p
    high_corner = 2 * j_high + of_q if high <= length else 2 * i_high + of_p
    # the tangent of a slot runs along the face of the second contour, outside to the right
    first = _low_end_first(m, w, k, float(low_corner), float(high_corner), not swap)
    a, b = (k, k + 1) if first else (k + 1, k)
    if low >= 0.0:
        _vertex_on_face(m, w, a, swap, q, j_low, p, i)
    else:
        _vertex_on_face(m, w, a, not swap, p, i, q, j)
    if high <= length:
        _vertex_on_face(m, w, b, swap, q, j_high, p, i)
    else:
        _vertex_on_face(m, w, b, not swap, p, i_high, q, j)
