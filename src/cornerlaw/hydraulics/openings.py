"""Openings that oil is pressed through: the orifice law and the seat of a ball valve."""

from __future__ import annotations

import math

from cornerlaw.errors import ModelError


def orifice_drop(flow: float, area: float, alpha: float, density: float) -> float:
    """Return the pressure drop (rho / 2) (1 / (alpha A))^2 Q |Q| [Pa]. (T-21.3)"""
    _check(area, alpha)
    if area == 0.0:
        raise ModelError("orifice_drop: a closed orifice carries any pressure; its flow is 0")
    return 0.5 * density * flow * abs(flow) / (alpha * area) ** 2


def orifice_flow(drop: float, area: float, alpha: float, density: float) -> float:
    """Return the flow at a pressure drop, the inverse; 0 through a closed orifice [m^3/s]."""
    _check(area, alpha)
    return math.copysign(alpha * area * math.sqrt(2.0 * abs(drop) / density), drop)


def _check(area: float, alpha: float) -> None:
    if area < 0.0:
        raise ModelError(f"orifice: area must be >= 0, got {area:g} m^2")
    if not alpha > 0.0:
        raise ModelError(f"orifice: alpha must be > 0, got {alpha:g}")


def seat_area(lift: float, radius: float, half_angle: float, printed: bool = False) -> float:
    """Return the opening between a ball and its cone at a lift [m^2]. (T-21.13)

    The lateral area of the frustum between the circle where the ball (of `radius`) touched the
    cone (of `half_angle`) and the lifted ball: 2 pi x r sin g cos g + pi x^2 sin^2 g cos g. The
    source prints fractions instead of products (`printed`), which is no area of this geometry;
    the discharge coefficient, which is measured, absorbs the difference.
    """
    width, curve = seat_coefficients(radius, half_angle, printed)
    return width * lift + curve * lift**2


def seat_coefficients(
    radius: float, half_angle: float, printed: bool = False
) -> tuple[float, float]:
    """Return the factors of the lift and of its square in the opening of a seat. (T-21.13)"""
    s, c = math.sin(half_angle), math.cos(half_angle)
    if printed:
        return 2.0 * math.pi * radius * s / c, math.pi * s / c**2
    return 2.0 * math.pi * radius * s * c, math.pi * s * s * c


def full_area(area: float, passage: float) -> float:
    """Return the opening of a seat in series with a bore, never larger than the bore."""
    return min(area, passage)
