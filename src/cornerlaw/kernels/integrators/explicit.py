"""Adaptive explicit Runge-Kutta methods given by a tableau: orders 5 and 8 with dense output."""

import math

from cornerlaw.arrays.status import DONE, NOT_FINITE, OK, PAUSED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import (
    choose_first_step,
    copy,
    eval_packed,
    fit_step,
    is_finite,
    load_state,
    project_packed,
)
from cornerlaw.kernels.integrators.crossings import detect_crossings
from cornerlaw.kernels.integrators.layout import ATOL, ERROR_OLD, HEAD, MAX_STEP, RTOL
from cornerlaw.kernels.integrators.output import close_step, needs_dense, open_run


@kernel
def add_stages(coefficients, count, K, dt, y, out):
    """Write out = y + dt sum_j a_j k_j over the first `count` stages."""
    copy(y, out)
    for j in range(count):
        a = dt * coefficients[j]
        if a != 0.0:
            for i in range(out.size):
                out[i] += a * K[j, i]


@kernel
def eval_stages(m, w, counters, s, tableau, t, with_last):
    """Write the stages k_j = f(t + c_j dt, y + dt sum a_jl k_l), y_new and, if asked, its rates k_s.

    Expects k_0 = f(t, y) and step. Prescribed entries of y_new are overwritten by the last evaluation.
    """
    stages = tableau.B.size
    dt = s.step[1]
    for j in range(1, stages + 1):
        if j < stages:
            add_stages(tableau.A[j], j, s.K, dt, s.y, s.y_stage)
            code = eval_packed(m, w, counters, t + tableau.C[j] * dt, s.y_stage, s.K[j])
        else:
            add_stages(tableau.B, stages, s.K, dt, s.y, s.y_new)
            if not with_last:
                return OK
            code = eval_packed(m, w, counters, s.step[0], s.y_new, s.K[stages])
        if code != OK:
            return code
    return OK


@kernel
def eval_error(m, s, tableau, options):
    """Return the error norm of the step, 1 at the tolerance.

    One estimator: |e|. Two of order 5 and 3: |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2). [Hairer1993, II.10]
    """
    rtol, atol, dt = options[RTOL], options[ATOL], s.step[1]
    E = tableau.E
    first, second, k = 0.0, 0.0, 0.0
    for i in range(s.y.size):
        if m.error_weight[i] == 0.0:
            continue
        scale = m.error_weight[i] / (atol + rtol * max(abs(s.y[i]), abs(s.y_new[i])))
        e, d = 0.0, 0.0
        for j in range(E.shape[1]):
            e += E[0, j] * s.K[j, i]
        first += (e * scale) * (e * scale)
        if E.shape[0] > 1:
            for j in range(E.shape[1]):
                d += E[1, j] * s.K[j, i]
            second += (d * scale) * (d * scale)
        k += 1.0
    if first == 0.0:
        return 0.0
    k = max(k, 1.0)
    if E.shape[0] == 1:
        return dt * math.sqrt(first / k)
    return dt * first / math.sqrt((first + 0.01 * second) * k)


@kernel
def advance_explicit(m, w, counters, s, tableau, options, state, t_end):
    """Take one accepted step: write y_new, f_new, step and the next step size of the state.

    PI control: dt_new = dt clip(0.9 err^-(1/k - 0.75 b) err_old^b, 0.2, 10) with b = 0.2 / k and k the
    exponent of the error estimate; no growth right after a rejection. A stage that fails or is
    not finite, or a projection that fails, is a rejection with a tenth of the step.
    [Hairer1993, II.4; Hairer1996, IV.2]
    """
    memory, t = state.memory, state.t[0]
    load_state(state, s.y)
    copy(memory[HEAD : HEAD + s.y.size], s.K[0])
    k = float(tableau.order[1])
    dt = state.dt[0]
    if dt <= 0.0:
        dt = choose_first_step(
            m, w, counters, s, options, t, t_end, s.y, s.K[0], float(tableau.order[0])
        )
        memory[ERROR_OLD] = 1e-4
    proposed, cause, rejected = dt, OK, False
    while True:
        code = fit_step(t, dt, t_end, options[MAX_STEP], s.step)
        if code != OK:
            return cause if cause != OK else code
        cause = eval_stages(m, w, counters, s, tableau, t, True)
        if cause == OK:
            error = eval_error(m, s, tableau, options)
            if not math.isfinite(error) or not is_finite(s.K[tableau.B.size]):
                cause = NOT_FINITE
            elif error <= 1.0:
                cause = _settle_step(m, w, counters, s, tableau)
                if cause == OK:
                    break
        rejected = True
        counters.rejected[0] += 1
        if cause == OK:
            dt = s.step[1] * max(0.2, 0.9 * error ** (-1.0 / k))
        else:
            dt = 0.1 * s.step[1]
    b = 0.2 / k
    factor = 10.0
    if error > 0.0:
        factor = 0.9 * error ** (0.75 * b - 1.0 / k) * max(memory[ERROR_OLD], 1e-4) ** b
        factor = min(10.0, max(0.2, factor))
    if rejected:
        factor = min(1.0, factor)
    memory[ERROR_OLD] = max(error, 1e-4)
    dt = s.step[1] * factor
    if not rejected and s.step[1] < proposed:
        # a step cut short by t_end or max_step says nothing against the size planned before
        dt = max(dt, proposed)
    state.dt[0] = min(dt, options[MAX_STEP])
    return OK


