"""Which rows follow from the others, and how many degrees of freedom are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.system import System

TOLERANCE = 1e-8  # singular values below this fraction of the largest count as zero
NEAR = 1e-3  # and below this one as on the way to it


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom at a position, and the parts with redundant rows."""

    degrees_of_freedom: int
    coordinates: int  # free velocities
    rows: int
    rank: int
    redundant: tuple[str, ...]

    @property
    def warning(self) -> str:
        """The sentence about redundant rows."""
        return (
            f"redundant constraints in: {', '.join(self.redundant)} "
            f"({self.rows - self.rank} of {self.rows} rows); "
            f"their forces are the smallest that satisfy all of them"
        )


def _directions(system: System, t: float, q: Floats, whole: bool = False) -> Floats:
    """Return W on the free velocities, rows of unit length there, or with the driven ones."""
    system.constraint_state(t, q, np.zeros(system.arrays.nu))
    a = system.arrays
    # rows of corners stand behind the bilateral ones
    every = system.work.W[: a.n_rows]
    W = every[:, a.tree.driven < 0].copy()
    size = np.linalg.norm(every if whole else W, axis=1)
    return W / np.where(size > 0.0, size, 1.0)[:, None]


def _dependent(W: Floats) -> set[int]:
    """Return the rows that are combinations of the rows before them."""
    found: set[int] = set()
    basis: list[Floats] = []
    for i, row in enumerate(W):
        rest = row.copy()
        for _ in range(2):  # twice is enough
            for b in basis:
                rest = rest - (b @ rest) * b
        size = float(np.linalg.norm(rest))
        if size < TOLERANCE:
            found.add(i)
        else:
            basis.append(rest / size)
    return found


def find_mobility(system: System, t: float, q: Floats) -> Mobility:
    """Count degrees of freedom and find the rows that are redundant here and nearby.

    At a single position rows may depend on each other by accident (a dead centre), so the count is
    repeated at a neighbouring position that satisfies the constraints; the larger rank counts.
    """
    from cornerlaw.kernels.kinematics import advance_position
    from cornerlaw.kernels.rates import project_position

    a = system.arrays
    free = np.flatnonzero(a.tree.driven < 0)
    if not a.n_rows:
        return Mobility(free.size, free.size, 0, 0, ())
    W = _directions(system, t, q)
    dependent = _dependent(W)
    if dependent and free.size:
        _, s, Vt = np.linalg.svd(W)
        rank = int((s > TOLERANCE * s[0]).sum()) if s.size and s[0] > 0.0 else 0
        null = Vt[rank:]
        if null.size:
            # one fixed mixture of all possible motions
            weights = np.random.default_rng(1).normal(size=null.shape[0])
            motion = weights @ null
            delta = np.zeros(a.nu)
            delta[free] = 0.05 * motion / np.abs(motion).max()
            other = q.copy()
            advance_position(system.m, q, delta, other)
            if project_position(system.m, system.w, t, other) == 0:
                dependent &= _dependent(_directions(system, t, other))
    rank = a.n_rows - len(dependent)
    names = tuple(dict.fromkeys(system.row_name(i) for i in sorted(dependent)))
    return Mobility(free.size - rank, free.size, a.n_rows, rank, names)


def nearly_dependent(system: System, t: float, q: Floats) -> tuple[str, ...]:
    """Return the parts whose rows all but depend on each other: a dead position is at hand.

    A row that only a driven velocity moves is one, so its part of the free ones stays small.
    """
    if not system.arrays.n_rows:
        return ()
    W = _directions(system, t, q.copy(), whole=True)
    left, sizes, _ = np.linalg.svd(W, full_matrices=False)
    if not sizes.size or not np.isfinite(sizes).all():
        return ()
    near = (sizes > TOLERANCE * sizes[0]) & (sizes < NEAR * sizes[0])
    if not near.any():
        return ()
    parts = np.abs(left[:, near]).max(axis=1)
    rows = np.flatnonzero(parts > 0.1 * parts.max())
    return tuple(dict.fromkeys(system.row_name(int(i)) for i in rows))


def warn_redundancy(system: System, t: float, q: Floats) -> Mobility:
    """Count degrees of freedom and warn of redundant rows by the names of their parts."""
    mobility = find_mobility(system, t, q)
    if mobility.redundant:
        system.warn(mobility.warning)
    return mobility
