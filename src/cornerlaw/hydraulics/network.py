"""A hydraulic network: its parts, the model they expand into, and its results by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.hydraulics.fluid import Fluid
from cornerlaw.hydraulics.parts import HydraulicPart, Junction, Pump, is_shut
from cornerlaw.hydraulics.reduction import undetermined
from cornerlaw.hydraulics.topology import Topology, find_topology, flatten
from cornerlaw.model import Model, Part, Submodel
from cornerlaw.results import Solution

Floats = NDArray[np.float64]
MOST_CONSTRAINTS = 40  # rows that hold, up to which they are constraints
MOST_COORDINATES = 100  # of a network with constraints


class Network:
    """Hydraulic parts of one fluid; `model()` makes it run, `read(sol)` gives its results."""

    def __init__(self, *parts: Any, fluid: Fluid | None = None, name: str = "network") -> None:
        self.fluid = Fluid() if fluid is None else fluid
        self.name = name
        self.hydraulic_parts: list[HydraulicPart] = flatten(parts)
        self.topology: Topology = find_topology(self.hydraulic_parts, self.fluid)

    def parts(self, *, constraints: bool | None = None) -> tuple[Part, ...]:
        """Return the parts of a model that it consists of; `constraints` as in `model`."""
        from cornerlaw.hydraulics.compile import NetworkCompiler

        if constraints is None:
            constraints = self._is_small()
        return NetworkCompiler(
            self.topology, self.fluid, self.hydraulic_parts, constraints
        ).model_parts()

    def model(
        self, *others: Part | Submodel, constraints: bool | None = None, **options: Any
    ) -> Model:
        """Return a model of the network and other parts: bodies, joints, contacts, forces.

        Incompressible junctions, pumps and orifices of no opening are bilateral `constraints` of
        the model, which every method takes and solves with a dense matrix. In a network with more
        than 40 of them or more than 100 coordinates they are sets without ends, rows of the
        corner-law problem: time stepping then costs as much per line whatever their number, and
        methods without corner laws refuse the model.
        """
        from cornerlaw.hydraulics.plan import network_plan

        options.setdefault("name", self.name)
        parts = self.parts(constraints=constraints)
        return Model(*others, *parts, **options).with_plan(network_plan(self))

    def _is_small(self) -> bool:
        """Tell whether rows that hold are constraints unless said otherwise."""
        held = [p for p in self.hydraulic_parts if isinstance(p, Pump) or is_shut(p)]
        rows = len(self.junctions("incompressible")) + len(held)
        return rows <= MOST_CONSTRAINTS and len(self.coordinates) <= MOST_COORDINATES

    def read(self, sol: Solution) -> Any:
        """Return the results by name: `net.read(sol)["node"].pressure`."""
        from cornerlaw.hydraulics.results import NetworkResults

        return NetworkResults(self, sol)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates of the model that belong to the network."""
        return tuple(self.topology.coordinates)

    def masses(self) -> Floats:
        """Return the masses of the coordinates [kg]."""
        return np.array([c.mass for c in self.topology.coordinates.values()])

    def rows(self, *nodes: str, closed: tuple[str, ...] = ()) -> Floats:
        """Return W: a column per junction [m^2], then one per closed branch. (T-21.18)"""
        names = list(self.topology.coordinates)
        columns = []
        for node in nodes:
            columns.append([self.topology.room[node].get(key, 0.0) for key in names])
        for branch in closed:
            areas = self.topology.of(branch)
            columns.append([areas[0].of.area if k == areas[0].name else 0.0 for k in names])  # type: ignore[attr-defined]
        return np.array(columns).T.reshape(len(names), len(columns))

    def junctions(self, *kinds: str) -> tuple[str, ...]:
        """Return the names of the junctions of some kinds, of all without."""
        return tuple(
            name
            for name, node in self.topology.nodes.items()
            if isinstance(node, Junction) and (not kinds or node.kind in kinds)
        )

    def undetermined(self, *closed: str) -> tuple[str, ...]:
        """Name the rigid junctions whose pressure no law determines, with some branches closed.

        A group of junctions that oil cannot leave has one pressure level too many: forces follow,
        the level does not. The least pressures that fit are then reported. What is closed or held
        at a moment of a run, `read(sol).undetermined(t)` sees by itself.
        """
        given = (p.name for p in self.hydraulic_parts if is_shut(p) or isinstance(p, Pump))
        permanent = tuple(given)
        nodes = self.junctions("incompressible", "cavitating")
        branches = tuple(dict.fromkeys((*permanent, *closed)))
        names = (*nodes, *branches)
        return undetermined(self.rows(*nodes, closed=branches), names)

    def advice(self, frequency: float, within: float = 0.01) -> dict[str, str]:
        """Return for every junction the kind to choose for motions up to a frequency [Hz].

        (T-21.35) Junctions are rigid ("cavitating") that hold together at most the part `within` of
        the energy of every elastic mode below 1 / sqrt(within) times the frequency. Volumes are
        those given, with chambers as large as their stops allow; one without any is rigid.
        """
        from cornerlaw.hydraulics.criterion import rigid_junctions

        bulk = {
            name: self.fluid.bulk_modulus(self.topology.nodes[name].pressure)
            for name in self.junctions()
        }
        parts: list[object] = list(self.hydraulic_parts)
        rigid = rigid_junctions(self.topology, parts, bulk, frequency, within)
        return {n: "cavitating" if n in rigid else "compressible" for n in self.junctions()}

    def advised(self, frequency: float, within: float = 0.01) -> Network:
        """Return the network with the junctions that are not rigid, by `advice`, elastic.

        A chamber that is empty at the start stays as it is: an elastic junction needs a volume.
        """
        from cornerlaw.hydraulics.criterion import volume_of

        advice = self.advice(frequency, within)
        everything: list[object] = list(self.hydraulic_parts)
        parts = [
            replace(part, kind="compressible", void=0.0)
            if isinstance(part, Junction)
            and advice[part.name] == "compressible"
            and volume_of(self.topology, everything, part.name, full=False) > 0.0
            else part
            for part in self.hydraulic_parts
        ]
        return Network(*parts, fluid=self.fluid, name=self.name)

    def natural_frequency(self, name: str) -> float:
        """Return the frequency of a junction's oil on its columns [Hz], inf without a volume."""
        node = self.topology.nodes[name]
        chamber = self.topology.chambers[name]
        positions = {k: self.topology.coordinates[k].position for k in chamber}
        volume = getattr(node, "volume", 0.0) + sum(chamber[k] * positions[k] for k in chamber)
        if not volume > 0.0:
            return float("inf")
        row = self.topology.room[name]
        stiffness = self.fluid.bulk / volume
        total = sum(v * v / self.topology.coordinates[k].mass for k, v in row.items())
        return float(np.sqrt(stiffness * total) / (2.0 * np.pi))

    def __repr__(self) -> str:
        counts = f"{len(self.topology.nodes)} nodes, {len(self.topology.coordinates)} coordinates"
        return f"<Network {self.name!r}: {counts}>"
