"""Energy audit of a run: what came in, what is stored, what every element dissipated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UsageError
from cornerlaw.model import KelvinVoigt, Model, UserSet
from cornerlaw.results import Solution

Floats = NDArray[np.float64]

LOSS = "loss"  # output of a force element: the power it dissipates, by its own law
HEAT = "heat"  # a state that integrates the loss, where it jumps between the rows
SUPPLY = "supply"  # and the power that it brings in from outside, such as a voltage


@dataclass(frozen=True)
class Audit:
    """The balance  gained = supplied - dissipated - lost in impacts. (T-20.10)

    gained       change of the kinetic and stored energy [J]
    supplied     work of every source [J]
    dissipated   energy turned to heat, element by element, from their own powers [J]
    impacts      energy lost in impacts, contact by contact [J]
    turnover     what passed through the system: the sum of all magnitudes [J]
    """

    gained: float
    supplied: dict[str, float]
    dissipated: dict[str, float]
    impacts: dict[str, float]
    lowest: dict[str, float]  # smallest power of dissipation

    @property
    def turnover(self) -> float:
        """The sum of the magnitudes of all entries."""
        entries = (*self.supplied.values(), *self.dissipated.values(), *self.impacts.values())
        return abs(self.gained) + sum(abs(value) for value in entries)

    @property
    def gap(self) -> float:
        """What is missing in the balance, over the turnover."""
        out = sum(self.dissipated.values()) + sum(self.impacts.values())
        missing = self.gained - sum(self.supplied.values()) + out
        return abs(missing) / self.turnover if self.turnover else 0.0

    @property
    def created(self) -> float:
        """The largest share of the turnover that an element created; 0 where none did."""
        entries = (*self.dissipated.values(), *self.impacts.values())
        worst = min((0.0, *entries))
        return -worst / self.turnover if self.turnover else 0.0


def audit(sol: Solution, model: Model) -> Audit:
    """Balance the energy of a run of rotors, sliders and what acts on them.

    Sources are torques, forces and actuators. A force element tells by an output `loss` what it
    dissipates, by `supply` what it brings in and by `energy` what it stores; without a `loss` it
    counts as a source. A state `heat` may integrate the loss where that jumps. Friction
    dissipates the product of force and sliding speed, both as magnitudes: a force that points the
    wrong way opens the balance. Between events powers are integrated by splines through the rows,
    so that the rows must be close enough (`t_eval`).
    """
    _refuse_hidden_work(model)
    known = {channel.name for channel in sol.channels}
    supplied: dict[str, float] = {}
    dissipated: dict[str, float] = {}
    lowest: dict[str, float] = {}
    for item in model.parts:
        if item.ROLE == "force":
            loss = _loss(sol, item, known)
            if loss is not None:
                dissipated[item.name] = _heat(sol, item.name, loss, known)
                lowest[item.name] = float(np.min(loss, initial=0.0))
                if f"{item.name}.{SUPPLY}" in known:
                    supplied[item.name] = integral(sol.t, sol.array(f"{item.name}.{SUPPLY}"))
            else:
                supplied[item.name] = _supply(sol, item, known)
        elif f"{item.name}.drive_power" in known:
            supplied[item.name] = integral(sol.t, sol.array(f"{item.name}.drive_power"))
    for label in sorted(name[: -len(".lam_T")] for name in known if name.endswith(".lam_T")):
        rubbing = np.abs(sol.array(f"{label}.lam_T") * sol.array(f"{label}.gamma_T"))
        dissipated[label] = integral(sol.t, rubbing)
        lowest[label] = float(np.min(rubbing, initial=0.0))
    stored = 0.0
    for label, law in _soft_contacts(model, known):
        depth = np.maximum(-sol.array(f"{label}.gap"), 0.0)
        t, loss = _soft_loss(sol, label, law, depth)
        dissipated[label], lowest[label] = integral(t, loss), float(np.min(loss, initial=0.0))
        stored += 0.5 * law.stiffness * float(depth[-1] ** 2 - depth[0] ** 2)
    impacts: dict[str, float] = {}
    # the first row of an event-driven run lies behind impacts at its very beginning
    start = float(sol.t[0]) if sol.t.size and sol.side[0] != -1 else -np.inf
    for event in sol.events:
        if event.kind == "impact" and event.time > start:
            impacts[event.name] = impacts.get(event.name, 0.0) - float(event.data["energy"])
    total = sol.array("energy.total")
    gained = float(total[-1] - total[0]) + stored
    return Audit(gained, supplied, dissipated, impacts, lowest)


def _refuse_hidden_work(model: Model) -> None:
    """Refuse forces that do work beside the product of multiplier and relative velocity."""
    for item in model.parts:
        for name, row in (getattr(item, "rows", None) or {}).items():
            if getattr(row, "V", None) is not None:
                raise UsageError(
                    f"audit: {item.label}: rows[{name}] has V, whose work no channel shows; audit "
                    f"the model without it"
                )
        if isinstance(item, UserSet) and item.motion is not None:
            raise UsageError(
                f"audit: {item.label} has a motion, whose work no channel shows; audit the model "
                f"with a drive in its place"
            )


def _soft_contacts(model: Model, known: set[str]) -> Iterator[tuple[str, KelvinVoigt]]:
    """Yield the compliant contacts in coordinates; they store energy that no part shows."""
    for item in model.parts:
        law = getattr(item, "law", None)
        if isinstance(law, KelvinVoigt):
            for label in (item.name, f"{item.name}.lower", f"{item.name}.upper"):
                if f"{label}.gap" in known:
                    yield label, law


def _loss(sol: Solution, item: Any, known: set[str]) -> Floats | None:
    """Return the power an element dissipates by its own law; None for a source."""
    if f"{item.name}.{LOSS}" in known:
        found: Floats = sol.array(f"{item.name}.{LOSS}")
        return found
    if type(item).__name__ == "TorsionSpring" and item.torque is None:
        rate = "velocity" if type(item.on).__name__ in ("Slider", "Prismatic") else "speed"
        squared: Floats = float(item.damping) * sol.array(f"{item.on.name}.{rate}") ** 2
        return squared
    return None


def _soft_loss(sol: Solution, label: str, law: KelvinVoigt, depth: Floats) -> tuple[Floats, Floats]:
    """Return the power that a compliant contact dissipates, with two rows where it begins.

    There the damper is loaded at once. A contact cut off at zero force gives up what it stores.
    The force is that of the law at the rows: time stepping stores its mean over the step before.
    """
    t, gap, rate = sol.t, sol.array(f"{label}.gap"), sol.array(f"{label}.gamma_N")
    spring = law.stiffness * depth
    damped = np.maximum(spring - law.damping * rate, 0.0) - spring
    loss = np.where(depth > 0.0, -damped * rate, 0.0)
    begins = np.flatnonzero((depth[:-1] == 0.0) & (depth[1:] > 0.0)) + 1
    share = gap[begins - 1] / (gap[begins - 1] - gap[begins])
    when = t[begins - 1] + share * (t[begins] - t[begins - 1])
    full = law.damping * ((1.0 - share) * rate[begins - 1] + share * rate[begins]) ** 2
    # (begin, 0) and (begin, full) before the first row inside
    places, times = np.repeat(begins, 2), np.repeat(when, 2)
    powers = np.ravel(np.column_stack((np.zeros_like(full), full)))
    # a begin close to that row would tilt the spline by the errors of both values: a piece alone
    short = begins[share > 0.5]
    places = np.concatenate((places, short))
    times = np.concatenate((times, t[short]))
    powers = np.concatenate((powers, loss[short]))
    order = np.argsort(places, kind="stable")  # what is inserted at one place keeps its sequence
    places, times, powers = places[order], times[order], powers[order]
    return np.insert(t, places, times), np.insert(loss, places, powers)


def _heat(sol: Solution, name: str, loss: Floats, known: set[str]) -> float:
    """Return the integral of a loss, by the element itself where it has such a state."""
    if f"{name}.{HEAT}" in known:
        heat = sol.array(f"{name}.{HEAT}")
        return float(heat[-1] - heat[0])
    return integral(sol.t, loss)


def _supply(sol: Solution, item: Any, known: set[str]) -> float:
    """Return the work of a source; what it stores is part of the energy of the system."""
    work = integral(sol.t, sol.array(f"{item.name}.power"))
    if f"{item.name}.energy" in known:
        stored = sol.array(f"{item.name}.energy")
        work += float(stored[-1] - stored[0])
    return work


def integral(t: Floats, y: Floats) -> float:
    """Return the integral over rows that repeat their time where y may jump.

    Each piece is integrated by its spline, of fourth order in the distance of the rows.
    """
    if len(t) != len(y):
        raise UsageError(f"integral: {len(t)} times do not fit {len(y)} values")
    from scipy.interpolate import CubicSpline

    ends = np.flatnonzero(np.diff(t) <= 0.0) + 1
    total = 0.0
    for part in np.split(np.arange(len(t)), ends):
        x, v = t[part], y[part]
        if len(part) > 3:
            total += float(CubicSpline(x, v).integrate(x[0], x[-1]))
        elif len(part) > 1:
            total += float(np.trapezoid(v, x))
    return total
