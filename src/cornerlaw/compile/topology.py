"""The spanning tree: which joint carries which body, and which joints close loops.

The tree grows from the ground; the user's own joints, which have no rows, are taken first, then
joints whose coordinates are used elsewhere (driven, locked, loaded, coupled), then those nearest to
the ground, then those declared first. What is left over closes loops. As the first of these ranks
never changes while the tree grows, a UserJoint is left over only if UserJoints alone make a loop.
"""

import heapq
import itertools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import ModelError
from cornerlaw.model import Model, MovingFrame, Part, PointMass
from cornerlaw.model.frames import placement, spatial
from cornerlaw.model.part import base_of
from cornerlaw.model.rotation import as_matrix


@dataclass
class Node:
    """A body in the tree with the joint that carries it."""

    body: Part | None  # None: massless intermediate node of a moving frame
    parent: int  # index of a node, -1 = ground
    joint: Part | None  # None: implicit free motion
    kind: int
    reverse: bool
    r_parent: Floats
    A_parent: Floats
    r_child: Floats
    A_child: Floats
    parameter: float = 0.0

    @property
    def owner(self) -> str:
        """The name under which the coordinates are known."""
        part = self.joint if self.joint is not None else self.body
        return part.name if part is not None else ""


@dataclass
class Tree:
    """Nodes, parents first, and the joints that close loops."""

    nodes: list[Node]
    node_of: dict[str, int]
    closures: list[Any]


JOINT_KINDS = {
    "Revolute": kinds.REVOLUTE,
    "Prismatic": kinds.PRISMATIC,
    "Screw": kinds.SCREW,
    "Cylindrical": kinds.CYLINDRICAL,
    "Universal": kinds.UNIVERSAL,
    "Spherical": kinds.SPHERICAL,
    "PlanarJoint": kinds.PLANAR,
    "FreeJoint": kinds.FREE,
    "Weld": kinds.WELD,
    "UserJoint": kinds.USER_JOINT,
}
# numbers of positions and velocities; a user joint brings its own
SIZES = {
    kinds.REVOLUTE: (1, 1),
    kinds.PRISMATIC: (1, 1),
    kinds.SCREW: (1, 1),
    kinds.CYLINDRICAL: (2, 2),
    kinds.UNIVERSAL: (2, 2),
    kinds.SPHERICAL: (4, 3),
    kinds.PLANAR: (3, 3),
    kinds.FREE: (7, 6),
    kinds.WELD: (0, 0),
    kinds.TRANSLATION_2: (2, 2),
    kinds.TRANSLATION_3: (3, 3),
}


