"""Generalised-alpha with fixed step: implicit, second order, adjustable numerical damping.

The auxiliary acceleration a belongs to (u, x) and makes the update of positions explicit in it:

    (1 - alpha_m) a_E + alpha_m a_A = (1 - alpha_f) v_E + alpha_f v_A,     v = (u_dot, x_dot)
    (u, x)_E = (u, x)_A + dt ((1 - gamma) a_A + gamma a_E)
    q_E      = q_A (+) (dt u_A + dt^2 (1/2 - beta) a_A + dt^2 beta a_E)
    v_E      = f(q_E, u_E, x_E, t_E)

Other states x follow the same rule as velocities, which keeps second order and their damping
rho_inf at infinity. Constraints enter through f and by projection. [Arnold2007]
(T-7.13) to (T-7.16)
"""

import math

from cornerlaw.arrays.status import DONE, NO_CONVERGENCE, NOT_FINITE, OK, PAUSED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import (
    EPS,
    copy,
    eval_packed,
    load_state,
    settle_step,
    take_linear,
)
from cornerlaw.kernels.integrators.fixed import close_fixed_step, plan_fixed_step
from cornerlaw.kernels.integrators.layout import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    DT_FACTORED,
    FRESH_JACOBIAN,
    GAMMA,
    HAS_JACOBIAN,
    SMOOTH,
    TOLERANCE,
)
from cornerlaw.kernels.integrators.lu import factor_lu, solve_lu
from cornerlaw.kernels.integrators.output import open_run
from cornerlaw.kernels.rates import advance_position

MAX_ITERATIONS = 20


@kernel
def eval_residual(r, v, a_E, residual):
    """Write a_E, y_new and residual = v - f(y_new) for the rates v at the end of the step.

    (T-7.13) (T-7.14) (T-7.15)
    """
    s, o, dt, nq = r.s, r.options, r.s.step[1], r.m.nq
    a_A, v_A, beta, gamma = r.memory.a, r.memory.v, o[BETA], o[GAMMA]
    for i in range(v.size):
        weighted = (1.0 - o[ALPHA_F]) * v[i] + o[ALPHA_F] * v_A[i] - o[ALPHA_M] * a_A[i]
        a_E[i] = weighted / (1.0 - o[ALPHA_M])
        s.y_new[nq + i] = s.y[nq + i] + dt * ((1.0 - gamma) * a_A[i] + gamma * a_E[i])
    for i in range(s.delta.size):
        s.delta[i] = dt * s.y[nq + i] + dt * dt * ((0.5 - beta) * a_A[i] + beta * a_E[i])
    advance_position(r.m, s.y[:nq], s.delta, s.y_new[:nq])
    code = eval_packed(r, s.step[0], s.y_new, s.f_new)
    for i in range(v.size):
        residual[i] = v[i] - s.f_new[nq + i]
    return code


@kernel
def _gain(r):
    """Return d(u, x)_E / dv_E."""
    o = r.options
    return r.s.step[1] * o[GAMMA] * (1.0 - o[ALPHA_F]) / (1.0 - o[ALPHA_M])


@kernel
def eval_iteration_matrix(r, v, a_E):
    """Write d residual_i / d v_j to the matrix; laws with own derivatives are taken as linear."""
    s, nq, nu = r.s, r.m.nq, r.m.nu
    r.counters.jacobians[0] += 1
    code = eval_residual(r, v, a_E, r.newton.F[0])
    if code != OK:
        return code
    copy(s.y_new, s.y_stage)
    q, u, x = s.y_stage[:nq], s.y_stage[nq : nq + nu], s.y_stage[nq + nu :]
    take_linear(r, s.step[0], q, u, x, 1)
    code = _difference_residual(r, v, a_E)
    take_linear(r, s.step[0], q, u, x, 0)
    return code


@kernel
def _difference_residual(r, v, a_E):
    """Write the matrix by forward differences about v, whose residual is in F[0]."""
    n, matrix = r.newton, r.memory.matrix
    base, trial, changed = n.F[0], n.F[1], n.F[2]
    gain = _gain(r)
    copy(v, trial)
    for j in range(v.size):
        # such that the velocity changes by the usual increment
        trial[j] += math.sqrt(EPS * max(1e-5, abs(r.s.y[r.m.nq + j]))) / gain
        increment = trial[j] - v[j]
        code = eval_residual(r, trial, a_E, changed)
        if code != OK:
            return code
        trial[j] = v[j]
        for i in range(v.size):
            matrix[i, j] = (changed[i] - base[i]) / increment
    return OK


