"""The plan of a model without geometry: rotors or junctions as nodes, what connects them as lines.

    {"quantity": "speed", "unit": "rad/s", "nodes": [...], "links": [...]}

A node has `name`, `kind`, `at` (x, y), `value` that colours it and `second`, its angle or position;
a link has `name`, `kind`, `first` and `second` (places in the list of nodes), `value` and `lane`.
Values are sums over results as in poses, {"t": [...], "v": [...]} for a table, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from cornerlaw.model.bodies import Rotor
from cornerlaw.model.model import Model
from cornerlaw.model.part import Part
from cornerlaw.model.scene.layout import lay_out

Entry = dict[str, Any]
# results that tell what a connection transmits, the first that there is
EFFORTS = ("torque", "lam_T", "lam_N", "force", "multiplier", "power")
AXES = ("inertia", "system", "joint")


def describe_plan(model: Model) -> Entry | None:
    """Return the plan of a model: the one it was given, that of its rotors, or None."""
    plan = model.plan if model.plan is not None else _train(model)
    if plan is None:
        return None
    links = _lanes(plan["links"])
    edges = [(link["first"], link["second"]) for link in links]
    starts = [k for k, node in enumerate(plan["nodes"]) if node.get("start")]
    places = lay_out(len(plan["nodes"]), edges, starts)
    nodes = [{**n, "at": at} for n, at in zip(plan["nodes"], places, strict=True)]
    return {**plan, "nodes": nodes, "links": links}


def _lanes(links: list[Entry]) -> list[Entry]:
    """Number the links between the same two nodes, so that they can be drawn side by side."""
    pairs = [frozenset((link["first"], link["second"])) for link in links]
    total, used = Counter(pairs), Counter[frozenset[int]]()
    found = []
    for link, pair in zip(links, pairs, strict=True):
        lane = used[pair] - 0.5 * (total[pair] - 1)
        used[pair] += 1
        # seen from its own first node, so that lanes of opposite links do not coincide
        found.append({**link, "lane": lane if link["first"] == min(pair) else -lane})
    return found


def _train(model: Model) -> Entry | None:
    """Return the plan of a drive train, None for a model that is none."""
    rotors = [item for item in model.inertias if isinstance(item, Rotor)]
    if not rotors or (model.bodies and len(rotors) < 2):
        return None
    nodes: list[Entry] = [
        {
            "name": rotor.name,
            "kind": "rotor",
            "value": [0.0, [[f"{rotor.name}.speed", 1.0]]],
            "second": [0.0, [[f"{rotor.name}.angle", 1.0]]],
        }
        for rotor in rotors
    ]
    place = {node["name"]: k for k, node in enumerate(nodes)}
    links: list[Entry] = []

    def node(name: str, kind: str) -> int:
        if name not in place:
            place[name] = len(nodes)
            nodes.append({"name": name, "kind": kind, "value": None, "second": None})
        return place[name]

    for part in (*model.forces, *model.constraints, *model.corners):
        owners = list(dict.fromkeys(_owners(model, part)))
        if not any(name in place for name in owners):
            continue
        ends = [node(name, "other") for name in owners]
        if len(ends) != 2:
            # alone against the ground, or a gear with several shafts
            centre = node(part.name, "end" if len(ends) == 1 else "gear")
            pairs = [(end, centre) for end in ends]
        else:
            pairs = [(ends[0], ends[1])]
        links += [_link(part, *pair) for pair in pairs]
    return {"quantity": "speed", "unit": "rad/s", "nodes": nodes, "links": links}


def _link(part: Part, first: int, second: int) -> Entry:
    kind = type(part).__name__
    value = {"first_of": [f"{part.name}.{effort}" for effort in EFFORTS]}
    return {"name": part.name, "kind": kind, "first": first, "second": second, "value": value}


def _owners(model: Model, part: Part) -> Iterator[str]:
    """Name the axes that a part acts on."""
    given = [getattr(part, field, None) for field in ("on", "first", "second")]
    given += getattr(part, "coordinates", None) or ()
    given += [term[0] for term in getattr(part, "terms", None) or ()]
    for item in given:
        if isinstance(item, str):
            item = model.coordinate(item)[0]
        if isinstance(item, Part) and item.ROLE in AXES:
            yield item.name
