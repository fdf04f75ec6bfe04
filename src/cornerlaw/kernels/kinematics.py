"""Forward kinematics of the tree: poses, velocities, motion columns, accelerations left.

All vectors in world axes. Body i hangs on node p; d = r_i - r_p. With the joint's columns
S_j = (translation at the body origin, rotation) and the rest zeta,

    v_i = v_p + Omega_p x d + sum S_j u_j,  Omega_i = Omega_p + sum S_j u_j
    a_i = a_p + alpha_p x d + sum S_j u_dot_j + zeta,  alpha_i = alpha_p + sum S_j u_dot_j + zeta

(T-2.6) (T-2.8) (T-2.9)
"""

import math

from cornerlaw.arrays.kinds import FREE, REVOLUTE, SPHERICAL
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.joints import eval_joint
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import multiply, multiply_transposed, rotate
from cornerlaw.kernels.rotations import (
    advance_quaternion,
    eval_quaternion_rate,
    normalise_quaternion,
)


@kernel
def eval_kinematics(m, w, q, u):
    """Write r, A, v, Omega, d, S, zeta of all bodies and pose and velocity of all markers."""
    tree = m.tree
    w.pose[0] += 1
    for i in range(m.n_bodies):
        if tree.joint[i] == REVOLUTE and tree.plain[i] == 1:
            _eval_plain_revolute(m, w, i, q[tree.q_start[i]], u[tree.u_start[i]])
        else:
            _eval_body(m, w, i, q, u)
    _eval_frames(m, w)
    return OK


@kernel
def enter_kinematics(m, w, q, u):
    """Write the same by the stage that the model is bound to; entered from the interpreter."""
    return call(m.stages.kinematics, m, w, q, u)


@kernel
def _eval_plain_revolute(m, w, i, angle, speed):
    """Fast path: axis = body z, joint point = body origin, joint axes = body axes."""
    tree = m.tree
    p = tree.parent[i]
    Ap, Ai, S = w.A[p], w.A[i], w.S[tree.u_start[i]]
    c, s = math.cos(angle), math.sin(angle)
    wx, wy, wz = w.Omega[p, 0], w.Omega[p, 1], w.Omega[p, 2]
    x, y, z = tree.r_parent[i, 0], tree.r_parent[i, 1], tree.r_parent[i, 2]
    for k in range(3):
        a0, a1, a2 = Ap[k, 0], Ap[k, 1], Ap[k, 2]
        Ai[k, 0] = a0 * c + a1 * s
        Ai[k, 1] = a1 * c - a0 * s
        Ai[k, 2] = a2
        S[k] = 0.0
        S[3 + k] = a2
        w.d[i, k] = a0 * x + a1 * y + a2 * z
        w.r[i, k] = w.r[p, k] + w.d[i, k]
        w.Omega[i, k] = w.Omega[p, k] + a2 * speed
    dx, dy, dz = w.d[i, 0], w.d[i, 1], w.d[i, 2]
    lx, ly, lz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    w.v[i, 0] = w.v[p, 0] + lx
    w.v[i, 1] = w.v[p, 1] + ly
    w.v[i, 2] = w.v[p, 2] + lz
    zeta = w.zeta[i]
    zeta[0] = wy * lz - wz * ly
    zeta[1] = wz * lx - wx * lz
    zeta[2] = wx * ly - wy * lx
    ax, ay, az = S[3] * speed, S[4] * speed, S[5] * speed
    zeta[3] = wy * az - wz * ay
    zeta[4] = wz * ax - wx * az
    zeta[5] = wx * ay - wy * ax


@kernel
def _eval_body(m, w, i, q, u):
    """General joint: local kinematics, then composition along or against the joint's direction."""
    tree = m.tree
    u0, u1 = tree.u_start[i], tree.u_start[i + 1]
    eval_joint(
        tree.joint[i],
        tree.parameter[i],
        tree.address[i],
        q[tree.q_start[i] : tree.q_start[i + 1]],
        u[u0:u1],
        w.slot_in,
        w.slot_out,
        w.joint_R,
        w.joint_d,
        w.joint_S,
        w.joint_bias,
    )
    if tree.reverse[i] == 1:
        call(m.stages.reverse, m, w, i, u)
    else:
        _compose_forward(m, w, i, u)


