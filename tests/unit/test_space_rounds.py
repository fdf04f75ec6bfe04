"""Spheres and points against solids in space: certificates of nearest and farthest points."""

import math
from typing import Any

import numpy as np
import pytest
from compiled import compiled
from convex_shapes import AXES, BALL, HALF, POINTS, SOLIDS, H, R, Solid, sphere_points
from space_slots import Floats, Found, PairSlots, random_axes

import cornerlaw as cl
from cornerlaw.kernels.contact.space.rounds import detect_round

BALL_RADIUS = 0.07
HOLLOW = 0.6
DIRECTIONS = sphere_points(2000, 1.0)
ORIGIN = np.zeros(3)


def sphere(b: Any) -> Any:
    return cl.Sphere("sphere", b, radius=BALL_RADIUS)


def point(b: Any) -> Any:
    return cl.ContactPoint("point", b, at=(0.0, 0.0, 0.0))


def hollow(b: Any) -> Any:
    return cl.Sphere("hollow", b, radius=HOLLOW, inside=True)


def assert_consistent(found: Found) -> None:
    assert abs(float(np.linalg.norm(found.n)) - 1.0) < 1e-14
    assert np.abs(found.r1 - found.r2 - found.g * found.n).max() < 1e-14


def worst_error(solid: Solid, x: Floats, d: float, n: Floats, foot: Floats) -> float:
    """Bound the error of a signed distance d of x from a convex body.

    n . x - h(n) is below the distance for every n, and |x - foot| above it for every foot inside;
    for x inside the body the distance is the largest of the former.
    """
    below = float(n @ x - solid.support(n[None])[0])
    error = max(abs(d - below), float(solid.outside(foot[None])[0]))
    if d < 0.0:
        others = DIRECTIONS @ x - solid.support(DIRECTIONS)
        error = max(error, float(others.max()) - d)
    return error


def check_nearest(first: Any, radius: float, name: str, n_poses: int) -> float:
    solid = SOLIDS[name]
    slots = PairSlots(first, solid.make, detect_round)
    rng = np.random.default_rng(7)
    worst, n_touching = 0.0, 0
    for _ in range(n_poses):
        A, r = random_axes(rng), rng.uniform(-0.5, 0.5, 3)
        # about one in two within reach, some inside
        x = rng.normal(size=3)
        x *= solid.size * rng.uniform(0.0, 2.0) / np.linalg.norm(x)
        (found,) = slots.detect((r + A @ x, random_axes(rng)), (r, A))
        assert_consistent(found)
        n, foot = A.T @ found.n, A.T @ (found.r2 - r)
        worst = max(worst, worst_error(solid, x, found.g + radius, n, foot))
        n_touching += found.g < 0.0
    assert 0.05 * n_poses < n_touching < 0.95 * n_poses or name == "edge"
    return worst / solid.size


@pytest.mark.parametrize("name", SOLIDS)
def test_sphere_on_solid(name: str) -> None:
    assert check_nearest(sphere, BALL_RADIUS, name, 300) < 1e-13


@pytest.mark.parametrize("name", [x for x in SOLIDS if x != "edge"])
def test_point_on_solid(name: str) -> None:
    assert check_nearest(point, 0.0, name, 300) < 1e-13


@pytest.mark.verify
@pytest.mark.parametrize("name", SOLIDS)
def test_sphere_on_solid_often(name: str) -> None:
    assert check_nearest(sphere, BALL_RADIUS, name, 10_000) < 1e-13


@pytest.mark.verify
@pytest.mark.parametrize("name", [x for x in SOLIDS if x != "edge"])
def test_point_on_solid_often(name: str) -> None:
    assert check_nearest(point, 0.0, name, 10_000) < 1e-13


# 10,000 poses in `make verify`
OFTEN = [300, pytest.param(10_000, marks=pytest.mark.verify)]


@pytest.mark.parametrize("n_poses", OFTEN)
def test_sphere_on_ring(n_poses: int) -> None:
    slots = PairSlots(sphere, lambda b: cl.Ring("ring", b, radius=R), detect_round)
    rng = np.random.default_rng(3)
    for _ in range(n_poses):
        A, r, x = random_axes(rng), rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.4, 0.4, 3)
        (found,) = slots.detect((r + A @ x, np.eye(3)), (r, A))
        assert_consistent(found)
        distance = math.hypot(math.hypot(x[0], x[1]) - R, x[2])
        assert found.g == pytest.approx(distance - BALL_RADIUS, abs=1e-14)
        foot = A.T @ (found.r2 - r)
        assert math.hypot(foot[0], foot[1]) == pytest.approx(R, abs=1e-14)
        assert foot[2] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("n_poses", OFTEN)
