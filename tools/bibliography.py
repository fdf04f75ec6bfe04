"""Read docs/references.bib and the numbers of the equations; render the list of references."""

import html
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIBLIOGRAPHY = ROOT / "docs" / "references.bib"
THEORY = ROOT / "docs" / "theory"

EQUATION = re.compile(r"\\tag\{(T-\d+\.\d+)\}")
_ENTRY = re.compile(r"@(\w+)\{(\w+),(.*?)\n\}", re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\}\s*,?\s*$", re.MULTILINE)
_ACCENTS = {
    r"{\'\i}": "í", r"{\'o}": "ó", r"{\'a}": "á", r"{\'A}": "Á", r"{\'e}": "é",
    r"{\"u}": "ü", r"{\o}": "ø", r"$\alpha$": "α", "--": "–",
}  # fmt: skip


def read_bibliography(path: Path = BIBLIOGRAPHY) -> dict[str, dict[str, str]]:
    """Return the fields of every entry by its key."""
    entries: dict[str, dict[str, str]] = {}
    for kind, key, body in _ENTRY.findall(path.read_text(encoding="utf-8")):
        if key in entries:
            raise ValueError(f"the key {key} stands twice in {path.name}")
        fields = {name: _plain(value) for name, value in _FIELD.findall(body)}
        entries[key] = {"kind": kind, **fields}
    return entries


def read_equations(folder: Path = THEORY) -> dict[str, str]:
    """Return the page of every numbered equation, such as {"T-1.1": "form.md"}."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        for number in EQUATION.findall(path.read_text(encoding="utf-8")):
            if number in found:
                raise ValueError(f"equation ({number}) stands in {found[number]} and {path.name}")
            found[number] = path.name
    return found


def _plain(text: str) -> str:
    for tex, character in _ACCENTS.items():
        text = text.replace(tex, character)
    return text.replace("{", "").replace("}", "")


def _people(text: str) -> str:
    """Turn "Last, First and Last, First" into "First Last, First Last"."""
    names = []
    for name in text.split(" and "):
        last, _, first = name.partition(", ")
        names.append(f"{first} {last}".strip())
    return ", ".join(names).replace(", others", " et al.")


def render_entry(key: str, entry: dict[str, str]) -> str:
    """Return one entry as a line of Markdown with an anchor."""
    who = _people(entry["author"]) if "author" in entry else f"{_people(entry['editor'])} (ed.)"
    parts = [f"{who}: *{entry['title']}*."]
    if "booktitle" in entry:
        parts.append(f"In {_people(entry['editor'])} (ed.): {entry['booktitle']}.")
    if "journal" in entry:
        number = f"({entry['number']})" if "number" in entry else ""
        volume = f" {entry['volume']}{number}" if "volume" in entry else ""
        parts.append(f"{entry['journal']}{volume},")
    if "edition" in entry:
        parts.append(f"Edition {entry['edition']}.")
    if "pages" in entry:
        parts.append(f"{entry['pages']},")
    if "publisher" in entry:
        parts.append(f"{entry['publisher']},")
    parts.append(f"{entry['year']}.")
    if "doi" in entry:
        parts.append(f"[doi:{html.escape(entry['doi'])}](https://doi.org/{entry['doi']})")
    return f'<span id="{key}">**[{key}]**</span> ' + " ".join(parts)


def render_references() -> str:
    """Return the list of references in Markdown."""
    return "\n\n".join(
        render_entry(key, entry) for key, entry in sorted(read_bibliography().items())
    )
