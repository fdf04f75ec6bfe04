"""Solver against solver, against enumeration, and on families of hard problems."""

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from time import process_time

import numpy as np
import pytest
import scipy.linalg
from contact_problems import Mechanics, cone_stacks, plane_stacks, set_a, set_b, stack
from figures import Figure

import cornerlaw as cl


def unsymmetric(seed: int) -> cl.ContactProblem:
    """A small plane problem whose G is unsymmetric but keeps a positive symmetric part."""
    rng = np.random.default_rng(seed)
    contacts = int(rng.integers(1, 4))
    n = 2 * contacts
    A = rng.normal(size=(n, n))
    skew = rng.normal(size=(n, n))
    G = A @ A.T / n + 0.2 * np.eye(n) + 0.2 * (skew - skew.T)
    return cl.ContactProblem.frictional(G, rng.normal(size=n), rng.uniform(0, 0.6), dim=2)


@pytest.mark.parametrize("seed", range(20))
def test_plane_solvers_find_an_enumerated_solution(seed: int) -> None:
    for problem in (unsymmetric(seed), _small_plane(seed)):
        oracle = problem.solutions()
        assert oracle, "a problem of set A and one with a positive G have solutions"
        for solver in (cl.Auto(), cl.Lemke(), cl.Pivoting()):
            result = problem.solve(solver)
            if not result.solved and solver.name != "auto":
                continue
            size = np.abs(problem.c).max()
            distance = min(np.abs(item.gamma - result.gamma).max() for item in oracle)
            # velocities of the oracle are exact to rounding, those of a solver to its residual;
            # with a singular G a whole face of solutions may exist of which the oracle has one
            singular = np.linalg.matrix_rank(problem.G) < problem.n
            assert result.solved
            assert distance <= 1e-6 * size or singular, (solver.name, distance)


def _small_plane(seed: int) -> cl.ContactProblem:
    return next(m.problem() for s in itertools.count(1000 * seed) if (m := set_a(s, 3)).dim == 2)


def test_lemke_and_pivoting_solve_nearly_all_small_problems() -> None:
    problems = [unsymmetric(seed) for seed in range(100)]
    for solver, least in ((cl.Lemke(), 100), (cl.Pivoting(), 97)):
        assert sum(problem.solve(solver).solved for problem in problems) >= least


def _unique(seed: int) -> Mechanics:
    """A problem with unique velocities: without friction, or boxes that lie on each other."""
    if seed % 2:
        m = set_a(500 + seed, 8)
        return m._replace(mu=np.zeros(m.mu.size))
    return stack(
        1 + seed // 4,
        2 + seed // 2 % 2,
        10.0,
        heavy_on_top=False,
        mu=0.3,
        disturbance=1e-3,
        seed=seed,
    )


@pytest.mark.parametrize("seed", range(12))
def test_solvers_agree_where_the_answer_is_unique(seed: int) -> None:
    m = _unique(seed)
    ratio = m.inverse_mass.max() / m.inverse_mass.min()
    problem = m.problem()
    reference = problem.solve()
    assert reference.solved
    size = np.abs(problem.c).max()
    solvers = [
        cl.GaussSeidel(),
        cl.AcceleratedGradient(),
        cl.SemismoothNewton(),
        cl.SemismoothNewton(variant="fischer-burmeister"),
        cl.InteriorPoint(),
        cl.ADMM(),
    ]
    agreed = 0
    for solver in solvers:
        result = problem.solve(solver)
        if result.solved:
            agreed += 1
            # the residual is amplified by the conditioning of G, which grows with the mass ratio
            assert np.abs(result.gamma - reference.gamma).max() <= 1e-9 * size * max(ratio, 1e3)
    assert agreed >= 3


@pytest.mark.parametrize("seed", range(12))
def test_order_of_contacts_does_not_matter(seed: int) -> None:
    problem = _unique(seed).problem()
    order = np.random.default_rng(seed).permutation(len(problem.contacts()))
    shuffled, rows = problem.permuted([int(k) for k in order])
    first, second = problem.solve(), shuffled.solve()
    assert first.solved and second.solved
    # as above
    assert np.abs(second.gamma - first.gamma[rows]).max() <= 1e-6 * np.abs(problem.c).max()


@dataclass
class Figures:
    """What `auto` made of problems of set A, and how large parts of the family are."""

    count: int
    above_8: list[int] = field(default_factory=list)  # seeds whose residual stays above 1e-8
    above_10: list[int] = field(default_factory=list)
    deficient: float = 0.0
    strong: float = 0.0
    worst: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)  # processor time [s] and seed

    def __str__(self) -> str:
        return (
            f"{self.count} problems of set A: {100 * (1 - len(self.above_8) / self.count):.2f} % "
            f"at 1e-8, {100 * (1 - len(self.above_10) / self.count):.2f} % at 1e-10, worst residual"
            f" {self.worst:.2g}; {100 * self.deficient:.0f} % rank-deficient; slowest "
            f"{self.slowest[0]:.1f} s (seed {self.slowest[1]}); above 1e-8: {self.above_8}, "
            f"above 1e-10: {self.above_10}"
        )


