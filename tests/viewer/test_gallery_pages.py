"""A page of the gallery in a browser: its pictures, the run in its frame, no empty cell."""

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import gallery_pages  # noqa: E402

FAULTS = """() => {
  const found = [];
  for (const image of document.images)
    if (!image.complete || !image.naturalWidth) found.push(`picture ${image.src}`);
  if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window");
  for (const cell of document.querySelectorAll("td"))
    if (["", "None", "nan", "-0"].includes(cell.textContent.trim()))
      found.push(`cell of ${cell.parentNode.textContent}`);
  return found;
}"""


def test_a_page_of_the_gallery_shows_everything(opened: Any, tmp_path: Path) -> None:
    assert gallery_pages.main(["pendulum", "--out", str(tmp_path)]) == 0
    page = opened.page
    page.goto((tmp_path / "pendulum.html").as_uri())
    page.evaluate("document.querySelectorAll('[loading]').forEach((e) => { e.loading = 'eager'; })")
    page.locator("iframe").scroll_into_view_if_needed()
    opened.until(
        "document.querySelector('iframe') && [...document.images].every((i) => i.complete)"
    )
    for _ in range(200):
        if len(page.frames) > 1 and page.frames[1].evaluate("Boolean(window.cornerlaw)"):
            break
        page.wait_for_timeout(50)
    state = page.frames[1].evaluate("cornerlaw.state()")
    assert state["bodies"] == 1 and state["end"] > state["start"]
    assert page.evaluate(FAULTS) == []
    page.goto((tmp_path / "index.html").as_uri())
    page.evaluate("document.querySelectorAll('[loading]').forEach((e) => { e.loading = 'eager'; })")
    opened.until("[...document.images].every((i) => i.complete && i.naturalWidth > 0)")
    assert page.evaluate(FAULTS) == []
