"""A table of functions that upper layers add to results; nothing here imports upward."""

import difflib
import importlib
import inspect
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


def call(name: str, *values: Any, **options: Any) -> Any:
    """Call what is registered; an option that it does not have is named, with the nearest one."""
    function = lookup(name)
    parameters = inspect.signature(function).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        known = [p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
        known += [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][
            len(values) :
        ]
        for option in options:
            if option not in known:
                near = difflib.get_close_matches(option, known, n=1)
                hint = f'did you mean "{near[0]}"?' if near else f"there are: {', '.join(known)}."
                raise UsageError(f'{name} has no option "{option}"; {hint}')
    return function(*values, **options)
