"""Turn wrong argument lists into the same clear errors as wrong values."""

from __future__ import annotations

import functools
import inspect
from difflib import get_close_matches
from typing import Any, TypeVar

from cornerlaw.errors import ModelError, UnknownNameError

C = TypeVar("C")


def unknown(text: str, name: str, known: list[str]) -> UnknownNameError:
    """Return the error for an unknown name with the nearest known one."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return UnknownNameError(f"{text} {name!r}; did you mean {near[0]!r}?")
    some = ", ".join(repr(k) for k in known[:8]) + (", ..." if len(known) > 8 else "")
    return UnknownNameError(f"{text} {name!r}; there is {some or 'none at all'}")


def clear_arguments(cls: type[C]) -> type[C]:
    """Make unknown, missing and surplus arguments of a class ModelErrors that name them."""
    init: Any = cls.__init__

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **keywords: Any) -> None:
        try:
            init(self, *args, **keywords)
        except TypeError:
            # only a wrong argument list is ours to explain; any other TypeError passes
            _explain(cls, init, args, keywords)
            raise

    cls.__init__ = __init__  # type: ignore[method-assign]
    return cls


def _explain(cls: type[Any], init: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    parameters = list(inspect.signature(init).parameters.values())[1:]
    known = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    label = cls.__name__ + (f" {args[0]!r}" if args and isinstance(args[0], str) else "")
    for key in keywords:
        if key not in known:
            raise unknown(f"{label} has no field", key, known) from None
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
