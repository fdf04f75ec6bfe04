"""Citations in docstrings and pages lead to equations and publications that exist."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import bibliography  # noqa: E402
import check_references  # noqa: E402


def test_docstrings_cite_what_exists():
    assert check_references.missing(check_references.sources()) == []


def test_pages_cite_what_exists():
    assert check_references.missing(check_references.pages()) == []


def test_missing_equations_and_publications_are_found():
    text = "Write x. (T-99.1) (T-1.1) [Nobody1900, IV.2; Hairer1996, (IV.8.25)] [0, 1] [Hairer1993]"
    problems = check_references.missing(iter([("here:3", text)]))
    assert problems == [
        "here:3: equation T-99.1 is not in docs/theory",
        "here:3: publication Nobody1900 is not in docs/references.bib",
    ]


def test_docstrings_of_modules_classes_and_functions_are_read():
    source = '"""A [Key2001]."""\nclass C:\n  """B."""\n  def f(self):\n    """D\n    e."""\n'
    assert [line for line, _ in check_references.docstrings(source)] == [1, 3, 5]


def test_equations_are_numbered_without_gaps_in_reading_order():
    numbers = []
    for page in re.findall(r"theory/(\S+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")):
        text = (bibliography.THEORY / page).read_text(encoding="utf-8")
        numbers += bibliography.EQUATION.findall(text)
    chapters: dict[int, list[int]] = {}
    for number in numbers:
        chapter, place = number.removeprefix("T-").split(".")
        chapters.setdefault(int(chapter), []).append(int(place))
    assert list(chapters) == list(range(1, len(chapters) + 1))
    for places in chapters.values():
        assert places == list(range(1, len(places) + 1))


@pytest.mark.parametrize("key", sorted(bibliography.read_bibliography()))
def test_publications_are_complete(key):
    entry = bibliography.read_bibliography()[key]
    assert "author" in entry or "editor" in entry
    assert entry["title"] and re.fullmatch(r"(19|20)\d\d", entry["year"])
    assert "publisher" in entry or "journal" in entry
    assert key.endswith(entry["year"])
    # nothing of TeX is left in what a reader sees
    assert not re.search(r"[\\{}$]", bibliography.render_entry(key, entry))


def test_every_publication_is_cited():
    texts = [text for _, text in (*check_references.sources(), *check_references.pages())]
    cited = {name for text in texts for kind, name in check_references.citations(text)}
    assert set(bibliography.read_bibliography()) <= cited
