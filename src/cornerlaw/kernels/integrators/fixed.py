"""Fixed-step methods: classical Runge-Kutta of order 4 and semi-implicit Euler.

Step k ends at t_grid + k dt, without accumulated rounding. The last step before t_end is shortened
to end there exactly (or lengthened, if less than 1e-9 dt would be left over); a new grid begins at
t_end and at a stop.
"""

from cornerlaw.arrays.status import DONE, OK, PAUSED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import copy, load_state, settle_step
from cornerlaw.kernels.integrators.crossings import detect_crossings
from cornerlaw.kernels.integrators.explicit import eval_stages
from cornerlaw.kernels.integrators.layout import N_GRID, STEP, T_GRID
from cornerlaw.kernels.integrators.output import close_step, needs_dense, open_run
from cornerlaw.kernels.integrators.quiet import count_quiet, run_quietly
from cornerlaw.kernels.rates import advance_position


@kernel
def plan_fixed_step(r, t_end):
    """Write step = (time at the end, size) of the next step of the grid."""
    head, step, t, dt = r.memory.head, r.s.step, r.state.t[0], r.options[STEP]
    if t_end - t <= dt * (1.0 + 1e-9):
        step[0] = t_end
    else:
        step[0] = head[T_GRID] + (head[N_GRID] + 1.0) * dt
    step[1] = step[0] - t


@kernel
def build_hermite(r):
    """Write the cubic with values and rates at both ends of the step as dense output.

    c_1 = dt f_A, c_2 = 3 dy - dt (2 f_A + f_E), c_3 = -2 dy + dt (f_A + f_E).
    [Hairer1993, (II.6.7)] (T-7.8)
    """
    s, dense, dt = r.s, r.memory.dense, r.s.step[1]
    copy(s.y, dense[0])
    for i in range(s.y.size):
        dy, f_A, f_E = s.y_new[i] - s.y[i], dt * r.memory.f[i], dt * s.f_new[i]
        dense[1, i] = f_A
        dense[2, i] = 3.0 * dy - 2.0 * f_A - f_E
        dense[3, i] = f_A + f_E - 2.0 * dy


@kernel
def close_fixed_step(r, t_end):
    """Move the grid to the end of the step, build the dense output if needed, store rows."""
    head = r.memory.head
    if needs_dense(r, detect_crossings(r)):
        build_hermite(r)
    if r.s.step[0] >= t_end:
        head[T_GRID], head[N_GRID] = t_end, 0.0
    else:
        head[N_GRID] += 1.0
    return close_step(r, t_end)


@kernel
def advance_semi_implicit(r):
    """Write y_new = (q (+) dt u_E, u_A + dt u_dot, x_A + dt x_dot) with the rates at the start.

    (T-7.17)
    """
    s, dt, a = r.s, r.s.step[1], r.m.nq
    for i in range(a, s.y.size):
        s.y_new[i] = s.y[i] + dt * r.memory.f[i]
    for i in range(r.m.nu):
        s.delta[i] = dt * s.y_new[a + i]
    advance_position(r.m, s.y[:a], s.delta, s.y_new[:a])


@kernel
def advance_fixed(r, t_end):
    """Take one step of the tableau, or of semi-implicit Euler if there is none."""
    load_state(r, r.s.y)
    plan_fixed_step(r, t_end)
    if r.tableau.B.size > 0:
        code = eval_stages(r)
        if code != OK:
            return code
    else:
        advance_semi_implicit(r)
    return settle_step(r)


@kernel
def run_fixed(r, t_end, max_steps):
    """Integrate with steps dt up to t_end, at most `max_steps` steps; return a status code."""
    code = open_run(r)
    steps = 0
    while code == OK:
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        quiet = count_quiet(r, t_end, max_steps - steps)
        if quiet > 0:
            code, taken = run_quietly(r, quiet)
            steps += taken
            continue
        code = advance_fixed(r, t_end)
        if code == OK:
            steps += 1
            code = close_fixed_step(r, t_end)
    return code
