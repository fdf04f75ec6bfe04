"""The commands together."""

import typer

from cornerlaw.cli.bench import bench
from cornerlaw.cli.check import check
from cornerlaw.cli.info import info
from cornerlaw.cli.listing import list_systems
from cornerlaw.cli.new import new
from cornerlaw.cli.plot import plot
from cornerlaw.cli.replay import replay
from cornerlaw.cli.run import run
from cornerlaw.cli.sweep import sweep
from cornerlaw.cli.view import view
from cornerlaw.cli.warmup import warmup

app = typer.Typer(
    name="cornerlaw",
    help="Dynamics of machines whose parts touch, stick, slip, hit, open and close.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from cornerlaw._version import __version__

        typer.echo(f"cornerlaw {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Dynamics of machines whose parts touch, stick, slip, hit, open and close."""


app.command("new")(new)
app.command("list")(list_systems)
app.command("run")(run)
app.command("check")(check)
app.command("sweep")(sweep)
app.command("view")(view)
app.command("plot")(plot)
app.command("info")(info)
app.command("warmup")(warmup)
app.command("bench")(bench)
app.command("replay")(replay)
