"""`cornerlaw list`: the systems of the gallery."""

from typing import Any

import typer

from cornerlaw.cli.output import print_json


def list_systems(
    topic: str | None = typer.Option(None, "--topic", help="Only systems of this topic."),
    dof: bool = typer.Option(
        False, "--dof", help="Assemble every system and count its degrees of freedom anew."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON with all parameters."),
) -> None:
    """List the systems: id in the literature, name, topic, degrees of freedom, source, title."""
    from cornerlaw import gallery
    from cornerlaw.gallery.text_table import format_table

    chosen = gallery.systems(topic)
    freedoms = {
        system.name: _freedoms(system) if dof else system.degrees_of_freedom for system in chosen
    }
    if as_json:
        print_json([_record(system, freedoms) for system in chosen])
    else:
        header = ["ids", "name", "topic", "dof", "source", "title"]
        rows = [
            [
                " ".join(system.spec) or "-",
                system.name,
                system.topic,
                freedoms[system.name],
                system.source or "-",
                system.title,
            ]
            for system in chosen
        ]
        typer.echo(format_table(header, rows))
    for entry in gallery.broken():
        typer.echo(f"cornerlaw: {entry.name} cannot be used: {entry.reason}", err=True)


def _freedoms(system: Any) -> int:
    return int(system.build().describe().degrees_of_freedom)


def _record(system: Any, freedoms: dict[str, int | None]) -> dict[str, Any]:
    return {
        "name": system.name,
        "ids": list(system.spec),
        "topic": system.topic,
        "title": system.title,
        "source": system.source,
        "degrees_of_freedom": freedoms[system.name],
        "parameters": [
            {"name": f.name, "default": f.default, "unit": f.unit, "origin": f.origin}
            for f in system.fields
        ],
    }
