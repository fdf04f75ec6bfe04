"""Rates of contact kinematics against finite differences of moving contours.

The formulas of gap rate, contour rates and acceleration terms (T-10.6) to (T-10.10) are coded here
a second time, from the outputs of a contact slot alone.
"""

import math
from typing import Any

import numpy as np
import pytest
from contact_slots import ContactSlots, Floats, Found, two_bodies

import cornerlaw as cl

BOX = ((-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2))
STEP = 1e-3


def ellipse(s: float) -> tuple[float, float]:
    return 0.35 * math.cos(s), 0.2 * math.sin(s)


def wave(s: float) -> tuple[float, float]:
    return -s, 0.1 * math.cos(2.0 * s)


# an egg through twelve points
KNOTS = [
    (0.35 * math.cos(s), 0.2 * math.sin(s) + 0.03 * math.sin(2.0 * s))
    for s in np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
]
MAKE = {
    "point": lambda b: cl.ContactPoint("p " + b.name, b, at=(0.1, 0.05)),
    "circle": lambda b: cl.Circle("c " + b.name, b, radius=0.2, at=(0.05, -0.1)),
    "hole": lambda b: cl.Circle("h " + b.name, b, radius=0.9, inside=True, at=(0.05, -0.1)),
    "arc": lambda b: cl.Arc("a " + b.name, b, radius=0.3, start=-3.0, end=3.0),
    "inner arc": lambda b: cl.Arc(
        "i " + b.name, b, radius=0.9, start=-3.0, end=3.0, inside=True, at=(0.05, -0.1)
    ),
    "spline": lambda b: cl.SplineCurve("k " + b.name, b, points=KNOTS, closed=True),
    "line": lambda b: cl.Line("l " + b.name, b, normal=(0.2, 1.0), at=(0.0, -0.1)),
    "box": lambda b: cl.Polygon("b " + b.name, b, vertices=BOX),
    "segment": lambda b: cl.Segment("s " + b.name, b, start=(-0.8, 0.0), end=(0.8, 0.1)),
    "parabola": lambda b: cl.Parabola("q " + b.name, b, curvature=3.0, at=(0.05, 0.0)),
    "bowl": lambda b: cl.Parabola("w " + b.name, b, curvature=0.8, inside=True),
    "ellipse": lambda b: cl.Curve(
        "e " + b.name, b, function=ellipse, s=(0.0, 2.0 * math.pi), closed=True
    ),
    "wave": lambda b: cl.Curve("v " + b.name, b, function=wave, s=(-2.0, 2.0)),
}
PAIRS = [
    ("point", "circle"), ("point", "hole"), ("point", "line"), ("point", "segment"),
    ("point", "box"), ("point", "parabola"), ("point", "bowl"), ("point", "ellipse"),
    ("point", "wave"), ("circle", "circle"), ("circle", "hole"), ("circle", "line"),
    ("circle", "box"), ("circle", "ellipse"), ("circle", "bowl"), ("circle", "wave"),
    ("arc", "circle"), ("arc", "line"), ("box", "line"), ("box", "hole"), ("box", "segment"),
    ("box", "box"), ("box", "ellipse"), ("parabola", "line"), ("parabola", "ellipse"),
    ("ellipse", "line"), ("ellipse", "hole"), ("ellipse", "ellipse"), ("ellipse", "bowl"),
    ("point", "inner arc"), ("circle", "inner arc"), ("ellipse", "inner arc"), ("point", "spline"),
    ("circle", "spline"), ("spline", "line"), ("spline", "ellipse"), ("spline", "hole"),
]  # fmt: skip


class Motion:
    """Two bodies with constant accelerations."""

    def __init__(self, rng: np.random.Generator, distance: float) -> None:
        angle = rng.uniform(-np.pi, np.pi)
        a = (0.0, 0.0, rng.uniform(-np.pi, np.pi))
        b = (distance * math.cos(angle), distance * math.sin(angle), rng.uniform(-np.pi, np.pi))
        self.pose = np.array([a, b])
        self.rate = rng.uniform(-1.0, 1.0, (2, 3))
        self.acceleration = rng.uniform(-1.0, 1.0, (2, 3))

    def at(self, t: float) -> tuple[Floats, Floats]:
        pose = self.pose + self.rate * t + 0.5 * self.acceleration * t**2
        return pose, self.rate + self.acceleration * t


def cross(omega: float, r: Floats) -> Floats:
    return omega * np.array([-r[1], r[0]])


