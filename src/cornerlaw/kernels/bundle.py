"""Bundles: a NamedTuple of arrays that kernels receive as one pointer.

Numba passes a NamedTuple by value, seven machine words for every array in it: with some two hundred
arrays each call between kernels would carry more than a thousand arguments, and compilation takes
minutes. A bundle is a block of memory with the descriptors of all fields. Kernels read a field as
`w.r`; fields cannot be assigned, the arrays behind them can be written to. The arrays are borrowed:
the bundle on the Python side keeps them alive, and no reference counting happens in kernels.
"""

import functools
import hashlib
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    NativeValue,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

_WORD = 8


class BundleType(types.Type):
    """The Numba type of a bundle: name, fields, and where their descriptors stand."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        self.members = dict(fields)
        self.offsets: dict[str, int] = {}
        place = 0
        for field, kind in fields:
            self.offsets[field] = place
            # an array: data pointer, shape, strides; anything else: one word
            place += _WORD * (1 + 2 * kind.ndim if isinstance(kind, types.Array) else 1)
        self.size = place
        digest = hashlib.sha256(repr(fields).encode()).hexdigest()[:8]
        # the name alone tells types apart: comparing all fields at every look-up would be slow
        super().__init__(name=f"{name}_{digest}")


@functools.cache
def _array_type(dtype: Any, ndim: int) -> Any:
    """Return Numba's type of contiguous arrays."""
    return types.Array(numba.from_dtype(dtype), ndim, "C")


class Bundle:
    """A NamedTuple ready to be passed to kernels; attributes read through to it."""

    __slots__ = ("_block", "_nested", "_numba_type", "_source", "address")

    def __init__(self, source: Any) -> None:
        self._source = source
        self._nested: list[Bundle] = []
        words: list[int] = []
        fields = []
        for name in source._fields:
            kind, content = self._describe(getattr(source, name))
            fields.append((name, kind))
            words += content
        self._numba_type = _bundle_type(type(source).__name__, tuple(fields))
        self._block = np.array(words, dtype=np.int64)
        self.address = int(self._block.ctypes.data)

    def _describe(self, value: Any) -> tuple[Any, list[int]]:
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise ValueError("a bundle holds contiguous arrays only")
            kind = _array_type(value.dtype, value.ndim)
            # the address is read off the interface: `ctypes` makes three objects for it
            return kind, [value.__array_interface__["data"][0], *value.shape, *value.strides]
        if isinstance(value, int | np.integer):
            return types.int64, [int(value)]
        nested = value if isinstance(value, Bundle) else Bundle(value)
        self._nested.append(nested)
        return nested._numba_type, [nested.address]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


_types: dict[tuple[str, Any], BundleType] = {}


def _bundle_type(name: str, fields: tuple[tuple[str, Any], ...]) -> BundleType:
    key = (name, fields)
    if key not in _types:
        _types[key] = BundleType(name, fields)
    return _types[key]


@typeof_impl.register(Bundle)
def _typeof_bundle(value, context):
    return value._numba_type


@register_model(BundleType)
class _BundleModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@unbox(BundleType)
def _unbox_bundle(kind, obj, c):
    address = c.pyapi.object_getattr_string(obj, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.bitcast(pointer, cgutils.voidptr_t))


@infer_getattr
class _BundleAttributes(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, kind, name):
        return kind.members.get(name)


def _load(builder, base, place, kind):
    """Load a word that never changes while a kernel runs, so that it may be kept in a register."""
    pointer = builder.gep(base, [ir.Constant(ir.IntType(64), place)])
    value = builder.load(builder.bitcast(pointer, kind.as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(BundleType)
def _lower_field(context, builder, kind, base, name):
    member, place = kind.members[name], kind.offsets[name]
    if not isinstance(member, types.Array):
        return _load(builder, base, place, context.get_value_type(member))
    word = context.get_value_type(types.intp)
    array = context.make_array(member)(context, builder)
    element = context.get_data_type(member.dtype)
    data = _load(builder, base, place, element.as_pointer())
    n = member.ndim
    shape = [_load(builder, base, place + _WORD * (1 + k), word) for k in range(n)]
    strides = [_load(builder, base, place + _WORD * (1 + n + k), word) for k in range(n)]
    populate_array(
        array,
        data=data,
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=ir.Constant(word, context.get_abi_sizeof(element)),
        meminfo=None,
    )
    return array._getvalue()
