"""Which models the kernels of the plane are for."""

import numpy as np

from cornerlaw.arrays.kinds import FACTOR_TREE, PLANAR, PRISMATIC, REVOLUTE, TRANSLATION_2, WELD
from cornerlaw.arrays.model_arrays import ModelArrays

JOINTS = (REVOLUTE, PRISMATIC, PLANAR, TRANSLATION_2, WELD)
FLAT = 1e-15  # entries of a rotation up to this are rounding


def moves_in_plane(m: ModelArrays) -> bool:
    """Tell whether a model is a tree in the plane and nothing else: no rows, no blocks."""
    return is_planar_tree(m) and not m.rows.kind.size and not m.blocks.n.size


def is_planar_tree(m: ModelArrays) -> bool:
    """Tell whether all bodies hang in a tree whose joints keep them in the plane z = 0.

    Rods have their own way through the matrices of space.
    """
    tree = m.tree
    if m.factor != FACTOR_TREE or not m.n_bodies:
        return False
    return bool(
        np.isin(tree.joint, JOINTS).all()
        and (tree.r_parent[:, 2] == 0.0).all()
        and (tree.r_child[:, 2] == 0.0).all()
        and _keeps_normal(m)
    )


def needs_places_alone(m: ModelArrays) -> bool:
    """Tell whether the gaps of all corners follow from places: contacts of given pairs.

    Rows of corners that are none, and the search for pairs, look at velocities.
    """
    corners = m.corners
    contacts = (corners.slot >= 0) | (corners.always == 1)
    return bool(corners.slot.size and contacts.all() and not corners.hold.any() and not m.pool.size)


def _keeps_normal(m: ModelArrays) -> bool:
    """Tell whether axes of rotation are normal to the plane and directions of motion in it."""
    P, C = m.tree.A_parent, m.tree.A_child
    slides, welded = m.tree.joint == PRISMATIC, m.tree.joint == WELD
    turn = P @ C.transpose(0, 2, 1)
    upright = np.abs(turn[:, 2, :2]).max(initial=0.0), np.abs(turn[:, :2, 2]).max(initial=0.0)
    tilted = (
        np.abs(P[~slides & ~welded][:, :2, 2]).max(initial=0.0),
        np.abs(P[slides][:, 2, 2]).max(initial=0.0),
    )
    return bool(max(*upright, *tilted) <= FLAT and (turn[:, 2, 2] > 0.0).all())
