"""From an accepted step to stored rows: crossings, rows between steps, the row at the end.

Every row is marked as done at the moment it is stored. A full record interrupts the work at any
row, and the next call continues with the next one: nothing is lost and nothing comes twice.
"""

import math

from cornerlaw.arrays.corner_work import IMPACT
from cornerlaw.arrays.state import NOT_KNOWN
from cornerlaw.arrays.status import BUFFER_FULL, NOT_FINITE, OK, STOPPED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import (
    copy,
    eval_packed,
    is_finite,
    load_state,
    save_state,
    settle,
)
from cornerlaw.kernels.integrators.crossings import (
    crosses,
    eval_dense,
    eval_indicators_packed,
    locate_crossing,
    narrow_search,
)
from cornerlaw.kernels.integrators.layout import (
    DT,
    ECHO,
    END_ROW,
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
    T_SHARED,
    T_SPREAD,
    USER_INDICATORS,
)


@kernel
def store_row(r, t, y, event):
    """Append one row at time t; `event` is the indicator that crossed zero there, or -1."""
    record, n = r.record, r.record.n[0]
    a = r.m.nq
    b = a + r.m.nu
    record.t[n] = t
    for i in range(a):
        record.q[n, i] = y[i]
    for i in range(r.m.nu):
        record.u[n, i] = y[a + i]
    for i in range(r.m.nx):
        record.x[n, i] = y[b + i]
    record.side[n] = 0
    k = r.w.k
    for c in range(record.status.shape[1]):
        record.status[n, c] = k.shown[c]
    for i in range(record.Lambda.shape[1]):
        record.Lambda[n, i] = k.Lambda[i]
        k.Lambda[i] = 0.0
    for p in range(record.pair.shape[1]):
        record.pair[n, p] = r.w.pool.pair[p]
    first = r.w.contact_id.size - record.identity.shape[1]
    for s in range(record.identity.shape[1]):
        shown = r.w.contact_shown[first + s]
        record.identity[n, s] = shown if shown != NOT_KNOWN else r.w.contact_id[first + s]
    r.output.event[n] = event
    record.n[0] = n + 1


@kernel
def _start(r):
    """Evaluate rates and indicators at a fresh state; prescribed entries are set."""
    s, memory, t = r.s, r.memory, r.state.t[0]
    code = eval_packed(r, t, s.y, memory.f)
    if code != OK:
        return code
    if not (is_finite(s.y) and is_finite(memory.f)):
        return NOT_FINITE
    save_state(r, t, s.y)
    if r.m.n_indicators > 0:
        eval_indicators_packed(r, t, s.y, s.g_row)
        for k in range(s.g_row.size):
            memory.g[k] = 0.0 if memory.g[k] == ECHO else s.g_row[k]
    memory.head[T_GRID] = t
    memory.head[STARTED] = 1.0
    return OK


@kernel
def open_run(r):
    """Evaluate a fresh state, store the first row, then the rows an earlier call left over."""
    head, output, t = r.memory.head, r.output, r.state.t[0]
    load_state(r, r.s.y)
    if head[STARTED] == 0.0:
        code = _start(r)
        if code != OK:
            return code
    if output.progress[OPENED] == 0:
        cursor = output.progress[NEXT_EVAL]
        due = cursor < output.t_eval.size and output.t_eval[cursor] <= t
        # rows of a pending step come from that step
        if (due or output.every[0] > 0) and head[PENDING] == 0.0:
            if r.record.n[0] >= r.record.t.size:
                return BUFFER_FULL
            store_row(r, t, r.s.y, -1)
            if due:
                output.progress[NEXT_EVAL] += 1
        output.progress[OPENED] = 1
    return store_step(r) if head[PENDING] == 1.0 else OK


@kernel
def needs_dense(r, found):
    """Return whether a crossing or a row lies inside the step, or has to be looked for there."""
    cursor, t_eval = r.output.progress[NEXT_EVAL], r.output.t_eval
    found = found or r.s.address[USER_INDICATORS] != 0
    return found or (cursor < t_eval.size and t_eval[cursor] < r.s.step[0])


@kernel
def _locate_stop(r):
    """Locate all crossings of the step; return a status and the first terminal one, or -1.

    Crossings behind the stop are dropped: they do not happen.
    """
    t_cross, stop, limit = r.memory.t_cross, -1, r.s.step[0]
    code = narrow_search(r)
    if code != OK:
        return code, stop
    for k in range(t_cross.size):
        if t_cross[k] < math.inf:
            code = locate_crossing(r, k)
            if code != OK:
                return code, stop
            if r.m.indicators.terminal[k] != 0 and (stop < 0 or t_cross[k] < limit):
                limit, stop = t_cross[k], k
    for k in range(t_cross.size):
        if t_cross[k] > limit:
            t_cross[k] = math.inf
    return OK, stop


@kernel
def _has_struck(r):
    """Tell whether the time step at hand has logged an impact."""
    k = r.w.k
    for n in range(k.n_events[0] - 1, -1, -1):
        if k.event_t[n] <= r.memory.head[T_A]:
            return False
        if k.event_kind[n] == IMPACT:
            return True
    return False


