"""Functions of the user inside compiled loops, as C function pointers in an address table.

A kernel calls an integer address, so neither the number nor the kind of user functions changes any
Numba type: the loop around them stays in the cache whatever the model contains. A call costs about
10 ns. An address is valid in the process that made it only.

What a user function should know:

- Values of global variables and closures are frozen when the function is compiled.
- Division by zero gives inf or nan. An exception (also an index out of range) cannot cross the
  compiled loop: it fills the whole output with nan, and the run stops at the non-finite value. The
  arguments of the last such call are kept, so that `failure_of` can tell what happened.
- A function that cannot be compiled may be called by the interpreter (`make_callback`), at every
  evaluation or, behind `make_hold`, at chosen times only.
"""

import ctypes
import math
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaWarning, TypingError
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

from cornerlaw.errors import CompileError
from cornerlaw.kernels._numba import counted_kernel, kernel

_DOUBLES = types.CPointer(types.float64)
_SIGNATURE = types.void(_DOUBLES, types.intp, _DOUBLES, types.intp, _DOUBLES, types.intp)
_ADAPTER = types.none(types.float64[::1], types.float64[::1], types.float64[::1])
_ADVICE = (
    "use only numbers, math and numpy functions in it, or give cl.Interpreted(function), which is "
    "called at every evaluation, slowly, or cl.Sampled(function, dt), held between samples"
)
_NAN = math.nan

# what a slot keeps of its last failed call: what happened, three sizes, then the arguments
_HAPPENED, _N_INP, _N_PAR, _N_OUT, _ARGUMENTS = 0, 1, 2, 3, 4
_KEPT = 512
_NOT_FINITE, _RAISED = 1.0, 2.0

# what a slot that holds its values does when it is called
LIVE, HOLD, SAMPLE = 0.0, 1.0, 2.0


@dataclass
class _Slot:
    """A user function behind an address: what must stay alive, and what went wrong last."""

    code: Any  # machine code in use must never be collected, hence for the life of the process
    adapter: Any
    memo: Any = field(default_factory=lambda: np.zeros(_ARGUMENTS + _KEPT))
    error: BaseException | None = None  # of a function that the interpreter calls


