"""A network without corners: every junction elastic, every stop a stiff spring. (T-21.25)

This is what a network is without corner laws: one stiff ordinary differential equation, for an
implicit method. It serves as the independent reference of the corner-law model. Motions agree up
to the stops; there elastic oil throws a piston back, which rigid oil, whose impact is plastic, does
not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import CheckValve, Cylinder, HydraulicPart, Junction, Orifice
from cornerlaw.model import ForceElement, Model
from cornerlaw.model.values import Table


def smooth_network(network: Network, *, volume: float, pressure: float = 1e5) -> Network:
    """Return the network with elastic junctions of at least a volume [m^3], and without stops."""
    return Network(
        *(_smooth(part, volume, pressure) for part in network.hydraulic_parts),
        fluid=network.fluid, name=f"{network.name} as an ODE",
    )  # fmt: skip


def smooth_model(
    network: Network,
    *,
    volume: float,
    pressure: float = 1e5,
    stiffness: float = 1e10,
    damping: float = 10.0,
) -> Model:
    """Return the smooth network with springs [N/m] for the stops.

    Their force has the factor 1 + damping * rate of the depth. [s/m]
    """
    stops = [
        _buffer(part, stiffness, damping)
        for part in network.hydraulic_parts
        if isinstance(part, Cylinder) and (part.lower is not None or part.upper is not None)
    ]
    return smooth_network(network, volume=volume, pressure=pressure).model(*stops)


def _smooth(part: HydraulicPart, volume: float, pressure: float) -> HydraulicPart:
    if isinstance(part, Junction) and part.kind != "compressible":
        return replace(
            part, kind="compressible", volume=max(part.volume, volume), pressure=pressure, void=0.0
        )
    if isinstance(part, Cylinder):
        if part.dry or part.seal:
            raise ModelError(f"{part.label}: dry friction has no smooth form")
        return replace(part, lower=None, upper=None)
    if isinstance(part, CheckValve):
        raise ModelError(f"{part.label}: a check valve has no smooth form")
    if isinstance(part, Orifice) and isinstance(part.opening, Table):
        raise ModelError(f"{part.label}: an orifice that closes has no smooth form")
    return part


def _buffer(part: Cylinder, stiffness: float, damping: float) -> ForceElement:
    far = 1e9  # where there is no stop
    values = {
        "lower": -far if part.lower is None else part.lower,
        "upper": far if part.upper is None else part.upper,
        "stiffness": stiffness, "damping": damping,
    }  # fmt: skip
    return ForceElement(
        f"{part.name}.buffer", coordinates=(part.on or f"{part.name}.position",), law=buffer,
        parameters=values, states={"taken": 0.0},
    )  # fmt: skip


def buffer(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """Stiff ends of a way: p = lower, upper, stiffness, damping; they push and never pull.

    Force = stiffness * depth * (1 + damping * rate of the depth), which starts at zero.
    """
    force = 0.0
    if q[0] < p[0]:
        depth = p[0] - q[0]
        force = max(0.0, p[2] * depth * (1.0 - p[3] * u[0]))
    elif q[0] > p[1]:
        depth = q[0] - p[1]
        force = -max(0.0, p[2] * depth * (1.0 + p[3] * u[0]))
    Q[0] = force
    x_dot[0] = -force * u[0]
