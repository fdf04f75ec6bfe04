"""Rows of the corners: gap, relative velocities, accelerations and directions.

    gamma_N = W_N u + w_tilde_N,    gamma_N_dot = W_N u_dot + w_bar_N,    the same for T

A contact takes them from the contact points and curvatures of its slot, every other corner from a
row of the same kinds as constraints have.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_POINT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call
from cornerlaw.kernels.rows import add_entry, clear_row, eval_row, spread_entries
from cornerlaw.kernels.signals import eval_motion


@kernel
def _material_velocity(w, f, d):
    """Return the velocity of the point of marker f's body that lies d from the marker."""
    v, o = w.frame_v[f], w.frame_Omega[f]
    return (
        v[0] + o[1] * d[2] - o[2] * d[1],
        v[1] + o[2] * d[0] - o[0] * d[2],
        v[2] + o[0] * d[1] - o[1] * d[0],
    )


@kernel
def _plane_acceleration(w, f, d):
    """Return the acceleration of the same point, less Omega x velocity, in the plane.

    a_Q - Omega x v_C with a_Q = a_P + alpha x d + Omega x (Omega x d). (T-10.9)
    """
    a, v, o, al = w.frame_a[f], w.frame_v[f], w.frame_Omega[f][2], w.frame_alpha[f][2]
    x = a[0] - al * d[1] + o * v[1]
    y = a[1] + al * d[0] - o * v[0]
    return x, y


@kernel
def _eval_contact(m, w, c, t):
    """Write gamma and gamma_dot of a contact and store its wrenches; needs the slot. (T-10.10)

    With the curvatures k_i / p_i and D = k1 p2 + k2 p1 + g k1 k2 the contact points run along the
    contours with s1_dot = p1 (k2 X - k2 g Om1 + p2 (Om2 - Om1)) / D, X = t.(v2 - v1), s2_dot alike.
    """
    corners, k = m.corners, m.corners.slot[c]
    f1 = m.contours.frame[m.slots.contour_1[k]]
    f2 = m.contours.frame[m.slots.contour_2[k]]
    n, tangent, r1, r2 = w.contact_n[k], w.contact_t[k], w.contact_r1[k], w.contact_r2[k]
    p1, p2 = w.frame_r[f1], w.frame_r[f2]
    d1 = r1[0] - p1[0], r1[1] - p1[1], r1[2] - p1[2]
    d2 = r2[0] - p2[0], r2[1] - p2[1], r2[2] - p2[2]
    v1, v2 = _material_velocity(w, f1, d1), _material_velocity(w, f2, d2)
    nx, ny, tx, ty = n[0], n[1], tangent[0], tangent[1]
    n_v1, n_v2 = nx * v1[0] + ny * v1[1], nx * v2[0] + ny * v2[1]
    t_v1, t_v2 = tx * v1[0] + ty * v1[1], tx * v2[0] + ty * v2[1]
    i, j = corners.row_N[c], corners.row_T[c]
    w.g[i] = w.contact_g[k]
    w.gamma[i] = n_v1 - n_v2
    a1, a2 = _plane_acceleration(w, f1, d1), _plane_acceleration(w, f2, d2)
    om1, om2 = w.frame_Omega[f1][2], w.frame_Omega[f2][2]
    curve = w.contact_k[k]
    kappa_1, rho_1, kappa_2, rho_2 = curve[0], curve[1], curve[2], curve[3]
    g = w.contact_g[k]
    D = kappa_1 * rho_2 + kappa_2 * rho_1 + g * kappa_1 * kappa_2
    first = second = 0.0
    if D != 0.0:
        X = t_v2 - t_v1
        first = (kappa_2 * (X - g * om1) + rho_2 * (om2 - om1)) / D
        second = (kappa_1 * (X - g * om2) - rho_1 * (om2 - om1)) / D
    # on the second contour normal and tangent have the opposite sign
    normal = nx * (a1[0] - a2[0]) + ny * (a1[1] - a2[1])
    normal += -kappa_1 * first * t_v1 + rho_1 * first * om1
    normal += kappa_2 * second * t_v2 + rho_2 * second * om2
    w.gamma_dot[i] = normal
    point_1, point_2 = (r1[0], r1[1], r1[2]), (r2[0], r2[1], r2[2])
    zero = (0.0, 0.0, 0.0)
    add_entry(m, w, i, f1, (n[0], n[1], n[2]), point_1, zero)
    add_entry(m, w, i, f2, (-n[0], -n[1], -n[2]), point_2, zero)
    if j < 0:
        return
    along = tx * (a1[0] - a2[0]) + ty * (a1[1] - a2[1])
    along += kappa_1 * first * n_v1 - kappa_2 * second * n_v2
    w.g[j] = 0.0
    w.gamma[j] = t_v1 - t_v2
    w.gamma_dot[j] = along
    add_entry(m, w, j, f1, (tangent[0], tangent[1], tangent[2]), point_1, zero)
    add_entry(m, w, j, f2, (-tangent[0], -tangent[1], -tangent[2]), point_2, zero)


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
        _eval_contact(m, w, c, t)
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


