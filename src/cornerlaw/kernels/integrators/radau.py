"""Radau IIA of order 5: implicit, for stiff forces and states, with error control.

Constraints enter through the rates (multipliers eliminated at acceleration level) and through the
projection after each step. [Hairer1996, IV.8]
"""

import math

from cornerlaw.arrays.status import DONE, NO_CONVERGENCE, NOT_FINITE, OK, PAUSED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import (
    EPS,
    choose_first_step,
    copy,
    eval_norm,
    eval_packed,
    fit_step,
    load_state,
    settle_step,
    take_linear,
)
from cornerlaw.kernels.integrators.crossings import detect_crossings, eval_dense
from cornerlaw.kernels.integrators.layout import (
    DT_FACTORED,
    DT_OLD,
    ERROR_OLD,
    FRESH_JACOBIAN,
    HAS_JACOBIAN,
    MAX_STEP,
    NEWTON,
    RTOL,
    SMOOTH,
)
from cornerlaw.kernels.integrators.lu import factor_lu, solve_lu
from cornerlaw.kernels.integrators.output import close_step, open_run

MAX_ITERATIONS = 10


@kernel
def eval_jacobian(r):
    """Write the Jacobian at the state; laws with own derivatives are taken as linear."""
    s, nq, nu = r.s, r.m.nq, r.m.nu
    r.counters.jacobians[0] += 1
    copy(s.y, s.y_stage)
    q, u, x = s.y_stage[:nq], s.y_stage[nq : nq + nu], s.y_stage[nq + nu :]
    take_linear(r, r.state.t[0], q, u, x, 1)
    code = _difference_rates(r)
    take_linear(r, r.state.t[0], q, u, x, 0)
    return code


@kernel
def _difference_rates(r):
    """Write J_ij = df_i / dy_j at the state by differences, dy_j = sqrt(eps max(1e-5, |y_j|))."""
    s, f, J = r.s, r.memory.f, r.memory.matrix
    for j in range(s.y.size):
        copy(s.y, s.y_stage)
        s.y_stage[j] += math.sqrt(EPS * max(1e-5, abs(s.y[j])))
        # the increment as the machine sees it; read before prescribed entries are overwritten
        increment = s.y_stage[j] - s.y[j]
        code = eval_packed(r, r.state.t[0], s.y_stage, s.f_row)
        if code != OK:
            return code
        for i in range(s.y.size):
            J[i, j] = (s.f_row[i] - f[i]) / increment
    return OK


@kernel
def _factor(r, dt):
    """Factor mu_real / dt I - J and mu_complex / dt I - J. (T-7.10)"""
    v, J, mu = r.newton, r.memory.matrix, r.radau.mu
    r.counters.factorisations[0] += 1
    for i in range(J.shape[0]):
        for j in range(J.shape[0]):
            v.E_real[i, j] = -J[i, j]
            v.E_complex[i, j] = -J[i, j]
        v.E_real[i, i] += mu[0] / dt
        v.E_complex[i, i] += complex(mu[1] / dt, -mu[2] / dt)
    code = factor_lu(v.E_real, v.pivot_real)
    if code == OK:
        code = factor_lu(v.E_complex, v.pivot_complex)
    return code


@kernel
def _prepare_matrices(r):
    """Make Jacobian and factors fit the step; the factors of an earlier call are made again.

    Factors for a step size within 0.1 % are kept: the iteration converges all the same.
    """
    head, v, dt = r.memory.head, r.newton, r.s.step[1]
    if head[HAS_JACOBIAN] == 0.0:
        code = eval_jacobian(r)
        if code != OK:
            return code
        head[HAS_JACOBIAN], head[FRESH_JACOBIAN], head[DT_FACTORED] = 1.0, 1.0, 0.0
    if abs(head[DT_FACTORED] - dt) > 1e-3 * dt:
        head[DT_FACTORED] = dt
        v.factored[0] = 0
    if v.factored[0] == 0:
        code = _factor(r, head[DT_FACTORED])
        if code != OK:
            head[DT_FACTORED] = 0.0
            return code
        v.factored[0] = 1
    return OK


@kernel
def _predict_stages(r):
    """Write Z from the collocation polynomial of the last step, or zero without history."""
    s, Z = r.s, r.newton.Z
    for j in range(3):
        if r.memory.head[SMOOTH] == 1.0:
            eval_dense(r, r.state.t[0] + r.radau.C[j] * s.step[1], Z[j])
            for i in range(s.y.size):
                Z[j, i] -= s.y[i]
        else:
            for i in range(s.y.size):
                Z[j, i] = 0.0


