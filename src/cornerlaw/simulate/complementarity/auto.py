"""The default solver: the compiled cascade, then cone programs, with certificates in between."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.errors import ModelError, UsageError
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.simulate.complementarity.admm import ADMM
from cornerlaw.simulate.complementarity.certificate import (
    InfeasibilityCertificate,
    find_certificate,
)
from cornerlaw.simulate.complementarity.compiled import Session, _check, run_cascade, run_homotopies
from cornerlaw.simulate.complementarity.enumeration import count_index_sets, enumerate_solutions
from cornerlaw.simulate.complementarity.interior_point import (
    ConeProgram,
    VelocityProgram,
    iterate_programs,
)
from cornerlaw.simulate.complementarity.result import (
    INFEASIBLE,
    SOLVED,
    ContactResult,
    Solver,
)
from cornerlaw.simulate.complementarity.sectors import is_splittable, split_directions

MAX_ENUMERATED = 1000  # index sets tried where the cascade fails


@dataclass(frozen=True, kw_only=True)
class Auto:
    """Pick a solver and fall back by itself.

    The compiled cascade (Newton, Gauss-Seidel, Lemke, smoothed paths) aims at `tolerance`. Where it
    ends above `accepted`, a certificate that no solution exists is looked for; small plane problems
    are then enumerated, for others homotopies, cone programs, growing friction, restarts from
    random points and ADMM follow, and at last the directions of sliding are split until none or one
    is left. A residual below `accepted` counts as solved. (T-12.14)
    """

    tolerance: float = 1e-10
    accepted: float = 1e-8
    max_programs: int = 60
    restarts: int = 10
    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        _check("Auto", self.tolerance, accepted=self.accepted, programs=self.max_programs)
        if self.accepted < self.tolerance:
            raise UsageError("Auto cannot accept less than its tolerance.")

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check."""
        begin = time.perf_counter()
        # a trial that overflows is a failed trial; what comes back is checked
        with np.errstate(over="ignore", invalid="ignore"):
            answer, certificate, rounds = self._search(problem, x)
        session = Session(problem, self.tolerance, answer)
        session.scratch.iterations[0] = rounds
        result = session.result(self.name, self.accepted, time.perf_counter() - begin)
        if certificate is not None and result.status != SOLVED:
            result = replace(result, status=INFEASIBLE, certificate=certificate)
        return result

    def _search(
        self, problem: ContactProblem, x: Floats
    ) -> tuple[Floats, InfeasibilityCertificate | None, int]:
        """Return the best multipliers, a certificate if any, and rounds used."""
        # half of it, so that a residual rounded otherwise is below the tolerance too
        session = Session(problem, 0.5 * self.tolerance, x)
        run_cascade(session, self.accepted)
        answer, best = session.x, session.residual()
        if best <= self.tolerance:
            return answer, None, 1
        if best > self.accepted:
            certificate = find_certificate(problem)
            if certificate is not None:
                return answer, certificate, 2
            if problem.is_plane and count_index_sets(problem) <= MAX_ENUMERATED:
                return self._enumerate(problem, answer, 2)
        rounds = 2
        # what is good enough already gets a little more effort, not all of it
        effort = 1.0 if best > self.accepted else 0.1
        stages = (self._follow, self._programs, self._strengthen, self._restart, self._alternate)
        for propose in stages:
            if propose in (self._strengthen, self._alternate) and best <= self.accepted:
                continue
            other, value, count = propose(problem, session, answer, effort)
            rounds += count
            if value < best:
                answer, best = other, value
            if best <= self.tolerance:
                return answer, None, rounds
        if best > self.accepted and is_splittable(problem):
            return self._split(problem, session, answer, rounds + 1)
        return answer, None, rounds

    def _split(
        self, problem: ContactProblem, session: Session, x: Floats, rounds: int
    ) -> tuple[Floats, InfeasibilityCertificate | None, int]:
        """Exclude all directions of sliding, or begin once more where one cannot be excluded."""
        found = split_directions(problem)
        if found.excluded:
            proof = InfeasibilityCertificate(
                "sectors", np.zeros(problem.n), radius=found.radius, index_sets=found.programs
            )
            return x, proof, rounds
        if found.x is None:
            return x, None, rounds
        session.set_guess(found.x)
        run_cascade(session, self.accepted)
        better = session.residual() < float(problem.residual(x))
        return session.x if better else x, None, rounds + 1

    def _follow(
        self, problem: ContactProblem, session: Session, x: Floats, effort: float
    ) -> tuple[Floats, float, int]:
        """Follow homotopies from problems with one solution."""
        count = math.ceil(6 * effort)
        value = run_homotopies(session, count)
        return session.x, value, count

    def _programs(
        self, problem: ContactProblem, session: Session, x: Floats, effort: float
    ) -> tuple[Floats, float, int]:
        """Solve cone programs with the sliding shift taken anew."""
        limit = math.ceil(effort * self.max_programs)
        few = math.ceil(limit / 6)
        first = iterate_programs(session, ConeProgram(problem), self.tolerance, few, self.accepted)
        if first[1] <= self.tolerance or not VelocityProgram.knows(problem):
            return first
        other = iterate_programs(
            session, VelocityProgram(problem), self.tolerance, limit - few, self.accepted
        )
        return min(first, other, key=lambda item: item[1])

    def _strengthen(
        self, problem: ContactProblem, session: Session, x: Floats, effort: float
    ) -> tuple[Floats, float, int]:
        """Follow the solution from no friction to full friction in steps of several lengths."""
        best_x, best = x, math.inf
        rng = np.random.default_rng(2)
        for trial, step in enumerate((0.25, 0.1, 0.05, 0.03)):
            present, share = np.zeros(problem.n), 0.0
            while share < 1.0:
                share = min(1.0, share + step * rng.uniform(0.5, 1.5))
                weaker = Session(_with_friction(problem, share), self.tolerance, present)
                run_cascade(weaker, self.accepted)
                present = weaker.x
            value = weaker.residual()
            if value < best:
                best_x, best = present, value
            if best <= self.accepted:
                return best_x, best, trial + 1
        return best_x, best, 4

    def _restart(
        self, problem: ContactProblem, session: Session, x: Floats, effort: float
    ) -> tuple[Floats, float, int]:
        """Run the cascade from random points around the best one."""
        rng = np.random.default_rng(1)
        best_x, best = x, math.inf
        limit = math.ceil(effort * self.restarts)
        for k in range(limit):
            spread = 10.0 ** rng.uniform(-3.0, 0.0) * float(np.abs(x).max(initial=0.0))
            session.set_guess(x + spread * rng.standard_normal(problem.n))
            run_cascade(session, self.accepted)
            value = session.residual()
            if value < best:
                best_x, best = session.x, value
            if best <= self.tolerance:
                return best_x, best, k + 1
        return best_x, best, limit

    def _alternate(
        self, problem: ContactProblem, session: Session, x: Floats, effort: float
    ) -> tuple[Floats, float, int]:
        """Run ADMM from the best point."""
        result = ADMM(tolerance=self.tolerance).run(problem, x)
        return result.x, result.residual, 1

    def _enumerate(
        self, problem: ContactProblem, x: Floats, rounds: int
    ) -> tuple[Floats, InfeasibilityCertificate | None, int]:
        """Try all index sets of a small problem: a solution, or a proof that there is none."""
        found = enumerate_solutions(problem, tolerance=self.accepted)
        if found:
            chosen = min(found, key=lambda item: float(problem.residual(item.x)))
            return chosen.x, None, rounds + 1
        proof = InfeasibilityCertificate(
            "enumeration", np.zeros(problem.n), index_sets=count_index_sets(problem)
        )
        return x, proof, rounds + 1


def _with_friction(problem: ContactProblem, share: float) -> ContactProblem:
    """Return a problem in which the slopes of all bounds are a share of what they were."""
    items = [
        replace(item, lower_1=share * item.lower_1, upper_1=share * item.upper_1)
        for item in problem.sets
    ]
    return ContactProblem(problem.G, problem.c, items, v_ref=problem.v_ref)


def solve_problem(problem: ContactProblem, solver: Any = "auto", x: Any = None) -> ContactResult:
    """Solve a problem by a solver object or "auto" from the first guess x."""
    if isinstance(solver, str):
        if solver != "auto":
            raise UsageError(f'There is no solver "{solver}"; say "auto" or give a solver object.')
        solver = Auto()
    if not hasattr(solver, "run"):
        raise UsageError(f"{solver!r} is not a solver object such as cl.Lemke().")
    guess = np.zeros(problem.n) if x is None else np.array(x, dtype=float)
    if guess.shape != (problem.n,) or not np.isfinite(guess).all():
        raise ModelError(f"The first guess must have {problem.n} finite numbers.")
    chosen: Solver = solver
    return chosen.run(problem, guess)
