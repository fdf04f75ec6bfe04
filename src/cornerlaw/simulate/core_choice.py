"""One core or all of them: what took less time so far, where both give the same results."""

from __future__ import annotations

import math

FEW = 400  # balls: what has fewer is not split, and a step is over before a thread has begun
TRIES = 3  # of both ways before one is chosen; the last ones count
AGAIN = 32  # calls after which the other way is tried once more


class CoreChoice:
    """Choose between one core and all by the time that each of them took for the same work.

    On a machine with other work a second core may cost more than it gives.
    """

    def __init__(self, wanted: bool | None, count: int) -> None:
        self._fixed = wanted
        if wanted is None and (count < FEW or _threads() < 2):
            self._fixed = False
        self._rates: tuple[list[float], list[float]] = ([], [])
        self._calls = 0

    def choose(self) -> bool:
        """Tell whether the next call uses all cores."""
        if self._fixed is not None:
            return self._fixed
        one, both = self._rates
        if min(len(one), len(both)) < TRIES:
            return len(both) < len(one)
        self._calls += 1
        return bool(min(both) < min(one)) != (self._calls % AGAIN == 0)

    def learn(self, both: bool, seconds: float, work: float) -> None:
        """Note the time that a call took, and how much it did."""
        if self._fixed is None and work > 0.0 and math.isfinite(seconds):
            rates = self._rates[int(both)]
            rates.append(seconds / work)
            del rates[:-TRIES]


def _threads() -> int:
    from numba import get_num_threads

    return int(get_num_threads())
