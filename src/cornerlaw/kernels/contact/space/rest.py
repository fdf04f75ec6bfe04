"""Pairs of solids at rest against each other: what the last search found is carried along.

Between two solids that have moved by a part epsilon of their size since they were searched, normal
and contact points belong to the same faces, edges and vertices, and are wrong by epsilon squared if
they move with their bodies. At 1e-9 that is far below rounding.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    sub,
    to_local,
    to_world,
    turn_to_local,
    turn_to_world,
)

STILL = 1e-9  # of the size of a pair, and rad


@kernel
def _triple(a):
    return a[0], a[1], a[2]


@kernel
def forget_pose(w, k):
    """Let the pair with first slot k be searched anew."""
    w.contact_p[k, 0] = math.nan


@kernel
def is_still(m, w, k):
    """Tell whether the pair with first slot k has hardly moved since it was searched. (T-17.17)"""
    p = w.contact_p[k]
    if math.isnan(p[0]):
        return False
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    f1, f2 = m.contours.frame[c1], m.contours.frame[c2]
    A1, A2, r1, r2 = w.frame_A[f1], w.frame_A[f2], w.frame_r[f1], w.frame_r[f2]
    moved = STILL * (m.contours.reach[c1] + m.contours.reach[c2])
    for a in range(3):
        if not abs(r1[a] - r2[a] - p[18 + a]) <= moved:
            return False
        for b in range(3):
            if not abs(A1[a, b] - p[3 * a + b]) <= STILL:
                return False
            if not abs(A2[a, b] - p[9 + 3 * a + b]) <= STILL:
                return False
    return True


@kernel
def keep_pose(m, w, k):
    """Remember the pose of a pair and its contacts in the axes of the markers. (T-17.17)"""
    f1 = m.contours.frame[m.slots.contour_1[k]]
    f2 = m.contours.frame[m.slots.contour_2[k]]
    p = w.contact_p[k]
    for a in range(3):
        p[18 + a] = w.frame_r[f1, a] - w.frame_r[f2, a]
        for b in range(3):
            p[3 * a + b] = w.frame_A[f1, a, b]
            p[9 + 3 * a + b] = w.frame_A[f2, a, b]
    for s in range(k, k + m.slots.count[k]):
        if w.contact_g[s] < 1e299:
            kept = w.contact_l[s]
            kept[0], kept[1], kept[2] = turn_to_local(w, f2, _triple(w.contact_n[s]))
            kept[3], kept[4], kept[5] = to_local(w, f1, _triple(w.contact_r1[s]))
            kept[6], kept[7], kept[8] = to_local(w, f2, _triple(w.contact_r2[s]))


@kernel
def carry_points(m, w, k):
    """Move the contacts of a pair with its bodies: g = n.(C_1 - C_2), C_2 = C_1 - g n. (T-17.17)"""
    f1 = m.contours.frame[m.slots.contour_1[k]]
    f2 = m.contours.frame[m.slots.contour_2[k]]
    for s in range(k, k + m.slots.count[k]):
        if w.contact_g[s] < 1e299:
            kept = w.contact_l[s]
            n = turn_to_world(w, f2, (kept[0], kept[1], kept[2]))
            r1 = to_world(w, f1, (kept[3], kept[4], kept[5]))
            g = dot(n, sub(r1, to_world(w, f2, (kept[6], kept[7], kept[8]))))
            r2 = along(r1, -g, n)
            w.contact_g[s] = g
            for a in range(3):
                w.contact_n[s, a], w.contact_r1[s, a], w.contact_r2[s, a] = n[a], r1[a], r2[a]
