"""Leakage through narrow gaps: plane, annular, eccentric, of variable length.

Flows count from the end A to the end E of the gap and `drop` is p_A - p_E; walls move along the
gap with the speeds `inner` and `outer`. (The source writes p_E - p_A, with the opposite sign.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from cornerlaw.errors import ModelError


@dataclass(frozen=True)
class AnnularGap:
    """The gap between a piston of radius `inner_radius` and a bore of radius `outer_radius`."""

    inner_radius: float
    outer_radius: float
    length: float
    dynamic_viscosity: float
    eccentricity: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.inner_radius < self.outer_radius:
            raise ModelError(
                f"AnnularGap: the radii must be 0 < inner < outer, got {self.inner_radius:g} m "
                f"and {self.outer_radius:g} m"
            )
        for name in ("length", "dynamic_viscosity"):
            if not getattr(self, name) > 0.0:
                raise ModelError(f"AnnularGap: {name} must be > 0, got {getattr(self, name):g}")
        eccentric_factor(self.eccentricity)

    @property
    def height(self) -> float:
        """Width of the gap [m]."""
        return self.outer_radius - self.inner_radius

    @property
    def mean_radius(self) -> float:
        """Radius of the middle of the gap [m]."""
        return 0.5 * (self.inner_radius + self.outer_radius)

    @property
    def area(self) -> float:
        """Cross section of the gap [m^2], 2 pi r_m h, which is exact."""
        return 2.0 * math.pi * self.mean_radius * self.height

    def plane_flow(self, drop: float, inner: float = 0.0, outer: float = 0.0) -> float:
        """Return the flow of the unrolled gap [m^3/s]. (T-21.8)"""
        pressure = self.height**2 * drop / (12.0 * self.dynamic_viscosity * self.length)
        return self.area * (0.5 * (inner + outer) + pressure * eccentric_factor(self.eccentricity))

    def annular_flow(self, drop: float, inner: float = 0.0, outer: float = 0.0) -> float:
        """Return the flow of the concentric ring [m^3/s]. (T-21.10)"""
        i2, a2 = self.inner_radius**2, self.outer_radius**2
        log = math.log(self.inner_radius / self.outer_radius)
        drag = math.pi * (outer * a2 - inner * i2 + (outer - inner) * (a2 - i2) / (2.0 * log))
        ring = a2**2 - i2**2 + (a2 - i2) ** 2 / log
        return drag + math.pi * drop / (8.0 * self.dynamic_viscosity * self.length) * ring

    def annular_speed(self, r: float, drop: float, inner: float = 0.0, outer: float = 0.0) -> float:
        """Return the speed of the oil at a radius of the concentric ring [m/s]. (T-21.9)"""
        i2, a2 = self.inner_radius**2, self.outer_radius**2
        share = math.log(r / self.outer_radius) / math.log(self.inner_radius / self.outer_radius)
        pressure = -drop / (4.0 * self.dynamic_viscosity * self.length)
        return outer + (inner - outer) * share + pressure * (r * r - a2 + (a2 - i2) * share)

    def reynolds(self, speed: float, density: float) -> float:
        """Return 2 h v / nu; the flow is laminar below 1100."""
        return 2.0 * self.height * abs(speed) * density / self.dynamic_viscosity


def eccentric_factor(eccentricity: float, printed: bool = False) -> float:
    """Return by how much eccentricity enlarges the pressure flow, 1 + 1.5 eps^2. (T-21.11)

    eps = offset of the axes over the mean gap. The mean of (1 + eps cos)^3 around the ring gives
    eps^2. The source prints eps^3 (`printed`); both are 2.5 where the piston touches the bore.
    """
    if not 0.0 <= eccentricity <= 1.0:
        raise ModelError(f"eccentricity must lie between 0 and 1, got {eccentricity:g}")
    return float(1.0 + 1.5 * eccentricity ** (3 if printed else 2))


def overlap(
    inner: tuple[float, float],
    outer: tuple[float, float],
    inner_shift: float = 0.0,
    outer_shift: float = 0.0,
    offset: float = 0.0,
) -> float:
    """Return the length over which two sleeves (from, to) overlap, 0 where they do not. (T-21.12)

    `offset` is the distance of their origins. Sleeves that have left each other form no gap: the
    passage is open, and what remains is an orifice.
    """
    end = min(inner[1] + inner_shift, offset + outer[1] + outer_shift)
    start = max(inner[0] + inner_shift, offset + outer[0] + outer_shift)
    return max(0.0, end - start)
