"""Pooled contacts at stored rows: from entries to gaps, velocities, forces and points.

Rows are evaluated in the places of the pool. A pair keeps its place from row to row as long as it
touches, so that its contact points stay in their slots as they did in the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.outputs import Outputs
from cornerlaw.arrays.pool import FREE
from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.pool import (
    COLUMNS,
    IDENTITY,
    IMPULSE,
    LOCAL,
    PAIR,
    STAMP,
    STATE,
    class_of,
    rows_of,
    sizes_of,
)

if TYPE_CHECKING:
    from cornerlaw.simulate.corner_log import CornerRows
    from cornerlaw.simulate.system import System

MOST_BYTES = 64 * 2**20  # of the outputs of the rows that are evaluated together


class Pooled:
    """The entries of pooled contacts in the rows of a run, and what is evaluated for them."""

    def __init__(self, system: System, corners: CornerRows | None) -> None:
        self.system, self.corners = system, corners
        given = None if corners is None else corners.touches
        entries = np.zeros((0, COLUMNS)) if given is None else given
        self.entries = entries
        self.row = entries[:, STAMP].astype(np.int64)
        self.pair = entries[:, PAIR].astype(np.int64)
        self.local = entries[:, LOCAL].astype(np.int64)
        self.state = entries[:, STATE]
        self.impulse = entries[:, IMPULSE : IMPULSE + 4]
        self.identity = entries[:, IDENTITY].astype(np.int64)
        n = len(entries)
        self.force, self.gamma = np.zeros((n, 4)), np.zeros((n, 4))
        self.gap, self.slot = np.full(n, np.inf), np.zeros(n, np.int64)
        self.normal, self.tangent, self.point = (np.zeros((n, 3)) for _ in range(3))
        self._places: Any = None
        self._corner = np.zeros(n, np.int64)

    def begin(self, t: Floats) -> None:
        """Find the places in which the entries are evaluated, and their mean forces."""
        if self.corners is None or not self.row.size:
            self._places = np.full((t.size, int(sum(sizes_of(self.system)))), FREE)
            return
        length = self.corners.lengths(t)[self.row]
        safe = np.where(length > 0.0, length, 1.0)
        self.force = np.where(length[:, None] > 0.0, self.impulse / safe[:, None], 0.0)
        self._places = self._assign(t.size)
        pool = self.system.arrays.pool
        for k in range(self.row.size):
            here = np.flatnonzero(self._places[self.row[k]] == self.pair[k])[0]
            self._corner[k] = pool.place_corner[here] + self.local[k]
        self.slot = self.system.arrays.corners.slot[self._corner]

    def _assign(self, nt: int) -> Any:
        """Return the pair of every place in every row."""
        pool = self.system.arrays.pool
        places = np.full((nt, pool.size), FREE)
        has: dict[int, int] = {}
        free = [
            list(range(first + size - 1, first - 1, -1))
            for first, size in zip(pool.class_first, pool.class_size, strict=True)
        ]
        starts = np.searchsorted(self.row, np.arange(nt + 1))
        for k in range(nt):
            wanted = dict.fromkeys(self.pair[starts[k] : starts[k + 1]].tolist())
            for code in [code for code in has if code not in wanted]:
                place = has.pop(code)
                free[int(pool.place_class[place])].append(place)
            for code in wanted:
                if code not in has:
                    has[code] = free[class_of(self.system, code)].pop()
                places[k, has[code]] = code
        return places

    def chunks(self, rows: slice) -> Iterator[slice]:
        """Yield the rows in parts whose outputs fit into memory."""
        a = self.system.arrays
        size = 8 * (3 * a.rows.kind.size + 9 * a.slots.start.size + 30 * a.frames.body.size) + 1
        step = max(1, MOST_BYTES // size)
        for first in range(rows.start, rows.stop, step):
            yield slice(first, min(first + step, rows.stop))

    def _of(self, rows: slice) -> tuple[slice, Any]:
        """Return the entries of some rows, and their row among these."""
        a, b = np.searchsorted(self.row, (rows.start, rows.stop))
        return slice(a, b), self.row[a:b] - rows.start

    def fill(self, part: Outputs, whole: Outputs, rows: slice) -> None:
        """Write states, forces and pairs of some rows to their outputs."""
        part.given[:] = whole.given
        part.pair[:] = self._places[rows]
        part.status[:, : whole.status.shape[1]] = whole.status[rows]
        part.corner_lam[:, : whole.corner_lam.shape[1]] = whole.corner_lam[rows]
        own, at = self._of(rows)
        part.status[at, self._corner[own]] = self.state[own]
        pool = self.system.arrays.pool
        first = int(pool.place_slot[0])
        fixed = part.identity.shape[1] - int(pool.place_slots.sum())
        if self.corners is not None and self.corners.points is not None:
            part.identity[:, :fixed] = self.corners.points[rows]
        part.identity[:, fixed:] = -1
        part.identity[at, fixed + self.slot[own] - first] = self.identity[own]
        for k, index in enumerate(rows_of(self.system.arrays.corners, self._corner[own])):
            has = index >= 0
            part.corner_lam[at[has], index[has]] = self.force[own][has, k]

    def take(self, part: Outputs, whole: Outputs, rows: slice) -> None:
        """Keep what was evaluated: everything of the rest, of the pool what touches."""
        for name in whole._fields:
            target, source = getattr(whole, name), getattr(part, name)
            if name not in ("given", "pair"):
                target[rows] = source[:, : target.shape[1]] if target.ndim > 1 else source
        own, at = self._of(rows)
        corner, slot = self._corner[own], self.slot[own]
        for k, index in enumerate(rows_of(self.system.arrays.corners, corner)):
            has = np.flatnonzero(index >= 0)
            self.gamma[own.start + has, k] = part.corner_gamma[at[has], index[has]]
            if k == 0:
                self.gap[own.start + has] = part.corner_g[at[has], index[has]]
        self.normal[own] = part.corner_n[at, slot]
        self.tangent[own] = part.corner_t[at, slot]
        self.point[own] = part.corner_r[at, slot]
