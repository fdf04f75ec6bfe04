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
)
from cornerlaw.kernels.integrators.crossings import detect_crossings, eval_dense
from cornerlaw.kernels.integrators.layout import (
    ATOL,
    DT_FACTORED,
    DT_OLD,
    ERROR_OLD,
    FRESH_JACOBIAN,
    HAS_JACOBIAN,
    HEAD,
    MAX_STEP,
    NEWTON,
    RTOL,
    SMOOTH,
)
from cornerlaw.kernels.integrators.lu import factor_lu, solve_lu
from cornerlaw.kernels.integrators.output import close_step, open_run

MAX_ITERATIONS = 7


@kernel
def eval_jacobian(m, w, counters, s, t, y, f, J):
    """Write J[i n + j] = df_i / dy_j by forward differences, increments sqrt(eps max(1e-5, |y_j|))."""
    counters.jacobians[0] += 1
    n = y.size
    for j in range(n):
        copy(y, s.y_stage)
        s.y_stage[j] += math.sqrt(EPS * max(1e-5, abs(y[j])))
        # the increment as the machine sees it; read before prescribed entries are overwritten
        increment = s.y_stage[j] - y[j]
        code = eval_packed(m, w, counters, t, s.y_stage, s.f_row)
        if code != OK:
            return code
        for i in range(n):
            J[i * n + j] = (s.f_row[i] - f[i]) / increment
    return OK


@kernel
def factor_radau(counters, v, tableau, J, dt):
    """Factor mu_real / dt I - J and mu_complex / dt I - J."""
    counters.factorisations[0] += 1
    n = v.pivot_real.size
    real = tableau.mu[0] / dt
    shift = complex(tableau.mu[1], -tableau.mu[2]) / dt
    for i in range(n):
        for j in range(n):
            v.E_real[i, j] = -J[i * n + j]
            v.E_complex[i, j] = -J[i * n + j]
        v.E_real[i, i] += real
        v.E_complex[i, i] += shift
    code = factor_lu(v.E_real, v.pivot_real)
    if code == OK:
        code = factor_lu(v.E_complex, v.pivot_complex)
    return code


@kernel
def _transform(T, A, out):
    """Write out = T A for a 3 x 3 matrix T and three rows A."""
    for k in range(3):
        for i in range(out.shape[1]):
            out[k, i] = T[k, 0] * A[0, i] + T[k, 1] * A[1, i] + T[k, 2] * A[2, i]


@kernel
def _solve_increment(s, v, tableau, dt):
    """Overwrite F with the Newton increment of V from the rates of the stages in F."""
    n = s.y.size
    real = tableau.mu[0] / dt
    shift = complex(tableau.mu[1], -tableau.mu[2]) / dt
    T = tableau.T_inverse
    for i in range(n):
        a, b, c = v.F[0, i], v.F[1, i], v.F[2, i]
        v.b_real[i] = T[0, 0] * a + T[0, 1] * b + T[0, 2] * c - real * v.V[0, i]
        right = complex(
            T[1, 0] * a + T[1, 1] * b + T[1, 2] * c, T[2, 0] * a + T[2, 1] * b + T[2, 2] * c
        )
        v.b_complex[i] = right - shift * complex(v.V[1, i], v.V[2, i])
    solve_lu(v.E_real, v.pivot_real, v.b_real)
    solve_lu(v.E_complex, v.pivot_complex, v.b_complex)
    for i in range(n):
        v.F[0, i] = v.b_real[i]
        v.F[1, i] = v.b_complex[i].real
        v.F[2, i] = v.b_complex[i].imag


