"""Contacts as corners: contours in the axes of their markers, pairs of contours as slots."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import (
    LOAD_FORCE,
    LOAD_NORMAL,
    MOTION_ROLL,
    MOTION_SPIN,
    NORMAL_RIGID,
)
from cornerlaw.compile.corners import ContourData, Corner, CornerBuilder, Slot
from cornerlaw.compile.functions import curve_slot
from cornerlaw.compile.laws import friction_law, normal_law, restitution_law
from cornerlaw.compile.shapes import n_slots, shape_data
from cornerlaw.errors import CompileError, ModelError
from cornerlaw.model import (
    Arc,
    Circle,
    ContactPoint,
    Curve,
    Disk,
    Line,
    Parabola,
    Part,
    PointMass,
    Polygon,
    Segment,
    SplineCurve,
)
from cornerlaw.model.frames import placement

_SAMPLES = 256  # points of a closed curve that tell whether it is convex
_CIRCULAR = (kinds.CONTOUR_CIRCLE, kinds.CONTOUR_ARC)
_FLAT = (kinds.CONTOUR_SEGMENT, kinds.CONTOUR_POLYGON)


def add_contact(builder: CornerBuilder, part: Any) -> None:
    """Add the contours of a contact where they are new, and one corner per slot.

    A mesh is several contours, so that a contact may be several pairs.
    """
    part.check_dimension(builder.model.dim)
    pairs = product(contours_of(builder, part.first), contours_of(builder, part.second))
    add_corners(builder, part, [slot for pair in pairs for slot in _slots(builder, *pair)])


def add_corners(builder: CornerBuilder, part: Any, slots: list[Slot]) -> None:
    """Add one corner with the laws of a contact for each of its slots."""
    mu, mu_signal = friction_law(part.mu, builder.signals, f"{part.label}: mu")
    eps_N, eps_signal = restitution_law(part.eps_N, builder.signals, f"{part.label}: eps_N")
    kind, law_data = normal_law(part.normal)
    still = isinstance(part.surface_speed, float) and part.surface_speed == 0.0
    label = f"{part.label}: surface_speed"
    surface = -1 if still else builder.signals.add_motion(part.surface_speed, label)
    has_friction = mu > 0.0 or mu_signal >= 0
    in_plane = builder.model.dim == 2
    for k, slot in enumerate(slots):
        corner = Corner(
            part.name,
            part.name if len(slots) == 1 else f"{part.name}[{k}]",
            slot=slot,
            n_T=int(has_friction) if in_plane else (2 if has_friction else 0),
            load=LOAD_NORMAL if kind == NORMAL_RIGID else LOAD_FORCE,
            mu=mu,
            mu_signal=mu_signal,
            eps_N=eps_N,
            eps_N_signal=eps_signal,
            eps_speed=float(part.eps_speed),
            eps_T=float(part.eps_T),
            surface=surface,
            normal_law=kind,
            law_data=law_data,
        )
        builder.corners.append(corner)
        if not in_plane:
            _add_spatial_laws(builder, part, corner)


def _add_spatial_laws(builder: CornerBuilder, part: Any, corner: Corner) -> None:
    """Complete the friction of a contact in space; rolling and drilling are corners of their own.

    Drilling that is coupled with sliding is a third row of the same set.
    """
    if part.tangent is not None:
        corner.axis = _in_contour_axes(builder, part, corner.slot)
        corner.axis_side = 1 if part.tangent_on == "first" else 2
    if part.mu_across is not None:
        corner.ratio = float(part.mu_across) / corner.mu
    leader = len(builder.corners) - 1
    resistances = [("rolling", part.rolling, 2, MOTION_ROLL)]
    if part.drilling > 0.0 and corner.n_T == 2:
        corner.n_T = 3
        corner.lever = float(part.drilling)
    else:
        resistances.append(("drilling", part.drilling, 1, MOTION_SPIN))
    for name, length, rows, motion in resistances:
        if length > 0.0:
            builder.corners.append(
                Corner(
                    part.name,
                    f"{corner.label}.{name}",
                    slot=corner.slot,
                    n_T=rows,
                    motion=motion,
                    leader=leader,
                    always=True,
                    mu=float(length),
                    load=corner.load,
                )
            )


def _in_contour_axes(builder: CornerBuilder, part: Any, slot: Any) -> tuple[float, ...]:
    """Return the tangent of a contact in the axes of its contour, whose z may be an axis or normal.

    It is given in the axes of the body or frame that contour sits on.
    """
    on_first = part.tangent_on == "first"
    side = part.first if on_first else part.second
    contour = builder.contours[slot.contour_1 if on_first else slot.contour_2]
    given = placement(getattr(side, "on", side))[2] @ np.array(part.tangent, dtype=np.float64)
    return tuple((builder.frames.A[contour.frame].T @ given).tolist())


def _slots(builder: CornerBuilder, first: int, second: int) -> list[Slot]:
    """Return the slots of a pair of contours."""
    features = features_of(builder.contours[first], builder.contours[second])
    count = len(features)
    return [Slot(first, second, feature, k, count) for k, feature in enumerate(features)]


def contours_of(builder: CornerBuilder, part: Part) -> range:
    """Return the places of a part's contours among those of the builder; add them if new."""
    if part.name not in builder.contour_of:
        start = len(builder.contours)
        if builder.model.dim == 3:
            builder.contours += shape_data(builder.frames, part)
        else:
            builder.contours.append(contour_data(builder, part))
        builder.contour_of[part.name] = range(start, len(builder.contours))
    return builder.contour_of[part.name]


