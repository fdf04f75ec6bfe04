# mypy: allow-untyped-defs, allow-untyped-calls
"""Joints with micro slip: Jenkins elements side by side (Masing), press fits, bolted joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.drives._compiled import register, shared
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

        Its states are the springs of the Jenkins elements, as forces, and the heat, the integral
        of the loss that jumps where an element begins to slip. Methods with fixed steps notice a
        limit at the end of a step: the state stays beyond it by stiffness, speed and step at most,
        the force does not. Channels: `force` (of all together), `spring_1` and so on, `heat`,
        `loss`, `energy`, `power`.
        """
        owner = f"Masing {name!r}"
        if len(self.stiffness) > MOST:
            raise ModelError(f"{owner}: at most {MOST} elements fit, got {len(self.stiffness)}")
        axes = [coordinate(owner, axis) for axis in (first, second) if axis is not None]
        n = len(self.stiffness)
        parameters = {"elastic": self.elastic, "count": float(n)}
        for k in range(n):
            parameters |= {f"stiffness_{k + 1}": self.stiffness[k], f"limit_{k + 1}": self.limit[k]}
        register()
        return ForceElement(
            name,
            coordinates=tuple(axes),
            law=_law_two if second is not None else _law_one,
            parameters=parameters,
            states={**{f"spring_{k + 1}": 0.0 for k in range(n)}, "heat": 0.0},
            energy=_energy_two if second is not None else _energy_one,
            outputs={
                "loss": _loss_two if second is not None else _loss_one,
                "force": _force_two if second is not None else _force_one,
            },
        )


@shared
def _jenkins(x, rate, p):
    """Return force, stored energy and loss of all elements side by side. (T-20.28)

    x are the forces of springs that have not been told of the limit yet: a step of finite length
    ends up to k |rate| dt beyond it. The force is cut off there, and what the cut-off spring holds
    is the integral of this force, so that nothing is created on the way back.
    """
    force = energy = loss = 0.0
    for k in range(int(p[1])):
        stiffness, limit = p[2 + 2 * k], p[3 + 2 * k]
        inside = min(max(x[k], -limit), limit)
        force += inside
        energy += inside * (x[k] - 0.5 * inside) / stiffness
        if abs(x[k]) >= limit and x[k] * rate > 0.0:
            loss += limit * abs(rate)
    return force, energy, loss


@shared
def _rates(x, rate, p, x_dot):
    """Write the rates of the springs, zero where an element slides, and of the heat."""
    n = int(p[1])
    for k in range(n):
        slides = abs(x[k]) >= p[3 + 2 * k] and x[k] * rate > 0.0
        x_dot[k] = 0.0 if slides else p[2 + 2 * k] * rate
    x_dot[n] = _jenkins(x, rate, p)[2]


def _law_two(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    rate = u[0] - u[1]
    _rates(x, rate, p, x_dot)
    force = p[0] * (q[0] - q[1]) + _jenkins(x, rate, p)[0]
    Q[0] = -force
    Q[1] = force


def _law_one(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    _rates(x, u[0], p, x_dot)
    Q[0] = -(p[0] * q[0] + _jenkins(x, u[0], p)[0])


def _energy_two(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * p[0] * (q[0] - q[1]) ** 2 + _jenkins(x, 0.0, p)[1]


def _energy_one(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * p[0] * q[0] ** 2 + _jenkins(x, 0.0, p)[1]


def _loss_two(t, r, A, v, Omega, q, u, x, p):
    return _jenkins(x, u[0] - u[1], p)[2]


def _loss_one(t, r, A, v, Omega, q, u, x, p):
    return _jenkins(x, u[0], p)[2]


def _force_two(t, r, A, v, Omega, q, u, x, p):
    return p[0] * (q[0] - q[1]) + _jenkins(x, 0.0, p)[0]


def _force_one(t, r, A, v, Omega, q, u, x, p):
    return p[0] * q[0] + _jenkins(x, 0.0, p)[0]


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
