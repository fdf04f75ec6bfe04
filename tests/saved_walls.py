"""Problems of the wall that a ball hits, saved with compact rows as the solver gets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cornerlaw.arrays.compact import CompactRows, new_compact
from cornerlaw.arrays.model_arrays import GroupArrays
from cornerlaw.arrays.problem import ProblemArrays, new_problem

FOLDER = Path(__file__).resolve().parent / "data"


class OnlyTree(NamedTuple):
    """A tree of which the solver sees the prescribed velocities alone."""

    driven: Any


class OnlyGroups(NamedTuple):
    """A model of which the solver sees groups and prescribed velocities alone."""

    groups: GroupArrays
    tree: OnlyTree


def load(name: str) -> tuple[OnlyGroups, ProblemArrays, CompactRows, Any]:
    """Return model, problem, rows and first guess of a file; Z = M^-1 W by groups."""
    with np.load(FOLDER / name) as file:
        d = {field: file[field] for field in file.files}

    def ints(field: str) -> Any:
        return d[field].astype(np.int64)

    n, n_sets = d["c"].size, d["kind"].size
    groups = GroupArrays(
        of=ints("group_of"), start=ints("group_start"), member=ints("group_member"),
        place=ints("group_place"),
    )  # fmt: skip
    c, p = new_compact(n, groups.of.size, groups.start), new_problem(0, n)
    p.n[0], p.n_sets[0] = n, n_sets
    p.c[:] = d["c"]
    for field in ("kind", "start", "size", "master", "upper_0", "upper_1", "lower_0", "lower_1"):
        getattr(p, field)[:n_sets] = d[field]
    for field in ("start_W", "column_W", "W", "start_group", "group", "inverse"):
        getattr(c, field)[: d[field].size] = d[field]
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
