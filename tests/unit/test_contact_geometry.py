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
