"""Projections onto the sets, the equivalent forms of a corner law, and symmetries of solutions."""

import itertools
import math

import numpy as np
import pytest
from contact_problems import set_a
from hypothesis import given, settings
from hypothesis import strategies as st

import cornerlaw as cl
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.prox import project_all, project_set

numbers = st.floats(-1e3, 1e3)
vectors = st.lists(numbers, min_size=3, max_size=3).map(np.array)
coefficients = st.floats(0.0, 2.0)
loads = st.floats(0.0, 100.0)
fast = settings(max_examples=200, deadline=None, derandomize=True)


def project(mu: float, load: float, z: np.ndarray) -> np.ndarray:
    """Project (z_1, z_2) onto the friction disc of a load with the compiled kernel."""
    problem = cl.ContactProblem.frictional(np.eye(3), np.zeros(3), mu)
    p = Bundle(problem.arrays())
    x = np.array([load, 0.0, 0.0])
    out = np.array([load, z[0], z[1]])
    project_set(p, 1, x, out)
    return out[1:]


@fast
@given(coefficients, loads, vectors, vectors)
def test_projection_is_the_nearest_point(
    mu: float, load: float, z: np.ndarray, other: np.ndarray
) -> None:
    a, b = project(mu, load, z), project(mu, load, other)
    size = 1.0 + float(np.abs(z).max() + np.abs(other).max())
    # hypot, because squares of loads such as 1e-160 have no digits left
    assert math.hypot(a[0], a[1]) <= mu * load * (1.0 + 1e-12)
    # idempotent; rounding of one square root
    assert np.abs(project(mu, load, a) - a).max() <= 1e-12 * size
    # non-expansive
    assert np.linalg.norm(a - b) <= np.linalg.norm(z[:2] - other[:2]) + 1e-12 * size
    # variational inequality against a point of the set: (z - a)^T (b - a) <= 0
    assert (z[:2] - a) @ (b - a) <= 1e-10 * size**2


@fast
@given(st.floats(-10.0, 10.0), st.floats(0.0, 10.0), numbers)
def test_projection_onto_intervals_clips(lower: float, width: float, z: float) -> None:
    problem = cl.ContactProblem([[1.0]], [0.0], [cl.sets.interval(lower, lower + width)])
    out = np.array([z])
    project_all(Bundle(problem.arrays()), out)
    assert out[0] == min(max(z, lower), lower + width)


def forms(x: float, gamma: float, lower: float, upper: float, tolerance: float) -> list[bool]:
    """Say for each of the five forms of a plane corner law whether (x, gamma) satisfies it.

    Normal cone, subdifferential of the indicator, conjugate, variational inequality on the ends of
    the set, prox equation: each written from its own definition.
    """
    size = 1.0 + abs(x) + abs(gamma)
    inside = lower - tolerance <= x <= upper + tolerance
    ends = [end for end in (lower, upper) if math.isfinite(end)]
    ends += [x + 1.0] if math.isinf(upper) else []
    ends += [x - 1.0] if math.isinf(lower) else []
    small = tolerance * size
    # -gamma in N_C(x), case by case
    at_lower, at_upper = abs(x - lower) <= tolerance, abs(x - upper) <= tolerance
    cone = inside and (
        (at_lower and at_upper)
        or (at_lower and gamma >= -small)
        or (at_upper and gamma <= small)
        or abs(gamma) <= small
    )
    # -gamma in the subdifferential of the indicator: 0 >= -gamma (y - x) for all y in C
    indicator = inside and all(-gamma * (y - x) <= small * (1.0 + abs(y - x)) for y in ends)
    # x in the subdifferential of the support function: sup of -gamma y over C is -gamma x
    if (math.isinf(upper) and -gamma > small) or (math.isinf(lower) and gamma > small):
        conjugate = False
    else:
        finite = [end for end in (lower, upper) if math.isfinite(end)] or [x]
        support = max(-gamma * y for y in finite)
        conjugate = inside and abs(support + gamma * x) <= small * (1.0 + abs(x))
    # gamma (y - x) >= 0 for all y in C
    inequality = inside and min(gamma * (y - x) for y in [*ends, x]) >= -small * size
    r = 0.7
    prox = abs(x - min(max(x - r * gamma, lower), upper)) <= tolerance
    return [cone, indicator, conjugate, inequality, prox]