def axes_from_z(axis: Any, dim: int) -> Floats:
    """Return orthonormal axes (columns) whose z is the given direction."""
    z = np.array(spatial(axis))
    z = z / np.linalg.norm(z)
    if dim == 2 and z[2] == 0.0:
        # x stays in the plane: planar rows then use x and z only
        y = np.array([0.0, 0.0, 1.0])
        return np.column_stack([np.cross(y, z), y, z])
    if z[2] == 1.0:
        return np.eye(3)
    # the world axis least along z gives x
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(z)))] = 1.0
    x = helper - z * (helper @ z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def joint_axes(joint: Any, dim: int) -> Floats:
    """Return the joint axes in the first operand's frame."""
    kind = type(joint).__name__
    if kind in ("Revolute", "Screw", "Cylindrical", "Prismatic"):
        return axes_from_z(joint.axis, dim)
    if kind == "PlanarJoint":
        return axes_from_z(joint.normal, dim)
    if kind == "Universal":
        x, y = np.array(joint.axes[0]), np.array(joint.axes[1])
        return np.column_stack([x, y, np.cross(x, y)])
    return np.eye(3)


def joint_kind(joint: Any, dim: int) -> int:
    """Return the kind code of a joint."""
    if type(joint).__name__ == "Translation":
        return kinds.TRANSLATION_2 if dim == 2 else kinds.TRANSLATION_3
    return JOINT_KINDS[type(joint).__name__]


@dataclass
class Side:
    """One operand of a joint: its base part, and the joint's point and axes on it."""

    base: Part
    r: Floats
    A: Floats


def joint_sides(joint: Any, dim: int) -> tuple[Side, Side]:
    """Return both sides of a joint; their axes coincide at zero coordinates."""
    axes = joint_axes(joint, dim)
    base1, r1, A1 = placement(joint.first)
    base2, r2, A2 = placement(joint.second)
    M1, M2 = np.array(A1), np.array(A2)
    turn = np.array(as_matrix(joint.orientation))
    return (
        Side(base1, np.array(r1) + M1 @ np.array(spatial(joint.at)), M1 @ axes),
        Side(base2, np.array(r2) + M2 @ np.array(spatial(joint.at_second)), M2 @ turn.T @ axes),
    )


def _is_own(joint: Any) -> bool:
    """Tell whether a joint is the user's own: it has kinematics, but no rows."""
    return type(joint).__name__ == "UserJoint"


def _no_branch(joint: Any) -> ModelError:
    """Return the error of a UserJoint that cannot be a branch of the tree."""
    for end in (base_of(joint.first), base_of(joint.second)):
        if isinstance(end, PointMass):
            return ModelError(
                f"{joint.label} cannot carry {end.label}, which keeps its own coordinates; give "
                f"a Body instead, whose inertia may be zero where it never turns"
            )
    return ModelError(
        f"{joint.label} would close a loop of UserJoints alone, and a UserJoint belongs to the "
        f"tree; let another kind of joint close the loop, or divide a body in two halves that "
        f"Weld(..., closure=True) joins"
    )


class TreeBuilder:
    """Grow the spanning tree of a model."""

    def __init__(self, model: Model, wanted: set[str], cut: Collection[str] = ()) -> None:
        self.model, self.dim = model, model.dim
        self.tree = Tree([], {}, [])
        self.wanted = wanted  # joints whose coordinates are used elsewhere
        self.used: set[str] = set()
        self.ticket = itertools.count()
        self.depth: dict[str, int] = {}  # joints between a body and the ground
        self.joints_of: dict[str, list[tuple[int, Any]]] = {}
        joint: Any
        for order, joint in enumerate(model.joints):
            ends = (base_of(joint.first), base_of(joint.second))
            # a point mass keeps its own translation
            held = joint.closure or joint.name in cut
            if held or any(isinstance(end, PointMass) for end in ends):
                continue
            # without rows of its own a user joint stays relative
            if model.coordinates == "absolute" and not _is_own(joint):
                continue
            for end in ends:
                self.joints_of.setdefault(end.name, []).append((order, joint))

    def build(self) -> Tree:
        """Return the tree; joints that are left over become closures."""
        for part in self.model.parts:
            if part.ROLE == "ground":
                self.tree.node_of[part.name] = -1
            elif isinstance(part, MovingFrame):
                self._add_moving_frame(part)
        for body in self.model.bodies:
            if isinstance(body, PointMass):
                self._add_free(body)
        self._grow()
        for body in self.model.bodies:
            if body.name not in self.tree.node_of:
                self._add_free(body)
                self._grow()
        joint: Any
        for joint in self.model.joints:
            if joint.name not in self.used:
                if _is_own(joint):
                    raise _no_branch(joint)
                if joint.armature:
                    raise ModelError(
                        f"{joint.label}: its armature needs a coordinate, which a joint that is "
                        f"cut or closes a loop does not have; let another joint of the loop close "
                        f"it (closure=True), or give friction by a JointFriction with load or "
                        f"torque"
                    )
                self.tree.closures.append(joint)
        return self.tree

    def _grow(self) -> None:
        """Add joints in the order of their rank until none has just one end in the tree."""
        queue: list[tuple[Any, ...]] = []
        for name in list(self.tree.node_of):
            self._push(queue, name)
        while queue:
            *_, joint = heapq.heappop(queue)
            first, second = (base_of(joint.first).name, base_of(joint.second).name)
            known = first in self.tree.node_of, second in self.tree.node_of
            if joint.name in self.used or known[0] == known[1]:
                continue
            self._add_joint(joint, reverse=known[1])
            self._push(queue, first if known[1] else second)

    def _push(self, queue: list[tuple[Any, ...]], name: str) -> None:
        """Queue the joints of a body that has come into the tree."""
        depth = self.depth.get(name, 0)
        for order, joint in self.joints_of.get(name, ()):
            if joint.name not in self.used:
                # a joint may stand in the queue from both ends; the ticket tells the two apart
                choice = (not _is_own(joint), joint.name not in self.wanted)
                rank = (*choice, depth, order, next(self.ticket))
                heapq.heappush(queue, (*rank, joint))

    def _add_joint(self, joint: Any, reverse: bool) -> None:
        first, second = joint_sides(joint, self.dim)
        inner, outer = (second, first) if reverse else (first, second)
        kind = joint_kind(joint, self.dim)
        node = Node(
            body=outer.base,
            parent=self.tree.node_of[inner.base.name],
            joint=joint,
            kind=kind,
            reverse=reverse,
            r_parent=inner.r,
            A_parent=inner.A,
            r_child=outer.r,
            A_child=outer.A,
            parameter=float(joint.pitch) if kind == kinds.SCREW else 0.0,
        )
        self.used.add(joint.name)
        self.depth[outer.base.name] = self.depth.get(inner.base.name, 0) + 1
        self._append(node, outer.base.name)

    def _append(self, node: Node, name: str) -> None:
        self.tree.nodes.append(node)
        if name:
            self.tree.node_of[name] = len(self.tree.nodes) - 1

    def _simple(self, body: Part | None, parent: int, kind: int, A: Floats | None = None) -> Node:
        axes = np.eye(3) if A is None else A
        return Node(body, parent, None, kind, False, np.zeros(3), axes, np.zeros(3), axes.copy())

    def _add_free(self, body: Part) -> None:
        if isinstance(body, PointMass):
            kind = kinds.TRANSLATION_2 if self.dim == 2 else kinds.TRANSLATION_3
        else:
            kind = kinds.PLANAR if self.dim == 2 else kinds.FREE
        self._append(self._simple(body, -1, kind), body.name)

    def _add_moving_frame(self, frame: MovingFrame) -> None:
        """A chain of massless nodes, one per kind of motion; the last one is the frame."""
        if self.dim == 2:
            self._append(self._simple(frame, -1, kinds.PLANAR), frame.name)
            return
        turns = frame.angles is not None
        self._append(
            self._simple(None if turns else frame, -1, kinds.TRANSLATION_3),
            "" if turns else frame.name,
        )
        if turns:
            for k in range(3):
                axis = [0.0, 0.0, 0.0]
                axis[k] = 1.0
                last = k == 2
                self._append(
                    self._simple(
                        frame if last else None,
                        len(self.tree.nodes) - 1,
                        kinds.REVOLUTE,
                        axes_from_z(axis, 3),
                    ),
                    frame.name if last else "",
                )
