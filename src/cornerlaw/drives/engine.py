# mypy: allow-untyped-defs, allow-untyped-calls
"""Combustion engines: a map with a first-order lag, and orders of the cylinders."""

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

POINTS = 9  # speeds of a map
OPENINGS = 5  # of the throttle, in a map over both
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


@shared
def _mapped_torque(speed, opening, p):
    """Return the torque of a map, linear between five openings and nine speeds."""
    place = min(max((opening - p[5]) / (p[6] - p[5]) * 4.0, 0.0), 4.0)
    column = min(max((speed - p[3]) / (p[4] - p[3]) * 8.0, 0.0), 8.0)
    i, k = min(int(place), 3), min(int(column), 7)
    a, b = place - i, column - k
    low, high = 7 + 9 * i + k, 16 + 9 * i + k
    return (1.0 - a) * ((1.0 - b) * p[low] + b * p[low + 1]) + a * (
        (1.0 - b) * p[high] + b * p[high + 1]
    )


def _mapped(throttle: Any, cut: Any) -> Any:
    """Return the law of an engine with a map over throttle and speed."""

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        torque = _mapped_torque(u[0], p[0] * throttle(t), p)
        x_dot[0] = ((1.0 - p[1]) * (1.0 - cut(t)) * torque - x[0]) / p[2]
        Q[0] = x[0]

    return law


def _checked_map(owner: str, speeds: Any, torques: Any, openings: Any) -> Any:
    """Return the torques as rows over the openings; one row without them."""
    rows = np.array(torques, dtype=np.float64)
    if len(speeds) < 2 or np.any(np.diff(speeds) <= 0.0) or rows.shape[-1:] != (len(speeds),):
        raise ModelError(f"{owner}: speeds must increase, with one torque for each of them")
    if openings is None:
        if rows.ndim != 1:
            raise ModelError(f"{owner}: torques over the throttle need its openings")
        return rows.reshape(1, -1)
    rising = len(openings) >= 2 and bool(np.all(np.diff(openings) > 0.0))
    if not rising or rows.ndim != 2 or rows.shape[0] != len(openings):
        raise ModelError(f"{owner}: openings must increase, with one row of torques for each")
    return rows


def _on_grid(speeds: Any, rows: Any, openings: Any) -> Any:
    """Return a map at equally spaced openings and speeds, as its parameters."""
    grid = np.linspace(speeds[0], speeds[-1], POINTS)
    values = np.array([np.interp(grid, speeds, row) for row in rows])
    if openings is None:
        return {f"torque_{k}": float(values[0, k]) for k in range(POINTS)}
    places = np.linspace(openings[0], openings[-1], OPENINGS)
    spread = np.array([np.interp(places, openings, column) for column in values.T]).T
    found = {"least": float(places[0]), "most": float(places[-1])}
    return found | {
        f"torque_{i}{k}": float(spread[i, k]) for i in range(OPENINGS) for k in range(POINTS)
    }


def engine(
    name: str,
    on: Any,
    *,
    speeds: Sequence[float],
    torques: Sequence[float] | Sequence[Sequence[float]],
    openings: Sequence[float] | None = None,
    lag: float,
    throttle: float | Table | Function | Input = 1.0,
    cut: float | Table | Function | Input = 0.0,
    start: float = 0.0,
) -> ForceElement:
    """Return an engine: lag M' = (1 - cut) throttle M_full(speed) - M. (T-20.24)

    speeds, torques   full-load map [rad/s], [N m]; stored at nine equally spaced speeds
    openings          of the throttle, for a map M(throttle, speed) instead of throttle times full
                      load: `torques` has a row for each; stored at five equally spaced openings
    throttle, cut     opening 0 to 1, and the torque reduction of the ignition: numbers, functions
                      of t, Tables over time, or an Input that is set while the run goes on
    start             torque at the beginning [N m]

    Channels: `torque` (its state), `power`.
    """
    owner = f"engine {name!r}"
    positive(owner, lag=lag)
    rows = _checked_map(owner, speeds, torques, openings)
    opening = over_time(owner, "throttle", throttle)
    reduction = over_time(owner, "cut", cut)
    parameters: dict[str, Any] = {
        "throttle": throttle if opening is None else 1.0, "cut": cut if reduction is None else 0.0,
        "lag": lag, "lowest": float(speeds[0]), "highest": float(speeds[-1]),
    }  # fmt: skip
    parameters |= _on_grid(speeds, rows, openings)
    register()
    law = _engine_law
    if openings is not None:
        law = _mapped(opening or _always, reduction or _never)
    elif opening is not None or reduction is not None:
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
