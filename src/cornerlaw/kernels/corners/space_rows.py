"""Rows of the corners of a model in space: gap, sliding, drilling and rolling of every contact.

    gamma_N = n.(v1 - v2),   gamma_T = T.(v1 - v2),   gamma_D = n.(Omega1 - Omega2),   T.(...)

with v_i the velocities of the body points under the contact points. Their rates need those of the
contact points, which run over both surfaces. (T-17.2)
"""

import math

from cornerlaw.arrays.corners import MOTION_ROLL, MOTION_SPIN
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    add,
    along,
    any_tangent,
    cross,
    dot,
    norm,
    scaled,
    sub,
    turn_to_world,
)
from cornerlaw.kernels.rows import add_entry, clear_row, eval_row, spread_entries
from cornerlaw.kernels.signals import eval_motion

STEEP = 0.83  # cosine between normal and marker axis above which another axis gives the tangent
_ZERO = (0.0, 0.0, 0.0)


@kernel
def _triple(x):
    return x[0], x[1], x[2]


@kernel
def _tangent_axis(m, w, c, n):
    """Return a vector and its marker from which the tangent is made: given, or a marker axis.

    The same at the same state, whatever came before. (T-17.3)
    """
    corners, k = m.corners, m.corners.slot[c]
    given = _triple(corners.axis[c])
    f2 = m.contours.frame[m.slots.contour_2[k]]
    if given != _ZERO:
        f = f2
        if corners.axis_side[c] == 1:
            f = m.contours.frame[m.slots.contour_1[k]]
        e = turn_to_world(w, f, given)
        if abs(dot(e, n)) < 0.999999:
            return e, f
    A = w.frame_A[f2]
    e = A[0, 0], A[1, 0], A[2, 0]
    if abs(dot(e, n)) > STEEP:
        e = A[0, 1], A[1, 1], A[2, 1]
    return e, f2


@kernel
def _tensors(curve, n, t1, t2):
    """Return the tensors K and P of a surface in the tangents: (K11, K12, K22, P11, P12, P22).

    P a is the way of the contact point on the surface, K a the turn of its normal. (T-17.4)
    """
    k, p, k_, p_ = curve[0], curve[1], curve[2], curve[3]
    if k == k_ and p == p_:
        return k, 0.0, k, p, 0.0, p
    e = curve[4], curve[5], curve[6]
    x, y = dot(e, t1), dot(e, t2)
    size = x * x + y * y
    xx, xy, yy = x * x / size, x * y / size, y * y / size
    return (
        k * xx + k_ * yy,
        (k - k_) * xy,
        k * yy + k_ * xx,
        p * xx + p_ * yy,
        (p - p_) * xy,
        p * yy + p_ * xx,
    )


@kernel
def _solve_four(M):
    """Solve the 4 x 4 system in M (rows of 5), the solution in column 4; dependent ones get 0."""
    for j in range(4):
        p = j
        for i in range(j + 1, 4):
            if abs(M[5 * i + j]) > abs(M[5 * p + j]):
                p = i
        if abs(M[5 * p + j]) < 1e-14:
            for i in range(4):
                M[5 * i + j] = 0.0
            continue
        if p != j:
            for i in range(5):
                M[5 * j + i], M[5 * p + i] = M[5 * p + i], M[5 * j + i]
        d = M[5 * j + j]
        for i in range(j, 5):
            M[5 * j + i] /= d
        for i in range(4):
            f = M[5 * i + j]
            if i != j and f != 0.0:
                for a in range(j, 5):
                    M[5 * i + a] -= f * M[5 * j + a]
    for j in range(4):
        if M[5 * j + j] == 0.0:
            M[5 * j + 4] = 0.0


