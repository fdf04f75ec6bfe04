"""The terms of the equations of motion at one state, for questions and solves outside a run.

    M u_dot = h + W^T lam,   gamma = W u + w_tilde,   gamma_dot = W u_dot + w_bar

Poses, forces and rows come from the kernels; inertias are summed body by body, J^T I J.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.compile.compiled import typical_length
from cornerlaw.simulate.system import System


@dataclass
class Terms:
    """Matrices and vectors in velocity coordinates, prescribed ones included."""

    M: Floats  # (nu, nu)
    h: Floats  # (nu,)
    x_dot: Floats  # (nx,)
    g: Floats  # (n_rows,)
    gamma: Floats  # (n_rows,)
    W: Floats  # (n_rows, nu)
    w_bar: Floats  # (n_rows,)


def coordinate_scales(system: System) -> Floats:
    """Return the size of a unit change of every velocity: 1 rad, or a length of the model."""
    c = system.compiled
    length = typical_length(c.model, c.tree)
    return np.array([length if k.unit == "m" else 1.0 for k in c.numbering.coordinates])


def _cross(a: Floats, b: Floats) -> Floats:
    """Return a x b along the first axis; numpy's own takes thirty times as long for one vector."""
    return np.asarray(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def eval_state(
    system: System, t: float, q: Floats, u: Floats, x: Floats, held: bool = False
) -> Floats:
    """Write kinematics, applied wrenches and generalised forces of a state; return x_dot.

    Prescribed entries of q and u are set; `held` keeps their velocities at zero.
    """
    from cornerlaw.kernels.blocks import eval_blocks
    from cornerlaw.kernels.forces import eval_forces
    from cornerlaw.kernels.prescribed import set_driven

    m, w, work = system.m, system.w, system.work
    x_dot = np.zeros(system.arrays.nx)
    system.see_states(x)
    set_driven(m, w, float(t), q, u)
    if held:
        u[:] = 0.0
        work.u_dot_driven[:] = 0.0
    system.kinematics(q, u)
    work.f_ext[:] = 0.0
    work.Q[:] = 0.0
    if system.arrays.elements.kind.size:
        eval_forces(m, w, float(t), q, u, x, x_dot)
    if system.arrays.blocks.n.size:
        eval_blocks(m, w, float(t), q, u, work.Q)
    if system.arrays.masses.n.size:
        from cornerlaw.kernels.masses import eval_masses

        eval_masses(m, w, float(t), q, u)
    return x_dot


def body_jacobians(system: System) -> Floats:
    """Return (nb, 6, nu): velocity of each body origin and angular velocity per unit u."""
    tree, w, nb = system.arrays.tree, system.work, system.arrays.n_bodies
    J = np.zeros((nb, 6, system.arrays.nu))
    for i in range(nb):
        p = int(tree.parent[i])
        if p < nb:
            J[i] = J[p]
            J[i, :3] += _cross(J[p, 3:], w.d[i])
        own = slice(int(tree.u_start[i]), int(tree.u_start[i + 1]))
        J[i, :, own] += w.S[own].T
    return J


def point_jacobian(system: System, J: Floats, body: int, r: Floats) -> Floats:
    """Return (6, nu) of a point r (world axes) fixed on a body; zero on the ground."""
    if body >= system.arrays.n_bodies:
        return np.zeros((6, system.arrays.nu))
    out: Floats = J[body].copy()
    out[:3] += _cross(J[body, 3:], r - system.work.r[body])
    return out


def _bias_accelerations(system: System) -> Floats:
    """Return (nb + 1, 6) accelerations of the body origins for u_dot = 0."""
    tree, w, nb = system.arrays.tree, system.work, system.arrays.n_bodies
    acc = np.zeros((nb + 1, 6))
    for i in range(nb):
        p = int(tree.parent[i])
        acc[i] = acc[p] + w.zeta[i]
        acc[i, :3] += _cross(acc[p, 3:], w.d[i])
    return acc


def _body_inertia(system: System, i: int) -> tuple[Floats, Floats]:
    """Return inertia (6, 6) at the origin of a body in world axes, and its wrench at zero u_dot."""
    tree, w = system.arrays.tree, system.work
    mass, A, Omega = float(tree.mass[i]), w.A[i], w.Omega[i]
    c = mass * (A @ tree.com[i])
    skew = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    inertia = A @ tree.inertia[i] @ A.T
    I6 = np.block([[mass * np.eye(3), -skew], [skew, inertia]])
    gravity = system.arrays.gravity
    p = np.concatenate(
        [
            _cross(Omega, _cross(Omega, c)) - mass * gravity,
            _cross(Omega, inertia @ Omega) - _cross(c, gravity),
        ]
    )
    return I6, p - w.f_ext[i]


def _frame_acceleration(system: System, frame: int, acc: Floats) -> tuple[Floats, Floats]:
    """Return acceleration and angular acceleration of a marker."""
    w, b = system.work, int(system.arrays.frames.body[frame])
    e = w.frame_r[frame] - w.r[b]
    spin = _cross(w.Omega[b], _cross(w.Omega[b], e))
    return acc[b, :3] + _cross(acc[b, 3:], e) + spin, acc[b, 3:]


def marker_accelerations(system: System, u_dot: Floats) -> None:
    """Write the accelerations of all markers that belong to u_dot, at the kinematics at hand."""
    acc, J = _bias_accelerations(system), body_jacobians(system)
    acc[:-1] += J @ u_dot
    for f in range(system.arrays.frames.body.size):
        system.work.frame_a[f], system.work.frame_alpha[f] = _frame_acceleration(system, f, acc)


def _add_rods(system: System, J: Floats, acc: Floats, M: Floats, h: Floats) -> None:
    """Add slender rods: mass/3 at each end, mass/6 between them, half the weight at each end."""
    a = system.arrays
    for k in range(a.rods.mass.size):
        frames = (int(a.rods.frame_1[k]), int(a.rods.frame_2[k]))
        mass = float(a.rods.mass[k])
        points = [
            point_jacobian(system, J, int(a.frames.body[f]), system.work.frame_r[f])[:3]
            for f in frames
        ]
        bias = [_frame_acceleration(system, f, acc)[0] for f in frames]
        for i in range(2):
            h += points[i].T @ (0.5 * mass * a.gravity)
            for j in range(2):
                share = mass / 3.0 if i == j else mass / 6.0
                M += share * points[i].T @ points[j]
                h -= share * points[i].T @ bias[j]


def _add_masses(system: System, J: Floats, acc: Floats, M: Floats, h: Floats) -> None:
    """Add the masses of the user's elements: J^T m J, and -J^T m times the bias of their motion."""
    a = system.arrays
    for k, n, start in zip(a.masses.element, a.masses.n, a.masses.start, strict=True):
        nf, first = int(a.elements.n_frames[k]), int(a.elements.list_start[k])
        own, bias = np.zeros((n, a.nu)), np.zeros(n)
        for c, f in enumerate(a.elements.lists[first : first + nf]):
            place = slice(6 * c, 6 * c + 6)
            body, r = int(a.frames.body[f]), system.work.frame_r[f]
            own[place] = point_jacobian(system, J, body, r)
            bias[place] = np.concatenate(_frame_acceleration(system, int(f), acc))
        for c in range(int(a.elements.n_coordinates[k])):
            own[6 * nf + c, a.elements.lists[first + nf + c]] = 1.0
        mass = system.work.mass_M[start : start + n * n].reshape(n, n)
        M += own.T @ mass @ own
        h -= own.T @ mass @ bias


def eval_terms(
    system: System, t: float, q: Floats, u: Floats, x: Floats, *, held: bool = False
) -> Terms:
    """Return all terms at a state; prescribed entries of q and u are set."""
    a, w = system.arrays, system.work
    x_dot = eval_state(system, t, q, u, x, held)
    M, h = np.diag(a.tree.armature), w.Q.copy()
    J, acc = body_jacobians(system), _bias_accelerations(system)
    for i in range(a.n_bodies):
        I6, p = _body_inertia(system, i)
        M += J[i].T @ I6 @ J[i]
        h -= J[i].T @ (p + I6 @ acc[i])
    for k in range(a.blocks.n.size):
        n, u0, start = int(a.blocks.n[k]), int(a.blocks.u_start[k]), int(a.blocks.M_start[k])
        M[u0 : u0 + n, u0 : u0 + n] += w.block_M[start : start + n * n].reshape(n, n)
    _add_rods(system, J, acc, M, h)
    _add_masses(system, J, acc, M, h)
    g = gamma = w_bar = np.zeros(0)
    W = np.zeros((0, a.nu))
    if a.n_rows:
        g, gamma, W, w_bar = _eval_rows(system, t, q, u, acc)
    return Terms(M, h, x_dot, g, gamma, W, w_bar)


def _eval_rows(system: System, t: float, q: Floats, u: Floats, acc: Floats) -> tuple[Any, ...]:
    """Return g, gamma, W and w_bar of the rows at the kinematics at hand."""
    from cornerlaw.kernels.rows import eval_rows

    w = system.work
    for f in range(system.arrays.frames.body.size):
        w.frame_a[f], w.frame_alpha[f] = _frame_acceleration(system, f, acc)
    eval_rows(system.m, system.w, float(t), q, u, np.zeros(u.size))
    n = system.arrays.n_rows
    return w.g[:n].copy(), w.gamma[:n].copy(), w.W[:n].copy(), w.gamma_dot[:n].copy()
