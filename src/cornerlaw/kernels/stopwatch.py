"""A clock in the compiled loop: stages are called through wrappers that note their time.

Stages are bound by address, so a run that is timed gets the addresses of the wrappers and any other
run pays nothing. The time of a stage is its own: that of the stages it calls is theirs.
"""

import ctypes
import sys
import time
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from cornerlaw.kernels.late import address_of, call

if sys.platform == "win32":
    _read = ctypes.windll.kernel32.QueryPerformanceCounter
    _read.argtypes, _read.restype = (ctypes.c_size_t,), ctypes.c_int
    _ARGUMENTS: tuple[int, ...] = ()
    # ticks of the counter are hundreds of nanoseconds or what the system says
    _frequency = ctypes.c_int64()
    ctypes.windll.kernel32.QueryPerformanceFrequency(ctypes.byref(_frequency))
    _SECONDS = (1.0 / _frequency.value, 0.0)
else:
    _read = ctypes.CDLL(None).clock_gettime
    _read.argtypes, _read.restype = (ctypes.c_int, ctypes.c_size_t), ctypes.c_int
    _ARGUMENTS = (int(time.CLOCK_MONOTONIC),)
    _SECONDS = (1.0, 1e-9)


def _pointer_to(kind: Any) -> Any:
    """Return an intrinsic that turns an address into a pointer to numbers of a kind."""

    @intrinsic
    def pointer(typing_context, address):
        target = types.CPointer(kind)

        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(target))

        return target(types.int64), codegen

    return pointer


_integers, _numbers = _pointer_to(types.int64), _pointer_to(types.float64)


class Stopwatch:
    """Wrappers of stages, and the seconds spent in each of them."""

    def __init__(self) -> None:
        # seconds of the stages that the present one has called
        self._inner = np.zeros(1)
        self._ticks = np.zeros(2, np.int64)
        self._seconds: dict[str, Any] = {}
        self._code: list[Any] = []  # machine code in use must not be collected
        self._now = self._make_clock()

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds spent in every stage that was called, without those it called itself."""
        return {name: float(spent[0]) for name, spent in self._seconds.items() if spent[1] > 0.0}

    @property
    def calls(self) -> dict[str, int]:
        """How often every stage was called."""
        return {name: int(spent[1]) for name, spent in self._seconds.items() if spent[1] > 0.0}

    def _make_clock(self) -> Any:
        """Return a compiled function that returns the time in seconds."""
        place = int(self._ticks.ctypes.data)
        read, high, low = _read, *_SECONDS
        kind = _ARGUMENTS[0] if _ARGUMENTS else 0

        if _ARGUMENTS:

            def now():
                read(kind, place)
                ticks = numba.carray(_integers(place), (2,))
                # differences are taken within a second or so: whole seconds keep their digits
                return high * ticks[0] + low * ticks[1]

        else:

            def now():
                read(place)
                return high * numba.carray(_integers(place), (2,))[0]

        return numba.njit(now)

    def timed(self, name: str, address: int, arguments: tuple[Any, ...]) -> int:
        """Return the address of a stage that notes its time under a name."""
        spent = self._seconds.setdefault(name, np.zeros(2))
        spent_at, inner_at = int(spent.ctypes.data), int(self._inner.ctypes.data)
        now = self._now

        def wrapper(*arguments):
            inner = numba.carray(_numbers(inner_at), (1,))
            outer = inner[0]
            inner[0] = 0.0
            began = now()
            status = call(address, *arguments)
            took = now() - began
            total = numba.carray(_numbers(spent_at), (2,))
            total[0] += took - inner[0]
            total[1] += 1.0
            inner[0] = outer + took
            return status

        compiled = numba.njit(wrapper)
        self._code.append(compiled)
        return address_of(compiled, (types.StarArgTuple.from_types(arguments),))


class Clock:
    """A compiled function that tells nanoseconds, called through its address."""

    def __init__(self) -> None:
        self._ticks = np.zeros(2, np.int64)
        at = int(self._ticks.ctypes.data)
        read, high, low = _read, *_SECONDS
        kind = _ARGUMENTS[0] if _ARGUMENTS else 0
        high, low = int(1e9 * high), int(1e9 * low)

        if _ARGUMENTS:

            def now():
                read(kind, at)
                ticks = numba.carray(_integers(at), (2,))
                return high * ticks[0] + low * ticks[1]

        else:

            def now():
                read(at)
                return high * numba.carray(_integers(at), (2,))[0]

        self._now = numba.njit(now)  # machine code in use must not be collected
        self.address = address_of(self._now, ())
