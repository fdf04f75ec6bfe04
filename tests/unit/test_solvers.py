"""Solvers on problems with known answers, the checks around them, and files."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from contact_problems import set_a, set_b, stack

import cornerlaw as cl

PLANE = [
    cl.Auto(),
    cl.Lemke(),
    cl.Pivoting(),
    cl.GaussSeidel(),
    cl.Jacobi(),
    cl.AcceleratedGradient(),
    cl.SemismoothNewton(),
    cl.SemismoothNewton(variant="fischer-burmeister"),
    cl.SemismoothNewton(variant="homotopy"),
    cl.InteriorPoint(),
    cl.ADMM(),
]
SPATIAL = [solver for solver in PLANE if solver.name not in ("lemke", "pivoting")]
by_name = pytest.mark.parametrize("solver", PLANE, ids=lambda solver: solver.name)
spatial_by_name = pytest.mark.parametrize("solver", SPATIAL, ids=lambda solver: solver.name)


def ball_on_floor(mu: float, v_T: float, dim: int = 2) -> cl.ContactProblem:
    """A ball of mass 2, inertia 2/5 m r^2, falling at 1 m/s and sliding at v_T."""
    G_N, G_T = 0.5, 0.5 * (1.0 + 2.5)
    G = np.diag([G_N, G_T] if dim == 2 else [G_N, G_T, G_T])
    c = np.array([-1.0, v_T] if dim == 2 else [-1.0, 0.6 * v_T, 0.8 * v_T])
    return cl.ContactProblem.frictional(G, c, mu, dim=dim)


@by_name
def test_ball_sticks_or_slips_as_the_closed_form_says(solver: Any) -> None:
    # Lambda_N = 2; sticking needs |Lambda_T| = |v_T| / 1.75 <= mu Lambda_N
    for v_T in (0.3, -5.0):
        result = ball_on_floor(0.4, v_T).solve(solver)
        assert result.solved
        Lambda_T = -math.copysign(min(abs(v_T) / 1.75, 0.8), v_T)
        # rounding only: the residual is below 1e-10 and G of order one
        assert result.x == pytest.approx([2.0, Lambda_T], abs=1e-9)
        assert result.gamma[1] == pytest.approx(v_T + 1.75 * Lambda_T, abs=1e-9)


@spatial_by_name
def test_ball_slips_along_its_velocity_in_space(solver: Any) -> None:
    result = ball_on_floor(0.4, 5.0, dim=3).solve(solver)
    assert result.solved
    assert result.x == pytest.approx([2.0, -0.8 * 0.6, -0.8 * 0.8], abs=1e-9)


@by_name
def test_open_contact_carries_nothing(solver: Any) -> None:
    result = cl.ContactProblem(np.eye(2), [1.0, 2.0], [cl.sets.unilateral()] * 2).solve(solver)
    assert result.solved and np.abs(result.x).max() <= 1e-9


@by_name
def test_bilateral_rows_and_given_bounds_solve_with_contacts(solver: Any) -> None:
    # a bilateral row, a clutch of capacity 1 that slips, a contact with friction: by elimination
    G = np.array(
        [[2.0, 0.5, 0.3, 0.1], [0.5, 1.5, 0.2, 0.3], [0.3, 0.2, 1.0, 0.2], [0.1, 0.3, 0.2, 1.2]]
    )
    c = np.array([1.0, -4.0, -2.0, 0.2])
    sets = [
        cl.sets.free(),
        cl.sets.interval(-1.0, 1.0),
        cl.sets.unilateral(),
        cl.sets.friction(0.5, normal=2),
    ]
    problem = cl.ContactProblem(G, c, sets)
    result = problem.solve(solver)
    assert result.solved, result
    assert result.x[1] == pytest.approx(1.0, abs=1e-9)
    # rows 0, 2, 3 are at rest: three equations with x_1 = 1
    rows = [0, 2, 3]
    x = np.linalg.solve(G[np.ix_(rows, rows)], -c[rows] - G[rows, 1])
    assert abs(x[2]) < 0.5 * x[1]
    assert result.x[rows] == pytest.approx(x, abs=1e-9)


@by_name
def test_four_legs_on_a_floor_carry_the_load_together(solver: Any) -> None:
    problem = stack(1, 2, 1.0, heavy_on_top=False, mu=0.5, disturbance=0.0).problem()
    result = problem.solve(solver)
    assert result.solved
    # eight rows, three velocities: single forces are not unique, their sum is m g dt
    assert result.x[0::2].sum() == pytest.approx(9.81e-3, rel=1e-8)
    assert np.abs(result.gamma).max() <= 1e-11


@spatial_by_name
def test_ball_of_three_rows_slips_and_drills(solver: Any) -> None:
    # |x_T| <= mu x_N with two sliding rows and a drilling one; diagonal G: x_T along -c_T
    G = np.diag([0.5, 2.0, 2.0, 2.0])
    c = np.array([-1.0, 3.0, -4.0, 12.0])
    sets = [cl.sets.unilateral(), cl.sets.disc(0.4, normal=0, size=3)]
    result = cl.ContactProblem(G, c, sets).solve(solver)
    assert result.solved, result
    # |c_T| = 13, mu x_N = 0.8
    assert result.x == pytest.approx([2.0, -2.4 / 13.0, 3.2 / 13.0, -9.6 / 13.0], abs=1e-8)
    # weak enough to stick: 0.1 / 2 < 0.8
    result = cl.ContactProblem(G, [-1.0, 0.03, -0.04, 0.12], sets).solve(solver)
    assert result.solved, result
    assert result.x == pytest.approx([2.0, -0.015, 0.02, -0.06], abs=1e-8)


def interleaved(seed: int) -> cl.ContactProblem:
    """Two contacts whose friction sets stand behind both loads, the last with drilling apart."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(7, 9))
    sets = [
        cl.sets.unilateral(),
        cl.sets.unilateral(),
        cl.sets.disc(0.6, normal=1),
        cl.sets.disc(0.3, normal=0),
        cl.sets.friction(0.1, normal=1),
    ]
    return cl.ContactProblem(A @ A.T, rng.normal(size=7) - [3.0, 3.0, 0, 0, 0, 0, 0], sets)


