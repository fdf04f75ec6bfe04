"""Contacts that start inside each other: refused, or moved apart with a report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cornerlaw.arrays.corners import LEVEL_POSITION, NORMAL_RIGID
from cornerlaw.arrays.state import State
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.model import Contact, Model
from cornerlaw.model.part import Part
from cornerlaw.model.quantity import show
from cornerlaw.simulate.apart import largest_shift, positions_apart
from cornerlaw.simulate.corner_log import CornerRows, corner_count, corner_rows
from cornerlaw.simulate.evaluation import Evaluation, Room
from cornerlaw.simulate.event_driven import EventDriven
from cornerlaw.simulate.pool import fit_pool, forget_pairs, label_of
from cornerlaw.simulate.stepping import CLOSED, length_of
from cornerlaw.simulate.system import System

CHOICES = ("project", "refuse")
FAR = 10.0  # bodies that are moved by more than so many overlaps are named

Overlap = tuple[float, str]  # gap and name of a contact


def check_penetration(
    system: System,
    method: Any,
    state: State,
    choice: str,
    inputs: dict[str, float] | None = None,
    room: Room | None = None,
) -> list[str]:
    """Return a sentence about contacts that start inside each other; refuse them if wanted.

    Event by event the state is moved to where they are apart; time stepping does so by itself, and
    what that does is told of single runs only: in a row of reruns, which bring their room along, it
    would take some ten times as long as the run.
    """
    if not isinstance(choice, str) or choice not in CHOICES:
        raise UsageError(f"penetration must be 'project' or 'refuse', got {show(choice)}")
    deep = _overlaps(system, state, room)
    if not deep:
        return []
    gap, name = min(deep)
    others = f" and {len(deep) - 1} more" if len(deep) > 1 else ""
    if choice == "refuse":
        raise SimulationError(
            f"contact '{name}' starts {-gap:.3g} m inside its partner{others}; correct the initial "
            f"positions, or let them be moved apart with penetration='project'"
        )
    text = f"contact '{name}' started {-gap:.3g} m inside its partner{others}"
    if room is None or isinstance(method, EventDriven):
        text += _move_apart(system, method, state, -gap, inputs or {}, room)
    limit, what = _room_of(system.model, name)
    if -gap > limit:
        pair = _pair_of(system.model, name)
        text += (
            f"; that is more than {what}, {limit:.3g} m: check the initial positions, "
            f"cl.distance(model, '{pair[0]}', '{pair[1]}') tells the gap"
        )
    return [text]


def _overlaps(system: System, state: State, room: Room | None) -> list[Overlap]:
    """Return the rigid contacts and limits that overlap at a state."""
    if not system.arrays.corners.row_N.size:
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
    return deep + _pooled(system, state)


def _move_apart(
    system: System,
    method: Any,
    state: State,
    depth: float,
    inputs: dict[str, float],
    room: Room | None,
) -> str:
    """Let an event-driven run begin with contacts apart; return what there is to say about it."""
    events = isinstance(method, EventDriven)
    stepped = getattr(method, "stabilise", False) and system.compiled.pool is None
    if not events and not stepped:
        return ""
    q, u = positions_apart(system, state, inputs)
    if q is None:
        return ", and no position without overlap was found"
    shift, body = largest_shift(system, state, q)
    still = _overlaps(system, state._replace(q=q, u=u), room)
    if events:
        state.q[:], state.u[:] = q, u
    if still:
        return ", and no position without overlap was found"
    return f"; moving it out moves '{body}' by {shift:.3g} m" if shift > FAR * depth else ""


def _pair_of(model: Model, name: str) -> tuple[str, str]:
    """Return the names of the two that touch in a contact."""
    part: Any = model.part(name.partition("[")[0])
    first, second = (x.name if isinstance(x, Part) else str(x) for x in (part.first, part.second))
    return first, second


def _room_of(model: Model, name: str) -> tuple[float, str]:
    """Return a length that no honest overlap of a contact exceeds, and what it is; inf if none.

    That is the clearance in a hole, else the size of the smaller of two round contours.
    """
    name = name.partition("[")[0]  # one of several points of a contact
    if name not in model or not isinstance(model.part(name), Contact):
        return math.inf, ""
    parts = [model.part(x) for x in _pair_of(model, name)]
    radii = [float(getattr(part, "radius", math.inf)) for part in parts]
    if any(getattr(part, "inside", False) for part in parts):
        clearance = abs(radii[0] - radii[1])
        return (clearance, "the clearance") if clearance < math.inf else (math.inf, "")
    return 2.0 * min(radii), "the size of the smaller of both"


def _pooled(system: System, state: State) -> list[Overlap]:
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
