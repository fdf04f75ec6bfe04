"""The stages of a tree in the plane that has rows: kinematics, factor, accelerations, inverse.

They write what the stages of space write, in the components that the plane has: x and y of
positions, velocities and forces, z of rotations and moments. All others are zero once and for all,
so that rows, contacts, forces and results read the same arrays as in space. (T-3.16) to (T-3.19)
"""

from cornerlaw.arrays.kinds import PLANAR
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels.blocks import subtract_driven
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import multiply
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
    SIN,
    SINGLE,
    ZETA_A,
    ZETA_X,
    ZETA_Y,
    rows_of,
    sines_of,
)
from cornerlaw.kernels.planar.sines import write_sines
from cornerlaw.kernels.planar.single import invert_single, push_single
from cornerlaw.kernels.planar.tree import (
    accelerate_bodies,
    is_hinge,
    place_bodies,
    reduce_bodies,
)
from cornerlaw.kernels.planar.wide import invert_wide, push_wide


@fused_kernel
def _write_bodies(m, w, u):
    """Write r, A, v, Omega, d, S and zeta of all bodies from their rows."""
    tree, rows = m.tree, rows_of(m, w)
    for i in range(m.n_bodies):
        b, p, first = rows[i], tree.parent[i], tree.u_start[i]
        r, v, A, zeta, r_p, v_p = w.r[i], w.v[i], w.A[i], w.zeta[i], w.r[p], w.v[p]
        x, y, omega = b[D_X], b[D_Y], w.Omega[p, 2]
        w.d[i, 0], w.d[i, 1], w.Omega[i, 2] = x, y, b[OMEGA]
        r[0], r[1] = r_p[0] + x, r_p[1] + y
        A[0, 0], A[0, 1], A[1, 0], A[1, 1], A[2, 2] = b[COS], -b[SIN], b[SIN], b[COS], 1.0
        zeta[0], zeta[1] = b[ZETA_X], b[ZETA_Y]
        vx, vy = v_p[0] - omega * y, v_p[1] + omega * x
        if b[KIND] == HINGE:
            S = w.S[first]
            S[0], S[1], S[5], zeta[5] = 0.0, 0.0, 1.0, 0.0
        else:
            zeta[5] = b[ZETA_A]
            for j in range(first, tree.u_start[i + 1]):
                vx += w.S[j, 0] * u[j]
                vy += w.S[j, 1] * u[j]
        v[0], v[1] = vx, vy


@inlined
def _turn_frame(A, B, F):
    """Write the axes of a marker: those of its body times its own."""
    c, s = A[0, 0], A[1, 0]
    if B[2, 2] == 1.0:
        F[0, 0], F[0, 1] = c * B[0, 0] - s * B[1, 0], c * B[0, 1] - s * B[1, 1]
        F[1, 0], F[1, 1] = s * B[0, 0] + c * B[1, 0], s * B[0, 1] + c * B[1, 1]
        F[2, 2] = 1.0
    else:
        # the axes of a joint need not be those of the plane
        multiply(A, B, F)


@fused_kernel
def _write_frames(m, w):
    """Write pose and velocity of all markers, between quiet steps of those that stages look at.

    (T-2.13)
    """
    frames, quiet = m.frames, w.quiet[0] == 1
    for i in range(m.n_seen if quiet else frames.body.size):
        k = frames.body[i]
        A = w.A[k]
        _turn_frame(A, frames.A[i], w.frame_A[i])
        c, s = A[0, 0], A[1, 0]
        p, r, v, omega = frames.r[i], w.frame_r[i], w.frame_v[i], w.Omega[k, 2]
        x, y = c * p[0] - s * p[1], s * p[0] + c * p[1]
        r[0], r[1], r[2] = w.r[k, 0] + x, w.r[k, 1] + y, p[2]
        v[0], v[1] = w.v[k, 0] - omega * y, w.v[k, 1] + omega * x
        w.frame_Omega[i, 2] = omega


