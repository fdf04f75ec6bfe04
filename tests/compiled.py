"""Functions that tests compare kernels with stay compiled where kernels run as plain Python."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numba
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])


@contextlib.contextmanager
def _compiler() -> Iterator[None]:
    """Let Numba compile during the block."""
    kept = config.DISABLE_JIT
    config.DISABLE_JIT = 0
    try:
        yield
    finally:
        config.DISABLE_JIT = kept


def compiled(function: F) -> F:
    """Compile a function on first call, also with NUMBA_DISABLE_JIT=1.

    A brute force search takes thousands of evaluations for one of the kernel: as plain Python it
    would leave no time for what is tested. The settings are those of kernels.
    """
    with _compiler():
        made: Any = numba.njit(error_model="numpy", no_cfunc_wrapper=True)(function)
    # what Numba itself provides is compiled together with the function, not before
    made._compiler.compile = _compiler()(made._compiler.compile)
    return cast(F, made)
