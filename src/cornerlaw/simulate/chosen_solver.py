"""A solver of contact problems that the user has chosen for a run, in place of the cascade.

Compiled solvers take the address that the loop calls, others are called in the interpreter. What
they answer is measured as ever, and there is no other solver behind them: a problem that they leave
is an unsolved one. (T-12.14)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.errors import CornerlawError, UsageError
from cornerlaw.problems import ContactProblem
from cornerlaw.simulate.last_resort import Outside

if TYPE_CHECKING:
    from cornerlaw.arrays.corner_work import CornerWork
    from cornerlaw.arrays.model_arrays import ModelArrays
    from cornerlaw.arrays.workspace import Workspace
    from cornerlaw.compile import Compiled


def check_solver(owner: str, solver: Any) -> None:
    """Refuse what is no solver."""
    run = None if isinstance(solver, type) else getattr(solver, "run", None)
    if solver is not None and not callable(run):
        raise UsageError(f"{owner}: solver must be an object such as Lemke(), got {solver!r}.")


def is_cascade(solver: Any) -> bool:
    """Tell whether a run picks its solvers itself."""
    return solver is None or getattr(solver, "name", "") == "auto"


def set_tolerances(solver: Any, work: Workspace) -> None:
    """Let the cascade of a run stop where an Auto(...) of the user does."""
    options = work.k.solver.options
    options[TOLERANCE], options[ACCEPTED] = solver.tolerance, solver.accepted


class Interpreted(Outside):
    """A solver of the interpreter in the place of a compiled one."""

    def __init__(self, work: CornerWork, solver: Any) -> None:
        super().__init__(work)
        self.solver = solver

    def _solve(self) -> int:
        p, s = self.work.problem, self.work.solver
        n = int(p.n[0])
        problem = ContactProblem.from_arrays(p, v_ref=float(s.options[V_REF]))
        try:
            answer = self.solver.run(problem, p.x[:n].copy())
        except CornerlawError as error:
            self.interrupt = error  # what the solver says of itself is for the user
            return NOT_SOLVED
        x = np.array(answer.x, dtype=float)
        residual = float(problem.residual(x)) if x.shape == (n,) else np.inf
        if not np.isfinite(residual):
            # no answer: the guess stays, with the velocities that belong to it
            s.residual[0], p.gamma[:n] = np.inf, problem.gamma(p.x[:n])
            return NOT_SOLVED
        p.x[:n], p.gamma[:n] = x, problem.gamma(x)
        s.residual[0], s.iterations[0] = residual, answer.iterations
        return SOLVED if residual <= s.options[TOLERANCE] else NOT_SOLVED


class ChosenSolver:
    """The solver of a run, with what it needs to be called from the compiled loop."""

    def __init__(self, solver: Any, compiled: Compiled) -> None:
        self.solver = solver
        self.outside: Interpreted | None = None
        wide = np.flatnonzero(compiled.arrays.corners.n_T > 1)
        if wide.size and getattr(solver, "PLANE_ONLY", False):
            c = int(wide[0])
            # pooled contacts have no name of their own
            known = c < len(compiled.corners)
            label = f"'{compiled.corners[c].label}'" if known else "a contact"
            raise UsageError(
                f"{type(solver).__name__} knows the sets of plane problems only, and {label} has "
                f"friction in more than one direction; use GaussSeidel() or SemismoothNewton(), or "
                f"leave solver out"
            )

    def bind(self, arrays: ModelArrays, work: Workspace) -> ModelArrays:
        """Return the arrays with this solver in place of the quick one, and of that for many."""
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.kernels.late import address_of
        from cornerlaw.simulate.complementarity.compiled import CompiledSolver

        options = work.k.solver.options
        if isinstance(self.solver, CompiledSolver):
            self.solver.write_options(options)
            kinds = [Bundle(x)._numba_type for x in (work.k.problem, work.k.solver)]
            address = address_of(self.solver.kernel, tuple(kinds))
        else:
            options[TOLERANCE] = float(getattr(self.solver, "tolerance", options[TOLERANCE]))
            self.outside = Interpreted(work.k, self.solver)
            address = self.outside.address
        options[ACCEPTED] = options[TOLERANCE]
        return arrays._replace(stages=arrays.stages._replace(solve=address, solve_large=0))

    def unsolved(self, work: CornerWork) -> tuple[str, float, ContactProblem, Any]:
        """Return name, residual, problem and answer where this solver has failed."""
        p, s = work.problem, work.solver
        problem = ContactProblem.from_arrays(p, v_ref=float(s.options[V_REF]))
        return type(self.solver).__name__, float(s.residual[0]), problem, p.x[: problem.n].copy()
