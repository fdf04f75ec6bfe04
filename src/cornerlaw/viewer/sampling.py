"""The frames of a page: times to show, and how rows of a run become values at them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UsageError
from cornerlaw.results import Solution

Floats = NDArray[np.float64]
LEAST = 600  # frames of a run whose steps are few and long
MOST = 2000  # frames of a page unless told otherwise


class Frames:
    """Times between which a page interpolates; at a jump both limits are frames."""

    def __init__(self, sol: Solution, limit: int = MOST) -> None:
        rows = len(sol.t)
        if rows == 0:
            raise UsageError("This run holds no rows, so there is nothing to show.")
        if limit < 2:
            raise UsageError(f"A page needs at least 2 frames, got {limit}.")
        self.sol = sol
        jumps = sol.jumps
        # more jumps than a page can hold are thinned evenly
        room = limit // 4
        if len(jumps) > room:
            jumps = jumps[np.linspace(0, len(jumps) - 1, room).astype(int)]
        count = min(limit - 2 * len(jumps), max(rows, LEAST))
        even = _onto(sol.t, np.linspace(sol.t[0], sol.t[-1], count)) if rows > 1 else sol.t[:1]
        even = even[~np.isin(even, sol.t[jumps])]
        lower = np.clip(np.searchsorted(sol.t, even, side="right") - 1, 0, max(rows - 2, 0))
        exact = np.sort(np.concatenate([jumps, jumps + 1]))
        t = np.concatenate([even, sol.t[exact]])
        row = np.concatenate([lower, exact])
        order = np.lexsort((row, t))
        self.t: Floats = t[order]
        self.row: NDArray[np.int64] = row[order]
        self.next = np.minimum(self.row + 1, rows - 1)
        span = sol.t[self.next] - sol.t[self.row]
        self.span: Floats = np.where(span > 0.0, span, 0.0)
        safe = np.where(span > 0.0, span, 1.0)
        weight = np.where(span > 0.0, (self.t - sol.t[self.row]) / safe, 0.0)
        self.weight: Floats = np.clip(weight, 0.0, 1.0)
        # long steps bend between rows, short ones do not
        self.smooth = rows < count

    def __len__(self) -> int:
        return len(self.t)

    def values(self, array: Floats) -> Floats:
        """Return values of a channel at the frames, linear between rows."""
        w = self.weight.reshape(-1, *([1] * (array.ndim - 1)))
        with np.errstate(invalid="ignore"):
            between = array[self.row] * (1.0 - w) + array[self.next] * w
        # nan times zero is nan: what has no value in the other row keeps its own
        return np.where(w == 0.0, array[self.row], np.where(w == 1.0, array[self.next], between))

    def curved(self, array: Floats, rate: Floats) -> Floats:
        """Return values at the frames with the given rates at the rows (cubic Hermite)."""
        if not self.smooth:
            return self.values(array)
        shape = (-1, *([1] * (array.ndim - 1)))
        w, h = self.weight.reshape(shape), self.span.reshape(shape)
        a, b = array[self.row], array[self.next]
        start, end = h * rate[self.row], h * rate[self.next]
        found: Floats = (
            (1.0 + 2.0 * w) * (1.0 - w) ** 2 * a
            + w * (1.0 - w) ** 2 * start
            + w * w * (3.0 - 2.0 * w) * b
            - w * w * (1.0 - w) * end
        )
        return found

    def held(self, array: Floats) -> Floats:
        """Return values of a state that keeps its value until the next row."""
        return array[np.where(self.weight >= 1.0, self.next, self.row)]


def _onto(rows: Floats, even: Floats) -> Floats:
    """Return times that are those of rows where only rounding parts them: states change there."""
    after = np.clip(np.searchsorted(rows, even), 1, len(rows) - 1)
    near = np.where(even - rows[after - 1] < rows[after] - even, rows[after - 1], rows[after])
    return np.where(np.abs(even - near) < 1e-6 * (even[-1] - even[0]) / len(even), near, even)