@kernel
def _settle_step(m, w, counters, s, tableau):
    """Bring y_new onto the constraints and write f_new.

    The rates of the last stage are kept where only quaternions are normalised: the change is of the
    size of the local error and enters multiplied by dt.
    """
    code = project_packed(m, w, counters, s.step[0], s.y_new)
    if code != OK:
        return code
    if m.n_rows == 0:
        copy(s.K[tableau.B.size], s.f_new)
        return OK
    code = eval_packed(m, w, counters, s.step[0], s.y_new, s.f_new)
    if code == OK and not is_finite(s.f_new):
        return NOT_FINITE
    return code


@kernel
def build_dense(m, w, counters, s, tableau, memory, t):
    """Write the dense output of the step into the memory: y_A and its coefficients.

    Monomial: c_j = dt sum_i P_ij k_i. Nested, with three extra stages: c_1 = dy, c_2 = dt k_0 - dy,
    c_3 = 2 dy - dt (k_s + k_0), c_(3+j) = dt sum_i D_ji k_i. [Hairer1993, II.6]
    """
    n, ni, dt = s.y.size, m.n_indicators, s.step[1]
    start = HEAD + n + 2 * ni
    copy(s.y, memory[start : start + n])
    stages = tableau.B.size
    if s.dense[1] == 0:
        for j in range(s.dense[0]):
            row = start + (1 + j) * n
            for i in range(n):
                c = 0.0
                for l in range(stages + 1):
                    c += tableau.P[l, j] * s.K[l, i]
                memory[row + i] = dt * c
        return OK
    for j in range(tableau.C_extra.size):
        l = stages + 1 + j
        add_stages(tableau.A_extra[j], l, s.K, dt, s.y, s.y_stage)
        code = eval_packed(m, w, counters, t + tableau.C_extra[j] * dt, s.y_stage, s.K[l])
        if code != OK:
            return code
    for i in range(n):
        dy = 0.0
        for l in range(stages):
            dy += dt * tableau.B[l] * s.K[l, i]
        memory[start + n + i] = dy
        memory[start + 2 * n + i] = dt * s.K[0, i] - dy
        memory[start + 3 * n + i] = 2.0 * dy - dt * (s.K[stages, i] + s.K[0, i])
        for j in range(tableau.D.shape[0]):
            c = 0.0
            for l in range(tableau.D.shape[1]):
                c += tableau.D[j, l] * s.K[l, i]
            memory[start + (4 + j) * n + i] = dt * c
    return OK


@kernel
def run_explicit(
    m, w, s, tableau, options, state, record, counters, output, t_end, max_steps
):
    """Integrate up to t_end, at most `max_steps` accepted steps; return a status code."""
    code = open_run(m, w, counters, s, state, record, output)
    steps = 0
    while code == OK:
        if state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_explicit(m, w, counters, s, tableau, options, state, t_end)
        if code == OK:
            steps += 1
            found = detect_crossings(m, w, s, state.memory)
            if needs_dense(s, output, found):
                code = build_dense(m, w, counters, s, tableau, state.memory, state.t[0])
        if code == OK:
            code = close_step(m, w, counters, s, state, record, output, t_end)
    return code