@kernel
def _cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _compose_forward(m, w, i, u):
    """Body is the joint's second operand: parent -> first joint frame -> second -> body.

    (T-2.6) (T-2.7) (T-2.8) (T-2.10) (T-2.11)
    """
    tree = m.tree
    p, u0, u1 = tree.parent[i], tree.u_start[i], tree.u_start[i + 1]
    n = u1 - u0
    A1, A2 = w.joint_A1, w.joint_A2
    multiply(w.A[p], tree.A_parent[i], A1)
    multiply(A1, w.joint_R, A2)
    multiply_transposed(A2, tree.A_child[i], w.A[i])
    f, D, e = w.joint_f, w.joint_D, w.joint_e
    rotate(w.A[p], tree.r_parent[i], f)
    rotate(A1, w.joint_d, D)
    rotate(w.A[i], tree.r_child[i], e)
    for k in range(3):
        e[k] = -e[k]
        w.d[i, k] = f[k] + D[k] + e[k]
        w.r[i, k] = w.r[p, k] + w.d[i, k]
    # relative velocity of the second joint frame, world axes
    lx = ly = lz = ax = ay = az = 0.0
    for j in range(n):
        S = w.S[u0 + j]
        for k in range(3):
            S[k] = (
                A1[k, 0] * w.joint_S[0, j] + A1[k, 1] * w.joint_S[1, j] + A1[k, 2] * w.joint_S[2, j]
            )
            S[3 + k] = (
                A1[k, 0] * w.joint_S[3, j] + A1[k, 1] * w.joint_S[4, j] + A1[k, 2] * w.joint_S[5, j]
            )
        rate = u[u0 + j]
        lx += S[0] * rate
        ly += S[1] * rate
        lz += S[2] * rate
        ax += S[3] * rate
        ay += S[4] * rate
        az += S[5] * rate
        cx, cy, cz = _cross(S[3], S[4], S[5], e[0], e[1], e[2])
        S[0] += cx
        S[1] += cy
        S[2] += cz
    wx, wy, wz = w.Omega[p, 0], w.Omega[p, 1], w.Omega[p, 2]
    ox, oy, oz = wx + ax, wy + ay, wz + az
    w.Omega[i, 0], w.Omega[i, 1], w.Omega[i, 2] = ox, oy, oz
    gx, gy, gz = f[0] + D[0], f[1] + D[1], f[2] + D[2]
    bx, by, bz = _cross(wx, wy, wz, gx, gy, gz)
    ex, ey, ez = _cross(ox, oy, oz, e[0], e[1], e[2])
    w.v[i, 0] = w.v[p, 0] + bx + lx + ex
    w.v[i, 1] = w.v[p, 1] + by + ly + ey
    w.v[i, 2] = w.v[p, 2] + bz + lz + ez
    # zeta: centripetal terms, Coriolis term of the relative motion, bias of the joint
    zeta = w.zeta[i]
    b = w.joint_bias
    tx, ty, tz = _cross(wx, wy, wz, ax, ay, az)
    zeta[3] = tx + A1[0, 0] * b[3] + A1[0, 1] * b[4] + A1[0, 2] * b[5]
    zeta[4] = ty + A1[1, 0] * b[3] + A1[1, 1] * b[4] + A1[1, 2] * b[5]
    zeta[5] = tz + A1[2, 0] * b[3] + A1[2, 1] * b[4] + A1[2, 2] * b[5]
    c1x, c1y, c1z = _cross(wx, wy, wz, bx + 2.0 * lx, by + 2.0 * ly, bz + 2.0 * lz)
    c2x, c2y, c2z = _cross(ox, oy, oz, ex, ey, ez)
    c3x, c3y, c3z = _cross(zeta[3], zeta[4], zeta[5], e[0], e[1], e[2])
    zeta[0] = c1x + c2x + c3x + A1[0, 0] * b[0] + A1[0, 1] * b[1] + A1[0, 2] * b[2]
    zeta[1] = c1y + c2y + c3y + A1[1, 0] * b[0] + A1[1, 1] * b[1] + A1[1, 2] * b[2]
    zeta[2] = c1z + c2z + c3z + A1[2, 0] * b[0] + A1[2, 1] * b[1] + A1[2, 2] * b[2]


