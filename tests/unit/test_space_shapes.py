"""Shapes in space as contours: hulls, splines, surfaces, sizes, and slots of pairs."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from convex_shapes import BALL, POINTS, SOLIDS

import cornerlaw as cl
from cornerlaw.arrays import kinds
from cornerlaw.compile import compile_model
from cornerlaw.compile.corners import ContourData
from cornerlaw.compile.functions import surface_slot
from cornerlaw.compile.hulls import convex_hull
from cornerlaw.compile.shapes import axes_along, n_slots, shape_data
from cornerlaw.compile.tables import FrameTable
from cornerlaw.kernels.slots import call_slot
from cornerlaw.model.mesh import Triangles

BODY = cl.Body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def data_of(part: Any) -> ContourData:
    (found,) = shape_data(FrameTable(lambda _: 0), part)
    return found


def place_of(part: Any) -> tuple[Any, Any]:
    frames = FrameTable(lambda _: 0)
    (found,) = shape_data(frames, part)
    return frames.r[found.frame], frames.A[found.frame]


def test_axes_along_a_direction() -> None:
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(axes_along((0.0, 0.0, 1.0)), np.eye(3))
    for z in [*rng.normal(size=(50, 3)), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]:
        z = np.array(z) / np.linalg.norm(z)
        A = axes_along(z)
        np.testing.assert_allclose(A.T @ A, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(A[:, 2], z, atol=1e-15)
        assert np.linalg.det(A) == pytest.approx(1.0)


def test_markers_of_shapes() -> None:
    r, A = place_of(cl.Edge("edge", BODY, start=(0.0, 1.0, 0.0), end=(0.0, 1.0, -2.0)))
    np.testing.assert_allclose(r, (0.0, 1.0, -1.0))
    np.testing.assert_allclose(A[:, 2], (0.0, 0.0, -1.0))
    r, A = place_of(cl.Plane("plane", BODY, normal=(0.0, 3.0, 4.0), at=(1.0, 2.0, 3.0)))
    np.testing.assert_allclose(r, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(A[:, 2], (0.0, 0.6, 0.8))
    r, A = place_of(cl.Ground(normal=(0.0, -1.0, 0.0), at=(0.0, 1.0, 0.0)))
    np.testing.assert_allclose(A[:, 2], (0.0, -1.0, 0.0))
    # the marker of a polyhedron is in its middle, turned as it is
    turned = cl.rotation.cardan(0.3, 0.2, 0.1)
    r, A = place_of(
        cl.Polyhedron("p", BODY, vertices=CUBE + 5.0, at=(1.0, 0.0, 0.0), rotation=turned)
    )
    np.testing.assert_allclose(r, np.array((1.0, 0.0, 0.0)) + np.array(turned) @ (5.0, 5.0, 5.0))
    np.testing.assert_allclose(A, turned, atol=1e-15)


def test_hull_of_a_cube_has_square_faces() -> None:
    # points inside and on the faces do not take part
    hull = convex_hull([*CUBE, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.5, 1.0)])
    assert (len(hull.vertices), len(hull.loops), len(hull.edges)) == (8, 6, 12)
    assert sorted(len(loop) for loop in hull.loops) == [4] * 6
    assert hull.inner_radius() == pytest.approx(1.0)


@pytest.mark.parametrize("points", [CUBE, POINTS, BALL], ids=["cube", "points", "ball"])
def test_hull_is_read_back(points: Any) -> None:
    part = cl.Polyhedron("p", BODY, vertices=points)
    found = data_of(part)
    numbers = np.array(found.data)
    n_v, n_f, n_e, n_loop = (int(x) for x in numbers[:4])
    assert n_v - n_e + n_f == 2
    assert found.size == n_v
    vertices = numbers[4 : 4 + 3 * n_v].reshape(n_v, 3)
    place = 4 + 3 * n_v
    faces = numbers[place : place + 5 * n_f].reshape(n_f, 5)
    place += 5 * n_f
    loops = numbers[place : place + n_loop].astype(int)
    place += n_loop
    edges = numbers[place:].reshape(n_e, 4).astype(int)
    assert found.reach == pytest.approx(np.linalg.norm(vertices, axis=1).max())
    size = np.ptp(points)
    for face in faces:
        n, start, count = face[:3], int(face[3]), int(face[4])
        loop = vertices[loops[start : start + count]]
        assert np.linalg.norm(n) == pytest.approx(1.0)
        assert np.abs((loop - loop[0]) @ n).max() < 1e-14 * size
        assert ((vertices - loop[0]) @ n).max() < 1e-14 * size
        # counter-clockwise seen from outside
        sides = np.roll(loop, -1, axis=0) - loop
        assert (np.cross(sides, np.roll(sides, -1, axis=0)) @ n).min() > 0.0
    for v0, v1, left, right in edges:
        for side, ends in ((left, (v0, v1)), (right, (v1, v0))):
            start, count = int(faces[side, 3]), int(faces[side, 4])
            loop = list(loops[start : start + count])
            assert loop[(loop.index(ends[0]) + 1) % count] == ends[1]


@pytest.mark.parametrize("name", SOLIDS)
def test_reach_and_thickness(name: str) -> None:
    solid = SOLIDS[name]
    found = data_of(solid.make(BODY))
    if name not in ("polyhedron", "ball of facets"):
        # the reach of a polyhedron is about its middle
        assert found.reach == pytest.approx(solid.size)
    directions = np.random.default_rng(2).normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    width = (solid.support(directions) + solid.support(-directions)).min()
    assert 0.0 <= found.thickness <= 0.5 * width + 1e-12
    assert found.thickness > 0.0 or name == "edge"


def test_endless_shapes() -> None:
    for part in (
        cl.Plane("plane", BODY, normal=(0.0, 0.0, 1.0)),
        cl.Sphere("bowl", BODY, radius=1.0, inside=True),
        cl.Ground(normal=(0.0, 0.0, 1.0)),
    ):
        found = data_of(part)
        assert found.reach == found.thickness == math.inf
    assert data_of(cl.Ring("ring", BODY, radius=1.0)).thickness == 0.0
    assert data_of(cl.PointMass("point", mass=1.0)).reach == 0.0


def test_tube_along_a_circle() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    points = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle]) + np.array(
        (3.0, 0.0, 0.0)
    )
    part = cl.Tube("tube", BODY, points=points, radius=0.1, closed=True, inside=True)
    found = data_of(part)
    radius, first, last, closed = found.data[:4]
    assert (radius, first, closed, found.size) == (-0.1, 0.0, 1.0, 41)
    knots = np.array(found.data[4 : 4 + 41])
    assert knots[-1] == last
    cells = np.array(found.data[45:]).reshape(40, 3, 4)
    for k in (0, 7, 39):
        s = np.linspace(0.0, knots[k + 1] - knots[k], 9)
        x = np.array([sum(c * s**p for p, c in enumerate(row)) for row in cells[k]])
        # about the middle of the tube, which is where the marker is
        np.testing.assert_allclose(np.hypot(x[0], x[1]), 1.0, atol=2e-5)
    np.testing.assert_allclose(place_of(part)[0], (3.0, 0.0, 0.0), atol=1e-12)
    outside = data_of(part.replace(inside=False))
    assert 1.1 < outside.reach < 1.2
    with pytest.raises(cl.ModelError, match=r"Tube 'tube': radius 2 m must be below the radius"):
        data_of(part.replace(radius=2.0))


def test_height_field_of_a_cubic() -> None:
    x, y = np.linspace(-1.0, 1.0, 5), np.linspace(-1.5, 1.5, 7)

    def height(x: Any, y: Any) -> Any:
        return 0.1 + x**3 * y - 0.5 * x * y**2 + 0.2 * y**3 - x

    grid = height(x[:, None], y[None, :])
    part = cl.HeightField("field", BODY, heights=grid, size=(2.0, 3.0), at=(0.0, 0.0, 1.0))
    found = data_of(part)
    n_x, n_y, x0, y0, dx, dy = found.data[:6]
    assert (n_x, n_y, x0, y0, dx, dy) == (4, 6, -1.0, -1.5, 0.5, 0.5)
    cells = np.array(found.data[6:]).reshape(4, 6, 4, 4)
    rng = np.random.default_rng(0)
    for i, j in itertools.product(range(4), range(6)):
        u, v = 0.5 * rng.uniform(size=2)
        z = sum(cells[i, j, p, q] * u**p * v**q for p in range(4) for q in range(4))
        # a spline through the points of a cubic is that cubic
        assert z == pytest.approx(height(x0 + dx * i + u, y0 + dy * j + v), abs=1e-12)
    # two rows are joined by straight lines
    flat = data_of(cl.HeightField("flat", BODY, heights=[[0.0, 1.0], [0.0, 1.0]], size=(1.0, 1.0)))
    assert flat.data[6:8] == (0.0, 1.0)


def wavy(s: float, t: float) -> tuple[float, float, float]:
    return s + 0.1 * math.sin(t), t * math.exp(0.2 * s), math.cos(s * t) + s**3


@pytest.mark.parametrize(("numerical", "tolerance"), [(False, 1e-13), (True, 1e-6)])
def test_derivatives_of_a_surface(numerical: bool, tolerance: float) -> None:
    address = surface_slot(wavy, numerical, (2.0, 3.0), "surface")
    out, s, t = np.zeros(18), 0.7, -0.4
    call_slot(address, np.array([s, t]), np.zeros(0), out)
    E, c, n = math.exp(0.2 * s), math.cos(s * t), math.sin(s * t)
    expected = np.array(
        [
            wavy(s, t),
            (1.0, 0.2 * t * E, -t * n + 3.0 * s * s),
            (0.1 * math.cos(t), E, -s * n),
            (0.0, 0.04 * t * E, -t * t * c + 6.0 * s),
            (0.0, 0.2 * E, -n - s * t * c),
            (-0.1 * math.sin(t), 0.0, -s * s * c),
        ]
    )
    np.testing.assert_allclose(out.reshape(6, 3), expected, atol=tolerance)


def test_surface_functions_are_checked() -> None:
    def bad(s: float, t: float) -> tuple[float, float]:
        return s, t

    def broken(s: float, t: float) -> tuple[float, float, float]:
        return s, t, 1.0 / (s - s)

    for function, words in ((bad, "three finite numbers"), (broken, "fails when called")):
        part = cl.Surface("surface", BODY, function=function, s=(0.0, 1.0), t=(0.0, 1.0))
        with pytest.raises(cl.CompileError, match=words):
            data_of(part)
    open_one = cl.Surface("surface", BODY, function=wavy, s=(0.0, 1.0), t=(0.0, 1.0), closed_t=True)
    with pytest.raises(cl.ModelError, match=r"closed in t, but its sides are"):
        data_of(open_one)


def _data(kind: int, *data: float, size: int = 0) -> ContourData:
    return ContourData("part", kind, 0, data, size)


def test_slots_of_pairs() -> None:
    plane, ball, bowl = (
        _data(kinds.SHAPE_PLANE),
        _data(kinds.SHAPE_SPHERE, 1.0),
        _data(kinds.SHAPE_SPHERE, -1.0),
    )
    many, few = (_data(kinds.SHAPE_POLYHEDRON, size=n) for n in (40, 12))
    expected = {
        kinds.SHAPE_CAPSULE: 2, kinds.SHAPE_EDGE: 2, kinds.SHAPE_CIRCLE: 3,
        kinds.SHAPE_CYLINDER: 6, kinds.SHAPE_CONE: 4, kinds.SHAPE_ELLIPSOID: 1, kinds.SHAPE_BOX: 8,
    }  # fmt: skip
    for kind, count in expected.items():
        other = _data(kind)
        assert n_slots(plane, other) == n_slots(other, plane) == count
        assert n_slots(bowl, other) == count
        assert n_slots(ball, other) == 1
    assert n_slots(plane, many) == n_slots(bowl, many) == 8
    assert n_slots(plane, few) == n_slots(bowl, few) == 12
    assert n_slots(plane, ball) == n_slots(ball, ball) == n_slots(bowl, ball) == 1
    box, rod = _data(kinds.SHAPE_BOX), _data(kinds.SHAPE_CAPSULE)
    assert (n_slots(box, few), n_slots(rod, box), n_slots(rod, rod)) == (8, 2, 2)
    assert n_slots(box, _data(kinds.SHAPE_CIRCLE)) == 4
    assert n_slots(box, _data(kinds.SHAPE_ELLIPSOID)) == 1
    assert n_slots(_data(kinds.SHAPE_TORUS), plane) == 3
    assert n_slots(_data(kinds.SHAPE_TORUS), rod) == 1
    for bent in (kinds.SHAPE_SURFACE, kinds.SHAPE_HEIGHTS):
        assert n_slots(_data(bent), box) == n_slots(few, _data(bent)) == 8


def angle_iron() -> Triangles:
    """Return a prism over an L."""
    outline = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
    vertices = [(x, y, z) for z in (0.0, 1.0) for x, y in outline]
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in cap] + [(a + 6, b + 6, c + 6) for a, b, c in cap]
    for k in range(6):
        i, j = k, (k + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    return Triangles(vertices, faces)


def test_a_contact_with_a_mesh_in_pieces_is_several_pairs() -> None:
    pytest.importorskip("coacd")
    part = cl.Mesh("angle", BODY, source=angle_iron(), scale=0.1, decompose=True)
    assert len(part.pieces) == 2
    floor = cl.Ground(normal=(0.0, 0.0, 1.0))
    compiled = compile_model(cl.Model(BODY, floor, cl.Contact(part, floor, name="contact")))
    sizes = compiled.arrays.contours.size
    n = [int(sizes[k]) for k in compiled.contours["angle"]]
    assert len(n) == 2
    assert max(n) <= 12
    assert [corner.label for corner in compiled.corners] == [f"contact[{k}]" for k in range(sum(n))]
    slots = compiled.arrays.slots
    assert list(slots.count) == [n[0]] * n[0] + [n[1]] * n[1]
    assert list(slots.first) == [0] * n[0] + [n[0]] * n[1]
