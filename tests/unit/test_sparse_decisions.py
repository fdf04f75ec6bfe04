"""What the solver of large problems does next, with stages that answer what a test wants.

In a run wrong decisions cost time only: some later stage mends them. (T-12.26)
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba.core import config

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.kernels.complementarity.sparse import settle as rest
from cornerlaw.kernels.complementarity.sparse import solve as stages

# compiled they are parts of one kernel, and as functions of their own would be compiled anew
pytestmark = pytest.mark.skipif(not config.DISABLE_JIT, reason="stages of a kernel")

TIGHT, GOOD = 1e-10, 1e-8  # tolerance and what is accepted
N = 2


class Stages:
    """Arrays of a solver whose stages are replaced, and the calls that they get.

    Every stage that changes multipliers adds one to them, so that a point tells its number.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        options = np.zeros(16)
        options[[TOLERANCE, ACCEPTED, V_REF]] = TIGHT, GOOD, 1e-9
        self.p = SimpleNamespace(
            n=np.array([N]), n_sets=np.array([N]), x=np.zeros(N), gamma=np.zeros(N),
            master=np.array([-1, -1]),
        )  # fmt: skip
        self.s = SimpleNamespace(
            options=options, residual=np.zeros(1), iterations=np.zeros(1, np.int64)
        )
        self.c = SimpleNamespace(n_kept=np.array([7]))
        self.best = np.full(N, -1.0)
        k = SimpleNamespace(
            problem=self.p, solver=self.s, compact=self.c, x=np.zeros(N), y=self.best, z=np.zeros(N)
        )
        self.w = SimpleNamespace(k=k)
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.monkeypatch = monkeypatch

    def answer(self, name: str, values: Any, moves: bool = False) -> None:
        """Let a stage answer the given values in turn; a single one always."""
        given = iter(values) if isinstance(values, list) else None

        def stage(*arguments: Any) -> Any:
            self.calls.append((name, arguments))
            if moves:
                self.p.x += 1.0
            return values if given is None else next(given)

        self.monkeypatch.setattr(stages, name, stage)

    def names(self, *wanted: str) -> list[str]:
        return [name for name, _ in self.calls if name in wanted or not wanted]

    def arguments(self, name: str, place: int) -> list[Any]:
        return [given[place] for found, given in self.calls if found == name]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Stages:
    return Stages(monkeypatch)


def test_the_point_with_the_smallest_residual_is_kept(at: Stages) -> None:
    at.answer("residual_sparse", [0.3, 0.2, 0.2, 0.1])
    least, kept = math.inf, []
    for x in range(4):
        at.p.x[:] = x
        least = stages._check(None, at.w, least, at.best)
        kept.append((least, at.best[1]))
    assert kept == [(0.3, 0.0), (0.2, 1.0), (0.2, 1.0), (0.1, 3.0)]


@pytest.mark.parametrize(("sizes", "residuals", "count", "size"), [
    ([1e-4], [1e-11], 0, 1e-4),  # solved
    ([2e-3], [1.0], 0, 2e-3),  # too far off
    ([9e-4, 4e-4, 3e-4], [1.0] * 3, 2, 3e-4),  # the second sweeps help less than by half
    ([9e-4, 4e-4, 1e-4], [1.0, 1.0, 1e-11], 2, 1e-4),
    ([9e-4, 2e-3], [1.0] * 2, 1, 2e-3),
    ([9e-4, 4e-4, 1e-4, 4e-5, 1e-5], [1.0] * 5, 4, 1e-5),  # and no more than four times
])  # fmt: skip
def test_sweeps_and_newton_go_on_as_long_as_they_help(
    at: Stages, sizes: Any, residuals: Any, count: int, size: float
) -> None:
    at.answer("iterate_newton", sizes)
    at.answer("_check", residuals)
    at.answer("sweep_contacts", None)
    found, least = stages._polish(None, at.w, 2.0, 1.0, at.best)
    assert (found, least) == (size, residuals[-1])
    assert at.names("sweep_contacts") == ["sweep_contacts"] * count
    # friction follows its load in the first and every second one
    assert at.arguments("iterate_newton", 6) == [True, False, True, False, True][: count + 1]


