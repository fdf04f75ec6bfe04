"""Forward dynamics of the tree in O(n): articulated inertias in world axes at the body origins.

For body i with articulated inertia I and bias p, free columns S, U = I S, D = S^T U + armature:

    u_dot    = D^-1 (tau - S^T p - U^T (X a_p + zeta))
    I_parent += X^T (I - U D^-1 U^T) X
    p_parent += X^T (p + (I - U D^-1 U^T) zeta + U D^-1 (tau - S^T p))

with X a = (a + alpha x d, alpha). Prescribed velocities are moved into zeta.
(T-3.8) to (T-3.13) [Featherstone2008; Pfeiffer2008]
"""

import math

from cornerlaw.arrays.status import OK, SINGULAR_MASS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import factor_cholesky


@kernel
def eval_body_inertia(m, w, i):
    """Write the inertia of body i at its origin in world axes and its velocity-dependent wrench.

    M = [[m E, -m c~], [m c~, I]],  p = (m Omega x (Omega x c), Omega x I Omega) - (F, M)_applied.
    (T-3.2) (T-3.3)
    """
    tree = m.tree
    A, Ib, mass = w.A[i], tree.inertia[i], tree.mass[i]
    x, y, z = tree.com[i, 0], tree.com[i, 1], tree.com[i, 2]
    cx = mass * (A[0, 0] * x + A[0, 1] * y + A[0, 2] * z)
    cy = mass * (A[1, 0] * x + A[1, 1] * y + A[1, 2] * z)
    cz = mass * (A[2, 0] * x + A[2, 1] * y + A[2, 2] * z)
    M = w.inertia[i]
    for a in range(3):
        for b in range(3):
            M[a, b] = 0.0
        M[a, a] = mass
    M[0, 3], M[0, 4], M[0, 5] = 0.0, cz, -cy
    M[1, 3], M[1, 4], M[1, 5] = -cz, 0.0, cx
    M[2, 3], M[2, 4], M[2, 5] = cy, -cx, 0.0
    for a in range(3):
        for b in range(3):
            M[3 + a, b] = M[b, 3 + a]
    for a in range(3):
        t0 = A[a, 0] * Ib[0, 0] + A[a, 1] * Ib[1, 0] + A[a, 2] * Ib[2, 0]
        t1 = A[a, 0] * Ib[0, 1] + A[a, 1] * Ib[1, 1] + A[a, 2] * Ib[2, 1]
        t2 = A[a, 0] * Ib[0, 2] + A[a, 1] * Ib[1, 2] + A[a, 2] * Ib[2, 2]
        for b in range(a + 1):
            value = t0 * A[b, 0] + t1 * A[b, 1] + t2 * A[b, 2]
            M[3 + a, 3 + b] = value
            M[3 + b, 3 + a] = value
    ox, oy, oz = w.Omega[i, 0], w.Omega[i, 1], w.Omega[i, 2]
    hx, hy, hz = oy * cz - oz * cy, oz * cx - ox * cz, ox * cy - oy * cx
    Lx = M[3, 3] * ox + M[3, 4] * oy + M[3, 5] * oz
    Ly = M[4, 3] * ox + M[4, 4] * oy + M[4, 5] * oz
    Lz = M[5, 3] * ox + M[5, 4] * oy + M[5, 5] * oz
    gx, gy, gz = m.gravity[0], m.gravity[1], m.gravity[2]
    p, f = w.p[i], w.f_ext[i]
    p[0] = oy * hz - oz * hy - mass * gx - f[0]
    p[1] = oz * hx - ox * hz - mass * gy - f[1]
    p[2] = ox * hy - oy * hx - mass * gz - f[2]
    p[3] = oy * Lz - oz * Ly - (cy * gz - cz * gy) - f[3]
    p[4] = oz * Lx - ox * Lz - (cz * gx - cx * gz) - f[4]
    p[5] = ox * Ly - oy * Lx - (cx * gy - cy * gx) - f[5]


