"""Models with constant mass matrices and rows: what a step needs of them, made once.

Vectors of velocities and of corners are filled up with zeros to a multiple of four numbers, so that
the compiler knows how many it works on at a time. Larger models have their matrices row by row
without zeros, and those in full have no entries.
"""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.sparse_rows import (
    ConstantPattern,
    IslandScratch,
    SparseRows,
    new_island_scratch,
    new_sparse_rows,
)
from cornerlaw.arrays.state import Floats, Ints

# what a corner is, bit by bit
HAS_GAP = 1  # its law holds where the gap is closed
ON_POSITION = 2  # a contact or stop: what has sunk in is pushed out again
IN_CLOSED_FORM = 4  # one unilateral row, alone or with friction that it loads, all constant

FAR = 1e300  # a gap that never closes


class ConstantRows(NamedTuple):
    """Inverse masses, rows, their products and the state, for nu velocities and n rows."""

    inverse: Floats  # (width, width) columns of M^-1
    force: Floats  # (width,) constant forces of the blocks
    W: Floats  # (n, width) rows
    Z: Floats  # (n, width) M^-1 W
    G: Floats  # (n, n) W Z
    gap: Floats  # (n,) value of a row at q = 0
    normal: Floats  # (width, places) columns of the rows of the gaps, by corner
    gap_begin: Floats  # (places,) gaps at q = 0; -FAR where a law always holds, FAR behind the last
    gap_end: Floats  # (places,) the same; FAR where there is no gap
    gaps: Floats  # (places,) at the position at hand
    q: Floats  # (width,) at the start of the step
    u: Floats  # (width,)
    x: Floats  # (nx,)
    q_M: Floats  # (width,) where rows and forces are evaluated
    Q: Floats  # (width,) forces there
    du: Floats  # (width,) change of velocity by forces
    q_new: Floats  # (width,) at the end
    u_new: Floats  # (width,)
    x_new: Floats  # (nx,) rates until the step is done
    q_old: Floats  # (width,) at the start of the step before
    u_old: Floats  # (width,)
    x_old: Floats  # (nx,)
    zero: Floats  # (width,)
    kind: Ints  # (corners,) what each of them is
    simple: Ints  # (1,) 1 = all forces are constant or laws of the user without markers
    varies: Ints  # (1,) 1 = some block has a function as its force, `force` is then zero
    written: Ints  # (1,) rows in use in the last step; -1 = not known
    # without zeros
    inverse_rows: SparseRows  # M^-1
    rows: SparseRows  # W
    response: SparseRows  # Z
    coupling: SparseRows  # G, the diagonal first
    islands: IslandScratch


def new_constant_rows(
    nu: int, nx: int, n: int, corners: int, pattern: ConstantPattern | None = None
) -> ConstantRows:
    """Allocate the arrays; with a pattern the matrices have no room for zeros."""
    z = np.zeros
    width, places = -(-nu // 4) * 4, -(-corners // 4) * 4
    sparse = pattern is not None
    full, wide = (0, 0) if sparse else (n, width)
    columns = pattern if pattern is not None else ConstantPattern([], [], [], [])
    return ConstantRows(
        inverse=z((wide, wide)),
        force=z(width),
        W=z((full, wide)),
        Z=z((full, wide)),
        G=z((full, full)),
        gap=z(n),
        normal=z((wide, places if wide else 0)),
        gap_begin=np.full(places, FAR),
        gap_end=np.full(places, FAR),
        gaps=np.full(places, FAR),
        q=z(width),
        u=z(width),
        x=z(nx),
        q_M=z(width),
        Q=z(width),
        du=z(width),
        q_new=z(width),
        u_new=z(width),
        x_new=z(nx),
        q_old=z(width),
        u_old=z(width),
        x_old=z(nx),
        zero=z(width),
        kind=z(corners, np.int64),
        simple=z(1, np.int64),
        varies=z(1, np.int64),
        written=np.full(1, -1, np.int64),
        inverse_rows=new_sparse_rows(columns.inverse),
        rows=new_sparse_rows(columns.rows),
        response=new_sparse_rows(columns.response),
        coupling=new_sparse_rows(columns.coupling),
        islands=new_island_scratch(n if sparse else 0, nu if sparse else 0),
    )
