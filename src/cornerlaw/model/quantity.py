"""Check the values a user writes: numbers, vectors, matrices, words, with or without pint units.

Every dataclass field of a part carries a `Kind` in its metadata. The kind turns the given value
into the stored one (floats, tuples of floats) or raises a one-sentence error that names part and
field.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, field
from typing import Any, NamedTuple, TypeAlias

from cornerlaw.errors import ModelError, UnitError

# what may be written; stored are floats, tuples of floats and tuples of tuples
Scalar: TypeAlias = float | Any
Vector: TypeAlias = Sequence[float] | Any
Matrix: TypeAlias = Sequence[Sequence[float]] | Any
Function: TypeAlias = Callable[..., Any]


class Where(NamedTuple):
    """Name the place of a value in an error message."""

    owner: str
    field: str
    alternative: int | None = None  # which of the units "turning|sliding" the place asks for

    def error(self, text: str, kind: type[ModelError] = ModelError) -> ModelError:
        """Return the error `owner: field text`."""
        return kind(f"{self.owner}: {self.field} {text}")

    def item(self, index: object) -> Where:
        """Return the place of one item of this value."""
        return Where(self.owner, f"{self.field}[{index}]", self.alternative)


LARGEST = 1e150  # squares of larger numbers are no numbers any more


def show(value: object) -> str:
    """Return a short text of any value for an error message."""
    try:
        text = repr(value)
    except Exception:  # a user's object may have a broken repr; the message must still appear
        text = f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= 70 else text[:67] + "..."


def with_unit(value: float, unit: str) -> str:
    """Return the number with its unit; pure numbers have none."""
    return f"{value:g}" if unit in ("", "1") else f"{value:g} {unit}"


def is_quantity(value: object) -> bool:
    """Tell whether the value is a pint quantity, without importing pint."""
    return hasattr(value, "magnitude") and hasattr(value, "to") and hasattr(value, "dimensionality")


def strip_unit(value: Any, where: Where, unit: str) -> Any:
    """Return the magnitude in SI units; `unit` may list alternatives separated by "|"."""
    if not is_quantity(value):
        return value
    if not unit:
        return value.to_base_units().magnitude
    alternatives = unit.split("|")
    if where.alternative is not None and where.alternative < len(alternatives) > 1:
        alternatives = [alternatives[where.alternative]]
    for alternative in alternatives:
        try:
            return value.to("dimensionless" if alternative == "1" else alternative).magnitude
        except (TypeError, ValueError, AttributeError):
            continue
    expected = " or ".join(alternatives)
    expected = "a pure number" if expected == "1" else expected
    raise where.error(
        f"has the dimension of {value.dimensionality}, expected {expected}", UnitError
    )


def unit_of(value: Any) -> Any:
    """Return one base unit of a quantity, or of the first of several, as a quantity; else None."""
    if isinstance(value, list | tuple) and value:
        value = value[0]
    return 1.0 * value.to_base_units().units if is_quantity(value) else None


def as_number(value: Any, where: Where, unit: str = "") -> float:
    """Return a finite float."""
    if type(value) is not float:
        value = strip_unit(value, where, unit)
        if hasattr(value, "tolist") and getattr(value, "shape", None) == ():
            value = value.tolist()  # numpy scalars and arrays without axes
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise where.error(f"must be a number, got {show(value)}")
        try:
            value = float(value)
        except (OverflowError, TypeError, ValueError):
            raise where.error("must be a finite number, got one too large") from None
    number: float = value
    if not math.isfinite(number):
        raise where.error(f"must be finite, got {number}")
    if abs(number) > LARGEST:
        raise where.error(f"must be at most {LARGEST:g} in size, got {number:g}")
    return number


def as_items(value: Any, where: Where, unit: str, expected: str) -> Sequence[Any]:
    """Return the items of a list, tuple or array; strings, sets and single numbers are refused."""
    value = strip_unit(value, where, unit)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise where.error(f"must be {expected}, got {show(value)}")
    return value


def as_numbers(
    value: Any, where: Where, unit: str = "", sizes: tuple[int, ...] = ()
) -> tuple[float, ...]:
    """Return a tuple of finite floats; `sizes` lists the allowed lengths, empty for any."""
    expected = " or ".join(str(size) for size in sizes) + " numbers" if sizes else "numbers"
    items = as_items(value, where, unit, expected)
    if sizes and len(items) not in sizes:
        raise where.error(f"must be {expected}, got {len(items)}: {show(value)}")
    return tuple(as_number(item, where.item(k), unit) for k, item in enumerate(items))


def as_square(
    value: Any, where: Where, unit: str = "", size: int | None = None
) -> tuple[tuple[float, ...], ...]:
    """Return a square matrix as tuple of rows."""
    expected = f"a {size}x{size} matrix" if size else "a square matrix"
    rows = as_items(value, where, unit, expected)
    n = size or len(rows)
    if len(rows) != n or n == 0:
        raise where.error(f"must be {expected}, got {len(rows)} rows")
    result = []
    for k, row in enumerate(rows):
        items = as_items(row, where.item(k), unit, f"a row of {n} numbers")
        if len(items) != n:
            raise where.error(f"must be {expected}, got {len(items)} numbers in row {k}")
        result.append(as_numbers(items, where.item(k), unit))
    return tuple(result)


def norm(vector: Sequence[float]) -> float:
    """Return the Euclidean length."""
    return math.hypot(*vector)


class Kind:
    """Check one kind of value; `unit` is empty where none applies."""

    unit: str = ""

    def check(self, value: Any, where: Where) -> Any:
        """Return the value as it is stored, or raise a ModelError."""
        raise where.error("cannot be set")

    def dim(self, value: Any) -> int | None:
        """Return 2 or 3 if the stored value tells planar from spatial, else None."""
        return None


class ScalarKind(Kind):
    """A finite number, optionally bounded."""

    def __init__(self, unit: str, minimum: float | None, positive: bool, nonzero: bool) -> None:
        self.unit, self.minimum, self.positive, self.nonzero = unit, minimum, positive, nonzero

    def check(self, value: Any, where: Where) -> float:
        x = as_number(value, where, self.unit)
        shown = self.unit.partition("|")[0] if "|" not in self.unit else ""
        if self.positive and not x > 0.0:
            raise where.error(f"must be > 0, got {with_unit(x, shown)}")
        if self.nonzero and x == 0.0:
            raise where.error("must not be 0")
        if self.minimum is not None and x < self.minimum:
            raise where.error(f"must be >= {self.minimum:g}, got {with_unit(x, shown)}")
        return x


class Level(float):
    """A number that remembers the unit it was given in, for a check once its quantity is known."""

    unit: Any = None


class LevelKind(Kind):
    """A number whose unit depends on something that is known only later."""

    def check(self, value: Any, where: Where) -> float:
        number = Level(as_number(value, where))
        number.unit = value.unit if isinstance(value, Level) else unit_of(value)
        return number if number.unit is not None else float(number)


class VectorKind(Kind):
    """A vector of 2 (planar) or 3 (spatial) numbers; a `direction` is stored with length 1."""

    def __init__(
        self,
        unit: str,
        sizes: tuple[int, ...],
        direction: bool,
        neutral: tuple[float, ...] | None,
        minimum: float | None,
        dims: Mapping[int, int],
    ) -> None:
        self.unit, self.sizes, self.direction = unit, sizes, direction
        self.neutral, self.minimum, self.dims = neutral, minimum, dims

    def check(self, value: Any, where: Where) -> tuple[float, ...]:
        v = as_numbers(value, where, self.unit, self.sizes)
        if self.minimum is not None and any(x < self.minimum for x in v):
            worst = with_unit(min(v), "")
            raise where.error(f"must be >= {self.minimum:g} in every component, got {worst}")
        return unit_vector(v, where) if self.direction else v

    def dim(self, value: Any) -> int | None:
        if value == self.neutral:
            return None
        return self.dims.get(len(value))


def unit_vector(v: tuple[float, ...], where: Where) -> tuple[float, ...]:
    """Return v / |v|; a vector of length 1 is kept bit for bit: checking twice is harmless."""
    length = norm(v)
    if length < 1e-150:
        raise where.error("must not be the zero vector")
    return v if abs(length - 1.0) <= 1e-14 else tuple(x / length for x in v)


class SpinKind(Kind):
    """An angular velocity: a number in the plane, 3 numbers in space."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def check(self, value: Any, where: Where) -> float | tuple[float, ...]:
        plain = strip_unit(value, where, self.unit)
        if isinstance(plain, list | tuple) or getattr(plain, "shape", ()) != ():
            return as_numbers(plain, where, self.unit, (3,))
        return as_number(plain, where, self.unit)

    def dim(self, value: Any) -> int | None:
        return 3 if isinstance(value, tuple) else 2


