"""`cornerlaw view`: show a run in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from cornerlaw.cli.output import check_target
from cornerlaw.errors import CornerlawError


def view(
    source: str = typer.Argument(
        metavar="FILE|NAME", help="A result file (.nc), or a system, which is run first."
    ),
    html: Path | None = typer.Option(None, "--html", help="Write one page (.html) instead."),
    port: int = typer.Option(0, "--port", help="Port on this machine; 0 takes a free one."),
    browser: bool = typer.Option(True, help="Open the browser, or print the address only."),
) -> None:
    """Show a run in the browser: motion, contacts, forces, events, signals, parameters."""
    if html is not None:
        check_target(html, ("html", "htm"))
    solution = _solution(source)
    if html is not None:
        solution.to_html(html)
        typer.echo(f"wrote {html}")
        return
    with solution.view(port=port, browser=browser) as viewer:
        typer.echo(f"{viewer.url}  (Ctrl-C ends)")
        viewer.wait()


def _solution(source: str) -> Any:
    if source.lower().endswith(".nc") or Path(source).is_file():
        from cornerlaw.results import load

        return _revived(load(source))
    from cornerlaw import gallery

    return gallery.find(source).run()


def _revived(solution: Any) -> Any:
    """Let a run of the gallery that comes from a file run again with other parameters."""
    from cornerlaw import gallery

    origin = solution.origin
    if origin is None:
        return solution
    try:
        system = gallery.find(origin.system)
        solution.attach(origin=system.origin_of(origin.settings))
    except CornerlawError:
        pass  # a system or parameter of another version: it can be seen, but not run again
    return solution
