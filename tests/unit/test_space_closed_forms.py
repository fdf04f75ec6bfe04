"""Contacts of curved shapes in space at a few poses, against closed forms and samples in NumPy.

Each takes some seconds at most as plain Python, where the thousands of poses of
test_space_surfaces.py do not get far.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core import config
from scipy.optimize import minimize_scalar
from solid_pairs import SOLIDS, Pair, polyhedron_data
from surface_slots import (
    Floats,
    Pose,
    Shape,
    SpacePair,
    heights_data,
    random_turn,
    rotation,
    slots_of,
    spline_data,
    surface,
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


# --- surfaces of the user ------------------------------------------------------------------------


def _ball_adapter(inp: Any, par: Any, out: Any) -> None:
    cs, ss = math.cos(inp[0]), math.sin(inp[0])
    ct, st = math.cos(inp[1]), math.sin(inp[1])
    out[:18] = 0.3 * np.array([
        cs * ct, ss * ct, st, -ss * ct, cs * ct, 0.0, -cs * st, -ss * st, ct,
        -cs * ct, -ss * ct, 0.0, ss * st, -cs * st, 0.0, -cs * ct, -ss * ct, -st,
    ])  # fmt: skip


def _sheet_adapter(inp: Any, par: Any, out: Any) -> None:
    # a cylinder of the radius 2 about y, its top at z = 0
    s, t = inp[0], inp[1]
    out[:18] = 0.0
    out[0], out[1], out[2] = 2.0 * math.sin(s), t, 2.0 * math.cos(s) - 2.0
    out[3], out[5] = 2.0 * math.cos(s), -2.0 * math.sin(s)
    out[7] = 1.0
    out[9], out[11] = -2.0 * math.sin(s), -2.0 * math.cos(s)


def ball_surface(convex: bool) -> Shape:
    half = 0.5 * np.pi
    closed = (2.0 if convex else 1.0, 0.0)
    return surface(_ball_adapter, (0.0, 2.0 * np.pi), (-half, half), closed, 0.3)


def sheet() -> Shape:
    return surface(_sheet_adapter, (-0.4, 0.4), (-0.8, 0.8), (0.0, 0.0), 0.3)


@pytest.mark.parametrize("convex", [True, False])
@pytest.mark.parametrize("name", ["point", "sphere", "hollow", "plane", "capsule", "ellipsoid",
                                  "torus"])  # fmt: skip
def test_a_ball_by_its_parameters_has_the_gap_of_a_ball(name: str, convex: bool) -> None:
    """The distance of its centre less its radius, found on a surface that is only evaluated."""
    ball = ball_surface(convex)
    pair, rng = (
        SpacePair(SHAPES[name], ball, slots_of(SHAPES[name], ball)),
        np.random.default_rng(5),
    )
    for k in range(3):
        a, b = pair.near_contact(rng, 0.005, 0.08)
        if k % 2:
            pair.forget()
        pair.detect(a, b)
        wanted = float(gap_of(name, a.local(b.r))) - 0.3
        assert pair.w.contact_g.min() == pytest.approx(wanted, abs=1e-9)
        check_points(pair)


@pytest.mark.parametrize("convex", [True, False])
def test_two_balls_by_their_parameters(convex: bool) -> None:
    """Apart, one in the other, and followed from there."""
    pair, rng = SpacePair(ball_surface(convex), ball_surface(convex)), np.random.default_rng(6)
    for k, g in enumerate((0.05, 0.01, -0.01, -0.04)):
        way = rng.normal(size=3)
        a = Pose((0.6 + g) * way / np.linalg.norm(way), rotation(random_turn(rng)))
        if k % 2 == 0:
            pair.forget()
        found = pair.detect(a, Pose(np.zeros(3), np.eye(3)))
        assert found == pytest.approx(g, abs=1e-9)
        np.testing.assert_allclose(pair.w.contact_n[0], way / np.linalg.norm(way), atol=1e-7)
        check_points(pair)


def test_a_ball_by_its_parameters_on_an_open_sheet() -> None:
    pair, rng = SpacePair(ball_surface(False), sheet()), np.random.default_rng(7)
    for g in (0.03, 0.01, -0.01):
        angle, y = rng.uniform(-0.2, 0.2), rng.uniform(-0.4, 0.4)
        out = np.array([np.sin(angle), 0.0, np.cos(angle)])
        centre = np.array([0.0, y, -2.0]) + (2.3 + g) * out
        a = Pose(centre, rotation(random_turn(rng)))
        assert pair.detect(a, Pose(np.zeros(3), np.eye(3))) == pytest.approx(g, abs=1e-9)
        np.testing.assert_allclose(pair.w.contact_n[0], out, atol=1e-7)


@pytest.mark.parametrize("name", ["sphere", "point", "capsule", "torus"])
def test_an_open_sheet_ends(name: str) -> None:
    """Above it the gap is that to the cylinder; beside its ends and far behind it is none."""
    shape, end = SHAPES[name], sheet()
    pair = SpacePair(shape, end, slots_of(shape, end))
    flat = Pose(np.zeros(3), np.eye(3))
    lying = rotation(np.array([np.pi / 2, 0.0, 0.0]))  # the axis of the capsule along y
    up = {"sphere": 0.1, "point": 0.0, "capsule": ROUND, "torus": R + SECTION}[name]
    a = Pose(np.array([0.0, 0.1, up + 0.02]), lying)
    pair.detect(a, flat)
    assert pair.w.contact_g.min() == pytest.approx(0.02, abs=1e-9)
    for far in ((0.0, 2.0, 0.1), (0.0, 0.0, -1.5)):
        pair.forget()
        pair.detect(Pose(np.array(far), lying), flat)
        assert not np.isfinite(pair.w.contact_g).any()


# --- height fields -------------------------------------------------------------------------------

_X, _Y = np.linspace(-1.0, 1.0, 9), np.linspace(-1.2, 1.2, 11)
SLOPE = np.array([0.3, -0.2])


@pytest.mark.parametrize("name", ["sphere", "point", "capsule", "ellipsoid", "torus"])
def test_an_even_slope_as_a_field_of_heights_is_a_plane(name: str) -> None:
    heights = _X[:, None] * SLOPE[0] + _Y[None, :] * SLOPE[1]
    shape = SHAPES[name]
    field = Shape(kinds.SHAPE_HEIGHTS, heights_data(_X, _Y, heights), 6, 0, 0.3, flat=True)
    pair, rng = SpacePair(shape, field, slots_of(shape, field)), np.random.default_rng(8)
    up = np.array([-SLOPE[0], -SLOPE[1], 1.0]) / math.sqrt(1.0 + SLOPE @ SLOPE)
    for g in (0.04, 0.01):
        place, b = random_pose(rng), rotation(random_turn(rng))
        # how far the shape reaches downwards, from its support
        n = -up @ b
        down = {
            "sphere": 0.1, "point": 0.0, "capsule": ROUND + LONG * abs(n[2]),
            "ellipsoid": float(np.linalg.norm(HALF * n)),
            "torus": SECTION + R * math.hypot(n[0], n[1]),
        }[name]  # fmt: skip
        x, y = rng.uniform(-0.3, 0.3, 2)
        foot = np.array([x, y, x * SLOPE[0] + y * SLOPE[1]])
        a = Pose(place.world(foot + (down + g) * up), place.A @ b)
        pair.detect(a, place)
        assert pair.w.contact_g.min() == pytest.approx(g, abs=1e-9)
        k = int(np.argmin(pair.w.contact_g))
        np.testing.assert_allclose(pair.w.contact_n[k], place.A @ up, atol=1e-7)
        check_points(pair)


# --- tubes ---------------------------------------------------------------------------------------

_ANGLES = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
LOOP = np.stack([np.cos(_ANGLES), 0.8 * np.sin(_ANGLES), 0.2 * np.sin(2.0 * _ANGLES)], -1)
ARC = LOOP[:6]


def tube(points: Floats, radius: float, closed: bool) -> tuple[Any, Shape]:
    spline, data, n = spline_data(points, radius, closed)
    return spline, Shape(kinds.SHAPE_TUBE, data, n, 0, 1.0)


@pytest.mark.parametrize("name", ["point", "sphere", "plane", "capsule"])
@pytest.mark.parametrize(("points", "closed"), [(LOOP, True), (ARC, False)])
def test_a_rail_on_a_shape(name: str, points: Any, closed: bool) -> None:
    """The least distance of its centre line, less its radius."""
    spline, shape = tube(points, 0.06, closed)
    pair, rng = (
        SpacePair(SHAPES[name], shape, slots_of(SHAPES[name], shape)),
        np.random.default_rng(9),
    )
    for k in range(3):
        b = random_pose(rng)
        s = rng.uniform(spline.x[0], spline.x[-1])
        a = Pose(b.world(spline(s) + rng.normal(scale=0.2, size=3)), rotation(random_turn(rng)))
        for _ in range(2):
            pair.detect(a, b)
            near = int(np.argmin(pair.w.contact_g))
            way = rng.uniform(0.005, 0.05) - pair.w.contact_g[near]
            a = Pose(a.r + way * pair.w.contact_n[near], a.A)
        if k % 2:
            pair.forget()
        pair.detect(a, b)

        def value(s: Any, a: Pose = a, b: Pose = b) -> Any:
            return gap_of(name, a.local(b.world(spline(s))))

        wanted = lowest(value, spline.x[0], spline.x[-1], closed) - 0.06
        assert pair.w.contact_g.min() == pytest.approx(wanted, abs=1e-9)
        check_points(pair)


def test_a_straight_pipe_holds_ball_and_capsule() -> None:
    """Inside, its ends are open and its wall is as thick as its radius."""
    _, pipe = tube(np.outer(np.linspace(-1.0, 1.0, 4), (0.0, 0.0, 1.0)), -0.25, False)
    flat = Pose(np.zeros(3), np.eye(3))
    ball, capsule = SHAPES["sphere"], SHAPES["capsule"]
    pair = SpacePair(ball, pipe)
    for x, g in ((0.1, 0.05), (0.16, -0.01), (0.0, 0.15)):
        assert pair.detect(Pose(np.array([0.0, x, 0.3]), np.eye(3)), flat) == pytest.approx(g)
    for r in ((0.0, 0.0, 1.3), (0.6, 0.0, 0.0)):
        assert pair.detect(Pose(np.array(r), np.eye(3)), flat) == math.inf
    both = SpacePair(capsule, pipe, slots_of(capsule, pipe))
    tilt = 0.2
    both.detect(Pose(np.array([0.05, 0.0, 0.1]), rotation(np.array([0.0, tilt, 0.0]))), flat)
    ends = 0.25 - np.abs([0.05 + LONG * np.sin(tilt), 0.05 - LONG * np.sin(tilt)]) - ROUND
    np.testing.assert_allclose(both.w.contact_g[:2], ends, rtol=1e-9)
    # what is farthest from the middle of a straight pipe is an end
    assert both.w.contact_g[2] == math.inf


def test_the_side_of_a_capsule_touches_a_bend() -> None:
    """In a ring of pipe the middle of the axis is the place farthest from the centre line."""
    angles = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], -1)
    _, pipe = tube(ring, -0.25, True)
    capsule = SHAPES["capsule"]
    pair = SpacePair(capsule, pipe, slots_of(capsule, pipe))
    along = rotation(np.array([np.pi / 2, 0.0, 0.0]))  # its axis along y, across the radius
    for x in (0.9, 0.85):
        pair.detect(Pose(np.array([x, 0.0, 0.0]), along), Pose(np.zeros(3), np.eye(3)))
        # a spline through sixty points of a circle is one to 1e-6
        assert pair.w.contact_g[2] == pytest.approx(0.25 - (1.0 - x) - ROUND, abs=1e-6)
        ends = 0.25 - (1.0 - math.hypot(x, LONG)) - ROUND
        np.testing.assert_allclose(pair.w.contact_g[:2], ends, atol=1e-6)
        check_points(pair)


# --- rings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["capsule", "edge", "cylinder", "ellipsoid", "box", "prism",
                                  "circle", "cone"])  # fmt: skip
def test_a_thin_ring_beside_a_solid(name: str) -> None:
    """A point of the ring, one of the solid, and no sample of the ring is nearer."""
    ring, solid = SOLIDS["circle"], SOLIDS[name]
    pair, rng = Pair(ring, solid), np.random.default_rng(10)
    angle = np.linspace(0.0, 2.0 * np.pi, 721)
    around = 0.4 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], -1)
    for k in range(3):
        A1, A2 = rotation(random_turn(rng)), rotation(random_turn(rng))
        way = rng.normal(size=3)
        r1 = 0.9 * way / np.linalg.norm(way)
        for _ in range(3):
            points = pair.detect(r1, A1, np.zeros(3), A2)
            p = min(points, key=lambda p: p.g)
            r1 = r1 + (0.03 - p.g) * p.n
        if k % 2:
            pair.forget()
        p = min(pair.detect(r1, A1, np.zeros(3), A2), key=lambda p: p.g)
        assert p.g > 0.0
        assert np.abs(p.r1 - p.r2 - p.g * p.n).max() < 1e-12
        assert ring.outside(A1.T @ (p.r1 - r1)) < 1e-12
        assert solid.outside(A2.T @ p.r2) < 1e-9
        # the solid lies behind the plane through its point: that point of it is the nearest
        if name != "circle":
            assert float((solid.support((A2.T @ p.n)[None])[0] @ A2.T - p.r2) @ p.n) < 1e-9
            beyond = (r1 + around @ A1.T - p.r2) @ p.n
            near = np.linalg.norm(r1 + around @ A1.T - p.r1, axis=1) < 0.02
            assert beyond[near].min() > p.g - 1e-3
