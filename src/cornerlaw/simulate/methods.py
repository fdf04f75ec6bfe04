"""Methods of smooth time integration: what a user chooses, and how a run calls the compiled driver.

    runner = method.prepare(m)                         # imports the compiled driver
    state = new_state(m.nq, m.nu, m.nx, memory=runner.memory_size)
    output = new_output(m, capacity, t_eval=times)     # or every=k
    status = runner.run(m, w, state, record, counters, t_end, output, max_steps)

`m` and `w` are bundles. `run` returns after at most `max_steps` accepted steps with PAUSED, with
BUFFER_FULL when a row finds no room in the record (empty it, set record.n[0] = 0, call again), with
STOPPED at a terminal indicator (its index in output.stopped[0]; a further call goes on behind it),
with DONE at t_end, or with a failure, the state then being that of the last accepted step. However
it is cut into calls, a run gives the same numbers bit by bit. Whoever changes the state, an input
or a parameter between two calls calls `runner.restart(state)`, since the state's memory holds rates
and history.
"""

import math
import numbers
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.arrays.state import Counters, Floats, Record, State
from cornerlaw.arrays.workspace import Workspace
from cornerlaw.errors import UsageError
from cornerlaw.kernels.integrators.layout import (
    ECHO,
    HEAD,
    LINEAR_LAWS,
    T_A,
    USER_INDICATORS,
    NewtonScratch,
    Output,
    Run,
    Scratch,
    Shape,
    count,
    memory_size,
    new_newton_scratch,
    new_output,
    new_scratch,
    view_memory,
)
from cornerlaw.kernels.integrators.tableaus import (
    RadauTableau,
    Tableau,
    classical_4,
    dormand_prince_5,
    dormand_prince_8,
    no_radau,
    no_tableau,
    radau_5,
)
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.quantity import Where, show, strip_unit

__all__ = [
    "GeneralisedAlpha",
    "Method",
    "Output",
    "Radau",
    "Runner",
    "RungeKutta4",
    "RungeKutta5",
    "RungeKutta8",
    "SemiImplicitEuler",
    "new_output",
]

# below this the estimate of the error consists of rounding
_SMALLEST_RTOL = 1e-14


class Method(Protocol):
    """What `simulate` needs of a method."""

    order: ClassVar[int]

    def prepare(self, m: ModelArrays) -> "Runner":
        """Load the compiled driver and allocate its arrays for a model."""
        ...


# place in Scratch.address, kernel, types of its arguments behind the run
Piece = tuple[int, Any, tuple[Any, ...]]


class LastStep(NamedTuple):
    """Both ends of a step, and the indicators behind the crossings found in it."""

    t_begin: float
    t_end: float
    y_begin: Floats  # (q, u, x)
    y_end: Floats
    g: Floats

    def beyond(self, share: float) -> tuple[float, Floats]:
        """Return time and state a share of the step behind its end, on a straight line."""
        t, y = self.t_end - self.t_begin, self.y_end - self.y_begin
        return self.t_end + share * t, self.y_end + share * y


