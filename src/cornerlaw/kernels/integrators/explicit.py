"""Adaptive explicit Runge-Kutta methods given by a tableau: orders 5 and 8 with dense output."""

import math

from cornerlaw.arrays.status import DONE, NOT_FINITE, OK, PAUSED, VANISHED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import (
    choose_first_step,
    copy,
    eval_packed,
    fit_step,
    is_finite,
    load_state,
    project_packed,
    settle_step,
)
from cornerlaw.kernels.integrators.crossings import detect_crossings
from cornerlaw.kernels.integrators.layout import ATOL, ERROR_OLD, MAX_STEP, RTOL
from cornerlaw.kernels.integrators.output import close_step, needs_dense, open_run
from cornerlaw.kernels.rates import (
    came_near_singularity,
    met_singularity,
    remove_normal,
    reset_closeness,
)

DODGES = 8  # attempts to step over a singular position before it is accepted as it comes


@kernel
def add_stages(r, coefficients, count, out):
    """Write out = y + dt sum_j a_j k_j over the first `count` stages."""
    K, dt = r.s.K, r.s.step[1]
    copy(r.s.y, out)
    for j in range(count):
        a = dt * coefficients[j]
        if a != 0.0:
            for i in range(out.size):
                out[i] += a * K[j, i]


@kernel
def eval_stages(r):
    """Write the stages k_j = f(t + c_j dt, y + dt sum_l a_jl k_l) and y_new = y + dt sum_j b_j k_j.

    Expects y and step; the first stage comes from the memory. (T-7.1)
    """
    s, tableau, t = r.s, r.tableau, r.state.t[0]
    copy(r.memory.f, s.K[0])
    for j in range(1, tableau.B.size):
        add_stages(r, tableau.A[j], j, s.y_stage)
        code = eval_packed(r, t + tableau.C[j] * s.step[1], s.y_stage, s.K[j])
        if code != OK:
            return code
    add_stages(r, tableau.B, tableau.B.size, s.y_new)
    return OK


@kernel
def _keep_tangential(r, e):
    """Take what the projection will remove out of an error; needs the rates at y_new.

    Next to a singular position that part is rounding, blown up, and would stop the run.
    """
    nq, nu = r.m.nq, r.m.nu
    if nq == nu:
        # with quaternions the position error is kept as it is
        remove_normal(r.m, r.w, e[:nq])
    remove_normal(r.m, r.w, e[nq : nq + nu])


@kernel
def eval_error(r):
    """Return the error norm of the step, 1 at the tolerance.

    One estimator: |e|. Two of order 5 and 3: |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2).
    [Hairer1993, II.10] (T-7.3)
    """
    s, E, K, weight = r.s, r.tableau.E, r.s.K, r.m.error_weight
    rtol, atol = r.options[RTOL], r.options[ATOL]
    first, second, k = 0.0, 0.0, 0.0
    for which in range(E.shape[0]):
        e = s.f_row
        for i in range(e.size):
            e[i] = 0.0
            for j in range(E.shape[1]):
                e[i] += E[which, j] * K[j, i]
        if r.m.n_rows > 0 and came_near_singularity(r.w):
            _keep_tangential(r, e)
        for i in range(e.size):
            if weight[i] == 0.0:
                continue
            scale = weight[i] / (atol + rtol * max(abs(s.y[i]), abs(s.y_new[i])))
            if which == 0:
                k += 1.0
                first += (e[i] * scale) * (e[i] * scale)
            else:
                second += (e[i] * scale) * (e[i] * scale)
    if first == 0.0:
        return 0.0
    if E.shape[0] == 1:
        return s.step[1] * math.sqrt(first / k)
    return s.step[1] * first / math.sqrt((first + 0.01 * second) * k)


@kernel
def _attempt(r):
    """Try the step: write the stages and y_new; return a status and the error norm."""
    s, last = r.s, r.tableau.B.size
    code = eval_stages(r)
    if code == OK:
        # the rates at y_new are a stage of the estimate, and prescribed entries are set by it
        code = eval_packed(r, s.step[0], s.y_new, s.K[last])
    if code != OK:
        return code, math.nan
    error = eval_error(r)
    if not (math.isfinite(error) and is_finite(s.K[last])):
        return NOT_FINITE, error
    if error <= 1.0:
        if r.m.rows.kind.size > 0:
            code = settle_step(r)
        else:
            # normalising changes quaternions by no more than the local error, which the
            # rates see multiplied by dt: the last stage is the first one of the next step
            code = project_packed(r, s.step[0], s.y_new)
            copy(s.K[last], s.f_new)
    return code, error


