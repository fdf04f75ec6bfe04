"""Events of the user's force elements: where their indicators cross zero, on_event is called.

The compiled loop locates the crossing, brings the state there and comes back; what the user's
function changes starts a new piece of motion. So it works alike with every method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.model_arrays import IndicatorArrays
from cornerlaw.arrays.state import Floats, State
from cornerlaw.errors import SimulationError
from cornerlaw.kernels.integrators.layout import INDICATOR_ELEMENT, TERMINAL_JUMPS
from cornerlaw.results import Event
from cornerlaw.simulate.corner_log import CornerLog
from cornerlaw.simulate.element_calls import call_element
from cornerlaw.simulate.element_checks import check_switched
from cornerlaw.simulate.methods import LastStep, Runner
from cornerlaw.simulate.resets import settle_velocities
from cornerlaw.simulate.switches import set_switches, switches_of
from cornerlaw.simulate.system import System

CROWD = 100  # events of one indicator in a row at one time before the run gives up
MOMENT = 1e-13  # times this close, relative to the time or a second, are one
AHEAD = (1e-6, 1e-3, 1.0)  # shares of a step: where a function is looked at behind its zero
ROUNDING = 1e-12  # of the largest value of a function so far: its sign below says nothing


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
        terminal=integers([TERMINAL_JUMPS] * len(items)),
    )


def _moment(t: float) -> float:
    """Return how close a time must be to t to be the same."""
    return MOMENT * max(abs(t), 1.0)


class ElementEvents:
    """The indicators of all elements of a system, the first ones of a run, and what they do."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.places: list[tuple[int, str]] = []  # number of the element, name of the indicator
        self.indicators: list[Indicator] = []
        self.events: list[Event] = []
        self._last: dict[int, tuple[float, int]] = {}  # indicator: time and how many events there
        self._crossings = np.zeros(0, dtype=np.int64)
        self._switch: dict[int, int] = {}  # indicator: place in x of the row that it switches
        self._sizes: dict[int, float] = {}  # largest values of these indicators so far
        self._begun, self._unclear, self._full = False, True, False
        self._restarted = False  # what the last events left has not been looked at yet
        self._step: LastStep | None = None  # in which the next events happen
        self._struck = False  # they were moved to its end
        self._echoes: list[int] = []  # indicators that the last events have left at zero
        places = {(item.element, item.name): item.place for item in switches_of(system)}
        for k, element in enumerate(system.compiled.elements):
            for name, address, direction in element.indicators:
                if (k, name) in places:
                    self._switch[len(self.places)] = places[k, name]
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
        self._echoes.clear()
        self._begun, self._unclear, self._full = False, True, False
        self._restarted = False

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

    def settle(
        self, fired: list[int], state: State, runner: Runner, log: CornerLog | None
    ) -> tuple[list[int], LastStep | None]:
        """Move events in a time step with an impact to the end of that step.

        Such a step is no path from one end to the other: a state between them has half an impact.
        Returns the events at the end, with those passed on the way there, and the step if it was
        finished. It must be called before anything restarts the method; no log, no time steps.
        """
        last = self._step = runner.last_step(self.system.m, state)
        inside = bool(fired) and state.t[0] < last.t_end
        self._struck = log is not None and inside and log.struck(last.t_begin, last.t_end)
        if not self._struck:
            return fired, None
        before = self._all_values(state)
        parts = np.split(last.y_end, np.cumsum([state.q.size, state.u.size]))
        state.t[0] = last.t_end
        state.q[:], state.u[:], state.x[:] = parts
        after = self._all_values(state)
        for i, direction in enumerate(self.system.arrays.indicators.direction):
            sense = np.sign(after[i]) if before[i] * after[i] < 0.0 else 0.0
            if i not in fired and sense and direction in (0, sense):
                fired = [*fired, i]
        self._step = last._replace(g=after)
        return sorted(fired), last

    def handle(self, fired: list[int], state: State, runner: Runner, jumped: bool = False) -> None:
        """Call on_event for the indicators of elements that crossed, and restart behind it.

        They are at zero, unless a jump of the velocities has carried them over it.
        """
        fired = [i for i in fired if i < len(self.places)]
        t = float(state.t[0])
        before, x = self._values(state), state.x.copy()
        last, self._step = self._step, None
        assert last is not None, "events are settled first"
        for i in fired:
            self._count(i, t)
            k, name = self.places[i]
            part: Any = self.system.model.part(self.system.compiled.elements[k].part)
            old = state.x.copy(), state.u.copy()
            if i in self._switch:
                state.x[self._switch[i]] = 1.0 if self._goes_up(i, last) else 0.0
            elif part.on_event is not None:
                self._call(part, k, name, state)
            self.events.append(Event(t, part.name, name, self._changes(*old, state)))
        after = self._values(state)
        self._follow(state, after, [i for i in self._switch if after[i] != before[i]])
        check_switched(self.system, x, state)
        # an indicator that on_event did not touch is at its zero, whatever rounding says
        located = not self._struck and not jumped
        self._echoes = [i for i in fired if after[i] == before[i] and located]
        runner.restart(state, self._echoes)
        self._begun, self._unclear, self._restarted = False, True, True

    def _goes_up(self, i: int, last: LastStep) -> bool:
        """Tell to which side an indicator goes that has crossed or touched zero in a step."""
        value = float(last.g[i])
        for share in AHEAD:
            if value != 0.0:
                break
            # the step ends at the zero itself
            value = float(self._values_at(*last.beyond(share))[i])
        return value > 0.0

    # rows switched by functions: a jump may carry their functions over zero unseen

    def allowed(self, steps: int, stepping: bool) -> int:
        """Return how many steps the next compiled call may take.

        Event-driven, an impact may change the side between any two steps; time steps see that, but
        not how a function leaves a zero that it begins at.
        """
        if self._restarted and not stepping:
            return 0  # the states behind the event belong to its row
        if not self._switch:
            return steps
        if not self._begun and not stepping:
            return 0  # a start may have an impact of its own
        if self._full:
            return 0
        return min(steps, 1) if self._unclear or not stepping else steps

    def after_call(self, status: int, state: State, runner: Runner) -> bool:
        """Set the rows whose functions are on another side than noted; true if there are any."""
        self._restarted = False
        if not self._switch:
            return False
        self._begun, self._full = True, status == codes.BUFFER_FULL
        if status not in (codes.PAUSED, codes.DONE):
            return False
        values, x = self._values(state), state.x.copy()
        t = float(state.t[0])
        self._unclear = not all([self._is_clear(i, values) for i in self._switch])
        if not self._follow(state, values, list(self._switch)):
            return False
        check_switched(self.system, x, state)
        runner.restart(state, [i for i in self._echoes if t - self._last[i][0] <= _moment(t)])
        self._begun, self._restarted = False, True
        return True

    @property
    def restarted(self) -> bool:
        """Whether the next compiled call only finds the states behind an event."""
        return self._restarted

    def follow(self, state: State) -> None:
        """Set all rows by their functions after values were set from outside."""
        self._begun, self._unclear = False, True
        set_switches(self.system, float(state.t[0]), state.q, state.u, state.x)

    def _is_clear(self, i: int, values: Floats) -> bool:
        """Tell whether an indicator is away from zero by more than rounding."""
        size = self._sizes[i] = max(self._sizes.get(i, 0.0), abs(float(values[i])))
        return bool(abs(values[i]) > ROUNDING * size)

    def _follow(self, state: State, values: Floats, among: list[int]) -> bool:
        """Set the rows among some whose functions are clearly on the other side; log them."""
        t, changed = float(state.t[0]), False
        for i in among:
            place, side = self._switch[i], 1.0 if values[i] > 0.0 else 0.0
            if state.x[place] == side or not self._is_clear(i, values):
                continue
            self._count(i, t)
            state.x[place], changed = side, True
            k, name = self.places[i]
            part = self.system.compiled.elements[k].part
            self.events.append(Event(t, part, name, {name: side}))
        return changed

    def _count(self, i: int, t: float) -> None:
        time, n = self._last.get(i, (t, 0))
        self._last[i] = (t, n + 1 if t - time <= _moment(t) else 1)
        if self._last[i][1] > CROWD:
            k, name = self.places[i]
            raise SimulationError(
                f"ForceElement '{self.system.compiled.elements[k].part}': event '{name}' happens "
                f"again and again at t = {t:.6g} s; let on_event move its indicator away from zero"
            )

    def _values(self, state: State) -> Floats:
        """Return the indicators of the elements at the state."""
        return self._values_at(float(state.t[0]), np.concatenate([state.q, state.u, state.x]))

    def _values_at(self, t: float, y: Floats) -> Floats:
        """Return the indicators of the elements at y = (q, u, x)."""
        from cornerlaw.kernels.user_indicators import enter_user_indicators

        g = np.zeros(self.system.arrays.n_indicators)
        enter_user_indicators(self.system.m, self.system.w, t, y, g)
        return g[: len(self.places)]

    def _all_values(self, state: State) -> Floats:
        """Return the indicators of the elements and those of stop conditions at the state."""
        from cornerlaw.kernels.rates import eval_indicators

        m, w, t = self.system.m, self.system.w, float(state.t[0])
        g = np.zeros(self.system.arrays.n_indicators)
        eval_indicators(m, w, t, state.q, state.u, state.x, g)
        g[: len(self.places)] = self._values(state)
        return g

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
