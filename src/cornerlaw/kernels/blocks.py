"""Velocities with a mass matrix of their own: systems given by M and h, rotors, sliders."""

from cornerlaw.arrays.status import OK, SINGULAR_MASS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.linalg import factor_cholesky, solve_cholesky
from cornerlaw.kernels.slots import call_slot


@kernel
def eval_blocks(m, w, t, q, u, h):
    """Write the mass matrices of all blocks to w.block_M and add their forces to h. (T-4.8)"""
    blocks = m.blocks
    for k in range(blocks.n.size):
        n, q0, u0, start = blocks.n[k], blocks.q_start[k], blocks.u_start[k], blocks.M_start[k]
        Mk = w.block_M[start : start + n * n]
        x = w.slot_in[: 2 * n + 1]
        x[0] = t
        for i in range(n):
            x[1 + i] = q[q0 + i]
            x[1 + n + i] = u[u0 + i]
        if blocks.M_address[k] != 0:
            call_slot(blocks.M_address[k], x, x[:0], Mk)
        else:
            for i in range(n * n):
                Mk[i] = blocks.data[start + i]
        if blocks.h_address[k] != 0:
            out = w.slot_out[:n]
            call_slot(blocks.h_address[k], x, x[:0], out)
            for i in range(n):
                h[u0 + i] += out[i]
        else:
            for i in range(n):
                h[u0 + i] += blocks.data[blocks.h_start[k] + i]
    return OK


@kernel
def factor_blocks(m, w):
    """Factor the mass matrices of all blocks; a prescribed velocity becomes a unit row."""
    blocks = m.blocks
    for k in range(blocks.n.size):
        n, u0, start = blocks.n[k], blocks.u_start[k], blocks.M_start[k]
        L = w.block_L[start : start + n * n].reshape((n, n))
        Mk = w.block_M[start : start + n * n].reshape((n, n))
        for i in range(n):
            for j in range(n):
                free = m.tree.driven[u0 + i] < 0 and m.tree.driven[u0 + j] < 0
                L[i, j] = Mk[i, j] if free else 0.0
            L[i, i] = L[i, i] + m.tree.armature[u0 + i] if m.tree.driven[u0 + i] < 0 else 1.0
        bad = factor_cholesky(L, n, L)
        if bad >= 0:
            w.culprit[0] = u0 + bad
            return SINGULAR_MASS
    return OK


@kernel
def invert_blocks(m, w, b, y):
    """Write y = M^-1 b on the velocities of all blocks, zero on prescribed ones."""
    blocks = m.blocks
    for k in range(blocks.n.size):
        n, u0, start = blocks.n[k], blocks.u_start[k], blocks.M_start[k]
        for i in range(n):
            y[u0 + i] = b[u0 + i] if m.tree.driven[u0 + i] < 0 else 0.0
        solve_cholesky(w.block_L[start : start + n * n].reshape((n, n)), n, y[u0 : u0 + n])
    return OK


@kernel
def subtract_driven(m, w):
    """Write w.b = Q - M u_dot_driven: prescribed velocities move the others of their block."""
    blocks = m.blocks
    for k in range(blocks.n.size):
        n, u0, start = blocks.n[k], blocks.u_start[k], blocks.M_start[k]
        for i in range(n):
            s = w.Q[u0 + i]
            for j in range(n):
                s -= w.block_M[start + n * i + j] * w.u_dot_driven[u0 + j]
            w.b[u0 + i] = s
