"""Contacts of tori, tubes, surfaces and height fields against brute force, and their rates."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import deepest, directions, place
from brute_surfaces import lowest_on_curve
from brute_surfaces import spline as curve_of
from surface_checks import (
    AXES,
    CAPSULE,
    HALF,
    HELIX,
    HOLLOW,
    LAND,
    LOOP,
    PATCHES,
    PLANE,
    RING,
    ROUND,
    SECTION,
    SHAPES,
    SPHERE,
    TORUS,
    ellipsoid_surface,
    gap_of_ring,
    tube,
    waves_surface,
)
from surface_slots import Floats, Pose, Shape, SpacePair, rates, rotation, slots_of

DEEPEST = -0.07  # about a tenth of the size
MANY = 10_000

ON_TORUS = list(SHAPES)
ON_CLOSED = ["point", "sphere", "hollow", "plane", "capsule", "ellipsoid", "torus"]
ON_OPEN = ["point", "sphere", "capsule", "ellipsoid", "torus"]

BALL = Pose(np.zeros(3), np.eye(3))


def poses_of(pair: SpacePair, n: int, seed: int, high: float = 0.1, low: float = DEEPEST) -> Any:
    """Yield poses near contact; every other search that follows is a cold one."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        a, b = pair.near_contact(rng, low, high)
        if i % 2:
            pair.forget()
        yield a, b


def check_points(pair: SpacePair, slot: int = 0) -> None:
    """Points and normal belong together."""
    w = pair.w
    assert abs(np.linalg.norm(w.contact_n[slot]) - 1.0) < 1e-12
    difference = w.contact_r1[slot] - w.contact_r2[slot] - w.contact_g[slot] * w.contact_n[slot]
    assert np.abs(difference).max() < 1e-12


def check_torus(name: str, n: int) -> None:
    pair = SpacePair(SHAPES[name][0], TORUS, slots_of(SHAPES[name][0], TORUS))
    tolerance = 1e-7 if name in ("box", "polyhedron") else 1e-9
    for a, b in poses_of(pair, n, 1):
        g = pair.detect(a, b)
        expected = gap_of_ring(name, b, a)
        if expected < DEEPEST:
            assert g < 0.9 * DEEPEST
            continue
        assert abs(g - expected) < tolerance * RING
        check_points(pair)


@pytest.mark.parametrize("name", ON_TORUS)
def test_torus_agrees_with_brute_force(name: str) -> None:
    check_torus(name, 200)


@pytest.mark.verify
@pytest.mark.parametrize("name", ON_TORUS)
def test_torus_agrees_with_brute_force_at_many_poses(name: str) -> None:
    check_torus(name, MANY)


def shape_of(kind: str) -> Shape:
    """Return the contour of a surface."""
    if kind == "land":
        return LAND
    return waves_surface() if kind == "waves" else ellipsoid_surface(kind == "convex")


def check_patch(kind: str, name: str, n: int) -> None:
    """The least gap is that of brute force; where that is at an end it is not compared."""
    patch, (other, form) = PATCHES[kind], SHAPES[name]
    shape = shape_of(kind)
    pair, R = SpacePair(other, shape, slots_of(other, shape)), 0.0
    if name == "sphere":
        R = other.data[0]
    # where the core of the capsule comes close, distances are not smooth
    low = -0.05 if name == "capsule" else DEEPEST
    for a, b in poses_of(pair, n, 2, low=low):
        pair.detect(a, b)
        slot = int(np.argmin(pair.w.contact_g))
        g = float(pair.w.contact_g[slot])
        expected, at_end = patch.gap(form, b, a)
        if g < -R and name in ("point", "sphere"):
            expected = -expected - 2.0 * R  # the centre is inside
        if kind in ("waves", "land") and at_end:
            continue
        assert math.isfinite(g)
        if expected < DEEPEST:
            assert g < 0.9 * DEEPEST
            continue
        assert abs(g - expected) < 1e-9 * 0.3
        check_points(pair, slot)


