"""`cornerlaw replay`: solve a saved contact problem with every solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from cornerlaw.cli.output import print_json
from cornerlaw.errors import FileError


def replay(
    path: Path = typer.Argument(..., help="A saved contact problem: ours, FCLIB or Siconos text."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Solve a saved contact problem with every solver; exit code 1 if none succeeds."""
    problem, guess = _read(path)
    records = [_solve(problem, guess, solver) for solver in _solvers()]
    if as_json:
        print_json({"file": str(path), "rows": problem.n, "solvers": records})
    else:
        _show(path, problem, records)
    if not any(record["status"] in ("solved", "infeasible") for record in records):
        raise typer.Exit(1)


def _read(path: Path) -> tuple[Any, Any]:
    """Return the problem in a file of any known format and the first guess stored with it."""
    from cornerlaw.io.fclib import is_fclib_file, read_fclib
    from cornerlaw.io.siconos import read_siconos
    from cornerlaw.problems.storage import is_problem_file, load

    if not path.is_file():
        raise FileError(f'There is no file "{path}".')
    if is_problem_file(path):
        return load(path)
    if is_fclib_file(path):
        return read_fclib(path), None
    if path.name.endswith((".dat", ".dat.gz")):
        return read_siconos(path), None
    raise FileError(f'"{path}" is no contact problem of cornerlaw, FCLIB or Siconos.')


def _solvers() -> list[Any]:
    from cornerlaw.simulate import complementarity as solvers

    return [
        solvers.Auto(),
        solvers.Lemke(),
        solvers.Pivoting(),
        solvers.GaussSeidel(),
        solvers.Jacobi(),
        solvers.AcceleratedGradient(),
        solvers.SemismoothNewton(),
        solvers.SemismoothNewton(variant="fischer-burmeister"),
        solvers.InteriorPoint(),
        solvers.ADMM(),
    ]


def _solve(problem: Any, guess: Any, solver: Any) -> dict[str, Any]:
    result = problem.solve(solver, x=guess)
    return {
        "solver": result.solver,
        "status": result.status,
        "residual": result.residual,
        "iterations": result.iterations,
        "seconds": result.seconds,
    }


def _show(path: Path, problem: Any, records: list[dict[str, Any]]) -> None:
    from cornerlaw.gallery.text_table import format_table

    typer.echo(f"{path}: {problem.n} rows, {len(problem.sets)} sets\n")
    rows = [
        [r["solver"], r["status"], f"{r['residual']:.1e}", r["iterations"], f"{r['seconds']:.3g}"]
        for r in records
    ]
    header = ["solver", "status", "residual", "iterations", "seconds"]
    typer.echo(format_table(header, rows))
