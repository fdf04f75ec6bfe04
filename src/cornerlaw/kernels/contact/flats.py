"""Segments and convex polygons against round contours and lines."""

import math

from cornerlaw.arrays.kinds import CONTOUR_ARC, CONTOUR_SEGMENT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import (
    DEPTH,
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


@kernel
def detect_flat(m, w, k):
    """Find the contact of slot k: a round contour or a line with a segment or polygon."""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    if m.contours.kind[c1] <= CONTOUR_ARC:
        _detect_round_flat(m, w, k, swap, c1, c2, m.slots.feature[k])
    else:
        _detect_line_vertex(m, w, k, swap, c1, c2, m.slots.feature[k])
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
    elif single and height < (-R if R > 0.0 else -DEPTH * length):
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
