"""From an accepted step to stored rows: crossings, rows between steps, the row at the end.

Every row is marked as done at the moment it is stored. A full record interrupts the work at any
row, and the next call continues with the next one: nothing is lost and nothing comes twice.
"""

import math

from cornerlaw.arrays.status import BUFFER_FULL, OK, STOPPED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import (
    check_state,
    copy,
    eval_packed,
    load_state,
    save_state,
    settle,
)
from cornerlaw.kernels.integrators.crossings import (
    eval_dense,
    eval_indicators_packed,
    locate_crossing,
)
from cornerlaw.kernels.integrators.layout import (
    DT,
    END_ROW,
    HEAD,
    N_GRID,
    NEXT_EVAL,
    OPENED,
    PENDING,
    SINCE_ROW,
    SMOOTH,
    STARTED,
    STOP,
    T_A,
    T_GRID,
)


@kernel
def store_row(record, output, t, y, nq, nu, event):
    """Append one row at time t; `event` is the indicator that crossed zero there, or -1."""
    n = record.n[0]
    record.t[n] = t
    copy(y[:nq], record.q[n])
    copy(y[nq : nq + nu], record.u[n])
    copy(y[nq + nu :], record.x[n])
    record.side[n] = 0
    output.event[n] = event
    record.n[0] = n + 1


@kernel
def open_run(m, w, counters, s, state, record, output):
    """Evaluate a fresh state, store the first row, then the rows an earlier call left over."""
    memory = state.memory
    n, ni = s.y.size, m.n_indicators
    load_state(state, s.y)
    if memory[STARTED] == 0.0:
        f = memory[HEAD : HEAD + n]
        code = eval_packed(m, w, counters, state.t[0], s.y, f)
        if code == OK:
            code = check_state(s.y, f)
        if code != OK:
            return code
        save_state(state, state.t[0], s.y)
        if ni > 0:
            eval_indicators_packed(m, w, state.t[0], s.y, memory[HEAD + n : HEAD + n + ni])
        memory[T_GRID] = state.t[0]
        memory[STARTED] = 1.0
    if output.progress[OPENED] == 0:
        cursor = output.progress[NEXT_EVAL]
        due = cursor < output.t_eval.size and output.t_eval[cursor] <= state.t[0]
        # rows of a pending step come from that step
        if (due or output.every[0] > 0) and memory[PENDING] == 0.0:
            if record.n[0] >= record.t.size:
                return BUFFER_FULL
            store_row(record, output, state.t[0], s.y, m.nq, m.nu, -1)
            if due:
                output.progress[NEXT_EVAL] += 1
        output.progress[OPENED] = 1
    if memory[PENDING] == 1.0:
        return store_step(m, w, counters, s, state, record, output)
    return OK


@kernel
def needs_dense(s, output, found):
    """Return whether a crossing or a row lies inside the step."""
    cursor = output.progress[NEXT_EVAL]
    return found or (cursor < output.t_eval.size and output.t_eval[cursor] < s.step[0])


@kernel
def close_step(m, w, counters, s, state, record, output, t_end):
    """Finish the step in `s`: locate crossings, advance the state to the end or the stop, store rows.

    Expects y_new and f_new settled, step, g_new and marks from detect_crossings, and the dense
    output in memory if needs_dense. Returns OK, BUFFER_FULL, STOPPED or a failure of the projection.
    """
    memory = state.memory
    n, ni = s.y.size, m.n_indicators
    at_g, at_event = HEAD + n, HEAD + n + ni
    memory[T_A], memory[DT] = state.t[0], s.step[1]
    limit, stop = s.step[0], -1
    for k in range(ni):
        if memory[at_event + k] < math.inf:
            code, t = locate_crossing(m, w, counters, s, memory, k)
            if code != OK:
                return code
            memory[at_event + k] = t
            if m.indicators.terminal[k] != 0 and (stop < 0 or t < limit):
                limit, stop = t, k
    for k in range(ni):
        # what lies behind the stop does not happen
        if memory[at_event + k] < math.inf and memory[at_event + k] > limit:
            memory[at_event + k] = math.inf
    counters.steps[0] += 1
    memory[SMOOTH] = 1.0
    if stop < 0:
        save_state(state, limit, s.y_new)
        copy(s.f_new, memory[HEAD : HEAD + n])
        copy(s.g_new, memory[at_g : at_g + ni])
        memory[STOP] = 0.0
    else:
        code = _enter_stop(m, w, counters, s, state, limit)
        if code != OK:
            return code
        memory[STOP] = 1.0 + stop
    _plan_end_row(state, output, t_end, stop)
    return store_step(m, w, counters, s, state, record, output)


