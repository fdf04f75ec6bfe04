"""The plan of a network, which the viewer draws: junctions with pressures, lines with flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cornerlaw.hydraulics.parts import (
    Accumulator,
    Branch,
    Cylinder,
    Junction,
    Source,
    WaveLine,
)
from cornerlaw.model.values import Table

if TYPE_CHECKING:
    from cornerlaw.hydraulics.network import Network

Entry = dict[str, Any]


def network_plan(network: Network) -> Entry:
    """Return nodes and links as `cornerlaw.model.scene.plan` describes them."""
    nodes = [_node(network, node) for node in network.topology.nodes.values()]
    place = {node["name"]: k for k, node in enumerate(nodes)}
    links: list[Entry] = []
    for part in network.hydraulic_parts:
        if isinstance(part, Branch):
            ends = {"first": place[part.first], "second": place[part.second]}
            links.append(
                {"name": part.name, "kind": _kind(part), **ends, "value": _flow(network, part)}
            )
        elif isinstance(part, Cylinder):
            centre = len(nodes)
            key = part.on or f"{part.name}.position"
            moves = {"value": None, "second": [0.0, [[key, 1.0]]]}
            nodes.append({"name": part.name, "kind": "cylinder", **moves})
            rate = _rate(network, key)
            for chamber, area in ((part.chamber, part.area), (part.rod_chamber, -part.rod_area)):
                if chamber:
                    ends = {"first": place[chamber], "second": centre}
                    flow = None if rate is None else [0.0, [[rate, area]]]
                    links.append({"name": part.name, "kind": "chamber", **ends, "value": flow})
    hidden = [c.slider for c in network.topology.coordinates.values() if c.own]
    return {"quantity": "pressure", "unit": "Pa", "nodes": nodes, "links": links, "hidden": hidden}


def _kind(part: Branch) -> str:
    return type(part).__name__


def _node(network: Network, node: Any) -> Entry:
    start = isinstance(node, Source)
    return {
        "name": node.name,
        "kind": type(node).__name__.lower(),
        "value": _pressure(network, node),
        "second": None,
        **({"start": True} if start else {}),
    }


def _pressure(network: Network, node: Any) -> Any:
    """Return how results give the pressure; that of a source which is a function stays unknown."""
    if isinstance(node, Source):
        if isinstance(node.pressure, Table):
            return {"t": list(node.pressure.x), "v": list(node.pressure.y)}
        return None if callable(node.pressure) else [float(node.pressure), []]
    if isinstance(node, Accumulator) or node.kind == "compressible":
        return [0.0, [[f"{node.name}.pressure", 1.0]]]
    scale = 1.0 / network.topology.reference(node.name)
    if isinstance(node, Junction) and node.kind == "incompressible":
        return [0.0, [[f"{node.name}.multiplier", scale]]]
    return [float(network.fluid.cavitation), [[f"{node.name}.lam_N", scale]]]


def _flow(network: Network, part: Branch) -> Any:
    """Return the flow at the first end."""
    coordinates = network.topology.of(part.name)
    shape = [1.0]
    if isinstance(part, WaveLine):
        shape = [float(s) for s in network.topology.lines[part.name].start]
    terms = zip(shape, coordinates, strict=True)
    return [0.0, [[f"{c.slider}.velocity", part.area * s] for s, c in terms]]


def _rate(network: Network, key: str) -> str | None:
    """Return the result that is the rate of a piston's coordinate."""
    c = network.topology.coordinates[key]
    quantity = key[len(c.slider) + 1 :]
    rates = {"position": "velocity", "displacement": "velocity", "angle": "speed"}
    return f"{c.slider}.{rates[quantity]}" if quantity in rates else None
