"""Minimal velocities of a network, its pressures and its impulses, by linear algebra. (T-21.26)

A simulation does not need these: its rows are those of the model. They state what the rows mean,
serve as an independent check, and recover pressures that a run does not store.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import ModelError

Floats = NDArray[np.float64]
_RANK = 1e-10  # of the largest singular value, columns scaled to one


@dataclass(frozen=True)
class Reduction:
    """v = J v_m + b satisfies W^T v + w = 0 for every v_m."""

    J: Floats
    b: Floats
    rank: int


def minimal_velocities(W: Floats, w: Floats | None = None) -> Reduction:
    """Return the minimal velocities of rows that may depend on each other. (T-21.27)"""
    n, rows = W.shape
    U, s, Vt = np.linalg.svd(_scaled(W), full_matrices=True)
    rank = int(np.sum(s > _RANK * s[0])) if rows and s[0] > 0.0 else 0
    b = np.zeros(n)
    if w is not None and rows:
        scale = np.linalg.norm(W, axis=0)
        right = np.asarray(w) / np.where(scale > 0.0, scale, 1.0)
        b = -U[:, :rank] @ ((Vt[:rank] @ right) / s[:rank])
        if not np.allclose(_scaled(W).T @ b, -right, atol=1e-9 * max(1.0, np.abs(right).max())):
            raise ModelError("minimal_velocities: the given flows contradict each other")
    return Reduction(U[:, rank:], b, rank)


def _scaled(W: Floats) -> Floats:
    scale = np.linalg.norm(W, axis=0)
    return np.asarray(W / np.where(scale > 0.0, scale, 1.0))


def recover_pressures(W: Floats, rest: Floats) -> Floats:
    """Return the least pressures with W p = rest, rest = M v_dot - f. (T-21.28)"""
    return np.asarray(np.linalg.lstsq(W, rest, rcond=_RANK)[0])


def undetermined(W: Floats, names: tuple[str, ...]) -> tuple[str, ...]:
    """Name the columns of W that take part in a combination without any effect."""
    if not W.shape[1]:
        return ()
    _, s, Vt = np.linalg.svd(W / np.abs(W).max(), full_matrices=True)
    full = np.concatenate((s, np.zeros(W.shape[1] - len(s))))
    null = Vt[full <= _RANK * max(full[0], 1e-300)]
    return tuple(name for k, name in enumerate(names) if np.any(np.abs(null[:, k]) > 1e-8))


def unilateral_matrix(M: Floats, reduction: Reduction, W: Floats) -> Floats:
    """Return W^T J (J^T M J)^-1 J^T W, the matrix of the complementarity problem. (T-21.29)"""
    J = reduction.J
    return np.asarray(W.T @ J @ np.linalg.solve(J.T @ M @ J, J.T @ W))


@dataclass(frozen=True)
class HydraulicImpact:
    """Velocities after an impact, and the impulses of its rows [Pa s]."""

    velocity: Floats
    bilateral: Floats
    unilateral: Floats


def hydraulic_impact(
    M: Floats, before: Floats, W: Floats, unilateral: Floats | None = None,
    w: Floats | None = None, restitution: Floats | None = None,
) -> HydraulicImpact:  # fmt: skip
    """Return the impact of a network in which rows W^T v + w = 0 hold from now on. (T-21.30)

    The velocity before need not satisfy them: a valve that closes on flowing oil is such a row.
    Its projection is orthogonal in M, so that the momentum J^T M v of the admissible motions is
    kept. Unilateral rows: 0 <= U^T v+ + eps U^T v- complementary to impulses >= 0, where the
    `restitution` eps of each row is 0 unless given (oil does not bounce, pistons may).
    """
    reduction = minimal_velocities(W, w)
    J, b = reduction.J, reduction.b
    mass = J.T @ M @ J
    v_m = np.linalg.solve(mass, J.T @ M @ (before - b))
    count = 0 if unilateral is None else unilateral.shape[1]
    impulses = np.zeros(count)
    if unilateral is not None and count:
        from cornerlaw.problems import ContactProblem, sets

        problem = ContactProblem(
            G=unilateral_matrix(M, reduction, unilateral),
            c=unilateral.T @ (J @ v_m + b) + _returned(unilateral, before, restitution),
            sets=[sets.unilateral()] * count,
        )
        impulses = np.asarray(problem.solve().x)
        v_m = v_m + np.linalg.solve(mass, J.T @ unilateral @ impulses)
    after = J @ v_m + b
    rest = M @ (after - before)
    if unilateral is not None and count:
        rest = rest - unilateral @ impulses
    return HydraulicImpact(after, recover_pressures(W, rest), impulses)


def _returned(rows: Floats, before: Floats, restitution: Floats | None) -> Floats:
    """Return eps times the velocity of each row before, where it closes."""
    speeds = rows.T @ before
    if restitution is None:
        return np.zeros(len(speeds))
    return np.asarray(restitution * np.minimum(speeds, 0.0))
