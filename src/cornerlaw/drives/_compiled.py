"""What several laws share; a law itself is a plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_waiting: list[Callable[..., Any]] = []


def shared(function: F) -> F:
    """Mark a function that compiled laws call; it stays a plain function for Python."""
    _waiting.append(function)
    return function


def register() -> None:
    """Make the shared functions known to the compiler; needed before a law is compiled.

    It is done when an element is made, so that importing the library does not load the compiler.
    """
    from numba.extending import register_jitable

    while _waiting:
        register_jitable(_waiting.pop())
