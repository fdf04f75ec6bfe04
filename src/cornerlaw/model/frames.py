"""Frames (markers) on bodies, ground and moving frames, and where they are."""

from __future__ import annotations

from typing import Any, ClassVar

from cornerlaw.model.part import BODY_ROLES, Operand, Part, operand, part
from cornerlaw.model.quantity import Vector, vector
from cornerlaw.model.rotation import (
    IDENTITY,
    Matrix3,
    Rotation,
    as_matrix,
    multiply,
    rotate,
    rotation_field,
)


@part(kw_only=False, abstract=True)
class _OnBody(Part):
    body: Operand = operand(BODY_ROLES, "a body, ground, moving frame or frame")


@part()
class Frame(_OnBody):
    """A marker at `at` with `rotation`, both relative to what it is fixed on.

    A frame on a frame is composed with it.
    """

    ROLE: ClassVar[str] = "frame"

    at: Vector | None = vector("m", default=None)
    rotation: Rotation | None = rotation_field(default=None)


def spatial(v: Any) -> tuple[float, float, float]:
    """Return a vector of 2 or 3 numbers in space; None is the origin."""
    if v is None:
        return (0.0, 0.0, 0.0)
    return (v[0], v[1], v[2] if len(v) == 3 else 0.0)


def placement(value: Part) -> tuple[Part, tuple[float, float, float], Matrix3]:
    """Return (base, r, A): the body under a chain of frames, origin and axes of the frame in it.

    r = r_1 + A_1 (r_2 + A_2 (...)), A = A_1 A_2 ...; a body itself gives r = 0 and A = E.
    """
    r: tuple[float, float, float] = (0.0, 0.0, 0.0)
    a = IDENTITY
    while isinstance(value, Frame):
        outer = as_matrix(value.rotation)
        x, y, z = rotate(outer, r)
        dx, dy, dz = spatial(value.at)
        r = (x + dx, y + dy, z + dz)
        a = multiply(outer, a)
        if isinstance(value.body, str):
            raise value.where("body").error(
                f"is the name {value.body!r}, which only a Model resolves"
            )
        value = value.body
    return value, r, a
