"""What is constant in a model with constant masses and rows, made once per call of the driver."""

from cornerlaw.arrays.constant_rows import FAR, HAS_GAP, IN_CLOSED_FORM, ON_POSITION
from cornerlaw.arrays.corners import LEVEL_POSITION, LOAD_NORMAL
from cornerlaw.arrays.kinds import LAW
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.output import open_run
from cornerlaw.kernels.lagrangian.prepare_sparse import write_inverse, write_sparse_rows
from cornerlaw.kernels.lagrangian.products import is_sparse
from cornerlaw.kernels.late import call
from cornerlaw.kernels.views import part


@kernel
def _write_masses(r):
    """Write M^-1 column by column; return a status."""
    m, w, fixed = r.m, r.w, r.s.fixed
    # markers stand still; the user's laws may read them
    call(m.stages.kinematics, m, w, r.state.q, r.state.u)
    call(m.stages.blocks, m, w, r.state.t[0], r.state.q, r.state.u, w.Q)
    w.block_L[0] = 0.0
    code = call(m.stages.factor, m, w)
    if is_sparse(fixed):
        if code == OK:
            write_inverse(m, w, fixed)
        return code
    for j in range(m.nu if code == OK else 0):
        for i in range(m.nu):
            w.Q[i] = 1.0 if i == j else 0.0
        call(m.stages.invert, m, w, w.Q, part(fixed.inverse[j], 0, m.nu))
    return code


@kernel
def _write_forces(r):
    """Write the constant forces of the blocks, and whether others are laws without markers."""
    fixed, blocks, elements = r.s.fixed, r.m.blocks, r.m.elements
    fixed.varies[0], fixed.simple[0] = 0, 1
    for b in range(blocks.n.size):
        fixed.varies[0] |= blocks.h_address[b] != 0
    for b in range(blocks.n.size):
        for i in range(blocks.n[b]):
            # the stage of the blocks adds the constant ones as well
            force = 0.0 if fixed.varies[0] else blocks.data[blocks.h_start[b] + i]
            fixed.force[blocks.u_start[b] + i] = force
    for e in range(elements.kind.size):
        fixed.simple[0] &= elements.kind[e] == LAW and elements.n_frames[e] == 0
    fixed.simple[0] &= fixed.varies[0] == 0


@kernel
def _write_rows(r):
    """Write W, Z = M^-1 W, G = W Z and the value of every row at q = 0. (T-11.1)"""
    m, fixed, rows = r.m, r.s.fixed, r.m.rows
    n, nu = fixed.gap.size, m.nu
    for i in range(n):
        start, first = rows.start[i], rows.list_start[i]
        fixed.gap[i] = -rows.data[start]
        for j in range(nu):
            fixed.W[i, j] = 0.0
        for k in range(rows.n_list[i]):
            fixed.W[i, rows.lists[first + k]] += rows.data[start + 1 + k]
        for j in range(nu):
            s = 0.0
            for k in range(nu):
                s += fixed.inverse[j, k] * fixed.W[i, k]
            fixed.Z[i, j] = s
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(nu):
                s += fixed.W[i, k] * fixed.Z[j, k]
            fixed.G[i, j] = s


@kernel
def _write_corners(r):
    """Write what every corner is, and its gap as a sum of coordinates."""
    corners, fixed = r.m.corners, r.s.fixed
    for c in range(fixed.kind.size):
        i, kind = corners.row_N[c], 0
        fixed.gap_begin[c], fixed.gap_end[c] = -FAR, FAR
        for j in range(fixed.normal.shape[0]):
            fixed.normal[j, c] = 0.0
        if i >= 0 and corners.always[c] == 0:
            kind |= HAS_GAP
            fixed.gap_begin[c] = fixed.gap_end[c] = fixed.gap[i]
            for j in range(fixed.normal.shape[0]):
                fixed.normal[j, c] = fixed.W[i, j]
            if corners.level[c] == LEVEL_POSITION:
                kind |= ON_POSITION
        alone = i >= 0 and (corners.row_T[c] < 0 or corners.load[c] == LOAD_NORMAL)
        if alone and corners.mu_signal[c] < 0 and corners.eps_N_signal[c] < 0:
            kind |= IN_CLOSED_FORM
        fixed.kind[c] = kind


@kernel
def open_constant(r):
    """Make what is constant, then open the run; return a status."""
    code = open_run(r)
    if code != OK:
        return code
    code = _write_masses(r)
    if code == OK:
        _write_forces(r)
        if is_sparse(r.s.fixed):
            write_sparse_rows(r.m, r.w, r.s.fixed)
        else:
            _write_rows(r)
        _write_corners(r)
        r.s.fixed.written[0] = -1
    return code
