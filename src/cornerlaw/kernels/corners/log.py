"""The log of events: one entry per corner and change."""

import math

from cornerlaw.arrays.corner_work import (
    CLOSED,
    DETACH,
    ENERGY,
    GAMMA_N_MINUS,
    GAMMA_N_PLUS,
    GAMMA_T_MINUS,
    GAMMA_T_PLUS,
    IMPULSE_N,
    IMPULSE_T,
    OPEN,
    RESIDUAL,
    SLIPS,
    STICK,
    STICKS,
    TOUCH,
)
from cornerlaw.kernels._numba import kernel


@kernel
def log_event(k, t, c, kind):
    """Append an event of corner c; return its place."""
    n = k.n_events[0]
    k.n_events[0] = n + 1
    k.event_t[n] = t
    k.event_corner[n] = c
    k.event_kind[n] = kind
    k.event_pair[n] = k.pair[c]
    for a in range(k.event_data.shape[1]):
        k.event_data[n, a] = 0.0
    return n


@kernel
def log_jump(m, k, n, c, gamma_minus, gamma_plus, impulse):
    """Fill event n with velocities, impulses, residual and the work of corner c, given by row.

    Delta E_c = 1/2 (gamma_minus + gamma_plus)^T Lambda over the rows of the corner. (T-13.2)
    """
    data = k.event_data[n]
    i, j = m.corners.row_N[c], m.corners.row_T[c]
    work = 0.0
    if i >= 0:
        data[GAMMA_N_MINUS], data[GAMMA_N_PLUS] = gamma_minus[i], gamma_plus[i]
        data[IMPULSE_N] = impulse[i]
        work += 0.5 * (gamma_minus[i] + gamma_plus[i]) * impulse[i]
    n_T = m.corners.n_T[c]
    if n_T == 1:
        data[GAMMA_T_MINUS], data[GAMMA_T_PLUS] = gamma_minus[j], gamma_plus[j]
        data[IMPULSE_T] = impulse[j]
    for a in range(n_T):
        work += 0.5 * (gamma_minus[j + a] + gamma_plus[j + a]) * impulse[j + a]
        if n_T > 1 and a < 2:
            # in space the sizes of the vectors
            data[GAMMA_T_MINUS] = math.hypot(data[GAMMA_T_MINUS], gamma_minus[j + a])
            data[GAMMA_T_PLUS] = math.hypot(data[GAMMA_T_PLUS], gamma_plus[j + a])
            data[IMPULSE_T] = math.hypot(data[IMPULSE_T], impulse[j + a])
    data[ENERGY] = work
    data[RESIDUAL] = k.solver.residual[0]
    return work


@kernel
def log_change(k, t, c, before, after):
    """Append the event that belongs to a change of state without an impact, if there is one."""
    if before == after:
        return
    if after == OPEN:
        log_event(k, t, c, DETACH)
    elif before == OPEN:
        log_event(k, t, c, TOUCH)
    elif after == STICK:
        log_event(k, t, c, STICKS)
    elif after != CLOSED:
        log_event(k, t, c, SLIPS)
