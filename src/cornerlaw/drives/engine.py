# mypy: allow-untyped-defs, allow-untyped-calls
"""Combustion engines: full-load map with a first-order lag, and orders of the cylinders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cornerlaw.drives._compiled import register, shared
from cornerlaw.drives._names import coordinate, positive
from cornerlaw.drives._signals import Function, over_time
from cornerlaw.errors import ModelError
from cornerlaw.model import ForceElement, Input, Table

POINTS = 9  # speeds of a full-load map
ORDERS = 6


@shared
def _full_load(speed, p):
    """Return the torque at full load, linear between nine equally spaced speeds."""
    place = (speed - p[3]) / (p[4] - p[3]) * 8.0
    place = min(max(place, 0.0), 8.0)
    k = min(int(place), 7)
    w = place - k
    return (1.0 - w) * p[5 + k] + w * p[6 + k]


def _engine_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    """x is the torque of the gas, which follows throttle and cut with a lag."""
    want = (1.0 - p[1]) * p[0] * _full_load(u[0], p)
    x_dot[0] = (want - x[0]) / p[2]
    Q[0] = x[0]


@shared
def _always(t):
    return 1.0


@shared
def _never(t):
    return 0.0


def _controlled(throttle: Any, cut: Any) -> Any:
    """Return the law of an engine whose throttle or cut are functions of time."""

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        want = (1.0 - p[1]) * (1.0 - cut(t)) * p[0] * throttle(t) * _full_load(u[0], p)
        x_dot[0] = (want - x[0]) / p[2]
        Q[0] = x[0]

    return law


def engine(
    name: str,
    on: Any,
    *,
    speeds: Sequence[float],
    torques: Sequence[float],
    lag: float,
    throttle: float | Table | Function | Input = 1.0,
    cut: float | Table | Function | Input = 0.0,
    start: float = 0.0,
) -> ForceElement:
    """Return an engine: lag M' = (1 - cut) throttle M_full(speed) - M. (T-20.24)

    speeds, torques   full-load map [rad/s], [N m]; stored at nine equally spaced speeds
    throttle, cut     opening 0 to 1, and the torque reduction of the ignition: numbers, functions
                      of t, Tables over time, or an Input that is set while the run goes on
    start             torque at the beginning [N m]

    Channels: `torque` (its state), `power`.
    """
    owner = f"engine {name!r}"
    positive(owner, lag=lag)
    if len(speeds) != len(torques) or len(speeds) < 2 or np.any(np.diff(speeds) <= 0.0):
        raise ModelError(f"{owner}: speeds must increase, with one torque for each of them")
    grid = np.linspace(speeds[0], speeds[-1], POINTS)
    values = np.interp(grid, speeds, torques)
    opening = over_time(owner, "throttle", throttle)
    reduction = over_time(owner, "cut", cut)
    parameters: dict[str, Any] = {
        "throttle": throttle if opening is None else 1.0, "cut": cut if reduction is None else 0.0,
        "lag": lag, "lowest": float(grid[0]), "highest": float(grid[-1]),
    }  # fmt: skip
    parameters |= {f"torque_{k}": float(values[k]) for k in range(POINTS)}
    register()
    law = _engine_law
    if opening is not None or reduction is not None:
        law = _controlled(opening or _always, reduction or _never)
    return ForceElement(
        name,
        coordinates=(coordinate(owner, on),),
        law=law,
        parameters=parameters,
        states={"torque": start},
    )


def _orders_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    total = p[0]
    for k in range(6):
        total += p[1 + 3 * k] * math.sin(p[2 + 3 * k] * q[0] + p[3 + 3 * k])
    Q[0] = total


def engine_orders(
    name: str, on: Any, *, mean: float, orders: Mapping[float, float | tuple[float, float]]
) -> ForceElement:
    """Return the torque of cylinder pressures over the crank angle, by its orders. (T-20.25)

    orders   order of the crank speed (half orders of a four-stroke engine included) -> amplitude
             [N m] or (amplitude, phase); at most six
    """
    owner = f"engine_orders {name!r}"
    if len(orders) > ORDERS:
        raise ModelError(f"{owner}: at most {ORDERS} orders can be given, got {len(orders)}")
    parameters = {"mean": mean}
    given = [*orders.items(), *[(0.0, 0.0)] * (ORDERS - len(orders))]
    for k, (order, value) in enumerate(given):
        amplitude, phase = value if isinstance(value, tuple) else (value, 0.0)
        parameters |= {f"amplitude_{k}": amplitude, f"order_{k}": order, f"phase_{k}": phase}
    register()
    return ForceElement(
        name, coordinates=(coordinate(owner, on),), law=_orders_law, parameters=parameters
    )
