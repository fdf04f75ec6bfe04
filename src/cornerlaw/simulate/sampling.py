"""Sampled functions and delays during a run: when they are called, and what is held in between.

The values live in the discrete states z of a run: per function the number of its last sample plus
one (0: none yet), then its values, of a delay its whole history. The buffers of the compiled slots
are filled from them before every compiled call, so that runs of the same model do not disturb each
other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.arrays.state import Floats, State
from cornerlaw.compile.delays import History
from cornerlaw.errors import SimulationError
from cornerlaw.kernels.histories import BEFORE, DELAY, FIRST, NEWEST, POINTS, VALUES

if TYPE_CHECKING:
    from cornerlaw.simulate.methods import Runner
    from cornerlaw.simulate.system import System

_EARLY = 1e-9  # of a period: a time this close before a sample counts as the sample


def _append(history: History, kept: Floats, number: int, t: float, value: float) -> None:
    """Add a measured value to a history, which stands in z without its mode."""
    values = kept[VALUES - 1 :]
    if number == 0:
        kept[FIRST - 1], kept[DELAY - 1], kept[POINTS - 1] = t, history.delay, history.points
        kept[BEFORE - 1] = value if history.before is None else history.before
        values[:] = value
    values[1:] = values[:-1].copy()
    values[0] = value
    kept[NEWEST - 1] = number


class Sampler:
    """The sampled functions of a system, and the history of their values in a run."""

    def __init__(self, system: System, history: bool = True) -> None:
        self.system, self.history = system, history
        self.holders = system.compiled.functions.holders
        self.size = sum(holder.held.size for holder in self.holders)
        self.jumps = False  # whether a value jumps where the last prepared call ends
        self.events: list[tuple[float, str]] = []
        self._times: list[float] = []
        self._values: list[Floats] = []

    def resume(self, state: State, z: Floats) -> None:
        """Go on with the values that an earlier run of the same model held."""
        if z.size == self.size:
            state.z[:] = z
            if self.size:
                self._times.append(float(state.t[0]))
                self._values.append(z.copy())

    def forget(self, state: State) -> None:
        """Return to the time before the first sample."""
        state.z[:] = 0.0
        self.events.clear()
        self._times.clear()
        self._values.clear()

    def history_since(self, start: int) -> dict[str, Floats]:
        """Return the times of the samples from one on, and what was held from then on."""
        times = np.array(self._times[start:], dtype=float)
        values = np.array(self._values[start:], dtype=float).reshape(times.size, self.size)
        return {"sample_t": times, "sample_z": values}

    def restore(self, times: Floats, values: Floats, events: list[tuple[float, str]]) -> None:
        """Go on with the history of an earlier run."""
        self._times[:] = times.tolist()
        self._values[:] = [row.copy() for row in values]
        self.events[:] = events

    def _places(self) -> Iterator[tuple[int, slice]]:
        """Yield for every function its place in z and that of its values."""
        place = 0
        for holder in self.holders:
            yield place, slice(place + 1, place + holder.held.size)
            place += holder.held.size

    def prepare(self, state: State, t_end: float, runner: Runner) -> float:
        """Take the samples that are due, hold all values, and return the time to run to.

        The rates jump at a sample, so that the history of the method ends there.
        """
        if not self.holders:
            return t_end
        t, until, jump = float(state.t[0]), t_end, math.inf
        due: list[int] = []
        measured: list[int] = []
        for k, (place, values) in enumerate(self._places()):
            holder = self.holders[k]
            is_history = isinstance(holder, History)
            begun = state.z[place] > 0.0
            # samples count from time zero, a history from its first point
            first = (float(state.z[values][FIRST - 1]) if begun else t) if is_history else 0.0
            number = math.floor((t - first) / holder.dt + _EARLY)
            if not begun or state.z[place] < number + 1.0:
                state.z[place] = number + 1.0
                (measured if is_history else due).append(k)
            comes = first + (number + 1) * holder.dt
            until = min(until, comes)
            jump = jump if is_history else min(jump, comes)
        self.jumps = jump <= until
        self._measure(state, t, measured)
        self._hold(state.z)
        if due:
            self._sample(state, t, due)
            runner.restart(state)
        elif any(self._begins(state, k) for k in measured):
            runner.restart(state)
        if due or measured:
            self._note(state, t)
        return until

    def _begins(self, state: State, k: int) -> bool:
        """Tell whether a delayed value jumps now, from that before the start to the first one."""
        history = self.holders[k]
        place = sum(holder.held.size for holder in self.holders[:k])
        if not isinstance(history, History) or history.before is None:
            return False
        return bool(state.z[place] == history.points + 1)

    def _measure(self, state: State, t: float, due: list[int]) -> None:
        """Add a point to the histories of the delays that are due."""
        from cornerlaw.kernels.slots import call_slot, failure_of
        from cornerlaw.kernels.user_indicators import eval_law_arguments

        s, out = self.system, np.zeros(1)
        e = s.arrays.elements
        for k, (place, values) in enumerate(self._places()):
            history = self.holders[k]
            if k not in due or not isinstance(history, History):
                continue
            i = history.element
            n = eval_law_arguments(s.m, s.w, i, t, state.q.copy(), state.u.copy(), state.x)
            par = e.data[e.start[i] : e.start[i] + e.n_parameters[i]]
            call_slot(history.measure, s.work.slot_in[:n].copy(), par, out)
            if not np.isfinite(out[0]):
                reason = failure_of(history.measure) or "gives no finite number"
                raise SimulationError(f"{history.label} {reason} at t = {t:.6g} s")
            _append(history, state.z[values], int(state.z[place]) - 1, t, float(out[0]))

    def _sample(self, state: State, t: float, due: list[int]) -> None:
        """Call the functions that are due, all at the same state."""
        from cornerlaw.kernels.rates import eval_accelerations
        from cornerlaw.kernels.slots import HOLD, SAMPLE

        system = self.system
        for k in due:
            self.holders[k].held[0] = SAMPLE
        _, nu, nx = system.sizes
        u_dot, x_dot, lam = np.zeros(nu), np.zeros(nx), np.zeros(system.arrays.n_rows)
        q, u, x = state.q.copy(), state.u.copy(), state.x.copy()
        # a failure here is one of the first step as well, which reports it
        eval_accelerations(system.m, system.w, t, q, u, x, u_dot, x_dot, lam)
        for k, (_, values) in enumerate(self._places()):
            if k in due:
                self.holders[k].held[0] = HOLD
                state.z[values] = self.holders[k].held[1:]
                self.events.append((t, self.holders[k].label))

    def _note(self, state: State, t: float) -> None:
        """Keep what is held from now on, for the evaluation of the rows."""
        if not self.history:
            self._times.clear()
            self._values.clear()
            self.events.clear()
        self._times.append(t)
        self._values.append(state.z.copy())

    def _hold(self, z: Floats) -> None:
        from cornerlaw.kernels.slots import HOLD

        for holder, (_, values) in zip(self.holders, self._places(), strict=True):
            holder.held[0] = HOLD
            holder.held[1:] = z[values]
            if isinstance(holder, History):
                holder.bind()

    def release(self) -> None:
        """Let the functions be called directly again, as every solve but a run does."""
        from cornerlaw.kernels.slots import LIVE

        for holder in self.holders:
            holder.held[0] = LIVE

    def segments(self, t: Floats, side: Any) -> Iterator[slice]:
        """Yield the rows between two samples one after the other, with their values held."""
        if not self._times:
            yield slice(0, t.size)
            return
        times = np.array(self._times)
        number = np.searchsorted(times, t, side="right")
        left = np.searchsorted(times, t, side="left")
        number = np.maximum(np.where(np.asarray(side) < 0, left, number), 1)
        starts = np.flatnonzero(np.diff(number, prepend=-1))
        try:
            for first, last in zip(starts, [*starts[1:], t.size], strict=True):
                self._hold(self._values[number[first] - 1])
                yield slice(int(first), int(last))
        finally:
            self.release()
