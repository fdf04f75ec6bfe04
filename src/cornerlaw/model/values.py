"""Values that vary: characteristics by points, inputs set during a run, prescribed motions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass
from typing import Any, TypeAlias

from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import (
    ChoiceKind,
    FunctionKind,
    Kind,
    Level,
    LevelKind,
    TextKind,
    Vector,
    Where,
    as_number,
    as_numbers,
    show,
    spec,
    strip_unit,
    unit_of,
)


@clear_arguments
@dataclass(frozen=True)
class Table:
    """A characteristic by points, y over x.

    `kind` is "linear" or "cubic" (twice continuously differentiable spline); outside the points the
    value is held or continued linearly.
    """

    x: Vector
    y: Vector
    kind: str = "linear"
    extrapolate: str = "hold"

    def __post_init__(self) -> None:
        object.__setattr__(self, "_units", (unit_of(self.x), unit_of(self.y)))
        x = as_numbers(self.x, Where("Table", "x"))
        y = as_numbers(self.y, Where("Table", "y"))
        if len(x) < 2:
            raise Where("Table", "x").error(f"must have at least 2 points, got {len(x)}")
        if len(x) != len(y):
            raise Where("Table", "y").error(
                f"must have as many points as x ({len(x)}), got {len(y)}"
            )
        for k in range(1, len(x)):
            if not x[k] > x[k - 1]:
                raise Where("Table", "x").error(
                    f"must be strictly increasing, got {x[k - 1]:g} before {x[k]:g} at point {k}"
                )
        ChoiceKind(("linear", "cubic")).check(self.kind, Where("Table", "kind"))
        ChoiceKind(("hold", "linear")).check(self.extrapolate, Where("Table", "extrapolate"))
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)

    def check_units(self, where: Where, x: str, y: str) -> None:
        """Refuse points that were given in units of another dimension than their axis has."""
        units: tuple[Any, Any] = getattr(self, "_units", (None, None))
        for axis, given, unit in zip("xy", units, (x, y), strict=True):
            if unit:
                strip_unit(
                    given, Where(where.owner, f"{where.field}.{axis}", where.alternative), unit
                )


@clear_arguments
@dataclass(frozen=True)
class Input:
    """A number set from outside during a run; `value` holds until it is set."""

    name: str
    value: float = 0.0

    def __post_init__(self) -> None:
        TextKind().check(self.name, Where("Input", "name"))
        where = Where(f"Input {self.name!r}", "value")
        object.__setattr__(self, "value", LevelKind().check(self.value, where))

    def check_unit(self, where: Where, unit: str) -> None:
        """Refuse a value that was given in a unit of another dimension than it is used with."""
        if isinstance(self.value, Level) and unit:
            strip_unit(self.value.unit, where, unit)


@clear_arguments
@dataclass(frozen=True)
class ScaledInput:
    """An Input through a line, factor * value + constant, cut off at `lowest` if that is given.

    For what a controller sets in another unit than the part reads: a pressure that is a torque.
    """

    source: Input
    factor: float
    constant: float = 0.0
    lowest: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, Input):
            raise Where("ScaledInput", "source").error(f"must be an Input, got {show(self.source)}")
        for name in ("factor", "constant", "lowest"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, as_number(given, Where("ScaledInput", name)))

    def at(self, value: float) -> float:
        """Return what the part reads while the Input has a value."""
        found = self.factor * value + self.constant
        return found if self.lowest is None else max(found, self.lowest)


@clear_arguments
@dataclass(frozen=True)
class Motion:
    """A prescribed motion: position, velocity, acceleration as functions of t.

    Derivatives that are not given are derived exactly when the model is compiled.
    """

    position: Callable[..., Any]
    velocity: Callable[..., Any] | None = None
    acceleration: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        FunctionKind().check(self.position, Where("Motion", "position"))
        for name in ("velocity", "acceleration"):
            if getattr(self, name) is not None:
                FunctionKind().check(getattr(self, name), Where("Motion", name))


@clear_arguments
@dataclass(frozen=True)
class Interpreted:
    """A function that the Python interpreter calls at every evaluation.

    For functions that cannot be compiled: they may use anything. A call takes some microseconds,
    hundreds of times as long as a compiled one.
    """

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        _check_wrapped(self.function, "Interpreted")

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@clear_arguments
@dataclass(frozen=True)
class Sampled:
    """A function that the Python interpreter calls at the times 0, dt, 2 dt, ... of a run only.

    Between them its value is held. A run steps onto the samples and restarts there; each is an
    event of the run. Outside runs in time (equilibrium, linearise, ...) it is called as it is.
    """

    function: Callable[..., Any]
    dt: float

    def __post_init__(self) -> None:
        _check_wrapped(self.function, "Sampled")
        dt = as_number(self.dt, Where("Sampled", "dt"), "s")
        if dt <= 0.0:
            raise Where("Sampled", "dt").error(f"must be > 0, got {dt:g}")
        object.__setattr__(self, "dt", dt)

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@clear_arguments
@dataclass(frozen=True)
class Delay:
    """A number that a force element measures, as it was `delay` seconds ago.

    `function` has the arguments of the element's other functions, without the delayed values. A
    run measures `points` times per delay, steps onto these times, and interpolates by cubics.
    Before the start of the run the value is `before`, or that at the start. Outside runs in time
    (equilibrium, ...) nothing is delayed.
    """

    function: Callable[..., Any]
    delay: float
    points: int = 32
    before: float | None = None

    def __post_init__(self) -> None:
        FunctionKind().check(self.function, Where("Delay", "function"))
        if isinstance(self.function, Sampled):
            raise Where("Delay", "function").error("is measured at points of its own, not Sampled")
        delay = as_number(self.delay, Where("Delay", "delay"), "s")
        if delay <= 0.0:
            raise Where("Delay", "delay").error(f"must be > 0, got {delay:g}")
        points = self.points
        if isinstance(points, bool) or not isinstance(points, int) or not 4 <= points <= 4096:
            raise Where("Delay", "points").error(f"must be from 4 to 4096, got {show(points)}")
        object.__setattr__(self, "delay", delay)
        if self.before is not None:
            before = as_number(self.before, Where("Delay", "before"), "")
            object.__setattr__(self, "before", before)


def _check_wrapped(value: Any, owner: str) -> None:
    FunctionKind().check(value, Where(owner, "function"))
    if isinstance(value, Interpreted | Sampled):
        raise Where(owner, "function").error(f"must be a plain function, got {show(value)}")


Signal: TypeAlias = float | Callable[..., Any] | Table | Input | ScaledInput | Motion | Any
# 2 or 3 signals, or one function that returns the vector
SignalVector: TypeAlias = Sequence[Signal] | Callable[..., Any] | Any


def as_signal(value: Any, where: Where, unit: str) -> Any:
    """Return a float, Table, Input, Motion or function; tables run over time."""
    if isinstance(value, Table):
        value.check_units(where, "s", unit)
    if isinstance(value, Input):
        value.check_unit(where, unit)
    if isinstance(value, Table | Input | ScaledInput | Motion):
        return value
    if isinstance(value, type):
        raise where.error(f"must be a number, function, Table, Input or Motion, got {show(value)}")
    if callable(value):
        return value
    if isinstance(value, str | bool) or value is None or isinstance(value, dict):
        raise where.error(f"must be a number, function, Table, Input or Motion, got {show(value)}")
    return as_number(value, where, unit)


class ParameterKind(Kind):
    """A number, or an Input."""

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, Input | ScaledInput):
            return value
        return as_number(value, where, "")


class SignalKind(Kind):
    """A number, function, Table, Input or Motion."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def check(self, value: Any, where: Where) -> Any:
        return as_signal(value, where, self.unit)


