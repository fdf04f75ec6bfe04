"""Compiled laws of the force elements that a network consists of.

Each is the `law` of a `ForceElement`; its parameters are listed in the order of `p`. The first
state of every element is the energy it has taken out of the motion: what it dissipates, or what an
elastic junction has absorbed.
"""

from __future__ import annotations

import math
from typing import Any

from cornerlaw.hydraulics.fluid import mixture_pressure
from cornerlaw.hydraulics.friction import friction_factor


def register() -> None:
    """Let compiled laws call the closed forms; needed once before a law is compiled."""
    from numba.extending import register_jitable

    if not _known:
        for function in (mixture_pressure, friction_factor, table_area):
            register_jitable(function)
            _known.append(function)


_known: list[Any] = []


def column(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """Losses of an oil column and, of a mode of a line, its elasticity.

    p = linear, forward, backward, stiffness, length, diameter, viscosity, roughness, mass per
    length: F = -linear u - (forward or backward) u |u| - stiffness q, and pipe friction by
    Churchill where the length is not 0.
    """
    speed = abs(u[0])
    factor = p[1] if u[0] > 0.0 else p[2]
    loss = p[0] * u[0] + factor * u[0] * speed
    reynolds = speed * p[5] / p[6]
    if p[4] > 0.0 and reynolds > 1e-9:
        loss += friction_factor(reynolds, p[7]) * p[4] / p[5] * 0.5 * p[8] * u[0] * speed
    Q[0] = -loss - p[3] * q[0]
    x_dot[0] = loss * u[0]


def stored_in_mode(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any
) -> float:
    """Return the elastic energy of a mode."""
    return float(0.5 * p[3] * q[0] * q[0])


def two_dampers(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """A piston's damping, forward and back: p = both factors."""
    factor = p[0] if u[0] > 0.0 else p[1]
    Q[0] = -factor * u[0]
    x_dot[0] = factor * u[0] * u[0]


def table_area(t: Any, p: Any, start: int) -> float:
    """Return the value of a table (n, times, values) that begins in p at a place."""
    n = int(p[start])
    if t <= p[start + 1]:
        return float(p[start + 1 + n])
    for k in range(1, n):
        if t <= p[start + 1 + k]:
            t0, t1 = p[start + k], p[start + 1 + k]
            a0, a1 = p[start + n + k], p[start + 1 + n + k]
            return float(a0 + (a1 - a0) * (t - t0) / (t1 - t0))
    return float(p[start + 2 * n])


def timed_orifice(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """An orifice whose opening is a table over time. (T-21.3)

    p = rho A^3 / (2 alpha^2) of the column, smallest opening, table. Below the smallest opening a
    lock holds the column, and there is no loss.
    """
    area = table_area(t, p, 2)
    loss = 0.0
    if area > p[1]:
        loss = p[0] / (area * area) * u[0] * abs(u[0])
    Q[0] = -loss
    x_dot[0] = loss * u[0]


def moved_orifice(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """An orifice opened by a coordinate: area = width s + curve s^2, s = sign q - overlap >= 0.

    p = rho A^3 / (2 alpha^2), smallest opening, largest opening, sign, overlap, width, curve;
    coordinates are the column and the spool or ball.
    """
    s = max(p[3] * q[1] - p[4], 0.0)
    area = min(max(p[5] * s + p[6] * s * s, p[1]), p[2])
    loss = p[0] / (area * area) * u[0] * abs(u[0])
    Q[0] = -loss
    x_dot[0] = loss * u[0]


def timed_shut(t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any) -> float:
    """Return by how much a timed orifice is below its smallest opening; above 0 it is closed."""
    return float(p[1] - table_area(t, p, 2))


def moved_shut(t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any) -> float:
    """Return the same of a moved orifice."""
    s = max(p[3] * q[1] - p[4], 0.0)
    return float(p[1] - p[5] * s - p[6] * s * s)


def held_column(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, p: Any, F: Any, M: Any, Q: Any
) -> tuple[float, float, float]:
    """A row that holds the column of an orifice, by any force."""
    Q[0] = 1.0
    return q[0], 0.0, 0.0


def gap(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """Laminar flow through the gap around a piston, and its drag on the piston. (T-21.8)

    p = area, height, eccentric factor, dynamic viscosity, inner sleeve (2), outer sleeve (2),
    smallest length, direction of the piston along the gap. The column moves with the mean speed;
    half of the piston's speed is carried along.
    """
    end = min(p[5] + q[1], p[7])
    start = max(p[4] + q[1], p[6])
    length = max(end - start, p[8])
    resistance = 12.0 * p[3] * length / (p[2] * p[1] * p[1])  # pressure over mean speed
    slip = u[0] - 0.5 * p[9] * u[1]
    drag = p[3] * length * p[0] / (p[1] * p[1]) * u[1]  # of the sheared film
    Q[0] = -p[0] * resistance * slip
    Q[1] = 0.5 * p[9] * p[0] * resistance * slip - drag
    x_dot[0] = p[0] * resistance * slip * slip + drag * u[1]


def junction(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """A compressible junction: the pressure follows from its volume and its content. (T-21.16)

    p = volume, content, bulk, air, reference, polytropic, cavitation, then for every coordinate by
    how much it changes the content, and by how much the volume. Oil that would be pulled below the
    cavitation pressure leaves a void at that pressure.
    """
    n = q.size
    volume, content, rate = p[0], p[1], 0.0
    for k in range(n):
        content += p[7 + k] * q[k]
        volume += p[7 + n + k] * q[k]
        rate += (p[7 + k] - p[7 + n + k]) * u[k]
    pressure = max(mixture_pressure(volume / content, p[2], p[3], p[4], p[5]), p[6])
    for k in range(n):
        Q[k] = pressure * (p[7 + n + k] - p[7 + k])
    x_dot[0] = pressure * rate


def junction_pressure(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any
) -> float:
    """Return the pressure of a compressible junction."""
    n = q.size
    volume, content = p[0], p[1]
    for k in range(n):
        content += p[7 + k] * q[k]
        volume += p[7 + n + k] * q[k]
    return float(max(mixture_pressure(volume / content, p[2], p[3], p[4], p[5]), p[6]))


def accumulator(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any,
    F: Any, M: Any, Q: Any, x_dot: Any,
) -> None:  # fmt: skip
    """Gas behind a bladder: pressure = constant / (gas volume)^polytropic. (T-21.17)

    p = gas volume, constant, polytropic, then the inflow of every coordinate.
    """
    volume, rate = p[0], 0.0
    for k in range(q.size):
        volume -= p[3 + k] * q[k]
        rate += p[3 + k] * u[k]
    pressure = p[1] * math.pow(volume, -p[2])
    for k in range(q.size):
        Q[k] = -pressure * p[3 + k]
    x_dot[0] = pressure * rate


def accumulator_pressure(
    t: Any, r: Any, A: Any, v: Any, Omega: Any, q: Any, u: Any, x: Any, p: Any
) -> float:
    """Return the pressure of an accumulator."""
    volume = p[0]
    for k in range(q.size):
        volume -= p[3 + k] * q[k]
    return float(p[1] * math.pow(volume, -p[2]))