@kernel
def _surface_rates(w, k, t1, t2, turn, slide, spin_1):
    """Return P1 a1, P2 a2 and K2 a2 of the contact points that run over both surfaces, world axes.

        K1 a1 + K2 a2 = (Omega1 - Omega2) x n
        (P1 + g K1) a1 - P2 a2 = g Omega1 x n - (v1 - v2)_T

    (T-17.5)
    """
    n, g, M = _triple(w.contact_n[k]), w.contact_g[k], w.contact_b
    A = _tensors(w.contact_k[k, :7], n, t1, t2)
    B = _tensors(w.contact_k[k, 7:], n, t1, t2)
    b = add(scaled(g, spin_1), scaled(-1.0, slide))
    M[0], M[1], M[2], M[3], M[4] = A[0], A[1], B[0], B[1], dot(turn, t1)
    M[5], M[6], M[7], M[8], M[9] = A[1], A[2], B[1], B[2], dot(turn, t2)
    M[10], M[11], M[12], M[13] = A[3] + g * A[0], A[4] + g * A[1], -B[3], -B[4]
    M[15], M[16], M[17], M[18] = A[4] + g * A[1], A[5] + g * A[2], -B[4], -B[5]
    M[14], M[19] = dot(b, t1), dot(b, t2)
    _solve_four(M)
    x1, y1, x2, y2 = M[4], M[9], M[14], M[19]
    way_1 = add(scaled(A[3] * x1 + A[4] * y1, t1), scaled(A[4] * x1 + A[5] * y1, t2))
    way_2 = add(scaled(B[3] * x2 + B[4] * y2, t1), scaled(B[4] * x2 + B[5] * y2, t2))
    tilt = add(scaled(B[0] * x2 + B[1] * y2, t1), scaled(B[1] * x2 + B[2] * y2, t2))
    return way_1, way_2, tilt


@kernel
def _point_acceleration(w, f, d, run):
    """Return the rate of the velocity of the body point under a contact point.

    a_P + alpha x d + Omega x (c_dot - v_P) with c_dot = v + run. (T-17.6)
    """
    o = _triple(w.frame_Omega[f])
    a = add(_triple(w.frame_a[f]), cross(_triple(w.frame_alpha[f]), d))
    return add(a, cross(o, add(cross(o, d), run)))


@kernel
def _write_row(m, w, i, f1, f2, r1, r2, force, moment, gamma, gamma_dot):
    w.g[i], w.gamma[i], w.gamma_dot[i] = 0.0, gamma, gamma_dot
    add_entry(m, w, i, f1, force, r1, moment)
    add_entry(m, w, i, f2, scaled(-1.0, force), r2, scaled(-1.0, moment))


