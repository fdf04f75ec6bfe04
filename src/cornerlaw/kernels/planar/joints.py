"""Joints in the plane: place, velocity and motion columns of a body whose parent is known.

A joint turns the body by sign q about the normal of the plane, moves it along directions fixed in
the parent, or both. With the constant rotation E = A_parent A_child^T between the bodies:

    A_i = A_p R(sign q) E,    d = A_p (r_parent + sign D q) - A_i r_child

A joint that the tree runs through against its direction has the opposite sign. (T-3.16)
"""

from cornerlaw.arrays.kinds import PLANAR, PRISMATIC, REVOLUTE, TRANSLATION_2
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.planar.nodes import (
    COS,
    D_X,
    D_Y,
    OMEGA,
    SIN,
    ZETA_A,
    ZETA_X,
    ZETA_Y,
)


@inlined
def _turn(tree, i, sign, sine, cosine):
    """Return cosine and sine of the body's rotation in its parent."""
    P, C = tree.A_parent[i], tree.A_child[i]
    c = P[0, 0] * C[0, 0] + P[0, 1] * C[0, 1] + P[0, 2] * C[0, 2]
    s = P[1, 0] * C[0, 0] + P[1, 1] * C[0, 1] + P[1, 2] * C[0, 2]
    sine *= sign
    return cosine * c - sine * s, sine * c + cosine * s


@inlined
def _add_slide(w, j, b, axis_x, axis_y, c, s, way, speed):
    """Write the column of a translation and add its way to d; return its velocity."""
    x, y = c * axis_x - s * axis_y, s * axis_x + c * axis_y
    S = w.S[j]
    S[0], S[1], S[5] = x, y, 0.0
    b[D_X] += x * way
    b[D_Y] += y * way
    return x * speed, y * speed


@inlined
def place_body(m, w, i, b, parent, q, u, sine, cosine):
    """Write rotation, place, velocity, columns w.S and zeta of a body with any joint."""
    tree = m.tree
    j, k, kind = tree.u_start[i], tree.q_start[i], tree.joint[i]
    P, r_1, r_2 = tree.A_parent[i], tree.r_parent[i], tree.r_child[i]
    c, s, omega = parent[COS], parent[SIN], parent[OMEGA]
    sign = 1.0 - 2.0 * tree.reverse[i]
    b[D_X], b[D_Y] = c * r_1[0] - s * r_1[1], s * r_1[0] + c * r_1[1]
    vx = vy = turned = 0.0
    cosine_of, sine_of = 1.0, 0.0
    if kind == PRISMATIC:
        vx, vy = _add_slide(w, j, b, sign * P[0, 2], sign * P[1, 2], c, s, q[k], u[j])
    elif kind == PLANAR or kind == TRANSLATION_2:
        vx, vy = _add_slide(w, j, b, sign * P[0, 0], sign * P[1, 0], c, s, q[k], u[j])
        x, y = _add_slide(w, j + 1, b, sign * P[0, 1], sign * P[1, 1], c, s, q[k + 1], u[j + 1])
        vx, vy = vx + x, vy + y
    if kind == REVOLUTE or kind == PLANAR:
        sign *= P[2, 2]
        turned = sign * u[tree.u_start[i + 1] - 1]
        last = tree.q_start[i + 1] - 1
        cosine_of, sine_of = cosine[last], sine[last]
    c_i, s_i = _turn(tree, i, sign, sine_of, cosine_of)
    b[COS], b[SIN] = c * c_i - s * s_i, s * c_i + c * s_i
    b[OMEGA] = omega + turned
    ex = -(b[COS] * r_2[0] - b[SIN] * r_2[1])
    ey = -(b[SIN] * r_2[0] + b[COS] * r_2[1])
    if kind == REVOLUTE or kind == PLANAR:
        S = w.S[tree.u_start[i + 1] - 1]
        S[0], S[1], S[5] = -sign * ey, sign * ex, sign
    square, own = omega * omega, b[OMEGA] * b[OMEGA]
    b[ZETA_X] = -square * b[D_X] - 2.0 * omega * vy - own * ex
    b[ZETA_Y] = -square * b[D_Y] + 2.0 * omega * vx - own * ey
    b[ZETA_A] = 0.0
    b[D_X] += ex
    b[D_Y] += ey


@kernel
def place_against(m, w, i, b, parent, q, u, sine, cosine):
    """Do the same for a planar joint that the tree runs through against its direction.

    Its directions are fixed in the body: d = A_p r_parent + h, h = -A_i (A_child q + r_child).
    """
    tree = m.tree
    j, k = tree.u_start[i], tree.q_start[i]
    C, r_1, r_2 = tree.A_child[i], tree.r_parent[i], tree.r_child[i]
    c, s, omega = parent[COS], parent[SIN], parent[OMEGA]
    sign = -tree.A_parent[i, 2, 2]
    c_i, s_i = _turn(tree, i, sign, sine[k + 2], cosine[k + 2])
    c_i, s_i = c * c_i - s * s_i, s * c_i + c * s_i
    own = omega + sign * u[j + 2]
    b[COS], b[SIN], b[OMEGA] = c_i, s_i, own
    b[D_X], b[D_Y] = -(c_i * r_2[0] - s_i * r_2[1]), -(s_i * r_2[0] + c_i * r_2[1])
    vx, vy = _add_slide(w, j, b, -C[0, 0], -C[1, 0], c_i, s_i, q[k], u[j])
    x, y = _add_slide(w, j + 1, b, -C[0, 1], -C[1, 1], c_i, s_i, q[k + 1], u[j + 1])
    vx, vy, hx, hy = vx + x, vy + y, b[D_X], b[D_Y]
    S = w.S[j + 2]
    S[0], S[1], S[5] = -sign * hy, sign * hx, sign
    fx, fy = c * r_1[0] - s * r_1[1], s * r_1[0] + c * r_1[1]
    b[D_X] += fx
    b[D_Y] += fy
    b[ZETA_X] = -omega * omega * fx - own * own * hx - 2.0 * own * vy
    b[ZETA_Y] = -omega * omega * fy - own * own * hy + 2.0 * own * vx
    b[ZETA_A] = 0.0
