"""Rows that a force element gives itself, with the set that their multiplier lies in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


def _set(owner: Any, name: str, kind: Kind) -> None:
    value = kind.check(getattr(owner, name), Where(type(owner).__name__, name))
    object.__setattr__(owner, name, value)


@clear_arguments
@dataclass(frozen=True)
class BilateralRow:
    """A row that holds: gamma = 0 by any force, and on the level "position" g = 0 as well.

    function(t, r, A, v, Omega, q, u, p, F, M, Q) writes forces F and moments M on the element's
    frames and forces Q on its coordinates, each for a multiplier of one, and returns
    (g, w_tilde, w_bar): gamma = sum (F . v + M . Omega) + Q . u + w_tilde, and its rate has w_bar
    beside the accelerations.
    """

    function: Callable[..., Any]
    level: str = "position"

    def __post_init__(self) -> None:
        _set(self, "function", FunctionKind())
        _set(self, "level", ChoiceKind(("position", "velocity")))


@clear_arguments
@dataclass(frozen=True)
class UnilateralRow:
    """A row that only pushes: g >= 0, lam >= 0, one of them zero; friction along `tangent`.

    Both functions are as those of a BilateralRow; of the tangent, g has no meaning. `law` makes the
    row compliant.
    """

    function: Callable[..., Any]
    eps_N: Scalar | Function = 0.0
    eps_speed: Scalar = 0.0
    law: Any = None
    tangent: Callable[..., Any] | None = None
    mu: Friction = 0.0
    eps_T: Scalar = 0.0

    def __post_init__(self) -> None:
        _set(self, "function", FunctionKind())
        _set(self, "eps_N", RestitutionKind())
        _set(self, "mu", FrictionKind())
        for name in ("eps_speed", "eps_T"):
            _set(self, name, ScalarKind("", 0.0, False, False))
        if self.law is not None:
            _set(self, "law", NormalLawKind())
        if self.tangent is not None:
            _set(self, "tangent", FunctionKind())
        elif self.mu or self.eps_T:
            raise Where("UnilateralRow", "tangent").error("must be given, as mu or eps_T is")
        if self.eps_T > 1.0:
            raise Where("UnilateralRow", "eps_T").error(f"must be <= 1, got {self.eps_T:g}")


@clear_arguments
@dataclass(frozen=True)
class SetRow:
    """A row with lower <= lam <= upper: lower while gamma > 0, upper while gamma < 0.

    The ends are numbers, Tables or functions of t or of (t, q, u) of the row, q being its g. With
    lower = 0 and no upper end the row cannot move backward at all.
    """

    function: Callable[..., Any]
    lower: Signal
    upper: Signal | None = None

    def __post_init__(self) -> None:
        _set(self, "function", FunctionKind())
        for name in ("lower", "upper"):
            value = getattr(self, name)
            if isinstance(value, Input | ScaledInput | Motion):
                raise Where("SetRow", name).error(
                    f"must be a number, Table or function, got {show(value)}"
                )
            if value is not None or name == "lower":
                _set(self, name, SignalKind(""))
        if self.upper is None and self.lower != 0.0:
            raise Where("SetRow", "lower").error("must be 0 if upper is not given")
        if (
            isinstance(self.lower, float)
            and isinstance(self.upper, float)
            and self.lower > self.upper
        ):
            raise Where("SetRow", "upper").error(
                f"must be >= lower = {self.lower:g}, got {self.upper:g}"
            )


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
