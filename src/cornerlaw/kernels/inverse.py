"""Newton-Euler recursion: joint forces and reactions that belong to given accelerations."""

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.kinematics import eval_bias_accelerations
from cornerlaw.kernels.tree import add_shifted_wrench, eval_body_inertia


@kernel
def eval_reactions(m, w, u_dot, tau):
    """Write the wrench each joint transmits to its body (w.wrench, at the body origin) and
    tau_j = S_j . wrench + armature, the generalised force the joint must supply.

    Needs kinematics and applied wrenches w.f_ext; writes w.acc, w.inertia, w.p as well.
    (T-3.6) (T-3.7)
    """
    tree, nb = m.tree, m.n_bodies
    eval_bias_accelerations(m, w, u_dot, w.acc)
    for k in range(6):
        w.wrench[nb, k] = 0.0
    for i in range(nb):
        eval_body_inertia(m, w, i)
        for a in range(6):
            s = w.p[i, a]
            for b in range(6):
                s += w.inertia[i, a, b] * w.acc[i, b]
            w.wrench[i, a] = s
    for i in range(nb - 1, -1, -1):
        f = w.wrench[i]
        for j in range(tree.u_start[i], tree.u_start[i + 1]):
            S = w.S[j]
            tau[j] = (
                S[0] * f[0] + S[1] * f[1] + S[2] * f[2] + S[3] * f[3] + S[4] * f[4] + S[5] * f[5]
            ) + tree.armature[j] * u_dot[j]
        add_shifted_wrench(f, w.d[i], w.wrench[tree.parent[i]])


@kernel
def add_rod_wrenches(m, w):
    """Add the inertia forces and the weight of slender rods to the applied wrenches.

    On body j: -(a a_j + b a_k) + mass g / 2 at the end point, from the marker accelerations.
    (T-4.7)
    """
    rods = m.rods
    for k in range(rods.mass.size):
        f1, f2, mass = rods.frame_1[k], rods.frame_2[k], rods.mass[k]
        for end in range(2):
            own, other = (f1, f2) if end == 0 else (f2, f1)
            b = m.frames.body[own]
            a0, a1 = w.frame_a[own], w.frame_a[other]
            g = m.gravity
            fx = 0.5 * mass * g[0] - mass / 3.0 * a0[0] - mass / 6.0 * a1[0]
            fy = 0.5 * mass * g[1] - mass / 3.0 * a0[1] - mass / 6.0 * a1[1]
            fz = 0.5 * mass * g[2] - mass / 3.0 * a0[2] - mass / 6.0 * a1[2]
            x = w.frame_r[own, 0] - w.r[b, 0]
            y = w.frame_r[own, 1] - w.r[b, 1]
            z = w.frame_r[own, 2] - w.r[b, 2]
            f = w.f_ext[b]
            f[0] += fx
            f[1] += fy
            f[2] += fz
            f[3] += y * fz - z * fy
            f[4] += z * fx - x * fz
            f[5] += x * fy - y * fx