@spatial_by_name
def test_loads_may_stand_anywhere(solver: Any) -> None:
    solved = 0
    for seed in range(5):
        problem = interleaved(seed)
        result = problem.solve(solver)
        if result.solved:
            solved += 1
            assert problem.residual(result.x) <= 1.1e-10
            x = result.x
            assert math.hypot(x[2], x[3]) <= 0.6 * x[1] + 1e-8
            assert math.hypot(x[4], x[5]) <= 0.3 * x[0] + 1e-8
            assert abs(x[6]) <= 0.1 * x[1] + 1e-8
    # ADMM and cone programs know one friction set per load and settle on some of them only
    assert solved == 5 or solver.name in ("admm", "interior-point")
    assert solved >= 1


def test_hundred_duplicates_of_one_contact_share_its_load() -> None:
    single = ball_on_floor(0.4, 5.0, dim=3)
    W = np.kron(np.ones((1, 100)), np.eye(3))
    G = W.T @ single.G @ W
    problem = cl.ContactProblem.frictional(G, np.tile(single.c, 100), 0.4)
    result = problem.solve()
    assert result.solved
    assert W @ result.x == pytest.approx([2.0, -0.48, -0.64], abs=1e-8)


def test_empty_problem_is_solved() -> None:
    result = cl.ContactProblem(np.zeros((0, 0)), [], []).solve()
    assert result.solved and result.x.size == 0


def test_residual_of_a_penetrating_answer_is_the_penetration_speed() -> None:
    problem = cl.ContactProblem([[2.0]], [-3.0], [cl.sets.unilateral()])
    # x = 0: the natural map is min(g x, gamma) = -3, against |c| = 3
    assert problem.residual([0.0]) == pytest.approx(1.0)
    assert problem.residual([1.0]) == pytest.approx(1.0 / 3.0)
    assert problem.residual([1.5]) == 0.0
    assert problem.residual([math.nan]) == math.inf


@pytest.mark.parametrize("kind", ["unilateral", "interval", "disc"])
def test_large_multipliers_hide_no_velocity(kind: str) -> None:
    """Two rows that press against each other: gamma = c is lost beside G x."""
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.complementarity.verify import residual

    opposed = np.array([[1.0, -1.0], [-1.0, 1.0]])
    one = cl.sets.unilateral() if kind == "unilateral" else cl.sets.interval(-math.inf, math.inf)
    G, sets = (opposed, [one, one])
    if kind == "disc":
        G, sets = (np.kron(opposed, np.eye(2)), [cl.sets.ball(math.inf, size=2)] * 2)
    problem = cl.ContactProblem(G, np.full(len(G), -0.11), sets)
    arrays = problem.arrays()
    arrays.x[: problem.n] = 1e16
    assert problem.residual(arrays.x[: problem.n]) == math.inf
    assert residual(Bundle(arrays), problem.v_ref) == math.inf


