"""Delayed values: what a user's function measured some time ago, read inside compiled laws.

A history is an array that a run fills: measured values at equal distances in time, the newest
first, behind a head. Laws read a board, one array for all delays of an element: the values that
they see, then for each delay the addresses of its history and of the function that measures.
"""

import ctypes
import math
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from cornerlaw.kernels._numba import counted_kernel, kernel
from cornerlaw.kernels.slots import LIVE, call_slot

# the head of a history, in places of the array
MODE, FIRST, NEWEST, DELAY, POINTS, BEFORE, VALUES = 0, 1, 2, 3, 4, 5, 6
FEWEST = 4  # points of a delay: the cubic through four of them must not need the future
_DOUBLES = types.CPointer(types.float64)


def history_size(points: int) -> int:
    """Return the size of a history: one delay of points, two before it, and two for rounding."""
    return VALUES + points + 4


@intrinsic
def _numbers(typing_context, address):
    """Return an address as a pointer to float64 numbers."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(_DOUBLES))

    return _DOUBLES(types.int64), codegen


@kernel
def read_history(history, t):
    """Return the measured value at t - delay: the cubic through the four points around it.

    No cubic reaches across the start of the run, where the value has a kink, nor across whole
    delays after it, to which the kink is handed on.
    """
    newest, points = int(history[NEWEST]), int(history[POINTS])
    # one delay after the start the value may jump: the newest point tells on which side t lies
    if newest < points:
        return history[BEFORE]
    s = max((t - history[DELAY] - history[FIRST]) * points / history[DELAY], 0.0)
    low = math.floor(s / points) * points
    i = min(max(math.floor(s) - 1, low), low + points - 3, newest - 3)
    i = max(i, newest - points - 3)
    x, k = s - i, VALUES + newest - i
    a, b, c, d = history[k], history[k - 1], history[k - 2], history[k - 3]
    return (
        -a * (x - 1.0) * (x - 2.0) * (x - 3.0) / 6.0
        + b * x * (x - 2.0) * (x - 3.0) / 2.0
        - c * x * (x - 1.0) * (x - 3.0) / 2.0
        + d * x * (x - 1.0) * (x - 2.0) / 6.0
    )


@counted_kernel
def _fill_board(place, n, inp, par):
    """Write the n delayed values of a board; outside runs they are those of now."""
    board = numba.carray(_numbers(place), (3 * n,))
    for i in range(n):
        at, measure = int(board[n + 2 * i]), int(board[n + 2 * i + 1])
        head = numba.carray(_numbers(at), (VALUES,))
        if head[MODE] == LIVE:
            call_slot(measure, inp, par, board[i : i + 1])
        else:
            size = VALUES + int(head[POINTS]) + 4
            board[i] = read_history(numba.carray(_numbers(at), (size,)), inp[0])


def delayed_values(place: int, n: int, inp: Any, par: Any) -> Any:
    """Return the n delayed values of the board at an address, for the arguments of a law."""
    _fill_board(place, n, inp, par)
    return np.ctypeslib.as_array((ctypes.c_double * n).from_address(place))


@overload(delayed_values)
def _compiled_delayed_values(place, n, inp, par):
    def read(place, n, inp, par):
        _fill_board(place, n, inp, par)
        return numba.carray(_numbers(place), (n,))

    return read