def contour_data(builder: CornerBuilder, part: Any) -> ContourData:
    """Return the numbers of a contour of the plane in the axes of its marker."""
    frames, name = builder.frames, part.name
    if isinstance(part, Disk):
        radius = float(part.radius)
        return ContourData(name, kinds.CONTOUR_CIRCLE, frames.add(part), (radius,), reach=radius)
    if isinstance(part, PointMass):
        return ContourData(name, kinds.CONTOUR_POINT, frames.add(part), reach=0.0)
    if part.ROLE in ("ground", "moving frame"):
        return ContourData(name, kinds.CONTOUR_LINE, frames.add(part, part.at), part.normal)
    frame = frames.add(part.on, getattr(part, "at", None))
    if isinstance(part, ContactPoint):
        return ContourData(name, kinds.CONTOUR_POINT, frame, reach=0.0)
    if isinstance(part, Circle):
        radius = _signed_radius(part)
        return ContourData(name, kinds.CONTOUR_CIRCLE, frame, (radius,), reach=abs(radius))
    if isinstance(part, Arc):
        middle, half = 0.5 * (part.start + part.end), 0.5 * (part.end - part.start)
        radius = _signed_radius(part)
        data = (radius, middle, half)
        return ContourData(name, kinds.CONTOUR_ARC, frame, data, reach=abs(radius))
    if isinstance(part, Line):
        return ContourData(name, kinds.CONTOUR_LINE, frame, tuple(part.normal))
    if isinstance(part, Segment):
        # backwards, so that outside is right of the direction as in a polygon
        kind = kinds.CONTOUR_POLYGON if part.two_sided else kinds.CONTOUR_SEGMENT
        reach = _reach((part.start, part.end))
        return ContourData(name, kind, frame, (*part.end, *part.start), 2, reach=reach)
    if isinstance(part, Polygon):
        numbers = tuple(x for vertex in part.vertices for x in vertex)
        n, reach = len(part.vertices), _reach(part.vertices)
        return ContourData(name, kinds.CONTOUR_POLYGON, frame, numbers, n, reach=reach)
    return _curve_data(part, frame)


def _curve_data(part: Any, frame: int) -> ContourData:
    """Return a curve: first and last s, 1 if closed or 2 if also convex, numbers of its kind."""
    if isinstance(part, Parabola):
        end = math.inf if part.width is None else 0.5 * float(part.width)
        side = -1.0 if part.inside else 1.0
        numbers = (-end, end, 0.0, float(part.curvature), *part.axis, side)
        reach = math.hypot(end, 0.5 * float(part.curvature) * end * end)
        return ContourData(part.name, kinds.CONTOUR_PARABOLA, frame, numbers, reach=reach)
    if isinstance(part, SplineCurve):
        return _spline_data(part, frame)
    s0, s1 = part.s
    label = f"{part.label}: function"
    points = _points_of(part, label)
    address = curve_slot(part.function, part.derivatives == "numerical", s1 - s0, label)
    numbers = (s0, s1, _shape(points[:-1]) if part.closed else 0.0)
    return ContourData(part.name, kinds.CONTOUR_CURVE, frame, numbers, 0, address, _reach(points))