def test_both_residuals_agree_on_wrong_answers() -> None:
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.complementarity.verify import residual

    rng = np.random.default_rng(5)
    for seed in range(30):
        problem = set_a(seed, 12).problem()
        arrays = problem.arrays()
        arrays.x[: problem.n] = rng.normal(size=problem.n)
        compiled = residual(Bundle(arrays), problem.v_ref)
        # written twice from one formula: they differ by rounding
        assert compiled == pytest.approx(problem.residual(arrays.x[: problem.n]), rel=1e-9)


def test_both_residuals_agree_wherever_loads_stand() -> None:
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.complementarity.verify import residual

    for seed in range(20):
        problem = interleaved(seed)
        # a massless contact is scaled by its largest entry
        if seed % 2:
            problem.G[[1, 2, 3, 6], [1, 2, 3, 6]] = 0.0
        arrays = problem.arrays()
        arrays.x[:7] = np.random.default_rng(100 + seed).normal(size=7)
        compiled = residual(Bundle(arrays), problem.v_ref)
        assert compiled == pytest.approx(problem.residual(arrays.x[:7]), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_factors_solve_full_and_banded_systems(seed: int) -> None:
    from cornerlaw.kernels.complementarity.dense import factor_guarded, solve_factored

    rng = np.random.default_rng(seed)
    n = 40
    A = rng.normal(size=(n, n))
    if seed % 2:
        A[np.abs(np.subtract.outer(np.arange(n), np.arange(n))) > 3 + seed] = 0.0
    b = rng.normal(size=n)
    room = np.full((n + 1, n + 1), np.nan)
    room[:n, :n] = A
    pivot, row_end, x = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), b.copy()
    assert factor_guarded(room, n, pivot, row_end, 1e-14) == 0
    solve_factored(room, n, pivot, row_end, x)
    # well-conditioned enough: a random matrix of this size has a condition of some hundreds
    assert np.abs(A @ x - b).max() <= 1e-9


def test_rounded_laws_have_the_derivative_that_newton_uses() -> None:
    from cornerlaw.arrays.solver_scratch import PATH_TAU, new_solver_scratch
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.complementarity.prox import prepare
    from cornerlaw.kernels.complementarity.smoothing import assemble_smoothed, eval_smoothed

    rng = np.random.default_rng(4)
    A = rng.normal(size=(12, 14))
    sets = [
        cl.sets.free(2),
        cl.sets.interval(-0.3, 0.8),
        cl.sets.unilateral(),
        cl.sets.friction(0.5, normal=3),
        cl.sets.unilateral(),
        cl.sets.disc(0.7, normal=5, size=3),
        cl.sets.ball(0.4, size=2),
        cl.sets.interval(-math.inf, 0.2),
    ]
    problem = cl.ContactProblem(A @ A.T / 12.0, rng.normal(size=12), sets)
    s = new_solver_scratch(12)
    p, bundle = Bundle(problem.arrays()), Bundle(s)
    prepare(p, bundle)
    s.path[PATH_TAU] = rng.uniform(0.5, 2.0, 13)
    X, length, push = rng.uniform(0.1, 2.0, 12), 0.8, 0.1

    def value(X: np.ndarray, length: float) -> np.ndarray:
        F = np.zeros(12)
        eval_smoothed(p, bundle, X, math.exp(-length), push, F)
        return F

    value(X, length)
    assemble_smoothed(p, bundle, X, math.exp(-length), push, s.A)
    step = 1e-5
    for j in range(12):
        e = step * np.eye(12)[j]
        slope = (value(X + e, length) - value(X - e, length)) / (2.0 * step)
        # second order in the step
        assert np.abs(slope - s.A[:12, j]).max() <= 1e-8
    slope = (value(X, length + step) - value(X, length - step)) / (2.0 * step)
    assert np.abs(slope - s.A[:12, 12]).max() <= 1e-8