def test_spheres(n_poses: int) -> None:
    rng = np.random.default_rng(4)
    outside = PairSlots(sphere, lambda b: cl.Sphere("other", b, radius=R), detect_round)
    inside = PairSlots(sphere, hollow, detect_round)
    turned = PairSlots(hollow, sphere, detect_round)
    plane = PairSlots(sphere, lambda b: cl.Plane("plane", b, normal=(0.0, 3.0, 4.0)), detect_round)
    for _ in range(n_poses):
        A, r, x = random_axes(rng), rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.4, 0.4, 3)
        d = float(np.linalg.norm(x))
        poses = (r + A @ x, np.eye(3)), (r, A)
        (found,) = outside.detect(*poses)
        assert_consistent(found)
        assert found.g == pytest.approx(d - R - BALL_RADIUS, abs=1e-14)
        (found,) = inside.detect(*poses)
        assert_consistent(found)
        assert found.g == pytest.approx(HOLLOW - d - BALL_RADIUS, abs=1e-14)
        (other,) = turned.detect(*poses[::-1])
        np.testing.assert_allclose(other.n, -found.n, atol=1e-14)
        np.testing.assert_allclose(other.curve_1, found.curve_2, atol=0.0)
        (found,) = plane.detect(*poses)
        assert_consistent(found)
        assert found.g == pytest.approx(0.6 * x[1] + 0.8 * x[2] - BALL_RADIUS, abs=1e-14)


@compiled
def _farthest_on_ellipsoid(x, starts):  # type: ignore[no-untyped-def]
    """Return the largest distance from x of points of the ellipsoid.

    From every start always to the point of the surface that lies farthest along the last direction.
    """
    best = 0.0
    y = np.zeros(3)
    for k in range(starts.shape[0]):
        for i in range(3):
            y[i] = AXES[i] * starts[k, i]
        for _ in range(400):
            size = 0.0
            for i in range(3):
                size += ((y[i] - x[i]) * AXES[i]) ** 2
            size, change = math.sqrt(size), 0.0
            for i in range(3):
                new = AXES[i] * (y[i] - x[i]) * AXES[i] / size
                change = max(change, abs(new - y[i]))
                y[i] = new
            if change < 1e-15:
                break
        square = 0.0
        for i in range(3):
            square += (y[i] - x[i]) ** 2
        best = max(best, math.sqrt(square))
    return best


def farthest(name: str, x: Floats) -> float:
    """Return the distance of the farthest point of a solid from x."""
    radial = math.hypot(x[0], x[1])
    if name in ("capsule", "edge"):
        ends = [math.hypot(radial, x[2] - z) for z in (-H, H)]
        return max(ends) + (R if name == "capsule" else 0.0)
    if name == "ring":
        return math.hypot(radial + R, x[2])
    if name == "cylinder":
        return max(math.hypot(radial + R, x[2] - z) for z in (-H, H))
    if name == "cone":
        return max(math.hypot(radial + R, x[2]), math.hypot(radial, x[2] - H))
    if name == "ellipsoid":
        return float(_farthest_on_ellipsoid(x, sphere_points(64, 1.0)))
    corners = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * HALF
    points = {"box": corners, "polyhedron": POINTS, "ball of facets": BALL}[name]
    return float(np.linalg.norm(points - x, axis=1).max())


@pytest.mark.parametrize("n_poses", OFTEN)
@pytest.mark.parametrize("name", [*SOLIDS, "ring"])
def test_solid_in_hollow_sphere(name: str, n_poses: int) -> None:
    def ring(b: Any) -> Any:
        return cl.Ring("ring", b, radius=R)

    make = ring if name == "ring" else SOLIDS[name].make
    slots = PairSlots(hollow, make, detect_round)
    rng = np.random.default_rng(5)
    for _ in range(n_poses):
        A, r, x = random_axes(rng), rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.3, 0.3, 3)
        found = slots.detect((r + A @ x, np.eye(3)), (r, A))
        for one in found:
            assert_consistent(one)
        least = min(one.g for one in found)
        # the search for the farthest point of an ellipsoid stops at 1e-12
        assert least == pytest.approx(HOLLOW - farthest(name, x), abs=1e-11)
        assert len({one.identity for one in found}) == len(found)
        if name != "ellipsoid":
            local = np.array([A.T @ (one.r2 - r) for one in found])
            if name in SOLIDS:
                assert SOLIDS[name].outside(local).max() < 1e-14


def test_ellipsoid_seen_from_special_places() -> None:
    slots = PairSlots(point, SOLIDS["ellipsoid"].make, detect_round)
    places = [
        (0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.05), (0.2, 0.05, 0.0),
        (0.2, 0.0, 1e-14), (0.35, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.12), (5.0, 0.0, 0.0),
        (0.0, 0.0, 1e6), (0.3, 1e-200, 1e-12),
    ]  # fmt: skip
    for place in places:
        x = np.array(place)
        (found,) = slots.detect((x, np.eye(3)), (ORIGIN, np.eye(3)))
        assert_consistent_far(found)
        error = worst_error(SOLIDS["ellipsoid"], x, found.g, found.n, found.r2)
        assert error < 1e-13 * max(1.0, float(np.linalg.norm(x)))


def assert_consistent_far(found: Found) -> None:
    assert np.linalg.norm(found.n) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(found.r1 - found.r2, found.g * found.n, rtol=1e-14, atol=1e-14)
