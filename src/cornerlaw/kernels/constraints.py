"""Forces of the bilateral rows and projection onto them: G = W M^-1 W^T.

Redundant rows make G singular; forces are then the smallest ones that satisfy all rows.
"""

import math

from cornerlaw.arrays.kinds import ROW_POINT
from cornerlaw.arrays.status import OK, PROJECTION_FAILED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.kinematics import (
    advance_position,
    eval_frame_accelerations,
    normalise_position,
)
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import factor_pivoted, solve_pivoted
from cornerlaw.kernels.prescribed import set_driven

RANK_TOLERANCE = 1e-13  # pivots of the scaled G below this belong to dependent rows
NEAR_SINGULAR = 1e-2  # smallest pivot of the scaled G below which rates are taken on the rows
SINGULAR = 1e-6  # smallest pivot below which rounding spoils the rates
POSITION_TOLERANCE = 1e-14  # wanted violation of a row, relative to its size
POSITION_LIMIT = 1e-10  # violation that is reported as a failure
ITERATIONS = 12


@kernel
def assemble_delassus(m, w):
    """Write Y = W M^-1 and G = W M^-1 W^T; needs rows and a factored mass matrix. (T-6.2)"""
    for i in range(m.n_rows):
        call(m.stages.invert, m, w, w.W[i], w.Y[i])
    nonzero = w.nonzero
    for i in range(m.n_rows):
        Wi = w.W[i]
        n = 0
        for k in range(m.nu):
            # a row acts on the joints of its loop only
            if Wi[k] != 0.0:
                nonzero[n] = k
                n += 1
        for j in range(i + 1):
            Yj = w.Y[j]
            s = 0.0
            for k in range(n):
                s += Wi[nonzero[k]] * Yj[nonzero[k]]
            w.G[i, j] = s
            w.G[j, i] = s


@kernel
def _solve_rows(m, w):
    """Overwrite w.rhs with the minimum-norm solution of G x = rhs; needs a factored G."""
    solve_pivoted(w.L, m.n_rows, w.rank[0], w.pivot, w.LtL, w.z, w.rhs)


@kernel
def _eval_row_sizes(m, w):
    """Write the size each diagonal entry of G is compared with: the largest of its joint's points.

    The row of a point can vanish as a whole (all bars flat), which its own G_ii does not tell.
    """
    rows = m.rows
    start = 0
    for i in range(m.n_rows):
        w.row_size[i] = w.G[i, i]
        same = (
            rows.kind[i] == ROW_POINT
            and rows.kind[start] == ROW_POINT
            and rows.frame_1[i] == rows.frame_1[start]
            and rows.frame_2[i] == rows.frame_2[start]
        )
        if not same:
            start = i
        for j in range(start, i):
            largest = max(w.row_size[j], w.row_size[i])
            w.row_size[j] = largest
            w.row_size[i] = largest


@kernel
def _factor_rows(m, w):
    """Write G and its pivoted factor."""
    assemble_delassus(m, w)
    _eval_row_sizes(m, w)
    rank, smallest = factor_pivoted(w.G, m.n_rows, RANK_TOLERANCE, w.row_size, w.L, w.pivot)
    w.rank[0] = rank
    c = w.closeness
    c[0] = smallest
    c[1], c[2] = min(c[1], smallest), max(c[2], smallest)
    c[3], c[4] = min(c[3], float(rank)), max(c[4], float(rank))


@kernel
def reset_closeness(w):
    """Begin to watch how close the rows come to being dependent."""
    c = w.closeness
    c[1], c[2], c[3], c[4] = 1.0, 0.0, 1e300, 0.0


@kernel
def met_singularity(w):
    """Return whether rows became dependent, or nearly so, at some evaluations since the reset only.

    There, G is solved with few digits left. Rows that are dependent everywhere do not count.
    """
    c = w.closeness
    return c[3] < c[4] or (c[1] < SINGULAR and c[2] > 100.0 * SINGULAR)


@kernel
def constrain(m, w, t, q, u, u_dot, lam):
    """Correct the free accelerations u_dot by the row forces lam: G lam = -gamma_dot(u_dot).

    (T-6.2) (T-6.3)
    """
    eval_frame_accelerations(m, w, w.acc)
    call(m.stages.rows, m, w, t, q, u, u_dot)
    _factor_rows(m, w)
    for i in range(m.n_rows):
        w.rhs[i] = -w.gamma_dot[i]
    _solve_rows(m, w)
    for i in range(m.n_rows):
        lam[i] = w.rhs[i]
    for i in range(m.n_rows):
        Yi, s = w.Y[i], lam[i]
        for j in range(m.nu):
            u_dot[j] += Yi[j] * s
    return OK


