"""A time step with implicit forces: the theta rule.

    u_E = u_A + dt ((1 - theta) a_A + theta a_E) + M^-1 W Lambda
    q_E = q_A + dt ((1 - theta) u_A + theta u_E),      a = M^-1 h

Newton's method with E = 1 - P (theta dt da/du + theta^2 dt^2 da/dq) from differences, where P holds
a change of velocity on the bilateral rows; the corner laws are solved with the response
E^-1 P M^-1 W in every iteration. For stiff springs, dampers and compliant contacts. (T-14.10)
(T-14.11)
"""

import math

from cornerlaw.arrays.status import NO_CONVERGENCE, NOT_FINITE, OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.pool import refresh_pool
from cornerlaw.kernels.corners.loads import follows_reactions
from cornerlaw.kernels.corners.problem import (
    add_compliance,
    apply_multipliers,
    dot_row,
    release_bilateral,
)
from cornerlaw.kernels.integrators.control import is_finite, take_linear
from cornerlaw.kernels.integrators.lu import factor_lu, solve_lu
from cornerlaw.kernels.kinematics import advance_position, normalise_position
from cornerlaw.kernels.late import call
from cornerlaw.kernels.rates import eval_state, project_position, see_states
from cornerlaw.kernels.stepping.options import ALPHA, THETA
from cornerlaw.kernels.stepping.soft import (
    active_soft,
    add_soft_forces,
    add_soft_stiffness,
    admit_late,
    begin_soft,
    find_late,
    forget_late,
    keep_soft_forces,
    note_soft_impulses,
    restore_soft_rows,
    update_soft_bounds,
)
from cornerlaw.kernels.stepping.step import (
    add_returns,
    bilateral_impulses,
    classify_step,
    eval_free_rows,
    eval_free_velocity,
    pose_step,
    select_corners,
    solve_with_loads,
)

ITERATIONS = 40
STEP = 1e-7  # of the differences, relative
CLOSE = 1e-14  # change of a velocity, relative, at which the iteration ends
SETTLED = 1e-12  # change of bounds that follow forces, relative, at which it ends
TRIES = 3  # of a step in which compliant corners close
SLOW = 0.1  # an iteration that gains less than this takes the derivatives anew


@kernel
def _accelerate(r, t, q, u, x, a, x_dot):
    """Write the accelerations without corners and rows at a state; return a status.

    Prescribed velocities have none here: they act through w_tilde, as in (T-14.3).
    """
    m, w = r.m, r.w
    eval_state(m, w, t, q, u, x, x_dot)
    code = call(m.stages.factor, m, w)
    if code != OK:
        return code
    call(m.stages.accelerate, m, w, a)
    for j in range(m.nu):
        if m.tree.driven[j] >= 0:
            a[j] = 0.0
    return OK


@kernel
def _differentiate(r, t, dt, q, u, x, a_0):
    """Write theta dt da/du + theta^2 dt^2 da/dq at a state to E; a_0 is there without corners.

    Needs the forces of compliant corners at the state.
    """
    take_linear(r, t, q, u, x, 1)
    code = _difference_accelerations(r, t, dt, q, u, x, a_0)
    take_linear(r, t, q, u, x, 0)
    if code == OK:
        add_soft_stiffness(r, dt, r.newton.E_real)
    return code


@kernel
def _difference_accelerations(r, t, dt, q, u, x, a_0):
    """Write the same without compliant corners, by differences."""
    m, w, k, newton, theta = r.m, r.w, r.w.k, r.newton, r.options[THETA]
    E, a = newton.E_real, newton.b_real
    for j in range(m.nu):
        for side in range(2):
            for i in range(m.nu):
                w.u_near[i] = u[i]
                k.du[i] = 0.0
            step = STEP * max(1.0, abs(u[j]))
            if side == 0:
                w.u_near[j] += step
            else:
                k.du[j] = step
            advance_position(m, q, k.du, w.q_near)
            code = _accelerate(r, t, w.q_near, w.u_near, x, a, k.xs)
            if code != OK:
                return code
            factor = theta * dt if side == 0 else theta * theta * dt * dt
            for i in range(m.nu):
                value = factor * (a[i] - a_0[i]) / step
                E[i, j] = value if side == 0 else E[i, j] + value
    return OK


