"""Flip one sign or inequality of the solvers and laws at a time, and see whether a test fails.

    python tools/mutants.py [--list] [--files prox.py sparse/newton.py] [--first N] [--count N]
                            [--jobs N]

The package is loaded once, with kernels as plain Python (tests/plain_kernels.py). In a forked child
the code of one source is replaced by that with one place changed, and the tests of that source run,
those that know it best first, until one fails. A mutant that no test notices survives and is
printed. Those in mutants_equivalent.py change nothing that a test could see, with the reason. The
exit code is the number of others that survive, at most 100; 101 if the tests fail without any
change.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import importlib.util
import inspect
import itertools
import math
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KERNELS = "src/cornerlaw/kernels"
Run = tuple[str, ...]  # arguments of pytest
# a table of steps: most that is wrong in a solver makes it slow, which is noticed here at once
PATHS: Run = ("tests/unit/test_solver_paths.py",)
# tests that are quick as plain Python, by words of their names
QUICK = (
    "ball_sticks or ball_slips or residual or open_contact or bilateral or loads or rounded "
    "or factors or frictionless or clips or rod or dumbbell or super or masses or cradle"
)
SOLVERS: Run = ("-k", QUICK, "tests/unit/test_single_contact.py", "tests/unit/test_solvers.py",
                "tests/properties/test_complementarity.py")  # fmt: skip
# all but the slowest
IMPACTS: Run = ("-k", "masses or rod or dumbbell or super or tangential or collision or bilateral "
                "or enumeration or given_back or directions or sequential_single or sequential_p "
                "or roads or passivity or cradle or energy or wrong",
                "tests/unit/test_impacts.py")  # fmt: skip
CORNERS: tuple[Run, ...] = (("tests/unit/test_corner_laws.py",),)
SPARSE: tuple[Run, ...] = (
    ("tests/unit/test_sparse_solver.py",),
    ("tests/unit/test_sparse_stages.py",),
    ("-k", "rounds_get", "tests/unit/test_compliant_rounds.py"),
    ("-k", "ladder", "tests/equivalence/test_sparse_steps.py"),
    ("-k", "plane or space", "tests/equivalence/test_sparse_steps.py"),
)
# the solver in the table of steps that a source belongs to
WORDS = {
    "accelerated": "accelerated", "dense": "factors or pivot", "fischer_burmeister": "smoothed",
    "gauss_seidel": "gauss-seidel", "homotopy": "homotopy", "jacobi": "jacobi", "lemke": "lemke",
    "linear_form": "lemke", "newton": "newton", "pivoting": "pivoting", "quick": "quick",
    "smoothing": "homotopy", "verify": "scales",
}  # fmt: skip
# tests of the pieces of a solver, which answers that are checked and mended would hide
PIECES = {
    "fischer_burmeister": "smoothed", "homotopy": "homotopy", "lemke": "lemke",
    "linear_form": "lemke", "pivoting": "pivoting", "smoothing": "homotopy",
}  # fmt: skip


def _tests_of(name: str) -> tuple[Run, ...]:
    pieces = (f"tests/unit/test_{PIECES[name]}_pieces.py",) if name in PIECES else ()
    first: tuple[Run, ...] = (pieces,) if pieces else ()
    return (*first, ("-k", WORDS[name], *PATHS), PATHS, SOLVERS)


# where a source lies: the tests that are meant to know it, the best ones first
TESTS: dict[str, tuple[Run, ...]] = {
    f"{KERNELS}/complementarity": (PATHS, SOLVERS),
    **{f"{KERNELS}/complementarity/{name}.py": _tests_of(name) for name in WORDS},
    f"{KERNELS}/complementarity/islands.py": (("tests/unit/test_islands.py",),),
    f"{KERNELS}/complementarity/pair.py": (("-k", "pair", "tests/unit/test_constant_steps.py"),),
    f"{KERNELS}/complementarity/single.py": (("tests/unit/test_single_contact.py",), SOLVERS),
    f"{KERNELS}/complementarity/sparse": SPARSE,
    f"{KERNELS}/complementarity/sparse/path.py": (
        ("tests/unit/test_path_pieces.py",),
        ("-k", "rounded_laws_are", "tests/unit/test_rounded_laws.py"),
        *SPARSE,
    ),
    **{
        f"{KERNELS}/complementarity/sparse/{name}.py": (
            ("tests/unit/test_sparse_decisions.py",),
            *SPARSE,
        )
        for name in ("settle", "solve")
    },
    f"{KERNELS}/complementarity/sparse/order.py": (("tests/unit/test_sparse_order.py",), *SPARSE),
    f"{KERNELS}/impacts": (IMPACTS,),
    **{
        f"{KERNELS}/corners/{name}.py": CORNERS
        for name in ("bounds", "compliance", "loads", "slip")
    },
}
# seconds of the processor for one test, or twice what its group takes without a change if that is
# more; a mutant that hangs is noticed
PATIENCE = 10.0
QUICKLY = 4.0 * PATIENCE  # what is run with --quick
FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one source."""

    file: str
    line: int
    change: str  # the statement before and after
    source: str  # the whole text after the change

    @property
    def key(self) -> tuple[str, str]:
        """Return the file and the statement after the change, which stay when lines move."""
        return self.file.removeprefix(f"{KERNELS}/"), self.change.partition("  ->  ")[2]


