"""Relative kinematics of the joints: pose, motion columns and bias in the first joint axes.

Every joint gives the rotation R and the displacement d of its second frame in the first, the
columns S (displacement rate, angular velocity) per unit velocity, and the bias dS/dt u.
"""

import math

from cornerlaw.arrays.kinds import (
    CYLINDRICAL,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SCREW,
    SPHERICAL,
    TRANSLATION_2,
    TRANSLATION_3,
    UNIVERSAL,
    USER_JOINT,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.rotations import eval_rotation
from cornerlaw.kernels.slots import call_slot


@kernel
def _turn_about_z(angle, R):
    c, s = math.cos(angle), math.sin(angle)
    R[0, 0], R[0, 1] = c, -s
    R[1, 0], R[1, 1] = s, c


@kernel
def _reset(R, d, S, bias, n):
    for i in range(3):
        for j in range(3):
            R[i, j] = 1.0 if i == j else 0.0
        d[i] = 0.0
    for i in range(6):
        bias[i] = 0.0
        for j in range(n):
            S[i, j] = 0.0


@kernel
def eval_joint(kind, parameter, address, q, u, slot_in, slot_out, R, d, S, bias):
    """Write R, d, S (6 x n), bias of a joint with coordinates q and velocities u.

    (T-2.1) (T-2.2)
    """
    n = u.size
    _reset(R, d, S, bias, n)
    if kind == REVOLUTE:
        _turn_about_z(q[0], R)
        S[5, 0] = 1.0
    elif kind == PRISMATIC:
        d[2] = q[0]
        S[2, 0] = 1.0
    elif kind == SCREW:
        _turn_about_z(q[0], R)
        d[2] = parameter * q[0]
        S[2, 0] = parameter
        S[5, 0] = 1.0
    elif kind == CYLINDRICAL:
        _turn_about_z(q[0], R)
        d[2] = q[1]
        S[5, 0] = 1.0
        S[2, 1] = 1.0
    elif kind == UNIVERSAL:
        # R = Rx(q0) Ry(q1): the first axis stays with the first body, the second with the second
        c0, s0, c1, s1 = math.cos(q[0]), math.sin(q[0]), math.cos(q[1]), math.sin(q[1])
        R[0, 0], R[0, 1], R[0, 2] = c1, 0.0, s1
        R[1, 0], R[1, 1], R[1, 2] = s0 * s1, c0, -s0 * c1
        R[2, 0], R[2, 1], R[2, 2] = -c0 * s1, s0, c0 * c1
        S[3, 0] = 1.0
        S[4, 1] = c0
        S[5, 1] = s0
        bias[4] = -s0 * u[0] * u[1]
        bias[5] = c0 * u[0] * u[1]
    elif kind == SPHERICAL:
        # velocities in second joint axes: S = R, and dR/dt u = R (u x u) = 0
        eval_rotation(q, R)
        for i in range(3):
            for j in range(3):
                S[3 + i, j] = R[i, j]
    elif kind == PLANAR:
        d[0], d[1] = q[0], q[1]
        _turn_about_z(q[2], R)
        S[0, 0] = 1.0
        S[1, 1] = 1.0
        S[5, 2] = 1.0
    elif kind == FREE:
        for i in range(3):
            d[i] = q[i]
            S[i, i] = 1.0
        eval_rotation(q[3:7], R)
        for i in range(3):
            for j in range(3):
                S[3 + i, 3 + j] = R[i, j]
    elif kind == TRANSLATION_2 or kind == TRANSLATION_3:
        for i in range(n):
            d[i] = q[i]
            S[i, i] = 1.0
    elif kind == USER_JOINT:
        _eval_user_joint(address, q, u, slot_in, slot_out, R, d, S, bias)


@kernel
def _eval_user_joint(address, q, u, slot_in, slot_out, R, d, S, bias):
    """Call the user's kinematics: out holds R (9), d (3), S (6 n, by rows), bias (6). (T-2.1)"""
    n = u.size
    for i in range(n):
        slot_in[i] = q[i]
        slot_in[n + i] = u[i]
    call_slot(address, slot_in[: 2 * n], slot_in[:0], slot_out[: 18 + 6 * n])
    for i in range(3):
        d[i] = slot_out[9 + i]
        for j in range(3):
            R[i, j] = slot_out[3 * i + j]
    for i in range(6):
        bias[i] = slot_out[12 + 6 * n + i]
        for j in range(n):
            S[i, j] = slot_out[12 + n * i + j]
