"""Check that every equation and publication cited in docstrings and pages exists.

    python tools/check_references.py        # prints what is missing, exit code 1 if anything is

A docstring cites an equation of the theory chapter as (T-4.7), and a publication as [Key] or
[Key, place].
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bibliography import ROOT, read_bibliography, read_equations

_NUMBERS = re.compile(r"\((T-[\d.]+)\)")
# a key is a name with a year; several are separated by semicolons: [Hairer1993, II.4; Hairer1996]
_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_KEY = re.compile(r"\s*([A-Z][A-Za-z]+\d{4}[a-z]?)\b")


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield node.body[0].lineno, text


def citations(text: str) -> Iterator[tuple[str, str]]:
    """Yield ("equation", number) and ("publication", key) of a text."""
    for number in _NUMBERS.findall(text):
        yield "equation", number
    for bracket in _BRACKET.findall(text):
        for item in bracket.split(";"):
            if key := _KEY.match(item):
                yield "publication", key.group(1)


def missing(texts: Iterator[tuple[str, str]]) -> list[str]:
    """Return a sentence for every citation in (place, text) pairs that leads nowhere."""
    known = {"equation": set(read_equations()), "publication": set(read_bibliography())}
    where = {"equation": "docs/theory", "publication": "docs/references.bib"}
    found = []
    for place, text in texts:
        for kind, name in citations(text):
            if name not in known[kind]:
                found.append(f"{place}: {kind} {name} is not in {where[kind]}")
    return found


def sources() -> Iterator[tuple[str, str]]:
    """Yield place and text of all docstrings of the package."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for line, text in docstrings(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{line}", text


def pages() -> Iterator[tuple[str, str]]:
    """Yield place and text of all pages, code left out."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
        yield str(path.relative_to(ROOT)), re.sub(r"`[^`\n]+`", "", text)


def main() -> int:
    """Print what is missing."""
    problems = [*missing(sources()), *missing(pages())]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