ON_PATCHES = (
    [("ellipsoid", name) for name in ON_CLOSED]
    + [("convex", name) for name in ON_CLOSED]
    + [("waves", name) for name in ON_OPEN]
    + [("land", name) for name in ON_OPEN]
)


@pytest.mark.parametrize(("kind", "name"), ON_PATCHES)
def test_surface_agrees_with_brute_force(kind: str, name: str) -> None:
    check_patch(kind, name, 200)


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "name"), ON_PATCHES)
def test_surface_agrees_with_brute_force_at_many_poses(kind: str, name: str) -> None:
    check_patch(kind, name, MANY)


RARE = json.loads((Path(__file__).parent / "rare_surface_poses.json").read_text())


@pytest.mark.parametrize("case", RARE, ids=[f"{c['kind']}-{c['other']}" for c in RARE])
def test_poses_that_were_wrong_once(case: dict[str, Any]) -> None:
    """Minima of a ring narrower than its samples; the end of a capsule far from its middle, or
    another minimum in the same cell of the grid."""
    name, (a, b) = case["other"], (Pose(*(np.array(case[x + i]) for x in "rA")) for i in "12")
    if case["kind"] == "torus":
        shape, expected = TORUS, gap_of_ring(name, b, a)
    else:
        shape = shape_of(case["kind"])
        expected, _ = PATCHES[case["kind"]].gap(SHAPES[name][1], b, a)
    pair = SpacePair(SHAPES[name][0], shape, slots_of(SHAPES[name][0], shape))
    pair.detect(a, b)
    assert pair.w.contact_g.min() == pytest.approx(expected, abs=1e-12)
    check_points(pair, int(np.argmin(pair.w.contact_g)))


def separation(a: Pose, b: Pose) -> float:
    """Return the largest distance of two ellipsoids between parallel planes."""
    forms = SHAPES["ellipsoid"][1].copy(), SHAPES["ellipsoid"][1].copy()
    for one, pose in zip(forms, (a, b), strict=True):
        place(one, pose.r, pose.A)
    return deepest(*forms, SPREAD, np.zeros(SPREAD.shape[0]), 5)


SPREAD = directions(600)


def check_two_surfaces(convex: bool, n: int) -> None:
    pair = SpacePair(ellipsoid_surface(convex), ellipsoid_surface(convex))
    for a, b in poses_of(pair, n, 3):
        g, expected = pair.detect(a, b), separation(a, b)
        if expected < DEEPEST:
            assert g < 0.9 * DEEPEST
            continue
        assert abs(g - expected) < 1e-9 * 0.3
        check_points(pair)


@pytest.mark.parametrize("convex", [True, False])
def test_two_surfaces_agree_with_supports(convex: bool) -> None:
    check_two_surfaces(convex, 200)


@pytest.mark.verify
@pytest.mark.parametrize("convex", [True, False])
def test_two_surfaces_agree_with_supports_at_many_poses(convex: bool) -> None:
    check_two_surfaces(convex, MANY)


def check_surface_on_waves(n: int) -> None:
    pair = SpacePair(ellipsoid_surface(False), waves_surface())
    for a, b in poses_of(pair, n, 4):
        g = pair.detect(a, b)
        expected, at_end = PATCHES["waves"].gap(SHAPES["ellipsoid"][1], b, a)
        if at_end:
            continue
        assert abs(g - expected) < 1e-9 * 0.3
        check_points(pair)


def test_surface_on_waves_agrees_with_brute_force() -> None:
    check_surface_on_waves(100)


@pytest.mark.verify
def test_surface_on_waves_agrees_with_brute_force_at_many_poses() -> None:
    check_surface_on_waves(MANY)


# --- tubes -------------------------------------------------------------------------------------

TUBES = [(LOOP, 0.1, True), (LOOP, -0.25, True), (HELIX, 0.06, False), (HELIX, -0.25, False)]