class Runner:
    """A compiled driver with its coefficients, options and scratch arrays."""

    def __init__(
        self,
        driver: Callable[..., int],
        options: Floats,
        *,
        tableau: Tableau | None = None,
        radau: RadauTableau | None = None,
        pieces: tuple[Piece, ...] = (),
        law: int = -1,
    ) -> None:
        self._driver = driver
        self._pieces = pieces
        self._law = law
        self._options = options
        self._tableau = no_tableau() if tableau is None else tableau
        self._radau = no_radau() if radau is None else radau
        self._shape = Shape()
        self._scratch: tuple[Scratch, NewtonScratch] | None = None
        self._bound: tuple[Any, ...] = ()
        self._run: Any = None
        self.memory_size = 0

    def allocate(self, m: ModelArrays, shape: Shape | None = None) -> None:
        """Allocate the scratch arrays for a model and set `memory_size`, that of State.memory."""
        self._shape = self._shape if shape is None else shape
        self._scratch = new_scratch(m, self._shape), new_newton_scratch(self._shape)
        self.memory_size = memory_size(m, self._shape)
        self._bound = ()

    @property
    def options(self) -> Floats:
        """The options of the driver, which it reads at every step."""
        return self._options

    @property
    def driver(self) -> Any:
        """The compiled function behind `run`."""
        return self._driver

    def restart(self, state: State, echoes: Sequence[int] = ()) -> None:
        """Forget the history of a state that was changed from outside; the step size is kept.

        Indicators among `echoes` have just been handled: their sign at the state is rounding.
        """
        state.memory[:] = 0.0
        if echoes:
            start = HEAD + state.q.size + state.u.size + state.x.size
            state.memory[start + np.array(echoes)] = ECHO

    def last_step(self, m: ModelArrays, state: State) -> LastStep:
        """Return the last step as it was taken, before a stop within it has cut it short."""
        if self._scratch is None:
            raise UsageError("no step was taken yet")
        s, memory = self._scratch[0], view_memory(m, self._shape, state.memory)
        ends = memory.dense[0].copy(), s.y_new.copy()
        return LastStep(float(memory.head[T_A]), float(s.step[0]), *ends, s.g_new.copy())

    def run(
        self,
        m: ModelArrays,
        w: Workspace,
        state: State,
        record: Record,
        counters: Counters,
        t_end: float,
        output: Output,
        max_steps: int,
    ) -> int:
        """Advance the state towards t_end, store rows in the record and return a status code."""
        if output.progress[2] == 0 and output.t_eval.size > 0 and output.t_eval[0] < state.t[0]:
            raise UsageError(
                f"The first output time t_eval[0] = {output.t_eval[0]:g} s lies before the start "
                f"of the run at t = {state.t[0]:g} s; leave out earlier times."
            )
        self._bind(m, w, state, record, counters, output)
        return int(self._driver(self._run, float(t_end), int(max_steps)))

    def jobs(self, *parts: Any) -> list[Any]:
        """Return kernels and types of the driver and its pieces, for the parts of a run.

        The driver comes first; parts are all arguments of `run` but times.
        """
        from numba import types

        from cornerlaw.kernels.integrators.addresses import law_jobs, model_jobs, piece_jobs

        m, w = parts[:2]
        run = self._bundle(*parts)
        return [
            (self._driver, (run._numba_type, types.float64, types.int64)),
            *piece_jobs(self._pieces, run),
            *law_jobs(self._law, w),
            *model_jobs(m, w),
        ]

    def _bundle(self, *parts: Any) -> Any:
        """Return the arrays of the run in one bundle."""
        from cornerlaw.kernels.bundle import Bundle

        m, w, state, record, counters, output = parts
        if state.memory.size != self.memory_size or self._scratch is None:
            raise UsageError(
                f"The state carries {state.memory.size} numbers of history where this method needs "
                f"{self.memory_size}; start it from positions and velocities alone."
            )
        memory = view_memory(m, self._shape, state.memory)
        method = (*self._scratch, self._tableau, self._radau, self._options)
        return Bundle(Run(m, w, *method, memory, state, record, counters, output))

    def _bind(self, *parts: Any) -> None:
        """Collect the arrays of the run in one bundle; the same parts are bound only once."""
        if len(parts) == len(self._bound) and all(map(operator.is_, parts, self._bound)):
            return
        from cornerlaw.kernels.integrators.addresses import (
            bind_law,
            bind_linear_laws,
            bind_model,
            bind_pieces,
            bind_user_indicators,
        )

        m, w = parts[:2]
        self._run = self._bundle(*parts)
        s = self._run.s
        s.address[:2] = bind_model(m, w)
        s.address[USER_INDICATORS] = bind_user_indicators(m, w)
        if self._run.newton.E_real.size:  # an implicit method
            s.address[LINEAR_LAWS] = bind_linear_laws(m, w)
        bind_pieces(self._pieces, self._run, s.address)
        if self._law >= 0:
            bind_law(self._law, w)
        self._bound = parts


def number(method: object, field: str, unit: str = "1") -> float:
    """Return a field as a number that is not nan; a quantity with units is converted."""
    owner = type(method).__name__
    value = strip_unit(getattr(method, field), Where(owner, field), unit)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise UsageError(f"{owner}: {field} must be a number, got {show(value)}.")
    try:
        found = float(value)
    except OverflowError:
        raise UsageError(f"{owner}: {field} must be a finite number, got one too large.") from None
    if math.isnan(found):
        raise UsageError(f"{owner}: {field} must be a number, got nan.")
    return found


def check_step(method: Any) -> None:
    """Validate the step size of a fixed-step method."""
    dt = number(method, "dt", "s")
    if not 0.0 < dt < math.inf:
        raise UsageError(f"{type(method).__name__}: dt must be positive and finite, got {dt:g} s.")
    object.__setattr__(method, "dt", dt)


def check_adaptive(method: Any) -> None:
    """Validate tolerances and step limits of an adaptive method."""
    owner = type(method).__name__
    rtol, atol = number(method, "rtol"), number(method, "atol")
    if not _SMALLEST_RTOL <= rtol < math.inf:
        raise UsageError(
            f"{owner}: rtol must be finite and at least {_SMALLEST_RTOL:g}, the limit of double "
            f"precision, got {rtol:g}."
        )
    if not 0.0 < atol < math.inf:
        raise UsageError(
            f"{owner}: atol must be positive and finite, got {atol:g}; it bounds the error of "
            "states near zero."
        )
    max_step = number(method, "max_step", "s")
    if not max_step > 0.0:
        raise UsageError(f"{owner}: max_step must be positive, got {max_step:g} s.")
    object.__setattr__(method, "rtol", rtol)
    object.__setattr__(method, "atol", atol)
    object.__setattr__(method, "max_step", max_step)
    if method.first_step is not None:
        first_step = number(method, "first_step", "s")
        if not 0.0 < first_step < math.inf:
            raise UsageError(
                f"{owner}: first_step must be positive and finite, or None to have it chosen, "
                f"got {first_step:g} s."
            )
        object.__setattr__(method, "first_step", first_step)