def test_the_family_is_as_wide_as_it_says() -> None:
    """Plane and space, 1 to 60 contacts, mu from 0 to 2, masses over six decades."""
    found = [set_a(seed) for seed in range(2000)]
    assert {m.dim for m in found} == {2, 3}
    counts = [m.mu.size for m in found]
    assert (min(counts), max(counts)) == (1, 60)
    mu = np.concatenate([m.mu for m in found])
    assert mu.min() == 0.0 and 1.99 < mu.max() <= 2.0
    ratios = [m.inverse_mass.max() / m.inverse_mass.min() for m in found]
    # moments of inertia are down to a twentieth of the masses
    assert 5e5 < max(ratios) <= 2.1e7


def is_deficient(W: np.ndarray) -> bool:
    """Tell whether columns depend on each other; singular values took most of the whole test."""
    size = max(W.shape)
    if size == W.shape[1] > W.shape[0]:
        return True
    pivots = np.abs(np.diag(scipy.linalg.qr(W, mode="r", pivoting=True)[0]))
    return bool(pivots[-1] <= size * np.finfo(float).eps * pivots[0])


def test_deficient_directions_are_those_of_singular_values() -> None:
    for seed in range(60):
        W = set_a(seed, 12).W
        assert is_deficient(W) == (np.linalg.matrix_rank(W) < W.shape[1])


def measure(seeds: range, max_contacts: int = 60) -> Figures:
    """Solve problems of set A and return what became of them."""
    found = Figures(len(seeds))
    strong = total = 0
    for seed in seeds:
        m = set_a(seed, max_contacts)
        problem = m.problem()
        found.deficient += is_deficient(m.W) / len(seeds)
        strong += int((m.mu > 1.0).sum())
        total += m.mu.size
        began = process_time()
        x = problem.solve().x
        found.slowest = max(found.slowest, (process_time() - began, seed))
        residual = float(problem.residual(x))
        found.worst = max(found.worst, residual)
        found.above_8 += [] if residual <= 1e-8 else [seed]
        found.above_10 += [] if residual <= 1e-10 else [seed]
    found.strong = strong / total
    return found


@pytest.mark.trust("TR-N-05")
def test_auto_solves_what_is_solvable_by_construction() -> None:
    found = measure(range(150))
    assert not found.above_10, found
    assert found.deficient >= 0.5
    assert found.strong == pytest.approx(0.2, abs=0.03)


@pytest.mark.trust("TR-N-05")
@pytest.mark.verify
def test_auto_solves_ten_thousand_problems(capsys: pytest.CaptureFixture[str]) -> None:
    found = measure(range(10_000))
    with capsys.disabled():
        print(f"\n{found}")
    assert not found.above_8, found
    assert len(found.above_10) <= 10, found
    assert found.deficient >= 0.5
    assert found.strong == pytest.approx(0.2, abs=0.01)


# the first five, and those whose masses differ so much that a cone program alone ends too early
@pytest.mark.parametrize("seed", [*range(5), 268, 1389, 1647, 2627, 2718, 3785, 4720])
def test_infeasible_problems_have_a_certificate(seed: int) -> None:
    problem = set_b(seed)
    proof = cl.find_certificate(problem)
    assert proof is not None
    _check_proof(problem, proof.y)


def _check_proof(problem: cl.ContactProblem, y: np.ndarray) -> None:
    """Check by exact arithmetic that y is no load of a row that may not push, and excludes all."""
    assert cl.check_certificate(problem, y) > 0.0
    normal = [k for k, item in enumerate(problem.sets) if item.master < 0]
    assert all(y[problem.rows(k).start] >= 0.0 for k in normal)
    exact = [Fraction(float(value)) for value in y]
    rows = [i for i in range(problem.n) if exact[i]]
    pull = sum(exact[i] * Fraction(float(problem.c[i])) for i in rows)
    assert pull < 0
    # by the exact sums only ten times the impulse that stops the heaviest mass opens the ring
    sums = [
        abs(sum(exact[i] * Fraction(float(problem.G[i, j])) for i in rows))
        for j in range(problem.n)
    ]
    slope = max(
        sums[problem.rows(k).start]
        + sum(
            Fraction(tied.upper_1) * sum(sums[problem.rows(f)])
            for f, tied in enumerate(problem.sets)
            if tied.master == problem.rows(k).start
        )
        for k in normal
    )
    velocity = Fraction(float(np.abs(problem.c).max()))
    heaviest = Fraction(float(1.0 / np.diag(problem.G).min()))
    assert slope == 0 or -pull / slope > 10 * velocity * heaviest


def test_solvable_problems_have_no_certificate() -> None:
    assert all(cl.find_certificate(set_a(seed, 20).problem()) is None for seed in range(40))


