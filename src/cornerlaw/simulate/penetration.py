"""Contacts that start inside each other: refused, or moved apart with a report."""

from __future__ import annotations

import numpy as np

from cornerlaw.arrays.corners import LEVEL_POSITION, NORMAL_RIGID
from cornerlaw.arrays.state import State
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.simulate.corner_log import CornerRows, corner_rows
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.stepping import CLOSED, length_of
from cornerlaw.simulate.system import System

CHOICES = ("project", "refuse")


def check_penetration(system: System, state: State, choice: str) -> list[str]:
    """Return a sentence about contacts that start inside each other; refuse them if wanted."""
    if choice not in CHOICES:
        raise UsageError(f"penetration must be 'project' or 'refuse', got {choice!r}")
    corners = system.arrays.corners
    if not corners.row_N.size:
        return []
    rows = np.zeros((1, corner_rows(system)))
    status = np.zeros((1, corners.row_N.size), np.int8)
    all_open = CornerRows(status, rows, np.zeros(1, np.int8), False)
    q, u, x = state.q[None].copy(), state.u[None].copy(), state.x[None].copy()
    gaps = Evaluation(system, state.t.copy(), q, u, x, all_open).outputs.corner_g[0]
    deep = []
    for c, row in enumerate(corners.row_N):
        watched = corners.always[c] == 0 and corners.level[c] == LEVEL_POSITION and row >= 0
        if watched and corners.normal_law[c] == NORMAL_RIGID:
            if gaps[row] < -CLOSED * length_of(system.arrays):
                deep.append((float(gaps[row]), system.compiled.corners[c].label))
    if not deep:
        return []
    gap, name = min(deep)
    others = f" and {len(deep) - 1} more" if len(deep) > 1 else ""
    if choice == "refuse":
        raise SimulationError(
            f"contact '{name}' starts {-gap:.3g} m inside its partner{others}; correct the initial "
            f"positions, or let them be moved apart with penetration='project'"
        )
    return [f"contact '{name}' started {-gap:.3g} m inside its partner{others}"]