@kernel
def _factor_response(r):
    """Replace the derivatives in E by the factors of 1 - P E; return a status. (T-14.11)"""
    m, w, E, v = r.m, r.w, r.newton.E_real, r.newton.b_real
    for j in range(m.nu):
        for i in range(m.nu):
            v[i] = E[i, j]
        if m.n_rows > 0:
            for b in range(m.n_rows):
                w.rhs[b] = dot_row(m, w.W[b], v)
            release_bilateral(m, w, v, w.lam)
        for i in range(m.nu):
            E[i, j] = -v[i]
        E[j, j] += 1.0
    return factor_lu(E, r.newton.pivot_real)


@kernel
def _respond(r, dt):
    """Replace the response P M^-1 W by E^-1 P M^-1 W in the problem."""
    m, w, k, p = r.m, r.w, r.w.k, r.w.k.problem
    for a in range(k.n_active[0]):
        i = k.active[a]
        for j in range(m.nu):
            k.Z[i, j] = k.Y[i, j]
        solve_lu(r.newton.E_real, r.newton.pivot_real, k.Z[i])
    for a in range(k.n_active[0]):
        for b in range(k.n_active[0]):
            p.G[a, b] = dot_row(m, w.W[k.active[a]], k.Z[k.active[b]])
    add_compliance(m, w, dt)


@kernel
def _place(r, dt, y, y_new):
    """Write q_E from u_A and u_E."""
    m, k, theta, nq = r.m, r.w.k, r.options[THETA], r.m.nq
    for j in range(m.nu):
        k.du[j] = dt * ((1.0 - theta) * y[nq + j] + theta * y_new[nq + j])
    advance_position(m, y[:nq], k.du, y_new[:nq])


@kernel
def _hold(r, v):
    """Hold a velocity on the bilateral rows; return the change of their impulses, relative.

    The rows are those of the middle of the step. (T-14.3)
    """
    m, w, k = r.m, r.w, r.w.k
    base = bilateral_impulses(w)
    for j in range(m.nu):
        k.du[j] = v[j] - k.u_A[j]
    for b in range(m.n_rows):
        w.rhs[b] = w.gamma[b] + dot_row(m, w.W[b], k.du)
    follows = follows_reactions(m, k)
    if follows:
        for b in range(m.n_rows):
            k.lam_kept[b] = base[b]
    release_bilateral(m, w, v, base)
    change, largest = 0.0, 0.0
    if follows:
        for b in range(m.n_rows):
            change = max(change, abs(base[b] - k.lam_kept[b]))
            largest = max(largest, abs(base[b]))
    return change / largest if largest > 0.0 else 0.0


@kernel
def _correct_free(r, t, dt, y, y_new, free):
    """Move the velocity without corners by one Newton step; return a status, its size and drift.

    residual = u_free - P (u_A + dt ((1 - theta) a_A + theta a_E)), the corners' part left out on
    both sides since it enters linearly. The drift is that of bounds that follow forces.
    """
    m, k, theta, nq = r.m, r.w.k, r.options[THETA], r.m.nq
    a_A, a, v = r.newton.Z[0], r.newton.b_real, r.newton.Z[2]
    code = _accelerate(r, t + dt, y_new[:nq], y_new[nq : nq + m.nu], y[nq + m.nu :], a, k.xs)
    if code != OK:
        return code, 0.0, 0.0
    add_soft_forces(r, t + dt, y_new[:nq], y_new[nq : nq + m.nu], a)
    for j in range(m.nu):
        v[j] = k.u_A[j] if m.tree.driven[j] >= 0 else y[nq + j]
        v[j] += dt * ((1.0 - theta) * a_A[j] + theta * a[j])
    drift = update_soft_bounds(r, dt)
    if m.n_rows > 0:
        drift = max(drift, _hold(r, v))
    for j in range(m.nu):
        # u_E = u_free + E^-1 b and E^-1 b - b is the corners' share of dt theta a_E
        a[j] = 0.0 if m.tree.driven[j] >= 0 else y_new[nq + j] - v[j] - k.direct[j]
    solve_lu(r.newton.E_real, r.newton.pivot_real, a)
    size = 0.0
    for j in range(m.nu):
        free[j] -= a[j]
        size = max(size, abs(a[j]) / (1e-3 + abs(y_new[nq + j])))
    return OK, size, drift


