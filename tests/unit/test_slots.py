"""User functions in slots: values, exceptions, and errors in one sentence."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from cornerlaw.errors import CompileError
from cornerlaw.kernels.slots import call_slot, compile_user_function, make_slot

EMPTY = np.zeros(0)


def scalar_slot(function: Callable[..., Any]) -> int:
    compiled = compile_user_function(function, label="torque 'gas'")

    def adapter(inp, par, out):
        out[0] = compiled(inp[0])

    return make_slot(adapter, label="torque 'gas'")


def evaluate(address: int, t: float) -> float:
    out = np.full(1, 7.0)
    call_slot(address, np.array([t]), EMPTY, out)
    return float(out[0])


@numba.njit
def sum_slots(addresses, t):
    inp, par, out, total = np.full(1, t), np.zeros(0), np.zeros(1), 0.0
    for address in addresses:
        call_slot(address, inp, par, out)
        total += out[0]
    return total


def test_any_number_of_functions_in_one_compiled_loop() -> None:
    slots = [scalar_slot(f) for f in (lambda t: math.sin(t), lambda t: 2.0 * t, math.exp, np.cos)]
    expected = math.sin(0.3) + 0.6 + math.exp(0.3) + math.cos(0.3)
    assert sum_slots(np.array(slots), 0.3) == pytest.approx(expected, rel=1e-15)
    assert sum_slots(np.array(slots[:2]), 0.3) == pytest.approx(math.sin(0.3) + 0.6, rel=1e-15)
    # number and kind of functions must not make a new type
    assert len(sum_slots.signatures) == 1


def test_parameters_and_vectors_pass_through() -> None:
    def adapter(inp, par, out):
        for i in range(out.size):
            out[i] = par[0] * inp[i] + par[1]

    out = np.zeros(3)
    call_slot(
        make_slot(adapter, label="line"), np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0]), out
    )
    assert out.tolist() == [3.0, 5.0, 7.0]


def test_closure_values_are_frozen_at_compilation() -> None:
    stiffness = 5.0

    def law(t):
        return stiffness * t

    address = scalar_slot(law)
    stiffness = 6.0
    assert evaluate(address, 2.0) == 10.0
    assert evaluate(scalar_slot(law), 2.0) == 12.0


def test_exceptions_fill_the_output_with_nan() -> None:
    table = np.zeros(3)

    def raises(t):
        if t > 1.0:
            raise ValueError("too late")
        return t

    slot = scalar_slot(raises)
    assert evaluate(slot, 0.5) == 0.5
    assert math.isnan(evaluate(slot, 1.5))
    assert evaluate(slot, 0.25) == 0.25
    assert math.isnan(evaluate(scalar_slot(lambda t: table[int(t) + 9]), 0.0))
    assert evaluate(scalar_slot(lambda t: 1.0 / t), 0.0) == math.inf


def test_partial_writes_before_an_exception_are_not_left_behind() -> None:
    def adapter(inp, par, out):
        out[0] = 1.0
        out[int(inp[0])] = 2.0

    out = np.zeros(2)
    call_slot(make_slot(adapter, label="law"), np.array([5.0]), EMPTY, out)
    assert np.isnan(out).all()


def test_strided_or_integer_arrays_are_refused() -> None:
    slot = scalar_slot(lambda t: t)
    with pytest.raises(numba.core.errors.TypingError, match="contiguous"):
        call_slot(slot, np.zeros(4)[::2], EMPTY, np.zeros(1))
    with pytest.raises(numba.core.errors.TypingError, match="float64"):
        call_slot(slot, np.zeros(1, dtype=np.int64), EMPTY, np.zeros(1))


def helper(t):
    return t


class Engine:
    torque = 3.0


engine = Engine()


def two_arguments(t, u):
    return t + u


def opens_a_file(t):
    with open("table.csv") as file:
        return float(file.read())


WRONG = [
    (lambda t: helper(t), "it calls 'helper', which is not compiled (decorate it with numba.njit)"),
    (lambda t: engine.torque * t, "it uses 'engine', an object of type Engine"),
    (lambda t: missing * t, "name 'missing' is not defined"),  # noqa: F821
    (lambda t: np.interpolate(t), "no attribute 'interpolate'"),
    (lambda t: t.magnitude, "Unknown attribute 'magnitude' of type float64"),
    (lambda t: "a" + t, "there is no add(str, float64)"),
    (lambda t: (t, t), "a value of type UniTuple(float64 x 2) stands where a number is needed"),
    (two_arguments, "it takes (t, u) but gets 1 argument"),
    (opens_a_file, "is not supported"),
    (functools.partial(two_arguments, 1.0), "it is an object of type partial"),
]


@pytest.mark.parametrize(("function", "reason"), WRONG, ids=[reason[:30] for _, reason in WRONG])
def test_what_cannot_be_compiled_is_one_sentence(function: Any, reason: str) -> None:
    with pytest.raises(CompileError) as caught:
        scalar_slot(function)
    message = str(caught.value)
    assert message.startswith("torque 'gas' cannot be compiled: ")
    assert reason in message
    assert "\n" not in message and "nopython" not in message and message.endswith(".")
    assert "numpy functions" in message or "plain function" in message
    # nothing of the compiler's own report is printed below the sentence
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
