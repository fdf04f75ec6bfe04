"""Which values the runs of a sweep have: a grid of all combinations, or a list of samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.errors import UsageError

SAMPLE = "sample"  # the dimension of a list of samples


@dataclass(frozen=True)
class Design:
    """Names and values of the varied parameters; run k has the values `row(k)`."""

    names: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]  # per parameter
    grid: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions of the result."""
        if self.grid:
            return tuple(len(values) for values in self.values)
        return (len(self.values[0]),)

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions of the result."""
        return self.names if self.grid else (SAMPLE,)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def row(self, k: int) -> dict[str, Any]:
        """Return the values of run k; the last parameter of a grid changes fastest."""
        if not self.grid:
            return {name: v[k] for name, v in zip(self.names, self.values, strict=True)}
        found = {}
        for name, values in zip(reversed(self.names), reversed(self.values), strict=True):
            k, place = divmod(k, len(values))
            found[name] = values[place]
        return dict(reversed(found.items()))


def read_design(vary: Any, grid: bool) -> Design:
    """Check what is to be varied."""
    if not isinstance(vary, Mapping) or not vary:
        raise UsageError(
            f"vary must be a dict from parameters to lists of values such as "
            f'{{"spring.stiffness": [10.0, 20.0]}}, got {vary!r}'
        )
    names, values = [], []
    for name, given in vary.items():
        if not isinstance(name, str):
            raise UsageError(f"vary: a parameter must be named by a text, got {name!r}")
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise UsageError(f"vary: {name!r} needs a list of values, got {given!r}")
        found = tuple(_plain(value) for value in given)
        if not found:
            raise UsageError(f"vary: {name!r} has no values")
        names.append(name)
        values.append(found)
    sizes = {name: len(found) for name, found in zip(names, values, strict=True)}
    if not grid and len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name!r} {size}" for name, size in sizes.items())
        raise UsageError(f"samples need as many values of every parameter, got {listed}")
    if grid and SAMPLE in names:
        raise UsageError(f"vary: a parameter must not be called {SAMPLE!r}")
    return Design(tuple(names), tuple(values), grid)


def _plain(value: Any) -> Any:
    """Return numbers of NumPy as those of Python, and rows of arrays as tuples."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.item() if value.ndim == 0 else tuple(_plain(entry) for entry in value)
    if isinstance(value, list):
        return tuple(_plain(entry) for entry in value)
    return value


def coordinate(values: tuple[Any, ...]) -> Any:
    """Return values as a coordinate: numbers, truths and texts as they are, others as texts."""
    kinds = {type(value) for value in values}
    if kinds <= {int, float} or (len(kinds) == 1 and kinds <= {bool, str}):
        return np.array(values)
    return np.array([str(value) for value in values])
