"""The mass matrix by composite inertias and its sparse factor M = L^T D L along the tree."""

from cornerlaw.arrays.kinds import ADD_MASS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call
from cornerlaw.kernels.tree import add_shifted_inertia


@kernel
def assemble_mass(m, w, M):
    """Write the whole mass matrix, prescribed velocities included; needs kinematics and inertias.

    M_ij = S_i . I_composite S_j for j on the path from i to the root, zero between branches.
    (T-4.1) (T-4.2) [Featherstone2008]
    """
    tree, nb = m.tree, m.n_bodies
    for i in range(m.nu):
        for j in range(m.nu):
            M[i, j] = 0.0
    for i in range(nb + 1):
        for a in range(6):
            for b in range(6):
                w.IA[i, a, b] = w.inertia[i, a, b]
    f = w.zeta_total
    for i in range(nb - 1, -1, -1):
        I = w.IA[i]
        for j in range(tree.u_start[i], tree.u_start[i + 1]):
            for a in range(6):
                s = 0.0
                for b in range(6):
                    s += I[a, b] * w.S[j, b]
                f[a] = s
            _fill_path(m, w, M, i, j, f)
            M[j, j] += tree.armature[j]
        add_shifted_inertia(I, w.d[i], w.IA[tree.parent[i]])
    for k in range(m.blocks.n.size):
        _fill_block(m, w, M, k)
    for k in range(m.rods.mass.size):
        _add_rod(m, w, M, k)
    if m.stages.masses != 0:
        call(m.stages.masses, m, w, ADD_MASS, w.b)


@kernel
def _fill_path(m, w, M, i, j, f):
    """Write row and column j of M: the wrench f on all velocities between node i and root."""
    tree = m.tree
    node = i
    while node < m.n_bodies:
        for k in range(tree.u_start[node], tree.u_start[node + 1]):
            S = w.S[k]
            s = S[0] * f[0] + S[1] * f[1] + S[2] * f[2] + S[3] * f[3] + S[4] * f[4] + S[5] * f[5]
            M[j, k] = s
            M[k, j] = s
        d = w.d[node]
        f[3] += d[1] * f[2] - d[2] * f[1]
        f[4] += d[2] * f[0] - d[0] * f[2]
        f[5] += d[0] * f[1] - d[1] * f[0]
        node = tree.parent[node]


@kernel
def _fill_block(m, w, M, k):
    """Copy the mass matrix of block k, kept factored-free in w.block_M."""
    blocks = m.blocks
    n, u0, start = blocks.n[k], blocks.u_start[k], blocks.M_start[k]
    for i in range(n):
        for j in range(n):
            M[u0 + i, u0 + j] = w.block_M[start + n * i + j]
        M[u0 + i, u0 + i] += m.tree.armature[u0 + i]


@kernel
def _add_rod(m, w, M, k):
    """Add J^T [[a E, b E], [b E, a E]] J with a = mass/3, b = mass/6 and J of both end points.

    (T-4.6) [GarciaDeJalon2005]
    """
    mass = m.rods.mass[k]
    n = m.nu
    for axis in range(3):
        r1, r2 = w.rod_J[0], w.rod_J[1]
        eval_point_row(m, w, m.rods.frame_1[k], axis, r1)
        eval_point_row(m, w, m.rods.frame_2[k], axis, r2)
        for i in range(n):
            for j in range(n):
                M[i, j] += mass / 3.0 * (r1[i] * r1[j] + r2[i] * r2[j]) + mass / 6.0 * (
                    r1[i] * r2[j] + r2[i] * r1[j]
                )


@kernel
def eval_point_row(m, w, frame, axis, row):
    """Write the derivative of a marker's velocity component with respect to all velocities."""
    tree = m.tree
    for j in range(m.nu):
        row[j] = 0.0
    node = m.frames.body[frame]
    r = w.frame_r[frame]
    while node < m.n_bodies:
        x, y, z = r[0] - w.r[node, 0], r[1] - w.r[node, 1], r[2] - w.r[node, 2]
        for j in range(tree.u_start[node], tree.u_start[node + 1]):
            S = w.S[j]
            if axis == 0:
                row[j] = S[0] + S[4] * z - S[5] * y
            elif axis == 1:
                row[j] = S[1] + S[5] * x - S[3] * z
            else:
                row[j] = S[2] + S[3] * y - S[4] * x
        node = tree.parent[node]


@kernel
def factor_sparse(m, M):
    """Overwrite M with D on the diagonal and L below it, M = L^T D L, last velocity first.

    Elimination from the leaves to the root fills nothing in on a tree; the pattern also holds the
    couplings declared off the tree. Return -1, or the velocity without inertia.
    (T-4.3) (T-4.4) [Featherstone2008]
    """
    start, column = m.pattern.start, m.pattern.column
    for k in range(m.nu - 1, -1, -1):
        if m.tree.driven[k] >= 0:
            continue
        if not M[k, k] > 0.0:
            return k
        for a in range(start[k], start[k + 1]):
            i = column[a]
            factor = M[k, i] / M[k, k]
            for b in range(a, start[k + 1]):
                j = column[b]
                M[i, j] -= factor * M[k, j]
            M[k, i] = factor
    return -1


@kernel
def apply_inverse_sparse(m, M, b, y):
    """Write y = (L^T D L)^-1 b, zero on prescribed velocities. (T-4.3)"""
    start, column = m.pattern.start, m.pattern.column
    n = m.nu
    for k in range(n):
        y[k] = b[k] if m.tree.driven[k] < 0 else 0.0
    for k in range(n - 1, -1, -1):
        if m.tree.driven[k] < 0:
            for a in range(start[k], start[k + 1]):
                y[column[a]] -= M[k, column[a]] * y[k]
    for k in range(n):
        if m.tree.driven[k] < 0:
            s = y[k] / M[k, k]
            for a in range(start[k], start[k + 1]):
                s -= M[k, column[a]] * y[column[a]]
            y[k] = s
