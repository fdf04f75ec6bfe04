"""Fixed-step methods: classical Runge-Kutta of order 4 and semi-implicit Euler.

Step k ends at t_grid + k dt, without accumulated rounding. The last step before t_end is shortened to
end there exactly (or lengthened, if less than 1e-9 dt would be left over); a new grid begins
at t_end and at a stop.
"""

from cornerlaw.arrays.status import DONE, OK, PAUSED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import copy, load_state, settle_step
from cornerlaw.kernels.integrators.crossings import detect_crossings
from cornerlaw.kernels.integrators.explicit import eval_stages
from cornerlaw.kernels.integrators.layout import HEAD, N_GRID, STEP, T_GRID
from cornerlaw.kernels.integrators.output import close_step, needs_dense, open_run
from cornerlaw.kernels.rates import advance_position


@kernel
def plan_fixed_step(memory, t, dt, t_end, step):
    """Write step = (time at the end, size) of the next step of the grid."""
    if t_end - t <= dt * (1.0 + 1e-9):
        step[0] = t_end
        step[1] = t_end - t
    else:
        step[0] = memory[T_GRID] + (memory[N_GRID] + 1.0) * dt
        step[1] = step[0] - t


@kernel
def count_fixed_step(memory, t, t_end):
    """Move the grid to the end of an accepted step; it begins anew at t_end."""
    if t >= t_end:
        memory[T_GRID] = t
        memory[N_GRID] = 0.0
    else:
        memory[N_GRID] += 1.0


@kernel
def build_hermite(m, s, memory):
    """Write the cubic with values and rates at both ends of the step as dense output.

    c_1 = dt f_A, c_2 = 3 dy - dt (2 f_A + f_E), c_3 = -2 dy + dt (f_A + f_E). [Hairer1993, (II.6.7)]
    """
    n, dt = s.y.size, s.step[1]
    start = HEAD + n + 2 * m.n_indicators
    for i in range(n):
        dy, f_A, f_E = s.y_new[i] - s.y[i], dt * memory[HEAD + i], dt * s.f_new[i]
        memory[start + i] = s.y[i]
        memory[start + n + i] = f_A
        memory[start + 2 * n + i] = 3.0 * dy - 2.0 * f_A - f_E
        memory[start + 3 * n + i] = f_A + f_E - 2.0 * dy


@kernel
def advance_semi_implicit(m, s, memory):
    """Write y_new = (q (+) dt u_E, u_A + dt u_dot, x_A + dt x_dot) with the rates at the start."""
    a, dt = m.nq, s.step[1]
    for i in range(a, s.y.size):
        s.y_new[i] = s.y[i] + dt * memory[HEAD + i]
    delta = s.y_stage[: m.nu]
    for i in range(m.nu):
        delta[i] = dt * s.y_new[a + i]
    advance_position(m, s.y[:a], delta, s.y_new[:a])


@kernel
def advance_fixed(m, w, counters, s, tableau, options, state, t_end):
    """Take one step of the tableau, or of semi-implicit Euler if it has one stage only."""
    memory, t = state.memory, state.t[0]
    load_state(state, s.y)
    plan_fixed_step(memory, t, options[STEP], t_end, s.step)
    if tableau.B.size > 1:
        copy(memory[HEAD : HEAD + s.y.size], s.K[0])
        code = eval_stages(m, w, counters, s, tableau, t, False)
        if code != OK:
            return code
    else:
        advance_semi_implicit(m, s, memory)
    return settle_step(m, w, counters, s)


@kernel
def run_fixed(m, w, s, tableau, options, state, record, counters, output, t_end, max_steps):
    """Integrate with steps dt up to t_end, at most `max_steps` steps; return a status code."""
    code = open_run(m, w, counters, s, state, record, output)
    steps = 0
    while code == OK:
        if state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = advance_fixed(m, w, counters, s, tableau, options, state, t_end)
        if code == OK:
            steps += 1
            if needs_dense(s, output, detect_crossings(m, w, s, state.memory)):
                build_hermite(m, s, state.memory)
            count_fixed_step(state.memory, s.step[0], t_end)
            code = close_step(m, w, counters, s, state, record, output, t_end)
    return code
