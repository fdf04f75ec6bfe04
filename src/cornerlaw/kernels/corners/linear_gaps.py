"""Gaps of corners whose rows are constant sums of coordinates, all of them in one call."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel


@kernel
def eval_linear_gaps(m, w, q, u):
    """Write g = sum c q - g_0 and gamma = sum c u of the normal rows of all corners. (T-5.12)"""
    rows, corners = m.rows, m.corners
    for c in range(corners.row_N.size):
        i = corners.row_N[c]
        if i < 0:
            continue
        start, first = rows.start[i], rows.list_start[i]
        g, gamma = -rows.data[start], 0.0
        for k in range(rows.n_list[i]):
            j, factor = rows.lists[first + k], rows.data[start + 1 + k]
            g += factor * q[m.tree.q_of_u[j]]
            gamma += factor * u[j]
        w.g[i], w.gamma[i] = g, gamma
    return OK
