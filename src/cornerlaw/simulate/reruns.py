"""Many runs of one model with other values: compiled, bound and allocated once.

A run of a small model takes a few milliseconds, and making it ready takes ten times as long: the
kernels must be found and every array be described to them. Here that is done for the first run, and
the next ones copy their numbers into the same arrays. Each run begins from the same scratch memory,
so that its bits are those of `simulate` whatever ran before.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Counters, Floats, Record
from cornerlaw.model import Model
from cornerlaw.results import Solution
from cornerlaw.simulate.arguments import as_time
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.corner_log import CornerLog, check_laws, check_method, set_impact_law
from cornerlaw.simulate.element_checks import check_elements
from cornerlaw.simulate.evaluation import Room
from cornerlaw.simulate.fingerprint import fingerprint
from cornerlaw.simulate.granular import has_grains
from cornerlaw.simulate.methods import Output
from cornerlaw.simulate.penetration import check_penetration
from cornerlaw.simulate.redundancy import warn_redundancy
from cornerlaw.simulate.run import _Run, default_method, simulate
from cornerlaw.simulate.stepping import TimeStepping
from cornerlaw.simulate.system import System, array_leaves

QUICK = {"t_eval", "every", "max_steps", "method", "progress"}  # options that need nothing anew


class Snapshot:
    """Copies of arrays, to be put back before every run; `without` some that need no copy."""

    def __init__(self, *trees: Any, without: tuple[Any, ...] = ()) -> None:
        skipped = {id(array) for array in without}
        arrays = [
            a for tree in trees for a in array_leaves(tree) if a.size and id(a) not in skipped
        ]
        self._pairs = [(array, array.copy()) for array in arrays]
        pieces = [(a.ctypes.data, copy.ctypes.data, a.nbytes) for a, copy in self._pairs]
        self._pieces = np.array(pieces, dtype=np.int64).reshape(-1, 3)

    def restore(self) -> None:
        """Put the copies back."""
        from cornerlaw.kernels.memory import copy_pieces

        copy_pieces(self._pieces)


class _Again(_Run):
    """A run whose arrays are kept for the next one."""

    is_late = True

    def __init__(self, system: System, method: Any) -> None:
        pristine = Snapshot(system.work, system.compiled.arrays)
        super().__init__(system, method, None, None)
        self.set_stops(())
        self.kept: tuple[Record, Output, Counters] | None = None
        pristine.restore()  # what this start left there, lengths included, belongs to no run
        self.work_before: Snapshot | None = None

    def buffers(self, times: Floats | None, every: int) -> tuple[Record, Output, Counters]:
        """Return the arrays of the run before, emptied."""
        if self.kept is None:
            self.kept = super().buffers(times, every)
        return self.kept

    def bind(self, times: Floats | None, every: int) -> None:
        """Allocate and bind everything; then remember how a run begins."""
        record, output, counters = self.buffers(times, every)
        system = self.system
        self.runner._bind(system.m, system.w, self.state, record, counters, output)
        self.room = Room(system, 1)
        k = system.work.k
        # with the addresses that binding has written; a log is written before it is read
        self.work_before = Snapshot(
            system.work, output, counters, record.n, self.state, self.runner._scratch,
            self.room.outputs,
            without=(k.event_t, k.event_corner, k.event_kind, k.event_pair, k.event_data),
        )  # fmt: skip

    def renew(self) -> None:
        """Return to the begin of a run with the values that the system has now."""
        assert self.work_before is not None
        self.work_before.restore()
        system, method = self.system, self.method
        self.fingerprint = fingerprint(system)
        self.warnings = list(system.model.warnings)
        self.profile = {"compile": 0.0}
        began = time.perf_counter()
        self.state.q[:], self.state.u[:], self.state.x[:] = initial_state(system, 0.0)
        mobility = warn_redundancy(system, 0.0, self.state.q)
        if mobility.redundant:
            self.warnings.append(mobility.warning)
        self.profile["assemble"] = time.perf_counter() - began
        self.warnings += check_elements(system, 0.0, self.state.q, self.state.u, self.state.x)
        check_method(system, method)
        set_impact_law(system, method)
        self.log = CornerLog(system)
        # lengths among the options follow the values of the model
        if isinstance(method, TimeStepping):
            self.runner._options[:] = method._options(system.m)
        else:
            self.runner._options[:] = method.prepare(system.m)._options
        self.warnings += check_laws(system, method)

    def release(self) -> None:
        """Let the results of the run before go their own way; their arrays are about to change."""
        late = self.late() if self.late is not None else None
        if late is not None:
            late.part()


class Reruns:
    """Runs of models to one end time with one method.

        runs = Reruns(0.5, method=cl.Moreau(dt=1e-4))
        for mu in values:
            sol = runs(model.replace({"beak.mu": mu}))

    t_end, options   as of `simulate`
    A model of another structure than the one before costs as much as a first one. What a Solution
    computes on demand is quick before the next run; later on it compiles its model once more.
    """

    def __init__(self, t_end: float, **options: Any) -> None:
        self.t_end, self.options = t_end, options
        self._run: _Again | None = None

    def __call__(self, model: Model) -> Solution:
        """Run a model."""
        if not isinstance(model, Model) or has_grains(model) or set(self.options) - QUICK:
            return simulate(model, self.t_end, **self.options)
        method = self.options.get("method") or default_method(model)
        run = self._run
        if run is not None:
            run.release()
        if run is None or run.method != method or not run.system.refill(model):
            run = self._begin(model, method)
            if run is None:
                return simulate(model, self.t_end, **self.options)
        run.renew()
        run.warnings += check_penetration(run.system, method, run.state, "project", room=run.room)
        end = as_time("t_end", self.t_end)
        times = run.output_times(self.options.get("t_eval"), end)
        every, most = int(self.options.get("every", 1)), self.options.get("max_steps")
        return run.execute(end, times, every, self.options.get("progress"), most)

    def _begin(self, model: Model, method: Any) -> _Again | None:
        """Make the first run of a structure ready; None where every run must be made anew."""
        self._run = None
        system = System(model, method)
        functions = system.compiled.functions
        elements = system.compiled.elements
        has_indicators = any(element.indicators for element in elements)
        accepts = any(getattr(model.part(x.part), "accept", None) for x in elements)
        # samples, delays, events and memory of elements have a history of their own
        if functions.holders or functions.callbacks or has_indicators or accepts:
            return None
        run = _Again(system, method)
        times = run.output_times(self.options.get("t_eval"), as_time("t_end", self.t_end))
        run.bind(times, int(self.options.get("every", 1)))
        self._run = run
        return run
