"""Write the gallery as pages: one per system, an index with pictures, the errata of the sources.

    python tools/gallery_pages.py [--out FOLDER] [NAME ...]

Everything comes from the modules of the gallery and from a run of each. Named systems are made
anew; the index links every page that is in the folder. The exit code is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import inspect
import io
import re
import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from formulas import lines, sentence

from cornerlaw import gallery
from cornerlaw.errors import CornerlawError
from cornerlaw.gallery.demo import Outcome, run_system, text_blocks
from cornerlaw.gallery.stroboscope import stroboscope
from cornerlaw.plots import Code
from cornerlaw.plots.report import STYLE
from cornerlaw.plots.style import readable_unit, to_bytes
from cornerlaw.results.atomic import whole_file

SHRUNK = 0.66  # pixels of the page for one of a figure
POSITIONS = "Positions equally spaced in time, the last one darkest; triangles stand on the ground"
CARD = (480, 300)  # pixels of the picture on the index
UNIT = re.compile(r"\[([^\]]*[A-Za-z][^\]]*)\]")  # of a check, behind its name
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?|nan|inf")
ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("build") / "gallery"
BACK = '<p><a href="index.html">All systems</a></p>'
PURE = (
    "<p>A check without a unit is a pure number: a count, a ratio, a difference over the size of "
    "what is compared, or 1 for yes and 0 for no.</p>"
)
MORE_STYLE = """
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  overflow: hidden; text-decoration: none; }
.card img { aspect-ratio: 16 / 10; background: #fff; display: block; object-fit: contain;
  width: 100%; }
.card span { color: var(--ink); display: block; font-size: .92rem; padding: .5rem .7rem; }
.dot, .ddot { position: relative; }
.dot::after, .ddot::after { left: 50%; line-height: normal; position: absolute; top: 0;
  transform: translateX(-50%); }
.dot.high::after, .ddot.high::after { top: -.22em; }
.dot::after { content: "\\02d9"; }
.ddot::after { content: "\\00a8"; }
sub, sup { font-size: .78em; line-height: 0; }
/* as wide as the letters around them, so that columns stay below each other */
pre sub, pre sup { letter-spacing: .167em; }
td.number { text-align: left; white-space: nowrap; }
iframe { border: 1px solid var(--line); border-radius: .5rem; height: 34rem; width: 100%; }
"""


def write_text(path: Path, text: str) -> None:
    """Write a page whole or not at all."""
    with whole_file(path) as file:
        file.write(text.encode())


def page(title: str, body: Iterable[str]) -> str:
    """Return a page with the style of the reports."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{MORE_STYLE}</style></head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1></header>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table; True and False become pass and fail."""

    def cell(value: Any) -> str:
        if isinstance(value, bool):
            return '<td class="pass">pass</td>' if value else '<td class="fail">FAIL</td>'
        if NUMBER.fullmatch(str(value)):
            return f'<td class="number">{escape(str(value))}</td>'
        shown = sentence(value) if isinstance(value, Formula) else escape(str(value))
        return f"<td>{shown}</td>"

    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    lines = "\n".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>\n{lines}\n</table></div>'


def text(source: str) -> list[str]:
    """Return a docstring as paragraphs and formulas."""
    return [
        f"<pre>{lines(block.text)}</pre>"
        if isinstance(block, Code)
        else f"<p>{sentence(block)}</p>"
        for block in text_blocks(source)
    ]


class Formula(str):
    """A text of a table in which formulas are shown as such."""


