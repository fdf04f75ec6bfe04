"""Segments and convex polygons against round contours, lines and each other."""

import math

from cornerlaw.arrays.kinds import CONTOUR_ARC, CONTOUR_LINE, CONTOUR_SEGMENT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import (
    count_faces,
    height_over,
    place_along,
    place_vertices,
    radius_of,
    store_contact,
    store_nothing,
    turn_to_world,
)
from cornerlaw.kernels.contact.rounds import faces_contact, join_rounds

_DEPTH = 0.1  # how far a thin contour may sink behind a segment with one face, per its length
_BACK = 1e-9  # cosine above which a normal is taken to come from behind a segment


@kernel
def detect_flat(m, w, k):
    """Find the contact of slot k, one of whose contours is a segment or polygon."""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    if m.contours.kind[c1] <= CONTOUR_ARC:
        _detect_round_flat(m, w, k, swap, c1, c2, m.slots.feature[k])
    elif m.contours.kind[c1] == CONTOUR_LINE:
        _detect_line_vertex(m, w, k, swap, c1, c2, m.slots.feature[k])
    elif m.slots.feature[k] == 0:
        _detect_flats(m, w, k, m.slots.contour_1[k], m.slots.contour_2[k])
    return OK


@kernel
def _detect_line_vertex(m, w, k, swap, c1, c2, i):
    """Find the contact of a line with vertex i of a segment or polygon. (T-10.11)"""
    place_vertices(m, w, c2, 1)
    p, f = w.frame_r[m.contours.frame[c1]], m.contours.start[c1]
    n = turn_to_world(w, m.contours.frame[c1], m.contours.data[f], m.contours.data[f + 1])
    x, y = w.contact_v[1, i, 0], w.contact_v[1, i, 1]
    g = n[0] * (x - p[0]) + n[1] * (y - p[1])
    r1 = x - g * n[0], y - g * n[1]
    store_contact(w, k, swap, g, (-n[0], -n[1]), r1, (x, y), (0.0, 1.0), (1.0, 0.0))


@kernel
def _detect_round_flat(m, w, k, swap, c1, c2, i):
    """Find the contact of a point, circle or arc with a segment or polygon.

    The face with the largest distance from the centre decides; beyond its ends the corner there is
    nearest. A circle seen from inside is touched by vertex i only. (T-10.13)
    """
    place_vertices(m, w, c2, 1)
    v, R = w.contact_v[1], radius_of(m, c1)
    x, y = w.frame_r[m.contours.frame[c1], 0], w.frame_r[m.contours.frame[c1], 1]
    face, height = i, math.inf
    if R >= 0.0:
        face, height = _highest_face(v, count_faces(m, c2), x, y)
    along, length = place_along(v, face, x, y), v[face, 4]
    single = m.contours.kind[c2] == CONTOUR_SEGMENT
    # inside a polygon the nearest point is on a face; a segment has corners all round
    outside = (height > 0.0 or single) and (along < 0.0 or along > length)
    if R < 0.0 or outside:
        corner = face
        if R >= 0.0 and along > length:
            corner = face + 1 if face + 1 < m.contours.size[c2] else 0
        n = join_rounds(w, k, swap, (x, y), R, (v[corner, 0], v[corner, 1]), 0.0)
    elif single and height < (-R if R > 0.0 else -_DEPTH * length):
        store_nothing(w, k)  # wholly behind a segment with one face
        return
    else:
        n = v[face, 3], -v[face, 2]
        r1 = x - R * n[0], y - R * n[1]
        r2 = x - height * n[0], y - height * n[1]
        store_contact(w, k, swap, height - R, n, r1, r2, (1.0, R), (0.0, 1.0))
    if not faces_contact(m, w, c1, R, -n[0], -n[1]):
        store_nothing(w, k)


@kernel
def _highest_face(v, n, x, y):
    """Return the face that a point is furthest in front of, and its height over it."""
    best, height = 0, -math.inf
    for j in range(n):
        h = height_over(v, j, x, y)
        if h > height:
            best, height = j, h
    return best, height


@kernel
def _is_behind(m, w, c, side, n):
    """Tell whether a segment c with one face has all n vertices of the other contour behind it.

    Another segment has no depth, so that it may sink in by a tenth of the length.
    """
    if m.contours.kind[c] != CONTOUR_SEGMENT:
        return False
    v, other = w.contact_v[side], w.contact_v[1 - side]
    highest = -math.inf
    for j in range(n):
        highest = max(highest, height_over(v, 0, other[j, 0], other[j, 1]))
    margin = _DEPTH * v[0, 4] if n == 2 else 0.0
    return highest < -margin


@kernel
def _best_face(v, faces, other, n, single):
    """Return the face that separates the n vertices of the other contour most, and by how much.

    A face that looks at the back of a segment with a single face does not count. (T-10.14)
    """
    best, distance = -1, -math.inf
    for i in range(faces):
        if single and v[i, 2] * other[0, 2] + v[i, 3] * other[0, 3] > _BACK:
            continue
        least = math.inf
        for j in range(n):
            least = min(least, height_over(v, i, other[j, 0], other[j, 1]))
        if least > distance:
            best, distance = i, least
    return best, distance


@kernel
def _opposite_face(v, faces, ex, ey):
    """Return the face whose direction is most opposite to e."""
    best, least = 0, math.inf
    for i in range(faces):
        cosine = v[i, 2] * ex + v[i, 3] * ey
        if cosine < least:
            best, least = i, cosine
    return best


