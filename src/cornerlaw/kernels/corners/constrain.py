"""Motion between events: every corner keeps its state, closed rows are constraints.

    A lam = -gamma_dot,   A = W^T M^-1 (W + V)

over the bilateral rows, the normal rows of closed corners and the tangential rows of sticking
ones. A sliding corner adds its friction to the direction of its normal force. (T-15.1) (T-15.2)
"""

import numpy as np

from cornerlaw.arrays.corner_work import OPEN, SLIP, SLIP_PLUS, STICK
from cornerlaw.arrays.corners import LEVEL_POSITION, LOAD_NORMAL, LOAD_ROWS
from cornerlaw.arrays.status import OK, PROJECTION_FAILED, VANISHED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.bounds import eval_friction, set_bounds
from cornerlaw.kernels.corners.compliance import eval_normal_force, is_compliant, is_rigid
from cornerlaw.kernels.corners.held import SHARED, STORED_ROW, is_sliding
from cornerlaw.kernels.corners.loads import LOAD_ITERATIONS, note_unsettled
from cornerlaw.kernels.corners.problem import dot_row, invert_force, slide_factor
from cornerlaw.kernels.corners.rows import has_vanished
from cornerlaw.kernels.corners.slip import hold_without_direction, set_slip, sliding_speed
from cornerlaw.kernels.kinematics import (
    advance_position,
    eval_frame_accelerations,
    normalise_position,
)
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven

ITERATIONS = 12
POSITION_TOLERANCE = 1e-14
POSITION_LIMIT = 1e-9
LEAST = 1e-300  # speed of sliding that is not rest
SETTLED = 1e-10  # relative change of a bound that forces need not follow


@kernel
def eval_active_rows(m, w, t, q, u, u_dot):
    """Write the bilateral rows and those of all corners that are not open; return a status."""
    corners, k = m.corners, w.k
    w.n_entries[0] = 0
    if m.n_rows > 0:
        call(m.stages.rows, m, w, t, q, u, u_dot)
    for c in range(k.status.size):
        if k.status[c] != OPEN:
            if corners.slot[c] >= 0:
                call(m.stages.detect, m, w, corners.slot[c])
                if k.given[0] == 0 and has_vanished(m, w, c):
                    return VANISHED
            call(m.stages.corner, m, w, c, t, q, u, u_dot)
    return OK


@kernel
def _collect(m, w, with_sticking, on_position):
    """List the rows that are held; return how many."""
    corners, k = m.corners, w.k
    n = 0
    for i in range(m.n_rows):
        k.active[n] = i
        n += 1
    for c in range(k.status.size):
        if k.status[c] == OPEN:
            continue
        i, j = corners.row_N[c], corners.row_T[c]
        skip = on_position and (corners.always[c] == 1 or corners.level[c] != LEVEL_POSITION)
        if i >= 0 and not skip and is_rigid(m, c):
            k.active[n] = i
            n += 1
        held = corners.hold[c] == 1 and w.ends[j, 2] == 1.0
        if k.status[c] == STICK and (with_sticking or (on_position and held)):
            for a in range(corners.n_T[c]):
                k.active[n] = j + a
                n += 1
    k.n_active[0] = n
    return n


@kernel
def _add_known(m, w, i, force, u_dot):
    """Add a known force on row i to u_dot and to the accelerations of all held rows."""
    k = w.k
    k.lam[i] = force
    for x in range(m.nu):
        k.du[x] = k.Z[i, x] * force
        u_dot[x] += k.du[x]
    for a in range(k.n_active[0]):
        held = k.active[a]
        w.gamma_dot[held] += dot_row(m, w.W[held], k.du)


@kernel
def given_friction(m, w, c, a):
    """Return row a of the friction of a corner that slides under a given bound.

    With a compliance it is -gamma / R within the bounds. (T-11.19)
    """
    k = w.k
    if is_compliant(m, c):
        force = -w.gamma[m.corners.row_T[c]] / m.corners.R[c]
        return min(max(force, k.lower[c]), k.bound[c])
    if k.status[c] == SLIP:
        return -k.bound[c] * k.slip[c, a]
    end = k.lower[c] if k.status[c] == SLIP_PLUS else k.bound[c]
    # a row that was switched on while it moves has no end to slide at: its impact is still to come
    return end if abs(end) < np.inf else 0.0


