"""Names of gallery systems for the completion of the shell."""

from __future__ import annotations

from pathlib import Path

GALLERY = Path(__file__).resolve().parents[1] / "gallery"


def complete_system(incomplete: str) -> list[str]:
    """Return the systems whose names begin with the text.

    Files are looked at, not imported: a shell does not wait for a second at every tab.
    """
    names = [
        path.stem.replace("_", "-")
        for path in sorted(GALLERY.glob("*/[!_]*.py"))
        if "\nTITLE = " in path.read_text(encoding="utf-8")
    ]
    return [name for name in names if name.startswith(incomplete)]
