"""A time step with implicit forces: the theta rule.

    u_E = u_A + dt ((1 - theta) a_A + theta a_E) + M^-1 W Lambda
    q_E = q_A + dt ((1 - theta) u_A + theta u_E),      a = M^-1 h

Newton's method with E = 1 - theta dt da/du - theta^2 dt^2 da/dq from differences; the corner laws
are solved with the response E^-1 M^-1 W in every iteration. For stiff springs and dampers in
models without loops. (T-14.9) (T-14.10)
"""

from cornerlaw.arrays.status import NO_CONVERGENCE, NOT_FINITE, OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.problem import apply_multipliers, dot_row
from cornerlaw.kernels.integrators.control import is_finite
from cornerlaw.kernels.integrators.lu import factor_lu, solve_lu
from cornerlaw.kernels.kinematics import advance_position
from cornerlaw.kernels.late import call
from cornerlaw.kernels.rates import eval_state
from cornerlaw.kernels.stepping.options import ALPHA, THETA
from cornerlaw.kernels.stepping.step import (
    classify_step,
    eval_free_rows,
    eval_free_velocity,
    pose_step,
    select_corners,
    solve_with_loads,
)

ITERATIONS = 20
STEP = 1e-7  # of the differences, relative
CLOSE = 1e-14  # change of a velocity, relative, at which the iteration ends


@kernel
def _accelerate(r, t, q, u, x, a, x_dot):
    """Write the accelerations without corners at a state; return a status."""
    m, w = r.m, r.w
    eval_state(m, w, t, q, u, x, x_dot)
    code = call(m.stages.factor, m, w)
    if code == OK:
        call(m.stages.accelerate, m, w, a)
    return code


@kernel
def _factor_response(r, t, dt, y, a_A, x_dot):
    """Write the factors of E; k.q and k.u are scratch; return a status."""
    m, k, newton, theta = r.m, r.w.k, r.newton, r.options[THETA]
    n, nq = m.nu, m.nq
    x = y[nq + n :]
    E, a = newton.E_real, newton.b_real
    for j in range(n):
        for side in range(2):
            for i in range(n):
                k.u[i] = y[nq + i]
                k.du[i] = 0.0
            step = STEP * max(1.0, abs(y[nq + j]))
            if side == 0:
                k.u[j] += step
            else:
                k.du[j] = step
            advance_position(m, y[:nq], k.du, k.q)
            code = _accelerate(r, t, k.q, k.u, x, a, x_dot)
            if code != OK:
                return code
            factor = theta * dt if side == 0 else theta * theta * dt * dt
            for i in range(n):
                value = factor * (a[i] - a_A[i]) / step
                E[i, j] = -value if side == 0 else E[i, j] - value
        E[j, j] += 1.0
    return factor_lu(E, newton.pivot_real)


@kernel
def _respond(r):
    """Replace M^-1 W by E^-1 M^-1 W in the problem."""
    m, w, k, p = r.m, r.w, r.w.k, r.w.k.problem
    for a in range(k.n_active[0]):
        solve_lu(r.newton.E_real, r.newton.pivot_real, k.Z[k.active[a]])
    for a in range(k.n_active[0]):
        for b in range(k.n_active[0]):
            p.G[a, b] = dot_row(m, w.W[k.active[a]], k.Z[k.active[b]])


@kernel
def _place(r, dt, y, y_new):
    """Write q_E from u_A and u_E."""
    m, k, theta, nq = r.m, r.w.k, r.options[THETA], r.m.nq
    for j in range(m.nu):
        k.du[j] = dt * ((1.0 - theta) * y[nq + j] + theta * y_new[nq + j])
    advance_position(m, y[:nq], k.du, y_new[:nq])


@kernel
def _correct_free(r, t, dt, y, y_new, a_A, free):
    """Move the velocity without corners by one Newton step; return a status and its size.

    residual = u_free - u_A - dt ((1 - theta) a_A + theta a_E), the corners' part left out on both
    sides since it enters linearly.
    """
    m, k, theta, nq = r.m, r.w.k, r.options[THETA], r.m.nq
    a = r.newton.b_real
    code = _accelerate(r, t + dt, y_new[:nq], y_new[nq : nq + m.nu], y[nq + m.nu :], a, k.xs)
    if code != OK:
        return code, 0.0
    for j in range(m.nu):
        mean = (1.0 - theta) * a_A[j] + theta * a[j]
        # u_E = u_free + E^-1 b and E^-1 b - b is the corners' share of dt theta a_E
        a[j] = y_new[nq + j] - y[nq + j] - dt * mean - k.direct[j]
    solve_lu(r.newton.E_real, r.newton.pivot_real, a)
    size = 0.0
    for j in range(m.nu):
        free[j] -= a[j]
        size = max(size, abs(a[j]) / (1e-3 + abs(y_new[nq + j])))
    return OK, size


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
            k.lam[i] = 0.0
    for j in range(m.nu):
        y_new[nq + j] = free[j] + k.du[j]
    return OK


@kernel
def step_theta(r, t, dt, y, y_new):
    """Advance y at t by dt to y_new; return a status."""
    m, w, k, nq, nu = r.m, r.w, r.w.k, r.m.nq, r.m.nu
    a_A, free = r.newton.Z[0], r.newton.Z[1]
    for j in range(nu):
        k.u[j] = y[nq + j]
    for i in range(nq):
        k.q[i] = y[i]
    code = _accelerate(r, t, k.q, k.u, y[nq + nu :], a_A, y_new[nq + nu :])
    if code == OK:
        code = _factor_response(r, t, dt, y, a_A, k.xs)
    if code != OK:
        return code
    alpha = r.options[ALPHA]
    for j in range(nu):
        k.du[j] = alpha * dt * y[nq + j]
        k.u[j] = y[nq + j]
    advance_position(m, y[:nq], k.du, k.q)
    code = eval_free_velocity(r, t + alpha * dt, dt, y[nq + nu :], k.xs)
    if code != OK:
        return code
    select_corners(r, t + alpha * dt, dt)
    pose_step(m, w, dt)
    for a in range(k.n_active[0]):
        for j in range(nu):
            k.Y[k.active[a], j] = k.Z[k.active[a], j]
    _respond(r)
    for j in range(nu):
        k.u_A[j] = k.u[j]
        free[j] = y[nq + j] + dt * a_A[j]
    for _ in range(ITERATIONS):
        for j in range(nu):
            k.u[j] = k.u_A[j]
        code = _solve_corners(r, dt, free, y_new)
        if code != OK:
            return code
        _place(r, dt, y, y_new)
        code, size = _correct_free(r, t, dt, y, y_new, a_A, free)
        if code != OK:
            return code
        if size <= CLOSE:
            break
    classify_step(r)
    for i in range(nq + nu, y.size):
        y_new[i] = y[i] + dt * y_new[i]
    if not is_finite(y_new):
        return NOT_FINITE
    return OK if size <= 1e-8 else NO_CONVERGENCE
