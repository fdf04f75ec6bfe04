"""Which junctions may be rigid: what each holds of the energy of slow elastic modes. (T-21.35)

One junction on its columns may swing far above what matters, and yet not be rigid: chambers that
are full give way together. So the modes of the whole network decide, twice: with pistons free where
they start, and with pistons held where their chambers are largest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cornerlaw.hydraulics.parts import Accumulator, Cylinder, Junction, Pump, is_shut
from cornerlaw.hydraulics.topology import Topology

Floats = NDArray[np.float64]
_STILL = 1e-9  # of the largest squared frequency: a motion without elasticity
_EQUAL = 1e-6  # relative difference of shares that are equal but for rounding


def rigid_junctions(
    topology: Topology, parts: list[object], bulk: dict[str, float], frequency: float, within: float
) -> set[str]:
    """Return the junctions that may be rigid for motions up to a frequency [Hz].

    A mode at f_i gives way to a motion at f by (f / f_i)^2 of it: modes up to f / sqrt(within)
    count, and of the energy of each all rigid junctions together may hold the part `within`.
    """
    limit = frequency / math.sqrt(within)
    names = [name for name, node in topology.nodes.items() if isinstance(node, Junction)]
    shares = dict.fromkeys(names, 0.0)
    for full in (False, True):
        volumes = {name: volume_of(topology, parts, name, full) for name in names}
        found = _shares(topology, parts, bulk, volumes, limit, held=full)
        for name, share in found.items():
            shares[name] = max(shares[name], share)
    return _least(shares, within)


def volume_of(topology: Topology, parts: list[object], name: str, full: bool) -> float:
    """Return the volume of a junction with its chambers, at the start or with pistons out."""
    volume = float(getattr(topology.nodes[name], "volume", 0.0))
    for key, area in topology.chambers[name].items():
        position = topology.coordinates[key].position
        end = _stop(parts, key, upper=area > 0.0) if full else None
        volume += area * (position if end is None else end)
    return volume


def _stop(parts: list[object], key: str, *, upper: bool) -> float | None:
    """Return where a coordinate ends: at the first of the stops of all cylinders on it."""
    own = [p for p in parts if isinstance(p, Cylinder) and (p.on or f"{p.name}.position") == key]
    ends = [end for p in own if (end := p.upper if upper else p.lower) is not None]
    return (min if upper else max)(ends) if ends else None


def _least(shares: dict[str, float], within: float) -> set[str]:
    """Return the junctions of the least shares, below the limit together; equals go together."""
    order = sorted(shares, key=lambda name: shares[name])
    total, count = 0.0, 0
    for name in order:
        total += shares[name]
        if total > within:
            break
        count += 1
    if count < len(order):
        first_out = shares[order[count]]
        while count and shares[order[count - 1]] > (1.0 - _EQUAL) * first_out:
            count -= 1
    return set(order[:count])


def _shares(
    topology: Topology, parts: list[object], bulk: dict[str, float], volumes: dict[str, float],
    limit: float, *, held: bool,
) -> dict[str, float]:  # fmt: skip
    """Return the largest share of each elastic junction in the energy of the modes below a limit.

    (k_n (w_n . z)^2) / (omega^2 z . M z), k_n = E / V; junctions without a volume are rows.
    """
    from scipy.linalg import eigh, null_space

    moves = _moving(topology, parts, held)
    mass = np.array([topology.coordinates[key].mass for key in moves])
    K = _stiffness(topology, parts, moves)
    elastic: dict[str, tuple[float, Floats]] = {}
    rigid = []
    for name, volume in volumes.items():
        w = np.array([topology.room[name].get(key, 0.0) for key in moves])
        if volume > 0.0:
            elastic[name] = (bulk[name] / volume, w)
            K += bulk[name] / volume * np.outer(w, w)
        elif np.any(w):
            rigid.append(w / np.abs(w).max())
    Z = null_space(np.array(rigid)) if rigid else np.eye(len(moves))
    if not Z.size or not elastic:
        return {}
    squares, modes = eigh(Z.T @ K @ Z, Z.T @ (mass[:, None] * Z))
    slow = (squares > _STILL * squares[-1]) & (squares < (2.0 * math.pi * limit) ** 2)
    modes = Z @ modes[:, slow]
    return {
        name: float(np.max(k * (w @ modes) ** 2 / squares[slow], initial=0.0))
        for name, (k, w) in elastic.items()
    }


def _moving(topology: Topology, parts: list[object], held: bool) -> list[str]:
    """Return the coordinates that are neither driven nor shut, nor pistons that are held."""
    still = {
        f"{part.name}.position"  # type: ignore[attr-defined]
        for part in parts
        if isinstance(part, Pump) or is_shut(part)
    }
    if held:
        still |= {key for chamber in topology.chambers.values() for key in chamber}
    return [key for key in topology.coordinates if key not in still]


def _stiffness(topology: Topology, parts: list[object], moves: list[str]) -> Floats:
    """Return the stiffness of springs, waves and gas."""
    place = {key: k for k, key in enumerate(moves)}
    K = np.zeros((len(moves), len(moves)))
    for part in parts:
        if isinstance(part, Cylinder):
            k = place.get(part.on or f"{part.name}.position")
            if k is not None:
                K[k, k] += part.stiffness
        elif isinstance(part, Accumulator):
            w = np.array([topology.room[part.name].get(key, 0.0) for key in moves])
            K += part.polytropic * part.pressure / part.volume * np.outer(w, w)
    for name, line in topology.lines.items():
        for c in topology.of(name):
            if c.name in place:
                K[place[c.name], place[c.name]] += float(line.K[c.mode])
    return K
