"""Velocities that the mass matrix couples, as groups: M is block diagonal over them. (T-11.16)"""

from __future__ import annotations

import numpy as np

from cornerlaw.arrays.model_arrays import BlockArrays, GroupArrays, TreeArrays
from cornerlaw.arrays.state import Ints


def group_velocities(
    tree: TreeArrays, nu: int, blocks: BlockArrays, couples: list[tuple[int, int]]
) -> GroupArrays:
    """Return the groups: branches of the tree, joined by rods, and blocks of their own.

    `couples` are the pairs of bodies that a mass joins off the tree.
    """
    label = np.array(tree.branch, dtype=np.int64)
    for u0, n in zip(blocks.u_start, blocks.n, strict=True):
        label[u0 : u0 + n] = label[u0]
    nb = tree.parent.size
    for a, b in couples:
        if a < nb and b < nb:
            first, second = (_branch_of(tree, node, label) for node in (a, b))
            if first >= 0 and second >= 0:
                label[label == second] = first
    _, first_seen, of = np.unique(label, return_index=True, return_inverse=True)
    # numbered in the order of their first velocity
    rank = np.empty(first_seen.size, dtype=np.int64)
    rank[np.argsort(first_seen, kind="stable")] = np.arange(first_seen.size)
    of = rank[of] if nu else np.zeros(0, np.int64)
    member = np.argsort(of, kind="stable").astype(np.int64)
    start = np.concatenate(([0], np.cumsum(np.bincount(of, minlength=first_seen.size))))
    place = np.empty(nu, dtype=np.int64)
    place[member] = np.arange(nu) - start[of[member]]
    return GroupArrays(
        of=of.astype(np.int64), start=start.astype(np.int64), member=member, place=place
    )


def _branch_of(tree: TreeArrays, node: int, label: Ints) -> int:
    """Return the label of a velocity on the way from a node to the root, -1 where there is none."""
    while node < tree.parent.size:
        if tree.u_start[node] < tree.u_start[node + 1]:
            return int(label[tree.u_start[node]])
        node = int(tree.parent[node])
    return -1