@kernel
def compose_reverse(m, w, i, u):
    """Body is the joint's first operand: parent -> second joint frame -> first -> body. (T-2.12)"""
    tree = m.tree
    p, u0, u1 = tree.parent[i], tree.u_start[i], tree.u_start[i + 1]
    n = u1 - u0
    A1, A2 = w.joint_A1, w.joint_A2
    multiply(w.A[p], tree.A_parent[i], A2)
    multiply_transposed(A2, w.joint_R, A1)
    multiply_transposed(A1, tree.A_child[i], w.A[i])
    f, D, e = w.joint_f, w.joint_D, w.joint_e
    rotate(w.A[p], tree.r_parent[i], f)
    rotate(A1, w.joint_d, D)
    rotate(w.A[i], tree.r_child[i], e)
    for k in range(3):
        e[k] = -e[k]
        w.d[i, k] = f[k] - D[k] + e[k]
        w.r[i, k] = w.r[p, k] + w.d[i, k]
    lx = ly = lz = ax = ay = az = 0.0
    for j in range(n):
        S = w.S[u0 + j]
        for k in range(3):
            S[k] = (
                A1[k, 0] * w.joint_S[0, j] + A1[k, 1] * w.joint_S[1, j] + A1[k, 2] * w.joint_S[2, j]
            )
            S[3 + k] = -(
                A1[k, 0] * w.joint_S[3, j] + A1[k, 1] * w.joint_S[4, j] + A1[k, 2] * w.joint_S[5, j]
            )
        rate = u[u0 + j]
        lx += S[0] * rate
        ly += S[1] * rate
        lz += S[2] * rate
        ax -= S[3] * rate
        ay -= S[4] * rate
        az -= S[5] * rate
        # at the body origin: minus the relative translation, turning about the second point
        cx, cy, cz = _cross(S[3], S[4], S[5], e[0] - D[0], e[1] - D[1], e[2] - D[2])
        S[0] = cx - S[0]
        S[1] = cy - S[1]
        S[2] = cz - S[2]
    # a = angular velocity of the second frame against the first, l = relative translation rate
    wx, wy, wz = w.Omega[p, 0], w.Omega[p, 1], w.Omega[p, 2]
    ox, oy, oz = wx - ax, wy - ay, wz - az
    w.Omega[i, 0], w.Omega[i, 1], w.Omega[i, 2] = ox, oy, oz
    fx, fy, fz = _cross(wx, wy, wz, f[0], f[1], f[2])
    hx, hy, hz = e[0] - D[0], e[1] - D[1], e[2] - D[2]
    ex, ey, ez = _cross(ox, oy, oz, hx, hy, hz)
    w.v[i, 0] = w.v[p, 0] + fx - lx + ex
    w.v[i, 1] = w.v[p, 1] + fy - ly + ey
    w.v[i, 2] = w.v[p, 2] + fz - lz + ez
    zeta = w.zeta[i]
    b = w.joint_bias
    tx, ty, tz = _cross(ox, oy, oz, ax, ay, az)
    zeta[3] = -tx - (A1[0, 0] * b[3] + A1[0, 1] * b[4] + A1[0, 2] * b[5])
    zeta[4] = -ty - (A1[1, 0] * b[3] + A1[1, 1] * b[4] + A1[1, 2] * b[5])
    zeta[5] = -tz - (A1[2, 0] * b[3] + A1[2, 1] * b[4] + A1[2, 2] * b[5])
    c1x, c1y, c1z = _cross(wx, wy, wz, fx, fy, fz)
    c2x, c2y, c2z = _cross(ox, oy, oz, ex - 2.0 * lx, ey - 2.0 * ly, ez - 2.0 * lz)
    c3x, c3y, c3z = _cross(zeta[3], zeta[4], zeta[5], hx, hy, hz)
    zeta[0] = c1x + c2x + c3x - (A1[0, 0] * b[0] + A1[0, 1] * b[1] + A1[0, 2] * b[2])
    zeta[1] = c1y + c2y + c3y - (A1[1, 0] * b[0] + A1[1, 1] * b[1] + A1[1, 2] * b[2])
    zeta[2] = c1z + c2z + c3z - (A1[2, 0] * b[0] + A1[2, 1] * b[1] + A1[2, 2] * b[2])
    return OK


