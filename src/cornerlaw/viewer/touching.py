"""Contacts at every frame: state, point and force; impacts with their impulse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.results import Solution
from cornerlaw.viewer.sampling import Floats, Frames

# states of results: 0 open, 1 closed, 2 slip+, 3 slip-, 4 stick, 5 slip
OPEN, CLOSED, SLIP, STICK = 0, 1, 2, 3
SHOWN = np.array([OPEN, CLOSED, SLIP, SLIP, STICK, SLIP], dtype=np.uint8)
WITH_OPEN = 150_000  # states in all up to which open contacts keep their points as well


@dataclass(frozen=True)
class Contacts:
    """States of all contacts, points and forces of those that have a place."""

    names: list[str]
    placed: list[bool]
    state: NDArray[np.uint8]  # (contacts, frames)
    present: NDArray[np.bool_]  # (contacts, frames) where points and forces are given
    point: Floats  # (samples, 3), contact by contact
    force: Floats  # (samples, 3)


def contact_parts(sol: Solution) -> list[str]:
    """Name the set-valued elements that have results."""
    return [part for part in sol.parts if "state" in sol.channels.of(part)]


def track_contacts(sol: Solution, frames: Frames) -> Contacts:
    """Return the contacts of a run at its frames."""
    names = contact_parts(sol)
    sol.fetch([f"{name}.state" for name in names])
    found = [SHOWN[frames.held(sol.array(f"{n}.state")).astype(int) % 6] for n in names]
    state = np.array(found, dtype=np.uint8).reshape(len(names), len(frames))
    keep_open = state.size <= WITH_OPEN
    active: list[bool] = [bool(row.any()) for row in state]
    placed = [f"{n}.point" in sol.channels for n in names]
    used = [
        n for n, here, on in zip(names, placed, active, strict=True) if here and (on or keep_open)
    ]
    wanted = ("point", "normal", "tangent", "lam_N", "lam_T")
    sol.fetch([c for n in used for q in wanted if (c := f"{n}.{q}") in sol.channels])
    present = np.zeros(state.shape, dtype=bool)
    points, forces = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for k, name in enumerate(names):
        if name not in used:
            continue
        point = _spatial(frames.values(sol.array(f"{name}.point")))
        force = frames.held(contact_vector(sol, name, "lam"))
        here = np.isfinite(point).all(axis=1) & ((state[k] > 0) | keep_open)
        present[k] = here
        points.append(point[here])
        forces.append(np.where(np.isfinite(force[here]), force[here], 0.0))
    found_here = Contacts(
        names, placed, state, present, np.concatenate(points), np.concatenate(forces)
    )
    for part in sol.parts:
        if f"{part}.contact_state" in sol.channels:
            found_here = _joined(found_here, _slots(sol, frames, part))
    return found_here


def _slots(sol: Solution, frames: Frames, part: str) -> Contacts:
    """Return the contacts of many balls; a slot may be another pair from row to row."""
    state = SHOWN[frames.held(sol.array(f"{part}.contact_state")).astype(int) % 6].T
    present = state > 0
    point, force = (
        frames.held(sol.array(f"{part}.contact_{word}")).transpose(1, 0, 2)[present]
        for word in ("point", "force")
    )
    names = [f"{part} contact {k}" for k in range(len(state))]
    return Contacts(names, [True] * len(state), state, present, point, force)


def _joined(one: Contacts, two: Contacts) -> Contacts:
    return Contacts(
        one.names + two.names, one.placed + two.placed,
        np.concatenate([one.state, two.state]), np.concatenate([one.present, two.present]),
        np.concatenate([one.point, two.point]), np.concatenate([one.force, two.force]),
    )  # fmt: skip


def contact_vector(sol: Solution, name: str, symbol: str) -> Floats:
    """Return the force ("lam") or impulse ("Lambda") on the first body in world axes."""
    rows = len(sol.t)
    if f"{name}.normal" not in sol.channels or f"{name}.{symbol}_N" not in sol.channels:
        return np.zeros((rows, 3))
    n = _spatial(sol.array(f"{name}.normal"))
    total = n * sol.array(f"{name}.{symbol}_N")[:, None]
    if f"{name}.{symbol}_T" not in sol.channels:
        return total
    along = sol.array(f"{name}.{symbol}_T")
    if along.ndim == 1:
        t = np.column_stack([n[:, 1], -n[:, 0], np.zeros(rows)])
        return np.asarray(total + t * along[:, None])
    if f"{name}.tangent" in sol.channels:
        t = sol.array(f"{name}.tangent")
        total = total + t * along[:, :1] + np.cross(n, t) * along[:, 1:2]
    return total


def describe_events(sol: Solution, limit: int) -> list[dict[str, Any]]:
    """Return the events for the list of a page; impacts with their place and impulse."""
    events = sol.events[:limit]
    rows = np.clip(np.searchsorted(sol.t, events.times, side="right") - 1, 0, len(sol.t) - 1)
    cache: dict[str, tuple[Floats, Floats] | None] = {}
    shown = []
    for event, row in zip(events, rows, strict=True):
        entry: dict[str, Any] = {"t": event.time, "name": event.name, "kind": event.kind}
        text = _text(event.data)
        if text:
            entry["text"] = text
        if event.kind == "impact":
            entry.update(_impact(sol, event, int(row), cache))
        shown.append(entry)
    return shown


def _impact(
    sol: Solution, event: Any, row: int, cache: dict[str, tuple[Floats, Floats] | None]
) -> dict[str, Any]:
    """Return the place and the impulse of an impact."""
    size = abs(float(event.data.get("Lambda_N", 0.0)))
    found: dict[str, Any] = {"size": size if np.isfinite(size) else 0.0}
    if event.name not in cache:
        has = f"{event.name}.point" in sol.channels and f"{event.name}.normal" in sol.channels
        places = (
            (
                _spatial(sol.array(f"{event.name}.point")),
                _spatial(sol.array(f"{event.name}.normal")),
            )
            if has
            else None
        )
        cache[event.name] = places
    where = cache[event.name]
    if where is not None and np.isfinite(where[0][row]).all():
        found["p"] = [float(x) for x in where[0][row]]
        found["j"] = [float(x) * found["size"] for x in where[1][row]]
    return found


def _text(data: Mapping[str, Any]) -> str:
    numbers = [(k, v) for k, v in sorted(data.items()) if isinstance(v, float | int)]
    return ", ".join(f"{key} = {value:.4g}" for key, value in numbers if value == value)


def _spatial(array: Floats) -> Floats:
    if array.shape[1] == 3:
        return array
    return np.column_stack([array, np.zeros(len(array))])
