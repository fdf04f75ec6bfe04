"""Functions that tests compare kernels with stay compiled where kernels run as plain Python."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function on first call, also with NUMBA_DISABLE_JIT=1.

    A brute force search takes thousands of evaluations for one of the kernel: as plain Python it
    would leave no time for what is tested. The settings are those of kernels.
    """
    kept = config.DISABLE_JIT
    config.DISABLE_JIT = 0
    try:
        made: Any = numba.njit(error_model="numpy", no_cfunc_wrapper=True)(function)
    finally:
        config.DISABLE_JIT = kept
    return made
