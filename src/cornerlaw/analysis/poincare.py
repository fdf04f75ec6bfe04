"""poincare(): the motion of a model seen only at a section - an event, a crossing, a clock."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.corner_work import EVENT_NAMES
from cornerlaw.arrays.model_arrays import IndicatorArrays
from cornerlaw.arrays.state import Floats, new_counters, new_record, new_state
from cornerlaw.errors import SimulationError, UnknownNameError, UsageError
from cornerlaw.model import Model
from cornerlaw.results import Event, FinalState
from cornerlaw.results.registry import lookup
from cornerlaw.simulate.corner_log import CornerLog, check_method, corner_rows
from cornerlaw.simulate.event_driven import EventDriven
from cornerlaw.simulate.failures import check_status
from cornerlaw.simulate.methods import Method, RungeKutta8, new_output
from cornerlaw.simulate.run import default_method
from cornerlaw.simulate.sampling import Sampler
from cornerlaw.simulate.states import At, Placed, find_value, place
from cornerlaw.simulate.system import System
from cornerlaw.simulate.wrong_method import require_method

MOST_STEPS = 200_000  # steps to the next return
ROWS = 64  # room of the record that every compiled call fills anew
DELAY = 2.0  # seconds before a bar appears


@dataclass(frozen=True)
class Section:
    """Where a motion is looked at: at a named event, at a crossing, or at equal times.

        cl.Section(event=("ball-floor", "impact"))
        cl.Section(crossing="joint.angle", level=0.0, direction=1)
        cl.Section(period=0.1)

    event      name and kind of an event as in `sol.events`
    crossing   coordinate, rate or state that passes `level`; direction 1 upwards, -1 downwards,
               0 both
    period     period of the forcing [s]; alone it is the section at t = phase, phase + period, ...
               With an event or a crossing it says that the model repeats itself after this time
    max_time   a motion that does not return within this time is given up [s]
    (T-16.1)
    """

    event: tuple[str, str] | None = None
    crossing: str | None = None
    level: float = 0.0
    direction: int = 1
    period: float | None = None
    phase: float = 0.0
    max_time: float = 1e4

    def __post_init__(self) -> None:
        """Refuse what is no section."""
        if self.event is not None and self.crossing is not None:
            raise UsageError("Section: give an event or a crossing, not both")
        if self.event is None and self.crossing is None and self.period is None:
            raise UsageError("Section: give an event, a crossing or a period")
        if self.event is not None:
            pair = self.event
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise UsageError(
                    f"Section: event is a pair of name and kind such as "
                    f"('ball-floor', 'impact'), got {pair!r}"
                )
            object.__setattr__(self, "event", (str(pair[0]), str(pair[1])))
            if pair[1] not in EVENT_NAMES:
                raise UsageError(
                    f"Section: there is no event kind {pair[1]!r}; kinds are "
                    f"{', '.join(EVENT_NAMES)}"
                )
        if self.direction not in (-1, 0, 1):
            raise UsageError(f"Section: direction must be 1, -1 or 0, got {self.direction!r}")
        for name in ("level", "phase", "max_time"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        if self.period is not None:
            object.__setattr__(self, "period", _number("period", self.period))
            if self.period <= 0.0:
                raise UsageError(f"Section: period must be positive, got {self.period:g} s")
        if self.max_time <= 0.0:
            raise UsageError(f"Section: max_time must be positive, got {self.max_time:g} s")

    @property
    def is_clock(self) -> bool:
        """Whether the section is a set of equal times."""
        return self.event is None and self.crossing is None

    def next_time(self, t: float) -> float:
        """Return the next time of a clock after t."""
        assert self.period is not None
        # a time this close to a tick is the tick
        count = math.floor((t - self.phase) / self.period + 1e-9)
        return self.phase + (count + 1) * self.period

    def __str__(self) -> str:
        if self.event is not None:
            return f"{self.event[1]} of '{self.event[0]}'"
        if self.crossing is not None:
            return f"{self.crossing} = {self.level:g}"
        return f"every {self.period:g} s"


def _number(name: str, value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise UsageError(f"Section: {name} must be a finite number, got {value!r}")
    return found


def as_section(section: Any) -> Section:
    """Return a Section; a pair of name and kind is one at an event."""
    if isinstance(section, Section):
        return section
    if isinstance(section, tuple):
        return Section(event=section)
    raise UsageError(
        f"section must be one such as Section(event=('ball-floor', 'impact')), got {section!r}"
    )


def tight_method(model: Model) -> Method:
    """Return the method of orbits whose caller chose none: errors far below the differences."""
    if isinstance(default_method(model), EventDriven):
        return EventDriven(rtol=1e-12, atol=1e-14)
    return RungeKutta8(rtol=1e-13, atol=1e-15)


class Bar:
    """A bar that counts pieces of work; silent off a terminal unless asked for."""

    def __init__(self, text: str, total: int, wanted: bool | None) -> None:
        self.text, self.total, self.done = text, total, 0
        self.wanted = sys.stderr.isatty() if wanted is None else wanted
        self.delay = 0.0 if wanted else DELAY
        self.began = time.perf_counter()
        self.bar: Any = None
        self.task: Any = None

    def add(self, n: int = 1) -> None:
        """Count n more pieces."""
        self.done += n
        if not self.wanted or time.perf_counter() - self.began < self.delay:
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self.bar = Progress(
                TextColumn(self.text),
                BarColumn(),
                MofNCompleteColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            self.task = self.bar.add_task("", total=self.total)
            self.bar.start()
        self.bar.update(self.task, completed=self.done)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


@dataclass
class Trace:
    """What a piece of motion passed: states after every step, and its events."""

    t: list[float] = field(default_factory=list)
    y: list[Floats] = field(default_factory=list)
    held: list[int] = field(default_factory=list)  # directions that closed corners take away
    events: list[Event] = field(default_factory=list)

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Names and kinds of the events in their order."""
        return tuple((e.name, e.kind) for e in self.events)


