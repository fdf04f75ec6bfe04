"""Rotations as 3x3 matrices: constructors for users and the conversion of every accepted form.

A rotation is a number (planar, angle about z), a unit quaternion (e0, e1, e2, e3) or a 3x3 matrix.
The matrix maps components in the second (body) frame to components in the first (world) frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, TypeAlias

from cornerlaw.model.arguments import clear_call
from cornerlaw.model.quantity import (
    Kind,
    Matrix,
    Vector,
    Where,
    as_number,
    as_numbers,
    as_square,
    is_quantity,
    norm,
    show,
    spec,
    strip_unit,
    unit_vector,
)

# a number (planar), 4 numbers (quaternion) or 3x3 numbers
Rotation: TypeAlias = float | Vector | Matrix
Matrix3: TypeAlias = tuple[tuple[float, ...], ...]

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# a matrix or quaternion farther than this from a rotation is refused, a closer one is corrected
TOLERANCE = 1e-6
# below this it is kept bit for bit, so that checking twice changes nothing
EXACT = 1e-14


@clear_call
def about(axis: Vector, angle: float | Any) -> Matrix3:
    """Return the rotation by `angle` [rad] about `axis`: R = E + sin a K + (1 - cos a) K^2."""
    where = Where("rotation.about", "axis")
    x, y, z = unit_vector(as_numbers(axis, where, "1", (3,)), where)
    a = as_number(angle, Where("rotation.about", "angle"), "rad")
    s, c = math.sin(a), math.cos(a)
    d = 1.0 - c
    return (
        (c + d * x * x, d * x * y - s * z, d * x * z + s * y),
        (d * x * y + s * z, c + d * y * y, d * y * z - s * x),
        (d * x * z - s * y, d * y * z + s * x, c + d * z * z),
    )


@clear_call
def cardan(alpha: float | Any, beta: float | Any, gamma: float | Any) -> Matrix3:
    """Return Rx(alpha) Ry(beta) Rz(gamma), angles in rad."""
    return multiply(
        about((1.0, 0.0, 0.0), alpha),
        multiply(about((0.0, 1.0, 0.0), beta), about((0.0, 0.0, 1.0), gamma)),
    )


def cardan_angles(rotation: Rotation | None) -> tuple[float, float, float]:
    """Return alpha, beta, gamma with Rx(alpha) Ry(beta) Rz(gamma) = rotation."""
    (a, b, c), (d, e, _), (g, h, _) = as_matrix(rotation)
    gamma = math.atan2(-b, a)
    s, k = math.sin(gamma), math.cos(gamma)
    # alpha from what gamma leaves: both together stay exact where beta is a right angle
    return math.atan2(g * s + h * k, d * s + e * k), math.atan2(c, math.hypot(a, b)), gamma


@clear_call
def euler(psi: float | Any, theta: float | Any, phi: float | Any) -> Matrix3:
    """Return Rz(psi) Rx(theta) Rz(phi), angles in rad."""
    return multiply(
        about((0.0, 0.0, 1.0), psi),
        multiply(about((1.0, 0.0, 0.0), theta), about((0.0, 0.0, 1.0), phi)),
    )


@clear_call
def quaternion(e0: float, e1: float, e2: float, e3: float) -> Matrix3:
    """Return the matrix of the unit quaternion (e0, e1, e2, e3), scalar part first."""
    where = Where("rotation.quaternion", "quaternion")
    return _from_quaternion(_unit_quaternion((e0, e1, e2, e3), where))


def as_matrix(rotation: Rotation | None) -> Matrix3:
    """Return the 3x3 matrix of any accepted rotation; None is the identity."""
    if rotation is None:
        return IDENTITY
    stored = RotationKind().check(rotation, Where("rotation", "value"))
    if isinstance(stored, float):
        return about((0.0, 0.0, 1.0), stored)
    return _from_quaternion(stored) if len(stored) == 4 else stored


def multiply(a: Matrix3, b: Matrix3) -> Matrix3:
    """Return the matrix product a b."""
    columns = tuple(zip(*b, strict=True))
    return tuple(
        tuple(sum(x * y for x, y in zip(row, column, strict=True)) for column in columns)
        for row in a
    )


def rotate(a: Matrix3, v: Sequence[float]) -> tuple[float, ...]:
    """Return the matrix times the vector."""
    return tuple(sum(x * y for x, y in zip(row, v, strict=True)) for row in a)


def transpose(a: Matrix3) -> Matrix3:
    """Return the transposed matrix."""
    return tuple(zip(*a, strict=True))


class RotationKind(Kind):
    """A rotation, stored as float, 4-tuple or 3x3 tuple as it was given."""

    unit = "rad"

    def check(self, value: Any, where: Where) -> Any:
        plain = strip_unit(value, where, "rad" if is_quantity(value) else "")
        if hasattr(plain, "tolist"):
            plain = plain.tolist()
        if not isinstance(plain, list | tuple):
            return as_number(plain, where, self.unit)
        if len(plain) == 4:
            return _unit_quaternion(plain, where)
        if len(plain) == 3 and all(hasattr(row, "__len__") for row in plain):
            return _orthonormal(as_square(plain, where, "1", 3), where)
        raise where.error(
            f"must be an angle, a quaternion of 4 numbers or a 3x3 matrix, got {show(value)}"
        )

    def dim(self, value: Any) -> int | None:
        return 2 if isinstance(value, float) else 3


def rotation_field(*, default: Any = MISSING) -> Any:
    """Declare a rotation."""
    return spec(RotationKind(), default)


def _unit_quaternion(value: Any, where: Where) -> tuple[float, ...]:
    e = as_numbers(value, where, "1", (4,))
    length = norm(e)
    if abs(length - 1.0) > TOLERANCE:
        raise where.error(f"must be a unit quaternion, got one of length {length:g}")
    return e if abs(length - 1.0) <= EXACT else tuple(x / length for x in e)


def _from_quaternion(e: Sequence[float]) -> Matrix3:
    a, b, c, d = e
    return (
        (1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)),
        (2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b)),
        (2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c)),
    )


def _defect(r: Matrix3) -> float:
    product = multiply(transpose(r), r)
    return max(abs(product[i][j] - IDENTITY[i][j]) for i in range(3) for j in range(3))


def _orthonormal(r: Matrix3, where: Where) -> Matrix3:
    defect = _defect(r)
    if defect > TOLERANCE:
        raise where.error(f"must be orthonormal, got R^T R off the identity by {defect:.2g}")
    (a, b, c), (d, e, f), (g, h, i) = r
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        raise where.error("must be a rotation, got a reflection (determinant -1)")
    if defect > EXACT:
        # one Newton step R (3 E - R^T R) / 2 towards the nearest rotation squares the defect
        product = multiply(transpose(r), r)
        correction = tuple(
            tuple(1.5 * IDENTITY[i][j] - 0.5 * product[i][j] for j in range(3)) for i in range(3)
        )
        r = multiply(r, correction)
    return r