@kernel
def _transform(T, A, out):
    """Write out = T A for a 3 x 3 matrix T and three rows A."""
    for k in range(3):
        for i in range(out.shape[1]):
            out[k, i] = T[k, 0] * A[0, i] + T[k, 1] * A[1, i] + T[k, 2] * A[2, i]


@kernel
def _solve_increment(r):
    """Overwrite F, the rates of the stages, with the Newton increment of V and return its norm."""
    v, F, V = r.newton, r.newton.F, r.newton.V
    T, mu, dt = r.radau.T_inverse, r.radau.mu, r.s.step[1]
    shift = complex(mu[1] / dt, -mu[2] / dt)
    for i in range(F.shape[1]):
        a, b, c = F[0, i], F[1, i], F[2, i]
        v.b_real[i] = T[0, 0] * a + T[0, 1] * b + T[0, 2] * c - mu[0] / dt * V[0, i]
        real = T[1, 0] * a + T[1, 1] * b + T[1, 2] * c
        imaginary = T[2, 0] * a + T[2, 1] * b + T[2, 2] * c
        v.b_complex[i] = complex(real, imaginary) - shift * complex(V[1, i], V[2, i])
    solve_lu(v.E_real, v.pivot_real, v.b_real)
    solve_lu(v.E_complex, v.pivot_complex, v.b_complex)
    for i in range(F.shape[1]):
        F[0, i] = v.b_real[i]
        F[1, i] = v.b_complex[i].real
        F[2, i] = v.b_complex[i].imag
    total = 0.0
    for j in range(3):
        total += eval_norm(r, F[j], r.s.y, r.s.y) ** 2
    return math.sqrt(total / 3.0)


@kernel
def solve_stages(r):
    """Solve for the stage increments Z by simplified Newton; return status, iterations and rate.

    Iterates V = T^-1 Z until rate / (1 - rate) |dV| is below the fraction kappa of the tolerance,
    and gives up as soon as the rate predicts that the iterations allowed do not suffice. (T-7.9)
    """
    s, v, radau = r.s, r.newton, r.radau
    rtol, kappa = r.options[RTOL], r.options[NEWTON]
    if kappa <= 0.0:
        kappa = max(10.0 * EPS / rtol, min(0.03, math.sqrt(rtol)))
    # rounding of the stages is not to be mistaken for lack of convergence
    kappa = max(kappa, 10.0 * EPS * eval_norm(r, s.y, s.y, s.y))
    _transform(radau.T_inverse, v.Z, v.V)
    size_old, rate = 0.0, -1.0
    for k in range(MAX_ITERATIONS):
        for j in range(3):
            for i in range(s.y.size):
                s.y_stage[i] = s.y[i] + v.Z[j, i]
            code = eval_packed(r, r.state.t[0] + radau.C[j] * s.step[1], s.y_stage, v.F[j])
            if code != OK:
                return code, k, rate
        size = _solve_increment(r)
        if not math.isfinite(size):
            return NOT_FINITE, k, rate
        if k > 0:
            rate = size / size_old
            left = MAX_ITERATIONS - k
            if rate >= 1.0 or rate**left / (1.0 - rate) * size > kappa:
                # at rounding level the increments no longer shrink
                return (OK if size <= kappa else NO_CONVERGENCE), k + 1, rate
        for j in range(3):
            for i in range(s.y.size):
                v.V[j, i] += v.F[j, i]
        _transform(radau.T, v.V, v.Z)
        if size == 0.0 or (rate >= 0.0 and rate / (1.0 - rate) * size < kappa):
            return OK, k + 1, rate
        size_old = size
    return NO_CONVERGENCE, MAX_ITERATIONS, rate


@kernel
def _estimate_error(r, f):
    """Write error = (mu/dt I - J)^-1 (f + E Z / dt) and return its norm. [Hairer1996, (IV.8.19)]

    (T-7.11)
    """
    s, v, E, Z = r.s, r.newton, r.radau.E, r.newton.Z
    for i in range(s.y.size):
        v.error[i] = f[i] + (E[0] * Z[0, i] + E[1] * Z[1, i] + E[2] * Z[2, i]) / s.step[1]
    solve_lu(v.E_real, v.pivot_real, v.error)
    return eval_norm(r, v.error, s.y, s.y_new)


