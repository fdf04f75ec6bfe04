"""The pages of the gallery: made from the modules, with checks, parameters, code and errata."""

import sys
from pathlib import Path

import pytest

from cornerlaw import gallery

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import gallery_pages  # noqa: E402
from formulas import sentence  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the pages of two quick systems."""
    out = tmp_path_factory.mktemp("gallery")
    assert gallery_pages.main(["pendulum", "two-masses", "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize("name", ["pendulum", "two-masses"])
def test_a_page_has_all_that_the_module_states(folder: Path, name: str) -> None:
    system = gallery.find(name)
    text = (folder / f"{name}.html").read_text("utf-8")
    for item in system.fields:
        assert f"<td>{item.name}</td>" in text and f"<td>{sentence(item.origin)}</td>" in text
    for check in system.check():
        assert f"<td>{sentence(gallery_pages.with_unit(check.name))}</td>" in text
    assert text.count('class="pass"') == len(system.check()) and "FAIL" not in text
    assert "def build(" in text and system.title in text
    for picture in (f"{name}.png", f"{name}-card.png"):
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")


def test_the_index_links_what_was_made_and_names_the_rest(folder: Path) -> None:
    text = (folder / "index.html").read_text("utf-8")
    assert 'href="pendulum.html"' in text and 'href="woodpecker.html"' not in text
    for system in gallery.systems():
        assert f"<span>{gallery_pages.escape(system.title)}</span>" in text


def test_the_site_links_the_same_pages_from_its_own_folder(folder: Path) -> None:
    text = gallery_pages.site_index(folder)
    assert 'href="gallery/pendulum.html"' in text and 'src="gallery/pendulum-card.png"' in text
    assert 'href="gallery/errata.html"' in text and "woodpecker.html" not in text
    for topic in gallery.topics():
        assert f"## {topic.capitalize()}\n" in text
    missing = gallery_pages.site_index(folder / "nothing")
    assert "make gallery" in missing and "href=" not in missing


def test_errata_are_those_of_the_modules(folder: Path) -> None:
    text = (folder / "errata.html").read_text("utf-8")
    stated = [erratum for system in gallery.systems() for erratum in system.errata]
    assert text.count("<tr><td>") == len(stated) >= 10
    # what the book prints of the woodpecker, and what follows from its data
    assert "8.98 Hz" in text and "6.850 Hz" in text


def test_a_failing_check_and_foreign_signs_are_shown_as_they_are() -> None:
    assert gallery_pages.number(False) == "no"
    assert gallery_pages.number(-0.0) == "0" and gallery_pages.number(1.0 / 3.0) == "0.333333333"
    assert gallery_pages.text("a `b < c`") == ["<p>a <code>b &lt; c</code></p>"]
    shown = gallery_pages.table(("a",), [["<script>", gallery_pages.Formula("<i>mu"), True, False]])
    assert (
        "&lt;script&gt;" in shown and "&lt;i&gt;μ" in shown and "pass" in shown and "FAIL" in shown
    )
