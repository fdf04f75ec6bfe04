"""Flip one sign or inequality of the solvers and laws at a time, and see whether a test fails.

    python tools/mutants.py [--list] [--files prox.py verify.py] [--first N] [--count N]

The package is copied, one place of a source is changed in the copy, and the fast tests of that
source run in a forked child with kernels as plain Python (tests/plain_kernels.py). A mutant that no
test notices survives and is printed. Those in EQUIVALENT change nothing that a test could see, with
the reason. The exit code is the number of others that survive, at most 100; 101 if the tests fail
without any change.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNELS = "src/cornerlaw/kernels"
SOLVERS = ("tests/unit/test_single_contact.py", "tests/unit/test_solvers.py",
           "tests/properties/test_complementarity.py")  # fmt: skip
IMPACTS = ("tests/unit/test_impacts.py",)
# a table of steps: most that is wrong in a solver makes it slow, which is noticed here at once
PATHS = "tests/unit/test_solver_paths.py"
# tests that are quick as plain Python, by words of their names
QUICK = (
    "ball_sticks or ball_slips or residual or open_contact or bilateral or loads or rounded "
    "or factors or frictionless or clips or rod or dumbbell or super or masses or cradle"
)
# where a source lies: the tests that are meant to know it
TESTS = {
    f"{KERNELS}/complementarity": SOLVERS,
    f"{KERNELS}/impacts": IMPACTS,
    f"{KERNELS}/corners/bounds.py": IMPACTS,
}
# file, line as written without spaces around it: why no test can tell
EQUIVALENT: dict[tuple[str, str], str] = {
    ("accelerated.py", "s.y[i] = 1.0 + 0.1 * ((i * 7) % 5)"):
        "any first vector leads a power iteration to the largest eigenvalue",
    ("accelerated.py", "total += p.G[i, j] * s.y[j]"):
        "the vector of a power iteration changes its sign, its length does not",
}  # fmt: skip
PATIENCE = 300.0  # seconds; a mutant that hangs is noticed
FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one source."""

    file: str
    line: int
    text: str  # the line before
    change: str
    source: str  # the whole text after the change


class _Flip(ast.NodeTransformer):
    """Change the n-th place that has a sign or an inequality."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.seen, self.line, self.change = wanted, 0, 0, ""

    def _is_it(self, node: ast.AST, change: str) -> bool:
        self.seen += 1
        if self.seen - 1 != self.wanted:
            return False
        self.line, self.change = getattr(node, "lineno", 0), change
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for k, op in enumerate(node.ops):
            flip = FLIPS.get(type(op))
            if flip and self._is_it(node, f"{type(op).__name__} -> {flip.__name__}"):
                node.ops[k] = flip()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and self._is_it(node, "+ -> -"):
            node.op = ast.Sub()
        elif isinstance(node.op, ast.Sub) and self._is_it(node, "- -> +"):
            node.op = ast.Add()
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and self._is_it(node, "+= -> -="):
            node.op = ast.Sub()
        elif isinstance(node.op, ast.Sub) and self._is_it(node, "-= -> +="):
            node.op = ast.Add()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.USub) and self._is_it(node, "-x -> x"):
            return node.operand
        return node


def mutants_of(file: str) -> list[Mutant]:
    """Return all mutants of a source."""
    text = (ROOT / file).read_text(encoding="utf-8")
    lines, found = text.splitlines(), []
    while True:
        flip = _Flip(len(found))
        tree = ast.fix_missing_locations(flip.visit(ast.parse(text)))
        if not flip.change:
            return found
        line = lines[flip.line - 1].strip()
        found.append(Mutant(file, flip.line, line, flip.change, ast.unparse(tree)))


def sources() -> dict[str, tuple[str, ...]]:
    """Return the sources that are changed, with their tests."""
    found = {}
    for place, tests in TESTS.items():
        paths = sorted((ROOT / place).glob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]
        for path in paths:
            if path.name != "__init__.py":
                found[path.relative_to(ROOT).as_posix()] = tests
    return found


def is_noticed(package: Path, mutant: Mutant, tests: tuple[str, ...]) -> bool:
    """Run the tests with the change; return whether one of them fails."""
    target = package / mutant.file.removeprefix("src/")
    before = target.read_text(encoding="utf-8")
    target.write_text(mutant.source, encoding="utf-8")
    try:
        return fails(package, tests)
    finally:
        target.write_text(before, encoding="utf-8")


def fails(package: Path, tests: tuple[str, ...]) -> bool:
    """Run tests in a child; return whether one of them fails, or takes too long."""
    child = os.fork()
    if child == 0:
        os.setsid()
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        code = 1
        try:
            code = _run_tests(package, tests)
        finally:
            os._exit(int(code != 0))
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _run_tests(package: Path, tests: tuple[str, ...]) -> int:
    import pytest

    sys.path[:0] = [str(package), str(ROOT / "tests")]
    os.chdir(ROOT)
    there = [test for test in tests if Path(test).exists()]
    options = ["-p", "plain_kernels", "-p", "no:cacheprovider", "-n", "0", "-x", "-q"]
    if tests == SOLVERS:
        code = int(pytest.main([*options, PATHS]))
        if code:
            return code
    return int(pytest.main([*options, "-k", QUICK, *there]))


def main() -> int:
    """Try the chosen mutants and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="count the mutants of every source")
    parser.add_argument("--files", nargs="*", default=[], help="names of sources, all if not given")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    given = parser.parse_args()
    chosen = {f: t for f, t in sources().items() if not given.files or Path(f).name in given.files}
    if given.list:
        for file in chosen:
            print(f"{len(mutants_of(file)):5d}  {file}")
        return 0
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    import hypothesis  # noqa: F401 - imported once, before the children are forked
    import numba  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize  # noqa: F401

    todo = [(m, tests) for file, tests in chosen.items() for m in mutants_of(file)]
    todo = todo[given.first : given.first + given.count]
    survivors = equivalent = 0
    with tempfile.TemporaryDirectory() as place:
        package = Path(place)
        shutil.copytree(ROOT / "src" / "cornerlaw", package / "cornerlaw")
        for tests in sorted({tests for _, tests in todo}):
            if fails(package, tests):
                print(f"these tests fail without any change: {' '.join(tests)}", file=sys.stderr)
                return 101
        for mutant, tests in todo:
            if (Path(mutant.file).name, mutant.text) in EQUIVALENT:
                equivalent += 1
            elif not is_noticed(package, mutant, tests):
                survivors += 1
                print(f"{mutant.file}:{mutant.line}: {mutant.change}:  {mutant.text}", flush=True)
    noticed = len(todo) - survivors - equivalent
    print(f"{len(todo)} mutants: {noticed} noticed, {equivalent} equivalent, {survivors} survive")
    return min(survivors, 100)


if __name__ == "__main__":
    sys.exit(main())