def rounds(at: Stages, sizes: list[float], polished: list[tuple[float, float]]) -> float:
    at.answer("start_rounds", None)
    at.answer("take_round", [*sizes, *[1.0] * stages.ROUNDS], moves=True)
    at.answer("_polish", polished, moves=True)
    return stages._solve_rounds(None, at.w, 2.0, 0.03, 1.0, at.best)


def test_rounds_have_newton_when_they_promise_something(at: Stages) -> None:
    """Below 1e-2, then at 0.3 of the last trial, or after four rounds."""
    sizes = [0.5, *[0.02] * 6, 9e-3, 5e-3, 5e-3, 5e-3, 5e-3, 2e-3, 1e-3]
    assert rounds(at, sizes, [(8e-3, 0.5), (1.0, 0.4), (1.0, 1e-11)]) == 1e-11
    wanted = ["start_rounds", *["take_round"] * 8, "_polish", "start_rounds"]
    # 0.3 of 8e-3 is below these four; then 0.3 of 5e-3 above 1e-3 only
    wanted += [*["take_round"] * 4, "_polish", *["take_round"] * 2, "_polish"]
    assert at.names() == wanted
    assert at.s.iterations[0] == 14


def test_rounds_begin_again_where_newton_made_it_worse(at: Stages) -> None:
    points: list[float] = []
    at.answer("start_rounds", None)
    sizes = iter([9e-3, 1e-3, 1e-5])

    def take_round(*_: Any) -> float:
        points.append(float(at.p.x[0]))
        at.p.x += 1.0
        return next(sizes)

    at.monkeypatch.setattr(stages, "take_round", take_round)
    at.answer("_polish", [(1e-2, 0.5), (1e-4, 0.4), (1e-4, 1e-11)], moves=True)
    stages._solve_rounds(None, at.w, 2.0, 0.03, 1.0, at.best)
    # after the first round back to 1, after the second one on from what Newton's method found
    assert points == [0.0, 1.0, 3.0]
    assert at.names("start_rounds") == ["start_rounds"] * 2


@pytest.mark.parametrize(("least", "trials"), [(1e-9, 3), (1e-7, 5)])
def test_what_is_accepted_gets_three_trials(at: Stages, least: float, trials: int) -> None:
    sizes = [1e-2 * 0.2**k for k in range(5)]
    assert rounds(at, sizes, [(1.0, least)] * 5) == least
    assert at.names("_polish") == ["_polish"] * trials
    assert at.s.iterations[0] == (3 if trials == 3 else stages.ROUNDS)


def test_compliance_of_rounds_follows_the_map(at: Stages) -> None:
    rounds(at, [0.5, 0.02, 0.02], [])
    shares = np.array([0.03 * 1.0, 0.03 * 0.5, 0.03 * 0.02, 0.03 * 0.02])
    least = stages.STIFFEST * np.array([1.0, 0.1, 0.01, 1.0])
    np.testing.assert_allclose(at.arguments("take_round", 4)[:4], np.maximum(shares, least))


@pytest.mark.parametrize(("masters", "found"), [
    ((-1, -1), False), ((-1, 0), True), ((1, -1), True), ((-1, 5), True),
])  # fmt: skip
def test_which_problems_have_loads(at: Stages, masters: Any, found: bool) -> None:
    at.p.master[:] = masters
    assert stages._has_loads(at.p) == found


@pytest.mark.parametrize("solved", [3, None])
def test_problems_without_loads_get_stiffer_until_one_is_solved(at: Stages, solved: Any) -> None:
    at.answer("start_rounds", None)
    # residuals are looked at where the map is small: from the second one on
    at.answer("take_round", [1e-3, *[1e-9] * 20], moves=True)
    residuals = [1e-7] * 20 if solved is None else [*[1e-7] * (solved - 2), *[1e-11] * 20]
    at.answer("_check", residuals)
    at.answer("iterate_newton", 0.0)
    at.best[:] = 77.0
    found = stages._solve_stiffer(None, at.w, 2.0, 1.0, at.best)
    count = stages.DECIMALS if solved is None else solved
    assert found == (1e-7 if solved is None else 1e-11)
    assert at.s.iterations[0] == len(at.arguments("take_round", 0)) == count
    wanted = np.maximum(1e-2 * 0.1 ** np.arange(count), 1e-9)
    np.testing.assert_allclose(at.arguments("take_round", 4), wanted, rtol=1e-12)
    assert len(at.arguments("_check", 0)) == count  # one less, and the one at the end
    assert at.p.x[0] == 77.0
    assert at.names()[-2:] == ["iterate_newton", "_check"]


