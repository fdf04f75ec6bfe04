"""Hooks of the documentation site: numbered equations, citations, formulas as MathML.

Formulas become MathML when the site is built, so that the pages need neither scripts nor the
network. Without the package latex2mathml they stay TeX, which remains readable.
"""

import html
import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bibliography import read_bibliography, read_equations, render_references

try:
    from latex2mathml.converter import convert
except ImportError:
    convert = None

_DISPLAY = re.compile(r"^\$\$(.*?)\$\$$", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"\s*\\tag\{(T-\d+\.\d+)\}")
_LITERAL = re.compile(
    r"(^```.*?^```$|^\$\$.*?\$\$$|`[^`\n]+`|\\\(.*?\\\))", re.DOTALL | re.MULTILINE
)
_CITATION = re.compile(r"\[([A-Z]\w+\d{4})\](?!\()")
_NUMBER = re.compile(r"\((T-\d+\.\d+)\)")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[\(\[](.*?)\\[\)\]]</\1>', re.DOTALL)
# dots, tildes and bars over a letter, at full size
_ACCENT = re.compile(r"<mover>(?=<mi>[^<]*</mi><mo[^>]*>&#x0(?:02D9|00A8|007E|00AF);)")
_BARS = re.compile(r"\|([^|]+)\|")
# what latex2mathml does not know, in words it does
_SUBSTITUTES = {r"\mathsf": r"\mathrm", r"\operatorname": r"\mathrm"}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Give equations their numbers, link numbers and citations, fill in the references."""
    here = page.file.src_uri
    if "<!-- references -->" in markdown:
        return markdown.replace("<!-- references -->", render_references())
    pieces = _LITERAL.split(markdown)
    # odd pieces are code and formulas
    linked = [p if k % 2 else _link(p, here) for k, p in enumerate(pieces)]
    return _DISPLAY.sub(_number, "".join(linked))


def _link(text: str, here: str) -> str:
    """Turn [Key] and (T-x.y) into links."""
    keys, equations = read_bibliography(), read_equations()
    folder = os.path.dirname(here) or "."

    def to(page: str, anchor: str) -> str:
        return f"{os.path.relpath(f'theory/{page}', folder)}#{anchor}"

    def cite(match: re.Match[str]) -> str:
        key = match.group(1)
        return f"[\\[{key}\\]]({to('references.md', key)})" if key in keys else match.group(0)

    def refer(match: re.Match[str]) -> str:
        number = match.group(1)
        if number not in equations:
            return match.group(0)
        return f"([{number}]({to(equations[number], number)}))"

    return _NUMBER.sub(refer, _CITATION.sub(cite, text))


def _number(match: re.Match[str]) -> str:
    """Put a displayed formula beside its number, in a block with an anchor."""
    body = match.group(1)
    tag = _TAG.search(body)
    formula = _TAG.sub("", body).strip()
    if tag is None:
        return f"$$\n{formula}\n$$"
    number = tag.group(1)
    return (
        f'<div class="equation" id="{number}" markdown="1">\n\n$$\n{formula}\n$$\n\n'
        f'<span class="number">({number})</span>\n\n</div>'
    )


def on_page_content(content: str, **_: Any) -> str:
    """Replace TeX by MathML."""
    return _FORMULA.sub(_mathml, content)


def _mathml(match: re.Match[str]) -> str:
    is_block = match.group(1) == "div"
    tex = html.unescape(match.group(2)).strip()
    holder = "div" if is_block else "span"
    shown = f'<{holder} class="formula tex">{html.escape(tex)}</{holder}>'
    if convert is None:
        return shown
    source = tex
    for unknown, known in _SUBSTITUTES.items():
        source = source.replace(unknown, known)
    # bars in pairs are delimiters; alone they would be spaced like an operator
    source = _BARS.sub(r"\\left|\1\\right|", source)
    math = convert(source, display="block" if is_block else "inline")
    math = _ACCENT.sub('<mover accent="true">', math)
    # browsers no longer know the attribute
    math = math.replace('<mi mathvariant="double-struck">R</mi>', "<mi>ℝ</mi>")
    math = math.replace("<math ", f'<math alttext="{html.escape(tex, quote=True)}" ', 1)
    return f'<div class="formula">{math}</div>' if is_block else math
