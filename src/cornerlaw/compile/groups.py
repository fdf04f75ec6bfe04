"""Velocities that the mass matrix couples, as groups: M is block diagonal over them. (T-11.16)"""

from __future__ import annotations

import numpy as np

from cornerlaw.arrays.model_arrays import BlockArrays, GroupArrays, TreeArrays


def group_velocities(
    tree: TreeArrays, nu: int, blocks: BlockArrays, couples: list[list[int]]
) -> GroupArrays:
    """Return the groups: branches of the tree, joined by masses, and blocks of their own.

    `couples` are the velocities that a mass joins off the tree.
    """
    label = np.array(tree.branch, dtype=np.int64)
    for u0, n in zip(blocks.u_start, blocks.n, strict=True):
        label[u0 : u0 + n] = label[u0]
    for coupled in couples:
        for u in coupled[1:]:
            label[label == label[u]] = label[coupled[0]]
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
