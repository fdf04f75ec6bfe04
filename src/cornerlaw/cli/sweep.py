"""`cornerlaw sweep`: run a system of the gallery with many values, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cornerlaw.cli.completion import complete_system
from cornerlaw.cli.methods import NAMES, choose_method
from cornerlaw.cli.output import print_json
from cornerlaw.cli.run import parse_changes
from cornerlaw.errors import UsageError

if TYPE_CHECKING:
    from cornerlaw.results import Solution


def sweep(
    name: str = typer.Argument(
        help="Name of the system, or its id in the literature.", autocompletion=complete_system
    ),
    vary: list[str] = typer.Option(
        ..., "--vary", metavar="KEY=A:B:N", help="N values from A to B, or KEY=1,2,5; repeat it."
    ),
    measure: list[str] = typer.Option(
        ..., "--measure", help="Channel, or max(channel), min(...), rms(...) ...; repeat it."
    ),
    changes: list[str] | None = typer.Option(
        None, "--set", metavar="KEY=VALUE", help="Change a parameter of all runs; repeat it."
    ),
    samples: bool = typer.Option(
        False, "--samples", help="The n-th values together instead of all combinations."
    ),
    method: str | None = typer.Option(None, "--method", help=f"One of {NAMES}."),
    dt: float | None = typer.Option(None, "--dt", help="Step of a fixed-step method, in s."),
    rtol: float | None = typer.Option(None, "--rtol", help="Relative tolerance."),
    t_end: float | None = typer.Option(None, "--t-end", help="End of the runs, in s."),
    workers: int | None = typer.Option(
        None, "--workers", help="Processes; all cores if not given."
    ),
    engine: str = typer.Option("processes", "--engine", help="processes or dask."),
    scheduler: str | None = typer.Option(
        None, "--scheduler", help="Address of a dask scheduler; needs --engine dask."
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Folder of the results; the same command goes on with it."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Run a system with many values of its parameters and print what was measured.

    Exit code 1 if a run failed; the others are there all the same.
    """
    from cornerlaw import gallery
    from cornerlaw.analysis.sweeps.design import read_design
    from cornerlaw.analysis.sweeps.driver import run_sweep
    from cornerlaw.analysis.sweeps.identity import identity_of
    from cornerlaw.analysis.sweeps.measures import read_measures
    from cornerlaw.analysis.sweeps.task import Task

    system = gallery.find(name)
    fixed = parse_changes(changes or [])
    given = {key: read_values(key, text) for key, text in parse_changes(vary, "--vary").items()}
    for key in given:
        if key in fixed:
            raise UsageError(f"{key!r} is both given by --set and varied.")
        system.parameters(**{key: given[key][0]})  # an unknown name is told at once
    system.parameters(**fixed)
    design = read_design(given, not samples)
    measures = read_measures(measure)
    chosen = choose_method(method, dt, rtol)
    if t_end is not None and not t_end > 0.0:
        raise UsageError(f"--t-end must be a positive number of seconds, got {t_end:g}.")
    run = GalleryRun(system.name, fixed, chosen, t_end)
    task = Task(measures, simulate=run)
    if chosen is not None and t_end is not None:
        # nothing of the system's own run is needed: many runs in the same arrays
        options = {"method": chosen, "progress": False}
        task = Task(measures, GalleryBuild(system.name, fixed), t_end, options)
    plan = {
        "model": system.name, "t_end": t_end if t_end is not None else "of the system",
        "method": repr(chosen) if chosen is not None else "of the system",
        "identity": identity_of(system.name, fixed, measures.items),
    }  # fmt: skip
    found = run_sweep(
        task, design, plan, workers=workers, out=out, engine=engine, scheduler=scheduler,
        progress=None,
    )  # fmt: skip
    failed = int((found["status"] == "failed").sum())
    if as_json:
        print_json({"system": system.name, "runs": len(design), "failed": failed,
                    "rows": list(table(found))})  # fmt: skip
    else:
        _print(found, failed, out)
    if failed:
        raise typer.Exit(1)


class GalleryBuild:
    """A function of varied parameters that returns a system's model."""

    def __init__(self, name: str, fixed: dict[str, Any]) -> None:
        self.name, self.fixed = name, fixed

    def __call__(self, **values: Any) -> Any:
        """Return the model."""
        system = _find(self.name)
        return system.build(system.parameters(**self.fixed, **values))


class GalleryRun(GalleryBuild):
    """A function of varied parameters that runs a system as its own module does."""

    def __init__(self, name: str, fixed: dict[str, Any], method: Any, t_end: float | None) -> None:
        super().__init__(name, fixed)
        given = {"method": method, "t_end": t_end}
        self.options = {key: value for key, value in given.items() if value is not None}

    def __call__(self, values: dict[str, Any]) -> Solution:  # type: ignore[override]
        """Return the solution."""
        options = {**self.options, "progress": False}
        found: Solution = _find(self.name).run(options=options, **self.fixed, **values)
        return found


def _find(name: str) -> Any:
    from cornerlaw import gallery

    return gallery.find(name)


def read_values(key: str, text: str) -> list[float] | list[str]:
    """Return the values of "a:b:n", from a to b in n equal steps, or of "a,b,c"."""
    parts = text.split(":")
    if len(parts) == 1:
        words = [word.strip() for word in text.split(",") if word.strip()]
        numbers = [_number(word) for word in words]
        return words if None in numbers else [value for value in numbers if value is not None]
    ends, count = [_number(part) for part in parts[:2]], parts[-1].strip()
    if len(parts) != 3 or None in ends or not count.isdigit() or int(count) < 1:
        raise UsageError(
            f"--vary {key} needs first:last:count such as {key}=0.1:0.5:9, or values separated by "
            f"commas, got {text!r}."
        )
    first, last = (value for value in ends if value is not None)
    n = int(count)
    return [first + (last - first) * k / max(n - 1, 1) for k in range(n)]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def table(found: Any) -> Any:
    """Yield every run as a dict of its parameters, measures, status and message."""
    names = [*found.coords, *found.data_vars]
    flat = found.reset_index(list(found.indexes), drop=False).reset_coords()
    shape = found["status"].shape
    import numpy as np

    for place in np.ndindex(*shape):
        at = dict(zip(found["status"].dims, place, strict=True))
        yield {
            str(name): flat[name].isel({d: i for d, i in at.items() if d in flat[name].dims})
            .values.tolist()
            for name in names
        }  # fmt: skip


def _print(found: Any, failed: int, out: Path | None) -> None:
    from cornerlaw.gallery.text_table import format_table

    rows = list(table(found))
    header = [name for name in rows[0] if name != "message"]
    shown: Callable[[Any], str] = lambda v: f"{v:.6g}" if isinstance(v, float) else str(v)  # noqa: E731
    typer.echo(format_table(header, [[shown(row[name]) for name in header] for row in rows]))
    for row in rows:
        if row["status"] == "failed":
            typer.echo(f"failed: {row['message']}", err=True)
            break
    typer.echo(f"{len(rows)} runs, {failed} failed")
    if out is not None:
        typer.echo(f"wrote {out / 'sweep.nc'}")
