"""Shapes in space as contours: markers with axes, numbers of their kinds, slots of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.corners import ContourData
from cornerlaw.compile.functions import surface_slot
from cornerlaw.compile.hulls import convex_hull
from cornerlaw.compile.tables import FrameTable
from cornerlaw.errors import CompileError, ModelError
from cornerlaw.model import (
    Box,
    Capsule,
    Cone,
    ContactPoint,
    Cylinder,
    Edge,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    PointMass,
    Polyhedron,
    Ring,
    Sphere,
    Surface,
    Torus,
    Tube,
)
from cornerlaw.model.rotation import as_matrix

_SAMPLES = 24  # points along each parameter of a surface that tell its size
_MOST_VERTICES = 32  # a polyhedron with more has a few slots instead of one for each vertex
_ENDS = {kinds.SHAPE_CAPSULE, kinds.SHAPE_EDGE}
_BENT = {kinds.SHAPE_TUBE, kinds.SHAPE_SURFACE, kinds.SHAPE_HEIGHTS}
_ON_BENT = 3  # a capsule on a curved surface: both end balls and its side
_CORNERED = {kinds.SHAPE_BOX, kinds.SHAPE_POLYHEDRON}

# slots of a shape on a plane, and inside a hollow sphere
_ON_PLANE = {
    kinds.SHAPE_CAPSULE: 2,
    kinds.SHAPE_EDGE: 2,
    kinds.SHAPE_CIRCLE: 3,
    kinds.SHAPE_CYLINDER: 6,
    kinds.SHAPE_CONE: 4,
    kinds.SHAPE_BOX: 8,
    kinds.SHAPE_TORUS: 3,
    kinds.SHAPE_TUBE: 13,  # the lowest point and twelve balls along it
}


def axes_along(axis: Any) -> Floats:
    """Return axes whose z is a unit vector; those of the frame itself where z is its z."""
    z = np.array(axis, dtype=np.float64)
    if z[0] == 0.0 and z[1] == 0.0 and z[2] > 0.0:
        return np.eye(3)
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (0.0, 0.0, 1.0), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def shape_data(frames: FrameTable, part: Any) -> list[ContourData]:
    """Return the contours of a part in space: one, or one for every convex piece of a mesh."""
    if isinstance(part, Polyhedron | Mesh):
        return [_polyhedron(frames, part, piece) for piece in part.pieces]
    if part.ROLE in ("ground", "moving frame"):
        frame = frames.add(part, part.at, axes_along(part.normal))
        return [_contour(part, kinds.SHAPE_PLANE, frame, (), math.inf, math.inf)]
    if isinstance(part, PointMass):
        return [_contour(part, kinds.SHAPE_POINT, frames.add(part), (), 0.0, 0.0)]
    return [_MAKE[type(part)](frames, part)]


def _contour(
    part: Any, kind: int, frame: int, data: Any, reach: float, thickness: float, **more: Any
) -> ContourData:
    numbers = tuple(float(x) for x in data)
    return ContourData(part.name, kind, frame, numbers, reach=reach, thickness=thickness, **more)


def _about_axis(frames: FrameTable, part: Any) -> int:
    return frames.add(part.on, part.at, axes_along(part.axis))


def _point(frames: FrameTable, part: ContactPoint) -> ContourData:
    return _contour(part, kinds.SHAPE_POINT, frames.add(part.on, part.at), (), 0.0, 0.0)


def _plane(frames: FrameTable, part: Plane) -> ContourData:
    frame = frames.add(part.on, part.at, axes_along(part.normal))
    return _contour(part, kinds.SHAPE_PLANE, frame, (), math.inf, math.inf)


def _sphere(frames: FrameTable, part: Sphere) -> ContourData:
    frame, r = frames.add(part.on, part.at), float(part.radius)
    if part.inside:
        return _contour(part, kinds.SHAPE_SPHERE, frame, (-r,), math.inf, math.inf)
    return _contour(part, kinds.SHAPE_SPHERE, frame, (r,), r, r)


def _capsule(frames: FrameTable, part: Capsule) -> ContourData:
    r, half = float(part.radius), 0.5 * part.length
    frame = _about_axis(frames, part)
    return _contour(part, kinds.SHAPE_CAPSULE, frame, (r, half), r + half, r)


def _edge(frames: FrameTable, part: Edge) -> ContourData:
    start, end = np.array(part.start), np.array(part.end)
    length = float(np.linalg.norm(end - start))
    frame = frames.add(part.on, 0.5 * (start + end), axes_along((end - start) / length))
    return _contour(part, kinds.SHAPE_EDGE, frame, (0.5 * length,), 0.5 * length, 0.0)


def _ring(frames: FrameTable, part: Ring) -> ContourData:
    r = float(part.radius)
    return _contour(part, kinds.SHAPE_CIRCLE, _about_axis(frames, part), (r,), r, 0.0)


def _cylinder(frames: FrameTable, part: Cylinder) -> ContourData:
    r, half = float(part.radius), 0.5 * part.length
    frame, reach = _about_axis(frames, part), math.hypot(r, half)
    return _contour(part, kinds.SHAPE_CYLINDER, frame, (r, half), reach, min(r, half))


def _cone(frames: FrameTable, part: Cone) -> ContourData:
    r, h = float(part.radius), float(part.height)
    # the circle inside the triangle of its section
    inner = r * h / (r + math.hypot(r, h))
    return _contour(part, kinds.SHAPE_CONE, _about_axis(frames, part), (r, h), max(r, h), inner)


def _ellipsoid(frames: FrameTable, part: Ellipsoid) -> ContourData:
    frame = frames.add(part.on, part.at, part.rotation)
    axes = part.axes
    return _contour(part, kinds.SHAPE_ELLIPSOID, frame, axes, max(axes), min(axes))


def _box(frames: FrameTable, part: Box) -> ContourData:
    frame, half = frames.add(part.on, part.at, part.rotation), [0.5 * x for x in part.size]
    return _contour(part, kinds.SHAPE_BOX, frame, half, math.hypot(*half), min(half))


def _polyhedron(frames: FrameTable, part: Any, points: Any) -> ContourData:
    """Return one convex piece; its marker sits in the middle, so that its reach is short."""
    place = np.array(points)
    middle = 0.5 * (place.min(axis=0) + place.max(axis=0))
    hull = convex_hull(place - middle)
    at = np.zeros(3) if part.at is None else np.array(part.at)
    frame = frames.add(part.on, at + np.array(as_matrix(part.rotation)) @ middle, part.rotation)
    reach = float(np.linalg.norm(hull.vertices, axis=1).max())
    size = len(hull.vertices)
    return _contour(
        part,
        kinds.SHAPE_POLYHEDRON,
        frame,
        hull.numbers(),
        reach,
        hull.inner_radius(),
        size=size,
    )


def _torus(frames: FrameTable, part: Torus) -> ContourData:
    r, section = float(part.radius), float(part.section)
    frame = _about_axis(frames, part)
    return _contour(part, kinds.SHAPE_TORUS, frame, (r, section), r + section, section)


def _tube(frames: FrameTable, part: Tube) -> ContourData:
    """Return radius, ends, closed, knots, then four coefficients of x, y, z per interval."""
    from scipy.interpolate import CubicSpline

    points = np.array([*part.points, part.points[0]] if part.closed else part.points)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.concatenate(([0.0], np.cumsum(chords)))
    # not-a-knot needs four points; fewer are joined naturally
    ends = "periodic" if part.closed else "not-a-knot" if len(points) > 3 else "natural"
    spline = CubicSpline(knots, points - middle, bc_type=ends)
    places = np.linspace(0.0, knots[-1], 16 * len(knots))
    _check_bends(part, spline, places)
    radius = float(part.radius)
    step = places[1] * float(np.linalg.norm(spline(places, 1), axis=1).max())
    reach = float(np.linalg.norm(spline(places), axis=1).max()) + step + radius
    data = (
        -radius if part.inside else radius,
        *(0.0, knots[-1], float(part.closed)),
        *knots,
        *spline.c[::-1].transpose(1, 2, 0).ravel(),
    )
    frame = frames.add(part.on, middle)
    return _contour(
        part,
        kinds.SHAPE_TUBE,
        frame,
        data,
        math.inf if part.inside else reach,
        math.inf if part.inside else radius,
        size=len(knots),
    )


def _check_bends(part: Tube, spline: Any, places: Floats) -> None:
    """Refuse a tube that is thicker than its bends: it would cross itself."""
    d, dd = spline(places, 1), spline(places, 2)
    speed = np.linalg.norm(d, axis=1)
    curvature = np.linalg.norm(np.cross(d, dd), axis=1) / speed**3
    k = int(np.argmax(curvature))
    if curvature[k] * part.radius >= 1.0:
        raise ModelError(
            f"{part.label}: radius {part.radius:g} m must be below the radius "
            f"{1.0 / curvature[k]:g} m of its sharpest bend"
        )


def _surface(frames: FrameTable, part: Surface) -> ContourData:
    label = f"{part.label}: function"
    places = _samples(part, label)
    sizes = (part.s[1] - part.s[0], part.t[1] - part.t[0])
    address = surface_slot(part.function, part.derivatives == "numerical", sizes, label)
    # between two samples it may bulge by about their distance
    step = max(float(np.linalg.norm(np.diff(places, axis=a), axis=2).max()) for a in (0, 1))
    reach = float(np.linalg.norm(places, axis=2).max()) + step
    data = (*part.s, *part.t, float(part.closed_s), float(part.closed_t))
    frame = frames.add(part.on)
    return _contour(part, kinds.SHAPE_SURFACE, frame, data, reach, 0.0, address=address)


def _samples(part: Surface, label: str) -> Floats:
    """Return points of a surface; refuse a function that fails, and closed sides with a gap."""
    s, t = (np.linspace(x[0], x[1], _SAMPLES).tolist() for x in (part.s, part.t))
    try:
        found = [[tuple(float(x) for x in part.function(a, b)) for b in t] for a in s]
    except Exception as error:  # whatever the user's function raises
        raise CompileError(f"{label} fails when called: {error}.") from None
    for a, row in zip(s, found, strict=True):
        for b, point in zip(t, row, strict=True):
            if len(point) != 3 or not all(math.isfinite(x) for x in point):
                raise CompileError(
                    f"{label} must return three finite numbers, at s = {a:g}, t = {b:g} it does "
                    f"not."
                )
    places = np.array(found)
    size = float(np.ptp(places.reshape(-1, 3), axis=0).max())
    seams = {"s": places[0] - places[-1], "t": places[:, 0] - places[:, -1]}
    for name, seam in seams.items():
        gap = float(np.abs(seam).max())
        if getattr(part, f"closed_{name}") and gap > 1e-6 * size:
            raise ModelError(
                f"{part.label} is closed in {name}, but its sides are {gap:g} m apart; give "
                f"{name} over one full turn"
            )
    return places


def _heights(frames: FrameTable, part: HeightField) -> ContourData:
    """Return cells along x and y, first corner, their sizes, 16 coefficients for every cell."""
    from scipy.interpolate import CubicSpline

    h = np.array(part.heights)
    n_x, n_y = h.shape[0] - 1, h.shape[1] - 1
    size = np.array(part.size)
    dx, dy = size / (n_x, n_y)
    along_x = CubicSpline(dx * np.arange(n_x + 1), h, axis=0).c
    # powers of y, cells along y, powers of x, cells along x; highest powers first
    both = CubicSpline(dy * np.arange(n_y + 1), along_x, axis=2).c
    cells = both[::-1, :, ::-1, :].transpose(3, 1, 2, 0)
    data = (n_x, n_y, -0.5 * size[0], -0.5 * size[1], dx, dy, *cells.ravel())
    # a cubic spline overshoots its values by less than their range
    highest = float(np.abs(h).max() + np.ptp(h))
    reach = math.hypot(*(0.5 * size), highest)
    frame = frames.add(part.on, part.at)
    return _contour(part, kinds.SHAPE_HEIGHTS, frame, data, reach, math.inf, size=n_x * n_y)


_MAKE: dict[Any, Callable[[FrameTable, Any], ContourData]] = {
    ContactPoint: _point,
    Plane: _plane,
    Sphere: _sphere,
    Capsule: _capsule,
    Edge: _edge,
    Ring: _ring,
    Cylinder: _cylinder,
    Cone: _cone,
    Ellipsoid: _ellipsoid,
    Box: _box,
    Torus: _torus,
    Tube: _tube,
    Surface: _surface,
    HeightField: _heights,
}


def n_slots(first: ContourData, second: ContourData) -> int:
    """Return how many contact points a pair of shapes may have at once."""
    a, b = sorted((first, second), key=lambda c: c.kind)
    hollow = a.kind == kinds.SHAPE_SPHERE and a.data[0] < 0.0
    if hollow or a.kind == kinds.SHAPE_PLANE:
        if b.kind == kinds.SHAPE_POLYHEDRON:
            return b.size if b.size <= _MOST_VERTICES else 8
        return _ON_PLANE.get(b.kind, 1)
    if b.kind == kinds.SHAPE_TORUS and a.kind in _CORNERED:
        return _ON_PLANE[b.kind]  # it may lie on a face
    if a.kind == kinds.SHAPE_CAPSULE and b.kind in _BENT:
        return _ON_BENT
    if a.kind in _CORNERED and b.kind in _BENT:
        return 8
    if a.kind < kinds.SHAPE_PLANE or b.kind >= kinds.SHAPE_TORUS:
        return 1
    both = {a.kind, b.kind}
    if kinds.SHAPE_ELLIPSOID in both:
        return 1
    if both & _ENDS:
        return 2
    return 4 if kinds.SHAPE_CIRCLE in both else 8