@kernel
def is_in_plane(m, c):
    """Tell whether corner c is a contact of two contours of the plane."""
    k = m.corners.slot[c]
    if k < 0 or m.slots.contour_1[k] < 0:
        return False
    return m.contours.kind[m.slots.contour_1[k]] < SHAPE_POINT


@kernel
def has_vanished(m, w, c):
    """Tell whether a contact of the plane has no candidate at the state evaluated last.

    The ends of arcs and open curves are no corners: what runs over them ends there.
    """
    k = m.corners.slot[c]
    return k >= 0 and w.contact_g[k] == math.inf and is_in_plane(m, c)


@kernel
def _eval_gap_of_row(m, w, c, t, q, u):
    """Write the rows of a corner that is no contact and return its gap."""
    entries = w.n_entries[0]
    call(m.stages.corner, m, w, c, t, q, u, u)
    w.n_entries[0] = entries  # the gap was asked for, no force acts
    return w.g[m.corners.row_N[c]]


@inlined
def eval_gap(m, w, c, t, q, u):
    """Return the gap of corner c; -inf where the law has no gap. Needs kinematics.

    Rows of corners that are not contacts are written on the way.
    """
    if m.corners.always[c] == 1:
        return -1e300
    k = m.corners.slot[c]
    if k < 0:
        return _eval_gap_of_row(m, w, c, t, q, u)
    # a free place of the pool, or a pair that was looked at: a call for nothing
    if m.slots.contour_1[k] >= 0 and w.seen[m.slots.first[k]] != w.pose[0]:
        call(m.stages.detect, m, w, k)
    return w.contact_g[k]


@kernel
def eval_gap_rate(m, w, c):
    """Return the rate of the gap of corner c whose gap was evaluated last. (T-10.6)"""
    k = m.corners.slot[c]
    if k < 0:
        return w.gamma[m.corners.row_N[c]]
    return eval_slot_rate(m, w, k)


@kernel
def eval_slot_rate(m, w, k):
    """Return the rate of the gap of slot k. (T-10.6)"""
    f1 = m.contours.frame[m.slots.contour_1[k]]
    f2 = m.contours.frame[m.slots.contour_2[k]]
    n, r1, r2 = w.contact_n[k], w.contact_r1[k], w.contact_r2[k]
    p1, p2 = w.frame_r[f1], w.frame_r[f2]
    v1 = _material_velocity(w, f1, (r1[0] - p1[0], r1[1] - p1[1], r1[2] - p1[2]))
    v2 = _material_velocity(w, f2, (r2[0] - p2[0], r2[1] - p2[1], r2[2] - p2[2]))
    return n[0] * (v1[0] - v2[0]) + n[1] * (v1[1] - v2[1]) + n[2] * (v1[2] - v2[2])