def compliant(at: Stages, found: list[float], residuals: list[float], limit: int = 30) -> float:
    at.answer("start_rounds", None)
    at.answer("take_step", found)
    at.answer("_check", residuals)
    at.answer("next_compliance", [(0.1 * 0.5**k, float(k)) for k in range(1, 40)])
    return stages._solve_compliant(None, at.w, 2.0, 0.7, 0.1, limit, 1.0, at.best)


def test_compliant_rounds_end_with_a_solution(at: Stages) -> None:
    found = [1e-2, math.inf, 2e-2, 1e-3, 1e-5]
    assert compliant(at, found, [0.5, 0.4, 1e-11]) == 1e-11
    # the residual is looked at where the map is the smallest so far
    assert at.names("take_step", "_check") == [
        "take_step", "_check", "take_step", "take_step", "take_step", "_check", "take_step",
        "_check",
    ]  # fmt: skip
    # the size of the last round that found something
    assert at.arguments("take_step", 6) == [0.7, 1e-2, 1e-2, 2e-2, 1e-3]
    assert at.arguments("next_compliance", 3) == [0.7, 1e-2, 1e-2, 2e-2, 1e-3]
    assert at.arguments("next_compliance", 2) == found
    assert at.arguments("take_step", 4) == [0.1 * 0.5**k for k in range(5)]
    assert at.arguments("take_step", 5) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert at.s.iterations[0] == 5


@pytest.mark.parametrize(("least", "count"), [(1e-9, 8), (1e-7, 30)])
def test_what_is_accepted_gets_eight_more_rounds(at: Stages, least: float, count: int) -> None:
    assert compliant(at, [1e-2] * 40, [least]) == least
    assert at.s.iterations[0] == count


def with_loads(at: Stages, least: float, size: float, residual: float, coulomb: bool) -> Any:
    """Return what compliant contacts are asked: size of the map, eta, limit and the first x."""
    asked: list[Any] = []

    def solve(m: Any, w: Any, ref: float, first: float, eta: float, limit: int, *_: Any) -> float:
        asked.append((first, eta, limit, float(at.p.x[0])))
        return 0.9 * residual

    at.answer("has_coulomb_only", coulomb)
    at.answer("follow_path", size, moves=True)
    at.answer("_check", residual)
    at.monkeypatch.setattr(stages, "_solve_compliant", solve)
    at.best[:] = 77.0
    guess = np.full(N, 5.0)
    return stages._solve_with_loads(None, at.w, 2.0, guess, least, at.best), asked


@pytest.mark.parametrize(
    ("least", "size", "residual", "coulomb", "wanted"),
    [
        # accepted before: some rounds from where it is
        (1e-9, 1e-5, 1e-7, True, [(1e-9, stages.ENOUGH, stages.STEPS, 77.0)]),
        # the path ends at the solution
        (1e-3, 1e-5, 1e-11, True, []),
        # near, and accepted after some rounds
        (1e-3, 1e-5, 1e-9, True, [(1e-5, stages.ENOUGH, stages.FEWER, 1.0)]),
        # near, but that fails: from the guess
        (1e-3, 1e-5, 1e-6, True, [(1e-5, stages.ENOUGH, stages.FEWER, 1.0),
                                  (1.0, stages.SOFTEST, stages.STEPS, 5.0)]),
        # far off, or no path at all
        (1e-3, 1e-2, 1e-6, True, [(1.0, stages.SOFTEST, stages.STEPS, 5.0)]),
        (1e-3, 1e-5, 1e-6, False, [(1.0, stages.SOFTEST, stages.STEPS, 5.0)]),
    ],
)  # fmt: skip
def test_roads_of_problems_with_friction(
    at: Stages, least: float, size: float, residual: float, coulomb: bool, wanted: Any
) -> None:
    found, asked = with_loads(at, least, size, residual, coulomb)
    assert asked == wanted
    assert found == (0.9 * residual if wanted else residual)