def _spline_data(part: SplineCurve, frame: int) -> ContourData:
    from scipy.interpolate import CubicSpline

    points = np.array([*part.points, part.points[0]] if part.closed else part.points)
    knots = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    # not-a-knot needs four points; fewer are joined naturally
    ends = "periodic" if part.closed else "not-a-knot" if len(points) > 3 else "natural"
    spline = CubicSpline(knots, points, bc_type=ends)
    c = spline.c[::-1].transpose(1, 2, 0)
    samples = np.linspace(0.0, knots[-1], max(_SAMPLES, 4 * len(knots)), endpoint=False)
    shape = _shape(spline(samples)) if part.closed else 0.0
    numbers = (0.0, knots[-1], shape, *knots, *c.ravel())
    kind = kinds.CONTOUR_SPLINE
    places = tuple(float(x) for x in numbers)
    reach = _reach(spline(np.append(samples, knots[-1])))
    return ContourData(part.name, kind, frame, places, len(knots), reach=reach)


def _reach(points: Any) -> float:
    """Return the largest distance of points from the marker."""
    return max(math.hypot(float(x), float(y)) for x, y in points)


def _shape(points: Any) -> float:
    """Return 2 for points of a convex curve run through counter-clockwise once, else 1."""
    place = np.asarray(points, dtype=np.float64)
    edge = np.roll(place, -1, axis=0) - place
    following = np.roll(edge, -1, axis=0)
    cross = edge[:, 0] * following[:, 1] - edge[:, 1] * following[:, 0]
    turns = np.arctan2(cross, np.sum(edge * following, axis=1))
    once = abs(float(np.sum(turns)) - 2.0 * math.pi) < 1e-6
    return 2.0 if once and bool(np.all(turns > 0.0)) else 1.0


def _points_of(part: Curve, label: str) -> list[tuple[float, ...]]:
    """Return points along a curve; refuse a function that fails, and a closed curve with a gap."""
    places = [float(s) for s in np.linspace(part.s[0], part.s[1], _SAMPLES + 1)]
    try:
        points = [tuple(float(x) for x in part.function(s)) for s in places]
    except Exception as error:  # whatever the user's function raises
        raise CompileError(f"{label} fails when called: {error}.") from None
    for s, point in zip(places, points, strict=True):
        if len(point) != 2 or not all(math.isfinite(x) for x in point):
            raise CompileError(f"{label} must return two finite numbers, at s = {s:g} it does not.")
    gap = math.dist(points[0], points[-1])
    if part.closed and gap > 1e-6 * (math.dist(points[0], (0.0, 0.0)) + gap):
        raise ModelError(
            f"{part.label} is closed, but its ends are {gap:g} m apart; give s over one full turn"
        )
    return points


def _signed_radius(part: Circle | Arc) -> float:
    return -float(part.radius) if part.inside else float(part.radius)


def features_of(first: ContourData, second: ContourData) -> range:
    """Return the features of the slots of a pair, one slot each."""
    if first.kind >= kinds.SHAPE_POINT:
        return range(n_slots(first, second))
    # simpler kinds first, as in detect_slot
    a, b = sorted((first, second), key=lambda c: c.kind)
    if b.kind > kinds.CONTOUR_POLYGON:
        # corners of a flat against the curve, then its faces
        faces = 1 if a.kind == kinds.CONTOUR_SEGMENT else a.size
        return range(a.size + faces if a.kind in _FLAT else 1)
    if b.kind in _FLAT and a.kind in _FLAT:
        return range(2)
    # vertices against a line or inside a circle
    hollow = a.kind in _CIRCULAR and a.data[0] < 0.0
    by_vertex = b.kind in _FLAT and (hollow or a.kind == kinds.CONTOUR_LINE)
    return range(b.size if by_vertex else 1)
