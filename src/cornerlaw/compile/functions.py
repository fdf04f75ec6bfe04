"""Adapters that turn the user's Python functions into compiled slots (inp, par, out).

An adapter is plain Python as well: what is Interpreted or Sampled runs through the same code.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.compile.jets import trace
from cornerlaw.compile.stale_code import compile_afresh
from cornerlaw.errors import CompileError
from cornerlaw.kernels.slots import (
    compile_user_function,
    make_callback,
    make_hold,
    make_slot,
    view_matrices,
    view_rows,
)
from cornerlaw.model import Interpreted, Motion, Sampled

Adapter = Callable[..., None]

# the same function in the same role is compiled once per process, so that a changed parameter of
# the model costs nothing; the function is kept in the value, so its id stays its own
_slots: dict[tuple[Any, ...], tuple[Any, int]] = {}
_held: dict[tuple[Any, ...], tuple[Any, int, Floats]] = {}


@dataclass
class Holder:
    """A sampled function: its period and the buffer that says what it does and holds its values."""

    label: str
    dt: float
    held: Floats


@dataclass
class UserFunctions:
    """The user's functions of one model: what is behind an address, and what is sampled."""

    labels: dict[int, list[str]] = field(default_factory=dict)
    holders: list[Holder] = field(default_factory=list)
    callbacks: list[int] = field(default_factory=list)  # addresses that the interpreter serves

    def note(self, address: int, label: str) -> None:
        """Remember where a function is used."""
        found = self.labels.setdefault(address, [])
        if label not in found:
            found.append(label)


_collection = UserFunctions()


def add_holder(holder: Holder) -> None:
    """Add what a run has to hold to the collection of the model at hand."""
    _collection.holders.append(holder)


def new_collection() -> UserFunctions:
    """Begin to collect the functions of a model."""
    global _collection
    _collection = UserFunctions()
    return _collection


def ready(function: Callable[..., Any], label: str) -> Any:
    """Return a function as an adapter calls it."""
    if isinstance(function, Interpreted | Sampled):
        return function.function
    compile_afresh(function)
    return compile_user_function(function, label=label)


def slot_address(
    key: tuple[Any, ...],
    function: Any,
    make: Callable[[], Adapter],
    label: str,
    results: int,
    *,
    may_hold: bool = False,
) -> int:
    """Return the address of a function in a role; `results` numbers are what it writes."""
    if isinstance(function, Sampled):
        return _hold(key, function, make, label, results, may_hold)
    interpreted = isinstance(function, Interpreted) or (
        isinstance(function, Motion) and _is_interpreted(function)
    )
    found = _slots.get(key)
    if found is None:
        adapter = make()
        address = (
            make_callback(adapter, results=results)
            if interpreted
            else make_slot(adapter, label=label, results=results)
        )
        found = _slots[key] = (function, address)
    if interpreted:
        _collection.callbacks.append(found[1])
    _collection.note(found[1], label)
    return found[1]


def _hold(
    key: tuple[Any, ...],
    function: Sampled,
    make: Callable[[], Adapter],
    label: str,
    results: int,
    may_hold: bool,
) -> int:
    """Return the address of a sampled function; every use in a model has values of its own."""
    if not may_hold:
        raise CompileError(
            f"{label} cannot be Sampled, since a value that jumps has no meaning there; give "
            f"cl.Interpreted(function) instead."
        )
    callback = _slots.get(key)
    if callback is None:
        callback = _slots[key] = (function, make_callback(make(), results=results))
    place = (*key, len(_collection.holders))
    found = _held.get(place)
    if found is None:
        held = np.zeros(1 + results)
        found = _held[place] = (function, make_hold(callback[1], held), held)
    _collection.holders.append(Holder(label, float(function.dt), found[2]))
    _collection.callbacks.append(callback[1])
    _collection.note(callback[1], label)
    return found[1]


def arity(function: Callable[..., Any], label: str) -> int:
    """Return the number of positional arguments a function needs."""
    if isinstance(function, Interpreted | Sampled):
        function = function.function
    try:
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        return 1  # builtins and ufuncs such as math.sin
    needed = [
        p
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    ]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise CompileError(f"{label} cannot be compiled: it takes *args; name its arguments.")
    return len(needed)