def _flip_sign(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    wrong = x.copy()
    wrong[np.argmax(np.abs(x))] *= -1.0
    return wrong


def _stop_early(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(x * (1.0 - 1e-4))


def _shift_one(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    wrong = x.copy()
    wrong[np.argmax(np.abs(x))] *= 1.0 + 1e-5
    return wrong


@pytest.mark.trust("TR-N-05")
@pytest.mark.parametrize("mutate", [_flip_sign, _stop_early, _shift_one])
def test_verifier_catches_every_mutated_solver(
    mutate: Callable[[np.ndarray, np.random.Generator], np.ndarray],
) -> None:
    rng = np.random.default_rng(2)
    caught = tried = seed = 0
    while tried < 100:
        # full rank, so that no other multiplier has the same velocities
        m = set_a(seed, 6)
        seed += 1
        if np.linalg.matrix_rank(m.G) < m.G.shape[0]:
            continue
        problem = m.problem()
        result = problem.solve()
        assert result.solved
        if np.abs(result.x).max() == 0.0:
            continue
        tried += 1
        caught += problem.residual(mutate(result.x, rng)) > 1e-8
    assert caught == 100


@pytest.mark.trust("TR-N-05")
@by_name
def test_no_mutated_solver_says_that_it_is_done(
    solver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers spoiled behind the solver's back: of those it finds none is reported as solved."""
    from cornerlaw.simulate.complementarity.compiled import Session

    honest = Session.result
    rng = np.random.default_rng(3)
    found = tried = 0
    for seed in range(200):
        m = set_a(seed, 4)
        if m.dim == 3 and solver.name in ("lemke", "pivoting"):
            continue
        if np.linalg.matrix_rank(m.G) < m.G.shape[0]:
            continue
        problem = m.problem()
        result = problem.solve(solver)
        # an answer that is zero but for rounding cannot be spoiled
        size = np.abs(np.diag(problem.G) * result.x).max() / np.abs(problem.c).max()
        if not result.solved or size < 1e-2:
            continue
        found += 1
        for mutate in (_flip_sign, _stop_early, _shift_one):

            def spoiled(self: Session, *arguments: Any, mutate: Any = mutate) -> Any:
                self.set_guess(mutate(self.x, rng))
                return honest(self, *arguments)

            with monkeypatch.context() as patch:
                patch.setattr(Session, "result", spoiled)
                tried += 1
                assert not problem.solve(solver).solved, (solver, seed, mutate)
        if tried >= 30:
            break
    assert found >= 8 and tried >= 24


def test_infeasible_problems_get_a_certificate_that_the_checker_accepts() -> None:
    for seed in range(25):
        problem = set_b(seed)
        result = problem.solve()
        assert result.status == "infeasible", (seed, result)
        y = result.certificate.y
        # by hand: y >= 0 on normal rows, zero on others, in the kernel, against c
        dim = problem.sets[1].size + 1
        assert y[0::dim].min() >= 0.0 and np.delete(y, np.s_[0::dim]).any() == np.False_
        assert y @ problem.c < 0.0
        scale = np.abs(problem.G) @ np.abs(y)
        assert (np.abs(problem.G @ y) <= 1e-12 * scale.max()).all()
        assert cl.check_certificate(problem, y) > 0.0
        assert cl.check_certificate(problem, -y) == 0.0


def test_solvable_problems_get_no_certificate() -> None:
    assert all(cl.find_certificate(set_a(seed, 15).problem()) is None for seed in range(60))
    heavy = stack(2, 3, 1e6, heavy_on_top=True, mu=0.6, disturbance=0.1, seed=11).problem()
    assert cl.find_certificate(heavy) is None


def test_sliding_contact_without_answer_is_certified() -> None:
    # one row, A < 0 and b < 0 as for Painleve's rod: pressing harder only accelerates inwards
    problem = cl.ContactProblem([[-0.5]], [-1.0], [cl.sets.unilateral()])
    result = problem.solve()
    assert result.status == "infeasible"
    assert cl.check_certificate(problem, result.certificate.y) == math.inf
    assert problem.solutions() == []


def test_pile_of_ten_sliding_boxes_has_no_answer() -> None:
    """Boxes that slide on each other with mu = 0.5: friction tips the pile faster than it may turn.

    Normal forces at both ends of ten faces; sliding directions of the first shaken pile of
    `test_resting`. None of the 2^20 index sets solves it; the proof is shorter.
    """
    n, a, mu = 10, 0.05, 0.5
    signs = [1, 1, -1, -1, 1, -1, -1, 1, -1, -1]
    W_N, W_T = np.zeros((30, 20)), np.zeros((30, 20))
    for k, end in ((k, end) for k in range(n) for end in range(2)):
        x, j = a * (2 * end - 1), 2 * k + end
        W_N[3 * k : 3 * k + 3, j], W_T[3 * k : 3 * k + 3, j] = (0.0, 1.0, x), (1.0, 0.0, a)
        if k:
            W_N[3 * k - 3 : 3 * k, j], W_T[3 * k - 3 : 3 * k, j] = (0.0, -1.0, -x), (-1.0, 0.0, a)
    inverse = np.tile([1.0, 1.0, 6.0 / (2.0 * a) ** 2], n)[:, None]
    gravity = np.tile([0.0, -9.81, 0.0], n)

    def pile(mu: float) -> cl.ContactProblem:
        push = W_N - mu * W_T * np.repeat(signs, 2)
        return cl.ContactProblem(
            W_N.T @ (inverse * push), W_N.T @ gravity, [cl.sets.unilateral()] * 20
        )

    result = pile(mu).solve()
    assert result.status == "infeasible"
    y = result.certificate.y
    # by hand: y >= 0, y^T G <= 0 and y^T c < 0 leave no x >= 0 with G x + c >= 0
    assert y.min() >= 0.0 and (pile(mu).G.T @ y).max() <= 1e-9 and y @ pile(mu).c < 0.0
    # little friction tips nothing
    assert pile(0.1).solve().solved


def test_several_answers_are_listed() -> None:
    # A < 0 and b > 0: separation, and a force that holds the contact closed
    problem = cl.ContactProblem([[-0.5]], [1.0], [cl.sets.unilateral()])
    found = sorted(float(item.x[0]) for item in problem.solutions())
    assert found == pytest.approx([0.0, 2.0])


def test_file_keeps_every_bit(tmp_path: Path) -> None:
    problem = set_a(7).problem()
    problem.save(tmp_path / "p.h5", x=np.ones(problem.n))
    again = cl.ContactProblem.load(tmp_path / "p.h5")
    assert np.array_equal(again.G, problem.G) and np.array_equal(again.c, problem.c)
    assert again.sets == problem.sets and again.v_ref == problem.v_ref


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.h5"
    path.write_bytes(b"not HDF5")
    with pytest.raises(cl.FileError, match="cannot be read"):
        cl.ContactProblem.load(path)
    problem = set_a(7).problem()
    problem.save(path)
    with h5py.File(path, "a") as file:
        del file["c"]
        file["c"] = np.zeros(problem.n + 1)
    with pytest.raises(cl.FileError, match="do not fit together"):
        cl.ContactProblem.load(path)
    problem.save(path)
    with h5py.File(path, "a") as file:
        file["G"][0, 0] = math.nan
    with pytest.raises(cl.FileError, match="not finite"):
        cl.ContactProblem.load(path)
    with h5py.File(path, "a") as file:
        file.attrs["format"] = "something else"
    with pytest.raises(cl.FileError, match="not a contact problem"):
        cl.ContactProblem.load(path)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: cl.ContactProblem(np.eye(2), [1.0], [cl.sets.unilateral()]), "shape"),
        (lambda: cl.ContactProblem(np.eye(2), [1.0, 1.0], [cl.sets.unilateral()]), "cover 1 rows"),
        (lambda: cl.ContactProblem([[math.nan]], [1.0], [cl.sets.unilateral()]), "not finite"),
        (lambda: cl.ContactProblem([[1.0]], [1.0], [cl.sets.friction(0.1, normal=0)]), "load"),
        (lambda: cl.sets.interval(1.0, -1.0), "above the upper"),
        (lambda: cl.sets.disc(-0.1, normal=0), "not negative"),
        (lambda: cl.GaussSeidel(tolerance=0.0), "tolerance"),
        (lambda: cl.SemismoothNewton(variant="simplex"), "simplex"),
        (lambda: ball_on_floor(0.1, 1.0).solve("best"), "best"),
    ],
)
def test_wrong_problems_are_refused_in_one_sentence(
    build: Callable[[], object], message: str
) -> None:
    with pytest.raises(cl.CornerlawError, match=message) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_plane_solvers_decline_cones() -> None:
    for solver in (cl.Lemke(), cl.Pivoting()):
        assert ball_on_floor(0.4, 1.0, dim=3).solve(solver).status == "not applicable"
