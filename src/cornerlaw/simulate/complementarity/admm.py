"""Alternating directions: a linear solve and a projection onto the cones in turn."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.simulate.complementarity.compiled import Session, _check, polish
from cornerlaw.simulate.complementarity.convex_form import row_weights, sliding_shift
from cornerlaw.simulate.complementarity.result import ContactResult


class ConeProjection:
    """Projection onto the product of sets, a load and its Coulomb friction taken as one cone."""

    def __init__(self, problem: ContactProblem) -> None:
        self.problem = problem
        self.cones: list[tuple[int, slice, float]] = []
        self.plain: list[int] = []
        for group in problem.contacts():
            if len(group) == 2 and self._is_cone(group[0], group[1]):
                normal = problem.starts[group[0]]
                tied = problem.sets[group[1]]
                self.cones.append((normal, problem.rows(group[1]), tied.upper_1))
            else:
                self.plain += group

    def _is_cone(self, k: int, f: int) -> bool:
        load, tied = self.problem.sets[k], self.problem.sets[f]
        if load.lower_0 != 0.0 or not math.isinf(load.upper_0) or tied.upper_0 != 0.0:
            return False
        return tied.kind == BALL or (
            tied.size == 1 and tied.lower_0 == 0.0 and tied.lower_1 == -tied.upper_1
        )

    def __call__(self, x: Floats) -> Floats:
        """Return the point of the sets nearest to x. (T-11.6)"""
        out = x.copy()
        for normal, rows, mu in self.cones:
            load, length = float(x[normal]), float(np.linalg.norm(x[rows]))
            if length <= mu * load:
                continue
            if mu * length <= -load:
                out[normal] = 0.0
                out[rows] = 0.0
            else:
                share = (load + mu * length) / (1.0 + mu * mu)
                out[normal] = share
                out[rows] = x[rows] * (mu * share / length)
        for k in self.plain:
            lower, upper = self.problem.bounds(k, out)
            rows = self.problem.rows(k)
            if self.problem.sets[k].kind == BALL:
                length = float(np.linalg.norm(x[rows]))
                if length > upper:
                    out[rows] = x[rows] * (upper / length)
            else:
                out[rows] = np.clip(x[rows], lower, upper)
        return out


@dataclass(frozen=True, kw_only=True)
class ADMM:
    """Alternating direction method of multipliers with the sliding shift taken anew. (T-12.10)"""

    tolerance: float = 1e-10
    max_iterations: int = 2000
    name: ClassVar[str] = "admm"

    def __post_init__(self) -> None:
        _check("ADMM", self.tolerance, iterations=self.max_iterations)

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check."""
        begin = time.perf_counter()
        session = Session(problem, self.tolerance, x)
        weights = row_weights(problem)
        project = ConeProjection(problem)
        scaled = weights[:, None] * problem.G * weights
        identity = np.eye(problem.n)
        rho = 0.1
        inverse = np.linalg.inv(scaled + rho * identity)
        z, dual = x / weights, np.zeros(problem.n)
        best_x, best = x.copy(), math.inf
        for k in range(1, self.max_iterations + 1):
            shift = sliding_shift(problem, problem.gamma(weights * z))
            y = inverse @ (rho * (z - dual) - weights * (problem.c + shift))
            old = z
            z = project(weights * (1.6 * y + (1.0 - 1.6) * old + dual)) / weights
            dual = dual + 1.6 * y + (1.0 - 1.6) * old - z
            if k % 25 == 0:
                for guess in (weights * z, None):
                    if guess is None:
                        value = polish(session, weights * z, 20)
                    else:
                        session.set_guess(guess)
                        value = session.residual()
                    if value < best:
                        best_x, best = session.x, value
                if best <= self.tolerance:
                    break
                primal = float(np.linalg.norm(y - z))
                change = rho * float(np.linalg.norm(z - old))
                factor = 3.0 if primal > 5.0 * change else 1 / 3.0 if change > 5.0 * primal else 1.0
                if factor != 1.0 and 1e-6 < rho * factor < 1e4:
                    rho *= factor
                    dual /= factor
                    inverse = np.linalg.inv(scaled + rho * identity)
        session.set_guess(best_x)
        session.scratch.iterations[0] = k
        return session.result(self.name, self.tolerance, time.perf_counter() - begin)
