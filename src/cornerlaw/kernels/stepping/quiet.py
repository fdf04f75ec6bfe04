"""Time steps between which nobody looks at the state: no rows, no root functions, no adaption.

Two arrays take turns as start and end of the step, and what a later step never reads is written
once, at the end. The numbers are those of ordinary steps, bit by bit.
"""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import copy, load_state, save_state
from cornerlaw.kernels.integrators.layout import (
    ADVANCE,
    DT,
    FINISH,
    N_GRID,
    NEXT_EVAL,
    SAFE_STEP,
    SINCE_ROW,
    SMOOTH,
    T_A,
    T_GRID,
)
from cornerlaw.kernels.late import call
from cornerlaw.kernels.stepping.note import note_step
from cornerlaw.kernels.stepping.options import STEP, TOLERANCE


@kernel
def count_quiet_steps(r, t_end, most):
    """Return how many steps, up to `most`, can be taken before something has to be looked at."""
    output = r.output
    if r.m.n_indicators > 0 or r.options[TOLERANCE] > 0.0 or r.s.address[SAFE_STEP] != 0:
        return 0
    limit, cursor = t_end, output.progress[NEXT_EVAL]
    if cursor < output.t_eval.size:
        limit = min(limit, output.t_eval[cursor])
    # the step that reaches the limit is an ordinary one, and so is the one before it
    steps = min((limit - r.state.t[0]) / r.options[STEP] - 2.0, float(most))
    if output.every[0] > 0:
        steps = min(steps, output.every[0] - 1.0 - output.progress[SINCE_ROW])
    return int(steps) if steps >= 1.0 else 0


@kernel
def leave_quiet_steps(r, t_A, t, y_A, y, taken):
    """Write what the last of some steps, from y_A to y, leaves to those that follow."""
    head, memory, dense = r.memory.head, r.memory, r.memory.dense
    save_state(r, t, y)
    copy(y, memory.f)
    for i in range(y.size):
        dense[0, i], dense[1, i] = y_A[i], y[i] - y_A[i]
    for j in range(2, dense.shape[0]):
        for i in range(y.size):
            dense[j, i] = 0.0
    head[T_A], head[DT], head[SMOOTH] = t_A, t - t_A, 1.0
    r.counters.steps[0] += taken
    if r.output.every[0] > 0:
        r.output.progress[SINCE_ROW] += taken


@kernel
def run_quiet_steps(r, n):
    """Take up to n steps from the state; return a status."""
    s, k, head, dt = r.s, r.w.k, r.memory.head, r.options[STEP]
    t, t_A, code, taken = r.state.t[0], r.state.t[0], OK, 0
    y, y_new = s.y, s.y_new
    load_state(r, y)
    r.w.quiet[0] = 1
    while taken < n and k.n_events[0] + 2 * k.shown.size <= k.event_t.size:
        t_new = head[T_GRID] + (head[N_GRID] + 1.0) * dt
        r.w.look[0] = 2.0 * (t_new - t)
        code = call(s.address[ADVANCE], r, t, t_new - t, y, y_new)
        if code == OK:
            code = call(s.address[FINISH], r, t_new, y_new)
        if code != OK:
            break
        note_step(r, t_new)
        y, y_new = y_new, y
        head[N_GRID] += 1.0
        t_A, t = t, t_new
        taken += 1
    r.w.quiet[0] = 0
    if taken > 0:
        leave_quiet_steps(r, t_A, t, y_new, y, taken)
    return code