def whole(at: Stages, **given: Any) -> tuple[int, list[str]]:
    """Run the solver with stages that answer what is given; return its word and the stages."""
    usual = {
        "has_factors": False, "reference_of": 2.0, "settle": False, "residual_sparse": 1e-9,
        "_check": 1e-3, "_has_loads": True, "_solve_with_loads": 1e-3, "_solve_stiffer": 1e-3,
        "_polish": (1e-3, 1e-3), "_solve_rounds": 1e-3, "iterate_newton": 0.0,
    }  # fmt: skip
    for name in ("prepare", "order_velocities", "write_masses"):
        at.answer(name, None)
    for name, value in (usual | given).items():
        at.answer(name, value)
    word = stages.solve_sparse(None, at.w)
    return word, at.names("settle", "_solve_with_loads", "_solve_stiffer", "_polish",
                          "_solve_rounds", "order_velocities")  # fmt: skip


def test_a_problem_without_a_reference_is_not_solved(at: Stages) -> None:
    for reference in (math.inf, math.nan):
        assert whole(at, reference_of=reference) == (NOT_SOLVED, [])
    assert at.names("prepare") == ["prepare"] * 2


def test_a_step_at_rest_is_settled(at: Stages) -> None:
    assert whole(at, settle=True, residual_sparse=1e-11) == (SOLVED, ["settle"])
    assert at.c.n_kept[0] == 7


def test_a_step_that_seems_settled_is_judged(at: Stages) -> None:
    word, names = whole(at, settle=True, residual_sparse=[1e-9, 1e-9], _check=1e-11)
    assert (word, names) == (SOLVED, ["settle", "order_velocities"])
    assert at.c.n_kept[0] == 0
    assert at.s.iterations[0] == 1


@pytest.mark.parametrize("known", [True, False])
def test_a_problem_is_prepared_once(at: Stages, known: bool) -> None:
    """Before it is settled where there are no factors, else when these are not enough."""
    whole(at, has_factors=known, _check=1e-11)
    wanted = ["settle", "prepare"] if known else ["prepare", "settle"]
    assert at.names("settle", "prepare") == wanted


@pytest.mark.parametrize(("given", "names"), [
    ({"_check": 1e-11}, []),
    ({"_solve_with_loads": 1e-11}, ["_solve_with_loads"]),
    ({"_has_loads": False, "_solve_stiffer": 1e-11}, ["_solve_stiffer"]),
    # accepted, and polished once
    ({"_solve_with_loads": 1e-9, "_polish": (1.0, 1e-9)}, ["_solve_with_loads", "_polish"]),
    ({"_solve_with_loads": 1e-9, "_polish": (1.0, 1e-11)}, ["_solve_with_loads", "_polish"]),
    # not even that: convex problems with more compliance, one after the other
    ({"_solve_rounds": [1e-3, 1e-9]},
     ["_solve_with_loads", "_polish", "_solve_rounds", "_solve_rounds"]),
    ({}, ["_solve_with_loads", "_polish", *["_solve_rounds"] * 3]),
])  # fmt: skip
def test_stages_follow_each_other_until_one_is_good(at: Stages, given: Any, names: Any) -> None:
    _, found = whole(at, **given)
    assert found == ["settle", "order_velocities", *names]


@pytest.mark.parametrize(("residual", "word"), [(9e-9, SOLVED), (2e-8, NOT_SOLVED)])
def test_the_word_is_that_of_the_last_residual(at: Stages, residual: float, word: int) -> None:
    assert whole(at, residual_sparse=residual)[0] == word
    assert at.s.residual[0] == residual


