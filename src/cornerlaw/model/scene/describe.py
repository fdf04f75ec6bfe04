"""From a model to its scene: bodies with shapes, lines, joints, frames, loads, contacts.

A scene is plain data (dicts, lists, numbers, texts), so that a result file can carry it and a page
can draw it. Every body has a pose: "world", the name of a part with results for position and angle
or quaternion, or three sums over results, as for a slider that has no place of its own:

    {"x": [constant, [["cart.position", 1.0]]], "y": [...], "angle": [...]}

A body with `radii` stands for as many balls, whose part has a row of results for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cornerlaw.model.constraints import Rolling
from cornerlaw.model.frames import placement, spatial
from cornerlaw.model.grains import Grains
from cornerlaw.model.model import Model
from cornerlaw.model.part import Pair
from cornerlaw.model.rotation import Matrix3, multiply
from cornerlaw.model.scene.arms import arms
from cornerlaw.model.scene.outlines import outlines_of
from cornerlaw.model.scene.plan import describe_plan
from cornerlaw.model.scene.rails import describe_rails
from cornerlaw.model.scene.solids import solids_of, turned_to
from cornerlaw.model.scene.stand_ins import stand_in
from cornerlaw.model.shapes import Shape as Solid

VERSION = 1
Entry = dict[str, Any]
LINES = {
    "Spring": "spring", "PathSpring": "spring", "Damper": "damper", "Rope": "rope",
    "Pulley": "rope", "Rod": "rod", "Distance": "rod", "Bushing": "spring",
}  # fmt: skip


def describe_scene(model: Model) -> Entry:
    """Return everything of a model that can be drawn, as plain data."""
    grains = [item for item in model.parts if isinstance(item, Grains)]
    scene: Entry = {
        "version": VERSION,
        "name": model.name,
        # one-dimensional inertias alone are drawn flat
        "dim": model.dim if model.bodies or grains else 2,
        "gravity": None if model.gravity is None else list(model.gravity),
        "lines": list(_lines(model)),
        "joints": list(_joints(model)),
        "frames": list(_frames(model)),
        "loads": list(_loads(model)),
        "contacts": [{"name": item.name} for item in (*model.contacts, *model.corners)],
    }
    shapes = _shapes_by_carrier(model)
    anchors = _anchors(scene, model)
    known = _size(model, shapes, anchors)
    scene["size"] = size = known or 1.0
    if not (known or model.bodies):
        # masses on rails alone say nothing about lengths: a page takes those of their motion
        scene["unsized"] = True
    bodies = list(_grounds(model, shapes))
    for body in (*model.moving_frames, *model.bodies):
        found = shapes.get(body.name, [])
        own = list(_own_shapes(body, model.dim, size))
        places = anchors.get(body.name, [])
        if body.ROLE == "body":
            found = [*_links([*own, *found], places, body, size, model.dim), *found]
        role = "body" if body.ROLE == "body" else "moving"
        bodies.append({"name": body.name, "role": role, "pose": body.name, "shapes": own + found})
    bodies += [_balls(item) for item in grains]
    plan = describe_plan(model)
    rails, springs = describe_rails(model, size, _planned(plan))
    scene["bodies"] = bodies + rails
    scene["lines"] += springs
    if plan is not None:
        scene["plan"] = plan
    return scene


def _balls(item: Grains) -> Entry:
    """Return all balls of a part as one body."""
    radii = [float(r) for r in item.arrays()["radius"]]
    return {"name": item.name, "role": "body", "pose": item.name, "shapes": [], "radii": radii}


def _planned(plan: Entry | None) -> set[str]:
    """Name the parts that a plan shows, which need no other drawing."""
    if plan is None:
        return set()
    return {node["name"] for node in plan["nodes"]}.union(plan.get("hidden", ()))


def _links(shapes: list[Entry], places: list[Any], body: Any, size: float, dim: int) -> list[Entry]:
    """Return what a body shows beside its shapes: a stand-in, or arms between them."""
    solid = [s for s in shapes if s["type"] not in ("point", "edge")]
    spread = float(np.linalg.norm(np.ptp(np.array(places), axis=0))) if places else 0.0
    # only pins and points: one plate, which would hide what lies in a hole
    bare = max((_extent(s) for s in solid), default=0.0) < 0.3 * spread
    if not solid or (bare and not (dim == 2 and any(s["type"] == "hole" for s in solid))):
        return stand_in(body, places, size, dim)
    return arms(solid, places, size) if dim == 2 else []


def _shapes_by_carrier(model: Model) -> dict[str, list[Entry]]:
    """Return the shapes of contours and of rolling constraints by the name of their body."""
    found: dict[str, list[Entry]] = {}
    for contour in model.contours:
        base, r, A = placement(contour.on)  # type: ignore[attr-defined]
        for shape in _safely(contour):
            entry = {**_moved(shape, r, A), "name": contour.name}
            found.setdefault(base.name, []).append(entry)
    for item in model.constraints:
        if isinstance(item, Rolling):
            base, r, A = placement(item.body)  # type: ignore[arg-type]
            found.setdefault(base.name, []).append(_moved(_rolling(item), r, A))
            base, r, A = placement(item.on)  # type: ignore[arg-type]
            floor = _moved(_track(item, model.dim), r, A)
            if floor not in found.setdefault(base.name, []):
                found[base.name].append(floor)
    return found


def _safely(contour: Any) -> list[Entry]:
    """Return the shapes of a contour; a user's curve that fails here is simply not drawn."""
    try:
        return list((solids_of if isinstance(contour, Solid) else outlines_of)(contour))
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return []


