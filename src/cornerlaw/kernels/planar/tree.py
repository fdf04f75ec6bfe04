"""Forward dynamics of a tree in the plane in O(n): articulated inertias of three by three.

The recursion is that of space (T-3.8) to (T-3.13) with wrenches (F_x, F_y, M) and accelerations
(a_x, a_y, alpha). A body that turns about its own origin has S = (0, 0, 1): what its parent sees of
it is the translation alone,

    I - U D^-1 U^T = [[xx - h_x^2 / D, xy - h_x h_y / D, 0], [.., yy - h_y^2 / D, 0], [0, 0, 0]]

(T-3.17) to (T-3.19)
"""

from cornerlaw.arrays.kinds import PLANAR, REVOLUTE
from cornerlaw.arrays.status import OK, SINGULAR_MASS
from cornerlaw.kernels.planar._fused import fused_kernel
from cornerlaw.kernels.planar.joints import place_against, place_body
from cornerlaw.kernels.planar.nodes import (
    A_A,
    A_X,
    A_Y,
    BELOW,
    COS,
    D_INVERSE,
    D_X,
    D_Y,
    H_X,
    H_Y,
    HINGE,
    KIND,
    OMEGA,
    P_A,
    P_X,
    P_Y,
    SIN,
    SINGLE,
    TAU,
    WIDE,
    XX,
    XY,
    YY,
    ZETA_A,
    ZETA_X,
    ZETA_Y,
    J,
    rows_of,
    sines_of,
)
from cornerlaw.kernels.planar.single import accelerate_single, reduce_single
from cornerlaw.kernels.planar.wide import accelerate_wide, reduce_wide


@fused_kernel
def is_hinge(tree, i):
    """Tell whether body i turns freely about its own origin, with nothing but its inertia."""
    j = tree.u_start[i]
    turns = tree.joint[i] == REVOLUTE and tree.plain[i] == 1
    return turns and tree.driven[j] < 0 and tree.armature[j] == 0.0


@fused_kernel
def is_single(tree, i):
    """Tell whether body i has one velocity, and that one is free."""
    j = tree.u_start[i]
    return tree.u_start[i + 1] - j == 1 and tree.driven[j] < 0


@fused_kernel
def place_bodies(m, w, q, u):
    """Write rotation, place, velocity and zeta of all bodies, from the root on. (T-3.16)"""
    tree, rows, room = m.tree, rows_of(m, w), sines_of(m, w)
    sine, cosine = room[0], room[1]
    ground = rows[m.n_bodies]
    ground[COS], ground[SIN], ground[OMEGA] = 1.0, 0.0, 0.0
    c, s, omega = 1.0, 0.0, 0.0
    for i in range(m.n_bodies):
        b, p = rows[i], tree.parent[i]
        if p != i - 1:
            # mostly the parent is the body before, and its numbers are at hand
            c, s, omega = rows[p, COS], rows[p, SIN], rows[p, OMEGA]
        b[BELOW] = 0.0
        if is_hinge(tree, i):
            b[KIND] = HINGE
            k, r = tree.q_start[i], tree.r_parent[i]
            x, y = c * r[0] - s * r[1], s * r[0] + c * r[1]
            square = omega * omega
            b[D_X], b[D_Y], b[ZETA_X], b[ZETA_Y] = x, y, -square * x, -square * y
            c, s = c * cosine[k] - s * sine[k], s * cosine[k] + c * sine[k]
            omega += u[tree.u_start[i]]
            b[COS], b[SIN], b[OMEGA] = c, s, omega
        else:
            b[KIND] = SINGLE if is_single(tree, i) else WIDE
            if tree.joint[i] == PLANAR and tree.reverse[i] == 1:
                place_against(m, w, i, b, rows[p], q, u, sine, cosine)
            else:
                place_body(m, w, i, b, rows[p], q, u, sine, cosine)
            c, s, omega = b[COS], b[SIN], b[OMEGA]


@fused_kernel
def _reduce_hinge(b, xx, xy, yy, hx, hy, inertia, px, py, pa, tau):
    """Return what a hinge hands on to its parent, at the origin of the body. (T-3.18)

    Keeps h, D^-1 and tau - P_A for the way back.
    """
    inverse = 1.0 / inertia
    zx, zy, free = b[ZETA_X], b[ZETA_Y], tau - pa
    b[H_X], b[H_Y], b[D_INVERSE], b[TAU] = hx, hy, inverse, free
    vx, vy = hx * inverse, hy * inverse
    xx, xy, yy = xx - hx * vx, xy - hx * vy, yy - hy * vy
    px += xx * zx + xy * zy + vx * free
    py += xy * zx + yy * zy + vy * free
    return xx, xy, yy, px, py


