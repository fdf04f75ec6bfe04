"""Bilateral rows: gap g, velocity gamma, acceleration gamma_dot and directions W.

    gamma = W u + w_tilde,     gamma_dot = W u_dot + w_bar

Each geometric row is a pair of unit wrenches on two bodies; W follows from them along the tree.
(T-1.4) (T-5.3)
"""

import math

from cornerlaw.arrays.kinds import (
    ROW_ANGLE,
    ROW_DISTANCE,
    ROW_DOT,
    ROW_ELEMENT,
    ROW_LINEAR,
    ROW_PATH,
    ROW_POINT,
    ROW_ROLL,
    ROW_ROTATION,
    ROW_SCREW,
    ROW_SWING,
    ROW_TWIST,
    ROW_UNIVERSAL,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import eval_cardan_motion
from cornerlaw.kernels.signals import eval_motion
from cornerlaw.kernels.slots import call_slot


@kernel
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _axis(A, k):
    return A[0, k], A[1, k], A[2, k]


@kernel
def _triple(a):
    return a[0], a[1], a[2]


@kernel
def _minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def _plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def _scaled(s, a):
    return s * a[0], s * a[1], s * a[2]


@kernel
def clear_row(w, i):
    """Set row i of W to zero where it may differ from it."""
    W, column = w.W[i], w.column[i]
    for x in range(w.n_column[i]):
        W[column[x]] = 0.0
    w.n_column[i] = 0


@kernel
def _list_column(w, i, j):
    """Note that row i acts on velocity j, once for every number of a row."""
    if w.stamp[j] != w.serial[0]:
        w.stamp[j] = w.serial[0]
        w.column[i, w.n_column[i]] = j
        w.n_column[i] += 1


@kernel
def list_items(m, w, i):
    """List the velocities of a row that names them."""
    rows = m.rows
    w.serial[0] += 1
    for k in range(rows.list_start[i], rows.list_start[i] + rows.n_list[i]):
        _list_column(w, i, rows.lists[k])


@kernel
def add_entry(m, w, row, frame, force, point, moment):
    """Store the unit wrench of a row on the body of a marker: a force at a point and a moment."""
    b = m.frames.body[frame]
    if b == m.n_bodies:
        return
    k = w.n_entries[0]
    w.n_entries[0] = k + 1
    w.entry_row[k] = row
    w.entry_body[k] = b
    arm = point[0] - w.r[b, 0], point[1] - w.r[b, 1], point[2] - w.r[b, 2]
    turn = _cross(arm, force)
    e = w.entry_wrench[k]
    for a in range(3):
        e[a] = force[a]
        e[3 + a] = moment[a] + turn[a]


@kernel
def add_coordinate_entry(m, w, row, j, force):
    """Store the unit force of a row on velocity j: bodies beyond the ground are velocities."""
    k = w.n_entries[0]
    w.n_entries[0] = k + 1
    w.entry_row[k] = row
    w.entry_body[k] = m.n_bodies + 1 + j
    w.entry_wrench[k, 0] = force


@kernel
def _add_pair(m, w, row, f1, f2, direction, point):
    """Store opposite unit forces at one point: plus on the second body, minus on the first."""
    zero = (0.0, 0.0, 0.0)
    add_entry(m, w, row, f2, direction, point, zero)
    add_entry(m, w, row, f1, _scaled(-1.0, direction), point, zero)


@kernel
def _add_couple(m, w, row, f1, f2, axis):
    """Store equal and opposite unit moments: plus on the second body, minus on the first."""
    zero = (0.0, 0.0, 0.0)
    add_entry(m, w, row, f2, zero, zero, axis)
    add_entry(m, w, row, f1, zero, zero, _scaled(-1.0, axis))


@kernel
def _eval_point(m, w, i, f1, f2, axis):
    """g = n . D with n fixed in the first marker; return g, gamma, gamma_dot. (T-5.4)"""
    n = _axis(w.frame_A[f1], axis)
    o1, a1 = _triple(w.frame_Omega[f1]), _triple(w.frame_alpha[f1])
    D = _minus(w.frame_r[f2], w.frame_r[f1])
    V = _minus(w.frame_v[f2], w.frame_v[f1])
    n_dot = _cross(o1, n)
    n_ddot = _plus(_cross(a1, n), _cross(o1, n_dot))
    gamma_dot = (
        _dot(n, _minus(w.frame_a[f2], w.frame_a[f1])) + 2.0 * _dot(n_dot, V) + _dot(n_ddot, D)
    )
    _add_pair(m, w, i, f1, f2, n, _triple(w.frame_r[f2]))
    return _dot(n, D), _dot(n, V) + _dot(n_dot, D), gamma_dot


@kernel
def _eval_dot(m, w, i, f1, f2, k1, k2):
    """g = a . b with a fixed in the first, b in the second marker. (T-5.5)"""
    a, b = _axis(w.frame_A[f1], k1), _axis(w.frame_A[f2], k2)
    o1, o2 = _triple(w.frame_Omega[f1]), _triple(w.frame_Omega[f2])
    c = _cross(a, b)
    c_dot = _plus(_cross(_cross(o1, a), b), _cross(a, _cross(o2, b)))
    o, al = _minus(o1, o2), _minus(w.frame_alpha[f1], w.frame_alpha[f2])
    _add_couple(m, w, i, f1, f2, _scaled(-1.0, c))
    return _dot(a, b), _dot(o, c), _dot(al, c) + _dot(o, c_dot)


@kernel
def _eval_distance(m, w, i, f1, f2, weight):
    """weight * |D|; return length, rate and acceleration, weighted. (T-5.6)"""
    D = _minus(w.frame_r[f2], w.frame_r[f1])
    V = _minus(w.frame_v[f2], w.frame_v[f1])
    length = math.sqrt(_dot(D, D))
    # coinciding ends have no direction: a slack rope may be as short as that
    inverse = 1.0 / length if length > 0.0 else 0.0
    n = _scaled(inverse, D)
    rate = _dot(n, V)
    acceleration = (
        _dot(n, _minus(w.frame_a[f2], w.frame_a[f1])) + (_dot(V, V) - rate * rate) * inverse
    )
    force = _scaled(weight, n)
    zero = (0.0, 0.0, 0.0)
    add_entry(m, w, i, f2, force, _triple(w.frame_r[f2]), zero)
    add_entry(m, w, i, f1, _scaled(-1.0, force), _triple(w.frame_r[f1]), zero)
    return weight * length, weight * rate, weight * acceleration


@kernel
def _eval_path(m, w, i):
    """Weighted length of a polygon of markers; the weights follow the target length in data.

    (T-5.7)
    """
    rows = m.rows
    start = rows.list_start[i]
    g = gamma = gamma_dot = 0.0
    for k in range(rows.n_list[i] - 1):
        part, rate, acceleration = _eval_distance(
            m,
            w,
            i,
            rows.lists[start + k],
            rows.lists[start + k + 1],
            rows.data[rows.start[i] + 1 + k],
        )
        g += part
        gamma += rate
        gamma_dot += acceleration
    return g - rows.data[rows.start[i]], gamma, gamma_dot


@kernel
def _eval_angle(m, w, i, f1, f2, factor):
    """factor * angle of the second marker about the common z axis; needs aligned axes. (T-5.8)"""
    A1, A2 = w.frame_A[f1], w.frame_A[f2]
    x2 = _axis(A2, 0)
    angle = math.atan2(_dot(_axis(A1, 1), x2), _dot(_axis(A1, 0), x2))
    n = _axis(A1, 2)
    o1 = _triple(w.frame_Omega[f1])
    o = _minus(w.frame_Omega[f2], o1)
    al = _minus(w.frame_alpha[f2], w.frame_alpha[f1])
    _add_couple(m, w, i, f1, f2, _scaled(factor, n))
    return angle, factor * _dot(n, o), factor * (_dot(n, al) + _dot(_cross(o1, n), o))


@kernel
def _eval_universal(m, w, i, f1, f2, axis):
    """Angle of a universal joint: about x of the first (axis 0) or y of the second marker (1).

    Needs x of the first orthogonal to y of the second. (T-5.14)
    """
    A1, A2 = w.frame_A[f1], w.frame_A[f2]
    o1, o2 = _triple(w.frame_Omega[f1]), _triple(w.frame_Omega[f2])
    if axis == 0:
        n, carrier, y2 = _axis(A1, 0), o1, _axis(A2, 1)
        angle = math.atan2(_dot(_axis(A1, 2), y2), _dot(_axis(A1, 1), y2))
    else:
        n, carrier, x1 = _axis(A2, 1), o2, _axis(A1, 0)
        angle = math.atan2(_dot(_axis(A2, 2), x1), _dot(_axis(A2, 0), x1))
    o = _minus(o2, o1)
    al = _minus(w.frame_alpha[f2], w.frame_alpha[f1])
    _add_couple(m, w, i, f1, f2, n)
    return angle, _dot(n, o), _dot(n, al) + _dot(_cross(carrier, n), o)


@kernel
def _eval_swing(m, w, i, f1, f2):
    """g = largest - theta, cos(theta) = a . b of both z axes. (T-5.18)"""
    a, b = _axis(w.frame_A[f1], 2), _axis(w.frame_A[f2], 2)
    o1, o2 = _triple(w.frame_Omega[f1]), _triple(w.frame_Omega[f2])
    k = _cross(a, b)
    size = math.sqrt(_dot(k, k))
    # axes that coincide have no direction of swing, and the stop is far
    inverse = 1.0 / size if size > 0.0 else 0.0
    n = _scaled(inverse, k)
    k_dot = _plus(_cross(_cross(o1, a), b), _cross(a, _cross(o2, b)))
    n_dot = _scaled(inverse, _minus(k_dot, _scaled(_dot(n, k_dot), n)))
    o, al = _minus(o1, o2), _minus(w.frame_alpha[f1], w.frame_alpha[f2])
    _add_couple(m, w, i, f1, f2, _scaled(-1.0, n))
    g = m.rows.data[m.rows.start[i]] - math.atan2(size, _dot(a, b))
    return g, _dot(n, o), _dot(n, al) + _dot(n_dot, o)


@kernel
def _eval_twist(m, w, i, f1, f2):
    """g = sign (tau - stop), the turn tau about z left when the swing is undone. (T-5.19)

    Needs a swing below half a turn: tau_dot = (a + b) . (Omega_2 - Omega_1) / (1 + a . b).
    """
    sign, stop = m.rows.data[m.rows.start[i]], m.rows.data[m.rows.start[i] + 1]
    A1, A2 = w.frame_A[f1], w.frame_A[f2]
    x1, y1, x2, y2 = _axis(A1, 0), _axis(A1, 1), _axis(A2, 0), _axis(A2, 1)
    a, b = _axis(A1, 2), _axis(A2, 2)
    o1, o2 = _triple(w.frame_Omega[f1]), _triple(w.frame_Omega[f2])
    a_dot, b_dot = _cross(o1, a), _cross(o2, b)
    inverse = sign / (1.0 + _dot(a, b))
    n = _scaled(inverse, _plus(a, b))
    rate = sign * inverse * (_dot(a_dot, b) + _dot(a, b_dot))
    n_dot = _minus(_scaled(inverse, _plus(a_dot, b_dot)), _scaled(rate, n))
    o, al = _minus(o2, o1), _minus(w.frame_alpha[f2], w.frame_alpha[f1])
    _add_couple(m, w, i, f1, f2, n)
    tau = math.atan2(_dot(y1, x2) - _dot(x1, y2), _dot(x1, x2) + _dot(y1, y2))
    return sign * (tau - stop), _dot(n, o), _dot(n, al) + _dot(n_dot, o)


@kernel
def _turned(m, w, t, k, f1):
    """Write the axes of marker f1 turned by the Cardan angles k, k + 1, k + 2 to w.joint_A2.

    Return their angular velocity and acceleration. (T-5.15)
    """
    eval_cardan_motion(m, w, t, k)
    x, y, z = w.cardan[0], w.cardan[1], w.cardan[2]
    A, B = w.frame_A[f1], w.joint_A2
    o, al = _triple(w.frame_Omega[f1]), _triple(w.frame_alpha[f1])
    a, b, c = _axis(A, 0), _axis(A, 1), _axis(A, 2)
    # turn after turn: each about an axis of the frame reached so far
    o, al = _spin(o, al, a, x[2], x[3])
    b, c = _plus(_scaled(x[1], b), _scaled(x[0], c)), _minus(_scaled(x[1], c), _scaled(x[0], b))
    o, al = _spin(o, al, b, y[2], y[3])
    c, a = _plus(_scaled(y[1], c), _scaled(y[0], a)), _minus(_scaled(y[1], a), _scaled(y[0], c))
    o, al = _spin(o, al, c, z[2], z[3])
    a, b = _plus(_scaled(z[1], a), _scaled(z[0], b)), _minus(_scaled(z[1], b), _scaled(z[0], a))
    for i in range(3):
        B[i, 0], B[i, 1], B[i, 2] = a[i], b[i], c[i]
    return o, al


@kernel
def _spin(o, al, n, rate, acceleration):
    """Add a rotation about n, an axis carried by a frame with angular velocity o."""
    step = _scaled(rate, n)
    return _plus(o, step), _plus(_plus(al, _scaled(acceleration, n)), _cross(o, step))


@kernel
def _eval_rotation(m, w, i, t, f1, f2, k1, k2):
    """g = a . b with a fixed in the turned first, b in the second marker. (T-5.15)"""
    o1, a1 = _turned(m, w, t, m.rows.signal[i], f1)
    a, b = _axis(w.joint_A2, k1), _axis(w.frame_A[f2], k2)
    o2 = _triple(w.frame_Omega[f2])
    c = _cross(a, b)
    c_dot = _plus(_cross(_cross(o1, a), b), _cross(a, _cross(o2, b)))
    o, al = _minus(o1, o2), _minus(a1, w.frame_alpha[f2])
    _add_couple(m, w, i, f1, f2, _scaled(-1.0, c))
    return _dot(a, b), _dot(o, c), _dot(al, c) + _dot(o, c_dot)


@kernel
def _eval_roll(m, w, i, f1, f2, axis):
    """Velocity of the material contact point along an axis of the plane's marker (z = normal).

    The contact point lies rho from the centre: -radius n for a sphere, the lowest point of the rim
    for a disc with axis a: rho = -radius e / |e|, e = n - (n . a) a. (T-5.10) (T-5.11)
    """
    radius, disc = m.rows.data[m.rows.start[i]], m.rows.data[m.rows.start[i] + 1]
    A1 = w.frame_A[f1]
    n, k = _axis(A1, 2), _axis(A1, axis)
    o1, o2 = _triple(w.frame_Omega[f1]), _triple(w.frame_Omega[f2])
    n_dot = _cross(o1, n)
    e, e_dot = n, n_dot
    if disc == 1.0:
        a = _axis(w.frame_A[f2], 2)
        a_dot = _cross(o2, a)
        s = _dot(n, a)
        e = _minus(n, _scaled(s, a))
        e_dot = _minus(
            _minus(n_dot, _scaled(_dot(n_dot, a) + _dot(n, a_dot), a)), _scaled(s, a_dot)
        )
    size = math.sqrt(_dot(e, e))
    rho = _scaled(-radius / size, e)
    rho_dot = _scaled(-radius / size, _minus(e_dot, _scaled(_dot(e, e_dot) / size**2, e)))
    D = _minus(w.frame_r[f2], w.frame_r[f1])
    P = _plus(D, rho)
    V = _minus(w.frame_v[f2], w.frame_v[f1])
    slip = _minus(_plus(V, _cross(o2, rho)), _cross(o1, P))
    acceleration = _minus(w.frame_a[f2], w.frame_a[f1])
    acceleration = _plus(acceleration, _cross(_triple(w.frame_alpha[f2]), rho))
    acceleration = _plus(acceleration, _cross(o2, rho_dot))
    acceleration = _minus(acceleration, _cross(_triple(w.frame_alpha[f1]), P))
    acceleration = _minus(acceleration, _cross(o1, _plus(V, rho_dot)))
    gamma_dot = _dot(_cross(o1, k), slip) + _dot(k, acceleration)
    _add_pair(m, w, i, f1, f2, k, _plus(_triple(w.frame_r[f2]), rho))
    return _dot(k, P), _dot(k, slip), gamma_dot


@kernel
def _eval_linear(m, w, i, q, u, u_dot):
    """Sum of coefficient * coordinate minus a constant; writes W directly. (T-5.12)"""
    rows = m.rows
    start, n = rows.start[i], rows.n_list[i]
    g = -rows.data[start]
    gamma = gamma_dot = 0.0
    list_items(m, w, i)
    for k in range(n):
        j, c = rows.lists[rows.list_start[i] + k], rows.data[start + 1 + k]
        g += c * q[m.tree.q_of_u[j]]
        gamma += c * u[j]
        gamma_dot += c * u_dot[j]
        w.W[i, j] += c
    return g, gamma, gamma_dot


@kernel
def _eval_user(m, w, i, t, q, u, u_dot):
    """The user's g(q, t) by its second-order jet: arguments (t, q), then the direction (dt, dq).

    (T-5.13)
    """
    rows = m.rows
    n, start = rows.n_list[i], rows.list_start[i]
    # n more places than arguments: scratch of numerical derivatives
    inp, out = w.slot_in[: 3 * n + 2], w.slot_out[:3]
    inp[0], inp[n + 1] = t, 0.0
    list_items(m, w, i)
    for k in range(n):
        inp[1 + k] = q[m.tree.q_of_u[rows.lists[start + k]]]
        inp[n + 2 + k] = 0.0
    gamma_dot = 0.0
    for k in range(n):
        j = rows.lists[start + k]
        inp[n + 2 + k] = 1.0
        call_slot(rows.address[i], inp, inp[:0], out)
        inp[n + 2 + k] = 0.0
        w.W[i, j] += out[1]
        gamma_dot += out[1] * u_dot[j]
    inp[n + 1] = 1.0
    for k in range(n):
        inp[n + 2 + k] = u[rows.lists[start + k]]
    call_slot(rows.address[i], inp, inp[:0], out)
    return out[0], out[1], gamma_dot + out[2]


@kernel
def _wrap(angle):
    """Return the angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel
def eval_rare_row(m, w, i, t, q, u, u_dot):
    """Write g, gamma, gamma_dot of a row of one of the rarer kinds to w.row."""
    rows = m.rows
    kind, f1, f2 = rows.kind[i], rows.frame_1[i], rows.frame_2[i]
    if kind == ROW_PATH:
        g, gamma, gamma_dot = _eval_path(m, w, i)
    elif kind == ROW_SCREW:
        pitch = rows.data[rows.start[i]]
        z, gamma, gamma_dot = _eval_point(m, w, i, f1, f2, 2)
        angle, rate, acceleration = _eval_angle(m, w, i, f1, f2, -pitch)
        # the turn count is the one that fits the displacement best
        g = z - pitch * (z / pitch + _wrap(angle - z / pitch))
        gamma += rate
        gamma_dot += acceleration
    elif kind == ROW_ROLL:
        g, gamma, gamma_dot = _eval_roll(m, w, i, f1, f2, rows.axis_1[i])
    elif kind == ROW_UNIVERSAL:
        g, gamma, gamma_dot = _eval_universal(m, w, i, f1, f2, rows.axis_1[i])
    elif kind == ROW_ROTATION:
        g, gamma, gamma_dot = _eval_rotation(m, w, i, t, f1, f2, rows.axis_1[i], rows.axis_2[i])
    elif kind == ROW_SWING:
        g, gamma, gamma_dot = _eval_swing(m, w, i, f1, f2)
    elif kind == ROW_TWIST:
        g, gamma, gamma_dot = _eval_twist(m, w, i, f1, f2)
    elif kind == ROW_ELEMENT:
        return call(m.stages.element_row, m, w, i, t, q, u, u_dot)
    else:
        g, gamma, gamma_dot = _eval_user(m, w, i, t, q, u, u_dot)
    w.row[0], w.row[1], w.row[2] = g, gamma, gamma_dot
    return OK


@kernel
def eval_row(m, w, i, t, q, u, u_dot):
    """Return g, gamma, gamma_dot of row i and store its wrenches."""
    rows = m.rows
    kind, f1, f2 = rows.kind[i], rows.frame_1[i], rows.frame_2[i]
    if kind == ROW_LINEAR:
        g, gamma, gamma_dot = _eval_linear(m, w, i, q, u, u_dot)
    elif kind == ROW_POINT:
        g, gamma, gamma_dot = _eval_point(m, w, i, f1, f2, rows.axis_1[i])
    elif kind == ROW_DOT:
        g, gamma, gamma_dot = _eval_dot(m, w, i, f1, f2, rows.axis_1[i], rows.axis_2[i])
    elif kind == ROW_DISTANCE:
        g, gamma, gamma_dot = _eval_distance(m, w, i, f1, f2, 1.0)
        g -= rows.data[rows.start[i]]
    elif kind == ROW_ANGLE:
        g, gamma, gamma_dot = _eval_angle(m, w, i, f1, f2, 1.0)
    else:
        call(m.stages.rare_row, m, w, i, t, q, u, u_dot)
        g, gamma, gamma_dot = w.row[0], w.row[1], w.row[2]
    if rows.signal[i] >= 0 and kind != ROW_ROTATION:
        w.slot_in[0] = t
        eval_motion(m.signals, rows.signal[i], w.slot_in[:1], w.slot_out[:3])
        g -= w.slot_out[0]
        gamma -= w.slot_out[1]
        gamma_dot -= w.slot_out[2]
    if kind == ROW_ANGLE or kind == ROW_UNIVERSAL:
        g = _wrap(g)
    return g, gamma, gamma_dot


@kernel
def eval_rows(m, w, t, q, u, u_dot):
    """Write g, gamma, gamma_dot (w.gamma_dot) and W of all rows.

    Needs kinematics, markers and the marker accelerations that belong to u_dot. Rows without a
    position level get g = 0.
    """
    w.n_entries[0] = 0
    for i in range(m.n_rows):
        clear_row(w, i)
        g, gamma, gamma_dot = eval_row(m, w, i, t, q, u, u_dot)
        w.g[i] = g if m.rows.holonomic[i] == 1 else 0.0
        w.gamma[i] = gamma
        w.gamma_dot[i] = gamma_dot
    spread_entries(m, w, 0)
    return OK


@kernel
def spread_entries(m, w, first):
    """Add the wrenches stored from `first` on to W: walk each from its body to the root. (T-5.2)"""
    u_start, parent = m.tree.u_start, m.tree.parent
    columns, n_column, stamp, S_all = w.column, w.n_column, w.stamp, w.S
    last = -1
    for k in range(first, w.n_entries[0]):
        i, node = w.entry_row[k], w.entry_body[k]
        row, column = w.W[i], columns[i]
        if i != last:
            # entries of one row stand together
            w.serial[0] += 1
            last = i
        if node > m.n_bodies:
            j = node - m.n_bodies - 1
            _list_column(w, i, j)
            row[j] += w.entry_wrench[k, 0]
            continue
        # numbers, no array: for all the compiler knows, a row might overwrite that
        e = w.entry_wrench[k]
        fx, fy, fz, mx, my, mz = e[0], e[1], e[2], e[3], e[4], e[5]
        while node < m.n_bodies:
            serial, n = w.serial[0], n_column[i]
            for j in range(u_start[node], u_start[node + 1]):
                S = S_all[j]
                if stamp[j] != serial:
                    stamp[j] = serial
                    column[n] = j
                    n += 1
                row[j] += S[0] * fx + S[1] * fy + S[2] * fz + S[3] * mx + S[4] * my + S[5] * mz
            n_column[i] = n
            d = w.d[node]
            mx += d[1] * fz - d[2] * fy
            my += d[2] * fx - d[0] * fz
            mz += d[0] * fy - d[1] * fx
            node = parent[node]


@kernel
def add_row_wrenches(m, w, lam):
    """Add the forces of all rows to the applied wrenches, those on velocities to w.Q.

    Entries of V have the numbers of their rows behind those of all rows.
    """
    for k in range(w.n_entries[0]):
        b, e, s = w.entry_body[k], w.entry_wrench[k], lam[w.entry_row[k] % m.rows.kind.size]
        if b > m.n_bodies:
            w.Q[b - m.n_bodies - 1] += s * e[0]
            continue
        f = w.f_ext[b]
        for a in range(6):
            f[a] += s * e[a]
