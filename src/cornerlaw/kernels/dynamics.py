"""The mass matrix factored and applied, along the tree or on a sparse pattern, and what follows.

Each pair of functions does the same on two paths: `*_by_tree` in O(n) with articulated inertias,
`*_by_pattern` with the factor M = L^T D L where masses couple bodies off the tree.
"""

from cornerlaw.arrays.kinds import ADD_FORCES
from cornerlaw.arrays.status import OK, SINGULAR_MASS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.blocks import subtract_driven
from cornerlaw.kernels.inverse import add_rod_wrenches, eval_reactions
from cornerlaw.kernels.kinematics import eval_bias_accelerations, eval_frame_accelerations
from cornerlaw.kernels.late import call
from cornerlaw.kernels.mass_matrix import apply_inverse_sparse, assemble_mass, factor_sparse
from cornerlaw.kernels.tree import apply_inverse_tree, eval_body_inertia, factor_tree, solve_tree


@kernel
def factor_by_tree(m, w):
    """Factor the mass matrix; needs kinematics, applied wrenches and the matrices of the blocks."""
    status = factor_tree(m, w)
    if status == OK and m.blocks.n.size > 0:
        status = call(m.stages.factor_blocks, m, w)
    return status


@kernel
def invert_by_tree(m, w, b, y):
    """Write y = M^-1 b, zero on prescribed velocities."""
    apply_inverse_tree(m, w, b, y)
    if m.blocks.n.size > 0:
        call(m.stages.invert_blocks, m, w, b, y)
    return OK


@kernel
def accelerate_by_tree(m, w, u_dot):
    """Write u_dot without row forces, and the body accelerations w.acc that belong to it."""
    solve_tree(m, w, w.Q, u_dot)
    if m.blocks.n.size > 0:
        subtract_driven(m, w)
        call(m.stages.invert_blocks, m, w, w.b, u_dot)
        for k in range(m.tree.u_start[m.n_bodies], m.nu):
            u_dot[k] += w.u_dot_driven[k]
    return OK


@kernel
def factor_by_pattern(m, w):
    """Factor the mass matrix on its sparse pattern."""
    for i in range(m.n_bodies):
        eval_body_inertia(m, w, i)
    assemble_mass(m, w, w.M)
    bad = factor_sparse(m, w.M)
    if bad >= 0:
        w.culprit[0] = bad
        return SINGULAR_MASS
    return OK


@kernel
def invert_by_pattern(m, w, b, y):
    """Write y = M^-1 b, zero on prescribed velocities."""
    apply_inverse_sparse(m, w.M, b, y)
    return OK


@kernel
def accelerate_by_pattern(m, w, u_dot):
    """Write u_dot without row forces: M u_dot = Q - inertia forces at the prescribed u_dot.

    (T-4.9)
    """
    eval_bias_accelerations(m, w, w.u_dot_driven, w.acc)
    eval_frame_accelerations(m, w, w.acc)
    add_rod_wrenches(m, w)
    if m.stages.masses != 0:
        call(m.stages.masses, m, w, ADD_FORCES, w.u_dot_driven)
    subtract_driven(m, w)
    eval_reactions(m, w, w.u_dot_driven, w.tau)
    for j in range(m.tree.u_start[m.n_bodies]):
        w.b[j] = w.Q[j] - w.tau[j]
    apply_inverse_sparse(m, w.M, w.b, u_dot)
    for j in range(m.nu):
        u_dot[j] += w.u_dot_driven[j]
    eval_bias_accelerations(m, w, u_dot, w.acc)
    return OK
