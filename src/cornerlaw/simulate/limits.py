"""Limits of a run: what its residuals, penetrations, drifts and energies must not exceed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from cornerlaw.errors import UsageError
from cornerlaw.model.quantity import show
from cornerlaw.simulate.arguments import plain_number

Fetch = Callable[[str], Any]


@dataclass(frozen=True)
class Limits:
    """What a run must keep; None leaves a figure unlimited.

    residual     of the contact problems, as in `statistics["worst_residual"]`
    penetration  of rigid contacts, as in `statistics["worst_penetration"]` [m]
    drift        of the constraints in the stored rows, `constraints.position_error` [m or rad]
    energy       change of the total energy in the stored rows over the largest energy there is; for
                 models that neither gain nor lose energy

    A run above a limit ends with the status "degraded" and says which limit and by how much.
    """

    residual: float | None = None
    penetration: float | None = None
    drift: float | None = None
    energy: float | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None:
                continue
            number = (
                math.inf if isinstance(value, float) and value == math.inf else plain_number(value)
            )
            if not number >= 0.0:
                raise UsageError(f"Limits: {item.name} must be a number >= 0, got {show(value)}")
            object.__setattr__(self, item.name, number)

    def broken(self, figures: Mapping[str, float]) -> list[str]:
        """Return a sentence for every figure above its limit; one that is no number is above."""
        found = []
        for item in fields(self):
            limit = getattr(self, item.name)
            if limit is None or item.name not in figures:
                continue
            value = figures[item.name]
            if not value <= limit:
                found.append(f"{TITLES[item.name]} of {value:.3g} exceeds the limit {limit:.3g}")
        return found

    def unchecked(self, figures: Mapping[str, float]) -> list[str]:
        """Return a sentence for every limit that says nothing about this run."""
        return [
            f"the limit of {item.name} was not checked: {REASONS[item.name]}"
            for item in fields(self)
            if getattr(self, item.name) is not None and item.name not in figures
        ]


TITLES = {
    "residual": "the contact residual",
    "penetration": "the penetration",
    "drift": "the constraint drift",
    "energy": "the relative energy drift",
}
REASONS = {
    "residual": "the model has no contacts",
    "penetration": "the model has no contacts",
    "drift": "the model has no constraints",
    "energy": "the model may gain or lose energy",
}


def measure(
    limits: Limits, statistics: Mapping[str, float], conservative: bool, fetch: Fetch
) -> dict[str, float]:
    """Return the figures that are limited, as far as the run has them."""
    found: dict[str, float] = {}
    for name in ("residual", "penetration"):
        if f"worst_{name}" in statistics:
            found[name] = float(statistics[f"worst_{name}"])
    if limits.drift is not None:
        error = np.abs(fetch("constraints.position_error"))
        if error.size:
            found["drift"] = float(np.max(error))
    if limits.energy is not None and conservative:
        total = np.ravel(fetch("energy.total"))
        parts = [np.ravel(fetch(f"energy.{name}")) for name in ("kinetic", "potential")]
        scale = max(float(np.max(np.abs(values), initial=0.0)) for values in (total, *parts))
        drift = float(np.max(np.abs(total - total[:1]), initial=0.0))
        found["energy"] = drift / scale if scale > 0.0 else drift
    return found
