"""Contours of the plane as plain shapes: discs, half-planes and outlines of points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from cornerlaw.model.contours import (
    Arc,
    Circle,
    ContactPoint,
    Curve,
    Line,
    Parabola,
    Polygon,
    Segment,
    SplineCurve,
)
from cornerlaw.model.frames import spatial

Shape = dict[str, Any]
SAMPLES = 96  # points along a curved outline


def outlines_of(contour: Any) -> Iterator[Shape]:
    """Yield the shapes of one contour in the axes of its operand."""
    at = spatial(getattr(contour, "at", None))
    if isinstance(contour, ContactPoint):
        yield {"type": "point", "at": list(at)}
    elif isinstance(contour, Circle):
        kind = "hole" if contour.inside else "disc"
        yield {"type": kind, "r": float(contour.radius), "at": list(at)}
    elif isinstance(contour, Arc):
        angles = np.linspace(contour.start, contour.end, SAMPLES)
        x = at[0] + contour.radius * np.cos(angles)
        yield _outline(x, at[1] + contour.radius * np.sin(angles), closed=False)
    elif isinstance(contour, Line):
        yield {"type": "halfplane", "at": list(at), "normal": list(spatial(contour.normal))}
    elif isinstance(contour, Segment):
        yield _outline(*np.transpose([contour.start, contour.end]), closed=False)
    elif isinstance(contour, Polygon):
        yield _outline(*np.transpose(contour.vertices), closed=True)
    elif isinstance(contour, Parabola):
        yield _parabola(contour, at)
    elif isinstance(contour, Curve):
        places = np.linspace(contour.s[0], contour.s[1], SAMPLES)
        points = np.array([[float(x) for x in contour.function(float(s))] for s in places])
        yield _outline(*points.T, closed=contour.closed)
    elif isinstance(contour, SplineCurve):
        points = spline_points(contour.points, contour.closed, SAMPLES)
        yield _outline(*points.T, closed=contour.closed)


def spline_points(given: Any, closed: bool, count: int) -> Any:
    """Sample the cubic spline over the length of chords that contacts see."""
    from scipy.interpolate import CubicSpline

    points = np.array([*given, given[0]] if closed else given, dtype=float)
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    # not-a-knot needs four points; fewer are joined naturally
    ends = "periodic" if closed else "not-a-knot" if len(points) > 3 else "natural"
    spline = CubicSpline(knots, points, bc_type=ends)
    return spline(np.linspace(0.0, knots[-1], max(count, 4 * len(points))))


def _parabola(contour: Parabola, at: tuple[float, float, float]) -> Shape:
    # one without ends is drawn as far as it is as high as wide
    width = contour.width if contour.width is not None else 4.0 / contour.curvature
    x = np.linspace(-0.5 * width, 0.5 * width, SAMPLES)
    y = 0.5 * contour.curvature * x * x
    length = math.hypot(*contour.axis)
    c, s = contour.axis[1] / length, -contour.axis[0] / length
    return _outline(at[0] + c * x - s * y, at[1] + s * x + c * y, closed=not contour.inside)


def _outline(x: Any, y: Any, *, closed: bool) -> Shape:
    points = [[float(a), float(b)] for a, b in zip(x, y, strict=True)]
    return {"type": "outline", "points": points, "closed": closed}
