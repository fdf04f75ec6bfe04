"""Where the assembly begins with bodies whose joint is cut for its friction.

A joint with friction from its own reaction is rows, and a body that hangs on it only counts as
free. The assembly would start it at the origin and, to close the joint, move its neighbours as
well. It starts where the joint in the tree would have put it: at its given or zero coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.corner_elements import own_load_joints
from cornerlaw.compile.topology import Side, joint_sides
from cornerlaw.simulate.system import System

Pose = tuple[Floats, Floats]


def place_cut_bodies(system: System, t: float, q: Floats, given: Any) -> None:
    """Write the start of every free body that hangs on a cut joint into q.

    `given` tells by velocity index which positions the user has fixed; those bodies stay.
    """
    from cornerlaw.kernels.prescribed import set_driven

    c = system.compiled
    cut = own_load_joints(c.model)
    joints = [joint for joint in c.tree.closures if joint.name in cut]
    if not joints:
        return
    start = c.numbering.u_start
    loose = {
        i
        for i, node in enumerate(c.tree.nodes)
        if node.joint is None
        and node.parent < 0
        and node.kind in (kinds.PLANAR, kinds.FREE)
        and not given[start[i] : start[i + 1]].any()
        and node.body is not None
        and node.body.ROLE == "body"
    }
    while True:
        u = np.zeros(system.arrays.nu)
        set_driven(system.m, system.w, t, q, u)
        system.kinematics(q, u)
        found = _next(system, joints, loose)
        if found is None:
            return
        node, pose = found
        loose.discard(node)
        _write(c.tree.nodes[node].kind, q[c.numbering.q_start[node] :], pose)


def _next(system: System, joints: list[Any], loose: set[int]) -> tuple[int, Pose] | None:
    """Return a loose body with a cut joint to one that is placed, and its pose."""
    c = system.compiled
    for joint in joints:
        first, second = joint_sides(joint, c.model.dim)
        a, b = (c.tree.node_of[side.base.name] for side in (first, second))
        turn, shift = _relative(joint)
        if b in loose and _root(system, a) not in loose:
            r, A = _world(system, a, first)
            return b, _body(r + A @ shift, A @ turn, second)
        if a in loose and _root(system, b) not in loose:
            r, A = _world(system, b, second)
            A = A @ turn.T
            return a, _body(r - A @ shift, A, first)
    return None


def _root(system: System, node: int) -> int:
    """Return the node of the tree that carries a node and stands on the ground."""
    nodes = system.compiled.tree.nodes
    while node >= 0 and nodes[node].parent >= 0:
        node = nodes[node].parent
    return node


def _world(system: System, node: int, side: Side) -> Pose:
    """Return point and axes of one side of a joint in the world."""
    w = system.work
    return w.r[node] + w.A[node] @ side.r, w.A[node] @ side.A


def _body(r: Floats, A: Floats, side: Side) -> Pose:
    """Return the pose of the body of a side whose joint frame is given."""
    turn = A @ side.A.T
    return r - turn @ side.r, turn


def _relative(joint: Any) -> Pose:
    """Return rotation and displacement of the second joint frame, in the first one's axes."""
    angle = getattr(joint, "angle", None) or 0.0
    s, k = np.sin(angle), np.cos(angle)
    turn = np.array([[k, -s, 0.0], [s, k, 0.0], [0.0, 0.0, 1.0]])
    along = getattr(joint, "displacement", None) or 0.0
    if type(joint).__name__ == "Screw":
        along = float(joint.pitch) * angle
    return turn, np.array([0.0, 0.0, along])


def _write(kind: int, q: Floats, pose: Pose) -> None:
    """Write a pose to the coordinates of a free body."""
    from cornerlaw.simulate.assembly import quaternion_of

    r, A = pose
    if kind == kinds.PLANAR:
        q[:3] = r[0], r[1], np.arctan2(A[1, 0], A[0, 0])
    else:
        q[:3] = r
        q[3:7] = quaternion_of(A)
