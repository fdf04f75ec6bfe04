"""Generalised-alpha with fixed step: implicit, second order, adjustable numerical damping.

The auxiliary acceleration a belongs to (u, x) and makes the update of positions explicit in it:

    (1 - alpha_m) a_E + alpha_m a_A = (1 - alpha_f) v_E + alpha_f v_A,     v = (u_dot, x_dot)
    (u, x)_E = (u, x)_A + dt ((1 - gamma) a_A + gamma a_E)
    q_E      = q_A (+) (dt u_A + dt^2 (1/2 - beta) a_A + dt^2 beta a_E)
    v_E      = f(q_E, u_E, x_E, t_E)

Other states x follow the same rule as velocities, which keeps second order and their damping
rho_inf at infinity. Constraints enter through f and by projection. [Arnold2007]
"""

import math

from cornerlaw.arrays.status import DONE, NO_CONVERGENCE, NOT_FINITE, OK, PAUSED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import EPS, copy, eval_packed, load_state, settle_step
from cornerlaw.kernels.integrators.crossings import detect_crossings
from cornerlaw.kernels.integrators.fixed import build_hermite, count_fixed_step, plan_fixed_step
from cornerlaw.kernels.integrators.layout import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    DT_FACTORED,
    FRESH_JACOBIAN,
    GAMMA,
    HAS_JACOBIAN,
    HEAD,
    SMOOTH,
    STEP,
    TOLERANCE,
)
from cornerlaw.kernels.integrators.lu import factor_lu, solve_lu
from cornerlaw.kernels.integrators.output import close_step, needs_dense, open_run
from cornerlaw.kernels.rates import advance_position

MAX_ITERATIONS = 20


@kernel
def eval_residual(m, w, counters, s, options, v, v_A, a_A, a_E, residual):
    """Write a_E, y_new and residual = v - f(y_new) for the rates v at the end of the step."""
    nq, nu, dt = m.nq, m.nu, s.step[1]
    alpha_m, alpha_f, beta, gamma = options[ALPHA_M], options[ALPHA_F], options[BETA], options[GAMMA]
    delta = s.y_stage[:nu]
    for i in range(v.size):
        a_E[i] = ((1.0 - alpha_f) * v[i] + alpha_f * v_A[i] - alpha_m * a_A[i]) / (1.0 - alpha_m)
        s.y_new[nq + i] = s.y[nq + i] + dt * ((1.0 - gamma) * a_A[i] + gamma * a_E[i])
        if i < nu:
            delta[i] = dt * s.y[nq + i] + dt * dt * ((0.5 - beta) * a_A[i] + beta * a_E[i])
    advance_position(m, s.y[:nq], delta, s.y_new[:nq])
    code = eval_packed(m, w, counters, s.step[0], s.y_new, s.f_new)
    for i in range(v.size):
        residual[i] = v[i] - s.f_new[nq + i]
    return code


@kernel
def eval_iteration_matrix(m, w, counters, s, n, options, v, v_A, a_A, matrix):
    """Write matrix[i k + j] = d residual_i / d v_j by forward differences about v."""
    counters.jacobians[0] += 1
    k, dt = v.size, s.step[1]
    gain = dt * options[GAMMA] * (1.0 - options[ALPHA_F]) / (1.0 - options[ALPHA_M])
    base, trial, a_E, r = n.F[0][:k], n.F[1][:k], n.F[2][:k], n.b_real
    code = eval_residual(m, w, counters, s, options, v, v_A, a_A, a_E, base)
    copy(v, trial)
    for j in range(k):
        # such that the velocity changes by the usual increment
        trial[j] += math.sqrt(EPS * max(1e-5, abs(s.y[m.nq + j]))) / gain
        increment = trial[j] - v[j]
        if code == OK:
            code = eval_residual(m, w, counters, s, options, trial, v_A, a_A, a_E, r)
        if code != OK:
            return code
        trial[j] = v[j]
        for i in range(k):
            matrix[i * k + j] = (r[i] - base[i]) / increment
    return OK


@kernel
def _factor_iteration(counters, n, matrix):
    """Factor a copy of the iteration matrix."""
    counters.factorisations[0] += 1
    k = n.pivot_real.size
    for i in range(k):
        for j in range(k):
            n.E_real[i, j] = matrix[i * k + j]
    return factor_lu(n.E_real, n.pivot_real)


