"""Applied forces: every element adds wrenches at body origins, generalised forces and rates x_dot.

Springs are tensions: a positive force pulls the two points together.
"""

import math

from cornerlaw.arrays.kinds import (
    FORCE,
    SPRING,
    TORQUE_BODY,
    TORQUE_COORDINATE,
    TORSION_SPRING,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call
from cornerlaw.kernels.signals import eval_signal
from cornerlaw.kernels.slots import call_slot

LINEAR_LAW = 0  # stiffness (length - rest) + damping rate
FUNCTION_LAW = 1  # plus f(length, rate)
TABLE_LAW = 2  # plus f(length - rest)
BODY_AXES = 1


@kernel
def add_force_at(m, w, frame, fx, fy, fz):
    """Add a force acting at a marker to the wrench of its body."""
    b = m.frames.body[frame]
    x = w.frame_r[frame, 0] - w.r[b, 0]
    y = w.frame_r[frame, 1] - w.r[b, 1]
    z = w.frame_r[frame, 2] - w.r[b, 2]
    f = w.f_ext[b]
    f[0] += fx
    f[1] += fy
    f[2] += fz
    f[3] += y * fz - z * fy
    f[4] += z * fx - x * fz
    f[5] += x * fy - y * fx


@kernel
def add_moment_at(m, w, frame, mx, my, mz):
    """Add a moment to the wrench of a marker's body."""
    f = w.f_ext[m.frames.body[frame]]
    f[3] += mx
    f[4] += my
    f[5] += mz


@kernel
def eval_characteristic(m, w, k, value, rate):
    """Return the force of a spring-like element at a length (or angle) and its rate.

    (T-9.1) (T-9.2)
    """
    e = m.elements
    start = e.start[k]
    stiffness, damping, rest = e.data[start], e.data[start + 1], e.data[start + 2]
    force = stiffness * (value - rest) + damping * rate
    if e.flag[k] == FUNCTION_LAW:
        w.slot_in[0], w.slot_in[1] = value, rate
        force += eval_signal(m.signals, e.signal[k], w.slot_in[:2], w.slot_out[:1])
    elif e.flag[k] == TABLE_LAW:
        w.slot_in[0] = value - rest
        force += eval_signal(m.signals, e.signal[k], w.slot_in[:1], w.slot_out[:3])
    return force


@kernel
def eval_segment(w, f1, f2, n):
    """Write the unit vector from marker f1 to f2 and return length and its rate."""
    r1, r2, v1, v2 = w.frame_r[f1], w.frame_r[f2], w.frame_v[f1], w.frame_v[f2]
    x, y, z = r2[0] - r1[0], r2[1] - r1[1], r2[2] - r1[2]
    length = math.sqrt(x * x + y * y + z * z)
    # coincident points have no direction: no force acts along an undefined line
    s = 1.0 / length if length > 1e-300 else 0.0
    n[0], n[1], n[2] = s * x, s * y, s * z
    rate = n[0] * (v2[0] - v1[0]) + n[1] * (v2[1] - v1[1]) + n[2] * (v2[2] - v1[2])
    return length, rate


@kernel
def _add_spring(m, w, k):
    e = m.elements
    f1, f2 = e.frame_1[k], e.frame_2[k]
    n = w.direction
    length, rate = eval_segment(w, f1, f2, n)
    tension = eval_characteristic(m, w, k, length, rate)
    add_force_at(m, w, f1, tension * n[0], tension * n[1], tension * n[2])
    add_force_at(m, w, f2, -tension * n[0], -tension * n[1], -tension * n[2])


@kernel
def _add_vector(m, w, k, t):
    """Add a force at a marker, or a moment on its body, in world or body axes."""
    e = m.elements
    f = e.frame_1[k]
    w.slot_in[0] = t
    if e.address[k] != 0:
        for a in range(3):
            w.slot_in[1 + a] = w.frame_r[f, a]
            w.slot_in[4 + a] = w.frame_v[f, a]
            w.slot_in[16 + a] = w.frame_Omega[f, a]
            for b in range(3):
                w.slot_in[7 + 3 * a + b] = w.frame_A[f, a, b]
        call_slot(e.address[k], w.slot_in[:19], w.slot_in[:0], w.slot_out[:3])
        x, y, z = w.slot_out[0], w.slot_out[1], w.slot_out[2]
    else:
        x = eval_signal(m.signals, e.signal[k], w.slot_in[:1], w.slot_out[:3])
        y = eval_signal(m.signals, e.signal[k] + 1, w.slot_in[:1], w.slot_out[:3])
        z = eval_signal(m.signals, e.signal[k] + 2, w.slot_in[:1], w.slot_out[:3])
    if e.flag[k] == BODY_AXES:
        A = w.frame_A[f]
        x, y, z = (
            A[0, 0] * x + A[0, 1] * y + A[0, 2] * z,
            A[1, 0] * x + A[1, 1] * y + A[1, 2] * z,
            A[2, 0] * x + A[2, 1] * y + A[2, 2] * z,
        )
    if e.kind[k] == FORCE:
        add_force_at(m, w, f, x, y, z)
    else:
        add_moment_at(m, w, f, x, y, z)


@kernel
def add_force(m, w, k, t, q, u, x, x_dot):
    """Add element k to the wrenches w.f_ext, the generalised forces w.Q and x_dot."""
    e = m.elements
    kind = e.kind[k]
    if kind == SPRING:
        _add_spring(m, w, k)
    elif kind == TORSION_SPRING:
        j = e.coordinate[k]
        w.Q[j] -= eval_characteristic(m, w, k, q[m.tree.q_of_u[j]], u[j])
    elif kind == TORQUE_COORDINATE:
        j = e.coordinate[k]
        w.slot_in[0], w.slot_in[1], w.slot_in[2] = t, q[m.tree.q_of_u[j]], u[j]
        w.Q[j] += eval_signal(m.signals, e.signal[k], w.slot_in[:3], w.slot_out[:3])
    elif kind == FORCE or kind == TORQUE_BODY:
        _add_vector(m, w, k, t)
    else:
        call(m.stages.rare_force, m, w, k, t, q, u, x, x_dot)


@kernel
def eval_forces(m, w, t, q, u, x, x_dot):
    """Write applied wrenches w.f_ext, generalised forces w.Q and x_dot; needs kinematics."""
    for i in range(m.n_bodies + 1):
        for a in range(6):
            w.f_ext[i, a] = 0.0
    for j in range(m.nu):
        w.Q[j] = 0.0
    for j in range(m.nx):
        x_dot[j] = 0.0
    for k in range(m.elements.kind.size):
        add_force(m, w, k, t, q, u, x, x_dot)
    return OK
