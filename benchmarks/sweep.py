"""Scene "sweep": runs per second of 1,000 woodpecker runs of 0.5 s, dt = 1e-4.

The friction of the beak goes from 0.2 to 0.4 in equal steps; height and angle of the bird at the
end are kept.

    one core, two cores   `analysis.sweep` with worker processes
    floor                 floors/woodpecker.c, the same steps in two processes
    Siconos               the same runs with multiprocessing, from the system's Python

Ours on one core, on two and the floor take turns, round by round; rates are the largest and the
median of the rounds. Rates count from the moment when every worker has finished a run; what comes
before (starting, loading kernels) is the warm-up. On a busy machine rates on the clock compare
within one run only; `cpu` is the processor time of a run in one process, `loop` the part of it in
the compiled loop.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _floor import compile_floor
from _goals import goal, open_goal, why_not
from _results import NOT_MEASURED, SYSTEM_PYTHON, run_peer

RUNS, T_END, DT = 1000, 0.5, 1e-4
ROUNDS, CORES = 5, 2
TWICE, FASTER = 1.8, 20.0  # goals: two cores over one, over Siconos
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


def run_floor(program: Path, runs: int) -> dict[str, Any]:
    """Return the rate of the program in C, on all cores."""
    steps, parts = round(T_END / DT), runs // CORES
    command = [str(program), str(parts), str(steps), f"{DT:g}", str(steps), "1"]
    began = time.perf_counter()
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(CORES)]
    codes = [process.wait() for process in processes]
    assert not any(codes), codes
    # every process makes one run more, of which it prints the coordinates
    return {"rate": CORES * (parts + 1) / (time.perf_counter() - began)}


def best_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the round with the largest rate, and the median of the rates."""
    best = max(found, key=lambda item: item["rate"])
    return {**best, "median": float(np.median([item["rate"] for item in found]))}


def measure(*, peers: bool = False, runs: int = RUNS, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure one and two workers; runs per second."""
    one, two, c, same = [], [], [], True
    with tempfile.TemporaryDirectory() as folder:
        program = compile_floor("woodpecker", Path(folder))
        for _ in range(rounds):
            found, rows = with_workers(runs, 1)
            one.append(found)
            found, again = with_workers(runs, CORES)
            two.append(found)
            same = same and rows == again
            if program is not None:
                c.append(run_floor(program, runs))
    busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
    result: dict[str, Any] = {
        "scene": "sweep", "runs": runs, "busy": busy, "one core": best_of(one),
        "two cores": best_of(two), "same bits": same,
        "in one process": in_one_process(min(runs, 40)), "dask": on_dask(runs, rows),
        "floor": best_of(c) if c else f"{NOT_MEASURED}: no C compiler",
        "siconos": f"{NOT_MEASURED}: not asked for (--peers)",
    }  # fmt: skip
    result["ratio"] = result["two cores"]["rate"] / result["one core"]["rate"]
    if peers:
        result["siconos"] = on_siconos(min(runs, 200), result["two cores"]["rate"], rows[0])
    return result


def on_siconos(runs: int, ours: float, row: Any) -> dict[str, Any] | str:
    """Return the rate of Siconos, the best of its rounds, and what it is of ours."""
    found = run_peer(
        "sweep_siconos.py", str(runs), str(CORES), str(ROUNDS), python=SYSTEM_PYTHON
    )  # fmt: skip
    if isinstance(found, dict):
        found["ratio"] = ours / found["rate"]
        found["difference of toy.y"] = abs(found["toy.y"] - row["toy.y"])
    return found


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = []
    for name in ("one core", "two cores", "siconos", "floor"):
        found = result[name]
        if isinstance(found, str):
            rows.append([name, found, "", "", ""])
            continue
        over = result["two cores"]["rate"] / found["rate"]
        rates = (f"{found[key]:.1f}" for key in ("rate", "median"))
        rows.append([name, *rates, f"{found.get('warm-up', 0.0):.1f}", f"{over:.2f}"])
    single = result["in one process"]
    header = ["program", "runs/s", "median", "warm-up [s]", "two cores over it"]
    lines = [
        f"sweep: {result['runs']} woodpecker runs of {T_END:g} s, dt = {DT:g} s",
        format_table(header, rows),
        f"processor time of a run {1e3 * single['cpu']:.2f} ms, of which its compiled loop "
        f"{1e3 * single['loop']:.2f} ms",
        f"one worker and two give the same bits: {result['same bits']}; dask: {result['dask']}",
        _judged(result, f"two cores at least {TWICE:g} times one", result["ratio"], TWICE),
        goal("dask gives the same bits", result["dask"] == SAME, result["dask"]),
    ]
    what, found = f"at least {FASTER:g} times Siconos", result["siconos"]
    if isinstance(found, str):
        return "\n".join([*lines, open_goal(what, why_not("Siconos", found))])
    return "\n".join([*lines, _judged(result, what, found["ratio"], FASTER)])


def _judged(result: dict[str, Any], what: str, ratio: float, least: float) -> str:
    """Return the line of a goal; where others use the cores, the clock cannot tell."""
    if result["busy"]:
        return open_goal(what, f"{ratio:.2f}, but the machine is busy")
    return goal(what, ratio >= least, f"{ratio:.2f}")
