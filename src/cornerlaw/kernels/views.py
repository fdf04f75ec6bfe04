"""Views of arrays without the work of the ordinary ones.

A slice of an array that came as an argument counts its references, two calls for every slice, and
`reshape` checks at run time whether it may. Here the memory is borrowed: whoever calls keeps it
alive and knows that it is large enough.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def _borrow(context, builder, signature, source, start, shape):
    """Return an array of the given shape over the memory of `source` from a place on."""
    array = make_array(signature.args[0])(context, builder, source)
    target = make_array(signature.return_type)(context, builder)
    dtype = context.get_data_type(signature.return_type.dtype)
    item = ir.Constant(ir.IntType(64), context.get_abi_sizeof(dtype))
    strides = [item]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(size, strides[0]))
    populate_array(
        target,
        data=builder.gep(array.data, [start]),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=item,
        meminfo=None,
    )
    return target._getvalue()


@intrinsic
def part(typing_context, array, start, size):
    """Return `size` numbers of a contiguous array from `start` on."""
    signature = types.Array(array.dtype, 1, "C")(array, types.int64, types.int64)

    def codegen(context, builder, signature, args):
        return _borrow(context, builder, signature, args[0], args[1], [args[2]])

    return signature, codegen


@intrinsic
def view(typing_context, array, start, rows, columns):
    """Return the numbers of a contiguous array from `start` on as (rows, columns).

    With a constant number of columns the places in a row are constants for the compiler.
    """
    signature = types.Array(array.dtype, 2, "C")(array, types.int64, types.int64, types.int64)

    def codegen(context, builder, signature, args):
        return _borrow(context, builder, signature, args[0], args[1], [args[2], args[3]])

    return signature, codegen
