"""Friction laws: the coefficient over the sliding speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass
from typing import Any, TypeAlias

from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import (
    Kind,
    Scalar,
    ScalarKind,
    Where,
    as_number,
    is_quantity,
    show,
    spec,
)
from cornerlaw.model.values import Table

_COEFFICIENT = ScalarKind("1", 0.0, False, False)


def check_coefficient(value: Any, where: Where) -> Any:
    """Return a coefficient of friction: a number >= 0, a Table or a function of the speed."""
    if isinstance(value, Table):
        if min(value.y) < 0.0:
            raise where.error(f"must be >= 0 at every point, got {min(value.y):g}")
        return value
    if isinstance(value, type | str | bool) or value is None:
        raise where.error(f"must be a number, a Table or a function of speed, got {show(value)}")
    if callable(value) and not is_quantity(value):
        return value
    return _COEFFICIENT.check(value, where)


@clear_arguments
@dataclass(frozen=True)
class Coulomb:
    """Dry friction with the coefficient mu, a number, or a Table or function of the sliding speed.

    A `static` value that differs holds at rest only: the force then jumps at the first slip, so
    that the state is no continuous limit of slow sliding; the model reports it. `radius` is the
    lever arm of friction in a joint that rotates.
    """

    mu: Any
    static: Scalar | None = None
    radius: Scalar | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", check_coefficient(self.mu, Where("Coulomb", "mu")))
        if self.static is not None:
            if not isinstance(self.mu, float):
                raise Where("Coulomb", "static").error("needs a mu that is one number")
            _set(self, "static", _COEFFICIENT)
            if self.static < self.mu:
                raise Where("Coulomb", "static").error(
                    f"must be at least mu = {self.mu:g}, got {self.static:g}"
                )
        if self.radius is not None:
            _set(self, "radius", ScalarKind("m", None, True, False))


@clear_arguments
@dataclass(frozen=True)
class Stribeck:
    """Friction that falls from `static` to `kinetic` over the sliding speed.

    mu(v) = kinetic + (static - kinetic) exp(-|v / velocity|^exponent) + viscous |v|

    It starts at `static`, so that sticking and the beginning of sliding have the same coefficient.
    """

    static: Scalar
    kinetic: Scalar
    velocity: Scalar
    viscous: Scalar = 0.0
    exponent: Scalar = 1.0
    radius: Scalar | None = None

    def __post_init__(self) -> None:
        _set(self, "static", _COEFFICIENT)
        _set(self, "kinetic", _COEFFICIENT)
        _set(self, "velocity", ScalarKind("m/s|rad/s", None, True, False))
        _set(self, "viscous", ScalarKind("s/m|s/rad", 0.0, False, False))
        _set(self, "exponent", ScalarKind("1", None, True, False))
        if self.radius is not None:
            _set(self, "radius", ScalarKind("m", None, True, False))


def _set(owner: Any, name: str, kind: Kind) -> None:
    value = kind.check(getattr(owner, name), Where(type(owner).__name__, name))
    object.__setattr__(owner, name, value)


Friction: TypeAlias = float | Coulomb | Stribeck | Table | Callable[..., Any] | Any


class FrictionKind(Kind):
    """A coefficient, a friction law, or a Table or function of the sliding speed."""

    unit = "1"

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, Coulomb | Stribeck | Table):
            return value
        if callable(value) and not isinstance(value, type) and not is_quantity(value):
            return value
        if isinstance(value, type | str | bool | dict | list | tuple) or value is None:
            raise where.error(
                f"must be a number, Coulomb, Stribeck, Table or function, got {show(value)}"
            )
        return _COEFFICIENT.check(value, where)


def friction(*, default: Any = MISSING) -> Any:
    """Declare a friction law."""
    return spec(FrictionKind(), default)


class RestitutionKind(Kind):
    """A coefficient from 0 to 1, or a Table or function of the approach speed."""

    unit = "1"

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, Table):
            return value
        if callable(value) and not isinstance(value, type) and not is_quantity(value):
            return value
        x = as_number(value, where, self.unit)
        if not 0.0 <= x <= 1.0:
            raise where.error(f"must be from 0 to 1, got {x:g}")
        return x


def restitution(*, default: Any = MISSING) -> Any:
    """Declare a coefficient of restitution."""
    return spec(RestitutionKind(), default)


def friction_warning(law: Any) -> str:
    """Return a sentence about a law whose coefficient jumps at the first slip, else nothing."""
    if isinstance(law, Coulomb) and law.static is not None and law.static != law.mu:
        return (
            f"friction jumps from {law.static:g} at rest to {law.mu:g} at the first slip; the "
            f"limit of slow sliding is {law.mu:g}, so results near sticking depend on the method"
        )
    return ""
