"""`cornerlaw run`: simulate one system of the gallery."""

from __future__ import annotations

import dataclasses
import math
import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from cornerlaw.cli.completion import complete_system
from cornerlaw.cli.methods import NAMES, choose_method
from cornerlaw.cli.output import (
    FIGURE_KINDS,
    check_target,
    print_json,
    print_profile,
    print_summary,
    render,
    write,
)
from cornerlaw.cli.systems import find_system
from cornerlaw.errors import UsageError


def run(
    context: typer.Context,
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
    checkpoint: Path | None = typer.Option(
        None, "--checkpoint", help="Record the run in this folder while it goes on."
    ),
    every: float | None = typer.Option(
        None, "--checkpoint-every", help="Seconds between two entries of the record."
    ),
    resume: Path | None = typer.Option(
        None, "--resume", help="Go on with the run that this checkpoint holds."
    ),
    limits: list[str] | None = typer.Option(
        None,
        "--limit",
        metavar="KEY=VALUE",
        help="Largest residual, penetration, drift or energy; may be repeated.",
    ),
    strict: bool = typer.Option(False, "--strict", help="Make an error of every warning."),
    profile: bool = typer.Option(
        False, "--profile", help="Measure the time of every stage of the compiled loop."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of text."),
) -> None:
    """Simulate a system and report what it cost and how well it kept its constraints.

    Exit code 1 if the result is degraded, 130 or 143 if the run was interrupted.
    """
    system = find_system(name)
    parameters = system.parameters(**parse_changes(changes or []))
    options: dict[str, Any] = {}
    chosen = choose_method(method, dt, rtol)
    if chosen is not None:
        options["method"] = chosen
    if t_end is not None:
        if not (math.isfinite(t_end) and t_end > 0.0):
            raise UsageError(f"--t-end must be a positive number of seconds, got {t_end:g}.")
        options["t_end"] = t_end
    options |= _record_options(checkpoint, every, resume)
    options |= _trust_options(limits or [], strict)
    if profile:
        options["profile"] = True
    if out is not None:
        check_target(out, ("nc",))
    if picture is not None:
        check_target(picture, FIGURE_KINDS)
    if page is not None:
        check_target(page, ("html", "htm"))
    from cornerlaw.simulate.signals import interrupted_by, sigterm_heard

    with sigterm_heard():
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
    else:
        print_summary(solution)
        if profile:
            print_profile(solution)
        for path in written:
            typer.echo(f"wrote {path}")
    folder = checkpoint or resume
    if solution.info.status == "interrupted":
        if folder is not None:
            command = resume_command(context.find_root().obj or sys.argv[1:])
            typer.echo(f"interrupted; go on with: {command}", err=True)
        else:
            typer.echo("interrupted; a run with --checkpoint could be resumed", err=True)
        raise typer.Exit(128 + interrupted_by())
    if not solution.ok:
        raise typer.Exit(1)


def resume_command(arguments: list[str]) -> str:
    """Return the command that goes on with a run, from the arguments it was begun with."""
    words = ["cornerlaw", *arguments]
    for k, word in enumerate(words):
        head, sign, value = word.partition("=")
        if head == "--checkpoint":
            words[k] = f"--resume{sign}{value}"
    return shlex.join(words)


def _record_options(
    checkpoint: Path | None, every: float | None, resume: Path | None
) -> dict[str, Any]:
    """Return the options of `simulate` about the record of a run."""
    if checkpoint is not None and resume is not None:
        raise UsageError("--checkpoint begins a record and --resume goes on with one; give one.")
    if every is not None and checkpoint is None and resume is None:
        raise UsageError("--checkpoint-every needs --checkpoint or --resume.")
    found: dict[str, Any] = {}
    if checkpoint is not None or resume is not None:
        found = {"checkpoint": checkpoint or resume, "resume": resume is not None}
    if every is not None:
        found["checkpoint_every"] = every
    return found


def _trust_options(limits: list[str], strict: bool) -> dict[str, Any]:
    """Return the options of `simulate` about what counts as a success."""
    found: dict[str, Any] = {"strict": True} if strict else {}
    if limits:
        from cornerlaw.simulate.limits import Limits

        values: dict[str, float] = {}
        known = [item.name for item in dataclasses.fields(Limits)]
        for key, text in parse_changes(limits, "--limit", "penetration=1e-6").items():
            if key not in known:
                raise UsageError(f"--limit knows {', '.join(known)}, got {key!r}.")
            try:
                values[key] = float(text)
            except ValueError:
                raise UsageError(f"--limit {key} must be a number, got {text!r}.") from None
        found["limits"] = Limits(**values)
    return found


def parse_changes(
    texts: list[str], option: str = "--set", example: str = "mass=2.5"
) -> dict[str, str]:
    """Split KEY=VALUE texts."""
    found: dict[str, str] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise UsageError(f"{option} needs KEY=VALUE, such as {option} {example}, got {text!r}.")
        if key.strip() in found:
            raise UsageError(f"{option} gives {key.strip()!r} twice.")
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
        "memory": info.memory,
        "profile": dict(info.profile),
        "warnings": list(info.warnings),
        "versions": dict(info.versions),
        "files": written,
    }
