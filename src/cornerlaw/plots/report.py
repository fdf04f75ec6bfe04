"""A report as one HTML file: text, tables and figures, readable offline, by day and by night."""

import base64
import html
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cornerlaw.plots.style import to_bytes
from cornerlaw.results.atomic import whole_file

SVG_LIMIT = 400_000  # bytes: a figure with many points is smaller as pixels


@dataclass(frozen=True)
class Table:
    """A table: column titles and rows; True and False become pass and fail."""

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A matplotlib figure with a caption, which is also read to those who cannot see it."""

    figure: Any
    caption: str = ""


@dataclass(frozen=True)
class Code:
    """Program text, or the output of a program."""

    text: str


Block = str | Table | Picture | Code


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it: texts (empty lines part paragraphs) and blocks."""

    title: str
    blocks: Sequence[Block] = ()


def write_report(
    path: str | os.PathLike[str], title: str, sections: Sequence[Section], *, lead: str = ""
) -> None:
    """Write the report to `path`: self-contained, whole or not at all."""
    page = render_report(title, sections, lead=lead)
    with whole_file(path) as file:
        file.write(page.encode())


def render_report(title: str, sections: Sequence[Section], *, lead: str = "") -> str:
    """Return the report as HTML; every text is escaped, nothing is fetched, no script runs."""
    anchors = _anchors([section.title for section in sections])
    entries = "\n".join(
        f'<li><a href="#{anchor}">{html.escape(section.title)}</a></li>'
        for anchor, section in zip(anchors, sections, strict=True)
    )
    contents = (
        f'<nav aria-label="Contents"><ol>\n{entries}\n</ol></nav>' if len(anchors) > 1 else ""
    )
    body = "\n".join(
        f'<section id="{anchor}">\n<h2>{html.escape(section.title)}</h2>\n'
        + "\n".join(_render(block) for block in section.blocks)
        + "\n</section>"
        for anchor, section in zip(anchors, sections, strict=True)
    )
    return PAGE.format(
        title=html.escape(title),
        lead=f'<p class="lead">{html.escape(lead)}</p>' if lead else "",
        contents=contents,
        body=body,
        style=STYLE,
    )


def _anchors(titles: Sequence[str]) -> list[str]:
    """Make a link target of every title, all different."""
    found: list[str] = []
    for title in titles:
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
        anchor, k = stem, 2
        while anchor in found:
            anchor, k = f"{stem}-{k}", k + 1
        found.append(anchor)
    return found


def _render(block: Block) -> str:
    if isinstance(block, Table):
        return _render_table(block)
    if isinstance(block, Picture):
        return _render_picture(block)
    if isinstance(block, Code):
        return f"<pre><code>{html.escape(block.text)}</code></pre>"
    paragraphs = [p.strip() for p in re.split(r"\n\s*\n", str(block)) if p.strip()]
    return "\n".join(f"<p>{html.escape(p)}</p>" for p in paragraphs)


def _render_table(table: Table) -> str:
    rows = [[_cell(value) for value in row] for row in table.rows]
    numeric = [
        bool(table.rows) and all(_is_number(row[k]) for row in table.rows if k < len(row))
        for k in range(len(table.header))
    ]
    align = ['class="number"' if flag else "" for flag in numeric]
    head = "".join(
        f'<th scope="col" {a}>{html.escape(text)}</th>'
        for text, a in zip(table.header, align, strict=True)
    )
    body = "\n".join(
        "<tr>" + "".join(f"<td {a}>{c}</td>" for c, a in zip(row, align, strict=False)) + "</tr>"
        for row in rows
    )
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="wide"><table>{caption}\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    # NumPy's booleans and numbers have `item`
    plain = value.item() if hasattr(value, "item") else value
    if plain is True:
        return '<span class="pass">✓ pass</span>'
    if plain is False:
        return '<span class="fail">✗ fail</span>'
    if isinstance(plain, float):
        return html.escape(f"{plain:.6g}")
    return "" if plain is None else html.escape(str(plain))


def _render_picture(picture: Picture) -> str:
    data, kind = to_bytes(picture.figure, "svg"), "svg+xml"
    if len(data) > SVG_LIMIT:
        data, kind = to_bytes(picture.figure, "png"), "png"
    text = html.escape(picture.caption)
    caption = f"<figcaption>{text}</figcaption>" if text else ""
    source = base64.b64encode(data).decode()
    return (
        f'<figure><img alt="{text or "figure"}" src="data:image/{kind};base64,{source}">'
        f"{caption}</figure>"
    )


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1>{lead}</header>
{contents}
<main>
{body}
</main>
</body>
</html>
"""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --page: #fbfbfa;
  --card: #ffffff; --line: #dfe3e8; --accent: #0072b2; --good: #00704f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #9aa5b1; --page: #15181c;
  --card: #1d2126; --line: #343b44; --accent: #56b4e9; --good: #4cc9a0; --bad: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.25rem 5rem; background: var(--page);
  color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; }
header { border-bottom: 2px solid var(--accent); margin-bottom: 1.5rem; padding-bottom: .75rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.3rem; margin: 2.75rem 0 .75rem; }
p { max-width: 46rem; }
.lead { color: var(--soft); margin: .5rem 0 0; }
a { color: var(--accent); }
nav ol { columns: 2 16rem; margin: 0; padding-left: 1.5rem; }
figure { background: #ffffff; border: 1px solid var(--line); border-radius: .5rem;
  margin: 1.25rem 0; overflow: hidden; }
figure img { display: block; height: auto; margin: 0 auto; max-width: 100%; padding: .75rem; }
figcaption { background: var(--card); border-top: 1px solid var(--line); color: var(--soft);
  font-size: .9rem; padding: .5rem .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; margin: 1rem 0; min-width: 24rem; }
caption { color: var(--soft); padding-bottom: .4rem; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .9rem .35rem .25rem;
  text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--line); font-weight: 600; }
.number { font-variant-numeric: tabular-nums; text-align: right; }
.pass { color: var(--good); font-weight: 600; white-space: nowrap; }
.fail { color: var(--bad); font-weight: 600; white-space: nowrap; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  font-size: .88rem; line-height: 1.45; overflow-x: auto; padding: .8rem 1rem; }
@media print { body { max-width: none; padding: 0; } nav { display: none; }
  figure, table { break-inside: avoid; } }
"""
