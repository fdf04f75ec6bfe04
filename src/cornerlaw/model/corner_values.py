"""Kinds of values that set-valued elements share: coordinates, bearings, limits, bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from cornerlaw.model.friction import Coulomb, RestitutionKind, Stribeck
from cornerlaw.model.part import AXIS_ROLES, Part
from cornerlaw.model.quantity import (
    Kind,
    TextKind,
    Where,
    as_items,
    as_number,
    as_numbers,
    show,
)
from cornerlaw.model.values import Input, Motion, ScaledInput, Table, as_signal


class CoordinateKind(Kind):
    """One coordinate: a joint or inertia that has just one, or the name "part.coordinate"."""

    refers = "channel"

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, str):
            return TextKind().check(value, where)
        if not isinstance(value, Part) or value.ROLE not in (*AXIS_ROLES, "system"):
            got = value.label if isinstance(value, Part) else show(value)
            raise where.error(f'must be a joint, Rotor, Slider or "part.coordinate", got {got}')
        count = len(value.coordinate_names)  # type: ignore[attr-defined]
        if count != 1:
            raise where.error(
                f"must have one coordinate, {value.label} has {count}; "
                f'write "{value.name}.coordinate"'
            )
        return value


class BearingKind(Kind):
    """A friction law with the radius of the bearing, for all coordinates of a joint."""

    def check(self, value: Any, where: Where) -> Any:
        if not isinstance(value, Coulomb | Stribeck):
            raise where.error(f"must be a friction law such as Coulomb(0.1), got {show(value)}")
        return value


TURNS = ("swing", "twist")  # what of a rotation in space can have stops


class LimitsKind(Kind):
    """The lowest and the highest value of a coordinate, or a dict from names to such pairs.

    One end of the two may be None. The swing of a rotation has its largest value only.
    """

    unit = "rad|m"

    def check(self, value: Any, where: Where) -> Any:
        if not isinstance(value, Mapping):
            return self._range(value, where)
        if not value:
            raise where.error("must name at least one coordinate")
        return {name: self._entry(name, entry, where) for name, entry in value.items()}

    def _entry(self, name: Any, value: Any, where: Where) -> Any:
        place = where.item(TextKind().check(name, where))
        # a joint with angles and lengths has a unit for each
        if name.startswith(("angle", *TURNS)):
            place = place._replace(alternative=0)
        elif name.startswith(("position", "displacement")):
            place = place._replace(alternative=1)
        if name != "swing" or isinstance(value, list | tuple):
            return self._range(value, place)
        largest = as_number(value, place, self.unit)
        if not 0.0 < largest < math.pi:
            raise place.error(f"must be above 0 and below pi, got {largest:g}")
        return largest

    def _range(self, value: Any, where: Where) -> tuple[float | None, ...]:
        items = as_items(value, where, self.unit, "2 numbers")
        if len(items) != 2 or None not in items:
            limits = as_numbers(value, where, self.unit, (2,))
            if not limits[0] < limits[1]:
                raise where.error(f"must be increasing, got {limits[0]:g} and {limits[1]:g}")
            return limits
        if items[0] is items[1]:
            raise where.error("must have a lower end, an upper end or both")
        return tuple(
            None if item is None else as_number(item, where.item(k), self.unit)
            for k, item in enumerate(items)
        )


class StopsKind(Kind):
    """The restitution of all stops of a joint, or a dict from the names of its limits."""

    unit = "1"

    def check(self, value: Any, where: Where) -> Any:
        item = RestitutionKind()
        if isinstance(value, Mapping):
            return {name: item.check(entry, where.item(name)) for name, entry in value.items()}
        return item.check(value, where)


class BoundKind(Kind):
    """A bound >= 0: a number, Table, Input or function of t or of (t, q, u)."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, Motion):
            raise where.error("must be a number, function, Table or Input, got a Motion")
        bound = as_signal(value, where, self.unit)
        lowest = _lowest(bound)
        if lowest is not None and lowest < 0.0:
            raise where.error(f"must be >= 0, got {lowest:g}")
        return bound


def _lowest(value: Any) -> float | None:
    """Return the least value that is known before the run."""
    if isinstance(value, float):
        return value
    if isinstance(value, Input):
        return value.value
    if isinstance(value, ScaledInput):
        return value.at(value.source.value)
    return min(value.y) if isinstance(value, Table) else None


class GapKind(Kind):
    """A gap: a number, or a function of (q, t)."""

    def check(self, value: Any, where: Where) -> Any:
        if callable(value) and not isinstance(value, type):
            return value
        if isinstance(value, str | bool) or value is None:
            raise where.error(f"must be a number or a function of (q, t), got {show(value)}")
        return as_number(value, where)


class DirectionKind(Kind):
    """Coefficients of coordinates, or a function of (q, t)."""

    def check(self, value: Any, where: Where) -> Any:
        if callable(value) and not isinstance(value, type):
            return value
        coefficients = as_numbers(value, where)
        if not any(coefficients):
            raise where.error("must not be all zero")
        return coefficients
