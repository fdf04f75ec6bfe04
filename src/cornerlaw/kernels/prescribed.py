"""Coordinates whose motion is given: their values, rates and accelerations."""

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.signals import eval_motion


@kernel
def set_driven(m, w, t, q, u):
    """Overwrite prescribed coordinates with their motion and store their accelerations. (T-6.11)"""
    if m.n_driven == 0:
        return
    for j in range(m.nu):
        k = m.tree.driven[j]
        if k >= 0:
            w.slot_in[0] = t
            eval_motion(m.signals, k, w.slot_in[:1], w.slot_out[:3])
            q[m.tree.q_of_u[j]] = w.slot_out[0]
            u[j] = w.slot_out[1]
            w.u_dot_driven[j] = w.slot_out[2]
