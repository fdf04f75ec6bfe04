"""`cornerlaw view`: show a run in the browser, or write what there is to see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from cornerlaw.cli.completion import complete_system
from cornerlaw.cli.output import check_target
from cornerlaw.cli.systems import find_system, is_python_file
from cornerlaw.errors import CornerlawError, UsageError


def view(
    source: str = typer.Argument(
        metavar="FILE|NAME",
        help="A result file (.nc), or a system, which is run first.",
        autocompletion=complete_system,
    ),
    html: Path | None = typer.Option(None, "--html", help="Write one page (.html) instead."),
    png: Path | None = typer.Option(None, "--png", help="Write one picture (.png) instead."),
    video: Path | None = typer.Option(None, "--video", help="Write a video (.mp4) instead."),
    at: float | None = typer.Option(
        None, "--at", help="Time of the picture, in s; the end if not given."
    ),
    port: int = typer.Option(0, "--port", help="Port on this machine; 0 takes a free one."),
    browser: bool = typer.Option(True, help="Open the browser, or print the address only."),
) -> None:
    """Show a run in the browser, or write it as a page, a picture or a video without a display."""
    for target, kinds in ((html, ("html", "htm")), (png, ("png",)), (video, ("mp4",))):
        if target is not None:
            check_target(target, kinds)
    if at is not None and png is None:
        raise UsageError("--at is the time of a picture; give --png as well.")
    solution = _solution(source)
    if html is not None:
        solution.to_html(html)
    if png is not None:
        solution.frame(float(solution.t[-1]) if at is None else at).save(png)
    if video is not None:
        solution.to_video(video)
    written = [str(target) for target in (html, png, video) if target is not None]
    if written:
        typer.echo(f"wrote {', '.join(written)}")
        return
    with solution.view(port=port, browser=browser) as viewer:
        typer.echo(f"{viewer.url}  (Ctrl-C ends)")
        viewer.wait()


def _solution(source: str) -> Any:
    if not is_python_file(source) and (source.lower().endswith(".nc") or Path(source).is_file()):
        from cornerlaw.results import load

        return _revived(load(source))
    return find_system(source).run()


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