def check_tube(points: Any, radius: float, closed: bool, n: int) -> None:
    spline, shape = tube(points, radius, closed)
    pair = SpacePair(SPHERE, shape)
    rng = np.random.default_rng(6)
    ends = spline.x[0], spline.x[-1]
    span = (ends[0] - 0.1, ends[1] + 0.1) if closed else ends  # beyond the seam
    curve, samples = curve_of(spline, closed), np.linspace(*span, 801)
    points = np.ascontiguousarray(spline(samples))
    form = SHAPES["point"][1].copy()
    for i in range(n):
        b = Pose(rng.uniform(-1, 1, 3), rotation(rng.uniform(-2, 2, 3)))
        way = rng.normal(size=3)
        reach = abs(radius) + 0.1
        x = spline(rng.uniform(*ends)) + way / np.linalg.norm(way) * rng.uniform(0.0, 1.3 * reach)
        a = Pose(b.world(x), b.A)
        if i % 2:
            pair.forget()
        g = pair.detect(a, b)
        place(form, -x, np.eye(3))
        d, s = lowest_on_curve(form, curve, points, *span)
        at_end = not closed and min(s - ends[0], ends[1] - s) < 1e-9
        if radius < 0.0 and (at_end or d > -2.0 * radius):
            assert g == math.inf
            continue
        expected = d - radius - 0.1 if radius > 0.0 else -radius - d - 0.1
        assert abs(g - expected) < 1e-10
        check_points(pair)


@pytest.mark.parametrize(("points", "radius", "closed"), TUBES)
def test_ball_and_tube_agree_with_brute_force(points: Any, radius: float, closed: bool) -> None:
    check_tube(points, radius, closed, 200)


@pytest.mark.verify
@pytest.mark.parametrize(("points", "radius", "closed"), TUBES)
def test_ball_and_tube_agree_at_many_poses(points: Any, radius: float, closed: bool) -> None:
    check_tube(points, radius, closed, MANY)


# a body about a rail: the shape, and how far it reaches
ABOUT_TUBE = [
    (name, points, radius, closed)
    for name in ("plane", "ellipsoid", "capsule")
    for points, radius, closed in TUBES
    if radius > 0.0
]


def poses_about_tube(pair: SpacePair, spline: Any, n: int) -> Any:
    """Yield poses near contact with the outside of a tube; every other search is a cold one."""
    rng = np.random.default_rng(16)
    for i in range(n):
        b = Pose(rng.uniform(-1, 1, 3), rotation(rng.uniform(-2, 2, 3)))
        x = spline(rng.uniform(spline.x[0], spline.x[-1])) + rng.normal(scale=0.2, size=3)
        a = Pose(b.world(x), rotation(rng.uniform(-2, 2, 3)))
        for _ in range(2):
            pair.detect(a, b)
            k = int(np.argmin(pair.w.contact_g))
            way = rng.uniform(DEEPEST, 0.1) - pair.w.contact_g[k]
            a = Pose(a.r + way * pair.w.contact_n[k], a.A)
        if i % 2:
            pair.forget()
        yield a, b


def check_outside(name: str, points: Any, radius: float, closed: bool, n: int) -> None:
    """The least gap of all points is that of the centre line's nearest one."""
    spline, shape = tube(points, radius, closed)
    other, form = SHAPES[name]
    pair = SpacePair(other, shape, slots_of(other, shape))
    ends = spline.x[0], spline.x[-1]
    span = (ends[0] - 0.1, ends[1] + 0.1) if closed else ends
    curve, samples = curve_of(spline, closed), np.linspace(*span, 801)
    line = np.ascontiguousarray(spline(samples))
    for a, b in poses_about_tube(pair, spline, n):
        pair.detect(a, b)
        place(form, a.local(b.r), a.A.T @ b.A)
        d, _ = lowest_on_curve(form, curve, line, *span)
        gaps, expected = pair.w.contact_g, d - radius
        if expected < DEEPEST:
            assert gaps.min() < 0.9 * DEEPEST
            continue
        assert abs(gaps.min() - expected) < 1e-9 * 0.3
        for slot in range(pair.n):
            if math.isfinite(gaps[slot]):
                check_points(pair, slot)


