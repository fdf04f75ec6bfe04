"""Pooled contacts: places that pairs of contours take while they are near each other.

A place owns the slots, corners and rows of one pair. Places of one class have the same number of
slots and the same laws, so that a pair that takes one writes nothing but its two contours.
"""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats, Ints

FREE = -1  # pair of a place that nobody has
N_LEVELS = 128  # sizes of cells of the grid: powers of two
LEVEL_ZERO = 64  # level of cells one metre wide

BOUND_BOX = 0  # inside a box in the axes of the marker
BOUND_HALF = 1  # a plane or line: everything below it
BOUND_NONE = 2  # near everything


class PoolArrays(NamedTuple):
    """Which contours may meet, in which class of places, and what the places own."""

    size: int  # places
    n_corners: int  # corners that belong to places: the last ones
    n_static: int  # corners that do not: the first ones
    dim: int  # 2 or 3
    n_carriers: int  # bodies and grounds with contours
    family: Ints  # (n,) of a contour: those of one family meet the same others; -1 none
    carrier: Ints  # (n,) body or ground it sits on
    rank: Ints  # (n,) of two contours the one with the lower rank is the first
    bound: Ints  # (n,) BOUND_*
    centre: Floats  # (n, 3) of its box, in the axes of the marker
    half: Floats  # (n, 3) half sizes of its box
    normal: Floats  # (n, 3) of a plane or line, same axes
    margin: Floats  # (n,) distance within which a pair is near, moving or not: a part of its size
    table: Ints  # (families, families) class of a pair, -1 none
    table_joined: Ints  # the same for bodies that a joint connects
    joined: Ints  # sorted codes of pairs of bodies that a joint connects
    excluded: Ints  # sorted codes of pairs of contours that have a contact of their own
    kind_1: Ints  # kinds of contours that may meet
    kind_2: Ints
    class_first: Ints  # (classes,) first place
    class_size: Ints  # (classes,) places
    class_corners: Ints  # (classes,) corners of a place
    place_class: Ints  # (places,)
    place_slot: Ints  # (places,) first slot
    place_slots: Ints  # (places,) how many
    place_corner: Ints  # (places,) first corner
    place_row: Ints  # (places,) first row
    place_rows: Ints  # (places,) how many


class PoolWork(NamedTuple):
    """Who has which place, and scratch of the broad phase."""

    pair: Ints  # (places,) code of the pair that has it, or FREE
    near: Ints  # (places,) 1 = found near at the pose at hand
    first: Ints  # (classes,) first place of a class
    lowest: Ints  # (classes,) no place below this one is free
    needed: Ints  # (classes,) places that the pose at hand needs
    keep: Ints  # (1,) 1 = a place is kept until the impulses of its pair are stored
    n_near: Ints  # (1,) pairs found near at the last pose
    loaded: Ints  # (1,) 1 = slots and corners know the pairs of their places
    low: Floats  # (n, 3) boxes in the world
    high: Floats  # (n, 3)
    fat_low: Floats  # (n, 3) boxes inside which contours may move before pairs are found anew
    fat_high: Floats  # (n, 3)
    unbounded: Floats  # (n, 12) poses of contours without a box when pairs were found
    level: Ints  # (n,) level of its size
    cell: Ints  # (n, 3)
    following: Ints  # (n,) next contour of the same bucket
    bucket: Ints  # (power of two,) first contour
    members: Ints  # (N_LEVELS,) contours of a level
    hash_pair: Ints  # (power of two,) places by pair
    hash_place: Ints


def _power(n: int) -> int:
    """Return the power of two that is at least twice n."""
    return 1 << max(3, int(2 * n - 1).bit_length())


def no_pool() -> PoolArrays:
    """Return the arrays of a model without pooled contacts."""
    i, f = np.zeros(0, np.int64), np.zeros((0, 3))
    return PoolArrays(
        0, 0, 0, 3, 0, i, i, i, i, f, f, f, np.zeros(0), np.zeros((0, 0), np.int64),
        np.zeros((0, 0), np.int64), *(i.copy() for _ in range(13)),
    )  # fmt: skip


def new_pool_work(pool: PoolArrays) -> PoolWork:
    """Allocate an empty pool."""
    n, places, classes = pool.family.size, pool.size, pool.class_first.size
    z = np.zeros
    hashes = _power(2 * places) if places else 0
    return PoolWork(
        pair=np.full(places, FREE, np.int64),
        near=z(places, np.int64),
        first=pool.class_first.copy(),
        lowest=pool.class_first.copy(),
        needed=z(classes, np.int64),
        keep=np.ones(1, np.int64),
        n_near=z(1, np.int64),
        loaded=z(1, np.int64),
        low=z((n, 3)),
        high=z((n, 3)),
        fat_low=np.full((n, 3), np.nan),
        fat_high=np.full((n, 3), np.nan),
        unbounded=np.full((n, 12), np.nan),
        level=z(n, np.int64),
        cell=z((n, 3), np.int64),
        following=z(n, np.int64),
        bucket=z(_power(n) if n else 0, np.int64),
        members=z(N_LEVELS, np.int64),
        hash_pair=z(hashes, np.int64),
        hash_place=z(hashes, np.int64),
    )
