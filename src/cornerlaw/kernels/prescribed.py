"""Coordinates whose motion is given: their values, rates and accelerations."""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.signals import eval_motion


@kernel
def eval_cardan_motion(m, w, t, k):
    """Write sines, cosines, rates and accelerations of the Cardan angles k, k + 1, k + 2.

    w.cardan holds one row (sine, cosine, rate, acceleration, half sine, half cosine) per angle.
    """
    for i in range(3):
        w.slot_in[0] = t
        eval_motion(m.signals, k + i, w.slot_in[:1], w.slot_out[:3])
        c, angle = w.cardan[i], w.slot_out[0]
        c[0], c[1] = math.sin(angle), math.cos(angle)
        c[2], c[3] = w.slot_out[1], w.slot_out[2]
        c[4], c[5] = math.sin(0.5 * angle), math.cos(0.5 * angle)


@kernel
def _set_rotation(m, w, t, q, u, j):
    """Overwrite quaternion, angular velocity and its rate of a prescribed rotation R = Rx Ry Rz.

    Velocities are in the turned axes; j is the first of the three. (T-6.14) (T-6.15)
    """
    eval_cardan_motion(m, w, t, m.tree.driven[j])
    x, y, z = w.cardan[0], w.cardan[1], w.cardan[2]
    e = m.tree.q_start[m.tree.node_of_u[j] + 1] - 4
    a, b = x[5] * y[5], x[4] * y[4]
    c, d = x[4] * y[5], x[5] * y[4]
    q[e] = a * z[5] - b * z[4]
    q[e + 1] = c * z[5] + d * z[4]
    q[e + 2] = d * z[5] - c * z[4]
    q[e + 3] = b * z[5] + a * z[4]
    sy, cy, sz, cz = y[0], y[1], z[0], z[1]
    u[j] = x[2] * cy * cz + y[2] * sz
    u[j + 1] = y[2] * cz - x[2] * cy * sz
    u[j + 2] = x[2] * sy + z[2]
    # rates of the columns: cy cz, -cy sz, sy, sz, cz
    p, r = x[2] * y[2], x[2] * z[2]
    s = y[2] * z[2]
    w.u_dot_driven[j] = x[3] * cy * cz + y[3] * sz - p * sy * cz - r * cy * sz + s * cz
    w.u_dot_driven[j + 1] = y[3] * cz - x[3] * cy * sz + p * sy * sz - r * cy * cz - s * sz
    w.u_dot_driven[j + 2] = x[3] * sy + z[3] + p * cy


@kernel
def set_driven(m, w, t, q, u):
    """Overwrite prescribed coordinates with their motion and store their accelerations. (T-6.11)"""
    if m.n_driven == 0:
        return
    for j in range(m.nu):
        k = m.tree.driven[j]
        if k < 0:
            continue
        if m.tree.q_of_u[j] < 0:
            # the three velocities of a rotation share their angles: the first one sets them all
            if j == m.tree.u_start[m.tree.node_of_u[j] + 1] - 3:
                _set_rotation(m, w, t, q, u, j)
            continue
        w.slot_in[0] = t
        eval_motion(m.signals, k, w.slot_in[:1], w.slot_out[:3])
        q[m.tree.q_of_u[j]] = w.slot_out[0]
        u[j] = w.slot_out[1]
        w.u_dot_driven[j] = w.slot_out[2]
