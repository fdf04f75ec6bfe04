"""Temporary."""
from cornerlaw.arrays.kinds import SHAPE_PLANE
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import *


@kernel
def detect_round(m, w, k):
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    f1, f2 = m.contours.frame[c1], m.contours.frame[c2]
    R = m.contours.data[m.contours.start[c1]]
    a, b = origin_of(w, f1), origin_of(w, f2)
    if m.contours.kind[c2] == SHAPE_PLANE:
        n = axis_of(w, f2, 2)
        h = dot(n, sub(a, b))
        store_point(w, k, swap, h - R, n, along(a, -R, n), along(a, -h, n), of_sphere(R), of_plane(), 0)
    else:
        R2 = m.contours.data[m.contours.start[c2]]
        s = -1.0 if min(R, R2) < 0.0 else 1.0
        d = sub(a, b)
        n = scaled(s, unit(d))
        store_point(w, k, swap, s * norm(d) - R - R2, n, along(a, -R, n), along(b, R2, n), of_sphere(R), of_sphere(R2), 0)
    return OK
