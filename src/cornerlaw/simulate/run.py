"""simulate(): run a model forward in time."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.state import (
    Counters,
    Floats,
    Record,
    State,
    new_counters,
    new_state,
)
from cornerlaw.errors import (
    CornerlawError,
    FileError,
    SimulationError,
    UnknownNameError,
    UsageError,
)
from cornerlaw.kernels.integrators.layout import NEXT_EVAL, T_SHARED
from cornerlaw.model import (
    LagrangianSystem,
    Model,
    Stop,
)
from cornerlaw.model.arguments import clear_call
from cornerlaw.model.quantity import show, strip_unit
from cornerlaw.model.scene import describe_scene
from cornerlaw.results import Event, FinalState, RunInfo, Solution, installed_versions
from cornerlaw.simulate.acceptance import Acceptance
from cornerlaw.simulate.arguments import as_flag, as_time, as_times
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.corner_log import (
    CornerLog,
    CornerRows,
    check_laws,
    check_method,
    corner_count,
    corner_rows,
    set_impact_law,
)
from cornerlaw.simulate.corner_memory import fit_memory, fits_memory, give_memory
from cornerlaw.simulate.element_checks import check_elements
from cornerlaw.simulate.element_events import ElementEvents, Indicator
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.event_driven import EventDriven
from cornerlaw.simulate.failures import Moment, failure
from cornerlaw.simulate.fingerprint import fingerprint
from cornerlaw.simulate.finite import energies_not_finite
from cornerlaw.simulate.grain_run import simulate_grains
from cornerlaw.simulate.granular import has_grains
from cornerlaw.simulate.limits import Limits, measure
from cornerlaw.simulate.memory import bytes_of
from cornerlaw.simulate.memory_checks import check_given_memory
from cornerlaw.simulate.methods import LastStep, Method, Output, RungeKutta8, new_output
from cornerlaw.simulate.on_demand import OnDemand
from cornerlaw.simulate.penetration import CHOICES, check_penetration
from cornerlaw.simulate.progress import Progress
from cornerlaw.simulate.recorder import EVERY, Recorder
from cornerlaw.simulate.redundancy import warn_redundancy
from cornerlaw.simulate.sampling import Sampler
from cornerlaw.simulate.signals import Signals
from cornerlaw.simulate.stepping import TimeStepping, let_accept
from cornerlaw.simulate.system import System, announce_method
from cornerlaw.simulate.touches import TouchTable
from cornerlaw.simulate.wrong_method import require_method

ROWS = 4096  # rows of the record before it is emptied
PATIENCE = 0.1  # seconds of compiled work between two looks at the keyboard
MOST_STEPS = 10**9  # of one compiled call; calls that end at samples would let it grow for ever


@clear_call
def simulate(
    model: Model,
    t_end: float,
    *,
    method: Method | None = None,
    t_start: float | None = None,
    t_eval: Sequence[float] | Floats | None = None,
    every: int = 1,
    initial: FinalState | Solution | None = None,
    stop: Stop | Sequence[Stop] = (),
    inputs: Mapping[str, float] | None = None,
    progress: bool | None = None,
    max_steps: int | None = None,
    profile: bool = False,
    penetration: str = "project",
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = EVERY,
    resume: bool = False,
    limits: Limits | None = None,
    strict: bool = False,
) -> Solution:
    """Run a model from its initial values to `t_end` and return the results by name.

    method      how to integrate; RungeKutta8() unless given, with contacts EventDriven()
    t_eval      output times; else every `every`-th step is stored
    initial     restart from `sol.final` (or a Solution) instead of the model's initial values
    stop        conditions that end the run
    inputs      values of the model's Inputs for this run
    progress    True or False; None shows a bar on a terminal once a run lasts two seconds
    max_steps   end the run with an error after this many steps
    profile     measure the time of every stage of the compiled loop in `sol.profile`
    penetration  "project" moves contacts apart that start inside each other and reports them,
                "refuse" makes an error of them (time stepping without stabilise leaves them alone)
    checkpoint  folder that the run is recorded in, so that nothing is lost if it is killed;
                `cl.load` reads it, `cl.resume` goes on from it
    checkpoint_every  seconds of work between two entries of the record
    resume      go on with the run that the checkpoint holds, which must be this one
    limits      what residuals, penetrations, drifts and energies must not exceed, else the status
                of the run is "degraded"
    strict      make an error of every warning and of every run that is not all right

    Ctrl-C ends the run and returns what was computed, with status "interrupted".
    """
    for name, flag in (("profile", profile), ("resume", resume), ("strict", strict)):
        as_flag(name, flag)
    if progress is not None:
        as_flag("progress", progress)
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"limits must be Limits(...), got {show(limits)}")
    if resume and checkpoint is None:
        raise UsageError("resume needs the checkpoint to go on from")
    _check_every(every)
    if max_steps is not None and (
        isinstance(max_steps, bool) or not isinstance(max_steps, int | np.integer) or max_steps < 1
    ):
        raise UsageError(f"max_steps must be a whole number of at least 1, got {show(max_steps)}")
    if inputs is not None and not isinstance(inputs, Mapping):
        raise UsageError(f"inputs must be a dict from names to numbers, got {show(inputs)}")
    if not isinstance(stop, Stop | list | tuple):
        raise UsageError(f"stop must be Stop conditions, got {type(stop).__name__}")
    end = as_time("t_end", t_end)
    start = None if t_start is None else as_time("t_start", t_start)
    if has_grains(model):
        _refuse_for_grains(checkpoint is not None or limits is not None, stop, inputs, penetration)
        if strict and model.warnings:
            raise SimulationError(f"strict: {model.warnings[0]}")
        solution = simulate_grains(
            model, end, method, t_start=start, t_eval=t_eval, every=int(every), initial=initial,
            progress=progress, max_steps=max_steps, profile=profile,
        )  # fmt: skip
        _raise_trouble(solution, None, strict)
        return solution
    chosen = default_method(model) if method is None else method
    require_method(chosen)
    system = System(model, chosen)
    values = system.set_inputs(dict(inputs or {}))
    recorder = None if checkpoint is None else Recorder(checkpoint, checkpoint_every, resume)
    run = _Run(system, chosen, initial, start)
    run.inputs, run.recorder = values, recorder
    run.limits, run.strict = limits, bool(strict)
    if profile:
        system.time_stages()
    run.warnings += check_laws(system, chosen)
    if recorder is not None and recorder.t_start is not None:
        run.state.t[0] = recorder.t_start
    elif run.carried is None:  # a run that goes on has said so before
        run.warnings += check_penetration(system, chosen, run.state, penetration, run.inputs)
    if strict and run.warnings:
        raise SimulationError(f"strict: {run.warnings[0]}")
    times = run.output_times(t_eval, end)
    run.set_stops((stop,) if isinstance(stop, Stop) else tuple(stop))
    return run.execute(end, times, int(every), progress, max_steps)


def _refuse_for_grains(recorded: bool, stop: Any, inputs: Any, penetration: Any) -> None:
    """Refuse options that runs of Grains do not know."""
    if recorded:
        raise UsageError("runs of Grains have neither checkpoints nor limits yet")
    if not isinstance(stop, Stop) and not stop:
        stop = None
    if stop is not None:
        raise UsageError(
            "stop: the balls of Grains have no coordinates that a Stop could watch; end such a run "
            "by t_end, look at it and go on with initial="
        )
    if inputs:
        name = show(next(iter(inputs)))
        raise UnknownNameError(f"the model has no Input named {name}; Grains have none")
    if not isinstance(penetration, str) or penetration not in CHOICES:
        raise UsageError(f"penetration must be 'project' or 'refuse', got {show(penetration)}")
    if penetration == "refuse":
        raise UsageError(
            "penetration='refuse' is not known to Grains: balls that overlap are moved apart as "
            "fast as Granular(push=...) allows, and worst_penetration tells how deep they were"
        )


def _check_every(every: Any) -> None:
    if isinstance(every, bool) or not isinstance(every, int | np.integer) or not 1 <= every < 2**62:
        raise UsageError(f"every must be a whole number of at least 1, got {show(every)}")


def default_method(model: Model) -> Method:
    """Return the method of a run whose caller chose none."""
    if not isinstance(model, Model):
        return RungeKutta8()  # what is no model is refused in a moment
    has_corners = any(
        part.ROLE in ("contact", "corner") or getattr(part, "is_set_valued", False)
        for part in model.parts
    ) or any(
        joint.friction is not None or joint.limits is not None  # type: ignore[attr-defined]
        for joint in model.joints
    )
    return EventDriven() if has_corners else RungeKutta8()


def align(times: Floats, t0: float, dt: float | None) -> Floats:
    """Return the times with those that are ends of equal steps, up to rounding, exactly there.

    Otherwise such a row would belong to the step behind it, and the mean force up to it as well.
    """
    if not dt:
        return times
    grid = t0 + np.round((times - t0) / dt) * dt
    return np.where(np.abs(times - grid) < 1e-9 * dt, np.minimum(grid, times[-1:]), times)


class _Run:
    """One call of simulate: the state, the driver and the rows so far."""

    is_late = False  # names and restart data are made when asked for, not at the end of the run
    steps_per_second = 0.0  # of the run before, if there was one
    late: weakref.ref[OnDemand] | None = None  # what is left to questions about the results

    def __init__(
        self,
        system: System,
        method: Any,
        initial: FinalState | Solution | None,
        t_start: float | None,
    ) -> None:
        self.system, self.method = system, method
        self.fingerprint = fingerprint(system)
        self.warnings: list[str] = list(system.model.warnings)
        self.stops: list[Stop] = []
        self.inputs: dict[str, float] = {}
        self.recorder: Recorder | None = None
        self.limits: Limits | None = None
        self.strict = False
        self.failure: SimulationError | None = None
        self.signals = Signals()
        self.carried: Floats | None = None  # what the corners of an earlier run have left
        self.solver = 0  # and the solver of contact problems that it had come to
        self.profile = {"compile": system.build_time}
        began = time.perf_counter()
        q, u, x = initial_state(system, float(t_start or 0.0))
        mobility = warn_redundancy(system, float(t_start or 0.0), q)
        if mobility.redundant:
            self.warnings.append(mobility.warning)
        self.profile["assemble"] = time.perf_counter() - began
        self.warnings += check_elements(system, float(t_start or 0.0), q, u, x)
        check_method(system, method)
        set_impact_law(system, method)
        self.touches = TouchTable(system)
        self.log = CornerLog(system)
        self.stepping = isinstance(method, TimeStepping)
        self.runner = method.prepare(system.m)
        announce_method(getattr(self.runner, "driver", None))
        nq, nu, nx = system.sizes
        self.sampler = Sampler(system)
        self.element_events = ElementEvents(system)
        self.acceptance = Acceptance(system)
        self.state: State = new_state(nq, nu, nx, self.sampler.size, memory=self.runner.memory_size)
        self.state.t[0] = self.t_begin = float(t_start or 0.0)
        self.state.q[:], self.state.u[:], self.state.x[:] = q, u, x
        if initial is not None:
            self._restart(initial.final if isinstance(initial, Solution) else initial, t_start)

    def _restart(self, final: FinalState, t_start: float | None) -> None:
        if not isinstance(final, FinalState):
            raise UsageError(
                f"initial must be a Solution or its .final, got {type(final).__name__}; initial "
                f"values of single parts belong to the model"
            )
        nq, nu, nx = self.system.sizes
        if (final.q.size, final.u.size, final.x.size) != (nq, nu, nx):
            raise UsageError(
                f"the initial state has {final.q.size} positions, {final.u.size} velocities and "
                f"{final.x.size} states, the model {nq}, {nu} and {nx}"
            )
        s = self.state
        s.q[:], s.u[:], s.x[:] = final.q, final.u, final.x
        s.t[0] = final.t if t_start is None else float(t_start)
        same = final.fingerprint == self.fingerprint and final.method == repr(self.method)
        same = same and t_start is None and final.memory.size == s.memory.size
        if same:
            fit_memory(self.system, final.corners)
        same = same and fits_memory(self.system.work, final.corners)
        if same:
            check_given_memory(self.system, final.corners, final.memory)
            # the same run goes on: history and step size make it the same bits
            s.memory[:] = final.memory
            self.carried, self.solver = final.corners, final.solver
            s.dt[0] = final.dt
        else:
            self.element_events.follow(s)
        if final.fingerprint == self.fingerprint and t_start is None:
            self.sampler.resume(s, final.z)

    def energy_faults(self, late: OnDemand, evaluation: Evaluation) -> list[str]:
        """Return a sentence for every element whose stored energy is not finite."""
        if not any(element.energy_address for element in self.system.compiled.elements):
            return []
        end = late.final.corners  # evaluating uses the memory that it is taken from
        found = energies_not_finite(evaluation)
        give_memory(self.system.work, end)
        return found

    def output_times(self, t_eval: Any, t_end: float) -> Floats | None:
        """Check end and output times."""
        t0 = float(self.state.t[0])
        if t_end < t0:
            raise UsageError(f"t_end = {t_end:g} s lies before the start at {t0:g} s")
        if t_eval is None:
            return None
        times = as_times(t_eval, t0, t_end)
        return align(times, t0, getattr(self.method, "dt", None))

    def set_stops(self, stops: tuple[Stop, ...]) -> None:
        """Turn stop conditions into root functions on coordinates, rates, states or time."""
        conditions: list[Indicator] = []
        for stop in stops:
            if not isinstance(stop, Stop):
                raise UsageError(f"stop must be Stop conditions, got {type(stop).__name__}")
            k, i, unit = self._quantity(stop)
            for field, sign in (("above", 1), ("below", -1)):
                value = getattr(stop, field)
                if value is not None:
                    if unit:
                        strip_unit(getattr(value, "unit", None), stop.where(field), unit)
                    conditions.append(Indicator(k, i, sign, float(value)))
                    self.stops.append(stop)
        self.element_events.watch(conditions)
        self.runner.allocate(self.system.m)
        if self.state.memory.size != self.runner.memory_size:
            self.state = self.state._replace(memory=np.zeros(self.runner.memory_size))

    def _quantity(self, stop: Stop) -> tuple[int, int, str]:
        """Return kind, index and unit of what a stop condition watches."""
        c = self.system.compiled
        if stop.quantity == "t":
            return 3, 0, "s"
        # results write a component with a dot, coordinates have it in their name
        stem, _, last = stop.quantity.rpartition(".")
        for wanted in (stop.quantity, f"{stem}_{last}"):
            for k in c.numbering.coordinates:
                if wanted == f"{k.part}.{k.name}" and k.q >= 0:
                    return 0, k.q, k.unit
                if wanted == f"{k.part}.{k.rate}":
                    return 1, k.u, k.unit and f"{k.unit}/s"
        for j, (part, name) in enumerate(c.x_names):
            if stop.quantity == f"{part}.{name}":
                return 2, j, ""
        known = [f"{k.part}.{k.name}" for k in c.numbering.coordinates if k.q >= 0]
        raise UsageError(
            f"{stop.label}: {stop.quantity!r} is neither a coordinate, a rate, a state nor 't'; "
            f"coordinates are {', '.join(known[:8])}"
        )

    def execute(
        self,
        t_end: float,
        times: Floats | None,
        every: int,
        progress: bool | None,
        max_steps: int | None,
    ) -> Solution:
        """Advance in chunks until the end, a stop, a failure or Ctrl-C."""
        if self.recorder is None:
            return self._execute(t_end, times, every, progress, max_steps)
        try:
            self.recorder.begin(self, t_end, times, every)
            with Signals() as signals:
                self.signals = signals
                return self._execute(t_end, times, every, progress, max_steps)
        finally:
            self.recorder.close()

    def _execute(
        self,
        t_end: float,
        times: Floats | None,
        every: int,
        progress: bool | None,
        max_steps: int | None,
    ) -> Solution:
        from cornerlaw.kernels.slots import forget_failures

        forget_failures(self.system.compiled.functions.labels)
        system, state, recorder = self.system, self.state, self.recorder
        self.t_begin = float(state.t[0])
        record, output, counters = self.buffers(times, every)
        rows: list[tuple[Floats, ...]] = []
        budget = max(64, int(self.steps_per_second * PATIENCE))  # steps of the first call
        status, message = int(codes.PAUSED), ""
        lost: FileError | None = None
        if recorder is not None:
            status = recorder.restore(self, output, counters, rows)
        if self.carried is not None:
            # not before: checks of the start look at contacts as well
            fit_memory(system, self.carried)
            give_memory(system.work, self.carried)
            system.use_solver(self.solver)
        record = self.touches.fit(record)
        before = 0.0 if recorder is None else recorder.wall_before
        self.acceptance.begin(float(state.t[0]))
        bar = Progress(float(state.t[0]), t_end, progress)
        began = time.perf_counter()
        try:
            while status in (codes.PAUSED, codes.BUFFER_FULL):
                tick = time.perf_counter()
                allowed = (
                    budget if max_steps is None else min(budget, max_steps - int(counters.steps[0]))
                )
                if system.at_last:
                    allowed = min(allowed, 1)
                if allowed <= 0:
                    message = f"the run was ended after max_steps = {max_steps} steps"
                    break
                allowed = self.acceptance.allowed(allowed)
                allowed = self.element_events.allowed(allowed, self.stepping)
                limit = len(rows) if self.element_events.restarted else -1
                let_accept(self.method, self.runner, system.has_asked_all)
                until = self.sampler.prepare(state, t_end, self.runner)
                status = self.runner.run(
                    system.m, system.w, state, record, counters, until, output, allowed
                )
                self.sampler.release()
                self.touches.flush(record, rows)
                self.log.flush()
                system.raise_interrupt()
                self.element_events.check(float(state.t[0]))
                if len(rows) == limit:
                    self._finish_limit(rows)
                status = self._tell_elements(status, rows, output)
                if status == codes.DONE and until < t_end:
                    if self.sampler.jumps:
                        self._enter_sample(rows, output)
                    status = codes.PAUSED
                if system.goes_on(status):
                    record = self.touches.fit(record)
                    status = codes.PAUSED
                elapsed = time.perf_counter() - tick
                # aim at PATIENCE seconds per call
                most = min(4 * budget, MOST_STEPS)
                budget = int(np.clip(budget * PATIENCE / max(elapsed, 1e-4), 1, most))
                bar.show(float(state.t[0]))
                # the last row of an event is finished by the next call
                between = not self.element_events.restarted
                if recorder is not None and between and status in (codes.PAUSED, codes.BUFFER_FULL):
                    wall = before + time.perf_counter() - began
                    if self.signals.received:
                        message = "interrupted"
                        break
                    if recorder.due:
                        recorder.write(self, rows, output, counters, status, wall)
        except KeyboardInterrupt:
            self.touches.flush(record, rows)
            self.log.flush()
            message = "interrupted"
            recorder = None  # the state may be that of half a step
        except FileError as error:
            # the record cannot be written; what was computed must not be lost with it
            lost, message, recorder = error, "interrupted", None
        finally:
            # an interrupted call must not leave values held for others
            self.sampler.release()
            bar.close()
        wall = before + time.perf_counter() - began
        self.steps_per_second = int(counters.steps[0]) / max(wall, 1e-6)
        if system.watch is not None:
            self.profile.update(system.watch.seconds)
        solution = self._solution(rows, status, message, counters, output, wall)
        try:
            if recorder is not None:
                recorder.write(self, rows, output, counters, status, wall, solution)
        except FileError as error:
            lost = error
        _raise_trouble(solution, lost or self.failure, self.strict)
        return solution

    def buffers(self, times: Floats | None, every: int) -> tuple[Record, Output, Counters]:
        """Return empty rows, the plan of the output and counters at zero."""
        record = self.touches.new_record(ROWS)
        output: Output = new_output(self.system.m, record.t.size, t_eval=times, every=every)
        return record, output, new_counters()

    def statistics(self, counters: Any) -> dict[str, int | float]:
        """Return what the run cost so far and how far it can be trusted."""
        cost = {name: int(getattr(counters, name)[0]) for name in counters._fields}
        return {**cost, **self.log.statistics()}

    def no_rows(self) -> list[Any]:
        """Return the columns of no row at all."""
        empty = [np.zeros((0, n)) for n in self.system.sizes]
        corners = np.zeros((0, corner_count(self.system)), np.int8)
        points = np.zeros((0, self.touches.slots), np.int64)
        impulses = np.zeros((0, self.touches.width))
        return [np.zeros(0), *empty, np.zeros(0, np.int8), corners, points, impulses]

    def _tell_elements(self, status: int, rows: list[Any], output: Output) -> int:
        """Let elements see the step and the events that a compiled call has ended with.

        Returns the status, at events PAUSED, or STOPPED where a stop condition crosses as well.
        """
        fired = self._settle_events(rows, output) if status == codes.STOPPED else []
        if self.acceptance.after_call(status, self.state, self.runner):
            self._accept_row(rows)
        if self.element_events.after_call(status, self.state, self.runner):
            self._accept_row(rows)
        return self._pass_events(fired, rows, output) if status == codes.STOPPED else status

    def _settle_events(self, rows: list[Any], output: Output) -> list[int]:
        """Return what crossed, with the state and its one row where that happens."""
        fired = self.element_events.fired(output.crossings)
        # every crossing has stored the same row
        if len(fired) > 1:
            rows[-1] = tuple(part[: 1 - len(fired)] for part in rows[-1])
        log = self.log if self.stepping else None
        fired, last = self.element_events.settle(fired, self.state, self.runner, log)
        if last is not None:
            self._move_row(rows, output, last)
        return fired

    def _pass_events(self, fired: list[int], rows: list[Any], output: Output) -> int:
        """Handle events of elements at the state, stored as a left and a right limit."""
        n = len(self.element_events.places)
        mine, stops = [i for i in fired if i < n], [i for i in fired if i >= n]
        # an impact has its right limit already, of which this row is another one
        jumped = bool(rows[-1][4][-1] == 1)
        if mine:
            self.element_events.handle(mine, self.state, self.runner, jumped)
            rows[-1][4][-1] = -1
            t, q, u, x, side, status, points, Lambda = (part[-1:].copy() for part in rows[-1])
            u[:], x[:], side[:], Lambda[:] = self.state.u, self.state.x, 1, 0.0
            rows.append((t, q, u, x, side, status, points, Lambda))
        elif jumped:
            rows[-1] = tuple(part[:-1] for part in rows[-1])
        if stops:
            output.stopped[0] = stops[0]
            return int(codes.STOPPED)
        return int(codes.PAUSED)

    def _finish_limit(self, rows: list[Any]) -> None:
        """Let the row behind an event show the states of corners that the event has left."""
        shown = self.system.work.k.shown
        if rows and rows[-1][0][-1] == self.state.t[0] and shown.size:
            rows[-1][5][-1] = shown[: rows[-1][5].shape[1]]

    def _move_row(self, rows: list[Any], output: Output, last: LastStep) -> None:
        """Move the last row to the end of its step, behind rows asked for on the way there."""
        from cornerlaw.kernels.rates import project_position, project_velocity

        row = tuple(part[-1:].copy() for part in rows[-1])
        rows[-1] = tuple(part[:-1] for part in rows[-1])
        system, cuts, inner = self.system, np.cumsum(self.system.sizes[:2]), row[4:]
        # of its impulses those since the row before act evenly up to the end, others are older
        n, begin = corner_rows(system), float(self.state.memory[T_SHARED])
        older = system.work.k.Lambda_A[:n].copy()
        rate = (row[-1][0, :n] - older) / (last.t_end - begin)
        # the row itself may have been asked for, and the last one may be the end
        due = output.t_eval[(output.t_eval >= row[0][0]) & (output.t_eval <= last.t_end)]
        output.progress[NEXT_EVAL] = int(np.sum(output.t_eval <= last.t_end))
        for t in due[due < last.t_end]:
            y = last.beyond((t - last.t_end) / (last.t_end - last.t_begin))[1]
            q, u, x = np.split(y, cuts)
            system.see_states(x)
            project_position(system.m, system.w, float(t), q)
            project_velocity(system.m, system.w, float(t), q, u)
            side, status, points, Lambda = (part.copy() for part in inner)
            Lambda[:] = 0.0
            Lambda[0, :n] = older + (t - begin) * rate
            row[-1][0, :n] -= Lambda[0, :n]
            older[:], begin = 0.0, float(t)
            at = np.array([t]), q[None], u[None], x[None]
            rows.append((*at, side, status, points, Lambda))
        q, u, x = (part[None] for part in np.split(last.y_end.copy(), cuts))
        rows.append((np.array([last.t_end]), q, u, x, *inner))

    def _accept_row(self, rows: list[Any]) -> None:
        """Let a row at the end of the step show the discrete states that it left."""
        if rows and rows[-1][0][-1] == self.state.t[0]:
            rows[-1][3][-1] = self.state.x

    def _enter_sample(self, rows: list[Any], output: Output) -> None:
        """Store the state at a sample as a left and a right limit, where steps are stored."""
        if output.every[0] > 0 and rows:
            rows[-1][4][-1] = -1
            t, q, u, x, side, status, points, Lambda = (part[-1:].copy() for part in rows[-1])
            side[:], Lambda[:] = 1, 0.0
            rows.append((t, q, u, x, side, status, points, Lambda))

    def _solution(
        self, rows: list[Any], status: int, message: str, counters: Any, output: Any, wall: float
    ) -> Solution:
        system, state = self.system, self.state
        stops: list[Event] = []
        self.failure = None
        word = {codes.DONE: "done", codes.STOPPED: "stopped"}.get(status, "failed")
        if message == "interrupted":
            word = "interrupted"
        elif status == codes.STOPPED:
            stop = self.stops[int(output.stopped[0]) - len(self.element_events.places)]
            stops.append(Event(float(state.t[0]), stop.name, "stop", {}))
            message = f"stopped by '{stop.name}'"
        elif word == "failed" and not message:
            moment = Moment(state.q, state.u, state.x, getattr(self.method, "dt", 0.0))
            self.failure = failure(system, status, float(state.t[0]), moment)
            message = str(self.failure)
        if word in ("done", "stopped") and self.log.unsolved:
            word = "degraded"
            message = f"{self.log.unsolved} contact problems stayed above the tolerance"
        elif word in ("done", "stopped") and self.log.unsettled:
            word = "degraded"
            message = f"{self.log.unsettled} friction bounds did not settle with their reactions"
        self.warnings += self.log.warnings()
        columns = [np.concatenate(parts) for parts in zip(*rows, strict=True)] if rows else None
        if columns is None:
            columns = self.no_rows()
        t, q, u, x, side, status_of, points, Lambda = columns
        Lambda, touches = self.touches.by_row(Lambda)
        corners = CornerRows(
            status_of, Lambda, side, self.stepping, start=self.t_begin, touches=touches,
            points=points,
        )  # fmt: skip
        evaluation = Evaluation(system, t, q, u, x, corners, self.sampler)
        late = OnDemand(self, evaluation, touches, stops)
        self.late = weakref.ref(late)
        model = system.model
        statistics = self.statistics(counters)
        conservative = _is_conservative(system)
        broken: list[str] = []
        if self.limits is not None:

            def fetch(name: str) -> Any:
                known = name in late.book.rules
                return late.evaluate([name])[name] if known else np.zeros(0)

            figures = measure(self.limits, statistics, conservative, fetch)
            give_memory(system.work, late.final.corners)
            self.warnings += self.limits.unchecked(figures)
            broken = self.limits.broken(figures)
        if word in ("done", "stopped", "degraded"):
            wrong = self.energy_faults(late, evaluation)
            self.warnings += wrong
            if broken or wrong:
                word = "degraded"
                message = "; ".join([*([message] if message else []), *broken, *wrong])
        info = RunInfo(
            model=model.name,
            method=repr(self.method),
            status=word,
            message=message,
            conservative=conservative,
            wall_time=wall,
            memory=system.bytes_in_use() + bytes_of(*columns, Lambda),
            statistics=statistics,
            profile={**self.profile, "integrate": wall},
            versions=installed_versions(),
            warnings=tuple(self.warnings),
            fingerprint=self.fingerprint,
        )
        return Solution(
            t,
            side,
            {"q": q, "u": u, "x": x},
            late.table if self.is_late else late.table(),
            evaluator=late.evaluate,
            stored=late.coordinates() if self.is_late else None,
            events=late.events,
            info=info,
            final=late.end if self.is_late else late.end(),
            scene=lambda: describe_scene(model),
        )


def _raise_trouble(solution: Solution, error: CornerlawError | None, strict: bool) -> None:
    """Raise an error that carries what was computed, unless the run may be returned."""
    info = solution.info
    if error is None and info.status == "failed":
        error = SimulationError(info.message)
    elif error is None and strict and info.status == "degraded":
        error = SimulationError(f"strict: {info.message}")
    elif error is None and strict and info.warnings:
        error = SimulationError(f"strict: {info.warnings[0]}")
    if error is not None:
        error.solution = solution  # type: ignore[attr-defined]
        raise error


def _is_conservative(system: System) -> bool:
    """Tell whether the energy of the model must stay constant."""
    from cornerlaw.arrays import kinds

    a = system.compiled.arrays
    if system.has_corners:
        return False  # impacts and friction lose energy
    if (a.tree.driven >= 0).any() or (a.rows.signal >= 0).any() or a.blocks.h_address.any():
        return False
    if a.blocks.M_address.any() or any(
        isinstance(part, LagrangianSystem)
        and part.h is not None
        and np.any(np.array(part.h, float))
        for part in system.compiled.blocks
    ):
        return False  # their work is not part of the energy
    if (a.rows.kind == kinds.ROW_USER).any():
        return False  # may depend on time
    for k, element in enumerate(system.compiled.elements):
        springy = (kinds.SPRING, kinds.TORSION_SPRING, kinds.PATH_SPRING)
        if element.kind not in springy or element.flag == 1:
            return False
        if a.elements.data[a.elements.start[k] + 1] != 0.0:  # damping
            return False
    return True
