"""The broad phase against brute force: no pair that touches is missed, few far ones are kept."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.simulate.pool import fit_pool
from cornerlaw.simulate.states import place

N = 145  # bodies: 10,440 pairs, and those with two planes


def _rotations(rng: Any, n: int) -> Any:
    e = rng.normal(size=(n, 4))
    return e / np.linalg.norm(e, axis=1)[:, None]


def _matrix(e: Any) -> Any:
    w, x, y, z = e
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _separation(first: Any, second: Any) -> float:
    """Return the largest separation of two solids over all candidate directions, exact if < 0.

    A solid is (centre, axes, half sizes, radius); a ball has no half sizes, a box no radius.
    """
    (c1, A1, h1, r1), (c2, A2, h2, r2) = first, second
    axes = [*A1.T, *A2.T, *(np.cross(a, b) for a, b in product(A1.T, A2.T))]
    for (c, A, h, _), other in ((first, c2), (second, c1)):
        local = A.T @ (other - c)
        axes.append(other - (c + A @ np.clip(local, -h, h)))  # from the nearest point of a box
    found = -np.inf
    for axis in axes:
        size = np.linalg.norm(axis)
        if size > 1e-9:
            n = axis / size
            reach = np.abs(n @ A1) @ h1 + np.abs(n @ A2) @ h2 + r1 + r2
            found = max(found, abs(n @ (c1 - c2)) - reach)
    return float(found)


def _scene(rng: Any) -> tuple[cl.Model, list[tuple[Any, float]]]:
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    wall = cl.Plane("wall", cl.Ground("room"), at=(-1.0, 0.0, 0.0), normal=(0.8, 0.0, 0.6))
    parts: list[Any] = [floor, wall]
    solids: list[tuple[Any, float]] = []
    for k in range(N):
        size = 2.0 ** rng.uniform(-7.0, -1.0)
        body = cl.Body(f"body {k}", mass=1.0, inertia=(1.0, 1.0, 1.0))
        if k % 2:
            sides = size * rng.uniform(0.3, 1.0, 3)
            parts += [body, cl.Box(f"solid {k}", body, size=tuple(sides))]
            solids.append((0.5 * sides, 0.0))
        else:
            parts += [body, cl.Sphere(f"solid {k}", body, radius=0.5 * size)]
            solids.append((np.zeros(3), 0.5 * size))
    return cl.Model(*parts, cl.AllContacts("all", pooled=True)), solids


def _found(system: Any) -> set[frozenset[str]]:
    plan, pairs = system.compiled.pool, system.work.pool.pair
    n = len(plan.parts)
    codes = [int(code) for code in pairs if code >= 0]
    return {frozenset((plan.parts[code // n], plan.parts[code % n])) for code in codes}


@pytest.mark.parametrize("seed", [1, 2])
def test_no_pair_of_mixed_sizes_is_missed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, solids = _scene(rng)
    placed = place(model)
    system, q, u = placed.system, placed.q, placed.u
    near = 0
    for _ in range(2):
        rotation = _rotations(rng, N)
        centre = rng.uniform((-1.2, -1.0, -0.1), (1.0, 1.0, 0.8), (N, 3))
        q[:] = np.column_stack([centre, rotation]).ravel()
        system.work.pool.pair[:] = -1
        fit_pool(system, 0.0, q, u)
        found = _found(system)
        axes = [_matrix(e) for e in rotation]
        known = [(centre[k], axes[k], *solids[k]) for k in range(N)]
        for i, j in combinations(range(N), 2):
            pair = frozenset((f"solid {i}", f"solid {j}"))
            gap = _separation(known[i], known[j])
            if gap <= 0.0:
                near += 1
                assert pair in found, (i, j, gap)
            # boxes around turned boxes are larger than these by less than their diagonals
            reach = sum(np.linalg.norm(solids[k][0]) + solids[k][1] for k in (i, j))
            if np.linalg.norm(centre[i] - centre[j]) > 2.5 * reach:
                assert pair not in found, (i, j, gap)
        for k, (c, A, h, r) in enumerate(known):
            for name, at, n in (
                ("floor", np.zeros(3), np.array([0.0, 0.0, 1.0])),
                ("wall", np.array([-1.0, 0.0, 0.0]), np.array([0.8, 0.0, 0.6])),
            ):
                gap = n @ (c - at) - np.abs(n @ A) @ h - r
                pair = frozenset((f"solid {k}", name))
                size = float(np.linalg.norm(h)) + r
                assert (pair in found) or gap > 0.0
                # a box along the axes of the world is at most sqrt(3) times as large
                assert (pair not in found) or gap <= 2.0 * size
    assert near > 40


def test_a_pair_keeps_its_place_and_loses_it_only_at_a_step() -> None:
    rng = np.random.default_rng(3)
    model, _ = _scene(rng)
    placed = place(model)
    system, q, u = placed.system, placed.q, placed.u
    centre = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 0.8), (N, 3))
    q[:] = np.column_stack([centre, _rotations(rng, N)]).ravel()
    fit_pool(system, 0.0, q, u)
    before = system.work.pool.pair.copy()
    q.reshape(N, 7)[:, 0] += 1e-3
    fit_pool(system, 0.0, q, u)
    after = system.work.pool.pair[: before.size]
    kept = before >= 0
    assert kept.sum() > 100
    # the pool may have grown, but who had a place has the same one of its class
    if after.size == before.size:
        assert np.array_equal(after[kept], before[kept])


def test_places_follow_from_the_poses_alone() -> None:
    rng = np.random.default_rng(4)
    model, _ = _scene(rng)
    centre = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 0.8), (N, 3))
    state = np.column_stack([centre, _rotations(rng, N)]).ravel()
    found = []
    for _ in range(2):
        placed = place(model)
        fit_pool(placed.system, 0.0, state, placed.u)
        found.append(placed.system.work.pool.pair.copy())
    assert np.array_equal(found[0], found[1])
    assert (found[0] >= 0).sum() > 100
