"""Helper processes that share what a run has to compile.

A list of jobs, each a kernel and the types of its arguments, is what a run needs. All processes go
through the same list, compile into the same cache, and leave to each other what another one has
claimed (`kernels/_claims.py`); so they end together, whatever the jobs cost. Without a second core,
or if a helper fails, the first process compiles everything itself. Helpers belong to the same
process group, so that Ctrl-C on the terminal ends them as well.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from cornerlaw.errors import CornerlawError

MOST_HELPERS = 3  # more would only wait for each other
LOCK, JOBS = "helpers.nbi.tmp.0", "jobs.nbi.tmp.0"  # names that are pruned with the cache files
_helpers: list[subprocess.Popen[bytes]] = []  # kept: a collected Popen of a living process warns
_known: set[Any] = set()  # what this process has looked for in the cache


def missing_jobs(m: Any, w: Any, method: Any) -> tuple[list[Any], list[Any]]:
    """Return the jobs of a run, and those of its results, that are not in the cache.

    `m` and `w` are arrays of the model and its workspace; without a method only its stages count.
    """
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.stages import stage_jobs
    from cornerlaw.simulate.stepping import TimeStepping

    jobs = list(stage_jobs(m, w, isinstance(method, TimeStepping)).values())
    kind = (type(method), type(getattr(method, "impact", None)))
    key = (kind, frozenset(function for function, _ in jobs))
    if key in _known:
        return [], []
    _known.add(key)
    if not all(hasattr(function, "_cache") for function, _ in jobs):
        return [], []  # NUMBA_DISABLE_JIT
    bundles = Bundle(m), Bundle(w)
    first = [] if method is None else _method_jobs(m, *bundles, method)
    last = [] if method is None else [_output_job(m, *bundles)]
    return _missing(first + jobs), _missing(last)


def _missing(jobs: list[Any]) -> list[Any]:
    return [
        (function, kinds)
        for function, kinds in jobs
        if kinds not in function.overloads and not function._cache.has(kinds, function.targetctx)
    ]


def _method_jobs(a: Any, m: Any, w: Any, method: Any) -> list[Any]:
    """Return the jobs of a method's driver."""
    from cornerlaw.arrays.state import new_counters, new_record, new_state
    from cornerlaw.simulate.methods import new_output

    try:
        runner = method.prepare(m)
        state = new_state(a.nq, a.nu, a.nx, memory=runner.memory_size)
        record = new_record(1, a.nq, a.nu, a.nx)
        if not hasattr(runner, "jobs"):
            return []  # a method of the user's own
        found: list[Any] = runner.jobs(m, w, state, record, new_counters(), new_output(a, 1))
    except CornerlawError:
        return []  # a method that does not suit the model is refused in a moment
    return found


def _output_job(a: Any, m: Any, w: Any) -> Any:
    """Return the job that evaluates results."""
    from numba import types

    from cornerlaw.arrays.outputs import new_outputs
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.outputs import run_outputs

    vector, rows = types.float64[::1], types.float64[:, ::1]
    outputs = Bundle(new_outputs(a, 1))._numba_type
    kinds = (m._numba_type, w._numba_type, outputs, vector, rows, rows, rows)
    return run_outputs, kinds


def compile_together(jobs: list[Any], later: list[Any]) -> None:
    """Compile the jobs of a run with helpers, who begin with what is needed later, the results."""
    from cornerlaw.kernels import _claims

    _claims.share()
    start_helpers(later + jobs)
    waiting = _compile_free(jobs)
    for function, kinds in waiting:
        function.compile(kinds)  # which waits for the claim and loads


def _compile_free(jobs: list[Any]) -> list[Any]:
    """Compile, or load, jobs that nobody else is at; return the others."""
    from cornerlaw.kernels import _claims

    waiting = []
    for function, kinds in jobs:
        if _claims.is_taken(function._cache.claim_of(kinds)):
            waiting.append((function, kinds))
        else:
            function.compile(kinds)
    return waiting


def start_helpers(jobs: list[Any]) -> None:
    """Start helpers for a list of jobs where there are cores for them.

    Of several processes that find the same cache empty one has helpers; the others share the work.
    """
    from cornerlaw.kernels import _claims
    from cornerlaw.kernels._numba import CACHE_FOLDER

    if not sys.executable or getattr(sys, "frozen", False) or not hasattr(os, "sched_getaffinity"):
        return
    if all(helper.poll() is not None for helper in _helpers):
        _claims.release(CACHE_FOLDER / LOCK)
    count = min(len(os.sched_getaffinity(0)) - 1, MOST_HELPERS, len(jobs) - 1)
    if count < 1 or not _claims.take(CACHE_FOLDER / LOCK, patience=0.0):
        return
    # no helper is no loss: a folder that cannot be written to, a system without processes
    with contextlib.suppress(OSError):
        names = [(function.__module__, function.__name__, kinds) for function, kinds in jobs]
        path = CACHE_FOLDER / JOBS
        path.write_bytes(pickle.dumps(names))
        for k in range(count):
            command = f"from cornerlaw.simulate.precompile import main; main({str(path)!r}, {k})"
            helper = subprocess.Popen(
                [sys.executable, "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _helpers.append(helper)


def main(path: str, number: int) -> None:
    """Compile what is free of a list of jobs; every helper begins at another place."""
    from cornerlaw.kernels import _claims

    _claims.share()
    names = pickle.loads(Path(path).read_bytes())
    jobs = [(getattr(importlib.import_module(where), name), kinds) for where, name, kinds in names]
    # the first process begins behind the results, with the largest jobs
    start = number * len(jobs) // (MOST_HELPERS + 1)
    _compile_free(jobs[start:] + jobs[:start])
