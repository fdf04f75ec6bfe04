"""Oil with a little free air: density, viscosity and the compression curve of the mixture."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cornerlaw.errors import ModelError

_NEWTON_STEPS = 100


@dataclass(frozen=True)
class Fluid:
    """A liquid with the fraction `air` of free gas at the pressure `reference`. (T-21.1)

    density      [kg/m^3] at the reference pressure
    viscosity    kinematic [m^2/s]
    bulk         bulk modulus of the liquid without air [Pa]
    air          volume of free gas over the volume of the mixture at the reference pressure
    reference    [Pa], absolute
    polytropic   exponent of the gas, 1 (slow) to 1.4 (fast)
    cavitation   [Pa], absolute: the pressure below which the liquid gives way
    """

    density: float = 860.0
    viscosity: float = 46e-6
    bulk: float = 1e9
    air: float = 0.0
    reference: float = 1e5
    polytropic: float = 1.0
    cavitation: float = 0.0

    def __post_init__(self) -> None:
        for name in ("density", "viscosity", "bulk", "reference", "polytropic"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ModelError(f"Fluid: {name} must be > 0, got {getattr(self, name):g}")
        if not 0.0 <= self.air < 1.0:
            raise ModelError(f"Fluid: air must be at least 0 and below 1, got {self.air:g}")
        if self.cavitation < 0.0:
            raise ModelError(f"Fluid: cavitation must be >= 0, got {self.cavitation:g} Pa")

    @property
    def dynamic_viscosity(self) -> float:
        """Density times kinematic viscosity [Pa s]."""
        return self.density * self.viscosity

    @property
    def wave_speed(self) -> float:
        """The speed of sound of the liquid, sqrt(E / rho) [m/s]."""
        return math.sqrt(self.bulk / self.density)

    def volume(self, pressure: float) -> float:
        """Return the volume over that at the reference pressure. (T-21.1)"""
        self._check_positive(pressure)
        liquid = (1.0 - self.air) * (1.0 - (pressure - self.reference) / self.bulk)
        return liquid + self._gas(pressure)

    def bulk_modulus(self, pressure: float) -> float:
        """Return E(p) = -v dp/dv of the mixture [Pa]. (T-21.2)"""
        slope = (1.0 - self.air) / self.bulk
        if self.air:
            slope += self._gas(pressure) / (self.polytropic * pressure)
        return self.volume(pressure) / slope

    def pressure(self, volume: float) -> float:
        """Return the pressure at which the mixture has a volume (over that at reference) [Pa].

        The inverse of `volume`; with air it is positive for every volume, without air it is the
        straight line of the liquid, which may be negative.
        """
        return mixture_pressure(volume, self.bulk, self.air, self.reference, self.polytropic)

    def _gas(self, pressure: float) -> float:
        if not self.air:
            return 0.0
        return self.air * float((self.reference / pressure) ** (1.0 / self.polytropic))

    def _check_positive(self, pressure: float) -> None:
        if self.air and not pressure > 0.0:
            raise ModelError(f"Fluid: a gas needs a pressure > 0, got {pressure:g} Pa")


def mixture_pressure(
    volume: float, bulk: float, air: float, reference: float, polytropic: float
) -> float:
    """Return the pressure of a mixture at a volume over that at reference. (T-21.1)

    Newton on a convex falling curve: from the left it converges monotonically. The function is also
    compiled into the force elements of junctions.
    """
    p = reference + bulk * (1.0 - volume / (1.0 - air))
    if air <= 0.0:
        return p
    # left of the root: the liquid alone, where it is under pressure; otherwise far down the tail
    p = max(p, 1e-9 * reference)
    for _ in range(_NEWTON_STEPS):
        gas = air * (reference / p) ** (1.0 / polytropic)
        excess = (1.0 - air) * (1.0 - (p - reference) / bulk) + gas - volume
        step = excess / ((1.0 - air) / bulk + gas / (polytropic * p))
        p += step
        if abs(step) <= 1e-15 * abs(p):
            break
    return p
