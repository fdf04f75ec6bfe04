"""The figures of the bench as they stand in benchmarks/results, for the page of the site."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "results"


def render_results(folder: Path = FOLDER) -> str:
    """Return every stored result as a section: date, machine, versions and table."""
    sections = []
    for path in sorted(folder.glob("*.json")):
        if path.suffixes[:1] == [".lesser"]:
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        machine, versions = found["machine"], found["versions"]
        about = ", ".join(f"{key} {value}" for key, value in machine.items())
        packages = ", ".join(f"{key} {value}" for key, value in versions.items())
        busy = machine.get("load", 0.0) > 1.5 * machine["cores"]
        note = "\n\n**The machine was busy with other work: times on the clock say little.**"
        sections.append(
            f"## {found['scene']}\n\n{found['date']}; {about}; {packages}.{note if busy else ''}"
            f"\n\n```text\n{found['table']}\n```\n"
        )
    return "\n".join(sections) or "Nothing has been measured yet.\n"