class _Flip(ast.NodeTransformer):
    """Change the n-th place that has a sign or an inequality."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.seen, self.line, self.before = wanted, 0, 0, ""
        self.within: list[ast.stmt] = []
        self.statement: ast.stmt | None = None

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        self.within.append(node)
        result = super().visit(node)
        self.within.pop()
        return result

    def _is_it(self, node: ast.AST) -> bool:
        self.seen += 1
        if self.seen - 1 != self.wanted:
            return False
        self.line, self.statement = getattr(node, "lineno", 0), self.within[-1]
        self.before = head(self.statement)
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for k, op in enumerate(node.ops):
            flip = FLIPS.get(type(op))
            if flip and self._is_it(node):
                node.ops[k] = flip()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._turn(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        return self._turn(node)

    def _turn(self, node: ast.BinOp | ast.AugAssign) -> ast.AST:
        if isinstance(node.op, ast.Add | ast.Sub) and self._is_it(node):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.USub) and self._is_it(node) else node


def head(statement: ast.stmt) -> str:
    """Return the first line of a statement."""
    return ast.unparse(statement).partition("\n")[0]


def mutants_of(file: str) -> list[Mutant]:
    """Return all mutants of a source."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found: list[Mutant] = []
    while True:
        flip = _Flip(len(found))
        tree = ast.fix_missing_locations(flip.visit(ast.parse(text)))
        if not flip.statement:
            return found
        change = f"{flip.before}  ->  {head(flip.statement)}"
        found.append(Mutant(file, flip.line, change, ast.unparse(tree)))


def sources() -> dict[str, tuple[Run, ...]]:
    """Return the sources that are changed, with their tests; what is named itself comes last."""
    found = {}
    for place, tests in TESTS.items():
        paths = sorted((ROOT / place).glob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]
        for path in paths:
            if path.name != "__init__.py":
                found[path.relative_to(ROOT).as_posix()] = tests
    return found


def module_of(file: str) -> str:
    """Return the name of the module in a file."""
    return file.removeprefix("src/").removesuffix(".py").replace("/", ".")


def replace_code(mutant: Mutant) -> None:
    """Give the functions of a loaded module the code of the changed source.

    Whoever has imported them sees the change; numbers are replaced wherever they were imported.
    """
    module = importlib.import_module(module_of(mutant.file))
    new = ModuleType(module.__name__)
    new.__dict__["__file__"] = module.__file__
    exec(compile(mutant.source, mutant.file, "exec"), new.__dict__)
    for name, value in list(vars(new).items()):
        old = vars(module).get(name)
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            assert isinstance(old, FunctionType), f"{name} is no plain function"
            old.__code__ = value.__code__
        elif isinstance(value, int | float | tuple) and value != old:
            for other in [m for n, m in sys.modules.items() if n.startswith("cornerlaw")]:
                if vars(other).get(name) is old:
                    setattr(other, name, value)


