"""What compiled functions may not contain, read from their sources.

Matrix products and `np.linalg` call BLAS and LAPACK: they compile ten times as long as loops, run
slower for the small matrices here, and take as many threads as they like.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import cornerlaw

PACKAGE = Path(cornerlaw.__file__).parent
FOLDERS = ("kernels", "hydraulics", "drives", "gallery")
DECORATORS = {"kernel", "counted_kernel", "fused_kernel", "parallel_kernel", "inlined"}
# names of NumPy that end in BLAS or LAPACK
PRODUCTS = {
    "dot", "vdot", "inner", "outer", "matmul", "tensordot", "einsum", "linalg", "kron", "matvec",
    "vecdot", "vecmat",
}  # fmt: skip


def decorators(function: ast.FunctionDef) -> set[str]:
    """Return the names of a function's decorators, called or not."""
    found = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return {d.id if isinstance(d, ast.Name) else getattr(d, "attr", "") for d in found}


def kernels(text: str) -> Iterator[ast.FunctionDef]:
    """Yield the compiled functions of a source."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and decorators(node) & DECORATORS:
            yield node


def imported(text: str) -> set[str]:
    """Return names that a source imports from NumPy's products, under whatever name."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("numpy", "scipy")):
            linear = "linalg" in (node.module or "")
            found |= {a.asname or a.name for a in node.names if linear or a.name in PRODUCTS}
    return found


def faults(text: str) -> list[str]:
    """Return where a compiled function of a source multiplies by BLAS."""
    names, found = imported(text), []
    for function in kernels(text):
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
                what = "@"
            elif isinstance(node, ast.Attribute) and node.attr in PRODUCTS:
                what = ast.unparse(node)
            elif isinstance(node, ast.Name) and node.id in names:
                what = node.id
            else:
                continue
            found.append(f"{function.name}, line {node.lineno}: {what}")
    return found


def sources() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py"))


def test_kernels_have_neither_blas_nor_matrix_products() -> None:
    found, count = {}, 0
    for path in sources():
        text = path.read_text(encoding="utf-8")
        count += sum(1 for _ in kernels(text))
        if wrong := faults(text):
            found[path.relative_to(PACKAGE).as_posix()] = wrong
    assert count > 1000  # the names of the decorators are still the right ones
    assert not found


def test_every_decorator_that_compiles_is_known() -> None:
    """What `_numba.py` and `_inlined.py` offer as decorators is what is looked for here."""
    text = "".join(
        (PACKAGE / "kernels" / name).read_text(encoding="utf-8")
        for name in ("_numba.py", "_inlined.py", "_parallel.py", "planar/_fused.py")
    )
    defined = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    assert defined >= DECORATORS
    # nothing else compiles on its own
    for path in sources():
        used = {
            name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef)
            for name in decorators(node)
        }
        assert not used & {"njit", "jit", "cfunc", "vectorize", "guvectorize"}, path


@pytest.mark.parametrize(
    "line",
    ["return A @ b", "return np.dot(A, b)", "return np.linalg.solve(A, b)", "return A.dot(b)",
     "return solve(A, b)", "A @= b"],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(line: str) -> None:
    begin = "import numpy as np\nfrom numpy.linalg import solve\n"
    assert faults(f"{begin}@kernel\ndef f(A, b):\n    {line}\n")
    assert not faults(f"{begin}def f(A, b):\n    {line}\n")
