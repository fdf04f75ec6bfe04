"""Set-valued elements without contact geometry: what sticks, stops, locks or goes slack.

Each acts on one row, a velocity gamma that is a combination of generalised velocities (or the rate
of a distance), and obeys -gamma in N_C(lam) with its own set C.
"""

from __future__ import annotations

from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.arguments import unknown
from cornerlaw.model.corner_values import (
    BoundKind,
    CoordinateKind,
    DirectionKind,
    GapKind,
)
from cornerlaw.model.friction import Coulomb, Friction, Stribeck, friction, restitution
from cornerlaw.model.normal_laws import normal_law
from cornerlaw.model.part import AXIS_ROLES, Operand, Pair, Part, channels, operand, part
from cornerlaw.model.quantity import (
    Function,
    Scalar,
    Vector,
    choice,
    flag,
    listing,
    scalar,
    spec,
    text,
)
from cornerlaw.model.values import Signal, signal

_OWNERS = (*AXIS_ROLES, "system", "body")
_EXPECTED = "a joint, Rotor, Slider, LagrangianSystem or free body"


def check_on(owner: Part, on: Any, coordinate: str | None) -> None:
    """Refuse an unknown coordinate, and a missing one where there are several."""
    if not isinstance(on, Part):
        return
    known = list(getattr(on, "coordinate_names", ()))
    if coordinate is None:
        if len(known) != 1:
            named = ", ".join(repr(name) for name in known)
            raise owner.where("coordinate").error(
                f"must be given, as {on.label} has several: {named}"
                if known
                else f"must be given, such as 'position_x' of {on.label}"
            )
    elif known and not any(coordinate == k or coordinate.startswith(k + "_") for k in known):
        raise unknown(f"{owner.label}: coordinate of {on.label} is not", coordinate, known)


@part()
class UserContact(Part):
    """A contact given by its rows in generalised coordinates.

    Linear: g_N = gap + normal . q and gamma_T = tangent . u over the listed coordinates (all of
    `on` in their order, or `coordinates`). General: `gap` is a function g(q, t), whose derivatives
    follow exactly, and `tangent` may be a function s(q, t) whose rate is gamma_T. `surface` is the
    speed of the second surface along the tangent. With a compliant `law` the gap may become
    negative, and the force follows from its depth and rate.
    """

    ROLE: ClassVar[str] = "corner"

    on: Operand | None = operand((*AXIS_ROLES, "system"), _EXPECTED, default=None, kw_only=True)
    coordinates: tuple[str, ...] | None = channels(default=None)
    gap: float | Function = spec(GapKind())
    normal: Vector | None = listing("", default=None)
    tangent: Vector | Function | None = spec(DirectionKind(), default=None)
    mu: Friction = friction(default=0.0)
    eps_N: Any = restitution(default=0.0)
    eps_T: Scalar = scalar("1", minimum=0.0, default=0.0)
    eps_speed: Scalar = scalar("m/s|rad/s", minimum=0.0, default=0.0)
    surface: Signal | None = signal("m/s", default=None)
    law: Any = normal_law(default=None)
    derivatives: str = choice("exact", "numerical", default="exact")

    def _check(self) -> None:
        if (self.on is None) == (self.coordinates is None):
            raise ModelError(f"{self.label}: give either on or coordinates")
        if self.coordinates is not None and not self.coordinates:
            raise self.where("coordinates").error("must name at least one coordinate")
        if callable(self.gap):
            if self.normal is not None:
                raise self.where("normal").error("follows from gap, which is a function; leave it")
        elif self.normal is None:
            raise self.where("normal").error("must be given, as gap is a number")
        elif not any(self.normal):
            raise self.where("normal").error("must not be all zero")
        self._check_sizes()
        if self.tangent is None:
            for name in ("mu", "eps_T", "surface"):
                if getattr(self, name):
                    raise self.where("tangent").error(f"must be given, as {name} is")
        if self.eps_T > 1.0:
            raise self.where("eps_T").error(f"must be <= 1, got {self.eps_T:g}")

    def _check_sizes(self) -> None:
        if self.coordinates is not None:
            n = len(self.coordinates)
        elif isinstance(self.on, Part):
            n = len(self.on.coordinate_names)  # type: ignore[attr-defined]
        else:
            return
        for name in ("normal", "tangent"):
            value = getattr(self, name)
            if isinstance(value, tuple) and len(value) != n:
                raise self.where(name).error(
                    f"must have one number for each of the {n} coordinates, got {len(value)}"
                )


