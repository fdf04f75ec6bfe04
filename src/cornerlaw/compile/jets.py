"""Exact first and second derivatives of a user's function, by tracing it once.

The function is called with symbols that write down every operation together with its first and
second derivative along a direction; the result is the source of a compiled function. A function
that branches on its arguments cannot be traced and must come with its derivatives.
"""

import math
import operator
from collections.abc import Callable, Sequence
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

from cornerlaw.errors import CompileError


class _Untraceable(Exception):
    """The function does something a symbol cannot follow."""


class _Tape:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.size = 0

    def emit(self, value: str, first: str, second: str) -> "_Symbol":
        k = self.size
        self.size += 1
        self.lines += [f"v{k} = {value}", f"d{k} = {first}", f"s{k} = {second}"]
        return _Symbol(self, f"v{k}", f"d{k}", f"s{k}")


class _Symbol:
    """Value, first and second directional derivative of an expression."""

    __array_priority__ = 1000

    def __init__(self, tape: _Tape, v: str, d: str, s: str) -> None:
        self.tape, self.v, self.d, self.s = tape, v, d, s

    def _other(self, x: Any) -> "_Symbol":
        if isinstance(x, _Symbol):
            return x
        if isinstance(x, bool) or not isinstance(x, int | float):
            raise _Untraceable(f"a value of type {type(x).__name__}")
        return _Symbol(self.tape, repr(float(x)), "0.0", "0.0")

    def _chain(self, value: str, f1: str, f2: str) -> "_Symbol":
        """f(x): f' x', f'' x'^2 + f' x''; f1 and f2 may use the new value as {v}."""
        v = f"v{self.tape.size}"
        f1, f2 = f1.format(v=v, x=self.v), f2.format(v=v, x=self.v)
        return self.tape.emit(
            value.format(x=self.v),
            f"({f1}) * {self.d}",
            f"({f2}) * {self.d} * {self.d} + ({f1}) * {self.s}",
        )

    def __add__(self, x: Any) -> "_Symbol":
        o = self._other(x)
        return self.tape.emit(f"{self.v} + {o.v}", f"{self.d} + {o.d}", f"{self.s} + {o.s}")

    __radd__ = __add__

    def __neg__(self) -> "_Symbol":
        return self.tape.emit(f"-{self.v}", f"-{self.d}", f"-{self.s}")

    def __pos__(self) -> "_Symbol":
        return self

    def __sub__(self, x: Any) -> "_Symbol":
        o = self._other(x)
        return self.tape.emit(f"{self.v} - {o.v}", f"{self.d} - {o.d}", f"{self.s} - {o.s}")

    def __rsub__(self, x: Any) -> "_Symbol":
        return self._other(x) - self

    def __mul__(self, x: Any) -> "_Symbol":
        o = self._other(x)
        return self.tape.emit(
            f"{self.v} * {o.v}",
            f"{self.d} * {o.v} + {self.v} * {o.d}",
            f"{self.s} * {o.v} + 2.0 * {self.d} * {o.d} + {self.v} * {o.s}",
        )

    __rmul__ = __mul__

    def __truediv__(self, x: Any) -> "_Symbol":
        return self * self._other(x)._chain("1.0 / {x}", "-{v} * {v}", "2.0 * {v} * {v} * {v}")

    def __rtruediv__(self, x: Any) -> "_Symbol":
        return self._other(x) / self

    def __pow__(self, x: Any) -> "_Symbol":
        if isinstance(x, _Symbol):
            return (self.log() * x).exp()
        n = float(x)
        if n == int(n) and n >= 0:
            # integer powers keep their meaning for negative bases
            if n == 0:
                return self._other(1.0)
            if n == 1:
                return self
            p = int(n)
            low = "1.0" if p == 2 else f"{{x}} ** {p - 2}"
            return self._chain(
                f"{{x}} ** {p}", f"{p}.0 * {{x}} ** {p - 1}", f"{p * (p - 1)}.0 * {low}"
            )
        return self._chain(
            f"{{x}} ** {n!r}",
            f"{n!r} * {{x}} ** {n - 1.0!r}",
            f"{n * (n - 1.0)!r} * {{x}} ** {n - 2.0!r}",
        )

    def __rpow__(self, x: Any) -> "_Symbol":
        return (self * math.log(float(x))).exp()

    def __abs__(self) -> "_Symbol":
        raise _Untraceable("abs()")

    def __bool__(self) -> bool:
        raise _Untraceable("a branch on its argument")

    def __float__(self) -> float:
        raise _Untraceable("a function whose derivatives are not known")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute a function of numpy with symbols."""
        rule = _RULES.get(_NUMPY.get(ufunc.__name__, ufunc.__name__))
        if rule is None or method != "__call__" or options:
            raise _Untraceable(f"numpy.{ufunc.__name__}")
        return rule(*(x.item() if hasattr(x, "item") else x for x in inputs))

    __lt__ = __le__ = __gt__ = __ge__ = lambda self, x: bool(self)
    __eq__ = __ne__ = lambda self, x: bool(self)
    __hash__ = object.__hash__

    def sin(self) -> "_Symbol":
        return self._chain("math.sin({x})", "math.cos({x})", "-{v}")

    def cos(self) -> "_Symbol":
        return self._chain("math.cos({x})", "-math.sin({x})", "-{v}")

    def tan(self) -> "_Symbol":
        return self._chain("math.tan({x})", "1.0 + {v} * {v}", "2.0 * {v} * (1.0 + {v} * {v})")

    def exp(self) -> "_Symbol":
        return self._chain("math.exp({x})", "{v}", "{v}")

    def log(self) -> "_Symbol":
        return self._chain("math.log({x})", "1.0 / {x}", "-1.0 / ({x} * {x})")

    def sqrt(self) -> "_Symbol":
        return self._chain("math.sqrt({x})", "0.5 / {v}", "-0.25 / ({v} * {x})")

    def sinh(self) -> "_Symbol":
        return self._chain("math.sinh({x})", "math.cosh({x})", "{v}")

    def cosh(self) -> "_Symbol":
        return self._chain("math.cosh({x})", "math.sinh({x})", "{v}")

    def tanh(self) -> "_Symbol":
        return self._chain("math.tanh({x})", "1.0 - {v} * {v}", "-2.0 * {v} * (1.0 - {v} * {v})")

    def arcsin(self) -> "_Symbol":
        return self._chain(
            "math.asin({x})", "(1.0 - {x} * {x}) ** -0.5", "{x} * (1.0 - {x} * {x}) ** -1.5"
        )

    def arccos(self) -> "_Symbol":
        return -self.arcsin() + math.pi / 2.0

    def arctan(self) -> "_Symbol":
        return self._chain(
            "math.atan({x})", "1.0 / (1.0 + {x} * {x})", "-2.0 * {x} / (1.0 + {x} * {x}) ** 2"
        )

    def arcsinh(self) -> "_Symbol":
        return self._chain(
            "math.asinh({x})", "(1.0 + {x} * {x}) ** -0.5", "-{x} * (1.0 + {x} * {x}) ** -1.5"
        )

    def arccosh(self) -> "_Symbol":
        return self._chain(
            "math.acosh({x})", "({x} * {x} - 1.0) ** -0.5", "-{x} * ({x} * {x} - 1.0) ** -1.5"
        )

    def arctanh(self) -> "_Symbol":
        return self._chain(
            "math.atanh({x})", "1.0 / (1.0 - {x} * {x})", "2.0 * {x} / (1.0 - {x} * {x}) ** 2"
        )

    def expm1(self) -> "_Symbol":
        return self._chain("math.expm1({x})", "math.exp({x})", "math.exp({x})")

    def log1p(self) -> "_Symbol":
        return self._chain("math.log1p({x})", "1.0 / (1.0 + {x})", "-1.0 / (1.0 + {x}) ** 2")

    def erf(self) -> "_Symbol":
        slope = f"{2.0 / math.sqrt(math.pi)!r} * math.exp(-{{x}} * {{x}})"
        return self._chain("math.erf({x})", slope, f"-2.0 * {{x}} * {slope}")

    def arctan2(self, x: Any) -> "_Symbol":
        """atan2(y, x): d = (x y' - y x') / (x^2 + y^2), its rate by the quotient rule."""
        o, k = self._other(x), self.tape.size
        size = f"({o.v} * {o.v} + {self.v} * {self.v})"
        growth = f"(2.0 * ({o.v} * {o.d} + {self.v} * {self.d}))"
        return self.tape.emit(
            f"math.atan2({self.v}, {o.v})",
            f"({o.v} * {self.d} - {self.v} * {o.d}) / {size}",
            f"({o.v} * {self.s} - {self.v} * {o.s} - d{k} * {growth}) / {size}",
        )


# functions of one argument: name in math -> method of a symbol
_NAMES = {
    "sin": "sin", "cos": "cos", "tan": "tan", "exp": "exp", "log": "log", "sqrt": "sqrt",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asin": "arcsin", "acos": "arccos",
    "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "expm1": "expm1", "log1p": "log1p", "erf": "erf",
}  # fmt: skip
# names of numpy that differ from those of math
_NUMPY = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "arctan2": "atan2", "power": "pow", "float_power": "pow",
    "deg2rad": "radians", "rad2deg": "degrees", "multiply": "mul", "subtract": "sub",
    "true_divide": "div", "divide": "div", "negative": "neg",
}  # fmt: skip


def _traced(name: str) -> Callable[..., Any]:
    plain, method = getattr(math, name), _NAMES[name]

    def call(x: Any, *rest: Any) -> Any:
        if rest:  # log(x, base)
            return call(x) / call(*rest)
        return getattr(x, method)() if isinstance(x, _Symbol) else plain(x)

    return call


def _atan2(y: Any, x: Any) -> Any:
    if isinstance(y, _Symbol):
        return y.arctan2(x)
    return x._other(y).arctan2(x) if isinstance(x, _Symbol) else math.atan2(y, x)


def _hypot(*x: Any) -> Any:
    total = sum(item * item for item in x)
    return total.sqrt() if isinstance(total, _Symbol) else math.hypot(*x)


def _erfc(x: Any) -> Any:
    return 1.0 - x.erf() if isinstance(x, _Symbol) else math.erfc(x)


# functions of math that symbols can follow
_RULES: dict[str, Callable[..., Any]] = {
    **{name: _traced(name) for name in _NAMES},
    "atan2": _atan2,
    "hypot": _hypot,
    "erfc": _erfc,
    "pow": lambda x, y: x**y,
    "exp2": lambda x: 2.0**x,
    "log2": lambda x: _RULES["log"](x) / math.log(2.0),
    "log10": lambda x: _RULES["log"](x) / math.log(10.0),
    "radians": lambda x: x * (math.pi / 180.0),
    "degrees": lambda x: x * (180.0 / math.pi),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "positive": lambda x: x,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}
_SHIM = SimpleNamespace(
    **{name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
)
for _name in _RULES:
    if hasattr(math, _name):
        setattr(_SHIM, _name, _RULES[_name])
_BY_FUNCTION = {
    id(getattr(math, name)): rule for name, rule in _RULES.items() if hasattr(math, name)
}


class _Copies:
    """Copies of functions that compute with symbols, the helpers they call included."""

    def __init__(self) -> None:
        self.done: dict[int, FunctionType] = {}

    def of(self, function: Any) -> FunctionType:
        """Return the copy of a function; one that calls itself finds its own copy."""
        found = self.done.get(id(function))
        if found is not None:
            return found
        scope = dict(function.__globals__)
        cells = tuple(CellType() for _ in function.__closure__ or ())
        copy = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, cells
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        self.done[id(function)] = copy
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.shimmed(old.cell_contents)
        for name in function.__code__.co_names:
            if name in function.__globals__:
                scope[name] = self.shimmed(function.__globals__[name])
        return copy

    def shimmed(self, value: Any) -> Any:
        """Replace the math module, its functions and helpers, wherever a function keeps them."""
        if value is math:
            return _SHIM
        if id(value) in _BY_FUNCTION:
            return _BY_FUNCTION[id(value)]
        plain = getattr(value, "py_func", value)
        if not isinstance(plain, FunctionType):
            return value
        # copied when it is called: most functions in sight never are
        return lambda *arguments, **named: self.of(plain)(*arguments, **named)


def _traceable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Copy a function so that it computes with symbols."""
    function = getattr(function, "py_func", function)
    if id(function) in _BY_FUNCTION:
        return _BY_FUNCTION[id(function)]
    if not isinstance(function, FunctionType):
        raise _Untraceable("something else than a plain function")
    return _Copies().of(function)