@kernel
def eval_bias_accelerations(m, w, u_dot, acc):
    """Write the body accelerations (a, alpha) of all bodies for the given u_dot. (T-2.9)"""
    tree = m.tree
    for k in range(6):
        acc[m.n_bodies, k] = 0.0
    for i in range(m.n_bodies):
        p = tree.parent[i]
        a, ap, d = acc[i], acc[p], w.d[i]
        cx, cy, cz = _cross(ap[3], ap[4], ap[5], d[0], d[1], d[2])
        zeta = w.zeta[i]
        a[0] = ap[0] + cx + zeta[0]
        a[1] = ap[1] + cy + zeta[1]
        a[2] = ap[2] + cz + zeta[2]
        for k in range(3, 6):
            a[k] = ap[k] + zeta[k]
        for j in range(tree.u_start[i], tree.u_start[i + 1]):
            for k in range(6):
                a[k] += w.S[j, k] * u_dot[j]


@kernel
def _eval_frames(m, w):
    """Write pose and velocity of all markers. (T-2.13)"""
    frames = m.frames
    for i in range(frames.body.size):
        b = frames.body[i]
        multiply(w.A[b], frames.A[i], w.frame_A[i])
        e = w.frame_r[i]
        rotate(w.A[b], frames.r[i], e)
        o = w.Omega[b]
        cx, cy, cz = _cross(o[0], o[1], o[2], e[0], e[1], e[2])
        v, vb = w.frame_v[i], w.v[b]
        v[0] = vb[0] + cx
        v[1] = vb[1] + cy
        v[2] = vb[2] + cz
        for k in range(3):
            e[k] += w.r[b, k]
            w.frame_Omega[i, k] = o[k]


@kernel
def eval_frame_accelerations(m, w, acc):
    """Write the accelerations of all markers that follow from the body accelerations acc.

    (T-2.13)
    """
    frames = m.frames
    for i in range(frames.body.size):
        b = frames.body[i]
        x, y, z = (
            w.frame_r[i, 0] - w.r[b, 0],
            w.frame_r[i, 1] - w.r[b, 1],
            w.frame_r[i, 2] - w.r[b, 2],
        )
        o, a = w.Omega[b], acc[b]
        cx, cy, cz = _cross(o[0], o[1], o[2], x, y, z)
        cx, cy, cz = _cross(o[0], o[1], o[2], cx, cy, cz)
        tx, ty, tz = _cross(a[3], a[4], a[5], x, y, z)
        w.frame_a[i, 0] = a[0] + tx + cx
        w.frame_a[i, 1] = a[1] + ty + cy
        w.frame_a[i, 2] = a[2] + tz + cz
        for k in range(3):
            w.frame_alpha[i, k] = a[3 + k]


@kernel
def eval_position_rates(m, q, u, q_dot):
    """Write q_dot = B(q) u. (T-1.1) (T-2.3)"""
    for i in range(m.nu):
        k = m.tree.q_of_u[i]
        if k >= 0:
            q_dot[k] = u[i]
    if m.has_quaternions == 1:
        tree = m.tree
        for i in range(m.n_bodies):
            kind = tree.joint[i]
            if kind == SPHERICAL or kind == FREE:
                k = tree.q_start[i + 1] - 4
                j = tree.u_start[i + 1] - 3
                eval_quaternion_rate(q[k : k + 4], u[j : j + 3], q_dot[k : k + 4])


@kernel
def _advance_rotations(m, q, delta, q_out):
    """Write q_out = q (+) delta of all quaternions."""
    tree = m.tree
    for i in range(m.n_bodies):
        kind = tree.joint[i]
        if kind == SPHERICAL or kind == FREE:
            k = tree.q_start[i + 1] - 4
            j = tree.u_start[i + 1] - 3
            advance_quaternion(q[k : k + 4], delta[j : j + 3], q_out[k : k + 4])


@inlined
def advance_position(m, q, delta, q_out):
    """Write q_out = q (+) delta: sums, and exp(delta) for quaternions; q_out may be q. (T-2.4)"""
    q_of_u = m.tree.q_of_u
    for i in range(m.nu):
        k = q_of_u[i]
        if k >= 0:
            q_out[k] = q[k] + delta[i]
    if m.has_quaternions == 1:
        _advance_rotations(m, q, delta, q_out)


@kernel
def _normalise_rotations(m, q):
    """Scale all quaternions in q to unit length."""
    tree = m.tree
    for i in range(m.n_bodies):
        kind = tree.joint[i]
        if kind == SPHERICAL or kind == FREE:
            k = tree.q_start[i + 1] - 4
            normalise_quaternion(q[k : k + 4])


@inlined
def normalise_position(m, q):
    """Scale all quaternions in q to unit length. (T-2.5)"""
    if m.has_quaternions == 1:
        _normalise_rotations(m, q)