@fused_kernel
def eval_planar_places(m, w, q, u):
    """Write poses of all bodies and of the markers that stages look at; the velocities u are zero.

    What else kinematics writes stays that of another state, or nonsense. Needs kinematics before,
    at any state: the ground and what is zero in the plane stand as they were. (T-3.16)
    """
    w.pose[0] += 1
    tree, rows, room = m.tree, rows_of(m, w), sines_of(m, w)
    write_sines(q, tree.q_start[m.n_bodies], room)
    sine, cosine = room[0], room[1]
    for i in range(m.n_bodies):
        b, p = rows[i], tree.parent[i]
        if is_hinge(tree, i):
            k, r_p, c, s = tree.q_start[i], tree.r_parent[i], rows[p, COS], rows[p, SIN]
            b[D_X], b[D_Y] = c * r_p[0] - s * r_p[1], s * r_p[0] + c * r_p[1]
            b[COS], b[SIN] = c * cosine[k] - s * sine[k], s * cosine[k] + c * sine[k]
        elif tree.joint[i] == PLANAR and tree.reverse[i] == 1:
            place_against(m, w, i, b, rows[p], q, u, sine, cosine)
        else:
            place_body(m, w, i, b, rows[p], q, u, sine, cosine)
        A = w.A[i]
        A[0, 0], A[0, 1], A[1, 0], A[1, 1] = b[COS], -b[SIN], b[SIN], b[COS]
        w.r[i, 0], w.r[i, 1] = w.r[p, 0] + b[D_X], w.r[p, 1] + b[D_Y]
    frames = m.frames
    for i in range(m.n_seen):
        k = frames.body[i]
        if k == m.n_bodies:
            continue
        A, p_i = w.A[k], frames.r[i]
        _turn_frame(A, frames.A[i], w.frame_A[i])
        w.frame_r[i, 0] = w.r[k, 0] + (A[0, 0] * p_i[0] - A[1, 0] * p_i[1])
        w.frame_r[i, 1] = w.r[k, 1] + (A[1, 0] * p_i[0] + A[0, 0] * p_i[1])
    return OK


@fused_kernel
def eval_planar_kinematics(m, w, q, u):
    """Write poses, velocities, columns and zeta of all bodies, poses and velocities of markers."""
    w.pose[0] += 1
    write_sines(q, m.tree.q_start[m.n_bodies], sines_of(m, w))
    place_bodies(m, w, q, u)
    _write_bodies(m, w, u)
    _write_frames(m, w)
    return OK


@fused_kernel
def factor_planar(m, w):
    """Factor the mass matrix and condense the forces; needs kinematics and applied wrenches."""
    rows = rows_of(m, w)
    for i in range(m.n_bodies):
        rows[i, BELOW] = 0.0
    status = reduce_bodies(m, w, True)
    if status == OK and m.blocks.n.size > 0:
        status = call(m.stages.factor_blocks, m, w)
    return status


@fused_kernel
def accelerate_planar(m, w, u_dot):
    """Write u_dot without row forces, and the body accelerations; follows the factor at once."""
    rows = rows_of(m, w)
    accelerate_bodies(m, w, u_dot)
    for i in range(m.n_bodies):
        a, b = w.acc[i], rows[i]
        a[0], a[1], a[5] = b[A_X], b[A_Y], b[A_A]
    for k in range(6):
        w.acc[m.n_bodies, k] = 0.0
    if m.blocks.n.size > 0:
        subtract_driven(m, w)
        call(m.stages.invert_blocks, m, w, w.b, u_dot)
        for k in range(m.tree.u_start[m.n_bodies], m.nu):
            u_dot[k] += w.u_dot_driven[k]
    return OK


@fused_kernel
def invert_planar(m, w, b, y):
    """Write y = M^-1 b, zero on prescribed velocities; overwrites w.wrench, w.tau, w.acc. (T-3.15)

    w.tau holds the forces of the accelerations before: those come first.
    """
    tree, rows, P, acc, ground = m.tree, rows_of(m, w), w.wrench, w.acc, m.n_bodies
    for i in range(ground + 1):
        P[i, 0], P[i, 1], P[i, 5] = 0.0, 0.0, 0.0
    for i in range(ground - 1, -1, -1):
        row, f, g = rows[i], P[i], P[tree.parent[i]]
        if row[KIND] == HINGE:
            j = tree.u_start[i]
            free = b[j] - f[5]
            force = row[D_INVERSE] * free
            w.tau[j] = free
            # the moment that a hinge hands on is the one that acts in it
            fx, fy, moment = f[0] + row[H_X] * force, f[1] + row[H_Y] * force, b[j]
        elif row[KIND] == SINGLE:
            fx, fy, moment = push_single(m, w, i, b, f)
        else:
            fx, fy, moment = push_wide(m, w, i, b, f)
        g[0] += fx
        g[1] += fy
        g[5] += moment + row[D_X] * fy - row[D_Y] * fx
    acc[ground, 0], acc[ground, 1], acc[ground, 5] = 0.0, 0.0, 0.0
    for i in range(ground):
        row, a, a_p = rows[i], acc[i], acc[tree.parent[i]]
        alpha = a_p[5]
        ax, ay = a_p[0] - alpha * row[D_Y], a_p[1] + alpha * row[D_X]
        a[0], a[1], a[5] = ax, ay, alpha
        if row[KIND] == HINGE:
            j = tree.u_start[i]
            total = row[D_INVERSE] * (w.tau[j] - row[H_X] * ax - row[H_Y] * ay)
            y[j] = total - alpha
            a[5] = total
        elif row[KIND] == SINGLE:
            invert_single(m, w, i, a, y)
        else:
            invert_wide(m, w, i, a, y)
    if m.blocks.n.size > 0:
        call(m.stages.invert_blocks, m, w, b, y)
    return OK
