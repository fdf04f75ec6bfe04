"""Evaluation of stored states: from rows of q, u, x to everything a user may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.outputs import Outputs, new_outputs, rows_of
from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.corner_log import CornerRows
from cornerlaw.simulate.failures import check_status
from cornerlaw.simulate.pool import kept_pool
from cornerlaw.simulate.pooled_outputs import Pooled
from cornerlaw.simulate.sampling import Sampler
from cornerlaw.simulate.system import System


@contextmanager
def _kept_directions(system: System) -> Iterator[None]:
    """Give the sliding directions of a run back to it: evaluating its rows uses their memory."""
    k = system.work.k
    memory = (k.young, k.slip_ref, k.slip_speed, k.slip)
    kept = [array.copy() for array in memory]
    try:
        yield
    finally:
        for array, values in zip(memory, kept, strict=True):
            array[:] = values


class Room:
    """Outputs at zero with their bundle, for evaluations of as many rows again and again."""

    def __init__(self, system: System, rows: int) -> None:
        from cornerlaw.kernels.bundle import Bundle

        self.outputs = new_outputs(system.arrays, rows)
        self.bundle: Any = Bundle(self.outputs)


class Evaluation:
    """The derived quantities of a run, computed once for all rows when first needed.

    In a `room` the outputs are those of the last evaluation there.
    """

    def __init__(
        self,
        system: System,
        t: Floats,
        q: Floats,
        u: Floats,
        x: Floats,
        corners: CornerRows | None = None,
        sampler: Sampler | None = None,
        room: Room | None = None,
    ) -> None:
        self.system, self.t, self.q, self.u, self.x = system, t, q, u, x
        self.corners, self.sampler, self._room = corners, sampler, room
        self._outputs: Outputs | None = None
        self.pooled = Pooled(system, corners)

    @property
    def outputs(self) -> Outputs:
        """The derived arrays."""
        if self._outputs is None:
            from cornerlaw.kernels.bundle import Bundle
            from cornerlaw.kernels.outputs import run_outputs

            s = self.system
            if s.compiled.pool is not None:
                self._outputs = self._evaluate_pooled()
                return self._outputs
            room = self._room
            outputs = new_outputs(s.arrays, self.t.size) if room is None else room.outputs
            if self.corners is not None and outputs.status.size:
                outputs.status[:] = self.corners.status
                if self.corners.points is not None:
                    outputs.identity[:] = self.corners.points
                outputs.given[:] = int(self.corners.stepping)
                outputs.corner_lam[:] = self.corners.forces(self.t)
            q, u = self.q.copy(), self.u.copy()
            with _kept_directions(s):
                for rows in self._segments():
                    part = Bundle(rows_of(outputs, rows)) if room is None else room.bundle
                    status = run_outputs(
                        s.m, s.w, part, self.t[rows], q[rows], u[rows], self.x[rows]
                    )
                    check_status(s, status, float(self.t[0]) if self.t.size else 0.0)
            self._outputs = outputs
        return self._outputs

    def _evaluate_pooled(self) -> Outputs:
        """Evaluate the rows of a model with pooled contacts, some at a time."""
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.kernels.outputs import run_outputs

        s, pooled = self.system, self.pooled
        outputs = new_outputs(s.arrays, self.t.size, pooled=False)
        corners = self.corners
        if corners is not None and outputs.given.size:
            outputs.status[:] = corners.status
            outputs.given[:] = int(corners.stepping)
            outputs.corner_lam[:] = corners.forces(self.t)
        pooled.begin(self.t)
        q, u = self.q.copy(), self.u.copy()
        with kept_pool(s), _kept_directions(s):
            for segment in self._segments():
                for rows in pooled.chunks(segment):
                    part = new_outputs(s.arrays, rows.stop - rows.start)
                    pooled.fill(part, outputs, rows)
                    status = run_outputs(
                        s.m, s.w, Bundle(part), self.t[rows], q[rows], u[rows], self.x[rows]
                    )
                    check_status(s, status, float(self.t[0]) if self.t.size else 0.0)
                    pooled.take(part, outputs, rows)
        return outputs

    def _segments(self) -> Iterator[slice]:
        """Yield the rows, cut where a sampled function changed its value."""
        if self.sampler is None:
            return iter((slice(0, self.t.size),))
        side = np.zeros(self.t.size) if self.corners is None else self.corners.side
        return self.sampler.segments(self.t, side)

    def corner_impulses(self) -> Floats:
        """Return the impulses of all rows since the row before."""
        if self.corners is None:
            return np.zeros_like(self.outputs.corner_lam)
        return self.corners.Lambda

    def momentum(self) -> Floats:
        """Return linear and angular momentum (about the origin) of bodies and rods with mass."""
        o, rods = self.outputs, self.system.arrays.rods
        total = o.momentum.copy()
        for f1, f2, mass in zip(rods.frame_1, rods.frame_2, rods.mass, strict=True):
            r1, r2, v1, v2 = o.r[:, f1], o.r[:, f2], o.v[:, f1], o.v[:, f2]
            total[:, :3] += 0.5 * mass * (v1 + v2)
            # integral of r x v along a line on which both are linear
            total[:, 3:] += mass / 6.0 * (np.cross(r1, 2.0 * v1 + v2) + np.cross(r2, v1 + 2.0 * v2))
        return total

    def centre_of_mass(self) -> Floats:
        """Return the centre of mass of bodies and rods with mass."""
        o, rods = self.outputs, self.system.arrays.rods
        bodies = float(self.system.arrays.tree.mass.sum())
        moment = bodies * o.com
        for f1, f2, mass in zip(rods.frame_1, rods.frame_2, rods.mass, strict=True):
            moment += 0.5 * mass * (o.r[:, f1] + o.r[:, f2])
        return np.asarray(moment / ((bodies + float(rods.mass.sum())) or 1.0))

    def law_output(self, element: int, address: int) -> Floats:
        """Evaluate an output function of a user's force element at all rows."""
        from cornerlaw.kernels.outputs import run_law_output

        out = np.zeros(self.t.size)
        s = self.system
        for k in self._segments():
            part = (self.t[k], self.q[k], self.u[k], self.x[k], out[k])
            run_law_output(s.m, s.w, element, address, *part)
        return out

    def planar_angle(self, node: int) -> Floats:
        """Return the angle of a body in the plane: the sum of the joint angles below it."""
        c = self.system.compiled
        total = np.zeros(self.t.size)
        while node >= 0:
            n = c.tree.nodes[node]
            if n.kind == kinds.USER_JOINT and n.body is not None:
                # its function alone knows the angle; whole turns are kept along the rows
                A = self.outputs.A[:, c.markers[n.body.name]]
                return total + np.unwrap(np.arctan2(A[:, 1, 0], A[:, 0, 0]))
            turn = n.A_parent @ n.A_child.T
            total += np.arctan2(turn[1, 0], turn[0, 0])
            sign = -1.0 if n.reverse else 1.0
            q0 = c.numbering.q_start[node]
            if n.kind == kinds.REVOLUTE:
                # the axis may point out of or into the plane
                total += sign * n.A_parent[2, 2] * self.q[:, q0]
            elif n.kind == kinds.PLANAR:
                total += sign * n.A_parent[2, 2] * self.q[:, q0 + 2]
            node = n.parent
        return total

    def frame_angle(self, frame: int) -> Floats:
        """Return the angle of a planar marker."""
        arrays = self.system.compiled.arrays.frames
        body = int(arrays.body[frame])
        A = arrays.A[frame]
        own = float(np.arctan2(A[1, 0], A[0, 0]))
        if body == self.system.arrays.n_bodies:
            return np.full(self.t.size, own)
        return self.planar_angle(body) + own

    def joint_wrench(self, node: int) -> tuple[Floats, Floats]:
        """Return force and moment that the first operand exerts on the second, at the joint point.

        The point is the one fixed on the body that the joint carries in the tree.
        """
        o, n = self.outputs, self.system.compiled.tree.nodes[node]
        wrench = o.wrench[:, node]
        frame = self.system.compiled.markers[n.body.name] if n.body is not None else -1
        arm = o.A[:, frame] @ n.r_child
        force, moment = wrench[:, :3], wrench[:, 3:] - np.cross(arm, wrench[:, :3])
        return (-force, -moment) if n.reverse else (force.copy(), moment)

    def row_wrench(self, rows: list[int]) -> tuple[Floats, Floats]:
        """Return force and moment of rows on the second operand, at its joint point."""
        o = self.outputs
        total = np.einsum("tr,tra->ta", o.lam[:, rows], o.row_direction[:, rows])
        return total[:, :3], total[:, 3:]

    def closure_angle(self, rows: list[int]) -> Floats:
        """Return the angle about the common axis of a loop joint."""
        c, o = self.system.compiled, self.outputs
        f1, f2 = c.rows[rows[0]].frame_1, c.rows[rows[0]].frame_2
        A1, A2 = o.A[:, f1], o.A[:, f2]
        x2 = A2[:, :, 0]
        sine = np.einsum("ta,ta->t", A1[:, :, 1], x2)
        cosine = np.einsum("ta,ta->t", A1[:, :, 0], x2)
        return np.asarray(np.unwrap(np.arctan2(sine, cosine)))

    def rotation_power(self, rows: list[int]) -> Floats:
        """Return the power of the rows of a prescribed rotation."""
        o, r = self.outputs, self.system.compiled.rows[rows[0]]
        spin = o.Omega[:, r.frame_2] - o.Omega[:, r.frame_1]
        return np.asarray(np.einsum("ta,ta->t", self.row_wrench(rows)[1], spin))

    def drive_moment(self, rows: list[int]) -> Floats:
        """Return the moment of the rows of a prescribed rotation in the second's joint axes."""
        A2 = self.outputs.A[:, self.system.compiled.rows[rows[0]].frame_2]
        return np.asarray(np.einsum("tba,tb->ta", A2, self.row_wrench(rows)[1]))

    def universal_angle(self, rows: list[int], which: int) -> Floats:
        """Return the first (0) or second (1) angle of a universal joint that closes a loop."""
        c, o = self.system.compiled, self.outputs
        A1, A2 = o.A[:, c.rows[rows[0]].frame_1], o.A[:, c.rows[rows[0]].frame_2]
        if which == 0:
            axis, y, x = A2[:, :, 1], A1[:, :, 2], A1[:, :, 1]
        else:
            axis, y, x = A1[:, :, 0], A2[:, :, 2], A2[:, :, 0]
        sine, cosine = np.einsum("ta,ta->t", y, axis), np.einsum("ta,ta->t", x, axis)
        return np.asarray(np.unwrap(np.arctan2(sine, cosine)))

    def bushing_moment(self, element: int) -> Floats:
        """Return the moment of a bushing on its first body about the point of the second."""
        o, e = self.outputs, self.system.compiled.elements[element]
        frames = self.system.compiled.arrays.frames
        wrench = o.element_force[:, element]
        # from the origin of the first body to the point of the second
        own = np.einsum("tab,b->ta", o.A[:, e.frame_1], frames.A[e.frame_1].T @ frames.r[e.frame_1])
        arm = own + o.r[:, e.frame_2] - o.r[:, e.frame_1]
        return np.asarray(wrench[:, 3:] - np.cross(arm, wrench[:, :3]))

    def rod_energy(self, f1: int, f2: int, mass: float) -> tuple[Floats, Floats]:
        """Return kinetic and potential energy of a slender rod between two markers."""
        o, g = self.outputs, self.system.arrays.gravity
        v1, v2 = o.v[:, f1], o.v[:, f2]
        kinetic = mass / 6.0 * (v1 * v1 + v1 * v2 + v2 * v2).sum(axis=1)
        return kinetic, -0.5 * mass * (o.r[:, f1] + o.r[:, f2]) @ g

    def tension(self, element: int) -> Floats:
        """Return the force of a spring, positive where it pulls its ends together.

        The law is evaluated again: the wrenches on a body that carries several points of a path, or
        both ends, do not tell it.
        """
        from cornerlaw.kernels.forces import eval_characteristic

        s, o = self.system, self.outputs
        e = s.compiled.elements[element]
        rate = np.zeros(self.t.size)
        for f1, f2 in pairwise(e.frames or (e.frame_1, e.frame_2)):
            D, V = o.r[:, f2] - o.r[:, f1], o.v[:, f2] - o.v[:, f1]
            size = np.linalg.norm(D, axis=1)
            rate += np.einsum("ta,ta->t", D / np.where(size > 0.0, size, 1.0)[:, None], V)
        found = np.zeros(self.t.size)
        for rows in self._segments():
            pairs = zip(o.element_length[rows, element], rate[rows], strict=True)
            found[rows] = [
                eval_characteristic(s.m, s.w, element, float(a), float(b)) for a, b in pairs
            ]
        return found
