"""Pooled contacts: which contours may meet, classes of places, and the arrays of any size of pool.

Rules of many pairs make no corner for each of them. Contours that the rules cannot tell apart are a
family, a table says which class of places a pair of families takes, and a class has the slots and
corners of one pair as a template, which is repeated as often as the pool has places. (T-17.15)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import CornerArrays, SlotArrays
from cornerlaw.arrays.model_arrays import ModelArrays, RowArrays
from cornerlaw.arrays.pool import PoolArrays, no_pool
from cornerlaw.compile.bounds import bound_of, margin_of
from cornerlaw.compile.contacts import add_corners, contours_of, features_of
from cornerlaw.compile.corners import ContourData, CornerBuilder, Slot
from cornerlaw.compile.rows import row_arrays
from cornerlaw.compile.tables import ints
from cornerlaw.model import Part
from cornerlaw.model.contact import Contact, contact_name
from cornerlaw.model.contact_rules import AllContacts, PooledRules
from cornerlaw.model.touching import carrier_of

FIRST_SIZE = 4  # places of a class before anything is known of the poses
_BY_SIZE = (kinds.CONTOUR_SEGMENT, kinds.CONTOUR_POLYGON, kinds.SHAPE_POLYHEDRON)
_SHIFTED_ROWS = ("row_N", "row_T", "load_row")


@dataclass
class PoolClass:
    """Pairs with the same laws and the same number of slots: the template of their places."""

    rule: AllContacts
    contact: Contact  # of two of them, with the laws of all
    count: int  # slots of a place


@dataclass
class _Family:
    members: list[tuple[int, Part]] = field(default_factory=list)


@dataclass
class PoolPlan:
    """Everything about a pool but its size."""

    classes: list[PoolClass]
    static: ModelArrays  # the model without any place
    template: Any  # CornerBuilder with one place of every class
    parts: list[str]  # part of every contour
    template_rows: RowArrays
    blank: PoolArrays  # families and tables, no places
    labels: list[list[str]]  # of the corners of a place, by class: what follows the name of a pair
    starts: Any  # first slot, corner and row of every class in the template
    scale: float  # a length of the model's size

    def arrays(self, sizes: list[int]) -> ModelArrays:
        """Return the model with so many places of every class."""
        return _extend(self, sizes)

    def name_of(self, code: int) -> str:
        """Return the name of a pair."""
        n = len(self.parts)
        return f"{self.parts[code // n]}-{self.parts[code % n]}"


def plan_pool(builder: CornerBuilder, arrays: Any) -> PoolPlan | None:
    """Return the plan of a model's pool; `arrays` makes the model of the builder's contours."""
    rules = builder.model.pooled_rules
    if rules is None:
        return None
    families, family = _sort_contours(builder, rules)
    sub = CornerBuilder(
        builder.model, builder.frames, builder.signals, builder.find, [], builder.scale
    )
    classes: list[PoolClass] = []
    tables = _tables(builder, rules, families, classes, sub)
    static = arrays()
    if not classes:
        return None
    starts, labels = [], []
    slots = corners = rows = 0
    normal, _, counts = sub._numbered()
    for k, item in enumerate(classes):
        own = [c for c, x in enumerate(sub.corners) if x.part == str(k)]
        starts.append((slots, corners, rows, len(own)))
        labels.append([sub.corners[c].label[len(str(k)) :] for c in own])
        slots += item.count
        corners += len(own)
        rows += sum(int(normal[c] >= 0) + counts[c] for c in own)
    starts.append((slots, corners, rows, 0))
    return PoolPlan(
        classes=classes,
        static=static,
        template=(sub.slot_arrays(), sub.arrays()),
        parts=[c.part for c in builder.contours],
        template_rows=row_arrays(sub.template_rows()),
        blank=_blank(builder, rules, static, family, tables, families),
        labels=labels,
        starts=starts,
        scale=builder.scale,
    )


def _sort_contours(builder: CornerBuilder, rules: PooledRules) -> tuple[list[_Family], Any]:
    """Add the contours of all candidates and sort them into families."""
    keys: dict[Any, int] = {}
    families: list[_Family] = []
    where: dict[int, int] = {}
    for part in rules.candidates:
        seen = rules.signature(part)
        for i in contours_of(builder, part):
            c = builder.contours[i]
            hollow = bool(c.data) and c.data[0] < 0.0
            key = (*seen, c.kind, hollow, c.size if c.kind in _BY_SIZE else 0)
            if key not in keys:
                keys[key] = len(families)
                families.append(_Family())
            where[i] = keys[key]
            families[keys[key]].members.append((i, part))
    family = np.full(len(builder.contours), -1, np.int64)
    for i, k in where.items():
        family[i] = k
    return families, family


def _representatives(f: _Family, g: _Family) -> tuple[Any, Any] | None:
    """Return a member of each of two families, on different bodies; None if there are none."""
    first = f.members[0]
    for other in g.members:
        if carrier_of(other[1]).name != carrier_of(first[1]).name:
            return first, other
    last = g.members[0]
    for other in f.members:
        if carrier_of(other[1]).name != carrier_of(last[1]).name:
            return other, last
    return None


def _tables(
    builder: CornerBuilder,
    rules: PooledRules,
    families: list[_Family],
    classes: list[PoolClass],
    sub: CornerBuilder,
) -> Any:
    """Return the classes of all pairs of families, without and with a joint between the bodies."""
    n = len(families)
    tables = np.full((2, n, n), -1, np.int64)
    known: dict[Any, int] = {}
    for a in range(n):
        for b in range(a, n):
            pair = _representatives(families[a], families[b])
            if pair is None:
                continue
            (i, first), (j, second) = pair
            count = len(features_of(builder.contours[i], builder.contours[j]))
            for joined in (0, 1):
                rule = rules.rule_for(first, second, bool(joined))
                if rule is None:
                    continue
                words = sorted(str(getattr(x, "material", None)) for x in (first, second))
                key = (rule.name, tuple(words) if rule.materials else (), count)
                if key not in known:
                    known[key] = len(classes)
                    classes.append(_new_class(rule, first, second, count, len(classes), sub))
                tables[joined, a, b] = tables[joined, b, a] = known[key]
    return tables


def _new_class(
    rule: AllContacts, first: Part, second: Part, count: int, number: int, sub: CornerBuilder
) -> PoolClass:
    """Add the slots and corners of one place of a new class to the template."""
    if carrier_of(first).ROLE in ("ground", "moving frame"):
        first, second = second, first
    name = contact_name(first, second)
    contact = Contact(first, second, name=name, **rule.laws(first, second))
    contact.check_dimension(sub.model.dim)
    slots = [Slot(0, 0, k, k, count) for k in range(count)]
    add_corners(sub, contact, slots)
    for corner in sub.corners:
        if corner.part == name:
            corner.label = f"{number}{corner.label[len(name) :]}"
            corner.part = str(number)
    return PoolClass(rule, contact, count)


def _codes(pairs: list[tuple[int, int]], n: int) -> Any:
    """Return the sorted codes of unordered pairs of numbers below n."""
    return ints(sorted({min(p) * n + max(p) for p in pairs}))


def _blank(
    builder: CornerBuilder,
    rules: PooledRules,
    static: ModelArrays,
    family: Any,
    tables: Any,
    families: list[_Family],
) -> PoolArrays:
    """Return families, boxes and tables of a pool without places."""
    contours, n = builder.contours, len(builder.contours)
    bounds = [bound_of(c) for c in contours]
    fixed = {
        i
        for f in families
        for i, part in f.members
        if carrier_of(part).ROLE in ("ground", "moving frame")
    }
    order = {i: k for k, i in enumerate(_in_order(builder, rules))}
    carriers: dict[str, int] = {}
    carrier = np.full(n, -1, np.int64)
    for f in families:
        for i, part in f.members:
            carrier[i] = carriers.setdefault(carrier_of(part).name, len(carriers))
    joined = [
        (carriers[a], carriers[b])
        for a, b in (sorted(pair) for pair in rules.joined if len(pair) == 2)
        if a in carriers and b in carriers
    ]
    excluded = []
    for pair in rules.taken:
        parts = [builder.contour_of.get(name) for name in pair]
        if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
            excluded += [(i, j) for i in parts[0] for j in parts[1]]
    pairs = _kinds(contours, families, tables)
    return no_pool()._replace(
        dim=builder.model.dim,
        n_static=static.corners.row_N.size,
        family=family,
        carrier=carrier,
        n_carriers=len(carriers),
        rank=ints([order.get(i, n + i) + (2 * n if i in fixed else 0) for i in range(n)]),
        bound=ints([b[0] for b in bounds]),
        centre=np.array([b[1] for b in bounds]).reshape(n, 3),
        half=np.array([b[2] for b in bounds]).reshape(n, 3),
        normal=np.array([b[3] for b in bounds]).reshape(n, 3),
        margin=np.array([margin_of(b) for b in bounds]),
        table=np.ascontiguousarray(tables[0]),
        table_joined=np.ascontiguousarray(tables[1]),
        joined=_codes(joined, len(carriers)),
        excluded=_codes(excluded, n),
        kind_1=ints([p[0] for p in pairs]),
        kind_2=ints([p[1] for p in pairs]),
    )


def _in_order(builder: CornerBuilder, rules: PooledRules) -> list[int]:
    return [i for part in rules.candidates for i in builder.contour_of[part.name]]


def _kinds(contours: list[ContourData], families: list[_Family], tables: Any) -> Any:
    """Return the kinds of contours of all pairs of families that may meet."""
    of = [contours[f.members[0][0]].kind for f in families]
    found = np.argwhere((tables >= 0).any(axis=0))
    return sorted({(of[a], of[b]) for a, b in found.tolist()})


def _extend(plan: PoolPlan, sizes: list[int]) -> ModelArrays:
    """Return the arrays of a model with pooled places behind everything else."""
    static, starts = plan.static, plan.starts
    slots, corners = plan.template
    n_slots, n_corners = static.slots.start.size, static.corners.row_N.size
    n_rows = static.rows.kind.size
    pick: dict[str, list[Any]] = {"slot": [], "corner": [], "row": []}
    shift: dict[str, list[Any]] = {"slot": [], "corner": [], "corner_row": [], "corner_slot": []}
    places: list[Any] = []
    for k, size in enumerate(sizes):
        (s0, c0, r0, _), (s1, c1, r1, _) = starts[k], starts[k + 1]
        number = np.arange(size)
        own = {"slot": s1 - s0, "corner": c1 - c0, "row": r1 - r0}
        for name, low, high in (("slot", s0, s1), ("corner", c0, c1), ("row", r0, r1)):
            pick[name].append(np.tile(np.arange(low, high), size))
        base = {
            "slot": n_slots + number * own["slot"],
            "corner": n_corners + number * own["corner"],
            "row": n_rows + number * own["row"],
        }
        places.append(
            np.column_stack(
                [
                    np.full(size, k), base["slot"], np.full(size, own["slot"]), base["corner"],
                    base["row"], np.full(size, own["row"]),
                ]
            )
        )  # fmt: skip
        shift["slot"].append(np.repeat(base["slot"] - s0, own["slot"]))
        shift["corner"].append(np.repeat(base["corner"] - c0, own["corner"]))
        shift["corner_row"].append(np.repeat(base["row"] - r0, own["corner"]))
        shift["corner_slot"].append(np.repeat(base["slot"] - s0, own["corner"]))
        n_slots += size * own["slot"]
        n_corners += size * own["corner"]
        n_rows += size * own["row"]
    index = {name: np.concatenate(parts) for name, parts in pick.items()}
    moved = {name: np.concatenate(parts) for name, parts in shift.items()}
    table = np.concatenate(places)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    pool = plan.blank._replace(
        size=int(sum(sizes)),
        n_corners=n_corners - static.corners.row_N.size,
        class_first=ints(first),
        class_size=ints(sizes),
        class_corners=ints([starts[k + 1][1] - starts[k][1] for k in range(len(sizes))]),
        place_class=ints(table[:, 0]),
        place_slot=ints(table[:, 1]),
        place_slots=ints(table[:, 2]),
        place_corner=ints(table[:, 3]),
        place_row=ints(table[:, 4]),
        place_rows=ints(table[:, 5]),
    )
    return static._replace(
        rows=_more_rows(static.rows, plan.template_rows, index["row"]),
        row_scale=np.concatenate([static.row_scale, np.full(index["row"].size, plan.scale)]),
        slots=_more_slots(static.slots, slots, index["slot"], moved["slot"]),
        corners=_more_corners(static.corners, corners, index["corner"], moved),
        pool=pool,
    )


def _more_rows(own: RowArrays, more: RowArrays, index: Any) -> RowArrays:
    """Append blank rows."""
    fields = {}
    for name in own._fields:
        a, b = getattr(own, name), getattr(more, name)
        fields[name] = a if name in ("data", "lists") else np.concatenate([a, b[index]])
    return RowArrays(**fields)


def _more_slots(own: SlotArrays, more: SlotArrays, index: Any, shift: Any) -> SlotArrays:
    """Append slots without contours."""
    free = np.full(index.size, -1, np.int64)
    n = own.start.size
    return SlotArrays(
        contour_1=np.concatenate([own.contour_1, free]),
        contour_2=np.concatenate([own.contour_2, free]),
        feature=np.concatenate([own.feature, more.feature[index]]),
        start=np.concatenate([own.start, 4 * np.arange(n, n + index.size)]),
        first=np.concatenate([own.first, more.first[index] + shift]),
        count=np.concatenate([own.count, more.count[index]]),
    )


def _more_corners(own: CornerArrays, more: CornerArrays, index: Any, moved: Any) -> CornerArrays:
    """Append corners; what points to rows, slots, corners and data is shifted."""
    fields: dict[str, Any] = {}
    for name in own._fields:
        a, b = getattr(own, name), getattr(more, name)
        if name in ("data", "lists"):
            fields[name] = np.concatenate([a, b])
            continue
        b = b[index].copy()
        if name in _SHIFTED_ROWS:
            b[b >= 0] += moved["corner_row"][b >= 0]
        elif name == "leader":
            b[b >= 0] += moved["corner"][b >= 0]
        elif name == "slot":
            b += moved["corner_slot"]
        elif name == "law_start":
            b += own.data.size
        elif name == "affine":
            b[b >= 0] += own.data.size
        elif name == "load_start":
            b += own.lists.size
        fields[name] = np.concatenate([a, b])
    return CornerArrays(**fields)
