"""Bodies, the ground, moving frames and one-dimensional inertias."""

from __future__ import annotations

from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.inertia import Inertia, as_tensor
from cornerlaw.model.part import Part, part
from cornerlaw.model.quantity import (
    Function,
    Kind,
    Scalar,
    ScalarKind,
    Vector,
    Where,
    as_numbers,
    as_square,
    data,
    listing,
    names,
    scalar,
    spec,
    spin,
    strip_unit,
    text,
    vector,
)
from cornerlaw.model.rotation import Rotation, rotation_field
from cornerlaw.model.values import Signal, signal, signals


class InertiaKind(Kind):
    """A number (planar), 3 principal moments or a 3x3 matrix (stored 3x3), or an Inertia."""

    unit = "kg*m^2"

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, Inertia):
            return value
        plain = strip_unit(value, where, self.unit)
        if isinstance(plain, list | tuple) or getattr(plain, "shape", ()) != ():
            return as_tensor(plain, where)
        return ScalarKind(self.unit, 0.0, False, False).check(plain, where)

    def dim(self, value: Any) -> int | None:
        # an Inertia fits both: the plane takes its zz component
        return None if isinstance(value, Inertia) else 2 if isinstance(value, float) else 3


@part()
class Body(Part):
    """A rigid body; in the plane a position and an angle, in space a position and a rotation.

    `com` is the centre of mass in the body frame, `inertia` is about it: a number (planar), 3
    principal moments, a 3x3 matrix or an `Inertia`, whose mass and centre of mass are used where
    none are given. `position` is that of the body-frame origin; velocities are in world axes.
    """

    ROLE: ClassVar[str] = "body"

    mass: Scalar = scalar("kg", minimum=0.0, default=0.0)
    inertia: float | Vector | Inertia | None = spec(InertiaKind(), default=None)
    com: Vector | None = vector("m", default=None)
    position: Vector | None = vector("m", default=None)
    rotation: Rotation | None = rotation_field(default=None)
    velocity: Vector | None = vector("m/s", default=None)
    angular_velocity: float | Vector | None = spin(default=None)
    shape: Any = data(default=None)

    def _check(self) -> None:
        if not isinstance(self.inertia, Inertia):
            return
        if self.mass == 0.0:
            object.__setattr__(self, "mass", self.inertia.mass)
        elif abs(self.mass - self.inertia.mass) > 1e-9 * self.mass:
            raise ModelError(
                f"{self.label}: mass is {self.mass:g} kg but its inertia was made for "
                f"{self.inertia.mass:g} kg; give both the same"
            )

    def _completed(self, changes: dict[str, Any]) -> dict[str, Any]:
        new = changes.get("inertia")
        if isinstance(new, Inertia) and "mass" not in changes:
            return {**changes, "mass": new.mass}
        return changes

    @property
    def tensor(self) -> tuple[tuple[float, ...], ...]:
        """The 3x3 inertia about the centre of mass in body axes; a planar number is entry zz."""
        if isinstance(self.inertia, Inertia):
            return tuple(self.inertia.tensor)
        if self.inertia is None:
            return ((0.0, 0.0, 0.0),) * 3
        if isinstance(self.inertia, float):
            return ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, self.inertia))
        return tuple(self.inertia)

    @property
    def centre(self) -> tuple[float, float, float]:
        """The centre of mass in the body frame as 3 numbers, from `com` or from the Inertia."""
        com = self.com
        if com is None and isinstance(self.inertia, Inertia):
            com = self.inertia.com
        if com is None:
            return (0.0, 0.0, 0.0)
        return (com[0], com[1], com[2] if len(com) == 3 else 0.0)


@part()
class PointMass(Part):
    """A mass without rotation; contacts see it as a point."""

    ROLE: ClassVar[str] = "body"

    mass: Scalar = scalar("kg", minimum=0.0)
    position: Vector | None = vector("m", default=None)
    velocity: Vector | None = vector("m/s", default=None)
    group: str | None = text(default=None)
    material: str | None = text(default=None)


@part()
class Disk(Part):
    """A planar disk, centre of mass in its centre; inertia m r^2 / 2 unless given.

    Contacts see it as a circle.
    """

    ROLE: ClassVar[str] = "body"
    DIM: ClassVar[int | None] = 2

    mass: Scalar = scalar("kg", minimum=0.0)
    radius: Scalar = scalar("m", positive=True)
    inertia: Scalar | None = scalar("kg*m^2", minimum=0.0, default=None)
    position: Vector | None = vector("m", default=None)
    velocity: Vector | None = vector("m/s", default=None)
    angle: Scalar | None = scalar("rad", default=None)
    spin: Scalar | None = scalar("rad/s", default=None)
    group: str | None = text(default=None)
    material: str | None = text(default=None)

    @property
    def moment(self) -> float:
        """The inertia about the centre [kg m^2], given or m r^2 / 2."""
        if self.inertia is not None:
            return float(self.inertia)
        return float(0.5 * self.mass * self.radius * self.radius)


