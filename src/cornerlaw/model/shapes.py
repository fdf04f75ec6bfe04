"""Contours in space: shapes on bodies, grounds and frames that can touch each other.

All numbers are in the frame of the operand a shape sits on; `at` is its centre unless a class says
otherwise, `axis` the direction of its axis. A shape is touched from outside; with `inside` the body
is all around it: a bowl, a pipe.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.contours import Contour, points
from cornerlaw.model.mesh import MeshKind, Points
from cornerlaw.model.part import part
from cornerlaw.model.quantity import (
    Function,
    Kind,
    Matrix,
    Scalar,
    Vector,
    Where,
    as_items,
    as_numbers,
    choice,
    flag,
    function,
    listing,
    scalar,
    spec,
    vector,
)
from cornerlaw.model.rotation import Rotation, rotation_field

# flatter than this against their size, points span no volume
_FLAT = 1e-9


class GridKind(Kind):
    """Numbers in rows of equal length, at least 2 x 2."""

    unit = "m"

    def check(self, value: Any, where: Where) -> tuple[tuple[float, ...], ...]:
        rows = as_items(value, where, self.unit, "rows of numbers")
        grid = tuple(as_numbers(row, where.item(k), self.unit) for k, row in enumerate(rows))
        if len(grid) < 2 or len(grid[0]) < 2:
            raise where.error("must have at least 2 rows of 2 numbers")
        for k, row in enumerate(grid):
            if len(row) != len(grid[0]):
                raise where.item(k).error(f"must have {len(grid[0])} numbers, got {len(row)}")
        return grid


def _place(default: Any = None) -> Any:
    """Declare a point of space, the operand's origin unless given."""
    return vector("m", default=default, sizes=(3,))


def _direction(default: Any = (0.0, 0.0, 1.0)) -> Any:
    """Declare a direction in space, z unless given."""
    return vector("1", direction=True, sizes=(3,), default=default)


def _sizes() -> Any:
    """Declare three lengths."""
    return vector("m", sizes=(3,), dims={})


@part(abstract=True)
class Shape(Contour):
    """A shape in space on a body, ground, moving frame or frame."""

    DIM: ClassVar[int | None] = 3

    def _check_lengths(self, name: str) -> None:
        for k, x in enumerate(getattr(self, name)):
            if not x > 0.0:
                raise self.where(name).item(k).error(f"must be > 0, got {x:g} m")


@part()
class Plane(Shape):
    """An infinite plane through `at`; the body fills the half-space below its normal."""

    normal: Vector = vector("1", direction=True, sizes=(3,))
    at: Vector | None = _place()


@part()
class Sphere(Shape):
    """A sphere about `at`; with `inside` the body is all around it: a bowl."""

    radius: Scalar = scalar("m", positive=True)
    at: Vector | None = _place()
    inside: bool = flag(default=False)


@part()
class Capsule(Shape):
    """A cylinder with half spheres at its ends; `length` is that of the axis between them."""

    radius: Scalar = scalar("m", positive=True)
    length: Scalar = scalar("m", positive=True)
    at: Vector | None = _place()
    axis: Vector = _direction()


@part()
class Edge(Shape):
    """A thin straight edge or wire from `start` to `end`."""

    start: Vector = vector("m", sizes=(3,))
    end: Vector = vector("m", sizes=(3,))

    def _check(self) -> None:
        if math.dist(self.start, self.end) < 1e-150:
            raise self.where("end").error("must differ from start")


@part()
class Ring(Shape):
    """A thin circle about `axis`: the rim of a coin, a hoop of wire."""

    radius: Scalar = scalar("m", positive=True)
    at: Vector | None = _place()
    axis: Vector = _direction()


@part()
class Cylinder(Shape):
    """A solid cylinder with flat ends and sharp rims."""

    radius: Scalar = scalar("m", positive=True)
    length: Scalar = scalar("m", positive=True)
    at: Vector | None = _place()
    axis: Vector = _direction()


@part()
class Cone(Shape):
    """A solid cone; `at` is the centre of its base, the apex lies `height` along `axis`."""

    radius: Scalar = scalar("m", positive=True)
    height: Scalar = scalar("m", positive=True)
    at: Vector | None = _place()
    axis: Vector = _direction()


@part()
class Ellipsoid(Shape):
    """A solid ellipsoid; `axes` are the half axes along x, y and z of `rotation`."""

    axes: Vector = _sizes()
    at: Vector | None = _place()
    rotation: Rotation | None = rotation_field(default=None)

    def _check(self) -> None:
        self._check_lengths("axes")


