"""Kernels behind addresses: a driver calls the rates of a model without containing them.

Numba links and optimises all code below a function once more for every function above it, and the
rates of a multibody system are by far the largest part. Behind an address they are compiled once, and
the drivers stay small.
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def find_address(function: Any, *arguments: Any) -> int:
    """Compile a kernel for these argument types and return its address, valid in this process.

    The kernel must return an integer.
    """
    function.compile(arguments)
    result = function.overloads[arguments]
    if result.signature.return_type != types.int64:
        raise TypeError(f"{function.py_func.__name__} returns {result.signature.return_type}")
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


@intrinsic
def call_address(typing_context, address, arguments):  # type: ignore[no-untyped-def]
    """Call the kernel at `address` with a tuple of arguments of exactly the types it was compiled for."""
    kinds = tuple(arguments.types)

    def codegen(context, builder, signature, values):  # type: ignore[no-untyped-def]
        convention = context.call_conv
        kind = convention.get_function_type(types.int64, kinds)
        function = builder.inttoptr(values[0], kind.as_pointer())
        unpacked = cgutils.unpack_tuple(builder, values[1])
        status, result = convention.call_function(builder, function, types.int64, kinds, unpacked)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return types.int64(types.int64, arguments), codegen
