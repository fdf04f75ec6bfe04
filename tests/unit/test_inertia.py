"""Inertia of shapes against numerical integration over their volume, and of meshes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.model import inertia

AXES = "xyz"


def integrated(inside: Callable[..., np.ndarray], half: tuple[float, float, float]) -> np.ndarray:
    """Return tensor / mass about the centre of mass from cells in the box +-half.

    With 160 cells per edge the error of the midpoint rule at a curved surface stays below 0.3 %.
    """
    n = 160
    x, y, z = np.meshgrid(
        *(h * (np.arange(n) + 0.5 - n / 2) * 2 / n for h in half), indexing="ij", sparse=True
    )
    full = np.broadcast_arrays(x, y, z)
    mask = inside(x, y, z)
    p = np.stack([c[mask] for c in full])
    p = p - p.mean(axis=1, keepdims=True)
    s = p @ p.T / p.shape[1]
    return np.trace(s) * np.eye(3) - s


def solid_cases() -> list[tuple[str, inertia.Inertia, np.ndarray]]:
    def ball(x, y, z):
        return x * x + y * y + z * z <= 0.25

    def hollow(x, y, z):
        r2 = x * x + y * y + z * z
        return (r2 <= 0.25) & (r2 >= 0.09)

    def tube(x, y, z):
        r2 = x * x + y * y
        return (r2 <= 0.25) & (r2 >= 0.04) & (abs(z) <= 0.6)

    def pill(x, y, z):
        return x * x + y * y + np.maximum(abs(z) - 0.4, 0.0) ** 2 <= 0.09

    def funnel(x, y, z):
        return np.sqrt(x * x + y * y) <= 0.5 * (0.5 - z)

    def plate(x, y, z):
        return (abs(x) <= 0.1) & (abs(y) <= 0.2) & (abs(z) <= 0.3)

    return [
        ("sphere", inertia.sphere(2.0, 0.5), integrated(ball, (0.5, 0.5, 0.5))),
        ("shell", inertia.shell(2.0, 0.5, inner=0.3), integrated(hollow, (0.5, 0.5, 0.5))),
        ("tube", inertia.cylinder(2.0, 0.5, 1.2, inner=0.2), integrated(tube, (0.5, 0.5, 0.6))),
        ("capsule", inertia.capsule(2.0, 0.3, 0.8), integrated(pill, (0.3, 0.3, 0.7))),
        ("cone", inertia.cone(2.0, 0.5, 1.0), integrated(funnel, (0.5, 0.5, 0.5))),
        ("box", inertia.box(2.0, (0.2, 0.4, 0.6)), integrated(plate, (0.1, 0.2, 0.3))),
    ]


@pytest.mark.parametrize(("name", "shape", "reference"), solid_cases(), ids=lambda x: str(x)[:8])
def test_solids_against_integration(
    name: str, shape: inertia.Inertia, reference: np.ndarray
) -> None:
    assert shape.mass == 2.0
    assert shape.com == (0.0, 0.0, 0.0)
    # midpoint rule with 160 cells per edge, see integrated()
    assert np.allclose(np.array(shape.tensor) / 2.0, reference, rtol=3e-3, atol=1e-6)


def test_limits_between_shapes() -> None:
    thin = inertia.shell(3.0, 0.2, inner=0.2 * (1.0 - 1e-9))
    assert np.allclose(thin.tensor, inertia.shell(3.0, 0.2).tensor, rtol=1e-8)
    assert np.allclose(inertia.shell(3.0, 0.2, inner=0.0).tensor, inertia.sphere(3.0, 0.2).tensor)
    assert np.allclose(
        inertia.capsule(3.0, 0.2, 0.0).tensor, inertia.sphere(3.0, 0.2).tensor, rtol=1e-15
    )
    # terms of the order (radius / length)^2 and (length / radius)^2 = 1e-12 remain
    rod = inertia.cylinder(3.0, 1e-6, 1.0, axis="x").tensor
    assert np.allclose(rod, inertia.rod(3.0, 1.0).tensor, rtol=1e-11, atol=1e-11)
    flat = inertia.cylinder(3.0, 1.0, 1e-6).tensor
    assert np.allclose(flat, inertia.disk(3.0, 1.0).tensor, rtol=1e-11)


@pytest.mark.parametrize("axis", list(AXES))
def test_axis_selects_the_distinct_moment(axis: str) -> None:
    k = AXES.index(axis)
    for shape in (
        inertia.rod(1.0, 2.0, axis=axis),
        inertia.cylinder(1.0, 0.1, 2.0, axis=axis),
        inertia.capsule(1.0, 0.1, 2.0, axis=axis),
        inertia.cone(1.0, 0.1, 2.0, axis=axis),
        inertia.disk(1.0, 0.1, axis=axis),
    ):
        diagonal = [shape.tensor[i][i] for i in range(3)]
        others = [diagonal[i] for i in range(3) if i != k]
        assert others[0] == others[1] != diagonal[k]


def test_mesh_from_object_and_file(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    solid = trimesh.creation.box(extents=(0.2, 0.4, 0.6))
    solid.apply_translation((1.0, 2.0, 3.0))
    expected = inertia.box(0.048 * 7800.0, (0.2, 0.4, 0.6))
    by_density = inertia.mesh(solid, density=7800.0)
    assert by_density.mass == pytest.approx(expected.mass, rel=1e-12)
    assert np.allclose(by_density.tensor, expected.tensor, rtol=1e-10, atol=1e-10)
    assert by_density.com == pytest.approx((1.0, 2.0, 3.0), rel=1e-12)
    path = tmp_path / "box.stl"
    solid.export(path)
    by_mass = inertia.mesh(path, mass=expected.mass)
    # the file holds single precision, seven digits, of points 3 m from the origin
    assert np.allclose(by_mass.tensor, expected.tensor, rtol=1e-5, atol=1e-3)
    body = cl.Body("b", inertia=by_density)
    assert body.centre == by_density.com


def test_mesh_density_of_the_object_does_not_matter() -> None:
    trimesh = pytest.importorskip("trimesh")
    solid = trimesh.creation.box(extents=(0.2, 0.4, 0.6))
    solid.density = 3.0
    expected = inertia.box(2.0, (0.2, 0.4, 0.6))
    assert np.allclose(inertia.mesh(solid, mass=2.0).tensor, expected.tensor, rtol=1e-10)


def test_open_or_inverted_mesh_is_refused(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    solid = trimesh.creation.box(extents=(1.0, 1.0, 1.0))
    opened = trimesh.Trimesh(solid.vertices, solid.faces[:-1])
    with pytest.raises(cl.ModelError, match="not closed"):
        inertia.mesh(opened, mass=1.0)
    inverted = solid.copy()
    inverted.invert()
    with pytest.raises(cl.ModelError, match="volume"):
        inertia.mesh(inverted, mass=1.0)
    with pytest.raises(cl.ModelError, match="either density or mass"):
        inertia.mesh(solid)
    with pytest.raises(cl.FileError, match="does not exist"):
        inertia.mesh(tmp_path / "missing.stl", mass=1.0)
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"nonsense")
    with pytest.raises(cl.FileError, match=r"broken\.stl"):
        inertia.mesh(broken, mass=1.0)


def test_tensor_may_be_any_physical_one() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        points = rng.normal(size=(3, 5))
        s = points @ points.T
        tensor = np.trace(s) * np.eye(3) - s
        body = cl.Body("cloud", mass=1.0, inertia=tensor)
        assert np.allclose(body.tensor, tensor, rtol=1e-15)
    # a flat plate fulfils the triangle inequality as an equality, up to rounding
    a = cl.rotation.cardan(0.3, 0.4, 0.5)
    flat = np.array(a) @ np.diag([1.0, 2.0, 3.0]) @ np.array(a).T
    cl.Body("plate", mass=1.0, inertia=flat)
    assert math.isclose(sum(inertia.principal(cl.Body("p", inertia=flat).tensor)), 6.0)
