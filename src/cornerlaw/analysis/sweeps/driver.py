"""sweep(): one model, many values, all cores; what is finished is never lost."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cornerlaw.analysis.poincare import Bar
from cornerlaw.analysis.sweeps.dataset import attributes_of, make_dataset, save_dataset
from cornerlaw.analysis.sweeps.design import Design, read_design
from cornerlaw.analysis.sweeps.identity import identity_of
from cornerlaw.analysis.sweeps.measures import read_measures
from cornerlaw.analysis.sweeps.processes import Pool, run_here
from cornerlaw.analysis.sweeps.record import RESULT, Record
from cornerlaw.analysis.sweeps.task import Row, Task
from cornerlaw.errors import CornerlawError, UnknownNameError, UsageError
from cornerlaw.model import Model
from cornerlaw.model.arguments import unknown
from cornerlaw.results import Solution, installed_versions
from cornerlaw.results.extras import require
from cornerlaw.simulate.arguments import as_time
from cornerlaw.simulate.methods import Method
from cornerlaw.simulate.run import default_method
from cornerlaw.simulate.stepping import Moreau
from cornerlaw.simulate.wrong_method import require_method

Limits = tuple[float | None, float | None]  # seconds of a run, gigabytes of a worker
ENGINES = ("processes", "dask")
ENDS_ONLY = 10**9  # every so many steps a row: only start and end are stored
REFUSED = ("initial", "checkpoint", "checkpoint_every", "resume", "progress", "profile", "strict")


def sweep(
    model: Model | Callable[..., Model],
    vary: Mapping[str, Sequence[Any]],
    measure: str | Callable[[Solution], Any] | Mapping[str, Any] | Sequence[Any],
    *,
    t_end: float,
    dt: float | None = None,
    method: Method | None = None,
    grid: bool = True,
    workers: int | None = None,
    out: str | os.PathLike[str] | None = None,
    engine: str = "processes",
    scheduler: Any = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Any:
    """Run a model with many values on all cores and return an xarray Dataset over the values.

        cl.sweep(model, {"beak.mu": np.linspace(0.1, 0.5, 9)}, "max(toy.y)", t_end=0.5, dt=1e-4)

    model      a Model, whose values are replaced, or a function of the values that returns one
    vary       values by name, as `model.replace` takes them, or by argument of the function
    measure    what is kept of a run: a channel (its last value), "max(channel)" with one of last,
               first, min, max, peak, range, mean, rms, sum; a function of the Solution that
               returns a number, an array or a dict of them; or a list or dict of such measures
    t_end      end of every run [s]
    dt         step [s]; short for method=Moreau(dt)
    method     how to integrate, as in `simulate`
    grid       True runs all combinations, False the n-th values of all parameters together
    workers    processes, all cores unless given; 0 runs everything in this process
    out        folder that every finished run is written to at once; the same call goes on with what
               is there, and `read_sweep` reads it at any time
    engine     "processes", or "dask" for dask.distributed
    scheduler  address of a dask scheduler, or a distributed.Client; else a cluster of this machine
    time_limit  [s] after which a run is ended and counts as failed (processes only)
    memory_limit  [GB] that a worker may have; a run that needs more has failed (processes only)
    options    more of `simulate`: t_eval, every, inputs, limits, stop, max_steps, penetration

    A run that fails is a row with status "failed", a message and nan; a worker that dies is
    replaced and its run repeated. The numbers do not depend on workers, order or engine.
    """
    require("xarray", "data", "a sweep")
    design = read_design(vary, grid)
    measures = read_measures(measure)
    _check_options(options)
    _check_names(model, design)
    chosen = _method_of(model, design, method, dt)
    if not measures.needs_rows and not set(options) & {"t_eval", "every"}:
        options = {**options, "every": ENDS_ONLY}
    end = as_time("t_end", t_end)
    task = Task(measures, model, end, {"method": chosen, "progress": False, **options})
    label = model.name if isinstance(model, Model) else getattr(model, "__name__", "model")
    plan = {
        "model": label, "t_end": end, "method": repr(chosen),
        "identity": identity_of(model, measures.items, options),
    }  # fmt: skip
    return run_sweep(
        task, design, plan, workers=workers, out=out, engine=engine, scheduler=scheduler,
        progress=progress, limits=(time_limit, memory_limit),
    )  # fmt: skip


def run_sweep(
    task: Task,
    design: Design,
    plan: dict[str, Any],
    *,
    workers: int | None,
    out: str | os.PathLike[str] | None,
    engine: str,
    scheduler: Any,
    progress: bool | None,
    limits: Limits = (None, None),
) -> Any:
    """Run all rows of a task that are not finished, and return all of them."""
    count = _count(workers)
    if engine not in ENGINES:
        raise UsageError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    if scheduler is not None and engine != "dask":
        raise UsageError('a scheduler needs engine="dask"')
    _check_limits(limits, engine, count)
    plan = {
        **plan, "names": list(design.names), "values": [list(v) for v in design.values],
        "grid": design.grid, "measures": [name for name, _ in task.measures.items],
        "versions": installed_versions(),
    }  # fmt: skip
    record = None if out is None else Record(out)
    try:
        rows: dict[int, Row] = {} if record is None else record.begin(_plain(plan))
        left = [k for k in range(len(design)) if k not in rows]
        with Bar("runs", len(design), progress) as bar:
            bar.add(len(rows))

            def done(row: Row) -> None:
                rows[row["row"]] = row
                bar.add()

            folder = None if record is None else str(record.folder.resolve())
            _run(task, design, left, folder, done, count, engine, scheduler, limits)
        dataset = make_dataset(design, rows, attributes_of(plan))
        if record is not None:
            save_dataset(dataset, record.folder / RESULT)
        return dataset
    finally:
        if record is not None:
            record.close()


def _run(
    task: Task, design: Design, rows: list[int], folder: str | None, done: Callable[[Row], None],
    workers: int, engine: str, scheduler: Any, limits: Limits,
) -> None:  # fmt: skip
    """Run rows on an engine."""
    if not rows:
        return
    if engine == "dask":
        from cornerlaw.analysis.sweeps.dask_engine import run_on_cluster

        run_on_cluster(task, design, rows, folder, done, scheduler, max(1, workers))
    elif workers == 0:
        run_here(task, design, rows, folder, done)
    else:
        Pool(task, design, rows, folder, done, *limits).run(workers)


def _check_limits(limits: Limits, engine: str, workers: int) -> None:
    """Refuse limits that are no positive numbers or that nobody would keep."""
    for name, value in zip(("time_limit", "memory_limit"), limits, strict=True):
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0.0:
            raise UsageError(f"{name} must be a positive number, got {value!r}")
        if engine != "processes" or workers == 0:
            raise UsageError(f"{name} needs worker processes: engine='processes', workers > 0")


def _count(workers: int | None) -> int:
    if workers is None:
        try:
            return len(os.sched_getaffinity(0))
        except AttributeError:  # pragma: no cover - not on every system
            return os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 0:
        raise UsageError(f"workers must be a whole number, not negative, got {workers!r}")
    return workers


def _check_options(options: dict[str, Any]) -> None:
    """Refuse what `simulate` does not know, and what makes no sense for many runs."""
    from cornerlaw.simulate.run import simulate

    known = [name for name in inspect.signature(simulate).parameters if name not in REFUSED]
    for name in options:
        if name in REFUSED:
            raise UsageError(f"sweep: the option {name!r} is for single runs")
        if name not in known:
            raise unknown("sweep has no option", name, known[2:])


def _check_names(model: Any, design: Design) -> None:
    """Refuse names of parameters that the model does not have, before anything runs."""
    if isinstance(model, Model):
        for name, values in zip(design.names, design.values, strict=True):
            try:
                model.replace({name: values[0]})
            except UnknownNameError as error:
                raise UnknownNameError(f"vary: {name!r}: {error}") from None
            except CornerlawError:
                pass  # a bad value is a row that fails
        return
    if not callable(model):
        raise UsageError(f"sweep needs a Model or a function that returns one, got {model!r}")
    parameters = inspect.signature(model).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    label = getattr(model, "__name__", "the function")
    for name in design.names:
        if name not in parameters:
            raise unknown(f"vary: {label} has no argument", name, list(parameters))


def _method_of(model: Any, design: Design, method: Any, dt: float | None) -> Any:
    """Return the method of all runs."""
    if dt is not None:
        if method is not None:
            raise UsageError("give the step in the method or as dt, not both")
        return Moreau(dt=dt)
    if method is None:
        return default_method(model) if isinstance(model, Model) else None
    require_method(method, "Moreau(dt=1e-3)")
    return method


def _plain(plan: dict[str, Any]) -> dict[str, Any]:
    """Return a plan whose values JSON can hold; what it does not know becomes a text."""

    def simple(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return [simple(entry) for entry in value]
        return value if isinstance(value, int | float | str | bool) else str(value)

    return {**plan, "values": [simple(values) for values in plan["values"]]}
