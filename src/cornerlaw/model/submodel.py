"""Groups of parts that can be added to a model several times, each time under another prefix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as dataclass_replace
from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.part import Part
from cornerlaw.model.quantity import TextKind, Where, show
from cornerlaw.model.values import Input


@clear_arguments
class Submodel:
    """Parts that belong together; with a prefix the part "crank" becomes "prefix.crank".

    Prefixed are the parts listed here, the parts only they refer to, and the inputs only they use.
    Parts that the surrounding model lists or uses itself keep their names, so does every ground.
    """

    def __init__(
        self, *parts: Part | Submodel, name: str | None = None, prefix: str | None = None
    ) -> None:
        if name is not None:
            TextKind().check(name, Where("Submodel", "name"))
        owner = "Submodel" if name is None else f"Submodel {name!r}"
        if prefix is not None:
            TextKind().check(prefix, Where(owner, "prefix"))
        for item in parts:
            check_member(item, owner)
        self.parts = parts
        self.name = name
        self.prefix = prefix

    def with_prefix(self, prefix: str) -> Submodel:
        """Return the same submodel under another prefix."""
        return Submodel(*self.parts, name=self.name, prefix=prefix)

    @property
    def label(self) -> str:
        """The word and name that error messages show."""
        name = self.name or self.prefix
        return f"Submodel {name!r}" if name else "Submodel"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Submodel):
            return NotImplemented
        return (self.parts, self.name, self.prefix) == (other.parts, other.name, other.prefix)

    def __hash__(self) -> int:
        return hash((self.name, self.prefix, len(self.parts)))

    def __repr__(self) -> str:
        shown = [f"{len(self.parts)} parts"]
        shown += [f"{k}={v!r}" for k, v in (("name", self.name), ("prefix", self.prefix)) if v]
        return f"Submodel({', '.join(shown)})"


def check_member(item: Any, owner: str) -> None:
    """Refuse what cannot be a member of a model, with the reason."""
    if isinstance(item, Submodel):
        return
    if not isinstance(item, Part):
        hint = ""
        if isinstance(item, list | tuple):
            hint = "; unpack it with *"
        elif isinstance(item, type) and issubclass(item, Part):
            hint = f"; write {item.__name__}(...)"
        raise ModelError(f"{owner}: must consist of parts, got {show(item)}{hint}")
    if item.ROLE == "stop":
        raise ModelError(f"{owner}: {item.label} belongs to simulate(stop=...), not to the model")


def closure(parts: Iterable[Part]) -> list[Part]:
    """Return the parts and everything they refer to, each object once, operands first."""
    found: list[Part] = []
    seen: set[int] = set()

    def visit(item: Part) -> None:
        if id(item) in seen:
            return
        seen.add(id(item))
        for reference in item.references():
            if isinstance(reference, Part):
                visit(reference)
        found.append(item)

    for item in parts:
        visit(item)
    return found


def flatten(members: Iterable[Part | Submodel], outer: Iterable[Part] = ()) -> list[Part]:
    """Return the parts of a model or submodel in order, those of submodels under their prefixes.

    `outer` are the parts of the surrounding models.
    """
    members = tuple(members)
    own = [item for item in members if isinstance(item, Part)]
    around = [*outer, *own]
    flat: list[Part] = []
    for item in members:
        if isinstance(item, Part):
            flat.append(item)
        else:
            inner = flatten(item.parts, around)
            flat.extend(inner if item.prefix is None else _prefixed(item, inner, around))
    return flat


def _prefixed(submodel: Submodel, inner: list[Part], around: list[Part]) -> list[Part]:
    known = closure(around)
    listed = {id(item) for item in inner}
    explicit = {id(item) for item in around}
    for item in known:
        if id(item) in listed and id(item) not in explicit and item.ROLE != "ground":
            raise ModelError(
                f"{submodel.label}: {item.label} is also used outside; there it must be named "
                f"'{submodel.prefix}.{item.name}'"
            )
    outside = {id(item) for item in known}
    rename: dict[str, str] = {}
    keep: set[int] = set()
    for item in closure(inner):
        if item.ROLE == "ground" or (id(item) not in listed and id(item) in outside):
            keep.add(id(item))
        else:
            rename[item.name] = f"{submodel.prefix}.{item.name}"
    outside_inputs = {used.name for item in known for used in item.inputs()}
    made: dict[int, Part] = {}

    def leaf(value: Any, kind: str) -> Any:
        if isinstance(value, Part):
            return convert(value)
        if isinstance(value, Input):
            if value.name in outside_inputs:
                return value
            return dataclass_replace(value, name=f"{submodel.prefix}.{value.name}")
        return renamed(value, rename)

    def convert(item: Part) -> Part:
        if id(item) in keep:
            return item
        if id(item) not in made:
            moved = item.rebound(leaf)
            made[id(item)] = moved.replace(name=rename.get(item.name, item.name))
        return made[id(item)]

    return [convert(item) for item in inner]


def renamed(name: str, rename: dict[str, str]) -> str:
    """Return a name "part" or "part.quantity" with its part renamed; the longest part counts."""
    head, tail = name, ""
    while head:
        if head in rename:
            return rename[head] + tail
        head, dot, last = head.rpartition(".")
        tail = dot + last + tail
    return name
