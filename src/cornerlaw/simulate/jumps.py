"""Which element's states change their rates by a jump: an implicit step over it has no solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays.state import Floats
from cornerlaw.errors import CornerlawError

if TYPE_CHECKING:
    from cornerlaw.simulate.system import System

SAMPLES = 8  # along the way of a step
HALVINGS = 40  # of an interval that may hold a jump
SHARE = 0.1  # of the rate itself, from which a change counts


def element_that_jumps(
    system: System, t: float, q: Floats, u: Floats, x: Floats, reach: float
) -> str:
    """Return the part whose states change their rates by a jump, empty if there is none.

    The states are moved along their rates, for twice the time of the step that failed; between
    samples that differ the change is enclosed. A smooth rate hardly changes in what is left.
    """
    start = _rates(system, t, q, u, x)
    if start is None:
        return ""
    ways = np.linspace(0.0, 2.0 * reach, SAMPLES + 1)
    samples = [_rates(system, t, q, u, x + way * start) for way in ways]
    for k in range(SAMPLES):
        left, right = samples[k], samples[k + 1]
        if left is None or right is None:
            return ""
        for i in np.flatnonzero(_differs(left, right)):
            if _stays(system, t, q, u, x, start, (ways[k], ways[k + 1]), int(i)):
                return str(system.compiled.x_names[int(i)][0])
    return ""


def _rates(system: System, t: float, q: Floats, u: Floats, x: Floats) -> Floats | None:
    try:
        return system.accelerations(t, q.copy(), u.copy(), x)[1]
    except CornerlawError:
        return None


def _differs(left: Floats, right: Floats) -> NDArray[np.bool_]:
    size = np.maximum(np.abs(left), np.abs(right))
    found: NDArray[np.bool_] = np.abs(right - left) > SHARE * size
    return found


def _stays(
    system: System, t: float, q: Floats, u: Floats, x: Floats, start: Floats,
    ends: tuple[float, float], i: int,
) -> bool:  # fmt: skip
    """Tell whether rate i still differs at the ends of an interval halved many times."""
    low, high = ends
    first, last = (_rates(system, t, q, u, x + end * start) for end in ends)
    if first is None or last is None:
        return False
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        found = _rates(system, t, q, u, x + middle * start)
        if found is None:
            return False
        if abs(found[i] - first[i]) < abs(found[i] - last[i]):
            low, first = middle, found
        else:
            high, last = middle, found
    return bool(_differs(first, last)[i])
