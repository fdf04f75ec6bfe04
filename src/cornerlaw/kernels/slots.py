"""Functions of the user inside compiled loops, as C function pointers in an address table.

A kernel calls an integer address, so neither the number nor the kind of user functions changes any
Numba type: the loop around them stays in the cache whatever the model contains. A call costs about
10 ns. An address is valid in the process that made it only.

What a user function should know:

- Values of global variables and closures are frozen when the function is compiled.
- Division by zero gives inf or nan. An exception (also an index out of range) cannot cross the
  compiled loop: it fills the whole output with nan, and the run stops at the non-finite value.
"""

import math
import re
import warnings
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import NumbaWarning, TypingError
from numba.extending import intrinsic

from cornerlaw.errors import CompileError
from cornerlaw.kernels._numba import kernel

_DOUBLES = types.CPointer(types.float64)
_SIGNATURE = types.void(_DOUBLES, types.intp, _DOUBLES, types.intp, _DOUBLES, types.intp)
_ADAPTER = types.none(types.float64[::1], types.float64[::1], types.float64[::1])
_ADVICE = "use only numbers, math and numpy functions in it"
_NAN = math.nan

# machine code behind an address in use must never be collected, hence for the life of the process
_alive: dict[int, Any] = {}


@intrinsic
def _invoke(typing_context, address, inp, par, out):
    """Call the C function at `address` with data pointer and length of three float64 arrays."""
    for array in (inp, par, out):
        # only the data pointer is passed on: strides would be lost without a word
        if not isinstance(array, types.Array) or array.dtype != types.float64:
            raise TypingError(f"call_slot needs arrays of float64, not {array}")
        if array.layout != "C":
            raise TypingError(f"call_slot needs contiguous arrays, not {array}")
    signature = types.void(types.int64, inp, par, out)

    def codegen(context, builder, signature, args):
        arguments = []
        for array_type, value in zip(signature.args[1:], args[1:], strict=True):
            array = context.make_array(array_type)(context, builder, value)
            arguments += [array.data, array.nitems]
        function_type = ir.FunctionType(ir.VoidType(), [value.type for value in arguments])
        function = builder.inttoptr(args[0], function_type.as_pointer())
        builder.call(function, arguments)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def _succeeds(typing_context, function, inp, par, out):
    """Call a compiled function and return whether it came back without an exception.

    A try block would do the same and takes three times as long to compile.
    """
    arguments = (inp, par, out)
    result = function.dispatcher.get_compile_result(_ADAPTER)
    signature = types.boolean(function, *arguments)

    def codegen(context, builder, signature, args):
        context.add_linking_libs([result.library])
        status, _ = context.call_internal_no_propagate(
            builder, result.fndesc, result.signature, args[1:]
        )
        return builder.not_(status.is_error)

    return signature, codegen


@kernel
def call_slot(address, inp, par, out):
    """Evaluate the user function at `address` as out = f(inp; par) and write `out`.

    All three are contiguous float64 arrays, and `address` comes from `make_slot`.
    """
    _invoke(address, inp, par, out)


def compile_user_function(function: Callable[..., Any], *, label: str) -> Any:
    """Return the function in a form that an adapter can call; it is compiled with the adapter.

    Indices are checked, since a wrong one must not read foreign memory. A function that its author
    has decorated for Numba, a builtin or a ufunc is returned as it is.
    """
    if isinstance(function, FunctionType):
        return numba.njit(error_model="numpy", boundscheck=True)(function)
    if isinstance(function, numba.core.dispatcher.Dispatcher | BuiltinFunctionType | np.ufunc):
        return function
    kind = type(function).__name__
    raise CompileError(
        f"{label} cannot be compiled: it is an object of type {kind}; "
        "give a plain function (def or lambda)."
    )


def make_slot(adapter: Callable[..., None], *, label: str) -> int:
    """Compile `adapter(inp, par, out)` and return its address for `call_slot`.

    The adapter unpacks `inp`, calls functions from `compile_user_function` and writes `out`;
    `label` names the user's function in the error. It takes some 0.2 s.
    """
    compiled: Any = numba.njit(error_model="numpy", boundscheck=True)(adapter)

    def entry(inp_at, n_inp, par_at, n_par, out_at, n_out):
        out = numba.carray(out_at, n_out)
        if not _succeeds(compiled, numba.carray(inp_at, n_inp), numba.carray(par_at, n_par), out):
            for i in range(n_out):
                out[i] = _NAN

    try:
        with warnings.catch_warnings():
            # remarks on the performance of a user's function are no news to its author
            warnings.simplefilter("ignore", NumbaWarning)
            compiled.compile(_ADAPTER)
            slot = numba.cfunc(_SIGNATURE, error_model="numpy")(entry)
    except Exception as error:
        # other kinds than NumbaError escape as well: AttributeError for an unknown numpy name
        message = f"{label} cannot be compiled: {_reason(str(error))}; {_ADVICE}."
        raise CompileError(message) from None
    _alive[slot.address] = slot
    return int(slot.address)


def _reason(text: str) -> str:
    """Extract the one line that matters from the report of the compiler and put it plainly."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    first = lines[0] if lines else "the compiler gives no reason"
    if found := re.match(r"Untyped global name '(.*?)':.*?<class '(.*?)'>", first):
        name, kind = found.groups()
        if kind == "function":
            return f"it calls '{name}', which is not compiled (decorate it with numba.njit)"
        return f"it uses '{name}', an object of type {kind.rsplit('.', 1)[-1]}"
    if first.startswith("No implementation of function"):
        call = next((line[3:].strip() for line in lines if line.startswith(">>>")), first)
        call = re.sub(r"Literal\[(\w+)\]\(.*?\)", r"\1", call)
        if found := re.match(r"setitem\(array\(.*?\), .*?, (.*)\)$", call):
            return f"a value of type {found[1]} stands where a number is needed"
        return f"there is no {call}"
    if found := re.match(r"Cannot bind 'args=\((.*?),?\) kws=.*' to signature '(\(.*?\))'", first):
        given = len(re.split(r",\s(?![^(]*\))", found[1]))
        return f"it takes {found[2]} but gets {given} argument{'s' if given > 1 else ''}"
    if found := re.match(r"Unknown attribute '(.*?)' of type Module\(<module '(.*?)'", first):
        return f"{found[2]}.{found[1]} has no compiled form"
    return first.removesuffix(" Raised from None").rstrip(".")
