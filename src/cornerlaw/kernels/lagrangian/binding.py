"""Which models the kernels of constant rows and masses are for."""

import numpy as np

from cornerlaw.arrays.kinds import FACTOR_TREE, ROW_LINEAR
from cornerlaw.arrays.model_arrays import ModelArrays


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