@part()
class Ground(Part):
    """The inertial frame; several grounds are the same frame under different names.

    With a `normal` it is also the straight boundary through `at` of everything below it, which
    bodies can touch.
    """

    ROLE: ClassVar[str] = "ground"

    name: str = text(default="ground", kw_only=False)
    normal: Vector | None = vector("1", direction=True, default=None)
    at: Vector | None = vector("m", default=None)
    group: str | None = text(default=None)
    material: str | None = text(default=None)


@part()
class MovingFrame(Part):
    """A massless frame with prescribed motion; `angles` in space are Cardan angles x-y-z.

    With a `normal` (in its own axes) it is also a straight boundary through `at`, as a Ground.
    """

    ROLE: ClassVar[str] = "moving frame"

    position: tuple[Signal, ...] | None = signals("m", default=None, function=False)
    angle: Signal | None = signal("rad", default=None)
    angles: tuple[Signal, ...] | None = signals("rad", default=None, sizes=(3,), function=False)
    normal: Vector | None = vector("1", direction=True, default=None)
    at: Vector | None = vector("m", default=None)
    group: str | None = text(default=None)
    material: str | None = text(default=None)

    def _check(self) -> None:
        if self.angle is not None and self.angles is not None:
            raise ModelError(f"{self.label}: give angle (planar) or angles (spatial), not both")
        if self.position is not None:
            if self.angle is not None and len(self.position) == 3:
                raise self.where("angle").error("is planar but position has 3 components")
            if self.angles is not None and len(self.position) == 2:
                raise self.where("angles").error("is spatial but position has 2 components")

    def dims(self) -> Any:
        yield from Part.dims(self)
        if self.position is None and self.angle is not None:
            yield "angle", 2
        if self.position is None and self.angles is not None:
            yield "angles", 3


@part()
class Rotor(Part):
    """A one-dimensional rotating inertia, not moved by gravity."""

    ROLE: ClassVar[str] = "inertia"
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("angle", "rad"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("speed", "rad/s"),)

    inertia: Scalar = scalar("kg*m^2", minimum=0.0)
    angle: Scalar | None = scalar("rad", default=None)
    speed: Scalar | None = scalar("rad/s", default=None)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates."""
        return ("angle",)


@part()
class Slider(Part):
    """A one-dimensional sliding mass, not moved by gravity."""

    ROLE: ClassVar[str] = "inertia"
    COORDINATES: ClassVar[tuple[tuple[str, str], ...]] = (("position", "m"),)
    VELOCITIES: ClassVar[tuple[tuple[str, str], ...]] = (("velocity", "m/s"),)

    mass: Scalar = scalar("kg", minimum=0.0)
    position: Scalar | None = scalar("m", default=None)
    velocity: Scalar | None = scalar("m/s", default=None)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates."""
        return ("position",)


class _MassMatrixKind(Kind):
    """A constant symmetric matrix or a function of (q, t)."""

    def check(self, value: Any, where: Where) -> Any:
        if callable(value) and not isinstance(value, type):
            return value
        matrix = as_square(value, where)
        scale = max(abs(x) for row in matrix for x in row)
        for i, row in enumerate(matrix):
            for j in range(i):
                if abs(row[j] - matrix[j][i]) > 1e-9 * scale:
                    raise where.error(f"must be symmetric, rows {j} and {i} differ")
        return matrix


class _ForceVectorKind(Kind):
    """A constant vector or a function of (q, u, t)."""

    def check(self, value: Any, where: Where) -> Any:
        if callable(value) and not isinstance(value, type):
            return value
        return as_numbers(value, where)


@part()
class LagrangianSystem(Part):
    """A system by its own equations M(q, t) u_dot = h(q, u, t), q_dot = u."""

    ROLE: ClassVar[str] = "system"

    M: Vector | Function = spec(_MassMatrixKind())
    h: Vector | Function | None = spec(_ForceVectorKind(), default=None)
    q0: Vector = listing("")
    u0: Vector | None = listing("", default=None)
    coordinates: tuple[str, ...] | None = names(default=None)

    def _check(self) -> None:
        n = len(self.q0)
        for name in ("M", "h", "u0", "coordinates"):
            value = getattr(self, name)
            if isinstance(value, tuple) and len(value) != n:
                raise self.where(name).error(f"must have {n} entries like q0, got {len(value)}")
        if isinstance(self.M, tuple):
            _check_positive_definite(self.M, self.where("M"))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, q1 to qn unless given."""
        return self.coordinates or tuple(f"q{k + 1}" for k in range(len(self.q0)))


def _check_positive_definite(matrix: tuple[tuple[float, ...], ...], where: Where) -> None:
    # Cholesky without square roots: a pivot that is not positive tells
    n = len(matrix)
    a = [list(row) for row in matrix]
    for k in range(n):
        if not a[k][k] > 1e-14 * max(abs(matrix[k][k]), 1e-300):
            raise where.error("must be positive definite")
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= factor * a[k][j]
