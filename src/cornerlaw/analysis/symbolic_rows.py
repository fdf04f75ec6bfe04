"""Formulas of the rows that close loops: g(q) = 0 and W = (dg/dq)^T.

    M u_dot = h + W lambda,   W^T u_dot + w_bar = 0,   w_bar = d(W^T u)/dq u

All coordinates that have formulas obey q_dot = u.
"""

from __future__ import annotations

from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.model import Distance, Model, Revolute, Spherical


def check_rows(model: Model, closures: list[Any]) -> None:
    """Refuse loops and constraints that have no formula here, by name."""
    for joint in closures:
        pin = isinstance(joint, Revolute) and model.dim == 2
        if not pin and not isinstance(joint, Spherical):
            raise ModelError(
                f"symbolic: {joint.label} closes a loop; formulas exist for loops that a Revolute "
                f"joint in the plane or a Spherical joint closes (closure=True chooses it)"
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
    """Return g of all rows: points that coincide, and distances."""
    found: list[Any] = []
    for joint in closures:
        away = _between(writer, joint)
        found += [away[k] for k in range(writer.model.dim)]
    for part in constraints:
        away = _between(writer, part)
        length = writer.value(f"l_{part.name}", float(part.length))
        found.append(writer.sp.sqrt(away.dot(away)) - length)
    return found


def _between(writer: Any, part: Any) -> Any:
    """Return the vector from the point on the first operand to that on the second."""
    return writer.point(part.second, part.at_second)[0] - writer.point(part.first, part.at)[0]