@fast
@given(
    st.sampled_from([(0.0, math.inf), (-2.0, 2.0), (-math.inf, math.inf), (-1.0, 3.0)]),
    st.floats(-4.0, 4.0),
    st.sampled_from([-3.0, -1.0, 0.0, 1.0, 2.5]),
    st.booleans(),
)
def test_five_forms_of_the_law_say_the_same(
    bounds: tuple[float, float], x: float, gamma: float, snap: bool
) -> None:
    lower, upper = bounds
    if snap:
        x = min(max(x, lower), upper)
        x = lower if gamma > 0 and math.isfinite(lower) else x
        x = upper if gamma < 0 and math.isfinite(upper) else x
    # keep away from the decision limits, where the tolerances of the forms differ
    for end in (lower, upper):
        if math.isfinite(end) and 0.0 < abs(x - end) < 1e-3:
            x = end
    verdicts = forms(x, gamma, lower, upper, 1e-9)
    assert len(set(verdicts)) == 1, verdicts


def test_solutions_satisfy_all_forms() -> None:
    for seed in range(0, 60):
        m = set_a(seed, 10)
        if m.dim == 3:
            continue
        problem = m.problem()
        result = problem.solve()
        assert result.solved
        size = np.abs(problem.c).max()
        for k in range(len(problem.sets)):
            lower, upper = problem.bounds(k, result.x)
            i = problem.rows(k).start
            # in velocity units of the contact, so that one tolerance fits all masses
            g = max(problem.G[i, i], 1e-300)
            scaled = [g * value / size for value in (result.x[i], lower, upper)]
            verdict = forms(scaled[0], result.gamma[i] / size, scaled[1], scaled[2], 1e-7)
            assert all(verdict), (seed, k, verdict)


# entries such as 1e-197 lead to multipliers that the residual cannot be evaluated for
entries_of_size_one = st.floats(-2.0, 2.0).map(lambda value: round(value, 6))


@pytest.mark.trust("TR-N-05")
@fast
@given(
    st.lists(entries_of_size_one, min_size=4, max_size=4),
    st.lists(entries_of_size_one, min_size=2, max_size=2),
)
def test_every_solver_status_is_backed_by_the_residual(
    entries: list[float], c: list[float]
) -> None:
    problem = cl.ContactProblem(
        np.reshape(entries, (2, 2)), c, [cl.sets.unilateral(), cl.sets.friction(0.5, normal=0)]
    )
    for solver in (cl.Lemke(), cl.Pivoting(), cl.GaussSeidel(max_sweeps=50), cl.SemismoothNewton()):
        result = problem.solve(solver)
        if result.solved:
            assert problem.residual(result.x) <= 1.1e-10


def test_projection_of_cones_is_nearest_on_a_grid() -> None:
    from cornerlaw.simulate.complementarity.admm import ConeProjection

    problem = cl.ContactProblem.frictional(np.eye(3), np.zeros(3), 0.7)
    nearest = ConeProjection(problem)
    rng = np.random.default_rng(0)
    grid = np.linspace(0.0, 3.0, 40)
    angles = np.linspace(0.0, 2.0 * np.pi, 40)
    points = [
        (n, 0.7 * n * s * math.cos(a), 0.7 * n * s * math.sin(a))
        for n, a, s in itertools.product(grid, angles, (0.0, 0.5, 1.0))
    ]
    cloud = np.array(points)
    for _ in range(50):
        z = rng.normal(size=3)
        distance = float(np.linalg.norm(nearest(z) - z))
        # no point of the cone is nearer
        assert distance <= np.linalg.norm(cloud - z, axis=1).min() + 1e-12
