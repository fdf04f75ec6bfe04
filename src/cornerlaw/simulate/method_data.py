"""Methods and stop conditions as plain data, so that a checkpoint can name what it runs with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

from cornerlaw.errors import UsageError
from cornerlaw.model import Stop, impact_laws
from cornerlaw.simulate import event_driven, methods, stepping


@cache
def _known() -> dict[str, Any]:
    """Return the classes that may be named in a file."""
    from cornerlaw.simulate import complementarity

    names = (
        (methods, "RungeKutta4 RungeKutta5 RungeKutta8 Radau GeneralisedAlpha SemiImplicitEuler"),
        (stepping, "Moreau HalfExplicit Stiegelmeyr Theta"),
        (event_driven, "EventDriven"),
        (impact_laws, "Newton NewtonBoth Poisson Sequential Cradle"),
        (complementarity, "ADMM AcceleratedGradient Auto GaussSeidel InteriorPoint Jacobi Lemke"),
        (complementarity, "Pivoting SemismoothNewton"),
    )
    return {name: getattr(home, name) for home, text in names for name in text.split()}


def encode(value: Any) -> Any:
    """Return a method, a law or one of their settings as plain data."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        name = type(value).__name__
        if _known().get(name) is not type(value):
            raise UsageError(
                f"checkpoint: {name} is not a method of cornerlaw, so its run cannot be resumed"
            )
        fields = {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"type": name, **fields}
    if isinstance(value, Mapping):
        return {str(key): encode(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [encode(entry) for entry in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        name = type(value).__name__
        raise UsageError(
            f"checkpoint: {name} is not a part of cornerlaw, so its run cannot be resumed; leave "
            f"checkpoint out, or choose a solver such as cl.Lemke()"
        ) from None


def decode(data: Any) -> Any:
    """Return what `encode` was given; only classes of the list above are ever made."""
    if not isinstance(data, dict):
        return data
    if "type" not in data:
        return {key: decode(entry) for key, entry in data.items()}
    cls = _known().get(str(data["type"]))
    if cls is None:
        raise UsageError(f"checkpoint: {str(data['type'])[:80]!r} is not a method of cornerlaw")
    return cls(**{key: decode(entry) for key, entry in data.items() if key != "type"})


def encode_stop(stop: Stop) -> dict[str, Any]:
    """Return a stop condition as plain data; quantities with units are those of the model."""
    levels = {name: getattr(stop, name) for name in ("above", "below")}
    plain = {name: None if value is None else float(value) for name, value in levels.items()}
    return {"name": stop.name, "quantity": stop.quantity, **plain}


def decode_stop(data: Mapping[str, Any]) -> Stop:
    """Return the stop condition."""
    return Stop(data["name"], data["quantity"], above=data["above"], below=data["below"])
