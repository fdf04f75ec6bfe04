"""`cornerlaw run`: simulate one system of the gallery."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import typer

from cornerlaw.cli.completion import complete_system
from cornerlaw.cli.methods import NAMES, choose_method
from cornerlaw.cli.output import FIGURE_KINDS, check_target, print_json, render, write
from cornerlaw.errors import UsageError


def run(
    name: str = typer.Argument(
        help="Name of the system, or its id in the literature.", autocompletion=complete_system
    ),
    changes: list[str] | None = typer.Option(
        None, "--set", metavar="KEY=VALUE", help="Change a parameter; may be repeated."
    ),
    method: str | None = typer.Option(None, "--method", help=f"One of {NAMES}."),
    dt: float | None = typer.Option(None, "--dt", help="Step of a fixed-step method, in s."),
    rtol: float | None = typer.Option(None, "--rtol", help="Relative tolerance."),
    t_end: float | None = typer.Option(None, "--t-end", help="End of the run, in s."),
    out: Path | None = typer.Option(None, "--out", help="Save the result to this file (.nc)."),
    page: Path | None = typer.Option(None, "--view", help="Write a page to watch it (.html)."),
    picture: Path | None = typer.Option(None, "--plot", help="Draw to .png, .svg or .pdf."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of text."),
) -> None:
    """Simulate a system and report what it cost and how well it kept its constraints."""
    from cornerlaw import gallery

    system = gallery.find(name)
    parameters = system.parameters(**parse_changes(changes or []))
    options: dict[str, Any] = {}
    chosen = choose_method(method, dt, rtol)
    if chosen is not None:
        options["method"] = chosen
    if t_end is not None:
        if not (math.isfinite(t_end) and t_end > 0.0):
            raise UsageError(f"--t-end must be a positive number of seconds, got {t_end:g}.")
        options["t_end"] = t_end
    if out is not None:
        check_target(out, ("nc",))
    if picture is not None:
        check_target(picture, FIGURE_KINDS)
    if page is not None:
        check_target(page, ("html", "htm"))
    solution = system.simulate(parameters, **options)
    # the figure is made before anything is written: it may fail for want of matplotlib
    drawing = render(system.show(solution, parameters), picture) if picture is not None else b""
    if out is not None:
        solution.save(out)
    if picture is not None:
        write(drawing, picture)
    if page is not None:
        solution.to_html(page)
    written = [str(path) for path in (out, picture, page) if path is not None]
    if as_json:
        print_json(_record(system, parameters, solution, written))
        return
    typer.echo(str(solution))
    for path in written:
        typer.echo(f"wrote {path}")


def parse_changes(texts: list[str]) -> dict[str, str]:
    """Split KEY=VALUE texts."""
    found: dict[str, str] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise UsageError(f"--set needs KEY=VALUE, such as --set mass=2.5, got {text!r}.")
        if key.strip() in found:
            raise UsageError(f"--set gives {key.strip()!r} twice.")
        found[key.strip()] = value.strip()
    return found


def _record(system: Any, parameters: Any, solution: Any, written: list[str]) -> dict[str, Any]:
    info = solution.info
    return {
        "system": system.name,
        "parameters": dataclasses.asdict(parameters),
        "status": info.status,
        "message": info.message,
        "method": info.method,
        "t_start": float(solution.t[0]) if len(solution.t) else None,
        "t_end": float(solution.t[-1]) if len(solution.t) else None,
        "rows": len(solution.t),
        "statistics": dict(info.statistics),
        "wall_time": info.wall_time,
        "warnings": list(info.warnings),
        "versions": dict(info.versions),
        "files": written,
    }
