# mypy: allow-untyped-defs, allow-untyped-calls
"""A wet clutch with its piston: oil fills the cylinder, the pressure is a state of the model."""

from __future__ import annotations

import math
from typing import Any

from cornerlaw.drives._compiled import register, shared
from cornerlaw.drives._names import coordinate, not_negative, positive
from cornerlaw.drives.clutches import DiscPack
from cornerlaw.model import ForceElement, Input, Limit, Part, Slider, Stribeck, UserContact

ATMOSPHERE = 1.013e5  # absolute pressure [Pa] at which free air is measured


@shared
def _command(t, p):
    """Return the pressure before the valve, a ramp from zero to its level."""
    return p[2] * min(max((t - p[3]) / p[4], 0.0), 1.0)


@shared
def _compliance(pressure, p):
    """Return 1 / E of oil with free air in it, compressed isothermally."""
    absolute = pressure + p[8]
    return 1.0 / p[6] + p[7] * p[8] / (absolute * absolute)


def _cylinder_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    flow = p[5] * (_command(t, p) - x[0])
    x_dot[0] = (flow - p[0] * u[0]) / (p[9] * _compliance(x[0], p))
    Q[0] = p[0] * x[0] - p[1]


def _cylinder_energy(t, r, A, v, Omega, q, u, x, p):
    """Return what oil, air and spring store: the integral of pressure times lost volume."""
    absolute = x[0] + p[8]
    air = p[7] * p[8] * (math.log(absolute / p[8]) + p[8] / absolute - 1.0)
    return p[9] * (0.5 * x[0] * x[0] / p[6] + air) + p[1] * q[0]


def _cylinder_loss(t, r, A, v, Omega, q, u, x, p):
    return p[5] * (_command(t, p) - x[0]) ** 2


def _cylinder_supply(t, r, A, v, Omega, q, u, x, p):
    before = _command(t, p)
    return before * p[5] * (before - x[0])


def _cylinder_command(t, r, A, v, Omega, q, u, x, p):
    return _command(t, p)


def wet_clutch(
    name: str,
    first: Any,
    second: Any,
    pack: DiscPack,
    *,
    level: float | Input,
    start: float = 0.0,
    rise: float,
    conductance: float,
    volume: float,
    modulus: float = 1.2e9,
    air: float = 0.0,
    mass: float,
    clearance: float,
) -> tuple[Part, ...]:
    """Return a wet multi-disc clutch: cylinder with a pressure state, piston, discs. (T-20.38)

    level, start, rise   of the pressure before the valve [Pa]: a ramp that begins at start [s];
                         a level that is an Input is set while the run goes on
    conductance          flow through the valve over its pressure drop [m^3/(s Pa)]
    volume               of oil in cylinder and line [m^3]
    modulus, air         bulk modulus of the oil [Pa], share of free air at atmospheric pressure
    mass, clearance      of the piston [kg], and its way until the discs touch [m]

    V p' / E(p) = Q - A x', m x'' = p A - F_s - lam_N, and the discs are a contact with friction
    whose normal force is that of the piston: the clutch fills, closes, slips and sticks without a
    prescribed phase, and the torque follows the pressure only where the piston rests on the discs.
    The oil column swings with A sqrt(E / (V m)), damped by the valve. Fixed steps of first order
    (Moreau) must be shorter than m conductance / A^2 and than V / (E conductance), else the swing
    grows: the run is then degraded, with an energy of the cylinder that is no number.
    The parts are called name.piston, name.cylinder (channels `pressure`, `command`, `loss`,
    `supply`, `energy`), name.discs (`lam_T` times the radius is the torque) and name.stop.
    """
    owner = f"wet_clutch {name!r}"
    if not isinstance(level, Input):
        positive(owner, level=level)
    positive(owner, rise=rise, conductance=conductance, volume=volume)
    positive(owner, modulus=modulus, mass=mass, clearance=clearance)
    not_negative(owner, air=air, start=start)
    register()
    piston = Slider(f"{name}.piston", mass=mass, position=0.0, velocity=0.0)
    cylinder = ForceElement(
        f"{name}.cylinder",
        coordinates=(f"{name}.piston.position",),
        law=_cylinder_law,
        parameters={
            "area": pack.area, "spring": pack.spring, "level": level, "start": start, "rise": rise,
            "conductance": conductance, "modulus": modulus, "air": air, "atmosphere": ATMOSPHERE,
            "volume": volume,
        },
        states={"pressure": 0.0},
        energy=_cylinder_energy,
        outputs={"loss": _cylinder_loss, "supply": _cylinder_supply, "command": _cylinder_command},
    )  # fmt: skip
    # all faces carry the same normal force: one contact with their common coefficient
    mu: float | Stribeck = pack.faces * pack.static
    if pack.kinetic is not None and pack.kinetic != pack.static:
        mu = Stribeck(
            static=pack.faces * pack.static, kinetic=pack.faces * pack.kinetic,
            velocity=pack.speed * pack.radius,
        )  # fmt: skip
    discs = UserContact(
        f"{name}.discs",
        coordinates=(
            f"{name}.piston.position", coordinate(owner, first), coordinate(owner, second),
        ),
        gap=clearance,
        normal=(-1.0, 0.0, 0.0),
        tangent=(0.0, pack.radius, -pack.radius),
        mu=mu,
    )  # fmt: skip
    return piston, cylinder, discs, Limit(f"{name}.stop", piston, lower=0.0)
