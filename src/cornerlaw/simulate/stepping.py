"""Methods of time stepping: velocity-level corner laws over steps of fixed or chosen size."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from cornerlaw.arrays.kinds import SHAPE_POINT
from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.errors import UsageError
from cornerlaw.kernels.integrators.layout import Shape
from cornerlaw.kernels.stepping import options as place
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.impact_laws import TIME_STEPPING, ImpactLaw, Newton, NewtonBoth
from cornerlaw.model.quantity import show
from cornerlaw.simulate.arguments import as_flag
from cornerlaw.simulate.chosen_solver import check_solver, is_cascade
from cornerlaw.simulate.methods import Runner, check_step, number

ACCEPTANCE = ("reject", "accept")
CLOSED = 1e-10  # gaps up to this fraction of the model's size count as closed


def length_of(m: ModelArrays) -> float:
    """Return a length of the size of the model, the unit of gaps."""
    return float(max(m.row_scale, default=1.0))


def let_accept(method: Any, runner: Runner, last: bool) -> None:
    """Let steps with unsolved problems pass where that is wanted and no solver is left to ask."""
    if getattr(method, "on_unconverged", "") == "accept":
        runner.options[place.ACCEPT] = float(last)


@clear_arguments
@dataclass(frozen=True)
class TimeStepping:
    """The family of time-stepping schemes.

    dt               step size, with a `tolerance` the largest one
    tolerance        error of a position per step; None keeps the step fixed
    smallest_step    no step is made smaller than this [s]; dt / 1000 unless given
    stabilise        remove penetration after every step, so that nothing sinks or drifts
    activation       gaps up to this count as closed [m]; None: 1e-10 of the model's size
    impact           Newton() or NewtonBoth(), the laws that exist on this road
    on_unconverged   "reject" ends the run at a contact problem that no solver solves, "accept" goes
                     on with the best there is, and the status of the run is then "degraded"
    solver           a solver of contact problems such as Lemke() in place of the choice that a run
                     makes itself; there is no other one behind it
    """

    dt: float
    tolerance: float | None = None
    smallest_step: float | None = None
    stabilise: bool = True
    activation: float | None = None
    impact: ImpactLaw = field(default_factory=Newton)
    on_unconverged: str = "reject"
    solver: Any = None
    order: ClassVar[int] = 1
    CONTACTS: ClassVar[bool] = True
    POOLED: ClassVar[bool] = True  # finds pairs of contours on the way
    ALPHA: ClassVar[float] = 0.5
    POSITION_LEVEL: ClassVar[bool] = False
    IMPLICIT: ClassVar[bool] = False  # forces at the end of the step as well

    def __post_init__(self) -> None:
        check_step(self)
        owner = type(self).__name__
        for name in ("tolerance", "smallest_step", "activation"):
            if getattr(self, name) is not None:
                value = number(self, name, "1" if name == "tolerance" else "s")
                if not 0.0 <= value < math.inf or (value == 0.0 and name != "activation"):
                    raise UsageError(f"{owner}: {name} must be positive and finite, got {value:g}.")
                object.__setattr__(self, name, value)
        object.__setattr__(self, "stabilise", as_flag(f"{owner}: stabilise", self.stabilise))
        if not isinstance(self.on_unconverged, str) or self.on_unconverged not in ACCEPTANCE:
            raise UsageError(
                f"{owner}: on_unconverged must be 'reject' or 'accept', "
                f"got {show(self.on_unconverged)}."
            )
        if not isinstance(self.impact, ImpactLaw):
            raise UsageError(
                f"{owner}: impact must be a law such as Newton(), got {show(self.impact)}."
            )
        self.impact.check_road(TIME_STEPPING)
        check_solver(owner, self.solver)

    def _options(self, m: ModelArrays) -> np.ndarray:
        options = np.zeros(place.N_OPTIONS)
        options[place.STEP] = self.dt
        options[place.ALPHA] = self.ALPHA
        options[place.POSITION_LEVEL] = float(self.POSITION_LEVEL)
        options[place.STABILISE] = float(self.stabilise)
        scale = CLOSED * length_of(m)
        options[place.ACTIVATION] = scale if self.activation is None else self.activation
        options[place.ACCEPT] = float(self.on_unconverged == "accept")
        options[place.TOLERANCE] = self.tolerance or 0.0
        options[place.SMALLEST] = self.smallest_step or 1e-3 * self.dt
        options[place.TANGENTIAL] = float(isinstance(self.impact, NewtonBoth))
        return options

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model."""
        from cornerlaw.kernels.lagrangian.binding import is_sparse, steps_alone
        from cornerlaw.kernels.stepping.run import run_stepping, stepping_pieces

        in_space = bool(m.slots.start.size) and int(m.contours.kind.max()) >= SHAPE_POINT
        # steps of such models have solvers of their own
        constant = not self.IMPLICIT and is_cascade(self.solver) and steps_alone(m)
        sparse = constant and is_sparse(m)
        pieces = stepping_pieces(self.IMPLICIT, in_space, constant, sparse)
        runner = Runner(run_stepping, self._options(m), pieces=pieces)
        order = int(m.nu) if self.IMPLICIT else 0
        runner.allocate(m, Shape(matrix=order, constant=constant, sparse=sparse))
        return runner


@clear_arguments
@dataclass(frozen=True)
class Moreau(TimeStepping):
    """Moreau's midpoint rule, order 1: forces and contacts at q_A + dt/2 u_A. [Moreau1988]

    The choice for many contacts, and where impacts are too many to be counted.
    """


@clear_arguments
@dataclass(frozen=True)
class HalfExplicit(TimeStepping):
    """Foerg's scheme: explicit in the velocities, implicit in the positions. [Foerg2005]

    Both contact laws hold on velocity level at the end of the step. Positions are of first order
    in free flight as well: with a `tolerance` it takes many more steps than Moreau, and its impacts
    are placed to first order in them.
    """

    ALPHA: ClassVar[float] = 0.0


@clear_arguments
@dataclass(frozen=True)
class Stiegelmeyr(TimeStepping):
    """Stiegelmeyr's scheme: the normal law on position level, friction on velocity level.

    Contacts with a coefficient of restitution bounce in the step that would pass them, all others
    close exactly. [Stiegelmeyr2001]
    """

    ALPHA: ClassVar[float] = 0.0
    POSITION_LEVEL: ClassVar[bool] = True


@clear_arguments
@dataclass(frozen=True)
class Theta(TimeStepping):
    """The theta rule: forces implicit with weight `theta`, order 1, for stiff springs and dampers.

    theta = 1/2 keeps the energy of linear oscillations, 1 damps what the step cannot resolve.
    Forces of compliant contacts are implicit as well. Every step solves a dense system of the size
    of u. [Acary2008]
    """

    theta: float = 0.5
    IMPLICIT: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        theta = number(self, "theta")
        if not 0.0 < theta <= 1.0:
            raise UsageError(f"Theta: theta must be above 0 and at most 1, got {theta:g}.")
        object.__setattr__(self, "theta", theta)

    def _options(self, m: ModelArrays) -> np.ndarray:
        options = super()._options(m)
        options[place.THETA] = self.theta
        return options
