"""The hooks of the site: numbered equations with anchors, citations as links, code left alone."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import pytest  # noqa: E402
import site_hooks  # noqa: E402


def page(uri: str) -> SimpleNamespace:
    """Return what a hook knows of a page."""
    return SimpleNamespace(file=SimpleNamespace(src_uri=uri))


def test_an_equation_gets_its_number_and_an_anchor():
    text = site_hooks.on_page_markdown("$$ a = b \\tag{T-1.1} $$", page=page("theory/form.md"))
    assert '<div class="equation" id="T-1.1" markdown="1">' in text
    assert "(T-1.1)</span>" in text and "\\tag" not in text


def test_numbers_and_keys_become_links_relative_to_the_page():
    source = "By (T-2.8) and [Hairer1993], not `(T-2.8)` nor [Nobody1900]."
    text = site_hooks.on_page_markdown(source, page=page("howto/loops.md"))
    assert "([T-2.8](../theory/kinematics.md#T-2.8))" in text
    assert "(../theory/references.md#Hairer1993)" in text
    assert "`(T-2.8)`" in text and "nor [Nobody1900]" in text


def test_code_and_formulas_are_left_alone():
    source = "```python\nx = [Hairer1993]  # (T-1.1)\n```\n\n\\(f(T-1.1)\\)\n"
    assert site_hooks.on_page_markdown(source, page=page("index.md")) == source


def test_references_are_listed_with_anchors():
    text = site_hooks.on_page_markdown("<!-- references -->", page=page("theory/references.md"))
    assert 'id="Featherstone2008"' in text and "Nørsett" in text


def test_a_formula_stays_readable_without_a_converter(monkeypatch):
    monkeypatch.setattr(site_hooks, "convert", None)
    html = site_hooks.on_page_content('<span class="arithmatex">\\(a &lt; b\\)</span>')
    assert html == '<span class="formula tex">a &lt; b</span>'


def test_every_page_is_in_the_navigation_once():
    listed = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = [p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def test_notation_follows_the_start_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    tabs = re.findall(r"^  - (\w[\w ]*):", text[text.index("\nnav:") :], re.MULTILINE)
    assert tabs[:3] == ["Start", "Notation", "Theory"]


def test_brackets_with_an_exponent_are_a_group():
    held = site_hooks._hold_brackets
    assert held(r"\left(a\right)^2") == r"{\left(a\right)}^2"
    assert (
        held(r"\Bigl[\Bigl(x\Bigr)^{2} + 1\Bigr]^{3}")
        == r"{\Bigl[{\Bigl(x\Bigr)}^{2} + 1\Bigr]}^{3}"
    )
    assert held(r"\left(a\right) b_2") == r"\left(a\right) b_2"


def test_functions_stand_off_and_primes_are_no_exponents():
    pytest.importorskip("latex2mathml")
    space = '<mspace width="0.167em" />'
    assert site_hooks._convert(r"a\cos\alpha", "inline").count(space) == 2
    assert space not in site_hooks._convert(r"\sin(x)", "inline")
    prime = site_hooks._convert("r'_y", "inline")
    assert "<msup" not in prime and "&#x02032;</mo>" in prime


def test_what_docstrings_cite_becomes_a_link_on_the_finished_page():
    text = (
        '<div class="doc-contents">Law. (T-2.8) [Moreau1988; Liu2008] [m^2] <code>(T-2.8)</code> '
        '<a href="x">(T-2.8)</a> <span class="number">(T-2.8)</span></div>'
    )
    html = site_hooks.on_page_content(text, page=page("reference/impacts.md"))
    assert html.count("../theory/kinematics.html#T-2.8") == 1
    assert "../theory/references.html#Moreau1988" in html and "#Liu2008" in html
    assert "[m^2]" in html and "<code>(T-2.8)</code>" in html


def test_signs_brackets_and_relations_are_set_as_in_print():
    pytest.importorskip("latex2mathml")
    convert = site_hooks._convert
    assert 'form="prefix"' in convert("a = -b", "inline")
    assert 'form="prefix"' not in convert("a - b", "inline")
    assert "<msup><mrow>" in convert(r"\big(a\big)^2", "inline")
    assert "\\" not in re.sub(r'alttext="[^"]*"', "", convert(r"\arg\min_x f", "inline"))
    assert "<mspace" not in convert(r"v_\perp", "inline")
    assert "<mi>;" not in convert(r"0 \le a \ \perp\ b", "inline")
    assert "text-align: left" in convert(r"\begin{cases} a & b \end{cases}", "block")


def test_no_line_parts_a_formula_from_the_mark_behind_it():
    pytest.importorskip("latex2mathml")
    html = site_hooks.on_page_content('see (<span class="arithmatex">\\(a\\)</span>), so')
    assert re.search(r'see <span class="held">\(<math.*</math>\),</span> so', html)
