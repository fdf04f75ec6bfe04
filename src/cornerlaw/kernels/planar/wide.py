"""Bodies in the plane with any number of free and prescribed velocities: the general node.

Columns S, U = I S and D^-1 stand where space has them (w.S, w.U, w.D_inverse). (T-3.8) to (T-3.13)
"""

from cornerlaw.arrays.status import OK, SINGULAR_MASS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.planar.nodes import (
    A_A,
    A_X,
    A_Y,
    H_X,
    H_Y,
    P_A,
    P_X,
    P_Y,
    XX,
    XY,
    YY,
    ZETA_A,
    ZETA_X,
    ZETA_Y,
    J,
)
from cornerlaw.kernels.planar.single import factor_single, multiply_row
from cornerlaw.kernels.tree import find_free


@kernel
def _invert(D, n):
    """Overwrite a symmetric matrix of order up to 3 by its inverse; return the bad pivot or -1.

    Gauss-Jordan without pivoting, which a positive definite matrix allows.
    """
    for k in range(n):
        scale = abs(D[k, k])
        for c in range(n):
            scale = max(scale, abs(D[k, c]))
        if not D[k, k] > 1e-14 * scale:
            return k
        inverse = 1.0 / D[k, k]
        D[k, k] = 1.0
        for c in range(n):
            D[k, c] *= inverse
        for r in range(n):
            if r != k:
                factor = D[r, k]
                D[r, k] = 0.0
                for c in range(n):
                    D[r, c] -= factor * D[k, c]
    return -1


@kernel
def _factor(m, w, i, b, n):
    """Write U and D^-1 of the n free velocities and reduce the inertia; return a status."""
    D = w.D_inverse[i]
    if n == 1:
        return factor_single(m, w, b, w.free[0], D)
    for k in range(n):
        S, U = w.S[w.free[k]], w.U[w.free[k]]
        U[0], U[1], U[5] = multiply_row(b, S[0], S[1], S[5])
        for c in range(k + 1):
            T = w.S[w.free[c]]
            D[k, c] = U[0] * T[0] + U[1] * T[1] + U[5] * T[5]
            D[c, k] = D[k, c]
        D[k, k] += m.tree.armature[w.free[k]]
    bad = _invert(D, n)
    if bad >= 0:
        w.culprit[0] = w.free[bad]
        return SINGULAR_MASS
    for k in range(n):
        U = w.U[w.free[k]]
        for c in range(n):
            V, factor = w.U[w.free[c]], D[k, c]
            b[XX] -= U[0] * factor * V[0]
            b[XY] -= U[0] * factor * V[1]
            b[YY] -= U[1] * factor * V[1]
            b[H_X] -= U[0] * factor * V[5]
            b[H_Y] -= U[1] * factor * V[5]
            b[J] -= U[5] * factor * V[5]
    return OK


@kernel
def _add_driven(m, w, i, b):
    """Add prescribed accelerations to zeta."""
    tree = m.tree
    for j in range(tree.u_start[i], tree.u_start[i + 1]):
        if tree.driven[j] >= 0:
            S, rate = w.S[j], w.u_dot_driven[j]
            b[ZETA_X] += S[0] * rate
            b[ZETA_Y] += S[1] * rate
            b[ZETA_A] += S[5] * rate


@kernel
def reduce_wide(m, w, i, b, loaded):
    """Overwrite inertia and bias of body i by what it hands on, at its origin; return a status."""
    n = find_free(m, w, i)
    _add_driven(m, w, i, b)
    status = _factor(m, w, i, b, n)
    if status != OK:
        return status
    px, py, pa = multiply_row(b, b[ZETA_X], b[ZETA_Y], b[ZETA_A])
    for k in range(n):
        j, S = w.free[k], w.S[w.free[k]]
        tau = w.Q[j] if loaded else 0.0
        w.tau[j] = tau - (S[0] * b[P_X] + S[1] * b[P_Y] + S[5] * b[P_A])
    for k in range(n):
        force = 0.0
        for c in range(n):
            force += w.D_inverse[i, k, c] * w.tau[w.free[c]]
        U = w.U[w.free[k]]
        px, py, pa = px + U[0] * force, py + U[1] * force, pa + U[5] * force
    b[P_X] += px
    b[P_Y] += py
    b[P_A] += pa
    return OK


@kernel
def accelerate_wide(m, w, i, b, u_dot):
    """Write u_dot of body i from its acceleration without them, then add them to it."""
    tree = m.tree
    n = find_free(m, w, i)
    for j in range(tree.u_start[i], tree.u_start[i + 1]):
        if tree.driven[j] >= 0:
            u_dot[j] = w.u_dot_driven[j]
    for k in range(n):
        j = w.free[k]
        U = w.U[j]
        w.node_y[k] = w.tau[j] - (U[0] * b[A_X] + U[1] * b[A_Y] + U[5] * b[A_A])
    for k in range(n):
        rate = 0.0
        for c in range(n):
            rate += w.D_inverse[i, k, c] * w.node_y[c]
        u_dot[w.free[k]] = rate
    for k in range(n):
        j = w.free[k]
        S, rate = w.S[j], u_dot[j]
        b[A_X] += S[0] * rate
        b[A_Y] += S[1] * rate
        b[A_A] += S[5] * rate


@kernel
def push_wide(m, w, i, b, f):
    """Return what body i hands on of a wrench f on it and the forces b of its velocities."""
    n = find_free(m, w, i)
    fx, fy, moment = f[0], f[1], f[5]
    for k in range(n):
        j, S = w.free[k], w.S[w.free[k]]
        w.tau[j] = b[j] - (S[0] * f[0] + S[1] * f[1] + S[5] * f[5])
    for k in range(n):
        force = 0.0
        for c in range(n):
            force += w.D_inverse[i, k, c] * w.tau[w.free[c]]
        U = w.U[w.free[k]]
        fx, fy, moment = fx + U[0] * force, fy + U[1] * force, moment + U[5] * force
    return fx, fy, moment


@kernel
def invert_wide(m, w, i, a, y):
    """Write y of body i from its acceleration a without its velocities, then add them to a."""
    tree = m.tree
    n = find_free(m, w, i)
    for j in range(tree.u_start[i], tree.u_start[i + 1]):
        if tree.driven[j] >= 0:
            y[j] = 0.0
    for k in range(n):
        U = w.U[w.free[k]]
        w.node_y[k] = w.tau[w.free[k]] - (U[0] * a[0] + U[1] * a[1] + U[5] * a[5])
    for k in range(n):
        rate = 0.0
        for c in range(n):
            rate += w.D_inverse[i, k, c] * w.node_y[c]
        y[w.free[k]] = rate
    for k in range(n):
        S, rate = w.S[w.free[k]], y[w.free[k]]
        a[0] += S[0] * rate
        a[1] += S[1] * rate
        a[5] += S[5] * rate
