"""The base of every part: an immutable, named, checked value that may refer to other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from dataclasses import replace as dataclass_replace
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, dataclass_transform

from cornerlaw.errors import ModelError
from cornerlaw.model.arguments import clear_arguments, unknown
from cornerlaw.model.quantity import (
    Kind,
    TextKind,
    Where,
    as_number,
    as_numbers,
    choice,
    count,
    data,
    flag,
    function,
    listing,
    mapping,
    names,
    scalar,
    show,
    spec,
    spin,
    text,
    vector,
)
from cornerlaw.model.rotation import rotation_field
from cornerlaw.model.values import (
    Delay,
    Input,
    Interpreted,
    Motion,
    Sampled,
    ScaledInput,
    Table,
    signal,
    signals,
)

P = TypeVar("P", bound="Part")

# every concrete part class by its name: the vocabulary of model files
PART_TYPES: dict[str, type[Part]] = {}

BODY_ROLES = ("body", "ground", "moving frame", "frame")
AXIS_ROLES = ("joint", "inertia")


class OperandKind(Kind):
    """One other part, given as the part itself or by its name."""

    refers = "part"

    def __init__(self, roles: tuple[str, ...], expected: str) -> None:
        self.roles, self.expected = roles, expected

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, str):
            return TextKind().check(value, where)
        if isinstance(value, Part) and value.ROLE in self.roles:
            return value
        got = value.label if isinstance(value, Part) else show(value)
        raise where.error(f"must be {self.expected}, got {got}")


class OperandsKind(Kind):
    """A tuple of other parts."""

    refers = "part"

    def __init__(self, roles: tuple[str, ...], expected: str) -> None:
        self.item = OperandKind(roles, expected)

    def check(self, value: Any, where: Where) -> Any:
        if not isinstance(value, list | tuple):
            raise where.error(f"must be a tuple of parts, got {show(value)}")
        return tuple(self.item.check(item, where.item(k)) for k, item in enumerate(value))


class PointsKind(Kind):
    """Points of a path: operands or (operand, at) pairs, stored as pairs."""

    refers = "part"

    def check(self, value: Any, where: Where) -> Any:
        if not isinstance(value, list | tuple):
            raise where.error(f"must be a sequence of operands, got {show(value)}")
        if len(value) < 2:
            raise where.error(f"must name at least 2 points, got {len(value)}")
        operand_kind = OperandKind(BODY_ROLES, "a body, ground or frame")
        pairs = []
        for k, item in enumerate(value):
            at: Any = None
            if isinstance(item, list | tuple):
                if len(item) not in (1, 2):
                    raise where.item(k).error(f"must be (operand, at), got {show(item)}")
                item, at = item[0], (item[1] if len(item) == 2 else None)
            checked = operand_kind.check(item, where.item(k))
            if at is not None:
                at = as_numbers(at, where.item(k), "m", (2, 3))
            pairs.append((checked, at))
        return tuple(pairs)

    def dim(self, value: Any) -> int | None:
        sizes = {len(at) for _, at in value if at is not None}
        return max(sizes) if sizes else None


class TermsKind(Kind):
    """Terms of a linear coupling: (joint or "joint.coordinate", coefficient) pairs."""

    refers = "channel"

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, dict):
            value = tuple(value.items())
        if not isinstance(value, list | tuple) or not value:
            raise where.error(f"must be a tuple of (coordinate, coefficient), got {show(value)}")
        terms = []
        for k, item in enumerate(value):
            if not isinstance(item, list | tuple) or len(item) != 2:
                raise where.item(k).error(f"must be (coordinate, coefficient), got {show(item)}")
            kind = OperandKind((*AXIS_ROLES, "system"), 'a joint or "joint.coordinate"')
            terms.append((kind.check(item[0], where.item(k)), as_number(item[1], where.item(k))))
        return tuple(terms)


class ChannelKind(Kind):
    """The name of a quantity, "part.quantity"."""

    refers = "channel"

    def check(self, value: Any, where: Where) -> str:
        return TextKind().check(value, where)


class ChannelsKind(Kind):
    """A tuple of names "part.quantity"."""

    refers = "channel"

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            raise where.error(f'must be a tuple of names "part.quantity", got {show(value)}')
        return tuple(TextKind().check(item, where.item(k)) for k, item in enumerate(value))


def operand(
    roles: tuple[str, ...] = BODY_ROLES,
    expected: str = "a body, ground or frame",
    *,
    default: Any = MISSING,
    kw_only: Any = MISSING,
) -> Any:
    """Declare a reference to another part."""
    return spec(OperandKind(roles, expected), default, kw_only)


def axis_operand(expected: str = "a joint, Rotor or Slider", *, default: Any = MISSING) -> Any:
    """Declare a reference to something with coordinates: a joint or a one-dimensional inertia."""
    return spec(OperandKind(AXIS_ROLES, expected), default)


def operands(*, default: Any = MISSING) -> Any:
    """Declare a tuple of references to bodies, grounds or frames."""
    return spec(OperandsKind(BODY_ROLES, "a body, ground or frame"), default)


def path(*, default: Any = MISSING) -> Any:
    """Declare the points of a path."""
    return spec(PointsKind(), default)


def terms(*, default: Any = MISSING) -> Any:
    """Declare the terms of a linear coupling."""
    return spec(TermsKind(), default)


def channel(*, default: Any = MISSING, kw_only: Any = MISSING) -> Any:
    """Declare the name of a quantity."""
    return spec(ChannelKind(), default, kw_only)


def channels(*, default: Any = MISSING) -> Any:
    """Declare names of quantities."""
    return spec(ChannelsKind(), default)


@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    kw_only_default=True,
    field_specifiers=(
        spec, scalar, vector, spin, text, names, choice, flag, count, function, listing, mapping,
        data, rotation_field, signal, signals, operand, axis_operand, operands, path, terms,
        channel, channels,
    ),
)  # fmt: skip
def part(
    *, kw_only: bool = True, init: bool = True, abstract: bool = False
) -> Callable[[type[P]], type[P]]:
    """Make a frozen dataclass of a part class and add it to the vocabulary of model files."""

    def decorate(cls: type[P]) -> type[P]:
        made = dataclass(frozen=True, eq=False, repr=False, kw_only=kw_only, init=init)(cls)
        made = clear_arguments(made)
        made.ABSTRACT = abstract
        if not abstract:
            known = PART_TYPES.get(cls.__name__)
            if known is not None and known.__module__ != cls.__module__:
                raise ModelError(f"a part class named {cls.__name__!r} exists already")
            PART_TYPES[cls.__name__] = made
        return made

    return decorate


class FieldSpec:
    """What is known about one field of a part class."""

    __slots__ = ("default", "kind", "name", "optional", "refers")

    def __init__(self, name: str, kind: Kind, optional: bool, default: Any) -> None:
        self.name, self.kind, self.optional, self.default = name, kind, optional, default
        self.refers: str = getattr(kind, "refers", "")


def field_specs(cls: type[Part]) -> tuple[FieldSpec, ...]:
    """Return the fields of a part class in order."""
    found = _SPECS.get(cls)
    if found is None:
        found = _SPECS[cls] = tuple(
            FieldSpec(f.name, f.metadata["kind"], f.metadata["optional"], f.default)
            for f in fields(cls)
        )
    return found


_SPECS: dict[type[Part], tuple[FieldSpec, ...]] = {}


@part(kw_only=False, abstract=True)
class Part:
    """A named, immutable value; parts refer to each other and are collected by a Model."""

    ROLE: ClassVar[str] = ""
    DIM: ClassVar[int | None] = None
    ABSTRACT: ClassVar[bool] = True

    name: str = text()

    def __post_init__(self) -> None:
        cls = type(self)
        if cls.ABSTRACT:
            raise ModelError(f"{cls.__name__} is a family of parts: use one of its members")
        owner = cls.__name__
        for s in field_specs(cls):
            value = getattr(self, s.name)
            if value is None and s.optional:
                continue
            where = Where(owner, s.name, self.unit_choice())
            object.__setattr__(self, s.name, s.kind.check(value, where))
            if s.name == "name":
                owner = self.label
        self._check()
        self._check_dim()

    def unit_choice(self) -> int | None:
        """Return which of two units applies: 0 on what turns, 1 on what slides, None if unknown.

        A torque on a joint is in N*m or in N, as the joint's coordinate is an angle or a length.
        """
        target = self if self.ROLE == "joint" else getattr(self, "on", None)
        if not isinstance(target, Part):
            return None
        if target.ROLE in ("body", "frame"):
            return 0
        units = dict(getattr(target, "COORDINATES", ()))
        name = getattr(self, "coordinate", None)
        if name is None and len(units) == 1:
            name = next(iter(units))
        # a name of the wrong type is refused when its own turn comes
        return {"rad": 0, "m": 1}.get(units.get(name, "") if isinstance(name, str) else "")

    def _check(self) -> None:
        """Check fields against each other; a part class overrides it."""

    def _check_dim(self) -> None:
        first: tuple[str, int] | None = None
        for name, dim in self.dims():
            if first is None:
                first = (name, dim)
            elif dim != first[1]:
                raise ModelError(
                    f"{self.label}: {name} is {_DIM_WORDS[dim]} but {first[0]} is "
                    f"{_DIM_WORDS[first[1]]}"
                )

    def dims(self) -> Iterator[tuple[str, int]]:
        """Yield (field, 2 or 3) for every field that tells planar from spatial."""
        if self.DIM is not None:
            yield type(self).__name__, self.DIM
        for s in field_specs(type(self)):
            value = getattr(self, s.name)
            if value is not None:
                dim = s.kind.dim(value)
                if dim is not None:
                    yield s.name, dim

    @property
    def label(self) -> str:
        """The class and name, as error messages show them."""
        return f"{type(self).__name__} {self.name!r}"

    def where(self, name: str) -> Where:
        """Return the place of a field, for error messages."""
        return Where(self.label, name)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other field values, checked like a new part."""
        specs = field_specs(type(self))
        known = [s.name for s in specs]
        for key in changes:
            if key not in known:
                raise unknown(f"{self.label} has no field", key, known)
        changes = self._completed(changes)
        copy = object.__new__(type(self))
        for s in specs:
            object.__setattr__(copy, s.name, changes.get(s.name, getattr(self, s.name)))
        copy.__post_init__()
        return copy

    def _completed(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Return the changes with those that follow from them; a part class may override it."""
        return changes

    def references(self) -> Iterator[Part | str]:
        """Yield the parts this one refers to (or their names, where names were given)."""
        for s in field_specs(type(self)):
            if s.refers:
                yield from _references(getattr(self, s.name), s.refers)

    def inputs(self) -> Iterator[Input]:
        """Yield the inputs used as values."""
        for s in field_specs(type(self)):
            yield from _inputs(getattr(self, s.name))

    def rebound(self, leaf: Callable[[Any, str], Any]) -> Self:
        """Return the part with every reference and input replaced by `leaf(value, kind)`.

        The kind is "part", "channel", "input" or "name" of a row or output; the same object comes
        back if nothing changed.
        """
        changes = {}
        for s in field_specs(type(self)):
            old = getattr(self, s.name)
            new = _transform(old, s.refers, leaf)
            if new is not old:
                changes[s.name] = new
        return self.replace(**changes) if changes else self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, s.name) == getattr(other, s.name) for s in field_specs(type(self)))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.name))

    def __repr__(self) -> str:
        shown = [repr(self.name)]
        for s in field_specs(type(self))[1:]:
            value = getattr(self, s.name)
            if value is not s.default and value != s.default:
                shown.append(f"{s.name}={_brief(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


_DIM_WORDS = {2: "planar (2 components)", 3: "spatial (3 components)"}

# what a field may hold: a part, or its name until a Model has resolved it
Operand: TypeAlias = Part | str


def base_of(value: Any) -> Any:
    """Return the body, ground or moving frame under a chain of frames (or a bare name)."""
    while isinstance(value, Part) and value.ROLE == "frame":
        value = value.body  # type: ignore[attr-defined]
    return value


def check_pair(owner: Part, first: Any, second: Any) -> None:
    """Refuse a body joined to itself and two operands that cannot move."""
    a, b = base_of(first), base_of(second)
    if not isinstance(a, Part) or not isinstance(b, Part):
        if isinstance(first, str) and first == second:
            raise ModelError(f"{owner.label}: first and second are the same part {first!r}")
        return
    if a is b or a.name == b.name:
        raise ModelError(f"{owner.label}: first and second are the same part {a.label}")
    if a.ROLE in ("ground", "moving frame") and b.ROLE in ("ground", "moving frame"):
        raise ModelError(f"{owner.label}: neither {a.label} nor {b.label} can move; one must")


def check_movable(owner: Part, name: str, value: Any, roles: tuple[str, ...]) -> None:
    """Refuse a force on something that cannot move, through frames as well."""
    base = base_of(value)
    if isinstance(base, Part) and base.ROLE not in roles:
        raise owner.where(name).error(f"must be something that moves, got {base.label}")


@part(kw_only=False, abstract=True)
class _Two(Part):
    first: Operand = operand()
    second: Operand = operand()


@part(abstract=True)
class Pair(_Two):
    """A part between two bodies; `at` in the first operand's frame, `at_second` in the second's."""

    at: Any = vector("m", default=None)
    at_second: Any = vector("m", default=None)

    def _check(self) -> None:
        check_pair(self, self.first, self.second)


def _references(value: Any, refers: str) -> Iterator[Part | str]:
    if isinstance(value, Part):
        yield value
    elif isinstance(value, str):
        if refers == "part":
            yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _references(item, refers)


def _inputs(value: Any) -> Iterator[Input]:
    if isinstance(value, Input):
        yield value
    elif isinstance(value, ScaledInput):
        yield value.source
    elif isinstance(value, tuple):
        for item in value:
            yield from _inputs(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _inputs(item)


def _transform(value: Any, refers: str, leaf: Callable[[Any, str], Any]) -> Any:
    if isinstance(value, Part):
        return leaf(value, refers)
    if isinstance(value, Input):
        return leaf(value, "input")
    if isinstance(value, ScaledInput):
        source = leaf(value.source, "input")
        return value if source is value.source else dataclass_replace(value, source=source)
    if isinstance(value, str):
        return leaf(value, refers) if refers else value
    if isinstance(value, tuple):
        new = tuple(_transform(item, refers, leaf) for item in value)
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    if isinstance(value, dict):
        made = {key: _transform(item, refers, leaf) for key, item in value.items()}
        return made if any(made[key] is not value[key] for key in value) else value
    return value


def _brief(value: Any) -> str:
    if isinstance(value, Part):
        return value.name
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Table | Motion | Interpreted | Sampled | Delay):
        return type(value).__name__
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, tuple):
        inner = ", ".join(_brief(item) for item in value[:9])
        return f"({inner}{', ...' if len(value) > 9 else ''})"
    return show(value)
