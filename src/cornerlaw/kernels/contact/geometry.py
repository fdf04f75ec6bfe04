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
def vertex_of(m, w, c, i):
    """Return vertex i of a segment or polygon in the world."""
    place = m.contours.start[c] + 2 * i
    d = m.contours.data
    return to_world(w, m.contours.frame[c], d[place], d[place + 1])


@kernel
def count_faces(m, c):
    """Return how many faces a segment or polygon has."""
    if m.contours.kind[c] == CONTOUR_SEGMENT:
        return 1
    return m.contours.size[c]


@kernel
def face_of(m, w, c, i):
    """Return face i of a segment or polygon: start, unit direction, length; outside is right."""
    j = i + 1
    if j == m.contours.size[c]:
        j = 0
    ax, ay = vertex_of(m, w, c, i)
    bx, by = vertex_of(m, w, c, j)
    ex, ey = bx - ax, by - ay
    length = math.sqrt(ex * ex + ey * ey)
    return ax, ay, ex / length, ey / length, length


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
