"""The decorator of small functions whose code is put wherever they are called.

An array is seven arguments of a call, which take longer than a sum over a few numbers. What such a
function calls is put there as well, hence it calls nothing large.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from cornerlaw.kernels._numba import keep_code

F = TypeVar("F", bound=Callable[..., Any])


def inlined(function: F) -> F:
    """Compile a function as `kernel` does, to be put into its callers."""
    compiled: Any = numba.njit(
        error_model="numpy", no_cfunc_wrapper=True, forceinline=True, _nrt=False
    )(function)
    keep_code(compiled, function)
    return compiled
