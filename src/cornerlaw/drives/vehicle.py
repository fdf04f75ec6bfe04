# mypy: allow-untyped-defs
"""The vehicle as a load: tyres, air, slope, and rolling resistance that holds at standstill."""

from __future__ import annotations

import math
from typing import Any

from cornerlaw.drives._names import coordinate, not_negative, positive
from cornerlaw.errors import ModelError
from cornerlaw.model import Brake, ForceElement, Part

AIR = 1.2  # density [kg/m^3]
GRAVITY = 9.81


def _tyre_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    torque = p[0] * (q[0] - q[1] / p[2]) + p[1] * (u[0] - u[1] / p[2])
    Q[0] = -torque
    Q[1] = p[3] * torque / p[2]


def _tyre_energy(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * p[0] * (q[0] - q[1] / p[2]) ** 2


def _tyre_loss(t, r, A, v, Omega, q, u, x, p):
    slip = u[0] - u[1] / p[2]
    torque = p[0] * (q[0] - q[1] / p[2]) + p[1] * slip
    return p[1] * slip * slip + (1.0 - p[3]) * torque * u[1] / p[2]


def tyre(
    name: str,
    wheel: Any,
    vehicle: Any,
    *,
    radius: float,
    stiffness: float,
    damping: float,
    efficiency: float = 1.0,
) -> ForceElement:
    """Return the tyres between wheels and vehicle. (T-20.26)

    M_R = c (q - x / r) + d (q' - x' / r) holds the wheel back and pushes the vehicle by
    efficiency M_R / r. An efficiency below one dissipates as long as the wheels drive. Channels:
    `loss`, `energy`, `power`.
    """
    owner = f"tyre {name!r}"
    positive(owner, radius=radius, stiffness=stiffness)
    not_negative(owner, damping=damping)
    if not 0.0 < efficiency <= 1.0:
        raise ModelError(f"{owner}: efficiency must be above 0 and at most 1, got {efficiency:g}")
    return ForceElement(
        name,
        coordinates=(coordinate(owner, wheel), coordinate(owner, vehicle)),
        law=_tyre_law,
        parameters={
            "stiffness": stiffness, "damping": damping, "radius": radius, "efficiency": efficiency,
        },
        energy=_tyre_energy,
        outputs={"loss": _tyre_loss},
    )  # fmt: skip


def _air_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -p[0] * u[0] * abs(u[0]) - p[1]


def _air_energy(t, r, A, v, Omega, q, u, x, p):
    return p[1] * q[0]


def _air_loss(t, r, A, v, Omega, q, u, x, p):
    return p[0] * abs(u[0]) ** 3


def road_load(
    name: str,
    vehicle: Any,
    *,
    mass: float,
    drag_area: float,
    rolling: float,
    slope: float = 0.0,
    lift_area: float = 0.0,
) -> tuple[Part, ...]:
    """Return air drag, slope and rolling resistance of a vehicle (a Slider). (T-20.27)

    drag_area   c_w A [m^2]
    rolling     coefficient of rolling resistance; the force is set-valued, so that a car holds on a
                hill as steep as this and never creeps
    slope       angle of the road [rad]
    lift_area   c_A A [m^2] of the lift at both axles, which takes weight off the tyres

    The parts are called name.air and name.rolling.
    """
    owner = f"road_load {name!r}"
    positive(owner, mass=mass)
    not_negative(owner, drag_area=drag_area, rolling=rolling, lift_area=lift_area)
    weight = mass * GRAVITY
    air = ForceElement(
        f"{name}.air",
        coordinates=(coordinate(owner, vehicle),),
        law=_air_law,
        parameters={"drag": 0.5 * AIR * drag_area, "slope": weight * math.sin(slope)},
        energy=_air_energy,
        outputs={"loss": _air_loss},
    )
    level: Any = rolling * weight * math.cos(slope)
    if lift_area > 0.0:
        level = _lifted(level, 0.5 * AIR * lift_area * rolling)
    return air, Brake(f"{name}.rolling", vehicle, capacity=level)


def _lifted(level: float, factor: float) -> Any:
    """Return the bound of the rolling resistance over the speed of the car."""

    def bound(t, q, u):
        return max(0.0, level - factor * u * u)

    return bound
