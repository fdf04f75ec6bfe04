"""Slots of what an element of the user may have beside its law: derivatives, rows and masses."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from cornerlaw.compile.functions import (
    Adapter,
    LawShape,
    arity,
    law_arguments,
    ready,
    slot_address,
)
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


MOTION_ARGUMENTS = 11  # t, r, A, v, Omega, q, u, p, F, M, Q


def _row_arguments(function: Any, shape: LawShape, label: str) -> Any:
    """Return the compiled function that finds the arguments of a row, by how many it takes.

    Those of the motion alone, or with x (and z) behind u as every other function has them.
    """
    nf, nc, _, nz = shape[:4]
    n, a = arity(function, label), 1 + 18 * nf
    if n != MOTION_ARGUMENTS:
        whole = MOTION_ARGUMENTS + 1 + (1 if nz else 0)
        if n != whole:
            states = "x, z" if nz else "x"
            raise CompileError(
                f"{label} must be a function of {MOTION_ARGUMENTS} arguments (t, r, A, v, Omega, "
                f"q, u, p, F, M, Q), or of {whole} with {states} behind u, it takes {n}."
            )
        return law_arguments(shape)

    def motion(inp: Any) -> Any:
        return (
            inp[0],
            view_rows(inp, 1, nf),
            view_matrices(inp, 1 + 3 * nf, nf),
            view_rows(inp, 1 + 12 * nf, nf),
            view_rows(inp, 1 + 15 * nf, nf),
            view_part(inp, a, nc),
            view_part(inp, a + nc, nc),
        )

    return compile_user_function(motion, label="the arguments of a row")


def row_slot(function: Any, shape: LawShape, label: str) -> int:
    """Compile a row of an element: out = g, w_tilde, w_bar, then F and M of all frames, then Q."""
    nf, nc = shape[:2]
    found = _row_arguments(function, shape, label)

    def make() -> Adapter:
        f = ready(function, label)

        def row(inp: Any, par: Any, out: Any) -> None:
            out[0], out[1], out[2] = f(
                *found(inp),
                par,
                view_rows(out, 3, nf),
                view_rows(out, 3 + 3 * nf, nf),
                view_part(out, 3 + 6 * nf, nc),
            )

        return row

    key = ("row", *shape[:4], id(function))
    return slot_address(key, function, make, label, 3 + 6 * nf + nc)


def direction_slot(function: Any, shape: LawShape, label: str) -> int:
    """Compile what the force of a row has beside its directions: out as that of a row."""
    nf, nc = shape[:2]
    found = _row_arguments(function, shape, label)

    def make() -> Adapter:
        f = ready(function, label)

        def direction(inp: Any, par: Any, out: Any) -> None:
            f(
                *found(inp),
                par,
                view_rows(out, 3, nf),
                view_rows(out, 3 + 3 * nf, nf),
                view_part(out, 3 + 6 * nf, nc),
            )

        return direction

    key = ("direction", *shape[:4], id(function))
    return slot_address(key, function, make, label, 3 + 6 * nf + nc)


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