@kernel
def _attempt(r, rejected):
    """Try the step: write Z, y_new, f_new; return status, error norm, iterations and rate."""
    s, v = r.s, r.newton
    code = _prepare_matrices(r)
    if code != OK:
        return code, math.nan, 0, 0.0
    _predict_stages(r)
    code, iterations, rate = solve_stages(r)
    if code != OK:
        return code, math.nan, iterations, rate
    for i in range(s.y.size):
        s.y_new[i] = s.y[i] + v.Z[2, i]
    error = _estimate_error(r, r.memory.f)
    if error > 1.0 and (rejected or r.memory.head[SMOOTH] == 0.0):
        # rates at y + error keep the estimate of stiff components bounded
        for i in range(s.y.size):
            s.y_stage[i] = s.y[i] + v.error[i]
        code = eval_packed(r, r.state.t[0], s.y_stage, s.f_row)
        error = _estimate_error(r, s.f_row)
    if code == OK and not math.isfinite(error):
        code = NOT_FINITE
    if code == OK and error <= 1.0:
        code = settle_step(r)
    return code, error, iterations, rate


@kernel
def _predict_factor(r, error, iterations):
    """Return the change of the step from the last two errors. [Hairer1996, (IV.8.25)] (T-7.12)"""
    head = r.memory.head
    if error == 0.0:
        return 10.0
    factor = error**-0.25
    if head[DT_OLD] > 0.0:
        factor *= min(1.0, r.s.step[1] / head[DT_OLD] * (head[ERROR_OLD] / error) ** 0.25)
    factor *= 0.9 * (2.0 * MAX_ITERATIONS + 1.0) / (2.0 * MAX_ITERATIONS + iterations)
    return min(10.0, max(0.2, factor))


@kernel
def advance_radau(r, t_end):
    """Take one accepted step: write y_new, f_new, step, Z and the next step size of the state.

    Without convergence the Jacobian is renewed first, then the step halved. After a step the
    Jacobian is renewed if the iteration was slow; the step size stays if it would grow by less
    than 20 %.
    """
    s, head = r.s, r.memory.head
    load_state(r, s.y)
    if head[SMOOTH] == 0.0:
        # a fresh start or a state set from outside has no history
        head[HAS_JACOBIAN], head[DT_OLD] = 0.0, 0.0
    dt = r.state.dt[0]
    if dt <= 0.0:
        dt = choose_first_step(r, t_end, 3.0)
    proposed, cause, rejected = dt, OK, False
    while True:
        code = fit_step(r, dt, t_end)
        if code != OK:
            return cause if cause != OK else code
        cause, error, iterations, rate = _attempt(r, rejected)
        if cause == OK and error <= 1.0:
            break
        if cause == NO_CONVERGENCE and head[FRESH_JACOBIAN] == 0.0:
            head[HAS_JACOBIAN] = 0.0
            continue
        rejected = True
        r.counters.rejected[0] += 1
        if cause == OK:
            dt = s.step[1] * _predict_factor(r, error, iterations)
        else:
            dt = (0.5 if cause == NO_CONVERGENCE else 0.1) * s.step[1]
    factor = _predict_factor(r, error, iterations)
    if rejected:
        factor = min(1.0, factor)
    slow = iterations > 2 and rate > 1e-3
    if not slow and 1.0 <= factor < 1.2:
        factor = 1.0
    head[DT_OLD], head[ERROR_OLD], head[FRESH_JACOBIAN] = s.step[1], max(error, 1e-2), 0.0
    if slow:
        head[HAS_JACOBIAN] = 0.0
    dt = s.step[1] * factor
    if not rejected and s.step[1] < 0.999 * proposed:
        # a step cut short by t_end or max_step says nothing against the size planned before
        dt = max(dt, proposed)
    r.state.dt[0] = min(dt, r.options[MAX_STEP])
    return OK


@kernel
def build_collocation(r):
    """Write the collocation polynomial as dense output: c_j = sum_k P_jk Z_k."""
    dense, P, Z = r.memory.dense, r.radau.P, r.newton.Z
    copy(r.s.y, dense[0])
    for j in range(3):
        for i in range(Z.shape[1]):
            dense[1 + j, i] = P[j, 0] * Z[0, i] + P[j, 1] * Z[1, i] + P[j, 2] * Z[2, i]


@kernel
def run_radau(r, t_end, max_steps):
    """Integrate up to t_end, at most `max_steps` accepted steps; return a status code."""
    # the factors may belong to another state: they are made again from the memory
    r.newton.factored[0] = 0
    code = open_run(r)
    steps = 0
    while code == OK:
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_radau(r, t_end)
        if code == OK:
            steps += 1
            detect_crossings(r)
            build_collocation(r)
            code = close_step(r, t_end)
    return code
