"""Segments and convex polygons against each other: both ends of the overlap of two faces."""

import math

from cornerlaw.arrays.kinds import CONTOUR_SEGMENT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import (
    DEPTH,
    count_faces,
    height_over,
    place_along,
    place_vertices,
    store_contact,
    store_nothing,
)

_BACK = 1e-9  # cosine above which a normal is taken to come from behind a segment


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
    margin = DEPTH * v[0, 4] if n == 2 else 0.0
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
def _vertex_on_face(w, k, i, side, j, corner):
    """Write slot k for vertex i of the contour `side` over face j of the other.

    Beyond the ends of the face its corners are nearest; with `corner` the first one is. (T-10.15)
    """
    v, f = w.contact_v[side], w.contact_v[1 - side]
    x, y = v[i, 0], v[i, 1]
    g, along = height_over(f, j, x, y), place_along(f, j, x, y)
    n, p2 = (f[j, 3], -f[j, 2]), 1.0
    if corner or (g > 0.0 and (along < 0.0 or along > f[j, 4])):
        s = 0.0 if corner or along < 0.0 else f[j, 4]
        dx, dy = x - f[j, 0] - s * f[j, 2], y - f[j, 1] - s * f[j, 3]
        g, p2 = math.sqrt(dx * dx + dy * dy), 0.0
        if g > 0.0:
            n = dx / g, dy / g
    r2 = x - g * n[0], y - g * n[1]
    store_contact(w, k, side == 1, g, n, (x, y), r2, (1.0, 0.0), (1.0 - p2, p2))


@kernel
def _nearest_vertices(v, n_v, o, n_o):
    """Return the two nearest vertices of two contours."""
    least, a, b = math.inf, 0, 0
    for i in range(n_v):
        for j in range(n_o):
            d = (v[i, 0] - o[j, 0]) ** 2 + (v[i, 1] - o[j, 1]) ** 2
            if d < least:
                least, a, b = d, i, j
    return a, b


@kernel
def _low_end_first(m, w, k, low, high, low_place, high_place):
    """Tell whether the low end of the overlap belongs to the first of the two slots.

    A corner stays in the slot it was in, so that its history is not lost when a body tips over it.
    Where both corners are new, as with two that lie upon each other, the end nearest to its former
    place along the tangent decides; at first the ends are ordered. Each slot remembers its corner
    and its place.
    """
    s, a, b, corner = w.contact_s, m.slots.start[k], m.slots.start[k + 1], w.contact_id
    first = low_place <= high_place
    if corner[k] == low or corner[k + 1] == high:
        first = True
    elif corner[k + 1] == low or corner[k] == high:
        first = False
    elif s[a] == s[a] and s[b] == s[b]:
        same = min(abs(low_place - s[a]), abs(high_place - s[b]))
        other = min(abs(low_place - s[b]), abs(high_place - s[a]))
        first = same <= other
    if not first:
        low, high, low_place, high_place = high, low, high_place, low_place
    corner[k], s[a], corner[k + 1], s[b] = low, low_place, high, high_place
    return first


@kernel
def _is_first(w, k, corner):
    """Tell whether a corner that is alone belongs to the first of the two slots: where it was."""
    if w.contact_id[k] != corner and w.contact_id[k + 1] == corner:
        return False
    w.contact_id[k] = corner
    return True


@kernel
def detect_flats(m, w, k):
    """Find both contacts of two segments or polygons and write both slots, k and its neighbour.

    The face that separates most is the reference; the ends of its overlap with the opposite face
    are corners of one contour over a face of the other. (T-10.14) (T-10.15)
    """
    if m.slots.feature[k] != 0:
        k -= 1
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
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
        return OK
    # the reference face is on side p
    p = 0 if d1 > d2 else 1
    if p == 0:
        j = _opposite_face(v2, faces_2, v1[i1, 2], v1[i1, 3])
        _overlap(m, w, k, p, i1, n1, j, n2, d1)
    else:
        j = _opposite_face(v1, faces_1, v2[i2, 2], v2[i2, 3])
        _overlap(m, w, k, p, i2, n2, j, n1, d2)
    return OK


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
    # the ends of the overlap: corner, its side and the face it is over
    a, side_a, face_a = (j_low, q, i) if low >= 0.0 else (i, p, j)
    b, side_b, face_b = (j_high, q, i) if high <= length else (i_high, p, j)
    apart = low > length or high < 0.0
    corners = apart and (distance > 0.0 or max(n_p, n_q) == 2)
    if corners:
        a, face_a = _nearest_vertices(vq, n_q, vp, n_p)
        side_a = q
    elif apart:
        a, side_a, face_a = (j_low if low > length else j_high), q, i
    else:
        # along the first contour's face the tangent runs forwards, along the second's backwards
        sign = 1.0 if p == 0 else -1.0
        r = w.frame_r[m.contours.frame[m.slots.contour_1[k]]]
        origin = place_along(vp, i, r[0], r[1])
        low_place = sign * (max(low, 0.0) - origin)
        high_place = sign * (min(high, length) - origin)
        corner_b = 2 * b + side_b
        first = _low_end_first(m, w, k, 2 * a + side_a, corner_b, low_place, high_place)
    if corners:
        # of two corners that meet, the one of the first contour has the name
        first = _is_first(w, k, 2 * (a if side_a == 0 else face_a))
    elif apart:
        first = _is_first(w, k, 2 * a + side_a)
    for end in range(1 if apart else 2):
        slot = k if (end == 0) == first else k + 1
        if end == 1:
            a, side_a, face_a = b, side_b, face_b
        _vertex_on_face(w, slot, a, side_a, face_a, corners)
