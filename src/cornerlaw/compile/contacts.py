"""Contacts as corners: contours in the axes of their markers, pairs of contours as slots."""

from __future__ import annotations

from typing import Any

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import LOAD_FORCE, LOAD_NORMAL, NORMAL_RIGID
from cornerlaw.compile.corners import ContourData, Corner, CornerBuilder, Slot
from cornerlaw.compile.laws import friction_law, normal_law, restitution_law
from cornerlaw.errors import ModelError
from cornerlaw.model import (
    Arc,
    Circle,
    ContactPoint,
    Disk,
    Line,
    Part,
    PointMass,
    Polygon,
    Segment,
)

_ROUND = (kinds.CONTOUR_POINT, kinds.CONTOUR_CIRCLE, kinds.CONTOUR_ARC)
_FLAT = (kinds.CONTOUR_SEGMENT, kinds.CONTOUR_POLYGON)


def add_contact(builder: CornerBuilder, part: Any) -> None:
    """Add the contours of a contact where they are new, and one corner per slot."""
    first = _contour(builder, part.first)
    second = _contour(builder, part.second)
    features = _features(part, builder.contours[first], builder.contours[second])
    mu, mu_signal = friction_law(part.mu, builder.signals, f"{part.label}: mu")
    eps_N, eps_signal = restitution_law(part.eps_N, builder.signals, f"{part.label}: eps_N")
    kind, law_data = normal_law(part.normal)
    still = isinstance(part.surface_speed, float) and part.surface_speed == 0.0
    label = f"{part.label}: surface_speed"
    surface = -1 if still else builder.signals.add_motion(part.surface_speed, label)
    for k, feature in enumerate(features):
        builder.corners.append(
            Corner(
                part.name,
                part.name if len(features) == 1 else f"{part.name}[{k}]",
                slot=Slot(first, second, feature),
                friction=mu > 0.0 or mu_signal >= 0,
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
        )


def _contour(builder: CornerBuilder, part: Part) -> int:
    """Return the place of a contour among those of the builder; add it if it is new."""
    if part.name not in builder.contour_of:
        builder.contour_of[part.name] = len(builder.contours)
        builder.contours.append(contour_data(builder, part))
    return builder.contour_of[part.name]


def contour_data(builder: CornerBuilder, part: Any) -> ContourData:
    """Return the numbers of a contour in the axes of its marker."""
    frames, name = builder.frames, part.name
    if isinstance(part, Disk):
        return ContourData(name, kinds.CONTOUR_CIRCLE, frames.add(part), (float(part.radius),))
    if isinstance(part, PointMass):
        return ContourData(name, kinds.CONTOUR_POINT, frames.add(part))
    if part.ROLE in ("ground", "moving frame"):
        return ContourData(name, kinds.CONTOUR_LINE, frames.add(part, part.at), part.normal)
    frame = frames.add(part.on, getattr(part, "at", None))
    if isinstance(part, ContactPoint):
        return ContourData(name, kinds.CONTOUR_POINT, frame)
    if isinstance(part, Circle):
        return ContourData(name, kinds.CONTOUR_CIRCLE, frame, (_signed_radius(part),))
    if isinstance(part, Arc):
        middle, half = 0.5 * (part.start + part.end), 0.5 * (part.end - part.start)
        return ContourData(name, kinds.CONTOUR_ARC, frame, (_signed_radius(part), middle, half))
    if isinstance(part, Line):
        return ContourData(name, kinds.CONTOUR_LINE, frame, tuple(part.normal))
    if isinstance(part, Segment):
        # backwards, so that outside is right of the direction as in a polygon
        kind = kinds.CONTOUR_POLYGON if part.two_sided else kinds.CONTOUR_SEGMENT
        return ContourData(name, kind, frame, (*part.end, *part.start), 2)
    if isinstance(part, Polygon):
        numbers = tuple(x for vertex in part.vertices for x in vertex)
        return ContourData(name, kinds.CONTOUR_POLYGON, frame, numbers, len(part.vertices))
    raise ModelError(f"{part.label} is no contour")


def _signed_radius(part: Circle | Arc) -> float:
    return -float(part.radius) if part.inside else float(part.radius)


def _features(part: Part, first: ContourData, second: ContourData) -> range:
    """Return the features of the slots of a pair, one slot each; refuse pairs that cannot touch."""
    # simpler kinds first, as in detect_slot
    a, b = sorted((first, second), key=lambda c: c.kind)
    if b.kind in _ROUND:
        _check_rounds(part, a, b)
        return range(1)
    if a.kind in _ROUND:
        hollow = _is_hollow(a)
        if b.kind == kinds.CONTOUR_LINE and hollow:
            raise _impossible(part, a, b, "a line does not fit into a circle")
        if b.kind == kinds.CONTOUR_POLYGON and b.size == 2 and a.kind == kinds.CONTOUR_POINT:
            raise _impossible(part, a, b, "a point has no side of a plate; give it a small radius")
        return range(b.size if hollow else 1)
    if a.kind == kinds.CONTOUR_LINE:
        if b.kind == kinds.CONTOUR_LINE:
            raise _impossible(part, a, b, "two lines always cross")
        return range(b.size)
    return range(2)


def _is_hollow(c: ContourData) -> bool:
    return c.kind in (kinds.CONTOUR_CIRCLE, kinds.CONTOUR_ARC) and c.data[0] < 0.0


def _check_rounds(part: Part, a: ContourData, b: ContourData) -> None:
    if a.kind == b.kind == kinds.CONTOUR_POINT:
        raise _impossible(part, a, b, "two points have no normal; give one a small radius")
    if _is_hollow(a) and _is_hollow(b):
        raise _impossible(part, a, b, "both are seen from inside")
    circles = a.kind == b.kind == kinds.CONTOUR_CIRCLE
    if circles and a.data[0] * b.data[0] < 0.0 and a.data[0] + b.data[0] > 0.0:
        raise _impossible(part, a, b, "the circle is larger than the hole it moves in")


def _impossible(part: Part, a: ContourData, b: ContourData, reason: str) -> ModelError:
    return ModelError(f"{part.label}: {a.part!r} and {b.part!r} cannot touch: {reason}")
