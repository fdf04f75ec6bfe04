"""Contacts of solids in space: exact gaps with proof, manifolds, identities, curvature rates.

The independent check needs no second solver where solids are apart: points r1 of the first and r2
of the second solid with r1 - r2 = g n bound the distance from above, the supports along n from
below; both are evaluated in NumPy. A penetration is bounded from one side by the same supports,
from the other by climbing from many directions, and both are compared with coal.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import (
    by_axes,
    deepest,
    directions,
    distance,
    place,
    separation,
    separations,
)
from brute_surfaces import RING, lowest_on_ring
from compiled import compiled
from scipy.spatial.transform import Rotation
from solid_pairs import SOLIDS, Floats, Pair, Point, Solid, random_pose, random_poses

NAMES = list(SOLIDS)
PAIRS = [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i:]]
CONVEX = [pair for pair in PAIRS if "circle" not in pair]
FLAT = ("edge", "capsule", "box", "prism", "stone")
SMOOTH = ("edge", "capsule")  # their distance is one in closed form between two segments
SPREAD = directions(600)


def tolerance(a: str, b: str, pose: Any = None) -> float:
    """Return the error of a gap, of the size, that is allowed: polytopes prefer faces to edges.

    So do the flat ends of cylinders and cones that lie on a face, turned by next to nothing.
    """
    if a in SMOOTH and b in SMOOTH:
        return 1e-9
    if a in FLAT and b in FLAT:
        return 1e-7
    if pose is not None and {a, b} <= {*FLAT, "cylinder", "cone"}:
        cosines = np.abs(pose[1].T @ pose[3])
        if np.any(np.abs(cosines - 1.0) < 1e-12):
            return 1e-7
    return 1e-9


@compiled
def _certificate(f1, f2, g, n, p1, p2, spread, value, starts, sat, out):  # type: ignore[no-untyped-def]
    """Write what is wrong with the contact points of a pose.

    Lengths of normals, points that do not belong to their gaps, the largest distance outside of a
    point from either solid, the same of the least point, how far its gap is from the separation
    along its normal, how far below the largest separation that is found.
    """
    out[:] = 0.0
    least = np.argmin(g)
    x, y = np.zeros(3), np.zeros(3)
    for k in range(g.size):
        length = math.sqrt(n[k, 0] ** 2 + n[k, 1] ** 2 + n[k, 2] ** 2)
        out[0] = max(out[0], abs(length - 1.0))
        for i in range(3):
            out[1] = max(out[1], abs(p1[k, i] - p2[k, i] - g[k] * n[k, i]))
            x[i] = y[i] = 0.0
            for j in range(3):
                x[i] += f1[9 + 3 * j + i] * (p1[k, j] - f1[6 + j])
                y[i] += f2[9 + 3 * j + i] * (p2[k, j] - f2[6 + j])
        a, b = distance(f1, x), distance(f2, y)
        out[2], out[3] = max(out[2], a, b), max(out[3], max(a, b) if k == least else 0.0)
    nx, ny, nz = n[least, 0], n[least, 1], n[least, 2]
    out[4] = abs(separation(f1, f2, nx, ny, nz) - g[least])
    if starts > 0:
        highest = deepest(f1, f2, spread, value, starts)
    else:
        separations(f1, f2, spread, value)
        highest = value.max()
    if sat[0].shape[0] > 0 and g[least] < 0.0:
        highest = max(highest, by_axes(f1, f2, sat[0], sat[1], sat[2]))
    out[5] = highest - g[least]


def axes_of(a: Solid, b: Solid, pose: Any) -> tuple[Floats, Floats, Floats]:
    """Return the normals of faces and the edges of two polytopes, or nothing for curved ones."""
    if a.name not in FLAT or b.name not in FLAT:
        none = np.zeros((0, 3))
        return none, none, none
    A1, A2 = pose[1], pose[3]
    normals = np.concatenate([a.normals @ A1.T, b.normals @ A2.T])
    return np.ascontiguousarray(normals), a.edges @ A1.T, b.edges @ A2.T


def check_pose(pair: Pair, pose: Any, error: float, climbs: int) -> float:
    """Assert that the contact points of a pose are right, return the gap in units of the size."""
    a, b = pair.solids
    size = min(a.size, b.size)
    points = pair.detect(*pose)
    assert len({p.identity for p in points}) == len(points) > 0
    g = np.array([p.g for p in points])
    n, r1, r2 = (np.array([getattr(p, x) for p in points]) for x in ("n", "r1", "r2"))
    out = np.zeros(6)
    starts = climbs if g.min() < 0.0 else 0
    _certificate(
        *pair.forms(pose), g, n, r1, r2, SPREAD, np.zeros(SPREAD.shape[0]),
        starts, axes_of(a, b, pose), out,
    )  # fmt: skip
    length, mismatch, outside, least_outside, at_normal, missed = out
    assert length < 1e-12
    assert mismatch < 1e-12 * size
    # the ends of skew cylinders are looked at in one of their sections only
    assert outside < 2e-3 * size
    # where a penetration is nearly the same in many directions the place is less sharp than the gap
    assert least_outside < (max(error, 2e-8) if g.min() > 0.0 else 1e-6) * size
    assert at_normal < error * size
    assert missed < error * size
    return float(g.min()) / size


def run_poses(a: str, b: str, count: int, climbs: int) -> None:
    pair = Pair(SOLIDS[a], SOLIDS[b])
    size = min(SOLIDS[a].size, SOLIDS[b].size)
    rng = np.random.default_rng(NAMES.index(a) * 10 + NAMES.index(b))
    gaps = np.zeros(count)
    wrong = {}
    for i, pose in enumerate(random_poses(pair, rng, rng.uniform(-0.1, 0.1, count) * size)):
        pair.forget()
        try:
            gaps[i] = check_pose(pair, pose, tolerance(a, b, pose), climbs)
        except AssertionError as error:
            wrong[i] = str(error).partition("\n")[0]
    assert not wrong, f"{len(wrong)} of {count}: {wrong}"
    # both signs occur, but for edges, which have no inside
    assert (gaps > 0.01).sum() > 0.2 * count
    assert (a, b) == ("edge", "edge") or (gaps < -0.01).sum() > 0.05 * count


@pytest.mark.parametrize(("a", "b"), CONVEX)
def test_gap_is_exact(a: str, b: str) -> None:
    run_poses(a, b, 300, 3)


@pytest.mark.verify
@pytest.mark.parametrize(("a", "b"), CONVEX)
def test_gap_is_exact_at_many_poses(a: str, b: str) -> None:
    run_poses(a, b, 10_000, 4)


SAMPLES = 360


def check_ring(pair: Pair, pose: Any) -> float:
    """Assert that the contacts of a ring are where it is nearest all round, return the last gap."""
    r1, A1, r2, A2 = pose
    ring, solid = pair.solids
    size = min(ring.size, solid.size)
    pair.forget()
    points = pair.detect(r1, A1, r2, A2)
    p = min(points, key=lambda p: p.g)
    place(solid.form, A2.T @ (r1 - r2), A2.T @ A1)
    least = lowest_on_ring(solid.form, np.array([RING, ring.data[0]]), np.zeros(SAMPLES))
    # inside an edge the depth is the one of two crossing edges
    assert p.g < least + 1e-9 * size
    if least > 0.0:
        assert p.g > least - 1e-9 * size
    else:
        # and the point of the edge, that much further out, is not far off the solid
        assert distance(solid.form, A2.T @ (p.r2 - r2)) < 1e-9 * size - least
    for p in points:
        assert np.abs(p.r1 - p.r2 - p.g * p.n).max() < 1e-12
        assert ring.outside(A1.T @ (p.r1 - r1)) < 1e-12
        if p.g > 0.0:
            assert distance(solid.form, A2.T @ (p.r2 - r2)) < 1e-9
            # the point of the solid is its nearest one, but for rounding
            assert abs(distance(solid.form, A2.T @ (p.r1 - r2)) - p.g) < 1e-13
    return p.g


def run_rings(name: str, count: int) -> None:
    pair = Pair(SOLIDS["circle"], SOLIDS[name])
    size = min(pair.solids[0].size, pair.solids[1].size)
    rng = np.random.default_rng(8)
    found, wrong = 0, {}
    gaps = rng.uniform(-0.1, 0.1, count) * size
    # rings around a solid as well as beside it
    nearer = rng.uniform(0.0, 1.0, count) * rng.integers(2, size=count)
    for i, (r1, A1, r2, A2) in enumerate(random_poses(pair, rng, gaps)):
        try:
            found += check_ring(pair, (r1 + nearer[i] * (r2 - r1), A1, r2, A2)) < 0.02
        except (AssertionError, ValueError) as error:
            wrong[i] = str(error).partition("\n")[0]
    assert not wrong, f"{len(wrong)} of {count}: {wrong}"
    assert found > (0.1 if name in ("edge", "circle") else 0.3) * count


@pytest.mark.parametrize("name", NAMES)
def test_nearest_place_of_a_ring(name: str) -> None:
    run_rings(name, 100)


@pytest.mark.verify
@pytest.mark.parametrize("name", NAMES)
def test_nearest_place_of_a_ring_at_many_poses(name: str) -> None:
    run_rings(name, 10_000)


RARE = json.loads((Path(__file__).parent / "rare_poses.json").read_text())


@pytest.mark.parametrize("case", RARE, ids=[f"{c['first']}-{c['second']}" for c in RARE])
def test_poses_that_were_wrong_once(case: dict[str, Any]) -> None:
    pair = Pair(SOLIDS[case["first"]], SOLIDS[case["second"]])
    pose = tuple(np.array(case[key]) for key in ("r1", "A1", "r2", "A2"))
    if case["first"] == "circle":
        check_ring(pair, pose)
    else:
        check_pose(pair, pose, tolerance(case["first"], case["second"], pose), 5)


@pytest.mark.parametrize("name", ["capsule", "edge", "cylinder", "cone", "circle"])
def test_a_ring_is_held_all_round_by_what_passes_through_its_middle(name: str) -> None:
    pair = Pair(Solid("hoop", SOLIDS["circle"].kind, (0.55,)), SOLIDS[name])
    points = pair.detect(np.array([0.0, 0.0, 0.1]), np.eye(3), np.zeros(3), np.eye(3))
    assert len(points) == pair.w.contact_g.size
    assert max(p.g for p in points) - min(p.g for p in points) < 1e-12
    # they share the force from any side: none is further than half a turn over their number away
    angle = np.sort([np.arctan2(p.r1[1], p.r1[0]) for p in points])
    apart = np.diff([*angle, angle[0] + 2.0 * np.pi])
    assert apart.max() < 2.0 * np.pi / len(points) + 1e-6


def test_a_large_ring_finds_a_small_one_between_its_samples() -> None:
    large, small = (Solid(f"ring {R}", SOLIDS["circle"].kind, (R,)) for R in (2.0, 0.05))
    pair, turned_pair = Pair(large, small), Pair(small, large)
    rng = np.random.default_rng(5)
    angle = np.arange(20_000) * np.pi / 10_000.0
    around = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    for _ in range(300):
        A1, A2 = (Rotation.random(random_state=rng).as_matrix() for _ in range(2))
        place = rng.uniform(0.0, 2.0 * np.pi)
        r2 = A1 @ (2.0 * np.cos(place), 2.0 * np.sin(place), 0.0) + rng.uniform(-0.06, 0.06, 3)
        x = A1.T @ ((0.05 * around) @ A2.T + r2).T
        d = np.hypot(np.hypot(x[0], x[1]) - 2.0, x[2])
        for one, pose in (
            (pair, (np.zeros(3), A1, r2, A2)),
            (turned_pair, (r2, A2, np.zeros(3), A1)),
        ):
            one.forget()
            g = min(p.g for p in one.detect(*pose))
            # samples are 1.6e-5 m apart
            assert d.min() - 1.6e-5 < g < d.min() + 1e-12


def test_a_ring_across_an_edge_has_the_normal_of_both_on_either_side() -> None:
    pair = Pair(SOLIDS["circle"], SOLIDS["box"])
    # the lowest point of an upright ring over the edge of a box that stands on its edge
    A2 = turned((0.0, 1.0, 0.0), 0.6)
    top = float((SOLIDS["box"].support((A2.T @ (0.0, 0.0, 1.0))[None])[0] @ A2.T)[2])
    edge = A2 @ (SOLIDS["box"].support((A2.T @ (0.0, 0.0, 1.0))[None])[0] * (1.0, 0.0, 1.0))
    A1 = turned((0.0, 1.0, 0.0), 0.3) @ turned((1.0, 0.0, 0.0), np.pi / 2)
    down = float(
        SOLIDS["circle"].support(((0.0, 0.0, -1.0) @ A1)[None])[0] @ A1.T @ (0.0, 0.0, 1.0)
    )
    for gap in (1e-3, 1e-9, -1e-9, -1e-6):
        r1 = np.array([edge[0], 0.0, top - down + gap])
        p = min(pair.detect(r1, A1, np.zeros(3), A2), key=lambda p: p.g)
        assert abs(p.g - gap) < 1e-6 * abs(gap)
        assert np.abs(p.n - (0.0, 0.0, 1.0)).max() < 2e-3 * max(1.0, abs(gap) / 1e-3)


def test_a_ring_hangs_on_a_pole_that_passes_through_it() -> None:
    pair = Pair(SOLIDS["circle"], SOLIDS["cylinder"])
    (p, *others) = sorted(
        pair.detect(np.array([0.099, 0.0, 0.0]), np.eye(3), np.zeros(3), np.eye(3)),
        key=lambda p: p.g,
    )
    assert abs(p.g - 0.001) < 1e-12
    assert np.abs(p.n - (-1.0, 0.0, 0.0)).max() < 1e-12
    assert all(q.g > 0.01 for q in others)


def coal_shape(coal: Any, name: str) -> Any:
    solid = SOLIDS[name]
    D = solid.data
    if solid.points is not None:
        points = coal.StdVec_Vec3s()
        for x in solid.points:
            points.append(x)
        return coal.Convex.convexHull(points, False, None)
    return {
        "box": lambda: coal.Box(*(2.0 * x for x in D)),
        "capsule": lambda: coal.Capsule(D[0], 2.0 * D[1]),
        "cylinder": lambda: coal.Cylinder(D[0], 2.0 * D[1]),
        "cone": lambda: coal.Cone(D[0], D[1]),
        "ellipsoid": lambda: coal.Ellipsoid(*D),
    }[name]()


def against_coal(a: str, b: str, count: int) -> None:
    coal = pytest.importorskip("coal")
    pair = Pair(SOLIDS[a], SOLIDS[b])
    size = min(SOLIDS[a].size, SOLIDS[b].size)
    shapes = coal_shape(coal, a), coal_shape(coal, b)
    request, result = coal.DistanceRequest(True), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 500
    rng = np.random.default_rng(11)
    compared = 0
    for _ in range(count):
        pose = random_pose(pair, rng, rng.uniform(-0.1, 0.1) * size)
        pair.forget()
        g = min(p.g for p in pair.detect(*pose))
        places = []
        for name, r, A in ((a, pose[0], pose[1]), (b, pose[2], pose[3])):
            # its cone has the marker at half the height
            middle = 0.5 * SOLIDS[name].data[1] if name == "cone" else 0.0
            places.append(coal.Transform3s(A, r + middle * A[:, 2]))
        result.clear()
        d = coal.distance(shapes[0], places[0], shapes[1], places[1], request, result)
        n = -np.array(result.normal)
        if not np.isfinite(d) or not np.isfinite(n).all() or abs(d) > 1e3:
            continue  # its search fails now and then
        # its search may end too early, but no direction that it finds can be better than ours
        assert float(pair.separation(pose, n)[0]) < g + tolerance(a, b) * size
        compared += abs(d - g) < 1e-7 * size
    assert compared > 0.9 * count


@pytest.mark.parametrize(("a", "b"), [p for p in PAIRS if not set(p) & {"edge", "circle"}])
def test_gap_against_coal(a: str, b: str) -> None:
    against_coal(a, b, 300)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_order_of_the_operands_does_not_matter(a: str, b: str) -> None:
    one, other = Pair(SOLIDS[a], SOLIDS[b]), Pair(SOLIDS[b], SOLIDS[a])
    rng = np.random.default_rng(2)
    for _ in range(20):
        pose = random_pose(one, rng, rng.uniform(-0.05, 0.1))
        one.forget()
        other.forget()
        p, q = one.detect(*pose), other.detect(*pose[2:], *pose[:2])
        assert len(p) == len(q) or a == b
        if p and q:
            x, y = min(p, key=lambda p: p.g), min(q, key=lambda p: p.g)
            assert abs(x.g - y.g) < 1e-7
            if len(p) == 1 and x.g > 0.0:
                assert np.abs(x.n + y.n).max() < 1e-6


EYE = np.eye(3)


def turned(axis: tuple[float, float, float], angle: float) -> Floats:
    return np.asarray(Rotation.from_rotvec(angle * np.array(axis)).as_matrix())


# solid above, its turn, height of its marker above the face, points of the manifold
LYING = [
    ("box", EYE, 0.25, 4),
    ("box", turned((0, 0, 1), np.pi / 4), 0.25, 8),
    ("box", turned((0, 1, 0), np.pi / 2), 0.4, 4),
    ("prism", EYE, 0.3, None),
    ("cylinder", EYE, 0.4, 8),
    ("cylinder", turned((0, 1, 0), np.pi / 2), 0.3, 2),
    ("cone", EYE, 0.0, 8),
    ("cone", turned((1, 0, 0), np.pi), 0.7, 1),
    ("cone", turned((0, 1, 0), np.pi / 2 + np.arctan(0.5)), 0.35 * np.cos(np.arctan(0.5)), 2),
    ("capsule", turned((0, 1, 0), np.pi / 2), 0.15, 2),
    ("capsule", EYE, 0.5, 1),
    ("edge", turned((0, 1, 0), np.pi / 2), 0.0, 2),
    ("circle", EYE, 0.0, 4),
    ("circle", turned((0, 1, 0), np.pi / 2), 0.4, 1),
    ("ellipsoid", EYE, 0.25, 1),
    ("box", turned((1, 0, 0), np.pi / 4), np.hypot(0.3, 0.25) * np.cos(0.6947 - np.pi / 4), None),
]


@pytest.mark.parametrize(("name", "A", "height", "count"), LYING)
@pytest.mark.parametrize("gap", [0.0, 1e-3, -1e-3, 1e-9, -1e-9])
def test_manifold_of_a_solid_on_the_face_of_a_box(
    name: str, A: Floats, height: float, count: int | None, gap: float
) -> None:
    pair = Pair(SOLIDS[name], SOLIDS["box"])
    # the same in tilted axes, so that nothing is round by chance
    T = turned((0.3, -0.5, 0.8), 1.0)
    r = np.array([0.03, -0.02, 0.25 + height + gap])
    points = pair.detect(T @ r, T @ A, np.zeros(3), T)
    if count is not None:
        assert len(points) == count
    for p in points:
        assert np.abs(p.n - T[:, 2]).max() < 1e-9
        if count is not None:
            assert abs(p.g - gap) < 1e-12


def test_stacked_boxes_keep_their_points_under_rounding() -> None:
    pair = Pair(SOLIDS["box"], SOLIDS["box"])
    rng = np.random.default_rng(0)
    T = turned((0.3, -0.5, 0.8), 1.0)
    before: list[Point] = []
    for _ in range(200):
        tilt = turned(tuple(rng.normal(size=3)), 1e-10)
        r = np.array([0.0, 0.0, 0.5]) + 1e-10 * rng.normal(size=3)
        points = pair.detect(T @ r, T @ tilt, np.zeros(3), T)
        assert len(points) == 4
        assert all(abs(p.g) < 1e-9 for p in points)
        if before:
            assert [p.identity for p in points] == [p.identity for p in before]
            assert [p.slot for p in points] == [p.slot for p in before]
        before = points


def test_points_keep_their_slots_while_a_box_slides_and_tips() -> None:
    pair = Pair(SOLIDS["prism"], SOLIDS["box"])
    place: dict[int, int] = {}
    for s in np.linspace(0.0, 1.0, 300):
        A = turned((0.0, 0.0, 1.0), 0.5 * s) @ turned((1.0, 0.2, 0.0), 0.05 * s)
        points = pair.detect(np.array([0.5 * s, 0.1 * s, 0.56]), A, np.zeros(3), EYE)
        for p in points:
            # an identity that was there at the last call is in the same slot
            assert place.get(p.identity, p.slot) == p.slot
        place = {p.identity: p.slot for p in points}


def test_edges_keep_their_side() -> None:
    pair = Pair(SOLIDS["edge"], SOLIDS["edge"])
    A = turned((0.0, 1.0, 0.0), np.pi / 2), turned((1.0, 0.0, 0.0), np.pi / 2)
    for z in np.linspace(0.02, -0.02, 9):
        (p,) = pair.detect(np.array([0.05, 0.02, z]), A[0], np.zeros(3), A[1])
        assert abs(p.g - z) < 1e-15
        assert np.abs(p.n - (0.0, 0.0, 1.0)).max() < 1e-12


def tangent_tensors(k: Floats, n: Floats) -> tuple[Floats, Floats]:
    e = k[4:7] - n * (n @ k[4:7])
    if k[0] == k[2] and k[1] == k[3]:
        # the same in all directions: any tangent will do
        e = np.linalg.svd(n[None])[2][1]
    e /= np.linalg.norm(e)
    f = np.cross(n, e)
    K = k[0] * np.outer(e, e) + k[2] * np.outer(f, f)
    P = k[1] * np.outer(e, e) + k[3] * np.outer(f, f)
    return K, P


def moved(pose: Any, motion: Floats, dt: float) -> Any:
    r1, A1, r2, A2 = pose
    turn_1 = Rotation.from_rotvec(motion[1] * dt).as_matrix()
    turn_2 = Rotation.from_rotvec(motion[3] * dt).as_matrix()
    return r1 + dt * motion[0], turn_1 @ A1, r2 + dt * motion[2], turn_2 @ A2


def predicted_rates(p: Point, pose: Any, motion: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Return the rates of r1, r2 and n from the curvatures; none where they leave them open.

    K1 a1 + K2 a2 = omega x n, (P1 + g K1) a1 - P2 a2 = g Omega_1 x n - v_t.
    """
    r1, _, r2, _ = pose
    v1 = motion[0] + np.cross(motion[1], p.r1 - r1)
    v2 = motion[2] + np.cross(motion[3], p.r2 - r2)
    E = np.linalg.svd(p.n[None])[2][1:].T
    K1, P1 = tangent_tensors(p.k[:7], p.n)
    K2, P2 = tangent_tensors(p.k[7:], p.n)
    flat = lambda X: E.T @ X @ E  # noqa: E731
    M = np.block([[flat(K1), flat(K2)], [flat(P1 + p.g * K1), -flat(P2)]])
    if np.linalg.cond(M) > 1e4:
        return None
    right = np.concatenate(
        [
            E.T @ np.cross(motion[1] - motion[3], p.n),
            E.T @ (p.g * np.cross(motion[1], p.n) - (v1 - v2)),
        ]
    )
    x = np.linalg.solve(M, right)
    a1, a2 = E @ x[:2], E @ x[2:]
    return v1 + P1 @ a1, v2 + P2 @ a2, np.cross(motion[3], p.n) + K2 @ a2