@kernel
def _prepare_matrix(r, v, a_E):
    """Make sure that there is a factored iteration matrix; return a status."""
    n, head, matrix = r.newton, r.memory.head, r.memory.matrix
    if head[HAS_JACOBIAN] == 0.0:
        code = eval_iteration_matrix(r, v, a_E)
        if code != OK:
            return code
        head[HAS_JACOBIAN], head[FRESH_JACOBIAN], head[DT_FACTORED] = 1.0, 1.0, r.s.step[1]
        n.factored[0] = 0
    if n.factored[0] == 0:
        r.counters.factorisations[0] += 1
        for i in range(v.size):
            copy(matrix[i], n.E_real[i])
        code = factor_lu(n.E_real, n.pivot_real)
        if code != OK:
            return code
        n.factored[0] = 1
    return OK


@kernel
def _iterate(r, v, a_E):
    """Solve residual(v) = 0 by simplified Newton; NO_CONVERGENCE if the matrix is not good enough.

    The measure is the change of (u, x), relative to tolerance (1 + |(u, x)|). A matrix of an
    earlier step must halve it at each iteration, a fresh one only decrease it.
    """
    n, b, nq = r.newton, r.newton.b_real, r.m.nq
    gain = _gain(r)
    demand = 1.0 if r.memory.head[FRESH_JACOBIAN] == 1.0 else 0.5
    size_old = math.inf
    code = eval_residual(r, v, a_E, b)
    for _ in range(MAX_ITERATIONS):
        if code != OK:
            return code
        solve_lu(n.E_real, n.pivot_real, b)
        size = 0.0
        for i in range(v.size):
            v[i] -= b[i]
            change = abs(gain * b[i]) / (r.options[TOLERANCE] * (1.0 + abs(r.s.y_new[nq + i])))
            # written this way round, a nan is kept
            size = size if change <= size else change
        if not math.isfinite(size):
            return NOT_FINITE
        if size > 1.0 and size > demand * size_old:
            return NO_CONVERGENCE
        code = eval_residual(r, v, a_E, b)
        if size <= 1.0:
            return code
        size_old = size
    return NO_CONVERGENCE


@kernel
def advance_alpha(r, t_end):
    """Take one step: write y_new, f_new and step; the memory keeps v, a and the matrix."""
    memory, head, v, a_E = r.memory, r.memory.head, r.newton.Z[0], r.newton.Z[1]
    load_state(r, r.s.y)
    if head[SMOOTH] == 0.0:
        # a fresh start: the best known auxiliary acceleration is the true one
        for i in range(v.size):
            memory.v[i] = memory.f[r.m.nq + i]
            memory.a[i] = memory.v[i]
        head[HAS_JACOBIAN] = 0.0
    plan_fixed_step(r, t_end)
    if abs(head[DT_FACTORED] - r.s.step[1]) > 1e-3 * r.s.step[1]:
        head[HAS_JACOBIAN] = 0.0
    head[FRESH_JACOBIAN] = 0.0
    while True:
        copy(memory.v, v)
        code = _prepare_matrix(r, v, a_E)
        if code == OK:
            code = _iterate(r, v, a_E)
        if code == OK:
            break
        head[HAS_JACOBIAN] = 0.0
        if head[FRESH_JACOBIAN] == 1.0:
            return code
    code = settle_step(r)
    if code == OK:
        copy(v, memory.v)
        copy(a_E, memory.a)
    return code


@kernel
def run_alpha(r, t_end, max_steps):
    """Integrate with steps dt up to t_end, at most `max_steps` steps; return a status code."""
    # the factors may belong to another state: they are made again from the memory
    r.newton.factored[0] = 0
    code = open_run(r)
    steps = 0
    while code == OK:
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_alpha(r, t_end)
        if code == OK:
            steps += 1
            code = close_fixed_step(r, t_end)
    return code
