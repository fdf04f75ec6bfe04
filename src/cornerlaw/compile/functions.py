"""Adapters that turn the user's Python functions into compiled slots (inp, par, out)."""

import inspect
from collections.abc import Callable
from typing import Any

from cornerlaw.compile.jets import trace
from cornerlaw.errors import CompileError
from cornerlaw.kernels.slots import compile_user_function, make_slot
from cornerlaw.model import Motion

# the same function in the same role is compiled once per process, so that a changed parameter of
# the model costs nothing; the function is kept in the value, so its id stays its own
_slots: dict[tuple[Any, ...], tuple[Any, int]] = {}


def _cached(
    key: tuple[Any, ...], keep: Any, make: Callable[[], Callable[..., None]], label: str
) -> int:
    found = _slots.get(key)
    if found is None:
        found = (keep, make_slot(make(), label=label))
        _slots[key] = found
    return found[1]


def arity(function: Callable[..., Any], label: str) -> int:
    """Return the number of positional arguments a function needs."""
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

    def make() -> Callable[..., None]:
        f = compile_user_function(function, label=label)
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

    return _cached(("scalar", n, id(function)), function, make, label)


def motion_slot(value: Motion | Callable[..., Any], label: str) -> int:
    """Compile a motion of time with its first two derivatives, derived where they are not given."""
    motion = value if isinstance(value, Motion) else Motion(value)
    key = ("motion", id(motion.position), id(motion.velocity), id(motion.acceleration))

    def make() -> Callable[..., None]:
        if motion.velocity is None and motion.acceleration is None:
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
        p = compile_user_function(motion.position, label=label)
        v = compile_user_function(motion.velocity, label=label)
        a = compile_user_function(motion.acceleration, label=label)

        def given(inp: Any, par: Any, out: Any) -> None:
            out[0] = p(inp[0])
            out[1] = v(inp[0])
            out[2] = a(inp[0])

        return given

    return _cached(key, motion, make, label)


def vector_slot(function: Callable[..., Any], dim: int, label: str) -> int:
    """Compile f(t) or f(t, r, v) -> vector of `dim` components."""
    n = arity(function, label)
    if n not in (1, 3):
        raise CompileError(
            f"{label} must be a function of t or of (t, r, v), it takes {n} arguments."
        )

    def make() -> Callable[..., None]:
        f = compile_user_function(function, label=label)
        if n == 1:

            def of_time(inp: Any, par: Any, out: Any) -> None:
                value = f(inp[0])
                for i in range(3):
                    out[i] = 0.0
                for i in range(dim):
                    out[i] = value[i]

            return of_time

        def of_state(inp: Any, par: Any, out: Any) -> None:
            value = f(inp[0], inp[1 : 1 + dim], inp[4 : 4 + dim])
            for i in range(3):
                out[i] = 0.0
            for i in range(dim):
                out[i] = value[i]

        return of_state

    return _cached(("vector", n, dim, id(function)), function, make, label)


def planar_moment_slot(function: Callable[..., Any], label: str) -> int:
    """Compile f(t) or f(t, r, v) -> moment about z, with r and v of two components."""
    n = arity(function, label)
    if n not in (1, 3):
        raise CompileError(
            f"{label} must be a function of t or of (t, r, v), it takes {n} arguments."
        )

    def make() -> Callable[..., None]:
        f = compile_user_function(function, label=label)
        if n == 1:

            def of_time(inp: Any, par: Any, out: Any) -> None:
                out[0] = 0.0
                out[1] = 0.0
                out[2] = f(inp[0])

            return of_time

        def of_state(inp: Any, par: Any, out: Any) -> None:
            out[0] = 0.0
            out[1] = 0.0
            out[2] = f(inp[0], inp[1:3], inp[4:6])

        return of_state

    return _cached(("moment", n, id(function)), function, make, label)