@pytest.mark.verify
def test_every_infeasible_problem_is_certified(figure: Figure) -> None:
    for seed in range(1000):
        problem = set_b(seed)
        result = problem.solve()
        assert result.status == "infeasible", seed
        _check_proof(problem, result.certificate.y)
    figure("infeasible problems with a certificate that exact arithmetic accepts", 1000)


@pytest.mark.trust("TR-N-02")
def test_short_stacks_with_a_mass_ratio_of_a_million() -> None:
    # every tenth of the plane family and the low cone stacks
    problems = [m.problem() for m in (*plane_stacks()[::10], *cone_stacks()[:24])]
    assert all(problem.residual(problem.solve().x) <= 1e-8 for problem in problems)


@pytest.mark.trust("TR-N-02")
@pytest.mark.verify
def test_all_stacks(figure: Figure) -> None:
    problems = [m.problem() for m in (*plane_stacks(), *cone_stacks())]
    assert len(problems) == 264 + 90
    failed = wrong = 0
    for problem in problems:
        result = problem.solve()
        residual = problem.residual(result.x)  # per contact, by other code than the solvers
        failed += not residual <= 1e-8
        wrong += result.solved and not residual <= 1e-8
    figure("stacks of 354 above 1e-8", failed, 1)
    # 99.5 % of 354, and none that says it is solved and is not
    assert failed <= 1 and wrong == 0


def _tiny(rng: np.random.Generator) -> float:
    """Return a number from a set full of ties, zeros of both signs and denormals."""
    pool = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 5e-324, -5e-324, 1e-310, 1e-160, 1e3, -1e3)
    return float(rng.choice(pool)) if rng.random() < 0.6 else float(rng.normal())


def solvable(M: list[list[Fraction]], q: list[Fraction]) -> bool:
    """Decide exactly whether 0 <= w = M z + q, 0 <= z, w z = 0 has a solution, for n = 1 or 2."""
    n = len(q)
    zero = Fraction(0)
    if all(value >= 0 for value in q):
        return True
    for i in range(n):
        # only z_i > 0: M_ii z_i + q_i = 0
        others = [j for j in range(n) if j != i]
        if M[i][i] != 0:
            z = -q[i] / M[i][i]
            if z >= 0 and all(M[j][i] * z + q[j] >= 0 for j in others):
                return True
        elif q[i] == 0:
            low, high = zero, None
            for j in others:
                if M[j][i] > 0:
                    low = max(low, -q[j] / M[j][i])
                elif M[j][i] < 0:
                    limit = -q[j] / M[j][i]
                    high = limit if high is None else min(high, limit)
                elif q[j] < 0:
                    high = Fraction(-1)
            if high is None or low <= high:
                return True
    if n == 1:
        return False
    return _both(M, q)


def _both(M: list[list[Fraction]], q: list[Fraction]) -> bool:
    """Decide whether M z + q = 0 has a solution z >= 0 for n = 2."""
    det = M[0][0] * M[1][1] - M[0][1] * M[1][0]
    if det != 0:
        z_0 = (-q[0] * M[1][1] + q[1] * M[0][1]) / det
        z_1 = (-q[1] * M[0][0] + q[0] * M[1][0]) / det
        return z_0 >= 0 and z_1 >= 0
    # dependent equations: vertices of the line within the quadrant, on the axes
    for i in range(2):
        for j in range(2):
            if M[j][i] != 0:
                z = -q[j] / M[j][i]
                if z >= 0 and M[1 - j][i] * z + q[1 - j] == 0:
                    return True
    return all(value == 0 for value in q)


def check_tiny_problems(count: int) -> None:
    rng = np.random.default_rng(803)
    certified = 0
    for _ in range(count):
        n = int(rng.integers(1, 3))
        G = np.array([[_tiny(rng) for _ in range(n)] for _ in range(n)])
        c = np.array([_tiny(rng) for _ in range(n)])
        problem = cl.ContactProblem(G, c, [cl.sets.unilateral()] * n)
        result = problem.solve()
        if result.solved:
            assert problem.residual(result.x) <= 1e-8, (G, c)
            continue
        exact = [[Fraction(float(value)) for value in row] for row in G]
        # a problem that is solvable only by multipliers of 1e100 and more, or only when velocities
        # of 1e-100 and less are told from zero, has no answer in floating point
        extreme = bool(((np.abs(G) < 1e-100) & (G != 0.0)).any())
        assert extreme or not solvable(exact, [Fraction(float(value)) for value in c]), (G, c)
        assert extreme or result.status == "infeasible", (G, c, result)
        certified += result.status == "infeasible"
        if result.certificate is not None and result.certificate.kind == "separation":
            assert cl.check_certificate(problem, result.certificate.y) > 0.0
    assert certified > 0.1 * count


@pytest.mark.trust("TR-N-04")
def test_tiny_linear_problems_are_right_or_certified() -> None:
    check_tiny_problems(600)


@pytest.mark.trust("TR-N-04")
@pytest.mark.verify
def test_hundred_thousand_tiny_linear_problems() -> None:
    check_tiny_problems(100_000)
