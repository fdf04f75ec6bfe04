"""Flights and impacts of several loose gears in a row, in closed form; see gear_rattling_stages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAMPLES = 16  # of a flight, in which no flank may be passed


def leads(p: Any) -> Floats:
    """Return how far every gear goes for one metre of the input gear, without backlash."""
    return np.asarray(np.cumprod([1.0, *p.ratio]), dtype=np.float64)


def flight(p: Any, t_0: float, W_0: Floats, V_0: Floats, t: float) -> tuple[Floats, Floats]:
    """Return ways and speeds of all gears at the time t, if none met a flank since t_0."""
    tau, b, g = t - t_0, p.oil, np.asarray(p.drag)
    W = W_0 + (V_0 + g / b) * -math.expm1(-b * tau) / b - g * tau / b
    V = (V_0 + g / b) * math.exp(-b * tau) - g / b
    return W, V


def between(p: Any, drive: float, ways: Floats) -> Floats:
    """Return what every mesh has of a way or speed: that of the gear before minus its own."""
    before = np.array([drive, *(np.asarray(p.ratio) * ways[:-1])])
    return np.asarray(before - ways, dtype=np.float64)


def drive(p: Any, t: float) -> tuple[float, float]:
    """Return way and speed of the input gear."""
    w = p.frequency
    return p.amplitude * math.sin(w * t), p.amplitude * w * math.cos(w * t)


def meet(
    p: Any, t_0: float, W_0: Floats, V_0: Floats, near: float, hit: tuple[int, float]
) -> float:
    """Return when a mesh meets a flank (+1, -1) after a start, by Newton's method from `near`."""
    mesh, flank = hit
    t = near
    for _ in range(20):
        W, V = flight(p, t_0, W_0, V_0, t)
        shake, rate = drive(p, t)
        excess = flank * between(p, shake, W)[mesh] - 0.5 * p.backlash[mesh]
        step = excess / (flank * between(p, rate, V)[mesh])
        t -= step
        if abs(step) <= 4e-16 * abs(t):
            break
    return t


def passed(p: Any, t_0: float, W_0: Floats, V_0: Floats, end: float) -> float:
    """Return how far any mesh passed a flank between two times, over its backlash."""
    half = 0.5 * np.asarray(p.backlash)
    worst = 0.0
    for t in np.linspace(t_0, end, SAMPLES):
        x = between(p, drive(p, t)[0], flight(p, t_0, W_0, V_0, t)[0])
        worst = max(worst, float(np.max((np.abs(x) - half) / half)))
    return worst


def bounce(p: Any, mesh: int, V: Floats, t: float) -> Floats:
    """Return the speeds after an impact in a mesh, by Newton's law; the input gear yields nowhere.

    With m_k = J_k / r^2 the mesh feels the mass 1 / (1 / m_k + ratio^2 / m_(k-1)).
    """
    mass = np.asarray(p.inertia) / p.radius**2
    ratio = p.ratio[mesh - 1] if mesh else 0.0
    give = ratio**2 / mass[mesh - 1] if mesh else 0.0
    speed = between(p, drive(p, t)[1], V)[mesh]
    impulse = (1.0 + p.restitution) * speed / (1.0 / mass[mesh] + give)
    after = V.copy()
    after[mesh] += impulse / mass[mesh]
    if mesh:
        after[mesh - 1] -= ratio * impulse / mass[mesh - 1]
    return after
