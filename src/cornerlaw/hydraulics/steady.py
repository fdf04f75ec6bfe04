"""Where a network ends if nothing changes: constant flows, pistons at rest. (T-21.36)

The network itself is followed by implicit steps that grow from a tenth of a millisecond to hours,
to years where a piston creeps: inertia fades out of the equations, and valves, cavities, locks and
stops keep their laws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import SimulationError
from cornerlaw.hydraulics.compile import HOLDS
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
from cornerlaw.model import Model, Part, Submodel
from cornerlaw.results import Solution
from cornerlaw.simulate.run import simulate
from cornerlaw.simulate.stepping import Theta

Floats = NDArray[np.float64]
FIRST, FACTOR, LAST = 1e-4, 4.0, 1e8  # of the steps [s], and their growth
SETTLED, LONG = 0.1, 1e3  # [s], steps from which flows may be steady, and pistons at rest
STEPS = 6  # of each length
TOLERANCE, NOISE = 1e-8, 1e-11  # of a speed, and of the largest on the way
REST = 1e-12  # [m/s], of a piston: a tenth of a millimetre in three years
TRAVEL = 1e-7  # [m], of a piston within long steps, and the gap within which it is at its stop
AWAY = 1e3  # [m], of a piston that nothing stops
IMBALANCE = 1e-7  # of the largest flow on the way
EXCEEDED = 0.5 * HOLDS  # [Pa], what only flows that contradict each other make


@dataclass(frozen=True)
class SteadyState:
    """Pressures [Pa] of junctions, flows [m^3/s] of branches and positions [m] of pistons, by name.

    `network` has them as its initial values and starts in this state. Cylinders on coordinates of
    the model around it (`on`) stay as they are given: that model is placed by its own parts.
    `cl.linearise` of its model leaves corner laws out, cavitating junctions and valves too.
    """

    pressure: dict[str, float]
    flow: dict[str, float]
    position: dict[str, float]
    network: Network


def steady_state(network: Network, *others: Part | Submodel, t: float = 0.0) -> SteadyState:
    """Return the steady state of a network with what is given over time held at t.

    `others` are parts of the model around the network. Elastic junctions and accumulators are taken
    as rigid, since nothing is stored any more. A piston that goes on moving, a void that goes on
    growing and pumps that contradict each other are errors.
    """
    held = held_at(network, t)
    rigid = Network(*(_rigid(part) for part in held.hydraulic_parts), fluid=held.fluid,
                    name=held.name)  # fmt: skip
    sol = _settled(rigid, others)
    results: Any = rigid.read(sol)
    pressure = {name: float(results[name].pressure[-1]) for name in rigid.topology.nodes}
    void = {
        name: float(results[name].void[-1]) if pressure[name] <= held.fluid.cavitation else 0.0
        for name in rigid.topology.nodes
    }
    flow, position = {}, {}
    for part in rigid.hydraulic_parts:
        if isinstance(part, Branch):
            flow[part.name] = float(results[part.name].flow[-1])
            _check_pump(part, flow[part.name])
        elif isinstance(part, Cylinder):
            position[part.name] = float(results[part.name].position[-1])
    _check_pressures(rigid, pressure)
    parts = [_started(part, pressure, flow, position, void) for part in held.hydraulic_parts]
    there = Network(*parts, fluid=held.fluid, name=held.name)
    return SteadyState(pressure, flow, position, there)


def _settled(network: Network, others: tuple[Part | Submodel, ...]) -> Solution:
    """Follow a network until nothing changes any more."""
    # sets take any start; constraints would refuse flows that contradict each other
    model = network.model(*others, constraints=False)
    dt, sol, way = FIRST, None, _Way(network)
    while dt < LAST and not way.is_lost:
        try:
            sol = _steps(model, sol, dt)
        except SimulationError:
            if dt < LONG:
                raise
            break  # what goes on for so long is what has no end
        way.go_on(sol, dt)
        if dt >= SETTLED and way.is_steady:
            return sol
        dt *= FACTOR
    for part in network.hydraulic_parts:
        if isinstance(part, Pump):
            _check_pump(part, part.area * way.speed[f"{part.name}.position"])
    raise SimulationError(way.complaint)


def _steps(model: Model, before: Solution | None, dt: float) -> Solution:
    """Take some implicit steps of a length; the last row has the forces of the last step."""
    start = 0.0 if before is None else float(before.t[-1])
    # what a junction leaks by the tolerance of the solver, times dt, is no void
    leaked = None if dt < 1.0 else min(1e-10 * dt, TRAVEL)
    end = start + STEPS * dt
    return simulate(
        model, end, method=Theta(dt=dt, theta=1.0, activation=leaked), t_start=start,
        initial=None if before is None else before.final, t_eval=(start, end - dt, end),
        progress=False,
    )  # fmt: skip


class _Way:
    """What a network does on its way: speeds before and after the last steps, travel of pistons."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.pistons = {key for row in network.topology.chambers.values() for key in row}
        self.speed: dict[str, float] = {}
        self.change: dict[str, float] = dict.fromkeys(network.coordinates, np.inf)
        self.travel: dict[str, float] = {}
        self.fastest, self.largest, self.dt = 1e-9, 0.0, 0.0  # speed and flow so far, last step

    def go_on(self, sol: Solution, dt: float) -> None:
        """Take the results of some steps of one length up."""
        self.dt = dt
        results: Any = self.network.read(sol)
        speed = {key: float(results.velocity(key)[-1]) for key in self.network.coordinates}
        if self.speed:
            self.change = {key: abs(speed[key] - self.speed[key]) for key in speed}
        self.speed = speed
        self.travel = {key: float(np.ptp(results.position(key)[[0, -1]])) for key in self.pistons}
        self.fastest = max(self.fastest, *(abs(v) for v in speed.values()))
        for row in self.network.topology.room.values():
            flows = [abs(area * speed[key]) for key, area in row.items()]
            self.largest = max(self.largest, *flows, 0.0)

    @property
    def is_steady(self) -> bool:
        """Tell whether flows stay, pistons rest and junctions are balanced."""
        calm = all(
            self.change[key] <= TOLERANCE * abs(self.speed[key]) + NOISE * self.fastest
            for key in self.speed
            if key not in self.pistons
        )
        rests = not self._moving()
        return calm and rests and not self._drawn()

    @property
    def is_lost(self) -> bool:
        """Tell whether a piston has gone where nothing stops it."""
        return any(travel > AWAY for travel in self.travel.values())

    def _moving(self) -> dict[str, float]:
        """Return the travel of the pistons that are not at rest."""
        return {
            key: travel
            for key, travel in self.travel.items()
            if abs(self.speed[key]) > REST and (self.dt < LONG or travel > TRAVEL)
        }

    def _drawn(self) -> tuple[str, float] | None:
        """Return the junction whose void grows most and by how much [m^3/s], None if none does."""
        rates = {
            name: sum(area * self.speed[key] for key, area in row.items())
            for name, row in self.network.topology.room.items()
            if name in self.network.junctions()
        }
        name = max(rates, key=lambda n: abs(rates[n]), default=None)
        if name is None or abs(rates[name]) <= IMBALANCE * self.largest:
            return None
        return name, rates[name]

    @property
    def complaint(self) -> str:
        """The sentence about what goes on."""
        head = f"the network {self.network.name!r} has no steady state:"
        moving = self._moving()
        drawn = self._drawn()
        if drawn is not None and not moving:
            what = "flows out than in" if drawn[1] > 0.0 else "flows in than out"
            return (
                f"{head} at {drawn[0]!r} {abs(drawn[1]):.3g} m^3/s more {what}, for ever; let oil "
                f"reach it, or draw less"
            )
        of = moving or {k: v for k, v in self.change.items() if k not in self.pistons}
        key = max(of, key=lambda k: of[k])
        name = self.network.topology.coordinates[key].of.name
        what = "its piston goes on moving" if moving else "its flow goes on changing"
        return (
            f"{head} {what} ({name!r}, {self.speed[key]:.3g} m/s); give it a stop or a spring, or "
            f"let oil return"
        )


