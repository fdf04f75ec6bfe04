"""Constant masses and rows without zeros: values for the patterns that were found before."""

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.lagrangian.products import sum_row
from cornerlaw.kernels.late import call


@kernel
def write_inverse(m, w, fixed):
    """Write M^-1: blocks do not meet, so one product serves a column of all of them. (T-11.17)"""
    A, largest = fixed.inverse_rows, 0
    for b in range(m.blocks.n.size):
        largest = max(largest, m.blocks.n[b])
    for column in range(largest):
        for j in range(m.nu):
            y = A.start[j] + column
            w.Q[j] = 1.0 if y < A.start[j + 1] and A.column[y] == j else 0.0
        call(m.stages.invert, m, w, w.Q, w.b)
        for j in range(m.nu):
            if A.start[j] + column < A.start[j + 1]:
                A.value[A.start[j] + column] = w.b[j]


@kernel
def _write_row(m, fixed, i):
    """Write W_i: terms of the same velocity add up."""
    A, rows = fixed.rows, m.rows
    start, first = rows.start[i], rows.list_start[i]
    fixed.gap[i] = -rows.data[start]
    for y in range(A.start[i], A.start[i + 1]):
        total = 0.0
        for k in range(rows.n_list[i]):
            if rows.lists[first + k] == A.column[y]:
                total += rows.data[start + 1 + k]
        A.value[y] = total


@kernel
def write_sparse_rows(m, w, fixed):
    """Write W, Z = M^-1 W, G = W Z and the value of every row at q = 0. (T-11.1)"""
    W, Z, G, dense = fixed.rows, fixed.response, fixed.coupling, fixed.islands.dv
    for i in range(fixed.gap.size):
        _write_row(m, fixed, i)
        for y in range(W.start[i], W.start[i + 1]):
            dense[W.column[y]] = W.value[y]
        for y in range(Z.start[i], Z.start[i + 1]):
            Z.value[y] = sum_row(fixed.inverse_rows, Z.column[y], dense)
        for y in range(W.start[i], W.start[i + 1]):
            dense[W.column[y]] = 0.0
    for i in range(fixed.gap.size):
        for y in range(Z.start[i], Z.start[i + 1]):
            dense[Z.column[y]] = Z.value[y]
        for y in range(G.start[i], G.start[i + 1]):
            G.value[y] = sum_row(W, G.column[y], dense)
        for y in range(Z.start[i], Z.start[i + 1]):
            dense[Z.column[y]] = 0.0
