"""Impact laws by name, for parameters that choose one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.errors import UsageError
from cornerlaw.gallery.contract import parameter
from cornerlaw.results.events import Event

Floats = NDArray[np.float64]

LAWS: dict[str, cl.ImpactLaw] = {
    "newton": cl.Newton(),
    "newton both": cl.NewtonBoth(),
    "poisson coulomb": cl.Poisson("coulomb"),
    "poisson old": cl.Poisson("old"),
    "poisson new": cl.Poisson("new"),
    "cradle": cl.Cradle(),
    "sequential": cl.Sequential(),
}


def law_parameter(default: str, origin: str) -> Any:
    """Declare a parameter that names an impact law."""
    return parameter(default, "", origin)  # type: ignore[arg-type]


def law_of(name: str) -> cl.ImpactLaw:
    """Return the law with this name."""
    if name not in LAWS:
        raise UsageError(f"law must be one of {', '.join(LAWS)}, got {name!r}.")
    return LAWS[name]


def impacts_of(sol: cl.Solution, name: str | None = None) -> list[Event]:
    """Return the impacts of a run, of all contacts or of one."""
    return [e for e in sol.events if e.kind == "impact" and name in (None, e.name)]


def velocity_after(sol: cl.Solution, body: str, n: int) -> Floats:
    """Return v_x, v_y and the angular velocity of a body right after the n-th impact time."""
    times = sorted({e.time for e in impacts_of(sol)})
    if n >= len(times):
        return np.full(3, np.nan)
    row = int(np.flatnonzero(sol.t <= times[n])[-1])
    velocity = np.asarray(sol[body].velocity)[row]
    return np.array([velocity[0], velocity[1], sol[body].angular_velocity[row]])


def delassus(W: Any, M: Any) -> Floats:
    """Return G = W M^-1 W^T for rows W and the diagonal M."""
    rows = np.asarray(W, dtype=float)
    return np.asarray(rows / np.asarray(M, dtype=float) @ rows.T)


def worst(found: Any, expected: Any) -> float:
    """Return the largest difference, nan if one is not a number."""
    return float(np.abs(np.asarray(found, dtype=float) - np.asarray(expected, dtype=float)).max())