def _check_pump(part: Branch, flow: float) -> None:
    """Refuse a state in which a pump does not deliver what is given."""
    if isinstance(part, Pump) and abs(flow - part.flow) > 1e-6 * abs(part.flow):
        raise SimulationError(
            f"{part.label}: it cannot deliver {part.flow:.3g} m^3/s; its oil has nowhere to go or "
            f"to come from"
        )


def _check_pressures(network: Network, pressure: dict[str, float]) -> None:
    """Refuse pressures that only flows which contradict each other have."""
    worst = max(network.junctions(), key=lambda name: abs(pressure[name]), default=None)
    if worst is not None and abs(pressure[worst]) > EXCEEDED:
        raise SimulationError(
            f"the network {network.name!r} has no steady state: the pressure at {worst!r} grows "
            f"without bounds; what flows in must be able to leave"
        )


def _rigid(part: HydraulicPart) -> HydraulicPart:
    if isinstance(part, Junction) and part.kind == "compressible":
        return replace(part, kind="cavitating")
    if isinstance(part, Accumulator):
        return Junction(part.name, "cavitating")
    if isinstance(part, WaveLine):
        return Line(
            part.name, part.first, part.second, part.length, part.diameter, part.flow,
            rise=part.rise,
        )  # fmt: skip
    return part


def _started(
    part: HydraulicPart, pressure: dict[str, float], flow: dict[str, float],
    position: dict[str, float], void: dict[str, float],
) -> HydraulicPart:  # fmt: skip
    if isinstance(part, Junction):
        left = void[part.name] if part.kind == "cavitating" else 0.0
        return replace(part, pressure=pressure[part.name], void=left)
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
