"""Events of the user's force elements: where their indicators cross zero, on_event is called.

The compiled loop locates the crossing, brings the state there and comes back; what the user's
function changes starts a new piece of motion. So it works alike with every method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays.model_arrays import IndicatorArrays
from cornerlaw.arrays.state import Floats, State
from cornerlaw.errors import SimulationError
from cornerlaw.kernels.integrators.layout import INDICATOR_ELEMENT
from cornerlaw.results import Event
from cornerlaw.simulate.element_calls import call_element
from cornerlaw.simulate.element_checks import check_switched
from cornerlaw.simulate.methods import Runner
from cornerlaw.simulate.resets import settle_velocities
from cornerlaw.simulate.system import System

CROWD = 100  # events of one indicator in a row at one time before the run gives up
MOMENT = 1e-13  # times this close, relative to the time or a second, are one


@dataclass(frozen=True)
class Indicator:
    """A root function of a run: of a user's element, or of a condition on one value."""

    kind: int
    source: int
    direction: int
    level: float = 0.0


def indicator_arrays(items: list[Indicator]) -> IndicatorArrays:
    """Return root functions as arrays; each of them interrupts the compiled loop."""

    def integers(values: list[int]) -> Any:
        return np.array(values, dtype=np.int64).reshape(-1)

    return IndicatorArrays(
        kind=integers([item.kind for item in items]),
        source=integers([item.source for item in items]),
        level=np.array([item.level for item in items], dtype=float).reshape(-1),
        direction=integers([item.direction for item in items]),
        terminal=np.ones(len(items), dtype=np.int64),
    )


class ElementEvents:
    """The indicators of all elements of a system, the first ones of a run, and what they do."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.places: list[tuple[int, str]] = []  # number of the element, name of the indicator
        self.indicators: list[Indicator] = []
        self.events: list[Event] = []
        self._last: dict[int, tuple[float, int]] = {}  # indicator: time and how many events there
        self._crossings = np.zeros(0, dtype=np.int64)
        for k, element in enumerate(system.compiled.elements):
            for name, address, direction in element.indicators:
                self.places.append((k, name))
                self.indicators.append(Indicator(INDICATOR_ELEMENT + k, address, direction))

    def watch(self, others: list[Indicator] | None = None) -> None:
        """Make the indicators, with others behind them, those of the system."""
        items = [*self.indicators, *(others or [])]
        self._crossings = np.zeros(len(items), dtype=np.int64)
        self.system.rebind(n_indicators=len(items), indicators=indicator_arrays(items))

    def forget(self) -> None:
        """Return to the time before the first event."""
        self.events.clear()
        self._last.clear()

    @property
    def crowds(self) -> dict[int, tuple[float, int]]:
        """The time of the last event of every indicator, and how many there were at it."""
        return self._last

    def restore(
        self, events: list[Event], crowds: dict[int, tuple[float, int]], crossings: Any
    ) -> None:
        """Go on where an earlier run ended."""
        self.events[:] = events
        self._last = dict(crowds)
        self._crossings[:] = crossings

    def fired(self, crossings: Any) -> list[int]:
        """Return which indicators, others included, crossed since the last call."""
        found = np.flatnonzero(crossings != self._crossings)
        self._crossings[:] = crossings
        return [int(i) for i in found]

    def check(self, t: float) -> None:
        """Refuse to go on if an indicator raised an exception or gave no number."""
        from cornerlaw.kernels.slots import failure_of

        for (k, name), indicator in zip(self.places, self.indicators, strict=True):
            text = failure_of(indicator.source)
            if text:
                label = self.system.compiled.elements[k].part
                raise SimulationError(
                    f"ForceElement '{label}': indicators[{name}] {text} up to t = {t:.6g} s; check "
                    f"the function and its arguments"
                )

    def handle(self, fired: list[int], state: State, runner: Runner) -> None:
        """Call on_event for the indicators of elements that crossed, and restart behind it."""
        fired = [i for i in fired if i < len(self.places)]
        t = float(state.t[0])
        before, x = self._values(state), state.x.copy()
        for i in fired:
            self._count(i, t)
            k, name = self.places[i]
            part: Any = self.system.model.part(self.system.compiled.elements[k].part)
            old = state.x.copy(), state.u.copy()
            if name in part.switches:
                place = self.system.compiled.x_names.index((part.name, name))
                state.x[place] = 1.0 - state.x[place]  # it has just passed zero
            elif part.on_event is not None:
                self._call(part, k, name, state)
            self.events.append(Event(t, part.name, name, self._changes(*old, state)))
        check_switched(self.system, x, state)
        after = self._values(state)
        # an indicator that on_event did not touch is at its zero, whatever rounding says
        runner.restart(state, [i for i in fired if after[i] == before[i]])

    def _count(self, i: int, t: float) -> None:
        time, n = self._last.get(i, (t, 0))
        self._last[i] = (t, n + 1 if t - time <= MOMENT * max(abs(t), 1.0) else 1)
        if self._last[i][1] > CROWD:
            k, name = self.places[i]
            raise SimulationError(
                f"ForceElement '{self.system.compiled.elements[k].part}': event '{name}' happens "
                f"again and again at t = {t:.6g} s; let on_event move its indicator away from zero"
            )

    def _values(self, state: State) -> Floats:
        """Return the indicators of the elements at the state."""
        from cornerlaw.kernels.user_indicators import enter_user_indicators

        g = np.zeros(self.system.arrays.n_indicators)
        y = np.concatenate([state.q, state.u, state.x])
        enter_user_indicators(self.system.m, self.system.w, float(state.t[0]), y, g)
        return g[: len(self.places)]

    def _changes(self, x: Floats, u: Floats, new: State) -> dict[str, float]:
        """Return the states and velocities that an event has changed from x and u, by name."""
        c = self.system.compiled
        found = {c.x_names[j][1]: float(new.x[j]) for j in np.flatnonzero(new.x != x)}
        for j in np.flatnonzero(new.u != u):
            found[c.name_of_u(int(j))] = float(new.u[j])
        return found

    def _call(self, part: Any, k: int, name: str, state: State) -> None:
        """Call the user's on_event and take over what it wrote to u, x and z."""
        where = f"{part.label}: on_event '{name}' at t = {float(state.t[0]):.6g} s"
        own, written = call_element(self.system, k, part.on_event, (name,), state, where)
        element = self.system.compiled.elements[k]
        state.x[element.x_start : element.x_start + own.size] = own
        if written:
            settle_velocities(self.system, state, written, where)
