"""Boxes and polyhedra on surfaces and height fields: gaps against brute force, slots, rates."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from brute_footing import deepest_place, edges_of
from brute_force import distance, form, separation
from brute_force import place as put
from scipy.spatial import ConvexHull
from surface_checks import BOX, HULL, LAND, PATCHES, SHAPES, ellipsoid_surface, waves_surface
from surface_slots import Pose, Shape, SpacePair, heights_data, rates, rotation, slots_of

from cornerlaw.arrays import kinds
from cornerlaw.compile.hulls import convex_hull

DEEPEST = -0.07  # about a quarter of the size
MANY = 10_000
SIZE = 0.3
EXACT = 1e-9 * SIZE  # the bound of smooth pairs; edges and corners of polytopes need no more

POINTS = {
    "box": np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * BOX,
    "polyhedron": np.array(HULL.data[4 : 4 + 3 * HULL.size]).reshape(-1, 3),
}
TRIANGLES = {name: ConvexHull(x).simplices for name, x in POINTS.items()}


def depth(kind: str, name: str, a: Pose, b: Pose) -> float:
    """Return the signed distance of the deepest place of a polytope, 0 where none is inside."""
    patch, triangles = PATCHES[kind], TRIANGLES[name]
    vertices = (a.world(POINTS[name]) - b.r) @ b.A
    spec = patch.charts[0][0]
    hull = form(kinds.SHAPE_POLYHEDRON, (), vertices)
    return float(deepest_place(spec, hull, vertices, edges_of(triangles), triangles, patch.span))


def check_points(pair: SpacePair, name: str, a: Pose, b: Pose) -> None:
    """Points and normal of every slot belong together, and the points are on both shapes."""
    w = pair.w
    own = SHAPES[name][1].copy()
    for k in range(pair.n):
        if not math.isfinite(w.contact_g[k]):
            continue
        assert abs(np.linalg.norm(w.contact_n[k]) - 1.0) < 1e-12
        difference = w.contact_r1[k] - w.contact_r2[k] - w.contact_g[k] * w.contact_n[k]
        assert np.abs(difference).max() < 1e-12
        assert abs(distance(own, a.local(w.contact_r1[k]))) < EXACT


def shape_of(kind: str) -> Shape:
    if kind == "land":
        return LAND
    return waves_surface() if kind == "waves" else ellipsoid_surface(kind == "convex")


def check_land(kind: str, name: str, n: int) -> dict[str, int]:
    """The least gap is that of brute force, above a landscape and in it."""
    other, own = SHAPES[name]
    shape = shape_of(kind)
    pair = SpacePair(other, shape, slots_of(other, shape))
    rng, seen = np.random.default_rng(21), {"vertex": 0, "edge": 0, "face": 0, "inside": 0}
    n_v, n_e = len(POINTS[name]), 12 if name == "box" else int(HULL.data[2])
    for i in range(n):
        a, b = pair.near_contact(rng, DEEPEST, 0.1)
        if i % 2:
            pair.forget()
        pair.detect(a, b)
        k = int(np.argmin(pair.w.contact_g))
        g, expected = float(pair.w.contact_g[k]), depth(kind, name, a, b)
        if expected == 0.0:
            expected, at_end = PATCHES[kind].gap(own, b, a)
            if at_end:
                continue
        if expected < DEEPEST:
            assert g < 0.9 * DEEPEST
            continue
        assert abs(g - expected) < EXACT, (i, g, expected)
        check_points(pair, name, a, b)
        feature = pair.w.contact_id[k] // 256
        seen["vertex" if feature < n_v else "edge" if feature < n_v + n_e else "face"] += 1
        seen["inside"] += expected < 0.0
    return seen


BOTH = ["box", "polyhedron"]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", ["land", "waves"])
def test_polytope_on_land_agrees_with_brute_force(kind: str, name: str) -> None:
    seen = check_land(kind, name, 150)
    # faces as small as these meet a peak rarely, those of the polyhedron next to never
    assert seen.pop("face") >= (1 if name == "box" else 0)
    assert min(seen.values()) >= 5


@pytest.mark.verify
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", ["land", "waves"])
def test_polytope_on_land_agrees_with_brute_force_at_many_poses(kind: str, name: str) -> None:
    check_land(kind, name, MANY)


def check_ellipsoid(name: str, n: int) -> None:
    """Of two convex bodies the least signed distance is the largest separation.

    The separation along the normal is no more, the distance of the point no less than either: where
    both agree they are that.
    """
    other, shape = SHAPES[name][0], ellipsoid_surface(True)
    pair, rng = SpacePair(other, shape, slots_of(other, shape)), np.random.default_rng(22)
    own, placed = (SHAPES[x][1].copy() for x in (name, "ellipsoid"))
    for i in range(n):
        a, b = pair.near_contact(rng, DEEPEST, 0.1)
        if i % 2:
            pair.forget()
        pair.detect(a, b)
        k, w = int(np.argmin(pair.w.contact_g)), pair.w
        put(own, a.r, a.A)
        put(placed, b.r, b.A)
        assert abs(separation(own, placed, *w.contact_n[k]) - w.contact_g[k]) < EXACT
        at = distance(SHAPES["ellipsoid"][1], b.local(w.contact_r1[k]))
        assert abs(at - w.contact_g[k]) < EXACT
        check_points(pair, name, a, b)


@pytest.mark.parametrize("name", BOTH)
def test_polytope_on_a_closed_surface_agrees_with_supports(name: str) -> None:
    check_ellipsoid(name, 60)


@pytest.mark.verify
@pytest.mark.parametrize("name", BOTH)
def test_polytope_on_a_closed_surface_agrees_at_many_poses(name: str) -> None:
    check_ellipsoid(name, MANY)


# --- crests and peaks in closed form ---------------------------------------------------------


def land_of(h: Any, n: int = 21) -> Shape:
    """Return a height field over the square from -1 to 1; splines have cubics exactly."""
    x = np.linspace(-1.0, 1.0, n)
    return Shape(
        kinds.SHAPE_HEIGHTS, heights_data(x, x, h(x[:, None], x[None, :])), 6, 0, 1.0, True
    )


GROUND = Pose(np.zeros(3), np.eye(3))
BOX_SHAPE = SHAPES["box"][0]


def features(pair: SpacePair) -> list[tuple[int, float]]:
    """Return feature and gap of all slots with a point, the nearest first."""
    found = [(int(i) // 256, float(g)) for i, g in zip(pair.w.contact_id, pair.w.contact_g)]  # noqa: B905
    return sorted((x for x in found if x[0] >= 0), key=lambda x: x[1])


@pytest.mark.parametrize("gap", [0.01, 0.0, -0.01])
@pytest.mark.parametrize("angle", [0.0, 0.1])
def test_a_face_lies_on_a_peak(gap: float, angle: float) -> None:
    """On z = -(k x^2 + l y^2) / 2 a plane with the slope m touches at x = -m / k."""
    k, l = 0.6, 1.0
    pair = SpacePair(BOX_SHAPE, land_of(lambda x, y: -0.5 * k * x * x - 0.5 * l * y * y), 8)
    A = rotation(np.array([0.0, -angle, 0.0]))
    m = math.tan(angle)
    top = np.array([-m / k, 0.0, -0.5 * m * m / k])
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    # the middle of the lower face is 2 cm beside the peak
    pose = Pose(top + A @ (0.02, 0.0, BOX[2] + gap), A)
    pair.detect(pose, GROUND)
    near = int(np.argmin(pair.w.contact_g))
    assert features(pair)[0][0] >= 8 + 12
    assert pair.w.contact_g[near] == pytest.approx(gap, abs=1e-14)
    assert pair.w.contact_r2[near] == pytest.approx(top, abs=1e-12)
    assert pair.w.contact_n[near] == pytest.approx(normal, abs=1e-12)


def test_a_box_lies_with_two_edges_on_a_ridge() -> None:
    pair = SpacePair(BOX_SHAPE, land_of(lambda x, y: -0.3 * x * x + 0.0 * y), 8)
    pair.detect(Pose(np.array([0.01, 0.0, BOX[2] - 1e-3]), np.eye(3)), GROUND)
    (first, g1), (second, g2), *others = features(pair)
    assert 8 <= first < 20
    assert 8 <= second < 20
    assert (g1, g2) == pytest.approx((-1e-3, -1e-3), abs=1e-15)
    # the four corners are far above the slopes
    assert [x[0] < 8 for x in others] == [True] * 4
    assert others[0][1] > 5e-3


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_on_even_ground_there_are_the_corners_only(slope: float) -> None:
    pair = SpacePair(BOX_SHAPE, land_of(lambda x, y: slope * x + 0.0 * y), 8)
    A = rotation(np.array([0.0, -math.atan(slope), 0.0]))
    pair.detect(Pose(A @ (0.0, 0.0, BOX[2]), A), GROUND)
    found = features(pair)
    assert sorted(x[0] for x in found[:4]) == [0, 1, 2, 3]
    assert max(abs(x[1]) for x in found[:4]) < 1e-15
    assert [x[0] for x in found[4:]] in ([], [4, 5, 6, 7], [5, 7, 4, 6], [4, 6, 5, 7])


def test_of_many_points_those_far_apart_have_slots_and_keep_them() -> None:
    """A prism over a polygon of 24 corners stands on eight of them all round."""
    angle = np.arange(24) * np.pi / 12.0
    ring = 0.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.concatenate([np.column_stack([ring, np.full(24, z)]) for z in (-0.1, 0.1)])
    hull = convex_hull(points)
    prism = Shape(kinds.SHAPE_POLYHEDRON, hull.numbers(), len(hull.vertices), 0, 0.3)
    pair = SpacePair(prism, land_of(lambda x, y: 0.0 * x * y), 8)
    pair.detect(Pose(np.array([0.0, 0.0, 0.1]), np.eye(3)), GROUND)
    assert np.abs(pair.w.contact_g).max() < 1e-15
    at = np.sort(np.arctan2(*pair.w.contact_r1[:, :2].T))
    assert np.diff([*at, at[0] + 2.0 * np.pi]).max() < 0.5 * np.pi + 1e-9
    before = list(pair.w.contact_id)
    for tilt in (1e-9, -1e-9):
        pair.detect(Pose(np.array([0.0, 0.0, 0.1]), rotation(np.array([tilt, 0.0, 0.0]))), GROUND)
        assert list(pair.w.contact_id) == before


def test_points_keep_their_slots_on_the_way() -> None:
    """A box that slides and tips over bumps: a point with the same name is a little farther on."""
    pair, rng = SpacePair(BOX_SHAPE, LAND, 8), np.random.default_rng(23)
    changed = kept = 0
    for _ in range(10):
        a, b = pair.near_contact(rng, -0.01, 0.01)
        v, Omega = rng.uniform(-1.0, 1.0, (2, 3))
        before: dict[int, Any] = {}
        for i in range(100):
            pair.detect(a.moved(v, Omega, 1e-3 * i), b)
            slots = {
                int(n): (k, pair.w.contact_r2[k].copy())
                for k, n in enumerate(pair.w.contact_id)
                if n >= 0
            }
            assert len(slots) == int((pair.w.contact_id >= 0).sum())
            for name in slots.keys() & before.keys():
                assert slots[name][0] == before[name][0]
                # at speeds of about 1 m/s a point is 1 mm on, at most a tenth of a cell in a step
                changed += int(np.linalg.norm(slots[name][1] - before[name][1]) > 0.01)
                kept += 1
            before = slots
    assert kept > 2000
    # where two feet are as near a vertex changes from one to the other
    assert changed < 0.01 * kept


# --- rates -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", ["land", "waves", "convex"])
def test_rates_of_all_points_agree_with_differences(kind: str, name: str) -> None:
    other, shape = SHAPES[name][0], shape_of(kind)
    pair, rng = SpacePair(other, shape, slots_of(other, shape)), np.random.default_rng(24)
    h, compared = 2e-6, {"vertex": 0, "edge": 0, "face": 0}
    n_v, n_e = len(POINTS[name]), 12 if name == "box" else int(HULL.data[2])
    for _ in range(60):
        a, b = pair.near_contact(rng, -0.03, 0.06)
        motion = [(p, *rng.uniform(-1.0, 1.0, (2, 3))) for p in (a, b)]
        pair.detect(a, b)
        names, w = pair.w.contact_id.copy(), pair.w
        expected = {k: rates(pair, k, *motion) for k in np.flatnonzero(names >= 0).tolist()}
        found = []
        for sign in (1.0, -1.0):
            pair.detect(*(p.moved(v, Omega, sign * h) for p, v, Omega in motion))
            values = w.contact_g, w.contact_r1, w.contact_r2, w.contact_n
            found.append((w.contact_id.copy(), *(x.copy() for x in values)))
        for k, rate in expected.items():
            steep = max(np.linalg.norm(x) for x in rate[1:]) > 20.0
            if steep or any(x[0][k] != names[k] for x in found):
                continue  # ill-conditioned, or another point
            for i, value in enumerate(rate):
                error = (found[0][i + 1][k] - found[1][i + 1][k]) / (2.0 * h) - value
                # the fourth power of rates of 20 by steps of 2e-6, and rounding by 2e-6
                assert np.abs(error).max() < 1e-6
            f = names[k] // 256
            compared["vertex" if f < n_v else "edge" if f < n_v + n_e else "face"] += 1
    assert compared["vertex"] > 60
    assert compared["edge"] > 5
    # on the long waves no peak is narrow enough for faces as small as these
    assert compared["face"] > (-1 if kind == "waves" else 2 if name == "box" else 0)
