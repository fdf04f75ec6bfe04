"""What a solver returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cornerlaw.arrays.state import Floats
from cornerlaw.problems.problem import ContactProblem

if TYPE_CHECKING:
    from cornerlaw.simulate.complementarity.certificate import InfeasibilityCertificate

SOLVED = "solved"
NOT_SOLVED = "not solved"
INFEASIBLE = "infeasible"
NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class ContactResult:
    """The answer of a solver with the residual that independent code found for it.

    status: "solved" (residual within tolerance), "not solved", "infeasible" (with a certificate)
    or "not applicable" (the solver does not know such sets).
    """

    status: str
    x: Floats
    gamma: Floats
    residual: float
    iterations: int
    solver: str
    seconds: float = 0.0
    certificate: InfeasibilityCertificate | None = None

    @property
    def solved(self) -> bool:
        """Return whether the problem was solved."""
        return self.status == SOLVED

    def __repr__(self) -> str:
        return (
            f"ContactResult({self.status}, solver={self.solver}, residual={self.residual:.1e}, "
            f"iterations={self.iterations})"
        )


class Solver(Protocol):
    """A solver object: its name, and a method that solves a problem from a first guess."""

    @property
    def name(self) -> str:
        """Return the name shown in tables."""

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check."""


def not_applicable(problem: ContactProblem, x: Floats, solver: str) -> ContactResult:
    """Return the answer of a solver that does not know the sets of a problem."""
    return ContactResult(NOT_APPLICABLE, x.copy(), problem.gamma(x), math.inf, 0, solver)
