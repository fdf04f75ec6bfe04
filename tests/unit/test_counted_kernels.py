"""Kernels count no references, so those that hand out or make arrays have a decorator of their own.

Numba refuses to compile the others, but only where a model needs them; here all sources are read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import cornerlaw
from cornerlaw.kernels.planar.stages import eval_planar_kinematics

KERNELS = Path(cornerlaw.__file__).parent / "kernels"
PLAIN = {"kernel", "inlined", "fused_kernel"}
MAKERS = {"part", "view", "carray", "zeros", "empty", "copy"}  # what makes an array


ARRAYS = {"Floats", "Ints", "Bools"}  # annotations of arrays


def functions(tree: ast.AST, decorators: set[str]) -> Iterator[ast.FunctionDef]:
    """Yield all functions with one of some decorators."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {x.id for x in node.decorator_list if isinstance(x, ast.Name)}
            if names & decorators:
                yield node


def name_of(node: ast.AST) -> str:
    """Return the name of what is called, without the module or the object before it."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def array_fields() -> set[str]:
    """Return the names that are arrays in every tuple of `arrays/` that has them."""
    kinds: dict[str, set[bool]] = {}
    for path in sorted((KERNELS.parent / "arrays").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                is_one = isinstance(node.annotation, ast.Name) and node.annotation.id in ARRAYS
                kinds.setdefault(node.target.id, set()).add(is_one)
    return {name for name, found in kinds.items() if found == {True}}


def is_array(node: ast.AST, makers: set[str]) -> bool:
    """Tell whether an expression is an array field, a slice, or what a maker of arrays returns."""
    if isinstance(node, ast.IfExp):
        return is_array(node.body, makers) or is_array(node.orelse, makers)
    if isinstance(node, ast.Attribute):
        return node.attr in FIELDS
    if isinstance(node, ast.Subscript):
        return any(isinstance(x, ast.Slice) for x in ast.walk(node.slice))
    return name_of(node) in makers


FIELDS = array_fields()


def sources() -> dict[str, ast.AST]:
    """Return all sources of kernels, parsed."""
    paths = sorted(KERNELS.rglob("*.py"))
    return {str(path.relative_to(KERNELS)): ast.parse(path.read_text()) for path in paths}


def test_kernels_that_return_arrays_are_counted() -> None:
    trees = sources()
    assert {"shift", "gamma", "x"} <= FIELDS and "nu" not in FIELDS
    counted = {x.name for tree in trees.values() for x in functions(tree, {"counted_kernel"})}
    assert {"rows_of", "parameters_of"} <= counted
    found = [
        f"{name}: {function.name}"
        for name, tree in trees.items()
        for function in functions(tree, PLAIN)
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
        if is_array(node.value, MAKERS | counted)
    ]
    assert found == []


def test_kernels_that_make_arrays_are_counted() -> None:
    found = [
        f"{name}: {function.name}"
        for name, tree in sources().items()
        for function in functions(tree, PLAIN)
        for node in ast.walk(function)
        if name_of(node) in MAKERS - {"part", "view", "copy"}
    ]
    assert found == []


def test_a_kernel_takes_arrays_of_the_interpreter() -> None:
    """Nothing is counted on the way in either: an array has as many owners after a call."""
    import sys

    from cornerlaw.kernels.integrators.control import copy, is_finite

    a, b = np.arange(3.0), np.zeros(3)
    owners = sys.getrefcount(a), sys.getrefcount(b)
    for _ in range(10):
        copy(a, b)
        assert is_finite(b)
    assert (sys.getrefcount(a), sys.getrefcount(b)) == owners
    assert np.array_equal(a, b)
    assert eval_planar_kinematics.targetoptions["_nrt"] is False
