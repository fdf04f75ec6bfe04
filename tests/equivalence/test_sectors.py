"""Problems with friction discs that have no solution: excluded by directions, and only those."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from contact_problems import set_a

import cornerlaw as cl
from cornerlaw.simulate.complementarity.sectors import is_splittable, split_directions

SAVED = sorted((Path(__file__).parents[1] / "data" / "problems").glob("no-solution-*.h5"))
V = np.array([0.24, 0.34, 0.33])  # normal and tangential motion of a lever with one coordinate


def lever(mu: float, eps: float, slow: float = 1.0) -> cl.ContactProblem:
    """A lever that strikes an obstacle obliquely: Newton's law acts on the normal row only."""
    c = -slow * V * np.array([1.0 + eps, 1.0, 1.0])
    return cl.ContactProblem.frictional(np.outer(V, V), c, mu)


def oblique() -> float:
    """The friction coefficient from which on the lever locks."""
    return float(V[0] / np.hypot(V[1], V[2]))


@pytest.mark.parametrize("eps", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("factor", [1.05, 2.0, 5.0])
def test_a_lever_that_locks_cannot_bounce(factor: float, eps: float) -> None:
    """gamma_N = 0 asks for the speed eps of the lever, against which friction is stronger."""
    problem = lever(factor * oblique(), eps)
    found = split_directions(problem)
    assert found.excluded and found.programs < 100
    result = problem.solve()
    assert result.status == "infeasible" and result.certificate.kind == "sectors"


@pytest.mark.parametrize(("factor", "eps"), [(0.95, 0.5), (0.5, 1.0), (2.0, 0.0), (0.0, 0.7)])
def test_levers_that_can_are_not_excluded(factor: float, eps: float) -> None:
    problem = lever(factor * oblique(), eps)
    assert not split_directions(problem).excluded
    assert problem.solve().solved


@pytest.mark.parametrize("digits", [2, 3, 4, 5, 6, 7])
def test_a_lever_that_is_all_but_locked_is_excluded_up_to_a_radius_only(digits: int) -> None:
    """Its solution is known and grows without bounds: no certificate may deny it."""
    eps, d = 0.5, V[1:] / np.hypot(V[1], V[2])
    mu = oblique() * (1.0 - 10.0**-digits)
    problem = lever(mu, eps)
    # the lever moves on at eps and slides along d, against friction
    normal = (1.0 + eps) / (V[0] - mu * float(np.hypot(V[1], V[2])))
    x = np.concatenate([[normal], -mu * normal * d])
    assert problem.residual(x) < 1e-8
    found = split_directions(problem)
    assert not found.excluded or found.radius <= normal
    result = problem.solve()
    if result.status == "infeasible":
        assert result.certificate.radius <= normal
    else:
        assert result.solved
    if digits >= 6:
        assert found.excluded and math.isfinite(result.certificate.radius)


def test_the_error_says_up_to_which_forces(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence of a run claims no more than the certificate."""
    from cornerlaw.simulate import failures

    monkeypatch.setattr(failures, "_closed_names", lambda system: "'tip'")
    monkeypatch.setattr(failures, "save_problem", lambda problem, guess: "problem.h5")
    problem = lever(oblique() * (1.0 - 1e-6), 0.5)
    result = problem.solve()
    compact = SimpleNamespace(posed=[-1])
    last = SimpleNamespace(problem=problem, guess=None, result=result)
    system = SimpleNamespace(work=SimpleNamespace(k=SimpleNamespace(compact=compact)),
                             last_resort=last, chosen=None)  # fmt: skip
    text = failures._unsolved_text(system, "at t = 0 s")  # type: ignore[arg-type]
    assert f"has no solution with forces or impulses below {result.certificate.radius:.1e}" in text


@pytest.mark.parametrize("size", [1e-9, 1e6])
def test_the_unit_of_speed_is_no_matter(size: float) -> None:
    assert split_directions(lever(2.0 * oblique(), 0.5, size)).excluded
    assert not split_directions(lever(0.5 * oblique(), 0.5, size)).excluded


def test_an_island_is_enough() -> None:
    """A ball elsewhere that can bounce does not hide the lever; brakes and lines of friction."""
    small = lever(2.0 * oblique(), 0.5)
    G, c = np.zeros((7, 7)), np.zeros(7)
    G[:3, :3], c[:3] = small.G, small.c
    G[3:5, 3:5], c[3:5] = np.diag([2.0, 3.0]), (-1.0, 0.4)
    G[5:, 5:], c[5:] = [[1.0, 0.5], [0.5, 1.0]], (0.3, -2.0)
    sets = [*small.sets, cl.sets.unilateral(), cl.sets.friction(0.3, normal=3),
            cl.sets.interval(-0.2, 0.2), cl.sets.unilateral()]  # fmt: skip
    problem = cl.ContactProblem(G, c, sets)
    assert is_splittable(problem) and split_directions(problem).excluded
    rest = cl.ContactProblem(G[3:, 3:], c[3:], [cl.sets.unilateral(),
                             cl.sets.friction(0.3, normal=0), *sets[4:]])  # fmt: skip
    assert not split_directions(rest).excluded


def test_what_is_solvable_is_never_excluded() -> None:
    """Problems with a known solution, in the plane and in space, and points for a new start."""
    tried = 0
    for seed in range(120):
        m = set_a(seed, 3)
        problem = m.problem()
        if not is_splittable(problem) or problem.n > 9:
            continue
        tried += 1
        assert not split_directions(problem).excluded, seed
    assert tried >= 20


def given_discs(seed: int) -> tuple[cl.ContactProblem, np.ndarray]:
    """Return a contact, one or two discs of given radius on the same bodies, and a solution."""
    rng = np.random.default_rng(seed)
    discs = 1 + seed % 2
    n = 3 + 2 * discs
    J = rng.normal(size=(n, int(rng.integers(2, n + 1))))
    mu, radii = float(rng.uniform(0.1, 1.5)), 10.0 ** rng.uniform(-3.0, 1.0, discs)
    x, gamma = np.zeros(n), np.zeros(n)
    if rng.random() < 0.3:
        gamma[:3] = abs(rng.normal()), *rng.normal(size=2)
        radii_of = [(3 + 2 * d, r) for d, r in enumerate(radii)]
    else:
        x[0] = abs(rng.normal()) + 0.01
        radii_of = [(1, mu * x[0]), *((3 + 2 * d, r) for d, r in enumerate(radii))]
    for i, radius in radii_of:
        a, speed = rng.uniform(0.0, 2.0 * math.pi), abs(rng.normal())
        way = np.array([math.cos(a), math.sin(a)])
        if rng.random() < 0.4:
            x[i : i + 2] = rng.uniform(0.0, 1.0) * radius * way
        else:
            x[i : i + 2], gamma[i : i + 2] = -radius * way, speed * way
    G = J @ J.T
    sets = [cl.sets.unilateral(), cl.sets.disc(mu, normal=0), *map(cl.sets.ball, radii)]
    return cl.ContactProblem(G, gamma - G @ x, sets), x


@pytest.mark.parametrize(
    "seeds", [range(0, 12, 2), pytest.param(range(60), marks=pytest.mark.verify)]
)
def test_discs_of_given_radius_with_a_solution_are_never_excluded(seeds: range) -> None:
    for seed in seeds:
        problem, x = given_discs(seed)
        assert is_splittable(problem) and problem.residual(x) < 1e-9
        assert not split_directions(problem).excluded, seed


@pytest.mark.parametrize("radius", [0.0, 1e-6, 0.3])
def test_a_disc_of_given_radius_does_not_hide_a_lever_that_locks(radius: float) -> None:
    """On the same coordinate friction of a known load only brakes, too."""
    W = np.concatenate([V, [0.2, -0.1]])
    c = -W * np.array([1.5, 1.0, 1.0, 1.0, 1.0])
    for factor, locks in ((2.0, True), (0.5, False)):
        sets = [cl.sets.unilateral(), cl.sets.disc(factor * oblique(), normal=0),
                cl.sets.ball(radius)]  # fmt: skip
        problem = cl.ContactProblem(np.outer(W, W), c, sets)
        assert split_directions(problem).excluded == locks
        assert locks or problem.solve().solved


def test_nearly_dependent_rows_elsewhere_widen_no_radius() -> None:
    """They allow huge loads of their own; the lever knows nothing of them."""
    small = lever(2.0 * oblique(), 0.5)
    G, c = np.zeros((7, 7)), np.array([*small.c, 0.7, -0.9, 0.7, -0.9])
    G[:3, :3] = small.G
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1e-6], [0.0, 0.8]])
    G[3:, 3:] = 7.5 * rows @ rows.T + 1e-10 * np.eye(4)
    problem = cl.ContactProblem(G, c, [*small.sets, cl.sets.ball(3e-3), cl.sets.ball(3e-3)])
    found = split_directions(problem)
    assert found.excluded and found.radius == split_directions(small).radius


def test_what_remains_is_a_good_guess() -> None:
    """A sliding ball: the point that is left lies within the narrowest sector of the solution."""
    problem = cl.ContactProblem.frictional(np.diag([1.0, 3.5, 3.5]), [-1.0, 3.0, -4.0], 0.3)
    x = split_directions(problem).x
    assert x is not None
    assert math.atan2(x[2], x[1]) == pytest.approx(math.atan2(0.8, -0.6), abs=5e-3)
    assert x[0] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_problems_of_random_models_that_nobody_solved(path: Path) -> None:
    """Levers and rods that lock while restitution asks them to bounce: there is no solution."""
    problem = cl.ContactProblem.load(path)
    result = problem.solve()
    assert result.status == "infeasible" and result.certificate.kind == "sectors"
    # without restitution c is a velocity of the bodies, and then there always is one
    v = np.linalg.lstsq(problem.G, problem.c, rcond=None)[0]
    still = cl.ContactProblem(problem.G, problem.G @ v, problem.sets)
    assert still.solve().solved
