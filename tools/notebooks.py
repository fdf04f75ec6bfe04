"""Notebooks of the site: pages of Markdown whose blocks of Python are run, with what they show.

The files in docs/notebooks are notebooks in jupytext's Markdown format, so that Jupyter opens them
as they are. When the site is built their cells run from top to bottom and every output follows its
cell: what was printed, figures, and runs as a page to watch. Each gets a file for Jupyter besides.
Other pages whose cells are run so have the line `<!-- cells are run -->`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = "notebooks/"
MARK = "<!-- cells are run -->"
CELL = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADER = re.compile(r"\A---\n.*?^---\n+", re.DOTALL | re.MULTILINE)
FRAMES = 600  # moments of a run on a page of the site


@dataclass
class Shown:
    """What one cell showed."""

    printed: str = ""
    figure: bytes = b""  # PNG
    page: str = ""  # HTML


@dataclass
class Notebook:
    """Texts and cells of a file in their order."""

    source: str
    pieces: list[tuple[str, str]] = field(default_factory=list)  # ("text" or "code", its source)

    def __post_init__(self) -> None:
        rest, at = HEADER.sub("", self.source), 0
        for match in CELL.finditer(rest):
            self.pieces += [("text", rest[at : match.start()]), ("code", match[1])]
            at = match.end()
        self.pieces.append(("text", rest[at:]))

    def run(self, name: str = "notebook") -> Iterator[Shown]:
        """Run the cells in one namespace, each when it is asked for."""
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for number, (kind, source) in enumerate(self.pieces):
            if kind == "code":
                yield run_cell(source, namespace, f"{name}[{number}]")

    def to_ipynb(self) -> str:
        """Return the notebook without outputs, as Jupyter's own format."""
        cells = []
        for number, (kind, source) in enumerate(self.pieces):
            text = source.strip("\n")
            if not text:
                continue
            cell: dict[str, Any] = {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}}
            if kind == "code":
                cell.update(cell_type="code", execution_count=None, outputs=[])
            cells.append({**cell, "source": text.splitlines(keepends=True)})
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
        return json.dumps({**whole, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


def run_cell(source: str, namespace: dict[str, Any], name: str) -> Shown:
    """Run a cell; the value of a last expression is shown as Jupyter would show it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    shown = Shown(printed.getvalue())
    if value is not None:
        _show(value, shown)
    return shown


def _show(value: Any, shown: Shown) -> None:
    """Add a figure, a run or a text."""
    if hasattr(value, "_repr_png_"):
        shown.figure = value._repr_png_()
    elif hasattr(value, "to_html") and getattr(value, "scene", None) is not None:
        shown.page = _page(value)
    else:
        shown.printed += f"{value!r}\n"


def _page(sol: Any) -> str:
    """Return a run as a page to watch; nothing where that page is not built."""
    from cornerlaw.viewer.page import BUILT

    if not BUILT.is_file():
        return ""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.html"
        sol.to_html(file, frames=FRAMES)
        return file.read_text(encoding="utf-8")


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Work in a folder that is gone afterwards: cells may write files."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Run the notebook of a page and put every output behind its cell."""
    uri = page.file.src_uri
    is_notebook = uri.startswith(FOLDER) and "```python\n" in markdown
    if not is_notebook and MARK not in markdown:
        return markdown
    from mkdocs.structure.files import File

    folder, _, file = uri.rpartition("/")
    stem = file.removesuffix(".md")
    book = Notebook(markdown.replace(MARK, ""))

    def add(name: str, content: str | bytes) -> str:
        files.append(File.generated(config, f"{folder}/{name}", content=content))
        return name

    with empty_folder():
        outputs = list(book.run(stem))
    shown, count = [], 0
    for kind, source in book.pieces:
        if kind == "text":
            shown.append(source)
            continue
        shown.append(f"```python\n{source}```\n")
        shown += _written(outputs[count], f"{stem}-{count + 1}", add)
        count += 1
    if not is_notebook:
        return "\n".join(shown)
    link = add(f"{stem}.ipynb", book.to_ipynb())
    return "\n".join([*shown, f'<p><a href="{link}" download>This page as a notebook</a></p>\n'])


def _written(output: Shown, name: str, add: Any) -> list[str]:
    """Return the Markdown of what a cell showed; `add` puts a file beside the page."""
    found = []
    if output.printed:
        found.append(f"``` {{ .text .output }}\n{output.printed.rstrip()}\n```\n")
    if output.figure:
        found.append(f"![Figure]({add(f'{name}.png', output.figure)}){{ loading=lazy }}\n")
    if output.page:
        frame = f'<iframe class="run" src="{add(f"{name}.html", output.page)}" loading="lazy"'
        found.append(f'{frame} title="The run, to watch"></iframe>\n')
    return found
