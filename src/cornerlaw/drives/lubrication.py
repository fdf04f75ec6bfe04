"""Formulas of oil in gaps: plane gap, fed slideway, journal bearing."""

from __future__ import annotations

import math

from cornerlaw.drives._names import positive
from cornerlaw.errors import ModelError


def gap_shear(viscosity: float, speed: float, gap: float, drop: float, length: float) -> float:
    """Return the shear stress at the moving wall of a plane gap with a pressure drop. (T-20.30)

    tau = eta u / h + h (p_2 - p_1) / (2 l) with drop = p_2 - p_1.
    """
    positive("gap_shear", gap=gap, length=length)
    return viscosity * speed / gap + gap * drop / (2.0 * length)


def gap_flow(
    viscosity: float, speed: float, gap: float, drop: float, length: float, width: float
) -> float:
    """Return the flow through a plane gap: (u h / 2 - drop h^3 / (12 eta l)) b. (T-20.31)"""
    positive("gap_flow", gap=gap, length=length, viscosity=viscosity)
    return (0.5 * speed * gap - drop * gap**3 / (12.0 * viscosity * length)) * width


def slideway_damping(viscosity: float, gap: float, length: float, area: float) -> float:
    """Return force over approach speed of a slideway of half length l: 12 eta A l^2 / h^3."""
    positive("slideway_damping", gap=gap, length=length, area=area)
    return 12.0 * viscosity * area * length**2 / gap**3


def journal_friction(
    viscosity: float, speed: float, radius: float, width: float, clearance: float,
    eccentricity: float = 0.0,
) -> float:  # fmt: skip
    """Return the friction torque of a journal bearing after Sommerfeld. (T-20.32)

    `eccentricity` is relative to the clearance; centred it is Petroff's 2 pi r^2 b eta u / a.
    """
    positive("journal_friction", radius=radius, width=width, clearance=clearance)
    e = eccentricity
    if not 0.0 <= e < 1.0:
        raise ModelError(f"journal_friction: eccentricity must be from 0 to below 1, got {e:g}")
    factor = 2.0 * (1.0 + 2.0 * e * e) / (math.sqrt(1.0 - e * e) * (1.0 + 0.5 * e * e))
    return factor * math.pi * radius**2 * width * viscosity / clearance * speed
