"""Boxes and polyhedra on surfaces and height fields: gaps against brute force, slots, rates."""

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest
from brute_footing import deepest_place, edges_of
from brute_force import distance, form
from scipy.spatial import ConvexHull
from surface_checks import BOX, HULL, LAND, PATCHES, SHAPES, ellipsoid_surface, waves_surface
from surface_slots import Floats, Pose, Shape, SpacePair, rotation, slots_of

from cornerlaw.arrays import kinds

DEEPEST = -0.07  # about a quarter of the size
MANY = 10_000
SIZE = 0.3
EXACT = 1e-9 * SIZE  # the bound of smooth pairs; edges and corners of polytopes need no more

POINTS = {
    "box": np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * BOX,
    "polyhedron": np.array(HULL.data[4 : 4 + 3 * HULL.size]).reshape(-1, 3),
}
TRIANGLES = {name: ConvexHull(x).simplices for name, x in POINTS.items()}
SURFACES = {"land": LAND}


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


@pytest.mark.parametrize("name", ["box", "polyhedron"])
def test_polytope_on_land_agrees_with_brute_force(name: str) -> None:
    seen = check_land("land", name, 200)
    assert min(seen.values()) >= 4


@pytest.mark.verify
@pytest.mark.parametrize("name", ["box", "polyhedron"])
def test_polytope_on_land_agrees_with_brute_force_at_many_poses(name: str) -> None:
    check_land("land", name, MANY)
