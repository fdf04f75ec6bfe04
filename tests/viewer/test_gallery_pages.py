"""Pages of the gallery in a browser: their pictures, the run in its frame, no empty cell."""

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import need_browser

from cornerlaw import gallery

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
  for (const table of document.querySelectorAll("table"))
    if (!table.querySelector("td")) found.push("an empty table");
  if (document.querySelector(".fail")) found.push(document.querySelector(".fail").textContent);
  return found;
}"""
LEAST_INK = 0.002  # of the pixels: thin lines of a mechanism alone are more


def ink(png: bytes) -> float:
    """Return the part of a picture that is not of its most frequent colour."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png)).convert("RGB")
    pixels = np.asarray(image, dtype=np.int64) @ np.array([65536, 256, 1])
    _, counts = np.unique(pixels, return_counts=True)
    return 1.0 - float(counts.max()) / pixels.size


def run_in_frame(opened: Any) -> Any:
    """Wait for the run inside of a page; return its frame."""
    page = opened.page
    page.evaluate("document.querySelectorAll('[loading]').forEach((e) => { e.loading = 'eager'; })")
    page.locator("iframe").scroll_into_view_if_needed()
    opened.until(
        "document.querySelector('iframe') && [...document.images].every((i) => i.complete)"
    )
    for _ in range(1200):
        if len(page.frames) > 1 and page.frames[1].evaluate("Boolean(window.cornerlaw)"):
            return page.frames[1]
        page.wait_for_timeout(50)
    raise AssertionError(f"the run does not open; {opened.complaints}")


def look_at(opened: Any, folder: Path, name: str) -> None:
    """Assert that a page has its figures and its run, and no fault."""
    page = opened.page
    page.goto((folder / f"{name}.html").as_uri())
    frame = run_in_frame(opened)
    state = frame.evaluate("cornerlaw.state()")
    assert state["end"] > state["start"] and (state["bodies"] > 0 or state["plan"])
    assert page.evaluate(FAULTS) == []
    for picture in (f"{name}.png", f"{name}-card.png", f"{name}-motion.png"):
        file = folder / picture
        if file.exists() or not picture.endswith("-motion.png"):
            assert ink(file.read_bytes()) > LEAST_INK, picture
    # what moves or is drawn by hand lies above the canvas of the scene
    frame.evaluate(f"cornerlaw.seek({state['start'] + 0.4 * (state['end'] - state['start'])!r})")
    shown = frame.locator("#stage").screenshot()
    assert ink(shown) > LEAST_INK
    page.goto("about:blank")


def look_at_the_index(opened: Any, folder: Path) -> None:
    for name in ("index", "errata"):
        opened.page.goto((folder / f"{name}.html").as_uri())
        opened.page.evaluate(
            "document.querySelectorAll('[loading]').forEach((e) => { e.loading = 'eager'; })"
        )
        opened.until("[...document.images].every((i) => i.complete && i.naturalWidth > 0)")
        assert opened.page.evaluate(FAULTS) == []


def test_a_page_of_the_gallery_shows_everything(opened: Any, tmp_path: Path) -> None:
    assert gallery_pages.main(["pendulum", "--out", str(tmp_path)]) == 0
    look_at(opened, tmp_path, "pendulum")
    look_at_the_index(opened, tmp_path)


@pytest.fixture(scope="module")
def whole_gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pages of all systems, once for all tests; every check passes."""
    need_browser()
    folder = tmp_path_factory.mktemp("gallery")
    assert gallery_pages.main(["--out", str(folder)]) == 0
    return folder


@pytest.mark.verify
@pytest.mark.parametrize("name", [system.name for system in gallery.systems()])
def test_every_page_of_the_gallery(opened: Any, whole_gallery: Path, name: str) -> None:
    look_at(opened, whole_gallery, name)


@pytest.mark.verify
def test_the_index_of_the_whole_gallery(opened: Any, whole_gallery: Path) -> None:
    look_at_the_index(opened, whole_gallery)
    opened.page.goto((whole_gallery / "index.html").as_uri())
    cards = opened.page.locator("a.card img").count()
    assert cards == len(gallery.systems()) == len(list(whole_gallery.glob("*-run.html")))


def test_a_blank_picture_is_noticed() -> None:
    image, buffer = pytest.importorskip("PIL.Image"), io.BytesIO()
    image.new("RGB", (480, 300), "white").save(buffer, "PNG")
    assert ink(buffer.getvalue()) == 0.0
