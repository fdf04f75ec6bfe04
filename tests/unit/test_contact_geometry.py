"""Gaps, normals and contact points of all pairs of contours against brute force."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contact_slots import ContactSlots, Floats, Found, turn, two_bodies

import cornerlaw as cl

BOX = ((-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2))
KITE = ((-0.25, 0.0), (0.05, -0.3), (0.2, 0.0), (0.05, 0.35), (-0.1, 0.3))
A, B = 0.35, 0.2  # half axes of the ellipse


def ellipse(s: float) -> tuple[float, float]:
    return A * math.cos(s), B * math.sin(s)


def bean(s: float) -> tuple[float, float]:
    return 0.3 * math.cos(s) * (1.0 + 0.2 * math.cos(s)), 0.25 * math.sin(s)


# contour on a body, and the convex body's support h(d) = max of d . x in its own axes
MAKE: dict[str, Callable[[Any], Any]] = {
    "point": lambda b: cl.ContactPoint("point " + b.name, b, at=(0.1, 0.05)),
    "circle": lambda b: cl.Circle("circle " + b.name, b, radius=0.2, at=(0.05, -0.1)),
    "plate": lambda b: cl.Segment(
        "plate " + b.name, b, start=(-0.3, 0.1), end=(0.25, 0.0), two_sided=True
    ),
    "box": lambda b: cl.Polygon("box " + b.name, b, vertices=BOX),
    "kite": lambda b: cl.Polygon("kite " + b.name, b, vertices=KITE),
    "ellipse": lambda b: cl.Curve(
        "ellipse " + b.name, b, function=ellipse, s=(0.0, 2.0 * math.pi), closed=True
    ),
    "spline": lambda b: cl.SplineCurve(
        "spline " + b.name,
        b,
        points=[ellipse(s) for s in np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)],
        closed=True,
    ),
}


def corners(points: Any) -> Callable[[Floats], Floats]:
    return lambda d: np.asarray(np.max(np.array(points) @ d, axis=0))


SUPPORT: dict[str, Callable[[Floats], Floats]] = {
    "point": corners([(0.1, 0.05)]),
    "circle": lambda d: 0.05 * d[0] - 0.1 * d[1] + 0.2,
    "plate": corners([(-0.3, 0.1), (0.25, 0.0)]),
    "box": corners(BOX),
    "kite": corners(KITE),
    "ellipse": lambda d: np.hypot(A * d[0], B * d[1]),
    "spline": lambda d: np.hypot(A * d[0], B * d[1]),
}


def separation(first: str, second: str, poses: dict[str, Any]) -> tuple[float, float]:
    """Return the largest distance of two convex bodies between parallel lines, and its angle.

    It is the gap: positive apart, minus the least penetration otherwise.
    """
    xa, ya, pa = poses["a"]
    xb, yb, pb = poses["b"]

    def apart(angle: Any) -> Any:
        n = np.array([np.cos(angle), np.sin(angle)])
        low = n[0] * xa + n[1] * ya - SUPPORT[first](-turn(pa).T @ n)
        high = n[0] * xb + n[1] * yb + SUPPORT[second](turn(pb).T @ n)
        return low - high

    low, high = 0.0, 2.0 * np.pi
    for _ in range(6):
        # kinks of polygons forbid methods that need derivatives
        angles = np.linspace(low, high, 2001)
        best = angles[int(np.argmax(apart(angles)))]
        low, high = best - 2.0 * (angles[1] - angles[0]), best + 2.0 * (angles[1] - angles[0])
    return float(apart(best)), float(best)


def random_poses(rng: np.random.Generator, first: str, second: str) -> list[dict[str, Any]]:
    """Return 30 poses apart and 10 in slight penetration; a deep one has no unique side."""
    apart: list[dict[str, Any]] = []
    touching: list[dict[str, Any]] = []
    while len(apart) < 30 or len(touching) < 10:
        x, y, a, b, angle = rng.uniform(-np.pi, np.pi, 5)
        distance = rng.uniform(0.0, 1.0)
        poses = {
            "a": (0.1 * x, 0.1 * y, a),
            "b": (0.1 * x + distance * math.cos(angle), 0.1 * y + distance * math.sin(angle), b),
        }
        g, _ = separation(first, second, poses)
        if g > 0.0:
            apart.append(poses)
        elif g > -0.03:
            touching.append(poses)
    return [*apart[:30], *touching[:10]]


def assert_consistent(found: Found) -> None:
    """The points are a gap apart along a unit normal, the tangent is the normal turned."""
    assert np.hypot(*found.n) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(found.t, (found.n[1], -found.n[0]), atol=0.0)
    np.testing.assert_allclose(found.r1 - found.r2, found.g * found.n, atol=1e-13)


def assert_mirrored(found: list[Found], other: list[Found]) -> None:
    """The opposite order of the operands gives the same with the normal turned round."""
    assert len(found) == len(other)
    gaps = sorted(f.g for f in found)
    np.testing.assert_allclose(gaps, sorted(f.g for f in other), atol=1e-13)
    a, b = min(found, key=lambda f: f.g), min(other, key=lambda f: f.g)
    if abs(gaps[0] - gaps[-1]) > 1e-9 or len(gaps) == 1:
        np.testing.assert_allclose(a.n, -b.n, atol=1e-9)
        np.testing.assert_allclose(a.r1, b.r2, atol=1e-9)
        np.testing.assert_allclose(a.k, b.k[[2, 3, 0, 1]], rtol=1e-7, atol=1e-9)


PAIRS = [
    ("point", "circle"), ("point", "box"), ("point", "kite"), ("point", "ellipse"),
    ("circle", "circle"), ("circle", "box"), ("circle", "kite"), ("circle", "plate"),
    ("circle", "ellipse"), ("circle", "spline"), ("box", "box"), ("box", "kite"),
    ("kite", "plate"), ("box", "ellipse"), ("kite", "ellipse"), ("ellipse", "ellipse"),
    ("ellipse", "spline"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_gap_of_convex_bodies(first: str, second: str) -> None:
    # the brute force is good to 1e-10; a spline of 400 points is within 1e-9 of the ellipse
    tolerance = 1e-7 if "spline" in (first, second) else 2e-9
    forwards, backwards = (ContactSlots(m) for m in two_bodies(MAKE[first], MAKE[second]))
    rng = np.random.default_rng(1)
    for poses in random_poses(rng, first, second):
        expected, angle = separation(first, second, poses)
        forwards.forget()
        backwards.forget()
        found, other = forwards.detect(poses), backwards.detect(poses)
        assert_mirrored(found, other)
        for one in found:
            if one.g < math.inf:
                assert_consistent(one)
        nearest = min(found, key=lambda f: f.g)
        assert nearest.g == pytest.approx(expected, abs=tolerance)
        if expected > 1e-3:
            # in penetration two directions may be equally deep
            n = np.array([math.cos(angle), math.sin(angle)])
            np.testing.assert_allclose(nearest.n, n, atol=1e-4)


@pytest.mark.parametrize("first", ["point", "circle", "box", "kite", "plate", "ellipse"])
def test_gap_to_a_line(first: str) -> None:
    line = ((0.1, -0.2), (0.6, 0.8))  # point and normal in the axes of the body

    def make(b: Any) -> Any:
        return cl.Line("line", b, at=line[0], normal=line[1])

    forwards, backwards = (ContactSlots(m) for m in two_bodies(MAKE[first], make))
    rng = np.random.default_rng(2)
    for _ in range(30):
        a, b = rng.uniform(-1.5, 1.5, (2, 3))
        n = turn(b[2]) @ line[1]
        p = b[:2] + turn(b[2]) @ line[0]
        expected = n @ (a[:2] - p) - SUPPORT[first](-turn(a[2]).T @ n)
        poses = {"a": tuple(a), "b": tuple(b)}
        found, other = forwards.detect(poses), backwards.detect(poses)
        assert_mirrored(found, other)
        nearest = min(found, key=lambda f: f.g)
        assert_consistent(nearest)
        assert nearest.g == pytest.approx(expected, abs=1e-13)
        np.testing.assert_allclose(nearest.n, n, atol=1e-12)


@pytest.mark.parametrize("first", ["point", "circle", "box", "kite", "ellipse"])
def test_gap_inside_a_circle(first: str) -> None:
    R = 0.9

    def make(b: Any) -> Any:
        return cl.Circle("hole", b, radius=R, inside=True)

    forwards, backwards = (ContactSlots(m) for m in two_bodies(MAKE[first], make))
    s = np.linspace(0.0, 2.0 * np.pi, 100_001)
    outlines = {
        "point": np.array([[0.1, 0.05]]),
        "circle": np.array([0.05, -0.1]) + 0.2 * np.column_stack([np.cos(s), np.sin(s)]),
        "box": np.array(BOX),
        "kite": np.array(KITE),
        "ellipse": np.column_stack([A * np.cos(s), B * np.sin(s)]),
    }
    rng = np.random.default_rng(3)
    for _ in range(30):
        a, b = rng.uniform(-0.4, 0.4, (2, 3)) * (1.0, 1.0, 7.0)
        points = a[:2] + outlines[first] @ turn(a[2]).T
        expected = R - np.max(np.hypot(*(points - b[:2]).T))
        poses = {"a": tuple(a), "b": tuple(b)}
        found, other = forwards.detect(poses), backwards.detect(poses)
        assert_mirrored(found, other)
        nearest = min(found, key=lambda f: f.g)
        assert_consistent(nearest)
        # 100,000 points leave a sagitta of 2e-9
        assert nearest.g == pytest.approx(expected, abs=5e-9)
        # the normal points from the hole's rim to its centre
        np.testing.assert_allclose(nearest.n, (b[:2] - nearest.r2) / R, atol=1e-12)


def test_an_arc_is_a_circle_between_its_ends() -> None:
    def arc(b: Any) -> Any:
        return cl.Arc("arc", b, radius=0.3, start=0.2, end=2.0, at=(0.1, 0.0))

    def circle(b: Any) -> Any:
        return cl.Circle("full", b, radius=0.3, at=(0.1, 0.0))

    for second in ("point", "circle", "box", "ellipse"):
        part, full = (ContactSlots(two_bodies(make, MAKE[second])[0]) for make in (arc, circle))
        rng = np.random.default_rng(4)
        seen = set()
        for _ in range(60):
            angle = rng.uniform(-np.pi, np.pi)
            b = (1.2 * math.cos(angle), 1.2 * math.sin(angle), rng.uniform(-np.pi, np.pi))
            a = (0.0, 0.0, 0.4)
            one, whole = (slots.detect({"a": a, "b": b})[0] for slots in (part, full))
            place = turn(0.4).T @ (whole.r1 - turn(0.4) @ [0.1, 0.0])
            on_it = 0.2 <= math.atan2(place[1], place[0]) <= 2.0
            assert one.g == (whole.g if on_it else math.inf)
            seen.add(on_it)
        assert seen == {True, False}


def test_an_arc_inside_is_a_hole_between_its_ends() -> None:
    def arc(b: Any) -> Any:
        return cl.Arc("arc", b, radius=0.9, start=0.2, end=2.0, at=(0.1, 0.0), inside=True)

    def hole(b: Any) -> Any:
        return cl.Circle("full", b, radius=0.9, at=(0.1, 0.0), inside=True)

    for second in ("point", "circle", "ellipse"):
        part, full = (ContactSlots(two_bodies(MAKE[second], make)[0]) for make in (arc, hole))
        rng = np.random.default_rng(6)
        seen = set()
        for _ in range(60):
            angle = rng.uniform(-np.pi, np.pi)
            a = (0.4 * math.cos(angle), 0.4 * math.sin(angle), rng.uniform(-np.pi, np.pi))
            b = (0.0, 0.0, 0.4)
            one, whole = (slots.detect({"a": a, "b": b})[0] for slots in (part, full))
            place = turn(0.4).T @ (whole.r2 - turn(0.4) @ [0.1, 0.0])
            on_it = 0.2 <= math.atan2(place[1], place[0]) <= 2.0
            assert one.g == (pytest.approx(whole.g, abs=1e-14) if on_it else math.inf)
            seen.add(on_it)
        assert seen == {True, False}


def nearest_of(outline: Floats, point: Floats) -> float:
    return float(np.min(np.hypot(*(outline - point).T)))


def test_a_ball_in_a_bowl_and_on_a_wave() -> None:
    def bowl(b: Any) -> Any:
        return cl.Parabola("bowl", b, curvature=1.5, inside=True)

    def wave(b: Any) -> Any:
        # the body is below, so that it is run through from right to left
        return cl.Curve("wave", b, function=lambda s: (-s, 0.05 * math.sin(4.0 * s)), s=(-2.0, 2.0))

    x = np.linspace(-2.0, 2.0, 400_001)
    outlines = {
        "bowl": np.column_stack([x, 0.75 * x**2]),
        "wave": np.column_stack([-x, 0.05 * np.sin(4.0 * x)]),
    }
    rng = np.random.default_rng(5)
    for name, make in (("bowl", bowl), ("wave", wave)):
        slots = ContactSlots(two_bodies(lambda b: cl.Circle("ball", b, radius=0.05), make)[0])
        for _ in range(40):
            place = np.array([rng.uniform(-0.8, 0.8), rng.uniform(0.1, 0.4)])
            above = 0.75 * place[0] ** 2 if name == "bowl" else 0.0
            place[1] += above
            found = slots.detect({"a": (*place, 0.0), "b": (0.0, 0.0, 0.0)})[0]
            assert_consistent(found)
            # points 1e-5 apart
            assert found.g == pytest.approx(nearest_of(outlines[name], place) - 0.05, abs=1e-8)
    slots = ContactSlots(two_bodies(lambda b: cl.Circle("ball", b, radius=0.05), wave)[0])
    assert slots.detect({"a": (3.0, 0.1, 0.0), "b": (0.0, 0.0, 0.0)})[0].g == math.inf


def test_wrong_roots_are_rejected() -> None:
    def line(b: Any) -> Any:
        return cl.Line("line", b, normal=(0.0, 1.0))

    def parabola(b: Any) -> Any:
        return cl.Parabola("parabola", b, curvature=2.0)

    slots = ContactSlots(two_bodies(parabola, line)[0])
    # tan(60 deg) / 2 off the apex; upside down no tangent faces the line
    upright = slots.detect({"a": (0.0, 3.0, math.pi / 3.0), "b": (0.0, 0.0, 0.0)})[0]
    assert upright.g == pytest.approx(3.0 - 0.75 / (4.0 * 0.5), abs=1e-14)
    turned = slots.detect({"a": (0.0, 3.0, math.pi), "b": (0.0, 0.0, 0.0)})[0]
    assert turned.g == math.inf
    # the far side of an ellipse is a stationary point too
    oval = ContactSlots(two_bodies(MAKE["ellipse"], line)[0])
    for guess in np.linspace(0.0, 2.0 * np.pi, 9):
        oval.w.contact_s[0] = guess
        found = oval.detect({"a": (0.0, 1.0, 0.0), "b": (0.0, 0.0, 0.0)})[0]
        assert found.g == pytest.approx(1.0 - B, abs=1e-15)


def test_a_flat_on_a_flat_has_two_contacts() -> None:
    plank = ((-1.0, -0.1), (0.2, -0.1), (0.2, 0.0), (-1.0, 0.0))

    def make(b: Any) -> Any:
        return cl.Polygon("plank", b, vertices=plank)

    slots = ContactSlots(two_bodies(MAKE["box"], make)[0])
    # the box overhangs the end of the plank by 0.2
    low, high = slots.detect({"a": (0.1, 0.25, 0.0), "b": (0.0, 0.0, 0.0)})
    assert low.g == pytest.approx(0.05, abs=1e-15) and high.g == pytest.approx(0.05, abs=1e-15)
    np.testing.assert_allclose(low.r1, (-0.2, 0.05), atol=1e-15)
    np.testing.assert_allclose(high.r2, (0.2, 0.0), atol=1e-15)
    # a corner of the box over the plank, the end of the plank under the box
    np.testing.assert_array_equal(low.k, (1.0, 0.0, 0.0, 1.0))
    np.testing.assert_array_equal(high.k, (0.0, 1.0, 1.0, 0.0))


def test_a_corner_keeps_its_slot_when_a_box_tips_over_it() -> None:
    def plank(b: Any) -> Any:
        return cl.Polygon("plank", b, vertices=((-2.0, -1.0), (2.0, -1.0), (2.0, 0.0), (-2.0, 0.0)))

    slots = ContactSlots(two_bodies(MAKE["box"], plank)[0])
    corner = np.array([0.3, -0.2])
    places = []
    for angle in np.linspace(-0.01, -1.5, 60):
        x, y = -turn(angle) @ corner
        found = slots.detect({"a": (x, y, angle), "b": (0.0, 0.0, 0.0)})
        closed = [k for k, f in enumerate(found) if abs(f.g) < 1e-12]
        assert len(closed) == 1 and min(f.g for f in found) > -1e-12
        places.append(closed[0])
    assert len(set(places)) == 1


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("swapped", [0, 1])
def test_a_corner_keeps_its_slot_when_a_box_leaves_the_end_of_a_plank(
    way: float, swapped: int
) -> None:
    def plank(b: Any) -> Any:
        return cl.Polygon("plank", b, vertices=((-2.0, -1.0), (2.0, -1.0), (2.0, 0.0), (-2.0, 0.0)))

    slots = ContactSlots(two_bodies(MAKE["box"], plank)[swapped])
    places = []
    for x in np.linspace(2.2, 2.4, 20):
        # half of the way its trailing corner is over the plank, then it meets the end of the plank;
        # the corner of the first of the two stays where it is
        found = slots.detect({"a": (way * x, 0.25, 0.0), "b": (0.0, 0.0, 0.0)})
        corner = (way * 2.0, 0.0) if swapped else (way * (x - 0.3), 0.05)
        near = [k for k, f in enumerate(found) if f.g < 1.0 and np.allclose(f.r1, corner)]
        assert len(near) == 1
        places.append(near[0])
    assert len(set(places)) == 1


def test_equal_boxes_upon_each_other_keep_their_slots() -> None:
    slots = ContactSlots(two_bodies(MAKE["box"], MAKE["box"])[0])
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(50):
        # corners lie upon each other up to rounding, and either of two may be the end
        x, y, angle = 1e-13 * rng.uniform(-1.0, 1.0, 3)
        low, high = slots.detect({"a": (x, 0.4 + y, angle), "b": (0.0, 0.0, 0.0)})
        np.testing.assert_allclose((low.r1[0], high.r1[0]), (-0.3, 0.3), atol=1e-12)
        assert max(abs(low.g), abs(high.g)) < 1e-12
        seen.add((*low.k, *high.k))
    assert len(seen) > 1


def test_a_segment_is_touched_from_its_left_only() -> None:
    def floor(b: Any) -> Any:
        return cl.Segment("floor", b, start=(-1.0, 0.0), end=(1.0, 0.0))

    rest = {"b": (0.0, 0.0, 0.0)}
    ball = ContactSlots(two_bodies(lambda b: cl.Circle("ball", b, radius=0.1), floor)[0])
    assert ball.detect({"a": (0.3, 0.05, 0.0), **rest})[0].g == pytest.approx(-0.05, abs=1e-15)
    assert ball.detect({"a": (0.3, -0.11, 0.0), **rest})[0].g == math.inf
    end = ball.detect({"a": (1.3, -0.4, 0.0), **rest})[0]
    assert end.g == pytest.approx(0.4, abs=1e-15)
    np.testing.assert_allclose(end.n, (0.6, -0.8), atol=1e-15)
    box = ContactSlots(two_bodies(MAKE["box"], floor)[0])
    above = box.detect({"a": (0.0, 0.19, 0.0), **rest})
    assert [f.g for f in above] == pytest.approx([-0.01, -0.01], abs=1e-15)
    assert all(f.g == math.inf for f in box.detect({"a": (0.0, -0.3, 0.0), **rest}))


def test_following_the_contact_equals_searching_it() -> None:
    slots = ContactSlots(two_bodies(MAKE["ellipse"], bean_on)[0])
    for angle in np.linspace(0.0, 2.0 * np.pi, 200):
        poses = {"a": (0.9 * math.cos(angle), 0.9 * math.sin(angle), -2.0 * angle), "b": (0, 0, 0)}
        warm = slots.detect(poses)[0]
        slots.forget()
        cold = slots.detect(poses)[0]
        assert warm.g == pytest.approx(cold.g, abs=1e-13)
        np.testing.assert_allclose(warm.n, cold.n, atol=1e-10)


def bean_on(b: Any) -> Any:
    return cl.Curve("bean", b, function=bean, s=(0.0, 2.0 * math.pi), closed=True)
