"""Which models the kernels of constant rows and masses are for."""

import numpy as np

from cornerlaw.arrays.corners import LOAD_NORMAL, LOAD_SIGNAL, NORMAL_RIGID
from cornerlaw.arrays.kinds import FACTOR_TREE, ROW_LINEAR
from cornerlaw.arrays.model_arrays import ModelArrays

LARGEST_NU, LARGEST_ROWS = 16, 32  # of the models that are stepped with dense products
FEW_ROWS = 8  # rows up to which they are always quicker


def has_constant_mass(m: ModelArrays) -> bool:
    """Tell whether all velocities belong to blocks with a constant mass matrix."""
    only_blocks = m.n_bodies == 0 and m.factor == FACTOR_TREE and not m.rods.mass.size
    constant = bool(m.blocks.n.size) and not np.any(m.blocks.M_address)
    return only_blocks and constant and m.n_driven == 0


def has_linear_corners(m: ModelArrays) -> bool:
    """Tell whether the rows of all corners are constant sums of coordinates."""
    corners, kinds = m.corners, m.rows.kind[m.n_rows :]
    if not corners.row_N.size or np.any(corners.slot >= 0) or np.any(corners.surface >= 0):
        return False
    return bool(np.all(kinds == ROW_LINEAR) and np.all(m.rows.signal[m.n_rows :] < 0))


def _is_large(m: ModelArrays) -> bool:
    """Tell whether dense products cost more than those without zeros."""
    return bool(m.nu > LARGEST_NU or m.rows.kind.size > LARGEST_ROWS)


def _rubs(m: ModelArrays) -> bool:
    """Tell whether some corner has friction rows, or no normal row."""
    return bool(np.any(m.corners.row_T >= 0) or np.any(m.corners.row_N < 0))


def is_sparse(m: ModelArrays) -> bool:
    """Tell whether a model with constant masses and rows is kept without zeros.

    Where rows are many and act on few velocities; friction needs the solvers with a matrix.
    """
    if _is_large(m):
        return True
    if _rubs(m) or m.rows.kind.size <= FEW_ROWS:
        return False
    of = np.repeat(np.arange(m.blocks.n.size), m.blocks.n)
    rows = [
        m.rows.lists[first : first + n]
        for first, n in zip(m.rows.list_start, m.rows.n_list, strict=True)
    ]
    reached = sum(int(m.blocks.n[np.unique(of[x])].sum()) for x in rows)
    return reached <= 0.5 * len(rows) * int(m.nu)


def steps_alone(m: ModelArrays) -> bool:
    """Tell whether the time steps of kernels/lagrangian are for a model.

    Constant masses and rows, no bilateral ones, coordinates whose rates are the velocities, rigid
    normal laws. Small models may have one friction row per corner with a load of its own or a
    given one; large ones have none and are kept without zeros.
    """
    c = m.corners
    if not (has_constant_mass(m) and has_linear_corners(m)) or m.n_rows or m.nq != m.nu:
        return False
    if not np.array_equal(m.tree.q_of_u, np.arange(m.nu)):
        return False
    if np.any(c.leader >= 0) or np.any(c.normal_law != NORMAL_RIGID) or np.any(c.n_T > 1):
        return False
    if _is_large(m):
        return not _rubs(m)
    rubs = c.row_T >= 0
    own = (c.load == LOAD_NORMAL) & (c.row_N >= 0) & (c.load_row == c.row_N)
    return bool(np.all(own[rubs] | (c.load[rubs] == LOAD_SIGNAL)))
