"""Random trees: O(n) dynamics against a dense Newton-Euler solve, and forward against inverse.

Tolerance 1e-10, relative to the largest acceleration (force) of the tree: the reference is exact to
extended precision, the kernels lose a few digits to the condition of the mass matrix.
"""

from typing import Any

import numpy as np
import pytest
from dense_tree import (
    COORDINATES,
    JOINT_KINDS,
    RandomTree,
    build_model,
    index_of,
    random_tree,
    solve_dense,
    state_of,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cornerlaw.simulate.system import System

TOLERANCE = 1e-10

# seed, bodies, dimension: all sizes up to 40, ten planar ones
TABLE = [
    *[(seed, 1 + seed % 6, 3) for seed in range(1, 13)],
    *[(seed, 12, 3) for seed in range(20, 45)],
    *[(seed, 25, 3) for seed in range(50, 58)],
    *[(seed, 40, 3) for seed in range(60, 66)],
    *[(seed, 8, 2) for seed in range(80, 87)],
    *[(seed, 20, 2) for seed in range(90, 93)],
]


def solve(tree: RandomTree, **options: Any) -> tuple[System, Any]:
    """Return the system and its accelerations in the state of the tree."""
    system = System(build_model(tree, **options))
    q, u = state_of(tree, system, options.get("rename"))
    u_dot, _, _ = system.accelerations(tree.t, q, u, np.zeros(0))
    return system, u_dot


def deviation(found: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest expected value."""
    if not len(expected):
        return 0.0
    difference = np.abs(np.asarray(found) - np.asarray(expected, dtype=float))
    return float(difference.max() / max(1.0, float(np.abs(expected).max())))


def check_tree(tree: RandomTree) -> tuple[float, float]:
    """Compare accelerations, joint forces of free coordinates and driving forces.

    Return the errors of the accelerations and of the forces that come out of them again.
    """
    from cornerlaw.kernels.inverse import eval_reactions

    dense = solve_dense(tree)
    system, u_dot = solve(tree)
    where = index_of(tree, system, dense)
    forward = deviation(u_dot[where], dense.u_dot)
    assert forward < TOLERANCE
    # inverse dynamics of the forward solution: the forces that went in come out
    tau = np.zeros(system.arrays.nu)
    eval_reactions(system.m, system.w, u_dot, tau)
    applied = np.array([tree.links[i].torques.get(name, 0.0) for i, name in dense.keys])
    size = max(1.0, float(np.abs(dense.tau).max(initial=0.0)))
    free = dense.free
    back = float(np.abs(tau[where][free] - applied[free]).max(initial=0.0)) / size
    assert back < TOLERANCE
    driven = np.abs(tau[where][~free] - dense.tau[~free].astype(float)).max(initial=0.0)
    assert driven < TOLERANCE * size
    return forward, back


@pytest.mark.parametrize(("seed", "n", "dim"), TABLE)
def test_tree_equals_dense_newton_euler(seed: int, n: int, dim: int, record_property: Any) -> None:
    forward, back = check_tree(random_tree(seed, n, dim=dim))
    record_property("forward", forward)
    record_property("inverse", back)
    print(f"{n} bodies, seed {seed}: accelerations {forward:.1e}, inverse of forward {back:.1e}")


@pytest.mark.parametrize("kind", JOINT_KINDS)
@pytest.mark.parametrize("reverse", [False, True])
def test_each_joint_alone_and_in_a_chain(kind: str, reverse: bool) -> None:
    """Each joint type on the ground, between moving bodies, along and against its direction."""
    tree = random_tree(7, 3, kinds=(kind, kind, kind))
    for link in tree.links:
        link.reverse = reverse
    check_tree(tree)
    tree = random_tree(8, 3, kinds=("Revolute", kind, "Spherical"))
    for link in tree.links:
        link.reverse = reverse
    check_tree(tree)


def test_table_covers_everything() -> None:
    """The table above would prove little if the generator left something out."""
    trees = [random_tree(seed, n, dim=dim) for seed, n, dim in TABLE]
    links = [link for tree in trees for link in tree.links]
    assert {link.kind for link in links} == set(COORDINATES)
    assert {link.kind for link in links if link.reverse} == set(JOINT_KINDS)
    assert {d for link in links for d in link.drives.values()} == {"sine", "power", "table"}
    assert sum(bool(link.locked) for link in links) > 10
    assert sum(link.mass == 0.0 and link.kind != "MovingFrame" for link in links) > 10
    assert sum(link.armature > 0.0 for link in links) > 10
    parents = [[link.parent for link in tree.links if link.parent >= 0] for tree in trees]
    assert sum(len(p) != len(set(p)) for p in parents) > 30  # branches
    assert max(len(tree.links) for tree in trees) >= 40


@pytest.mark.parametrize(("seed", "n", "dim"), [(21, 12, 3), (55, 25, 3), (61, 40, 3), (91, 20, 2)])
def test_names_and_order_do_not_matter(seed: int, n: int, dim: int) -> None:
    """Other names, other order of parts: another numbering, the same accelerations by name."""
    tree = random_tree(seed, n, dim=dim)
    for link in tree.links:
        # which body of a group without a joint to the ground moves freely is a matter of order
        link.kind = "FreeJoint" if link.kind == "Loose" else link.kind
    dense = solve_dense(tree)
    rng = np.random.default_rng(seed)
    plain, u_dot = solve(tree)
    expected = u_dot[index_of(tree, plain, dense)]
    names = [name for link in tree.links for name in (link.body, link.joint)]
    shuffled = rng.permutation(len(names))
    rename = {name: f"p{k}" for name, k in zip(names, shuffled, strict=True)}
    renumbered = False
    for order in (rng.permutation, lambda k: range(k - 1, -1, -1)):
        other, found = solve(tree, rename=rename, order=order)
        where = index_of(tree, other, dense, rename)
        assert deviation(found[where], expected) < TOLERANCE
        assert deviation(found[where], dense.u_dot) < TOLERANCE
        renumbered |= not np.array_equal(where, index_of(tree, plain, dense))
    assert renumbered


@settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(seed=st.integers(1000, 10**6), n=st.integers(1, 15), dim=st.sampled_from([2, 3]))
def test_any_tree_equals_dense_newton_euler(seed: int, n: int, dim: int) -> None:
    check_tree(random_tree(seed, n, dim=dim))
