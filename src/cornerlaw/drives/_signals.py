"""What an element is controlled by: numbers, functions of time, tables and inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cornerlaw.errors import ModelError
from cornerlaw.model import Input, Interpreted, Sampled, Table

Function = Callable[[float], float]


def read_table(owner: str, name: str, table: Table) -> Function:
    """Return a linear table, held outside its points, as a function that compiled laws may call."""
    if table.kind != "linear" or table.extrapolate != "hold":
        raise ModelError(
            f"{owner}: {name} must be a Table of the kind 'linear' that is held outside its "
            f"points, got {table.kind!r} and {table.extrapolate!r}; use a function instead"
        )
    x, y = np.array(table.x), np.array(table.y)

    def read(at: float) -> float:
        k = np.searchsorted(x, at)
        if k == 0:
            return float(y[0])
        if k == x.size:
            return float(y[-1])
        w = (at - x[k - 1]) / (x[k] - x[k - 1])
        return float((1.0 - w) * y[k - 1] + w * y[k])

    return read


def over_time(owner: str, name: str, value: Any) -> Function | None:
    """Return a function of time that compiled laws may call; None for a number or an Input."""
    if isinstance(value, Input):
        return None
    if isinstance(value, Sampled | Interpreted):
        raise ModelError(
            f"{owner}: {name} must be a function that can be compiled, not "
            f"{type(value).__name__}; give an Input and set it from Python with "
            f"Simulation.set_input"
        )
    if isinstance(value, Table):
        return compiled(read_table(owner, name, value))
    if callable(value) and not isinstance(value, type):
        return compiled(value)
    if isinstance(value, str | bool | dict | list | tuple | type) or value is None:
        raise ModelError(
            f"{owner}: {name} must be a number, a function of t, a Table over time or "
            f"an Input, got {value!r}"
        )
    return None


def characteristic(owner: str, name: str, over: str, value: Any) -> Function:
    """Return a function of one variable that was given as such or by a Table."""
    if isinstance(value, Table):
        return read_table(owner, name, value)
    if not callable(value) or isinstance(value, type):
        raise ModelError(f"{owner}: {name} must be a function of {over} or a Table, got {value!r}")

    def read(at: float) -> float:
        try:
            return float(value(at))
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"{owner}: {name} must return a number at {over} = {at:g}, but {error}"
            ) from error

    return read


def compiled(function: Function) -> Function:
    """Let compiled laws call a function; it stays a plain function for Python."""
    from numba.extending import register_jitable

    if hasattr(function, "py_func"):  # compiled already
        return function
    made: Function = register_jitable(function)
    return made
