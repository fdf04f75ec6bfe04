"""Friction, restitution and compliant laws as the numbers and signals of a corner."""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays.corners import (
    NORMAL_HUNT_CROSSLEY,
    NORMAL_KELVIN_VOIGT,
    NORMAL_LANKARANI_NIKRAVESH,
    NORMAL_RIGID,
)
from cornerlaw.compile.tables import SignalTable
from cornerlaw.errors import CompileError
from cornerlaw.model import Coulomb, HuntCrossley, KelvinVoigt, Stribeck, Table


def friction_law(law: Any, signals: SignalTable, label: str) -> tuple[float, int]:
    """Return the friction coefficient at rest and the signal mu(|gamma_T|), -1 if constant."""
    if isinstance(law, Coulomb):
        if not isinstance(law.mu, float):
            return friction_law(law.mu, signals, label)
        if law.static is None or law.static == law.mu:
            return float(law.mu), -1
        return float(law.static), signals.add(float(law.mu), label)
    if isinstance(law, Stribeck):
        numbers = (law.static, law.kinetic, law.velocity, law.exponent, law.viscous)
        return float(law.static), signals.add_stribeck(*(float(x) for x in numbers))
    if isinstance(law, Table) or callable(law):
        at_rest = _value_at_zero(law, label)
        if not at_rest >= 0.0:
            raise CompileError(f"{label} must not be negative at rest, it is {at_rest:g}.")
        return at_rest, signals.add(law, label)
    return float(law), -1


def restitution_law(law: Any, signals: SignalTable, label: str) -> tuple[float, int]:
    """Return the coefficient of restitution and the signal eps(|gamma_N|), -1 if constant."""
    if isinstance(law, Table) or callable(law):
        return _value_at_zero(law, label), signals.add(law, label)
    return float(law), -1


def normal_law(law: Any) -> tuple[int, tuple[float, ...]]:
    """Return the kind and the parameters of a normal law."""
    if law is None:
        return NORMAL_RIGID, ()
    if isinstance(law, KelvinVoigt):
        return NORMAL_KELVIN_VOIGT, (float(law.stiffness), float(law.damping))
    if isinstance(law, HuntCrossley):
        numbers = (law.stiffness, law.damping, law.exponent)
        return NORMAL_HUNT_CROSSLEY, tuple(float(x) for x in numbers)
    numbers = (law.stiffness, law.restitution, law.exponent)
    return NORMAL_LANKARANI_NIKRAVESH, tuple(float(x) for x in numbers)


def _value_at_zero(law: Any, label: str) -> float:
    if isinstance(law, Table):
        if law.kind == "linear":
            return float(np.interp(0.0, law.x, law.y))
        from scipy.interpolate import CubicSpline

        kind = "not-a-knot" if len(law.x) > 3 else "natural"
        return float(CubicSpline(law.x, law.y, bc_type=kind)(max(0.0, law.x[0])))
    try:
        return float(law(0.0))
    except Exception as error:  # whatever the user's function raises
        raise CompileError(f"{label} fails when called with 0: {error}.") from None