@pytest.mark.parametrize("name", ["box", "prism", "cylinder", "cone"])
def test_a_ring_that_dips_into_an_edge_moves_as_two_curves(name: str) -> None:
    """Below edges and rims points, normal and gap have the rates of their curvatures."""
    pair, rng, h = Pair(SOLIDS["circle"], SOLIDS[name]), np.random.default_rng(4), 1e-5
    compared = 0
    for pose in random_poses(pair, rng, rng.uniform(-0.04, -0.002, 60)):
        motion = rng.normal(size=(4, 3))
        pair.forget()
        p = min(pair.detect(*pose), key=lambda p: p.g)
        # of the solid a corner across, and none along the edge: no face, no point
        on_edge = p.k[9] == 1.0 and p.k[10] == 0.0
        rates = predicted_rates(p, pose, motion)
        if p.g >= 0.0 or not on_edge or rates is None:
            continue
        later = {q.identity: q for q in pair.detect(*moved(pose, motion, h))}
        pair.detect(*pose)
        before = {q.identity: q for q in pair.detect(*moved(pose, motion, -h))}
        if p.identity not in later or p.identity not in before:
            continue
        q, o = later[p.identity], before[p.identity]
        if max(np.abs(x.k - p.k).max() + np.abs(x.r1 - p.r1).max() for x in (q, o)) > 0.01:
            continue  # another feature, or another place of the ring
        v1 = motion[0] + np.cross(motion[1], p.r1 - pose[0])
        v2 = motion[2] + np.cross(motion[3], p.r2 - pose[2])
        # the third power of rates of some 10 by squares of steps of 1e-5
        assert abs((q.g - o.g) / (2.0 * h) - p.n @ (v1 - v2)) < 1e-6
        for rate, x, y in zip(rates, (q.r1, q.r2, q.n), (o.r1, o.r2, o.n), strict=True):
            assert np.abs((x - y) / (2.0 * h) - rate).max() < 1e-6 * (1.0 + np.abs(rate).max() ** 3)
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_curvatures_predict_the_motion_of_the_contact(a: str, b: str) -> None:
    pair = Pair(SOLIDS[a], SOLIDS[b])
    rng = np.random.default_rng(4)
    compared = 0
    # where a ring is inside a solid its nearest place may be in a crease of no edge
    gaps = [0.01, 0.02, 0.03] if "circle" in (a, b) else [-0.02, 0.0, 0.03]
    for _ in range(60):
        pose = random_pose(pair, rng, rng.choice(gaps))
        motion = rng.normal(size=(4, 3))
        pair.forget()
        here = {p.identity: p for p in pair.detect(*pose)}
        # the nearer two edges are, the faster the normal turns
        near = min((abs(p.g) for p in here.values()), default=1.0)
        dt = 1e-5 * min(1.0, (near / 0.01) ** 2 + 1e-2)
        later = {p.identity: p for p in pair.detect(*moved(pose, motion, dt))}
        pair.detect(*pose)
        before = {p.identity: p for p in pair.detect(*moved(pose, motion, -dt))}
        if not here:
            continue
        # the nearest point; the others of a tilted manifold are no stationary ones, and on parallel
        # faces the reference changes with the motion
        i, *others = sorted(here, key=lambda i: here[i].g)
        if i not in later or i not in before:
            continue
        if others and here[others[0]].g < here[i].g + 1e-3:
            continue
        p, q, o = here[i], later[i], before[i]
        rates = predicted_rates(p, pose, motion)
        if rates is None or np.abs(q.r1 - 2.0 * p.r1 + o.r1).max() > 1e-6:
            continue
        if np.abs(q.k - p.k).max() > 1e-2 or np.abs(o.k - p.k).max() > 1e-2:
            continue
        v1 = motion[0] + np.cross(motion[1], p.r1 - pose[0])
        v2 = motion[2] + np.cross(motion[3], p.r2 - pose[2])
        assert abs((q.g - o.g) / (2.0 * dt) - p.n @ (v1 - v2)) < 1e-5
        found = [(y - x) / (2.0 * dt) for x, y in ((o.r1, q.r1), (o.r2, q.r2), (o.n, q.n))]
        for x, y in zip(rates, found, strict=True):
            assert np.abs(x - y).max() < 1e-4 * (1.0 + np.abs(y).max())
        compared += 1
    assert compared >= 10