def velocities(found: Found, pose: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """Return the velocities of the material points at the contact. (T-10.6)"""
    v1 = rate[0, :2] + cross(rate[0, 2], found.r1 - pose[0, :2])
    v2 = rate[1, :2] + cross(rate[1, 2], found.r2 - pose[1, :2])
    return v1, v2


def contour_rates(found: Found, v1: Floats, v2: Floats, rate: Floats) -> Any:
    """Return s_dot and kappa s_dot of both contours in homogeneous form. (T-10.8)"""
    k1, p1, k2, p2 = found.k
    X, (o1, o2) = found.t @ (v2 - v1), rate[:, 2]
    D = k1 * p2 + k2 * p1 + found.g * k1 * k2
    a = (k2 * X - k2 * found.g * o1 + p2 * (o2 - o1)) / D
    b = (k1 * X - k1 * found.g * o2 - p1 * (o2 - o1)) / D
    return (p1 * a, k1 * a), (p2 * b, k2 * b)


def relative_accelerations(
    found: Found, pose: Floats, rate: Floats, acceleration: Floats
) -> tuple[float, float]:
    """Return d gamma_N / dt and d gamma_T / dt. (T-10.9) (T-10.10)"""
    v = velocities(found, pose, rate)
    s = contour_rates(found, *v, rate)
    normal, tangential = 0.0, 0.0
    for i, sign, point in ((0, 1.0, found.r1), (1, -1.0, found.r2)):
        n, t, omega = sign * found.n, sign * found.t, rate[i, 2]
        arm = point - pose[i, :2]
        a = acceleration[i, :2] + cross(acceleration[i, 2], arm) - omega**2 * arm
        moved, turned = s[i]
        rest = a - cross(omega, v[i])
        normal += n @ rest - turned * (t @ v[i]) + moved * omega
        tangential += t @ rest + turned * (n @ v[i])
    return normal, tangential


def measure(slots: ContactSlots, motion: Motion, t: float) -> list[tuple[Found, float, float]]:
    pose, rate = motion.at(t)
    found = slots.detect({"a": tuple(pose[0]), "b": tuple(pose[1])})
    rows = []
    for one in found:
        v1, v2 = velocities(one, pose, rate)
        rows.append((one, float(one.n @ (v1 - v2)), float(one.t @ (v1 - v2))))
    return rows


# steps of two central differences of fourth order, wide ones first
STENCIL = [x * h for h in (STEP, 0.5 * STEP) for x in (-2.0, -1.0, 1.0, 2.0)]


def derivative(values: list[float]) -> tuple[float, float]:
    """Return the derivative extrapolated from two steps to sixth order, and its uncertainty."""
    estimates = []
    for h, (a, b, c, d) in ((STEP, values[:4]), (0.5 * STEP, values[4:])):
        estimates.append((a - 8.0 * b + 8.0 * c - d) / (12.0 * h))
    wide, narrow = estimates
    return narrow + (narrow - wide) / 15.0, abs(narrow - wide)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_rates_are_those_of_the_moving_contours(first: str, second: str) -> None:
    slots = ContactSlots(two_bodies(MAKE[first], MAKE[second])[0])
    rng = np.random.default_rng(7)
    inside = second in ("hole", "inner arc")
    checked = 0
    for _ in range(60):
        motion = Motion(rng, rng.uniform(0.1, 0.4) if inside else rng.uniform(0.7, 1.2))
        slots.forget()
        middle = measure(slots, motion, 0.0)
        around = [measure(slots, motion, t) for t in STENCIL]
        pose, rate = motion.at(0.0)
        for k, (found, gamma_N, _) in enumerate(middle):
            rows = [row[k] for row in around]
            # a slot that changes its features has no derivative there
            same = [np.allclose(row[0].k, found.k, rtol=0.2, atol=0.0) for row in rows]
            if not all(same) or not all(math.isfinite(row[0].g) for row in (middle[k], *rows)):
                continue
            exact = (gamma_N, *relative_accelerations(found, pose, rate, motion.acceleration))
            for part, value in enumerate(exact):
                got, uncertainty = derivative([r[part] if part else r[0].g for r in rows])
                # near the centre of a concave contour the differences themselves are poor
                if uncertainty > 1e-7 * (1.0 + abs(value)):
                    continue
                # rounding 1e-15 / STEP and the sixth order leave 1e-9 of the size
                assert got == pytest.approx(value, abs=1e-8 * (1.0 + abs(value)))
                checked += 1
    assert checked >= 60