@kernel
def _add_known_forces(m, w, t, u_dot):
    """Add compliant normal forces, and friction of corners that slide under a given bound."""
    corners, k = m.corners, w.k
    for c in range(k.status.size):
        if k.status[c] == OPEN:
            continue
        i, j = corners.row_N[c], corners.row_T[c]
        if i >= 0 and not is_rigid(m, c):
            invert_force(m, w, i, k.Z[i])
            _add_known(m, w, i, eval_normal_force(m, w, c), u_dot)
        if j >= 0 and corners.load[c] != LOAD_NORMAL and is_sliding(k.status[c]):
            for a in range(corners.n_T[c]):
                _add_known(m, w, j + a, given_friction(m, w, c, a), u_dot)


@kernel
def eval_coefficients(m, w, t):
    """Write the friction coefficient of every corner that is not open.

    One that slides has that of sliding, with a speed that is zero but for rounding as well.
    """
    corners, k = m.corners, w.k
    for c in range(k.status.size):
        j = corners.row_T[c]
        if k.status[c] != OPEN and j >= 0:
            if k.status[c] == SLIP:
                set_slip(m, w, c)
            speed = max(abs(sliding_speed(m, w, c)), LEAST) if is_sliding(k.status[c]) else 0.0
            k.mu[c] = eval_friction(m, w, c, t, speed)
            if corners.load[c] != LOAD_NORMAL:
                set_bounds(m, w, c, t)


@kernel
def _solve_held_rows(m, w, n, symmetric, u_dot):
    """Write the forces of all held rows and add what they do to u_dot.

    Return SHARED where they are not unique.
    """
    k = w.k
    for a in range(n):
        i = k.active[a]
        k.rhs[a] = -w.gamma_dot[i]
    code = call(m.stages.solve_held, m, w, n, symmetric, 1)
    for a in range(n):
        i, x = k.active[a], k.x[a]
        k.lam[i] = x
        for j in range(m.nu):
            u_dot[j] += k.Z[i, j] * x
    return code


@kernel
def _update_bounds(m, w, t):
    """Set friction bounds that follow reactions anew; return the largest relative changes.

    The first one of corners that slide, whose bounds act on the motion, the second one of those
    that stick. (T-15.8)
    """
    corners, k = m.corners, w.k
    sliding, sticking = 0.0, 0.0
    for c in range(k.status.size):
        if corners.load[c] == LOAD_ROWS and k.status[c] != OPEN:
            old = k.bound[c]
            set_bounds(m, w, c, t)
            change = abs(k.bound[c] - old) / max(k.bound[c], 1e-300)
            if is_sliding(k.status[c]):
                sliding = max(sliding, change)
            else:
                sticking = max(sticking, change)
    return sliding, sticking


@kernel
def constrain_corners(m, w, t, q, u, u_dot, lam):
    """Correct the free accelerations u_dot by the forces of all held rows; write lam and k.lam.

    With k.given set, the forces of the corners are taken as they stand in k.lam.
    """
    corners, k = m.corners, w.k
    w.closeness[0] = 1.0  # singular positions are not looked for here
    eval_frame_accelerations(m, w, w.acc)
    code = eval_active_rows(m, w, t, q, u, u_dot)
    if code != OK:
        return code
    if k.given[0] == 1:
        return _apply_given(m, w, u_dot, lam)
    if k.given[0] == STORED_ROW:
        hold_without_direction(m, w)
    eval_coefficients(m, w, t)
    n = _collect(m, w, True, False)
    symmetric = call(m.stages.hold, m, w, n, 1)
    for j in range(m.nu):
        k.u_free[j] = u_dot[j]
    for a in range(n):
        k.gamma_free[a] = w.gamma_dot[k.active[a]]
    change = 0.0
    for n_pass in range(LOAD_ITERATIONS):
        if n_pass > 0:
            symmetric = call(m.stages.hold, m, w, n, 1)  # sharing forces overwrites the matrix
        for j in range(m.nu):
            u_dot[j] = k.u_free[j]
        for a in range(n):
            w.gamma_dot[k.active[a]] = k.gamma_free[a]
        _add_known_forces(m, w, t, u_dot)
        code = _solve_held_rows(m, w, n, symmetric, u_dot)
        change, other = _update_bounds(m, w, t)
        # forces that are not unique follow the bounds that follow them
        if change < 1e-13 and (code != SHARED or other < SETTLED):
            break
    note_unsettled(k, change)
    for c in range(k.status.size):
        i, j = corners.row_N[c], corners.row_T[c]
        if i >= 0 and k.status[c] == OPEN:
            k.lam[i] = 0.0
        if j >= 0:
            if k.status[c] == OPEN:
                for a in range(corners.n_T[c]):
                    k.lam[j + a] = 0.0
            elif corners.load[c] == LOAD_NORMAL and k.status[c] != STICK:
                for a in range(corners.n_T[c]):
                    k.lam[j + a] = slide_factor(m, w, c, a) * k.lam[corners.load_row[c]]
    for b in range(m.n_rows):
        lam[b] = k.lam[b]
    return OK


