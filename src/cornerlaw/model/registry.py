"""Functions that upper layers lend to the model, so that nothing here imports upward."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from cornerlaw.errors import UsageError

_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def register(name: str, function: Callable[..., Any]) -> None:
    """Make a function known under a name; a later one replaces it."""
    _FUNCTIONS[name] = function


def lookup(name: str, provider: str = "") -> Callable[..., Any]:
    """Return the function; if it is not known yet, import its provider, which registers it."""
    if name not in _FUNCTIONS and provider:
        importlib.import_module(provider)
    if name not in _FUNCTIONS:
        raise UsageError(f"no function is registered under {name!r}")
    return _FUNCTIONS[name]
