"""How parts that refer to each other, by object or by name, become one consistent graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cornerlaw.errors import DuplicateNameError, ModelError, UnknownNameError
from cornerlaw.model.arguments import unknown
from cornerlaw.model.part import Part, field_specs
from cornerlaw.model.quantity import show
from cornerlaw.model.submodel import closure, renamed


def split_name(by_name: Mapping[str, Part], channel: str) -> tuple[Part, str]:
    if not isinstance(channel, str):
        raise UnknownNameError(f"a name must be a string, got {show(channel)}")
    head = channel
    while head:
        if head in by_name:
            return by_name[head], channel[len(head) + 1 :]
        head = head.rpartition(".")[0]
    wrong = channel.rpartition(".")[0] or channel
    raise unknown("the model has no part named", wrong, list(by_name))


def check_operands(new_parts: dict[str, Part], raw: dict[str, Part]) -> None:
    """Refuse a new part that brings along another version of an old one."""
    for item in new_parts.values():
        for other in closure([item])[:-1]:
            versions = [x[other.name] for x in (raw, new_parts) if other.name in x]
            if versions and not any(_same(other, known) for known in versions):
                raise DuplicateNameError(
                    f"replace: {item.label} refers to another {other.label} than the model has; "
                    f"replace {other.name!r} as well"
                )


def loosened(
    parts: list[Part], rename: dict[str, str], known: set[str], changed: set[str]
) -> list[Part]:
    """Replace references to known parts by their (new) names, so that a Model binds them anew.

    Parts that depend on no changed part stay as they are; `parts` has operands first.
    """

    def leaf(value: Any, kind: str) -> Any:
        if kind == "input" or (isinstance(value, Part) and value.name not in known):
            return value
        name = value.name if isinstance(value, Part) else value
        return rename.get(name, name) if kind == "part" else renamed(name, rename)

    affected = set(changed)
    loose = []
    for item in parts:
        used = {x.name if isinstance(x, Part) else x for x in item.references()}
        # a new name may stand in any text reference, so that then every part is visited
        if rename or item.name in affected or not affected.isdisjoint(used):
            affected.add(item.name)
            item = item.rebound(leaf)
        loose.append(item)
    return loose


def with_numbers(parts: tuple[Part, ...], changed: dict[str, Part]) -> tuple[Part, ...] | None:
    """Return bound parts with some that differ in numbers alone, None where more is different.

    Such a change leaves every reference and everything a Model checks as it is; parts that use a
    changed one use the new one. `parts` has operands first.
    """
    if not all(
        same_but_numbers(item, changed[item.name]) for item in parts if item.name in changed
    ):
        return None
    new = dict(changed)

    def leaf(value: Any, kind: str) -> Any:
        return new.get(value.name, value) if isinstance(value, Part) else value

    found = []
    for item in parts:
        if item.name in changed:
            item = changed[item.name]
        if any(isinstance(used, Part) and used.name in new for used in item.references()):
            item = new[item.name] = item.rebound(leaf)
        found.append(item)
    return tuple(found)


def same_but_numbers(old: Part, new: Part) -> bool:
    """Tell whether two parts of one class differ in numbers only."""
    fields = [s.name for s in field_specs(type(old))]
    alike = all(_alike(getattr(old, name), getattr(new, name)) for name in fields)
    return alike and list(old.dims()) == list(new.dims())


def _alike(a: Any, b: Any) -> bool:
    """Tell whether two values are the same but for numbers in them."""
    if a is b or (type(a) is float and type(b) is float):
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(map(_alike, a.values(), b.values()))
    return isinstance(a, str) and isinstance(b, str) and a == b


def collect(passed: list[Part]) -> dict[str, Part]:
    """Return all parts by name; refuse a name passed twice and two different parts of one name."""
    raw: dict[str, Part] = {}
    explicit: set[str] = set()
    for item in passed:
        if item.name in explicit and not (item.ROLE == "ground" and raw[item.name] == item):
            other = raw[item.name]
            raise DuplicateNameError(
                f"the name {item.name!r} is used twice: by {type(other).__name__} and by "
                f"{type(item).__name__}"
                if other is not item
                else f"{item.label} is passed twice"
            )
        explicit.add(item.name)
        raw[item.name] = item
    for item in passed:
        _add_references(item, raw)
    return raw


def _add_references(item: Part, raw: dict[str, Part]) -> None:
    for reference in item.references():
        if not isinstance(reference, Part):
            continue
        known = raw.get(reference.name)
        if known is None:
            raw[reference.name] = reference
        elif known is reference:
            continue
        elif not _same(known, reference):
            raise DuplicateNameError(
                f"{item.label} refers to a {type(reference).__name__} named {reference.name!r}, "
                f"but another part has that name"
            )
        _add_references(reference, raw)


def _same(a: Part, b: Part) -> bool:
    """Compare two parts; a name stands for the part of that name."""
    if type(a) is not type(b):
        return False
    return _names_only(a) == _names_only(b)


def _names_only(item: Part) -> list[Any]:
    loose: list[Any] = []
    for s in field_specs(type(item)):
        value = getattr(item, s.name)
        loose.append(_loose_value(value) if s.refers else value)
    return loose


def _loose_value(value: Any) -> Any:
    if isinstance(value, Part):
        return value.name
    return tuple(_loose_value(x) for x in value) if isinstance(value, tuple) else value


def _full_name(value: Part | str, raw: Mapping[str, Part]) -> str:
    """Return "joint.coordinate" for a joint with a single coordinate; other names are kept."""
    name = value.name if isinstance(value, Part) else value
    names: tuple[str, ...] = getattr(raw.get(name), "coordinate_names", ())
    return f"{name}.{names[0]}" if len(names) == 1 else name


def bind(raw: dict[str, Part]) -> tuple[Part, ...]:
    """Return the parts with every reference bound to the part of that name, operands first."""
    done: dict[str, Part] = {}
    active: list[str] = []

    def resolve(name: str, user: Part | None) -> Part:
        if name in done:
            return done[name]
        if name not in raw:
            label = user.label if user is not None else "Model"
            raise unknown(f"{label} refers to a part that does not exist:", name, list(raw))
        if name in active:
            chain = " -> ".join([*active[active.index(name) :], name])
            raise ModelError(f"{raw[name].label} refers to itself: {chain}")
        active.append(name)
        item = raw[name]

        def leaf(value: Any, kind: str) -> Any:
            if kind == "part":
                return resolve(value.name if isinstance(value, Part) else value, item)
            if kind == "channel" and item.ROLE != "sensor":
                return _full_name(value, raw)
            return value

        bound = item.rebound(leaf)
        active.pop()
        done[name] = bound
        return bound

    for name in raw:
        resolve(name, None)
    return tuple(done.values())
