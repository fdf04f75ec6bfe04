"""Bilateral constraints between bodies and on coordinates."""

from __future__ import annotations

from typing import ClassVar

from cornerlaw.model.bodies import Ground
from cornerlaw.model.part import (
    Operand,
    Pair,
    Part,
    channels,
    check_pair,
    operand,
    part,
)
from cornerlaw.model.quantity import Function, Scalar, Vector, choice, function, scalar, vector


@part()
class Distance(Pair):
    """A constant distance between two points; the initial one unless given."""

    ROLE: ClassVar[str] = "constraint"

    length: Scalar | None = scalar("m", positive=True, default=None)


@part()
class Rod(Pair):
    """A straight rod between two points, massless or with its exact inertia as a thin rod."""

    ROLE: ClassVar[str] = "constraint"

    length: Scalar | None = scalar("m", positive=True, default=None)
    mass: Scalar = scalar("kg", minimum=0.0, default=0.0)


@part(kw_only=False, abstract=True)
class _BodyOnPlane(Part):
    body: Operand = operand(("body", "frame"), "a body or a frame on one")
    on: Operand = operand(default=Ground())


@part()
class Rolling(_BodyOnPlane):
    """Rolling without slip on a plane fixed in `on` at `height` along `normal`.

    "disc" is a thin disc in space, "sphere" a ball, "wheel" a disc in the plane. `at` is the centre
    and `axis` the disc axis in the body frame. The normal is (0, 0, 1), in the plane (0, 1), unless
    given.
    """

    ROLE: ClassVar[str] = "constraint"

    radius: Scalar = scalar("m", positive=True)
    kind: str = choice("disc", "sphere", "wheel", default="disc")
    axis: Vector = vector(
        "1", sizes=(3,), direction=True, neutral=(0.0, 0.0, 1.0), default=(0.0, 0.0, 1.0)
    )
    at: Vector | None = vector("m", default=None)
    normal: Vector | None = vector("1", direction=True, default=None)
    height: Scalar = scalar("m", default=0.0)

    def _check(self) -> None:
        check_pair(self, self.body, self.on)


@part(kw_only=False, abstract=True)
class _ByFunction(Part):
    function: Function = function()


@part()
class Constraint(_ByFunction):
    """The user's own constraint function(q, t) = 0 on the listed coordinates."""

    ROLE: ClassVar[str] = "constraint"

    coordinates: tuple[str, ...] = channels()
    derivatives: str = choice("exact", "numerical", default="exact")

    def _check(self) -> None:
        if not self.coordinates:
            raise self.where("coordinates").error("must name at least one coordinate")