@part()
class Box(Shape):
    """A solid box; `size` are its full lengths along x, y and z of `rotation`."""

    size: Vector = _sizes()
    at: Vector | None = _place()
    rotation: Rotation | None = rotation_field(default=None)

    def _check(self) -> None:
        self._check_lengths("size")


@part()
class Polyhedron(Shape):
    """The convex hull of points, given relative to `at` in the axes of `rotation`."""

    vertices: Matrix = points(4, size=3)
    at: Vector | None = _place()
    rotation: Rotation | None = rotation_field(default=None)

    def _check(self) -> None:
        import numpy as np

        place = np.array(self.vertices)
        spread = np.linalg.svd(place - place.mean(axis=0), compute_uv=False)
        if not spread[2] > _FLAT * spread[0]:
            raise self.where("vertices").error("must span a volume, but they lie in one plane")

    @property
    def pieces(self) -> tuple[Points, ...]:
        """The vertices of the one convex piece it is made of."""
        return (tuple(tuple(vertex) for vertex in self.vertices),)


@part()
class Mesh(Shape):
    """A solid body with a surface of triangles, from a file or a `trimesh` object.

    The triangles are kept, not the name of the file. A mesh that is not convex needs
    `decompose=True`: it is cut into convex pieces, with small errors of shape. Lengths in the mesh
    times `scale` are metres.
    """

    source: Any = spec(MeshKind())
    scale: Scalar = scalar("1", positive=True, default=1.0)
    decompose: bool = flag(default=False)
    at: Vector | None = _place()
    rotation: Rotation | None = rotation_field(default=None)

    def _check(self) -> None:
        try:
            convex = self.source.is_convex
        except ModelError as error:
            raise self.where("source").error(f"is no solid body: {error}") from None
        if not convex and not self.decompose:
            raise self.where("source").error(
                "is not convex; give decompose=True to cut it into convex pieces"
            )

    @property
    def pieces(self) -> tuple[Points, ...]:
        """The vertices of the convex pieces it is made of [m]."""
        size = float(self.scale)
        return tuple(
            tuple(tuple(size * x for x in vertex) for vertex in piece)
            for piece in self.source.pieces
        )


@part()
class Torus(Shape):
    """A solid ring: a disc of radius `section` led round `axis` at the distance `radius`."""

    radius: Scalar = scalar("m", positive=True)
    section: Scalar = scalar("m", positive=True)
    at: Vector | None = _place()
    axis: Vector = _direction()

    def _check(self) -> None:
        if not self.section < self.radius:
            raise self.where("section").error(
                f"must be below the radius {self.radius:g} m, got {self.section:g} m"
            )


@part()
class Tube(Shape):
    """A tube about a smooth curve through points, a cubic spline over the length of their chords.

    With `inside` it is touched from inside: a pipe, a bob run. A `closed` one returns to its first
    point, which is given once; the ends of an open one are no edges.
    """

    points: Matrix = points(2, size=3)
    radius: Scalar = scalar("m", positive=True)
    closed: bool = flag(default=False)
    inside: bool = flag(default=False)

    def _check(self) -> None:
        p, where = self.points, self.where("points")
        if self.closed and len(p) < 3:
            raise where.error(f"must be at least 3 for a closed tube, got {len(p)}")
        for k in range(len(p) if self.closed else len(p) - 1):
            if p[k] == p[(k + 1) % len(p)]:
                raise where.error(f"has two equal neighbours at point {k}")


@part()
class Surface(Shape):
    """A smooth surface by a function of two parameters, function(s, t) -> (x, y, z).

    Its normal r_s x r_t points out of the body. `derivatives` are exact, by tracing the function,
    or numerical where it branches. A surface that is closed in a parameter must end where it
    begins; the edges of an open one are no edges to touch.
    """

    function: Function = function()
    s: Vector = listing("")
    t: Vector = listing("")
    closed_s: bool = flag(default=False)
    closed_t: bool = flag(default=False)
    derivatives: str = choice("exact", "numerical", default="exact")

    def _check(self) -> None:
        for name in ("s", "t"):
            value = getattr(self, name)
            if len(value) != 2 or not value[0] < value[1]:
                raise self.where(name).error(f"must be two growing numbers, got {value}")


@part()
class HeightField(Shape):
    """A smooth landscape through heights on a grid; z is up, the body lies below.

    `heights[i][j]` is the height at place i along x and j along y of a rectangle of `size` about
    `at`; its borders are no edges to touch.
    """

    heights: Any = spec(GridKind())
    size: Vector = vector("m", sizes=(2,), dims={})
    at: Vector | None = _place()

    def _check(self) -> None:
        self._check_lengths("size")