@pytest.mark.parametrize(("name", "points", "radius", "closed"), ABOUT_TUBE)
def test_rail_agrees_with_brute_force(name: str, points: Any, radius: float, closed: bool) -> None:
    check_outside(name, points, radius, closed, 100)


@pytest.mark.verify
@pytest.mark.parametrize(("name", "points", "radius", "closed"), ABOUT_TUBE)
def test_rail_agrees_with_brute_force_at_many_poses(
    name: str, points: Any, radius: float, closed: bool
) -> None:
    check_outside(name, points, radius, closed, MANY)


def depth_of_axis(spline: Any, closed: bool, a: Floats, b: Floats) -> tuple[float, float]:
    """Return the largest distance of a line from a to b from a spline, and its place in 0 to 1."""
    span = (spline.x[0] - 0.1, spline.x[-1] + 0.1) if closed else (spline.x[0], spline.x[-1])
    curve = curve_of(spline, closed)
    line = np.ascontiguousarray(spline(np.linspace(*span, 801)))
    form = SHAPES["point"][1].copy()

    def distance_at(t: float) -> float:
        place(form, -(a + t * (b - a)), np.eye(3))
        return float(lowest_on_curve(form, curve, line, *span)[0])

    t = np.linspace(0.0, 1.0, 41)
    k = int(np.argmax([distance_at(x) for x in t]))
    low, high = t[max(k - 1, 0)], t[min(k + 1, 40)]
    while high - low > 1e-7:  # at the largest distance errors are squared
        x, y = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (x, high) if distance_at(x) < distance_at(y) else (low, y)
    best = max((0.0, 0.5 * (low + high), 1.0), key=distance_at)
    return distance_at(best), best


def check_capsule_in_pipe(points: Any, radius: float, closed: bool, n: int) -> None:
    spline, shape = tube(points, radius, closed)
    pair = SpacePair(CAPSULE, shape, slots_of(CAPSULE, shape))
    rng, middles = np.random.default_rng(17), 0
    for i in range(n):
        margin = 0.0 if closed else 2.0 * HALF
        s = rng.uniform(spline.x[0] + margin, spline.x[-1] - margin)
        along, x = spline(s, 1), spline(s) + rng.uniform(-0.08, 0.08, 3)
        axis = along / np.linalg.norm(along) + rng.uniform(-0.2, 0.2, 3)
        axis /= np.linalg.norm(axis)
        A = np.linalg.svd(axis[None])[2][[1, 2, 0]].T
        A[:, 2] = axis
        A[:, 0] = np.cross(A[:, 1], axis)
        b = Pose(rng.uniform(-1, 1, 3), rotation(rng.uniform(-2, 2, 3)))
        if i % 2:
            pair.forget()
        pair.detect(Pose(b.world(x), b.A @ A), b)
        d, t = depth_of_axis(spline, closed, x - HALF * axis, x + HALF * axis)
        gaps = pair.w.contact_g
        assert abs(gaps.min() - (-radius - d - ROUND)) < 1e-9 * 0.3
        if 0.01 < t < 0.99:
            assert int(np.argmin(gaps)) == 2
            middles += 1
        for slot in range(3):
            if math.isfinite(gaps[slot]):
                check_points(pair, slot)
    assert middles > 0.1 * n


PIPES = [x for x in TUBES if x[1] < 0.0]


@pytest.mark.parametrize(("points", "radius", "closed"), PIPES)
def test_capsule_in_a_pipe_agrees_with_brute_force(
    points: Any, radius: float, closed: bool
) -> None:
    check_capsule_in_pipe(points, radius, closed, 20)


