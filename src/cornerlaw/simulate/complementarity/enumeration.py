"""All solutions of a small plane problem, by trying every combination of index sets."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import UsageError
from cornerlaw.problems.problem import ContactProblem

LOWER, INSIDE, UPPER = -1, 0, 1
MAX_COMBINATIONS = 300_000


@dataclass(frozen=True)
class EnumeratedSolution:
    """One solution: multipliers, velocities and where each row stands (-1, 0, 1)."""

    x: Floats
    gamma: Floats
    state: tuple[int, ...]


def _choices(problem: ContactProblem) -> list[tuple[int, ...]]:
    """Return the places every row can stand at."""
    choices: list[tuple[int, ...]] = []
    for k, item in enumerate(problem.sets):
        if item.kind == BALL and item.size > 1:
            raise UsageError("Only plane problems can be enumerated: a disc has no corners.")
        lower = -item.upper_0 if item.kind == BALL else item.lower_0
        slope = -item.upper_1 if item.kind == BALL else item.lower_1
        for _ in range(problem.rows(k).start, problem.rows(k).stop):
            places = [] if math.isinf(lower) else [LOWER]
            fixed = lower == item.upper_0 and slope == item.upper_1
            if not fixed:
                places.append(INSIDE)
                if not math.isinf(item.upper_0):
                    places.append(UPPER)
            choices.append(tuple(places))
    return choices


def count_index_sets(problem: ContactProblem) -> int:
    """Return how many combinations `enumerate_solutions` would try."""
    return math.prod(len(places) for places in _choices(problem))


def _ends(problem: ContactProblem, side: int) -> tuple[Floats, Floats, list[int]]:
    """Return constant, slope and master of one bound of every row."""
    constant, slope, master = [], [], []
    for item in problem.sets:
        if side == UPPER:
            pair = item.upper_0, item.upper_1
        elif item.kind == BALL:
            pair = -item.upper_0, -item.upper_1
        else:
            pair = item.lower_0, item.lower_1
        constant += [pair[0]] * item.size
        slope += [pair[1]] * item.size
        master += [item.master] * item.size
    return np.array(constant), np.array(slope), master


def _system(problem: ContactProblem, state: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return A, b of the linear equations A x = b of an index set."""
    A, b = problem.G.copy(), -problem.c
    for side in (LOWER, UPPER):
        constant, slope, master = _ends(problem, side)
        for i, place in enumerate(state):
            if place == side:
                A[i] = 0.0
                A[i, i] = 1.0
                if master[i] >= 0:
                    A[i, master[i]] -= slope[i]
                b[i] = constant[i]
    return A, b


def _inequalities(problem: ContactProblem, state: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return B, d of the inequalities B x <= d of an index set."""
    rows: list[Floats] = []
    limits: list[float] = []
    n = problem.n
    for side, sign in ((LOWER, -1.0), (UPPER, 1.0)):
        constant, slope, master = _ends(problem, side)
        for i, place in enumerate(state):
            row = np.zeros(n)
            if place == INSIDE and not math.isinf(constant[i]):
                row[i] = sign
                if master[i] >= 0:
                    row[master[i]] -= sign * slope[i]
                rows.append(row)
                limits.append(sign * constant[i])
            elif place == side:
                # gamma >= 0 at the lower end, <= 0 at the upper one
                rows.append(sign * problem.G[i])
                limits.append(-sign * problem.c[i])
    for item in problem.sets:
        if item.master >= 0:
            row = np.zeros(n)
            row[item.master] = -1.0
            rows.append(row)
            limits.append(0.0)
    return np.array(rows).reshape(-1, n), np.array(limits)


def _solve_state(
    problem: ContactProblem, state: tuple[int, ...], tolerance: float
) -> Floats | None:
    """Return a solution on an index set, by elimination or by a linear program; None if none."""
    A, b = _system(problem, state)
    scale = np.abs(A).max(axis=1)
    scale[scale == 0.0] = 1.0
    if np.linalg.matrix_rank(A / scale[:, None], tol=1e-11) == problem.n:
        A, b = A / scale[:, None], b / scale
        x = np.linalg.solve(A, b)
        x += np.linalg.solve(A, b - A @ x)
        return x if problem.residual(x) <= _limit(problem, x, tolerance) else None
    from scipy.optimize import linprog

    B, d = _inequalities(problem, state)
    answer = linprog(
        np.zeros(problem.n), A_ub=B, b_ub=d, A_eq=A, b_eq=b, bounds=(None, None), method="highs"
    )
    if answer.status != 0:
        return None
    x = np.asarray(answer.x, dtype=float)
    # a linear program stops at its own tolerance; the equations are met exactly afterwards
    x = x + np.linalg.lstsq(A, b - A @ x, rcond=1e-12)[0]
    return x if problem.residual(x) <= _limit(problem, x, max(tolerance, 1e-8)) else None


def _limit(problem: ContactProblem, x: Floats, tolerance: float) -> float:
    """Return the tolerance, or what rounding of G x makes of it where multipliers are huge."""
    size = max(float(np.abs(problem.c).max(initial=0.0)), problem.v_ref)
    rounding = 1e-15 * problem.n * float((np.abs(problem.G) @ np.abs(x)).max(initial=0.0)) / size
    return max(tolerance, rounding)


def enumerate_solutions(
    problem: ContactProblem, *, tolerance: float = 1e-9
) -> list[EnumeratedSolution]:
    """Return all solutions with different velocities or multipliers, one per index set at most.

    Each row stands at its lower end, inside (gamma = 0) or at its upper end; 2^k 3^l combinations
    are solved and those that satisfy the inequalities are kept. No solution at all and several
    solutions are both found this way, where iterative solvers see neither. (T-11.11)
    """
    choices = _choices(problem)
    count = math.prod(len(places) for places in choices)
    if count > MAX_COMBINATIONS:
        raise UsageError(
            f"{count} index sets are too many to try; the limit is {MAX_COMBINATIONS}."
        )
    found: list[EnumeratedSolution] = []
    size = max(float(np.abs(problem.c).max(initial=0.0)), problem.v_ref)
    for state in itertools.product(*choices):
        x = _solve_state(problem, state, tolerance)
        if x is None:
            continue
        gamma = problem.gamma(x)
        load = max(float(np.abs(x).max(initial=0.0)), 1e-300)
        same = (
            np.abs(gamma - other.gamma).max(initial=0.0) <= 1e-6 * size
            and np.abs(x - other.x).max(initial=0.0) <= 1e-6 * load
            for other in found
        )
        if not any(same):
            found.append(EnumeratedSolution(x, gamma, state))
    return found