@kernel
def advance_explicit(r, t_end):
    """Take one accepted step: write y_new, f_new, step and the next step size of the state.

    PI control: dt_new = dt clip(0.9 err^-(1/k - 0.75 b) err_old^b, 0.2, 10) with b = 0.2 / k and
    k the exponent of the error estimate; no growth right after a rejection. A stage that fails or
    is not finite, or a projection that fails, is a rejection with a tenth of the step.
    [Hairer1993, II.4; Hairer1996, IV.2] (T-7.4)
    """
    s, head = r.s, r.memory.head
    load_state(r, s.y)
    k = float(r.tableau.order[1])
    dt = r.state.dt[0]
    if dt <= 0.0:
        dt = choose_first_step(r, t_end, float(r.tableau.order[0]))
        head[ERROR_OLD] = 1e-4
    proposed, cause, rejected, dodges = dt, OK, False, 0
    while True:
        code = fit_step(r, dt, t_end)
        if code != OK:
            return cause if cause != OK else code
        reset_closeness(r.w)
        cause, error = _attempt(r)
        if r.m.n_rows > 0 and dodges < DODGES and met_singularity(r.w):
            # a stage, or the end, fell next to a singular position: go over it with another step
            dodges += 1
            r.counters.rejected[0] += 1
            dt = 0.8 * s.step[1]
            continue
        if cause == OK and error <= 1.0:
            break
        if cause == VANISHED:
            return cause  # how far a step can go is a matter of events, not of the error
        rejected = True
        r.counters.rejected[0] += 1
        shrink = max(0.2, 0.9 * error ** (-1.0 / k)) if cause == OK else 0.1
        dt = s.step[1] * shrink
    b = 0.2 / k
    largest = 1.0 if rejected else 10.0
    factor = largest
    if error > 0.0:
        factor = 0.9 * error ** (0.75 * b - 1.0 / k) * max(head[ERROR_OLD], 1e-4) ** b
        factor = min(largest, max(0.2, factor))
    head[ERROR_OLD] = max(error, 1e-4)
    dt = s.step[1] * factor
    if not rejected and s.step[1] < proposed:
        # a step cut short by t_end or max_step says nothing against the size planned before
        dt = max(dt, proposed)
    r.state.dt[0] = min(dt, r.options[MAX_STEP])
    return OK


@kernel
def build_dense(r):
    """Write the dense output of the step into the memory: y_A and its coefficients.

    Monomial: c_j = dt sum_i P_ij k_i. Nested, with extra stages: c_1 = dy, c_2 = dt k_0 - dy,
    c_3 = 2 dy - dt (k_s + k_0), c_(3+j) = dt sum_i D_ji k_i. [Hairer1993, II.6] (T-7.6) (T-7.7)
    """
    s, K, dt, dense, tableau = r.s, r.s.K, r.s.step[1], r.memory.dense, r.tableau
    n, stages, first = s.y.size, tableau.B.size, 1
    copy(s.y, dense[0])
    weights = tableau.P
    if s.nested[0] == 1:
        for j in range(tableau.C_extra.size):
            k = stages + 1 + j
            add_stages(r, tableau.A_extra[j], k, s.y_stage)
            code = eval_packed(r, r.state.t[0] + tableau.C_extra[j] * dt, s.y_stage, K[k])
            if code != OK:
                return code
        for i in range(n):
            dy = 0.0
            for k in range(stages):
                dy += dt * tableau.B[k] * K[k, i]
            dense[1, i] = dy
            dense[2, i] = dt * K[0, i] - dy
            dense[3, i] = 2.0 * dy - dt * (K[stages, i] + K[0, i])
        first = 4
        weights = tableau.D
    for j in range(weights.shape[1]):
        for i in range(n):
            c = 0.0
            for k in range(weights.shape[0]):
                c += weights[k, j] * K[k, i]
            dense[first + j, i] = dt * c
    return OK


@kernel
def run_explicit(r, t_end, max_steps):
    """Integrate up to t_end, at most `max_steps` accepted steps; return a status code."""
    code = open_run(r)
    steps = 0
    while code == OK:
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_explicit(r, t_end)
        if code == OK:
            steps += 1
            if needs_dense(r, detect_crossings(r)):
                code = build_dense(r)
        if code == OK:
            code = close_step(r, t_end)
    return code
