"""The last resort of a run: solvers outside the compiled loop, and a file of what they fail at.

The compiled loop calls its solver through an address. Where the compiled cascade fails, this
address is that of a function of the interpreter for a while, and the loop goes on with what cone
programs, growing friction, restarts or ADMM find. What nobody solves is written to a file that
`cornerlaw replay` reads. (T-12.14)
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, TOLERANCE, V_REF
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import CornerlawError
from cornerlaw.problems import ContactProblem

if TYPE_CHECKING:
    from cornerlaw.arrays.corner_work import CornerWork
    from cornerlaw.simulate.complementarity import ContactResult

FOLDER = "CORNERLAW_PROBLEM_DIR"  # where problems are written, the current folder unless set

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64)
_compiled: list[Any] = []  # machine code in use must never be collected


class Outside:
    """A solver of the problem in the arrays of a run that works in the interpreter."""

    def __init__(self, work: CornerWork) -> None:
        self.work = work
        self.interrupt: BaseException | None = None
        self._address = 0

    @property
    def address(self) -> int:
        """The address of the solver for the compiled loop; made when first asked for."""
        if not self._address:
            import numba

            from cornerlaw.kernels.bundle import Bundle
            from cornerlaw.kernels.late import address_of

            answer = _ENTRY(self._answer)

            def solve(p: Any, s: Any) -> Any:
                return answer()

            # not a kernel: the address of `answer` is that of this process, nothing is cached
            compiled = numba.njit(solve)
            kinds = [Bundle(x)._numba_type for x in (self.work.problem, self.work.solver)]
            self._address = address_of(compiled, tuple(kinds))
            _compiled.append((answer, compiled))
        return self._address

    def raise_interrupt(self) -> None:
        """Pass on what ended a solver, such as Ctrl-C."""
        error, self.interrupt = self.interrupt, None
        if error is not None:
            raise error

    def _answer(self) -> int:
        """Solve the problem at hand; no exception may reach the compiled loop."""
        try:
            return self._solve()
        except CornerlawError:
            return NOT_SOLVED  # the problem itself is not made of finite numbers
        except BaseException as error:
            self.interrupt = error
            return NOT_SOLVED

    def _solve(self) -> int:
        """Solve the problem at hand and return its status."""
        raise NotImplementedError


class LastResort(Outside):
    """A solver that asks all solvers there are."""

    def __init__(self, work: CornerWork) -> None:
        super().__init__(work)
        self.count = 0  # problems solved here
        self.problem: ContactProblem | None = None  # the last one that nobody solved
        self.result: ContactResult | None = None  # what became of it
        self.guess: Floats = np.zeros(0)

    def _solve(self) -> int:
        from cornerlaw.kernels.bundle import Bundle
        from cornerlaw.kernels.complementarity.auto import solve_auto
        from cornerlaw.simulate.complementarity import Auto

        p, s = self.work.problem, self.work.solver
        n = int(p.n[0])
        guess = p.x[:n].copy()
        if int(solve_auto(Bundle(p), Bundle(s))) == SOLVED:
            return SOLVED
        problem = ContactProblem.from_arrays(p, v_ref=float(s.options[V_REF]))
        accepted = float(s.options[ACCEPTED])
        solver = Auto(tolerance=float(s.options[TOLERANCE]), accepted=accepted)
        result = solver.run(problem, p.x[:n].copy())
        residual = float(problem.residual(result.x))
        if residual <= accepted or residual < s.residual[0]:
            # a run that accepts what stays unsolved goes on with the best there is
            p.x[:n], p.gamma[:n] = result.x, problem.gamma(result.x)
            s.residual[0], s.iterations[0] = residual, result.iterations
        if residual > accepted:
            self.problem, self.result, self.guess = problem, result, guess
            return NOT_SOLVED
        self.count += 1
        return SOLVED


def save_problem(problem: ContactProblem, guess: Floats) -> Path:
    """Write a problem under a name made of its contents and return the path.

    The folder is the current one, or that in the environment variable CORNERLAW_PROBLEM_DIR. A file
    of that name holds the same problem and is left alone.
    """
    digest = hashlib.sha256()
    for array in (problem.G, problem.c, guess):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(problem.sets).encode())
    folder = Path(os.environ.get(FOLDER) or ".")
    path = folder / f"contact-problem-{digest.hexdigest()[:12]}.h5"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        problem.save(path, x=guess)
    return path
