# mypy: allow-untyped-defs
"""Joints with micro slip: Jenkins elements side by side (Masing), press fits, bolted joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.drives._names import coordinate, not_negative, positive
from cornerlaw.errors import ModelError
from cornerlaw.model import ForceElement

Floats = NDArray[np.float64]
MOST = 12  # Jenkins elements in one force element


@dataclass(frozen=True)
class Masing:
    """Springs in series with dry friction, side by side; quasi-static closed forms. (T-20.28)

    stiffness   of every element [N/m] or [N m/rad]
    limit       friction of every element [N] or [N m]
    elastic     stiffness beside them that never slips
    """

    stiffness: tuple[float, ...]
    limit: tuple[float, ...]
    elastic: float = 0.0

    def __post_init__(self) -> None:
        if len(self.stiffness) != len(self.limit) or not self.stiffness:
            raise ModelError("Masing: give one friction limit for every stiffness")
        positive("Masing", smallest_stiffness=min(self.stiffness), smallest_limit=min(self.limit))
        not_negative("Masing", elastic=self.elastic)

    def backbone(self, way: float) -> float:
        """Return the force at the first loading to a way."""
        force = self.elastic * way
        for k, h in zip(self.stiffness, self.limit, strict=True):
            force += math.copysign(min(k * abs(way), h), way)
        return force

    def branch(self, way: float, start: float) -> float:
        """Return the force on the way back from `start`: the backbone, twice as large."""
        return self.backbone(start) - 2.0 * self.backbone(0.5 * (start - way))

    def secant(self, amplitude: float) -> float:
        """Return the slope of a loop between its ends; it falls with the amplitude."""
        positive("Masing.secant", amplitude=amplitude)
        return self.backbone(amplitude) / amplitude

    def loop(self, amplitude: float) -> float:
        """Return the energy lost in a cycle: 4 h (a - h / k) of every element that slips."""
        return sum(
            4.0 * h * max(0.0, amplitude - h / k)
            for k, h in zip(self.stiffness, self.limit, strict=True)
        )

    def damping(self, amplitude: float, frequency: float) -> float:
        """Return the viscous damping with a loop of the same area. (T-20.29)"""
        positive("Masing.damping", amplitude=amplitude, frequency=frequency)
        return self.loop(amplitude) / (math.pi * frequency * amplitude**2)

    def element(self, name: str, first: Any, second: Any | None = None) -> ForceElement:
        """Return the joint as a force element between two axes, or an axis and the frame.

        Its states are the forces of the Jenkins elements and the heat, the integral of the loss
        that jumps where an element begins to slip. Channels: `force_1` and so on, `heat`, `loss`,
        `energy`, `power`.
        """
        owner = f"Masing {name!r}"
        if len(self.stiffness) > MOST:
            raise ModelError(f"{owner}: at most {MOST} elements fit, got {len(self.stiffness)}")
        axes = [coordinate(owner, axis) for axis in (first, second) if axis is not None]
        n = len(self.stiffness)
        parameters = {"elastic": self.elastic, "count": float(n)}
        for k in range(n):
            parameters |= {f"stiffness_{k + 1}": self.stiffness[k], f"limit_{k + 1}": self.limit[k]}
        return ForceElement(
            name,
            coordinates=tuple(axes),
            law=_law_two if second is not None else _law_one,
            parameters=parameters,
            states={**{f"force_{k + 1}": 0.0 for k in range(n)}, "heat": 0.0},
            energy=_energy_two if second is not None else _energy_one,
            outputs={"loss": _loss_two if second is not None else _loss_one},
        )


def _law_two(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    rate = u[0] - u[1]
    force = p[0] * (q[0] - q[1])
    heat = 0.0
    for k in range(int(p[1])):
        slides = abs(x[k]) >= p[3 + 2 * k] and x[k] * rate > 0.0
        x_dot[k] = 0.0 if slides else p[2 + 2 * k] * rate
        heat += abs(x[k] * rate) if slides else 0.0
        force += x[k]
    x_dot[int(p[1])] = heat
    Q[0] = -force
    Q[1] = force


def _law_one(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    force = p[0] * q[0]
    heat = 0.0
    for k in range(int(p[1])):
        slides = abs(x[k]) >= p[3 + 2 * k] and x[k] * u[0] > 0.0
        x_dot[k] = 0.0 if slides else p[2 + 2 * k] * u[0]
        heat += abs(x[k] * u[0]) if slides else 0.0
        force += x[k]
    x_dot[int(p[1])] = heat
    Q[0] = -force


def _energy_two(t, r, A, v, Omega, q, u, x, p):
    total = 0.5 * p[0] * (q[0] - q[1]) ** 2
    for k in range(int(p[1])):
        total += 0.5 * x[k] ** 2 / p[2 + 2 * k]
    return total


def _energy_one(t, r, A, v, Omega, q, u, x, p):
    total = 0.5 * p[0] * q[0] ** 2
    for k in range(int(p[1])):
        total += 0.5 * x[k] ** 2 / p[2 + 2 * k]
    return total


def _loss_two(t, r, A, v, Omega, q, u, x, p):
    rate = u[0] - u[1]
    total = 0.0
    for k in range(int(p[1])):
        if abs(x[k]) >= p[3 + 2 * k] and x[k] * rate > 0.0:
            total += abs(x[k] * rate)
    return total


def _loss_one(t, r, A, v, Omega, q, u, x, p):
    total = 0.0
    for k in range(int(p[1])):
        if abs(x[k]) >= p[3 + 2 * k] and x[k] * u[0] > 0.0:
            total += abs(x[k] * u[0])
    return total


def press_fit(*, stiffness: float, torque: float, elements: int, share: float = 0.5) -> Masing:
    """Return the Jenkins model of a shaft in a hub of which the first elements slip first.

    stiffness   of the whole seat for small torques [N m/rad]
    torque      at which everything slips [N m]
    elements    number of pieces; their limits rise linearly from the mouth inwards
    share       of the stiffness that the mouth carries more than the end
    """
    if elements < 1:
        raise ModelError(f"press_fit: elements must be at least 1, got {elements}")
    positive("press_fit", stiffness=stiffness, torque=torque)
    k = np.linspace(1.0 + share, 1.0 - share, elements)
    h = np.arange(1, elements + 1, dtype=np.float64)
    return Masing(tuple((stiffness * k / k.sum()).tolist()), tuple((torque * h / h.sum()).tolist()))


def bolt_slides(mean: float, alternating: float) -> bool:
    """Tell whether a bolted joint slides: the alternating load exceeds 60 % of the mean."""
    positive("bolt_slides", mean=mean)
    return abs(alternating) > 0.6 * mean
