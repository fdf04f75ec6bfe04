"""Parts of contours in space: what they refuse, and what can touch what."""

import math
from pathlib import Path
from typing import Any

import pytest

import cornerlaw as cl

BODY = cl.Body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
OTHER = cl.Body("other", mass=1.0, inertia=(1.0, 1.0, 1.0))
DISK = cl.Disk("disk", mass=1.0, radius=1.0)
FLOOR = cl.Ground(normal=(0.0, 0.0, 1.0))
FLAT = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)]


def dome(s: float, t: float) -> tuple[float, float, float]:
    return s, t, 1.0 - s * s - t * t


WRONG: list[tuple[Any, str]] = [
    (lambda: cl.Sphere("s", BODY, radius=0.0), "Sphere 's': radius must be > 0, got 0 m"),
    (lambda: cl.Sphere("s", BODY, radius=1.0, at=(0.0, 1.0)), "at must be 3 numbers"),
    (lambda: cl.Plane("p", BODY, normal=(0.0, 0.0, 0.0)), "must not be the zero vector"),
    (lambda: cl.Plane("p", BODY, normal=(0.0, 1.0)), "normal must be 3 numbers"),
    (lambda: cl.Edge("e", BODY, start=(0.0, 0.0, 1.0), end=(0.0, 0.0, 1.0)), "must differ"),
    (lambda: cl.Box("b", BODY, size=(1.0, -1.0, 1.0)), r"size\[1\] must be > 0, got -1 m"),
    (lambda: cl.Box("b", BODY, size=(1.0, 1.0, 1.0), rotation=0.3), "rotation is planar"),
    (lambda: cl.Ellipsoid("e", BODY, axes=(1.0, 1.0)), "axes must be 3 numbers"),
    (lambda: cl.Polyhedron("p", BODY, vertices=FLAT[:3]), "at least 4 points, got 3"),
    (lambda: cl.Polyhedron("p", BODY, vertices=FLAT), "must span a volume"),
    (lambda: cl.Torus("t", BODY, radius=1.0, section=1.0), "section must be below the radius 1 m"),
    (lambda: cl.Tube("t", BODY, points=FLAT[:2], radius=0.1, closed=True), "at least 3"),
    (lambda: cl.Tube("t", BODY, points=[FLAT[0], FLAT[0]], radius=0.1), "two equal neighbours"),
    (
        lambda: cl.Surface("s", BODY, function=dome, s=(1.0, 0.0), t=(0.0, 1.0)),
        "s must be two growing numbers",
    ),
    (
        lambda: cl.HeightField("h", BODY, heights=[[0.0, 1.0], [0.0]], size=(1.0, 1.0)),
        r"heights\[1\] must have 2 numbers, got 1",
    ),
    (lambda: cl.HeightField("h", BODY, heights=[[0.0, 1.0]], size=(1.0, 1.0)), "at least 2 rows"),
    (lambda: cl.Mesh("m", BODY, source=3.0), "source must be a file or a mesh, got 3.0"),
    (lambda: cl.Shape("s", BODY), "is a family of parts"),
    (
        lambda: cl.Model(DISK, cl.Contact(DISK, FLOOR)),
        "planar|spatial",
    ),
]


@pytest.mark.parametrize(("make", "words"), WRONG, ids=[words[:30] for _, words in WRONG])
def test_what_shapes_refuse(make: Any, words: str) -> None:
    with pytest.raises(cl.ModelError, match=words):
        make()


