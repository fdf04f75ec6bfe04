"""The Model: all parts of a system, with every reference between them resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from os import PathLike
from typing import Any

from cornerlaw.errors import DuplicateNameError, ModelError, UnknownNameError
from cornerlaw.model.arguments import clear_arguments, unknown
from cornerlaw.model.binding import (
    bind,
    check_operands,
    collect,
    loosened,
    split_name,
    with_numbers,
)
from cornerlaw.model.contact_rules import PooledRules, expand_rules
from cornerlaw.model.friction import friction_warning
from cornerlaw.model.part import Part, base_of, field_specs
from cornerlaw.model.quantity import ChoiceKind, TextKind, VectorKind, Where, show
from cornerlaw.model.registry import lookup
from cornerlaw.model.submodel import Submodel, check_member, flatten
from cornerlaw.model.values import Input

_GRAVITY = VectorKind("m/s^2", (2, 3), False, None, None, {2: 2, 3: 3})
_WORDS = {2: "planar", 3: "spatial"}
# quantities of the whole model, as in "model.energy"
# what results know about the model as a whole, besides its parts
WHOLE = ("energy", "system", "constraints")


@clear_arguments
class Model:
    """A mechanical system: parts, gravity and the kind of coordinates.

    Bodies, frames and joints that parts refer to are added by themselves; references may be names.
    Afterwards `parts` holds every part once, operands before the parts that use them, and no
    reference is a name any more.
    """

    def __init__(
        self,
        *parts: Part | Submodel,
        gravity: Any = None,
        coordinates: str = "relative",
        name: str = "model",
    ) -> None:
        for item in parts:
            check_member(item, "Model")
        where = Where("Model", "name")
        self._name = TextKind().check(name, where)
        self._gravity: tuple[float, ...] | None = None
        if gravity is not None:
            self._gravity = _GRAVITY.check(gravity, Where("Model", "gravity"))
        self._coordinates = ChoiceKind(("relative", "absolute")).check(
            coordinates, Where("Model", "coordinates")
        )
        try:
            passed = flatten(parts)
            self._parts = bind(collect(passed))
        except RecursionError:
            raise ModelError("Model: its parts refer to each other in too long a chain") from None
        ruled, self._pooled = expand_rules(self._parts)
        self._ruled: tuple[Part, ...] = tuple(ruled)
        self._by_name = {item.name: item for item in (*self._parts, *self._ruled)}
        self._check_attached({item.name for item in passed})
        self._check_channels()
        self._inputs = self._collect_inputs()
        self._dim = self._find_dim()
        self._plan: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._name

    @property
    def gravity(self) -> tuple[float, ...] | None:
        """The acceleration of gravity [m/s^2] with 2 or 3 components, or None."""
        return self._gravity

    @property
    def plan(self) -> Mapping[str, Any] | None:
        """What the viewer draws of parts without geometry, see `with_plan`."""
        return self._plan

    def with_plan(self, plan: Mapping[str, Any] | None) -> Model:
        """Return the same model with nodes and links for the viewer, as a network has them.

        Without one the plan follows from the rotors and what connects them.
        """
        found = copy(self)
        found._plan = plan
        return found

    @property
    def coordinates(self) -> str:
        """The kind of coordinates, "relative" or "absolute"."""
        return self._coordinates

    @property
    def dim(self) -> int:
        """2 for a planar, 3 for a spatial model (also if nothing tells)."""
        return self._dim

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts, operands before the parts that use them."""
        return self._parts

    @property
    def bodies(self) -> tuple[Part, ...]:
        """The bodies, disks and point masses."""
        return self._of("body")

    @property
    def grounds(self) -> tuple[Part, ...]:
        """The names of the inertial frame."""
        return self._of("ground")

    @property
    def moving_frames(self) -> tuple[Part, ...]:
        """The frames with prescribed motion."""
        return self._of("moving frame")

    @property
    def frames(self) -> tuple[Part, ...]:
        """The markers."""
        return self._of("frame")

    @property
    def inertias(self) -> tuple[Part, ...]:
        """The one-dimensional inertias."""
        return self._of("inertia")

    @property
    def systems(self) -> tuple[Part, ...]:
        """The systems given by their own equations."""
        return self._of("system")

    @property
    def joints(self) -> tuple[Part, ...]:
        """The joints that were written; free bodies have implicit ones besides."""
        return self._of("joint")

    @property
    def constraints(self) -> tuple[Part, ...]:
        """The constraints and couplings."""
        return self._of("constraint")

    @property
    def forces(self) -> tuple[Part, ...]:
        """The forces and actuators."""
        return self._of("force")

    @property
    def sensors(self) -> tuple[Part, ...]:
        """The sensors."""
        return self._of("sensor")

    @property
    def contours(self) -> tuple[Part, ...]:
        """The contours that were written; some bodies and grounds are contours by themselves."""
        return self._of("contour")

    @property
    def contacts(self) -> tuple[Part, ...]:
        """The contacts, those that were written and those made by rules."""
        return (*self._of("contact"), *self._ruled)

    @property
    def pooled_rules(self) -> PooledRules | None:
        """The rules whose contacts are found while the model moves, None if there are none."""
        return self._pooled

    @property
    def corners(self) -> tuple[Part, ...]:
        """The set-valued elements without contact geometry."""
        return self._of("corner")

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for every law of a contact or corner that needs attention."""
        found = [getattr(item, "warning", "") for item in (*self.contacts, *self.corners)]
        for rule in self._pooled.rules if self._pooled is not None else ():
            text = friction_warning(rule.mu)
            found.append(f"{rule.label}: {text}" if text else "")
        return tuple(text for text in found if text)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs used by any part, each once."""
        return tuple(self._inputs.values())

    def _of(self, role: str) -> tuple[Part, ...]:
        return tuple(item for item in self._parts if role == item.ROLE)

    def part(self, name: str) -> Part:
        """Return the part with this name."""
        if not isinstance(name, str) or name not in self._by_name:
            raise unknown("the model has no part named", name, list(self._by_name))
        return self._by_name[name]

    def split(self, channel: str) -> tuple[Part, str]:
        """Return the part and the rest of a name "part.quantity"; the longest part name counts."""
        return split_name(self._by_name, channel)

    def coordinate(self, reference: Part | str) -> tuple[Part, str]:
        """Return the part and coordinate of a joint or of a name "joint" or "joint.coordinate"."""
        if isinstance(reference, Part):
            owner, rest = self.part(reference.name), ""
        else:
            owner, rest = self.split(reference)
        if owner.ROLE not in ("joint", "inertia", "system", "body"):
            raise UnknownNameError(f"{owner.label} has no coordinates")
        known = list(getattr(owner, "coordinate_names", ()))
        if rest:
            if known and not any(rest == name or rest.startswith(name + "_") for name in known):
                raise unknown(f"{owner.label} has no coordinate", rest, known)
            return owner, rest
        if len(known) != 1:
            raise UnknownNameError(
                f"{owner.label} has {len(known)} coordinates, write '{owner.name}.coordinate' "
                f"with one of them"
            )
        return owner, known[0]

    def replace(self, changes: Mapping[str, Any] | None = None, /, **more: Any) -> Model:
        """Return a model with other parts ("crank": part) or values ("crank.mass": 0.7).

        Every other part that refers to a changed one refers to the new one. The names "gravity" and
        "coordinates" change the model itself unless parts are called so.
        """
        if changes is not None and not isinstance(changes, Mapping):
            raise ModelError(f"replace: changes must be a dict, got {show(changes)}")
        raw = {item.name: item for item in self._parts}
        own: dict[str, Any] = {}
        fields: dict[str, dict[str, Any]] = {}
        new_parts: dict[str, Part] = {}
        for key, value in {**(changes or {}), **more}.items():
            if not isinstance(key, str):
                raise UnknownNameError(f"replace: a name must be a string, got {show(key)}")
            if key in raw:
                if not isinstance(value, Part):
                    raise ModelError(f"replace: {key!r} is a part, got {show(value)} for it")
                check_member(value, "replace")
                new_parts[key] = value
            elif key in ("gravity", "coordinates"):
                own[key] = value
            else:
                owner, rest = split_name(raw, key)
                if not rest:
                    raise unknown("the model has no part named", key, list(raw))
                field, dot, entry = rest.partition(".")
                known = [s.name for s in field_specs(type(owner))]
                if field not in known or field == "name":
                    raise unknown(f"{owner.label} has no value", field, known[1:])
                if dot:
                    value = _entry(owner, field, entry, value, fields)
                fields.setdefault(owner.name, {})[field] = value
        for key in new_parts:
            if key in fields:
                raise ModelError(f"replace: {key!r} is given as a part and by single values")
        rename = {key: item.name for key, item in new_parts.items() if key != item.name}
        edited = {key: raw[key].replace(**values) for key, values in fields.items()}
        if not new_parts and not own and self._has_no_rules:
            parts = with_numbers(self._parts, edited)
            if parts is not None:
                return self._with_parts(parts)
        replaced = [new_parts.get(key) or edited.get(key) or item for key, item in raw.items()]
        check_operands(new_parts, raw)
        settings: dict[str, Any] = {"gravity": self._gravity, "coordinates": self._coordinates}
        settings.update(own)
        changed = {*new_parts, *fields}
        loose = loosened(replaced, rename, set(raw), changed)
        return Model(*loose, **settings, name=self._name).with_plan(self._plan)

    @property
    def _has_no_rules(self) -> bool:
        """Whether all contacts were written: what a rule makes depends on everything else."""
        return all(item.ROLE != "contact rule" for item in self._parts)

    def _with_parts(self, parts: tuple[Part, ...]) -> Model:
        """Return the model with parts that differ in numbers only."""
        found = copy(self)
        found._parts = parts
        found._by_name = {item.name: item for item in parts}
        return found

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a .toml or .json file."""
        from cornerlaw.model.schema import save

        save(self, path)

    @staticmethod
    def load(path: str | PathLike[str], trust: bool = False) -> Model:
        """Read a model; functions named in the file are imported only if it is trusted."""
        from cornerlaw.model.schema import load

        return load(path, trust)

    def describe(self, t: float = 0.0) -> Any:
        """Return degrees of freedom, Gruebler count, loops and redundant constraints at a time."""
        return lookup("describe", "cornerlaw.simulate")(self, t)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return (
            self._name == other._name
            and self._gravity == other._gravity
            and self._coordinates == other._coordinates
            and self._parts == other._parts
        )

    def __hash__(self) -> int:
        return hash((self._name, len(self._parts)))

    def __repr__(self) -> str:
        counts = []
        for role, word in (
            ("body", "bodies"), ("inertia", "one-dimensional inertias"), ("system", "systems"),
            ("joint", "joints"), ("constraint", "constraints"), ("force", "forces"),
            ("contact", "contacts"), ("corner", "corners"), ("sensor", "sensors"),
        ):  # fmt: skip
            if number := len(self.contacts if role == "contact" else self._of(role)):
                counts.append(f"{number} {word if number > 1 else _SINGULAR[role]}")
        return f"<Model {self._name!r}: {_WORDS[self._dim]}, {', '.join(counts) or 'empty'}>"

    def _check_attached(self, passed: set[str]) -> None:
        jointed = set()
        for joint in self.joints:
            for side in (joint.first, joint.second):  # type: ignore[attr-defined]
                jointed.add(base_of(side).name)
        for body in self.bodies:
            if body.name in passed or body.name in jointed:
                continue
            users = [
                item.label
                for item in self._parts
                if any(base_of(reference) is body for reference in item.references())
            ]
            raise ModelError(
                f"{body.label} is attached to nothing: only {users[0]} uses it; "
                f"give it a joint, or pass it to Model to let it move freely"
            )

    def _check_channels(self) -> None:
        for item in self._parts:
            for s in field_specs(type(item)):
                # words of a contact rule are no quantities; it checks them itself
                if s.refers != "channel" or item.ROLE == "contact rule":
                    continue
                value = getattr(item, s.name)
                for text in _strings(value):
                    try:
                        if item.ROLE == "sensor":
                            if "." in text and text.split(".")[0] not in WHOLE:
                                self.split(text)
                        else:
                            self.coordinate(text)
                    except UnknownNameError as error:
                        raise UnknownNameError(f"{item.label}: {s.name}: {error}") from None

    def _collect_inputs(self) -> dict[str, Input]:
        found: dict[str, Input] = {}
        for item in self._parts:
            for used in item.inputs():
                if found.setdefault(used.name, used) != used:
                    raise DuplicateNameError(
                        f"{item.label}: Input {used.name!r} has the value {used.value:g}, "
                        f"elsewhere {found[used.name].value:g}"
                    )
        return found

    def _find_dim(self) -> int:
        dim, source = 0, ""
        if self._gravity is not None:
            dim, source = len(self._gravity), "gravity"
        for item in self._parts:
            for field, given in item.dims():
                if not dim:
                    dim, source = given, f"{item.label}: {field}"
                elif given != dim:
                    raise ModelError(
                        f"{item.label}: {field} is {_WORDS[given]}, but the model is "
                        f"{_WORDS[dim]} by its {source}"
                    )
        return dim or 3


_SINGULAR = {
    "body": "body", "inertia": "one-dimensional inertia", "system": "system", "joint": "joint",
    "constraint": "constraint", "force": "force", "contact": "contact", "corner": "corner",
    "sensor": "sensor",
}  # fmt: skip


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _strings(item)


def _entry(
    owner: Part, field: str, entry: str, value: Any, fields: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the dict of a field with one entry changed, as in "element.parameters.k"."""
    old = fields.get(owner.name, {}).get(field, getattr(owner, field))
    if not isinstance(old, dict) or entry not in old:
        known = list(old) if isinstance(old, dict) else []
        raise unknown(f"{owner.label}: {field} has no entry", entry, known)
    return {**old, entry: value}
