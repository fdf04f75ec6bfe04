"""Force elements that few models use: paths, bushings, drives, drag, the user's own laws."""

import math

from cornerlaw.arrays.kinds import BUSHING, CONTROLLER, DRAG, LAW, MOTOR, PATH_SPRING
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.forces import (
    add_force_at,
    add_moment_at,
    eval_characteristic,
    eval_segment,
)
from cornerlaw.kernels.own_laws import add_law
from cornerlaw.kernels.signals import eval_signal


@kernel
def eval_path(m, w, k):
    """Return length and rate of the polygon of markers of element k."""
    e = m.elements
    length = rate = 0.0
    for i in range(e.list_start[k], e.list_start[k] + e.n_frames[k] - 1):
        part, part_rate = eval_segment(w, e.lists[i], e.lists[i + 1], w.direction)
        length += part
        rate += part_rate
    return length, rate


@kernel
def _add_path_spring(m, w, k):
    e = m.elements
    length, rate = eval_path(m, w, k)
    tension = eval_characteristic(m, w, k, length, rate)
    n = w.direction
    for i in range(e.list_start[k], e.list_start[k] + e.n_frames[k] - 1):
        f1, f2 = e.lists[i], e.lists[i + 1]
        eval_segment(w, f1, f2, n)
        add_force_at(m, w, f1, tension * n[0], tension * n[1], tension * n[2])
        add_force_at(m, w, f2, -tension * n[0], -tension * n[1], -tension * n[2])


@kernel
def eval_bushing_deflection(w, f1, f2, x):
    """Write displacement and rotation vector of marker f2 in the axes of f1 to x[:6]."""
    A1, A2 = w.frame_A[f1], w.frame_A[f2]
    for a in range(3):
        s = 0.0
        for b in range(3):
            s += A1[b, a] * (w.frame_r[f2, b] - w.frame_r[f1, b])
        x[a] = s
    trace = 0.0
    for b in range(3):
        trace += A1[b, 0] * A2[b, 0] + A1[b, 1] * A2[b, 1] + A1[b, 2] * A2[b, 2]
    # 2 sin(angle) axis = skew part of R = A1^T A2
    sx = sy = sz = 0.0
    for b in range(3):
        sx += A1[b, 2] * A2[b, 1] - A1[b, 1] * A2[b, 2]
        sy += A1[b, 0] * A2[b, 2] - A1[b, 2] * A2[b, 0]
        sz += A1[b, 1] * A2[b, 0] - A1[b, 0] * A2[b, 1]
    sine = 0.5 * math.sqrt(sx * sx + sy * sy + sz * sz)
    angle = math.atan2(sine, 0.5 * (trace - 1.0))
    factor = 0.5 if sine < 1e-8 else 0.5 * angle / sine
    x[3], x[4], x[5] = factor * sx, factor * sy, factor * sz


@kernel
def _add_bushing(m, w, k):
    """Add K x + C x_dot in the axes of the first marker; moments follow from the rotation vector.

    The elastic moment is J^-T K theta with the left Jacobian J of the rotation vector theta, so
    that it is the gradient of 1/2 theta K theta at any angle. (T-9.3) (T-9.4)
    """
    e = m.elements
    f1, f2, start = e.frame_1[k], e.frame_2[k], e.start[k]
    K, C = e.data[start : start + 6], e.data[start + 6 : start + 12]
    x, A1 = w.deflection, w.frame_A[f1]
    eval_bushing_deflection(w, f1, f2, x)
    o1, o2 = w.frame_Omega[f1], w.frame_Omega[f2]
    dx = w.frame_r[f2, 0] - w.frame_r[f1, 0]
    dy = w.frame_r[f2, 1] - w.frame_r[f1, 1]
    dz = w.frame_r[f2, 2] - w.frame_r[f1, 2]
    vx = w.frame_v[f2, 0] - w.frame_v[f1, 0] - (o1[1] * dz - o1[2] * dy)
    vy = w.frame_v[f2, 1] - w.frame_v[f1, 1] - (o1[2] * dx - o1[0] * dz)
    vz = w.frame_v[f2, 2] - w.frame_v[f1, 2] - (o1[0] * dy - o1[1] * dx)
    tx, ty, tz = x[3], x[4], x[5]
    kx, ky, kz = K[3] * tx, K[4] * ty, K[5] * tz
    angle = math.sqrt(tx * tx + ty * ty + tz * tz)
    b = 1.0 / 12.0
    if angle > 1e-3:
        b = 1.0 / angle**2 - (1.0 + math.cos(angle)) / (2.0 * angle * math.sin(angle))
    cx, cy, cz = ty * kz - tz * ky, tz * kx - tx * kz, tx * ky - ty * kx
    kx += 0.5 * cx + b * (ty * cz - tz * cy)
    ky += 0.5 * cy + b * (tz * cx - tx * cz)
    kz += 0.5 * cz + b * (tx * cy - ty * cx)
    fx = fy = fz = mx = my = mz = 0.0
    for a in range(3):
        rate = A1[0, a] * vx + A1[1, a] * vy + A1[2, a] * vz
        spin = A1[0, a] * (o2[0] - o1[0]) + A1[1, a] * (o2[1] - o1[1]) + A1[2, a] * (o2[2] - o1[2])
        force = K[a] * x[a] + C[a] * rate
        moment = (kx if a == 0 else (ky if a == 1 else kz)) + C[3 + a] * spin
        fx += A1[0, a] * force
        fy += A1[1, a] * force
        fz += A1[2, a] * force
        mx += A1[0, a] * moment
        my += A1[1, a] * moment
        mz += A1[2, a] * moment
    add_force_at(m, w, f2, -fx, -fy, -fz)
    add_moment_at(m, w, f2, -mx, -my, -mz)
    # the reaction acts at the same point, carried by the first body
    add_force_at(m, w, f1, fx, fy, fz)
    add_moment_at(m, w, f1, mx + dy * fz - dz * fy, my + dz * fx - dx * fz, mz + dx * fy - dy * fx)


