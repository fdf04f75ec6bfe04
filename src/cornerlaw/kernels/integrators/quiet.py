"""Steps of semi-implicit Euler between which nobody looks at the state: the loop at its barest.

Where no root function is watched, no row is stored and nothing has to be projected, a step is the
update of the state and one evaluation. Two pairs of arrays take turns as start and end of the step,
so that the last accepted state is there when a step fails. The numbers are those of the ordinary
steps, bit by bit. (T-7.17)
"""

from cornerlaw.arrays.status import NOT_FINITE, OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import copy, eval_packed, load_state, save_state
from cornerlaw.kernels.integrators.layout import (
    DT,
    N_GRID,
    NEXT_EVAL,
    SINCE_ROW,
    SMOOTH,
    STEP,
    T_A,
    T_GRID,
)
from cornerlaw.kernels.rates import advance_position
from cornerlaw.kernels.views import part

HUGE = 1.7976931348623157e308


@kernel
def all_finite(a):
    """Return whether all entries are finite; a loop without a way out is done by vectors."""
    bad = False
    for i in range(a.size):
        bad |= not (abs(a[i]) <= HUGE)
    return not bad


@kernel
def count_quiet(r, t_end, most):
    """Return how many steps, up to `most`, can be taken before something has to be looked at."""
    m, output = r.m, r.output
    # as many positions as velocities: there is no quaternion to be normalised
    watched = m.n_indicators > 0 or m.rows.kind.size > 0 or m.nq != m.nu
    if watched or r.tableau.B.size > 0:
        return 0
    dt = r.options[STEP]
    limit, cursor = t_end, output.progress[NEXT_EVAL]
    if cursor < output.t_eval.size:
        limit = min(limit, output.t_eval[cursor])
    # the step that reaches the limit is an ordinary one, and so is the one before it
    steps = min((limit - r.state.t[0]) / dt - 2.0, float(most))
    if output.every[0] > 0:
        steps = min(steps, output.every[0] - 1.0 - output.progress[SINCE_ROW])
    return int(steps) if steps >= 1.0 else 0


@kernel
def _advance_bare(m, dt, y, f, delta, y_new):
    """Write y_new = (q + dt u_E, u_A + dt u_dot, x_A + dt x_dot)."""
    a = m.nq
    for i in range(a, y.size):
        y_new[i] = y[i] + dt * f[i]
    for i in range(m.nu):
        delta[i] = dt * y_new[a + i]
    advance_position(m, part(y, 0, a), delta, part(y_new, 0, a))


@kernel
def run_quietly(r, n):
    """Take up to n steps from the state; return a status and the number of steps taken."""
    s, head, t, code, taken = r.s, r.memory.head, r.state.t[0], OK, 0
    y, f, y_new, f_new = s.y, r.memory.f, s.y_new, s.f_new
    load_state(r, y)
    while taken < n:
        t_new = head[T_GRID] + (head[N_GRID] + 1.0) * r.options[STEP]
        dt = t_new - t
        _advance_bare(r.m, dt, y, f, s.delta, y_new)
        code = eval_packed(r, t_new, y_new, f_new)
        if code == OK and not (all_finite(y_new) and all_finite(f_new)):
            code = NOT_FINITE
        if code != OK:
            break
        y, f, y_new, f_new = y_new, f_new, y, f
        head[T_A], head[DT] = t, dt
        head[N_GRID] += 1.0
        t = t_new
        taken += 1
    save_state(r, t, y)
    if taken % 2 == 1:
        copy(f, r.memory.f)
    if taken > 0:
        head[SMOOTH] = 1.0
        r.counters.steps[0] += taken
        if r.output.every[0] > 0:
            r.output.progress[SINCE_ROW] += taken
    return code, taken
