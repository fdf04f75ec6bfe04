"""Drivers of time stepping: fixed steps, and steps chosen by comparing one step with two halves."""

from typing import Any

from numba import types

from cornerlaw.arrays.compact import POSED_LARGE
from cornerlaw.arrays.corner_work import REMOVED
from cornerlaw.arrays.status import BUFFER_FULL, DONE, OK, PAUSED, STEP_TOO_SMALL, UNSOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import copy, load_state
from cornerlaw.kernels.integrators.crossings import detect_crossings
from cornerlaw.kernels.integrators.fixed import plan_fixed_step
from cornerlaw.kernels.integrators.layout import (
    ADVANCE,
    CLOSE_STEP,
    FINISH,
    N_GRID,
    NEXT_EVAL,
    OPEN_RUN,
    QUIET,
    SAFE_STEP,
    T_GRID,
    T_SHARED,
    T_SPREAD,
)
from cornerlaw.kernels.integrators.output import close_step, open_run
from cornerlaw.kernels.late import call
from cornerlaw.kernels.stepping.note import note_step
from cornerlaw.kernels.stepping.options import SMALLEST, STEP, TOLERANCE
from cornerlaw.kernels.stepping.quiet import count_quiet_steps, run_quiet_steps
from cornerlaw.kernels.stepping.step import finish_step, step_once

FINEST = 1.0 / 64.0  # part of a step that is tried where its large problem stays unsolved


def stepping_pieces(
    implicit: bool = False, in_space: bool = False, constant: bool = False, sparse: bool = False
) -> tuple[Any, ...]:
    """Return the pieces of the driver that are compiled on their own."""
    if constant and not implicit:
        from cornerlaw.kernels.lagrangian.pieces import constant_pieces

        return constant_pieces(sparse)
    advance: Any = step_once
    if implicit:
        from cornerlaw.kernels.stepping.theta import step_theta

        advance = step_theta
    time, vector = types.float64, types.float64[::1]
    safe: tuple[Any, ...] = ()
    if in_space:
        from cornerlaw.kernels.stepping.safe import limit_step

        safe = ((SAFE_STEP, limit_step, (time, time, vector)),)
    return (
        *safe,
        (OPEN_RUN, open_run, ()),
        (CLOSE_STEP, close_step, (time,)),
        (ADVANCE, advance, (time, time, vector, vector)),
        (FINISH, finish_step, (time, vector)),
        (QUIET, run_quiet_steps, (types.int64,)),
    )


@kernel
def _take(r, t, dt, y, y_new):
    """Advance y by one step of the scheme; return a status."""
    code = call(r.s.address[ADVANCE], r, t, dt, y, y_new)
    if code == OK:
        code = call(r.s.address[FINISH], r, t + dt, y_new)
    return code


@kernel
def _advance_fixed(r, t_end):
    """Take one step of the grid."""
    s = r.s
    plan_fixed_step(r, t_end)
    t = r.state.t[0]
    r.w.look[0] = 2.0 * s.step[1]
    if r.s.address[SAFE_STEP] == 0:
        code = _take(r, t, s.step[1], s.y, s.y_new)
        if code == OK:
            note_step(r, s.step[0])
        return code
    return _advance_in_parts(r, t)


@kernel
def _advance_in_parts(r, t):
    """Take one step of the grid in so many parts that no body passes through another. (T-17.12)

    A large problem that stays unsolved has no other solver: half the step poses another problem.
    (T-12.36)
    """
    s = r.s
    copy(s.y, s.y_stage)
    left = most = s.step[1]
    while True:
        code = call(r.s.address[SAFE_STEP], r, t, min(left, most), s.y_stage)
        if code != OK:
            return code
        dt = s.step[2]
        code = _take(r, t, dt, s.y_stage, s.y_new)
        large = r.w.k.compact.posed[0] == POSED_LARGE
        if code == UNSOLVED and large and dt > FINEST * s.step[1]:
            r.counters.rejected[0] += 1
            most = 0.5 * dt
            continue
        if code != OK:
            return code
        t, left, most = t + dt, left - dt, 2.0 * most
        if left <= 1e-9 * s.step[1]:
            note_step(r, s.step[0])
            return OK
        note_step(r, t)
        copy(s.y_new, s.y_stage)