@kernel
def _add_motor(m, w, k, t, u, x, x_dot):
    """Direct-current machine: L i_dot = V - R i - c n u, torque n c i (i static if L = 0).

    (T-9.5)
    """
    e = m.elements
    j, start = e.coordinate[k], e.start[k]
    resistance, inductance = e.data[start], e.data[start + 1]
    constant, ratio = e.data[start + 2], e.data[start + 3]
    w.slot_in[0] = t
    voltage = eval_signal(m.signals, e.signal[k], w.slot_in[:1], w.slot_out[:3])
    induced = constant * ratio * u[j]
    if e.n_x[k] == 1:
        current = x[e.x_start[k]]
        x_dot[e.x_start[k]] = (voltage - resistance * current - induced) / inductance
    else:
        current = (voltage - induced) / resistance
    w.Q[j] += ratio * constant * current


@kernel
def _add_controller(m, w, k, t, q, u, x, x_dot):
    """Add clip(kp (target - q) + ki integral + kd (target_speed - u)) on a coordinate. (T-9.6)"""
    e = m.elements
    j, start = e.coordinate[k], e.start[k]
    kp, ki, kd, limit = e.data[start], e.data[start + 1], e.data[start + 2], e.data[start + 3]
    w.slot_in[0] = t
    target = eval_signal(m.signals, e.signal[k], w.slot_in[:1], w.slot_out[:3])
    speed = eval_signal(m.signals, e.signal[k] + 1, w.slot_in[:1], w.slot_out[:3])
    error = target - q[m.tree.q_of_u[j]]
    effort = kp * error + kd * (speed - u[j])
    if e.n_x[k] == 1:
        effort += ki * x[e.x_start[k]]
        # anti-windup: the integral waits while the output is saturated in the error's direction
        saturated = abs(effort) > limit and effort * error > 0.0
        x_dot[e.x_start[k]] = 0.0 if saturated else error
    w.Q[j] += min(max(effort, -limit), limit)


@kernel
def _add_drag(m, w, k):
    e = m.elements
    f, start = e.frame_1[k], e.start[k]
    x = w.frame_v[f, 0] - e.data[start + 1]
    y = w.frame_v[f, 1] - e.data[start + 2]
    z = w.frame_v[f, 2] - e.data[start + 3]
    s = -e.data[start] * math.sqrt(x * x + y * y + z * z)
    add_force_at(m, w, f, s * x, s * y, s * z)


@kernel
def add_rare_force(m, w, k, t, q, u, x, x_dot):
    """Add element k, one that is not among the common kinds."""
    kind = m.elements.kind[k]
    if kind == PATH_SPRING:
        _add_path_spring(m, w, k)
    elif kind == BUSHING:
        _add_bushing(m, w, k)
    elif kind == MOTOR:
        _add_motor(m, w, k, t, u, x, x_dot)
    elif kind == CONTROLLER:
        _add_controller(m, w, k, t, q, u, x, x_dot)
    elif kind == DRAG:
        _add_drag(m, w, k)
    elif kind == LAW:
        add_law(m, w, k, t, q, u, x, x_dot)
    return OK