class TextKind(Kind):
    """A name: shown in results, used as key, hence printable and without "/"."""

    def check(self, value: Any, where: Where) -> str:
        if not isinstance(value, str) or not value:
            raise where.error(f"must be a non-empty string, got {show(value)}")
        if value != value.strip() or not value.isprintable():
            raise where.error(
                f"must be printable and without blanks at its ends, got {show(value)}"
            )
        if "/" in value or value.startswith(".") or value.endswith(".") or ".." in value:
            raise where.error(f'must not contain "/" or empty parts between dots, got {value!r}')
        return str(value)


class NamesKind(Kind):
    """A tuple of different names."""

    def check(self, value: Any, where: Where) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            raise where.error(f"must be a tuple of names, got {show(value)}")
        names = tuple(TextKind().check(item, where.item(k)) for k, item in enumerate(value))
        for k, name in enumerate(names):
            if name in names[:k]:
                raise where.error(f"lists {name!r} twice")
        return names


class ChoiceKind(Kind):
    """One of a few words."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words

    def check(self, value: Any, where: Where) -> str:
        if not isinstance(value, str) or value not in self.words:
            words = " or ".join(f'"{word}"' for word in self.words)
            raise where.error(f"must be {words}, got {show(value)}")
        return value


class FlagKind(Kind):
    """True or False."""

    def check(self, value: Any, where: Where) -> bool:
        if hasattr(value, "tolist") and getattr(value, "shape", None) == ():
            value = value.tolist()
        if not isinstance(value, bool):
            raise where.error(f"must be True or False, got {show(value)}")
        return value


class CountKind(Kind):
    """A positive whole number."""

    def check(self, value: Any, where: Where) -> int:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
            raise where.error(f"must be a positive whole number, got {show(value)}")
        return int(value)


class FunctionKind(Kind):
    """A callable, stored as given."""

    def check(self, value: Any, where: Where) -> Function:
        if not callable(value) or isinstance(value, type):
            raise where.error(f"must be a function, got {show(value)}")
        function: Function = value
        return function


class ListKind(Kind):
    """Any positive number of numbers."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def check(self, value: Any, where: Where) -> tuple[float, ...]:
        v = as_numbers(value, where, self.unit)
        if not v:
            raise where.error("must not be empty")
        return v


