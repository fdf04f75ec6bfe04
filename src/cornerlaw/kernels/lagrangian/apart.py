"""Laws without friction of models with constant rows, island by island: velocities and positions.

What the solver of islands leaves is done by the general kernels. (T-12.31) (T-14.4) (T-14.8)
"""

import math

from cornerlaw.arrays.constant_rows import HAS_GAP, ON_POSITION
from cornerlaw.arrays.corner_work import (
    N_SOLVED,
    OPEN,
    REMOVED,
    WORST_PENETRATION,
    WORST_RESIDUAL,
)
from cornerlaw.arrays.solver_scratch import TOLERANCE, V_REF
from cornerlaw.arrays.status import NOT_FINITE, OK, UNSOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.islands import solve_islands
from cornerlaw.kernels.integrators.control import is_finite
from cornerlaw.kernels.integrators.layout import GENERAL, WHOLE_END
from cornerlaw.kernels.lagrangian.laws import pose_corner, state_after
from cornerlaw.kernels.lagrangian.products import add_response, add_row, sum_row, write_gaps
from cornerlaw.kernels.late import call
from cornerlaw.kernels.stepping.options import ACTIVATION
from cornerlaw.kernels.stepping.step import CORRECTIONS

FINE = 1e-3  # of the tolerance: what the solver takes for rounding


@kernel
def _reference(p, n, v_ref):
    """Return the velocity that residuals are compared with."""
    reference = v_ref
    for a in range(n):
        reference = max(reference, abs(p.c[a]))
    return reference


@kernel
def _residual(fixed, p, n, active, reference):
    """Return the largest residual of n rows; writes p.gamma = c + W Z x.

    It takes rows and responses, not the matrix that the solver works on. (T-11.9) (T-12.25)
    """
    dv, worst = fixed.islands.dv, 0.0
    for j in range(dv.size):
        dv[j] = 0.0
    for a in range(n):
        if p.x[a] != 0.0:
            add_row(fixed.response, active[a], p.x[a], dv)
    for a in range(n):
        i, x = active[a], p.x[a]
        gamma, scale = p.c[a] + sum_row(fixed.rows, i, dv), 0.0
        for y in range(fixed.rows.start[i], fixed.rows.start[i + 1]):
            for z in range(fixed.response.start[i], fixed.response.start[i + 1]):
                if fixed.response.column[z] == fixed.rows.column[y]:
                    scale += fixed.rows.value[y] * fixed.response.value[z]
        p.gamma[a] = gamma
        value = abs(scale * (x - max(x - gamma / scale, 0.0)))
        if not value < math.inf:
            return math.inf
        worst = max(worst, value)
    return worst / reference if worst > 0.0 else 0.0


@kernel
def _solve_rows(r, n, active, place):
    """Solve 0 <= x, gamma >= 0 of n rows with p.c and check it; return whether that is done."""
    k, fixed, p, options = r.w.k, r.s.fixed, r.w.k.problem, r.w.k.solver.options
    reference = _reference(p, n, options[V_REF])
    small = FINE * options[TOLERANCE] * reference
    s = fixed.islands
    if not solve_islands(fixed.coupling, s, n, active, place, p.c, p.x, small):
        return False
    k.solver.residual[0] = _residual(fixed, p, n, active, reference)
    return k.solver.residual[0] <= options[TOLERANCE]


@kernel
def solve_apart(r, t, dt):
    """Solve the laws of all corners that take part; return a status. (T-12.31)

    Writes impulses to k.lam and gamma + eps gamma_A to k.gamma_step.
    """
    k, p, corners, s = r.w.k, r.w.k.problem, r.m.corners, r.s.fixed.islands
    n = 0
    p.n_sets[0] = 0
    for c in range(k.closed.size):
        if k.closed[c] == 1:
            # what carried an impulse in the last step mostly does so again
            place, before = n, k.before[c]
            n = pose_corner(r, c, t, dt, n)
            s.carries[place] = 1 if before != OPEN or p.c[place] < 0.0 else 0
    p.n[0], k.n_active[0] = n, n
    if not _solve_rows(r, n, k.active, k.step_place):
        return UNSOLVED
    k.stats[N_SOLVED] += 1.0
    k.stats[WORST_RESIDUAL] = max(k.stats[WORST_RESIDUAL], k.solver.residual[0])
    for a in range(n):
        k.lam[k.active[a]] = p.x[a]
        k.gamma_step[a] = p.gamma[a]
    for c in range(k.closed.size):
        if k.closed[c] == 1:
            i = corners.row_N[c]
            k.gamma_step[k.step_place[i]] -= k.rhs[i]
            k.shown[c] = state_after(r, c, 0.0, 0.0)
    return OK


@kernel
def step_whole(r, t, dt):
    """Take the step at hand by the general kernels; return a status."""
    fixed, y, y_new, nu = r.s.fixed, r.s.y_row, r.s.f_row, r.m.nu
    for j in range(nu):
        y[j], y[nu + j] = fixed.q[j], fixed.u[j]
    for i in range(r.m.nx):
        y[2 * nu + i] = fixed.x[i]
    code = call(r.s.address[GENERAL], r, t, dt, y, y_new)
    for j in range(nu):
        fixed.q_new[j], fixed.u_new[j] = y_new[j], y_new[nu + j]
    for i in range(r.m.nx):
        fixed.x_new[i] = y_new[2 * nu + i]
    fixed.written[0] = -1
    return code if code != OK or is_finite(y_new) else NOT_FINITE


@kernel
def _list_near(r, limit):
    """Write the rows of all contacts up to a gap as a problem of positions; return their number."""
    fixed, p, corners, s, n = r.s.fixed, r.w.k.problem, r.m.corners, r.s.fixed.islands, 0
    for c in range(fixed.kind.size):
        i = corners.row_N[c]
        if i < 0:
            continue
        s.place[i] = -1
        if fixed.kind[c] & ON_POSITION and fixed.gaps[c] <= limit:
            s.place[i], s.active[n], p.c[n] = n, i, fixed.gaps[c]
            s.carries[n] = 1 if fixed.gaps[c] < 0.0 else 0
            n += 1
    return n


@kernel
def correct_apart(r, t, y):
    """Remove penetration from the positions in y, as `correct_position` does; return a status.

    Gaps are sums of coordinates, so that the second look finds nothing left. (T-14.8)
    """
    fixed, stats, limit = r.s.fixed, r.w.k.stats, r.options[ACTIVATION]
    q, p, s = fixed.q_new, r.w.k.problem, fixed.islands
    error = r.w.k.solver.residual[0]  # of the step, a result
    for step in range(CORRECTIONS):
        write_gaps(fixed, r.m.corners, fixed.gap_end, q)
        worst = 0.0
        for c in range(fixed.kind.size):
            if fixed.kind[c] & ON_POSITION:
                worst = max(worst, -fixed.gaps[c])
        if step == 0:
            stats[REMOVED] = worst
        if worst <= 1e-3 * limit:
            break
        n = _list_near(r, limit + 2.0 * worst)
        done = _solve_rows(r, n, s.active, s.place)
        r.w.k.solver.residual[0] = error
        if not done:
            return call(r.s.address[WHOLE_END], r, t, y)
        for a in range(n):
            if p.x[a] != 0.0:
                add_response(fixed, s.active[a], p.x[a], q)
    for j in range(r.m.nu):
        y[j] = q[j]
    for c in range(fixed.kind.size):
        if fixed.kind[c] & HAS_GAP:
            stats[WORST_PENETRATION] = max(stats[WORST_PENETRATION], -fixed.gaps[c])
    return OK
