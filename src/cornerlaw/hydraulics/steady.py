"""Where a network ends if nothing changes: constant flows, pistons at rest. (T-21.36)

The network itself is followed by implicit steps that grow from a tenth of a millisecond to an hour:
inertia fades out of the equations, and valves, cavities, locks and stops keep their laws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import SimulationError
from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import (
    Accumulator,
    Branch,
    Cylinder,
    HydraulicPart,
    Junction,
    Line,
    Orifice,
    Pump,
    Source,
    WaveLine,
)
from cornerlaw.hydraulics.results import _signal
from cornerlaw.model import Part, Submodel
from cornerlaw.results import Solution
from cornerlaw.simulate.run import simulate
from cornerlaw.simulate.stepping import Theta

Floats = NDArray[np.float64]
FIRST, LAST, FACTOR = 1e-4, 1e4, 4.0  # of the steps [s], and their growth
STEPS = 6  # of each length
TOLERANCE = 1e-8  # of the largest speed


@dataclass(frozen=True)
class SteadyState:
    """Pressures [Pa] of junctions, flows [m^3/s] of branches and positions [m] of pistons, by name.

    `network` has them as its initial values: it linearises about this state and starts in it.
    """

    pressure: dict[str, float]
    flow: dict[str, float]
    position: dict[str, float]
    network: Network


def steady_state(network: Network, *others: Part | Submodel, t: float = 0.0) -> SteadyState:
    """Return the steady state of a network with what is given over time held at t.

    `others` are parts of the model around the network. Elastic junctions and accumulators are taken
    as rigid, since nothing is stored any more. A piston that goes on moving is an error.
    """
    held = held_at(network, t)
    rigid = Network(*(_rigid(part) for part in held.hydraulic_parts), fluid=held.fluid,
                    name=held.name)  # fmt: skip
    sol = _settled(rigid, others)
    results: Any = rigid.read(sol)
    pressure = {name: float(results[name].pressure[-1]) for name in rigid.topology.nodes}
    flow, position = {}, {}
    for part in rigid.hydraulic_parts:
        if isinstance(part, Branch):
            flow[part.name] = float(results[part.name].flow[-1])
        elif isinstance(part, Cylinder):
            position[part.name] = float(results[part.name].position[-1])
    parts = [_started(part, pressure, flow, position) for part in held.hydraulic_parts]
    there = Network(*parts, fluid=held.fluid, name=held.name)
    return SteadyState(pressure, flow, position, there)


def _settled(network: Network, others: tuple[Part | Submodel, ...]) -> Solution:
    """Follow a network until nothing changes any more."""
    # sets take any start; constraints would refuse flows that contradict each other
    model = network.model(*others, constraints=False)
    dt, sol, before = FIRST, None, None
    while dt < LAST:
        start = 0.0 if sol is None else float(sol.t[-1])
        sol = simulate(
            model, start + STEPS * dt, method=Theta(dt=dt, theta=1.0), t_start=start,
            initial=None if sol is None else sol.final, t_eval=(start, start + STEPS * dt),
            progress=False,
        )  # fmt: skip
        after = _speeds(network, sol)
        if before is not None and _is_steady(network, before, after):
            return sol
        before, dt = after, FACTOR * dt
    assert before is not None
    raise SimulationError(_complaint(network, before, after))


def _rigid(part: HydraulicPart) -> HydraulicPart:
    if isinstance(part, Junction) and part.kind == "compressible":
        return replace(part, kind="cavitating")
    if isinstance(part, Accumulator):
        return Junction(part.name, "cavitating")
    if isinstance(part, WaveLine):
        return Line(part.name, part.first, part.second, part.length, part.diameter, part.flow)
    return part


def _started(
    part: HydraulicPart, pressure: dict[str, float], flow: dict[str, float],
    position: dict[str, float],
) -> HydraulicPart:  # fmt: skip
    if isinstance(part, Junction):
        return replace(part, pressure=pressure[part.name])
    if isinstance(part, Accumulator):
        gas = part.volume * (part.pressure / pressure[part.name]) ** (1.0 / part.polytropic)
        return replace(part, pressure=pressure[part.name], volume=gas)
    if isinstance(part, Branch):
        return replace(part, flow=flow[part.name])
    if isinstance(part, Cylinder) and not part.on:
        return replace(part, position=position[part.name], velocity=0.0)
    return part


def held_at(network: Network, t: float) -> Network:
    """Return the network with pressures, openings and flows that depend on time as they are at t.

    Control edges and laws that depend on positions stay as they are.
    """
    parts = [_held(part, t) for part in network.hydraulic_parts]
    return Network(*parts, fluid=network.fluid, name=network.name)


def _held(part: HydraulicPart, t: float) -> HydraulicPart:
    at = np.array([t])
    if isinstance(part, Source):
        return replace(part, pressure=float(_signal(part.pressure, at)[0]))
    if isinstance(part, Orifice) and hasattr(part.opening, "y"):
        opening = float(_signal(part.opening, at)[0])
        closed = opening <= part.smallest * max(part.opening.y)
        return replace(part, opening=0.0 if closed else opening)
    if isinstance(part, Pump) and part.volume is not None:
        h = 1e-5 * max(1.0, abs(t))
        flow = (part.volume(t + h) - part.volume(t - h)) / (2.0 * h)
        return replace(part, volume=None, flow=float(flow))
    return part


def _speeds(network: Network, sol: Solution) -> dict[str, float]:
    results: Any = network.read(sol)
    return {key: float(results.velocity(key)[-1]) for key in network.coordinates}


def _pistons(network: Network) -> set[str]:
    return {key for chamber in network.topology.chambers.values() for key in chamber}


def _is_steady(network: Network, before: dict[str, float], after: dict[str, float]) -> bool:
    scale = TOLERANCE * max(*(abs(v) for v in after.values()), 1e-9)
    pistons = _pistons(network)
    return all(
        abs(after[key] - before[key]) <= scale and (key not in pistons or abs(after[key]) <= scale)
        for key in after
    )


def _complaint(network: Network, before: dict[str, float], after: dict[str, float]) -> str:
    pistons = _pistons(network)
    moving = {key: abs(after[key]) for key in pistons}
    changing = {key: abs(after[key] - before[key]) for key in after if key not in pistons}
    key = max({**changing, **moving}, key=lambda k: {**changing, **moving}[k])
    name = network.topology.coordinates[key].of.name
    what = "its piston goes on moving" if key in pistons else "its flow goes on changing"
    return (
        f"the network {network.name!r} has no steady state: {what} ({name!r}, "
        f"{after[key]:.3g} m/s); give it a stop or a spring, or let oil return"
    )
