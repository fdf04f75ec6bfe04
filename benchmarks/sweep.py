"""Scene "sweep": runs per second of 1,000 woodpecker runs of 0.5 s, dt = 1e-4.

The friction of the beak goes from 0.2 to 0.4 in equal steps; height and angle of the bird at the
end are kept.

    one core, two cores   `analysis.sweep` with worker processes
    floor                 not written for this scene yet
    Siconos               the same runs with multiprocessing, from the system's Python

Rates count from the moment when every worker has finished a run; what comes before (starting,
loading kernels) is the warm-up. On a busy machine rates on the clock compare within one run only;
`cpu` is the processor time of a run in one process, `loop` the part of it in the compiled loop.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _results import NOT_MEASURED, SYSTEM_PYTHON, run_peer

RUNS, T_END, DT = 1000, 0.5, 1e-4
KEPT = ("toy.y", "toy.phi_S")
SAME = "the same bits"


def design(runs: int) -> Any:
    """Return the varied values."""
    from cornerlaw.analysis.sweeps.design import read_design

    return read_design({"beak.mu": np.linspace(0.2, 0.4, runs)}, True)


def task() -> Any:
    """Return what every worker runs."""
    from cornerlaw.analysis.sweeps.measures import read_measures
    from cornerlaw.analysis.sweeps.task import Task
    from cornerlaw.gallery.contacts import woodpecker

    options = {"method": cl.Moreau(dt=DT), "progress": False, "every": 10**9}
    model = woodpecker.build(woodpecker.Parameters())
    return Task(read_measures(list(KEPT)), model, T_END, options)


def with_workers(runs: int, workers: int) -> tuple[dict[str, Any], dict[int, Any]]:
    """Return rate and warm-up with some workers, and all rows."""
    from cornerlaw.analysis.sweeps.processes import Pool

    rows: dict[int, Any] = {}
    times: list[float] = []

    def done(row: dict[str, Any]) -> None:
        rows[row["row"]] = row["values"]
        times.append(time.perf_counter())

    began = time.perf_counter()
    pool = Pool(task(), design(runs), list(range(runs)), None, done)
    ready: list[int] = []
    finish = pool._finish

    def watch(worker: Any, row: Any) -> None:
        finish(worker, row)
        if not worker.__dict__.setdefault("counted", False):
            worker.counted = True
            ready.append(len(times) - 1)

    pool._finish = watch  # type: ignore[method-assign]
    pool.run(workers)
    first = ready[-1]
    rate = (runs - 1 - first) / (times[-1] - times[first])
    return {"rate": rate, "warm-up": times[first] - began, "counted": runs - 1 - first}, rows


def in_one_process(runs: int) -> dict[str, float]:
    """Return processor seconds of a run and of its compiled loop, the smallest of some."""
    found, given = task(), design(runs)
    found.row(0, given.row(0))
    cpu, loop = [], []
    for k in range(1, runs):
        began = time.process_time()
        found.row(k, given.row(k))
        cpu.append(time.process_time() - began)
        run = found._runs._run
        run.renew()
        began = time.process_time()
        run.runner.run(
            run.system.m, run.system.w, run.state, *_order(run.kept), T_END, run.kept[1], 10**9
        )
        loop.append(time.process_time() - began)
    return {"cpu": min(cpu), "cpu_median": float(np.median(cpu)), "loop": min(loop)}


def _order(kept: Any) -> tuple[Any, Any]:
    record, _, counters = kept
    return record, counters


def on_dask(runs: int, rows: dict[int, Any]) -> str:
    """Say whether dask gives the same bits."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        return f"{NOT_MEASURED}: not installed (extra cluster)"
    from cornerlaw.analysis.sweeps.dask_engine import run_on_cluster

    found: dict[int, Any] = {}
    run_on_cluster(
        task(), design(RUNS if runs == RUNS else runs), list(range(runs)), None,
        lambda row: found.__setitem__(row["row"], row["values"]), None, 2,
    )  # fmt: skip
    return SAME if found == rows else "OTHER BITS"


def measure(*, peers: bool = False, runs: int = RUNS) -> dict[str, Any]:
    """Measure one and two workers; runs per second."""
    one, rows = with_workers(runs, 1)
    two, again = with_workers(runs, 2)
    busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
    result: dict[str, Any] = {
        "scene": "sweep", "runs": runs, "busy": busy, "one core": one, "two cores": two,
        "ratio": two["rate"] / one["rate"], "same bits": rows == again,
        "in one process": in_one_process(min(runs, 40)), "dask": on_dask(runs, rows),
        "floor": NOT_MEASURED,
        "siconos": f"{NOT_MEASURED}: not asked for (--peers)",
    }  # fmt: skip
    if peers:
        found = run_peer("sweep_siconos.py", str(min(runs, 200)), "2", python=SYSTEM_PYTHON)
        result["siconos"] = found
        if isinstance(found, dict):
            found["ratio"] = two["rate"] / found["rate"]
            found["difference of toy.y"] = abs(found["toy.y"] - rows[0]["toy.y"])
    return result


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = []
    for name in ("one core", "two cores", "siconos", "floor"):
        found = result[name]
        if isinstance(found, str):
            rows.append([name, found, "", ""])
            continue
        over = result["two cores"]["rate"] / found["rate"]
        rows.append(
            [name, f"{found['rate']:.1f}", f"{found.get('warm-up', 0.0):.1f}", f"{over:.2f}"]
        )
    single = result["in one process"]
    header = ["program", "runs/s", "warm-up [s]", "two cores over it"]
    lines = [
        f"sweep: {result['runs']} woodpecker runs of {T_END:g} s, dt = {DT:g} s",
        format_table(header, rows),
        f"processor time of a run {1e3 * single['cpu']:.2f} ms, of which its compiled loop "
        f"{1e3 * single['loop']:.2f} ms",
        f"one worker and two give the same bits: {result['same bits']}; dask: {result['dask']}",
        f"goal: two cores at least 1.8 times one: {_verdict(result, result['ratio'], 1.8)}",
        f"goal: dask gives the same bits: {'met' if result['dask'] == SAME else 'MISSED'}",
    ]
    if isinstance(result["siconos"], dict):
        ratio = result["siconos"]["ratio"]
        lines.append(f"goal: at least 20 times Siconos: {_verdict(result, ratio, 20.0)}")
    return "\n".join(lines)


def _verdict(result: dict[str, Any], ratio: float, goal: float) -> str:
    """Return whether a goal is met; where others use the cores, the clock cannot tell."""
    if result["busy"]:
        return f"not judged, the machine is busy ({ratio:.2f})"
    return f"{'met' if ratio >= goal else 'MISSED'} ({ratio:.2f})"
