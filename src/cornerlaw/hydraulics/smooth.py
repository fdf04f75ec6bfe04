"""A network without corners: every junction elastic, every stop a stiff spring. (T-21.25)

This is what a network is without corner laws: one stiff ordinary differential equation, for an
implicit method. It serves as the independent reference of the corner-law model, which is its limit
for stiff oil. Where a piston meets its stop, the column behind it is caught by elastic oil and
thrown back, while the impact of rigid oil is plastic: only a model that loses the energy of this
oscillation can have the same limit. The `ratio` of a junction's damping does that; its force
vanishes with the stiffness like the compression itself.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics.fluid import mixture_pressure
from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import CheckValve, Cylinder, HydraulicPart, Junction, Orifice
from cornerlaw.model import ForceElement, Model, Part
from cornerlaw.model.values import Table


def smooth_network(network: Network, *, volume: float = 0.0, pressure: float = 1e5) -> Network:
    """Return the network with elastic junctions of at least a volume [m^3], and without stops."""
    return Network(
        *(_smooth(part, volume, pressure) for part in network.hydraulic_parts),
        fluid=network.fluid, name=f"{network.name} as an ODE",
    )  # fmt: skip


def smooth_model(
    network: Network,
    *,
    volume: float = 0.0,
    pressure: float = 1e5,
    stiffness: float = 1e10,
    damping: float = 10.0,
    ratio: float = 0.0,
) -> Model:
    """Return the smooth network with springs [N/m] for the stops.

    Their force has the factor 1 + damping * rate of the depth. [s/m] With a damping `ratio` every
    junction is viscous as well, as much as this fraction of critical damping of its columns.
    """
    stops = [
        _buffer(part, stiffness, damping)
        for part in network.hydraulic_parts
        if isinstance(part, Cylinder) and (part.lower is not None or part.upper is not None)
    ]
    smooth = smooth_network(network, volume=volume, pressure=pressure)
    parts = [_damped(smooth, part, ratio) if ratio else part for part in smooth.parts()]
    return Model(*parts, *stops, name=smooth.name)


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


def _damped(network: Network, part: Part, ratio: float) -> Part:
    """Return a junction with a pressure that rises by d times the net inflow; others as they are.

    d = 2 ratio sqrt(E / (V S)), S = sum of A_k^2 / m_k over its columns: critical at ratio 1 where
    pistons stand still. (T-21.33)
    """
    if part.name not in network.junctions() or not isinstance(part, ForceElement):
        return part
    topology = network.topology
    node = topology.nodes[part.name]
    chamber, row = topology.chambers[part.name], topology.room[part.name]
    assert isinstance(node, Junction)
    at = {key: topology.coordinates[key] for key in row}
    volume = node.volume + sum(chamber[key] * at[key].position for key in chamber)
    mobility = sum((row[key] - chamber.get(key, 0.0)) ** 2 / at[key].mass for key in row)
    d = 2.0 * ratio * math.sqrt(network.fluid.bulk_modulus(node.pressure) / volume / mobility)
    return replace(
        part, law=viscous_junction, parameters={**(part.parameters or {}), "viscosity": d}
    )


def viscous_junction(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """A compressible junction with viscosity, the last parameter; never below cavitation."""
    n = q.size
    volume, content, rate = p[0], p[1], 0.0
    for k in range(n):
        content += p[7 + k] * q[k]
        volume += p[7 + n + k] * q[k]
        rate += (p[7 + k] - p[7 + n + k]) * u[k]
    elastic = mixture_pressure(volume / content, p[2], p[3], p[4], p[5])
    pressure = max(elastic + p[7 + 2 * n] * rate, p[6])
    for k in range(n):
        Q[k] = pressure * (p[7 + n + k] - p[7 + k])
    x_dot[0] = pressure * rate


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