@kernel
def add_shifted_inertia(I, d, out):
    """Add X^T I X to out, the inertia seen from a point that lies -d away. (T-3.5)"""
    x, y, z = d[0], d[1], d[2]
    # H' = H - M d~, J' = J + d~ H' + (d~ H)^T with the blocks M, H, J of I
    for a in range(3):
        m0, m1, m2 = I[a, 0], I[a, 1], I[a, 2]
        out[a, 0] += m0
        out[a, 1] += m1
        out[a, 2] += m2
        h0 = I[a, 3] - (m1 * z - m2 * y)
        h1 = I[a, 4] - (m2 * x - m0 * z)
        h2 = I[a, 5] - (m0 * y - m1 * x)
        out[a, 3] += h0
        out[a, 4] += h1
        out[a, 5] += h2
        out[3, a] += h0
        out[4, a] += h1
        out[5, a] += h2
    for b in range(3):
        # columns of d~ H' and d~ H
        H0, H1, H2 = I[0, 3 + b], I[1, 3 + b], I[2, 3 + b]
        if b == 0:
            s0, s1, s2 = (
                I[0, 1] * z - I[0, 2] * y,
                I[1, 1] * z - I[1, 2] * y,
                I[2, 1] * z - I[2, 2] * y,
            )
        elif b == 1:
            s0, s1, s2 = (
                I[0, 2] * x - I[0, 0] * z,
                I[1, 2] * x - I[1, 0] * z,
                I[2, 2] * x - I[2, 0] * z,
            )
        else:
            s0, s1, s2 = (
                I[0, 0] * y - I[0, 1] * x,
                I[1, 0] * y - I[1, 1] * x,
                I[2, 0] * y - I[2, 1] * x,
            )
        P0, P1, P2 = H0 - s0, H1 - s1, H2 - s2
        out[3, 3 + b] += I[3, 3 + b] + y * P2 - z * P1
        out[4, 3 + b] += I[4, 3 + b] + z * P0 - x * P2
        out[5, 3 + b] += I[5, 3 + b] + x * P1 - y * P0
        out[3 + b, 3] += y * H2 - z * H1
        out[3 + b, 4] += z * H0 - x * H2
        out[3 + b, 5] += x * H1 - y * H0


@kernel
def add_shifted_wrench(f, d, out):
    """Add X^T f to out: the same wrench, seen from a point that lies -d away. (T-3.4)"""
    out[0] += f[0]
    out[1] += f[1]
    out[2] += f[2]
    out[3] += f[3] + d[1] * f[2] - d[2] * f[1]
    out[4] += f[4] + d[2] * f[0] - d[0] * f[2]
    out[5] += f[5] + d[0] * f[1] - d[1] * f[0]


@kernel
def find_free(m, w, i):
    """List the free velocities of node i in w.free and return their number."""
    n = 0
    for j in range(m.tree.u_start[i], m.tree.u_start[i + 1]):
        if m.tree.driven[j] < 0:
            w.free[n] = j
            n += 1
    return n


@kernel
def _factor_node(m, w, i, n):
    """Write U and D^-1 of node i for its n free velocities and reduce IA to what is seen below.

    (T-3.8) (T-3.9)
    """
    I = w.IA[i]
    if n == 1:
        j = w.free[0]
        S, U = w.S[j], w.U[j]
        D = m.tree.armature[j]
        scale = D
        for a in range(6):
            s = 0.0
            for b in range(6):
                s += I[a, b] * S[b]
            U[a] = s
            D += S[a] * s
            scale += abs(S[a] * s)
        # a free coordinate that moves no inertia cannot be accelerated
        if not D > 1e-14 * scale:
            w.culprit[0] = j
            return SINGULAR_MASS
        w.D_inverse[i, 0, 0] = 1.0 / D
        k = math.sqrt(1.0 / D)
        u0, u1, u2, u3, u4, u5 = k * U[0], k * U[1], k * U[2], k * U[3], k * U[4], k * U[5]
        for a in range(6):
            ua = k * U[a]
            I[a, 0] -= ua * u0
            I[a, 1] -= ua * u1
            I[a, 2] -= ua * u2
            I[a, 3] -= ua * u3
            I[a, 4] -= ua * u4
            I[a, 5] -= ua * u5
        return OK
    return call(m.stages.factor_node, m, w, i, n)