@kernel
def _enter_stop(m, w, counters, s, state, t):
    """Set the state to the settled dense output at the stop, with its rates and indicators."""
    memory = state.memory
    n, ni = s.y.size, m.n_indicators
    eval_dense(s, memory, ni, t, s.y_row)
    code = settle(m, w, counters, s, t, s.y_row)
    if code == OK:
        code = eval_packed(m, w, counters, t, s.y_row, s.f_row)
    if code != OK:
        return code
    eval_indicators_packed(m, w, t, s.y_row, s.g_row)
    for k in range(ni):
        at = HEAD + n + k
        if memory[HEAD + n + ni + k] < math.inf and memory[at] * s.g_row[k] > 0.0:
            # rounding may leave the old sign, and the same crossing would be found again
            s.g_row[k] = 0.0
        memory[at] = s.g_row[k]
    save_state(state, t, s.y_row)
    copy(s.f_row, memory[HEAD : HEAD + n])
    memory[T_GRID], memory[N_GRID], memory[SMOOTH] = t, 0.0, 0.0
    return OK


@kernel
def _plan_end_row(state, output, t_end, stop):
    """Decide once whether the end of the step becomes a row; a stop has its own row."""
    memory = state.memory
    memory[PENDING], memory[END_ROW] = 1.0, 0.0
    if output.every[0] > 0:
        output.progress[SINCE_ROW] += 1
        if output.progress[SINCE_ROW] >= output.every[0] or state.t[0] >= t_end:
            output.progress[SINCE_ROW] = 0
            memory[END_ROW] = 1.0 if stop < 0 else 0.0


@kernel
def store_step(m, w, counters, s, state, record, output):
    """Store the rows of the last step in the order of time; return OK, BUFFER_FULL or STOPPED."""
    memory = state.memory
    n, ni = s.y.size, m.n_indicators
    at_event = HEAD + n + ni
    t_E = state.t[0]
    while True:
        t, event, cursor = math.inf, -1, output.progress[NEXT_EVAL]
        for k in range(ni):
            if memory[at_event + k] < t:
                t, event = memory[at_event + k], k
        asked = cursor < output.t_eval.size and output.t_eval[cursor] <= min(t, t_E)
        if asked and output.t_eval[cursor] < t:
            t, event = output.t_eval[cursor], -1
        if t > t_E:
            if memory[END_ROW] == 0.0:
                break
            t = t_E
        if record.n[0] >= record.t.size:
            return BUFFER_FULL
        if t >= t_E:
            load_state(state, s.y_row)
            memory[END_ROW] = 0.0
        else:
            eval_dense(s, memory, ni, t, s.y_row)
            code = settle(m, w, counters, s, t, s.y_row)
            if code != OK:
                return code
        store_row(record, output, t, s.y_row, m.nq, m.nu, event)
        if asked:
            output.progress[NEXT_EVAL] += 1
        if event >= 0:
            output.crossings[event] += 1
            memory[at_event + event] = math.inf
    memory[PENDING] = 0.0
    if memory[STOP] > 0.0:
        output.stopped[0] = int(memory[STOP]) - 1
        memory[STOP] = 0.0
        return STOPPED
    return OK
