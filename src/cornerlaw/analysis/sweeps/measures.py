"""What is kept of a run: channels by name, reduced to a number, or functions of the solution."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.results import Solution

_CALL = re.compile(r"\s*(\w+)\s*\(\s*(.+?)\s*\)\s*")


class MissingMeasure(UnknownNameError):
    """A measure names a channel that the model does not have; no run can give it."""


def _mean(t: Any, y: Any) -> Any:
    """Return the mean over time; events store two rows at one time, which then count nothing."""
    if t[-1] == t[0]:
        return y[-1]
    return np.trapezoid(y, t, axis=0) / (t[-1] - t[0])


REDUCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "last": lambda t, y: y[-1],
    "first": lambda t, y: y[0],
    "min": lambda t, y: y.min(axis=0),
    "max": lambda t, y: y.max(axis=0),
    "peak": lambda t, y: np.abs(y).max(axis=0),
    "range": lambda t, y: y.max(axis=0) - y.min(axis=0),
    "mean": _mean,
    "rms": lambda t, y: np.sqrt(_mean(t, np.asarray(y, float) ** 2)),
    "sum": lambda t, y: y.sum(axis=0),
}


@dataclass(frozen=True)
class ChannelMeasure:
    """A channel of the run reduced to one value."""

    channel: str
    reduction: str

    def __call__(self, sol: Solution) -> Any:
        """Return the value; the name of a channel that does not exist is an error."""
        try:
            values = np.asarray(sol[self.channel])
        except UnknownNameError as error:
            raise MissingMeasure(f"measure {self.channel!r}: {error}") from None
        return REDUCTIONS[self.reduction](sol.t, values)


@dataclass(frozen=True)
class Measures:
    """All measures of a sweep by name."""

    items: tuple[tuple[str, Any], ...]

    @property
    def needs_rows(self) -> bool:
        """Whether the rows between start and end matter."""
        ends = ("last", "first")
        return not all(
            isinstance(item, ChannelMeasure) and item.reduction in ends for _, item in self.items
        )

    def __call__(self, sol: Solution) -> dict[str, Any]:
        """Return the values of a run by name."""
        found: dict[str, Any] = {}
        for name, item in self.items:
            try:
                value = item(sol)
            except MissingMeasure:
                raise
            except Exception as error:
                raise MeasureFailed(
                    f"measure {name!r} failed: {type(error).__name__}: {error}"
                ) from error
            if isinstance(value, Mapping):
                found.update({str(key): _number(str(key), entry) for key, entry in value.items()})
            else:
                found[name] = _number(name, value)
        return found


class MeasureFailed(Exception):
    """A function of the user raised an exception, or gave no number."""


def _number(name: str, value: Any) -> Any:
    """Return a number, a truth or an array of them as plain Python; anything else is refused."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise MeasureFailed(f"measure {name!r} gave {type(value).__name__}, no number")
    return array.tolist()


def read_measures(measure: Any) -> Measures:
    """Check what is to be kept of every run."""
    if isinstance(measure, str) or callable(measure):
        given: Mapping[str, Any] = {_name(measure): measure}
    elif isinstance(measure, Mapping):
        given = measure
    elif isinstance(measure, list | tuple):
        given = {_name(item): item for item in measure}
    else:
        given = {}
    if not given:
        raise UsageError(
            f"measure must be a channel such as 'ball.position.y' or 'max(ball.position.y)', a "
            f"function of the solution, or a list or dict of them, got {measure!r}"
        )
    return Measures(tuple((str(name), _read(item)) for name, item in given.items()))


def _name(item: Any) -> str:
    name = item if isinstance(item, str) else getattr(item, "__name__", "measure")
    return "measure" if name == "<lambda>" else str(name)


def _read(item: Any) -> Any:
    if callable(item):
        return item
    if not isinstance(item, str) or not item.strip():
        raise UsageError(f"a measure is the name of a channel or a function, got {item!r}")
    call = _CALL.fullmatch(item)
    if call is None:
        return ChannelMeasure(item.strip(), "last")
    if call[1] not in REDUCTIONS:
        from difflib import get_close_matches

        close = get_close_matches(call[1], REDUCTIONS, n=1, cutoff=0.5)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise UnknownNameError(
            f"measure {item!r}: there is no reduction {call[1]!r}{hint}; there are "
            f"{', '.join(REDUCTIONS)}"
        )
    return ChannelMeasure(call[2], call[1])