@kernel
def _cut_impulses(r, t):
    """Leave of the impulses of a time step what acts up to a stop inside it.

    The state there is on the straight line between both ends, so is the impulse. An impact happens
    as a whole: whoever handles the stop moves it to the end of such a step. (T-14.13)
    """
    k, head = r.w.k, r.memory.head
    if not head[T_SPREAD] > head[T_SHARED] or _has_struck(r):
        return
    share = (t - head[T_A]) / head[DT]
    for i in range(k.Lambda.size):
        k.Lambda[i] = k.Lambda_A[i] + share * (k.Lambda[i] - k.Lambda_A[i])
    head[T_SPREAD] = t


@kernel
def _store_share(r, t, y, event):
    """Append a row inside a time step, with the part of the step's impulses that acts up to it.

    The state there is on the straight line between both ends, so is the impulse; the rest belongs
    to the rows to come. Without time steps there is nothing to be shared. (T-14.13)
    """
    k, head = r.w.k, r.memory.head
    first, end = head[T_SHARED], head[T_SPREAD]
    if not end > first:
        store_row(r, t, y, event)
        return
    share = (t - first) / (end - first)
    for i in range(k.Lambda.size):
        due = k.Lambda_A[i] + share * (k.Lambda[i] - k.Lambda_A[i])
        k.Lambda_A[i] = k.Lambda[i] - due
        k.Lambda[i] = due
    store_row(r, t, y, event)
    for i in range(k.Lambda.size):
        k.Lambda[i] = k.Lambda_A[i]
        k.Lambda_A[i] = 0.0
    head[T_SHARED] = t


@kernel
def _enter_stop(r, t):
    """Set the state to the settled dense output at the stop, with its rates and indicators."""
    s, memory = r.s, r.memory
    eval_dense(r, t, s.y_row)
    code = settle(r, t, s.y_row)
    if code == OK:
        code = eval_packed(r, t, s.y_row, s.f_row)
    if code != OK:
        return code
    eval_indicators_packed(r, t, s.y_row, s.g_row)
    for k in range(s.g_row.size):
        if memory.t_cross[k] < math.inf and memory.g[k] * s.g_row[k] > 0.0:
            # rounding may leave the old sign, and the same crossing would be found again
            s.g_row[k] = 0.0
        elif memory.t_cross[k] == math.inf and crosses(
            memory.g[k], s.g_row[k], r.m.indicators.direction[k]
        ):
            # located behind the stop by rounding, yet crossed here: it would not be seen again
            memory.t_cross[k] = t
    save_state(r, t, s.y_row)
    copy(s.f_row, memory.f)
    copy(s.g_row, memory.g)
    memory.head[T_GRID], memory.head[N_GRID], memory.head[SMOOTH] = t, 0.0, 0.0
    return OK


@kernel
def close_step(r, t_end):
    """Finish the step in `s`: locate crossings, advance the state to its end or stop, store rows.

    Expects y_new and f_new settled, step, g_new and marks from detect_crossings, and the dense
    output in memory if needs_dense. Returns OK, BUFFER_FULL, STOPPED or a failure.
    """
    s, memory, head = r.s, r.memory, r.memory.head
    head[T_A], head[DT] = r.state.t[0], s.step[1]
    code, stop = _locate_stop(r)
    if code == OK and stop >= 0:
        _cut_impulses(r, memory.t_cross[stop])
        code = _enter_stop(r, memory.t_cross[stop])
    if code != OK:
        return code
    if stop < 0:
        save_state(r, s.step[0], s.y_new)
        copy(s.f_new, memory.f)
        copy(s.g_new, memory.g)
        head[SMOOTH] = 1.0
    r.counters.steps[0] += 1
    head[PENDING], head[STOP], head[END_ROW] = 1.0, 1.0 + stop, 0.0
    progress, every = r.output.progress, r.output.every[0]
    if every > 0:
        progress[SINCE_ROW] += 1
        if progress[SINCE_ROW] >= every or r.state.t[0] >= t_end:
            progress[SINCE_ROW] = 0
            # a stop has its own row
            head[END_ROW] = 1.0 if stop < 0 else 0.0
    return store_step(r)


@kernel
def store_step(r):
    """Store the rows of the last step in the order of time; return OK, BUFFER_FULL or STOPPED."""
    s, head, t_cross, output = r.s, r.memory.head, r.memory.t_cross, r.output
    t_eval, t_E = output.t_eval, r.state.t[0]
    while True:
        t, event, cursor = math.inf, -1, output.progress[NEXT_EVAL]
        for k in range(t_cross.size):
            if t_cross[k] < t:
                t, event = t_cross[k], k
        # a crossing at a time asked for is one row
        asked = cursor < t_eval.size and t_eval[cursor] <= min(t, t_E)
        if asked and t_eval[cursor] < t:
            t, event = t_eval[cursor], -1
        if t > t_E:
            if head[END_ROW] == 0.0:
                break
            t = t_E
        if r.record.n[0] >= r.record.t.size:
            return BUFFER_FULL
        if t >= t_E:
            load_state(r, s.y_row)
            head[END_ROW] = 0.0
            store_row(r, t, s.y_row, event)
        else:
            eval_dense(r, t, s.y_row)
            code = settle(r, t, s.y_row)
            if code != OK:
                return code
            _store_share(r, t, s.y_row, event)
        if asked:
            output.progress[NEXT_EVAL] += 1
        if event >= 0:
            output.crossings[event] += 1
            t_cross[event] = math.inf
    head[PENDING] = 0.0
    if head[STOP] > 0.0:
        output.stopped[0] = int(head[STOP]) - 1
        head[STOP] = 0.0
        return STOPPED
    return OK
