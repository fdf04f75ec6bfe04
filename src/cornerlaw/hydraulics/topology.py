"""Which coordinates a network has, and how each of them fills or empties its junctions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import DuplicateNameError, ModelError, UnknownNameError
from cornerlaw.hydraulics.fluid import Fluid
from cornerlaw.hydraulics.parts import (
    Accumulator,
    Branch,
    Cylinder,
    Gap,
    Group,
    HydraulicPart,
    Junction,
    Source,
    WaveLine,
)
from cornerlaw.hydraulics.waves import LineMatrices, line_matrices

Floats = NDArray[np.float64]
Node = Junction | Source | Accumulator


@dataclass
class Coordinate:
    """One generalised coordinate: the displacement of a column, a mode or a piston."""

    name: str  # "line.position"
    slider: str  # the part of the model that owns it
    mass: float
    position: float
    velocity: float
    of: HydraulicPart
    mode: int = 0
    own: bool = True  # False: it belongs to the surrounding model


@dataclass
class Topology:
    """Nodes, coordinates, and for every node the volume that each coordinate makes room for.

    `room[node][coordinate]` is the rate of the volume that must be filled: the area of a column
    that leaves, minus that of one that arrives, and the area of a piston that draws. (T-21.18)
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    coordinates: dict[str, Coordinate] = field(default_factory=dict)
    room: dict[str, dict[str, float]] = field(default_factory=dict)
    chambers: dict[str, dict[str, float]] = field(default_factory=dict)  # the part of pistons
    lines: dict[str, LineMatrices] = field(default_factory=dict)
    by_part: dict[str, list[Coordinate]] = field(default_factory=dict)

    def of(self, part: str) -> list[Coordinate]:
        """Return the coordinates of a part."""
        return self.by_part.get(part, [])

    def add(self, coordinate: Coordinate) -> None:
        """Take a coordinate up."""
        self.coordinates[coordinate.name] = coordinate
        self.by_part.setdefault(coordinate.of.name, []).append(coordinate)

    def reference(self, node: str) -> float:
        """Return the area that scales the row of a node [m^2]: the largest of its areas."""
        return max(abs(value) for value in self.room[node].values())

    def start(self, node: str) -> float:
        """Return the room at the initial positions."""
        return sum(c * self.coordinates[k].position for k, c in self.room[node].items())


def flatten(parts: Iterable[Any]) -> list[HydraulicPart]:
    """Return the parts of a network, those of groups under their names."""
    flat: list[HydraulicPart] = []
    for item in parts:
        if isinstance(item, Group):
            flat += item.flat()
        elif isinstance(item, HydraulicPart):
            flat.append(item)
        else:
            raise ModelError(f"Network: must consist of hydraulic parts and groups, got {item!r}")
    seen: set[str] = set()
    for item in flat:
        if item.name in seen:
            raise DuplicateNameError(f"Network: two parts are named {item.name!r}")
        seen.add(item.name)
    return flat


def find_topology(parts: list[HydraulicPart], fluid: Fluid) -> Topology:
    """Return the coordinates of all parts and the rows of all nodes."""
    found = Topology()
    for part in parts:
        if isinstance(part, Junction | Source | Accumulator):
            found.nodes[part.name] = part
            found.room[part.name] = {}
            found.chambers[part.name] = {}
    for part in parts:
        if isinstance(part, WaveLine):
            _add_waves(found, part, fluid)
        elif isinstance(part, Branch):
            _add_column(found, part, fluid)
        elif isinstance(part, Cylinder):
            _add_piston(found, part)
    for name, row in found.room.items():
        if not row and not isinstance(found.nodes[name], Source):
            raise ModelError(f"{found.nodes[name].label}: nothing is connected to it")
    return found


def _add_column(found: Topology, part: Branch, fluid: Fluid) -> None:
    key = f"{part.name}.position"
    mass = fluid.density * part.area * part.length
    if isinstance(part, Gap):
        mass = part.mass(fluid.density, fluid.dynamic_viscosity)
    velocity = part.flow / part.area
    found.add(Coordinate(key, part.name, mass, 0.0, velocity, part))
    _add_room(found, part, "first", key, part.area)
    _add_room(found, part, "second", key, -part.area)


def _add_waves(found: Topology, part: WaveLine, fluid: Fluid) -> None:
    """Every mode is a coordinate; both ends use the same shapes for flows and pressures."""
    line = line_matrices(
        fluid, part.length, part.diameter, part.modes, part.shapes, part.frequency_dependent
    )
    found.lines[part.name] = line
    for k in range(len(line.M)):
        slider = part.name if k == 0 else f"{part.name}.mode {k}"
        key = f"{slider}.position"
        velocity = part.flow / part.area if k == 0 else 0.0
        found.add(Coordinate(key, slider, float(line.M[k]), 0.0, velocity, part, mode=k))
        _add_room(found, part, "first", key, part.area * float(line.start[k]))
        _add_room(found, part, "second", key, -part.area * float(line.end[k]))


def _add_piston(found: Topology, part: Cylinder) -> None:
    key = part.on or f"{part.name}.position"
    slider = part.on.rpartition(".")[0] if part.on else part.name
    if key not in found.coordinates:
        found.add(
            Coordinate(key, slider, part.mass, part.position, part.velocity, part, own=not part.on)
        )
    _add_room(found, part, "chamber", key, part.area, piston=True)
    if part.rod_chamber:
        _add_room(found, part, "rod_chamber", key, -part.rod_area, piston=True)


def _add_room(
    found: Topology, part: Any, end: str, key: str, value: float, piston: bool = False
) -> None:
    node = getattr(part, end)
    if node not in found.nodes:
        known = ", ".join(found.nodes) or "none"
        raise UnknownNameError(
            f"{part.label}: {end} names no junction, source or accumulator: {node!r}; "
            f"there are: {known}"
        )
    row = found.room[node]
    row[key] = row.get(key, 0.0) + value
    if piston:
        chamber = found.chambers[node]
        chamber[key] = chamber.get(key, 0.0) + value
