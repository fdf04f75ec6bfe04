"""Losses in pipes: laminar, turbulent by Churchill, and the growth with frequency."""

from __future__ import annotations

import math

from cornerlaw.errors import ModelError

_LAW = 0.0024756, 3.0253322  # below k_H = 5
_SLOPE = 0.175  # above; the asymptote of the exact form has sqrt(2) / 8 = 0.1768
_KNEE = 5.0


def churchill(reynolds: float, roughness: float = 0.0) -> float:
    """Return the friction factor of a pipe; `roughness` is k_s / d. (T-21.5)

    dp = factor (length / diameter) (rho / 2) v^2. One formula for laminar (64 / Re), transitional
    and turbulent flow.
    """
    if not reynolds > 0.0:
        raise ModelError(f"churchill: reynolds must be > 0, got {reynolds:g}")
    if roughness < 0.0:
        raise ModelError(f"churchill: roughness must be >= 0, got {roughness:g}")
    return friction_factor(reynolds, roughness)


def friction_factor(reynolds: float, roughness: float) -> float:
    """Return the same without checks, for compiled code."""
    if reynolds < 100.0:
        # the turbulent terms are far below rounding here, and their powers overflow
        return 64.0 / reynolds
    a = (2.457 * math.log(1.0 / ((7.0 / reynolds) ** 0.9 + 0.27 * roughness))) ** 16
    b = (37530.0 / reynolds) ** 16
    return float(8.0 * ((8.0 / reynolds) ** 12 + (a + b) ** -1.5) ** (1.0 / 12.0))


def hagen_poiseuille(dynamic_viscosity: float, length: float, radius: float) -> float:
    """Return pressure drop over flow of laminar pipe flow, 8 mu L / (pi R^4) [Pa s/m^3]."""
    return 8.0 * dynamic_viscosity * length / (math.pi * radius**4)


def frequency_factor(k: float) -> float:
    """Return N(k_H), how much larger laminar friction is at a frequency. (T-21.7)

    k_H = R sqrt(omega / nu). (The source prints omega / nu R under a figure; the root is missing
    there: only with it k_H has no unit, and the fit agrees with the exact form.)
    """
    if k < 0.0:
        raise ModelError(f"frequency_factor: k must be >= 0, got {k:g}")
    factor, exponent = _LAW
    if k <= _KNEE:
        return float(1.0 + factor * k**exponent)
    return float(1.0 + factor * _KNEE**exponent + _SLOPE * (k - _KNEE))


def exact_frequency_factor(k: float) -> complex:
    """Return N(k_H) of the exact solution with Bessel functions, real and imaginary part. (T-21.6)

    N = (z / 4) J_1(z) / J_2(z) with z = k_H sqrt(-i). The imaginary part is an added inertia, which
    the fit leaves out.
    """
    from scipy.special import jve

    if k < 1e-3:
        return 1.0 + 1j * k * k / 24.0  # the series, where the quotient is one of vanishing terms
    z = k * complex(math.sqrt(0.5), -math.sqrt(0.5))
    # both functions are scaled by the same exponential, which cancels
    return complex(z / 4.0 * jve(1, z) / jve(2, z))


def womersley(omega: float, radius: float, viscosity: float) -> float:
    """Return k_H = R sqrt(omega / nu)."""
    return radius * math.sqrt(omega / viscosity)
