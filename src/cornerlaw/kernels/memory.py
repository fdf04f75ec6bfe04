"""Copies of many pieces of memory in one call."""

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from cornerlaw.kernels._numba import kernel


@intrinsic
def _copy(typing_context, target, source, size):
    """Copy `size` bytes between two addresses."""
    signature = types.void(types.int64, types.int64, types.int64)

    def codegen(context, builder, signature, args):
        to, from_ = (builder.inttoptr(address, cgutils.voidptr_t) for address in args[:2])
        cgutils.raw_memcpy(builder, to, from_, args[2], 1)
        return context.get_dummy_value()

    return signature, codegen


@kernel
def copy_pieces(pieces):
    """Copy each piece (n, 3): to which address, from which one, how many bytes."""
    for i in range(pieces.shape[0]):
        _copy(pieces[i, 0], pieces[i, 1], pieces[i, 2])
