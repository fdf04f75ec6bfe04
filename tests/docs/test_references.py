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


# equations of contacts, laws, solvers, impacts and both roads that nothing computes as they stand
DERIVATION = {
    "T-10.2": "curvature as a fraction: how contours are stored",
    "T-10.5": "formulas of Frenet",
    "T-10.7": "rates of the contact frame, in front of (T-10.9)",
    "T-10.8": "rates of the contact points, inserted into (T-10.9)",
    "T-11.3": "normal cone",
    "T-11.4": "forms of the inclusion",
    "T-11.7": "decomposition of friction, in front of (T-12.11)",
    "T-12.13": "intervals as two complementarities, part of (T-12.11)",
    "T-13.10": "normal law of the second phase, solved together with (T-13.9)",
    "T-13.15": "proof that Poisson's law is passive",
    "T-13.18": "the maps of the cradle law, written out",
    "T-14.15": "energy of a step",
    "T-14.16": "energy that corners take in a step",
    "T-15.4": "the matrix of one sliding contact",
}


def test_every_scheme_of_contacts_is_cited_by_code() -> None:
    """An equation of chapters 10 to 15 is cited by a docstring, or only leads to one that is."""
    sources = [text for _, text in check_references.sources()]
    cited = {name for text in sources for _, name in check_references.citations(text)}
    numbers: list[str] = []
    for page in bibliography.THEORY.glob("*.md"):
        numbers += bibliography.EQUATION.findall(page.read_text(encoding="utf-8"))
    asked = {x for x in numbers if 10 <= int(x.removeprefix("T-").split(".")[0]) <= 15}
    assert asked - cited == set(DERIVATION)
