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