@kernel
def _eval_contact(m, w, c):
    """Write gap, velocities and accelerations of the rows of a contact and store their wrenches.

    Needs the slot. (T-17.2) to (T-17.7)
    """
    corners, k = m.corners, m.corners.slot[c]
    f1 = m.contours.frame[m.slots.contour_1[k]]
    f2 = m.contours.frame[m.slots.contour_2[k]]
    n, r1, r2 = _triple(w.contact_n[k]), _triple(w.contact_r1[k]), _triple(w.contact_r2[k])
    d1, d2 = sub(r1, _triple(w.frame_r[f1])), sub(r2, _triple(w.frame_r[f2]))
    o1, o2 = _triple(w.frame_Omega[f1]), _triple(w.frame_Omega[f2])
    v1 = add(_triple(w.frame_v[f1]), cross(o1, d1))
    v2 = add(_triple(w.frame_v[f2]), cross(o2, d2))
    v, o = sub(v1, v2), sub(o1, o2)
    e, f_e = _tangent_axis(m, w, c, n)
    height = dot(n, e)
    flat = along(e, -height, n)
    size = norm(flat)
    t1 = scaled(1.0 / size, flat) if size > 0.0 else any_tangent(n)
    t2 = cross(n, t1)
    w.contact_t[k, 0], w.contact_t[k, 1], w.contact_t[k, 2] = t1[0], t1[1], t1[2]
    gamma_N = dot(n, v)
    a = alpha = n_dot = t1_dot = t2_dot = _ZERO
    if w.look[0] == math.inf:
        # time stepping has no use for accelerations
        slide = along(v, -gamma_N, n)
        turn, spin_1 = cross(o, n), cross(o1, n)
        way_1, way_2, tilt = _surface_rates(w, k, t1, t2, turn, slide, spin_1)
        n_dot = add(cross(o2, n), tilt)
        e_dot = cross(_triple(w.frame_Omega[f_e]), e)
        flat_dot = sub(along(e_dot, -dot(n_dot, e) - dot(n, e_dot), n), scaled(height, n_dot))
        t1_dot = scaled(1.0 / size, along(flat_dot, -dot(flat_dot, t1), t1))
        t2_dot = add(cross(n_dot, t1), cross(n, t1_dot))
        a = sub(_point_acceleration(w, f1, d1, way_1), _point_acceleration(w, f2, d2, way_2))
        alpha = sub(_triple(w.frame_alpha[f1]), _triple(w.frame_alpha[f2]))
    i, j = corners.row_N[c], corners.row_T[c]
    if i >= 0:
        _write_row(m, w, i, f1, f2, r1, r2, n, _ZERO, gamma_N, dot(n, a) + dot(n_dot, v))
        w.g[i] = w.contact_g[k]
    if j < 0:
        return
    if corners.motion[c] == MOTION_SPIN:
        rate = dot(n, alpha) + dot(n_dot, o)
        _write_row(m, w, j, f1, f2, r1, r2, _ZERO, n, dot(n, o), rate)
        return
    if corners.motion[c] == MOTION_ROLL:
        rate = dot(t1, alpha) + dot(t1_dot, o)
        _write_row(m, w, j, f1, f2, r1, r2, _ZERO, t1, dot(t1, o), rate)
        rate = dot(t2, alpha) + dot(t2_dot, o)
        _write_row(m, w, j + 1, f1, f2, r1, r2, _ZERO, t2, dot(t2, o), rate)
        return
    rate = dot(t1, a) + dot(t1_dot, v)
    _write_row(m, w, j, f1, f2, r1, r2, t1, _ZERO, dot(t1, v), rate)
    # an ellipse is a circle in scaled rows
    s = corners.ratio[c]
    rate = s * (dot(t2, a) + dot(t2_dot, v))
    _write_row(m, w, j + 1, f1, f2, r1, r2, scaled(s, t2), _ZERO, s * dot(t2, v), rate)
    if corners.n_T[c] == 3:
        s = corners.lever[c]
        rate = s * (dot(n, alpha) + dot(n_dot, o))
        _write_row(m, w, j + 2, f1, f2, r1, r2, _ZERO, scaled(s, n), s * dot(n, o), rate)


@kernel
def eval_corner(m, w, c, t, q, u, u_dot):
    """Write g, gamma, gamma_dot and W of the rows of corner c.

    Needs kinematics, the marker accelerations that belong to u_dot, and the slot of a contact.
    """
    corners = m.corners
    i, j = corners.row_N[c], corners.row_T[c]
    first = w.n_entries[0]
    if i >= 0:
        clear_row(w, i)
    for a in range(corners.n_T[c]):
        clear_row(w, j + a)
    if corners.slot[c] >= 0:
        _eval_contact(m, w, c)
    else:
        if i >= 0:
            w.g[i], w.gamma[i], w.gamma_dot[i] = eval_row(m, w, i, t, q, u, u_dot)
        for b in range(j, j + corners.n_T[c]):
            w.g[b], w.gamma[b], w.gamma_dot[b] = eval_row(m, w, b, t, q, u, u_dot)
    if j >= 0 and corners.surface[c] >= 0:
        # the second surface moves along the tangent by itself, as a belt does
        w.slot_in[0] = t
        eval_motion(m.signals, corners.surface[c], w.slot_in[:1], w.slot_out[:3])
        w.gamma[j] -= w.slot_out[0]
        w.gamma_dot[j] -= w.slot_out[1]
    spread_entries(m, w, first)
    return OK