@pytest.mark.verify
@pytest.mark.parametrize(("points", "radius", "closed"), PIPES)
def test_capsule_in_a_pipe_agrees_at_many_poses(points: Any, radius: float, closed: bool) -> None:
    check_capsule_in_pipe(points, radius, closed, 1000)


ON_LONG = [tube(HELIX, -0.25, False)[1], tube(LOOP, 0.1, True)[1], LAND]


@pytest.mark.parametrize("shape", ON_LONG)
def test_capsule_touches_with_its_end_balls(shape: Any) -> None:
    both, ball = SpacePair(CAPSULE, shape, slots_of(CAPSULE, shape)), SpacePair(SPHERE, shape)
    ball.m.contours.data[0] = ROUND
    rng = np.random.default_rng(7)
    for _ in range(50):
        a = Pose(rng.uniform(-0.6, 0.6, 3), rotation(rng.uniform(-2, 2, 3)))
        both.detect(a, BALL)
        for i, z in enumerate((HALF, -HALF)):
            g = ball.detect(Pose(a.world(np.array([0.0, 0.0, z])), a.A), BALL)
            assert both.w.contact_g[i] == pytest.approx(g, abs=1e-12)
            assert both.w.contact_id[i] == (i if math.isfinite(g) else -1)


def test_straight_rail_lies_on_its_end_balls() -> None:
    _, shape = tube(np.outer(np.linspace(-1.0, 1.0, 5), (1.0, 0.0, 0.0)), 0.1, False)
    pair = SpacePair(PLANE, shape, slots_of(PLANE, shape))
    pair.detect(BALL, Pose(np.array([0.0, 0.0, 0.1]), np.eye(3)))
    gaps, places = pair.w.contact_g, pair.w.contact_r2
    assert gaps[1:] == pytest.approx(0.0, abs=1e-15)
    assert (places[1, 0], places[-1, 0]) == pytest.approx((-1.0, 1.0), abs=1e-15)
    # the lowest point of a tilted one is at an end, which has a ball of its own
    pair.detect(BALL, Pose(np.array([0.0, 0.0, 0.2]), rotation(np.array([0.0, 0.05, 0.0]))))
    assert gaps[0] == math.inf
    assert gaps[-1] == pytest.approx(0.1 - math.sin(0.05), abs=1e-15)


# --- the lying torus ---------------------------------------------------------------------------


@pytest.mark.parametrize("other", [PLANE, SHAPES["box"][0]])
def test_lying_torus_rests_on_three_points(other: Any) -> None:
    pair = SpacePair(other, TORUS, slots_of(other, TORUS))
    flat = Pose(np.array([0.0, 0.0, SECTION]), np.eye(3))
    top = Pose(np.array([0.0, 0.0, 0.0 if other is PLANE else -0.1]), np.eye(3))
    if other is not PLANE:
        pair.m.contours.data[:2] = 1.0
    pair.detect(top, flat)
    assert pair.w.contact_g == pytest.approx(0.0, abs=1e-15)
    # the centre is inside the triangle
    places = pair.w.contact_r2[:, :2]
    sides = [np.cross([*places[i - 1], 0], [*places[i], 0])[2] for i in range(3)]
    assert min(sides) * max(sides) > 0.0
    first = places.copy(), pair.w.contact_id.copy()
    # they stay when the torus moves a little
    for tilt in (1e-11, -1e-11):
        pair.detect(top, Pose(flat.r, rotation(np.array([tilt, 2.0 * tilt, 0.0]))))
        assert pair.w.contact_r2[:, :2] == pytest.approx(first[0], abs=1e-10)
        assert list(pair.w.contact_id) == list(first[1])