@part(kw_only=False, abstract=True)
class _OnOne(Part):
    ROLE: ClassVar[str] = "corner"

    on: Operand = operand(_OWNERS, _EXPECTED)


@part(abstract=True)
class OnCoordinate(_OnOne):
    """An element on one coordinate; `coordinate` is needed where the operand has several."""

    coordinate: str | None = text(default=None)

    def unit_choice(self) -> int | None:
        if isinstance(self.on, Part) and self.on.ROLE == "body":
            return int(str(self.coordinate).startswith("position"))
        return super().unit_choice()

    def _check(self) -> None:
        check_on(self, self.on, self.coordinate)


@part()
class JointFriction(OnCoordinate):
    """Dry friction on one coordinate: |lam| <= bound.

    The bound is `torque` (a number or function of t or of (t, q, u)), or mu * radius * load with a
    given `load`, or, without one, with the reaction force of the joint itself. `radius` is that of
    the sliding surface; a sliding coordinate needs none. `mu` may depend on the sliding speed.
    """

    torque: Signal | None = spec(BoundKind("N*m|N"), default=None)
    mu: Friction | None = friction(default=None)
    load: Signal | None = spec(BoundKind("N"), default=None)
    radius: Scalar | None = scalar("m", positive=True, default=None)

    @property
    def own_load(self) -> bool:
        """Whether the bound comes from the joint's own reaction."""
        return self.torque is None and self.load is None

    @property
    def factor(self) -> float:
        """The lever of the friction force: the radius, 1 on what slides."""
        if isinstance(self.mu, Coulomb | Stribeck) and self.mu.radius is not None:
            return float(self.mu.radius)
        return 1.0 if self.radius is None else float(self.radius)

    def _check(self) -> None:
        super()._check()
        if (self.torque is None) == (self.mu is None):
            raise ModelError(f"{self.label}: give either torque or mu")
        if self.torque is not None:
            for name in ("load", "radius"):
                if getattr(self, name) is not None:
                    raise self.where(name).error("has no meaning next to torque; leave it out")
            return
        of_law = isinstance(self.mu, Coulomb | Stribeck) and self.mu.radius is not None
        if of_law and self.radius is not None:
            raise self.where("radius").error("is given twice, here and in mu")
        if isinstance(self.on, Part):
            if self.own_load and type(self.on).__name__ == "UserJoint":
                raise self.where("load").error(
                    f"must be given, as {self.on.label} cannot be cut; or give torque"
                )
            if self.own_load and self.on.ROLE != "joint":
                raise self.where("load").error(
                    f"must be given, as {self.on.label} has no reaction; or give torque"
                )
            if self.unit_choice() == 0 and self.radius is None and not of_law:
                raise self.where("radius").error("must be given, as the coordinate is an angle")


@part()
class Limit(OnCoordinate):
    """Stops with restitution: lower <= coordinate <= upper; at least one of the two."""

    lower: Scalar | None = scalar("rad|m", default=None)
    upper: Scalar | None = scalar("rad|m", default=None)
    eps_N: Any = restitution(default=0.0)
    eps_speed: Scalar = scalar("rad/s|m/s", minimum=0.0, default=0.0)

    def _check(self) -> None:
        super()._check()
        if self.lower is None and self.upper is None:
            raise ModelError(f"{self.label}: give lower, upper or both")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise self.where("upper").error(
                f"must be above lower = {self.lower:g}, got {self.upper:g}"
            )


@part()
class Brake(OnCoordinate):
    """Dry friction against the inertial frame: |lam| <= capacity.

    `capacity` is a number or a function of t or of (t, q, u) of the coordinate.
    """

    capacity: Signal = spec(BoundKind("N*m|N"))


@part(kw_only=False, abstract=True)
class _TwoCoordinates(Part):
    ROLE: ClassVar[str] = "corner"

    first: Any = spec(CoordinateKind())
    second: Any = spec(CoordinateKind())

    def _check(self) -> None:
        check_two(self, self.first, self.second)


def check_two(owner: Part, first: Any, second: Any) -> None:
    """Refuse the same coordinate twice."""
    a, b = (x.name if isinstance(x, Part) else x for x in (first, second))
    if a == b:
        raise ModelError(f"{owner.label}: first and second are the same coordinate {a!r}")


