"""Impact laws: how the velocities of all closed contacts jump.

A law holds for a whole model; coefficients of restitution and friction belong to the contacts. Each
law says on which roads it exists and when it is sure never to create energy. (T-13.1)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

from cornerlaw.arrays.impact_arrays import (
    CRADLE,
    NEWTON,
    NEWTON_BOTH,
    POISSON_COULOMB,
    POISSON_NEW,
    POISSON_OLD,
    SEQUENTIAL,
)
from cornerlaw.errors import UsageError
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import ChoiceKind, Where, as_number, show

EVENT_DRIVEN = "event-driven"
TIME_STEPPING = "time stepping"

_VARIANTS = {"coulomb": POISSON_COULOMB, "old": POISSON_OLD, "new": POISSON_NEW}


def _are_equal(values: Sequence[float]) -> bool:
    return all(value == values[0] for value in values)


@dataclass(frozen=True)
class ImpactLaw:
    """The base of all impact laws."""

    ROADS: ClassVar[tuple[str, ...]] = (EVENT_DRIVEN,)
    PASSIVE: ClassVar[bool] = False  # whether the law never creates energy, whatever its data
    PASSIVE_WHEN: ClassVar[str] = "always"
    FRICTION: ClassVar[bool] = True  # whether the law knows friction

    @property
    def code(self) -> int:
        """Number of the law in the kernels."""
        raise TypeError(f"{type(self).__name__} is no law of its own")

    def is_passive(
        self, eps_N: Sequence[float], eps_T: Sequence[float] = (), mu: Sequence[float] = ()
    ) -> bool:
        """Tell whether it is proven that no impact with these coefficients creates energy.

        `eps_N` of all contacts, `eps_T` and `mu` of those with friction. (T-13.14)
        """
        return self.PASSIVE

    def check_road(self, road: str) -> None:
        """Raise an error if the law does not exist on a road."""
        if road not in self.ROADS:
            raise UsageError(
                f"The impact law {type(self).__name__} exists on the {' and '.join(self.ROADS)} "
                f"road only, not on the {road} road; use Newton or NewtonBoth there."
            )


def _restitution_is_equal(
    eps_N: Sequence[float], eps_T: Sequence[float], mu: Sequence[float], both: bool
) -> bool:
    """Tell whether the same restitution acts in all directions that carry impulses."""
    if any(mu):
        return _are_equal([*eps_N, *(eps_T if both else [0.0])])
    return _are_equal(eps_N)


@clear_arguments
@dataclass(frozen=True)
class Newton(ImpactLaw):
    """Newton's law: gamma_N+ = -eps_N gamma_N- where an impulse acts; Coulomb friction.

    -(gamma_N+ + eps_N gamma_N-) in N(Lambda_N), -gamma_T+ in N(Lambda_T). (T-13.5)
    """

    ROADS: ClassVar[tuple[str, ...]] = (EVENT_DRIVEN, TIME_STEPPING)
    PASSIVE_WHEN: ClassVar[str] = "without friction and with one eps_N, or with eps_N = 0"

    @property
    def code(self) -> int:
        """Number of the law in the kernels."""
        return NEWTON

    def is_passive(
        self, eps_N: Sequence[float], eps_T: Sequence[float] = (), mu: Sequence[float] = ()
    ) -> bool:
        """Tell whether it is proven that no impact with these coefficients creates energy."""
        return _restitution_is_equal(eps_N, eps_T, mu, both=False)


@clear_arguments
@dataclass(frozen=True)
class NewtonBoth(ImpactLaw):
    """Newton's law in normal and tangential direction, Moreau's impact law.

    -(gamma+ + eps gamma-) in N(Lambda) with eps_N on normal and eps_T on tangential rows. (T-13.6)
    [Moreau1988]
    """

    ROADS: ClassVar[tuple[str, ...]] = (EVENT_DRIVEN, TIME_STEPPING)
    PASSIVE_WHEN: ClassVar[str] = "with one eps in all contacts and both directions"

    @property
    def code(self) -> int:
        """Number of the law in the kernels."""
        return NEWTON_BOTH

    def is_passive(
        self, eps_N: Sequence[float], eps_T: Sequence[float] = (), mu: Sequence[float] = ()
    ) -> bool:
        """Tell whether it is proven that no impact with these coefficients creates energy."""
        return _restitution_is_equal(eps_N, eps_T, mu, both=True)


@clear_arguments
@dataclass(frozen=True)
class Poisson(ImpactLaw):
    """Poisson's law: expansion gives back the part eps_N of the normal impulse of compression.

    Variants of friction in expansion: "coulomb", plain Coulomb friction; "old", at least
    eps_N eps_T of the tangential impulse of compression is given back (Glocker); "new", it is given
    back while the contact sticks (Beitelschmidt). (T-13.7) [PfeifferGlocker1996; Pfeiffer2008]
    """

    PASSIVE_WHEN: ClassVar[str] = "without friction, or with eps_N = 0"

    variant: str = "coulomb"

    def __post_init__(self) -> None:
        ChoiceKind(tuple(_VARIANTS)).check(self.variant, Where("Poisson", "variant"))

    @property
    def code(self) -> int:
        """Number of the law in the kernels."""
        return _VARIANTS[self.variant]

    def is_passive(
        self, eps_N: Sequence[float], eps_T: Sequence[float] = (), mu: Sequence[float] = ()
    ) -> bool:
        """Tell whether it is proven that no impact with these coefficients creates energy."""
        return not any(mu) or not any(eps_N)


@clear_arguments
@dataclass(frozen=True)
class Cradle(ImpactLaw):
    """The law of Newton's cradle: one ball in, one ball out.

    It exists where the outcome of elastic collisions does not depend on their order: chains of
    equal balls, and in general contacts whose mirror planes meet at angles pi / integer in the
    metric G^-1. All contacts have the same eps_N and no friction. (T-13.16) [Winandy2017]
    """

    PASSIVE: ClassVar[bool] = True
    FRICTION: ClassVar[bool] = False

    @property
    def code(self) -> int:
        """Number of the law in the kernels."""
        return CRADLE


@clear_arguments
@dataclass(frozen=True)
class Sequential(ImpactLaw):
    """The law of Liu, Zhao and Brogliato for chains: impulses grow with the work stored.

    `exponent` is that of the contacts' force law, 3/2 for balls; `stiffness` gives the relative
    stiffness of contacts by name, 1 for all others. eps_N is the energetic coefficient, contacts
    have no friction. (T-13.20) [Liu2008]
    """

    PASSIVE: ClassVar[bool] = True
    FRICTION: ClassVar[bool] = False

    exponent: float = 1.5
    stiffness: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = Where("Sequential", "exponent")
        exponent = as_number(self.exponent, where)
        if not 1.0 <= exponent <= 5.0:
            raise where.error(f"must lie between 1 and 5, got {exponent:g}")
        object.__setattr__(self, "exponent", exponent)
        where = Where("Sequential", "stiffness")
        if not isinstance(self.stiffness, Mapping):
            raise where.error(f"must map names of contacts to numbers, got {show(self.stiffness)}")
        found = {}
        for name, value in self.stiffness.items():
            found[name] = as_number(value, where.item(repr(name)))
            if not found[name] > 0.0:
                raise where.item(repr(name)).error(f"must be positive, got {found[name]:g}")
        object.__setattr__(self, "stiffness", MappingProxyType(found))

    @property
    def code(self) -> int:
        """Number of the law in the kernels."""
        return SEQUENTIAL
