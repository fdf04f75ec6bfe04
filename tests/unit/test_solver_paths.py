r"""How many steps every solver takes to the solution of small problems, and which stage finds it.

A sign that is wrong in a solver seldom makes it wrong, as its answer is checked and others follow:
it makes it slow. The table in data/solver-paths.json holds what each needs today;

    NUMBA_DISABLE_JIT=1 PYTHONPATH=tests python -c \
        "import plain_kernels, runpy; runpy.run_path(FILE, None, '__main__')"

with FILE this file writes it anew, after a change that is meant to make a solver take another path.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_problems import plane_stacks, set_a
from numba.core import config

import cornerlaw as cl
from cornerlaw.arrays import solver_scratch as options
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.kernels.complementarity.accelerated import solve_accelerated
from cornerlaw.kernels.complementarity.auto import solve_auto
from cornerlaw.kernels.complementarity.dense import factor_guarded, solve_factored
from cornerlaw.kernels.complementarity.gauss_seidel import solve_gauss_seidel
from cornerlaw.kernels.complementarity.jacobi import solve_jacobi
from cornerlaw.kernels.complementarity.newton import _search, solve_newton
from cornerlaw.kernels.complementarity.prox import eval_gamma, eval_natural_map, prepare
from cornerlaw.kernels.complementarity.quick import solve_quick
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.simulate.complementarity.compiled import Session

TABLE = Path(__file__).parents[1] / "data" / "solver-paths.json"
LINEAR = Path(__file__).parents[1] / "data" / "small-lcps.json"
IS_PLAIN = bool(config.DISABLE_JIT)
SOLVERS: dict[str, Any] = {
    "gauss-seidel": cl.GaussSeidel(max_sweeps=300),
    "jacobi": cl.Jacobi(max_sweeps=600),
    "accelerated": cl.AcceleratedGradient(max_sweeps=600),
    "newton": cl.SemismoothNewton(),
    "smoothed": cl.SemismoothNewton(variant="fischer-burmeister"),
    "homotopy": cl.SemismoothNewton(variant="homotopy"),
    "lemke": cl.Lemke(),
    "pivoting": cl.Pivoting(),
}
# seeds of problems with few contacts in the plane and in space, and most contacts
SEEDS = ((0, 2), (1, 2), (2, 2), (4, 2), (6, 2), (7, 2), (9, 2), (10, 2), (14, 2), (71, 2),
         (108, 2), (148, 2), (170, 2), (252, 4), (43, 4), (557, 3), (714, 4), (1381, 4),
         (1616, 2), (701, 4), (2328, 3))  # fmt: skip
STACKS = (2, 30, 32, 42, 78)


def problems() -> dict[str, cl.ContactProblem]:
    """Return the problems by name."""
    found = {f"seed {s}-{k}": set_a(s, k).problem() for s, k in SEEDS}
    stacks = plane_stacks()
    found |= {f"stack {k}": stacks[k].problem() for k in STACKS}
    for k, (G, c) in enumerate(json.loads(LINEAR.read_text())):
        found[f"linear {k}"] = cl.ContactProblem(G, c, [cl.sets.unilateral()] * len(c))
    chain = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    sets = [cl.sets.free(), cl.sets.interval(-0.4, 0.3), cl.sets.unilateral()]
    found["intervals"] = cl.ContactProblem(chain, [1.0, -3.0, 0.5], sets)
    found["clutch"] = cl.ContactProblem([[3.0]], [2.0], [cl.sets.interval(-0.5, 0.5)])
    return found


def stage_of(problem: cl.ContactProblem) -> int:
    """Return the stage of the cascade that solves a problem; -1 if none does."""
    session = Session(problem, 1e-10, np.zeros(problem.n))
    session.scratch.options[options.ACCEPTED] = 1e-8
    session.scratch.options[options.MAX_PATHS] = 6
    status = session.run(solve_auto)
    value = float(session.scratch.residual[0])
    assert status != SOLVED or value <= 1e-8
    # the same measure by NumPy, up to the rounding of multipliers that are far apart in size
    assert value == pytest.approx(float(problem.residual(session.x)), rel=1e-3, abs=1e-9), problem
    return int(session.scratch.iterations[0]) if status == SOLVED else -1


def count(problem: cl.ContactProblem, solver: Any) -> int:
    """Return the steps of a solver to a solution; -1 if it does not get there."""
    result = problem.solve(solver)
    if result.solved:
        # stacks with a mass ratio have a floor of rounding above the tolerance (T-11.10)
        assert problem.residual(result.x) <= 1e-8
    return int(result.iterations) if result.solved else -1


EXPECTED: dict[str, dict[str, int]] = json.loads(TABLE.read_text()) if TABLE.exists() else {}
CASES = problems()


# a problem that a solver does not solve is not one of its own
OWN = [(key, name) for key in SOLVERS for name in CASES if EXPECTED.get(name, {}).get(key, -1) >= 0]


@pytest.mark.parametrize(("key", "name"), OWN)
def test_path_of_every_solver(key: str, name: str) -> None:
    expected, found = EXPECTED[name][key], count(CASES[name], SOLVERS[key])
    # the matrices come from BLAS, which rounds otherwise on other machines: one step in ten;
    # machine code rounds otherwise in every step
    room = expected // 10 if IS_PLAIN else 2 + expected // 5
    assert 0 <= found <= expected + room
    assert found >= expected - room, f"{key} has become faster; write the table anew"


@pytest.mark.parametrize("name", CASES)
def test_path_of_the_cascade(name: str) -> None:
    found, expected = stage_of(CASES[name]), EXPECTED[name]["auto"]
    assert found == expected if IS_PLAIN or expected < 0 else found >= 0


def test_path_table_has_every_stage() -> None:
    """First guess, sweeps, vectors of Lemke, convex paths and homotopies all have problems."""
    stages = {row["auto"] for row in EXPECTED.values()}
    assert stages >= {0, 1, 2, 3, 4, 6, 7, 8, 10, 12, 13}
    assert all(sum(key in row for row in EXPECTED.values()) >= 8 for key in SOLVERS)


@pytest.mark.parametrize(("kernel", "option"), [
    (solve_gauss_seidel, options.MAX_SWEEPS), (solve_jacobi, options.MAX_SWEEPS),
    (solve_accelerated, options.MAX_SWEEPS), (solve_newton, options.MAX_NEWTON),
])  # fmt: skip
def test_path_ends_with_the_right_word(kernel: Any, option: int) -> None:
    """A kernel says itself whether it got there; few steps are not enough."""
    problem = CASES["seed 7-2"]
    for most, word in ((600, SOLVED), (2, NOT_SOLVED)):
        session = Session(problem, 1e-10, np.zeros(problem.n))
        session.scratch.options[option] = most
        assert session.run(kernel) == word


@pytest.mark.parametrize("seed", range(12))
def test_path_of_factors_against_numpy(seed: int) -> None:
    """Banded matrices with rows in any order; a row twice makes one weak pivot."""
    rng = np.random.default_rng(seed)
    n = 3 + seed % 5
    A = rng.normal(size=(n, n))
    A[np.abs(np.subtract.outer(range(n), range(n))) > 1 + seed % 3] = 0.0
    A = A[rng.permutation(n)] if seed % 2 else A
    b = rng.normal(size=n)
    lu, x = A.copy(), b.copy()
    pivot, end = np.zeros(n, np.int64), np.zeros(n, np.int64)
    assert factor_guarded(lu, n, pivot, end, 1e-14) == 0
    for k in range(n):  # rows end where only zeros follow, and not later than they must
        assert not lu[k, end[k] :].any()
        assert k + 1 <= end[k] <= n
    width = max(int(np.flatnonzero(row).max()) - int(np.flatnonzero(row).min()) for row in A) + 1
    assert seed % 2 or all(end[k] <= min(n, k + 2 * width) for k in range(n))
    solve_factored(lu, n, pivot, end, x)
    np.testing.assert_allclose(A @ x, b, atol=1e-10)
    A[-1] = A[0]
    lu = A.copy()
    assert factor_guarded(lu, n, pivot, end, 1e-10) == 1
    assert np.isfinite(lu).all() and np.abs(np.diag(lu)[:n]).min() == 1e-10


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_path_of_a_weak_pivot_keeps_its_sign(sign: float) -> None:
    lu = np.array([[2.0, 0.0], [0.0, sign * 1e-20]])
    pivot, end = np.zeros(2, np.int64), np.zeros(2, np.int64)
    assert factor_guarded(lu, 2, pivot, end, 1e-8) == 1
    assert lu[1, 1] == math.copysign(1e-8, sign)
    assert end.tolist() == [1, 2]


def test_path_of_factors_without_pivots() -> None:
    """Rows end after their diagonal at the earliest, also those of zeros and those that moved."""
    for A in (np.zeros((3, 3)), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.5]])):
        pivot, end = np.zeros(3, np.int64), np.zeros(3, np.int64)
        weak = 3 - np.linalg.matrix_rank(A)
        assert factor_guarded(A, 3, pivot, end, 1e-8) == weak
        assert all(end[k] >= k + 1 for k in range(3))


def test_path_of_accelerated_ends_at_the_best_point() -> None:
    """Which is looked for every five sweeps; what follows the last look does not count."""
    found = []
    for most in (5, 8):
        session = Session(CASES["seed 7-2"], 1e-10, np.zeros(CASES["seed 7-2"].n))
        session.scratch.options[options.MAX_SWEEPS] = most
        assert session.run(solve_accelerated) == NOT_SOLVED
        found.append(session.x)
    assert found[0].any() and (found[0] == found[1]).all()


@pytest.mark.parametrize("relaxation", [0.5, 1.2])
def test_path_of_relaxed_gauss_seidel(relaxation: float) -> None:
    problem = cl.ContactProblem([[2.0, 0.5], [0.5, 1.0]], [-2.0, -1.0], [cl.sets.unilateral()] * 2)
    found = problem.solve(cl.GaussSeidel(relaxation=relaxation, max_sweeps=60))
    assert found.solved and found.iterations <= 40
    assert found.x == pytest.approx(np.linalg.solve(problem.G, -problem.c), abs=1e-9)


def test_path_of_gauss_seidel_ends_at_its_limit() -> None:
    """Rows that are nearly one: sweeps gain two thousandths each, and are no more than allowed."""
    problem = cl.ContactProblem(
        [[1.0, 0.999], [0.999, 1.0]], [-1.0, -1.0001], [cl.sets.unilateral()] * 2
    )
    found = problem.solve(cl.GaussSeidel(max_sweeps=150))
    assert not found.solved and found.iterations == 150


# by the first guess, and by the rounds of sweeps that the quick solver needs
ROUNDS = {"clutch": 0, "intervals": 0, "linear 0": 0, "linear 1": 0, "linear 2": 1, "linear 3": 1,
          "linear 4": 2, "linear 5": 3, "linear 6": 3, "linear 18": 3}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDS)
def test_path_of_the_quick_solver(name: str) -> None:
    problem = CASES[name]
    session = Session(problem, 1e-10, np.zeros(problem.n))
    assert session.run(solve_quick) == SOLVED
    assert session.scratch.iterations[0] == ROUNDS[name]
    assert problem.residual(session.x) <= 1e-10


@pytest.mark.parametrize("n", [1, 2])
def test_path_of_the_quick_solver_ends_with_the_right_word(n: int) -> None:
    """An answer that is not good enough is none, of the closed form of one contact as well."""
    problem = cl.ContactProblem(2.0 * np.eye(n), [-1.0] * n, [cl.sets.unilateral()] * n)
    session = Session(problem, 1e-10, np.zeros(problem.n))
    session.scratch.options[options.TOLERANCE] = -1.0
    assert session.run(solve_quick) == NOT_SOLVED
    assert problem.residual(session.x) <= 1e-10


def test_path_of_newton_halves_a_step_that_gains_nothing() -> None:
    """Twice the way to the root leads as far behind it: half of the step is the root."""
    session = Session(
        cl.ContactProblem([[1.0]], [-1.0], [cl.sets.unilateral()]), 1e-10, np.zeros(1)
    )
    p, s, arrays = session.p, session.s, session.arrays
    prepare(p, s)
    eval_gamma(p, arrays.x, arrays.gamma)
    merit = eval_natural_map(p, s, arrays.x, arrays.gamma, session.scratch.F)
    session.scratch.step[0] = 2.00001
    assert _search(p, s, merit) < 1e-9 * merit
    assert session.x == pytest.approx([1.000005], abs=1e-12)


def test_path_of_scales_without_a_diagonal() -> None:
    """Where the diagonal of a contact vanishes its largest entry is the scale, and one if none."""
    for G, scale in (([[0.0, 2.0], [2.0, 0.0]], 2.0), ([[0.0, 0.0], [0.0, 0.0]], 1.0),
                     ([[0.5, 2.0], [2.0, 0.0]], 0.5)):  # fmt: skip
        sets = [cl.sets.unilateral(), cl.sets.friction(0.3, normal=0)]
        session = Session(cl.ContactProblem(G, [1.0, 1.0], sets), 1e-10, np.zeros(2))
        prepare(session.p, session.s)
        assert session.scratch.scale[:2].tolist() == [scale, scale]


def test_path_of_scales_of_the_check() -> None:
    """Of a contact without mobility its largest entry, friction rows included, else one."""
    G = np.array([[2.0, 0.1, 0.0, 0.2], [0.1, 0.0, 0.5, 1.5], [0.0, -3.0, 0.0, 0.4],
                  [0.2, 1.5, 0.4, 0.0]])  # fmt: skip
    kinds = [cl.sets.unilateral(), cl.sets.unilateral(), cl.sets.friction(0.3, normal=1),
             cl.sets.unilateral()]  # fmt: skip
    for matrix, sets, scales in (
        (G, kinds, {0: 2.0, 1: 3.0, 3: 1.5}),
        (G, [cl.sets.unilateral()] * 4, {0: 2.0, 1: 1.5, 2: 3.0, 3: 1.5}),
        (0.0 * G, kinds, {0: 1.0, 1: 1.0, 3: 1.0}),
    ):
        session = Session(cl.ContactProblem(matrix, np.ones(4), sets), 1e-10, np.zeros(4))
        residual(session.p, 1e-9)
        assert {i: float(session.arrays.check[1, i]) for i in scales} == scales


def write() -> None:
    """Write the table anew."""
    found = {}
    for name, problem in problems().items():
        row = {key: steps for key, s in SOLVERS.items() if (steps := count(problem, s)) >= 0}
        found[name] = {"auto": stage_of(problem), **row}
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