@fused_kernel
def _keep_below(b, xx, xy, yy, hx, hy, inertia, px, py, pa):
    """Add what a child hands on to the row of its parent, which is not the body before it."""
    if b[BELOW] == 0.0:
        b[BELOW] = 1.0
        b[XX], b[XY], b[YY], b[H_X], b[H_Y], b[J] = xx, xy, yy, hx, hy, inertia
        b[P_X], b[P_Y], b[P_A] = px, py, pa
        return
    b[XX] += xx
    b[XY] += xy
    b[YY] += yy
    b[H_X] += hx
    b[H_Y] += hy
    b[J] += inertia
    b[P_X] += px
    b[P_Y] += py
    b[P_A] += pa


@fused_kernel
def reduce_bodies(m, w, loaded):
    """Write articulated inertias and biases from the leaves on; return a status. (T-3.17) (T-3.18)

    Joint forces are w.Q and wrenches w.f_ext where the model is loaded, else zero.
    """
    tree, rows, gx, gy = m.tree, rows_of(m, w), m.gravity[0], m.gravity[1]
    xx = xy = yy = hx = hy = inertia = px = py = pa = 0.0  # handed on to the body at hand
    for i in range(m.n_bodies - 1, -1, -1):
        b, p, j = rows[i], tree.parent[i], tree.u_start[i]
        mass, com, square = tree.mass[i], tree.com[i], b[OMEGA] * b[OMEGA]
        mx = mass * (b[COS] * com[0] - b[SIN] * com[1])
        my = mass * (b[SIN] * com[0] + b[COS] * com[1])
        xx, yy, hx, hy, inertia = (
            xx + mass,
            yy + mass,
            hx - my,
            hy + mx,
            inertia + tree.inertia[i, 2, 2],
        )
        px -= square * mx + mass * gx
        py -= square * my + mass * gy
        pa -= mx * gy - my * gx
        if loaded:
            px, py, pa = px - w.f_ext[i, 0], py - w.f_ext[i, 1], pa - w.f_ext[i, 5]
        if b[BELOW] != 0.0:
            xx, xy, yy, hx, hy = xx + b[XX], xy + b[XY], yy + b[YY], hx + b[H_X], hy + b[H_Y]
            inertia, px, py, pa = inertia + b[J], px + b[P_X], py + b[P_Y], pa + b[P_A]
        x, y = b[D_X], b[D_Y]
        if b[KIND] == HINGE:
            if not inertia > 0.0:
                w.culprit[0] = j
                return SINGULAR_MASS
            tau = w.Q[j] if loaded else 0.0
            xx, xy, yy, px, py = _reduce_hinge(b, xx, xy, yy, hx, hy, inertia, px, py, pa, tau)
            hx, hy = xy * x - xx * y, yy * x - xy * y
            inertia, pa = x * hy - y * hx, tau + x * py - y * px
        else:
            b[XX], b[XY], b[YY], b[H_X], b[H_Y], b[J] = xx, xy, yy, hx, hy, inertia
            b[P_X], b[P_Y], b[P_A] = px, py, pa
            if b[KIND] == SINGLE:
                status = reduce_single(m, w, i, b, loaded)
            else:
                status = reduce_wide(m, w, i, b, loaded)
            if status != OK:
                return status
            xx, xy, yy, px, py = b[XX], b[XY], b[YY], b[P_X], b[P_Y]
            hx, hy = b[H_X] + xy * x - xx * y, b[H_Y] + yy * x - xy * y
            inertia = b[J] + x * (b[H_Y] + hy) - y * (b[H_X] + hx)
            pa = b[P_A] + x * py - y * px
        if p != i - 1:
            _keep_below(rows[p], xx, xy, yy, hx, hy, inertia, px, py, pa)
            xx = xy = yy = hx = hy = inertia = px = py = pa = 0.0
    return OK


@fused_kernel
def accelerate_bodies(m, w, u_dot):
    """Write u_dot of all velocities from the root on. (T-3.19)"""
    tree, rows = m.tree, rows_of(m, w)
    ground = rows[m.n_bodies]
    ground[A_X], ground[A_Y], ground[A_A] = 0.0, 0.0, 0.0
    ax = ay = alpha = 0.0
    for i in range(m.n_bodies):
        b, p = rows[i], tree.parent[i]
        if p != i - 1:
            ax, ay, alpha = rows[p, A_X], rows[p, A_Y], rows[p, A_A]
        ax, ay = ax - alpha * b[D_Y] + b[ZETA_X], ay + alpha * b[D_X] + b[ZETA_Y]
        if b[KIND] == HINGE:
            total = b[D_INVERSE] * (b[TAU] - b[H_X] * ax - b[H_Y] * ay)
            u_dot[tree.u_start[i]] = total - alpha
            alpha = total
            b[A_X], b[A_Y], b[A_A] = ax, ay, alpha
        else:
            b[A_X], b[A_Y], b[A_A] = ax, ay, alpha + b[ZETA_A]
            if b[KIND] == SINGLE:
                accelerate_single(m, w, i, b, u_dot)
            else:
                accelerate_wide(m, w, i, b, u_dot)
            ax, ay, alpha = b[A_X], b[A_Y], b[A_A]
