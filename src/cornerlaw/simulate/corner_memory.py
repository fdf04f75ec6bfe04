"""What set-valued elements carry from step to step, as one row of numbers of the restart data.

States and forces of the corners, the directions they slide in, the first guesses of the contact
search and the factors that steps at rest keep: a run that goes on with them makes the same bits as
one that was never interrupted. The row begins with the number of entries that the factors take.
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
    "contact_shown",
    "contact_g",
    "contact_n",
    "contact_r1",
    "contact_r2",
    "contact_p",
    "contact_l",
)
PREPARED = ("scale", "diagonal", "curvature", "set_of", "owner", "tied", "next_tied")


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
    factors = _factors(work)
    numbers = [np.ravel(array).astype(np.float64) for array in _arrays(work)]
    return np.concatenate([[factors.size], factors, *numbers, pool_sizes(work)])


def _factors(work: Workspace) -> NDArray[np.float64]:
    """Return the factors that steps at rest keep, nothing where there are none."""
    c = work.k.compact
    if not c.n_kept[0]:
        return np.zeros(0)
    n = int(c.n_local[0])
    sizes = [c.n_kept[0], n]
    return np.concatenate([sizes, *[array.astype(np.float64) for array in _pieces(work, *sizes)]])


def _pieces(work: Workspace, n_kept: int, n: int) -> list[NDArray[Any]]:
    """Return the parts of the arrays that n_kept rows on n velocities use."""
    c = work.k.compact
    found: list[NDArray[Any]] = [c.kept[:n_kept], c.order[:n], c.local, c.first[:n], c.at[: n + 1]]
    # what is known of the problem is not worked out again where factors are kept
    found += [getattr(c, name)[:n_kept] for name in PREPARED]
    return [*found, c.pivot[:n], c.lower[: int(c.at[n])]]


def fits_memory(work: Workspace, values: NDArray[np.float64]) -> bool:
    """Tell whether a memory is one of this model, with its pool as large as now."""
    if not work.k.status.size or not values.size:
        return not work.k.status.size and not values.size
    own = sum(array.size for array in _arrays(work)) + work.pool.first.size
    return bool(values[0] == values.size - 1 - own)


def give_memory(work: Workspace, values: NDArray[np.float64]) -> None:
    """Put back what `take_memory` returned."""
    work.pool.loaded[0] = 0
    if not work.k.status.size:
        return
    start = 1 + int(values[0])
    _give_factors(work, values[1:start])
    for array in _arrays(work):
        array[...] = values[start : start + array.size].reshape(array.shape)
        start += array.size


def _give_factors(work: Workspace, values: NDArray[np.float64]) -> None:
    """Put back kept factors; what does not fit their arrays is left out, they are made anew."""
    c = work.k.compact
    c.n_kept[0] = 0
    if values.size < 2:
        return
    n_kept, n = int(values[0]), int(values[1])
    if not (0 < n_kept <= c.kept.size and 0 < n <= c.order.size):
        return
    ends = 2 + n_kept + n + c.local.size + n  # where the places of the rows begin
    if values.size < ends + n + 1:
        return
    c.at[: n + 1] = values[ends : ends + n + 1]
    pieces, start = _pieces(work, n_kept, n), 2
    if values.size != 2 + sum(piece.size for piece in pieces):
        return
    for piece in pieces:
        piece[...] = values[start : start + piece.size]
        start += piece.size
    c.n_kept[0], c.n_local[0] = n_kept, n


def fit_memory(system: System, values: NDArray[np.float64]) -> None:
    """Give the pool of contacts, emptied, the size that a memory is of."""
    sizes = system.arrays.pool.class_size
    if sizes.size and values.size > sizes.size:
        wanted = [int(n) for n in values[-sizes.size :]]
        if wanted != sizes.tolist() and all(n >= 1 for n in wanted):
            system.resize_pool(wanted, carry=False)