@kernel
def _iterate(m, w, counters, s, n, options, v, v_A, a_A, a_E, fresh):
    """Solve residual(v) = 0 by simplified Newton; NO_CONVERGENCE if the matrix is not good enough.

    The measure is the change of (u, x), relative to tolerance (1 + |(u, x)|). A matrix of an earlier
    step must halve it at each iteration, a fresh one only decrease it.
    """
    gain = s.step[1] * options[GAMMA] * (1.0 - options[ALPHA_F]) / (1.0 - options[ALPHA_M])
    size_old = math.inf
    for _ in range(MAX_ITERATIONS):
        code = eval_residual(m, w, counters, s, options, v, v_A, a_A, a_E, n.b_real)
        if code != OK:
            return code
        solve_lu(n.E_real, n.pivot_real, n.b_real)
        size = 0.0
        for i in range(v.size):
            v[i] -= n.b_real[i]
            scale = options[TOLERANCE] * (1.0 + abs(s.y_new[m.nq + i]))
            change = abs(gain * n.b_real[i]) / scale
            # written this way round, a nan is kept
            size = size if change <= size else change
        if not math.isfinite(size):
            return NOT_FINITE
        if size <= 1.0:
            return eval_residual(m, w, counters, s, options, v, v_A, a_A, a_E, n.b_real)
        if size > (1.0 if fresh else 0.5) * size_old:
            return NO_CONVERGENCE
        size_old = size
    return NO_CONVERGENCE


@kernel
def advance_alpha(m, w, counters, s, n, options, state, t_end):
    """Take one step: write y_new, f_new and step; the memory keeps v, a and the iteration matrix."""
    memory, ny = state.memory, s.y.size
    k = m.nu + m.nx
    at = HEAD + ny + 2 * m.n_indicators + 4 * ny
    v_A, a_A, matrix = memory[at : at + k], memory[at + k : at + 2 * k], memory[at + 2 * k :]
    v, a_E = n.Z[0][:k], n.Z[1][:k]
    load_state(state, s.y)
    if memory[SMOOTH] == 0.0:
        # a fresh start: the best known auxiliary acceleration is the true one
        copy(memory[HEAD + m.nq : HEAD + ny], v_A)
        copy(v_A, a_A)
        memory[HAS_JACOBIAN] = 0.0
    plan_fixed_step(memory, state.t[0], options[STEP], t_end, s.step)
    if abs(memory[DT_FACTORED] - s.step[1]) > 1e-3 * s.step[1]:
        memory[HAS_JACOBIAN] = 0.0
    memory[FRESH_JACOBIAN] = 0.0
    while True:
        copy(v_A, v)
        if memory[HAS_JACOBIAN] == 0.0:
            code = eval_iteration_matrix(m, w, counters, s, n, options, v, v_A, a_A, matrix)
            if code != OK:
                return code
            memory[HAS_JACOBIAN], memory[FRESH_JACOBIAN] = 1.0, 1.0
            memory[DT_FACTORED] = s.step[1]
            n.factored[0] = 0
        if n.factored[0] == 0:
            code = _factor_iteration(counters, n, matrix)
            if code != OK:
                memory[HAS_JACOBIAN] = 0.0
                return code
            n.factored[0] = 1
        fresh = memory[FRESH_JACOBIAN] == 1.0
        code = _iterate(m, w, counters, s, n, options, v, v_A, a_A, a_E, fresh)
        if code == OK:
            break
        memory[HAS_JACOBIAN] = 0.0
        if fresh:
            return code
    code = settle_step(m, w, counters, s)
    if code == OK:
        copy(v, v_A)
        copy(a_E, a_A)
    return code


@kernel
def run_alpha(m, w, s, n, options, state, record, counters, output, t_end, max_steps):
    """Integrate with steps dt up to t_end, at most `max_steps` steps; return a status code."""
    # the factors may belong to another state: they are made again from the memory
    n.factored[0] = 0
    code = open_run(m, w, counters, s, state, record, output)
    steps = 0
    while code == OK:
        if state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_alpha(m, w, counters, s, n, options, state, t_end)
        if code == OK:
            steps += 1
            if needs_dense(s, output, detect_crossings(m, w, s, state.memory)):
                build_hermite(m, s, state.memory)
            count_fixed_step(state.memory, s.step[0], t_end)
            code = close_step(m, w, counters, s, state, record, output, t_end)
    return code