@kernel
def _renew_response(r, t, dt, y, y_new, free):
    """Take E at the present end of the step and the velocity without corners that belongs to it."""
    m, k, nq = r.m, r.w.k, r.m.nq
    a, v, x = r.newton.V[0], r.newton.Z[2], y[nq + m.nu :]
    q, u = y_new[:nq], y_new[nq : nq + m.nu]
    code = _accelerate(r, t + dt, q, u, x, a, k.xs)
    if code == OK:
        add_soft_forces(r, t + dt, q, u, r.newton.V[1])
        code = _differentiate(r, t + dt, dt, q, u, x, a)
    if code == OK:
        code = _factor_response(r)
    if code != OK:
        return code
    for j in range(m.nu):
        a[j] = 0.0 if m.tree.driven[j] >= 0 else u[j] - v[j]
    solve_lu(r.newton.E_real, r.newton.pivot_real, a)
    for j in range(m.nu):
        free[j] = k.u_A[j] if m.tree.driven[j] >= 0 else u[j] - a[j]
    restore_soft_rows(r, t + r.options[ALPHA] * dt)
    _respond(r, dt)
    return OK


@kernel
def _solve_corners(r, dt, free, y_new):
    """Solve the corner laws for the present free velocity and write u_E; return a status."""
    m, w, k, nq = r.m, r.w, r.w.k, r.m.nq
    for j in range(m.nu):
        k.u_free[j] = free[j]
        k.direct[j] = 0.0
        k.du[j] = 0.0
    if k.problem.n[0] > 0:
        eval_free_rows(r, dt)
        add_returns(r, dt, 1.0, k.place, k.problem.c)
        code = solve_with_loads(r, dt)
        if code != OK:
            return code
        apply_multipliers(m, w, k.du)
        for a in range(k.n_active[0]):
            i = k.active[a]
            if k.lam[i] != 0.0:
                for j in range(m.nu):
                    k.direct[j] += k.Y[i, j] * k.lam[i]
    else:
        for i in range(k.lam.size):
            k.lam[i] = k.base[i] if i < m.n_rows else 0.0
    for j in range(m.nu):
        y_new[nq + j] = free[j] + k.du[j]
    return OK


