"""The friction pyramid: what a linearised cone makes of a contact problem, for comparison only.

The disc |x_T| <= mu x_N becomes the polygon x_T . e_j <= mu x_N over l directions e_j. Its corners
allow a force larger by 1 / cos(pi / l), and sliding prefers directions. (T-17.13)
"""

from __future__ import annotations

import math

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import UsageError
from cornerlaw.problems.problem import ContactProblem

_INNER = 30  # updates of one contact before the next has its turn


def project_on_polygon(point: Floats, radius: float, sides: int) -> Floats:
    """Return the nearest point of the regular polygon around the circle of a radius."""
    width = 2.0 * math.pi / sides
    middle = width * round(math.atan2(point[1], point[0]) / width)
    normal = np.array([math.cos(middle), math.sin(middle)])
    tangent = np.array([-normal[1], normal[0]])
    if point @ normal <= radius:
        return point
    reach = radius * math.tan(0.5 * width)
    return radius * normal + float(np.clip(point @ tangent, -reach, reach)) * tangent


def solve_pyramid(
    problem: ContactProblem, sides: int = 8, *, tolerance: float = 1e-12, max_sweeps: int = 20_000
) -> Floats:
    """Solve a problem whose friction discs are replaced by polygons; return x.

    Projected Gauss-Seidel, contact by contact; slow, and only meant to show the error of the
    linearisation. (T-17.13) [Pfeiffer2008, 3.4.3]
    """
    if sides < 3:
        raise UsageError(f"A pyramid has at least 3 sides, not {sides}.")
    if any(item.kind == BALL and item.size > 2 for item in problem.sets):
        raise UsageError("A pyramid replaces discs, not balls with drilling.")
    x = np.zeros(problem.n)
    reference = max(float(np.abs(problem.c).max(initial=0.0)), problem.v_ref)
    for _ in range(max_sweeps):
        change = 0.0
        for contact in problem.contacts():
            change = max(change, _relax(problem, contact, x, sides, tolerance * reference))
        if change <= tolerance * reference:
            return x
    raise UsageError(
        f"The pyramid with {sides} sides did not converge in {max_sweeps} sweeps; the change of "
        f"the last one was {change / reference:.2g}."
    )


def _relax(
    problem: ContactProblem, contact: list[int], x: Floats, sides: int, small: float
) -> float:
    """Solve one contact with all others held; return the largest change as a velocity."""
    first = x.copy()
    scale = max(float(np.abs(problem.G[problem.rows(k), problem.rows(k)]).max()) for k in contact)
    for _ in range(_INNER):
        worst = 0.0
        for k in contact:
            rows = problem.rows(k)
            block = problem.G[rows, rows]
            r = 1.0 / max(float(np.abs(block).sum(axis=1).max()), 1e-12 * scale)
            point = x[rows] - r * (problem.G[rows] @ x + problem.c[rows])
            lower, upper = problem.bounds(k, x)
            if problem.sets[k].kind == BALL:
                new = project_on_polygon(point, upper, sides)
            else:
                new = np.clip(point, lower, upper)
            worst = max(worst, float(np.abs(new - x[rows]).max()) / r)
            x[rows] = new
        if worst <= 0.1 * small:
            break
    return float(np.abs(x - first).max()) * scale
