"""Stepping: a model that is advanced bit by bit, for control and learning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.state import NOT_KNOWN, Floats, State, new_counters, new_state
from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.model import Model
from cornerlaw.model.quantity import show
from cornerlaw.results import Channel, ChannelTable, Event, FinalState
from cornerlaw.results.channels import require_name
from cornerlaw.simulate.acceptance import Acceptance
from cornerlaw.simulate.arguments import as_time
from cornerlaw.simulate.channels import ChannelBook
from cornerlaw.simulate.chosen_solver import is_cascade
from cornerlaw.simulate.corner_log import (
    CornerLog,
    CornerRows,
    check_method,
    corner_count,
    corner_rows,
    set_impact_law,
)
from cornerlaw.simulate.corner_memory import fit_memory, fits_memory, give_memory, take_memory
from cornerlaw.simulate.element_checks import check_masses
from cornerlaw.simulate.element_events import ElementEvents
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.failures import Moment, check_status
from cornerlaw.simulate.memory_checks import check_given_memory
from cornerlaw.simulate.methods import Method, RungeKutta4, new_output
from cornerlaw.simulate.pool import collect_touches, pooled_pair
from cornerlaw.simulate.queries import Query
from cornerlaw.simulate.redundancy import warn_redundancy
from cornerlaw.simulate.sampling import Sampler
from cornerlaw.simulate.states import Placed, check_sizes, place
from cornerlaw.simulate.stepping import TimeStepping, let_accept
from cornerlaw.simulate.system import announce_method
from cornerlaw.simulate.touches import TouchTable
from cornerlaw.simulate.wrong_method import require_method

ROOM = 64  # rows that events may need between two looks
CHUNK = 4096  # steps of one compiled call, so that Ctrl-C is heard


@dataclass(frozen=True, eq=False)
class SimulationState(FinalState):
    """Everything a Simulation needs to go on bit by bit, the values of its inputs included."""

    inputs: Mapping[str, float] = field(default_factory=dict)


class Simulation:
    """A model at a state that is advanced step by step.

        sim = cl.Simulation(model, method=cl.RungeKutta4(dt=1e-3), dt=0.01)
        sim.set_input("torque", 0.3)
        sim.step()                       # 0.01 s with the input held
        sim["joint.angle"]               # any channel of a run, now

    method   how to integrate; RungeKutta4(dt=1e-3) unless given
    dt       the time one step() covers; the method's own step unless given
    The same calls give the same numbers bit by bit.
    """

    def __init__(self, model: Model, method: Method | None = None, dt: float | None = None) -> None:
        self.method: Any = RungeKutta4(dt=1e-3) if method is None else method
        require_method(self.method, "RungeKutta4(dt=1e-3)")
        if not is_cascade(getattr(self.method, "solver", None)):
            raise UsageError(
                "a Simulation picks its solvers itself; leave solver out of the method, "
                "or use simulate()"
            )
        self._dt, self._steps = _interval(self.method, dt)
        placed = place(model)
        warn_redundancy(placed.system, placed.t, placed.q)
        check_masses(placed.system, placed.t, placed.q, placed.u, placed.x)
        self._system, self._fingerprint = placed.system, placed.fingerprint
        self._start = placed
        self._element_events = ElementEvents(self._system)
        self._element_events.watch()
        self._acceptance = Acceptance(self._system)
        self._runner = self.method.prepare(self._system.m)
        announce_method(getattr(self._runner, "driver", None))
        nq, nu, nx = self._system.sizes
        self._sampler = Sampler(self._system, history=False)
        self._state: State = new_state(
            nq, nu, nx, self._sampler.size, memory=self._runner.memory_size
        )
        check_method(self._system, self.method)
        set_impact_law(self._system, self.method)
        self._touches = TouchTable(self._system)
        self._system.work.pool.keep[0] = 0  # impulses of many steps are nobody's result here
        self._record = self._touches.new_record(ROOM)
        self._counters = new_counters()
        self._output = new_output(self._system.m, ROOM, every=0)
        known = self._system.compiled.inputs
        self._inputs = {used.name: used.value for used in model.inputs if used.name in known}
        self._declared = dict(self._inputs)
        self._book = ChannelBook(self._system)
        self._table: ChannelTable = self._book.table()
        self._direct = self._find_direct()
        self._evaluation: Evaluation | None = None
        self._log = CornerLog(self._system)
        self._unused = take_memory(self._system.work)  # what corners carry before any step
        self.reset()

    def _find_direct(self) -> dict[str, tuple[Floats, int]]:
        """Return the channels that are entries of the state and need no evaluation."""
        c, s = self._system.compiled, self._state
        found: dict[str, tuple[Floats, int]] = {}
        for k in c.numbering.coordinates:
            if k.q >= 0:
                found[f"{k.part}.{k.name}"] = (s.q, k.q)
            found[f"{k.part}.{k.rate}"] = (s.u, k.u)
        found.update({f"{part}.{name}": (s.x, j) for j, (part, name) in enumerate(c.x_names)})
        return {name: entry for name, entry in found.items() if name in self._table}

    @property
    def model(self) -> Model:
        """The model that is stepped."""
        return self._system.model

    @property
    def dt(self) -> float:
        """The time one step() covers [s]."""
        return self._dt

    @property
    def t(self) -> float:
        """The present time [s]."""
        return float(self._state.t[0])

    @property
    def q(self) -> Floats:
        """A copy of the positions."""
        return self._state.q.copy()

    @property
    def u(self) -> Floats:
        """A copy of the velocities."""
        return self._state.u.copy()

    @property
    def x(self) -> Floats:
        """A copy of the other states."""
        return self._state.x.copy()

    @property
    def inputs(self) -> Mapping[str, float]:
        """The values of the model's Inputs by name."""
        return MappingProxyType(self._inputs)

    @property
    def channels(self) -> ChannelTable:
        """The table of everything that can be asked for by name."""
        return self._table

    def set_input(self, name: str, value: float) -> None:
        """Set an Input; it holds until it is set again."""
        number = self._system.set_inputs({require_name(name): value})[name]
        if number != self._inputs[name]:
            self._inputs[name] = number
            self._element_events.follow(self._state)
            # the history of the method holds rates for the old value
            self._runner.restart(self._state)
            self._evaluation = None

    def step(self, n: int = 1, *, duration: float | None = None) -> None:
        """Advance by n intervals dt, or by a duration [s]."""
        if duration is None:
            if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
                raise UsageError(
                    f"step: n must be a count of steps, got {show(n)}; use duration= for seconds"
                )
            broken = self._sampler.holders or self._element_events.places or self._acceptance.parts
            if self._steps and not broken:
                self._advance(math.inf, int(n) * self._steps)
                return
            for _ in range(int(n)):
                self._advance(self.t + self._dt, None)
            return
        seconds = as_time("duration", duration)
        if not 0.0 <= seconds < math.inf:
            raise UsageError(f"step: duration must be a finite time, not negative, got {duration}")
        self._advance(self.t + seconds, None)

    def _advance(self, t_end: float, steps: int | None) -> None:
        """Run to t_end or for a number of steps of the method."""
        s = self._system
        self._evaluation = None
        left = CHUNK if steps is None else steps
        self._acceptance.begin(self.t)
        while left > 0:
            now = self._acceptance.allowed(1 if s.at_last else min(left, CHUNK))
            now = self._element_events.allowed(now, isinstance(self.method, TimeStepping))
            let_accept(self.method, self._runner, s.has_asked_all)
            until = self._sampler.prepare(self._state, t_end, self._runner)
            before = int(self._counters.steps[0])
            try:
                status = self._runner.run(
                    s.m, s.w, self._state, self._record, self._counters, until, self._output, now
                )
            finally:
                # an interrupted call must not leave values held for others
                self._sampler.release()
            if steps is not None:
                # a call may end early: at a full log, at a problem or pool that needs more
                left -= int(self._counters.steps[0]) - before
            jumped = self._record.side[self._record.n[0] - 1] == 1
            self._record.n[0] = 0
            self._log.flush()
            s.raise_interrupt()
            self._element_events.check(self.t)
            fired: list[int] = []
            if status == codes.STOPPED:
                log = self._log if isinstance(self.method, TimeStepping) else None
                fired = self._element_events.fired(self._output.crossings)
                fired, _ = self._element_events.settle(fired, self._state, self._runner, log)
            self._acceptance.after_call(status, self._state, self._runner)
            self._element_events.after_call(status, self._state, self._runner)
            if status == codes.STOPPED:
                self._element_events.handle(fired, self._state, self._runner, bool(jumped))
                continue
            if s.goes_on(status):
                self._record = self._touches.fit(self._record)
                continue
            if status >= codes.STEP_TOO_SMALL:
                state = self._state
                moment = Moment(state.q, state.u, state.x, getattr(self.method, "dt", 0.0))
                check_status(s, status, self.t, moment)
            if status == codes.DONE and until >= t_end:
                return

    def reset(self) -> None:
        """Return to the initial values of the model, inputs and time included."""
        from cornerlaw.kernels.slots import forget_failures

        s, start = self._state, self._start
        s.t[0], s.dt[0], s.memory[:] = start.t, 0.0, 0.0
        s.q[:], s.u[:], s.x[:] = start.q, start.u, start.x
        self._sampler.forget(s)
        self._element_events.forget()
        forget_failures(self._system.compiled.functions.labels)
        self._system.set_inputs(self._declared)
        self._inputs.update(self._declared)
        self._give_memory(self._unused, 0)
        self._log = CornerLog(self._system)
        self._evaluation = None
        for counter in self._counters:
            counter[0] = 0

    def _give_memory(self, corners: Floats, solver: int) -> bool:
        """Put back what corners carried and how their problems were solved, if it is of this model.

        Contacts remember forces, guesses and directions, and a run keeps to a stronger solver of
        their problems once it needed one: both have a part in the bits of the next step.
        """
        fit_memory(self._system, corners)
        self._record = self._touches.fit(self._record)
        if not fits_memory(self._system.work, corners):
            return False
        give_memory(self._system.work, corners)
        self._system.use_solver(solver)
        return True

    def get_state(self) -> SimulationState:
        """Return the state as data that `set_state` and `simulate(initial=...)` go on from."""
        s = self._state
        return SimulationState(
            t=self.t,
            q=s.q,
            u=s.u,
            x=s.x,
            z=s.z,
            memory=s.memory,
            dt=float(s.dt[0]),
            fingerprint=self._fingerprint,
            method=repr(self.method),
            inputs=MappingProxyType(dict(self._inputs)),
            corners=take_memory(self._system.work),
            solver=self._system.solver_strength,
        )

    def set_state(self, state: FinalState) -> None:
        """Go back (or on) to a state; that of this simulation is continued bit by bit.

        A state of another run gives time, positions, velocities and other states; inputs stay.
        """
        if not isinstance(state, FinalState):
            raise UsageError(f"set_state needs what get_state or sol.final gave, got {show(state)}")
        check_sizes(self._system, state.q, state.u, state.x)
        same = state.fingerprint == self._fingerprint and state.method == repr(self.method)
        s = self._state
        if same and state.memory.size == s.memory.size:
            kept = take_memory(self._system.work), self._system.solver_strength
            fit_memory(self._system, state.corners)
            try:
                check_given_memory(self._system, state.corners, state.memory)
            except UsageError:
                self._give_memory(*kept)  # what was refused must leave no trace
                raise
        s.t[0] = state.t
        s.q[:], s.u[:], s.x[:] = state.q, state.u, state.x
        self._sampler.forget(s)
        if state.fingerprint == self._fingerprint:
            self._sampler.resume(s, state.z)
        if isinstance(state, SimulationState):
            self._system.set_inputs(dict(state.inputs))
            self._inputs.update(state.inputs)
        elif self._inputs:
            same = False  # its rates may belong to other inputs
        same = same and state.memory.size == s.memory.size
        # what corners carry belongs to the state
        if same and self._give_memory(state.corners, state.solver):
            s.memory[:] = state.memory
            s.dt[0] = state.dt
        else:
            self._give_memory(self._unused, 0)  # a state from elsewhere
            self._element_events.follow(s)
            self._runner.restart(s)
            s.dt[0] = 0.0
        self._evaluation = None

    def __getitem__(self, name: str) -> Any:
        """Return the present value of "part.quantity" or of one component of it."""
        direct = self._direct.get(require_name(name))
        if direct is not None:
            return float(direct[0][direct[1]])
        book, (channel, entry) = self._resolve(name)
        values = book.rules[channel.name](self._evaluated())[0]
        if entry is not None:
            values = np.reshape(values, -1)[entry]
        return float(values) if np.ndim(values) == 0 else np.array(values)

    def _resolve(self, name: str) -> tuple[ChannelBook, tuple[Channel, int | None]]:
        """Return the channel that a name means; pooled contacts have some while they touch."""
        try:
            return self._book, self._table.resolve(name)
        except UnknownNameError:
            if not pooled_pair(self._system, name):
                raise
        touches = self._evaluated().pooled.entries
        book = ChannelBook(self._system, touches)
        try:
            return book, book.table().resolve(name)
        except UnknownNameError:
            pair = pooled_pair(self._system, name)
            raise UnknownNameError(f"The contours of '{pair}' do not touch now.") from None

    def _corners(self) -> CornerRows | None:
        """Return states and impulses of the corners after the last step."""
        k = self._system.work.k
        if not self._system.has_corners:
            return None
        stepping = isinstance(self.method, TimeStepping)
        impulses = (k.lam.copy() if stepping else np.zeros_like(k.lam))[None]
        status = k.shown.astype(np.int8)[None]
        touches, work = None, self._system.work
        shown = np.where(work.contact_shown != NOT_KNOWN, work.contact_shown, work.contact_id)
        if self._touches.pooled:
            slots = int(self._system.arrays.pool.place_slots.sum())
            rows = (work.pool.pair[None], shown[None, -slots:], np.zeros(1))
            touches = collect_touches(self._system, status, impulses, *rows)
        return CornerRows(
            status[:, : corner_count(self._system)],
            impulses[:, : corner_rows(self._system)],
            np.zeros(1, np.int8),
            stepping,
            duration=getattr(self.method, "dt", None),
            touches=touches,
            points=shown[None, : self._touches.slots],
        )

    @property
    def events(self) -> tuple[Event, ...]:
        """All events since the start or the last reset."""
        found = [*self._log.events, *self._element_events.events]
        return tuple(sorted(found, key=lambda event: event.time))

    def _evaluated(self) -> Evaluation:
        if self._evaluation is None:
            s = self._state
            work = self._system.work
            corners = take_memory(work)  # evaluating uses the memory of the next step
            work.f_ext[:] = 0.0
            q, u, x = s.q[None].copy(), s.u[None].copy(), s.x[None].copy()
            self._evaluation = Evaluation(
                self._system, s.t.copy(), q, u, x, self._corners(), sampler=self._sampler
            )
            # wrenches of the rows are left in the scratch arrays and must not act in the next step
            _ = self._evaluation.outputs
            work.f_ext[:] = 0.0
            give_memory(work, corners)
        return self._evaluation

    def query(self) -> Query:
        """Return the present state, ready for questions (mass matrix, Jacobians, ...)."""
        s = self._state
        placed = Placed(self._system, self._fingerprint, self.t, s.q.copy(), s.u.copy(), s.x.copy())
        return Query(placed)

    def __repr__(self) -> str:
        return f"<Simulation of {self.model.name!r} at t = {self.t:g} s, {self.method!r}>"

    def __str__(self) -> str:
        steps = int(self._counters.steps[0])
        lines = [
            f'Simulation of "{self.model.name}"',
            f"  time    {self.t:g} s after {steps} steps of {self.method!r}",
            f"  step    {self._dt:g} s",
        ]
        lines += [f"  input   {name} = {value:g}" for name, value in self._inputs.items()]
        lines += [f"  {name} = {entry[0][entry[1]]:.6g}" for name, entry in self._direct.items()]
        return "\n".join(lines)


def _interval(method: Any, dt: float | None) -> tuple[float, int]:
    """Return the interval of step() and how many steps of the method it is (0: not a multiple)."""
    own = getattr(method, "dt", None)
    if dt is None:
        if own is None:
            raise UsageError(
                f"{type(method).__name__} chooses its own steps: give dt, the time of one step()"
            )
        return float(own), 1
    interval = as_time("dt", dt, "Simulation")
    if interval <= 0.0:
        raise UsageError(f"dt must be positive, got {interval:g} s")
    if own is None:
        return interval, 0
    count = round(interval / own)
    # a multiple up to rounding keeps the grid of the method
    return interval, count if count > 0 and abs(interval - count * own) < 1e-9 * own else 0