@kernel
def eval_constraint_state(m, w, t, q, u):
    """Write g, gamma and W for given q, u; gamma_dot is without meaning."""
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    for i in range(m.n_bodies + 1):
        for a in range(6):
            w.acc[i, a] = 0.0
    eval_frame_accelerations(m, w, w.acc)
    call(m.stages.rows, m, w, t, q, u, u)


@kernel
def _factor_for_projection(m, w, t, q, u):
    if m.stages.blocks != 0:
        call(m.stages.blocks, m, w, t, q, u, w.b)
    status = call(m.stages.factor, m, w)
    if status == OK:
        _factor_rows(m, w)
    return status


@kernel
def worst_violation(m, values, scale):
    """Return the largest |values_i| / scale_i; nan if one of them is."""
    worst = 0.0
    for i in range(m.n_rows):
        size = abs(values[i]) / scale[i]
        if math.isnan(size):
            # max() would pass over it, and a constraint without a value counts as met
            return size
        worst = max(worst, size)
    return worst


@kernel
def came_near_singularity(w):
    """Return whether rows became nearly dependent at an evaluation since the reset."""
    return w.closeness[1] < 0.1 * NEAR_SINGULAR


@kernel
def remove_normal(m, w, v):
    """Take the part along M^-1 W^T out of a velocity: v -= Y^T G^-1 W v; needs a factored G."""
    for i in range(m.n_rows):
        s = 0.0
        for j in range(m.nu):
            s += w.W[i, j] * v[j]
        w.rhs[i] = s
    _solve_rows(m, w)
    for i in range(m.n_rows):
        Yi, s = w.Y[i], w.rhs[i]
        for j in range(m.nu):
            v[j] -= Yi[j] * s


@kernel
def project_position_rows(m, w, t, q):
    """Move q onto g(q, t) = 0 along M^-1 W (Newton) and normalise quaternions; return a status.

    (T-6.7) (T-6.8) [Eich1993]
    """
    normalise_position(m, q)
    u = w.u_trial
    for j in range(m.nu):
        u[j] = 0.0
    before = -1.0
    for _ in range(ITERATIONS):
        eval_constraint_state(m, w, t, q, u)
        worst = worst_violation(m, w.g, m.row_scale)
        # stop at the goal or where rounding lets it improve no more; but not before one correction:
        # near a singular position g is the product of the distances to it and to another branch,
        # and a violation that is carried along leads over to that branch
        if worst == 0.0 or (
            before >= 0.0
            and (worst <= POSITION_TOLERANCE or (worst < 1e-12 and worst > 0.1 * before))
        ):
            return OK
        before = worst
        status = _factor_for_projection(m, w, t, q, u)
        if status != OK:
            return status
        for i in range(m.n_rows):
            w.rhs[i] = -w.g[i]
        _solve_rows(m, w)
        for j in range(m.nu):
            s = 0.0
            for i in range(m.n_rows):
                s += w.Y[i, j] * w.rhs[i]
            w.y[j] = s
        advance_position(m, q, w.y, q)
        normalise_position(m, q)
    eval_constraint_state(m, w, t, q, u)
    if worst_violation(m, w.g, m.row_scale) <= POSITION_LIMIT:
        return OK
    return PROJECTION_FAILED


@kernel
def project_velocity_rows(m, w, t, q, u):
    """Move u onto gamma(q, u, t) = 0 along M^-1 W; return a status. (T-6.9) [Eich1993]"""
    eval_constraint_state(m, w, t, q, u)
    status = _factor_for_projection(m, w, t, q, u)
    if status != OK:
        return status
    # a second pass removes what rounding in G left over
    for _ in range(2):
        for i in range(m.n_rows):
            w.rhs[i] = -w.gamma[i]
        _solve_rows(m, w)
        for j in range(m.nu):
            s = 0.0
            for i in range(m.n_rows):
                s += w.Y[i, j] * w.rhs[i]
            u[j] += s
            w.y[j] = s
        for i in range(m.n_rows):
            for j in range(m.nu):
                w.gamma[i] += w.W[i, j] * w.y[j]
    return OK
