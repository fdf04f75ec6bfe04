"""What set-valued elements carry from step to step, as one row of numbers of the restart data.

States and forces of the corners, the directions they slide in, and the first guesses of the contact
search: a run that goes on with them makes the same bits as one that was never interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.corner_work import REMOVED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cornerlaw.arrays.workspace import Workspace
    from cornerlaw.simulate.system import System

CORNERS = (
    "status", "before", "shown", "fired", "hit", "behind", "slack", "crowd", "rest_speed", "slip",
    "slip_ref", "slip_speed", "young", "v_0", "lam", "lam_ref", "mu", "bound", "lower",
    "eps_N", "eps_T",
)  # fmt: skip
CONTACTS = (
    "contact_s",
    "contact_id",
    "contact_g",
    "contact_n",
    "contact_r1",
    "contact_r2",
    "contact_p",
    "contact_l",
)


def _arrays(work: Workspace) -> list[NDArray[Any]]:
    """Return the arrays of a run that a step leaves to the next one, in a fixed order."""
    k = work.k
    found = [getattr(k, name) for name in CORNERS]
    found += [getattr(work, name) for name in CONTACTS]
    pool = work.pool
    boxes = [pool.pair, pool.fat_low, pool.fat_high, pool.unbounded]
    return [*found, k.stats[REMOVED : REMOVED + 1], *boxes]


def pool_sizes(work: Workspace) -> NDArray[np.float64]:
    """Return the places of every class of the pool: the last numbers of the memory."""
    starts = work.pool.first
    return np.diff(np.append(starts, work.pool.pair.size)).astype(np.float64)


def take_memory(work: Workspace) -> NDArray[np.float64]:
    """Return a copy of what the corners of a run carry, nothing without corners."""
    if not work.k.status.size:
        return np.zeros(0)
    numbers = [np.ravel(array).astype(np.float64) for array in _arrays(work)]
    return np.concatenate([*numbers, pool_sizes(work)])


def give_memory(work: Workspace, values: NDArray[np.float64]) -> None:
    """Put back what `take_memory` returned."""
    start = 0
    for array in _arrays(work) if work.k.status.size else ():
        array[...] = values[start : start + array.size].reshape(array.shape)
        start += array.size
    work.pool.loaded[0] = 0


def fit_memory(system: System, values: NDArray[np.float64]) -> None:
    """Give the pool of contacts, emptied, the size that a memory is of."""
    sizes = system.arrays.pool.class_size
    if sizes.size and values.size > sizes.size:
        wanted = [int(n) for n in values[-sizes.size :]]
        if wanted != sizes.tolist() and all(n >= 1 for n in wanted):
            system.resize_pool(wanted, carry=False)
