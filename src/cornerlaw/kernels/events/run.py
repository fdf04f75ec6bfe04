"""Driver of the event-driven road: adaptive steps, the first event of each, switching, on.

(T-15.3)
"""

import math
from typing import Any

from numba import types

from cornerlaw.arrays.corner_work import OPEN, SLIP, STICK
from cornerlaw.arrays.status import (
    BUFFER_FULL,
    DONE,
    OK,
    PAUSED,
    STEP_TOO_SMALL,
    STOPPED,
    TOO_MANY_EVENTS,
    VANISHED,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.compliance import is_rigid
from cornerlaw.kernels.corners.rows import has_vanished
from cornerlaw.kernels.corners.slip import begin_direction
from cornerlaw.kernels.events.detect import eval_between, find_event, force_scale
from cornerlaw.kernels.events.indicators import LOST, force_size, friction_left
from cornerlaw.kernels.events.switch import switch_states
from cornerlaw.kernels.integrators.control import (
    EPS,
    copy,
    eval_packed,
    load_state,
    save_state,
    settle,
)
from cornerlaw.kernels.integrators.crossings import (
    crosses,
    detect_crossings,
    eval_dense,
    eval_indicators_packed,
)
from cornerlaw.kernels.integrators.explicit import advance_explicit, build_dense
from cornerlaw.kernels.integrators.layout import (
    ADVANCE,
    ATOL,
    BEGUN,
    CLOSE_STEP,
    DENSE,
    DT,
    ECHO,
    EVAL_AT,
    EVENT,
    FIND,
    OPEN_RUN,
    RTOL,
    SMOOTH,
    SWITCH,
    T_A,
    TERMINAL_JUMPS,
)
from cornerlaw.kernels.integrators.output import close_step, open_run, store_row
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven

CROWD = 200  # events at one time before the run gives up
RELIEF = 1e-2  # of its bound: friction that is that far inside has been shared anew
JUMP = 1e-6  # of the largest force: one that is lost by more at an event was lost at once
BEFORE_JUMP = 2.0  # head[EVENT]: the state at hand is the one before a jump of forces


def event_pieces() -> tuple[Any, ...]:
    """Return the pieces of the driver that are compiled on their own."""
    time, vector = types.float64, types.float64[::1]
    return (
        (OPEN_RUN, open_run, ()),
        (CLOSE_STEP, close_step, (time,)),
        (ADVANCE, advance_explicit, (time,)),
        (DENSE, build_dense, ()),
        (EVAL_AT, eval_between, (time,)),
        (FIND, find_event, ()),
        (SWITCH, switch_states, (time, vector, vector)),
    )


@kernel
def _restart(r):
    """Write rates and root functions of the state after it was changed."""
    s, memory, t = r.s, r.memory, r.state.t[0]
    code = eval_packed(r, t, s.y, memory.f)
    if code == OK and r.m.n_indicators > 0:
        eval_indicators_packed(r, t, s.y, memory.g)
    memory.head[SMOOTH] = 0.0
    return code


@kernel
def _has_jumped(k):
    """Tell whether an impact since the last row has left impulses."""
    for i in range(k.Lambda.size):
        if k.Lambda[i] != 0.0:
            return True
    return False


@kernel
def _stop_in_jump(r, before):
    """Stop where a jump has carried indicators over zero from their values before.

    Each has a row at the right limit. Return a status.
    """
    memory, indicators, first = r.memory, r.m.indicators, -1
    for i in range(before.size):
        watched = indicators.terminal[i] == TERMINAL_JUMPS
        if watched and crosses(before[i], memory.g[i], indicators.direction[i]):
            store_row(r, r.state.t[0], r.s.y, i)
            r.record.side[r.record.n[0] - 1] = 1
            r.output.crossings[i] += 1
            first = i if first < 0 else first
    if first < 0:
        return OK
    copy(memory.g, r.s.g_new)
    r.output.stopped[0] = first
    return STOPPED


@kernel
def _keep_indicators(r):
    """Write the indicators at a fresh state, zero for those that were handled there, to g_new."""
    s, memory = r.s, r.memory
    if r.m.n_indicators > 0:
        eval_indicators_packed(r, r.state.t[0], s.y, s.g_new)
    for i in range(s.g_new.size):
        s.g_new[i] = 0.0 if memory.g[i] == ECHO else s.g_new[i]


@kernel
def _begin(r):
    """Find the states of all corners at the start of the run; an impact there has a row before it.

    Return a status.
    """
    k, s, m, t, n = r.w.k, r.s, r.m, r.state.t[0], r.record.n[0]
    for c in range(k.status.size):
        k.status[c] = 0
        k.fired[c] = 0
    if n + 2 + m.n_indicators > r.record.t.size:
        return BUFFER_FULL
    load_state(r, s.y)
    set_driven(m, r.w, t, s.y[: m.nq], s.y[m.nq : m.nq + m.nu])
    _keep_indicators(r)
    store_row(r, t, s.y, -1)
    r.record.side[n] = -1
    code = call(r.s.address[SWITCH], r, t, s.y, s.f_row[m.nq + m.nu :])
    jumped = _has_jumped(k)
    if code != OK or not jumped:
        r.record.n[0] = n
    if code != OK:
        return code
    save_state(r, t, s.y)
    r.memory.head[BEGUN] = 1.0
    code = call(r.s.address[OPEN_RUN], r)
    if code == OK and jumped:
        if r.record.n[0] == n + 1:
            store_row(r, t, s.y, -1)  # no row was asked for at the start
        r.record.side[r.record.n[0] - 1] = 1
        code = _stop_in_jump(r, s.g_new)
    return code


@kernel
def _is_relieved(r, c):
    """Tell whether friction that was at its bound is well inside again, being shared anew."""
    m, w = r.m, r.w
    if w.k.fired[c] != 2 or w.k.status[c] != STICK:
        return False
    left = friction_left(m, w, c)
    return left > RELIEF * (left + force_size(m, w, c))


@kernel
def _set_slack(r):
    """Make indicators less sensitive that fired without any change; needs the forces behind.

    Such an indicator was rounding: next time it must fall deeper. Forces that are not unique may
    have been shared anew; then it was none. (T-15.6)
    """
    k, changed = r.w.k, False
    for c in range(k.status.size):
        changed = changed or k.status[c] != k.before[c] or k.hit[c] == 1
    for c in range(k.status.size):
        if changed:
            k.slack[c] = 1.0
        elif k.fired[c] > 0 and not _is_relieved(r, c):
            k.slack[c] = min(10.0 * k.slack[c], 1e4)


@kernel
def _go_behind_jump(r, t):
    """Write the state of the dense output at an event whose left limit is at hand to s.y."""
    eval_dense(r, t, r.s.y)
    return settle(r, t, r.s.y)


@kernel
def _pass_event(r):
    """Switch at the present state; store its left and right limit; return a status."""
    s, k, head, t = r.s, r.w.k, r.memory.head, r.state.t[0]
    rows = 2 + r.m.n_indicators
    if r.record.n[0] + rows > r.record.t.size or k.n_events[0] + 3 * k.status.size > k.event_t.size:
        return BUFFER_FULL
    load_state(r, s.y)
    copy(r.memory.g, s.g_new)
    logged = k.n_events[0]
    store_row(r, t, s.y, -1)
    r.record.side[r.record.n[0] - 1] = -1
    code = _go_behind_jump(r, t) if head[EVENT] == BEFORE_JUMP else OK
    if code != OK:
        r.record.n[0] -= 1
        return code
    code = call(r.s.address[SWITCH], r, t, s.y, s.f_row[r.m.nq + r.m.nu :])
    if code != OK:
        # nothing has happened yet: the event may be tried again with another solver
        r.record.n[0] -= 1
        k.n_events[0] = logged
        for c in range(k.status.size):
            k.status[c] = k.before[c]
        return code
    save_state(r, t, s.y)
    jumped = _has_jumped(k)
    store_row(r, t, s.y, -1)
    r.record.side[r.record.n[0] - 1] = 1
    head[EVENT] = 0.0
    # an event is located to four units in the last place of its time
    near = t - k.crowd[1] <= 16.0 * EPS * abs(t)
    k.crowd[0] = k.crowd[0] + 1.0 if near else 0.0
    k.crowd[1] = t
    if k.crowd[0] > CROWD:
        return TOO_MANY_EVENTS
    code = _restart(r)
    _set_slack(r)
    return _stop_in_jump(r, s.g_new) if code == OK and jumped else code


@kernel
def _lacks_force(r):
    """Tell whether a corner whose force ended the step lacks much of it; needs the forces.

    The event stands just behind the zero of the force, a rounding below it where it is continuous.
    """
    m, w, k = r.m, r.w, r.w.k
    least = -JUMP * force_scale(k)
    for c in range(k.status.size):
        if k.status[c] == OPEN or k.fired[c] == 0 or k.fired[c] == LOST or not is_rigid(m, c):
            continue
        i = m.corners.row_N[c]
        if k.fired[c] % 2 == 1 and i >= 0 and k.lam[i] < least:
            return True
        if k.fired[c] >= 2 and k.status[c] == STICK and friction_left(m, w, c) < least:
            return True
    return False


@kernel
def _step_back_from_jump(r, t):
    """Let y_new be the state before a jump of forces at the event at t, if there is one.

    Curvature jumps where a contact runs over the corner of a polygon or the end of an arc, and the
    force with it: the state behind is one in which nothing holds the contact. The event happens
    there, but its left limit is the last state in front of it. Return a status. (T-15.17)
    """
    s, head = r.s, r.memory.head
    before = t - 8.0 * EPS * abs(t)
    if not _lacks_force(r) or before <= head[T_A]:
        return OK
    eval_dense(r, before, s.y_row)
    code = settle(r, before, s.y_row)
    if code == OK:
        code = eval_packed(r, before, s.y_row, s.f_row)
    if code == OK and not _lacks_force(r):
        copy(s.y_row, s.y_new)
        copy(s.f_row, s.f_new)
        head[EVENT] = BEFORE_JUMP
    return code


@kernel
def _cut_step(r, t):
    """End the step at an event: write its state and rates to y_new and f_new."""
    s = r.s
    eval_dense(r, t, s.y_new)
    code = settle(r, t, s.y_new)
    if code == OK:
        code = eval_packed(r, t, s.y_new, s.f_new)
    s.step[0] = t
    return code


@kernel
def _keep_directions(r):
    """Keep the directions of sliding that the step begins with; return a status."""
    k, found = r.w.k, False
    for c in range(k.status.size):
        found = found or k.status[c] == SLIP
    if not found:
        return OK
    load_state(r, r.s.y)
    code = eval_packed(r, r.state.t[0], r.s.y, r.s.f_row)
    for c in range(k.status.size):
        if k.status[c] == SLIP:
            begin_direction(r.m, r.w, c, True)
    return code


@kernel
def _advance(r, t_end):
    """Take one adaptive step and write its dense output; return a status."""
    code = call(r.s.address[ADVANCE], r, t_end)
    if code == OK:
        code = call(r.s.address[DENSE], r)
    if code == VANISHED:
        for c in range(r.w.k.status.size):
            lost = r.w.k.status[c] != OPEN and has_vanished(r.m, r.w, c)
            r.w.k.fired[c] = LOST if lost else 0
    return code


@kernel
def _advance_on_contours(r, t_end):
    """Take one adaptive step; one that runs over the end of a contour ends there.

    Bisection over the length of the step, since there are no rates beyond. Return a status,
    VANISHED if there is no step at all: then k.fired tells which contact ends here. (T-15.20)
    """
    s, dt, begin = r.s, r.state.dt, r.state.t[0]
    planned = dt[0]
    code = _advance(r, t_end)
    if code != VANISHED:
        return code
    good, bad = begin, s.step[0]
    while bad - good > 8.0 * EPS * max(abs(good), abs(bad)):
        t = 0.5 * (good + bad)
        dt[0] = t - begin
        code = _advance(r, t)
        if code == STEP_TOO_SMALL:
            break
        if code == VANISHED:
            bad = t
        elif code != OK or s.step[0] < t:
            return code  # a step that its error makes shorter is an ordinary one
        else:
            good = t
    code = VANISHED
    if good > begin:
        dt[0] = good - begin
        code = _advance(r, good)
    dt[0] = planned
    return code


@kernel
def _step_to_event(r, t_end):
    """Take one adaptive step and cut it at its first event, which then waits; return a status."""
    s, head = r.s, r.memory.head
    code = _keep_directions(r)
    if code == OK:
        code = _advance_on_contours(r, t_end)
    if code != OK:
        return code
    head[T_A], head[DT] = r.state.t[0], s.step[1]
    code = call(r.s.address[FIND], r)
    t = r.w.k.event_time[0]
    if code != OK:
        return code
    if t < math.inf:
        head[EVENT] = 1.0
        code = _cut_step(r, t)
        if code == OK:
            code = _step_back_from_jump(r, t)
        if code != OK:
            head[EVENT] = 0.0
        return code
    if r.w.k.shortened[0] > 0:
        return _cut_step(r, s.step[0])
    return OK


@kernel
def run_event_driven(r, t_end, max_steps):
    """Integrate up to t_end, at most `max_steps` steps; return a status code."""
    head = r.memory.head
    r.w.look[0] = math.inf  # all gaps are followed
    error = r.w.k.step_error
    error[0], error[1] = r.options[RTOL], r.options[ATOL]
    if head[BEGUN] == 0.0:
        code = _begin(r)
    else:
        code = call(r.s.address[OPEN_RUN], r)
    steps = 0
    while code == OK:
        if head[EVENT] > 0.0:
            code = _pass_event(r)
            continue
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code = _step_to_event(r, t_end)
        if code == VANISHED:
            head[EVENT] = 1.0
            code = OK
            continue
        if code != OK:
            break
        steps += 1
        detect_crossings(r)
        code = call(r.s.address[CLOSE_STEP], r, t_end)
        if code != OK and code != BUFFER_FULL:
            # a stop before the event: it did not happen
            head[EVENT] = 0.0
    return code
