"""Which pressures no law determines, at a moment of a run.

A group of junctions that oil can neither leave nor enter, because columns are shut and pistons
held, has one pressure level too many. Whether something is shut or held depends on the state:
valves, stops and dry friction take part while they hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import (
    Branch,
    CheckValve,
    Cylinder,
    Edge,
    Junction,
    Orifice,
    Pump,
    is_shut,
)
from cornerlaw.hydraulics.reduction import undetermined
from cornerlaw.model.values import Table

Floats = NDArray[np.float64]
_STILL = 1e-9  # [m/s], of what is held
_AT_STOP = 1e-7  # [m]


def floating(network: Network, results: Any, row: int) -> tuple[str, ...]:
    """Name the junctions whose pressure is undetermined in a row, and what holds their oil.

    Parts around the network that hold a piston are not known here, only what cylinders state.
    """
    names: list[str] = []
    columns: list[Floats] = []
    place = {key: k for k, key in enumerate(network.topology.coordinates)}
    for name in network.junctions("incompressible", "cavitating"):
        if _is_full(network, results, name, row):
            names.append(name)
            columns.append(_column(place, network.topology.room[name]))
    for part in network.hydraulic_parts:
        key = _held(network, results, part, row)
        if key:
            names.append(part.name)
            columns.append(_column(place, {key: 1.0}))
    return undetermined(np.array(columns).T, tuple(names)) if names else ()


def _column(place: dict[str, int], terms: dict[str, float]) -> Floats:
    """Return a direction of length one: areas and forces have no common size."""
    column = np.zeros(len(place))
    for key, value in terms.items():
        column[place[key]] = value
    return np.asarray(column / np.linalg.norm(column))


def _is_full(network: Network, results: Any, name: str, row: int) -> bool:
    """Tell whether a rigid junction has no void."""
    node = network.topology.nodes[name]
    if isinstance(node, Junction) and node.kind == "incompressible":
        return True
    view, area = results[name], network.topology.reference(name)
    pressed = view.pressure[row] > network.fluid.cavitation
    return bool(pressed or view.void[row] <= _STILL * area)


def _held(network: Network, results: Any, part: Any, row: int) -> str:
    """Return the coordinate that a part holds in a row, "" where it does not."""
    if isinstance(part, Cylinder):
        key = part.on or f"{part.name}.position"
        still = abs(results.velocity(key)[row]) <= _STILL
        return key if still and (part.dry or part.seal or _at_stop(results, part, row)) else ""
    if not isinstance(part, Branch):
        return ""
    key = network.topology.of(part.name)[0].name
    if isinstance(part, CheckValve):
        return key if abs(results.velocity(key)[row]) <= _STILL else ""
    if isinstance(part, Orifice):
        return key if is_shut(part) or _is_closed(network, results, part, row) else ""
    return key if isinstance(part, Pump) else ""


def _at_stop(results: Any, part: Cylinder, row: int) -> bool:
    x = results[part.name].position[row]
    ends = (end for end in (part.lower, part.upper) if end is not None)
    return any(abs(x - end) <= _AT_STOP for end in ends)


def _is_closed(network: Network, results: Any, part: Orifice, row: int) -> bool:
    """Tell whether time or an edge has closed an orifice."""
    opening = part.opening
    if isinstance(opening, Table):
        area = float(np.interp(results.t[row], opening.x, opening.y))
        return area <= part.smallest * max(opening.y)
    if not isinstance(opening, Edge) or not opening.closes:
        return False
    own = network.topology.of(opening.on)
    at = float(results.sol[own[0].name if own else opening.on][row])
    s = max(opening.sign * at - opening.overlap, 0.0)
    area = opening.width * s + opening.curve * s * s
    return area <= part.smallest * min(opening.largest, part.area)
