"""Gaps and velocities of all corners at a stored state, and the wrenches of the closed ones."""

import math

from cornerlaw.arrays.corner_work import OPEN
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call


@kernel
def _copy_triple(a, out):
    out[0], out[1], out[2] = a[0], a[1], a[2]


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
