"""Which parts can touch each other, and why others never can."""

from __future__ import annotations

import math
from typing import Any

from cornerlaw.model.bodies import Disk, PointMass
from cornerlaw.model.contours import (
    Arc,
    Circle,
    ContactPoint,
    Contour,
    Curve,
    Line,
    Parabola,
    Segment,
    SplineCurve,
)
from cornerlaw.model.part import Part, base_of
from cornerlaw.model.shapes import (
    Box,
    Capsule,
    Edge,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Polyhedron,
    Ring,
    Shape,
    Sphere,
    Surface,
    Torus,
    Tube,
)

_CURVED = (Torus, Tube, Surface, HeightField)


def carrier_of(value: Any) -> Any:
    """Return the body, ground or moving frame that carries a contour (or a bare name)."""
    if isinstance(value, Contour):
        value = value.on
    return base_of(value)


def has_contour(value: Part) -> bool:
    """Tell whether a part can touch others: a contour, or a part that is one by itself."""
    if isinstance(value, Contour | Disk | PointMass):
        return True
    return getattr(value, "normal", None) is not None and value.ROLE in ("ground", "moving frame")


def cannot_touch(first: Any, second: Any) -> str:
    """Return why two contours can never touch each other, nothing if they can."""
    if all(isinstance(x, ContactPoint | PointMass) for x in (first, second)):
        return "two points have no normal; give one a small radius"
    reason = _in_space if _is_spatial(first) or _is_spatial(second) else _in_plane
    return reason(first, second) or reason(second, first)


def without_clearance(first: Any, second: Any) -> str:
    """Return what to do where a ball or disc is as large as the hole it is in, nothing elsewhere.

    Every one of its points touches then, in all directions: such a rigid contact has no normal.
    """
    for hole, part in ((first, second), (second, first)):
        if not getattr(hole, "inside", False) or getattr(part, "inside", False):
            continue
        in_plane = isinstance(hole, Circle) and isinstance(part, Circle | Disk)
        if not in_plane and not (isinstance(hole, Sphere) and isinstance(part, Sphere)):
            continue
        if math.isclose(hole.radius, part.radius, rel_tol=1e-12):
            joint, ball = ("Revolute", "circle") if in_plane else ("Spherical", "sphere")
            return (
                f"{part.label} fills {hole.label}, there is no clearance; use a {joint} joint, or "
                f"a smaller {ball}"
            )
    return ""


def _is_spatial(x: Any) -> bool:
    return isinstance(x, Shape) or any(dim == 3 for _, dim in x.dims())


def _is_boundary(x: Any) -> bool:
    """Tell whether a part is a straight boundary: a line, a plane, a ground with a normal."""
    return isinstance(x, Line | Plane) or x.ROLE in ("ground", "moving frame")


def _in_plane(a: Any, b: Any) -> str:
    """Return why contour a of the plane and contour b never touch; asked in both orders."""
    hollow = isinstance(a, Circle | Arc) and a.inside
    plate = isinstance(a, Segment) and a.two_sided
    if _is_boundary(a) and _is_boundary(b):
        return "two lines always cross"
    if hollow and isinstance(b, Circle | Arc) and b.inside:
        return "both are seen from inside"
    if hollow and _is_boundary(b):
        return "a line does not fit into a circle"
    if plate and isinstance(b, ContactPoint | PointMass):
        return "a point has no side of a plate; give it a small radius"
    if plate and isinstance(b, Parabola | Curve | SplineCurve):
        return "a curve needs a plate with a thickness; use a Polygon"
    # an arc may be the small part of a large circle
    if hollow and isinstance(a, Circle) and isinstance(b, Circle | Disk) and b.radius > a.radius:
        return "the circle is larger than the hole it moves in"
    return ""


def _in_space(a: Any, b: Any) -> str:
    """Return why shape a in space and shape b never touch; asked in both orders."""
    for rule in (_flat_or_thin, _from_inside, _without_search):
        reason = rule(a, b)
        if reason:
            return reason
    return ""


def _flat_or_thin(a: Any, b: Any) -> str:
    if _is_boundary(a) and _is_boundary(b):
        return "two planes always cross"
    thin = {ContactPoint: "a point", PointMass: "a point", Edge: "an edge", Ring: "a ring"}
    names = [thin.get(type(x)) for x in (a, b)]
    if all(names):
        return (
            f"{names[0]} and {names[1]} have no thickness and pass through each other; "
            f"give one a radius, as a Sphere, Capsule or Torus"
        )
    return ""


def _from_inside(a: Any, b: Any) -> str:
    if not getattr(a, "inside", False):
        return ""
    hole = "sphere" if isinstance(a, Sphere) else "tube"
    if getattr(b, "inside", False):
        return "both are seen from inside"
    if _is_boundary(b):
        return f"a plane does not fit into a {hole}"
    if _thickness(a, b) > a.radius:
        return f"the {type(b).__name__.lower()} is larger than the {hole} it moves in"
    if isinstance(a, Sphere) and isinstance(b, _CURVED) and not isinstance(b, Torus):
        return f"there is no search for {_named(b)} inside a sphere"
    if isinstance(a, Tube) and isinstance(b, Ellipsoid):
        return "there is no search for an Ellipsoid inside a tube; use Spheres or Capsules"
    return ""


def _thickness(hole: Any, b: Any) -> float:
    """Return the radius that a hole must have at least for a round shape, 0 for others."""
    if isinstance(b, Torus) and isinstance(hole, Sphere):
        return float(b.radius + b.section)
    return float(b.radius) if isinstance(b, Sphere | Capsule) else 0.0


def _named(x: Any) -> str:
    name = type(x).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _without_search(a: Any, b: Any) -> str:
    """Curved surfaces are searched against what is round or flat; polytopes on all but tubes."""
    if not isinstance(a, _CURVED):
        return ""
    if isinstance(b, ContactPoint | PointMass | Sphere | Capsule | Ellipsoid) or _is_boundary(b):
        return ""
    if isinstance(a, Torus | Surface) and isinstance(b, Torus | Surface):
        return ""
    if {type(a), type(b)} == {Torus, HeightField}:
        return ""
    if not isinstance(a, Tube) and isinstance(b, Box | Polyhedron | Mesh):
        return ""
    advice = "use a Sphere, Capsule or Ellipsoid, or several"
    return f"there is no search for {_named(b)} on {_named(a)}; {advice}"