@kernel
def _join_vertices(w, k, swap, x1, y1, x2, y2):
    """Write slot k for two corners apart from each other."""
    dx, dy = x1 - x2, y1 - y2
    distance = math.sqrt(dx * dx + dy * dy)
    n = (dx / distance, dy / distance) if distance > 0.0 else (0.0, 1.0)
    store_contact(w, k, swap, distance, n, (x1, y1), (x2, y2), (1.0, 0.0), (1.0, 0.0))


@kernel
def _vertex_on_face(w, k, i, side, j):
    """Write slot k for vertex i of the contour `side` over face j of the other.

    Beyond the ends of the face its corners are nearest. (T-10.15)
    """
    v, f = w.contact_v[side], w.contact_v[1 - side]
    x, y = v[i, 0], v[i, 1]
    height, along = height_over(f, j, x, y), place_along(f, j, x, y)
    if height > 0.0 and (along < 0.0 or along > f[j, 4]):
        s = 0.0 if along < 0.0 else f[j, 4]
        _join_vertices(w, k, side == 1, x, y, f[j, 0] + s * f[j, 2], f[j, 1] + s * f[j, 3])
        return
    n = f[j, 3], -f[j, 2]
    r2 = x - height * n[0], y - height * n[1]
    store_contact(w, k, side == 1, height, n, (x, y), r2, (1.0, 0.0), (0.0, 1.0))


@kernel
def _nearest_vertices(w, k, n1, n2):
    """Write slot k for the two nearest vertices."""
    v1, v2 = w.contact_v[0], w.contact_v[1]
    least, a, b = math.inf, 0, 0
    for i in range(n1):
        for j in range(n2):
            d = (v1[i, 0] - v2[j, 0]) ** 2 + (v1[i, 1] - v2[j, 1]) ** 2
            if d < least:
                least, a, b = d, i, j
    _join_vertices(w, k, False, v1[a, 0], v1[a, 1], v2[b, 0], v2[b, 1])


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
    w.contact_s[a] = low if first else high
    w.contact_s[b] = high if first else low
    return first


@kernel
def _detect_flats(m, w, k, c1, c2):
    """Find both contacts of two segments or polygons and write slots k and k + 1.

    The face that separates most is the reference; the ends of its overlap with the opposite face
    are corners of one contour over a face of the other. (T-10.14) (T-10.15)
    """
    place_vertices(m, w, c1, 0)
    place_vertices(m, w, c2, 1)
    v1, v2 = w.contact_v[0], w.contact_v[1]
    n1, n2 = m.contours.size[c1], m.contours.size[c2]
    faces_1, faces_2 = count_faces(m, c1), count_faces(m, c2)
    i1, d1 = _best_face(v1, faces_1, v2, n2, faces_2 == 1)
    i2, d2 = _best_face(v2, faces_2, v1, n1, faces_1 == 1)
    behind = _is_behind(m, w, c1, 0, n2) or _is_behind(m, w, c2, 1, n1)
    store_nothing(w, k)
    store_nothing(w, k + 1)
    if behind or max(i1, i2) < 0:
        return
    # the reference face is on side p
    p = 0 if d1 > d2 else 1
    if p == 0:
        j = _opposite_face(v2, faces_2, v1[i1, 2], v1[i1, 3])
        _overlap(m, w, k, p, i1, n1, j, n2, d1)
    else:
        j = _opposite_face(v1, faces_1, v2[i2, 2], v2[i2, 3])
        _overlap(m, w, k, p, i2, n2, j, n1, d2)


@kernel
def _overlap(m, w, k, p, i, n_p, j, n_q, distance):
    """Write slots k and k + 1 for the overlap of face i of side p and face j of the other side.

    Corner v of the first contour has the number 2 v, of the second 2 v + 1.
    """
    q = 1 - p
    vp, vq = w.contact_v[p], w.contact_v[q]
    length = vp[i, 4]
    i_high = i + 1 if i + 1 < n_p else 0
    j_low, j_high = (j + 1 if j + 1 < n_q else 0), j
    low = place_along(vp, i, vq[j_low, 0], vq[j_low, 1])
    high = place_along(vp, i, vq[j_high, 0], vq[j_high, 1])
    if low > high:
        # a thin plate seen along its edge
        j_low, j_high, low, high = j_high, j_low, high, low
    if low > length or high < 0.0:
        if distance > 0.0 or max(n_p, n_q) == 2:
            n_1, n_2 = (n_p, n_q) if p == 0 else (n_q, n_p)
            _nearest_vertices(w, k, n_1, n_2)
        else:
            _vertex_on_face(w, k, j_low if low > length else j_high, q, i)
        return
    low_corner = 2 * j_low + q if low >= 0.0 else 2 * i + p
    high_corner = 2 * j_high + q if high <= length else 2 * i_high + p
    # along the first contour's face the tangent runs forwards, along the second's backwards
    first = _low_end_first(m, w, k, float(low_corner), float(high_corner), p == 1)
    a, b = (k, k + 1) if first else (k + 1, k)
    if low >= 0.0:
        _vertex_on_face(w, a, j_low, q, i)
    else:
        _vertex_on_face(w, a, i, p, j)
    if high <= length:
        _vertex_on_face(w, b, j_high, q, i)
    else:
        _vertex_on_face(w, b, i_high, p, j)
