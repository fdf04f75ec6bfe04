"""By how much a constraint stays open, as a person measures it: in metres or radians."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.rows import Row
from cornerlaw.simulate.conditions import JointCondition

LENGTHS = (
    kinds.ROW_POINT, kinds.ROW_DISTANCE, kinds.ROW_PATH, kinds.ROW_ROLL, kinds.ROW_SCREW,
)  # fmt: skip
SINES = (kinds.ROW_DOT, kinds.ROW_ROTATION)  # of the angle by which an axis is off
ANGLES = (kinds.ROW_ANGLE, kinds.ROW_UNIVERSAL, kinds.ROW_SWING, kinds.ROW_TWIST)


@dataclass(frozen=True)
class Opening:
    """What one violation belongs to, and what a violation of one means there."""

    part: str
    scale: float = 1.0
    unit: str = ""  # empty where only the user knows
    # of an angle: "sine" or "versine" (1 - cosine) where that is the violation; components of a
    # "sine" and of a "spin" belong together
    of: str = ""


def opening_of_row(row: Row, coordinates: Any) -> Opening:
    """Return what the violation of a row means; `coordinates` are those of the numbering."""
    if row.kind in LENGTHS:
        return Opening(row.part, row.scale, "m")
    if row.kind in SINES:
        return Opening(row.part, row.scale, "rad", of="sine")
    if row.kind in ANGLES:
        return Opening(row.part, row.scale, "rad")
    if row.kind == kinds.ROW_LINEAR:
        return Opening(row.part, row.scale, _unit_of_sum(row, coordinates))
    return Opening(row.part, row.scale)


def _unit_of_sum(row: Row, coordinates: Any) -> str:
    """Return the unit of a sum of coordinates: that of all, or of the first that counts once."""
    unit_of: dict[int, str] = {k.u: k.unit for k in coordinates}
    units = [unit_of.get(u, "") for u in row.items]
    if len(set(units)) == 1:
        return units[0]
    # the factor of a rack's angle is a radius, so that the sum is the length
    return next((unit for unit, c in zip(units, row.data[1:], strict=True) if abs(c) == 1.0), "")


def openings_of_pose(body: str, position: bool) -> list[Opening]:
    """Return the openings of a given position or of a given rotation of a body."""
    if position:
        return [Opening(body, unit="m")] * 3
    return [Opening(body, unit="rad", of="sine")] * 3 + [Opening(body, unit="rad", of="versine")]


def openings_of_condition(condition: JointCondition, count: int) -> list[Opening]:
    """Return the openings of an initial value of a joint that closes a loop."""
    if condition.kind == "rotation":
        return openings_of_pose(condition.joint, position=False)
    if condition.kind.startswith("shift"):
        return [Opening(condition.joint, unit="m")] * count
    return [Opening(condition.joint, unit="rad", of="spin" if count == 3 else "")] * count


def describe_opening(values: Floats, openings: list[Opening], k: int, rate: str = "") -> str:
    """Say how far the part of violation k is open: of distances and turns all components."""
    worst = openings[k]
    size = abs(float(values[k])) * worst.scale
    if worst.unit == "m" or worst.of in ("sine", "spin"):
        size = math.hypot(
            *(
                value * other.scale
                for value, other in zip(values, openings, strict=True)
                if (other.part, other.unit, other.of) == (worst.part, worst.unit, worst.of)
            )
        )
    if worst.of == "sine" and not rate:
        size = math.asin(min(size, 1.0))
    if worst.of == "versine":
        size = math.acos(max(1.0 - size, -1.0))
    return f"{size:.3g} {worst.unit or 'in its own unit'}{_per(rate, worst.unit)}"


def _per(rate: str, unit: str) -> str:
    """Return a rate's "/s" in words where it has no unit to follow."""
    return rate if unit or not rate else " per second"
