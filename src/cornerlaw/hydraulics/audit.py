"""Balances of a run: every volume and every joule of a network is accounted for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import Branch, Junction, Source
from cornerlaw.hydraulics.quadrature import running_integral
from cornerlaw.model import (
    Brake,
    Constraint,
    Coupling,
    ForceElement,
    Table,
    Torque,
    UserContact,
    UserSet,
)
from cornerlaw.results import Solution

Floats = NDArray[np.float64]
_RATES = {"position": "velocity", "displacement": "velocity", "angle": "speed"}


@dataclass(frozen=True)
class VolumeAudit:
    """The worst imbalance of a junction over the oil that moved [1], and where."""

    relative: float
    node: str


def audit_volume(network: Network, sol: Solution) -> VolumeAudit:
    """Compare inflow minus outflow of every junction with what it stores. (T-21.31)

    A rigid junction stores nothing, a cavitating one minus its void, a compressible one the content
    that follows from its volume and its pressure.
    """
    results = network.read(sol)
    moved = [
        float(np.ptp(results[p.name].volume))
        for p in network.hydraulic_parts
        if isinstance(p, Branch)
    ]
    scale = max(max(moved, default=0.0), 1e-300)
    worst, where = 0.0, ""
    for name in network.junctions():
        node: Any = network.topology.nodes[name]
        missing = results[name].room
        if node.kind == "cavitating":
            missing = missing - (results[name].void - results[name].void[0])
        elif node.kind == "compressible":
            missing = _content_error(network, results, name)
        error = float(np.max(np.abs(missing))) / scale
        if error >= worst:
            worst, where = error, name
    return VolumeAudit(worst, where)


def _content_error(network: Network, results: Any, name: str) -> Floats:
    node = network.topology.nodes[name]
    assert isinstance(node, Junction)
    chamber, row = network.topology.chambers[name], network.topology.room[name]
    volume = np.full(len(results.t), node.volume)
    inflow = np.zeros(len(results.t))
    for key, value in row.items():
        x = results.position(key)
        volume += chamber.get(key, 0.0) * x
        inflow -= (value - chamber.get(key, 0.0)) * (x - x[0])
    pressure = results[name].pressure
    # a gas has no volume at pressure zero; what is below rounding of a bar is a void anyway
    least = max(network.fluid.cavitation, 1e-9 if network.fluid.air else -np.inf)
    filled = np.array([network.fluid.volume(max(float(p), least)) for p in pressure])
    missing = volume / filled - (volume[0] / filled[0] + inflow)
    # at the cavitation pressure a void takes the rest of the volume
    torn = pressure <= network.fluid.cavitation
    return np.asarray(np.where(torn, np.minimum(missing, 0.0), missing))


@dataclass(frozen=True)
class PressureAudit:
    """The lowest pressure of all junctions over the cavitation pressure [Pa], where and when [s].

    Below 0 oil is pulled, which only an incompressible junction can do: make it cavitating there.
    """

    lowest: float
    node: str
    time: float


def audit_pressure(network: Network, sol: Solution) -> PressureAudit:
    """Return where a run comes closest to cavitation, or below it."""
    results = network.read(sol)
    worst = PressureAudit(np.inf, "", 0.0)
    for name in network.junctions():
        over = results[name].pressure - network.fluid.cavitation
        row = int(np.argmin(over))
        if over[row] < worst.lowest:
            worst = PressureAudit(float(over[row]), name, float(sol.t[row]))
    return worst


@dataclass(frozen=True)
class EnergyAudit:
    """Energies since the start by kind [J], and the largest imbalance over the work done."""

    relative: float
    mechanical: float
    absorbed: float
    impacts: float
    rubbed: float
    supplied: float


def audit_energy(network: Network, sol: Solution, model: Any) -> EnergyAudit:
    """Compare the work of sources and loads with motion, storage, losses and impacts. (T-21.32)

    Losses of elements come from their own power, integrated with the motion. Constant forces do
    work exactly by their path; the power of what is given over time, rubs or is driven is
    integrated by cubics over the rows between events, in time stepping its impulses are summed. A
    balance is as good as the run: to the tolerance event by event, where rows are close enough, and
    to the order of the step in time stepping.
    """
    mechanical = sol["energy.total"] - sol["energy.total"][0]
    absorbed = np.zeros(len(sol.t))
    supplied = np.zeros(len(sol.t))
    rubbed = np.zeros(len(sol.t))
    lost = _impact_losses(sol)
    breaks = _breaks(model)
    for part in model.parts:
        if isinstance(part, ForceElement) and f"{part.name}.taken" in sol:
            absorbed += _own_energy(sol, part)
            lost += _shut_off(sol, part)
        elif isinstance(part, Torque):
            supplied += _work(sol, part, breaks)
        elif isinstance(part, Brake | UserContact) and f"{part.name}.lam_T" in sol:
            rubbed += _rubbed(sol, part.name, breaks)
        elif isinstance(part, Constraint) and not isinstance(part, Coupling):
            supplied += _held(network, sol, model, part, breaks)
        elif isinstance(part, UserSet) and part.motion is not None:
            supplied += _driven(sol, part, breaks)
    balance = mechanical + absorbed + lost + rubbed - supplied
    scale = max(
        float(np.max(np.abs(x))) for x in (mechanical, absorbed, supplied, rubbed, lost, [1e-300])
    )
    return EnergyAudit(
        float(np.max(np.abs(balance))) / scale, float(mechanical[-1]), float(absorbed[-1]),
        float(lost[-1]), float(rubbed[-1]), float(supplied[-1]),
    )  # fmt: skip


def _own_energy(sol: Solution, part: ForceElement) -> Floats:
    """Return what an element has taken up: the state of this name, not the stored energy.

    A time step advances this state with the power at its beginning. Where it holds an impact, or a
    flow that settles within it, that is not the power of the step: with every step stored, the mean
    of the powers at its two ends is taken instead.
    """
    state = sol[f"{part.name}.taken"]
    if _by_events(sol) or not _has_every_step(sol):
        return np.asarray(state - state[0])
    power = np.diff(state) / np.diff(sol.t)
    power = np.append(power, power[-1:])
    return _impulse_work(np.concatenate(([0.0], np.diff(sol.t))), power)


def _has_every_step(sol: Solution) -> bool:
    """Tell whether the rows of a run of time stepping are its steps."""
    return bool(sol.info.statistics.get("steps") == len(sol.t) - 1 and len(sol.t) > 1)


def _work(sol: Solution, part: Torque, breaks: Floats) -> Floats:
    if isinstance(part.value, float):
        on = _name(part.on)
        names = (part.coordinate,) if part.coordinate else ("position", "angle", "displacement")
        for name in names:
            if f"{on}.{name}" in sol:
                return part.value * _path(sol, on, name)
    return running_integral(sol.t, sol[f"{part.name}.power"], breaks)


def _path(sol: Solution, on: str, name: str) -> Floats:
    """Return the way of a coordinate along which a constant force does its work.

    A step changes the kinetic energy by its impulse times the mean of two speeds, while it moves
    positions by the speed that its method weighs, at its end for theta = 1: the way of the mean
    speeds is what balances, where every step is a row.
    """
    x = sol[f"{on}.{name}"]
    speed = f"{on}.{_RATES.get(name, '')}"
    if _by_events(sol) or speed not in sol or not _has_every_step(sol):
        return np.asarray(x - x[0])
    return _impulse_work(np.concatenate(([0.0], np.diff(sol.t))), sol[speed])


def _breaks(model: Any) -> Floats:
    """Return the times at which tables of forces have their knots."""
    tables = [part.value for part in model.parts if isinstance(part, Torque)]
    knots = [np.array(value.x) for value in tables if isinstance(value, Table)]
    return np.unique(np.concatenate(knots)) if knots else np.zeros(0)


def _driven(sol: Solution, part: UserSet, breaks: Floats) -> Floats:
    """Return the work of a drive that is a set, by forces or by the impulses of steps."""
    speed = sol[f"{part.coordinates[0].rpartition('.')[0]}.velocity"]
    if _by_events(sol):
        return running_integral(sol.t, sol[f"{part.name}.lam_T"] * speed, breaks)
    return _impulse_work(sol[f"{part.name}.Lambda_T"], speed)


def _held(network: Network, sol: Solution, model: Any, part: Constraint, breaks: Floats) -> Floats:
    """Return the work of a drive that is a constraint, impacts included.

    Event by event its force is known between impacts. In a time step only its value at the end is:
    its impulse follows from the momentum of its column, where all else on it is known.
    """
    key = part.coordinates[0]
    slider = key.rpartition(".")[0]
    speed = sol[f"{slider}.velocity"]
    if not _by_events(sol):
        impulse = _drive_impulse(network, sol, model, key)
        if impulse is not None:
            return _impulse_work(impulse, speed)
    smooth = running_integral(sol.t, sol[f"{part.name}.multiplier"] * speed, breaks)
    return smooth + _struck(network, sol, key, speed)


def _ends(network: Network, key: str) -> list[str]:
    """Return the nodes that a coordinate of the network fills or empties."""
    return [name for name, row in network.topology.room.items() if key in row]


def _drive_impulse(network: Network, sol: Solution, model: Any, key: str) -> Floats | None:
    """Return the impulse of a drive in every step, None where something else on it is unknown.

    It is what is left of the momentum of its column, behind constant forces and the impulses of
    cavitating junctions: whatever else a step gets wrong there counts as the drive's work too.
    """
    topology = network.topology
    nodes = [name for name in _ends(network, key) if not isinstance(topology.nodes[name], Source)]
    if key not in topology.coordinates or not _has_every_step(sol):
        return None
    if any(getattr(topology.nodes[name], "kind", "") != "cavitating" for name in nodes):
        return None
    c = topology.coordinates[key]
    elements = [p for p in model.parts if isinstance(p, ForceElement)]
    if any(key in p.coordinates or c.slider in p.coordinates for p in elements):
        return None
    forces = [p for p in model.parts if isinstance(p, Torque) and _name(p.on) == c.slider]
    constant = [p.value for p in forces if isinstance(p.value, float)]
    if len(constant) < len(forces):
        return None
    dt = np.concatenate(([0.0], np.diff(sol.t)))
    change = np.concatenate(([0.0], np.diff(sol[f"{c.slider}.velocity"])))
    impulse = c.mass * change - dt * sum(constant)
    for name in nodes:
        share = topology.room[name][key] / topology.reference(name)
        impulse = impulse - share * sol[f"{name}.Lambda_N"]
    return np.asarray(impulse)


def _name(part: Any) -> str:
    return part if isinstance(part, str) else str(part.name)


def _struck(network: Network, sol: Solution, key: str, speed: Floats) -> Floats:
    """Return the work of a drive in impacts, event by event: it holds its speed against the oil.

    Its impulse is the opposite of those of the cavitating junctions at its ends; that of a
    bilateral junction is not known.
    """
    work = np.zeros(len(sol.t))
    if not _by_events(sol):
        return work
    nodes = set(_ends(network, key))
    for event in sol.events:
        if event.kind == "impact" and event.name in nodes:
            after = (sol.t > event.time) | ((sol.t == event.time) & (sol.side > 0))
            at = min(int(np.searchsorted(sol.t, event.time)), len(sol.t) - 1)
            share = network.topology.room[event.name][key] / network.topology.reference(event.name)
            work[after] -= share * event.data["Lambda_N"] * speed[at]
    return work


def _impulse_work(impulse: Floats, speed: Floats) -> Floats:
    work = impulse[1:] * 0.5 * (speed[1:] + speed[:-1])
    return np.concatenate(([0.0], np.cumsum(work)))


def _rubbed(sol: Solution, name: str, breaks: Floats) -> Floats:
    """Return the energy that friction has taken.

    In time stepping the impulse of a row is that since the row before, impacts included; event by
    event there are forces between impacts only.
    """
    speed = sol[f"{name}.gamma_T"]
    if _by_events(sol):
        return -running_integral(sol.t, sol[f"{name}.lam_T"] * speed, breaks)
    return -_impulse_work(sol[f"{name}.Lambda_T"], speed)


def _shut_off(sol: Solution, part: ForceElement) -> Floats:
    """Return the energy that an orifice takes from its column when it closes on flowing oil.

    Event by event it is that of a logged impact.
    """
    lost = np.zeros(len(sol.t))
    if _by_events(sol):
        return lost
    for row in part.rows or {}:
        name = f"{part.name}.{row}"
        if f"{name}.Lambda_T" in sol:
            lost -= _impulse_work(sol[f"{name}.Lambda_T"], sol[f"{name}.gamma_T"])
    return lost


def _by_events(sol: Solution) -> bool:
    return sol.info.method.startswith("EventDriven")


def _impact_losses(sol: Solution) -> Floats:
    """Return the energy lost in impacts up to every row, after the right limit of each.

    Impulses of friction in time steps are part of what is rubbed.
    """
    lost = np.zeros(len(sol.t))
    whole = _by_events(sol)
    for event in sol.events:
        if event.kind == "impact":
            after = np.arange(len(sol.t)) >= _right_limit(sol, event.time)
            if not whole:  # a step that ends in an impact has lost its energy at its end
                after = sol.t >= event.time - 1e-9 * (sol.t[-1] - sol.t[0])
            d = event.data
            normal = 0.5 * d["Lambda_N"] * (d["gamma_N_minus"] + d["gamma_N_plus"])
            lost[after] -= d["energy"] if whole else normal
    return lost


def _right_limit(sol: Solution, time: float) -> int:
    """Return the row behind an impact; another event of its time may have limits before it."""
    rows = np.flatnonzero((sol.t == time) & (sol.side > 0))
    kinetic = sol["energy.kinetic"]
    struck = rows[kinetic[rows] != kinetic[rows - 1]]
    found = struck if struck.size else rows
    return int(found[0]) if found.size else int(np.searchsorted(sol.t, time, side="right"))
