"""Contours in the world and the record of a contact slot."""

import math

from cornerlaw.arrays.kinds import CONTOUR_POINT, CONTOUR_SEGMENT
from cornerlaw.kernels._numba import kernel

DEPTH = 0.1  # how far a thin contour may sink behind a segment with one face, per its length


@kernel
def to_world(w, frame, x, y):
    """Return the world position of a point given in the axes of a marker."""
    r, A = w.frame_r[frame], w.frame_A[frame]
    return r[0] + A[0, 0] * x + A[0, 1] * y, r[1] + A[1, 0] * x + A[1, 1] * y


@kernel
def turn_to_world(w, frame, x, y):
    """Return the world components of a vector given in the axes of a marker."""
    A = w.frame_A[frame]
    return A[0, 0] * x + A[0, 1] * y, A[1, 0] * x + A[1, 1] * y


@kernel
def radius_of(m, c):
    """Return the radius of a round contour: 0 for a point, negative seen from inside."""
    if m.contours.kind[c] == CONTOUR_POINT:
        return 0.0
    return m.contours.data[m.contours.start[c]]


@kernel
def place_vertices(m, w, c, side):
    """Write the vertices of a segment or polygon to w.contact_v[side]: x, y, unit edge, length.

    The edge runs to the next vertex, outside is to its right.
    """
    v, d, n = w.contact_v[side], m.contours.data, m.contours.size[c]
    for i in range(n):
        place = m.contours.start[c] + 2 * i
        v[i, 0], v[i, 1] = to_world(w, m.contours.frame[c], d[place], d[place + 1])
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        ex, ey = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1]
        length = math.sqrt(ex * ex + ey * ey)
        v[i, 2], v[i, 3], v[i, 4] = ex / length, ey / length, length


@kernel
def height_over(v, i, x, y):
    """Return the signed distance of a point in front of face i, outside positive."""
    return v[i, 3] * (x - v[i, 0]) - v[i, 2] * (y - v[i, 1])


@kernel
def place_along(v, i, x, y):
    """Return the place of a point along face i, from its first vertex."""
    return v[i, 2] * (x - v[i, 0]) + v[i, 3] * (y - v[i, 1])


@kernel
def count_faces(m, c):
    """Return how many faces a segment or polygon has."""
    if m.contours.kind[c] == CONTOUR_SEGMENT:
        return 1
    return m.contours.size[c]


@kernel
def store_contact(w, k, swap, g, n, r1, r2, c1, c2):
    """Write slot k: gap, unit normal from contour 2 to 1, points, curvatures (k, p) of both.

    With `swap` the contours were taken in the opposite order: n turns round, 1 and 2 change places.
    The tangent is (n_y, -n_x). (T-10.1)
    """
    if swap:
        n, r1, r2, c1, c2 = (-n[0], -n[1]), r2, r1, c2, c1
    w.contact_g[k] = g
    for a in range(2):
        w.contact_n[k, a] = n[a]
        w.contact_r1[k, a] = r1[a]
        w.contact_r2[k, a] = r2[a]
        w.contact_k[k, a] = c1[a]
        w.contact_k[k, 2 + a] = c2[a]
    w.contact_t[k, 0] = n[1]
    w.contact_t[k, 1] = -n[0]


@kernel
def store_nothing(w, k):
    """Mark slot k as one without a candidate; normal and points stay as they were."""
    w.contact_g[k] = math.inf
