"""Solver objects that run compiled code."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from cornerlaw.arrays import solver_scratch as options
from cornerlaw.arrays.problem import SOLVED as CODE_SOLVED
from cornerlaw.arrays.solver_scratch import new_solver_scratch
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import UsageError
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.accelerated import solve_accelerated
from cornerlaw.kernels.complementarity.auto import solve_auto
from cornerlaw.kernels.complementarity.fischer_burmeister import solve_fischer_burmeister
from cornerlaw.kernels.complementarity.gauss_seidel import solve_gauss_seidel
from cornerlaw.kernels.complementarity.homotopy import solve_homotopy
from cornerlaw.kernels.complementarity.jacobi import solve_jacobi
from cornerlaw.kernels.complementarity.lemke import solve_lemke
from cornerlaw.kernels.complementarity.linear_form import has_linear_form
from cornerlaw.kernels.complementarity.newton import solve_newton
from cornerlaw.kernels.complementarity.pivoting import solve_pivoting
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.simulate.complementarity.result import (
    NOT_SOLVED,
    SOLVED,
    ContactResult,
    not_applicable,
)


def _check(name: str, tolerance: float, **counts: float) -> None:
    if not 0.0 < tolerance < 1.0:
        raise UsageError(f"{name} needs a tolerance between 0 and 1, not {tolerance}.")
    for key, value in counts.items():
        if not value > 0.0 or value == math.inf:
            raise UsageError(f"{name} needs a positive {key}, not {value}.")


class Session:
    """A problem with scratch, ready for several kernels in turn."""

    def __init__(self, problem: ContactProblem, tolerance: float, x: Floats) -> None:
        self.problem = problem
        self.arrays = problem.arrays()
        self.scratch = new_solver_scratch(problem.n)
        self.p = Bundle(self.arrays)
        self.s = Bundle(self.scratch)
        self.scratch.options[options.TOLERANCE] = tolerance
        self.scratch.options[options.V_REF] = problem.v_ref
        self.set_guess(x)

    def set_guess(self, x: Floats) -> None:
        """Start the next kernel from x."""
        self.arrays.x[: self.problem.n] = x

    @property
    def x(self) -> Floats:
        """Return a copy of the multipliers the last kernel left."""
        return self.arrays.x[: self.problem.n].copy()

    def run(self, kernel: Any) -> int:
        """Run a kernel and return its status."""
        return int(kernel(self.p, self.s))

    def residual(self) -> float:
        """Return the independent residual at the present x."""
        return float(residual(self.p, self.problem.v_ref))

    def result(self, name: str, tolerance: float, seconds: float) -> ContactResult:
        """Return the present x with its residual, whatever the kernel said about it."""
        value = self.residual()
        return ContactResult(
            SOLVED if value <= tolerance else NOT_SOLVED,
            self.x,
            self.arrays.gamma[: self.problem.n].copy(),
            value,
            int(self.scratch.iterations[0]),
            name,
            seconds,
        )


class CompiledSolver:
    """What all solvers of one kernel have in common; a run can be given one."""

    tolerance: float
    name: ClassVar[Any]
    PLANE_ONLY: ClassVar[bool] = False  # knows no friction in two directions

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        raise NotImplementedError

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places, those of its limits."""
        raise NotImplementedError

    def write_options(self, target: Floats) -> None:
        """Write tolerance and settings to the options of a scratch."""
        target[options.TOLERANCE] = self.tolerance
        for place, value in self.settings.items():
            target[place] = value

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check."""
        session = Session(problem, self.tolerance, x)
        self.write_options(session.scratch.options)
        begin = time.perf_counter()
        session.run(self.kernel)
        return session.result(self.name, self.tolerance, time.perf_counter() - begin)


@dataclass(frozen=True, kw_only=True)
class GaussSeidel(CompiledSolver):
    """Projected Gauss-Seidel, contact by contact, each with its own r. (T-12.1)"""

    tolerance: float = 1e-10
    max_sweeps: int = 10_000
    relaxation: float = 1.0
    name: ClassVar[str] = "gauss-seidel"

    def __post_init__(self) -> None:
        _check("GaussSeidel", self.tolerance, sweeps=self.max_sweeps, relaxation=self.relaxation)

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        return solve_gauss_seidel

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places."""
        return {options.MAX_SWEEPS: self.max_sweeps, options.RELAXATION: self.relaxation}


