"""What callers of simulate and its relatives write: times, flags and values, checked by name."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UnitError, UsageError
from cornerlaw.model import Input, Model
from cornerlaw.model.part import field_specs
from cornerlaw.model.quantity import Where, is_quantity, show, strip_unit


def plain_number(value: Any) -> float:
    """Return a value as a float; nan for everything that is no finite number."""
    if hasattr(value, "tolist") and getattr(value, "shape", None) == ():
        value = value.tolist()  # numpy scalars and arrays without axes
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def as_time(name: str, value: Any, owner: str = "simulate") -> float:
    """Return a time as a finite number; a quantity with units is converted."""
    found = plain_number(strip_unit(value, Where(owner, name), "s"))
    if math.isnan(found):
        raise UsageError(f"{name} must be a finite number of seconds, got {show(value)}")
    return found


def as_times(t_eval: Any, begin: float, end: float) -> NDArray[np.float64]:
    """Return output times as increasing numbers between two ends; units are converted."""
    where = Where("simulate", "t_eval")
    try:
        plain = strip_unit(t_eval, where, "s")
        times = np.array([strip_unit(t, where, "s") for t in plain], float)
    except UnitError:
        raise
    except Exception:  # a user's object may fail in any way here
        raise UsageError(f"t_eval must be a list of times, got {show(t_eval)}") from None
    if not np.isfinite(times).all():
        raise UsageError("t_eval contains a value that is not a finite number")
    if times.size and (np.diff(times) <= 0.0).any():
        raise UsageError("t_eval must be strictly increasing")
    if times.size and (times[0] < begin or times[-1] > end):
        raise UsageError(f"t_eval must lie between the start {begin:g} s and t_end {end:g} s")
    return times


def as_value(name: str, value: Any, unit: str) -> float:
    """Return the value of a coordinate, rate or state; a quantity with units is converted."""
    found = plain_number(strip_unit(value, Where("values by name", repr(name)), unit))
    if math.isnan(found):
        raise UsageError(f"the value of {name!r} must be a finite number, got {show(value)}")
    return found


def as_flag(name: str, value: Any) -> bool:
    """Return a choice between True and False; a text such as "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise UsageError(f"{name} must be True or False, got {show(value)}")
    return bool(value)


def without_unit(model: Model, name: str, value: Any) -> Any:
    """Return the value of an Input without its unit, which must be that of every part it drives."""
    if not is_quantity(value):
        return value
    found = strip_unit(value, Where(f"Input {name!r}", "value"), "")
    for part in model.parts:
        for field in field_specs(type(part)):
            given = getattr(part, field.name)
            items = given if isinstance(given, tuple) else (given,)
            if field.kind.unit and any(isinstance(x, Input) and x.name == name for x in items):
                where = Where(part.label, field.name, part.unit_choice())
                found = strip_unit(value, where, field.kind.unit)
    return found
