"""Bodies in the plane with one free velocity that is no plain hinge: slides, turned joints.

Column S, U = I S and D^-1 stand where space has them (w.S, w.U, w.D_inverse). (T-3.8) to (T-3.13)
"""

from cornerlaw.arrays.status import OK, SINGULAR_MASS
from cornerlaw.kernels._inlined import inlined
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


@inlined
def multiply_row(b, x, y, a):
    """Return the inertia of a body times (x, y, a)."""
    return (
        b[XX] * x + b[XY] * y + b[H_X] * a,
        b[XY] * x + b[YY] * y + b[H_Y] * a,
        b[H_X] * x + b[H_Y] * y + b[J] * a,
    )


@inlined
def factor_single(m, w, b, j, D):
    """Write U and D^-1 of one free velocity and reduce the inertia; return a status."""
    S, U = w.S[j], w.U[j]
    x, y, a = multiply_row(b, S[0], S[1], S[5])
    mass = x * S[0] + y * S[1] + a * S[5] + m.tree.armature[j]
    if not mass > 0.0:
        w.culprit[0] = j
        return SINGULAR_MASS
    inverse = 1.0 / mass
    U[0], U[1], U[5], D[0, 0] = x, y, a, inverse
    b[XX] -= x * inverse * x
    b[XY] -= x * inverse * y
    b[YY] -= y * inverse * y
    b[H_X] -= x * inverse * a
    b[H_Y] -= y * inverse * a
    b[J] -= a * inverse * a
    return OK


@inlined
def reduce_single(m, w, i, b, loaded):
    """Overwrite inertia and bias of body i by what it hands on, at its origin; return a status."""
    j = m.tree.u_start[i]
    status = factor_single(m, w, b, j, w.D_inverse[i])
    if status != OK:
        return status
    px, py, pa = multiply_row(b, b[ZETA_X], b[ZETA_Y], b[ZETA_A])
    S, U = w.S[j], w.U[j]
    tau = w.Q[j] if loaded else 0.0
    free = tau - (S[0] * b[P_X] + S[1] * b[P_Y] + S[5] * b[P_A])
    force = w.D_inverse[i, 0, 0] * free
    w.tau[j] = free
    b[P_X] += px + U[0] * force
    b[P_Y] += py + U[1] * force
    b[P_A] += pa + U[5] * force
    return OK


@inlined
def accelerate_single(m, w, i, b, u_dot):
    """Write u_dot of body i from its acceleration without it, then add it to that."""
    j = m.tree.u_start[i]
    S, U = w.S[j], w.U[j]
    rate = w.D_inverse[i, 0, 0] * (w.tau[j] - (U[0] * b[A_X] + U[1] * b[A_Y] + U[5] * b[A_A]))
    u_dot[j] = rate
    b[A_X] += S[0] * rate
    b[A_Y] += S[1] * rate
    b[A_A] += S[5] * rate


@inlined
def push_single(m, w, i, b, f):
    """Return what body i hands on of a wrench f on it and the force b of its velocity."""
    j = m.tree.u_start[i]
    S, U = w.S[j], w.U[j]
    free = b[j] - (S[0] * f[0] + S[1] * f[1] + S[5] * f[5])
    force = w.D_inverse[i, 0, 0] * free
    w.tau[j] = free
    return f[0] + U[0] * force, f[1] + U[1] * force, f[5] + U[5] * force


@inlined
def invert_single(m, w, i, a, y):
    """Write y of body i from its acceleration a without its velocity, then add it to a."""
    j = m.tree.u_start[i]
    S, U = w.S[j], w.U[j]
    rate = w.D_inverse[i, 0, 0] * (w.tau[j] - (U[0] * a[0] + U[1] * a[1] + U[5] * a[5]))
    y[j] = rate
    a[0] += S[0] * rate
    a[1] += S[1] * rate
    a[5] += S[5] * rate
