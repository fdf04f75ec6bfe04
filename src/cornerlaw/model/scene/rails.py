"""One-dimensional inertias that no plan shows, each on a rail or shaft of its own.

A slider has no place but its position, so that what acts on it is drawn as in a textbook: a spring
to a wall on its left, a spring to the next rail, a wall where a stop is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cornerlaw.model.bodies import Rotor, Slider
from cornerlaw.model.corner_elements import Limit
from cornerlaw.model.forces import TorsionSpring
from cornerlaw.model.model import Model
from cornerlaw.model.part import Part

Entry = dict[str, Any]
HALF = (0.2, 0.15)  # of a slider, over the size of the model
WALL = 0.05  # thickness of a stop
ANCHOR = -1.0  # where springs are held


def describe_rails(model: Model, size: float, planned: set[str]) -> tuple[list[Entry], list[Entry]]:
    """Return the inertias with their stops as bodies, and their springs as lines."""
    shown = [item for item in model.inertias if item.name not in planned]
    heights = {
        item.name: -0.6 * size * (k + (1 if model.bodies else 0)) for k, item in enumerate(shown)
    }
    bodies = [entry for item in shown if (entry := _inertia(item, heights[item.name], size))]
    sliders = {item.name: heights[item.name] for item in shown if isinstance(item, Slider)}
    stops = [wall for part in model.corners for wall in _stops(model, part, sliders, size)]
    lines = [line for part in model.forces for line in _springs(model, part, sliders, size)]
    held = [_wall(line, size) for line in lines if _is_held_spring(line)]
    return [*bodies, *stops, *held], lines


def _inertia(item: Any, y: float, size: float) -> Entry | None:
    if isinstance(item, Slider):
        lengths = [2.0 * HALF[0] * size, 2.0 * HALF[1] * size, 2.0 * HALF[1] * size]
        shape: Entry = {"type": "box", "size": lengths}
        pose: Entry = {"x": [0.0, [[f"{item.name}.position", 1.0]]], "y": [y, []]}
        pose["angle"] = [0.0, []]
    elif isinstance(item, Rotor):
        shape = {"type": "disc", "r": 0.25 * size}
        pose = {"x": [0.0, []], "y": [y, []], "angle": [0.0, [[f"{item.name}.angle", 1.0]]]}
    else:
        return None
    entry = {**shape, "at": [0.0, 0.0, 0.0]}
    return {"name": item.name, "role": "body", "pose": pose, "shapes": [entry]}


def _owner(model: Model, given: Any) -> str:
    """Return the name of the part that a coordinate belongs to."""
    part = model.coordinate(given)[0] if isinstance(given, str) else given
    return part.name if isinstance(part, Part) else ""


def _stops(model: Model, part: Any, sliders: dict[str, float], size: float) -> Iterator[Entry]:
    """Yield a wall on either side where a slider has a stop there."""
    if not isinstance(part, Limit) or (name := _owner(model, part.on)) not in sliders:
        return
    lengths = [WALL * size, 3.0 * HALF[1] * size, 3.0 * HALF[1] * size]
    for side, word in ((-1.0, "lower"), (1.0, "upper")):
        place = getattr(part, word)
        if place is None:
            continue
        beside = side * (HALF[0] + 0.5 * WALL) * size
        shape = {
            "type": "box",
            "size": lengths,
            "at": [float(place) + beside, sliders[name], 0.0],
            # what of the place is a length of the model, however large things are drawn
            "origin": [float(place), 0.0, 0.0],
        }
        label = f"{part.name}.{word}"
        yield {"name": label, "role": "ground", "pose": "world", "shapes": [shape]}


def _is_held_spring(line: Entry) -> bool:
    return bool(line["kind"] == "spring" and line["points"][0][0] == "world")


def _wall(line: Entry, size: float) -> Entry:
    """Return the wall that holds a spring."""
    x, y, z = line["points"][0][1]
    lengths = [WALL * size, 2.0 * HALF[1] * size, 2.0 * HALF[1] * size]
    shape = {"type": "box", "size": lengths, "at": [x - 0.5 * WALL * size, y, z]}
    return {"name": f"{line['name']}.wall", "role": "ground", "pose": "world", "shapes": [shape]}


def _springs(model: Model, part: Any, sliders: dict[str, float], size: float) -> Iterator[Entry]:
    """Yield the springs and dampers of sliders, to the ground or to each other."""
    if isinstance(part, TorsionSpring):
        name = _owner(model, part.on)
        if name in sliders:
            held: list[Any] = ["world", [ANCHOR * size, sliders[name], 0.0]]
            kind = "spring" if part.stiffness or part.torque is not None else "damper"
            ends = [held, [name, [-HALF[0] * size, 0.0, 0.0]]]
            yield {"name": part.name, "kind": kind, "points": ends}
        return
    owners = [_owner(model, item) for item in getattr(part, "coordinates", None) or ()]
    elastic = "stiffness" in (getattr(part, "parameters", None) or {})
    if elastic and len(set(owners)) == len(owners) == 2 and all(x in sliders for x in owners):
        upper, lower = sorted(owners, key=lambda name: -sliders[name])
        ends = [[upper, [0.0, -HALF[1] * size, 0.0]], [lower, [0.0, HALF[1] * size, 0.0]]]
        yield {"name": part.name, "kind": "spring", "points": ends}
