"""Solids on a plane in space: lowest points, manifolds and what keeps them in their slots."""

import math
from typing import Any

import numpy as np
import pytest
from convex_shapes import SOLIDS, H, R
from space_slots import Found, PairSlots, random_axes, turn

import cornerlaw as cl
from cornerlaw.kernels.contact.space.planes import detect_plane

COUNT = {
    "capsule": 2, "edge": 2, "ring": 3, "cylinder": 6, "cone": 4, "ellipsoid": 1, "box": 8,
    "polyhedron": 8,
}  # fmt: skip
UP = np.array([0.0, 0.0, 1.0])
ORIGIN = np.zeros(3)


def plane(b: Any) -> Any:
    return cl.Plane("plane", b, normal=(0.0, 0.0, 1.0), at=(0.0, 0.0, 0.1))


def ring(b: Any) -> Any:
    return cl.Ring("ring", b, radius=R)


def pair(name: str) -> PairSlots:
    return PairSlots(plane, ring if name == "ring" else SOLIDS[name].make, detect_plane)


def check_lowest(name: str, n_poses: int) -> float:
    slots, worst = pair(name), 0.0
    rng = np.random.default_rng(11)
    for _ in range(n_poses):
        (o, P), (r, A) = (
            (rng.uniform(-0.5, 0.5, 3), random_axes(rng)),
            (
                rng.uniform(-0.5, 0.5, 3),
                random_axes(rng),
            ),
        )
        up = P @ UP
        found = slots.detect((o, P), (r, A))
        assert len(found) == COUNT.get(name, len(found))
        assert len({one.identity for one in found}) == len(found)
        n = -(A.T @ up)
        support = R * math.hypot(n[0], n[1]) if name == "ring" else SOLIDS[name].support(n[None])[0]
        expected = up @ (r - o) - 0.1 - support
        worst = max(worst, abs(min(one.g for one in found) - expected))
        n_all, g = np.array([one.n for one in found]), np.array([one.g for one in found])
        r1, r2 = np.array([one.r1 for one in found]), np.array([one.r2 for one in found])
        assert np.abs(n_all + up).max() < 1e-15
        assert np.abs(r1 - r2 - g[:, None] * n_all).max() < 1e-14
        assert np.abs((r1 - o) @ up - 0.1).max() < 1e-14
        if name != "ring":
            assert SOLIDS[name].outside((r2 - r) @ A).max() < 1e-14
    return worst


@pytest.mark.parametrize("name", [*SOLIDS, "ring"])
def test_lowest_point(name: str) -> None:
    assert check_lowest(name, 300) < 1e-14


@pytest.mark.verify
@pytest.mark.parametrize("name", [*SOLIDS, "ring"])
def test_lowest_point_often(name: str) -> None:
    assert check_lowest(name, 10_000) < 1e-14


def local_points(found: list[Found], A: Any) -> Any:
    return np.array([A.T @ one.r2 for one in found])


def test_a_standing_cylinder_keeps_its_points() -> None:
    slots = pair("cylinder")
    rng = np.random.default_rng(2)
    first = local_points(slots.detect((ORIGIN, np.eye(3)), (ORIGIN, np.eye(3))), np.eye(3))
    for _ in range(50):
        A = turn(3e-11 * rng.normal(size=3))
        found = slots.detect((ORIGIN, np.eye(3)), (ORIGIN, A))
        np.testing.assert_allclose(local_points(found, A), first, atol=1e-15)
        assert np.ptp([one.g for one in found[:3]]) < 1e-10
    # three points of each end, a third of a turn apart
    for end in (first[:3], first[3:]):
        sides = [np.linalg.norm(end[i] - end[i - 1]) for i in range(3)]
        np.testing.assert_allclose(sides, math.sqrt(3.0) * R, atol=1e-14)


def test_a_lying_cylinder_stands_on_both_ends() -> None:
    found = pair("cylinder").detect(
        (ORIGIN, np.eye(3)), (ORIGIN, turn(np.array([0.0, 0.5 * np.pi, 0.0])))
    )
    low = [one for one in found if one.g < min(x.g for x in found) + 1e-12]
    assert [one.slot for one in low] == [0, 3]
    assert abs(low[0].r2[0] - low[1].r2[0]) == pytest.approx(2.0 * H, abs=1e-14)
    for one in low:
        # it rolls with its radius and rests on a corner along its axis
        np.testing.assert_allclose(one.curve_2[:4], (1.0, R, 1.0, 0.0), atol=1e-14)


def test_a_tilted_rim_rolls_on_its_lowest_point() -> None:
    slots = pair("ring")
    tilt = 0.3
    for angle in np.linspace(0.0, 4.0 * np.pi, 200):
        A = turn(np.array([tilt, 0.0, 0.0])) @ turn(np.array([0.0, 0.0, angle]))
        found = slots.detect((ORIGIN, np.eye(3)), (ORIGIN, A))
        # turned up about x, the lowest point of the ring is at -y
        expected = turn(np.array([tilt, 0.0, 0.0])) @ np.array([0.0, -R, 0.0])
        np.testing.assert_allclose(found[0].r2, expected, atol=1e-14)
        assert found[0].curve_2[0] == pytest.approx(math.sin(tilt), abs=1e-14)
        # the others hold off by more than they would at a quarter of a turn
        assert min(found[1].g, found[2].g) - found[0].g > 0.7 * R * math.sin(tilt)


def test_many_vertices_keep_their_slots() -> None:
    slots = pair("ball of facets")
    rng = np.random.default_rng(9)
    A = random_axes(rng)
    before: dict[int, int] = {}
    n_kept = n_same = 0
    for _ in range(300):
        A = turn(2e-3 * rng.normal(size=3)) @ A
        now = {one.identity: one.slot for one in slots.detect((ORIGIN, np.eye(3)), (ORIGIN, A))}
        for identity, slot in now.items():
            if identity in before:
                n_kept += 1
                n_same += before[identity] == slot
        before = now
    assert n_same == n_kept > 250


def test_many_vertices_of_a_flat_base_span_it() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    base = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    drum = np.vstack([base, base + np.array((0.0, 0.0, 0.5))])
    slots = PairSlots(plane, lambda b: cl.Polyhedron("drum", b, vertices=drum), detect_plane)
    found = slots.detect((ORIGIN, np.eye(3)), (ORIGIN, np.eye(3)))
    held = np.array([one.r2[:2] for one in found if one.g < found[0].g + 1e-12])
    around = np.sort(np.arctan2(held[:, 1], held[:, 0]))
    assert len(held) >= 6
    assert np.diff([*around, around[0] + 2.0 * np.pi]).max() < 1.3
