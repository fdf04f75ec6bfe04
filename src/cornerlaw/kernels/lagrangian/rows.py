"""Corners whose rows are constant sums of coordinates: no markers, no wrenches on bodies."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.rows import list_items


@kernel
def _write_row(m, w, i, q, u, u_dot):
    """Write g = sum c q - g_0, gamma, gamma_dot and W of row i. (T-5.12)"""
    rows = m.rows
    start, first = rows.start[i], rows.list_start[i]
    g, gamma, gamma_dot, W = -rows.data[start], 0.0, 0.0, w.W[i]
    if w.n_column[i] == 0:
        list_items(m, w, i)
    for k in range(rows.n_list[i]):
        W[rows.lists[first + k]] = 0.0
    for k in range(rows.n_list[i]):
        j, c = rows.lists[first + k], rows.data[start + 1 + k]
        g += c * q[m.tree.q_of_u[j]]
        gamma += c * u[j]
        gamma_dot += c * u_dot[j]
        W[j] += c
    w.g[i], w.gamma[i], w.gamma_dot[i] = g, gamma, gamma_dot


@kernel
def eval_linear_corner(m, w, c, t, q, u, u_dot):
    """Write g, gamma, gamma_dot and W of the rows of corner c."""
    i, j = m.corners.row_N[c], m.corners.row_T[c]
    if i >= 0:
        _write_row(m, w, i, q, u, u_dot)
    for b in range(j, j + m.corners.n_T[c]):
        _write_row(m, w, b, q, u, u_dot)
    return OK