@kernel
def factor_node_general(m, w, i, n):
    """Do the same for a node with several free velocities."""
    I, Dinv, L, free, node_y = w.IA[i], w.D_inverse[i], w.node_L, w.free, w.node_y
    for k in range(n):
        S, U = w.S[free[k]], w.U[free[k]]
        for a in range(6):
            s = 0.0
            for b in range(6):
                s += I[a, b] * S[b]
            U[a] = s
    for k in range(n):
        S = w.S[free[k]]
        for c in range(k + 1):
            U, s = w.U[free[c]], 0.0
            for a in range(6):
                s += S[a] * U[a]
            Dinv[k, c] = s
        Dinv[k, k] += m.tree.armature[free[k]]
    bad = factor_cholesky(Dinv, n, L)
    if bad >= 0:
        w.culprit[0] = free[bad]
        return SINGULAR_MASS
    # columns of the inverse from unit vectors
    for c in range(n):
        for k in range(n):
            s = 1.0 if k == c else 0.0
            for b in range(k):
                s -= L[k, b] * node_y[b]
            node_y[k] = s / L[k, k]
        for k in range(n - 1, -1, -1):
            s = node_y[k]
            for b in range(k + 1, n):
                s -= L[b, k] * node_y[b]
            node_y[k] = s / L[k, k]
        for k in range(n):
            Dinv[k, c] = node_y[k]
    if m.tree.parent[i] == m.n_bodies:
        # nobody asks what the ground has to carry
        return OK
    for a in range(6):
        for b in range(a + 1):
            s = 0.0
            for k in range(n):
                for c in range(n):
                    s += w.U[w.free[k], a] * Dinv[k, c] * w.U[w.free[c], b]
            I[a, b] -= s
            if a != b:
                I[b, a] = I[a, b]
    return OK


@kernel
def factor_tree(m, w):
    """Write body inertias, bias wrenches w.p, articulated inertias, U and D^-1; return a status.

    (T-3.8) (T-3.9) [Featherstone2008]
    """
    nb = m.n_bodies
    for i in range(nb):
        eval_body_inertia(m, w, i)
        M, I = w.inertia[i], w.IA[i]
        for a in range(6):
            for b in range(6):
                I[a, b] = M[a, b]
    for a in range(6):
        for b in range(6):
            w.IA[nb, a, b] = 0.0
    for i in range(nb - 1, -1, -1):
        n = find_free(m, w, i)
        if n > 0:
            status = _factor_node(m, w, i, n)
            if status != OK:
                return status
        if m.tree.parent[i] < nb:
            add_shifted_inertia(w.IA[i], w.d[i], w.IA[m.tree.parent[i]])
    return OK


@kernel
def solve_tree(m, w, tau, u_dot):
    """Write u_dot of the tree for joint forces tau and the bias wrenches w.p; uses factor_tree.

    Prescribed entries of u_dot are taken from w.u_dot_driven. Overwrites w.wrench, w.tau, w.acc.
    (T-3.10) (T-3.11) (T-3.12) (T-3.13) (T-3.14)
    """
    tree, nb = m.tree, m.n_bodies
    P = w.wrench
    for k in range(6):
        P[nb, k] = 0.0
    for i in range(nb):
        for k in range(6):
            P[i, k] = w.p[i, k]
    for i in range(nb - 1, -1, -1):
        _sweep_back(m, w, i, tau, P, True)
    acc = w.acc
    for k in range(6):
        acc[nb, k] = 0.0
    for i in range(nb):
        p = tree.parent[i]
        d, ap, a = w.d[i], acc[p], acc[i]
        zeta = w.zeta[i]
        a[0] = ap[0] + ap[4] * d[2] - ap[5] * d[1] + zeta[0]
        a[1] = ap[1] + ap[5] * d[0] - ap[3] * d[2] + zeta[1]
        a[2] = ap[2] + ap[3] * d[1] - ap[4] * d[0] + zeta[2]
        a[3] = ap[3] + zeta[3]
        a[4] = ap[4] + zeta[4]
        a[5] = ap[5] + zeta[5]
        for j in range(tree.u_start[i], tree.u_start[i + 1]):
            if tree.driven[j] >= 0:
                u_dot[j] = w.u_dot_driven[j]
                for k in range(6):
                    a[k] += w.S[j, k] * u_dot[j]
        _sweep_forward(m, w, i, a, u_dot)


