"""Distances and tori in space at a few poses, against closed forms and samples in NumPy.

Each takes a fraction of a second as plain Python, where the thousands of poses of
test_space_surfaces.py do not get far.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core import config
from scipy.optimize import minimize_scalar
from solid_pairs import polyhedron_data
from surface_slots import (
    Floats,
    Pose,
    Shape,
    SpacePair,
    random_turn,
    rotation,
    slots_of,
)

from cornerlaw.arrays import kinds
from cornerlaw.kernels.contact.space import distance

# the same kernels are compiled for test_space_surfaces.py and test_space_solids.py
pytestmark = pytest.mark.skipif(not config.DISABLE_JIT, reason="quick as plain Python")

HALF = np.array([0.25, 0.15, 0.1])  # of box, polyhedron and ellipsoid
R, SECTION = 0.3, 0.08  # of the ring of a torus, and about it
ROUND, LONG = 0.07, 0.25  # of a capsule
CORNERS = np.array(list(itertools.product(*((-h, h) for h in HALF))))
BOXED = tuple(polyhedron_data(CORNERS))

SHAPES: dict[str, Shape] = {
    "point": Shape(kinds.SHAPE_POINT, reach=0.1),
    "sphere": Shape(kinds.SHAPE_SPHERE, (0.1,), 1, reach=0.1),
    "hollow": Shape(kinds.SHAPE_SPHERE, (-0.8,), 1, reach=0.3, hollow=True),
    "plane": Shape(kinds.SHAPE_PLANE, reach=0.1, flat=True),
    "capsule": Shape(kinds.SHAPE_CAPSULE, (ROUND, LONG), 2, reach=0.3),
    "ellipsoid": Shape(kinds.SHAPE_ELLIPSOID, tuple(HALF), 3, reach=0.3),
    "box": Shape(kinds.SHAPE_BOX, tuple(HALF), 3, reach=0.3),
    "polyhedron": Shape(kinds.SHAPE_POLYHEDRON, BOXED, 8, reach=0.3),
    "torus": Shape(kinds.SHAPE_TORUS, (R, SECTION), 2, reach=0.4),
    "circle": Shape(kinds.SHAPE_CIRCLE, (R,), 1, reach=0.3),
    "edge": Shape(kinds.SHAPE_EDGE, (LONG,), 1, reach=0.3),
}
CORES = ("point", "sphere", "capsule", "torus", "circle", "edge")
ABOUT = {"sphere": 0.1, "hollow": -0.8, "capsule": ROUND, "torus": SECTION}  # radii about cores


def from_ellipsoid(y: Floats) -> Floats:
    """Return signed distances: bisection for the multiplier t of the foot a^2 y / (a^2 + t)."""
    q = HALF**2
    low, high = np.full(y.shape[:-1], -q.min()), np.linalg.norm(y, axis=-1) * HALF.max() + q.max()
    for _ in range(200):
        t = 0.5 * (low + high)
        beyond = ((HALF * y / (q + t[..., None])) ** 2).sum(-1) > 1.0
        low, high = np.where(beyond, t, low), np.where(beyond, high, t)
    t = 0.5 * (low + high)
    return np.asarray(np.sign(t) * np.linalg.norm(y - q * y / (q + t[..., None]), axis=-1))


def from_core(name: str, y: Floats) -> Floats:
    """Return the distance of points in the axes of a shape from it, of round ones from the core."""
    rho, z = np.hypot(y[..., 0], y[..., 1]), y[..., 2]
    if name in ("point", "sphere", "hollow"):
        return np.asarray(np.linalg.norm(y, axis=-1) * (-1.0 if name == "hollow" else 1.0))
    if name == "plane":
        return np.asarray(z)
    if name in ("capsule", "edge"):
        return np.hypot(rho, np.maximum(np.abs(z) - LONG, 0.0))
    if name in ("torus", "circle"):
        return np.hypot(rho - R, z)
    if name == "ellipsoid":
        return from_ellipsoid(y)
    x = np.abs(y) - HALF
    return np.asarray(np.linalg.norm(np.maximum(x, 0.0), axis=-1) + np.minimum(x.max(-1), 0.0))


def gap_of(name: str, y: Floats) -> Floats:
    """Return the gap of points in the axes of a shape."""
    return from_core(name, y) - ABOUT.get(name, 0.0)


def random_pose(rng: Any, reach: float = 1.0) -> Pose:
    return Pose(rng.uniform(-reach, reach, 3), rotation(random_turn(rng)))


def lowest(value: Callable[[Any], Any], low: float, high: float, closed: bool) -> float:
    """Return the least value of a function of one number: samples, and a search about the best."""
    s = np.linspace(low, high, 4001)
    at = value(s)
    step = s[1] - s[0]
    best = float(at.min())
    for k in np.flatnonzero(at < at.min() + 3.0 * np.abs(np.diff(at)).max()):
        a, b = s[k] - step, s[k] + step
        if not closed:
            a, b = max(a, low), min(b, high)
        found = minimize_scalar(
            lambda x: float(value(np.array([x]))[0]), bounds=(a, b), method="bounded",
            options={"xatol": 1e-12},
        )  # fmt: skip
        best = min(best, float(found.fun))
    return best


def pair_of(first: Shape, second: Shape) -> SpacePair:
    return SpacePair(first, second, slots_of(first, second))


def check_points(pair: SpacePair) -> None:
    """Normals have the length 1, and points the distance g along them."""
    w = pair.w
    for k in np.flatnonzero(np.isfinite(w.contact_g)):
        assert np.linalg.norm(w.contact_n[k]) == pytest.approx(1.0, abs=1e-12)
        difference = w.contact_r1[k] - w.contact_r2[k] - w.contact_g[k] * w.contact_n[k]
        assert np.abs(difference).max() < 1e-12


# --- distances of points -------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHAPES)
def test_distance_of_a_point_with_gradient_and_bend(name: str) -> None:
    """By closed forms and by differences, outside and inside of those that have one."""
    pair, rng = SpacePair(SHAPES["plane"], SHAPES[name]), np.random.default_rng(1)
    pose = random_pose(rng)
    pair.w.frame_r[1], pair.w.frame_A[1] = pose.r, pose.A
    core, h = name in CORES, 1e-5
    assert distance.has_core(pair.m, 1) == core
    assert distance.radius_about(pair.m, 1) == ABOUT.get(name, 0.0)

    def at(x: Floats) -> tuple[float, Floats, Any]:
        d, n, curve = distance._distance(*pair.bundles, 1, tuple(x))
        return d, np.array(n), curve

    compared = 0
    for scale in np.repeat([1.6, 1.0, 0.5], 8):
        y = scale * HALF * rng.normal(size=3)
        x = pose.world(y)
        d, n, curve = at(x)
        assert d == pytest.approx(float(from_core(name, y)), abs=1e-12)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        near = [[at(x + sign * h * e) for sign in (1.0, -1.0)] for e in np.eye(3)]
        turned = max(np.abs(a[1] - b[1]).max() for a, b in near)
        if turned > 1e-3:
            continue  # a crease lies between, or the bend is too strong for differences
        np.testing.assert_allclose([(a[0] - b[0]) / (2.0 * h) for a, b in near], n, atol=1e-6)
        ahead, behind = (
            np.array([(p[0] * p[1] if core else p[1]) for p in side])
            for side in zip(*near, strict=True)
        )
        here = d * n if core else n
        T = (ahead - behind) / (2.0 * h)
        if np.abs(ahead - 2.0 * here + behind).max() > 1e-2 * h * (1.0 + np.abs(T).max()):
            continue  # between a face and an edge the bend jumps
        a, b = rng.normal(size=(2, 3))
        found = distance.bend(core, d, tuple(n), curve, tuple(a), tuple(b))
        assert found == pytest.approx(a @ T @ b, abs=1e-4 * (1.0 + np.abs(T).max()))
        compared += 1
    assert compared >= 12


def test_distance_at_the_middle_of_cores() -> None:
    """Where a distance is zero any direction will do, but it has the length 1."""
    for name, y in (("sphere", (0, 0, 0)), ("hollow", (0, 0, 0)), ("capsule", (0, 0, 0.1)),
                    ("torus", (R, 0, 0)), ("torus", (0, 0, 0.1)),
                    ("box", (0, 0, 0))):  # fmt: skip
        pair = SpacePair(SHAPES["plane"], SHAPES[name])
        pair.w.frame_A[1] = np.eye(3)
        d, n, _ = distance._distance(*pair.bundles, 1, tuple(map(float, y)))
        assert d == pytest.approx(float(from_core(name, np.array(y, float))), abs=1e-9)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)


def test_distance_of_the_end_balls_of_a_capsule() -> None:
    pair, rng = SpacePair(SHAPES["plane"], SHAPES["capsule"]), np.random.default_rng(2)
    pose, out = random_pose(rng), pair.w.contact_b[distance._RESULT :]
    pair.w.frame_r[1], pair.w.frame_A[1] = pose.r, pose.A
    for part in (1, -1):
        x = rng.normal(size=3)
        distance.eval_distance(*pair.bundles, 1, part, *x)
        way = x - pose.world(np.array([0.0, 0.0, part * LONG]))
        assert out[0] == pytest.approx(np.linalg.norm(way), rel=1e-14)
        np.testing.assert_allclose(out[1:4], way / np.linalg.norm(way), rtol=1e-12)


def test_principal_curvatures_of_a_tensor() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        k11, k12, k22 = rng.normal(size=3)
        a, b, _ = rotation(random_turn(rng)).T
        first, p, second, q, e = distance.principal(k11, k12, k22, tuple(a), tuple(b))
        e, f = np.array(e), np.cross(np.cross(a, b), e)
        wanted = k11 * np.outer(a, a) + k22 * np.outer(b, b)
        wanted += k12 * (np.outer(a, b) + np.outer(b, a))
        np.testing.assert_allclose(first * np.outer(e, e) + second * np.outer(f, f), wanted,
                                   atol=1e-14)  # fmt: skip
        assert p == q == 1.0
        grown = distance.grow((2.0, 0.5, 3.0, 0.25, (1.0, 0.0, 0.0)), 0.1)
        assert grown[:4] == pytest.approx((2.0, 0.7, 3.0, 0.55))


# --- tori ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["point", "sphere", "hollow", "plane", "capsule"])
def test_torus_on_a_shape(name: str) -> None:
    """The least distance of the ring from the shape, cold and from the last point."""
    torus = SHAPES["torus"]
    pair, rng = (
        SpacePair(SHAPES[name], torus, slots_of(SHAPES[name], torus)),
        np.random.default_rng(4),
    )
    for k in range(4):
        a, b = pair.near_contact(rng, 0.005, 0.08)
        if k % 2:
            pair.forget()
        g = pair.detect(a, b)

        def value(s: Any, a: Pose = a, b: Pose = b) -> Any:
            ring = R * np.stack([np.cos(s), np.sin(s), 0.0 * s], -1)
            return gap_of(name, a.local(b.world(ring)))

        wanted = lowest(value, 0.0, 2.0 * np.pi, True) - SECTION
        # corners are met to the length of the shortest arc
        assert g == pytest.approx(wanted, abs=1e-7)
        check_points(pair)
