"""Pressure impulses of incompressible junctions in impacts, from the momentum of their columns.

Such a junction is a constraint of the model, whose impulses a run does not store. Columns of oil
are touched by nothing but junctions, valves and locks, whose impulses are known: what is left of
their momentum is that of the junctions, W P = M (u+ - u-) - ..., the least where it is not unique.
(T-21.30)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import Branch, Pump, is_shut
from cornerlaw.hydraulics.reduction import recover_pressures

Floats = NDArray[np.float64]
_ON_COLUMN = ("seat.Lambda_N", "losses.shut.Lambda_T", "lock.Lambda_T", "closed.Lambda_T")


def junction_impulses(network: Network, results: Any, name: str) -> Floats:
    """Return the impulse of an incompressible junction by row [Pa s], of a run event by event."""
    sol = results.sol
    if not sol.info.method.startswith("EventDriven"):
        raise ModelError(
            f"Junction {name!r}: time stepping does not tell impulses of an incompressible "
            "junction from its pressure; make it 'cavitating', or simulate with EventDriven"
        )
    keys = _columns(network)
    nodes = list(network.junctions("incompressible"))
    W = np.array([[network.topology.room[n].get(key, 0.0) for n in nodes] for key in keys])
    found = np.zeros(len(sol.t))
    for row in np.flatnonzero(_jumps(sol)):
        rest = np.array([_left_over(network, results, key, int(row)) for key in keys])
        if np.any(rest):
            found[row] = recover_pressures(W, rest)[nodes.index(name)]
    return found


def _columns(network: Network) -> list[str]:
    """Return the coordinates of the oil that nothing unknown acts on in an impact."""
    held = {p.name for p in network.hydraulic_parts if isinstance(p, Pump)}
    held |= {p.name for p in network.hydraulic_parts if is_shut(p)}
    return [
        c.name
        for c in network.topology.coordinates.values()
        if isinstance(c.of, Branch) and c.of.name not in held
    ]


def _jumps(sol: Any) -> Any:
    """Return which rows are the right limits of events."""
    same = np.concatenate(([False], np.diff(sol.t) == 0.0))
    return same & (sol.side > 0)


def _left_over(network: Network, results: Any, key: str, row: int) -> float:
    """Return the change of momentum of a column that known impulses do not explain."""
    c, sol = network.topology.coordinates[key], results.sol
    speed = results.velocity(key)
    left = c.mass * (speed[row] - speed[row - 1])
    for what in _ON_COLUMN:
        if f"{c.slider}.{what}" in sol:
            left -= sol[f"{c.slider}.{what}"][row]
    for name in network.junctions("cavitating"):
        share = network.topology.room[name].get(key, 0.0) / network.topology.reference(name)
        if share:
            left -= share * sol[f"{name}.Lambda_N"][row]
    return float(left)
