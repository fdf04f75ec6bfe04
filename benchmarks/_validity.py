"""Whether a floor deserves its name: a program in C must beat the best peer by a known factor."""

from __future__ import annotations

from typing import Any


def judge(floor: Any, peer: Any, name: str, factor: float) -> dict[str, Any]:
    """Return the verdict on a floor; `floor` and `peer` are seconds, or why there are none."""
    found: dict[str, Any] = {"peer": name, "factor": factor, "valid": None}
    if isinstance(floor, float) and isinstance(peer, float):
        found["found"] = peer / floor
        found["valid"] = found["found"] >= factor
    return found


def verdict(found: dict[str, Any]) -> str:
    """Return the verdict as a line of the table."""
    wanted = f"{found['factor']:g} times as fast as {found['peer']}"
    if found["valid"] is None:
        return f"floor: not judged, it must be {wanted}: not measured"
    word = "valid" if found["valid"] else "NOT VALID"
    return f"floor: {word}, it must be {wanted} ({found['found']:.1f})"
