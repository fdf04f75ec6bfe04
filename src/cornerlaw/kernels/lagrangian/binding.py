"""Which models the kernels of constant rows and masses are for."""

import numpy as np

from cornerlaw.arrays.corners import LOAD_NORMAL, LOAD_SIGNAL, NORMAL_RIGID
from cornerlaw.arrays.kinds import FACTOR_TREE, ROW_LINEAR
from cornerlaw.arrays.model_arrays import ModelArrays

LARGEST_NU, LARGEST_ROWS = 16, 32  # of the models that are stepped with dense products


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


def steps_alone(m: ModelArrays) -> bool:
    """Tell whether the time steps of kernels/lagrangian are for a model.

    Constant masses and rows, no bilateral ones, coordinates whose rates are the velocities, rigid
    normal laws, one friction row per corner with a load of its own or a given one; and so small
    that dense products cost less than anything else.
    """
    c = m.corners
    if not (has_constant_mass(m) and has_linear_corners(m)) or m.n_rows or m.nq != m.nu:
        return False
    if m.nu > LARGEST_NU or m.rows.kind.size > LARGEST_ROWS:
        return False
    if not np.array_equal(m.tree.q_of_u, np.arange(m.nu)):
        return False
    if np.any(c.leader >= 0) or np.any(c.normal_law != NORMAL_RIGID) or np.any(c.n_T > 1):
        return False
    rubs = c.row_T >= 0
    own = (c.load == LOAD_NORMAL) & (c.row_N >= 0) & (c.load_row == c.row_N)
    return bool(np.all(own[rubs] | (c.load[rubs] == LOAD_SIGNAL)))