def adaptive_options(method: Any, newton: float = 0.0) -> Floats:
    """Return the options in the order of layout.RTOL, ATOL, MAX_STEP, FIRST_STEP, NEWTON."""
    return np.array([method.rtol, method.atol, method.max_step, method.first_step or 0.0, newton])


@clear_arguments
@dataclass(frozen=True)
class RungeKutta5:
    """Explicit Runge-Kutta pair of Dormand and Prince, order 5(4), adaptive step.

    The local error of each state stays below atol + rtol |state|; steps follow a PI controller.
    `first_step=None` chooses the first step from the rates. [Hairer1993]
    """

    rtol: float = 1e-6
    atol: float = 1e-9
    max_step: float = math.inf
    first_step: float | None = None
    order: ClassVar[int] = 5

    def __post_init__(self) -> None:
        check_adaptive(self)

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.integrators.explicit import run_explicit

        runner = Runner(run_explicit, adaptive_options(self), tableau=dormand_prince_5())
        runner.allocate(m, Shape(stages=7, dense=4))
        return runner


@clear_arguments
@dataclass(frozen=True)
class RungeKutta8:
    """Explicit Runge-Kutta method of Dormand and Prince, order 8(5,3), adaptive step.

    The choice for smooth motions at tight tolerances; output between steps has order 7.
    [Hairer1993]
    """

    rtol: float = 1e-9
    atol: float = 1e-12
    max_step: float = math.inf
    first_step: float | None = None
    order: ClassVar[int] = 8

    def __post_init__(self) -> None:
        check_adaptive(self)

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.integrators.explicit import run_explicit

        runner = Runner(run_explicit, adaptive_options(self), tableau=dormand_prince_8())
        runner.allocate(m, Shape(stages=16, dense=7, nested=True))
        return runner


@clear_arguments
@dataclass(frozen=True)
class Radau:
    """Implicit Radau IIA method, order 5, adaptive step: for stiff springs and fast states.

    `newton` is the fraction of the tolerance at which the implicit stages count as solved; None
    chooses it from rtol. [Hairer1996]
    """

    rtol: float = 1e-6
    atol: float = 1e-9
    max_step: float = math.inf
    first_step: float | None = None
    newton: float | None = None
    order: ClassVar[int] = 5

    def __post_init__(self) -> None:
        check_adaptive(self)
        if self.newton is not None:
            newton = number(self, "newton")
            if not 0.0 < newton < 1.0:
                raise UsageError(f"Radau: newton must lie between 0 and 1, got {newton:g}.")
            object.__setattr__(self, "newton", newton)

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.integrators.radau import run_radau

        options = adaptive_options(self, self.newton or 0.0)
        runner = Runner(run_radau, options, radau=radau_5())
        runner.allocate(m, Shape(matrix=count(m), complex_matrix=True))
        return runner


@clear_arguments
@dataclass(frozen=True)
class GeneralisedAlpha:
    """Implicit generalised-alpha method, order 2, fixed step.

    `rho_inf` is the factor by which the fastest motion shrinks per step: 1 keeps all energy, 0
    removes what the step cannot resolve. [Arnold2007]
    """

    dt: float
    rho_inf: float = 0.8
    order: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_step(self)
        rho_inf = number(self, "rho_inf")
        if not 0.0 <= rho_inf <= 1.0:
            raise UsageError(f"GeneralisedAlpha: rho_inf must lie in [0, 1], got {rho_inf:g}.")
        object.__setattr__(self, "rho_inf", rho_inf)

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.integrators.generalised_alpha import run_alpha

        rho = self.rho_inf
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 + alpha_f - alpha_m
        beta = 0.25 * (gamma + 0.5) ** 2
        # the stages are solved far below the error of any step worth taking
        tolerance = 1e-10
        options = np.array([self.dt, alpha_m, alpha_f, beta, gamma, tolerance])
        k = int(m.nu + m.nx)
        runner = Runner(run_alpha, options)
        runner.allocate(m, Shape(matrix=k, accelerations=k))
        return runner


@clear_arguments
@dataclass(frozen=True)
class RungeKutta4:
    """Classical explicit Runge-Kutta method, order 4, fixed step; the last step ends at t_end."""

    dt: float
    order: ClassVar[int] = 4

    def __post_init__(self) -> None:
        check_step(self)

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.integrators.fixed import run_fixed

        runner = Runner(run_fixed, np.array([self.dt]), tableau=classical_4())
        runner.allocate(m, Shape(stages=4))
        return runner


@clear_arguments
@dataclass(frozen=True)
class SemiImplicitEuler:
    """Semi-implicit (symplectic) Euler method, order 1, fixed step; the last step ends at t_end.

    Velocities first, then positions with the new velocities: one evaluation per step, and
    oscillations keep their energy on average.
    """

    dt: float
    order: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_step(self)

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.integrators.fixed import run_fixed

        runner = Runner(run_fixed, np.array([self.dt]))
        runner.allocate(m)
        return runner
