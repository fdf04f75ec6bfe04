"""Contacts of many balls at the stored times: where they are, their force, whether they slip."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays.grains import MU, GrainArrays, GrainState
from cornerlaw.results import Channel

Floats = NDArray[np.float64]
CLOSED, STICK, SLIP = 1.0, 4.0, 5.0  # states of results
INSIDE = 1.0 - 1e-9  # of the cone of friction; a contact that slips lies on it to rounding
WIDTH = 7  # state, point and force of a contact
Row = tuple[NDArray[np.int64], Floats]  # which pairs, in rising order, and their numbers


def closed_contacts(m: GrainArrays, s: GrainState) -> Row:
    """Return pair, state, point and force on the first ball of contacts that carry something."""
    n, used = m.radius.size, int(s.start[-1])
    carries = np.flatnonzero(s.impulse[:used, 0] > 0.0)
    i = np.repeat(np.arange(n), np.diff(s.start))[carries]
    j = s.partner[carries]
    is_plane = j >= n
    other = np.where(is_plane, 0, j)
    normal = s.x[i] - s.x[other]
    normal[is_plane] = m.plane_normal[j[is_plane] - n]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    impulse, across = s.impulse[carries, :1], s.impulse[carries, 1:]
    # planes may have laws of their own
    mu = np.full(len(i), m.laws[MU])
    mu[is_plane] = m.plane_laws[j[is_plane] - n, MU]
    slips = np.linalg.norm(across, axis=1) >= INSIDE * mu * impulse[:, 0]
    state = np.where(mu == 0.0, CLOSED, np.where(slips, SLIP, STICK))
    point = s.x[i] - m.radius[i, None] * normal
    numbers = np.column_stack([state, point, (impulse * normal + across) / m.options[0]])
    pair = i * len(m.inverse_mass) + j
    order = np.argsort(pair)
    return pair[order], numbers[order]


def _slots(rows: list[Row], most: int) -> list[NDArray[np.int64]]:
    """Return the slots of every row: a pair keeps its own while it lasts, others take free ones."""
    found: list[NDArray[np.int64]] = []
    before, kept = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for pairs, _ in rows:
        slot = np.full(len(pairs), -1)
        _, here, there = np.intersect1d(pairs, before, assume_unique=True, return_indices=True)
        slot[here] = kept[there]
        is_free = np.ones(most, bool)
        is_free[kept[there]] = False
        new = slot < 0
        slot[new] = np.flatnonzero(is_free)[: new.sum()]
        found.append(slot)
        before, kept = pairs, slot
    return found


def contact_results(name: str, rows: list[Row]) -> tuple[dict[str, Floats], list[Channel]]:
    """Return the results of contacts: as many slots as the busiest row needs, empty ones open."""
    most = max((len(pairs) for pairs, _ in rows), default=0)
    table = np.zeros((len(rows), most, WIDTH))
    table[:, :, 1:4] = np.nan
    for k, slot in enumerate(_slots(rows, most)):
        table[k, slot] = rows[k][1]
    parts: list[tuple[str, str, Any, tuple[int, ...]]] = [
        ("contact_state", "", table[:, :, 0], (most,)),
        ("contact_point", "m", table[:, :, 1:4], (most, 3)),
        ("contact_force", "N", table[:, :, 4:], (most, 3)),
    ]
    channels = [Channel(f"{name}.{word}", unit, shape) for word, unit, _, shape in parts]
    return {f"{name}.{word}": values for word, _, values, _ in parts}, channels
