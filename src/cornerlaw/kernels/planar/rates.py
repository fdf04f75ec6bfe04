"""Rates of a tree in the plane, without rows and blocks: what its integrators ask for."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.kinematics import eval_position_rates
from cornerlaw.kernels.late import call
from cornerlaw.kernels.planar.nodes import sines_of
from cornerlaw.kernels.planar.sines import write_sines
from cornerlaw.kernels.planar.tree import accelerate_bodies, place_bodies, reduce_bodies
from cornerlaw.kernels.prescribed import set_driven


@kernel
def solve_planar_rates(m, w, t, q, u, x, q_dot, u_dot, x_dot):
    """Write q_dot, u_dot, x_dot; prescribed entries of q and u are overwritten; return a status.

    Body states in space are written only where force elements look at them. (T-3.16) to (T-3.19)
    """
    set_driven(m, w, t, q, u)
    loaded = m.stages.forces != 0
    if loaded:
        if m.frames.body.size > 0:
            call(m.stages.kinematics, m, w, q, u)
        call(m.stages.forces, m, w, t, q, u, x, x_dot)
    write_sines(q, m.tree.q_start[m.n_bodies], sines_of(m, w))
    place_bodies(m, w, q, u)
    status = reduce_bodies(m, w, loaded)
    if status == OK:
        accelerate_bodies(m, w, u_dot)
    eval_position_rates(m, q, u, q_dot)
    return status