@kernel
def solve_stages(m, w, counters, s, v, tableau, options, t):
    """Solve for the stage increments Z by simplified Newton; return status, iterations and rate.

    Iterates V = T^-1 Z until rate / (1 - rate) |dV| is below the fraction kappa of the tolerance, and
    gives up as soon as the rate predicts that the iterations allowed do not suffice.
    """
    n, dt = s.y.size, s.step[1]
    rtol, atol = options[RTOL], options[ATOL]
    kappa = options[NEWTON]
    if kappa <= 0.0:
        kappa = max(10.0 * EPS / rtol, min(0.03, math.sqrt(rtol)))
    _transform(tableau.T_inverse, v.Z, v.V)
    size_old, rate = 0.0, -1.0
    for k in range(MAX_ITERATIONS):
        for j in range(3):
            for i in range(n):
                s.y_stage[i] = s.y[i] + v.Z[j, i]
            code = eval_packed(m, w, counters, t + tableau.C[j] * dt, s.y_stage, v.F[j])
            if code != OK:
                return code, k, rate
        _solve_increment(s, v, tableau, dt)
        total = 0.0
        for j in range(3):
            size = eval_norm(v.F[j], m.error_weight, s.y, s.y, rtol, atol)
            total += size * size
        size = math.sqrt(total / 3.0)
        if not math.isfinite(size):
            return NOT_FINITE, k, rate
        if k > 0 and size_old > 0.0:
            rate = size / size_old
            left = MAX_ITERATIONS - k
            if rate >= 1.0 or rate**left / (1.0 - rate) * size > kappa:
                # at rounding level the increments no longer shrink
                return (OK if size <= kappa else NO_CONVERGENCE), k + 1, rate
        for j in range(3):
            for i in range(n):
                v.V[j, i] += v.F[j, i]
        _transform(tableau.T, v.V, v.Z)
        if size == 0.0 or (rate >= 0.0 and rate / (1.0 - rate) * size < kappa):
            return OK, k + 1, rate
        size_old = size
    return NO_CONVERGENCE, MAX_ITERATIONS, rate


@kernel
def _predict_stages(m, s, v, tableau, memory, t):
    """Write Z from the collocation polynomial of the last step, or zero without history."""
    for j in range(3):
        if memory[SMOOTH] == 1.0:
            eval_dense(s, memory, m.n_indicators, t + tableau.C[j] * s.step[1], v.Z[j])
            for i in range(s.y.size):
                v.Z[j, i] -= s.y[i]
        else:
            for i in range(s.y.size):
                v.Z[j, i] = 0.0


@kernel
def eval_radau_error(m, w, counters, s, v, tableau, options, t, f, filtered):
    """Write error = (mu/dt I - J)^-1 (f + E Z / dt) and return its norm. [Hairer1996, (IV.8.19)]

    `filtered` evaluates f at y + error once more: the estimate of stiff components is then bounded.
    """
    dt = s.step[1]
    rates = f
    if filtered:
        for i in range(s.y.size):
            s.y_stage[i] = s.y[i] + v.error[i]
        if eval_packed(m, w, counters, t, s.y_stage, s.f_row) != OK:
            return math.nan
        rates = s.f_row
    for i in range(s.y.size):
        e = tableau.E[0] * v.Z[0, i] + tableau.E[1] * v.Z[1, i] + tableau.E[2] * v.Z[2, i]
        v.error[i] = rates[i] + e / dt
    solve_lu(v.E_real, v.pivot_real, v.error)
    return eval_norm(v.error, m.error_weight, s.y, s.y_new, options[RTOL], options[ATOL])


@kernel
def _prepare_matrices(m, w, counters, s, v, tableau, memory, t, J):
    """Make Jacobian and factors fit the step; the factors of an earlier call are made again.

    Factors for a step size within 0.1 % are kept: the iteration converges all the same.
    """
    n = s.y.size
    dt = s.step[1]
    if memory[HAS_JACOBIAN] == 0.0:
        code = eval_jacobian(m, w, counters, s, t, s.y, memory[HEAD : HEAD + n], J)
        if code != OK:
            return code
        memory[HAS_JACOBIAN], memory[FRESH_JACOBIAN] = 1.0, 1.0
        memory[DT_FACTORED] = 0.0
    if abs(memory[DT_FACTORED] - dt) > 1e-3 * dt:
        memory[DT_FACTORED] = dt
        v.factored[0] = 0
    if v.factored[0] == 0:
        code = factor_radau(counters, v, tableau, J, memory[DT_FACTORED])
        if code != OK:
            memory[DT_FACTORED] = 0.0
            return code
        v.factored[0] = 1
    return OK


@kernel
def _predict_factor(memory, dt, error):
    """Return the growth of the step from the last two errors. [Hairer1996, (IV.8.25)]"""
    if error == 0.0:
        return 10.0
    factor = error**-0.25
    if memory[DT_OLD] > 0.0 and memory[ERROR_OLD] > 0.0:
        factor *= min(1.0, dt / memory[DT_OLD] * (memory[ERROR_OLD] / error) ** 0.25)
    return factor