_slots: dict[int, _Slot] = {}


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
def _pointer(typing_context, address):
    """Return an address as a pointer to float64 numbers."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(_DOUBLES))

    return _DOUBLES(types.int64), codegen


def _view(ndim: int) -> Any:
    """Return an intrinsic that shows places of a flat array as n rows, or matrices, of three."""

    @intrinsic
    def view(typing_context, array, start, n):
        kind = types.Array(types.float64, ndim, "C")

        def codegen(context, builder, signature, args):
            source = context.make_array(signature.args[0])(context, builder, args[0])
            word = context.get_value_type(types.intp)
            shape = [args[2]] + [ir.Constant(word, 3)] * (ndim - 1)
            strides = [ir.Constant(word, 8 * 3 ** (ndim - 1 - k)) for k in range(ndim)]
            out = context.make_array(kind)(context, builder)
            populate_array(
                out,
                data=builder.gep(source.data, [args[1]]),
                shape=cgutils.pack_array(builder, shape),
                strides=cgutils.pack_array(builder, strides),
                itemsize=ir.Constant(word, 8),
                meminfo=None,
            )
            return out._getvalue()

        return kind(array, types.intp, types.intp), codegen

    return view


_rows, _matrices = _view(2), _view(3)


def view_rows(array: Any, start: int, n: int) -> Any:
    """Return places start, ... of a flat array as n rows of three, without a copy."""
    return array[start : start + 3 * n].reshape(n, 3)


def view_matrices(array: Any, start: int, n: int) -> Any:
    """Return places start, ... of a flat array as n matrices (3, 3), without a copy."""
    return array[start : start + 9 * n].reshape(n, 3, 3)


@overload(view_rows)
def _compiled_view_rows(array, start, n):
    return lambda array, start, n: _rows(array, start, n)


@overload(view_matrices)
def _compiled_view_matrices(array, start, n):
    return lambda array, start, n: _matrices(array, start, n)


@counted_kernel
def _keep_failure(place, happened, inp, par, n_out):
    """Keep the arguments of a failed call at an address, if they were numbers themselves."""
    for i in range(inp.size):
        if not math.isfinite(inp[i]):
            return
    memo = numba.carray(_pointer(place), (_ARGUMENTS + _KEPT,))
    if inp.size + par.size > _KEPT:
        return
    memo[_HAPPENED] = happened
    memo[_N_INP], memo[_N_PAR], memo[_N_OUT] = inp.size, par.size, n_out
    for i in range(inp.size):
        memo[_ARGUMENTS + i] = inp[i]
    for i in range(par.size):
        memo[_ARGUMENTS + inp.size + i] = par[i]


@kernel
def _is_finite(values, n):
    for i in range(n):
        if not math.isfinite(values[i]):
            return False
    return True


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


def make_slot(adapter: Callable[..., None], *, label: str, results: int = 1) -> int:
    """Compile `adapter(inp, par, out)` and return its address for `call_slot`.

    The adapter unpacks `inp`, calls functions from `compile_user_function` and writes the first
    `results` entries of `out`; `label` names the user's function in the error. It takes some 0.2 s.
    """
    compiled: Any = numba.njit(error_model="numpy", boundscheck=True)(adapter)
    slot = _Slot(None, compiled)
    place = int(slot.memo.ctypes.data)

    def entry(inp_at, n_inp, par_at, n_par, out_at, n_out):
        inp, par = numba.carray(inp_at, n_inp), numba.carray(par_at, n_par)
        out = numba.carray(out_at, n_out)
        if not _succeeds(compiled, inp, par, out):
            for i in range(n_out):
                out[i] = _NAN
            _keep_failure(place, _RAISED, inp, par, n_out)
        elif not _is_finite(out, min(results, n_out)):
            _keep_failure(place, _NOT_FINITE, inp, par, n_out)

    try:
        with warnings.catch_warnings():
            # remarks on the performance of a user's function are no news to its author
            warnings.simplefilter("ignore", NumbaWarning)
            compiled.compile(_ADAPTER)
            slot.code = numba.cfunc(_SIGNATURE, error_model="numpy")(entry)
    except Exception as error:
        # other kinds than NumbaError escape as well: AttributeError for an unknown numpy name
        message = f"{label} cannot be compiled: {_reason(str(error))}; {_ADVICE}."
        raise CompileError(message) from None
    _slots[slot.code.address] = slot
    return int(slot.code.address)


_CALLBACK = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p, ctypes.c_ssize_t) * 3)


def _doubles(address: int | None, n: int) -> Any:
    """Return n float64 numbers at an address as an array."""
    if not n or address is None:
        return np.zeros(0)
    return np.ctypeslib.as_array((ctypes.c_double * n).from_address(address))


def make_callback(adapter: Callable[..., None], *, results: int = 1) -> int:
    """Return the address of an adapter that the interpreter runs at every call, some 5 us each.

    An exception fills the output with nan and is kept for `failure_of`.
    """
    slot = _Slot(None, adapter)

    def entry(inp_at, n_inp, par_at, n_par, out_at, n_out):
        inp, out = _doubles(inp_at, n_inp), _doubles(out_at, n_out)
        try:
            # a copy: the function may keep what it is given
            adapter(inp.copy(), _doubles(par_at, n_par).copy(), out)
            if not np.isfinite(out[:results]).all() and np.isfinite(inp).all():
                slot.error = ArithmeticError(_shown(out[:results]))
        except BaseException as error:
            out[:] = _NAN
            if np.isfinite(inp).all() or not isinstance(error, Exception):
                slot.error = error

    slot.code = _CALLBACK(entry)
    address = ctypes.cast(slot.code, ctypes.c_void_p).value
    assert address is not None
    _slots[address] = slot
    return address


def make_hold(callback: int, held: Any) -> int:
    """Return the address of a slot that calls another one or repeats its last values.

    held[0] says which: LIVE calls, SAMPLE calls and keeps the results in held[1:], HOLD repeats
    them without a call.
    """
    place, size = int(held.ctypes.data), held.size
    slot = _Slot(None, _slots[callback].adapter)

    def entry(inp_at, n_inp, par_at, n_par, out_at, n_out):
        kept, out = numba.carray(_pointer(place), (size,)), numba.carray(out_at, n_out)
        n = min(n_out, size - 1)
        if kept[0] != HOLD:
            _invoke(callback, numba.carray(inp_at, n_inp), numba.carray(par_at, n_par), out)
            if kept[0] == SAMPLE:
                for i in range(n):
                    kept[1 + i] = out[i]
        else:
            for i in range(n):
                out[i] = kept[1 + i]

    slot.code = numba.cfunc(_SIGNATURE, error_model="numpy")(entry)
    _slots[slot.code.address] = slot
    return int(slot.code.address)


def forget_failures(addresses: Iterable[int]) -> None:
    """Forget what went wrong before; a run begins."""
    for address in addresses:
        slot = _slots[address]
        slot.memo[_HAPPENED], slot.error = 0.0, None


def failure_of(address: int) -> str:
    """Return what the last failed call of a user function did, empty if there was none."""
    slot = _slots[address]
    if slot.error is not None:
        if isinstance(slot.error, ArithmeticError) and type(slot.error) is ArithmeticError:
            return f"gives {slot.error}"
        return f"fails with {type(slot.error).__name__}: {slot.error}"
    memo = slot.memo
    if memo[_HAPPENED] == 0.0:
        return ""
    n_inp, n_par, n_out = (int(memo[k]) for k in (_N_INP, _N_PAR, _N_OUT))
    inp = memo[_ARGUMENTS : _ARGUMENTS + n_inp].copy()
    par = memo[_ARGUMENTS + n_inp : _ARGUMENTS + n_inp + n_par].copy()
    out = np.zeros(n_out)
    try:
        slot.adapter(inp, par, out)
    except Exception as error:
        return f"fails with {type(error).__name__}: {error}".rstrip(": ")
    return f"gives {_shown(out)}"


def _shown(values: Any) -> str:
    """Return the first of some values that is not a finite number."""
    bad = values[~np.isfinite(values)]
    return f"{bad[0]:g}" if bad.size else "a number that is not finite"


def raise_interrupt(addresses: Iterable[int]) -> None:
    """Pass on a Ctrl-C that came while the interpreter was in one of the functions."""
    for address in addresses:
        error = _slots[address].error
        if error is not None and not isinstance(error, Exception):
            _slots[address].error = None
            raise error


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
    if found := re.match(r"\(?'?wrong tuple length.*expected (\d+), got (\d+)", first):
        return f"it must return {found[1]} numbers, it returns {found[2]}"
    if first.startswith(("failed to unpack", "Failed to unpack")):
        return "it returns one value where several are needed"
    if found := re.match(r"Unknown attribute '(.*?)' of type Module\(<module '(.*?)'", first):
        return f"{found[2]}.{found[1]} has no compiled form"
    return first.removesuffix(" Raised from None").rstrip(".")