class _Patience:
    """A plugin of pytest that ends a test which does not end itself."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def pytest_runtest_setup(self) -> None:
        signal.signal(signal.SIGVTALRM, lambda *_: os._exit(1))
        signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds if self.seconds < math.inf else 0.0)


def plain_tests(module: ModuleType, words: str) -> Iterator[Callable[[], None]]:
    """Yield the tests of a module, with all their parameters, that need no fixture but monkeypatch.

    Of a choice `this or that` one of the words must be part of the name or of a parameter.
    """
    choice = words.lower().split(" or ")
    for name, test in vars(module).items():
        if not name.startswith("test_") or not isinstance(test, FunctionType):
            continue
        marks = getattr(test, "pytestmark", [])
        tables = [mark.args for mark in marks if mark.name == "parametrize"]
        names = [re.split(", *", a[0]) if isinstance(a[0], str) else list(a[0]) for a in tables]
        wanted = set(inspect.signature(test).parameters)
        patches = "monkeypatch" in wanted
        wanted.discard("monkeypatch")
        if wanted != {name for group in names for name in group} or hasattr(test, "hypothesis"):
            continue
        for rows in itertools.product(*(list(a[1]) for a in tables)):
            given: dict[str, Any] = {}
            for group, row in zip(names, rows, strict=True):
                row = getattr(row, "values", row) if not isinstance(row, dict) else row
                given |= dict(zip(group, row if len(group) > 1 else (row,), strict=True))
            label = f"{name} {' '.join(map(str, given.values()))}".lower()
            if any(word in label for word in choice):
                yield functools.partial(_patched if patches else _called, test, given)


def _called(test: Callable[..., None], given: dict[str, Any]) -> None:
    test(**given)


def _patched(test: Callable[..., None], given: dict[str, Any]) -> None:
    from pytest import MonkeyPatch

    with MonkeyPatch.context() as monkeypatch:
        test(**given, monkeypatch=monkeypatch)


def fails_plainly(run: Run, patience: float) -> bool:
    """Run what needs no fixture without pytest, which takes longer to start than most tests."""
    words = run[1] if run[0] == "-k" else ""
    for path in run if not words else run[2:]:
        module = sys.modules[Path(path).stem]
        for test in plain_tests(module, words):
            _Patience(patience).pytest_runtest_setup()
            try:
                test()
            except BaseException:
                return True
    return False


def start(mutant: Mutant | None, tests: tuple[Run, ...], patience: dict[Run, float]) -> int:
    """Start the tests in a child, with a change or without; return its number."""
    child = os.fork()
    if child:
        return child
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    code = 1
    try:
        if mutant:
            replace_code(mutant)
        code = _run_tests(tests, patience)
    finally:
        os._exit(int(code != 0))


def _run_tests(tests: tuple[Run, ...], patience: dict[Run, float]) -> int:
    import pytest

    options = ["-p", "plain_kernels", "-p", "no:cacheprovider", "-n", "0", "-x", "-q", "--tb=no"]
    if any(fails_plainly(run, patience[run]) for run in tests if run is not SOLVERS):
        return 1
    for run in tests:
        code = int(pytest.main([*options, *run], plugins=[_Patience(patience[run])]))
        if code:
            return code
    return 0


def load() -> None:
    """Load everything that the children need, once."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.environ["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT / 'tests'}"
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
    os.chdir(ROOT)
    for name in (
        "plain_kernels",
        "cornerlaw",
        "pytest",
        "scipy.optimize",
        *map(module_of, sources()),
    ):
        importlib.import_module(name)
    runs = {run for tests in TESTS.values() for run in tests if run is not SOLVERS}
    for path in sorted({x for run in runs for x in run if x.endswith(".py")}):
        spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[module.__name__] = module
        spec.loader.exec_module(module)
    from hypothesis import Phase, settings

    # the first counterexample is enough, and the same ones are tried every time
    given = settings.get_profile("plain")
    settings.register_profile(
        "mutants", given, phases=(Phase.explicit, Phase.generate), derandomize=True, database=None
    )
    settings.load_profile("mutants")


def measured(runs: list[Run]) -> dict[Run, float]:
    """Return how long a test of each group may take; a group that fails gets 0."""
    found = {}
    for run in runs:
        _, status, used = os.wait4(start(None, (run,), {run: math.inf}), 0)
        found[run] = 0.0 if status else max(PATIENCE, 2.0 * used.ru_utime)
    return found


def survivors_of(
    todo: list[tuple[Mutant, tuple[Run, ...]]], jobs: int, patience: dict[Run, float]
) -> Iterator[Mutant]:
    """Run the tests of every mutant in turn, some at a time; yield those that nothing notices."""
    waiting = list(reversed(todo))
    running: dict[int, Mutant] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant, tests = waiting.pop()
            running[start(mutant, tests, patience)] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if status == 0:
            yield mutant


def main() -> int:
    """Try the chosen mutants and print those that survive."""
    from mutants_equivalent import EQUIVALENT

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="count the mutants of every source")
    parser.add_argument("--files", nargs="*", default=[], help="ends of paths, all if not given")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--quick", action="store_true", help="own quick tests of a source only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    ends = tuple(f"/{name}" for name in given.files)
    chosen = {f: t for f, t in sources().items() if not ends or f.endswith(ends)}
    if given.quick:
        common = (PATHS, SOLVERS)
        chosen = {
            file: tuple(run for run in tests if run not in common) or tests[:1]
            for file, tests in chosen.items()
        }
    if given.list:
        for file in chosen:
            print(f"{len(mutants_of(file)):5d}  {file}")
        return 0
    load()
    patience = measured(list(dict.fromkeys(run for tests in chosen.values() for run in tests)))
    for run, seconds in patience.items():
        if not seconds:
            print(f"these tests fail without any change: {' '.join(run)}", file=sys.stderr)
            return 101
    if given.quick:
        # of these, what ends soon
        chosen = {
            file: tuple(run for run in tests if patience[run] <= QUICKLY) or tests[:1]
            for file, tests in chosen.items()
        }
    every = [(m, tests) for file, tests in chosen.items() for m in mutants_of(file)]
    every = every[given.first : given.first + given.count]
    todo = [(m, tests) for m, tests in every if m.key not in EQUIVALENT]
    survivors = 0
    for mutant in survivors_of(todo, given.jobs, patience):
        survivors += 1
        print(f"{mutant.file}:{mutant.line}:  {mutant.change}", flush=True)
    noticed, equivalent = len(todo) - survivors, len(every) - len(todo)
    print(f"{len(every)} mutants: {noticed} noticed, {equivalent} equivalent, {survivors} survive")
    return min(survivors, 100)


if __name__ == "__main__":
    sys.exit(main())
