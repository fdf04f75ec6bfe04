"""Gaps, normals and contact points of all pairs of contours against brute force."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contact_slots import ContactSlots, Floats, Found, turn, two_bodies
from scipy.optimize import minimize_scalar

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


def corners(points: Any) -> Callable[[Floats], float]:
    return lambda d: float(np.max(np.array(points) @ d))


SUPPORT: dict[str, Callable[[Floats], float]] = {
    "point": corners([(0.1, 0.05)]),
    "circle": lambda d: float(d @ [0.05, -0.1]) + 0.2,
    "plate": corners([(-0.3, 0.1), (0.25, 0.0)]),
    "box": corners(BOX),
    "kite": corners(KITE),
    "ellipse": lambda d: math.hypot(A * d[0], B * d[1]),
    "spline": lambda d: math.hypot(A * d[0], B * d[1]),
}


def separation(first: str, second: str, poses: dict[str, Any]) -> tuple[float, float]:
    """Return the largest distance of two convex bodies between parallel lines, and its angle.

    It is the gap: positive apart, minus the least penetration otherwise.
    """
    xa, ya, pa = poses["a"]
    xb, yb, pb = poses["b"]

    def apart(angle: float) -> float:
        n = np.array([math.cos(angle), math.sin(angle)])
        low = n @ [xa, ya] - SUPPORT[first](-turn(pa).T @ n)
        high = n @ [xb, yb] + SUPPORT[second](turn(pb).T @ n)
        return float(low - high)

    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    values = [apart(x) for x in angles]
    best = angles[int(np.argmax(values))]
    step = angles[1]
    found = minimize_scalar(
        lambda x: -apart(x), bounds=(best - step, best + step), options={"xatol": 1e-12}
    )
    return -float(found.fun), float(found.x)


def random_poses(rng: np.random.Generator, reach: float) -> dict[str, Any]:
    angle = rng.uniform(0.0, 2.0 * np.pi)
    distance = rng.uniform(0.3 * reach, reach)
    shift = rng.uniform(-0.1, 0.1, 2)
    a = (*shift, rng.uniform(-np.pi, np.pi))
    b = (
        shift[0] + distance * math.cos(angle),
        shift[1] + distance * math.sin(angle),
        rng.uniform(-np.pi, np.pi),
    )
    return {"a": a, "b": b}


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
    apart, penetrating = 0, 0
    while apart < 25 or penetrating < 10:
        poses = random_poses(rng, 1.0)
        expected, angle = separation(first, second, poses)
        if expected < -0.04 or (expected < 0.0 and penetrating == 10) or apart > 60:
            # a deep penetration has no unique nearest side
            apart = 25 if apart > 60 else apart
            if apart == 25 and expected > 0.0:
                continue
            if expected < -0.04:
                continue
        forwards.forget()
        backwards.forget()
        found = forwards.detect(poses)
        mirrored = {"a": poses["a"], "b": poses["b"]}
        other = backwards.detect(mirrored)
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
            apart += 1
        else:
            penetrating += 1