@kernel
def _sweep_back(m, w, i, tau, P, with_zeta):
    """Condense the wrench of node i onto its parent: w.tau = tau - S^T P, P_parent += X^T (...).

    (T-3.10)
    """
    tree = m.tree
    n = find_free(m, w, i)
    f = P[i]
    for k in range(n):
        j = w.free[k]
        S = w.S[j]
        w.tau[j] = tau[j] - (
            S[0] * f[0] + S[1] * f[1] + S[2] * f[2] + S[3] * f[3] + S[4] * f[4] + S[5] * f[5]
        )
    if with_zeta:
        zeta = w.zeta_total
        for a in range(6):
            zeta[a] = w.zeta[i, a]
        for j in range(tree.u_start[i], tree.u_start[i + 1]):
            if tree.driven[j] >= 0:
                for a in range(6):
                    zeta[a] += w.S[j, a] * w.u_dot_driven[j]
        I = w.IA[i]
        for a in range(6):
            s = 0.0
            for b in range(6):
                s += I[a, b] * zeta[b]
            f[a] += s
    for k in range(n):
        s = 0.0
        for c in range(n):
            s += w.D_inverse[i, k, c] * w.tau[w.free[c]]
        U = w.U[w.free[k]]
        for a in range(6):
            f[a] += U[a] * s
    add_shifted_wrench(f, w.d[i], P[tree.parent[i]])


@kernel
def _sweep_forward(m, w, i, a, u_dot):
    """Write the free u_dot of node i from its acceleration a without them, then add them to a.

    (T-3.12) (T-3.13)
    """
    n = find_free(m, w, i)
    for k in range(n):
        j = w.free[k]
        U = w.U[j]
        w.node_y[k] = w.tau[j] - (
            U[0] * a[0] + U[1] * a[1] + U[2] * a[2] + U[3] * a[3] + U[4] * a[4] + U[5] * a[5]
        )
    for k in range(n):
        s = 0.0
        for c in range(n):
            s += w.D_inverse[i, k, c] * w.node_y[c]
        u_dot[w.free[k]] = s
    for k in range(n):
        j = w.free[k]
        S, rate = w.S[j], u_dot[j]
        for b in range(6):
            a[b] += S[b] * rate


@kernel
def apply_inverse_tree(m, w, b, y):
    """Write y = M^-1 b on the tree's free velocities, zero on prescribed ones; O(n).

    Uses factor_tree. Overwrites w.wrench, w.tau, w.acc. (T-3.15)
    """
    tree, nb = m.tree, m.n_bodies
    P, acc = w.wrench, w.acc
    for i in range(nb + 1):
        for k in range(6):
            P[i, k] = 0.0
    for i in range(nb - 1, -1, -1):
        _sweep_back(m, w, i, b, P, False)
    for k in range(6):
        acc[nb, k] = 0.0
    for i in range(nb):
        p = tree.parent[i]
        d, ap, a = w.d[i], acc[p], acc[i]
        a[0] = ap[0] + ap[4] * d[2] - ap[5] * d[1]
        a[1] = ap[1] + ap[5] * d[0] - ap[3] * d[2]
        a[2] = ap[2] + ap[3] * d[1] - ap[4] * d[0]
        a[3], a[4], a[5] = ap[3], ap[4], ap[5]
        for j in range(tree.u_start[i], tree.u_start[i + 1]):
            if tree.driven[j] >= 0:
                y[j] = 0.0
        _sweep_forward(m, w, i, a, y)
