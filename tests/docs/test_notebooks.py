"""The notebooks of the site run without a warning and show what a reader is told to look at."""

import ast
import io
import json
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

FILES = sorted((ROOT / "docs" / "notebooks").glob("[0-9]*.md"))
FIGURES = ROOT / "docs" / "reference" / "plots.md"


def read(path: Path) -> notebooks.Notebook:
    return notebooks.Notebook(path.read_text(encoding="utf-8"))


def test_there_are_six_and_the_index_links_them() -> None:
    index = (ROOT / "docs" / "notebooks" / "index.md").read_text("utf-8")
    assert len(FILES) == 6
    assert all(f"]({path.name})" in index for path in FILES)


@pytest.mark.parametrize("path", [*FILES, FIGURES], ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_figures_and_the_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # the page to watch is tested elsewhere
    monkeypatch.setattr(notebooks, "_page", lambda sol: f"{len(sol.t)} rows")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = list(read(path).run(path.stem))
    figures = [output.figure for output in shown if output.figure]
    assert figures and all(has_content(figure) for figure in figures)
    assert any(output.page for output in shown) and any(output.printed for output in shown)


def test_every_kind_of_figure_is_drawn_on_the_page_of_figures() -> None:
    from cornerlaw import plots

    text = FIGURES.read_text("utf-8")
    assert notebooks.MARK in text
    # the last line of a cell is what it shows
    last = [source.strip().splitlines() for kind, source in read(FIGURES).pieces if kind == "code"]
    shown = "\n".join(line for lines in last for line in lines if not line.startswith(" "))
    no_figures = {"Code", "Picture", "Section", "Table", "fitted_order", "write_report"}
    methods = {"plot": "sol.plot(", "poincare": "returns.plot("}
    for name in set(plots.__all__) - no_figures:
        assert methods.get(name, f"plots.{name}(") in shown, name
    assert "cl.mode_motion(" in shown


def has_content(png: bytes) -> bool:
    """Tell whether a picture is more than white paper with axes."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png)).convert("RGB")
    colours = image.getcolors(1 << 24)
    # lines of the house style are blue first; axes and texts are grey
    strong = sum(n for n, (r, g, b) in colours if max(r, g, b) - min(r, g, b) > 60)
    return strong > 500


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_file_for_jupyter_has_all_cells(path: Path) -> None:
    book = read(path)
    given = json.loads(book.to_ipynb())
    code = ["".join(c["source"]) for c in given["cells"] if c["cell_type"] == "code"]
    assert code == [source.strip("\n") for kind, source in book.pieces if kind == "code"]
    assert all(ast.parse(source) for source in code)
    assert given["nbformat"] == 4 and len({c["id"] for c in given["cells"]}) == len(given["cells"])


def test_a_cell_shows_its_last_value_as_jupyter_does() -> None:
    namespace: dict[str, object] = {}
    assert notebooks.run_cell("a = 2\nprint(a)\na + 1", namespace, "x").printed == "2\n3\n"
    assert notebooks.run_cell("a = 5", namespace, "x") == notebooks.Shown()
    assert namespace["a"] == 5
