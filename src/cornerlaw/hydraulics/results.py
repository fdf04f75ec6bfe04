"""Results of a network by the names of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UnknownNameError
from cornerlaw.hydraulics.parts import (
    Accumulator,
    Branch,
    Cylinder,
    Junction,
    Source,
    WaveLine,
)
from cornerlaw.model.values import Table
from cornerlaw.results import Solution

if TYPE_CHECKING:
    from cornerlaw.hydraulics.network import Network

Floats = NDArray[np.float64]


class NetworkResults:
    """`results["node"].pressure`, `results["line"].flow`, `results["cylinder"].position`."""

    def __init__(self, network: Network, sol: Solution) -> None:
        self.network, self.sol = network, sol
        self._parts = {part.name: part for part in network.hydraulic_parts}

    def __getitem__(self, name: str) -> Any:
        if name not in self._parts:
            known = ", ".join(self._parts)
            raise UnknownNameError(f"The network has no part {name!r}; it has: {known}")
        part = self._parts[name]
        if isinstance(part, Junction | Source | Accumulator):
            return NodeView(self, part)
        if isinstance(part, Branch):
            return BranchView(self, part)
        return PistonView(self, part)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    @property
    def t(self) -> Floats:
        """The times [s]."""
        return self.sol.t

    def undetermined(self, t: float | None = None) -> tuple[str, ...]:
        """Name the junctions whose pressure nothing determines at a time, and what holds their oil.

        Unless a time is given at the end. The pressures that are shown there are finite, but
        others would do as well: valves are shut, pistons at their stops or stuck.
        """
        from cornerlaw.hydraulics.floating import floating

        row = -1 if t is None else int(np.searchsorted(self.t, t, side="right")) - 1
        return floating(self.network, self, max(row, 0) if t is not None else row)

    def position(self, key: str) -> Floats:
        """Return a coordinate of the network."""
        return np.asarray(self.sol[key])

    def velocity(self, key: str) -> Floats:
        """Return the rate of a coordinate of the network."""
        c = self.network.topology.coordinates[key]
        if c.own:
            return np.asarray(self.sol[f"{c.slider}.velocity"])
        rate = {"position": "velocity", "displacement": "velocity", "angle": "speed"}
        quantity = key[len(c.slider) + 1 :]
        return np.asarray(self.sol[f"{c.slider}.{rate.get(quantity, quantity + '_rate')}"])

    def energy(self, name: str) -> Floats:
        """Return the energy that an element has taken up [J]; 0 where there is none."""
        key = f"{name}.taken"
        return np.asarray(self.sol[key]) if key in self.sol else np.zeros(len(self.t))


class NodeView:
    """Pressure, void, volumes and impulses of a junction, source or accumulator."""

    def __init__(self, results: NetworkResults, node: Any) -> None:
        self._results, self._node = results, node

    @property
    def pressure(self) -> Floats:
        """The pressure [Pa]."""
        node, sol = self._node, self._results.sol
        if isinstance(node, Source):
            return _signal(node.pressure, sol.t)
        if isinstance(node, Accumulator) or node.kind == "compressible":
            return np.asarray(sol[f"{node.name}.pressure"])
        scale = self._results.network.topology.reference(node.name)
        if node.kind == "incompressible":
            # a row of the model, or of the corner-law problem in a large network
            row = f"{node.name}.multiplier"
            return np.asarray(sol[row if row in sol else f"{node.name}.lam_T"]) / scale
        return np.asarray(
            self._results.network.fluid.cavitation + sol[f"{node.name}.lam_N"] / scale
        )

    @property
    def impulse(self) -> Floats:
        """The pressure impulse of impacts by row [Pa s], 0 where pressure is elastic or given."""
        node = self._node
        if not isinstance(node, Junction) or node.kind == "compressible":
            return np.zeros(len(self._results.sol.t))
        scale = self._results.network.topology.reference(node.name)
        if node.kind == "incompressible":
            from cornerlaw.hydraulics.impulses import junction_impulses

            row = f"{node.name}.Lambda_T"
            if row in self._results.sol:
                return np.asarray(self._results.sol[row]) / scale
            return junction_impulses(self._results.network, self._results, node.name)
        return np.asarray(self._results.sol[f"{self._node.name}.Lambda_N"]) / scale

    @property
    def room(self) -> Floats:
        """The volume that columns and pistons have made room for since the start [m^3]."""
        topology = self._results.network.topology
        start = topology.start(self._node.name)
        row = topology.room[self._node.name]
        return sum(c * self._results.position(k) for k, c in row.items()) - start  # type: ignore[return-value]

    @property
    def void(self) -> Floats:
        """The volume of the cavity [m^3]; 0 where there is none."""
        node = self._node
        if isinstance(node, Junction) and node.kind == "cavitating":
            scale = self._results.network.topology.reference(node.name)
            return np.asarray(self._results.sol[f"{node.name}.gap"]) * scale
        return np.zeros(len(self._results.sol.t))


class BranchView:
    """Flow, volume and losses of what oil flows through."""

    def __init__(self, results: NetworkResults, part: Branch) -> None:
        self._results, self._part = results, part

    @property
    def flow(self) -> Floats:
        """The flow from first to second [m^3/s], that of the first end of a line with waves."""
        return self.flow_at("first")

    def flow_at(self, end: str) -> Floats:
        """Return the flow at the "first" or "second" end [m^3/s]."""
        topology = self._results.network.topology
        if isinstance(self._part, WaveLine):
            line = topology.lines[self._part.name]
            shape = line.start if end == "first" else line.end
        else:
            shape = np.ones(1)
        velocities = [self._results.velocity(c.name) for c in topology.of(self._part.name)]
        total = sum(s * v for s, v in zip(shape, velocities, strict=True))
        return np.asarray(self._part.area * total)

    @property
    def volume(self) -> Floats:
        """The oil that has passed the first end since the start [m^3]."""
        topology = self._results.network.topology
        shape = topology.lines[self._part.name].start if self._is_wave else np.ones(1)
        moved = [self._results.position(c.name) for c in topology.of(self._part.name)]
        total = sum(s * x for s, x in zip(shape, moved, strict=True))
        return np.asarray(self._part.area * (total - total[0]))

    @property
    def _is_wave(self) -> bool:
        return isinstance(self._part, WaveLine)

    @property
    def loss(self) -> Floats:
        """The energy dissipated since the start [J], from the element's own power."""
        topology = self._results.network.topology
        return sum(self._results.energy(f"{c.slider}.losses") for c in topology.of(self._part.name))  # type: ignore[return-value]

    @property
    def drop(self) -> Floats:
        """The difference of the pressures at first and second [Pa]."""
        first, second = self._results[self._part.first], self._results[self._part.second]
        return np.asarray(first.pressure - second.pressure)


class PistonView:
    """Position and velocity of a cylinder's piston."""

    def __init__(self, results: NetworkResults, part: Any) -> None:
        self._results, self._part = results, part
        assert isinstance(part, Cylinder)
        self._key = part.on or f"{part.name}.position"

    @property
    def position(self) -> Floats:
        """Its position [m]."""
        return self._results.position(self._key)

    @property
    def velocity(self) -> Floats:
        """Its velocity [m/s]."""
        return self._results.velocity(self._key)


def _signal(value: Any, t: Floats) -> Floats:
    """Return a pressure that was given as a number, table or function, at times."""
    if isinstance(value, Table):
        if value.kind == "cubic":
            from scipy.interpolate import CubicSpline

            return np.asarray(CubicSpline(value.x, value.y)(np.clip(t, value.x[0], value.x[-1])))
        return np.interp(t, value.x, value.y)
    if callable(value):
        return np.array([float(value(float(x))) for x in t])
    return np.full(len(t), float(value))
