"""The scene of a run, checked: it may come from the file of a stranger."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from cornerlaw.errors import FileError
from cornerlaw.results import Solution

VERSION = 1
LISTS = ("bodies", "lines", "joints", "frames", "loads", "contacts")
EMPTY: dict[str, Any] = {
    "size": 1.0, "follow": "", "gravity": None, "plan": None, **{key: [] for key in LISTS}
}  # fmt: skip


def checked_scene(sol: Solution) -> dict[str, Any]:
    """Return the scene with everything a page needs; without one the page shows curves only."""
    given = sol.scene
    if given is None:
        return {**EMPTY, "name": sol.info.model, "dim": 2}
    if given.get("version") != VERSION:
        raise FileError(
            f"The scene of this run has the version {str(given.get('version'))[:20]}, and this "
            f"version of cornerlaw draws version {VERSION}; use the version that wrote it."
        )
    scene = {**EMPTY, **given}
    try:
        _check(scene)
        # a page reads JSON, which knows no nan
        json.dumps(scene, allow_nan=False)
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"The scene of this run is damaged: {error}.") from None
    return scene


def _check(scene: dict[str, Any]) -> None:
    if scene["dim"] not in (2, 3):
        raise ValueError("its dimension is neither 2 nor 3")
    if not (isinstance(scene["size"], int | float) and 0.0 < scene["size"] < math.inf):
        raise ValueError("its size is no length")
    scene["name"] = str(scene["name"])
    for key in LISTS:
        if not isinstance(scene[key], list):
            raise ValueError(f"{key} is no list")
        for entry in scene[key]:
            if not isinstance(entry, Mapping) or not isinstance(entry["name"], str):
                raise ValueError(f"an entry of {key} has no name")
    if scene["plan"] is not None:
        _check_plan(scene["plan"])
    for body in scene["bodies"]:
        if not isinstance(body["shapes"], list) or not isinstance(body["pose"], str | Mapping):
            raise ValueError(f"the body {body['name']!r} has no shapes or no pose")
        if not all(math.isfinite(r) and r > 0.0 for r in body.get("radii", ())):
            raise ValueError(f"the body {body['name']!r} has a radius that is no length")


def _check_plan(plan: Any) -> None:
    """Check what a page takes for granted: names, places, and links that end at nodes."""
    count = len(plan["nodes"])
    for node in plan["nodes"]:
        if not isinstance(node["name"], str) or len([float(x) for x in node["at"]]) != 2:
            raise ValueError("a node of its plan has no name or no place")
    for link in plan["links"]:
        ends = (link["first"], link["second"])
        if not isinstance(link["name"], str) or not all(
            isinstance(k, int) and 0 <= k < count for k in ends
        ):
            raise ValueError("a link of its plan has no name or no ends")
