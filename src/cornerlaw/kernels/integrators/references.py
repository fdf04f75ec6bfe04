"""Tuples of arrays by reference: one address per argument in place of all their words.

Numba passes a named tuple by value: five words and two per axis for each array, at every call that is
not inlined, with a reference count for each array. That makes calls slow and compilation slower still. A
reference is the address of the same words in memory. `m.tree` is an address again, and `m.tree.mass`
loads one array, borrowed: the Python object keeps everything alive during the call.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

_WORD = ir.IntType(64)


class ReferenceType(types.Type):  # type: ignore[misc]
    """The Numba type of a reference to a named tuple of arrays, integers and named tuples."""

    def __init__(self, target: Any) -> None:
        self.target = target
        super().__init__(name=f"Reference({target})")

    @property
    def key(self) -> Any:
        return self.target


class Reference:
    """A named tuple as kernels get it; reads like the tuple from Python as well."""

    def __init__(self, value: Any) -> None:
        words: list[int] = []
        _append_words(value, words)
        self._words = np.array(words, np.int64)
        self._value = value
        self._type = ReferenceType(typeof(value))
        self.address = int(self._words.ctypes.data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)


def _append_words(value: Any, words: list[int]) -> None:
    """Append the words of Numba's own layout of a value; there is no padding between them."""
    if isinstance(value, tuple):
        for item in value:
            _append_words(item, words)
    elif isinstance(value, np.ndarray):
        # neither owner nor parent: no reference is counted
        words += [0, 0, value.size, value.itemsize, value.ctypes.data]
        words += [*value.shape, *value.strides]
    elif isinstance(value, int | np.integer):
        words.append(int(value))
    else:
        raise TypeError(f"no reference to a value of type {type(value).__name__}")


def _count_words(kind: Any) -> int:
    if isinstance(kind, types.BaseNamedTuple):
        return sum(_count_words(item) for item in kind.types)
    return 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


def _find(target: Any, name: str) -> tuple[int, Any]:
    """Return the offset of a field in words, and its type."""
    index = target.fields.index(name)
    return sum(_count_words(item) for item in target.types[:index]), target.types[index]


@typeof_impl.register(Reference)
def _typeof_reference(value, context):  # type: ignore[no-untyped-def]
    return value._type


@register_model(ReferenceType)
class _ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD)


@unbox(ReferenceType)
def _unbox_reference(kind, value, c):  # type: ignore[no-untyped-def]
    address = c.pyapi.object_getattr_string(value, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(number)


@infer_getattr
class _ReferenceAttributes(AttributeTemplate):  # type: ignore[misc]
    key = ReferenceType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        if name not in kind.target.fields:
            return None
        _, found = _find(kind.target, name)
        return ReferenceType(found) if isinstance(found, types.BaseNamedTuple) else found


@lower_getattr_generic(ReferenceType)
def _get_attribute(context, builder, kind, value, name):  # type: ignore[no-untyped-def]
    offset, found = _find(kind.target, name)
    address = builder.add(value, ir.Constant(_WORD, 8 * offset))
    if isinstance(found, types.BaseNamedTuple):
        return address
    pointer = builder.inttoptr(address, context.get_value_type(found).as_pointer())
    loaded = builder.load(pointer)
    # the words never change during a call, so they may stay in registers while arrays are written
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
