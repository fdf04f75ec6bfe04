"""Rates of gaps, normals and contact points in space against differences of small motions."""

from typing import Any

import numpy as np
import pytest
from convex_shapes import AXES, SOLIDS, R
from space_slots import Found, PairSlots, moved, random_axes, rates

import cornerlaw as cl
from cornerlaw.kernels.contact.space.planes import detect_plane
from cornerlaw.kernels.contact.space.rounds import detect_round


def sphere(b: Any) -> Any:
    return cl.Sphere("sphere", b, radius=0.07)


def plane(b: Any) -> Any:
    return cl.Plane("plane", b, normal=(0.0, 3.0, 4.0))


def hollow(b: Any) -> Any:
    return cl.Sphere("hollow", b, radius=0.6, inside=True)


def ring(b: Any) -> Any:
    return cl.Ring("ring", b, radius=R)


def turned_ellipsoid(b: Any) -> Any:
    rotation = cl.rotation.cardan(0.3, -0.4, 1.0)
    return cl.Ellipsoid("turned", b, axes=AXES, at=(0.02, -0.03, 0.05), rotation=rotation)


MAKE = {name: solid.make for name, solid in SOLIDS.items()} | {"ring": ring}
PAIRS: list[tuple[str, Any, Any, Any]] = [
    ("sphere-sphere", sphere, lambda b: cl.Sphere("other", b, radius=R), detect_round),
    ("sphere-plane", sphere, plane, detect_round),
    ("hollow-sphere", hollow, sphere, detect_round),
    ("sphere-turned ellipsoid", sphere, turned_ellipsoid, detect_round),
    ("plane-turned ellipsoid", plane, turned_ellipsoid, detect_plane),
    *((f"sphere-{name}", sphere, make, detect_round) for name, make in MAKE.items()),
    *((f"plane-{name}", plane, make, detect_plane) for name, make in MAKE.items()),
    *((f"{name}-plane", make, plane, detect_plane) for name, make in MAKE.items()),
    *((f"hollow-{name}", hollow, make, detect_round) for name, make in MAKE.items()),
]


def is_same_feature(a: Found, b: Found) -> bool:
    """Tell whether two finds are of one smooth piece: the same region, no jump of the point."""
    same = all(
        bool(np.all((x[:4] == 0.0) == (y[:4] == 0.0)))
        for x, y in ((a.curve_1, b.curve_1), (a.curve_2, b.curve_2))
    )
    return a.identity == b.identity and same and float(np.linalg.norm(a.n - b.n)) < 1e-2


@pytest.mark.parametrize(("name", "first", "second", "kernel"), PAIRS, ids=[p[0] for p in PAIRS])
def test_rates(name: str, first: Any, second: Any, kernel: Any) -> None:
    slots = PairSlots(first, second, kernel)
    rng = np.random.default_rng(21)
    dt, checked = 1e-5, 0
    inside = "hollow" in name
    for _ in range(60):
        x = rng.normal(size=3)
        x *= rng.uniform(0.05, 0.2) if inside else rng.uniform(0.35, 0.6)
        a = rng.uniform(-0.5, 0.5, 3), random_axes(rng)
        b = a[0] + a[1] @ x, random_axes(rng)
        motion = rng.normal(size=(4, 3))
        v1, O1, v2, O2 = motion
        slots.forget()
        now = {one.slot: one for one in slots.detect(a, b)}
        before, after = (
            {one.slot: one for one in slots.detect(moved(a, v1, O1, t), moved(b, v2, O2, t))}
            for t in (-dt, dt)
        )
        for k, one in now.items():
            if k not in before or k not in after or one.g > 1.0:
                continue
            if not (is_same_feature(one, before[k]) and is_same_feature(one, after[k])):
                continue
            g_dot, n_dot, c1, c2 = rates(one, a, b, motion)
            for value, field in ((g_dot, "g"), (n_dot, "n"), (c1, "r1"), (c2, "r2")):
                slope = (getattr(after[k], field) - getattr(before[k], field)) / (2.0 * dt)
                # rounding and the third derivative of the motion
                size = 1.0 + float(np.abs(value).max())
                np.testing.assert_allclose(slope, value, atol=2e-7 * size**3, rtol=0.0)
            checked += 1
    assert checked > 40
