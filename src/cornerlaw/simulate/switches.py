"""Rows of elements that functions switch: the side of zero that each function is on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.system import System

SOON = (1e-9, 1e-6)  # s: where a function that is zero at a state is looked at again


class Switch(NamedTuple):
    """A function that switches a row, and where its last word is kept."""

    element: int
    name: str
    address: int
    place: int  # in x


def switches_of(system: System) -> list[Switch]:
    """Return all functions that switch rows."""
    found = []
    for k, e in enumerate(system.compiled.elements):
        first = e.x_start + len(e.states) - e.n_switches
        # the functions that switch are the last indicators
        own = e.indicators[len(e.indicators) - e.n_switches :]
        found += [Switch(k, name, address, first + j) for j, (name, address, _) in enumerate(own)]
    return found


def switch_values(
    system: System, items: list[Switch], t: float, q: Floats, u: Floats, x: Floats
) -> Floats:
    """Return the functions at a state."""
    from cornerlaw.kernels.outputs import run_law_output

    rows = (np.array([t]), q[None].copy(), u[None].copy(), x[None].copy())
    values = np.zeros(len(items))
    for j, item in enumerate(items):
        run_law_output(system.m, system.w, item.element, item.address, *rows, values[j : j + 1])
    return values


def set_switches(system: System, t: float, q: Floats, u: Floats, x: Floats) -> None:
    """Write to x which rows are on at a state: those whose function is above zero, or gets there.

    One that is zero at the state itself is looked at a moment later.
    """
    items = switches_of(system)
    if not items:
        return
    values = switch_values(system, items, t, q, u, x)
    for h in SOON:
        if np.all(values):
            break
        values = np.where(values == 0.0, _values_after(system, items, h, t, q, u, x), values)
    for item, value in zip(items, values, strict=True):
        x[item.place] = 1.0 if value > 0.0 else 0.0
    system.see_states(x)


def _values_after(
    system: System, items: list[Switch], h: float, t: float, q: Floats, u: Floats, x: Floats
) -> Floats:
    """Return the functions h seconds behind a state, with its velocities and rates of states."""
    from cornerlaw.kernels.kinematics import advance_position
    from cornerlaw.simulate.terms import eval_state

    moved, speed = q.copy(), u.copy()
    x_dot = eval_state(system, t, moved, speed, x)
    advance_position(system.m, moved, h * speed, moved)
    return switch_values(system, items, t + h, moved, speed, x + h * x_dot)
