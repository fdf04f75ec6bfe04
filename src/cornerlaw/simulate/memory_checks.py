"""What a memory or a row may say: compiled code follows its places without a look.

A record, or a file of results that a run begins from, may come from a stranger. All that is used as
a place in an array, or as a state, is looked at before: a number that cannot be is refused with the
name of its array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.corner_work import OPEN, SLIP
from cornerlaw.arrays.pool import FREE
from cornerlaw.arrays.state import NOT_KNOWN, REFERENCES
from cornerlaw.errors import UsageError
from cornerlaw.kernels.integrators.layout import EVENT, HEAD, STOP
from cornerlaw.simulate.corner_log import corner_count, corner_rows
from cornerlaw.simulate.corner_memory import factor_parts, fits_memory, memory_parts
from cornerlaw.simulate.pool import COLUMNS, IDENTITY, LOCAL, PAIR, STATE, class_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cornerlaw.arrays.state import Floats
    from cornerlaw.simulate.system import System

LARGEST_POINT = 2.0**53  # whole numbers above are none of a double
RANGES = {
    "status": (OPEN, SLIP), "before": (OPEN, SLIP), "shown": (OPEN, SLIP), "fired": (0, 4),
    "hit": (0, 1), "behind": (0, 1), "young": (0, 2), "contact_id": (-1, REFERENCES),
    "contact_shown": (NOT_KNOWN, LARGEST_POINT),
}  # fmt: skip


def _check(name: str, values: Any, low: float, high: float) -> None:
    """Refuse numbers that are not whole or not from low to high; not a number is neither."""
    values = np.asarray(values, float)
    if not np.all((values >= low) & (values <= high) & (values == np.floor(values))):
        raise ValueError(f"{name} has a number that cannot be")


def check_memory(system: System, values: Floats) -> None:
    """Refuse a memory of the corners that fits by its size but has a place that cannot be."""
    work = system.work
    if not values.size or not fits_memory(work, values):
        return
    parts = memory_parts(work, values)
    for name, (low, high) in RANGES.items():
        _check(name, values[parts[name]], low, high)
    _check_pairs(system, "pair", values[parts["pair"]], system.arrays.pool.place_class)
    held = values[parts["pair"]]
    held = held[held != FREE]
    if np.unique(held).size != held.size:
        raise ValueError("pair has a pair at two places")
    factors = factor_parts(work, values)
    if factors:
        _check_factors(system, {name: values[part] for name, part in factors.items()})


def _check_pairs(system: System, name: str, pairs: Any, classes: Any) -> None:
    """Refuse pairs that do not exist, or that have more contact points than their places."""
    _check(name, pairs, FREE, system.arrays.pool.family.size**2 - 1)
    for code, which in zip(pairs.tolist(), classes.tolist(), strict=True):
        if code != FREE and not 0 <= class_of(system, int(code)) == which:
            raise ValueError(f"{name} has a pair that is none of its place")


def _check_factors(system: System, f: dict[str, NDArray[np.float64]]) -> None:
    """Refuse kept factors whose rows, velocities or sets are none. (T-12.24) (T-12.30)"""
    a = system.arrays
    rows, n, nu = f["kept"].size, f["order"].size, f["local"].size
    _check("kept", f["kept"], 0, a.rows.kind.size - 1)
    _check("order", f["order"], 0, nu - 1)
    _check("local", f["local"], -1, n - 1)
    order = f["order"].astype(np.int64)
    placed = np.full(nu, -1.0)
    placed[order] = np.arange(n)
    if np.unique(order).size != n or not np.array_equal(placed, f["local"]):
        raise ValueError("order and local are none of each other")
    here = np.arange(n)
    _check("first", f["first"], 0, n - 1)
    _check("at", f["at"], 0, f["lower"].size)
    if np.any(f["first"] > here) or f["at"][0] != 0.0:
        raise ValueError("first has a number that cannot be")
    if not np.array_equal(np.diff(f["at"]), here - f["first"]):
        raise ValueError("at has a number that cannot be")
    _check("set_of", f["set_of"], 0, rows - 1)
    _check("owner", f["owner"], 0, rows - 1)
    # both begin with -1 and lead from later sets to earlier ones, so that they come to an end
    _check("tied", f["tied"], -1, rows - 1)
    _check("next_tied", f["next_tied"], -1, rows - 1)
    if np.any(f["next_tied"] >= np.arange(rows)):
        raise ValueError("next_tied has a number that cannot be")


def check_head(memory: Floats, n_indicators: int) -> None:
    """Refuse a memory of a method whose run was stopped by an indicator that does not exist."""
    if memory.size >= HEAD:
        _check("memory", memory[STOP], 0, n_indicators)
        _check("memory", memory[EVENT], 0, 2)


def check_given_memory(system: System, corners: Floats, memory: Floats) -> None:
    """Refuse a state to begin from whose memory has a place that cannot be."""
    try:
        check_memory(system, corners)
        check_head(memory, system.arrays.n_indicators)
    except ValueError as error:
        raise UsageError(
            f"the memory of the given state is damaged: {error}; give time, positions and "
            "velocities alone"
        ) from None


def check_rows(system: System, columns: Any, slots: int, entries: Floats) -> None:
    """Refuse rows of other widths than those of the model, and states that are none."""
    pooled = system.compiled.pool is not None
    nq, nu, nx = system.sizes
    t, q, u, x, side, status, points, Lambda = columns
    if points.shape[1:] == (0,):
        slots = 0  # an older version wrote none
    wide = {
        "q": (q, nq), "u": (u, nu), "x": (x, nx), "status": (status, corner_count(system)),
        "points": (points, slots), "Lambda": (Lambda, corner_rows(system) + int(pooled)),
    }  # fmt: skip
    for name, (column, width) in wide.items():
        if column.shape[1:] != (width,):
            raise ValueError(f"{name} has rows of another width")
    for name, column in (("t", t), ("q", q), ("u", u), ("x", x), ("Lambda", Lambda)):
        if column.dtype != np.float64:
            raise ValueError(f"{name} has other numbers than it must have")
    if t.ndim != 1 or side.ndim != 1:
        raise ValueError("t or side has rows of another width")
    _check("side", side, -1, 1)
    _check("status", status, OPEN, SLIP)
    _check("points", points, NOT_KNOWN, LARGEST_POINT)
    check_touches(system, entries)


def check_touches(system: System, entries: Floats) -> None:
    """Refuse entries of pooled contacts that do not exist."""
    if not entries.size:
        return
    pool = system.arrays.pool
    if system.compiled.pool is None or entries.shape[1:] != (COLUMNS,):
        raise ValueError("touches are none of this model")
    _check("touches", entries[:, PAIR], 0, pool.family.size**2 - 1)
    _check("touches", entries[:, LOCAL], 0, pool.n_corners)
    _check("touches", entries[:, STATE], OPEN, SLIP)
    _check("touches", entries[:, IDENTITY], NOT_KNOWN, LARGEST_POINT)
    for code, local in np.unique(entries[:, [PAIR, LOCAL]], axis=0).tolist():
        which = class_of(system, int(code))
        if which < 0 or local >= pool.class_corners[which]:
            raise ValueError("touches have a pair or point that does not exist")
