"""Friction laws as values: a coefficient, constant or over the sliding speed."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import Scalar, ScalarKind, Where, as_number, show
from cornerlaw.model.values import Table


def check_coefficient(value: Any, where: Where) -> Any:
    """Return a coefficient of friction: a number >= 0, a Table or a function of the speed."""
    if isinstance(value, Table):
        if min(value.y) < 0.0:
            raise where.error(f"must be >= 0 at every point, got {min(value.y):g}")
        return value
    if isinstance(value, type | str | bool) or value is None:
        raise where.error(f"must be a number, a Table or a function of speed, got {show(value)}")
    if callable(value):
        return value
    mu = as_number(value, where, "1")
    if mu < 0.0:
        raise where.error(f"must be >= 0, got {mu:g}")
    return mu


@clear_arguments
@dataclass(frozen=True)
class Coulomb:
    """Coulomb friction |lam_T| <= mu lam_N, in a bearing with the radius of its sliding surface.

    `mu` is a number, or a Table or function of the sliding speed |v| (a Stribeck characteristic,
    whose value at 0 holds at rest as well).
    """

    mu: Any
    _: KW_ONLY
    radius: Scalar | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", check_coefficient(self.mu, Where("Coulomb", "mu")))
        if self.radius is not None:
            kind = ScalarKind("m", None, True, False)
            object.__setattr__(self, "radius", kind.check(self.radius, Where("Coulomb", "radius")))
