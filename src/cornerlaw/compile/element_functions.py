"""Slots of what an element of the user may have beside its law: derivatives, rows and masses."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from cornerlaw.compile.functions import Adapter, LawShape, law_arguments, ready, slot_address
from cornerlaw.errors import CompileError
from cornerlaw.kernels.law_views import view_matrix, view_part
from cornerlaw.kernels.slots import compile_user_function, view_matrices, view_rows

Unpacker = Callable[..., Any]


def refuse_writes(function: Any, place: int, label: str) -> None:
    """Refuse a function that writes into its parameters: later calls would see other ones.

    All else that it gets is a copy. What is written under another name is not found.
    """
    if not inspect.isfunction(plain := getattr(function, "py_func", function)):
        return
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    except (OSError, TypeError, SyntaxError):  # no source, or a piece of a line
        return
    names = list(inspect.signature(plain).parameters)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in names[place : place + 1]
        ):
            raise CompileError(
                f"{label} writes into its parameters '{node.value.id}', which other calls share; "
                f"copy them first, or keep what changes in states"
            )


def law_unpacker(shape: LawShape) -> Unpacker:
    """Return the function that finds t, r, A, v, Omega, q, u, x (z) and p in the buffers."""
    found = law_arguments(shape)

    def unpack(inp: Any, par: Any) -> Any:
        return (*found(inp), par)

    made: Unpacker = compile_user_function(unpack, label="the arguments of a law")
    return made


def jacobian_slot(
    function: Any, shape: LawShape, unpack: Unpacker, place: int, label: str
) -> int:  # fmt: skip
    """Compile the derivatives of a law: a matrix (results, arguments), see kernels/own_laws.py.

    `place` tells functions with different delays apart.
    """
    nf, nc, nx = shape[:3]
    rows, columns = 6 * nf + nc + nx, 12 * nf + 2 * nc + nx

    def make() -> Adapter:
        f = ready(function, label)

        def jacobian(inp: Any, par: Any, out: Any) -> None:
            f(*unpack(inp, par), view_matrix(out, 0, rows, columns))

        return jacobian

    key = ("jacobian", *shape, place, id(function))
    return slot_address(key, function, make, label, rows * columns)


def row_slot(function: Any, nf: int, nc: int, label: str) -> int:
    """Compile a row of an element: out = g, w_tilde, w_bar, then F and M of all frames, then Q."""
    a = 1 + 18 * nf

    def make() -> Adapter:
        f = ready(function, label)

        def row(inp: Any, par: Any, out: Any) -> None:
            out[0], out[1], out[2] = f(
                inp[0],
                view_rows(inp, 1, nf),
                view_matrices(inp, 1 + 3 * nf, nf),
                view_rows(inp, 1 + 12 * nf, nf),
                view_rows(inp, 1 + 15 * nf, nf),
                view_part(inp, a, nc),
                view_part(inp, a + nc, nc),
                par,
                view_rows(out, 3, nf),
                view_rows(out, 3 + 3 * nf, nf),
                view_part(out, 3 + 6 * nf, nc),
            )

        return row

    return slot_address(("row", nf, nc, id(function)), function, make, label, 3 + 6 * nf + nc)


def inertia_slot(function: Any, nf: int, nc: int, label: str) -> int:
    """Compile the mass matrix of an element on the motion of its frames and coordinates."""
    a, n = 1 + 18 * nf, 6 * nf + nc

    def make() -> Adapter:
        f = ready(function, label)

        def inertia(inp: Any, par: Any, out: Any) -> None:
            f(
                inp[0],
                view_rows(inp, 1, nf),
                view_matrices(inp, 1 + 3 * nf, nf),
                view_part(inp, a, nc),
                par,
                view_matrix(out, 0, n, n),
            )

        return inertia

    return slot_address(("inertia", nf, nc, id(function)), function, make, label, n * n)
