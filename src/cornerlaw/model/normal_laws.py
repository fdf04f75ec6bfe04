"""Compliant normal laws: the contact force over the penetration depth and its rate."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Any

from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import Kind, Scalar, ScalarKind, Where, as_number, show, spec


@clear_arguments
@dataclass(frozen=True)
class KelvinVoigt:
    """A spring and a damper side by side: lam = max(0, stiffness d + damping d_dot) for d > 0.

    d is the penetration depth. The force never pulls.
    """

    stiffness: Scalar
    damping: Scalar = 0.0

    def __post_init__(self) -> None:
        _set(self, "stiffness", ScalarKind("N/m", None, True, False))
        _set(self, "damping", ScalarKind("N*s/m", 0.0, False, False))


@clear_arguments
@dataclass(frozen=True)
class HuntCrossley:
    """A power law with damping in proportion: lam = stiffness d^n (1 + damping d_dot), d > 0.

    The exponent n is 3/2 after Hertz; `damping` is in s/m. The force never pulls.
    """

    stiffness: Scalar
    damping: Scalar = 0.0
    exponent: Scalar = 1.5

    def __post_init__(self) -> None:
        _set(self, "stiffness", ScalarKind("", None, True, False))
        _set(self, "damping", ScalarKind("s/m", 0.0, False, False))
        _set(self, "exponent", ScalarKind("1", None, True, False))


@clear_arguments
@dataclass(frozen=True)
class LankaraniNikravesh:
    """A power law whose damping follows from a coefficient of restitution.

    lam = stiffness d^n (1 + 3/4 (1 - restitution^2) d_dot / v_0) with the approach speed v_0 at the
    beginning of the contact. Made for restitution near 1. The force never pulls.
    """

    stiffness: Scalar
    restitution: Scalar
    exponent: Scalar = 1.5

    def __post_init__(self) -> None:
        _set(self, "stiffness", ScalarKind("", None, True, False))
        where = Where("LankaraniNikravesh", "restitution")
        e = as_number(self.restitution, where, "1")
        if not 0.0 <= e <= 1.0:
            raise where.error(f"must be from 0 to 1, got {e:g}")
        object.__setattr__(self, "restitution", e)
        _set(self, "exponent", ScalarKind("1", None, True, False))


def _set(owner: Any, name: str, kind: Kind) -> None:
    value = kind.check(getattr(owner, name), Where(type(owner).__name__, name))
    object.__setattr__(owner, name, value)


class NormalLawKind(Kind):
    """A compliant normal law."""

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, KelvinVoigt | HuntCrossley | LankaraniNikravesh):
            return value
        raise where.error(
            f"must be KelvinVoigt, HuntCrossley or LankaraniNikravesh, or None for a rigid "
            f"contact, got {show(value)}"
        )


def normal_law(*, default: Any = MISSING) -> Any:
    """Declare a compliant normal law."""
    return spec(NormalLawKind(), default)


def hertz_stiffness(
    E1: Scalar, nu1: Scalar, R1: Scalar, E2: Scalar, nu2: Scalar, R2: Scalar | None = None
) -> float:
    """Return the stiffness [N/m^1.5] of two elastic spheres, lam = stiffness d^1.5.

    stiffness = 4/3 sqrt(R) / ((1 - nu1^2) / E1 + (1 - nu2^2) / E2) with 1/R = 1/R1 + 1/R2. R2 =
    None is a flat; a negative radius a hollow.
    """
    where = {
        name: Where("hertz_stiffness", name) for name in ("E1", "nu1", "R1", "E2", "nu2", "R2")
    }
    modulus = ScalarKind("Pa", None, True, False)
    length = ScalarKind("m", None, False, True)
    e1, e2 = modulus.check(E1, where["E1"]), modulus.check(E2, where["E2"])
    ratios = []
    for name, value in (("nu1", nu1), ("nu2", nu2)):
        nu = as_number(value, where[name], "1")
        if not -1.0 < nu <= 0.5:
            raise where[name].error(f"must be above -1 and at most 0.5, got {nu:g}")
        ratios.append(nu)
    curvature = 1.0 / length.check(R1, where["R1"])
    if R2 is not None:
        curvature += 1.0 / length.check(R2, where["R2"])
    if not curvature > 0.0:
        raise where["R2"].error("and R1 fit into each other: 1/R1 + 1/R2 must be > 0")
    compliance = (1.0 - ratios[0] ** 2) / e1 + (1.0 - ratios[1] ** 2) / e2
    return float(4.0 / 3.0 * curvature**-0.5 / compliance)