class MappingKind(Kind):
    """A dict from names to values of one kind."""

    def __init__(self, item: Kind) -> None:
        self.item = item

    def check(self, value: Any, where: Where) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise where.error(f"must be a dict from names to values, got {show(value)}")
        name = TextKind()
        return {
            name.check(key, where): self.item.check(item, where.item(key))
            for key, item in value.items()
        }


class DataKind(Kind):
    """Plain data: words, numbers, lists and dicts of them."""

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, str | bool):
            return value
        if isinstance(value, Mapping):
            return {
                TextKind().check(key, where): self.check(item, where.item(key))
                for key, item in value.items()
            }
        value = strip_unit(value, where, "")
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, list | tuple):
            return tuple(self.check(item, where.item(k)) for k, item in enumerate(value))
        return as_number(value, where)


def spec(kind: Kind, default: Any = MISSING, kw_only: Any = MISSING) -> Any:
    """Return a dataclass field that carries its kind and unit; the default None means optional."""
    metadata = {"kind": kind, "unit": kind.unit, "optional": default is None}
    if kw_only is MISSING:
        return field(default=default, metadata=metadata)
    return field(default=default, metadata=metadata, kw_only=kw_only)


def scalar(
    unit: str,
    *,
    default: Any = MISSING,
    minimum: float | None = None,
    positive: bool = False,
    nonzero: bool = False,
) -> Any:
    """Declare a number; `unit` "a|b" allows either dimension."""
    return spec(ScalarKind(unit, minimum, positive, nonzero), default)


def vector(
    unit: str,
    *,
    default: Any = MISSING,
    sizes: tuple[int, ...] = (2, 3),
    direction: bool = False,
    neutral: tuple[float, ...] | None = None,
    minimum: float | None = None,
    dims: Mapping[int, int] | None = None,
) -> Any:
    """Declare a vector; its length tells planar (2) from spatial (3) unless it equals `neutral`."""
    dims = {2: 2, 3: 3} if dims is None else dims
    return spec(VectorKind(unit, sizes, direction, neutral, minimum, dims), default)


def spin(unit: str = "rad/s", *, default: Any = MISSING) -> Any:
    """Declare an angular velocity: a number (planar) or 3 numbers."""
    return spec(SpinKind(unit), default)


def text(*, default: Any = MISSING, kw_only: Any = MISSING) -> Any:
    """Declare a name."""
    return spec(TextKind(), default, kw_only)


def names(*, default: Any = MISSING) -> Any:
    """Declare a tuple of names."""
    return spec(NamesKind(), default)


def choice(*words: str, default: Any = MISSING) -> Any:
    """Declare one of a few words."""
    return spec(ChoiceKind(words), default)


def flag(*, default: Any = MISSING) -> Any:
    """Declare True or False."""
    return spec(FlagKind(), default)


def count(*, default: Any = MISSING) -> Any:
    """Declare a positive whole number."""
    return spec(CountKind(), default)


def function(*, default: Any = MISSING, kw_only: Any = MISSING) -> Any:
    """Declare a callable."""
    return spec(FunctionKind(), default, kw_only)


def listing(unit: str, *, default: Any = MISSING) -> Any:
    """Declare a list of numbers of any length."""
    return spec(ListKind(unit), default)


def mapping(item: Kind, *, default: Any = MISSING) -> Any:
    """Declare a dict from names to values of one kind."""
    return spec(MappingKind(item), default)


def data(*, default: Any = MISSING) -> Any:
    """Declare plain data."""
    return spec(DataKind(), default)
