"""Pooled contacts in the rows of a run: taken out of the record, found again by row and pair.

Every row has a stamp, which stands behind its impulses; entries of pooled contacts carry it. So the
width of a row does not depend on the size of the pool, and an entry needs room only where two
contours touch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays.outputs import row_slots
from cornerlaw.arrays.state import Floats, Record, new_record
from cornerlaw.simulate.corner_log import corner_count, corner_rows
from cornerlaw.simulate.pool import COLUMNS, STAMP, collect_touches
from cornerlaw.simulate.system import System

MOST_BYTES = 64 * 2**20  # of the states and impulses of a record


class TouchTable:
    """The entries of a run so far."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.pooled = system.compiled.pool is not None
        self.parts: list[Floats] = []
        self._stamp = 0
        self._written = 0

    @property
    def width(self) -> int:
        """How many numbers a row keeps of its impulses."""
        return corner_rows(self.system) + int(self.pooled)

    @property
    def slots(self) -> int:
        """Of how many slots that are not pooled a row says which point is in them."""
        a = self.system.arrays
        return row_slots(a) - int(a.pool.place_slots.sum()) if a.corners.row_N.size else 0

    def new_record(self, rows: int) -> Record:
        """Return an empty record of at most so many rows, fewer where each is large."""
        a = self.system.arrays
        corners = int(a.corners.row_N.size)
        n = int(a.rows.kind.size) if corners else 0
        slots = row_slots(a) if corners else 0
        width = max(1, corners + 8 * (n + int(a.pool.size) + slots))
        rows = min(rows, max(16, MOST_BYTES // width))
        return new_record(rows, *self.system.sizes, corners, n, int(a.pool.size), slots)

    def fit(self, record: Record) -> Record:
        """Return the record, a new one where the pool has grown."""
        if record.pair.shape[1] == self.system.arrays.pool.size:
            return record
        return self.new_record(record.t.size)

    def flush(self, record: Record, rows: list[Any]) -> None:
        """Move the rows of the record to the list, and pooled contacts to the table."""
        n = int(record.n[0])
        if not n:
            return
        parts: list[Any] = [record.t, record.q, record.u, record.x, record.side]
        columns = [part[:n].copy() for part in parts]
        status, Lambda = record.status[:n], record.Lambda[:n]
        points = record.identity[:n, : self.slots]
        if self.pooled:
            stamps = np.arange(self._stamp + 1.0, self._stamp + n + 1.0)
            self._stamp += n
            self.parts.append(
                collect_touches(
                    self.system,
                    status,
                    Lambda,
                    record.pair[:n],
                    record.identity[:n, self.slots :],
                    stamps,
                )
            )
            status = status[:, : corner_count(self.system)]
            Lambda = np.column_stack([Lambda[:, : corner_rows(self.system)], stamps])
        rows.append((*columns, status.copy(), points.copy(), Lambda.copy()))
        record.n[0] = 0

    def _all(self) -> Floats:
        return np.concatenate([np.zeros((0, COLUMNS)), *self.parts])

    def by_row(self, Lambda: Floats) -> tuple[Floats, Floats | None]:
        """Return impulses without stamps, and the entries with the number of their row instead."""
        if not self.pooled:
            return Lambda, None
        stamps, found = Lambda[:, -1], self._all()
        order = np.argsort(stamps, kind="stable")
        at = np.searchsorted(stamps[order], found[:, STAMP])
        known = at < stamps.size
        known[known] = stamps[order][at[known]] == found[known, STAMP]
        found, at = found[known], order[at[known]]
        found[:, STAMP] = at
        return Lambda[:, :-1].copy(), found[np.argsort(at, kind="stable")]

    def since(self) -> Floats:
        """Return the entries that a checkpoint does not hold yet."""
        found = self._all()[self._written :]
        self._written += len(found)
        return found

    def restore(self, entries: Floats, Lambda: Floats | None) -> None:
        """Take over the entries of a checkpoint, whose rows have these impulses."""
        self.parts = [np.array(entries).reshape(-1, COLUMNS)]
        self._written = len(entries)
        if self.pooled and Lambda is not None and len(Lambda):
            self._stamp = int(Lambda[:, -1].max())