@kernel
def advance_radau(m, w, counters, s, v, tableau, options, state, t_end):
    """Take one accepted step: write y_new, f_new, step, Z and the next step size of the state.

    Without convergence the Jacobian is renewed first, then the step halved. After a step the Jacobian
    is renewed if the iteration was slow; the step size stays if it would grow by less than 20 %.
    """
    memory, t, n = state.memory, state.t[0], s.y.size
    load_state(state, s.y)
    f = memory[HEAD : HEAD + n]
    J = memory[HEAD + n + 2 * m.n_indicators + 4 * n :]
    if memory[SMOOTH] == 0.0:
        # a fresh start or a state set from outside has no history
        memory[HAS_JACOBIAN], memory[DT_OLD] = 0.0, 0.0
    dt = state.dt[0]
    if dt <= 0.0:
        dt = choose_first_step(m, w, counters, s, options, t, t_end, s.y, f, 3.0)
    proposed, cause, rejected = dt, OK, False
    while True:
        code = fit_step(t, dt, t_end, options[MAX_STEP], s.step)
        if code != OK:
            return cause if cause != OK else code
        iterations, rate, error = 0, -1.0, math.inf
        cause = _prepare_matrices(m, w, counters, s, v, tableau, memory, t, J)
        if cause == OK:
            _predict_stages(m, s, v, tableau, memory, t)
            cause, iterations, rate = solve_stages(m, w, counters, s, v, tableau, options, t)
            if cause != OK and memory[FRESH_JACOBIAN] == 0.0:
                memory[HAS_JACOBIAN] = 0.0
                continue
        if cause == OK:
            for i in range(n):
                s.y_new[i] = s.y[i] + v.Z[2, i]
            error = eval_radau_error(m, w, counters, s, v, tableau, options, t, f, False)
            if error > 1.0 and (rejected or memory[SMOOTH] == 0.0):
                error = eval_radau_error(m, w, counters, s, v, tableau, options, t, f, True)
            if not math.isfinite(error):
                cause = NOT_FINITE
            elif error <= 1.0:
                cause = settle_step(m, w, counters, s)
                if cause == OK:
                    break
        rejected = True
        counters.rejected[0] += 1
        if cause != OK:
            dt = 0.5 * s.step[1] if cause == NO_CONVERGENCE else 0.1 * s.step[1]
        else:
            safety = 0.9 * (2 * MAX_ITERATIONS + 1) / (2 * MAX_ITERATIONS + iterations)
            dt = s.step[1] * max(0.2, safety * _predict_factor(memory, s.step[1], error))
    safety = 0.9 * (2 * MAX_ITERATIONS + 1) / (2 * MAX_ITERATIONS + iterations)
    factor = min(10.0, max(0.2, safety * _predict_factor(memory, s.step[1], error)))
    slow = iterations > 2 and rate > 1e-3
    if rejected:
        factor = min(1.0, factor)
    if not slow and 1.0 <= factor < 1.2:
        factor = 1.0
    memory[DT_OLD], memory[ERROR_OLD] = s.step[1], max(error, 1e-2)
    memory[FRESH_JACOBIAN] = 0.0
    if slow:
        memory[HAS_JACOBIAN] = 0.0
    dt = s.step[1] * factor
    if not rejected and s.step[1] < 0.999 * proposed:
        # a step cut short by t_end or max_step says nothing against the size planned before
        dt = max(dt, proposed)
    state.dt[0] = min(dt, options[MAX_STEP])
    return OK


@kernel
def build_collocation(m, s, v, tableau, memory):
    """Write the collocation polynomial as dense output: c_j = sum_i P_ji Z_i."""
    n = s.y.size
    start = HEAD + n + 2 * m.n_indicators
    copy(s.y, memory[start : start + n])
    for j in range(3):
        row = start + (1 + j) * n
        for i in range(n):
            c = 0.0
            for k in range(3):
                c += tableau.P[j, k] * v.Z[k, i]
            memory[row + i] = c


@kernel
def run_radau(
    m, w, s, v, tableau, options, state, record, counters, output, t_end, max_steps
):
    """Integrate up to t_end, at most `max_steps` accepted steps; return a status code."""
    # the factors may belong to another state: they are made again from the memory
    v.factored[0] = 0
    code = open_run(m, w, counters, s, state, record, output)
    steps = 0
    while code == OK:
        if state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_radau(m, w, counters, s, v, tableau, options, state, t_end)
        if code == OK:
            steps += 1
            detect_crossings(m, w, s, state.memory)
            build_collocation(m, s, v, tableau, state.memory)
            code = close_step(m, w, counters, s, state, record, output, t_end)
    return code
