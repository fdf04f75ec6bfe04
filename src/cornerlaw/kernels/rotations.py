"""Quaternions (scalar first, unit) and rotation vectors."""

import math

from cornerlaw.kernels._numba import kernel


@kernel
def eval_rotation(e, A):
    """Write the rotation matrix of a unit quaternion: A maps body components to outer ones."""
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    A[0, 0] = 1.0 - 2.0 * (e2 * e2 + e3 * e3)
    A[0, 1] = 2.0 * (e1 * e2 - e0 * e3)
    A[0, 2] = 2.0 * (e1 * e3 + e0 * e2)
    A[1, 0] = 2.0 * (e1 * e2 + e0 * e3)
    A[1, 1] = 1.0 - 2.0 * (e1 * e1 + e3 * e3)
    A[1, 2] = 2.0 * (e2 * e3 - e0 * e1)
    A[2, 0] = 2.0 * (e1 * e3 - e0 * e2)
    A[2, 1] = 2.0 * (e2 * e3 + e0 * e1)
    A[2, 2] = 1.0 - 2.0 * (e1 * e1 + e2 * e2)


@kernel
def eval_quaternion_rate(e, omega, e_dot):
    """Write e_dot = 1/2 e * (0, omega) for an angular velocity in body components. (T-2.3)"""
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    a, b, c = omega[0], omega[1], omega[2]
    e_dot[0] = 0.5 * (-e1 * a - e2 * b - e3 * c)
    e_dot[1] = 0.5 * (e0 * a - e3 * b + e2 * c)
    e_dot[2] = 0.5 * (e3 * a + e0 * b - e1 * c)
    e_dot[3] = 0.5 * (-e2 * a + e1 * b + e0 * c)


@kernel
def advance_quaternion(e, delta, out):
    """Write out = e * exp(delta / 2), a rotation by the vector delta in body components. (T-2.4)"""
    angle = math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2)
    c = math.cos(0.5 * angle)
    # sin(x)/x by its series where the quotient would lose digits
    s = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    a, b, d = s * delta[0], s * delta[1], s * delta[2]
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    out[0] = e0 * c - e1 * a - e2 * b - e3 * d
    out[1] = e0 * a + e1 * c + e2 * d - e3 * b
    out[2] = e0 * b - e1 * d + e2 * c + e3 * a
    out[3] = e0 * d + e1 * b - e2 * a + e3 * c


@kernel
def normalise_quaternion(e):
    """Scale a quaternion to unit length in place. (T-2.5)"""
    s = 1.0 / math.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2 + e[3] ** 2)
    for i in range(4):
        e[i] *= s
