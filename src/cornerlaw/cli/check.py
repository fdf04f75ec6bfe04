"""`cornerlaw check`: compare systems of the gallery with their references."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from cornerlaw.cli.completion import complete_system
from cornerlaw.cli.output import print_json
from cornerlaw.cli.systems import counted
from cornerlaw.errors import CornerlawError, UsageError


def check(
    names: list[str] | None = typer.Argument(
        None, help="Names or ids of systems.", autocompletion=complete_system
    ),
    everything: bool = typer.Option(False, "--all", help="Check every system."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Run systems and compare them with their references; exit code 1 if one fails."""
    from cornerlaw import gallery

    if bool(names) == everything:
        raise UsageError("Name the systems to check, or say --all.")
    chosen = dict.fromkeys(gallery.systems())
    if names:
        # an unknown name is an error before anything runs
        chosen = dict.fromkeys(system for name in names for system in gallery.find_all(name))
    records = []
    for system in chosen:
        records.append(_check(system))
        if not as_json:
            _show(records[-1])
    if everything:
        for entry in gallery.broken():
            records.append({"system": entry.name, "ok": False, "error": entry.reason, "checks": []})
            if not as_json:
                _show(records[-1])
    ok = all(record["ok"] for record in records)
    if as_json:
        print_json({"ok": ok, "systems": records})
    else:
        count = sum(len(record["checks"]) for record in records)
        failed = [record["system"] for record in records if not record["ok"]]
        verdict = f"failed: {', '.join(failed)}" if failed else "all pass"
        typer.echo(f"{counted(len(records), 'system')}, {counted(count, 'check')}: {verdict}")
    if not ok:
        raise typer.Exit(1)


def _check(system: Any) -> dict[str, Any]:
    """Run and check one system; a run that fails is a check that failed."""
    try:
        checks = system.check()
    except CornerlawError as error:
        return {"system": system.name, "ok": False, "error": str(error), "checks": []}
    ok = all(item.ok for item in checks)
    records = [asdict(item) for item in checks]
    return {"system": system.name, "ok": ok, "error": None, "checks": records}


def _show(record: dict[str, Any]) -> None:
    from cornerlaw.gallery.text_table import format_table

    typer.echo(f"{record['system']}")
    if record["error"]:
        typer.echo(f"  FAIL: {record['error']}\n")
        return
    rows = [
        [
            c["name"],
            *(format(c[key], ".10g") for key in ("value", "reference")),
            c["tolerance"],
            c["ok"],
        ]
        for c in record["checks"]
    ]
    table = format_table(["check", "value", "reference", "tolerance", ""], rows)
    typer.echo("\n".join(f"  {line}" for line in table.splitlines()) + "\n")