def test_rolling_torus_keeps_the_centre_between_its_points() -> None:
    pair = SpacePair(PLANE, TORUS, 3)
    for angle in np.linspace(0.0, 4.0 * np.pi, 300):
        tilt = rotation(0.2 * np.array([np.cos(angle), np.sin(angle), 0.0]))
        pose = Pose(np.array([0.0, 0.0, 0.2]), tilt)
        pair.detect(BALL, pose)
        places = (pair.w.contact_r2 @ tilt)[:, :2]
        sides = [np.cross([*places[i - 1], 0], [*places[i], 0])[2] for i in range(3)]
        assert min(sides) * max(sides) > 0.0
        assert pair.w.contact_g[0] <= pair.w.contact_g[1:].min()
        assert pair.w.contact_id[0] == 0


# --- rates -------------------------------------------------------------------------------------


def check_rates(pair: SpacePair, poses: Any, rng: Any, n_slots: int = 1) -> float:
    """Compare the rates of a contact with central differences, and return the largest error."""
    h, worst = 2e-6, 0.0
    for a, b in poses:
        motion = [(p, *rng.uniform(-1.0, 1.0, (2, 3))) for p in (a, b)]
        pair.detect(a, b)
        if not np.isfinite(pair.w.contact_g).all():
            continue
        expected = [rates(pair, k, *motion) for k in range(n_slots)]
        found = []
        for sign in (1.0, -1.0):
            pair.detect(*(p.moved(v, Omega, sign * h) for p, v, Omega in motion))
            w = pair.w
            found.append(
                (w.contact_g.copy(), w.contact_r1.copy(), w.contact_r2.copy(), w.contact_n.copy())
            )
        for k, rate in enumerate(expected):
            if max(np.linalg.norm(x) for x in rate[1:]) > 20.0:
                continue  # ill-conditioned, the differences are not good enough
            for i, value in enumerate(rate):
                error = (found[0][i][k] - found[1][i][k]) / (2.0 * h) - value
                worst = max(worst, float(np.abs(error).max()))
    return worst


RATES = (
    [("torus", name) for name in ON_TORUS if name not in ("box", "polyhedron")]
    + [("ellipsoid", name) for name in ON_CLOSED]
    + [("waves", name) for name in ON_OPEN]
    + [("land", name) for name in ("sphere", "ellipsoid")]
)


@pytest.mark.parametrize(("kind", "name"), RATES)
def test_rates_agree_with_differences(kind: str, name: str) -> None:
    shape = TORUS if kind == "torus" else shape_of(kind)
    pair, rng = SpacePair(SHAPES[name][0], shape), np.random.default_rng(8)
    assert check_rates(pair, poses_of(pair, 60, 9), rng) < 1e-6


@pytest.mark.parametrize("name", ["box", "polyhedron"])
def test_gap_rates_of_corners_agree_with_differences(name: str) -> None:
    # on a flat face the ring's point is a matter of its own curvature only
    pair, rng = SpacePair(SHAPES[name][0], TORUS), np.random.default_rng(8)
    assert check_rates(pair, poses_of(pair, 60, 9), rng) < 1e-6


def test_rates_of_two_surfaces_agree_with_differences() -> None:
    pair = SpacePair(ellipsoid_surface(True), ellipsoid_surface(True))
    rng = np.random.default_rng(8)
    assert check_rates(pair, poses_of(pair, 60, 9), rng) < 1e-6


@pytest.mark.parametrize(("points", "radius", "closed"), TUBES)
def test_rates_in_a_tube_agree_with_differences(points: Any, radius: float, closed: bool) -> None:
    spline, shape = tube(points, radius, closed)
    pair, rng = SpacePair(SPHERE, shape), np.random.default_rng(10)
    poses = []
    for _ in range(40):
        way = rng.normal(size=3)
        reach = abs(radius + 0.1) * rng.uniform(0.8, 1.1)
        s = rng.uniform(spline.x[0] + 0.2, spline.x[-1] - 0.2)
        b = Pose(rng.uniform(-1, 1, 3), rotation(rng.uniform(-2, 2, 3)))
        poses.append((Pose(b.world(spline(s) + reach * way / np.linalg.norm(way)), b.A), b))
    assert check_rates(pair, poses, rng) < 1e-6


