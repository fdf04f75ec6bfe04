"""How a network answers a small ripple of a pressure source, from its linearisation. (T-21.34)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.analysis.linearise import Linearisation, linearise
from cornerlaw.errors import ModelError, UnknownNameError
from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import Branch, Cylinder, Junction, Source
from cornerlaw.hydraulics.topology import Topology

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]


def frequency_response(
    network: Network, source: str, of: str, frequencies: Sequence[float], at: Any = None
) -> Complexes:
    """Return the complex amplitude of a quantity per Pa of ripple of a source, by frequency [Hz].

    of    a compressible junction: its pressure; a branch: its flow; a cylinder: its position
    at    the state about which the network moves, as for `linearise`; the initial one unless given
    """
    topology = network.topology
    if not isinstance(topology.nodes.get(source), Source):
        raise UnknownNameError(f"frequency_response: {source!r} is no source of the network")
    # junctions that are sets of a time step have no derivative
    model = network.model(constraints=True)
    found = linearise(model) if at is None else linearise(model, at)
    if found.M is None:
        raise ModelError("frequency_response: the network has velocities without coordinates")
    n = found.basis.shape[1]
    push = found.basis.T @ _row(found, topology.room[source])
    B = np.zeros(len(found.A))
    B[n : 2 * n] = np.linalg.solve(found.M, push)
    on_position, on_velocity = _reading(network, of)
    C = np.zeros(len(found.A))
    C[:n] = _row(found, on_position) @ found.basis
    C[n : 2 * n] = _row(found, on_velocity) @ found.basis
    eye = np.eye(len(found.A))
    return np.array(
        [C @ np.linalg.solve(2j * np.pi * f * eye - found.A, B) for f in frequencies], complex
    )


def _row(found: Linearisation, terms: dict[str, float]) -> Floats:
    return np.array([terms.get(name, 0.0) for name in found.all_coordinates])


def _reading(network: Network, of: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the quantity as a sum over coordinates and a sum over their rates."""
    topology = network.topology
    node = topology.nodes.get(of)
    if isinstance(node, Junction) and node.kind == "compressible":
        # dp = (E / V) (v dC - dV), with the content C; v - 1 = p / E must not be left out, since
        # content and volume of a chamber change alike and their difference is what counts
        stiffness = network.fluid.bulk_modulus(node.pressure) / _volume(topology, node)
        v, chamber = network.fluid.volume(node.pressure), topology.chambers[of]
        terms = {}
        for key, value in topology.room[of].items():
            drawn = chamber.get(key, 0.0)
            terms[key] = stiffness * (v * (drawn - value) - drawn)
        return terms, {}
    for part in network.hydraulic_parts:
        if part.name == of and isinstance(part, Cylinder):
            return {part.on or f"{part.name}.position": 1.0}, {}
        if part.name == of and isinstance(part, Branch):
            shapes = topology.lines[of].start if of in topology.lines else np.ones(1)
            columns = topology.of(of)
            return {}, {c.name: part.area * float(s) for c, s in zip(columns, shapes, strict=True)}
    raise UnknownNameError(
        f"frequency_response: {of!r} is no branch, cylinder or compressible junction"
    )


def _volume(topology: Topology, node: Junction) -> float:
    chamber = topology.chambers[node.name]
    return node.volume + sum(v * topology.coordinates[k].position for k, v in chamber.items())
