"""A compiled loop of steps that stores nothing, started again and again from the same state."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.arrays import status as codes
from cornerlaw.arrays.state import new_counters
from cornerlaw.simulate import System
from cornerlaw.simulate.methods import new_output
from cornerlaw.simulate.run import _Run

ROWS = 64
GOES_ON = (codes.PAUSED, codes.BUFFER_FULL, codes.OK)


class Loop:
    """A model and a method; `run` returns processor seconds per step."""

    def __init__(self, model: cl.Model, method: Any) -> None:
        self.system = System(model, method)
        self._run = _Run(self.system, method, None, None)
        self._run.set_stops(())
        self._start = [np.copy(array) for array in self._run.state]
        self._record = self._run.touches.new_record(ROWS)
        # the same arrays in every run: binding others takes longer than thousands of steps
        self._output, self._counters = new_output(self.system.m, ROWS, every=0), new_counters()

    @property
    def q(self) -> Any:
        """The positions after the last run."""
        return self._run.state.q

    def run(self, steps: int) -> float:
        """Take so many steps from the start and return the seconds of one."""
        system, run = self.system, self._run
        for array, start in zip(run.state, self._start, strict=True):
            array[...] = start
        k = system.work.k
        for states in (k.before, k.shown, k.status):
            states[:] = 0
        output, counters, spent = self._output, self._counters, 0.0
        output.progress[:] = 0
        for counter in counters:
            counter[:] = 0
        while counters.steps[0] < steps:
            left = steps - int(counters.steps[0])
            parts = system.m, system.w, run.state, self._record, counters
            began = time.thread_time()
            code = run.runner.run(*parts, 1e9, output, left)
            spent += time.thread_time() - began
            k.n_events[0] = 0  # the log of events is not read
            if code not in GOES_ON:
                raise RuntimeError(f"the run ended with status {code}")
        return spent / steps


def run_floor(program: Path, n_times: int, *given: Any) -> tuple[list[float], list[list[float]]]:
    """Run a floor; return its seconds per step, one for each batch, and the numbers it prints."""
    done = subprocess.run(
        [str(program), *map(str, given)], check=True, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    times = [float(line) for line in lines[:n_times]]
    return times, [[float(x) for x in line.split()] for line in lines[n_times:]]
