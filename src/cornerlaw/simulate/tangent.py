"""Independent coordinates of a constrained system next to a state, and its rates linearised.

Rows are solved for some of the free velocities: with W N = 0 and N one on the independent ones,
every allowed small motion is delta = N y, and y are changes of coordinates that have names.
Holonomic rows limit positions (N_q), all rows limit velocities (N_u); the two differ for rolling
bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats, Ints
from cornerlaw.errors import SimulationError
from cornerlaw.simulate.states import Placed
from cornerlaw.simulate.system import System
from cornerlaw.simulate.terms import coordinate_scales, eval_terms

RANK_TOLERANCE = 1e-9  # pivots below this fraction of the largest belong to dependent rows
# steps of the five-point differences: truncation h^4 and rounding eps / h are both below 1e-11
POSITION_STEP = 3e-4
VELOCITY_STEP = 1e-2


@dataclass
class Partition:
    """Free velocities split into independent and dependent ones; delta = basis y."""

    independent: Ints
    dependent: Ints
    basis: Floats  # (nu, f), identity on the independent rows, zero on prescribed ones


def split_coordinates(W: Floats, free: Ints, nu: int) -> Partition:
    """Choose the dependent velocities by pivoting, so that the rows are solved for them safely."""
    from scipy.linalg import qr

    size = np.linalg.norm(W[:, free], axis=1)
    A = W[:, free] / np.where(size > 0.0, size, 1.0)[:, None]
    rank = 0
    order = np.arange(free.size)
    if A.size:
        # coordinates near the ground (a crank rather than its rod) are the better independent ones
        leaning = A * np.linspace(0.3, 1.0, free.size)
        _, R, order = qr(leaning, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > RANK_TOLERANCE * max(diagonal[0], 1e-300)).sum())
    # the rest keeps the order of the model
    dependent, independent = np.sort(order[:rank]), np.sort(order[rank:])
    basis = np.zeros((nu, independent.size))
    basis[free[independent], np.arange(independent.size)] = 1.0
    if rank:
        X = np.linalg.lstsq(A[:, dependent], -A[:, independent], rcond=1e-12)[0]
        basis[free[dependent]] = X
    return Partition(free[independent], free[dependent], basis)


def rotation_rates(system: System, u: Floats) -> Floats:
    """Return K of d/dt delta = delta_u + K delta: -Omega x for rotations in body axes."""
    tree, nu = system.arrays.tree, system.arrays.nu
    K = np.zeros((nu, nu))
    for i in range(system.arrays.n_bodies):
        if tree.joint[i] in (kinds.SPHERICAL, kinds.FREE):
            j = int(tree.u_start[i + 1]) - 3
            x, y, z = u[j : j + 3]
            K[j : j + 3, j : j + 3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return K


class Tangent:
    """The system next to a state: nearby states that meet all constraints, and their rates."""

    def __init__(self, placed: Placed) -> None:
        self.system, self.t = placed.system, placed.t
        self.q, self.u, self.x = placed.q.copy(), placed.u.copy(), placed.x.copy()
        system = self.system
        self.terms = eval_terms(system, self.t, self.q, self.u, self.x)
        self.free = np.flatnonzero(system.arrays.tree.driven < 0)
        self.moving = system.compiled.moving_states  # places of the states in question in x
        self.holonomic = system.arrays.rows.holonomic[: system.arrays.n_rows] == 1
        nu = system.arrays.nu
        self.velocity = split_coordinates(self.terms.W, self.free, nu)
        self.position = self.velocity
        if not self.holonomic.all():
            self.position = split_coordinates(self.terms.W[self.holonomic], self.free, nu)
        self.carried = np.zeros((nu, 0))  # change of u with y, filled by first_order
        self.u_dot, self.x_dot, _ = system.accelerations(self.t, self.q, self.u, self.x)

    def move(self, y: Floats, v: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return u, u_dot and x_dot at independent positions + y, velocities + v, states + x.

        Discrete states stay as they are.
        """
        shifted = self.x.copy()
        shifted[self.moving] += x
        self.system.see_states(shifted)
        q = self.move_position(y)
        u = self._move_velocity(q, v)
        u_dot, x_dot, _ = self.system.accelerations(self.t, q, u, shifted)
        return u, u_dot, x_dot[self.moving]

    def move_position(self, y: Floats) -> Floats:
        """Move along the tangent and return to the rows by dependent coordinates alone."""
        from cornerlaw.kernels.kinematics import advance_position

        system, part = self.system, self.position
        q, zero = self.q.copy(), np.zeros(self.u.size)
        advance_position(system.m, self.q, part.basis @ y, q)
        n = system.arrays.n_rows
        scale = system.arrays.row_scale[:n][self.holonomic]
        for _ in range(20):
            if not part.dependent.size:
                return q
            system.constraint_state(self.t, q, zero)
            g = system.work.g[:n][self.holonomic] / scale
            if np.abs(g).max() <= 1e-15:
                return q
            W = system.work.W[:n][self.holonomic][:, part.dependent] / scale[:, None]
            delta = np.zeros(self.u.size)
            delta[part.dependent] = np.linalg.lstsq(W, -g, rcond=1e-12)[0]
            advance_position(system.m, q, delta, q)
            if np.abs(delta).max() <= 1e-15:
                return q
        if np.abs(g).max() > 1e-9:
            name = system.row_name(int(np.flatnonzero(self.holonomic)[np.abs(g).argmax()]))
            raise SimulationError(
                f"next to t = {self.t:g} s '{name}' cannot be met, it stays violated by "
                f"{np.abs(g).max():.3g} of the model's size; the mechanism is at a dead position"
            )
        return q

    def _move_velocity(self, q: Floats, v: Floats) -> Floats:
        system, part = self.system, self.velocity
        u = self.u.copy()
        u[part.independent] += v
        if not part.dependent.size:
            return u
        for _ in range(2):
            system.constraint_state(self.t, q, u)
            n = system.arrays.n_rows
            W = system.work.W[:n, part.dependent]
            u[part.dependent] += np.linalg.lstsq(W, -system.work.gamma[:n], rcond=1e-12)[0]
        return u

    def first_order(self) -> Floats:
        """Return A of z_dot = A z, z = (y, v, x): changes of positions, velocities, other states.

        y_dot = (delta_u + K delta)_independent, v_dot = (delta u_dot)_independent.
        """
        position, velocity = self.position, self.velocity
        f_q, f_u, nx = position.independent.size, velocity.independent.size, self.moving.size
        scale = coordinate_scales(self.system)
        speed = max(1.0, float(np.abs(self.u).max(initial=0.0)))
        sizes = np.concatenate(
            [
                POSITION_STEP * scale[position.independent],
                VELOCITY_STEP * speed * scale[velocity.independent],
                1e-3 * np.maximum(np.abs(self.x[self.moving]), 1.0),
            ]
        )
        K = rotation_rates(self.system, self.u)
        n = f_q + f_u + nx
        A = np.zeros((n, n))
        self.carried = np.zeros((self.u.size, f_q))
        with self._linear_laws():
            for k in range(n):
                du, du_dot, dx_dot = self._difference(k, sizes[k], f_q, f_u)
                delta = position.basis[:, k] if k < f_q else np.zeros(self.u.size)
                if k < f_q:
                    self.carried[:, k] = du
                A[:f_q, k] = (du + K @ delta)[position.independent]
                A[f_q : f_q + f_u, k] = du_dot[velocity.independent]
                A[f_q + f_u :, k] = dx_dot
        return A

    @contextmanager
    def _linear_laws(self) -> Iterator[None]:
        """Take laws whose derivatives the user gives as linear about the state. (T-9.13)"""
        system = self.system
        if not system.arrays.elements.jacobian_address.any():
            yield
            return
        from cornerlaw.kernels.own_laws import take_linear

        state = self.t, self.q.copy(), self.u.copy(), self.x
        take_linear(system.m, system.w, *state, 1)
        try:
            yield
        finally:
            take_linear(system.m, system.w, *state, 0)

    def _difference(self, k: int, size: float, f_q: int, f_u: int) -> tuple[Floats, Floats, Floats]:
        """Five-point difference of u, u_dot, x_dot: (f_-2 - 8 f_-1 + 8 f_1 - f_2) / 12 h."""
        total = [np.zeros(self.u.size), np.zeros(self.u.size), np.zeros(self.moving.size)]
        for place, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            z = np.zeros(f_q + f_u + self.moving.size)
            z[k] = place * size
            values = self.move(z[:f_q], z[f_q : f_q + f_u], z[f_q + f_u :])
            for sum_, value in zip(total, values, strict=True):
                sum_ += weight / (12.0 * size) * value
        return total[0], total[1], total[2]

    def second_order(self, A: Floats) -> tuple[Floats, Floats, Floats]:
        """Return M, P, Q of M y_ddot + P y_dot + Q y = 0 from A; positions and velocities alike.

        y_dot = v + k y with k = (K N)_independent, hence
        y_ddot = v_dot + (K_dot N y + K delta_dot)_independent, delta_dot = delta_u + K N y.
        """
        own, N = self.position.independent, self.position.basis
        f = own.size
        K, K_dot = rotation_rates(self.system, self.u), rotation_rates(self.system, self.u_dot)
        k, a_y, a_v = A[:f, :f], A[f : 2 * f, :f], A[f : 2 * f, f : 2 * f]
        KN = K @ N
        by_rate = a_v + KN[own]
        by_place = a_y + (K_dot @ N + K @ (self.carried + KN))[own] - by_rate @ k
        M = N.T @ self.terms.M @ N
        return M, -M @ by_rate, -M @ by_place
