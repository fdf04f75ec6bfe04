"""Interior-point solver: cone programs by Clarabel inside a fixed point of the sliding shift."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.simulate.complementarity.compiled import Session, _check, polish
from cornerlaw.simulate.complementarity.convex_form import row_weights, sliding_shift
from cornerlaw.simulate.complementarity.result import ContactResult


class ConeProgram:
    """The convex program of a problem, solved again and again with other linear terms.

    Unknowns are y = x / weight, so that the quadratic term has a diagonal of order one. An
    unsymmetric G is replaced by its symmetric part, the rest moves into the linear term.
    """

    def __init__(self, problem: ContactProblem) -> None:
        import clarabel
        from scipy import sparse

        self.problem = problem
        self.weights = row_weights(problem)
        scaled = self.weights[:, None] * problem.G * self.weights
        self.symmetric = 0.5 * (scaled + scaled.T)
        self.rest = scaled - self.symmetric
        self._P = sparse.triu(sparse.csc_matrix(self.symmetric), format="csc")
        rows: list[Floats] = []
        self._b: list[float] = []
        cones: list[Any] = []
        self._bounds(rows, cones, clarabel)
        self._cones(rows, cones, clarabel)
        self._A = sparse.csc_matrix(np.array(rows).reshape(len(rows), problem.n))
        self._cone_list = cones
        self._settings = clarabel.DefaultSettings()
        self._settings.verbose = False
        self._settings.max_iter = 100
        for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
            setattr(self._settings, name, 1e-12)
        self._clarabel = clarabel

    def _bounds(self, rows: list[Floats], cones: list[Any], clarabel: Any) -> None:
        """Add b - A y >= 0 for the ends of all intervals, loads included."""
        problem, w = self.problem, self.weights
        count = 0
        for k, item in enumerate(problem.sets):
            if item.kind == BALL:
                continue
            ends = ((-1.0, item.lower_0, item.lower_1), (1.0, item.upper_0, item.upper_1))
            for i in range(problem.rows(k).start, problem.rows(k).stop):
                for sign, constant, slope in ends:
                    if math.isinf(constant):
                        continue
                    row = np.zeros(problem.n)
                    row[i] = sign
                    if item.master >= 0:
                        row[item.master] -= sign * slope * w[item.master] / w[i]
                    rows.append(row)
                    self._b.append(sign * constant / w[i])
                    count += 1
        if count:
            cones.append(clarabel.NonnegativeConeT(count))

    def _cones(self, rows: list[Floats], cones: list[Any], clarabel: Any) -> None:
        """Add (radius, x) in the second-order cone for all balls."""
        problem, w = self.problem, self.weights
        for k, item in enumerate(problem.sets):
            if item.kind != BALL:
                continue
            first = problem.rows(k).start
            row = np.zeros(problem.n)
            if item.master >= 0:
                row[item.master] = -item.upper_1 * w[item.master] / w[first]
            rows.append(row)
            self._b.append(item.upper_0 / w[first])
            for i in range(first, problem.rows(k).stop):
                row = np.zeros(problem.n)
                row[i] = -1.0
                rows.append(row)
                self._b.append(0.0)
            cones.append(clarabel.SecondOrderConeT(1 + item.size))

    def solve(self, shift: Floats, x: Floats) -> Floats | None:
        """Return the multipliers for a shift; None if the program has no answer."""
        linear = self.weights * (self.problem.c + shift) + self.rest @ (x / self.weights)
        solver = self._clarabel.DefaultSolver(
            self._P, linear, self._A, np.array(self._b), self._cone_list, self._settings
        )
        answer = self.weights * np.array(solver.solve().x)
        return answer if np.isfinite(answer).all() else None


def iterate_programs(
    session: Session, program: ConeProgram, tolerance: float, limit: int
) -> tuple[Floats, float, int]:
    """Take the shift anew until Newton from the program's answer solves the friction problem.

    Returns the best multipliers, their residual and the number of programs solved. With strong
    friction the shift may jump to and fro: it is then moved by half, later by random parts.
    """
    problem = session.problem
    shift, x = np.zeros(problem.n), np.zeros(problem.n)
    best_x, best = x, math.inf
    rng = np.random.default_rng(0)
    for k in range(limit):
        answer = program.solve(shift, x)
        if answer is None:
            break
        x = answer
        gamma = problem.gamma(x)
        for guess, steps in ((x, 0), (x, 50)):
            session.set_guess(guess)
            value = session.residual() if steps == 0 else polish(session, guess, steps)
            if value < best:
                best_x, best = session.x, value
            if best <= tolerance:
                return best_x, best, k + 1
        part: Any = 1.0 if k < 5 else 0.5 if k < 15 else rng.uniform(0.1, 1.0, problem.n)
        shift = shift + part * (sliding_shift(problem, gamma) - shift)
    return best_x, best, limit


@dataclass(frozen=True, kw_only=True)
class InteriorPoint:
    """Cone programs by an interior-point method, a fixed point for the sliding shift. (T-12.8)"""

    tolerance: float = 1e-10
    max_programs: int = 60
    name: ClassVar[str] = "interior-point"

    def __post_init__(self) -> None:
        _check("InteriorPoint", self.tolerance, programs=self.max_programs)

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check; the first guess is not used."""
        begin = time.perf_counter()
        session = Session(problem, self.tolerance, x)
        program = ConeProgram(problem)
        answer, _, count = iterate_programs(session, program, self.tolerance, self.max_programs)
        session.set_guess(answer)
        session.scratch.iterations[0] = count
        return session.result(self.name, self.tolerance, time.perf_counter() - begin)