def test_rates_of_the_lying_torus_agree_with_differences() -> None:
    pair, rng = SpacePair(PLANE, TORUS, 3), np.random.default_rng(11)
    assert check_rates(pair, poses_of(pair, 40, 12), rng, 3) < 1e-6


def forms(e: Any) -> tuple[Any, ...]:
    """Return tangents, normal, second form and Weingarten coefficients of an evaluated point."""
    _, s, t, ss, st, tt = e.reshape(6, 3)
    n = np.cross(s, t)
    n /= np.linalg.norm(n)
    E, F, G, L, M, N = s @ s, s @ t, t @ t, n @ ss, n @ st, n @ tt
    D = E * G - F * F
    first = ((M * F - L * G) * s + (L * F - M * E) * t) / D
    second = ((N * F - M * G) * s + (M * F - N * E) * t) / D
    return s, t, n, (L, M, N), first, second


def contour_rates(pair: SpacePair, a: Any, b: Any) -> Any:
    """Return the rates of s1, t1, s2, t2 by the book's equations 2.130 as corrected."""
    w = pair.w
    s1, t1, n1, _, ns, nt = forms(w.contact_c[0])
    s2, t2, n2, (L, M, N), _, _ = forms(w.contact_c[1])
    (pose_1, u1, Omega_1), (pose_2, u2, Omega_2) = a, b
    v = u2 + np.cross(Omega_2, w.contact_r2[0] - pose_2.r)
    v = v - u1 - np.cross(Omega_1, w.contact_r1[0] - pose_1.r)
    g, turn = w.contact_g[0], Omega_2 - Omega_1
    matrix = np.array(
        [
            [s2 @ ns, s2 @ nt, -L, -M],
            [t2 @ ns, t2 @ nt, -M, -N],
            [-s1 @ s2, -t1 @ s2, s2 @ s2 - g * L, s2 @ t2 - g * M],
            [-s1 @ t2, -t1 @ t2, s2 @ t2 - g * M, t2 @ t2 - g * N],
        ]
    )
    right = np.array(
        [
            np.cross(s2, n2) @ turn,
            np.cross(t2, n2) @ turn,
            -s2 @ v - g * np.cross(s2, n1) @ Omega_2,
            -t2 @ v - g * np.cross(t2, n1) @ Omega_2,
        ]
    )
    return np.linalg.solve(matrix, right), (s1, t1, s2, t2)


def test_contour_rates_of_the_book_agree_with_curvatures_and_differences() -> None:
    pair = SpacePair(ellipsoid_surface(True), ellipsoid_surface(True))
    rng, h, checked = np.random.default_rng(13), 2e-6, 0
    for a, b in poses_of(pair, 60, 14, 0.4):
        motion = [(p, *rng.uniform(-1.0, 1.0, (2, 3))) for p in (a, b)]
        pair.detect(a, b)
        if np.abs(pair.w.contact_s[[1, 3]]).max() > 1.3:
            continue  # near a pole the parameters are of no use
        x, (s1, t1, s2, t2) = contour_rates(pair, *motion)
        _, c1, c2, _ = rates(pair, 0, *motion)
        for i, (velocity, along) in enumerate(
            ((c1, s1 * x[0] + t1 * x[1]), (c2, s2 * x[2] + t2 * x[3]))
        ):
            pose, u, Omega = motion[i]
            point = (pair.w.contact_r1, pair.w.contact_r2)[i][0]
            assert velocity - u - np.cross(Omega, point - pose.r) == pytest.approx(along, abs=1e-9)
        after, before = [], []
        for sign, out in ((1.0, after), (-1.0, before)):
            pair.detect(*(p.moved(v, Omega, sign * h) for p, v, Omega in motion))
            out.append(pair.w.contact_s.copy())
        change = (after[0] - before[0] + np.pi) % (2.0 * np.pi) - np.pi
        assert change / (2.0 * h) == pytest.approx(x, rel=1e-6, abs=1e-6)
        checked += 1
    assert checked > 20


