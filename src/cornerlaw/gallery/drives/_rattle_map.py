"""The impact map of a loose gear between the flanks of a shaking one, in closed form.

The driving gear moves its flanks by A sin(omega t), the loose gear flies between them with its way
w, held back by a constant drag and by oil:

    w'' = -b w' - g,     w(t) = w_0 + (w_0' + g / b)(1 - exp(-b t)) / b - g t / b.

The way between both is x = A sin(omega t) - w. At |x| = s / 2 the flanks meet, x'+ = -e x'-.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

SCAN = 256  # parts of a period between which a meeting is looked for
RESTS = 1e-10  # departures slower than this over A omega stay at the flank


@dataclass(frozen=True)
class Impact:
    """An impact: when, at which flank (+1, -1), and x' before it."""

    time: float
    flank: float
    speed: float


def flight(p: Any, t_0: float, w_0: float, v_0: float, t: float) -> tuple[float, float, float]:
    """Return x, x', x'' at the time t after a start of the loose gear at (w_0, v_0)."""
    tau, b, g = t - t_0, p.oil, p.drag
    s, c = math.sin(p.frequency * t), math.cos(p.frequency * t)
    fade = math.exp(-b * tau)
    w = w_0 + (v_0 + g / b) * -math.expm1(-b * tau) / b - g * tau / b
    v = (v_0 + g / b) * fade - g / b
    x = p.amplitude * s - w
    rate = p.amplitude * p.frequency * c - v
    return x, rate, -p.amplitude * p.frequency**2 * s + b * v + g


def next_impact(p: Any, t_0: float, w_0: float, v_0: float) -> Impact:
    """Return the next meeting of loose gear and flank."""
    half, step = 0.5 * p.backlash, 2.0 * math.pi / p.frequency / SCAN
    low = t_0
    start = flight(p, t_0, w_0, v_0, t_0)
    if abs(start[0]) > half * (1.0 - 1e-9):
        # just left a flank: go to where the way back begins, else the start itself is found
        low = t_0 + 1e-3 * step
    for _ in range(400 * SCAN):
        high = low + step
        x = flight(p, t_0, w_0, v_0, high)[0]
        if abs(x) >= half:
            flank = math.copysign(1.0, x)
            time = _meet(p, t_0, w_0, v_0, low, high, flank)
            return Impact(time, flank, flight(p, t_0, w_0, v_0, time)[1])
        low = high
    raise ArithmeticError("the loose gear meets no flank for 400 periods")


def _meet(
    p: Any, t_0: float, w_0: float, v_0: float, low: float, high: float, flank: float
) -> float:
    """Return the time between two at which x = flank s / 2, by Newton inside a bracket."""
    t = 0.5 * (low + high)
    for _ in range(100):
        x, rate, _ = flight(p, t_0, w_0, v_0, t)
        excess = flank * x - 0.5 * p.backlash
        low, high = (low, t) if excess >= 0.0 else (t, high)
        new = t - excess / (flank * rate) if rate else low
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - t) <= 4e-16 * abs(t):
            return new
        t = new
    return t


def after(p: Any, impact: Impact) -> tuple[float, float]:
    """Return way and speed of the loose gear after an impact."""
    drive = p.amplitude * math.sin(p.frequency * impact.time)
    speed = p.amplitude * p.frequency * math.cos(p.frequency * impact.time)
    return drive - impact.flank * 0.5 * p.backlash, speed + p.restitution * impact.speed


def orbit(p: Any, count: int, t: float = 0.0, w: float = 0.0, v: float = 0.0) -> list[Impact]:
    """Return the first impacts from a start."""
    found = []
    for _ in range(count):
        impact = next_impact(p, t, w, v)
        found.append(impact)
        w, v = after(p, impact)
        t = impact.time
        if abs(p.restitution * impact.speed) < RESTS * p.amplitude * p.frequency:
            t, w, v = _leave(p, impact)
    return found


def _leave(p: Any, impact: Impact) -> tuple[float, float, float]:
    """Return time, way and speed where a gear that rests on a flank leaves it."""
    step = 2.0 * math.pi / p.frequency / SCAN
    t = impact.time
    for _ in range(2 * SCAN):
        drive, rate = math.sin(p.frequency * t), math.cos(p.frequency * t)
        v = p.amplitude * p.frequency * rate
        push = -p.amplitude * p.frequency**2 * drive + p.oil * v + p.drag
        if impact.flank * push < 0.0:
            return t, p.amplitude * drive - impact.flank * 0.5 * p.backlash, v
        t += step
    raise ArithmeticError("the loose gear never leaves the flank")


def lyapunov(p: Any, impacts: list[Impact]) -> float:
    """Return the largest exponent [1/s] along a series of impacts, from the product of Jacobians.

    Between impacts (dx, dx') grows by [[1, (1 - exp(-b t)) / b], [0, exp(-b t)]]; at an impact by
    [[-e, 0], [(a+ + e a-) / x'-, -e]].
    """
    a, b, total = 1.0, 0.3, 0.0
    e = p.restitution
    for before, now in pairwise(impacts):
        tau = now.time - before.time
        fade = math.exp(-p.oil * tau)
        a, b = a - b * math.expm1(-p.oil * tau) / p.oil, b * fade
        w, v = after(p, before)
        a_minus = flight(p, before.time, w, v, now.time)[2]
        w, v = after(p, now)
        a_plus = flight(p, now.time, w, v, now.time)[2]
        a, b = -e * a, (a_plus + e * a_minus) / now.speed * a - e * b
        # lengths against speeds by the frequency
        size = math.hypot(a * p.frequency, b)
        total += math.log(size)
        a, b = a / size, b / size
    return total / (impacts[-1].time - impacts[0].time)