def scalar_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile f(a_1, ..., a_n) -> number."""

    def make() -> Adapter:
        f = ready(function, label)
        if n == 1:

            def adapter(inp: Any, par: Any, out: Any) -> None:
                out[0] = f(inp[0])
        elif n == 2:

            def adapter(inp: Any, par: Any, out: Any) -> None:
                out[0] = f(inp[0], inp[1])
        else:

            def adapter(inp: Any, par: Any, out: Any) -> None:
                out[0] = f(inp[0], inp[1], inp[2])

        return adapter

    return slot_address(("scalar", n, id(function)), function, make, label, 1, may_hold=True)


def _is_interpreted(motion: Motion) -> bool:
    parts = (motion.position, motion.velocity, motion.acceleration)
    return any(isinstance(part, Interpreted) for part in parts)


def motion_slot(value: Motion | Callable[..., Any], label: str) -> int:
    """Compile a motion of time with its first two derivatives, derived where they are not given."""
    motion = value if isinstance(value, Motion) else Motion(value)
    parts = (motion.position, motion.velocity, motion.acceleration)
    if any(isinstance(part, Sampled) for part in parts):
        raise CompileError(
            f"{label} cannot be Sampled, since a prescribed motion must not jump; give a Table."
        )
    key = ("motion", *map(id, parts))

    def make() -> Adapter:
        if motion.velocity is None and motion.acceleration is None:
            if _is_interpreted(motion):
                raise CompileError(
                    f"{label}: the derivatives of an Interpreted function are not known; give all "
                    f"three, as in Motion(position, velocity, acceleration)."
                )
            jet = compile_user_function(
                trace(motion.position, lambda s: (s[0],), 1, label), label=label
            )

            def traced(inp: Any, par: Any, out: Any) -> None:
                # the direction of time is one
                jet((inp[0], 1.0), par, out)

            return traced
        if motion.velocity is None or motion.acceleration is None:
            raise CompileError(
                f"{label}: give both velocity and acceleration of a Motion, or none."
            )
        p, v, a = (ready(part, label) for part in parts if part is not None)

        def given(inp: Any, par: Any, out: Any) -> None:
            out[0] = p(inp[0])
            out[1] = v(inp[0])
            out[2] = a(inp[0])

        return given

    return slot_address(key, motion, make, label, 3)


def _check_arity(function: Callable[..., Any], label: str) -> int:
    """Return the number of arguments of a function of time or of the motion of a body."""
    n = arity(function, label)
    if n not in (1, 3, 5):
        raise CompileError(
            f"{label} must be a function of t, of (t, r, v) or of (t, r, v, A, Omega), it takes "
            f"{n} arguments."
        )
    return n


def vector_slot(function: Callable[..., Any], dim: int, label: str) -> int:
    """Compile f(t), f(t, r, v) or f(t, r, v, A, Omega) -> vector of `dim` components.

    In the plane r and v have two components, A is (2, 2) and Omega a number.
    """
    n = _check_arity(function, label)
    wrong = f"it must return {dim} numbers in {'the plane' if dim == 2 else 'space'}"

    def make() -> Adapter:
        f = ready(function, label)
        if n == 1:

            def of_time(inp: Any, par: Any, out: Any) -> None:
                value = f(inp[0])
                if len(value) != dim:
                    raise ValueError(wrong)
                out[2] = 0.0
                for i in range(dim):
                    out[i] = value[i]

            return of_time
        if n == 3:

            def of_point(inp: Any, par: Any, out: Any) -> None:
                value = f(inp[0], inp[1 : 1 + dim], inp[4 : 4 + dim])
                if len(value) != dim:
                    raise ValueError(wrong)
                out[2] = 0.0
                for i in range(dim):
                    out[i] = value[i]

            return of_point
        if dim == 3:

            def of_body(inp: Any, par: Any, out: Any) -> None:
                A = view_matrices(inp, 7, 1)
                value = f(inp[0], inp[1:4], inp[4:7], A[0], inp[16:19])
                if len(value) != dim:
                    raise ValueError(wrong)
                for i in range(3):
                    out[i] = value[i]

            return of_body

        def of_planar_body(inp: Any, par: Any, out: Any) -> None:
            A = view_matrices(inp, 7, 1)
            value = f(inp[0], inp[1:3], inp[4:6], A[0, :2, :2], inp[18])
            if len(value) != dim:
                raise ValueError(wrong)
            out[0] = value[0]
            out[1] = value[1]
            out[2] = 0.0

        return of_planar_body

    return slot_address(("vector", n, dim, id(function)), function, make, label, 3, may_hold=True)


def planar_moment_slot(function: Callable[..., Any], label: str) -> int:
    """Compile f(t), f(t, r, v) or f(t, r, v, A, Omega) -> moment about z.

    r and v have two components, A is (2, 2) and Omega a number.
    """
    n = _check_arity(function, label)

    def make() -> Adapter:
        f = ready(function, label)
        if n == 1:

            def of_time(inp: Any, par: Any, out: Any) -> None:
                out[0] = 0.0
                out[1] = 0.0
                out[2] = f(inp[0])

            return of_time
        if n == 3:

            def of_point(inp: Any, par: Any, out: Any) -> None:
                out[0] = 0.0
                out[1] = 0.0
                out[2] = f(inp[0], inp[1:3], inp[4:6])

            return of_point

        def of_body(inp: Any, par: Any, out: Any) -> None:
            A = view_matrices(inp, 7, 1)
            out[0] = 0.0
            out[1] = 0.0
            out[2] = f(inp[0], inp[1:3], inp[4:6], A[0, :2, :2], inp[18])

        return of_body

    return slot_address(("moment", n, id(function)), function, make, label, 3, may_hold=True)


def mass_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile M(q, t) -> (n, n) array."""

    def make() -> Adapter:
        f = ready(function, label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            value = f(inp[1 : 1 + n], inp[0])
            for i in range(n):
                for j in range(n):
                    out[n * i + j] = value[i, j]

        return adapter

    return slot_address(("mass", n, id(function)), function, make, label, n * n)


def force_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile h(q, u, t) -> (n,) array."""

    def make() -> Adapter:
        f = ready(function, label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            value = f(inp[1 : 1 + n], inp[1 + n : 1 + 2 * n], inp[0])
            for i in range(n):
                out[i] = value[i]

        return adapter

    return slot_address(("force", n, id(function)), function, make, label, n, may_hold=True)


def joint_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile kinematics(q, u) -> (R, d, S, bias)."""

    def make() -> Adapter:
        f = ready(function, label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            R, d, S, bias = f(inp[:n], inp[n : 2 * n])
            for i in range(3):
                out[9 + i] = d[i]
                for j in range(3):
                    out[3 * i + j] = R[i, j]
            for i in range(6):
                out[12 + 6 * n + i] = bias[i]
                for j in range(n):
                    out[12 + n * i + j] = S[i, j]

        return adapter

    return slot_address(("joint", n, id(function)), function, make, label, 18 + 6 * n)


def constraint_slot(function: Callable[..., Any], n: int, numerical: bool, label: str) -> int:
    """Compile g(q, t) with its directional derivatives: inp = t, q, then dt, dq, then scratch."""

    def exact() -> Adapter:
        if isinstance(function, Interpreted):
            raise CompileError(
                f"{label}: the derivatives of an Interpreted function are not known; set "
                f'derivatives="numerical".'
            )
        return trace(function, lambda s: (tuple(s[1:]), s[0]), n + 1, label)

    def differences() -> Adapter:
        f = ready(function, label)
        step = 1e-4
        last = 2 * n + 2

        def adapter(inp: Any, par: Any, out: Any) -> None:
            # the shifted position stands behind the arguments: nothing is allocated
            q = inp[last : last + n]
            for i in range(n):
                q[i] = inp[1 + i] - step * inp[n + 2 + i]
            before = f(q, inp[0] - step * inp[n + 1])
            for i in range(n):
                q[i] = inp[1 + i]
            now = f(q, inp[0])
            for i in range(n):
                q[i] = inp[1 + i] + step * inp[n + 2 + i]
            after = f(q, inp[0] + step * inp[n + 1])
            out[0] = now
            out[1] = (after - before) / (2.0 * step)
            out[2] = (after - 2.0 * now + before) / (step * step)

        return adapter

    make = differences if numerical else exact
    return slot_address(("constraint", n, numerical, id(function)), function, make, label, 3)


def curve_slot(function: Callable[..., Any], numerical: bool, size: float, label: str) -> int:
    """Compile r(s) -> (x, y) with its first two derivatives: out = r, r', r''."""

    def exact() -> Adapter:
        _check_point(function, label)
        if isinstance(function, Interpreted):
            raise CompileError(
                f"{label}: the derivatives of an Interpreted function are not known; set "
                f'derivatives="numerical".'
            )
        x = compile_user_function(_component(function, 0, label), label=label)
        y = compile_user_function(_component(function, 1, label), label=label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            arguments = (inp[0], 1.0)
            x(arguments, par, out[:3])
            y(arguments, par, out[3:6])
            # from x, x', x'', y, y', y'' to points
            first, second, third, fourth = out[1], out[2], out[3], out[4]
            out[1], out[2], out[3], out[4] = third, first, fourth, second

        return adapter

    def differences() -> Adapter:
        _check_point(function, label)
        f = ready(function, label)
        step = 1e-4 * size

        def adapter(inp: Any, par: Any, out: Any) -> None:
            low, middle, high = f(inp[0] - step), f(inp[0]), f(inp[0] + step)
            for i in range(2):
                out[i] = middle[i]
                out[2 + i] = (high[i] - low[i]) / (2.0 * step)
                out[4 + i] = (high[i] - 2.0 * middle[i] + low[i]) / (step * step)

        return adapter

    key = ("curve", numerical, size if numerical else 0.0, id(function))
    return slot_address(key, function, differences if numerical else exact, label, 6)


def surface_slot(
    function: Callable[..., Any], numerical: bool, sizes: tuple[float, float], label: str
) -> int:
    """Compile r(s, t) -> (x, y, z): out = r, r_s, r_t, r_ss, r_st, r_tt.

    The mixed derivative is half of what the second one along (1, 1) has beyond those along s and t.
    """

    def exact() -> Adapter:
        _check_point(function, label, 2)
        if isinstance(function, Interpreted):
            raise CompileError(
                f"{label}: the derivatives of an Interpreted function are not known; set "
                f'derivatives="numerical".'
            )
        x, y, z = (
            compile_user_function(trace(function, lambda s: (s[0], s[1]), 2, label, k), label=label)
            for k in range(3)
        )

        def adapter(inp: Any, par: Any, out: Any) -> None:
            s, t = inp[0], inp[1]
            scratch = out[15:18]
            for a, b, first, second in ((1.0, 0.0, 3, 9), (0.0, 1.0, 6, 12)):
                x((s, t, a, b), par, scratch)
                out[0], out[first], out[second] = scratch[0], scratch[1], scratch[2]
                y((s, t, a, b), par, scratch)
                out[1], out[first + 1], out[second + 1] = scratch[0], scratch[1], scratch[2]
                z((s, t, a, b), par, scratch)
                out[2], out[first + 2], out[second + 2] = scratch[0], scratch[1], scratch[2]
            x((s, t, 1.0, 1.0), par, scratch)
            mixed_x = scratch[2]
            y((s, t, 1.0, 1.0), par, scratch)
            mixed_y = scratch[2]
            z((s, t, 1.0, 1.0), par, scratch)
            out[15], out[16], out[17] = mixed_x, mixed_y, scratch[2]
            for i in range(3):
                along_t = out[12 + i]
                out[12 + i] = 0.5 * (out[15 + i] - out[9 + i] - along_t)
                out[15 + i] = along_t

        return adapter

    def differences() -> Adapter:
        _check_point(function, label, 2)
        f = ready(function, label)
        ds, dt = 1e-4 * sizes[0], 1e-4 * sizes[1]

        def adapter(inp: Any, par: Any, out: Any) -> None:
            s, t = inp[0], inp[1]
            middle = f(s, t)
            low_s, high_s, low_t, high_t = f(s - ds, t), f(s + ds, t), f(s, t - dt), f(s, t + dt)
            ll, lh, hl, hh = (
                f(s - ds, t - dt),
                f(s - ds, t + dt),
                f(s + ds, t - dt),
                f(s + ds, t + dt),
            )
            for i in range(3):
                out[i] = middle[i]
                out[3 + i] = (high_s[i] - low_s[i]) / (2.0 * ds)
                out[6 + i] = (high_t[i] - low_t[i]) / (2.0 * dt)
                out[9 + i] = (high_s[i] - 2.0 * middle[i] + low_s[i]) / (ds * ds)
                out[12 + i] = (hh[i] - hl[i] - lh[i] + ll[i]) / (4.0 * ds * dt)
                out[15 + i] = (high_t[i] - 2.0 * middle[i] + low_t[i]) / (dt * dt)

        return adapter

    key = ("surface", numerical, *(sizes if numerical else (0.0, 0.0)), id(function))
    return slot_address(key, function, differences if numerical else exact, label, 18)


def _component(function: Callable[..., Any], k: int, label: str) -> Callable[..., None]:
    """Trace one component of a function that returns a point."""
    return trace(function, lambda s: (s[0],), 1, label, k)


def _check_point(function: Callable[..., Any], label: str, expected: int = 1) -> None:
    n = arity(function, label)
    if n != expected:
        words = "s" if expected == 1 else "s and t"
        raise CompileError(f"{label} must be a function of {words}, it takes {n} arguments.")


class LawShape(NamedTuple):
    """Sizes of what the functions of a force element see."""

    frames: int
    coordinates: int
    states: int
    discrete: int = 0
    delays: int = 0


def law_arguments(shape: LawShape) -> Callable[..., Any]:
    """Return the compiled function that finds t, r, A, v, Omega, q, u, x (and z) in a buffer.

    They are views: all arrays that a law sees are places in the buffers of the kernel.
    """
    from cornerlaw.kernels.law_views import view_part
    from cornerlaw.kernels.slots import compile_user_function

    nf, nc, nx, nz = shape[:4]
    a = 1 + 18 * nf
    b, c = a + nc, a + 2 * nc
    d = c + nx

    def plain(inp: Any) -> Any:
        return (
            inp[0],
            view_rows(inp, 1, nf),
            view_matrices(inp, 1 + 3 * nf, nf),
            view_rows(inp, 1 + 12 * nf, nf),
            view_rows(inp, 1 + 15 * nf, nf),
            view_part(inp, a, nc),
            view_part(inp, b, nc),
            view_part(inp, c, nx),
        )

    found: Callable[..., Any] = compile_user_function(plain, label="the arguments of a law")
    if nz == 0:
        return found

    def discrete(inp: Any) -> Any:
        return (*found(inp), view_part(inp, d, nz))

    with_z: Callable[..., Any] = compile_user_function(discrete, label="the arguments of a law")
    return with_z


def law_slot(function: Callable[..., Any], shape: LawShape, label: str) -> int:
    """Compile a force element's law."""
    from cornerlaw.kernels.law_views import view_part

    nf, nc, nx, nz = shape[:4]

    def make() -> Adapter:
        f, arguments = ready(function, label), law_arguments(shape)

        def law(inp: Any, par: Any, out: Any) -> None:
            f(
                *arguments(inp),
                par,
                view_rows(out, 0, nf),
                view_rows(out, 3 * nf, nf),
                view_part(out, 6 * nf, nc),
                view_part(out, 6 * nf + nc, nx),
            )

        return law

    key = ("law", *shape, id(function))
    return slot_address(key, function, make, label, 6 * nf + nc + nx + nz, may_hold=True)


def number_slot(function: Callable[..., Any], shape: LawShape, label: str) -> int:
    """Compile a number of a force element: its energy, an output, an indicator."""

    def make() -> Adapter:
        f, arguments = ready(function, label), law_arguments(shape)

        def number(inp: Any, par: Any, out: Any) -> None:
            out[0] = f(*arguments(inp), par)

        return number

    return slot_address(("number", *shape, id(function)), function, make, label, 1)
