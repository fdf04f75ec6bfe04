"""`cornerlaw bench`: measure scenes of a checkout, beside peers where they are installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

from cornerlaw.cli.output import print_json
from cornerlaw.errors import FileError, UnknownNameError, UsageError

MISSED = "MISSED"  # what every scene says of a goal that it does not meet


def bench(
    scenes: list[str] | None = typer.Argument(
        None, help="Scenes to measure; all if none is named."
    ),
    peers: bool = typer.Option(False, "--peers", help="Measure other software too (extra bench)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    setup: bool = typer.Option(
        False, "--setup", help="Install the other software into .venv-bench, and measure nothing."
    ),
    plot: bool = typer.Option(False, "--plot", help="Draw accuracy against cost to results/."),
) -> None:
    """Measure time and accuracy of scenes in the folder `benchmarks` of a checkout.

    Fails where a floor that was compared with a peer is not the floor it claims to be, and with the
    exit code 1 where a goal is missed. All scenes are measured and their results written before.
    """
    folder = find_folder()
    if setup:
        set_up_peers(folder)
        return
    files = [path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")]
    known = sorted(name.replace("_", "-") for name in files)
    scenes = [name.replace("_", "-") for name in scenes or ()]
    for name in scenes:
        if name not in known:
            raise UnknownNameError(f"There is no scene {name!r}; scenes are {', '.join(known)}.")
    modules = {name: load_scene(folder, name.replace("-", "_")) for name in scenes or known}
    write = load_scene(folder, "_results").write_result
    results, missed = {}, []
    for name, module in modules.items():
        results[name] = module.measure(peers=peers)
        table = module.format_result(results[name])
        missed += [f"{name}: {line}" for line in missed_goals(table)]
        path = write(name, results[name], table, peers)
        if not as_json:
            typer.echo(table)
        if path.suffixes[:1] == [".lesser"]:
            typer.echo(
                f"{name}: {path.name}, since {name}.json is of a larger scene, has peers or was "
                f"measured on an idle machine; delete it to replace it",
                err=True,
            )
        if plot:
            _draw(folder, name, module, results[name])
    if as_json:
        print_json(results)
    if missed:
        typer.echo("\n".join(missed), err=True)
    check_floors(results)
    if missed:
        raise typer.Exit(1)


def missed_goals(table: str) -> list[str]:
    """Return the lines of a scene's table that say of a goal that it is missed."""
    return [line.strip() for line in table.splitlines() if MISSED in line]


def _draw(folder: Path, name: str, module: ModuleType, result: dict[str, Any]) -> None:
    """Draw accuracy against cost of a scene, or say that it has none to be drawn."""
    points = module.points(result) if hasattr(module, "points") else []
    if not points:
        typer.echo(f"{name}: no accuracy to be drawn against cost", err=True)
        return
    path = load_scene(folder, "_plot").plot_points(name, points)
    typer.echo(f"{name}: accuracy against cost in {path.relative_to(folder.parent)}", err=True)


def check_floors(results: dict[str, dict[str, Any]]) -> None:
    """Raise an error for the first floor that a measured peer comes too near to."""
    for name, result in results.items():
        for found in result.get("validity", ()):
            if found["valid"] is False:
                raise UsageError(
                    f"The floor of the scene {name!r} is not valid: it is {found['found']:.1f} "
                    f"times as fast as {found['peer']} and must be {found['factor']:g} times; "
                    f"ratios to it mean nothing."
                )


def set_up_peers(folder: Path) -> None:
    """Install what can be installed of the other software, and say what became of it."""
    sys.path.insert(0, str(folder))  # as scenes do it
    for name, state in load_scene(folder, "_environment").set_up().items():
        typer.echo(f"{name}: {state}")


def find_folder() -> Path:
    """Return the folder of the scenes; an installed package has none."""
    import cornerlaw

    folder = Path(cornerlaw.__file__).resolve().parents[2] / "benchmarks"
    if not folder.is_dir():
        raise FileError(
            "The scenes are not part of the installed package: clone the repository and run "
            "`make bench` there."
        )
    return folder


def load_scene(folder: Path, name: str) -> ModuleType:
    """Import a scene from its file."""
    qualified = f"cornerlaw_benchmarks.{name}"
    spec = importlib.util.spec_from_file_location(qualified, folder / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileError(f'The scene "{folder / name}.py" cannot be read.')
    module = importlib.util.module_from_spec(spec)
    sys.modules[qualified] = module
    spec.loader.exec_module(module)
    return module