def _refuse_element_events(system: System) -> None:
    """Orbits do not know the events of force elements: the derivative of their jumps is missing.

    Nor do they know their memory, which is no part of the state that comes back.
    """
    for element in system.compiled.elements:
        part: Any = system.model.part(element.part)
        for name in ("indicators", "delays", "accept"):
            if getattr(part, name, None):
                raise UsageError(
                    f"ForceElement '{element.part}' has {name}, which sections and orbits do not "
                    f"follow; study this model with simulate"
                )


class Flow:
    """A model that is advanced step by step, to a time or to its section.

    y = (q, u, x) is the state, `status` the states of all corners. A restart begins with the
    states that the corners have at the given position and velocity.
    """

    def __init__(
        self,
        model: Model,
        section: Section | None = None,
        method: Method | None = None,
        inputs: Mapping[str, float] | None = None,
    ) -> None:
        chosen: Any = tight_method(model) if method is None else method
        require_method(chosen, "EventDriven()")
        self.section, self.method = section, chosen
        self.placed: Placed = place(model)
        self.system: System = self.placed.system
        self.system.set_inputs(dict(inputs or {}))
        _refuse_element_events(self.system)
        check_method(self.system, chosen)
        self.event_driven = isinstance(chosen, EventDriven)
        if section is not None:
            self._watch(section)
        self.runner = chosen.prepare(self.system.m)
        nq, nu, nx = self.system.sizes
        self.sizes = (nq, nu, nx)
        self.sampler = Sampler(self.system, history=False)
        self.state = new_state(nq, nu, nx, self.sampler.size, memory=self.runner.memory_size)
        a = self.system.arrays
        self._record = new_record(ROWS, nq, nu, nx, a.corners.row_N.size, corner_rows(self.system))
        self._counters = new_counters()
        self.log = CornerLog(self.system)
        self._output = new_output(self.system.m, ROWS, every=0)
        self._rows = 0  # stored by the last call
        self.trace = Trace()
        self.crossed = False
        self.set(self.placed.t, self.pack(self.placed.q, self.placed.u, self.placed.x))

    def _watch(self, section: Section) -> None:
        """Check the names of a section; a crossing becomes an indicator of the run."""
        if section.event is not None:
            labels = [corner.label for corner in self.system.compiled.corners]
            if section.event[0] not in labels:
                known = ", ".join(repr(label) for label in labels[:8]) or "none"
                raise UnknownNameError(
                    f"there is no contact or element {section.event[0]!r} that could have events; "
                    f"there are {known}"
                )
        if section.crossing is None:
            return
        if section.crossing == "t":
            raise UsageError("a section at given times is Section(period=...)")
        kind, index = find_value(self.system, section.crossing)
        self.system.rebind(
            n_indicators=1,
            indicators=IndicatorArrays(
                kind=np.array(["qux".index(kind)], dtype=np.int64),
                source=np.array([index], dtype=np.int64),
                level=np.array([section.level]),
                direction=np.array([section.direction], dtype=np.int64),
                terminal=np.array([1], dtype=np.int64),
            ),
        )

    @property
    def t(self) -> float:
        """The present time."""
        return float(self.state.t[0])

    @property
    def y(self) -> Floats:
        """A copy of the present state (q, u, x)."""
        return self.pack(self.state.q, self.state.u, self.state.x)

    @property
    def status(self) -> Any:
        """A copy of the states of all corners."""
        return self.system.work.k.status.copy()

    @staticmethod
    def pack(q: Floats, u: Floats, x: Floats) -> Floats:
        """Return (q, u, x) as one new array."""
        return np.concatenate([q, u, x])

    def unpack(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return copies of q, u and x."""
        nq, nu, _ = self.sizes
        return y[:nq].copy(), y[nq : nq + nu].copy(), y[nq + nu :].copy()

    def final(self, t: float | None = None, y: Floats | None = None) -> FinalState:
        """Return a state as restart data."""
        q, u, x = self.unpack(self.y if y is None else y)
        return FinalState(self.t if t is None else t, q, u, x, fingerprint=self.placed.fingerprint)

    def set(self, t: float, y: Floats) -> None:
        """Restart at a time and state; the corners take the states they have there."""
        s = self.state
        s.t[0], s.dt[0], s.memory[:] = t, 0.0, 0.0
        s.q[:], s.u[:], s.x[:] = self.unpack(y)
        self.sampler.forget(s)
        self.log = CornerLog(self.system)
        self.trace = Trace()
        self.crossed = False
        if self.event_driven:
            # states of the corners first, so that what is found here does not count as events
            self._advance(math.inf, 0)
            self.log.events.clear()
            self.trace.events.clear()

    def project(self, t: float, y: Floats, status: Any) -> Floats:
        """Return the state next to y that prescribed motion, rows and held corners allow."""
        from cornerlaw.kernels.prescribed import set_driven
        from cornerlaw.kernels.rates import project_position, project_velocity

        s = self.system
        q, u, x = self.unpack(y)
        s.work.k.status[:] = status
        s.work.n_entries[0] = 0
        s.see_states(x)
        set_driven(s.m, s.w, float(t), q, u)
        code = project_position(s.m, s.w, float(t), q)
        code = code or project_velocity(s.m, s.w, float(t), q, u)
        check_status(s, code, t)
        return self.pack(q, u, x)

    def _advance(self, t_end: float, steps: int) -> int:
        """Call the compiled driver once."""
        s = self.system
        until = self.sampler.prepare(self.state, t_end, self.runner)
        code = self.runner.run(
            s.m, s.w, self.state, self._record, self._counters, until, self._output, steps
        )
        self.sampler.release()
        self._rows = int(self._record.n[0])
        self._record.n[0] = 0
        self.log.flush()
        s.raise_interrupt()
        if s.goes_on(code):
            code = codes.PAUSED
        if code >= codes.STEP_TOO_SMALL:
            check_status(s, code, self.t)
        return int(code)

    def step(self, t_end: float) -> list[Event]:
        """Take one step, at most to t_end; return the events behind it."""
        before = len(self.log.events)
        code = self._advance(t_end, 1)
        if code == codes.BUFFER_FULL:
            self._advance(t_end, 0)
        self.crossed = code == codes.STOPPED
        new = self.log.events[before:]
        trace = self.trace
        trace.t.append(self.t)
        trace.y.append(self.y)
        trace.held.append(self._count_held())
        trace.events.extend(e for e in new if e.kind not in ("rest",))
        return new

    def left_limit(self) -> Floats:
        """Return the state before the event that ended the last step."""
        r = self._record
        rows = [i for i in range(self._rows) if r.side[i] == -1]
        return self.pack(r.q[rows[-1]], r.u[rows[-1]], r.x[rows[-1]])

    def _count_held(self) -> int:
        status = self.system.work.k.status
        return int((status != 0).sum() + (status == 4).sum())

    def to_time(self, t_end: float) -> None:
        """Advance to a time."""
        for _ in range(MOST_STEPS):
            if self.t >= t_end:
                return
            self.step(t_end)
        raise SimulationError(
            f"t = {t_end:g} s was not reached within {MOST_STEPS} steps; the run is at t = "
            f"{self.t:g} s"
        )

    def to_section(self) -> Event | None:
        """Advance to the next return; the state is then the right limit there."""
        section = self.section
        assert section is not None
        if section.is_clock:
            self.to_time(section.next_time(self.t))
            return None
        last = self.t + section.max_time
        # two returns at one time are one
        began = self.t + 1e-12 * max(1.0, abs(self.t))
        for _ in range(MOST_STEPS):
            if self.t >= last:
                break
            for event in self.step(last):
                if (event.name, event.kind) == section.event and self.t > began:
                    return event
            if self.crossed and self.t > began:
                return None
        raise SimulationError(
            f"the motion did not return to the section ({section}) by t = {self.t:g} s"
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of all entries of y."""
        c = self.system.compiled
        nq, nu, _ = self.sizes
        found = [""] * (nq + nu)
        for k in c.numbering.coordinates:
            if k.q >= 0:
                found[k.q] = f"{k.part}.{k.name}"
            found[nq + k.u] = f"{k.part}.{k.rate}"
        return tuple(found) + tuple(f"{part}.{name}" for part, name in c.x_names)

    def units(self) -> tuple[str, ...]:
        """Return the units of all entries of y, empty where unknown."""
        c = self.system.compiled
        nq, nu, nx = self.sizes
        found = [""] * (nq + nu + nx)
        for k in c.numbering.coordinates:
            if k.q >= 0:
                found[k.q] = k.unit
            found[nq + k.u] = "1/s" if k.unit in ("", "1") else f"{k.unit}/s"
        return tuple(found)

    def index(self, name: str) -> int:
        """Return the place of a named coordinate, rate or state in y."""
        kind, k = find_value(self.system, name)
        nq, nu, _ = self.sizes
        return k + {"q": 0, "u": nq, "x": nq + nu}[kind]

    def begin(self, at: At) -> None:
        """Restart at a state as every other solve takes it."""
        if at is None:
            self.set(self.placed.t, self.pack(self.placed.q, self.placed.u, self.placed.x))
            return
        if isinstance(at, Returns):
            at = at.final
        found = place(self.system.model, at)
        self.set(found.t, self.pack(found.q, found.u, found.x))


@dataclass(frozen=True, eq=False)
class Returns:
    """States at a section: one row per return, right limits, found by name.

    `returns["ball.velocity_y"]` is a column; `returns.map(state)` takes a state to the next
    return.
    """

    section: Section
    names: tuple[str, ...]  # of the columns of y
    t: Floats
    y: Floats  # (n, number of states)
    events: tuple[Event, ...]  # of a section at an event, one per return
    states: tuple[FinalState, ...]  # restart data, one per return
    map: Callable[[FinalState], FinalState]
    index: Callable[[str], int] = field(repr=False)
    units: tuple[str, ...] = ()  # of the columns of y, empty where unknown

    def unit(self, name: str) -> str:
        """Return the unit of a coordinate, rate or state, "" where it is unknown."""
        return self.units[self.index(name)] if self.units else ""

    def plot(self, horizontal: str, vertical: str, ax: Any = None) -> Any:
        """Plot two coordinates, rates or states at the returns; returns a matplotlib Figure."""
        return lookup("poincare")(self, horizontal, vertical, ax=ax)

    @property
    def final(self) -> FinalState:
        """The last return, to go on from."""
        return self.states[-1]

    @property
    def intervals(self) -> Floats:
        """Times between returns [s]."""
        return np.diff(self.t)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> Floats:
        """Return a coordinate, rate or state at all returns."""
        return np.array(self.y[:, self.index(name)])

    def __repr__(self) -> str:
        return f"<Returns: {len(self)} at {self.section}>"

    def __str__(self) -> str:
        lines = [f"{len(self)} returns to the section ({self.section})"]
        lines.append("  t [s]           " + "  ".join(f"{name:>14}" for name in self.names if name))
        columns = [k for k, name in enumerate(self.names) if name]
        rows = list(range(len(self)))
        for k in rows if len(rows) <= 12 else [*rows[:6], *rows[-6:]]:
            shown = "  ".join(f"{self.y[k, j]:>{max(14, len(self.names[j]))}.8g}" for j in columns)
            lines.append(f"  {self.t[k]:<14.9g}  {shown}")
        return "\n".join(lines)


def collect(flow: Flow, n: int, bar: Bar | None = None, skip: int = 0) -> Returns:
    """Run over `skip` returns and keep the next n."""
    section = flow.section
    assert section is not None
    t, y, events, states = [], [], [], []
    for k in range(skip + n):
        event = flow.to_section()
        flow.trace = Trace()
        if bar is not None:
            bar.add()
        if k < skip:
            continue
        t.append(flow.t)
        y.append(flow.y)
        states.append(flow.final())
        if event is not None:
            events.append(event)

    def next_return(state: FinalState) -> FinalState:
        if not isinstance(state, FinalState):
            raise UsageError(f"the map takes a state such as returns.final, got {state!r}")
        flow.begin(state)
        flow.to_section()
        return flow.final()

    return Returns(
        section=section,
        names=flow.names(),
        t=np.array(t),
        y=np.array(y).reshape(n, -1),
        events=tuple(events),
        states=tuple(states),
        map=next_return,
        index=flow.index,
        units=flow.units(),
    )


def count_of(name: str, value: Any, least: int = 0) -> int:
    """Return a count, or refuse."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise UsageError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def poincare(
    model: Model,
    section: Section | tuple[str, str],
    n: int = 100,
    *,
    transient: int = 0,
    at: At = None,
    method: Method | None = None,
    inputs: Mapping[str, float] | None = None,
    progress: bool | None = None,
) -> Returns:
    """Run a model and return its states at a section, and the map from one to the next. (T-16.2)

    section     a Section; a pair (name, kind) is one at that event
    n           how many returns
    transient   returns before the first one kept
    at          where to start: None, a state, a Solution or values by name
    method      how to integrate; tight EventDriven() or RungeKutta8() unless given
    """
    flow = Flow(model, as_section(section), method, inputs)
    n, skip = count_of("n", n, 1), count_of("transient", transient)
    flow.begin(at)
    with Bar("returns", n + skip, progress) as bar:
        return collect(flow, n, bar, skip)


@dataclass(frozen=True, eq=False)
class BifurcationDiagram:
    """Returns to a section over one parameter, found by brute force."""

    parameter: str
    values: Floats
    returns: tuple[Returns, ...]  # one per value

    def points(self, name: str) -> tuple[Floats, Floats]:
        """Return parameter and value of a coordinate, rate or state at all returns."""
        x = np.concatenate(
            [np.full(len(r), v) for v, r in zip(self.values, self.returns, strict=True)]
        )
        return x, np.concatenate([r[name] for r in self.returns])

    def periods(self, tolerance: float = 1e-4) -> list[int]:
        """Return for every value after how many returns the motion repeats itself; 0 = never.

        States count as equal within `tolerance` of the range of all returns of the diagram.
        """
        everything = np.concatenate([r.y for r in self.returns])
        scale = np.ptp(everything, axis=0)
        moving = scale > 1e-9 * scale.max(initial=0.0)  # the rest is rounding
        found = []
        for r in self.returns:
            y = r.y[:, moving] / scale[moving]
            found.append(
                next(
                    (
                        k
                        for k in range(1, len(y) // 2 + 1)
                        if np.abs(y[k:] - y[:-k]).max(initial=0.0) < tolerance
                    ),
                    0,
                )
            )
        return found

    def plot(self, name: str, ax: Any = None) -> Any:
        """Plot a coordinate, rate or state over the parameter; returns a matplotlib Figure."""
        return lookup("bifurcation")(self, name, ax=ax)

    def __repr__(self) -> str:
        return f"<BifurcationDiagram: {len(self.values)} values of {self.parameter}>"


class Family:
    """Flows of one model at any value of a parameter: an Input by name, or a function of it."""

    def __init__(
        self,
        build: Model | Callable[[float], Model],
        parameter: str,
        section: Section,
        method: Method | None,
        inputs: Mapping[str, float] | None,
    ) -> None:
        self.build, self.parameter, self.section = build, parameter, section
        self.method, self.inputs = method, dict(inputs or {})
        self._flows: dict[float, Flow] = {}
        if isinstance(build, Model):
            flow = Flow(build, section, method, inputs)
            known = flow.system.compiled.inputs
            if parameter not in known:
                listed = ", ".join(map(repr, known)) or "none"
                raise UnknownNameError(
                    f"the model has no Input {parameter!r} (there are {listed}); give a function "
                    f"that builds the model for a value instead of the model"
                )
            self._only: Flow | None = flow
        elif callable(build):
            self._only = None
        else:
            raise UsageError(
                f"a Model with Inputs or a function from a value to a Model is needed, "
                f"got {type(build).__name__}"
            )

    def at(self, value: float) -> Flow:
        """Return the flow at a value of the parameter."""
        value = float(value)
        if self._only is not None:
            self._only.system.set_inputs({**self.inputs, self.parameter: value})
            return self._only
        if value not in self._flows:
            model = self.build(value)  # type: ignore[operator]
            if not isinstance(model, Model):
                raise UsageError(
                    f"the function must return a Model, got {type(model).__name__} for "
                    f"{self.parameter} = {value:g}"
                )
            if len(self._flows) >= 6:
                self._flows.pop(next(iter(self._flows)))
            self._flows[value] = Flow(model, self.section, self.method, self.inputs)
        return self._flows[value]

    def model(self, value: float) -> Model:
        """Return the model at a value."""
        return self.at(value).system.model


def bifurcation_diagram(
    build: Model | Callable[[float], Model],
    values: Sequence[float] | Floats,
    section: Section | tuple[str, str],
    n: int = 50,
    *,
    transient: int = 200,
    parameter: str = "parameter",
    at: At = None,
    method: Method | None = None,
    inputs: Mapping[str, float] | None = None,
    progress: bool | None = None,
) -> BifurcationDiagram:
    """Run a model for many values of a parameter and return what it settles on at a section.

    build       a function from a value to a Model, or a Model whose Input `parameter` is varied
    values      the values, in the order they are run; each starts where the one before ended
    n           returns kept per value
    transient   returns before them
    A backward run, `values[::-1]`, shows the motions that coexist.
    """
    found = np.asarray(values, dtype=float).reshape(-1)
    if not found.size or not np.isfinite(found).all():
        raise UsageError(f"values must be finite numbers, got {values!r}")
    n, skip = count_of("n", n, 1), count_of("transient", transient)
    chosen = as_section(section)
    if method is None and not isinstance(build, Model) and callable(build):
        method = default_method(build(float(found[0])))
    elif method is None and isinstance(build, Model):
        method = default_method(build)
    family = Family(build, parameter, chosen, method, inputs)
    results: list[Returns] = []
    last: FinalState | None = None
    with Bar("returns", found.size * (n + skip), progress) as bar:
        for value in found:
            flow = family.at(float(value))
            if last is None:
                flow.begin(at)
            else:
                flow.set(last.t, flow.pack(last.q, last.u, last.x))
            results.append(collect(flow, n, bar, skip))
            last = results[-1].final
    return BifurcationDiagram(parameter, found, tuple(results))
