"""What commands write: JSON on stdout, figures to files, each whole or not at all."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import typer

from cornerlaw.errors import UsageError

FIGURE_KINDS = ("png", "svg", "pdf")


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers that JSON does not know (nan, inf) become null."""
    typer.echo(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_summary(solution: Any) -> None:
    """Print what a run tells: a table on a terminal, plain lines into a file or a pipe."""
    if not sys.stdout.isatty():
        typer.echo(str(solution))
        return
    from rich.box import ROUNDED
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from cornerlaw.results.summary import summary_lines

    # texts, not markup: a name in brackets is a name
    table = Table(
        title=Text(f'Solution of "{solution.info.model}"'), box=ROUNDED, show_header=False
    )
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    good = solution.ok and solution.info.status in ("done", "stopped")
    for title, text in summary_lines(solution):
        colour = {"status": "green" if good else "red", "warning": "yellow"}.get(title, "")
        table.add_row(Text(title), Text(text, style=colour))
    Console(file=sys.stdout).print(table)


def check_target(path: Path, kinds: tuple[str, ...]) -> None:
    """Refuse a file that could not be written before any work is done for it."""
    if path.suffix.lower().lstrip(".") not in kinds:
        endings = ", ".join(f".{kind}" for kind in kinds)
        raise UsageError(f'"{path}" must end in one of {endings}.')
    if path.is_dir():
        raise UsageError(f'"{path}" is a folder; give the name of a file.')
    if not path.absolute().parent.is_dir():
        raise UsageError(f'There is no folder "{path.parent}" for "{path.name}"; create it first.')


def render(figure: Any, path: Path) -> bytes:
    """Return a figure in the format that the file's ending asks for."""
    from cornerlaw.plots.style import house_style, to_bytes

    kind = path.suffix.lower().lstrip(".")
    if kind != "pdf":
        return to_bytes(figure, kind)
    buffer = io.BytesIO()
    with house_style():
        figure.savefig(buffer, format="pdf", metadata={"CreationDate": None})
    return buffer.getvalue()


def write(content: bytes, path: Path) -> None:
    """Write a file whole or not at all."""
    from cornerlaw.results.atomic import whole_file

    with whole_file(path) as file:
        file.write(content)


def print_profile(solution: Any) -> None:
    """Print the seconds of all stages, what took longest first."""
    stages = sorted(solution.profile.items(), key=lambda stage: -stage[1])
    width = max((len(name) for name, _ in stages), default=0)
    typer.echo("profile [s]")
    for name, seconds in stages:
        typer.echo(f"  {name:<{width}}  {seconds:.6f}")
