"""Spheres and planes against solids in space: gaps as `coal` finds them."""

from typing import Any

import numpy as np
import pytest
from convex_shapes import AXES, HALF, POINTS, SOLIDS, H, R
from space_slots import PairSlots, random_axes

import cornerlaw as cl
from cornerlaw.kernels.contact.space.planes import detect_plane
from cornerlaw.kernels.contact.space.rounds import detect_round

coal = pytest.importorskip("coal")


def facets() -> Any:
    from scipy.spatial import ConvexHull

    triangles = coal.StdVec_Triangle()
    hull = ConvexHull(POINTS)
    for face, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = (int(i) for i in face)
        outward = np.cross(POINTS[b] - POINTS[a], POINTS[c] - POINTS[a]) @ plane[:3] > 0.0
        triangles.append(coal.Triangle(a, b, c) if outward else coal.Triangle(a, c, b))
    points = coal.StdVec_Vec3s()
    for p in POINTS:
        points.append(p)
    return coal.Convex(points, triangles)


# the cone of coal has its centre at half its height
PEERS: dict[str, Any] = {
    "capsule": (lambda: coal.Capsule(R, 2.0 * H), 0.0),
    "cylinder": (lambda: coal.Cylinder(R, 2.0 * H), 0.0),
    "cone": (lambda: coal.Cone(R, H), 0.5 * H),
    "ellipsoid": (lambda: coal.Ellipsoid(*AXES), 0.0),
    "box": (lambda: coal.Box(*(2.0 * HALF)), 0.0),
    "polyhedron": (facets, 0.0),
}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("kind", ["sphere", "plane"])
def test_gap_of_coal(kind: str, name: str) -> None:
    if kind == "sphere":
        slots = PairSlots(
            lambda b: cl.Sphere("sphere", b, radius=0.07), SOLIDS[name].make, detect_round
        )
        other = coal.Sphere(0.07)
    else:
        slots = PairSlots(
            lambda b: cl.Plane("plane", b, normal=(0.0, 0.0, 1.0)), SOLIDS[name].make, detect_plane
        )
        other = coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    make, offset = PEERS[name]
    shape = make()
    rng = np.random.default_rng(31)
    for _ in range(200):
        x = rng.normal(size=3)
        x *= rng.uniform(0.1, 0.8) / np.linalg.norm(x)
        a, b = (np.zeros(3), random_axes(rng)), (x, random_axes(rng))
        gap = min(one.g for one in slots.detect(a, b))
        poses = (
            coal.Transform3s(a[1], a[0]),
            coal.Transform3s(b[1], b[0] + b[1] @ np.array([0.0, 0.0, offset])),
        )
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        found = coal.distance(other, poses[0], shape, poses[1], request, result)
        # coal stops its iterations at 1e-6
        if found > 0.0 or gap > 0.0 or kind == "plane":
            assert gap == pytest.approx(found, abs=2e-6)
