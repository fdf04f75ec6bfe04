"""Late binding: a kernel calls another one through its address.

Numba links every callee into its caller and optimises the whole again, level by level; with late
binding each stage is compiled once, and a model compiles only the stages it needs. A call costs a
few nanoseconds. All late kernels return an int64 status.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

from cornerlaw.kernels._numba import kernel

Job = tuple[Any, tuple[Any, ...]]  # a kernel and the types of its arguments


@intrinsic
def call(typing_context, address, *arguments):
    """Call the late kernel at an address and return its status."""
    # no kernel, which would be compiled, linked and optimised once more for every signature
    signature = types.int64(types.int64, types.StarArgTuple.from_types(arguments))

    def codegen(context, builder, signature, args):
        kinds = tuple(signature.args[1])
        values = [builder.extract_value(args[1], k) for k in range(len(kinds))]
        function_type = context.call_conv.get_function_type(types.int64, kinds)
        function = builder.inttoptr(args[0], function_type.as_pointer())
        _, result = context.call_conv.call_function(builder, function, types.int64, kinds, values)
        return result

    return signature, codegen


@kernel
def repeat(n, address, *arguments):
    """Call a late kernel n times, for measurements."""
    status = 0
    for _ in range(n):
        status = call(address, *arguments)
    return status


def address_of(function: Any, signature: tuple[Any, ...]) -> int:
    """Compile a kernel for the given argument types (or load it) and return its address."""
    function.compile(signature)
    result = function.overloads[signature]
    return int(result.library.get_pointer_to_function(result.fndesc.mangled_name))
