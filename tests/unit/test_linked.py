"""Kernels inside kernels: linked without machine code, whole when somebody calls them."""

import numba
import numpy as np
import pytest

from cornerlaw.kernels import _linked, linalg
from cornerlaw.kernels._linked import KernelDispatcher, LinkedLibrary, is_linked, is_linking
from cornerlaw.kernels._numba import kernel

jit_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def fresh(function):
    """Return a kernel that was never compiled and is not in the cache."""
    made = kernel(function)
    made.__class__ = KernelDispatcher
    return made


@jit_only
def test_a_callee_is_linked_and_later_whole() -> None:
    @fresh
    def inner(x):
        return 3.0 * x + 1.0

    @fresh
    def outer(x):
        return 2.0 * inner(x)

    assert outer(2.0) == 14.0
    key = (numba.float64,)
    assert not is_linked(outer.overloads[key])
    assert isinstance(inner.overloads[key].library, LinkedLibrary)
    assert inner(2.0) == 7.0, "the interpreter gets a whole kernel"
    assert not isinstance(inner.overloads[key].library, LinkedLibrary)
    assert outer(3.0) == 20.0
    assert not is_linking()


@jit_only
def test_a_failed_compilation_leaves_no_trace() -> None:
    @fresh
    def inner(x):
        return x + "text"

    @fresh
    def outer(x):
        return inner(x)

    with pytest.raises(numba.TypingError):
        outer(2.0)
    assert not is_linking()


@jit_only
def test_functions_of_numpy_inside_a_linked_kernel() -> None:
    """Numba compiles its own versions of them, with the options of the kernel."""

    @fresh
    def inner(x):
        return x[:2].sum() + np.sign(x[0]) + np.argmax(x)

    @fresh
    def outer(x):
        return 2.0 * inner(x)

    x = np.array([-1.0, 3.0, 2.0])
    assert outer(x) == 2.0 * (2.0 - 1.0 + 1.0)
    assert inner(x) == 2.0 - 1.0 + 1.0


@jit_only
def test_kernels_of_the_package_link_their_callees() -> None:
    assert isinstance(linalg.solve_pivoted, KernelDispatcher)


@jit_only
def test_functions_of_the_user_are_left_alone() -> None:
    """A function compiled by Numba itself is whole although kernels are not."""

    @numba.njit
    def inner(x):
        return x + 1.0

    @numba.njit
    def outer(x):
        return inner(x)

    assert outer(1.0) == 2.0
    assert not isinstance(inner.overloads[(numba.float64,)].library, LinkedLibrary)
    assert inner(1.0) == 2.0


@jit_only
def test_machine_code_of_a_linked_kernel_can_be_had() -> None:
    @fresh
    def inner(x):
        return np.sqrt(x)

    with _linked.linking():
        inner.compile((numba.float64,))
    library = inner.overloads[(numba.float64,)].library
    assert isinstance(library, LinkedLibrary)
    name = inner.overloads[(numba.float64,)].fndesc.mangled_name
    assert library.get_pointer_to_function(name) != 0
