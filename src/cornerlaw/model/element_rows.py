"""Rows that a force element gives itself, with the set that their multiplier lies in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.friction import Friction, FrictionKind, RestitutionKind
from cornerlaw.model.normal_laws import NormalLawKind
from cornerlaw.model.quantity import (
    ChoiceKind,
    Function,
    FunctionKind,
    Kind,
    Scalar,
    ScalarKind,
    Where,
    show,
)
from cornerlaw.model.values import Input, Motion, ScaledInput, Signal, SignalKind

_NUMBER = ScalarKind("", None, False, False)
_NOT_NEGATIVE = ScalarKind("", 0.0, False, False)


def _set(owner: Any, name: str, kind: Kind) -> None:
    value = kind.check(getattr(owner, name), Where(type(owner).__name__, name))
    object.__setattr__(owner, name, value)


def _check_row(row: Any) -> None:
    """Check what every kind of row has."""
    _set(row, "function", FunctionKind())
    if row.active is not None and not isinstance(row.active, str):
        if not callable(row.active) or isinstance(row.active, type):
            raise Where(type(row).__name__, "active").error(
                f"must be the name of a discrete state or a function, got {show(row.active)}"
            )
        _set(row, "active", FunctionKind())
    if row.V is not None:
        _set(row, "V", FunctionKind())
    _set(row, "R", _NOT_NEGATIVE)


@clear_arguments
@dataclass(frozen=True)
class Multipliers:
    """The size of a set that follows forces: constant + sum of factor * multiplier, at least zero.

    The names are those of rows: "rod" of a Distance, "guide.normal" of a row of an element.
    """

    factors: Mapping[str, float]
    constant: Scalar = 0.0

    def __post_init__(self) -> None:
        where = Where("Multipliers", "factors")
        if not isinstance(self.factors, Mapping) or not self.factors:
            raise where.error(f"must be a dict of names and numbers, got {show(self.factors)}")
        for name in self.factors:
            if not isinstance(name, str):
                raise where.error(f"must have names as keys, got {show(name)}")
        checked = {
            name: _NUMBER.check(value, Where("Multipliers", f"factors[{name!r}]"))
            for name, value in self.factors.items()
        }
        object.__setattr__(self, "factors", checked)
        _set(self, "constant", _NUMBER)


@clear_arguments
@dataclass(frozen=True)
class BilateralRow:
    """A row that holds: gamma = 0 by any force, and on the level "position" g = 0 as well.

    function(t, r, A, v, Omega, q, u, p, F, M, Q) writes forces F and moments M on the element's
    frames and forces Q on its coordinates, each for a multiplier of one, and returns
    (g, w_tilde, w_bar): gamma = sum (F . v + M . Omega) + Q . u + w_tilde, and its rate has w_bar
    beside the accelerations. It may have the element's states x (and z) behind u.

    active   a function of (t, r, A, v, Omega, q, u, x, p), as an indicator is, or the name of a
             discrete state: the row exists while that is above zero
    V        function of the same arguments that writes what the force has beside these directions
    R        compliance: gamma + R lam = 0 takes the place of gamma = 0
    """

    function: Callable[..., Any]
    level: str = "position"
    active: str | Callable[..., Any] | None = None
    V: Callable[..., Any] | None = None
    R: Scalar = 0.0

    def __post_init__(self) -> None:
        _check_row(self)
        _set(self, "level", ChoiceKind(("position", "velocity")))

    @property
    def is_set_valued(self) -> bool:
        """Whether it needs a method for contacts: it is switched, gives way, or has V."""
        return self.active is not None or self.V is not None or self.R > 0.0


@clear_arguments
@dataclass(frozen=True)
class UnilateralRow:
    """A row that only pushes: g >= 0, lam >= 0, one of them zero; friction along `tangent`.

    Both functions are as those of a BilateralRow, as are active, V and R; of the tangent, g has no
    meaning. `law` makes the row compliant.
    """

    function: Callable[..., Any]
    eps_N: Scalar | Function = 0.0
    eps_speed: Scalar = 0.0
    law: Any = None
    tangent: Callable[..., Any] | None = None
    mu: Friction = 0.0
    eps_T: Scalar = 0.0
    active: str | Callable[..., Any] | None = None
    V: Callable[..., Any] | None = None
    R: Scalar = 0.0

    def __post_init__(self) -> None:
        _check_row(self)
        _set(self, "eps_N", RestitutionKind())
        _set(self, "mu", FrictionKind())
        for name in ("eps_speed", "eps_T"):
            _set(self, name, _NOT_NEGATIVE)
        if self.law is not None:
            _set(self, "law", NormalLawKind())
        if self.tangent is not None:
            _set(self, "tangent", FunctionKind())
        elif self.mu or self.eps_T:
            raise Where("UnilateralRow", "tangent").error("must be given, as mu or eps_T is")
        if self.eps_T > 1.0:
            raise Where("UnilateralRow", "eps_T").error(f"must be <= 1, got {self.eps_T:g}")
        for name in ("law", "tangent", "eps_N"):
            if self.R > 0.0 and getattr(self, name):
                raise Where("UnilateralRow", "R").error(
                    f"makes the force finite; it cannot be given together with {name}"
                )

    @property
    def is_set_valued(self) -> bool:
        """Whether it needs a method for contacts."""
        return True


@clear_arguments
@dataclass(frozen=True)
class SetRow:
    """A row with lower <= lam <= upper: lower while gamma > 0, upper while gamma < 0.

    The ends are numbers, Tables, functions of t or of (t, q, u) of the row, q being its g,
    functions of (t, r, A, v, Omega, q, u, x, p) as an energy is, or names of outputs such as
    "pump.pressure". Without `lower` the set is symmetric; then `upper` may also be Multipliers.
    With lower = 0 and no upper end the row cannot move backward at all. active, V and R are as
    those of a BilateralRow.
    """

    function: Callable[..., Any]
    lower: Signal | str | None = None
    upper: Signal | str | Multipliers | None = None
    active: str | Callable[..., Any] | None = None
    V: Callable[..., Any] | None = None
    R: Scalar = 0.0

    def __post_init__(self) -> None:
        _check_row(self)
        for name in ("lower", "upper"):
            value = getattr(self, name)
            if isinstance(value, Input | ScaledInput | Motion):
                raise Where("SetRow", name).error(
                    f"must be a number, Table or function, got {show(value)}"
                )
            if not isinstance(value, str | Multipliers | None):
                _set(self, name, SignalKind(""))
        if self.upper is None and self.lower is None:
            raise Where("SetRow", "lower").error("must be given, or upper")
        if self.upper is None and self.lower != 0.0:
            raise Where("SetRow", "lower").error("must be 0 if upper is not given")
        if isinstance(self.lower, Multipliers) or (
            isinstance(self.upper, Multipliers) and self.lower is not None
        ):
            raise Where("SetRow", "lower").error("must not be given if upper is Multipliers")
        lower = self.lower if isinstance(self.lower, float) else None
        if isinstance(self.upper, float):
            lower = -self.upper if self.lower is None else lower
            if lower is not None and lower > self.upper:
                raise Where("SetRow", "upper").error(
                    f"must be >= lower = {lower:g}, got {self.upper:g}"
                )

    def renamed(self, rename: Callable[[str], str]) -> SetRow:
        """Return the row with the names in its ends changed; itself where nothing changes."""
        ends: dict[str, Any] = {}
        for name in ("lower", "upper"):
            value = getattr(self, name)
            if isinstance(value, str):
                ends[name] = rename(value)
            elif isinstance(value, Multipliers):
                factors = {rename(key): factor for key, factor in value.factors.items()}
                ends[name] = replace(value, factors=factors)
        same = all(getattr(self, name) == value for name, value in ends.items())
        return self if same else replace(self, **ends)

    @property
    def is_set_valued(self) -> bool:
        """Whether it needs a method for contacts."""
        return True


ElementRow: TypeAlias = BilateralRow | UnilateralRow | SetRow


class ElementRowKind(Kind):
    """A row of a force element; a plain function is a BilateralRow."""

    def check(self, value: Any, where: Where) -> ElementRow:
        if isinstance(value, BilateralRow | UnilateralRow | SetRow):
            return value
        if callable(value) and not isinstance(value, type):
            return BilateralRow(value)
        raise where.error(
            f"must be a function, BilateralRow, UnilateralRow or SetRow, got {show(value)}"
        )
