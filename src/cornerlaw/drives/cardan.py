"""Cardan joint: the angle of the driven fork, its irregularity, and the joint as a constraint."""

from __future__ import annotations

import math
from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.model import Constraint


def _check_bend(bend: float) -> float:
    if not abs(bend) < 0.5 * math.pi:
        raise ModelError(f"A Cardan joint bends by less than pi / 2, got {bend:g}")
    return float(bend)


def cardan_angle(angle: float, bend: float) -> float:
    """Return the angle behind a joint bent by `bend`, without jumps over full turns. (T-20.8)

    arctan(tan(angle) / cos(bend)) has branches; the difference of both angles has none.
    """
    c = math.cos(_check_bend(bend))
    s, k = math.sin(angle), math.cos(angle)
    return angle + math.atan2((1.0 - c) * s * k, c * k * k + s * s)


def cardan_ratio(angle: float, bend: float) -> float:
    """Return the speed behind the joint over that before it. (T-20.9)"""
    c = math.cos(_check_bend(bend))
    return c / (math.sin(angle) ** 2 + (c * math.cos(angle)) ** 2)


def cardan_joint(name: str, first: Any, second: Any, *, bend: float, phase: float = 0.0) -> Any:
    """Return the joint as a constraint between two rotors.

    `phase` is the angle of the first fork in the plane of the bend at angle zero.
    """
    c = math.cos(_check_bend(bend))
    start = cardan_angle(phase, bend) - phase
    from_first = math.cos(phase), math.sin(phase)

    def closed(q: Any, t: float) -> Any:
        s = math.sin(q[0]) * from_first[0] + math.cos(q[0]) * from_first[1]
        k = math.cos(q[0]) * from_first[0] - math.sin(q[0]) * from_first[1]
        # atan2 of a denominator that is always positive
        ahead = math.atan((1.0 - c) * s * k / (c * k * k + s * s))
        return q[1] - q[0] - ahead + start

    names = tuple(
        part if isinstance(part, str) else f"{part.name}.angle" for part in (first, second)
    )
    return Constraint(name, closed, coordinates=names)