@kernel
def _apply_given(m, w, u_dot, lam):
    """Add given forces of the corners, then hold the bilateral rows."""
    corners, k = m.corners, w.k
    for b in range(m.n_rows):
        k.active[b] = b
    k.n_active[0] = m.n_rows
    call(m.stages.hold, m, w, m.n_rows, 0)
    for j in range(m.nu):
        k.du[j] = 0.0
    for c in range(k.status.size):
        if k.status[c] == OPEN:
            continue
        for side in range(1 + corners.n_T[c]):
            i = corners.row_N[c] if side == 0 else corners.row_T[c] + side - 1
            if i >= 0 and k.lam[i] != 0.0:
                invert_force(m, w, i, k.Z[i])
                for j in range(m.nu):
                    k.du[j] += k.Z[i, j] * k.lam[i]
    for j in range(m.nu):
        u_dot[j] += k.du[j]
    for b in range(m.n_rows):
        k.rhs[b] = -w.gamma_dot[b] - dot_row(m, w.W[b], k.du)
    call(m.stages.solve_held, m, w, m.n_rows, 1, 0)
    for b in range(m.n_rows):
        lam[b] = k.x[b]
        for j in range(m.nu):
            u_dot[j] += k.Z[b, j] * lam[b]
    return OK


@kernel
def eval_corner_state(m, w, t, q, u):
    """Write g, gamma and W of all held rows for given q, u; gamma_dot is without meaning.

    Return a status.
    """
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    for i in range(m.n_bodies + 1):
        for a in range(6):
            w.acc[i, a] = 0.0
    eval_frame_accelerations(m, w, w.acc)
    return eval_active_rows(m, w, t, q, u, u)


@kernel
def _factor_mass(m, w, t, q, u):
    if m.stages.blocks != 0:
        call(m.stages.blocks, m, w, t, q, u, w.b)
    return call(m.stages.factor, m, w)


@kernel
def _correct(m, w, n, values, out):
    """Write the smallest change in the metric of M that takes `values` of the listed rows away."""
    k = w.k
    call(m.stages.hold, m, w, n, 0)
    for a in range(n):
        k.rhs[a] = -values[k.active[a]]
    call(m.stages.solve_held, m, w, n, 1, 0)
    for j in range(m.nu):
        out[j] = 0.0
    for a in range(n):
        i, x = k.active[a], k.x[a]
        for j in range(m.nu):
            out[j] += k.Z[i, j] * x


@kernel
def _worst_gap(m, w, n):
    worst = 0.0
    for a in range(n):
        worst = max(worst, abs(w.g[w.k.active[a]]) / m.row_scale[w.k.active[a]])
    return worst


@kernel
def project_position_corners(m, w, t, q):
    """Move q onto all held position-level rows along M^-1 W; return a status. (T-15.9)"""
    normalise_position(m, q)
    u = w.u_trial
    for j in range(m.nu):
        u[j] = 0.0
    before = -1.0
    for _ in range(ITERATIONS):
        status = eval_corner_state(m, w, t, q, u)
        if status != OK:
            return status
        n = _collect(m, w, False, True)
        worst = _worst_gap(m, w, n)
        if worst == 0.0 or (
            before >= 0.0
            and (worst <= POSITION_TOLERANCE or (worst < 1e-12 and worst > 0.1 * before))
        ):
            return OK
        before = worst
        status = _factor_mass(m, w, t, q, u)
        if status != OK:
            return status
        _correct(m, w, n, w.g, w.y)
        advance_position(m, q, w.y, q)
        normalise_position(m, q)
    status = eval_corner_state(m, w, t, q, u)
    if status != OK:
        return status
    n = _collect(m, w, False, True)
    return OK if _worst_gap(m, w, n) <= POSITION_LIMIT else PROJECTION_FAILED


@kernel
def project_velocity_corners(m, w, t, q, u):
    """Move u onto all held rows along M^-1 W; return a status. (T-15.9)"""
    status = eval_corner_state(m, w, t, q, u)
    if status == OK:
        status = _factor_mass(m, w, t, q, u)
    if status != OK:
        return status
    n = _collect(m, w, True, False)
    _correct(m, w, n, w.gamma, w.y)
    for j in range(m.nu):
        u[j] += w.y[j]
    return OK
