"""Linear couplings between coordinates and ropes over pulleys."""

from __future__ import annotations

from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.part import AXIS_ROLES, Operand, Part, axis_operand, part, path, terms
from cornerlaw.model.quantity import Scalar, Vector, listing, scalar


def check_axis(owner: Part, name: str, value: Any, unit: str = "") -> None:
    """Refuse an operand without exactly one coordinate or with one of another unit."""
    if not isinstance(value, Part) or value.ROLE not in AXIS_ROLES:
        return
    coordinates = value.coordinate_names  # type: ignore[attr-defined]
    if len(coordinates) != 1:
        raise owner.where(name).error(
            f"must have one coordinate, {value.label} has {len(coordinates)}; use a Coupling"
        )
    known = value.COORDINATES  # type: ignore[attr-defined]
    if unit and known and known[0][1] != unit:
        kind = "rotate (Revolute, Screw, Rotor)" if unit == "rad" else "slide (Prismatic, Slider)"
        raise owner.where(name).error(f"must {kind}, got {value.label}")


def check_different(owner: Part, *names: str) -> None:
    """Refuse the same part in two operands."""
    seen: dict[str, str] = {}
    for name in names:
        value = getattr(owner, name)
        key = value.name if isinstance(value, Part) else value
        if key in seen:
            raise ModelError(f"{owner.label}: {seen[key]} and {name} are the same part {key!r}")
        seen[key] = name


@part(kw_only=False, abstract=True)
class _GearPair(Part):
    first_joint: Operand = axis_operand()
    second_joint: Operand = axis_operand()


@part()
class Gear(_GearPair):
    """q_first = ratio q_second + const."""

    ROLE: ClassVar[str] = "constraint"

    ratio: Scalar = scalar("1|m/rad|rad/m", nonzero=True)

    def unit_choice(self) -> int | None:
        """The unit of the ratio follows from what the two coordinates are."""
        units = []
        for joint in (self.first_joint, self.second_joint):
            known: tuple[tuple[str, str], ...] = getattr(joint, "COORDINATES", ())
            if len(known) != 1:
                return None
            units.append(known[0][1])
        if units[0] == units[1]:
            return 0
        return 1 if units[0] == "m" else 2

    def _check(self) -> None:
        check_axis(self, "first_joint", self.first_joint)
        check_axis(self, "second_joint", self.second_joint)
        check_different(self, "first_joint", "second_joint")


@part(kw_only=False, abstract=True)
class _RackPair(Part):
    revolute: Operand = axis_operand()
    prismatic: Operand = axis_operand()


@part()
class Rack(_RackPair):
    """displacement = radius angle + const."""

    ROLE: ClassVar[str] = "constraint"

    radius: Scalar = scalar("m", nonzero=True)

    def _check(self) -> None:
        check_axis(self, "revolute", self.revolute, "rad")
        check_axis(self, "prismatic", self.prismatic, "m")
        check_different(self, "revolute", "prismatic")


@part(kw_only=False, abstract=True)
class _ThreeAxes(Part):
    carrier: Operand = axis_operand()
    left: Operand = axis_operand()
    right: Operand = axis_operand()


@part()
class Differential(_ThreeAxes):
    """q_left + q_right = 2 q_carrier + const."""

    ROLE: ClassVar[str] = "constraint"

    def _check(self) -> None:
        for name in ("carrier", "left", "right"):
            check_axis(self, name, getattr(self, name))
        check_different(self, "carrier", "left", "right")


@part()
class Coupling(Part):
    """sum of coefficient * coordinate = constant; the initial value of the sum unless given."""

    ROLE: ClassVar[str] = "constraint"

    terms: tuple[tuple[Operand, float], ...] = terms()
    constant: Scalar | None = scalar("rad|m", default=None)

    def _check(self) -> None:
        for k, (target, coefficient) in enumerate(self.terms):
            where = self.where(f"terms[{k}]")
            if coefficient == 0.0:
                raise where.error("has the coefficient 0")
            if isinstance(target, Part):
                count = len(target.coordinate_names)  # type: ignore[attr-defined]
                if count != 1:
                    raise where.error(
                        f"is {target.label} with {count} coordinates; "
                        f'write "{target.name}.coordinate"'
                    )


@part(init=False)
class Pulley(Part):
    """A rope through points: the weighted sum of its segment lengths is constant.

    Points are operands or (operand, at) pairs; weights (one per segment) count parallel strands.
    """

    ROLE: ClassVar[str] = "constraint"

    points: tuple[tuple[Operand, Vector | None], ...] = path()
    length: Scalar | None = scalar("m", positive=True, default=None)
    weights: Vector | None = listing("1", default=None)

    def __init__(
        self,
        name: str,
        *operands: Any,
        points: Any = (),
        length: Scalar | None = None,
        weights: Vector | None = None,
    ) -> None:
        set_path(self, name, operands, points, length=length, weights=weights)

    def _check(self) -> None:
        check_path(self, self.points)
        if self.weights is not None:
            segments = len(self.points) - 1
            if len(self.weights) != segments:
                raise self.where("weights").error(
                    f"must have one entry per segment ({segments}), got {len(self.weights)}"
                )
            if min(self.weights) <= 0.0:
                raise self.where("weights").error(f"must be > 0, got {min(self.weights):g}")


def set_path(owner: Part, name: Any, operands: tuple[Any, ...], points: Any, **rest: Any) -> None:
    """Fill a part whose points are positional, then check it; `points` serves keyword callers."""
    object.__setattr__(owner, "name", name)
    object.__setattr__(owner, "points", operands or points)
    for key, value in rest.items():
        object.__setattr__(owner, key, value)
    owner.__post_init__()


def check_path(owner: Part, points: tuple[tuple[Any, Any], ...]) -> None:
    """Refuse a path whose points are all fixed on the same part and one of mixed dimension."""
    bases = set()
    for base in (base_name(target) for target, _ in points):
        bases.add(base)
    if len(bases) == 1:
        raise ModelError(f"{owner.label}: all its points are on the same part {bases.pop()!r}")
    sizes = {len(at) for _, at in points if at is not None}
    if len(sizes) > 1:
        raise owner.where("points").error("mixes planar (2) and spatial (3 numbers) points")


def base_name(target: Any) -> str:
    """Return the name of the body under a chain of frames."""
    from cornerlaw.model.part import base_of

    base = base_of(target)
    return base.name if isinstance(base, Part) else str(base)
