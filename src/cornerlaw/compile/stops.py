"""Stops of joints as corners: one for each end of a coordinate, of a swing or of a twist."""

from __future__ import annotations

from typing import Any

from cornerlaw.arrays import kinds
from cornerlaw.compile.corner_elements import add_stops, set_restitution
from cornerlaw.compile.corners import Corner, CornerBuilder
from cornerlaw.compile.rows import Row
from cornerlaw.compile.topology import axes_from_z, joint_sides


def add_joint_limits(builder: CornerBuilder, joint: Any) -> None:
    """Append the corners of the limits of a joint."""
    alone = len(joint.coordinate_names) == 1
    for name, (lower, upper) in joint.limit_ranges.items():
        eps = joint.restitution_of(name)
        if name in joint.turning_limits:
            _add_turning_stops(builder, joint, name, lower, upper, eps)
            continue
        # the only coordinate of a joint needs no name of its own
        scalar = alone and name in joint.coordinate_names
        label = f"{joint.name}." if scalar else f"{joint.name}.{name}_"
        add_stops(builder, joint, joint, name, lower, upper, eps, 0.0, label)


def _add_turning_stops(
    builder: CornerBuilder, joint: Any, name: str, lower: Any, upper: Any, eps: Any
) -> None:
    """Append the corner of the largest swing, or those of both ends of the twist.

    Their rows are between markers on both sides, so that it does not matter whether the joint
    belongs to the tree or closes a loop.
    """
    turn = axes_from_z(joint.limit_axis, 3)
    f1, f2 = (
        builder.frames.add_pose(builder.frames.node_of(side.base), side.r, side.A @ turn)
        for side in joint_sides(joint, 3)
    )
    ends: list[tuple[str, int, tuple[float, ...]]]
    if name == "swing":
        ends = [("swing", kinds.ROW_SWING, (float(upper),))]
    else:
        ends = [
            ("twist_lower", kinds.ROW_TWIST, (1.0, float(lower))),
            ("twist_upper", kinds.ROW_TWIST, (-1.0, float(upper))),
        ]
    for label, kind, data in ends:
        row = Row(joint.name, kind, f1, f2, data=data)
        corner = Corner(joint.name, f"{joint.name}.{label}", normal=row)
        set_restitution(builder, corner, eps, f"{joint.label}: eps_N")
        builder.corners.append(corner)