def number(value: Any) -> Any:
    """Return a number with nine digits, anything else in words; there is no negative zero."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value + 0.0:.9g}" if isinstance(value, float) else value


def with_unit(name: str) -> str:
    """Return the name of a check with its unit as in the figures."""
    return UNIT.sub(lambda unit: f"[{_unit(unit[1])}]", name)


def _unit(unit: str) -> str:
    return unit if " or " in unit else readable_unit(unit)


def picture(folder: Path, name: str, data: bytes, caption: str) -> str:
    """Write a figure and return how it is shown: letters of all figures have the same size."""
    (folder / name).write_bytes(data)
    width = round(SHRUNK * int.from_bytes(data[16:20], "big"))  # stands in the head of a PNG
    return (
        f'<figure><img src="{escape(name)}" alt="{escape(caption)}" width="{width}" loading="lazy">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def without_rim(data: bytes) -> bytes:
    """Return a picture without the white around it, which axes in space have much of."""
    from PIL import Image, ImageChops

    image = Image.open(io.BytesIO(data)).convert("RGB")
    box = ImageChops.difference(image, Image.new("RGB", image.size, "white")).getbbox()
    if box is None:
        return data
    rim, buffer = 12, io.BytesIO()
    wider = (box[0] - rim, box[1] - rim, box[2] + rim, box[3] + rim)
    whole = Image.new("RGB", (wider[2] - wider[0], wider[3] - wider[1]), "white")
    whole.paste(image.crop(box), (rim, rim))
    whole.save(buffer, "PNG")
    return buffer.getvalue()


def facts(outcome: Outcome) -> str:
    """Return topic, names to run it by, source and degrees of freedom in a line."""
    system = outcome.system
    items = {
        "Topic": system.topic,
        "Name": system.name,
        "Source": system.source or "see the text",
    }
    if outcome.freedoms is not None:
        items["Degrees of freedom"] = str(outcome.freedoms)
    line = " · ".join(f"{k}: <b>{escape(v)}</b>" for k, v in items.items())
    # the same word with a space in place of the hyphen says nothing new
    others = [word for word in system.spec if word.replace(" ", "-").lower() != system.name]
    if others:
        words = ", ".join(f"<code>{escape(word)}</code>" for word in others)
        line += f" · also runs as {words}"
    return f"<p>{line}</p>"


def check_table(outcome: Outcome) -> str:
    """Return value, reference, tolerance, origin of the reference and verdict of every check."""
    known = outcome.system.module.REFERENCE

    def origin(check: gallery.Check) -> str:
        if check.name in known:
            return known[check.name].source
        # what must vanish or be true is a property; any other number is worked out by `check`
        return "property" if check.reference in (0.0, 1.0) else "worked out from the parameters"

    rows = [
        [
            Formula(with_unit(c.name)),
            number(c.value),
            number(c.reference),
            f"{c.tolerance:.1e}",
            Formula(origin(c)),
            c.ok,
        ]
        for c in outcome.checks
    ]
    return table(("check", "value", "reference", "tolerance", "reference from", "verdict"), rows)


def errata_table(errata: Iterable[gallery.Erratum]) -> str:
    """Return what is printed and what is right."""
    rows = [map(Formula, (e.place, e.printed, e.right, e.reason)) for e in errata]
    return table(("place", "printed", "right", "because"), rows)


def drawings(outcome: Outcome, folder: Path) -> list[str]:
    """Write figure, positions and the page to watch; return how they are shown."""
    system, solution = outcome.system, outcome.solution
    assert solution is not None
    data = to_bytes(system.show(solution), "png")
    shown = [picture(folder, f"{system.name}.png", data, system.title)]
    positions = stroboscope(system.build(), solution)
    if positions is not None:
        data = without_rim(to_bytes(positions, "png", tight=True))
        shown.append(picture(folder, f"{system.name}-motion.png", data, POSITIONS))
    try:
        solution.to_html(folder / f"{system.name}-run.html")
    except CornerlawError as error:
        shown.append(f"<p>No animation: {escape(str(error))}</p>")
    else:
        middle = solution.t[0] + 0.4 * (solution.t[-1] - solution.t[0])
        solution.frame(middle, size=CARD).save(folder / f"{system.name}-card.png")
        shown.append(
            f'<h2>Watch it</h2>\n<iframe src="{system.name}-run.html" loading="lazy" '
            f'title="{escape(system.title)}"></iframe>\n'
            f'<p><a href="{system.name}-run.html">On a page of its own</a></p>'
        )
    return shown


def system_page(outcome: Outcome, folder: Path) -> str:
    """Write the files of one system and return its page."""
    system = outcome.system
    body = [BACK, facts(outcome), *text(system.text)]
    if outcome.solution is None:
        body.append(f'<p class="fail">The run failed: {escape(outcome.error)}</p>')
    else:
        body += drawings(outcome, folder)
        body += ["<h2>Checks</h2>", check_table(outcome), PURE]
    body += [
        "<h2>Parameters</h2>",
        table(
            ("name", "value", "unit", "origin"),
            [
                (f.name, number(f.default), readable_unit(f.unit), Formula(f.origin))
                for f in system.fields
            ],
        ),
    ]
    if system.errata:
        body += ["<h2>Where the source is wrong</h2>", errata_table(system.errata)]
    body += [
        "<h2>Code</h2>",
        f"<pre>cornerlaw run {system.name} --plot {system.name}.png\n"
        f"cornerlaw view {system.name}</pre>",
        f"<pre>{escape(inspect.getsource(system.module.build))}</pre>",
        "<details><summary>The whole module</summary>"
        f"<pre>{escape(inspect.getsource(system.module))}</pre></details>",
    ]
    return page(system.title, body)


def card(system: gallery.System, folder: Path, where: str = "") -> str:
    """Return the picture with the title of a system; without a link where it was not made yet."""
    title = f"<span>{escape(system.title)}</span>"
    if not (folder / f"{system.name}.html").exists():
        return f'<div class="card">{title}</div>'
    names = (f"{system.name}-card.png", f"{system.name}.png")
    found = next((name for name in names if (folder / name).exists()), None)
    image = f'<img src="{where}{found}" alt="" loading="lazy">' if found else ""
    return f'<a class="card" href="{where}{system.name}.html">{image}{title}</a>'


def index_page(folder: Path) -> str:
    """Return all systems by topic."""
    body = [
        "<p>Machines of the literature, each compared with numbers that come from elsewhere. "
        'Where the sources themselves are wrong is told <a href="errata.html">here</a>.</p>'
    ]
    for topic in gallery.topics():
        body += [f"<h2>{escape(topic.capitalize())}</h2>", cards(topic, folder)]
    return page("cornerlaw: the gallery", body)


def cards(topic: str, folder: Path, where: str = "") -> str:
    """Return the systems of a topic with their pictures; `where` leads to the folder."""
    shown = "\n".join(card(system, folder, where) for system in gallery.systems(topic))
    return f'<div class="cards">{shown}</div>'


def site_index(folder: Path = ROOT / FOLDER) -> str:
    """Return all systems by topic as part of a page of the documentation."""
    if (folder / "errata.html").exists():
        told = 'Where the sources are wrong is told <a href="gallery/errata.html">here</a>.'
    else:
        told = "Their pages were not made when this site was built: `make gallery` makes both."
    sections = [
        f"## {topic.capitalize()}\n\n{cards(topic, folder, 'gallery/')}\n"
        for topic in gallery.topics()
    ]
    return "\n".join([told + "\n", *sections])


def errata_page(folder: Path) -> str:
    """Return the errata of all systems, as their modules state them."""
    body = [
        BACK,
        "<p>What a system's own record (ERRATA in its module) says about its source. Nothing was "
        "tuned to reach a printed number.</p>",
    ]
    for system in gallery.systems():
        if system.errata:
            title = escape(system.title)
            if (folder / f"{system.name}.html").exists():
                title = f'<a href="{system.name}.html">{title}</a>'
            source = f"<p>Source: {escape(system.source or 'see its page')}</p>"
            body += [f"<h2>{title}</h2>", source, errata_table(system.errata)]
    return page("Where the sources are wrong", body)


def build(chosen: Iterable[gallery.System], folder: Path) -> bool:
    """Run the systems, write their pages, the index and the errata; tell whether all pass."""
    folder.mkdir(parents=True, exist_ok=True)
    ok = True
    for system in chosen:
        outcome = run_system(system)
        write_text(folder / f"{system.name}.html", system_page(outcome, folder))
        print(f"{system.name:<26} {'ok' if outcome.ok else outcome.error or 'CHECK FAILED'}")
        ok = ok and outcome.ok
    write_text(folder / "index.html", index_page(folder))
    write_text(folder / "errata.html", errata_page(folder))
    return ok


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the pages of the named systems, or of all."""
    parser = argparse.ArgumentParser(description="Write the gallery as pages.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="systems (default: all)")
    parser.add_argument("--out", type=Path, default=FOLDER, help=f"folder to write ({FOLDER})")
    options = parser.parse_args(arguments)
    try:
        chosen = [system for name in options.names for system in gallery.find_all(name)]
        ok = build(chosen or gallery.systems(), options.out)
    except CornerlawError as error:
        print(f"cornerlaw: {error}", file=sys.stderr)
        return 2
    print(f"Open {options.out / 'index.html'} in a browser.")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
