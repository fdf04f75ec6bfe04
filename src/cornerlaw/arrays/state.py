"""The restartable state of a run and the record it is stored in."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOT_KNOWN = -2  # which point is in a slot: nothing was stored
REFERENCES = 2**51  # points of polytopes are below; see kernels/contact/points.py


class State(NamedTuple):
    """Everything a run needs to go on: mutable arrays, scalars in arrays of length one."""

    t: Floats  # (1,) time
    q: Floats  # (nq,) positions
    u: Floats  # (nu,) velocities
    x: Floats  # (nx,) other states
    z: Floats  # (nz,) discrete states
    dt: Floats  # (1,) next step size of an adaptive method, 0 = choose
    memory: Floats  # what a method carries from step to step (accelerations, error history)


class Record(NamedTuple):
    """Rows of a run: two rows with equal time are the left and the right limit at an event."""

    n: Ints  # (1,) rows in use
    t: Floats  # (capacity,)
    q: Floats  # (capacity, nq)
    u: Floats  # (capacity, nu)
    x: Floats  # (capacity, nx)
    side: NDArray[np.int8]  # (capacity,) -1 left limit, +1 right limit, 0 regular
    status: NDArray[np.int8]  # (capacity, nc) state of every corner
    Lambda: Floats  # (capacity, n) impulses of all rows since the row before
    pair: Ints  # (capacity, places) pairs that have the places of the pool
    identity: Ints  # (capacity, last slots) which contact point is in which slot, see row_slots


class Counters(NamedTuple):
    """What a run cost; arrays of length one, only ever added to."""

    steps: Ints
    rejected: Ints
    evaluations: Ints
    jacobians: Ints
    factorisations: Ints
    projections: Ints


def new_state(nq: int, nu: int, nx: int, nz: int = 0, memory: int = 0) -> State:
    """Allocate a zero state."""
    return State(
        t=np.zeros(1),
        q=np.zeros(nq),
        u=np.zeros(nu),
        x=np.zeros(nx),
        z=np.zeros(nz),
        dt=np.zeros(1),
        memory=np.zeros(memory),
    )


def new_record(
    capacity: int,
    nq: int,
    nu: int,
    nx: int,
    corners: int = 0,
    rows: int = 0,
    places: int = 0,
    slots: int = 0,
) -> Record:
    """Allocate an empty record with room for `capacity` rows."""
    return Record(
        n=np.zeros(1, np.int64),
        t=np.zeros(capacity),
        q=np.zeros((capacity, nq)),
        u=np.zeros((capacity, nu)),
        x=np.zeros((capacity, nx)),
        side=np.zeros(capacity, np.int8),
        status=np.zeros((capacity, corners), np.int8),
        Lambda=np.zeros((capacity, rows)),
        pair=np.zeros((capacity, places), np.int64),
        identity=np.zeros((capacity, slots), np.int64),
    )


def new_counters() -> Counters:
    """Allocate counters at zero."""
    return Counters(*(np.zeros(1, np.int64) for _ in Counters._fields))