def _rolling(item: Rolling) -> Entry:
    at = list(spatial(item.at))
    if item.kind == "sphere":
        return {"type": "sphere", "r": float(item.radius), "at": at}
    if item.kind == "wheel":
        return {"type": "disc", "r": float(item.radius), "at": at}
    thin = 0.06 * float(item.radius)
    rot = turned_to(item.axis)
    return {"type": "cylinder", "r": float(item.radius), "length": thin, "at": at, "rot": rot}


def _track(item: Rolling, dim: int) -> Entry:
    """Return the plane that something rolls on."""
    usual = (0.0, 1.0, 0.0) if dim == 2 else (0.0, 0.0, 1.0)
    normal = usual if item.normal is None else spatial(item.normal)
    at = [float(item.height) * x for x in normal]
    return {"type": "halfplane" if dim == 2 else "plane", "at": at, "normal": list(normal)}


def _moved(shape: Entry, r: Any, A: Matrix3) -> Entry:
    """Return a shape of a frame in the axes of the body below it."""
    turn, shift = np.array(A), np.array(r)
    if not shift.any() and np.array_equal(turn, np.eye(3)):
        return shape
    moved = dict(shape)
    if "points" in shape:
        points = [turn @ spatial(p) + shift for p in shape["points"]]
        moved["points"] = [
            p[: len(q)].tolist() for p, q in zip(points, shape["points"], strict=True)
        ]
        return moved
    moved["at"] = (turn @ np.array(shape["at"]) + shift).tolist()
    if "normal" in shape:
        moved["normal"] = (turn @ np.array(shape["normal"])).tolist()
        return moved
    own = np.array(shape.get("rot", np.eye(3))).reshape(3, 3)
    rows = multiply(A, tuple(tuple(row) for row in own))
    moved["rot"] = [float(x) for row in rows for x in row]
    return moved


def _boundary(part: Any, dim: int) -> Iterator[Entry]:
    if getattr(part, "normal", None) is not None:
        kind = "halfplane" if dim == 2 else "plane"
        at, normal = list(spatial(part.at)), list(spatial(part.normal))
        yield {"type": kind, "at": at, "normal": normal, "name": part.name}


def _own_shapes(body: Any, dim: int, size: float) -> Iterator[Entry]:
    """Yield what a part shows by itself."""
    yield from _boundary(body, dim)
    kind = type(body).__name__
    if kind == "Disk":
        yield {"type": "disc", "r": float(body.radius), "at": [0.0, 0.0, 0.0]}
    elif kind == "PointMass":
        word = "disc" if dim == 2 else "sphere"
        yield {"type": word, "r": 0.03 * size, "at": [0.0, 0.0, 0.0], "mark": False}


def _grounds(model: Model, shapes: dict[str, list[Entry]]) -> Iterator[Entry]:
    for ground in model.grounds:
        own = [*_boundary(ground, model.dim), *shapes.get(ground.name, [])]
        if own:
            yield {"name": ground.name, "role": "ground", "pose": "world", "shapes": own}


def _points(part: Any) -> list[list[Any]]:
    """Return the points of a line as [body, place] in the axes of bodies."""
    if isinstance(part, Pair):
        given: Any = ((part.first, part.at), (part.second, part.at_second))
    else:
        given = part.points
    return [_anchor(operand, at) for operand, at in given]


