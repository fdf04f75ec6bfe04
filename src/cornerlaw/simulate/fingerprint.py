"""What tells one model from another: a hash of its equations, functions of the user included."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

import numpy as np

from cornerlaw.model import (
    BilateralRow,
    Delay,
    Input,
    Interpreted,
    Motion,
    Part,
    Sampled,
    ScaledInput,
    SetRow,
    Table,
    UnilateralRow,
)
from cornerlaw.simulate.system import System


def functions_of(part: Any) -> Iterator[Any]:
    """Yield the user's functions among the fields of a part, also inside motions and containers."""
    waiting = list(vars(part).values())
    while waiting:
        value = waiting.pop(0)
        if type(value) in (float, str, bool, type(None)):
            continue  # what most fields are
        if isinstance(value, Motion):
            waiting += [value.position, value.velocity, value.acceleration]
        elif isinstance(value, Delay):
            yield value
        elif isinstance(value, BilateralRow | UnilateralRow | SetRow):
            waiting += vars(value).values()
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, tuple):
            waiting += value
        elif callable(value) and not isinstance(value, Part | Table | Input | ScaledInput | type):
            yield value


def code_of(function: Any) -> bytes:
    """Return bytes that differ between functions of different code or captured values."""
    if isinstance(function, Sampled):
        return code_of(function.function) + repr(function.dt).encode()
    if isinstance(function, Delay):
        numbers = (function.delay, function.points, function.before)
        return code_of(function.function) + repr(numbers).encode()
    if isinstance(function, Interpreted):
        function = function.function
    plain = getattr(function, "py_func", function)
    code: CodeType | None = getattr(plain, "__code__", None)
    if code is None:
        return repr(plain).encode()
    captured = [_captured(cell.cell_contents, plain) for cell in plain.__closure__ or ()]
    consts = [repr(value) for value in code.co_consts if not hasattr(value, "co_code")]
    return code.co_code + repr((code.co_names, consts, captured, plain.__defaults__)).encode()


def _captured(value: Any, owner: Any) -> str:
    """Return the text of a captured value; that of a function does not tell where it lies."""
    if isinstance(value, np.ndarray):
        return f"{value.shape} {value.tobytes().hex()}"
    function = getattr(value, "py_func", value)
    if function is owner or not hasattr(function, "__code__"):
        return repr(value) if function is not owner else "itself"
    return code_of(function).hex()


def fingerprint(system: System) -> str:
    """Return a short hash of everything that defines the equations of motion, inputs included."""
    a = system.arrays
    pieces: list[bytes] = []
    for group in (a.tree, a.frames, a.rows, a.elements, a.signals, a.blocks):
        for name, array in zip(group._fields, group, strict=True):
            if "address" not in name:
                pieces += (name.encode(), array.tobytes())
    digest = hashlib.sha256(b"".join(pieces))
    digest.update(system.arrays.gravity.tobytes())
    for part in system.model.parts:
        for function in functions_of(part):
            digest.update(code_of(function))
    return digest.hexdigest()[:16]
