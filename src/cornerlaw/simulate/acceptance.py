"""Memory of force elements: their `accept` is called after every accepted step and writes z.

The compiled loop is left after each step, as it is for samples and events, so that all methods
have it alike and the function may be any Python. Rejected steps and stages are never seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.state import State
from cornerlaw.errors import SimulationError
from cornerlaw.simulate.element_calls import call_element
from cornerlaw.simulate.methods import Runner
from cornerlaw.simulate.system import System


class Acceptance:
    """The elements of a system that want to see every accepted step."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.parts: list[tuple[int, Any]] = []
        for k, element in enumerate(system.compiled.elements):
            part: Any = system.model.part(element.part)
            if getattr(part, "accept", None) is not None:
                self.parts.append((k, part))
        self._seen = -np.inf  # the time up to which steps were accepted
        self._full = False

    def begin(self, t: float) -> None:
        """Start at a time, which ends no step."""
        self._seen, self._full = t, False

    def allowed(self, steps: int) -> int:
        """Return how many steps the next compiled call may take."""
        if not self.parts:
            return steps
        # a full record interrupts the end of a step: its rows come first
        return 0 if self._full else min(steps, 1)

    def after_call(self, status: int, state: State, runner: Runner) -> bool:
        """Tell the elements about the step that a compiled call has ended; true if it counts."""
        self._full = status == codes.BUFFER_FULL
        t = float(state.t[0])
        if not self.parts or self._full or not t > self._seen:
            return False
        if status not in (codes.PAUSED, codes.DONE, codes.STOPPED):
            return False
        self._seen = t
        old = state.x.copy()
        for k, part in self.parts:
            self._call(k, part, state)
        if not np.array_equal(old, state.x):
            # the rates may jump with z
            runner.restart(state)
        return True

    def _call(self, k: int, part: Any, state: State) -> None:
        e = self.system.compiled.elements[k]
        where = f"{part.label}: accept at t = {float(state.t[0]):.6g} s"
        own, written = call_element(self.system, k, part.accept, (), state, where)
        place = slice(e.x_start, e.x_start + own.size)
        nx = own.size - e.n_discrete
        if not np.array_equal(own[:nx], state.x[place][:nx]):
            raise SimulationError(
                f"{where} writes to x, which would jump; write to z, or let an indicator and "
                f"on_event change x"
            )
        if written:
            raise SimulationError(
                f"{where} writes to u, which would jump; let an indicator and on_event change u"
            )
        state.x[place] = own
