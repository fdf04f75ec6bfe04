"""Contacts: pairs of contours with their laws."""

from __future__ import annotations

from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.friction import (
    Friction,
    friction,
    friction_warning,
    restitution,
)
from cornerlaw.model.normal_laws import normal_law
from cornerlaw.model.part import Operand, Part, operand, part
from cornerlaw.model.quantity import Scalar, Vector, choice, scalar, vector
from cornerlaw.model.touching import cannot_touch, carrier_of, has_contour, without_clearance
from cornerlaw.model.values import Signal, signal

TOUCHING_ROLES = ("contour", "body", "ground", "moving frame")
_EXPECTED = "a contour, a Disk, a PointMass, or a Ground or MovingFrame with a normal"


@part(init=False)
class Contact(Part):
    """A contact between two contours, or parts that are contours by themselves, in plane or space.

    Its normal points from the second to the first. `mu` is a coefficient, `Coulomb`, `Stribeck`, or
    a Table or function of the sliding speed; `eps_N` a coefficient or a Table or function of the
    approach speed. Below the approach speed `eps_speed` both coefficients of restitution are zero.
    `surface_speed` is the speed of the second's surface along the tangent, the normal turned
    clockwise: a belt. `normal` is None for a rigid contact or a compliant law. The name is
    "first-second" unless given.

    In space friction acts in the tangent plane. `mu_across` is the coefficient across the direction
    `tangent`, given in the axes of the body or frame that the contour `tangent_on` ("first" or
    "second") sits on: an ellipse that turns with it; the belt's speed is along the same direction.
    `drilling` and `rolling` are lengths: resistance to turning about the normal, coupled with
    sliding such that (F / mu)^2 + (T / (mu drilling))^2 <= N^2 (without friction T <= drilling N),
    and to rolling, T <= rolling N.
    """

    ROLE: ClassVar[str] = "contact"
    DIM: ClassVar[int | None] = None

    first: Operand = operand(TOUCHING_ROLES, _EXPECTED)
    second: Operand = operand(TOUCHING_ROLES, _EXPECTED)
    mu: Friction = friction(default=0.0)
    eps_N: Any = restitution(default=0.0)
    eps_T: Scalar = scalar("1", default=0.0)
    eps_speed: Scalar = scalar("m/s", minimum=0.0, default=0.0)
    surface_speed: Signal = signal("m/s", default=0.0)
    normal: Any = normal_law(default=None)
    mu_across: Scalar | None = scalar("1", minimum=0.0, default=None)
    tangent: Vector | None = vector("1", direction=True, sizes=(3,), default=None)
    tangent_on: str = choice("first", "second", default="second")
    drilling: Scalar = scalar("m", minimum=0.0, default=0.0)
    rolling: Scalar = scalar("m", minimum=0.0, default=0.0)

    def __init__(
        self,
        first: Operand,
        second: Operand,
        *,
        name: str | None = None,
        mu: Friction = 0.0,
        eps_N: Any = 0.0,
        eps_T: Scalar = 0.0,
        eps_speed: Scalar = 0.0,
        surface_speed: Signal = 0.0,
        normal: Any = None,
        mu_across: Scalar | None = None,
        tangent: Vector | None = None,
        tangent_on: str = "second",
        drilling: Scalar = 0.0,
        rolling: Scalar = 0.0,
    ) -> None:
        if name is None:
            name = contact_name(first, second)
        given = {
            "name": name, "first": first, "second": second, "mu": mu, "eps_N": eps_N,
            "eps_T": eps_T, "eps_speed": eps_speed, "surface_speed": surface_speed,
            "normal": normal, "mu_across": mu_across, "tangent": tangent,
            "tangent_on": tangent_on, "drilling": drilling, "rolling": rolling,
        }  # fmt: skip
        for key, value in given.items():
            object.__setattr__(self, key, value)
        self.__post_init__()

    def _check(self) -> None:
        for field in ("first", "second"):
            value = getattr(self, field)
            if isinstance(value, Part) and not has_contour(value):
                raise self.where(field).error(f"{_no_contour(value)}")
        check_touching(self, self.first, self.second)
        if not 0.0 <= self.eps_T <= 1.0:
            raise self.where("eps_T").error(f"must be from 0 to 1, got {self.eps_T:g}")
        if self.normal is not None and (self.eps_N != 0.0 or self.eps_T != 0.0):
            raise self.where("normal").error(
                "is compliant: restitution is its own, so that eps_N and eps_T must be 0"
            )
        self._check_spatial_laws()
        if getattr(self.mu, "radius", None) is not None:
            raise self.where("mu").error("has a radius, which belongs to friction in joints")

    def _check_spatial_laws(self) -> None:
        if self.mu_across is not None:
            if not isinstance(self.mu, float) or self.mu == 0.0:
                raise self.where("mu_across").error("needs a constant coefficient mu above 0")
            if self.tangent is None:
                raise self.where("mu_across").error("needs `tangent`, the direction mu belongs to")
        if self.normal is not None and (self.drilling > 0.0 or self.rolling > 0.0):
            raise self.where("normal").error("is compliant: drilling and rolling must be 0")

    def check_dimension(self, dim: int) -> None:
        """Refuse laws of contacts in space in a plane model."""
        given = {
            "mu_across": self.mu_across is not None,
            "tangent": self.tangent is not None,
            "drilling": self.drilling > 0.0,
            "rolling": self.rolling > 0.0,
        }
        for name, value in given.items():
            if dim == 2 and value:
                raise self.where(name).error("is a law of contacts in space; the model is plane")

    @property
    def warning(self) -> str:
        """A sentence about a law that needs attention, or nothing."""
        found = friction_warning(self.mu)
        return f"{self.label}: {found}" if found else ""


def contact_name(first: Any, second: Any) -> str:
    """Return the name "first-second" of a contact."""
    names = [x.name if isinstance(x, Part) else str(x) for x in (first, second)]
    return "-".join(names)


def check_touching(owner: Part, first: Any, second: Any) -> None:
    """Refuse two contours on one body and two that cannot move."""
    a, b = carrier_of(first), carrier_of(second)
    if not isinstance(a, Part) or not isinstance(b, Part):
        if isinstance(first, str) and first == second:
            raise ModelError(f"{owner.label}: first and second are the same part {first!r}")
        return
    if a is b or a.name == b.name:
        raise ModelError(f"{owner.label}: first and second are both on {a.label}")
    fixed = ("ground", "moving frame")
    if a.ROLE in fixed and b.ROLE in fixed:
        raise ModelError(f"{owner.label}: neither {a.label} nor {b.label} can move; one must")
    if isinstance(first, Part) and isinstance(second, Part):
        full = without_clearance(first, second)
        if full and getattr(owner, "normal", None) is None:
            raise ModelError(f"{owner.label}: {full}")
        reason = cannot_touch(first, second)
        if reason:
            names = f"{first.label} and {second.label}"
            raise ModelError(f"{owner.label}: {names} cannot touch: {reason}")


def _no_contour(value: Part) -> str:
    if value.ROLE in ("ground", "moving frame"):
        return f"is {value.label}, which has no contour; give it a normal, as normal=(0.0, 1.0)"
    return f"is {value.label}, which has no contour; put a Circle, Polygon, Sphere, Box, ... on it"
