"""The plan of a drive train or a network at every frame: what colours its nodes and links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cornerlaw.results import Solution
from cornerlaw.viewer.packing import Container
from cornerlaw.viewer.poses import total_of
from cornerlaw.viewer.sampling import Floats, Frames


def add_plan(
    sol: Solution, frames: Frames, plan: dict[str, Any] | None, box: Container
) -> dict[str, Any] | None:
    """Add the values of nodes and links; return the plan as the page needs it."""
    if plan is None:
        return None
    nodes, links = plan["nodes"], plan["links"]
    _add(sol, frames, box, "plan_value", [node.get("value") for node in nodes])
    _add(sol, frames, box, "plan_second", [node.get("second") for node in nodes])
    _add(sol, frames, box, "plan_flow", [link.get("value") for link in links])
    return {
        "quantity": str(plan.get("quantity", "")),
        "unit": str(plan.get("unit", "")),
        "nodes": [{key: node[key] for key in ("name", "kind", "at")} for node in nodes],
        "links": [
            {key: link[key] for key in ("name", "kind", "first", "second", "lane")}
            for link in links
        ],
    }


def _add(sol: Solution, frames: Frames, box: Container, name: str, rules: list[Any]) -> None:
    rows = [_values(sol, frames, rule) for rule in rules]
    box.add(name, np.array(rows).reshape(len(rules), len(frames)))


def _values(sol: Solution, frames: Frames, rule: Any) -> Floats:
    """Return a row of values, nan where the results do not tell."""
    unknown = np.full(len(frames), np.nan)
    if rule is None:
        return unknown
    if isinstance(rule, Mapping) and "t" in rule:
        return np.interp(frames.t, rule["t"], rule["v"])
    if isinstance(rule, Mapping):
        for name in rule["first_of"]:
            if name in sol.channels and sol.channels[name].shape == ():
                return frames.values(sol.array(name))
        return unknown
    found = total_of(sol, frames, rule)
    return unknown if found is None else found
