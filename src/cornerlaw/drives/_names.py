"""Names of coordinates of the axes that elements act on."""

from __future__ import annotations

from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.model import Part


def coordinate(owner: str, axis: Any) -> str:
    """Return "part.coordinate" of an axis with one coordinate, or the name as it was given."""
    if isinstance(axis, str):
        return axis
    names: tuple[str, ...] = getattr(axis, "coordinate_names", ())
    if not isinstance(axis, Part) or len(names) != 1:
        raise ModelError(
            f"{owner}: an axis must be a Rotor, Slider, joint with one coordinate or "
            f'"part.coordinate", got {axis!r}'
        )
    return f"{axis.name}.{names[0]}"


def positive(owner: str, **values: float) -> None:
    """Refuse numbers that are not above zero."""
    for name, value in values.items():
        if not value > 0.0:
            raise ModelError(f"{owner}: {name} must be > 0, got {value:g}")


def not_negative(owner: str, **values: float) -> None:
    """Refuse numbers below zero."""
    for name, value in values.items():
        if not value >= 0.0:
            raise ModelError(f"{owner}: {name} must be >= 0, got {value:g}")
