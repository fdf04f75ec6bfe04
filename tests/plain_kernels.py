"""Kernels as plain Python on the same arrays: for coverage and for mutants, never for speed.

    NUMBA_DISABLE_JIT=1 python -m pytest -p plain_kernels -n 0 tests/unit/test_solvers.py

With that variable `numba.njit` returns the function itself. What remains are the few places where
kernels go through machine addresses: late calls and functions of the user become entries of a
table, borrowed views become views of NumPy, and addresses of numbers become pointers of ctypes.
The replacements are made before any kernel is imported.

With CORNERLAW_PLAIN_LIMIT a test that takes more seconds of the processor is left and counts as
skipped: what it has run is covered all the same, and `make coverage` has an end. Where lines are
counted, so is a test that has run no new line of a kernel for a while.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

LIMIT = float(os.environ.get("CORNERLAW_PLAIN_LIMIT", "0"))
TICK, IDLE = 0.25, 2.0  # [s] between two looks at a test, and in kernels without a new line
KERNELS = f"{os.sep}cornerlaw{os.sep}kernels{os.sep}"
# about machine code itself: what cannot be compiled, and arithmetic that raises in the interpreter
ABOUT_MACHINE_CODE = (
    "tests/unit/test_slots.py",
    "tests/unit/test_planar_tree.py::test_sines",
    "tests/unit/test_counted_kernels.py::test_a_kernel_takes_arrays_of_the_interpreter",
)

_FIRST = 1  # 0 stands for a stage that a model does not need
_table: list[Callable[..., Any]] = []
_places: dict[Any, int] = {}


def place_of(function: Callable[..., Any]) -> int:
    """Return the number under which a function can be called; the same one every time."""
    if function not in _places:
        _places[function] = _FIRST + len(_table)
        _table.append(function)
    return _places[function]


def _call_late(address: int, *arguments: Any) -> Any:
    return _table[int(address) - _FIRST](*arguments)


def _numbers(address: int) -> Any:
    return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_double))


def _part(array: Any, start: int, size: int) -> Any:
    return array.reshape(-1)[start : start + size]


def _view(array: Any, start: int, rows: int, columns: int) -> Any:
    return array.reshape(-1)[start : start + rows * columns].reshape(rows, columns)


def _plain_user_function(function: Any, *, label: str) -> Any:
    from types import BuiltinFunctionType, FunctionType

    from cornerlaw.errors import CompileError

    if isinstance(function, FunctionType | BuiltinFunctionType | np.ufunc):
        return function
    raise CompileError(f"{label} cannot be compiled: it is an object of {type(function).__name__}")


def _make_slot(adapter: Callable[..., None], *, label: str, results: int = 1) -> int:
    from cornerlaw.kernels import slots

    slot = slots._Slot(None, adapter)

    def entry(inp: Any, par: Any, out: Any) -> None:
        try:
            adapter(inp, par, out)
        except Exception:
            out[:] = math.nan
        if not np.isfinite(out[:results]).all():
            memo_at = int(slot.memo.ctypes.data)
            slots._keep_failure(memo_at, slots._NOT_FINITE, inp, par, out.size)

    address = place_of(entry)
    slots._slots[address] = slot
    return address


def _make_callback(adapter: Callable[..., None], *, results: int = 1) -> int:
    from cornerlaw.kernels import slots

    slot = slots._Slot(None, adapter)

    def entry(inp: Any, par: Any, out: Any) -> None:
        try:
            adapter(inp.copy(), par.copy(), out)
            if not np.isfinite(out[:results]).all() and np.isfinite(inp).all():
                slot.error = ArithmeticError(slots._shown(out[:results]))
        except BaseException as error:
            out[:] = math.nan
            slot.error = error

    address = place_of(entry)
    slots._slots[address] = slot
    return address


def _make_hold(callback: int, held: Any) -> int:
    from cornerlaw.kernels import slots

    def entry(inp: Any, par: Any, out: Any) -> None:
        n = min(out.size, held.size - 1)
        if held[0] == slots.HOLD:
            out[:n] = held[1 : 1 + n]
            return
        _call_slot(callback, inp, par, out)
        if held[0] == slots.SAMPLE:
            held[1 : 1 + n] = out[:n]

    address = place_of(entry)
    slots._slots[address] = slots._Slot(None, slots._slots[callback].adapter)
    return address


def _call_slot(address: int, inp: Any, par: Any, out: Any) -> None:
    _table[int(address) - _FIRST](inp, par, out)


def _dot(a: Any, i: int, b: Any, j: int, n: int) -> Any:
    return a[i : i + n] @ b[j : j + n]


def _dot_rows(a: Any, i_1: int, i_2: int, j: int, n: int) -> Any:
    return _dot(a, i_1, a, j, n), _dot(a, i_2, a, j, n)


def _dot_crossed(a: Any, b: Any, i: int, j: int, n: int) -> Any:
    return _dot(a, i, b, j, n), _dot(b, i, a, j, n)


def _dot_crossed_rows(a: Any, b: Any, i_1: int, i_2: int, j: int, n: int) -> Any:
    return *_dot_crossed(a, b, i_1, j, n), *_dot_crossed(a, b, i_2, j, n)


def _add_multiple(a: Any, i: int, factor: float, b: Any, j: int, n: int) -> None:
    a[i : i + n] += factor * b[j : j + n]


def replace() -> None:
    """Put plain functions in the place of everything that works on machine addresses."""
    assert config.DISABLE_JIT, "set NUMBA_DISABLE_JIT=1"
    early = [n for n in sys.modules if n.startswith("cornerlaw.kernels.") and "late" in n]
    assert not early, "kernels were imported before their replacements"
    # what compiled code divides by zero is inf or nan, silently
    np.seterr(all="ignore")
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    from cornerlaw.kernels import late

    late.call = _call_late
    late.address_of = lambda function, signature: place_of(function)
    from cornerlaw.kernels import views

    views.part, views.view = _part, _view
    from cornerlaw.kernels import lanes

    lanes.dot, lanes.dot_rows, lanes.add_multiple = _dot, _dot_rows, _add_multiple
    lanes.dot_crossed, lanes.dot_crossed_rows = _dot_crossed, _dot_crossed_rows
    from cornerlaw.kernels import slots

    slots._pointer = _numbers
    slots._invoke = _call_slot
    slots.compile_user_function = _plain_user_function
    slots.make_slot, slots.make_callback, slots.make_hold = _make_slot, _make_callback, _make_hold
    from cornerlaw.kernels import histories

    histories._numbers = _numbers
    assert not hasattr(numba.njit(lambda x: x), "py_func")
    from hypothesis import HealthCheck, settings

    # slowness is the price of this mode
    settings.register_profile("plain", deadline=None, suppress_health_check=list(HealthCheck))
    settings.load_profile("plain")


class Late(BaseException):
    """A test has used up its time; nothing below it may catch this."""


def _covered() -> int | None:
    """Return how many lines were run so far, if they are counted."""
    try:
        from coverage import Coverage

        found: Any = Coverage.current()
        return sum(map(len, found._collector.data.values()))
    except (ImportError, AttributeError):
        return None


class _Watch:
    """Ends a test that has used up its time, or runs nothing new."""

    def __init__(self) -> None:
        self.used = self.idle = 0.0
        self.lines = _covered()

    def look(self, _: int, frame: FrameType | None) -> None:
        """Look every TICK seconds of the processor."""
        if global_compiler_lock.is_locked():
            return  # brute force that a test compares with is compiled once for all tests
        self.used += TICK
        lines = _covered()
        in_kernel = False
        while frame and not in_kernel:
            in_kernel = KERNELS in frame.f_code.co_filename
            frame = frame.f_back
        # outside of kernels it may be on the way to one
        self.idle = 0.0 if lines != self.lines else self.idle + (TICK if in_kernel else TICK / 3.0)
        self.lines = lines
        if self.used > LIMIT or (lines is not None and self.idle > IDLE):
            raise Late


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Leave a test that takes too long as plain Python."""
    if item.nodeid.startswith(ABOUT_MACHINE_CODE):
        pytest.skip("about machine code")
    if LIMIT:
        signal.signal(signal.SIGVTALRM, _Watch().look)
        signal.setitimer(signal.ITIMER_VIRTUAL, TICK, TICK)
    try:
        return (yield)
    except Late:
        pytest.skip("takes long as plain Python")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)


replace()
