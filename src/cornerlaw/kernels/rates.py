"""One evaluation of the equations of motion: rates of q, u and x, with the forces of all rows.

Stages: prescribed motion, kinematics, applied forces, mass factor, free accelerations, row forces.
Integrators use the functions at the end, which call the compiled stages of the model.
(T-1.1) (T-1.2) (T-1.3)
"""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.constraints import (
    NEAR_SINGULAR,
    came_near_singularity,
    met_singularity,
    remove_normal,
    reset_closeness,
)
from cornerlaw.kernels.kinematics import advance_position, eval_position_rates, normalise_position
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven

__all__ = [
    "advance_position",
    "came_near_singularity",
    "eval_accelerations",
    "eval_indicators",
    "eval_rates",
    "met_singularity",
    "normalise_position",
    "project_position",
    "project_velocity",
    "remove_normal",
    "reset_closeness",
    "see_states",
]


@kernel
def see_states(w, x):
    """Note the states that rows of elements see until the next ones are noted."""
    for i in range(w.x_seen.size):
        w.x_seen[i] = x[i]


@kernel
def eval_state(m, w, t, q, u, x, x_dot):
    """Write kinematics, markers, applied forces and x_dot; prescribed entries of q, u are set."""
    see_states(w, x)
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    if m.stages.forces != 0:
        call(m.stages.forces, m, w, t, q, u, x, x_dot)
    else:
        # blocks, rods and the reactions of rows add to what the force stage would have reset
        for j in range(m.nu):
            w.Q[j] = 0.0
        for i in range(m.n_bodies + 1):
            for a in range(6):
                w.f_ext[i, a] = 0.0
    if m.stages.blocks != 0:
        call(m.stages.blocks, m, w, t, q, u, w.Q)


@kernel
def solve_accelerations(m, w, t, q, u, x, u_dot, x_dot, lam):
    """Write u_dot, x_dot and the row forces lam; return a status.

    M u_dot = h + W^T lam,  W u_dot + w_bar = 0. (T-1.2) (T-1.4)
    """
    eval_state(m, w, t, q, u, x, x_dot)
    status = call(m.stages.factor, m, w)
    if status != OK:
        return status
    status = call(m.stages.accelerate, m, w, u_dot)
    if m.rows.kind.size > 0:
        status = call(m.stages.constrain, m, w, t, q, u, u_dot, lam)
    return status


@kernel
def _solve_rates_on_rows(m, w, t, q, u, x, q_dot, u_dot, x_dot):
    """Write the rates of the state on the constraints next to q, u; return a status.

    Near a position where rows become dependent, a violation g grows to g / distance in the rates
    of a state off the constraints, and the steps would shrink for ever; on them they stay smooth.
    """
    near_q, near_u = w.q_near, w.u_near
    for i in range(m.nq):
        near_q[i] = q[i]
    for i in range(m.nu):
        near_u[i] = u[i]
    status = call(m.stages.project_position, m, w, t, near_q)
    if status == OK:
        status = call(m.stages.project_velocity, m, w, t, near_q, near_u)
    if status == OK:
        status = call(m.stages.accelerations, m, w, t, near_q, near_u, x, u_dot, x_dot, w.lam)
    eval_position_rates(m, near_q, near_u, q_dot)
    return status


@kernel
def solve_rates(m, w, t, q, u, x, q_dot, u_dot, x_dot):
    """Write q_dot, u_dot, x_dot; prescribed entries of q and u are overwritten; return a status."""
    status = call(m.stages.accelerations, m, w, t, q, u, x, u_dot, x_dot, w.lam)
    if m.n_rows > 0 and status == OK and w.closeness[0] < NEAR_SINGULAR:
        return _solve_rates_on_rows(m, w, t, q, u, x, q_dot, u_dot, x_dot)
    eval_position_rates(m, q, u, q_dot)
    return status


@kernel
def eval_accelerations(m, w, t, q, u, x, u_dot, x_dot, lam):
    """Write u_dot, x_dot and the row forces lam; return a status."""
    return call(m.stages.accelerations, m, w, t, q, u, x, u_dot, x_dot, lam)


@kernel
def eval_rates(m, w, t, q, u, x, q_dot, u_dot, x_dot):
    """Write q_dot, u_dot, x_dot; prescribed entries of q and u are overwritten; return a status."""
    return call(m.stages.rates, m, w, t, q, u, x, q_dot, u_dot, x_dot)


@kernel
def project_position(m, w, t, q):
    """Move q onto the constraints and normalise quaternions; return a status."""
    if m.rows.kind.size > 0:
        return call(m.stages.project_position, m, w, t, q)
    normalise_position(m, q)
    return OK


@kernel
def project_velocity(m, w, t, q, u):
    """Move u onto the constraints; return a status."""
    if m.rows.kind.size > 0:
        return call(m.stages.project_velocity, m, w, t, q, u)
    return OK


@kernel
def eval_indicators(m, w, t, q, u, x, out):
    """Write the root functions: coordinate, rate, other state or time minus a level."""
    ind = m.indicators
    for i in range(m.n_indicators):
        k = ind.source[i]
        kind = ind.kind[i]
        if kind == 0:
            value = q[k]
        elif kind == 1:
            value = u[k]
        elif kind == 2:
            value = x[k]
        else:
            value = t
        out[i] = value - ind.level[i]
