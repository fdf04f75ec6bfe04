"""One web page that holds everything: the built viewer with the data of a run inside."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from cornerlaw.errors import MissingExtraError, UsageError
from cornerlaw.results import Solution
from cornerlaw.results.atomic import whole_file
from cornerlaw.viewer.payload import build_payload, check_frames
from cornerlaw.viewer.sampling import MOST

BUILT = Path(__file__).with_name("page") / "viewer.html"
HOLDER = '<script type="text/plain" id="data"></script>'
SERVED = '<script type="text/plain" id="data" data-served="1"></script>'
OFFLINE = "connect-src 'none'"
NOTEBOOK_BYTES = 20_000_000  # larger runs are shown as text in a notebook


@cache
def template() -> str:
    """Return the built viewer without data."""
    try:
        text = BUILT.read_text(encoding="utf-8")
    except OSError:
        raise MissingExtraError(
            "The page of the viewer has not been built; in a checkout run `make page`, "
            "which needs Node, or install cornerlaw from a wheel."
        ) from None
    if HOLDER not in text or OFFLINE not in text:
        raise MissingExtraError("The page of the viewer is damaged; build it again: `make page`.")
    return text


def offline_page(payload: bytes) -> str:
    """Return the page with its data inside; it may reach no network."""
    # letters of base64 only: nothing in the data can be read as HTML
    data = base64.b64encode(payload).decode("ascii")
    return template().replace(HOLDER, HOLDER.replace("><", f">{data}<"), 1)


def served_page() -> str:
    """Return the page that asks its own server for the data."""
    return template().replace(HOLDER, SERVED, 1).replace(OFFLINE, "connect-src 'self'", 1)


@cache
def served_policy() -> str:
    """Return what the page may do, for the header of an answer: a header cannot be cut from a page.

    Scripts and styles are named by the hashes of those that stand in the page now; the data, a
    script of plain text, is none.
    """
    page = served_page()
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    rules = (
        "default-src 'none'", f"script-src {_named(scripts)}", f"style-src {_named(styles)}",
        "img-src data: blob:", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'",
    )  # fmt: skip
    return "; ".join(rules)


def _named(texts: list[str]) -> str:
    """Return the hashes of scripts or styles as a policy names them."""
    found = (base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in texts)
    return " ".join(f"'sha256-{value.decode()}'" for value in found) or "'none'"


def to_html(
    sol: Solution, path: str | os.PathLike[str], *, frames: int = MOST, title: str = ""
) -> None:
    """Write the run as one web page that needs neither a network nor Python.

    frames  at most so many moments are stored, between which the page interpolates
    title   the heading, else the name of the model
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f'"{target}" must end in .html.')
    template()  # a page that is missing is told before any work
    page = offline_page(build_payload(sol, frames=check_frames(frames), title=title))
    with whole_file(target) as file:
        file.write(page.encode())


def notebook(sol: Solution) -> str | None:
    """Return the page for a notebook, in a frame that may run scripts and nothing else."""
    if sol.scene is None or len(sol.t) == 0 or not BUILT.is_file():
        return None
    page = offline_page(build_payload(sol))
    if len(page) > NOTEBOOK_BYTES:
        return None
    return _frame(srcdoc=page)


def _frame(**attributes: Any) -> str:
    shown = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items())
    style = "width:100%;height:480px;border:1px solid #8884;border-radius:6px"
    return f'<iframe {shown} sandbox="allow-scripts" style="{style}"></iframe>'
