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


class VelocityProgram:
    """The same convex program in velocities: min 1/2 |u|^2 with B^T u + c + s in the dual cones.

    B^T B = G by its eigenvalues. Costs more than the program in multipliers and is more accurate
    where masses differ by many decades, since small eigenvalues of G are not squared. Knows
    bilateral rows, unilateral rows and friction cones of a symmetric G only.
    """

    def __init__(self, problem: ContactProblem) -> None:
        import clarabel
        from scipy import sparse

        self.problem = problem
        self.weights = row_weights(problem)
        values, vectors = np.linalg.eigh(self.weights[:, None] * problem.G * self.weights)
        keep = values > 1e-13 * float(values.max())
        B = np.sqrt(values[keep])[:, None] * vectors[:, keep].T
        self._order: list[int] = []
        self._factor: list[float] = []
        cones = self._cones(clarabel)
        self._A = sparse.csc_matrix(-(B[:, self._order] * np.array(self._factor)).T)
        self._P = sparse.eye(int(keep.sum()), format="csc")
        self._cone_list = cones
        self._settings = clarabel.DefaultSettings()
        self._settings.verbose = False
        self._settings.max_iter = 200
        for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
            setattr(self._settings, name, 1e-13)
        self._clarabel = clarabel

    @staticmethod
    def knows(problem: ContactProblem) -> bool:
        """Return whether the program can be written for a problem."""
        if not np.array_equal(problem.G, problem.G.T):
            return False
        for group in problem.contacts():
            item = problem.sets[group[0]]
            bilateral = math.isinf(item.lower_0) and math.isinf(item.upper_0)
            if item.kind == BALL or len(group) > 2 or (bilateral and len(group) > 1):
                return False
            if not bilateral and (item.lower_0 != 0.0 or not math.isinf(item.upper_0)):
                return False
            for tied in (problem.sets[f] for f in group[1:]):
                if tied.upper_0 != 0.0 or tied.lower_0 != 0.0:
                    return False
                if tied.kind != BALL and (tied.size > 1 or tied.lower_1 != -tied.upper_1):
                    return False
        return True

    def _cones(self, clarabel: Any) -> list[Any]:
        """Order the rows by cones; rows without friction drop out."""
        zero: list[int] = []
        positive: list[int] = []
        balls: list[tuple[float, list[int]]] = []
        for group in self.problem.contacts():
            rows = list(range(self.problem.n))[self.problem.rows(group[0])]
            if math.isinf(self.problem.sets[group[0]].lower_0):
                zero += rows
            elif len(group) == 1 or self.problem.sets[group[1]].upper_1 == 0.0:
                positive += rows
            else:
                tied = list(range(self.problem.n))[self.problem.rows(group[1])]
                balls.append((self.problem.sets[group[1]].upper_1, rows + tied))
        self._order += zero + positive
        self._factor += [1.0] * len(self._order)
        cones = [clarabel.ZeroConeT(len(zero))] if zero else []
        cones += [clarabel.NonnegativeConeT(len(positive))] if positive else []
        for mu, rows in balls:
            self._order += rows
            self._factor += [1.0, *([mu] * (len(rows) - 1))]
            cones.append(clarabel.SecondOrderConeT(len(rows)))
        return cones

    def solve(self, shift: Floats, x: Floats) -> Floats | None:
        """Return the multipliers for a shift; None if the program has no answer."""
        factor = np.array(self._factor)
        free = (self.weights * (self.problem.c + shift))[self._order] * factor
        size = self._P.shape[0]
        solver = self._clarabel.DefaultSolver(
            self._P, np.zeros(size), self._A, free, self._cone_list, self._settings
        )
        answer = np.zeros(self.problem.n)
        answer[self._order] = np.array(solver.solve().z) * factor
        answer *= self.weights
        return answer if np.isfinite(answer).all() else None


class _Acceleration:
    """Anderson's mixing of the last few shifts. (T-12.8) [Anderson1965]"""

    def __init__(self, depth: int = 5) -> None:
        self._depth = depth
        self._shifts: list[Floats] = []
        self._changes: list[Floats] = []

    def advance(self, shift: Floats, mapped: Floats) -> Floats:
        """Return the next shift from the present one and its image."""
        self._shifts.append(shift)
        self._changes.append(mapped - shift)
        del self._shifts[: -self._depth], self._changes[: -self._depth]
        if len(self._shifts) == 1:
            return mapped
        dF = np.diff(np.array(self._changes), axis=0).T
        dX = np.diff(np.array(self._shifts), axis=0).T
        mix = np.linalg.lstsq(dF, self._changes[-1], rcond=1e-10)[0]
        return np.maximum(mapped - (dX + dF) @ mix, 0.0)


def iterate_programs(
    session: Session, program: ConeProgram | VelocityProgram, tolerance: float, limit: int
) -> tuple[Floats, float, int]:
    """Take the shift anew until Newton from the program's answer solves the friction problem.

    Returns the best multipliers, their residual and the number of programs solved. With strong
    friction the shift may jump to and fro or creep: it is mixed with earlier ones, in between moved
    by random parts.
    """
    problem = session.problem
    shift, x = np.zeros(problem.n), np.zeros(problem.n)
    best_x, best = x, math.inf
    rng = np.random.default_rng(0)
    mixing = _Acceleration()
    for k in range(limit):
        answer = program.solve(shift, x)
        if answer is None:
            break
        x = answer
        session.set_guess(x)
        for value in (session.residual(), polish(session, x, 50)):
            if value < best:
                best_x, best = (x if value != session.scratch.residual[0] else session.x), value
        if best <= tolerance:
            return best_x, best, k + 1
        mapped = sliding_shift(problem, problem.gamma(x))
        if k < 4:
            shift = mapped
        elif k % 15 == 14:
            shift = shift + rng.uniform(0.1, 1.0, problem.n) * (mapped - shift)
            mixing = _Acceleration()
        else:
            shift = mixing.advance(shift, mapped)
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
        half = max(self.max_programs // 2, 1)
        answer, best, count = iterate_programs(session, ConeProgram(problem), self.tolerance, half)
        if best > self.tolerance and VelocityProgram.knows(problem):
            program = VelocityProgram(problem)
            other, value, more = iterate_programs(session, program, self.tolerance, half)
            answer = other if value < best else answer
            count += more
        session.set_guess(answer)
        session.scratch.iterations[0] = count
        return session.result(self.name, self.tolerance, time.perf_counter() - begin)