def _anchor(operand: Any, at: Any) -> list[Any]:
    base, r, A = placement(operand)
    place = np.array(A) @ np.array(spatial(at)) + np.array(r)
    pose = "world" if base.ROLE == "ground" else base.name
    return [pose, place.tolist()]


def _lines(model: Model) -> Iterator[Entry]:
    for part in (*model.forces, *model.constraints, *model.corners):
        kind = LINES.get(type(part).__name__)
        if kind is not None:
            yield {"name": part.name, "kind": kind, "points": _points(part)}


def _joints(model: Model) -> Iterator[Entry]:
    for joint in model.joints:
        second = _anchor(joint.second, joint.at_second)  # type: ignore[attr-defined]
        first = _anchor(joint.first, joint.at)  # type: ignore[attr-defined]
        axis = getattr(joint, "axis", None)
        kind = type(joint).__name__
        yield {
            "name": joint.name,
            "kind": kind,
            "first": first,
            "second": second,
            "axis": None if axis is None else _turned(joint.first, axis),  # type: ignore[attr-defined]
        }


def _turned(operand: Any, axis: Any) -> list[float]:
    """Return a direction of an operand in the axes of the body below it."""
    found = np.array(placement(operand)[2]) @ np.array(spatial(axis))
    return [float(x) for x in found]


def _frames(model: Model) -> Iterator[Entry]:
    for frame in model.frames:
        base, r, A = placement(frame)
        pose = "world" if base.ROLE == "ground" else base.name
        rot = [float(x) for row in A for x in row]
        yield {"name": frame.name, "body": pose, "at": list(r), "rot": rot}


def _loads(model: Model) -> Iterator[Entry]:
    """Yield forces on bodies whose results tell how large they are."""
    for part in model.forces:
        if type(part).__name__ in ("Force", "Drag"):
            body, at = _anchor(part.on, part.at)  # type: ignore[attr-defined]
            yield {"name": part.name, "body": body, "at": at}


def _anchors(scene: Entry, model: Model) -> dict[str, list[Any]]:
    """Return the points where bodies are known to have material: joints, lines, contact points."""
    found: dict[str, list[Any]] = {}
    for joint in scene["joints"]:
        slides = joint["kind"] in ("Prismatic", "Translation", "PlanarJoint", "FreeJoint")
        # a slide moves along its first body, whose end it says nothing about
        for name, at in (joint["second"],) if slides else (joint["first"], joint["second"]):
            found.setdefault(name, []).append(at)
    for line in scene["lines"]:
        for name, at in line["points"]:
            found.setdefault(name, []).append(at)
    for contour in model.contours:
        if type(contour).__name__ in ("ContactPoint", "Circle"):
            name, at = _anchor(contour.on, contour.at)  # type: ignore[attr-defined]
            found.setdefault(name, []).append(at)
    return found


def _size(model: Model, shapes: dict[str, list[Entry]], anchors: dict[str, list[Any]]) -> float:
    """Return a length that says how large the model is, 0 where nothing tells."""
    lengths = []
    for places in anchors.values():
        points = np.array(places)
        lengths.append(float(np.linalg.norm(np.ptp(points, axis=0))))
    for body in model.bodies:
        lengths.append(2.0 * float(np.linalg.norm(getattr(body, "centre", (0.0,)))))
        lengths.append(2.0 * float(getattr(body, "radius", 0.0)))
        for shape in shapes.get(body.name, []):
            lengths.append(_extent(shape))
    for item in model.parts:
        if isinstance(item, Grains):
            lengths.append(6.0 * float(np.median(item.arrays()["radius"])))
    starts = [spatial(p) for b in model.bodies if (p := getattr(b, "position", None)) is not None]
    if starts:
        lengths.append(0.5 * float(np.linalg.norm(np.ptp(np.array([*starts, (0, 0, 0)]), axis=0))))
    return max(lengths, default=0.0)


def _extent(shape: Entry) -> float:
    if "points" in shape:
        return float(np.linalg.norm(np.ptp(np.array(shape["points"]), axis=0)))
    if "vertices" in shape:
        return float(np.linalg.norm(np.ptp(np.array(shape["vertices"]), axis=0)))
    if "size" in shape:
        return float(np.linalg.norm(shape["size"]))
    return 2.0 * float(shape.get("r", 0.0)) + float(shape.get("length", 0.0))
