"""Contours of the plane: shapes on bodies, grounds and frames that can touch each other.

All numbers are in the frame of the operand a contour sits on. The body lies to the left of a
contour that is run through in its direction, as in a polygon with vertices counter-clockwise.
"""

from __future__ import annotations

import math
from dataclasses import MISSING
from typing import Any, ClassVar

from cornerlaw.model.part import BODY_ROLES, Operand, Part, operand, part
from cornerlaw.model.quantity import (
    Function,
    Kind,
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
    text,
    vector,
)


class PointListKind(Kind):
    """At least `least` points of the plane, or of space with `size` 3."""

    unit = "m"

    def __init__(self, least: int, size: int = 2) -> None:
        self.least, self.size = least, size

    def check(self, value: Any, where: Where) -> tuple[tuple[float, ...], ...]:
        items = as_items(value, where, self.unit, "a list of points")
        if len(items) < self.least:
            raise where.error(f"must have at least {self.least} points, got {len(items)}")
        return tuple(
            as_numbers(x, where.item(k), self.unit, (self.size,)) for k, x in enumerate(items)
        )


def points(least: int, *, size: int = 2, default: Any = MISSING) -> Any:
    """Declare a list of points of the plane, or of space with `size` 3."""
    return spec(PointListKind(least, size), default)


@part(kw_only=False, abstract=True)
class _OnCarrier(Part):
    on: Operand = operand(BODY_ROLES, "a body, ground, moving frame or frame")


@part(abstract=True)
class Contour(_OnCarrier):
    """A shape on a body, ground, moving frame or frame.

    `group` and `material` are words that contact rules and material tables refer to.
    """

    ROLE: ClassVar[str] = "contour"
    DIM: ClassVar[int | None] = 2

    group: str | None = text(default=None)
    material: str | None = text(default=None)


@part()
class ContactPoint(Contour):
    """A point, of the plane or of space."""

    DIM: ClassVar[int | None] = None

    at: Vector | None = vector("m", default=None)


@part()
class Circle(Contour):
    """A full circle about `at`; with `inside` the body is all around it: a hole or a ring."""

    radius: Scalar = scalar("m", positive=True)
    at: Vector | None = vector("m", default=None, sizes=(2,))
    inside: bool = flag(default=False)


@part()
class Arc(Contour):
    """A part of a circle from the angle `start` counter-clockwise to `end`.

    Its ends are no corners: a body beyond them does not touch the arc.
    """

    radius: Scalar = scalar("m", positive=True)
    start: Scalar = scalar("rad")
    end: Scalar = scalar("rad")
    at: Vector | None = vector("m", default=None, sizes=(2,))
    inside: bool = flag(default=False)

    def _check(self) -> None:
        if not self.start < self.end <= self.start + 2.0 * math.pi:
            raise self.where("end").error(
                f"must be above start and at most one turn beyond it, got {self.end:g} rad after "
                f"{self.start:g} rad"
            )


@part()
class Line(Contour):
    """An infinite straight line through `at`; the body fills the half-plane below its normal."""

    normal: Vector = vector("1", direction=True, sizes=(2,))
    at: Vector | None = vector("m", default=None, sizes=(2,))


@part()
class Segment(Contour):
    """A straight piece from `start` to `end`, both ends are corners.

    It is touched from its left, as a floor that runs to the right. What is wholly behind it does
    not touch it; a point or another segment may sink in by a tenth of its length. With `two_sided`
    it is a thin plate touched from both sides, but not by points, which have no side.
    """

    start: Vector = vector("m", sizes=(2,))
    end: Vector = vector("m", sizes=(2,))
    two_sided: bool = flag(default=False)

    def _check(self) -> None:
        if math.dist(self.start, self.end) < 1e-150:
            raise self.where("end").error("must differ from start")


@part()
class Polygon(Contour):
    """A convex polygon, vertices counter-clockwise."""

    vertices: tuple[Vector, ...] = points(3)

    def _check(self) -> None:
        v, where = self.vertices, self.where("vertices")
        n = len(v)
        turns = 0.0
        for k in range(n):
            a, b, c = v[k - 1], v[k], v[(k + 1) % n]
            e, f = (b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1])
            size = math.hypot(*e) * math.hypot(*f)
            if size == 0.0:
                raise where.error(f"has two equal vertices next to vertex {k}")
            cross, dot = e[0] * f[1] - e[1] * f[0], e[0] * f[0] + e[1] * f[1]
            if abs(cross) <= 1e-12 * size:
                raise where.error(f"has no corner at vertex {k}; leave it out")
            turns += math.atan2(cross, dot)
            if cross < 0.0:
                raise where.error(
                    f"must be convex and counter-clockwise, but it turns right at vertex {k}"
                )
        if turns > 3.0 * math.pi:
            raise where.error("must not cross itself")


@part()
class Parabola(Contour):
    """The parabola y = curvature x^2 / 2 with its apex at `at`, y along `axis`.

    The body is inside it (above the apex, convex), or with `inside` outside it, a bowl. With
    `width` it ends at |x| = width / 2; the ends are no corners.
    """

    curvature: Scalar = scalar("1/m", positive=True)
    at: Vector | None = vector("m", default=None, sizes=(2,))
    axis: Vector = vector("1", direction=True, sizes=(2,), default=(0.0, 1.0))
    width: Scalar | None = scalar("m", positive=True, default=None)
    inside: bool = flag(default=False)


@part()
class Curve(Contour):
    """A smooth curve by a function of its parameter, function(s) -> (x, y), s from s[0] to s[1].

    The body lies to the left of growing s. `derivatives` are exact, by tracing the function, or
    numerical where it branches. A `closed` curve must end where it begins; the ends of an open one
    are no corners.
    """

    function: Function = function()
    s: Vector = listing("")
    closed: bool = flag(default=False)
    derivatives: str = choice("exact", "numerical", default="exact")

    def _check(self) -> None:
        if len(self.s) != 2 or not self.s[0] < self.s[1]:
            raise self.where("s").error(f"must be two growing numbers, got {self.s}")


@part()
class SplineCurve(Contour):
    """A smooth curve through points, a cubic spline over the length of their chords.

    The body lies to the left. A `closed` curve returns to its first point, which is given once; the
    ends of an open one are no corners.
    """

    points: tuple[Vector, ...] = points(3)
    closed: bool = flag(default=False)

    def _check(self) -> None:
        p = self.points
        for k in range(len(p) if self.closed else len(p) - 1):
            if p[k] == p[(k + 1) % len(p)]:
                raise self.where("points").error(f"has two equal neighbours at point {k}")
