"""Contacts that start inside each other: refused, or moved apart with a report."""

from __future__ import annotations

import numpy as np

from cornerlaw.arrays.corners import LEVEL_POSITION, NORMAL_RIGID
from cornerlaw.arrays.state import State
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.simulate.corner_log import CornerRows, corner_count, corner_rows
from cornerlaw.simulate.evaluation import Evaluation, Room
from cornerlaw.simulate.pool import fit_pool, forget_pairs, label_of
from cornerlaw.simulate.stepping import CLOSED, length_of
from cornerlaw.simulate.system import System

CHOICES = ("project", "refuse")


def check_penetration(
    system: System, state: State, choice: str, room: Room | None = None
) -> list[str]:
    """Return a sentence about contacts that start inside each other; refuse them if wanted."""
    if choice not in CHOICES:
        raise UsageError(f"penetration must be 'project' or 'refuse', got {choice!r}")
    corners = system.arrays.corners
    if not corners.row_N.size:
        return []
    fit_pool(system, float(state.t[0]), state.q, state.u)
    corners = system.arrays.corners
    rows = np.zeros((1, corner_rows(system)))
    status = np.zeros((1, corner_count(system)), np.int8)
    all_open = CornerRows(status, rows, np.zeros(1, np.int8), False)
    q, u, x = state.q[None].copy(), state.u[None].copy(), state.x[None].copy()
    start = Evaluation(system, state.t.copy(), q, u, x, all_open, room=room)
    gaps = start.outputs.corner_g[0]
    deep = []
    for c, row in enumerate(corners.row_N[: len(system.compiled.corners)]):
        watched = corners.always[c] == 0 and corners.level[c] == LEVEL_POSITION and row >= 0
        rigid = watched and corners.normal_law[c] == NORMAL_RIGID
        if rigid and gaps[row] < -CLOSED * length_of(system.arrays):
            deep.append((float(gaps[row]), system.compiled.corners[c].label))
    deep += _pooled(system, state)
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


def _pooled(system: System, state: State) -> list[tuple[float, str]]:
    """Return gap and name of the pooled contacts that start inside each other."""
    pool, corners, work = system.arrays.pool, system.arrays.corners, system.work
    if not pool.size:
        return []
    fit_pool(system, float(state.t[0]), state.q, state.u)
    found = []
    for c in np.flatnonzero(work.k.pair >= 0):
        rigid = corners.row_N[c] >= 0 and corners.normal_law[c] == NORMAL_RIGID
        gap = float(work.contact_g[corners.slot[c]])
        if rigid and gap < -CLOSED * length_of(system.arrays):
            found.append((gap, label_of(system, int(c))))
    forget_pairs(system)  # a run begins with an empty pool
    return found
