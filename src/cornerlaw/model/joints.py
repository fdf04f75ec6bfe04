"""Joints in relative coordinates: the second operand moves against the first.

At zero coordinates the second frame is rotated against the first by `orientation` and the joint
points `at` (first frame) and `at_second` (second frame) coincide.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.arguments import unknown
from cornerlaw.model.corner_values import TURNS, BearingKind, LimitsKind, StopsKind
from cornerlaw.model.friction import Coulomb, Stribeck
from cornerlaw.model.part import Pair, part
from cornerlaw.model.quantity import (
    Function,
    Kind,
    Scalar,
    Vector,
    Where,
    as_items,
    as_numbers,
    count,
    flag,
    function,
    listing,
    names,
    scalar,
    show,
    spec,
    unit_vector,
    vector,
)
from cornerlaw.model.rotation import Rotation, rotation_field
from cornerlaw.model.values import SignalVectorKind

Z = (0.0, 0.0, 1.0)


class DriveKind(Kind):
    """A signal of t, or a dict from coordinate names to signals."""

    unit = "rad|m"

    def check(self, value: Any, where: Where) -> Any:
        item = SignalVectorKind(self.unit, (2, 3), single=True, function=True)
        if isinstance(value, dict):
            return {key: item.check(entry, where.item(key)) for key, entry in value.items()}
        return item.check(value, where)


class LockedKind(Kind):
    """True, False or a tuple of coordinate names."""

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            value = (value,)
        if not isinstance(value, list | tuple) or not all(isinstance(x, str) for x in value):
            raise where.error(f"must be True, False or coordinate names, got {show(value)}")
        return tuple(value)


class AxesKind(Kind):
    """Two orthogonal directions in space."""

    unit = "1"

    def check(self, value: Any, where: Where) -> Any:
        rows = as_items(value, where, self.unit, "2 axes of 3 numbers")
        if len(rows) != 2:
            raise where.error(f"must be 2 axes of 3 numbers, got {len(rows)}")
        a, b = (
            unit_vector(as_numbers(row, where.item(k), self.unit, (3,)), where.item(k))
            for k, row in enumerate(rows)
        )
        cosine = sum(x * y for x, y in zip(a, b, strict=True))
        if abs(cosine) > 1e-9:
            raise where.error(f"must be orthogonal, got a cosine of {cosine:g} between them")
        return (a, b)


@part(abstract=True)
class Joint(Pair):
    """The family of joints.

    `armature` is the inertia of a rotor behind `ratio` (it counts ratio^2 times); `drive` gives
    coordinates as functions of time (a rotation by its three Cardan angles x-y-z), `locked` holds
    them, a position as a whole or a component such as "position_x"; of a driven component the
    initial value is not used. `closure=True` makes the joint a loop closure instead of a branch of
    the tree. `friction` is dry friction on every coordinate, loaded by the joint's own reaction
    force; `limits` are stops, hit with the restitution `eps_N`: (lowest, highest) of the only
    coordinate, or a dict from scalar coordinates to such pairs. A rotation in space has a largest
    "swing" and "twist".
    """

    ROLE: ClassVar[str] = "joint"
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = ()
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = ()

    orientation: Rotation | None = rotation_field(default=None)
    armature: Scalar = scalar("kg*m^2|kg", minimum=0.0, default=0.0)
    ratio: Scalar = scalar("1", nonzero=True, default=1.0)
    drive: Any = spec(DriveKind(), default=None)
    locked: Any = spec(LockedKind(), default=False)
    closure: bool = flag(default=False)
    friction: Coulomb | Stribeck | None = spec(BearingKind(), default=None)
    limits: Any = spec(LimitsKind(), default=None)
    eps_N: Any = spec(StopsKind(), default=0.0)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates."""
        return tuple(name for name, _ in self.COORDINATES)

    @property
    def drives(self) -> dict[str, Any]:
        """The prescribed coordinates as a dict, however `drive` was written."""
        if self.drive is None:
            return {}
        if isinstance(self.drive, dict):
            return dict(self.drive)
        return {self.coordinate_names[0]: self.drive}

    @property
    def locked_coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates that are held."""
        if self.locked is True:
            return self.coordinate_names
        return self.locked or ()

    def _check(self) -> None:
        super()._check()
        known = list(self.coordinate_names)
        if self.drive is not None and not isinstance(self.drive, dict) and len(known) != 1:
            raise self.where("drive").error(
                f"must be a dict from coordinate names, as {type(self).__name__} has "
                f"{len(known)} coordinates"
            )
        drives, locked = self.drives, self.locked_coordinates
        for field, given in (("drive", tuple(drives)), ("locked", locked)):
            for name in given:
                if name not in known and name not in self._position_components():
                    raise unknown(
                        f"{self.label}: {field} names no coordinate", name,
                        [*known, *self._position_components()],
                    )  # fmt: skip
        whole = [name for name in (*drives, *locked) if name == "position"]
        for name in (*drives, *locked):
            if whole and name in self._position_components():
                raise ModelError(f"{self.label}: {name} is given twice, alone and in position")
        for name in drives:
            if name in locked:
                raise ModelError(f"{self.label}: {name} cannot be both driven and locked")
            self._check_start_of_drive(name)
            size = self._vector_size(name)
            value = drives[name]
            if name == "rotation" and not (isinstance(value, tuple) and len(value) == 3):
                raise self.where("drive[rotation]").error(
                    "must be 3 signals, the Cardan angles about x, y and z"
                )
            if isinstance(value, tuple) and not size:
                raise self.where(f"drive[{name}]").error("must be one signal, got several")
        if self.armature and len(known) != 1:
            raise self.where("armature").error(
                f"needs a joint with one coordinate, {type(self).__name__} has {len(known)}"
            )
        self._check_corners(known)

    @property
    def limit_ranges(self) -> dict[str, tuple[float | None, float | None]]:
        """The lower and the upper end of everything that has stops, however they were written."""
        if self.limits is None:
            return {}
        if not isinstance(self.limits, dict):
            return {self.coordinate_names[0]: self.limits}
        return {
            name: (None, value) if isinstance(value, float) else value
            for name, value in self.limits.items()
        }

    @property
    def turning_limits(self) -> tuple[str, ...]:
        """What of a rotation in space has stops: "swing", "twist", both or nothing."""
        if "rotation" not in self.coordinate_names or not self._vector_size("rotation"):
            return ()
        return tuple(name for name in self.limit_ranges if name in TURNS)

    def restitution_of(self, name: str) -> Any:
        """Return the restitution of the stops of one coordinate."""
        return self.eps_N.get(name, 0.0) if isinstance(self.eps_N, dict) else self.eps_N

    def _stoppable(self) -> list[str]:
        """Return what of a joint can have stops: its scalar coordinates, swing and twist."""
        found: list[str] = []
        for name in self.coordinate_names:
            if not self._vector_size(name):
                found.append(name)
            elif name == "rotation":
                found += TURNS
            else:
                found += self._position_components()
        return found

    def _position_components(self) -> list[str]:
        """Return the names of the components of the position, if that is a vector."""
        if "position" not in self.coordinate_names or not self._vector_size("position"):
            return []
        in_plane = type(self).__name__ == "PlanarJoint"
        return [f"position_{axis}" for axis in ("xy" if in_plane else "xyz")]

    def _check_limits(self) -> None:
        """Refuse limits of what the joint has not, and restitution of what has none."""
        kind, known = type(self).__name__, self._stoppable()
        if not known:
            raise self.where("limits").error(f"needs a joint with a coordinate, {kind} has none")
        if not isinstance(self.limits, dict):
            if len(known) > 1:
                given = "0.5" if known[0] == "swing" else "(low, high)"
                raise self.where("limits").error(
                    f"must be a dict, as {kind} has {', '.join(known)}; "
                    f"for example {{'{known[0]}': {given}}}"
                )
            known = list(self.coordinate_names)
        for name in self.limit_ranges:
            if name not in known:
                raise unknown(f"{self.label}: limits names no coordinate", name, known)
        if "swing" in self.limit_ranges and (
            isinstance(self.limits["swing"], float) != ("swing" in self.turning_limits)
        ):
            numbers = "one number" if self.turning_limits else "2 numbers"
            raise self.where("limits[swing]").error(f"must be {numbers}")
        if "twist" in self.turning_limits:
            self._check_twist(self.limit_ranges)
        if isinstance(self.eps_N, dict):
            for name in self.eps_N:
                if name not in self.limit_ranges:
                    raise unknown(f"{self.label}: eps_N names no limit", name, [*self.limit_ranges])

    def _check_twist(self, ranges: dict[str, tuple[float | None, float | None]]) -> None:
        """Refuse stops of a twist that could pass them by: it counts no turns."""
        lower, upper = ranges["twist"]
        if lower is None or upper is None or lower <= -math.pi or upper >= math.pi:
            raise self.where("limits[twist]").error(
                "must be two numbers between -pi and pi, as a twist counts no turns"
            )
        if "swing" not in ranges:
            raise self.where("limits[twist]").error(
                "needs a limit of the swing, as a twist has no meaning at a swing of half a turn"
            )

    def _check_corners(self, known: list[str]) -> None:
        """Check friction and limits against the coordinates."""
        if self.limits is not None:
            self._check_limits()
        elif self.eps_N != 0.0:
            raise self.where("eps_N").error("is the restitution of limits, which are not given")
        if self.friction is None:
            return
        if not known:
            raise self.where("friction").error(f"needs a coordinate, {self.label} has none")
        if type(self).__name__ in ("FreeJoint", "UserJoint"):
            raise self.where("friction").error(
                f"cannot act on the motion of a {type(self).__name__} as a whole; "
                f"use a JointFriction or a UserSet"
            )
        turns = any(unit == "rad" or name == "rotation" for name, unit in self.COORDINATES)
        if turns and self.friction.radius is None:
            raise self.where("friction").error("needs a radius, as in Coulomb(0.1, radius=0.01)")

    def _check_start_of_drive(self, name: str) -> None:
        """Refuse an initial value next to a drive, which would silently win."""
        rates = dict(
            zip(self.coordinate_names, (rate for rate, _ in self.VELOCITIES), strict=False)
        )
        for given in (name, rates.get(name, "")):
            if getattr(self, given, None) is not None:
                raise ModelError(
                    f"{self.label}: {given} is given and {name} is driven; the drive sets both, "
                    f"so leave {given} out"
                )

    def _vector_size(self, name: str) -> bool:
        return name in ("position", "rotation")


@part()
class Revolute(Joint):
    """Rotation about `axis` (in the plane: about z)."""

    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("angle", "rad"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("speed", "rad/s"),)

    axis: Vector = vector("1", sizes=(3,), direction=True, neutral=Z, default=Z)
    armature: Scalar = scalar("kg*m^2", minimum=0.0, default=0.0)
    angle: Scalar | None = scalar("rad", default=None)
    speed: Scalar | None = scalar("rad/s", default=None)


@part()
class Prismatic(Joint):
    """Translation along `axis`, no rotation."""

    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("displacement", "m"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("velocity", "m/s"),)

    axis: Vector = vector("1", direction=True)
    armature: Scalar = scalar("kg", minimum=0.0, default=0.0)
    displacement: Scalar | None = scalar("m", default=None)
    velocity: Scalar | None = scalar("m/s", default=None)


@part()
class Screw(Joint):
    """Rotation about `axis` with the translation pitch * angle along it."""

    DIM: ClassVar[int | None] = 3
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("angle", "rad"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("speed", "rad/s"),)

    axis: Vector = vector("1", sizes=(3,), direction=True, default=Z)
    pitch: Scalar = scalar("m/rad", nonzero=True)
    armature: Scalar = scalar("kg*m^2", minimum=0.0, default=0.0)
    angle: Scalar | None = scalar("rad", default=None)
    speed: Scalar | None = scalar("rad/s", default=None)


@part()
class Cylindrical(Joint):
    """Rotation about and translation along `axis`, independent of each other."""

    DIM: ClassVar[int | None] = 3
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("angle", "rad"), ("displacement", "m"))
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("speed", "rad/s"), ("velocity", "m/s"))

    axis: Vector = vector("1", sizes=(3,), direction=True, default=Z)
    angle: Scalar | None = scalar("rad", default=None)
    displacement: Scalar | None = scalar("m", default=None)
    speed: Scalar | None = scalar("rad/s", default=None)
    velocity: Scalar | None = scalar("m/s", default=None)


@part()
class Universal(Joint):
    """Rotation about an axis fixed in the first, then about one fixed in the second operand."""

    DIM: ClassVar[int | None] = 3
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("angle_1", "rad"), ("angle_2", "rad"))
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (
        ("speed_1", "rad/s"),
        ("speed_2", "rad/s"),
    )

    axes: Any = spec(AxesKind(), default=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    angle_1: Scalar | None = scalar("rad", default=None)
    angle_2: Scalar | None = scalar("rad", default=None)
    speed_1: Scalar | None = scalar("rad/s", default=None)
    speed_2: Scalar | None = scalar("rad/s", default=None)


@part()
class Spherical(Joint):
    """Free rotation about a point; angular velocity in the second's joint axes.

    Swing is the angle between `limit_axis` of the second and of the first operand, twist the turn
    about it that is left when the swing is undone.
    """

    DIM: ClassVar[int | None] = 3
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("rotation", "1"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("angular_velocity", "rad/s"),)

    rotation: Rotation | None = rotation_field(default=None)
    angular_velocity: Vector | None = vector("rad/s", sizes=(3,), default=None)
    limit_axis: Vector = vector("1", sizes=(3,), direction=True, default=Z)


@part()
class PlanarJoint(Joint):
    """Translation in the plane across `normal` and rotation about it."""

    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("position", "m"), ("angle", "rad"))
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("velocity", "m/s"), ("speed", "rad/s"))

    normal: Vector = vector("1", sizes=(3,), direction=True, neutral=Z, default=Z)
    position: Vector | None = vector("m", sizes=(2,), dims={}, default=None)
    angle: Scalar | None = scalar("rad", default=None)
    velocity: Vector | None = vector("m/s", sizes=(2,), dims={}, default=None)
    speed: Scalar | None = scalar("rad/s", default=None)


@part()
class FreeJoint(Joint):
    """Free motion in space: velocity in the first's, angular velocity in the second's axes.

    `limit_axis` is the axis of swing and twist, as of a Spherical joint.
    """

    DIM: ClassVar[int | None] = 3
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("position", "m"), ("rotation", "1"))
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (
        ("velocity", "m/s"),
        ("angular_velocity", "rad/s"),
    )

    position: Vector | None = vector("m", sizes=(3,), default=None)
    rotation: Rotation | None = rotation_field(default=None)
    velocity: Vector | None = vector("m/s", sizes=(3,), default=None)
    angular_velocity: Vector | None = vector("rad/s", sizes=(3,), default=None)
    limit_axis: Vector = vector("1", sizes=(3,), direction=True, default=Z)


@part()
class Weld(Joint):
    """No relative motion."""


@part()
class Translation(Joint):
    """Translation in 2 or 3 directions without rotation."""

    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("position", "m"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("velocity", "m/s"),)

    position: Vector | None = vector("m", default=None)
    velocity: Vector | None = vector("m/s", default=None)


@part()
class UserJoint(Joint):
    """A joint by its own kinematics(q, u) -> (R, d, S, bias) with n coordinates.

    R (3,3) and d (3) are the pose of the second joint frame in the first, S (6,n) maps u to
    (velocity, angular velocity) in first axes, bias (6) = dS/dt u.
    """

    kinematics: Function = function()
    n: int = count()
    q0: Vector | None = listing("", default=None)
    u0: Vector | None = listing("", default=None)
    coordinates: tuple[str, ...] | None = names(default=None)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, q1 to qn unless given."""
        return self.coordinates or tuple(f"q{k + 1}" for k in range(self.n))

    def _check(self) -> None:
        if self.n > 6:
            raise self.where("n").error(f"must be at most 6, got {self.n}")
        for name in ("q0", "u0", "coordinates"):
            value = getattr(self, name)
            if value is not None and len(value) != self.n:
                raise self.where(name).error(f"must have n = {self.n} entries, got {len(value)}")
        if self.closure:
            raise self.where("closure").error("must be False: a UserJoint belongs to the tree")
        super()._check()

    def _vector_size(self, name: str) -> bool:
        return False
