"""Pieces of the sparse solver against numpy: factors in an envelope, the order, the residual."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays.compact import POSED_LARGE, CompactRows, new_compact
from cornerlaw.arrays.model_arrays import GroupArrays
from cornerlaw.arrays.problem import new_problem
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse.envelope import (
    factor_envelope,
    factor_symmetric,
    solve_envelope,
    solve_symmetric,
)
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.symmetric import assemble_symmetric
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.kernels.corners.compact import assemble_compact


class OnlyGroups(NamedTuple):
    """A model of which the order of velocities sees the groups alone."""

    groups: GroupArrays


def single_groups(nu: int) -> GroupArrays:
    """Return groups of one velocity each."""
    every = np.arange(nu)
    return GroupArrays(of=every, start=np.arange(nu + 1), member=every, place=np.zeros(nu, int))


def store(c: CompactRows, A: Any, first: Any) -> None:
    """Write a matrix into the envelope."""
    n = A.shape[0]
    c.n_local[0] = n
    c.first[:n] = first
    c.at[: n + 1] = np.concatenate(([0], np.cumsum(np.arange(n) - first)))
    for i in range(n):
        c.pivot[i] = A[i, i]
        c.lower[c.at[i] : c.at[i + 1]] = A[i, first[i] : i]
        c.upper[c.at[i] : c.at[i + 1]] = A[first[i] : i, i]


@pytest.mark.parametrize("seed", range(5))
def test_factors_in_the_envelope_solve_the_system(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 30
    first = np.array([int(rng.integers(max(0, i - 14), i + 1)) for i in range(n)])
    A = np.zeros((n, n))
    for i in range(n):
        A[i, first[i] : i] = rng.normal(size=i - first[i])
        A[first[i] : i, i] = rng.normal(size=i - first[i])
    A += np.diag(np.abs(A).sum(axis=0) + np.abs(A).sum(axis=1) + 0.1)
    c = new_compact(1, n, np.arange(n + 1))
    store(c, A, first)
    b = rng.normal(size=n)
    x = b.copy()
    factor_envelope(Bundle(c), 1e-14)
    solve_envelope(Bundle(c), x)
    assert np.abs(A @ x - b).max() < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_symmetric_factors_need_the_lower_part_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 30
    first = np.array([int(rng.integers(max(0, i - 14), i + 1)) for i in range(n)])
    A = np.zeros((n, n))
    for i in range(n):
        A[i, first[i] : i] = rng.normal(size=i - first[i])
    A += A.T
    A += np.diag(np.abs(A).sum(axis=0) + 0.1)
    c = new_compact(1, n, np.arange(n + 1))
    store(c, A, first)
    c.upper[:] = np.nan
    b = rng.normal(size=n)
    x = b.copy()
    factor_symmetric(Bundle(c), 1e-14)
    solve_symmetric(Bundle(c), x)
    assert np.abs(A @ x - b).max() < 1e-12


# diagonal of a matrix, its entries beside it, the last pivot with a floor of a tenth
PIVOTS = [
    ((4.0, 1.5), 2.0, 0.5),  # large enough
    ((4.0, 1.0), 2.0, 0.1),  # nothing is left
    ((4.0, 1.05), 2.0, 0.105),  # less than a tenth
    ((4.0, 0.99), 2.0, 0.099),  # less than nothing by a little
    ((4.0, 0.0), 0.0, 1.0),  # there was nothing
]


@pytest.mark.parametrize(("diagonal", "beside", "last"), PIVOTS)
@pytest.mark.parametrize("before", [0, 1])
def test_small_pivots_become_a_share_of_the_diagonal(
    diagonal: Any, beside: float, last: float, before: int
) -> None:
    """In rows that begin alike, taken two at a time, and behind one that begins elsewhere."""
    n = before + 2
    A = np.eye(n)
    A[before:, before:] = [[diagonal[0], beside], [beside, diagonal[1]]]
    first = np.array([0] * before + [before, before])
    for factor in (factor_envelope, factor_symmetric):
        c = new_compact(1, n, np.arange(n + 1))
        store(c, A, first)
        factor(Bundle(c), 0.1)
        wanted = [*[1.0] * before, diagonal[0], last]
        np.testing.assert_allclose(c.pivot[:n], wanted, rtol=1e-14)


def test_a_negative_pivot_stays_where_the_matrix_is_not_symmetric() -> None:
    """Only the size of a pivot counts; a single row is judged as one of two is."""
    A = np.array([[4.0, 0.0, 2.0], [0.0, -3.0, 0.0], [2.0, 0.0, 0.7]])
    for rows in ([0, 1, 2], [0, 1, 0]):
        c = new_compact(1, 3, np.arange(4))
        B = A if rows[2] == 0 else np.diag(np.diag(A))
        store(c, B, np.array(rows))
        factor_envelope(Bundle(c), 0.1)
        last = -0.3 if rows[2] == 0 else 0.7
        np.testing.assert_allclose(c.pivot[:3], [4.0, -3.0, last], rtol=1e-13)


def chain_problem(nu: int, shuffle: Any) -> tuple[CompactRows, Any, Any]:
    """Return rows between neighbours of a chain whose velocities are numbered in another order."""
    n = nu - 1
    c, p = new_compact(n, nu, np.arange(nu + 1)), new_problem(n)
    for a in range(n):
        pair = shuffle[a], shuffle[a + 1]
        c.start_W[a + 1] = c.start_group[a + 1] = 2 * a + 2
        c.column_W[2 * a : 2 * a + 2] = c.group[2 * a : 2 * a + 2] = pair
        c.W[2 * a : 2 * a + 2] = 1.0, -1.0
        p.start[a], p.size[a], p.upper_0[a] = a, 1, np.inf
    p.n[0] = p.n_sets[0] = n
    return c, p, OnlyGroups(single_groups(nu))


@pytest.mark.parametrize("seed", range(3))
def test_order_finds_the_chain_again(seed: int) -> None:
    nu = 50
    c, p, m = chain_problem(nu, np.random.default_rng(seed).permutation(nu))
    order_velocities(Bundle(m), Bundle(p), Bundle(c))
    assert sorted(c.order[:nu]) == list(range(nu))
    assert all(c.local[c.order[l]] == l for l in range(nu))
    # neighbours in the chain stand side by side: one entry before the diagonal
    assert c.at[nu] == nu - 1


def paired_problem(nu: int) -> tuple[CompactRows, Any, Any]:
    """Return the rows of a chain whose velocities belong to bodies of two."""
    n, every = nu - 1, np.arange(nu)
    groups = GroupArrays(
        of=every // 2, start=np.arange(0, nu + 1, 2), member=every, place=every % 2
    )
    c, p = new_compact(n, nu, np.arange(0, nu + 1, 2)), new_problem(n)
    for a in range(n):
        near = np.unique([a // 2, (a + 1) // 2])
        c.start_W[a + 1] = 2 * a + 2
        c.column_W[2 * a : 2 * a + 2] = a, a + 1
        c.W[2 * a : 2 * a + 2] = 1.0, -0.5
        c.start_group[a + 1] = c.start_group[a] + near.size
        c.group[c.start_group[a] : c.start_group[a + 1]] = near
        p.start[a], p.size[a], p.upper_0[a] = a, 1, np.inf
    p.n[0] = p.n_sets[0] = n
    return c, p, OnlyGroups(groups)


@pytest.mark.parametrize("pairs", [False, True])
def test_symmetric_matrix_is_that_of_masses_and_slopes(pairs: bool) -> None:
    """M + W^T B W in the order of the velocities, its lower part."""
    nu = 12
    rng = np.random.default_rng(4)
    c, p, m = paired_problem(nu) if pairs else chain_problem(nu, rng.permutation(nu))
    order_velocities(Bundle(m), Bundle(p), Bundle(c))
    size = 2 if pairs else 1
    M, slope = np.zeros((nu, nu)), rng.uniform(0.5, 3.0, nu - 1)
    for g in range(nu // size):
        block = rng.uniform(0.1, 0.5, (size, size))
        here = slice(g * size, (g + 1) * size)
        M[here, here] = block + block.T + np.eye(size)
        c.inverse_at[g] = g * size * size
        c.mass[g * size * size : (g + 1) * size * size] = M[here, here].ravel()
    c.slope[: nu - 1, 0] = slope
    assemble_symmetric(Bundle(m), Bundle(p), Bundle(c))
    W = np.zeros((nu - 1, nu))
    for a in range(nu - 1):
        W[a, c.column_W[2 * a : 2 * a + 2]] = c.W[2 * a : 2 * a + 2]
    wanted = (M + W.T @ np.diag(slope) @ W)[np.ix_(c.order[:nu], c.order[:nu])]
    found = np.diag(c.pivot[:nu])
    for i in range(nu):
        found[i, c.first[i] : i] = c.lower[c.at[i] : c.at[i + 1]]
    np.testing.assert_allclose(found, np.tril(wanted), rtol=0.0, atol=1e-14)


@pytest.mark.contact_laws(states="evaluating a state changes the arrays looked at here")
def test_residual_of_a_large_step_is_that_of_its_matrix() -> None:
    """The sparse check, and that of the dense solvers with G, agree on a step with friction."""
    square = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[cl.Part] = [floor]
    below: cl.Part = floor
    for k in range(14):
        body = cl.Body(
            f"box {k}", mass=1.0 + 0.1 * k, inertia=0.01, position=(0.0, 0.1 + 0.2 * k),
            velocity=(0.3 * (-1.0) ** k, 0.0),
        )  # fmt: skip
        shape = cl.Polygon(f"shape {k}", body, vertices=square)
        parts += [body, shape, cl.Contact(shape, below, mu=0.2, name=f"contact {k}")]
        below = shape
    sim = cl.Simulation(
        cl.Model(*parts, gravity=(0.0, -9.81)), method=cl.Moreau(dt=1e-3, stabilise=False)
    )
    sim.step(3)
    system = sim._system
    w = system.work.k
    assert w.compact.posed[0] == POSED_LARGE
    n, claimed = int(w.problem.n[0]), float(w.solver.residual[0])
    gamma = w.problem.gamma[:n].copy()
    assemble_compact(system.m, system.w)
    found = residual(Bundle(w.problem), 1e-9)
    assert claimed <= 1e-10 and found <= 1e-10
    assert np.abs(w.problem.gamma[:n] - gamma).max() <= 1e-12
    # a wrong multiplier is noticed
    w.problem.x[0] += 1e-3
    assert residual(Bundle(w.problem), 1e-9) > 1e-6
