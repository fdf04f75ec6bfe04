"""Shapes in space as plain data: spheres, boxes, cylinders, meshes of triangles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cornerlaw.model import shapes
from cornerlaw.model.frames import spatial
from cornerlaw.model.rotation import IDENTITY, Matrix3, as_matrix
from cornerlaw.model.scene.outlines import spline_points

Shape = dict[str, Any]
GRID = (64, 32)  # samples of a parametric surface
ALONG = 160  # points along a tube


def solids_of(contour: Any) -> Iterator[Shape]:
    """Yield the shapes of one contour in the axes of its operand."""
    at = list(spatial(getattr(contour, "at", None)))
    turned = _flat(as_matrix(getattr(contour, "rotation", None)))
    if isinstance(contour, shapes.Plane):
        yield {"type": "plane", "at": at, "normal": list(contour.normal)}
    elif isinstance(contour, shapes.Sphere):
        kind = "bowl" if contour.inside else "sphere"
        yield {"type": kind, "r": float(contour.radius), "at": at}
    elif isinstance(contour, shapes.Ellipsoid):
        yield {"type": "ellipsoid", "axes": list(contour.axes), "at": at, "rot": turned}
    elif isinstance(contour, shapes.Box):
        yield {"type": "box", "size": list(contour.size), "at": at, "rot": turned}
    elif isinstance(contour, shapes.Edge):
        yield {"type": "edge", "points": [list(contour.start), list(contour.end)]}
    elif isinstance(contour, shapes.Tube):
        points = spline_points(contour.points, contour.closed, ALONG)
        yield {
            "type": "tube", "points": points.tolist(), "r": float(contour.radius),
            "closed": contour.closed, "inside": contour.inside,
        }  # fmt: skip
    elif isinstance(contour, shapes.Polyhedron):
        yield hull(contour.vertices, at, turned)
    elif isinstance(contour, shapes.Mesh):
        vertices = float(contour.scale) * np.array(contour.source.vertices)
        yield mesh(vertices, contour.source.faces, at, turned)
    elif isinstance(contour, shapes.Surface):
        yield _surface(contour)
    elif isinstance(contour, shapes.HeightField):
        yield _landscape(contour, at)
    else:
        yield from _about_axis(contour, at)


def _about_axis(contour: Any, at: list[float]) -> Iterator[Shape]:
    sizes: dict[Any, tuple[str, tuple[str, ...]]] = {
        shapes.Capsule: ("capsule", ("radius", "length")),
        shapes.Cylinder: ("cylinder", ("radius", "length")),
        shapes.Cone: ("cone", ("radius", "height")),
        shapes.Ring: ("ring", ("radius",)),
        shapes.Torus: ("torus", ("radius", "section")),
    }
    keys = {"radius": "r", "length": "length", "height": "length", "section": "section"}
    for kind, (word, fields) in sizes.items():
        if isinstance(contour, kind):
            values = {keys[name]: float(getattr(contour, name)) for name in fields}
            yield {"type": word, **values, "at": at, "rot": turned_to(contour.axis)}


def turned_to(axis: Any) -> list[float]:
    """Return a rotation, row by row, whose third column is the axis."""
    z = np.array(axis, dtype=float)
    z /= np.linalg.norm(z)
    side = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(side, z)
    x /= np.linalg.norm(x)
    return [float(v) for v in np.column_stack([x, np.cross(z, x), z]).ravel()]


def hull(vertices: Any, at: list[float], turned: list[float]) -> Shape:
    """Return the convex hull of points as a mesh, its faces wound outwards."""
    from scipy.spatial import ConvexHull

    points = np.array(vertices, dtype=float)
    found = ConvexHull(points)
    faces = []
    for corners, plane in zip(found.simplices, found.equations, strict=True):
        a, b, c = points[corners]
        outwards = np.dot(np.cross(b - a, c - a), plane[:3]) > 0.0
        faces.append(corners if outwards else corners[::-1])
    return mesh(points, faces, at, turned)


def mesh(vertices: Any, faces: Any, at: list[float], turned: list[float]) -> Shape:
    """Return a surface of triangles."""
    return {
        "type": "mesh",
        "vertices": np.asarray(vertices, dtype=float).tolist(),
        "faces": np.asarray(faces, dtype=int).tolist(),
        "at": at,
        "rot": turned,
    }


def grid_faces(rows: int, columns: int) -> Any:
    """Return two triangles for every cell of a grid of points."""
    k = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (x.ravel() for x in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def _surface(contour: Any) -> Shape:
    points = np.array(
        [
            [float(x) for x in contour.function(float(s), float(t))]
            for s in np.linspace(contour.s[0], contour.s[1], GRID[0])
            for t in np.linspace(contour.t[0], contour.t[1], GRID[1])
        ]
    )
    return {**mesh(points, grid_faces(*GRID), [0.0] * 3, _flat(IDENTITY)), "thin": True}


def _landscape(contour: Any, at: list[float]) -> Shape:
    heights = np.array(contour.heights, dtype=float)
    x = np.linspace(-0.5, 0.5, heights.shape[0]) * contour.size[0]
    y = np.linspace(-0.5, 0.5, heights.shape[1]) * contour.size[1]
    X, Y = np.meshgrid(x, y, indexing="ij")
    points = np.column_stack([X.ravel(), Y.ravel(), heights.ravel()])
    return {**mesh(points, grid_faces(*heights.shape), at, _flat(IDENTITY)), "thin": True}


def _flat(matrix: Matrix3) -> list[float]:
    return [float(x) for row in matrix for x in row]