# --- poles, ends and the order of contours -------------------------------------------------------


def test_contact_passes_a_pole_smoothly() -> None:
    pair = SpacePair(PLANE, ellipsoid_surface(True))
    for angle in np.concatenate([np.linspace(-0.4, 0.4, 801), [0.0]]):
        for axis in (0.0, 0.3):
            A = rotation(angle * np.array([np.cos(axis), np.sin(axis), 0.0]))
            g = pair.detect(BALL, Pose(np.array([0.0, 0.0, 0.2]), A))
            support = np.linalg.norm(A[2] * np.array(AXES))
            assert g == pytest.approx(0.2 - support, abs=1e-14)
            lowest = -A @ (np.array(AXES) ** 2 * A[2]) / support
            assert pair.w.contact_r2[0, :2] == pytest.approx(lowest[:2], abs=3e-8)
            kappa = np.sort(pair.w.contact_k[0, [7, 9]])
            assert (kappa > 0.0).all()


def test_two_surfaces_touch_at_their_poles() -> None:
    pair = SpacePair(ellipsoid_surface(True), ellipsoid_surface(True))
    for angle in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        a = Pose(np.array([0.0, 0.0, 0.4]), rotation(np.array([angle, 0.5 * angle, 0.3])))
        for _ in range(2):
            g = pair.detect(a, BALL)
            assert g == pytest.approx(separation(a, BALL), abs=1e-14)
        pair.forget()


def test_nothing_is_found_beyond_the_ends() -> None:
    for shape in (LAND, waves_surface()):
        pair = SpacePair(SPHERE, shape)
        assert pair.detect(Pose(np.array([2.5, 0.0, 0.0]), np.eye(3)), BALL) == math.inf
        assert pair.w.contact_id[0] == -1
        assert math.isfinite(pair.detect(Pose(np.array([0.1, 0.0, 0.2]), np.eye(3)), BALL))
    # far behind an open surface is no contact, below a landscape it is a deep one
    behind = Pose(np.array([0.1, 0.0, -1.0]), np.eye(3))
    assert SpacePair(SPHERE, waves_surface()).detect(behind, BALL) == math.inf
    assert SpacePair(SPHERE, LAND).detect(behind, BALL) < -0.7


@pytest.mark.parametrize(("kind", "name"), [("torus", "capsule"), ("waves", "ellipsoid")])
def test_order_of_contours_turns_the_normal(kind: str, name: str) -> None:
    shape = TORUS if kind == "torus" else shape_of(kind)
    one = SpacePair(SHAPES[name][0], shape)
    two = SpacePair(shape, SHAPES[name][0])
    for a, b in poses_of(one, 10, 15):
        g = one.detect(a, b)
        assert two.detect(b, a) == pytest.approx(g, abs=1e-14)
        assert two.w.contact_n[0] == pytest.approx(-one.w.contact_n[0], abs=1e-9)
        assert two.w.contact_r1[0] == pytest.approx(one.w.contact_r2[0], abs=1e-9)
        assert two.w.contact_k[0, :4] == pytest.approx(one.w.contact_k[0, 7:11], abs=1e-7)


def test_torus_in_a_hollow_ball_touches_at_its_outermost_point() -> None:
    pair = SpacePair(HOLLOW, TORUS)
    g = pair.detect(BALL, Pose(np.array([0.3, 0.0, 0.1]), np.eye(3)))
    assert g == pytest.approx(0.8 - math.hypot(0.6, 0.1) - SECTION, abs=1e-15)
    assert pair.w.contact_r1[0, 0] > 0.7
