"""Rounds with compliant contacts solve the problem of a wall that a ball hits.

tests/data/wall_hit.npz holds a step of `benchmarks/wall.py`, 0.77 s after the ball was let go: 472
contacts of tilted boxes, 1,416 rows of which 563 are independent, eigenvalues down to 2e-9 of the
largest. Newton's method, sweeps and convex problems with held loads end at residuals of 6e-7.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from cornerlaw.arrays.compact import CompactRows, new_compact
from cornerlaw.arrays.model_arrays import GroupArrays
from cornerlaw.arrays.problem import ProblemArrays, new_problem
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse.convex import start_rounds
from cornerlaw.kernels.complementarity.sparse.newton import write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.proximal import (
    ENOUGH,
    FURTHEST,
    SOFTEST,
    next_compliance,
    take_step,
)
from cornerlaw.kernels.complementarity.sparse.rows import prepare

FILE = Path(__file__).resolve().parent.parent / "data" / "wall_hit.npz"
ACCEPTED = 1e-8  # residual at which a problem counts as solved
MOST = 400  # rounds that the solver takes


class OnlyTree(NamedTuple):
    """A tree of which the solver sees the prescribed velocities alone."""

    driven: Any


class OnlyGroups(NamedTuple):
    """A model of which the solver sees groups and prescribed velocities alone."""

    groups: GroupArrays
    tree: OnlyTree


def load() -> tuple[OnlyGroups, ProblemArrays, CompactRows, Any]:
    """Return model, problem, rows and first guess; Z = M^-1 W by groups."""
    with np.load(FILE) as file:
        d = {name: file[name] for name in file.files}

    def ints(name: str) -> Any:
        return d[name].astype(np.int64)

    n, n_sets = d["c"].size, d["kind"].size
    groups = GroupArrays(
        of=ints("group_of"), start=ints("group_start"), member=ints("group_member"),
        place=ints("group_place"),
    )  # fmt: skip
    c, p = new_compact(n, groups.of.size, groups.start), new_problem(0, n)
    p.n[0], p.n_sets[0] = n, n_sets
    p.c[:] = d["c"]
    for name in ("kind", "start", "size", "master", "upper_0", "upper_1", "lower_0", "lower_1"):
        getattr(p, name)[:n_sets] = d[name]
    for name in ("start_W", "column_W", "W", "start_group", "group", "inverse"):
        getattr(c, name)[: d[name].size] = d[name]
    for a in range(n):
        end = int(c.start_Z[a])
        for g in c.group[c.start_group[a] : c.start_group[a + 1]]:
            member = groups.member[groups.start[g] : groups.start[g + 1]]
            size, at = member.size, int(c.inverse_at[g])
            force = np.zeros(size)
            for y in range(c.start_W[a], c.start_W[a + 1]):
                if groups.of[c.column_W[y]] == g:
                    force[groups.place[c.column_W[y]]] = c.W[y]
            inverse = c.inverse[at : at + size**2].reshape(size, size)
            c.column_Z[end : end + size], c.Z[end : end + size] = member, inverse @ force
            end += size
        c.start_Z[a + 1] = end
    return OnlyGroups(groups, OnlyTree(ints("driven"))), p, c, d["guess"]


def dense(start: Any, column: Any, value: Any, n: int, nu: int) -> Any:
    """Return compact rows as a matrix."""
    rows = np.zeros((n, nu))
    for a in range(n):
        rows[a, column[start[a] : start[a + 1]]] = value[start[a] : start[a + 1]]
    return rows


def residual(p: ProblemArrays, c: CompactRows) -> float:
    """Return the largest residual (T-11.9) of contacts of three rows, with numpy."""
    n, nu = int(p.n[0]), c.dv.size
    W = dense(c.start_W, c.column_W, c.W, n, nu)
    Z = dense(c.start_Z, c.column_Z, c.Z, n, nu)
    G_ii = np.einsum("ij,ij->i", W, Z).reshape(-1, 3)
    g = G_ii.max(axis=1, keepdims=True)
    x, gamma = p.x[:n].reshape(-1, 3), (W @ (Z.T @ p.x[:n]) + p.c[:n]).reshape(-1, 3)
    z = x - gamma / g
    radius = p.upper_1[1 : p.n_sets[0] : 2] * np.maximum(x[:, 0], 0.0)
    length = np.linalg.norm(z[:, 1:], axis=1)
    z[:, 0] = np.maximum(z[:, 0], 0.0)
    z[:, 1:] *= np.where(length > radius, radius / np.maximum(length, 1e-300), 1.0)[:, None]
    defect = g[:, 0] * np.linalg.norm(x - z, axis=1)
    return float(defect.max() / np.abs(p.c[:n]).max())


def test_a_wall_that_is_hit_is_solved() -> None:
    model, p, c, guess = load()
    m, problem, rows = Bundle(model), Bundle(p), Bundle(c)
    n, reference = guess.size, float(np.abs(p.c).max())
    prepare(m, problem, rows)
    order_velocities(m, problem, rows)
    write_masses(m, rows)
    p.x[:] = guess
    assert residual(p, c) > 1e-2  # the first guess is no solution
    start_rounds(m, problem, rows)
    point, size, eta, ahead = np.zeros(n), 1.0, SOFTEST, 0.0
    for _ in range(MOST):
        found = take_step(m, problem, rows, reference, eta, ahead, size, point)
        eta, ahead = next_compliance(eta, ahead, found, size)
        size = found if found < np.inf else size
        if found <= ACCEPTED:
            break
    # the map is taken row by row, the residual contact by contact
    assert residual(p, c) <= np.sqrt(3.0) * ACCEPTED


@pytest.mark.parametrize(
    ("given", "following"),
    [
        ((SOFTEST, 0.0, 0.1, 1.0), (0.7 * SOFTEST, 0.0)),
        ((SOFTEST, 0.0, np.inf, 1.0), (2.0 * SOFTEST, 0.0)),
        ((ENOUGH, 0.0, 1e-6, 1e-6), (ENOUGH, 1.0)),
        ((ENOUGH, 3.0, 1e-6, 1e-6), (ENOUGH, FURTHEST)),
        ((ENOUGH, FURTHEST, 1e-6, 1e-6), (0.5 * ENOUGH, 3.0)),
        ((ENOUGH, FURTHEST, np.inf, 1e-6), (ENOUGH, 1.0)),
        ((ENOUGH, FURTHEST, 1e-5, 1e-6), (ENOUGH, 0.0)),
    ],
)
def test_rounds_get_stiffer_or_further(given: Any, following: Any) -> None:
    assert next_compliance(*given) == pytest.approx(following)
