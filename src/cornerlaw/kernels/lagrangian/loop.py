"""Time steps of a model with constant masses and rows between which nobody looks at the state.

The numbers are those of single steps, bit by bit.
"""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.control import load_state
from cornerlaw.kernels.integrators.layout import CORRECT, N_GRID, T_GRID
from cornerlaw.kernels.lagrangian.fours import copy_fours
from cornerlaw.kernels.lagrangian.step import look_at_end, take_step
from cornerlaw.kernels.late import call
from cornerlaw.kernels.stepping.note import has_changed, note_changes
from cornerlaw.kernels.stepping.options import STEP
from cornerlaw.kernels.stepping.quiet import leave_quiet_steps


@kernel
def _correct(r, t):
    """Push out what has sunk in at the end of the step; return a status."""
    fixed, y, nu = r.s.fixed, r.s.y_row, r.m.nu
    for j in range(nu):
        y[j], y[nu + j] = fixed.q_new[j], fixed.u_new[j]
    code = call(r.s.address[CORRECT], r, t, y)
    for j in range(nu):
        fixed.q_new[j] = y[j]
    return code


@inlined
def _accept(fixed):
    """Make the end of the step the start of the next one."""
    copy_fours(fixed.q, fixed.q_old)
    copy_fours(fixed.u, fixed.u_old)
    copy_fours(fixed.q_new, fixed.q)
    copy_fours(fixed.u_new, fixed.u)
    for i in range(fixed.x.size):
        fixed.x_old[i], fixed.x[i] = fixed.x[i], fixed.x_new[i]


@kernel
def _load(fixed, nu, y):
    """Take the state from y = (q, u, x)."""
    for j in range(nu):
        fixed.q[j], fixed.u[j] = y[j], y[nu + j]
    for i in range(fixed.x.size):
        fixed.x[i] = y[2 * nu + i]


@kernel
def _leave(r, t_A, t, taken):
    """Write what the last of some steps leaves to those that follow."""
    fixed, y_A, y, nu = r.s.fixed, r.s.y, r.s.y_new, r.m.nu
    for j in range(nu):
        y_A[j], y_A[nu + j] = fixed.q_old[j], fixed.u_old[j]
        y[j], y[nu + j] = fixed.q[j], fixed.u[j]
    for i in range(fixed.x.size):
        y_A[2 * nu + i], y[2 * nu + i] = fixed.x_old[i], fixed.x[i]
    leave_quiet_steps(r, t_A, t, y_A, y, taken)


@kernel
def run_constant(r, n):
    """Take up to n steps from the state; return a status."""
    k, head, dt, fixed = r.w.k, r.memory.head, r.options[STEP], r.s.fixed
    t, t_A, code, taken = r.state.t[0], r.state.t[0], OK, 0
    load_state(r, r.s.y)
    _load(fixed, r.m.nu, r.s.y)
    most = k.event_t.size - 2 * k.shown.size
    while taken < n and k.n_events[0] <= most:
        t_new = head[T_GRID] + (head[N_GRID] + 1.0) * dt
        before = fixed.written[0]
        code = take_step(r, t, t_new - t)
        if code == OK and look_at_end(r):
            code = _correct(r, t_new)
        if code != OK:
            break
        if before != 0 or fixed.written[0] != 0:
            for i in range(k.lam.size):
                k.Lambda[i] += k.lam[i]
            if has_changed(k):
                note_changes(r, t_new)
        _accept(fixed)
        head[N_GRID] += 1.0
        t_A, t = t, t_new
        taken += 1
    if taken > 0:
        _leave(r, t_A, t, taken)
    return code
