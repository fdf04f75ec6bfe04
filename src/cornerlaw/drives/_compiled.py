"""The decorator of what several laws share; a law itself is a plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def shared(function: F) -> F:
    """Compile a function that laws call, when the first of them is compiled."""
    compiled: F = numba.njit(error_model="numpy")(function)
    return compiled
