"""Hooks of the documentation site: equations, citations, formulas as MathML, the gallery.

Formulas become MathML when the site is built, so that the pages need neither scripts nor the
network. Without the package latex2mathml they stay TeX, which remains readable.
"""

import html
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_results import render_results
from bibliography import read_bibliography, read_equations, render_references
from gallery_pages import BACK, FOLDER, ROOT, site_index

try:
    from latex2mathml.converter import convert
except ImportError:
    convert = None

# the way back from a page of the gallery, where it lies in the site
BACK_IN_SITE = (
    '<p><a href="../gallery.html">All systems</a> · <a href="../index.html">Documentation</a></p>'
)
_DISPLAY = re.compile(r"^\$\$(.*?)\$\$$", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"\s*\\tag\{(T-\d+\.\d+)\}")
_LITERAL = re.compile(
    r"(^```.*?^```$|^\$\$.*?\$\$$|`[^`\n]+`|\\\(.*?\\\))", re.DOTALL | re.MULTILINE
)
# one or several keys with a year, each perhaps with a place: [Key1996, ch. 4; Other2008]
_CITATION = re.compile(r"\[([A-Z]\w+\d{4}[^\[\]\n]*)\](?!\()")
_KEY = re.compile(r"\b([A-Z]\w+\d{4})\b")
_NUMBER = re.compile(r"\((T-\d+\.\d+)\)")
# with a bracket before it and marks behind it, from which no line may part it
_FORMULA = re.compile(
    r'(\()?<(span|div) class="arithmatex">\\[\(\[](.*?)\\[\)\]]</\2>((?<=</span>)[.,;:)]+)?',
    re.DOTALL,
)
# of a finished page: tags, and what stands in code, links, formulas and numbers of equations
_MARKUP = re.compile(
    r'<(pre|code|a|math|script|style|h[1-6])\b.*?</\1>|<span class="number">.*?</span>|<[^>]+>',
    re.DOTALL,
)
# dots, tildes and bars over a letter, at full size
_ACCENT = re.compile(r"<mover>(?=<mi>[^<]*</mi><mo[^>]*>&#x0(?:02D9|00A8|007E|00AF);)")
# primes are raised by themselves: as exponents they would be small and high above the letter
_PRIME = re.compile(
    r"<(msup|msubsup)>(<mi[^>]*>[^<]*</mi>)(<m[in][^>]*>[^<]*</m[in]>|<mrow>(?:(?!</?mrow>).)*</mrow>)?"
    r"<mi>(&#x0203[2-4];)</mi></\1>"
)
_BARS = re.compile(r"(?<!\\left)(?<!\\right)\|([^|]+)(?<!\\left)(?<!\\right)\|")
# what latex2mathml does not know, in words it does
_SUBSTITUTES = {
    r"\mathsf": r"\mathrm",
    r"\begin{aligned}": r"\begin{array}{rlrlrlrl}",
    r"\end{aligned}": r"\end{array}",
    r"\big|": "|",
    r"\arg\min": r"\argmin",
    r"\arg\max": r"\argmax",
}
# a relation needs room of its own, an index does not
_PERP = re.compile(r"(?<![_{\\])\s*(?:\\[; ])?\s*\\perp(?![a-zA-Z])\s*(?:\\[; ])?")
# brackets of a given size that do not say on which side they stand
_OPENING = re.compile(r"(\\[Bb]igg?)(?=[(\[]|\\\{)")
_CLOSING = re.compile(r"(\\[Bb]igg?)(?=[)\]]|\\\})")
# a sign behind a relation, a comma or a bracket belongs to what follows
_SIGN = re.compile(
    r"(<mo[^>]*>(?:[(\[:]|&#x0(?:003D|002C|0028|007B|003C|003E|003B|2264|2265|2208|2192|2190|2248|21D4);)</mo>"
    r"(?:<mspace[^>]*/>)*)<mo>(&#x0(?:2212|00B1|2213);)</mo>"
)
# cells of arrays: browsers align by style only
_CELL = re.compile(r'<mtd columnalign="(left|right)">')
# the name of a function stands off from a letter that follows
_FUNCTION = re.compile(r"\\operatorname\{(\w+)\}(?=\s*(?:\\(?!left|big)[a-zA-Z]|[a-zA-Z]))")
# so do sines and logarithms, on both sides
_NAMED = r"\\(?:sin|cos|tan|arctan|ln|log|exp)(?![a-zA-Z])"
_BEFORE_NAMED = re.compile(rf"(?<=[\w)}}])\s*(?={_NAMED})")
_AFTER_NAMED = re.compile(
    rf"({_NAMED}(?:\^(?:\{{[^{{}}]*\}}|\w))?)\s*(?=\w|\\(?!left|big|,|!|;|[{{}}])[a-zA-Z])"
)
# a bracket with an exponent or an index behind it
_CLOSE = r"\\(?:right|[Bb]igg?r)"
_RAISED = re.compile(rf"{_CLOSE}\s*(?:\\?[^\s\\a-zA-Z]|\\[a-zA-Z]+)(?=\s*[\^_])")
_BRACKETS = re.compile(r"\\(left|right|[Bb]igg?[lr])(?![a-z])")
# script letters as characters: browsers have no such style
_SCRIPT = re.compile(r"\\mathcal\s*\{?([A-Z])\}?")
_OLDER = {"B": "ℬ", "E": "ℰ", "F": "ℱ", "H": "ℋ", "I": "ℐ", "L": "ℒ", "M": "ℳ", "R": "ℛ"}
# where a displayed formula may be broken, and what must stay together
_BREAK = re.compile(r"(\\begin\{|\\end\{|\\left(?![a-z])|\\right(?![a-z])|(?<!\\)[{}]|\\qquad)")
# an environment and the brace of its name; that of \end makes up for the end
_DEPTH = {"{": 1, "}": -1, r"\begin{": 2, r"\end{": 0, r"\left": 1, r"\right": -1}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Give equations their numbers, link numbers and citations, fill in the references."""
    here = page.file.src_uri
    if "<!-- references -->" in markdown:
        return markdown.replace("<!-- references -->", render_references())
    if "<!-- bench results -->" in markdown:
        return markdown.replace("<!-- bench results -->", render_results())
    if "<!-- gallery -->" in markdown:
        return markdown.replace("<!-- gallery -->", site_index())
    pieces = _LITERAL.split(markdown)
    # odd pieces are code and formulas
    linked = [p if k % 2 else _link(p, here) for k, p in enumerate(pieces)]
    return _DISPLAY.sub(_number, "".join(linked))


def on_post_build(*, config: Any, **_: Any) -> None:
    """Put the pages of the gallery, where they were made, into the site."""
    if not (ROOT / FOLDER).is_dir():
        return
    target = Path(config.site_dir) / "gallery"
    shutil.copytree(ROOT / FOLDER, target, dirs_exist_ok=True)
    for path in target.glob("*.html"):
        if not path.stem.endswith("-run"):
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(BACK, BACK_IN_SITE), encoding="utf-8")


def _link(text: str, here: str) -> str:
    """Turn [Key] and (T-x.y) into links."""
    keys, equations = read_bibliography(), read_equations()
    folder = os.path.dirname(here) or "."

    def to(page: str, anchor: str) -> str:
        return f"{os.path.relpath(f'theory/{page}', folder)}#{anchor}"

    def cite(match: re.Match[str]) -> str:
        found = _KEY.findall(match.group(1))
        if not found or any(key not in keys for key in found):
            return match.group(0)
        if found == [match.group(1)]:
            return f"[\\[{found[0]}\\]]({to('references.md', found[0])})"
        linked = _KEY.sub(lambda key: f"[{key[0]}]({to('references.md', key[0])})", match.group(1))
        return f"\\[{linked}\\]"

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


def on_page_content(content: str, *, page: Any = None, **_: Any) -> str:
    """Link what docstrings cite, replace TeX by MathML."""
    if page is not None and "doc-contents" in content:
        content = _link_docstrings(content, page.file.src_uri)
    return _FORMULA.sub(_mathml, content)


def _link_docstrings(content: str, here: str) -> str:
    """Turn [Key] and (T-x.y) into links where they stand as text of a finished page."""
    keys, equations = read_bibliography(), read_equations()
    folder = os.path.dirname(here) or "."

    def anchor(page: str, label: str, shown: str) -> str:
        path = os.path.relpath(f"theory/{page}", folder).removesuffix(".md")
        return f'<a href="{path}.html#{label}">{shown}</a>'

    def cite(match: re.Match[str]) -> str:
        found = _KEY.findall(match[1])
        if any(key not in keys for key in found):
            return match[0]
        linked = _KEY.sub(lambda key: anchor("references.md", key[0], key[0]), match[1])
        return f"[{linked}]"

    def refer(match: re.Match[str]) -> str:
        number = match[1]
        return f"({anchor(equations[number], number, number)})" if number in equations else match[0]

    pieces, at = [], 0
    for markup in [*_MARKUP.finditer(content), None]:
        text = content[at : markup.start() if markup else len(content)]
        pieces += [_NUMBER.sub(refer, _CITATION.sub(cite, text)), markup[0] if markup else ""]
        at = markup.end() if markup else at
    return "".join(pieces)


def _mathml(match: re.Match[str]) -> str:
    before, holder, after = match[1] or "", match[2], match[4] or ""
    tex = html.unescape(match[3]).strip()
    if convert is None:
        return f'{before}<{holder} class="formula tex">{html.escape(tex)}</{holder}>{after}'
    if holder == "span":
        math = _convert(tex, "inline")
        return f'<span class="held">{before}{math}{after}</span>' if before or after else math
    # pieces side by side, on several lines where the page is narrow
    pieces = "".join(_convert(t, "block") for t in _pieces(tex))
    return f'{before}<div class="formula">{pieces}</div>{after}'


def _pieces(tex: str) -> list[str]:
    """Cut a displayed formula at the wide spaces that lie in no group and no environment."""
    found, depth = [""], 0
    for part in _BREAK.split(tex):
        if part == r"\qquad" and depth == 0:
            found.append("")
            continue
        depth += _DEPTH.get(part, 0)
        found[-1] += part
    return [piece.strip() for piece in found if piece.strip()]


def _put_prime(match: re.Match[str]) -> str:
    """Return a letter, its index and its prime side by side."""
    letter, index, prime = match[2], match[3], match[4]
    body = letter if index is None else f"<msub>{letter}{index}</msub>"
    return f'<mrow>{body}<mo lspace="0" rspace="0">{prime}</mo></mrow>'


def _hold_brackets(tex: str) -> str:
    """Put brackets with an exponent into a group: alone, the closing one would stay small."""
    at = 0
    while match := _RAISED.search(tex, at):
        at, depth = match.end(), 0
        for bracket in reversed(list(_BRACKETS.finditer(tex, 0, match.end()))):
            depth += 1 if bracket[1].endswith("r") or bracket[1] == "right" else -1
            if depth == 0:
                start = bracket.start()
                tex = f"{tex[:start]}{{{tex[start : match.end()]}}}{tex[match.end() :]}"
                at += 2
                break
    return tex


def _space_operators(math: str) -> str:
    """Give signs, colons and slashes the room that they have in print, columns their side."""
    math = re.sub(r"<mi>(&#x0(?:00B1|2213);)</mi>", r"<mo>\1</mo>", math)
    math = math.replace("<mi>:</mi>", '<mo lspace="0.22em" rspace="0.22em">:</mo>')
    math = math.replace("<mi>;</mi>", '<mo lspace="0" rspace="0.17em">;</mo>')
    math = math.replace("<mo>&#x0002F;</mo>", '<mo lspace="0.06em" rspace="0.06em">&#x0002F;</mo>')
    math = _SIGN.sub(r'\1<mo form="prefix" lspace="0" rspace="0">\2</mo>', math)
    return _CELL.sub(r'<mtd style="text-align: \1">', math)


def _convert(tex: str, display: str) -> str:
    """Return a formula as MathML."""
    source = _FUNCTION.sub(r"\\mathrm{\1}\\,", tex).replace(r"\operatorname", r"\mathrm")
    source = _SCRIPT.sub(lambda m: _OLDER.get(m[1], chr(0x1D49C + ord(m[1]) - ord("A"))), source)
    for unknown, known in _SUBSTITUTES.items():
        source = source.replace(unknown, known)
    source = _PERP.sub(r"\\;\\perp\\;", source)
    source = _CLOSING.sub(r"\1r", _OPENING.sub(r"\1l", source))
    # bars in pairs are delimiters; alone they would be spaced like an operator
    source = _BARS.sub(r"\\left|\1\\right|", source)
    source = _AFTER_NAMED.sub(r"\1\\,", _BEFORE_NAMED.sub(r"\\,", source))
    source = _hold_brackets(source)
    math = convert(source, display=display)
    math = _PRIME.sub(_put_prime, math)
    math = _ACCENT.sub('<mover accent="true">', math)
    math = _space_operators(math)
    # browsers no longer know the attribute
    math = math.replace('<mi mathvariant="double-struck">R</mi>', "<mi>ℝ</mi>")
    return math.replace("<math ", f'<math alttext="{html.escape(tex, quote=True)}" ', 1)