def test_mesh_files(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.stl")
    part = cl.Mesh("box", BODY, source=tmp_path / "box.stl", scale=0.5)
    (piece,) = part.pieces
    assert max(x[2] for x in piece) == pytest.approx(0.75)
    with pytest.raises(cl.FileError, match=r"nothing.stl' does not exist"):
        cl.Mesh("box", BODY, source=str(tmp_path / "nothing.stl"))
    ring = trimesh.creation.torus(1.0, 0.2)
    with pytest.raises(cl.ModelError, match=r"Mesh 'ring': source is not convex; give decompose"):
        cl.Mesh("ring", BODY, source=ring)
    assert cl.Mesh("ring", BODY, source=ring, decompose=True).source.is_convex is False


def point(b: Any) -> Any:
    return cl.ContactPoint(f"point {b.name}", b, at=(0.0, 0.0, 0.1))


def sphere(b: Any) -> Any:
    return cl.Sphere(f"sphere {b.name}", b, radius=0.3)


def bowl(b: Any) -> Any:
    return cl.Sphere(f"bowl {b.name}", b, radius=0.2, inside=True)


def pipe(b: Any) -> Any:
    return cl.Tube(f"pipe {b.name}", b, points=FLAT[:2], radius=0.2, inside=True)


def edge(b: Any) -> Any:
    return cl.Edge(f"edge {b.name}", b, start=FLAT[0], end=FLAT[1])


def ring(b: Any) -> Any:
    return cl.Ring(f"ring {b.name}", b, radius=0.3)


def plane(b: Any) -> Any:
    return cl.Plane(f"plane {b.name}", b, normal=(0.0, 0.0, 1.0))


def box(b: Any) -> Any:
    return cl.Box(f"box {b.name}", b, size=(0.1, 0.1, 0.1))


def cylinder(b: Any) -> Any:
    return cl.Cylinder(f"cylinder {b.name}", b, radius=0.1, length=0.2)


def torus(b: Any) -> Any:
    return cl.Torus(f"torus {b.name}", b, radius=0.3, section=0.1)


def capsule(b: Any) -> Any:
    return cl.Capsule(f"capsule {b.name}", b, radius=0.3, length=0.2)


def ellipsoid(b: Any) -> Any:
    return cl.Ellipsoid(f"ellipsoid {b.name}", b, axes=(0.1, 0.1, 0.1))


def rail(b: Any) -> Any:
    return cl.Tube(f"rail {b.name}", b, points=FLAT[:2], radius=0.2)


def field(b: Any) -> Any:
    return cl.HeightField(f"field {b.name}", b, heights=[[0.0, 0.1], [0.0, 0.2]], size=(1.0, 1.0))


NEVER: list[tuple[Any, Any, str]] = [
    (point, point, "two points have no normal"),
    (plane, plane, "two planes always cross"),
    (plane, lambda _: FLOOR, "two planes always cross"),
    (bowl, bowl, "both are seen from inside"),
    (bowl, pipe, "both are seen from inside"),
    (plane, bowl, "a plane does not fit into a sphere"),
    (pipe, plane, "a plane does not fit into a tube"),
    (sphere, bowl, "the sphere is larger than the sphere it moves in"),
    (sphere, pipe, "the sphere is larger than the tube it moves in"),
    (point, edge, "have no thickness"),
    (ring, point, "have no thickness and pass through each other; give one a radius"),
    (edge, ring, "have no thickness"),
    (torus, cylinder, "there is no search for a Cylinder on a Torus"),
    (field, cylinder, "there is no search for a Cylinder on a HeightField; use a Sphere, Capsule"),
    (rail, box, "there is no search for a Box on a Tube"),
    (bowl, torus, "the torus is larger than the sphere it moves in"),
    (bowl, field, "there is no search for a HeightField inside a sphere"),
    (pipe, capsule, "the capsule is larger than the tube it moves in"),
    (pipe, ellipsoid, "there is no search for an Ellipsoid inside a tube; use Spheres or Capsules"),
    (pipe, torus, "there is no search for a (Torus on a Tube|Tube on a Torus)"),
]


@pytest.mark.parametrize(
    ("first", "second", "words"), NEVER, ids=[f"{k}-{x[2][:20]}" for k, x in enumerate(NEVER)]
)
def test_what_never_touches(first: Any, second: Any, words: str) -> None:
    for a, b in ((first(BODY), second(OTHER)), (second(OTHER), first(BODY))):
        with pytest.raises(cl.ModelError, match=words):
            cl.Contact(a, b)


def test_what_touches() -> None:
    makers = [point, sphere, edge, ring, box, torus]
    for make in makers:
        cl.Contact(make(BODY), plane(OTHER))
        cl.Contact(make(BODY), FLOOR)
    for make in (point, edge, ring, box):
        cl.Contact(make(BODY), bowl(OTHER))
        cl.Contact(make(BODY), sphere(OTHER))
    cl.Contact(torus(BODY), box(OTHER))
    cl.Contact(cl.PointMass("bead", mass=1.0), FLOOR)
    cl.Contact(torus(BODY), torus(OTHER))
    cl.Contact(torus(BODY), field(OTHER))
    cl.Contact(box(BODY), field(OTHER))
    cl.Contact(torus(BODY), cl.Sphere("large", OTHER, radius=0.5, inside=True))
    for make in (point, sphere, capsule, ellipsoid, plane):
        cl.Contact(make(BODY), rail(OTHER))


def test_a_rule_leaves_out_what_never_touches() -> None:
    parts = [sphere(BODY), point(BODY), point(OTHER), edge(OTHER)]
    model = cl.Model(BODY, OTHER, *parts, FLOOR, cl.AllContacts("all", mu=0.3))
    names = {item.name for item in model.contacts}
    assert names == {
        "sphere body-point other", "sphere body-edge other", "sphere body-ground",
        "point body-ground", "point other-ground", "edge other-ground",
    }  # fmt: skip


def test_a_point_is_of_the_plane_or_of_space() -> None:
    planar = cl.Body("b", mass=1.0, inertia=1.0)
    flat = cl.Ground("flat", normal=(0.0, 1.0))
    assert cl.Model(planar, cl.Contact(cl.ContactPoint("p", planar, at=(0.0, 1.0)), flat)).dim == 2
    assert cl.Model(BODY, cl.Contact(point(BODY), FLOOR)).dim == 3


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_shapes_in_model_files(tmp_path: Path, suffix: str) -> None:
    trimesh = pytest.importorskip("trimesh")
    turned = cl.rotation.cardan(0.1, 0.2, 0.3)
    parts = [
        point(BODY), sphere(BODY), bowl(BODY), pipe(BODY), edge(BODY), ring(BODY), plane(BODY),
        box(BODY), torus(BODY), field(BODY),
        cl.Capsule("capsule", BODY, radius=0.1, length=0.3, axis=(1.0, 0.0, 0.0)),
        cl.Cylinder("cylinder", BODY, radius=0.1, length=0.3, group="round", material="steel"),
        cl.Cone("cone", BODY, radius=0.1, height=0.3, at=(0.1, 0.2, 0.3)),
        cl.Ellipsoid("ellipsoid", BODY, axes=(0.1, 0.2, 0.3), rotation=turned),
        cl.Polyhedron("polyhedron", BODY, vertices=[*FLAT, (0.5, 0.5, 1.0)], rotation=(1, 0, 0, 0)),
        cl.Mesh("mesh", BODY, source=trimesh.creation.icosahedron(), scale=0.1),
        cl.Surface("surface", BODY, function=dome, s=(-1.0, 1.0), t=(-1.0, 1.0)),
    ]  # fmt: skip
    model = cl.Model(BODY, *parts, cl.Contact(parts[1], FLOOR, mu=0.1))
    path = tmp_path / f"model.{suffix}"
    model.save(path)
    again = cl.Model.load(path, trust=True)
    assert again.parts == model.parts
    assert math.isclose(again.part("mesh").scale, 0.1)  # type: ignore[attr-defined]