@part()
class Clutch(_TwoCoordinates):
    """Dry friction between two axes: |lam| <= capacity, gamma = u_first - u_second.

    `capacity` is a number or a function of t or of (t, q, u) of the difference; lam acts on the
    first axis, -lam on the second. A `characteristic` over the slip speed multiplies the capacity.
    """

    capacity: Signal = spec(BoundKind("N*m|N"))
    characteristic: Friction | None = friction(default=None)


@part(kw_only=False, abstract=True)
class _OneOrTwoCoordinates(Part):
    ROLE: ClassVar[str] = "corner"

    first: Any = spec(CoordinateKind())
    second: Any = spec(CoordinateKind(), default=None)


@part()
class Freewheel(_OneOrTwoCoordinates):
    """A one-way clutch: direction (u_first - u_second) >= 0.

    Without a second axis the first turns only in the given direction (a backstop).
    """

    direction: Scalar = scalar("1", nonzero=True, default=1.0)

    def _check(self) -> None:
        if self.second is not None:
            check_two(self, self.first, self.second)
        if abs(self.direction) != 1.0:
            raise self.where("direction").error(f"must be 1 or -1, got {self.direction:g}")


@part()
class Rope(Pair):
    """A rope that may go slack: the distance of its ends is at most `length`."""

    ROLE: ClassVar[str] = "corner"

    length: Scalar = scalar("m", positive=True)
    eps_N: Any = restitution(default=0.0)
    eps_speed: Scalar = scalar("m/s", minimum=0.0, default=0.0)


@part()
class Backlash(_TwoCoordinates):
    """Play between two axes: |q_first - ratio q_second - centre| <= gap / 2, two stops.

    With a compliant `law` the stops give way; its depth is measured as q_first is.
    """

    gap: Scalar = scalar("rad|m", positive=True)
    ratio: Scalar = scalar("1|m/rad|rad/m", nonzero=True, default=1.0)
    centre: Scalar = scalar("rad|m", default=0.0)
    eps_N: Any = restitution(default=0.0)
    eps_speed: Scalar = scalar("rad/s|m/s", minimum=0.0, default=0.0)
    law: Any = normal_law(default=None)


@part()
class UserSet(Part):
    """Any set-valued force on one row: lower <= lam <= upper, gamma = coefficients . u.

    lam = lower while gamma > 0, lam = upper while gamma < 0, anything between at gamma = 0. The
    ends are numbers or functions of t or of (t, q, u) of the row. One of them may be left out if
    the other is 0: the row then cannot move against the force at all. With a `motion`, which needs
    both ends, gamma is the rate of coefficients . q over that of the motion: a drive with a limit.
    `constraint` says that no force there is reaches the ends: the set stands for a constraint, and
    analyses that leave sets out refuse it.
    """

    ROLE: ClassVar[str] = "corner"

    coordinates: tuple[str, ...] = channels()
    coefficients: Vector = listing("")
    lower: Signal | None = signal("", default=None)
    upper: Signal | None = signal("", default=None)
    motion: Signal | None = signal("", default=None)
    constraint: bool = flag(default=False)

    def _check(self) -> None:
        n = len(self.coordinates)
        if not n:
            raise self.where("coordinates").error("must name at least one coordinate")
        if self.motion is not None and (self.lower is None or self.upper is None):
            raise self.where("motion").error("needs both lower and upper")
        if len(self.coefficients) != n:
            raise self.where("coefficients").error(
                f"must have one number for each of the {n} coordinates, "
                f"got {len(self.coefficients)}"
            )
        if not any(self.coefficients):
            raise self.where("coefficients").error("must not be all zero")
        if self.lower is None and self.upper is None:
            raise ModelError(f"{self.label}: give lower, upper or both")
        for given, other in (("lower", "upper"), ("upper", "lower")):
            if getattr(self, other) is None and getattr(self, given) != 0.0:
                raise self.where(given).error(f"must be 0 if {other} is not given")
        if (
            isinstance(self.lower, float)
            and isinstance(self.upper, float)
            and self.lower > self.upper
        ):
            raise self.where("upper").error(
                f"must be >= lower = {self.lower:g}, got {self.upper:g}"
            )
