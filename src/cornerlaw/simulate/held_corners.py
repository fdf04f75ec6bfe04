"""Corners that hold at a state: closed stops and contacts, sticking friction, sets that hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import LOAD_SIGNAL
from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.corner_log import CornerRows, corner_count, corner_rows
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.pool import fit_pool, forget_pairs, label_of
from cornerlaw.simulate.states import Placed
from cornerlaw.simulate.stepping import length_of
from cornerlaw.simulate.system import System

NEAR = 1e-6  # of the model's size, and of its speed: what counts as touching and as rest


class LeftOutWarning(UserWarning):
    """Corner laws that hold at a state, in an analysis of smooth motion that does not see them."""


def held_corners(placed: Placed) -> tuple[str, ...]:
    """Return the names of the corners that are closed or stick at a state, each once."""
    if not placed.system.arrays.corners.row_N.size:
        return ()
    return tuple(dict.fromkeys([*_own(placed), *_pooled(placed)]))


def _own(placed: Placed) -> Iterator[str]:
    """Yield the corners that hold, without those of the pool."""
    system = placed.system
    a = system.arrays
    status = np.zeros((1, corner_count(system)), np.int8)
    all_open = CornerRows(status, np.zeros((1, corner_rows(system))), np.zeros(1, np.int8), False)
    q, u, x = placed.q[None].copy(), placed.u[None].copy(), placed.x[None].copy()
    found = Evaluation(system, np.array([placed.t]), q, u, x, all_open).outputs
    g, gamma = found.corner_g[0], found.corner_gamma[0]
    size = length_of(a)
    speed = max(size, float(np.abs(placed.u).max(initial=0.0)))
    for c, corner in enumerate(system.compiled.corners):
        i, j = int(a.corners.row_N[c]), int(a.corners.row_T[c])
        if corner.leader >= 0:  # named by its contact
            continue
        if i >= 0:
            touches = bool(a.corners.always[c]) or g[i] <= NEAR * size
            holds = touches and gamma[i] <= NEAR * speed
        else:
            rows = slice(j, j + int(a.corners.n_T[c]))
            holds = _norm(gamma[rows]) <= NEAR * speed and _has_force(placed, c, g, gamma)
        if holds:
            yield corner.label


def _norm(values: Floats) -> float:
    return float(np.linalg.norm(values))


def _has_force(placed: Placed, c: int, g: Floats, gamma: Floats) -> bool:
    """Tell whether the set of a corner without a normal row is more than zero alone."""
    from cornerlaw.kernels.corners.bounds import eval_bound, eval_lower

    system, t = placed.system, placed.t
    corners, work = system.arrays.corners, system.work
    j = int(corners.row_T[c])
    if system.arrays.rows.kind[j] == kinds.ROW_ELEMENT and work.ends[j, 2] == 0.0:
        return False  # switched off
    if corners.endless[c] or corners.hold[c]:
        return True
    if corners.load[c] != LOAD_SIGNAL:
        return bool(corners.mu[c] > 0.0)
    work.k.mu[c], work.g[j], work.gamma[j] = corners.mu[c], g[j], gamma[j]
    upper = float(eval_bound(system.m, system.w, c, t, 1.0))
    return upper > float(eval_lower(system.m, system.w, c, t, upper))


def _pooled(placed: Placed) -> Iterator[str]:
    """Yield the contacts of the pool that are closed."""
    system: System = placed.system
    if system.compiled.pool is None:
        return
    fit_pool(system, placed.t, placed.q, placed.u)
    corners, work = system.arrays.corners, system.work
    for c in np.flatnonzero(work.k.pair >= 0):
        gap = float(work.contact_g[corners.slot[c]])
        if corners.row_N[c] >= 0 and gap <= NEAR * length_of(system.arrays):
            yield label_of(system, int(c))
    forget_pairs(system)
