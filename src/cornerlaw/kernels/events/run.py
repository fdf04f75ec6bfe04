"""Driver of the event-driven road: adaptive steps, the first event of each, switching, on.

(T-15.3)
"""

import math
from typing import Any

from numba import types

from cornerlaw.arrays.corner_work import SLIP
from cornerlaw.arrays.status import BUFFER_FULL, DONE, OK, PAUSED, TOO_MANY_EVENTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.slip import SLOW, begin_direction
from cornerlaw.kernels.events.detect import eval_between, find_event
from cornerlaw.kernels.events.switch import switch_states
from cornerlaw.kernels.integrators.control import (
    EPS,
    eval_packed,
    load_state,
    save_state,
    settle,
)
from cornerlaw.kernels.integrators.crossings import (
    detect_crossings,
    eval_dense,
    eval_indicators_packed,
)
from cornerlaw.kernels.integrators.explicit import advance_explicit, build_dense
from cornerlaw.kernels.integrators.layout import (
    ADVANCE,
    BEGUN,
    CLOSE_STEP,
    DENSE,
    DT,
    EVAL_AT,
    EVENT,
    FIND,
    OPEN_RUN,
    SMOOTH,
    SWITCH,
    T_A,
)
from cornerlaw.kernels.integrators.output import close_step, open_run, store_row
from cornerlaw.kernels.late import call

CROWD = 200  # events at one time before the run gives up


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
def _begin(r):
    """Find the states of all corners at the start of the run."""
    k, s, t = r.w.k, r.s, r.state.t[0]
    for c in range(k.status.size):
        k.status[c] = 0
        k.fired[c] = 0
    load_state(r, s.y)
    code = call(r.s.address[SWITCH], r, t, s.y, s.f_row[r.m.nq + r.m.nu :])
    if code == OK:
        save_state(r, t, s.y)
        r.memory.head[BEGUN] = 1.0
    return code


@kernel
def _pass_event(r):
    """Switch at the present state; store its left and right limit; return a status."""
    s, k, head, t = r.s, r.w.k, r.memory.head, r.state.t[0]
    if r.record.n[0] + 2 > r.record.t.size or k.n_events[0] + 3 * k.status.size > k.event_t.size:
        return BUFFER_FULL
    load_state(r, s.y)
    logged = k.n_events[0]
    store_row(r, t, s.y, -1)
    r.record.side[r.record.n[0] - 1] = -1
    code = call(r.s.address[SWITCH], r, t, s.y, s.f_row[r.m.nq + r.m.nu :])
    if code != OK:
        # nothing has happened yet: the event may be tried again with another solver
        r.record.n[0] -= 1
        k.n_events[0] = logged
        for c in range(k.status.size):
            k.status[c] = k.before[c]
        return code
    save_state(r, t, s.y)
    changed = False
    for c in range(k.status.size):
        changed = changed or k.status[c] != k.before[c] or k.hit[c] == 1
    for c in range(k.status.size):
        # an indicator that fires without any change is rounding: next time it must fall deeper
        if changed:
            k.slack[c] = 1.0
        elif k.fired[c] > 0:
            k.slack[c] = min(10.0 * k.slack[c], 1e4)
    store_row(r, t, s.y, -1)
    r.record.side[r.record.n[0] - 1] = 1
    head[EVENT] = 0.0
    # an event is located to four units in the last place of its time
    near = t - k.crowd[1] <= 16.0 * EPS * abs(t)
    k.crowd[0] = k.crowd[0] + 1.0 if near else 0.0
    k.crowd[1] = t
    if k.crowd[0] > CROWD:
        return TOO_MANY_EVENTS
    return _restart(r)


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
            begin_direction(r.m, r.w, c, SLOW)
    return code


@kernel
def _step_to_event(r, t_end):
    """Take one adaptive step and cut it at its first event; return a status and if there is one."""
    s, head = r.s, r.memory.head
    code = _keep_directions(r)
    if code == OK:
        code = call(r.s.address[ADVANCE], r, t_end)
    if code == OK:
        code = call(r.s.address[DENSE], r)
    if code != OK:
        return code, False
    head[T_A], head[DT] = r.state.t[0], s.step[1]
    code = call(r.s.address[FIND], r)
    t = r.w.k.event_time[0]
    if code != OK:
        return code, False
    if t < math.inf:
        return _cut_step(r, t), True
    if r.w.k.shortened[0] > 0:
        return _cut_step(r, s.step[0]), False
    return OK, False


@kernel
def run_event_driven(r, t_end, max_steps):
    """Integrate up to t_end, at most `max_steps` steps; return a status code."""
    head = r.memory.head
    r.w.look[0] = math.inf  # all gaps are followed
    code = OK
    if head[BEGUN] == 0.0:
        code = _begin(r)
        if code != OK:
            return code
    code = call(r.s.address[OPEN_RUN], r)
    steps = 0
    while code == OK:
        if head[EVENT] == 1.0:
            code = _pass_event(r)
            continue
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        code, found = _step_to_event(r, t_end)
        if code != OK:
            break
        steps += 1
        detect_crossings(r)
        if found:
            head[EVENT] = 1.0
        code = call(r.s.address[CLOSE_STEP], r, t_end)
        if code != OK and code != BUFFER_FULL:
            # a stop before the event: it did not happen
            head[EVENT] = 0.0
    return code