def mass_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile M(q, t) -> (n, n) array."""

    def make() -> Callable[..., None]:
        f = compile_user_function(function, label=label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            value = f(inp[1 : 1 + n], inp[0])
            for i in range(n):
                for j in range(n):
                    out[n * i + j] = value[i, j]

        return adapter

    return _cached(("mass", n, id(function)), function, make, label)


def force_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile h(q, u, t) -> (n,) array."""

    def make() -> Callable[..., None]:
        f = compile_user_function(function, label=label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            value = f(inp[1 : 1 + n], inp[1 + n : 1 + 2 * n], inp[0])
            for i in range(n):
                out[i] = value[i]

        return adapter

    return _cached(("force", n, id(function)), function, make, label)


def joint_slot(function: Callable[..., Any], n: int, label: str) -> int:
    """Compile kinematics(q, u) -> (R, d, S, bias)."""

    def make() -> Callable[..., None]:
        f = compile_user_function(function, label=label)

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

    return _cached(("joint", n, id(function)), function, make, label)


def constraint_slot(function: Callable[..., Any], n: int, numerical: bool, label: str) -> int:
    """Compile g(q, t) with its directional derivatives: inp = t, q, then dt, dq."""

    def exact() -> Callable[..., None]:
        return trace(function, lambda s: (tuple(s[1:]), s[0]), n + 1, label)

    def differences() -> Callable[..., None]:
        import numpy as np

        f = compile_user_function(function, label=label)
        step = 1e-4

        def adapter(inp: Any, par: Any, out: Any) -> None:
            q = np.empty(n)
            values = np.empty(3)
            for k in range(3):
                shift = (k - 1) * step
                for i in range(n):
                    q[i] = inp[1 + i] + shift * inp[n + 2 + i]
                values[k] = f(q, inp[0] + shift * inp[n + 1])
            out[0] = values[1]
            out[1] = (values[2] - values[0]) / (2.0 * step)
            out[2] = (values[2] - 2.0 * values[1] + values[0]) / (step * step)

        return adapter

    make = differences if numerical else exact
    return _cached(("constraint", n, numerical, id(function)), function, make, label)


def curve_slot(function: Callable[..., Any], numerical: bool, size: float, label: str) -> int:
    """Compile r(s) -> (x, y) with its first two derivatives: out = r, r', r''."""

    def exact() -> Callable[..., None]:
        import numpy as np

        _check_point(function, label)
        x = compile_user_function(_component(function, 0, label), label=label)
        y = compile_user_function(_component(function, 1, label), label=label)

        def adapter(inp: Any, par: Any, out: Any) -> None:
            jet = np.empty(3)
            arguments = (inp[0], 1.0)
            x(arguments, par, jet)
            out[0], out[2], out[4] = jet[0], jet[1], jet[2]
            y(arguments, par, jet)
            out[1], out[3], out[5] = jet[0], jet[1], jet[2]

        return adapter

    def differences() -> Callable[..., None]:
        _check_point(function, label)
        f = compile_user_function(function, label=label)
        step = 1e-4 * size

        def adapter(inp: Any, par: Any, out: Any) -> None:
            low, middle, high = f(inp[0] - step), f(inp[0]), f(inp[0] + step)
            for i in range(2):
                out[i] = middle[i]
                out[2 + i] = (high[i] - low[i]) / (2.0 * step)
                out[4 + i] = (high[i] - 2.0 * middle[i] + low[i]) / (step * step)

        return adapter

    key = ("curve", numerical, size if numerical else 0.0, id(function))
    return _cached(key, function, differences if numerical else exact, label)


def _component(function: Callable[..., Any], k: int, label: str) -> Callable[..., None]:
    """Trace one component of a function that returns a point."""
    return trace(function, lambda s: (s[0],), 1, label, k)


def _check_point(function: Callable[..., Any], label: str) -> None:
    n = arity(function, label)
    if n != 1:
        raise CompileError(f"{label} must be a function of s, it takes {n} arguments.")


def law_slot(
    function: Callable[..., Any], nf: int, nc: int, nx: int, n_out: int, label: str
) -> int:
    """Compile a force element's law (n_out = 0), or an energy or output function (n_out = 1)."""

    def make() -> Callable[..., None]:
        import numpy as np

        f = compile_user_function(function, label=label)
        a = 1 + 18 * nf
        b, c = a + nc, a + 2 * nc

        def unpack(inp: Any) -> Any:
            r = np.empty((nf, 3))
            A = np.empty((nf, 3, 3))
            v = np.empty((nf, 3))
            Omega = np.empty((nf, 3))
            for k in range(nf):
                start = 1 + 18 * k
                for i in range(3):
                    r[k, i] = inp[start + i]
                    v[k, i] = inp[start + 12 + i]
                    Omega[k, i] = inp[start + 15 + i]
                    for j in range(3):
                        A[k, i, j] = inp[start + 3 + 3 * i + j]
            return r, A, v, Omega

        arrange = compile_user_function(unpack, label=label)

        def law(inp: Any, par: Any, out: Any) -> None:
            r, A, v, Omega = arrange(inp)
            F = np.zeros((nf, 3))
            M = np.zeros((nf, 3))
            Q = np.zeros(nc)
            x_dot = np.zeros(nx)
            q, u, x = inp[a:b], inp[b:c], inp[c : c + nx]
            f(inp[0], r, A, v, Omega, q, u, x, par, F, M, Q, x_dot)
            for k in range(nf):
                for i in range(3):
                    out[6 * k + i] = F[k, i]
                    out[6 * k + 3 + i] = M[k, i]
            for k in range(nc):
                out[6 * nf + k] = Q[k]
            for k in range(nx):
                out[6 * nf + nc + k] = x_dot[k]

        def number(inp: Any, par: Any, out: Any) -> None:
            r, A, v, Omega = arrange(inp)
            q, u, x = inp[a:b], inp[b:c], inp[c : c + nx]
            out[0] = f(inp[0], r, A, v, Omega, q, u, x, par)

        return number if n_out == 1 else law

    return _cached(("law", nf, nc, nx, n_out, id(function)), function, make, label)
