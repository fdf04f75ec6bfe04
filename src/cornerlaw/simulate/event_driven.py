"""The event-driven road: smooth motion integrated to tolerance, events located and resolved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from cornerlaw.arrays.model_arrays import ModelArrays
from cornerlaw.errors import UsageError
from cornerlaw.kernels.events import options as place
from cornerlaw.kernels.integrators.layout import Shape
from cornerlaw.kernels.integrators.tableaus import dormand_prince_8
from cornerlaw.model.arguments import clear_arguments
from cornerlaw.model.impact_laws import EVENT_DRIVEN, ImpactLaw, Newton
from cornerlaw.model.quantity import show
from cornerlaw.simulate.methods import RungeKutta8, Runner, adaptive_options, check_adaptive, number
from cornerlaw.simulate.stepping import CLOSED, length_of


@clear_arguments
@dataclass(frozen=True)
class EventDriven:
    """Order 8 between events, every event located to rounding, impacts by a law of their own.

    rtol, atol   error of a step between events
    impact       the impact law of the run
    zeno         approach speed below which bounces are taken as over [m/s]: the accumulation point
                 of infinitely many ever smaller ones is then passed in one step
    v_tol        relative velocities up to this count as zero [m/s]
    on_unconverged  only "reject": a contact problem that no solver solves ends the run. There is
                 nothing to go on with: its forces say which contacts hold until the next event, and
                 a wrong choice is integrated as exactly as a right one, with an error that no
                 residual bounds. Time stepping corrects itself in its next step and may "accept"
    """

    rtol: float = 1e-9
    atol: float = 1e-12
    max_step: float = math.inf
    first_step: float | None = None
    impact: ImpactLaw = field(default_factory=Newton)
    zeno: float = 1e-6
    v_tol: float = 1e-10
    on_unconverged: str = field(default="reject", repr=False)
    order: ClassVar[int] = 8
    CONTACTS: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_adaptive(self)
        for name in ("zeno", "v_tol"):
            value = number(self, name, "m/s")
            if not 0.0 <= value < math.inf:
                raise UsageError(f"EventDriven: {name} must not be negative, got {value:g} m/s.")
            object.__setattr__(self, name, value)
        if not isinstance(self.impact, ImpactLaw):
            raise UsageError(
                f"EventDriven: impact must be a law such as Newton(), got {show(self.impact)}."
            )
        self.impact.check_road(EVENT_DRIVEN)
        if not isinstance(self.on_unconverged, str) or self.on_unconverged != "reject":
            raise UsageError(
                f"EventDriven: on_unconverged can only be 'reject', got "
                f"{show(self.on_unconverged)}: without the forces of a contact problem nobody "
                f"knows which contacts hold until the next event; use time stepping, such as "
                f"Moreau(dt=..., on_unconverged='accept')"
            )

    def prepare(self, m: ModelArrays) -> Runner:
        """Load the compiled driver and allocate its arrays for a model.

        Without anything that could open, close, stick or slip the steps between events are all
        there is.
        """
        if not m.corners.row_N.size:
            plain = (self.rtol, self.atol, self.max_step, self.first_step)
            return RungeKutta8(*plain).prepare(m)
        from cornerlaw.kernels.events.run import event_pieces, run_event_driven

        options = np.zeros(place.N_OPTIONS)
        options[:5] = adaptive_options(self)
        options[place.LAW] = float(self.impact.code)
        options[place.V_TOL] = self.v_tol
        options[place.GAP_TOL] = CLOSED * length_of(m)
        options[place.ZENO] = self.zeno
        runner = Runner(
            run_event_driven,
            options,
            tableau=dormand_prince_8(),
            pieces=event_pieces(),
            law=self.impact.code,
        )
        runner.allocate(m, Shape(stages=16, dense=7, nested=True))
        return runner