class SignalVectorKind(Kind):
    """A tuple of signals, or one function; `single` also allows one signal alone."""

    def __init__(self, unit: str, sizes: tuple[int, ...], single: bool, function: bool) -> None:
        self.unit, self.sizes, self.single, self.function = unit, sizes, single, function

    def check(self, value: Any, where: Where) -> Any:
        plain = strip_unit(value, where, self.unit)
        if hasattr(plain, "tolist"):
            plain = plain.tolist()
        if isinstance(plain, list | tuple):
            if len(plain) not in self.sizes:
                sizes = " or ".join(str(size) for size in self.sizes)
                raise where.error(f"must have {sizes} components, got {len(plain)}")
            return tuple(as_signal(x, where.item(k), self.unit) for k, x in enumerate(plain))
        if self.single:
            return as_signal(plain, where, self.unit)
        if self.function and callable(plain) and not isinstance(plain, type):
            return plain
        sizes = " or ".join(str(size) for size in self.sizes)
        extra = ", or a function that returns them" if self.function else ""
        raise where.error(f"must have {sizes} components{extra}, got {show(value)}")

    def dim(self, value: Any) -> int | None:
        return len(value) if isinstance(value, tuple) and self.sizes == (2, 3) else None


def signal(unit: str, *, default: Any = MISSING) -> Any:
    """Declare a number, function, Table, Input or Motion."""
    return spec(SignalKind(unit), default)


def signals(
    unit: str,
    *,
    default: Any = MISSING,
    sizes: tuple[int, ...] = (2, 3),
    single: bool = False,
    function: bool = True,
) -> Any:
    """Declare a vector of signals."""
    return spec(SignalVectorKind(unit, sizes, single, function), default)
