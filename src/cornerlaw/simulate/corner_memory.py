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


POOL = ("pair", "fat_low", "fat_high", "unbounded")


def _named_arrays(work: Workspace) -> dict[str, NDArray[Any]]:
    """Return the arrays of a run that a step leaves to the next one, in a fixed order."""
    k = work.k
    found = {name: getattr(k, name) for name in CORNERS}
    found |= {name: getattr(work, name) for name in CONTACTS}
    found["removed"] = k.stats[REMOVED : REMOVED + 1]
    return found | {name: getattr(work.pool, name) for name in POOL}


def _arrays(work: Workspace) -> list[NDArray[Any]]:
    return list(_named_arrays(work).values())


def memory_parts(work: Workspace, values: NDArray[np.float64]) -> dict[str, slice]:
    """Return where a memory that fits has each of its arrays; factors are not among them."""
    found, start = {}, 1 + int(values[0])
    for name, array in _named_arrays(work).items():
        found[name] = slice(start, start + array.size)
        start += array.size
    return found


def factor_parts(work: Workspace, values: NDArray[np.float64]) -> dict[str, slice]:
    """Return where a memory has the arrays of its kept factors, nothing where it has none.

    Factors that do not fit their arrays are none.
    """
    c, begin, end = work.k.compact, 3, 1 + int(values[0])
    if end < begin:
        return {}
    n_kept, n = (int(size) for size in values[1:begin])
    if not (0 < n_kept <= c.kept.size and 0 < n <= c.order.size):
        return {}
    sizes = {"kept": n_kept, "order": n, "local": c.local.size, "first": n, "at": n + 1}
    sizes |= dict.fromkeys(PREPARED, n_kept) | {"pivot": n}
    last = begin + n_kept + n + c.local.size + n + n  # where the last of `at` stands
    if last >= end or not 0 <= values[last] <= c.lower.size:
        return {}
    sizes["lower"] = int(values[last])
    if begin + sum(sizes.values()) != end:
        return {}
    found = {}
    for name, size in sizes.items():
        found[name] = slice(begin, begin + size)
        begin += size
    return found


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
    _give_factors(work, values)
    for array in _arrays(work):
        array[...] = values[start : start + array.size].reshape(array.shape)
        start += array.size


def _give_factors(work: Workspace, values: NDArray[np.float64]) -> None:
    """Put back kept factors; what does not fit their arrays is left out, they are made anew."""
    c, parts = work.k.compact, factor_parts(work, values)
    c.n_kept[0] = 0
    for name, part in parts.items():
        getattr(c, name)[: part.stop - part.start] = values[part]
    if parts:
        c.n_kept[0], c.n_local[0] = int(values[1]), int(values[2])


def fit_memory(system: System, values: NDArray[np.float64]) -> None:
    """Give the pool of contacts, emptied, the size that a memory is of."""
    sizes = system.arrays.pool.class_size
    if sizes.size and values.size > sizes.size:
        # every place has a number of its own: no memory is of a pool that is larger than itself
        counts = values[-sizes.size :]
        if not np.all((counts >= 1) & (counts <= values.size)):
            return
        wanted = [int(n) for n in counts]
        if wanted != sizes.tolist():
            system.resize_pool(wanted, carry=False)
