"""Constant mass matrices outside any tree: factored once, solved where they stand."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import solve_cholesky
from cornerlaw.kernels.views import part, view


@kernel
def factor_constant(m, w):
    """Factor the mass matrices of the blocks unless that is done: a factor begins above zero."""
    if w.block_L[0] > 0.0:
        return OK
    return call(m.stages.factor_blocks, m, w)


@kernel
def invert_constant(m, w, b, y):
    """Write y = M^-1 b."""
    blocks = m.blocks
    for k in range(blocks.n.size):
        n, u0 = blocks.n[k], blocks.u_start[k]
        for i in range(u0, u0 + n):
            y[i] = b[i]
        solve_cholesky(view(w.block_L, blocks.M_start[k], n, n), n, part(y, u0, n))
    return OK


@kernel
def accelerate_constant(m, w, u_dot):
    """Write u_dot = M^-1 Q."""
    return invert_constant(m, w, w.Q, u_dot)
