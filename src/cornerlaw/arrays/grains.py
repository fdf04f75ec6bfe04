"""Arrays of many balls between planes: what stays, what moves, and scratch.

A ball is a row of `v`: its velocity and its spin s = radius * omega [m/s]. Planes are rows behind
the balls with an inverse mass of zero. In these variables the velocity of ball i against body j at
their contact is v_i - v_j - (s_i + s_j) x n, whatever the radii are. (T-19.1)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# places in GrainArrays.laws and in a row of plane_laws
MU, EPS, EPS_SPEED = 0, 1, 2
# places in GrainWork.figures
(CONTACTS, COLOURS, RESIDUAL, PENETRATION, UNSOLVED, SWEEPS, STEPS, WORST_RESIDUAL,
 WORST_PENETRATION, ACCELERATED) = range(10)  # fmt: skip
# stages of a step that is timed, places in GrainWork.spent; the last place is the last look
STAGES = ("move", "pairs", "order", "sweeps", "accelerate", "residual", "keep")
MOVE, PAIRS, ORDER, SWEEP, ACCELERATE, CHECK, KEEP, LOOKED = range(8)
SAMPLE = 255  # balls that tell where space is cut
MOST_LEAVES = 8
MOST_COLOURS = 64


class GrainArrays(NamedTuple):
    """What a run does not change."""

    radius: Floats  # (n,)
    inverse_mass: Floats  # (n + planes,)
    gravity: Floats  # (3,)
    laws: Floats  # (3,) of two balls
    plane_normal: Floats  # (planes, 3) unit vectors that point to the balls
    plane_offset: Floats  # (planes,) n . x of a point of the plane
    plane_laws: Floats  # (planes, 3)
    options: Floats  # (4,) dt, sweeps, tolerance, fastest push out of a penetration [m/s]
    # balls of similar size are neighbours in number, the smallest first: level l is
    # level_start[l] up to level_start[l + 1], its cells begin at cell_offset[l]
    level_start: Ints  # (levels + 1,)
    cell_offset: Ints  # (levels + 1,)
    leaves: Ints  # (1,) parts of space, a power of two


class GrainState(NamedTuple):
    """What a run changes, and can be restarted from."""

    t: Floats  # (1,)
    x: Floats  # (n, 3)
    v: Floats  # (n + planes, 6) velocity and spin
    # contacts of the last step: those of ball i at start[i] up to start[i + 1]
    start: Ints  # (n + 1,)
    partner: Ints  # (capacity,) number of the other body, larger than i
    impulse: Floats  # (capacity, 4) along the normal, and the vector across it


class GrainWork(NamedTuple):
    """Scratch of one step."""

    cell: Ints  # (n,) cell of every ball on its level
    cell_start: Ints  # (cells,) first member of a cell; behind those of a level its end
    cell_member: Ints  # (n,)
    box: Floats  # (levels, 4) lowest x, y, z of the balls of a level and the width of its cells
    cells: Ints  # (levels, 3) numbers of cells
    # parts of space are leaves of a binary tree: node h has the children 2 h and 2 h + 1
    sample: Ints  # (SAMPLE,)
    sample_range: Ints  # (2 MOST_LEAVES, 2)
    cut_axis: Ints  # (MOST_LEAVES,)
    cut: Floats  # (MOST_LEAVES,)
    leaf: Ints  # (n,) node of every ball
    node: Ints  # (capacity,) the smallest node that has both balls of a pair
    node_first: Ints  # (2 MOST_LEAVES,) contacts of node h: node_first[h] up to node_last[h]
    node_last: Ints
    order: Ints  # (capacity,) pairs by node
    colours: Ints  # (2 MOST_LEAVES,) of the contacts of a node
    chunk_end: Ints  # (MOST_LEAVES,) end of the pairs that a part of the balls found
    partial: Floats  # (2 MOST_LEAVES,)
    before: Ints  # (n + 1,) start of the last step
    before_partner: Ints  # (capacity,)
    before_impulse: Floats  # (capacity, 4)
    owner: Ints  # (capacity,) ball i of every pair
    gap: Floats  # (capacity,)
    normal: Floats  # (capacity, 3)
    mask: NDArray[np.uint64]  # (levels of the tree, n) colours that the contacts of a ball have
    colour: Ints  # (capacity,)
    slot: Ints  # (capacity,) place of a pair in the order of the colours
    colour_start: Ints  # (2 MOST_LEAVES, MOST_COLOURS + 1)
    # unsigned: a negative number would count from the end, and that costs a look at every access
    first: NDArray[np.uint32]  # (capacity,) in the order of the colours
    second: NDArray[np.uint32]
    data: Floats  # (capacity, 12) n, bias, 1 / G_N, 1 / G_T, mu, Lambda_N, Lambda_T, residual
    v_free: Floats  # (n + planes, 6)
    older: Floats  # (capacity, 4) impulses of the sweep before
    guess: Floats  # (capacity, 4) impulses that momentum led to
    older_v: Floats  # (n + planes, 6)
    touched: NDArray[np.uint8]  # (n,)
    figures: Floats  # (10,)
    clock: Ints  # (1,) address of a function that tells nanoseconds, 0 where nothing is timed
    spent: Ints  # (8,) nanoseconds of every stage, and the time of the last look


def _ints(size: int) -> Ints:
    return np.zeros(size, np.int64)


def new_grain_state(n: int, planes: int, capacity: int) -> GrainState:
    """Allocate a state at rest."""
    return GrainState(
        t=np.zeros(1),
        x=np.zeros((n, 3)),
        v=np.zeros((n + planes, 6)),
        start=np.zeros(n + 1, np.int64),
        partner=np.zeros(capacity, np.int64),
        impulse=np.zeros((capacity, 4)),
    )


def new_grain_work(
    n: int, planes: int, capacity: int, cells: int, levels: int = 1, leaves: int = 1
) -> GrainWork:
    """Allocate the scratch of a run with room for so many contacts and cells."""
    return GrainWork(
        cell=_ints(n),
        cell_start=_ints(cells),
        cell_member=_ints(n),
        box=np.zeros((levels, 4)),
        cells=np.zeros((levels, 3), np.int64),
        sample=_ints(SAMPLE),
        sample_range=np.zeros((2 * MOST_LEAVES, 2), np.int64),
        cut_axis=_ints(MOST_LEAVES),
        cut=np.zeros(MOST_LEAVES),
        leaf=_ints(n),
        node=_ints(capacity),
        node_first=_ints(2 * MOST_LEAVES),
        node_last=_ints(2 * MOST_LEAVES),
        order=_ints(capacity),
        colours=_ints(2 * MOST_LEAVES),
        chunk_end=_ints(MOST_LEAVES),
        partial=np.zeros(2 * MOST_LEAVES),
        before=_ints(n + 1),
        before_partner=_ints(capacity),
        before_impulse=np.zeros((capacity, 4)),
        owner=_ints(capacity),
        gap=np.zeros(capacity),
        normal=np.zeros((capacity, 3)),
        mask=np.zeros((leaves.bit_length(), n), np.uint64),
        colour=_ints(capacity),
        slot=_ints(capacity),
        colour_start=np.zeros((2 * MOST_LEAVES, MOST_COLOURS + 1), np.int64),
        first=np.zeros(capacity, np.uint32),
        second=np.zeros(capacity, np.uint32),
        data=np.zeros((capacity, 12)),
        v_free=np.zeros((n + planes, 6)),
        older=np.zeros((capacity, 4)),
        guess=np.zeros((capacity, 4)),
        older_v=np.zeros((n + planes, 6)),
        touched=np.zeros(n, np.uint8),
        figures=np.zeros(10),
        clock=_ints(1),
        spent=_ints(8),
    )
