"""What makes a sweep the same sweep: a hash of models, functions and options."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from cornerlaw.model import Model, Part
from cornerlaw.simulate.fingerprint import code_of


def identity_of(*things: Any) -> str:
    """Return a short hash that a changed value, part or line of a function changes."""
    digest = hashlib.sha256()
    for thing in things:
        digest.update(repr(_describe(thing)).encode())
    return digest.hexdigest()[:16]


def _describe(value: Any) -> Any:
    """Return a value as plain data; a part that another one refers to is its name."""
    if isinstance(value, Model):
        whole = (value.name, value.gravity, value.coordinates)
        return (whole, [(type(p).__name__, _describe(vars(p))) for p in value.parts])
    if isinstance(value, Part):
        return f"part {value.name}"
    if isinstance(value, Mapping):
        return {str(key): _describe(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_describe(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "__code__") or hasattr(value, "py_func"):
        return hashlib.sha256(code_of(value)).hexdigest()
    # the address of an object is another one in the next process
    if repr(value).startswith("<"):
        name = getattr(value, "__qualname__", type(value).__qualname__)
        return (name, _describe(getattr(value, "__dict__", {})))
    return repr(value)
