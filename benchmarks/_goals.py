"""Goals of a scene as lines of its table: met, MISSED, or OPEN where something was not measured."""

from __future__ import annotations

from typing import Any

MET, MISSED, OPEN = "met", "MISSED", "OPEN"


def goal(what: str, met: bool, found: str) -> str:
    """Return the line of a goal that can be judged."""
    return f"goal: {what}: {MET if met else MISSED} ({found})"


def open_goal(what: str, why: str) -> str:
    """Return the line of a goal that cannot be judged, which is neither met nor missed."""
    return f"goal: {what}: {OPEN} ({why})"


def why_not(name: str, found: Any) -> str:
    """Say why there are no figures of a program: its own words, or that nobody asked for it."""
    return f"{name} {found}" if isinstance(found, str) else f"{name} not measured"


def floor_goal(what: str, most: float, ratio: float | None, validity: dict[str, Any]) -> str:
    """Return the line of a goal over the floor, which counts where the floor was judged as well."""
    if ratio is None:
        return open_goal(what, "the floor was not measured")
    if validity["valid"] is None:
        return open_goal(what, f"{ratio:.2f}, but {validity['peer']} has not judged the floor")
    return goal(what, ratio <= most, f"{ratio:.2f}")
