"""`cornerlaw plot`: draw a saved result."""

from __future__ import annotations

from pathlib import Path

import typer

from cornerlaw.cli.output import FIGURE_KINDS, check_target, render, write
from cornerlaw.errors import UsageError


def plot(
    file: Path = typer.Argument(help="Result file written by `run --out` or `sol.save`."),
    names: list[str] | None = typer.Argument(
        None, help='Parts ("rod"), channels ("rod.position") or components ("rod.position.x").'
    ),
    out: Path | None = typer.Option(
        None, "--out", help="Figure to write (.png, .svg or .pdf); else beside the result."
    ),
) -> None:
    """Draw named channels of a saved result over time."""
    from cornerlaw.results import load

    target = file.with_suffix(".png") if out is None else out
    check_target(target, FIGURE_KINDS)
    solution = load(file)
    if not names:
        known = list(solution.channels.names)
        more = ", ..." if len(known) > 12 else ""
        raise UsageError(f'Say what to plot of "{file}": {", ".join(known[:12])}{more}.')
    write(render(solution.plot(*names), target), target)
    typer.echo(f"wrote {target}")
