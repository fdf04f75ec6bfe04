"""Contacts of many pairs by one rule, and laws by pairs of materials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from typing import Any, ClassVar

from cornerlaw.errors import DuplicateNameError, ModelError, UnknownNameError
from cornerlaw.model.arguments import clear_arguments, unknown
from cornerlaw.model.contact import Contact, contact_name
from cornerlaw.model.contours import Contour
from cornerlaw.model.friction import (
    Friction,
    FrictionKind,
    RestitutionKind,
    friction,
    restitution,
)
from cornerlaw.model.normal_laws import NormalLawKind, normal_law
from cornerlaw.model.part import Part, base_of, part
from cornerlaw.model.quantity import (
    Kind,
    NamesKind,
    Scalar,
    ScalarKind,
    TextKind,
    Where,
    flag,
    scalar,
    show,
    spec,
)
from cornerlaw.model.touching import cannot_touch, carrier_of, has_contour

POOLED = 1000  # pairs above which a rule keeps no contact for each of them

_FIXED = ("ground", "moving frame")  # roles of what does not move by itself

# the laws of a contact and how they are checked
_LAWS: dict[str, Kind] = {
    "mu": FrictionKind(),
    "eps_N": RestitutionKind(),
    "eps_T": ScalarKind("1", 0.0, False, False),
    "eps_speed": ScalarKind("m/s", 0.0, False, False),
    "normal": NormalLawKind(),
    "drilling": ScalarKind("m", 0.0, False, False),
    "rolling": ScalarKind("m", 0.0, False, False),
}


@clear_arguments
@dataclass(frozen=True)
class Materials:
    """Laws by pairs of materials, as {("steel", "ice"): dict(mu=0.02, eps_N=0.3), ...}.

    The order within a pair does not matter.
    """

    pairs: Any

    def __post_init__(self) -> None:
        where = Where("Materials", "pairs")
        given = self.pairs
        if isinstance(given, Mapping):
            for key in given:
                if not isinstance(key, list | tuple) or len(key) != 2:
                    raise where.error(f"must have two materials as key, got {show(key)}")
            given = [(*key, laws) for key, laws in given.items()]
        if not isinstance(given, list | tuple):
            raise where.error(f"must be a dict from pairs of materials to laws, got {show(given)}")
        entries: list[tuple[str, str, dict[str, Any]]] = []
        for item in given:
            if not isinstance(item, list | tuple) or len(item) != 3:
                raise where.error(f"must have two materials as key, got {show(item)}")
            first, second = (TextKind().check(word, where) for word in item[:2])
            if any({first, second} == {a, b} for a, b, _ in entries):
                raise where.error(f"has {first!r} with {second!r} twice")
            entries.append((first, second, _check_laws(item[2], where.item(f"{first}-{second}"))))
        object.__setattr__(self, "pairs", tuple(entries))

    def laws(self, first: str, second: str) -> dict[str, Any]:
        """Return the laws of two materials."""
        for a, b, laws in self.pairs:
            if (a, b) in ((first, second), (second, first)):
                return dict(laws)
        known = [f"{a}-{b}" for a, b, _ in self.pairs]
        raise unknown("the table of materials has no pair", f"{first}-{second}", known)

    def contact(self, first: Part, second: Part, **more: Any) -> Contact:
        """Return the contact of two parts with the laws of their materials; `more` overrides."""
        words = []
        for item in (first, second):
            word = getattr(item, "material", None)
            if word is None:
                raise ModelError(f"{item.label} has no material; give it one, or use Contact")
            words.append(word)
        return Contact(first, second, **{**self.laws(*words), **more})


def _check_laws(laws: Any, where: Where) -> dict[str, Any]:
    if not isinstance(laws, Mapping):
        raise where.error(f"must be a dict of laws such as mu and eps_N, got {show(laws)}")
    for key in laws:
        if key not in _LAWS:
            raise unknown(f"{where.owner}: {where.field} has no law", str(key), list(_LAWS))
    return {key: _LAWS[key].check(value, where.item(key)) for key, value in laws.items()}


class MaterialsKind(Kind):
    """A table of materials; a dict is taken as one."""

    def check(self, value: Any, where: Where) -> Materials:
        return value if isinstance(value, Materials) else Materials(value)


class WordsKind(NamesKind):
    """Names of parts, bodies or groups; those of parts follow when a part is renamed."""

    refers = "channel"


class ExceptionsKind(Kind):
    """Names and pairs of names."""

    refers = "channel"

    def check(self, value: Any, where: Where) -> tuple[Any, ...]:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            raise where.error(f"must be a tuple of names and pairs of names, got {show(value)}")
        found: list[Any] = []
        for k, item in enumerate(value):
            if isinstance(item, list | tuple):
                if len(item) != 2:
                    raise where.item(k).error(f"must be a name or two names, got {show(item)}")
                found.append(tuple(TextKind().check(name, where.item(k)) for name in item))
            else:
                found.append(TextKind().check(item, where.item(k)))
        return tuple(found)


@part()
class AllContacts(Part):
    """Contacts of all contours with all, except those that cannot or shall not touch.

    `among` names the parts, bodies or groups that take part, all unless given; with `against` only
    pairs of one in `among` and one in `against` do. `except_` leaves out single names and pairs of
    names, of parts, bodies or groups. Two contours on one body never touch, nor do bodies that a
    joint connects, unless `joined` is True. A pair with a Contact of its own keeps that. Laws come
    from `materials` where both have a material, else from the rule itself.

    With `pooled` no contact is kept for a pair that is far apart: pairs are found in every step
    and share a pool of contacts. Unless given that is so above 1000 pairs. Time stepping only.
    """

    ROLE: ClassVar[str] = "contact rule"

    among: tuple[str, ...] | None = spec(WordsKind(), default=None)
    against: tuple[str, ...] | None = spec(WordsKind(), default=None)
    except_: tuple[Any, ...] = spec(ExceptionsKind(), default=())
    joined: bool = flag(default=False)
    materials: Materials | None = spec(MaterialsKind(), default=None)
    mu: Friction = friction(default=0.0)
    eps_N: Any = restitution(default=0.0)
    eps_T: Scalar = scalar("1", default=0.0)
    eps_speed: Scalar = scalar("m/s", minimum=0.0, default=0.0)
    normal: Any = normal_law(default=None)
    drilling: Scalar = scalar("m", minimum=0.0, default=0.0)
    rolling: Scalar = scalar("m", minimum=0.0, default=0.0)
    pooled: bool | None = flag(default=None)

    def laws(self, first: Part, second: Part) -> dict[str, Any]:
        """Return the laws of a pair."""
        own = {key: getattr(self, key) for key in _LAWS}
        a, b = (getattr(item, "material", None) for item in (first, second))
        if self.materials is None or a is None or b is None:
            return own
        try:
            return {**own, **self.materials.laws(a, b)}
        except UnknownNameError as error:
            pair = f"{first.name!r} and {second.name!r}"
            raise UnknownNameError(f"{self.label}, for {pair}: {error}") from None


@dataclass(frozen=True)
class PooledRules:
    """Rules whose pairs are found while a model moves, and what they speak of."""

    rules: tuple[AllContacts, ...]
    candidates: tuple[Part, ...]  # what can touch, in order
    joined: frozenset[frozenset[str]]  # bodies that a joint connects
    taken: frozenset[frozenset[str]]  # pairs with a contact of their own

    @cached_property
    def _known(self) -> set[str]:
        return {word for rule in self.rules for word in _all_words(rule)}

    @cached_property
    def _hollow(self) -> list[Part]:
        return [item for item in self.candidates if getattr(item, "inside", False)]

    def rule_for(self, a: Part, b: Part, are_joined: bool) -> AllContacts | None:
        """Return the rule that two contours on different bodies follow, if there is one."""
        fixed = all(carrier_of(item).ROLE in _FIXED for item in (a, b))
        if fixed or cannot_touch(a, b):
            return None
        words = _words(a), _words(b)
        for rule in self.rules:
            if (rule.joined or not are_joined) and _is_meant(rule, *words):
                return rule
        return None

    def contact(self, name: str) -> Contact | None:
        """Return the contact that a pair called "first-second" has when it is near, if it may."""
        by_name = {item.name: item for item in self.candidates}
        for cut in (i for i, letter in enumerate(name) if letter == "-"):
            first, second = by_name.get(name[:cut]), by_name.get(name[cut + 1 :])
            if first is None or second is None:
                continue
            bodies = frozenset((carrier_of(first).name, carrier_of(second).name))
            taken = len(bodies) < 2 or frozenset((first.name, second.name)) in self.taken
            rule = None if taken else self.rule_for(first, second, bodies in self.joined)
            if rule is not None:
                return Contact(first, second, name=name, **rule.laws(first, second))
        return None

    def signature(self, item: Part) -> tuple[Any, ...]:
        """Return what the rules see of a contour: those with equal ones meet the same others."""
        return (
            type(item).__name__,
            carrier_of(item).ROLE in _FIXED,
            getattr(item, "inside", False),
            getattr(item, "two_sided", False),
            getattr(item, "material", None),
            tuple(sorted(_words(item) & self._known)),
            tuple(other.name for other in self._hollow if cannot_touch(item, other)),
        )


def expand_rules(parts: Sequence[Part]) -> tuple[list[Contact], PooledRules | None]:
    """Return the contacts that the rules among the parts make, and the rules that keep none."""
    rules = [item for item in parts if isinstance(item, AllContacts)]
    if not rules:
        return [], None
    taken = {
        frozenset((item.first.name, item.second.name))  # type: ignore[union-attr]
        for item in parts
        if isinstance(item, Contact)
    }
    known = {item.name for item in parts}
    candidates = _candidates(parts)
    joined = _joined_bodies(parts)
    made: list[Contact] = []
    pooled: list[AllContacts] = []
    for rule in rules:
        _check_words(rule, candidates)
        if _is_pooled(rule, candidates, joined):
            pooled.append(rule)
            continue
        before = PooledRules(tuple(pooled), tuple(candidates), frozenset(joined), frozenset())
        for first, second in _pairs(rule, candidates, joined):
            key = frozenset((first.name, second.name))
            bodies = frozenset((carrier_of(first).name, carrier_of(second).name))
            if key in taken or (pooled and before.rule_for(first, second, bodies in joined)):
                continue
            taken.add(key)
            name = contact_name(first, second)
            if name in known:
                raise DuplicateNameError(
                    f"{rule.label} makes a contact {name!r}, but another part has that name"
                )
            known.add(name)
            made.append(Contact(first, second, name=name, **rule.laws(first, second)))
    if not pooled:
        return made, None
    return made, PooledRules(tuple(pooled), tuple(candidates), frozenset(joined), frozenset(taken))


def _is_pooled(rule: AllContacts, candidates: Sequence[Part], joined: set[frozenset[str]]) -> bool:
    """Tell whether a rule keeps no contacts: it says so, or has too many pairs."""
    if rule.pooled is not None:
        return rule.pooled
    n = len(candidates)
    if n * (n - 1) // 2 <= POOLED:
        return False
    return len(list(islice(_pairs(rule, candidates, joined), POOLED + 1))) > POOLED


def _all_words(rule: AllContacts) -> Iterator[str]:
    for field in ("among", "against", "except_"):
        for entry in getattr(rule, field) or ():
            yield from entry if isinstance(entry, tuple) else (entry,)


def _candidates(parts: Sequence[Part]) -> list[Part]:
    """Return what can touch; a body with contours of its own counts by those."""
    carriers = {carrier_of(item).name for item in parts if isinstance(item, Contour)}
    return [
        item
        for item in parts
        if isinstance(item, Contour) or (has_contour(item) and item.name not in carriers)
    ]


def _joined_bodies(parts: Sequence[Part]) -> set[frozenset[str]]:
    joints: list[Any] = [item for item in parts if item.ROLE == "joint"]
    return {frozenset((base_of(j.first).name, base_of(j.second).name)) for j in joints}


def _words(item: Part) -> set[str]:
    """Return the words by which a rule may mean a contour: its name, its body, its group."""
    found = {item.name, carrier_of(item).name}
    group = getattr(item, "group", None)
    return found if group is None else {*found, group}


def _check_words(rule: AllContacts, candidates: Sequence[Part]) -> None:
    known = sorted(set().union(*(_words(item) for item in candidates)))
    for field in ("among", "against", "except_"):
        for entry in getattr(rule, field) or ():
            for word in entry if isinstance(entry, tuple) else (entry,):
                if word not in known:
                    raise unknown(f"{rule.label}: {field} names nothing that touches:", word, known)


def _pairs(
    rule: AllContacts, candidates: Sequence[Part], joined: set[frozenset[str]]
) -> Iterator[tuple[Part, Part]]:
    """Yield the pairs of a rule, what moves first."""
    for a, b in combinations(candidates, 2):
        carriers = carrier_of(a), carrier_of(b)
        same = carriers[0].name == carriers[1].name
        if same or all(c.ROLE in _FIXED for c in carriers) or cannot_touch(a, b):
            continue
        if not rule.joined and frozenset(c.name for c in carriers) in joined:
            continue
        if _is_meant(rule, _words(a), _words(b)):
            yield (b, a) if carriers[0].ROLE in _FIXED else (a, b)


def _is_meant(rule: AllContacts, a: set[str], b: set[str]) -> bool:
    for entry in rule.except_:
        if isinstance(entry, str):
            if entry in a or entry in b:
                return False
        elif (entry[0] in a and entry[1] in b) or (entry[0] in b and entry[1] in a):
            return False
    one, other = rule.among, rule.against
    in_one = [one is None or not words.isdisjoint(one) for words in (a, b)]
    if other is None:
        return all(in_one)
    in_other = [not words.isdisjoint(other) for words in (a, b)]
    return (in_one[0] and in_other[1]) or (in_one[1] and in_other[0])
