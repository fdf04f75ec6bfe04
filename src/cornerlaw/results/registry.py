"""A table of functions that upper layers add to results; nothing here imports upward."""

import importlib
from collections.abc import Callable
from typing import Any

from cornerlaw.errors import UsageError

# imported on first use; the import registers
HOMES = {
    "plot": "cornerlaw.plots",
    "poincare": "cornerlaw.plots",
    "bifurcation": "cornerlaw.plots",
    "view": "cornerlaw.viewer",
    "to_html": "cornerlaw.viewer",
    "to_video": "cornerlaw.viewer",
    "frame": "cornerlaw.viewer",
    "notebook": "cornerlaw.viewer",
}

_functions: dict[str, Callable[..., Any]] = {}


def register(name: str, function: Callable[..., Any]) -> None:
    """Make `function(sol, ...)` available under `name`."""
    _functions[name] = function


def lookup(name: str) -> Callable[..., Any]:
    """Return the function registered under `name`, importing its home if it has one."""
    if name not in _functions and name in HOMES:
        importlib.import_module(HOMES[name])
    if name not in _functions:
        raise UsageError(f'Nothing is registered under "{name}" for results.')
    return _functions[name]
