"""Closed forms of points, circles and arcs, seen from outside or inside, and of lines."""

import math

from cornerlaw.arrays.kinds import CONTOUR_ARC
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import (
    radius_of,
    store_contact,
    store_nothing,
    turn_to_world,
)


@kernel
def on_arc(m, w, c, x, y):
    """Tell whether an arc extends to the direction (x, y) from its centre; other contours do."""
    if m.contours.kind[c] != CONTOUR_ARC:
        return True
    start = m.contours.start[c]
    middle, half = m.contours.data[start + 1], m.contours.data[start + 2]
    ex, ey = turn_to_world(w, m.contours.frame[c], math.cos(middle), math.sin(middle))
    return abs(math.atan2(ex * y - ey * x, ex * x + ey * y)) <= half


@kernel
def faces_contact(m, w, c, R, x, y):
    """Tell whether the round contour c has its surface where a contact direction points.

    (x, y) is the unit vector from the contact point to the other contour; the outward normal of a
    circle seen from inside points to its centre.
    """
    if R < 0.0:
        return on_arc(m, w, c, -x, -y)
    return on_arc(m, w, c, x, y)


@kernel
def join_rounds(w, k, swap, c1, R1, c2, R2):
    """Write slot k for two circles with signed radii: g = s |d| - R1 - R2, n = s d / |d|.

    s is -1 where one is seen from inside (R < 0). Concentric circles keep the former normal.
    (T-10.12)
    """
    dx, dy = c1[0] - c2[0], c1[1] - c2[1]
    distance = math.sqrt(dx * dx + dy * dy)
    s = -1.0 if min(R1, R2) < 0.0 else 1.0
    if distance > 0.0:
        n = s * dx / distance, s * dy / distance
    elif w.contact_n[k, 0] != 0.0 or w.contact_n[k, 1] != 0.0:
        turn = -1.0 if swap else 1.0
        n = turn * w.contact_n[k, 0], turn * w.contact_n[k, 1]
    else:
        n = 0.0, 1.0
    r1 = c1[0] - R1 * n[0], c1[1] - R1 * n[1]
    r2 = c2[0] + R2 * n[0], c2[1] + R2 * n[1]
    store_contact(w, k, swap, s * distance - R1 - R2, n, r1, r2, (1.0, R1), (1.0, R2))
    return n


@kernel
def detect_rounds(m, w, k, swap, c1, c2):
    """Find the contact of two points, circles or arcs. (T-10.12)"""
    R1, R2 = radius_of(m, c1), radius_of(m, c2)
    a, b = w.frame_r[m.contours.frame[c1]], w.frame_r[m.contours.frame[c2]]
    n = join_rounds(w, k, swap, (a[0], a[1]), R1, (b[0], b[1]), R2)
    if not faces_contact(m, w, c1, R1, -n[0], -n[1]):
        store_nothing(w, k)
    elif not faces_contact(m, w, c2, R2, n[0], n[1]):
        store_nothing(w, k)


@kernel
def detect_round_line(m, w, k, swap, c1, c2):
    """Find the contact of a point, circle or arc with a line: g = n . (c - p) - R. (T-10.11)"""
    R = radius_of(m, c1)
    a, p = w.frame_r[m.contours.frame[c1]], w.frame_r[m.contours.frame[c2]]
    start = m.contours.start[c2]
    nx, ny = m.contours.data[start], m.contours.data[start + 1]
    n = turn_to_world(w, m.contours.frame[c2], nx, ny)
    height = n[0] * (a[0] - p[0]) + n[1] * (a[1] - p[1])
    r1 = a[0] - R * n[0], a[1] - R * n[1]
    r2 = a[0] - height * n[0], a[1] - height * n[1]
    store_contact(w, k, swap, height - R, n, r1, r2, (1.0, R), (0.0, 1.0))
    if not on_arc(m, w, c1, -n[0], -n[1]):
        store_nothing(w, k)