@kernel
def _difference(r, a, b):
    """Return the largest difference of positions over what a step may err by."""
    worst = 0.0
    for i in range(r.m.nq):
        worst = max(worst, abs(a[i] - b[i]) / (1.0 + abs(b[i])))
    return worst / r.options[TOLERANCE]


@kernel
def _advance_adaptive(r, t_end):
    """Take one accepted step: two halves, compared with one whole step.

    err = max |q_1 - q_2| / (tol (1 + |q|)); dt_new = dt clip(0.9 err^(-1/2), 0.2, 2). Steps that
    contain an impact have an error of order dt |jump| and shrink until it is small. (T-14.14)
    """
    s = r.s
    t = r.state.t[0]
    dt = r.state.dt[0]
    if dt <= 0.0:
        dt = r.options[STEP]
    r.w.look[0] = 2.0 * r.options[STEP]
    while True:
        dt = min(dt, r.options[STEP])
        s.step[0] = t_end if t + dt * (1.0 + 1e-9) >= t_end else t + dt
        s.step[1] = s.step[0] - t
        half = 0.5 * s.step[1]
        code = _take(r, t, s.step[1], s.y, s.y_row)
        if code == OK:
            code = _take(r, t, half, s.y, s.y_stage)
        if code != OK:
            return code
        removed = r.w.k.stats[REMOVED]
        code = _take(r, t + half, half, s.y_stage, s.y_new)
        if code != OK:
            return code
        removed = max(removed, r.w.k.stats[REMOVED])
        # what a correction takes away is an error, too: both ways may end at a gap of zero
        error = max(_difference(r, s.y_row, s.y_new), removed / r.options[TOLERANCE])
        smallest = dt <= r.options[SMALLEST] or s.step[1] <= r.options[SMALLEST]
        factor = 2.0 if error <= 0.2 else min(2.0, max(0.2, 0.9 / error**0.5))
        if error <= 1.0 or smallest:
            break
        r.counters.rejected[0] += 1
        dt = max(s.step[1] * factor, r.options[SMALLEST])
        if not dt > 1e-15 * max(abs(t), 1e-30):
            return STEP_TOO_SMALL
    # the halves count; done once more, so that each is noted with its own velocities
    code = _take(r, t, half, s.y, s.y_stage)
    if code == OK:
        note_step(r, t + half)
        code = _take(r, t + half, half, s.y_stage, s.y_new)
    if code != OK:
        return code
    note_step(r, s.step[0])
    r.state.dt[0] = min(s.step[1] * factor, r.options[STEP])
    return OK


@kernel
def _build_linear(r):
    """Write the straight line between both ends of the step as dense output. (T-14.13)"""
    s, dense = r.s, r.memory.dense
    copy(s.y, dense[0])
    for j in range(1, dense.shape[0]):
        for i in range(s.y.size):
            dense[j, i] = s.y_new[i] - s.y[i] if j == 1 else 0.0


@kernel
def run_stepping(r, t_end, max_steps):
    """Integrate up to t_end, at most `max_steps` steps; return a status code."""
    code = call(r.s.address[OPEN_RUN], r)
    steps, head, k = 0, r.memory.head, r.w.k
    while code == OK:
        if r.state.t[0] >= t_end:
            return DONE
        if steps >= max_steps:
            return PAUSED
        if k.n_events[0] + 2 * k.shown.size > k.event_t.size:
            return BUFFER_FULL
        quiet = count_quiet_steps(r, t_end, max_steps - steps)
        if quiet > 0:
            before = r.counters.steps[0]
            code = call(r.s.address[QUIET], r, quiet)
            steps += r.counters.steps[0] - before
            continue
        load_state(r, r.s.y)
        if r.m.n_indicators > 0 or r.output.progress[NEXT_EVAL] < r.output.t_eval.size:
            # rows inside the step take a share of its impulses only
            copy(k.Lambda, k.Lambda_A)
        if r.options[TOLERANCE] > 0.0:
            code = _advance_adaptive(r, t_end)
        else:
            code = _advance_fixed(r, t_end)
        if code != OK:
            break
        steps += 1
        copy(r.s.y_new, r.s.f_new)
        detect_crossings(r)
        _build_linear(r)
        if r.s.step[0] >= t_end:
            head[T_GRID], head[N_GRID] = t_end, 0.0
        else:
            head[N_GRID] += 1.0
        head[T_SHARED], head[T_SPREAD] = r.state.t[0], r.s.step[0]
        code = call(r.s.address[CLOSE_STEP], r, t_end)
    return code
