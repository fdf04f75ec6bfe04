"""Initial values of joints that close loops: conditions on the relative motion of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.compile.topology import Side, joint_sides
from cornerlaw.model import PointMass
from cornerlaw.model.rotation import as_matrix, cardan
from cornerlaw.simulate.system import System


@dataclass
class JointCondition:
    """One given value: a shift along or a turn about a joint axis, or a whole rotation."""

    joint: str
    first: tuple[int, Side]  # node, -1 = ground, and the joint's place on it
    second: tuple[int, Side]
    kind: str  # "shift", "turn", "turn 1", "turn 2", "rotation"; for rates "... rate", "spin"
    axis: int
    value: Any

    def residual(self, system: System) -> list[float]:
        """Return the violation, for the kinematics at hand."""
        w = system.work
        r1, A1, v1, o1 = _pose(w, *self.first)
        r2, A2, v2, o2 = _pose(w, *self.second)
        D = r2 - r1
        if self.kind == "shift":
            return [float(A1[:, self.axis] @ D) - self.value]
        if self.kind == "turn":
            angle = np.arctan2(A1[:, 1] @ A2[:, 0], A1[:, 0] @ A2[:, 0]) - self.value
            return [float(np.arctan2(np.sin(angle), np.cos(angle)))]
        if self.kind == "turn 1":  # of a universal joint: y of the second side about x of the first
            angle = np.arctan2(A1[:, 2] @ A2[:, 1], A1[:, 1] @ A2[:, 1]) - self.value
            return [float(np.arctan2(np.sin(angle), np.cos(angle)))]
        if self.kind == "turn 2":
            angle = np.arctan2(A2[:, 2] @ A1[:, 0], A2[:, 0] @ A1[:, 0]) - self.value
            return [float(np.arctan2(np.sin(angle), np.cos(angle)))]
        if self.kind == "turn rate 1":
            return [float(A1[:, 0] @ (o2 - o1)) - self.value]
        if self.kind == "turn rate 2":
            return [float(A2[:, 1] @ (o2 - o1)) - self.value]
        if self.kind == "rotation":
            return rotation_residual(self.value.T @ A1.T @ A2)
        if self.kind == "shift rate":
            return [float(A1[:, self.axis] @ (v2 - v1 - np.cross(o1, D))) - self.value]
        if self.kind == "turn rate":
            return [float(A1[:, 2] @ (o2 - o1)) - self.value]
        spin: list[float] = (A2.T @ (o2 - o1) - self.value).tolist()
        return spin


def rotation_residual(R: Floats) -> list[float]:
    """Return numbers that vanish only for the identity.

    The skew part vanishes also at half a turn; there the trace tells.
    """
    skew = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    away = 0.5 * (3.0 - float(np.trace(R)))
    return [*skew.tolist(), away if away > 1.0 else 0.0]


_ALIGNED = ("Revolute", "Screw", "Cylindrical", "PlanarJoint")  # z axes of both sides agree
_FIXED = ("Weld", "Prismatic", "Translation")  # all axes agree


def flip_residual(system: System, joint: Any, t: float) -> list[float]:
    """Return what vanishes only on the right side of a loop joint whose axes agree.

    Its rows say that axes are orthogonal, which holds after half a turn as well.
    """
    kind = type(joint).__name__
    turning = kind in _ALIGNED and system.model.dim == 3
    prescribed = "rotation" in (*joint.drives, *joint.locked_coordinates)
    first, second = joint_sides(joint, system.model.dim)
    if not (turning or prescribed or kind in _FIXED) or any(
        isinstance(side.base, PointMass) for side in (first, second)
    ):
        return []
    node_of, w = system.compiled.tree.node_of, system.work
    A1 = w.A[node_of[first.base.name]] @ first.A
    A2 = w.A[node_of[second.base.name]] @ second.A
    if prescribed:
        A1 = A1 @ _prescribed_rotation(system, joint, t)
    if turning:
        away = 1.0 - float(A1[:, 2] @ A2[:, 2])
    else:
        away = 0.5 * (3.0 - float(np.trace(A1.T @ A2)))
    return [away if away > 1.0 else 0.0]


def _prescribed_rotation(system: System, joint: Any, t: float) -> Floats:
    """Return the rotation of a driven or locked loop joint at time t."""
    from cornerlaw.kernels.prescribed import eval_cardan_motion

    rows = system.compiled.rows
    signal = next(r.signal for r in rows if r.part == joint.name and r.label == "rotation")
    eval_cardan_motion(system.m, system.w, float(t), signal)
    angles = np.arctan2(system.work.cardan[:, 0], system.work.cardan[:, 1])
    return np.array(cardan(*angles.tolist()))


def _pose(w: Any, node: int, side: Side) -> tuple[Floats, Floats, Floats, Floats]:
    A, e = w.A[node], w.A[node] @ side.r
    return w.r[node] + e, A @ side.A, w.v[node] + np.cross(w.Omega[node], e), w.Omega[node].copy()


_SCALARS = {
    "angle": ("turn", 2), "displacement": ("shift", 2),
    "speed": ("turn rate", 2), "velocity": ("shift rate", 2),
    "angle_1": ("turn 1", 0), "angle_2": ("turn 2", 0),
    "speed_1": ("turn rate 1", 0), "speed_2": ("turn rate 2", 0),
}  # fmt: skip


def closure_conditions(system: System) -> tuple[list[JointCondition], list[JointCondition]]:
    """Return the conditions on positions and on velocities that loop joints state."""
    positions: list[JointCondition] = []
    rates: list[JointCondition] = []
    for joint in system.compiled.tree.closures:
        first, second = joint_sides(joint, system.model.dim)
        node_of = system.compiled.tree.node_of
        ends = ((node_of[first.base.name], first), (node_of[second.base.name], second))

        def add(found: list[JointCondition], kind: str, axis: int, value: Any) -> None:
            found.append(JointCondition(joint.name, *ends, kind, axis, value))  # noqa: B023

        for found, names in ((positions, joint.COORDINATES), (rates, joint.VELOCITIES)):
            for name, _ in names:
                value = getattr(joint, name, None)
                if value is None:
                    continue
                if np.ndim(value) == 0 and name in _SCALARS:
                    add(found, *_SCALARS[name], float(value))
                elif name in ("position", "velocity"):
                    kind = "shift" if name == "position" else "shift rate"
                    for k, item in enumerate(value):
                        add(found, kind, k, float(item))
                elif name == "rotation":
                    add(found, "rotation", 0, np.array(as_matrix(value)))
                elif name == "angular_velocity":
                    add(found, "spin", 0, np.array(value))
    return positions, rates