def test_stages_begin_at_the_first_guess_and_end_at_the_best_point(at: Stages) -> None:
    seen: list[tuple[str, float]] = []

    def stage(name: str, value: Any, x: float) -> Any:
        def run(*_: Any) -> Any:
            seen.append((name, float(at.p.x[0])))
            at.p.x[:] = x
            return value

        return run

    for name in ("prepare", "order_velocities", "write_masses"):
        at.answer(name, None)
    at.answer("residual_sparse", 1e-9)
    at.best[:] = 77.0
    at.p.x[:] = 5.0
    for name, value in {
        "has_factors": False, "reference_of": 2.0, "settle": False, "_check": 1e-3,
        "_has_loads": True, "iterate_newton": 0.0, "_solve_with_loads": 1e-3,
        "_polish": (1.0, 1e-3), "_solve_rounds": 1e-3,
    }.items():  # fmt: skip
        moves = name in ("iterate_newton", "_solve_with_loads", "_polish", "_solve_rounds")
        run = stage(name, value, 9.0) if moves else (lambda *_, value=value: value)
        at.monkeypatch.setattr(stages, name, run)
    stages.solve_sparse(None, at.w)
    assert seen == [
        ("iterate_newton", 5.0), ("_solve_with_loads", 5.0), ("_polish", 77.0),
        *[("_solve_rounds", 5.0)] * 3,
    ]  # fmt: skip
    assert at.p.x[0] == 77.0


# steps at rest


def settled(at: Stages, sizes: list[float], factors: list[bool]) -> tuple[bool, float, list[str]]:
    """Run steps with maps of given sizes; return the word, the point kept and the factorisations.

    Every step adds one to x.
    """
    done: list[str] = []
    given, known = iter(sizes), iter(factors)
    at.c.F, at.c.x_best, at.c.step, at.c.rhs = np.zeros(N), np.zeros(N), np.ones(N), None

    def natural_map(p: Any, c: Any, x: Any, gamma: Any, F: Any) -> None:
        F[1] = -2.0 * next(given)
        done.append("map")

    for name in ("eval_gamma", "write_slopes", "write_push", "solve_symmetric", "write_step"):
        at.monkeypatch.setattr(rest, name, lambda *_: None)
    at.monkeypatch.setattr(rest, "eval_natural_map", natural_map)
    at.monkeypatch.setattr(rest, "has_factors", lambda w: next(known))
    at.monkeypatch.setattr(rest, "keep_factors", lambda m, w: done.append("factors"))
    word = rest.settle(None, at.w, 2.0, 1e-12)
    return word, float(at.p.x[0]), done


@pytest.mark.parametrize(("sizes", "factors", "wanted"), [
    # at rest already
    ([1e-13], [], (True, 0.0, ["map"])),
    # kept factors are enough
    ([1e-5, 1e-10, 1e-13], [True, True], (True, 2.0, ["map"] * 3)),
    # there are none: once
    ([1e-5, 1e-13], [False], (True, 1.0, ["map", "factors", "map"])),
    # they do not help: new ones, once
    ([1e-5, 5e-6, 1e-8, 1e-13], [True, True],
     (True, 3.0, ["map", "map", "factors", "map", "map"])),
    ([1e-5, 5e-6, 4e-6], [True], (False, 2.0, ["map", "map", "factors", "map"])),
    ([1e-5, 5e-6, 6e-6], [True], (False, 1.0, ["map", "map", "factors", "map"])),
    # a guess far off is no guess
    ([2e-3], [], (False, 0.0, ["map"])),
    ([1e-5, math.nan], [True], (False, 0.0, ["map", "map"])),
    # four steps at most
    ([1e-4, 1e-6, 1e-8, 1e-10, 5e-12], [True] * 5, (False, 4.0, ["map"] * 5)),
    ([1e-4, 1e-6, 1e-8, 1e-10, 5e-13], [True] * 5, (True, 4.0, ["map"] * 5)),
])  # fmt: skip
def test_steps_at_rest(at: Stages, sizes: Any, factors: Any, wanted: Any) -> None:
    assert settled(at, sizes, factors) == wanted


def test_factors_belong_to_the_rows_that_they_were_made_of(at: Stages) -> None:
    at.w.k.active, at.c.kept = np.array([4, 7]), np.array([4, 7])
    at.c.n_kept[0] = 2
    assert rest.has_factors(at.w)
    at.c.kept[1] = 8
    assert not rest.has_factors(at.w)
    at.c.kept[1], at.c.n_kept[0] = 7, 1
    assert not rest.has_factors(at.w)