@dataclass(frozen=True, kw_only=True)
class Jacobi(CompiledSolver):
    """Projected Jacobi: all rows move at once. (T-12.2)"""

    tolerance: float = 1e-10
    max_sweeps: int = 50_000
    relaxation: float = 1.0
    name: ClassVar[str] = "jacobi"

    def __post_init__(self) -> None:
        _check("Jacobi", self.tolerance, sweeps=self.max_sweeps, relaxation=self.relaxation)

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        return solve_jacobi

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places."""
        return {options.MAX_SWEEPS: self.max_sweeps, options.RELAXATION: self.relaxation}


@dataclass(frozen=True, kw_only=True)
class AcceleratedGradient(CompiledSolver):
    """Accelerated projected gradient with restart. (T-12.3)"""

    tolerance: float = 1e-10
    max_sweeps: int = 20_000
    name: ClassVar[str] = "accelerated-gradient"

    def __post_init__(self) -> None:
        _check("AcceleratedGradient", self.tolerance, sweeps=self.max_sweeps)

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        return solve_accelerated

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places."""
        return {options.MAX_SWEEPS: float(self.max_sweeps)}


_NEWTON = {
    "alart-curnier": solve_newton,
    "fischer-burmeister": solve_fischer_burmeister,
    "homotopy": solve_homotopy,
}


@dataclass(frozen=True, kw_only=True)
class SemismoothNewton(CompiledSolver):
    """Semismooth Newton with line search, on prox equations or along smoothed paths.

    variant "alart-curnier" starts at the first guess (T-12.7); the others need none:
    "fischer-burmeister" follows the central path of the friction cones (T-12.9), "homotopy" the
    path of rounded laws by its arc length (T-12.17).
    """

    variant: str = "alart-curnier"
    tolerance: float = 1e-10
    max_iterations: int = 100

    def __post_init__(self) -> None:
        _check("SemismoothNewton", self.tolerance, iterations=self.max_iterations)
        if self.variant not in _NEWTON:
            raise UsageError(
                f'SemismoothNewton has the variants "alart-curnier", "fischer-burmeister" and '
                f'"homotopy", not "{self.variant}".'
            )

    @property
    def name(self) -> str:
        """Return the name shown in tables."""
        return f"newton ({self.variant})"

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        return _NEWTON[self.variant]

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places."""
        return {options.MAX_NEWTON: float(self.max_iterations)}


@dataclass(frozen=True, kw_only=True)
class Lemke(CompiledSolver):
    """Lemke's method with lexicographic ties on the linear form of plane sets. (T-12.12)"""

    tolerance: float = 1e-10
    max_pivots: int = 20
    PLANE_ONLY: ClassVar[bool] = True
    name: ClassVar[str] = "lemke"

    def __post_init__(self) -> None:
        _check("Lemke", self.tolerance, pivots=self.max_pivots)

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        return solve_lemke

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places."""
        return {options.MAX_PIVOTS: float(self.max_pivots)}

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check."""
        if not has_linear_form(Bundle(problem.arrays())):
            return not_applicable(problem, x, self.name)
        return super().run(problem, x)


@dataclass(frozen=True, kw_only=True)
class Pivoting(CompiledSolver):
    """Block principal pivoting on the index sets of plane problems. (T-12.5)"""

    tolerance: float = 1e-10
    max_pivots: int = 20
    PLANE_ONLY: ClassVar[bool] = True
    name: ClassVar[str] = "pivoting"

    def __post_init__(self) -> None:
        _check("Pivoting", self.tolerance, pivots=self.max_pivots)

    @property
    def kernel(self) -> Any:
        """Return the kernel that solves the problem in its arrays."""
        return solve_pivoting

    @property
    def settings(self) -> dict[int, float]:
        """Return the options of the kernel by their places."""
        return {options.MAX_PIVOTS: float(self.max_pivots)}

    def run(self, problem: ContactProblem, x: Floats) -> ContactResult:
        """Solve and check."""
        if not problem.is_plane:
            return not_applicable(problem, x, self.name)
        return super().run(problem, x)


def run_cascade(session: Session, accepted: float) -> bool:
    """Run the compiled cascade without its homotopies; return whether it solved the problem."""
    session.scratch.options[options.ACCEPTED] = accepted
    session.scratch.options[options.MAX_PATHS] = 0
    return session.run(solve_auto) == CODE_SOLVED


def run_homotopies(session: Session, count: int) -> float:
    """Follow up to `count` paths to the solution; return the residual they reach."""
    session.scratch.options[options.MAX_PATHS] = count
    session.run(solve_homotopy)
    return float(session.scratch.residual[0])


def polish(session: Session, x: Floats, steps: int = 50) -> float:
    """Run Newton on prox equations from x; return the residual it reaches."""
    session.set_guess(x)
    session.scratch.options[options.MAX_NEWTON] = steps
    session.run(solve_newton)
    return float(session.scratch.residual[0])
