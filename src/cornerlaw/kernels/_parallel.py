"""The decorator of kernels that use all cores."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.np.ufunc.parallel import _launch_threads

from cornerlaw.kernels._numba import keep_code

F = TypeVar("F", bound=Callable[..., Any])

# a caller that comes from the cache does not start the threads of what it calls
_launch_threads()


def parallel_kernel(function: F) -> F:
    """Compile a function whose `numba.prange` loops use all cores; otherwise as `kernel`."""
    compiled: Any = numba.njit(error_model="numpy", parallel=True, _nrt=True)(function)
    keep_code(compiled, function)
    return compiled
