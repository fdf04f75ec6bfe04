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
 WORST_PENETRATION) = range(9)  # fmt: skip


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

    cell: Ints  # (n,) cell of every ball
    cell_start: Ints  # (cells + 1,)
    cell_member: Ints  # (n,)
    before: Ints  # (n + 1,) start of the last step
    before_partner: Ints  # (capacity,)
    before_impulse: Floats  # (capacity, 4)
    owner: Ints  # (capacity,) ball i of every pair
    gap: Floats  # (capacity,)
    normal: Floats  # (capacity, 3)
    mask: NDArray[np.uint64]  # (n,) colours that the contacts of a ball have
    colour: Ints  # (capacity,)
    slot: Ints  # (capacity,) place of a pair in the order of the colours
    colour_start: Ints  # (65 + 1,)
    # unsigned: a negative number would count from the end, and that costs a look at every access
    first: NDArray[np.uint32]  # (capacity,) in the order of the colours
    second: NDArray[np.uint32]
    data: Floats  # (capacity, 12) n, bias, 1 / G_N, 1 / G_T, mu, Lambda_N, Lambda_T, residual
    v_free: Floats  # (n + planes, 6)
    touched: NDArray[np.uint8]  # (n,)
    figures: Floats  # (9,)


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


def new_grain_work(n: int, planes: int, capacity: int, cells: int) -> GrainWork:
    """Allocate the scratch of a run with room for so many contacts and cells."""
    return GrainWork(
        cell=_ints(n),
        cell_start=_ints(cells + 1),
        cell_member=_ints(n),
        before=_ints(n + 1),
        before_partner=_ints(capacity),
        before_impulse=np.zeros((capacity, 4)),
        owner=_ints(capacity),
        gap=np.zeros(capacity),
        normal=np.zeros((capacity, 3)),
        mask=np.zeros(n, np.uint64),
        colour=_ints(capacity),
        slot=_ints(capacity),
        colour_start=_ints(66),
        first=np.zeros(capacity, np.uint32),
        second=np.zeros(capacity, np.uint32),
        data=np.zeros((capacity, 12)),
        v_free=np.zeros((n + planes, 6)),
        touched=np.zeros(n, np.uint8),
        figures=np.zeros(9),
    )
