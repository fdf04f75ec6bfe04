"""The decorator of kernels whose products and sums may be fused into one rounding.

A chain of bodies is a chain of operations that wait for each other, and a fused one takes half the
time. Nothing else of fast-math is allowed: infinities, nan and the order of sums stay as written.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from cornerlaw.kernels._numba import keep_code

F = TypeVar("F", bound=Callable[..., Any])


def fused_kernel(function: F) -> F:
    """Compile a function as `kernel` does, with a b + c in one operation where there is one."""
    compiled: Any = numba.njit(
        error_model="numpy", fastmath={"contract"}, no_cfunc_wrapper=True, _nrt=False
    )(function)
    keep_code(compiled, function)
    return compiled
