"""Planetary sets, Ravigneaux sets, spur pairs and differentials from their tooth numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cornerlaw.drives.train import Relation
from cornerlaw.errors import ModelError

Floats = NDArray[np.float64]


def _check_teeth(owner: str, **teeth: int) -> None:
    for name, z in teeth.items():
        if isinstance(z, bool) or z != int(z) or z < 1:
            raise ModelError(f"{owner}: {name} must be a whole number of teeth >= 1, got {z!r}")


def spur_pair(
    first: str, second: str, z_first: int, z_second: int, *, internal: bool = False
) -> Relation:
    """Return the relation of two meshing gears; external ones turn against each other."""
    _check_teeth("spur_pair", z_first=z_first, z_second=z_second)
    return {first: float(z_first), second: float(-z_second if internal else z_second)}


def differential(carrier: str, left: str, right: str) -> Relation:
    """Return the relation of a bevel differential: left + right = 2 carrier."""
    return {left: 1.0, right: 1.0, carrier: -2.0}


@dataclass(frozen=True)
class PlanetarySet:
    """A simple planetary set: sun, ring (annulus) and the planets on their carrier.

    sun, ring   tooth numbers
    """

    sun: int
    ring: int

    def __post_init__(self) -> None:
        _check_teeth("PlanetarySet", sun=self.sun, ring=self.ring)
        if self.ring <= self.sun:
            raise ModelError(
                f"PlanetarySet: the ring must have more teeth than the sun ({self.sun}), "
                f"got {self.ring}"
            )

    @property
    def planet(self) -> float:
        """The teeth of a planet that fits between standard gears; must be whole to be built."""
        return 0.5 * (self.ring - self.sun)

    def relations(
        self, sun: str, carrier: str, ring: str, planet: str | None = None
    ) -> list[Relation]:
        """Return Willis' relation of the three shafts, and that of the planets. (T-20.4)"""
        z_S, z_R = float(self.sun), float(self.ring)
        rows: list[Relation] = [{sun: z_S, ring: z_R, carrier: -(z_S + z_R)}]
        if planet is not None:
            # the sun drives the planet against its carrier: z_S (S - C) + z_P (P - C) = 0
            rows.append({sun: z_S, planet: self.planet, carrier: -(z_S + self.planet)})
        return rows

    def can_be_assembled(self, planets: int) -> bool:
        """Tell whether equally spaced planets find their teeth."""
        return (self.sun + self.ring) % planets == 0

    def inertia(
        self,
        sun: float,
        ring: float,
        carrier: float,
        planet: float = 0.0,
        *,
        planets: int = 3,
        mass: float = 0.0,
        radius: float = 0.0,
    ) -> Floats:
        """Return the 2 x 2 inertia over the speeds of sun and ring. (T-20.5)

        sun, ring, carrier, planet   moments of inertia, that of one planet about its own axis
        mass, radius                 of one planet, and of the circle of their axes
        """
        a = np.array([self.sun, self.ring], dtype=np.float64) / (self.sun + self.ring)
        b = np.array([-self.sun, self.ring], dtype=np.float64) / (self.ring - self.sun)
        heavy = carrier + planets * mass * radius**2
        matrix: Floats = (
            np.diag([sun, ring]) + heavy * np.outer(a, a) + planets * planet * np.outer(b, b)
        )
        return matrix


@dataclass(frozen=True)
class RavigneauxSet:
    """Two suns, one carrier, one annulus: long planets mesh sun 1 and the annulus.

    sun_1, sun_2    tooth numbers of the suns
    long, short     of the planets: the long ones mesh sun 1, annulus and the short ones, the short
                    ones mesh sun 2
    ring            of the annulus
    """

    sun_1: int
    sun_2: int
    long: int
    short: int
    ring: int

    def __post_init__(self) -> None:
        _check_teeth(
            "RavigneauxSet", sun_1=self.sun_1, sun_2=self.sun_2, long=self.long,
            short=self.short, ring=self.ring,
        )  # fmt: skip

    def relations(
        self,
        sun_1: str,
        sun_2: str,
        carrier: str,
        ring: str,
        long: str | None = None,
        short: str | None = None,
    ) -> list[Relation]:
        """Return the relations of the four shafts, and of planets that are named. (T-20.6)"""
        z = float(self.sun_1)

        def against(other: str, teeth: int, sign: float) -> Relation:
            """Sign z_1 (S1 - C) + z (other - C) = 0."""
            return {sun_1: sign * z, other: float(teeth), carrier: -(sign * z + teeth)}

        rows = [against(ring, self.ring, 1.0), against(sun_2, self.sun_2, 1.0)]
        if long is not None:
            rows.append(against(long, self.long, 1.0))
        if short is not None:
            rows.append(against(short, self.short, -1.0))
        return rows

    def inertia(
        self,
        sun_1: float,
        sun_2: float,
        carrier: float,
        ring: float,
        long: float = 0.0,
        short: float = 0.0,
        *,
        long_planets: int = 3,
        short_planets: int = 3,
        carried: float = 0.0,
    ) -> Floats:
        """Return the 2 x 2 inertia over the speeds of sun 1 and carrier. (T-20.7)

        `carried` is the sum of mass times radius squared of the planets, as points.
        """
        rows = (
            ((1.0, 0.0), sun_1),
            ((0.0, 1.0), carrier + carried),
            (self._row(self.ring, 1.0), ring),
            (self._row(self.sun_2, 1.0), sun_2),
            (self._row(self.long, 1.0), long_planets * long),
            (self._row(self.short, -1.0), short_planets * short),
        )
        matrix: Floats = np.sum([J * np.outer(row, row) for row, J in rows], axis=0)
        return matrix

    def _row(self, teeth: int, sign: float) -> tuple[float, float]:
        b = sign * self.sun_1 / teeth
        return -b, 1.0 + b
