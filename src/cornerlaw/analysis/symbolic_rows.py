"""Formulas of the rows that close loops: g(q) = 0 and W = (dg/dq)^T.

    M u_dot = h + W lambda,   W^T u_dot + w_bar = 0,   w_bar = d(W^T u)/dq u

All coordinates that have formulas obey q_dot = u.
"""

from __future__ import annotations

from typing import Any

from cornerlaw.compile.rows import closure_rows
from cornerlaw.compile.topology import Side, joint_sides
from cornerlaw.errors import ModelError
from cornerlaw.model import Distance, Model, PointMass, Screw, UserJoint


def check_rows(model: Model, closures: list[Any]) -> None:
    """Refuse loops and constraints that have no formula here, by name."""
    for joint in closures:
        if isinstance(joint, Screw | UserJoint):
            raise ModelError(
                f"symbolic: {joint.label} closes a loop, for which it has no formula here; let "
                f"another joint close it (closure=True chooses it)"
            )
        if joint.locked_coordinates or joint.drives:
            raise ModelError(
                f"symbolic: {joint.label} closes a loop and is locked or driven, for which there "
                f"is no formula here; let another joint close the loop (closure=True chooses it)"
            )
    for constraint in model.constraints:
        if not isinstance(constraint, Distance):
            raise ModelError(
                f"symbolic: {constraint.label} has no formula here; of the constraints only "
                f"Distance has one"
            )
        if constraint.length is None:
            raise ModelError(f"symbolic: {constraint.label} needs its length as a number")


def write_rows(writer: Any, closures: list[Any], constraints: tuple[Any, ...]) -> list[Any]:
    """Return g of all rows: points that coincide, axes that stay orthogonal, and distances."""
    found: list[Any] = []
    for joint in closures:
        found += _closure(writer, joint)
    for part in constraints:
        away = writer.point(part.second, part.at_second)[0] - writer.point(part.first, part.at)[0]
        length = writer.value(f"l_{part.name}", float(part.length))
        found.append(writer.sp.sqrt(away.dot(away)) - length)
    return found


def _closure(writer: Any, joint: Any) -> list[Any]:
    """Return the rows of a joint that closes a loop, those of (T-5.4) and (T-5.5).

    Where all components of the distance vanish they are taken in world axes, which is shorter.
    """
    dim = writer.model.dim
    points, dots = closure_rows(type(joint).__name__, dim)
    sides = joint_sides(joint, dim)
    if any(isinstance(side.base, PointMass) for side in sides):
        dots = ()  # a point mass has no orientation to hold
    (r1, A1), (r2, A2) = (_pose(writer, side, joint) for side in sides)
    away = r2 - r1
    if len(points) == dim:
        found = [away[k] for k in range(dim)]
    else:
        found = [A1[:, k].dot(away) for k in points]
    return found + [A1[:, a].dot(A2[:, b]) for a, b in dots]


def _pose(writer: Any, side: Side, joint: Any) -> tuple[Any, Any]:
    """Return point and axes of one side of a joint in the world."""
    arm, axes = writer.vector(f"point_{joint.name}", side.r), writer.fixed(side.A)
    node = writer.c.tree.node_of[side.base.name]
    if node < 0:
        return arm, axes
    return writer.r[node] + writer.A[node] * arm, writer.A[node] * axes