@kernel
def _begin(r, t, dt, y, y_new):
    """Write a_A, E, the rows in the middle of the step and its problem.

    Returns a status and which compliant corners E knows.
    """
    m, w, k, nq, nu = r.m, r.w, r.w.k, r.m.nq, r.m.nu
    a_A, x = r.newton.Z[0], y[nq + nu :]
    for j in range(nu):
        k.u[j] = y[nq + j]
    for i in range(nq):
        k.q[i] = y[i]
    code = _accelerate(r, t, k.q, k.u, x, a_A, y_new[nq + nu :])
    if code != OK:
        return code, 0
    code = refresh_pool(m, w, 1)
    if code != OK:
        return code, 0
    begin_soft(r, t, k.q, k.u)
    for j in range(nu):
        r.newton.V[0, j] = a_A[j]
    add_soft_forces(r, t, k.q, k.u, a_A)
    keep_soft_forces(r)
    active = active_soft(r)
    code = _differentiate(r, t, dt, k.q, k.u, x, r.newton.V[0])
    if code != OK:
        return code, 0
    alpha = r.options[ALPHA]
    for j in range(nu):
        k.du[j] = alpha * dt * y[nq + j]
        k.u[j] = y[nq + j]
    advance_position(m, y[:nq], k.du, k.q)
    code = eval_free_velocity(r, t + alpha * dt, dt, x, k.xs)
    if code == OK:
        code = _factor_response(r)
    if code == OK:
        code = refresh_pool(m, w, 0)
    if code != OK:
        return code, 0
    select_corners(r, t + alpha * dt, dt)
    admit_late(r, t + alpha * dt)
    code = pose_step(m, w, dt)
    if code != OK:
        return code, 0
    for a in range(k.n_active[0]):
        for j in range(nu):
            k.Y[k.active[a], j] = k.Z[k.active[a], j]
    _respond(r, dt)
    for j in range(nu):
        k.u_A[j] = k.u[j]
    return OK, active


@kernel
def _predict(r, dt, y, free):
    """Write the first velocity without corners: the Newton step from u_E = u_A.

    An explicit one would lead far away where forces are stiff.
    """
    m, k, nq, v = r.m, r.w.k, r.m.nq, r.newton.Z[2]
    for j in range(m.nu):
        v[j] = k.u_A[j] if m.tree.driven[j] >= 0 else y[nq + j] + dt * r.newton.Z[0][j]
    if m.n_rows > 0:
        _hold(r, v)
    for j in range(m.nu):
        v[j] -= k.u_A[j]
    solve_lu(r.newton.E_real, r.newton.pivot_real, v)
    for j in range(m.nu):
        free[j] = k.u_A[j] + v[j]


@kernel
def _iterate(r, t, dt, y, y_new):
    """Solve the equations of the step; return a status and the size of the last change."""
    k, nu = r.w.k, r.m.nu
    free, middle = r.newton.Z[1], t + r.options[ALPHA] * dt
    code, active = _begin(r, t, dt, y, y_new)
    if code != OK:
        return code, 0.0
    _predict(r, dt, y, free)
    before, size = math.inf, 0.0
    for n in range(ITERATIONS):
        for j in range(nu):
            k.u[j] = k.u_A[j]
        if n > 0:
            restore_soft_rows(r, middle)
        code = _solve_corners(r, dt, free, y_new)
        if code != OK:
            return code, size
        _place(r, dt, y, y_new)
        code, size, drift = _correct_free(r, t, dt, y, y_new, free)
        if code == OK and size <= CLOSE and drift <= SETTLED:
            break
        slow = n > 1 and size > SLOW * before and size > 1e-10
        if code == OK and (slow or active_soft(r) != active):
            active = active_soft(r)
            code = _renew_response(r, t, dt, y, y_new, free)
        if code != OK:
            return code, size
        before = size
    return OK, size


@kernel
def step_theta(r, t, dt, y, y_new):
    """Advance y at t by dt to y_new; return a status."""
    m, w, nq, nu = r.m, r.w, r.m.nq, r.m.nu
    forget_late(r)
    size = 0.0
    for _ in range(TRIES):
        code, size = _iterate(r, t, dt, y, y_new)
        if code != OK:
            return code
        if not find_late(r):
            break
    note_soft_impulses(r, dt)
    classify_step(r)
    add_returns(r, dt, -1.0, w.k.step_place, w.k.gamma_step)
    for i in range(nq + nu, y.size):
        y_new[i] = y[i] + dt * y_new[i]
    if m.n_rows > 0:
        see_states(w, y_new[nq + nu :])
        code = project_position(m, w, t + dt, y_new[:nq])
        if code != OK:
            return code
    else:
        normalise_position(m, y_new[:nq])
    if not is_finite(y_new):
        return NOT_FINITE
    return OK if size <= 1e-8 else NO_CONVERGENCE
