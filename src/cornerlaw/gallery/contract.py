"""What every system of the gallery provides: parameters with origin, references, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def parameter(default: float, unit: str, origin: str) -> Any:
    """Declare a parameter with its unit and where its value comes from.

    `origin` is "book", "derived: how" or "chosen: why".
    """
    return field(default=default, metadata={"unit": unit, "origin": origin})


@dataclass(frozen=True)
class Reference:
    """A number from outside, with the tolerance it deserves and its source."""

    value: float
    tolerance: float
    source: str


@dataclass(frozen=True)
class Erratum:
    """A place where a source is wrong: what it prints, what is right, and why we think so.

    A module lists them as ERRATA, if its source has any.
    """

    place: str
    printed: str
    right: str
    reason: str


@dataclass(frozen=True)
class Check:
    """A computed value against its reference."""

    name: str
    value: float
    reference: float
    tolerance: float
    ok: bool


def compare(name: str, value: float, reference: float, tolerance: float) -> Check:
    """Return a check that holds if |value - reference| <= tolerance."""
    ok = bool(abs(value - reference) <= tolerance)  # nan compares false
    return Check(name, float(value), float(reference), float(tolerance), ok)


def check_reference(name: str, value: float, references: dict[str, Reference]) -> Check:
    """Compare a value with a named reference."""
    reference = references[name]
    return compare(name, value, reference.value, reference.tolerance)
