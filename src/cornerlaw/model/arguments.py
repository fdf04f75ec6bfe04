"""Turn wrong argument lists into the same clear errors as wrong values."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

from cornerlaw.errors import ModelError, UnknownNameError

C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")

# what others call it, where a similar name would mislead
SYNONYMS = {
    "e": "eps_N", "eps": "eps_N", "restitution": "eps_N", "friction": "mu", "position": "at",
    "omega": "speed",
}  # fmt: skip
MODULES = ("inertia", "rotation")  # whose functions are written with the name of their module


def unknown(text: str, name: str, known: list[str]) -> UnknownNameError:
    """Return the error for an unknown name with the nearest known one."""
    near = get_close_matches(name, known, n=1, cutoff=0.5) if isinstance(name, str) else []
    if isinstance(name, str) and SYNONYMS.get(name) in known:
        near = [SYNONYMS[name]]
    if near:
        return UnknownNameError(f"{text} {name!r}; did you mean {near[0]!r}?")
    some = ", ".join(repr(k) for k in known[:8]) + (", ..." if len(known) > 8 else "")
    try:
        shown = " ".join(repr(name).split())
    except Exception:  # the object is the user's
        shown = f"<{type(name).__name__}>"
    return UnknownNameError(f"{text} {shown}; there is {some or 'none at all'}")


def clear_arguments(cls: type[C]) -> type[C]:
    """Make unknown, missing and surplus arguments of a class ModelErrors that name them."""
    init: Any = cls.__init__

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **keywords: Any) -> None:
        try:
            init(self, *args, **keywords)
        except TypeError:
            # only a wrong argument list is ours to explain; any other TypeError passes
            _explain_init(cls, init, args, keywords)
            raise

    cls.__init__ = __init__  # type: ignore[method-assign]
    return cls


def clear_call(function: Callable[P, T]) -> Callable[P, T]:
    """Make unknown, missing and surplus arguments of a function ModelErrors that name them."""

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> T:
        try:
            return function(*args, **keywords)
        except TypeError:
            parameters = list(inspect.signature(function).parameters.values())
            label = function.__module__.rpartition(".")[2]
            label = f"{label}.{function.__name__}" if label in MODULES else function.__name__
            _explain(label, "argument", parameters, args, keywords)
            raise

    return call


def calls_outside() -> int:
    """Return the stacklevel of a warning that points to the line outside of this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("cornerlaw."):
        frame, level = frame.f_back, level + 1
    return level


def _explain_init(cls: type[Any], init: Any, args: tuple[Any, ...], keywords: Any) -> None:
    parameters = list(inspect.signature(init).parameters.values())[1:]
    label = cls.__name__ + (f" {args[0]!r}" if args and isinstance(args[0], str) else "")
    _explain(label, "field", parameters, args, keywords)


def _explain(
    label: str, word: str, parameters: list[inspect.Parameter], args: tuple[Any, ...], keywords: Any
) -> None:
    """Raise the error of an argument list that does not fit; return if it does."""
    known = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    for key in keywords:
        if key not in known:
            raise unknown(f"{label} has no {word}", key, known) from None
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    if len(args) > len(positional) and not variadic:
        places = ", ".join(positional)
        raise ModelError(
            f"{label} takes {len(positional)} arguments without a name ({places}), "
            f"got {len(args)}; write the others as name=value"
        ) from None
    for name in positional[: len(args)]:
        if name in keywords:
            raise ModelError(f"{label}: {name} is given twice") from None
    given = {*positional[: len(args)], *keywords}
    for p in parameters:
        if p.name not in given and p.default is p.empty and p.kind is not p.VAR_POSITIONAL:
            raise ModelError(f"{label}: {p.name} must be given") from None
