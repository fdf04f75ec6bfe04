"""The friction pyramid against the cone it replaces."""

import math

import numpy as np
import pytest

import cornerlaw as cl


def sliding(angle: float, mu: float = 0.3) -> cl.ContactProblem:
    """Return a point mass pressed on a plane that slides in a direction."""
    c = np.array([-1.0, 5.0 * math.cos(angle), 5.0 * math.sin(angle)])
    return cl.ContactProblem.frictional(np.eye(3), c, mu)


@pytest.mark.parametrize("sides", [4, 8, 16, 64])
def test_corners_allow_a_larger_force(sides: int) -> None:
    largest = 0.0
    for angle in np.linspace(0.0, 2.0 * math.pi, 97):
        problem = sliding(angle)
        cone, x = problem.solve().x, cl.solve_pyramid(problem, sides)
        assert math.isclose(np.hypot(*cone[1:]), 0.3, rel_tol=1e-9)
        largest = max(largest, np.hypot(*x[1:]) / 0.3)
        assert np.hypot(*x[1:]) >= 0.3 * (1.0 - 1e-9)
    assert math.isclose(largest, 1.0 / math.cos(math.pi / sides), rel_tol=1e-6)


def test_sticking_is_the_same() -> None:
    c = np.array([-1.0, 0.1, -0.05])
    problem = cl.ContactProblem.frictional(np.eye(3), c, 0.3)
    np.testing.assert_allclose(cl.solve_pyramid(problem), [1.0, -0.1, 0.05], atol=1e-11)


def test_error_falls_with_the_square_of_the_sides() -> None:
    errors = []
    for sides in (8, 16, 32, 64):
        worst = 0.0
        for angle in np.linspace(0.0, 1.0, 41):
            problem = sliding(angle)
            cone = problem.solve().x
            worst = max(worst, abs(np.hypot(*cl.solve_pyramid(problem, sides)[1:]) - 0.3))
        assert np.isfinite(cone).all()
        errors.append(worst)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 2.0) < 0.2)


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(cl.UsageError, match="at least 3 sides"):
        cl.solve_pyramid(sliding(0.0), 2)