def trace(
    function: Callable[..., Any],
    shape: Callable[[Sequence[Any]], tuple[Any, ...]],
    n: int,
    label: str,
    component: int | None = None,
) -> Callable[..., None]:
    """Return an adapter (inp, par, out) that writes value, first and second derivative.

    inp holds the n arguments, then the n components of the direction; `shape` arranges the n
    symbols as the positional arguments of the function. `component` picks one of the values of a
    function that returns several.
    """
    tape = _Tape()
    symbols = [_Symbol(tape, f"inp[{k}]", f"inp[{n + k}]", "0.0") for k in range(n)]
    try:
        result = _traceable(function)(*shape(symbols))
        if component is not None:
            result = result[component]
        if isinstance(result, _Symbol):
            last = result
        else:
            last = symbols[0]._other(result)
    except _Untraceable as reason:
        raise CompileError(
            f"{label}: its derivatives cannot be derived because the function uses {reason}; give "
            f"them, as in Motion(position, velocity, acceleration), or use smooth functions of "
            f"math and numpy without branches only."
        ) from None
    except CompileError:
        raise
    except Exception as error:
        raise CompileError(f"{label}: the function fails when called: {error}.") from None
    body = [*tape.lines, f"out[0] = {last.v}", f"out[1] = {last.d}", f"out[2] = {last.s}"]
    source = "def adapter(inp, par, out):\n" + "\n".join("    " + line for line in body)
    scope: dict[str, Any] = {"math": math}
    exec(source, scope)  # our own generated arithmetic, nothing of the user's text
    adapter: Callable[..., None] = scope["adapter"]
    return adapter
