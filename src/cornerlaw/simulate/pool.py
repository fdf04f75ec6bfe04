"""The pool of contacts of a system: its size, the names of its pairs, and what a run stores of it.

Of a stored row only the contacts that touch are kept, as entries of one table:

    stamp of the row, pair, corner of its place, state, impulses of up to four rows, identity of the
    contact point
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.pool import FREE
from cornerlaw.arrays.state import NOT_KNOWN, Floats

if TYPE_CHECKING:
    from cornerlaw.arrays.workspace import Workspace
    from cornerlaw.simulate.system import System

STAMP, PAIR, LOCAL, STATE, IMPULSE, IDENTITY = 0, 1, 2, 3, 4, 8
COLUMNS = 9
SPARE = 1.25  # a pool that is too small becomes this many times what it must be

# what corners and slots carry over to a larger pool besides what a step leaves to the next one
_ROWS = ("lam", "lam_ref", "Lambda", "gamma_minus", "gamma_plus")  # one number for every row
_SINGLE = ("crowd", "stats", "cascade")  # not one for every corner
_CARRIED = ("Lambda", "stats", "stiffness", "cascade", "gamma_minus", "gamma_plus", "pair")


def sizes_of(system: System) -> list[int]:
    """Return the places of every class."""
    return [int(n) for n in system.arrays.pool.class_size]


def wanted_sizes(system: System) -> list[int]:
    """Return the sizes with which the pairs at hand find a place, and some more."""
    pool, needed = system.arrays.pool, system.work.pool.needed
    return [
        max(int(size), math.ceil(SPARE * int(n)) + 8) if n > size else int(size)
        for size, n in zip(pool.class_size, needed, strict=True)
    ]


def fit_pool(system: System, t: float, q: Floats, u: Floats) -> None:
    """Let all pairs that are near at a state find a place, and find their contacts."""
    if system.compiled.pool is None:
        return
    from cornerlaw.kernels.contact.pool import look_around

    while look_around(system.m, system.w, float(t), q.copy(), u.copy()) == codes.POOL_FULL:
        system.resize_pool(wanted_sizes(system))


def forget_contacts(work: Workspace) -> None:
    """Forget where contacts were: a run of a system that has run before starts as the first one."""
    work.contact_s[:] = work.contact_p[:] = np.nan
    work.contact_id[:], work.contact_shown[:], work.seen[:] = -1, NOT_KNOWN, -1


def forget_pairs(system: System) -> None:
    """Empty the pool."""
    pool, k = system.work.pool, system.work.k
    pool.pair[:], k.pair[:], pool.fat_low[:], pool.loaded[0] = FREE, FREE, np.nan, 0
    if pool.pair.size:
        first = int(system.arrays.pool.place_slot[0])
        system.work.contact_g[first:] = np.inf
        system.work.contact_id[first:] = -1
        system.work.contact_shown[first:] = NOT_KNOWN


def label_of(system: System, corner: int, pair: int | None = None) -> str:
    """Return the name of a corner in results; a pooled one is called by the pair that has it."""
    compiled, pool = system.compiled, system.arrays.pool
    if corner < len(compiled.corners):
        return compiled.corners[corner].label
    code = int(system.work.k.pair[corner]) if pair is None else int(pair)
    place = int(np.searchsorted(pool.place_corner, corner, side="right")) - 1
    local = corner - int(pool.place_corner[place])
    return point_label(system, code, int(pool.place_class[place]), local)


def class_of(system: System, code: int) -> int:
    """Return the class of places of a pair."""
    pool = system.arrays.pool
    i, j = divmod(int(code), pool.family.size)
    a, b = sorted((int(pool.carrier[i]), int(pool.carrier[j])))
    joined = a * pool.n_carriers + b in pool.joined
    table = pool.table_joined if joined else pool.table
    return int(table[pool.family[i], pool.family[j]])


def pooled_pair(system: System, name: str) -> str:
    """Return the pair of the pool that a name of a result begins with, "" if there is none."""
    plan = system.compiled.pool
    if plan is None:
        return ""
    parts = set(plan.parts)
    for cut in (i for i, letter in enumerate(name) if letter == "-"):
        if name[:cut] not in parts:
            continue
        rest = name[cut + 1 :]
        starts = {other: (f"{other}.", f"{other}[") for other in parts}
        ends = [o for o in parts if rest == o or rest.startswith(starts[o])]
        if ends:
            return f"{name[:cut]}-{max(ends, key=len)}"
    return ""


def point_label(system: System, code: int, which: int, local: int) -> str:
    """Return the name of one corner of a pair."""
    plan = system.compiled.pool
    assert plan is not None
    if code < 0:
        return "a contact of the pool"
    end = plan.labels[which][local]
    pieces = [system.compiled.contours[plan.parts[c]] for c in divmod(code, len(plan.parts))]
    if max(len(piece) for piece in pieces) > 1:
        # parts of several contours: say which of them touch
        a, b = (c - p.start for c, p in zip(divmod(code, len(plan.parts)), pieces, strict=True))
        end = f"[{a}.{b}{end.replace('[', '.', 1).replace(']', '', 1) if end else ''}]"
    return plan.name_of(code) + end


def _maps(old: Any, new: Any, n_slots: int, n_rows: int) -> tuple[Any, Any, Any]:
    """Return where slots, corners and rows of one pool are in another that is not smaller."""
    first_old, first_new = old.class_first[old.place_class], new.class_first[old.place_class]
    place = np.arange(old.size) - first_old + first_new

    def spread(starts: Any, counts: Any) -> Any:
        """Return the numbers from every start on, as many as counted."""
        offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(starts, counts) + offset

    corners = old.class_corners[old.place_class]
    return (
        np.concatenate([np.arange(n_slots), spread(new.place_slot[place], old.place_slots)]),
        np.concatenate([np.arange(old.n_static), spread(new.place_corner[place], corners)]),
        np.concatenate([np.arange(n_rows), spread(new.place_row[place], old.place_rows)]),
    )


def carry_over(old: Any, work: Workspace, new: Any, fresh: Workspace) -> None:
    """Copy what the corners of a run remember from one size of the pool to another."""
    from cornerlaw.simulate.corner_memory import CONTACTS, CORNERS

    n_slots = old.slots.start.size - int(old.pool.place_slots.sum())
    n_rows = old.rows.kind.size - int(old.pool.place_rows.sum())
    slot, corner, row = _maps(old.pool, new.pool, n_slots, n_rows)
    for name in (*CORNERS, *_CARRIED):
        a, b = getattr(work.k, name), getattr(fresh.k, name)
        if name in _SINGLE:
            b[...] = a
        else:
            b[row if name in _ROWS else corner] = a
    for name in CONTACTS:
        a, b = getattr(work, name), getattr(fresh, name)
        if a.shape[0] == 4 * slot.size:
            a, b = a.reshape(-1, 4), b.reshape(-1, 4)
        if a.size:
            b[slot] = a
    places = np.arange(old.pool.size) - old.pool.class_first[old.pool.place_class]
    fresh.pool.pair[places + new.pool.class_first[old.pool.place_class]] = work.pool.pair
    fresh.pool.keep[:], fresh.look[:], fresh.pose[:] = work.pool.keep, work.look, work.pose
    for name in ("fat_low", "fat_high", "unbounded"):
        getattr(fresh.pool, name)[:] = getattr(work.pool, name)
    fresh.k.impact.exponent[:] = work.k.impact.exponent
    fresh.k.compact.posed[:] = work.k.compact.posed


def collect_touches(
    system: System, status: Any, Lambda: Floats, pair: Any, identity: Any, stamps: Floats
) -> Floats:
    """Return the entries of stored rows: all contacts that touch or have had an impulse."""
    a, pool = system.arrays.corners, system.arrays.pool
    start, rows = pool.n_static, system.arrays.rows.kind.size - int(pool.place_rows.sum())
    touched = status[:, start:] != 0
    at, row = np.nonzero(Lambda[:, rows:])
    touched[at, system.work.k.corner_of[row + rows - system.arrays.n_rows] - start] = True
    at, corner = np.nonzero(touched)
    corner = corner + start
    place = np.searchsorted(pool.place_corner, corner, side="right") - 1
    found = np.zeros((at.size, COLUMNS))
    found[:, STAMP] = stamps[at]
    found[:, PAIR] = pair[at, place]
    found[:, LOCAL] = corner - pool.place_corner[place]
    found[:, STATE] = status[at, corner]
    found[:, IDENTITY] = identity[at, a.slot[corner] - pool.place_slot[0]]
    for k, index in enumerate(rows_of(a, corner)):
        has = index >= 0
        found[has, IMPULSE + k] = Lambda[at[has], index[has]]
    return found


def rows_of(corners: Any, c: Any) -> list[Any]:
    """Return the normal row and up to three tangential rows of corners, -1 where there is none."""
    tangent, n_T = corners.row_T[c], corners.n_T[c]
    return [corners.row_N[c], *(np.where(n_T > k, tangent + k, -1) for k in range(3))]


@contextmanager
def kept_pool(system: System) -> Iterator[None]:
    """Give the pool of a run back to it: evaluating stored rows uses its places."""
    if system.compiled.pool is None:
        yield
        return
    from cornerlaw.simulate.corner_memory import give_memory, take_memory

    work = system.work
    memory, Lambda = take_memory(work), work.k.Lambda.copy()
    look, pose = work.look.copy(), work.pose.copy()
    try:
        yield
    finally:
        give_memory(work, memory)
        work.k.Lambda[:], work.look[:], work.pose[:] = Lambda, look, pose
        work.seen[:] = -1
