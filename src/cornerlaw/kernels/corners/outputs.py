"""Gaps and velocities of all corners at a stored state, and the wrenches of the closed ones."""

import math

from cornerlaw.arrays.corner_work import OPEN
from cornerlaw.arrays.state import NOT_KNOWN
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.points import point_of
from cornerlaw.kernels.late import call


@kernel
def _copy_triple(a, out):
    out[0], out[1], out[2] = a[0], a[1], a[2]


@kernel
def _exchange(w, a, b):
    """Exchange what detection wrote to two slots of a pair."""
    w.contact_g[a], w.contact_g[b] = w.contact_g[b], w.contact_g[a]
    w.contact_id[a], w.contact_id[b] = w.contact_id[b], w.contact_id[a]
    for i in range(3):
        w.contact_n[a, i], w.contact_n[b, i] = w.contact_n[b, i], w.contact_n[a, i]
        w.contact_t[a, i], w.contact_t[b, i] = w.contact_t[b, i], w.contact_t[a, i]
        w.contact_r1[a, i], w.contact_r1[b, i] = w.contact_r1[b, i], w.contact_r1[a, i]
        w.contact_r2[a, i], w.contact_r2[b, i] = w.contact_r2[b, i], w.contact_r2[a, i]
    for i in range(w.contact_k.shape[1]):
        w.contact_k[a, i], w.contact_k[b, i] = w.contact_k[b, i], w.contact_k[a, i]


@kernel
def _is_open(m, w, c, s):
    """Tell whether the contact in slot s is open, c being the corner of the pair's first slot."""
    # resistance to rolling stands between the corners of two slots
    while m.corners.slot[c] != s:
        c += 1
    return w.k.status[c] == OPEN


@kernel
def _has_own_point(w, s):
    """Tell whether slot s has a point, the one at which its force was found where that is known."""
    shown = w.contact_shown[s]
    return w.contact_g[s] < 1e299 and (shown == NOT_KNOWN or w.contact_id[s] == point_of(shown))


@kernel
def _settle_pair(m, w, c, first):
    """Give the closed slots of a pair of solids its points, c being the corner of the first slot.

    A point stays in the slot that it had when the force was found, but the pose that is stored is
    another one, at which it may not exist. Such a slot takes the nearest of the points that are
    new, one without any point the nearest of all that no other closed slot has. (T-18.22)
    """
    end = first + m.slots.count[first]
    for s in range(first, end):
        if _is_open(m, w, c, s) or _has_own_point(w, s):
            continue
        best = s if w.contact_g[s] < 1e299 else -1
        for own in range(2 if best < 0 else 1):
            for other in range(first, end):
                if not w.contact_g[other] < 1e299 or not _is_open(m, w, c, other):
                    continue
                if own == 1 or not _has_own_point(w, other):
                    if best < 0 or w.contact_g[other] < w.contact_g[best]:
                        best = other
            if best >= 0:
                break
        if best >= 0 and best != s:
            _exchange(w, s, best)


@kernel
def eval_corner_outputs(m, w, t, q, u, u_dot, g, gamma, normal, tangent, point):
    """Write gap and velocity of every row, normal, tangent and point of every slot.

    Needs kinematics and marker accelerations; leaves the wrenches of bilateral rows and of closed
    corners.
    """
    corners, k = m.corners, w.k
    w.look[0] = math.inf  # gaps of distant pairs are results, too
    w.n_entries[0] = 0
    if m.n_rows > 0:
        call(m.stages.rows, m, w, t, q, u, u_dot)
    for c in range(k.status.size):
        s, i, j = corners.slot[c], corners.row_N[c], corners.row_T[c]
        if s >= 0:
            call(m.stages.detect, m, w, s)
            if m.slots.first[s] == s and m.slots.count[s] > 1:
                _settle_pair(m, w, c, s)
            _copy_triple(w.contact_n[s], normal[s])
            _copy_triple(w.contact_r1[s], point[s])
            if not w.contact_g[s] < 1e299:
                if i >= 0:
                    g[i], gamma[i] = math.inf, 0.0
                continue
        entries = w.n_entries[0]
        call(m.stages.corner, m, w, c, t, q, u, u_dot)
        if s >= 0:
            _copy_triple(w.contact_t[s], tangent[s])
        if k.status[c] == OPEN:
            w.n_entries[0] = entries
        if i >= 0:
            g[i], gamma[i] = w.g[i], w.gamma[i]
        for a in range(corners.n_T[c]):
            g[j + a], gamma[j + a] = w.g[j + a], w.gamma[j + a]
    return OK
