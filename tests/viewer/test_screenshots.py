"""Systems on the page, picture by picture, against those that the documentation shows.

Pictures are compared coarsely, so that another version of the browser or other fonts do not matter.
CORNERLAW_PICTURES=1 writes them anew; look at each before you keep it.
"""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from many_bodies import many_balls

import cornerlaw as cl
from cornerlaw import gallery

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "assets" / "viewer"
SIZE = {"width": 640, "height": 400}
CELL = 8  # pixels that are averaged before pictures are compared
# of 255: a light label that moves by a pixel stays below, a body that moves by its size does not
MEAN, ODD = 1.5, 24.0
ODD_SHARE = 0.01  # of the cells that may differ by more than ODD


def spheres() -> cl.Solution:
    return many_balls(1000, 60)


def of_gallery(name: str, t_end: float) -> Any:
    return lambda: gallery.find(name).run(options={"t_end": t_end})


# how to make the run, and the time of the picture
SCENES: dict[str, tuple[Any, float]] = {
    "woodpecker": (of_gallery("woodpecker", 0.3), 0.2),
    "spheres": (spheres, 4.0),
    "walker": (of_gallery("passive-walker", 0.5), 0.3),
    "conveyor": (of_gallery("conveyor", 0.4), 0.3),
    "tower": (of_gallery("tower", 0.5), 0.4),
    "hydraulics": (of_gallery("store-line-cylinder", 0.05), 0.02),
}


def pixels(png: bytes) -> Any:
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png)).convert("RGB")
    return np.asarray(image, dtype=float)


def coarse(picture: Any) -> Any:
    rows, columns = (n // CELL for n in picture.shape[:2])
    cells = picture[: rows * CELL, : columns * CELL].reshape(rows, CELL, columns, CELL, 3)
    return cells.mean(axis=(1, 3))


def alike(one: Any, two: Any) -> bool:
    change = np.abs(coarse(one) - coarse(two)).max(axis=2)
    return bool(change.mean() < MEAN and (change > ODD).mean() < ODD_SHARE)


def compare(name: str, png: bytes) -> None:
    """Compare with the picture of the documentation, or write it."""
    file = FOLDER / f"{name}.png"
    if os.environ.get("CORNERLAW_PICTURES"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        file.write_bytes(png)
    assert alike(pixels(png), pixels(file.read_bytes())), f"{name} looks different"


@pytest.mark.parametrize("name", SCENES)
def test_a_system_looks_as_in_the_documentation(opened: Any, html: Any, name: str) -> None:
    make, time = SCENES[name]
    sol, page = make(), opened.page
    page.set_viewport_size(SIZE)
    opened.open(html(sol) + "#bare=1&theme=light")
    start = opened.state
    page.evaluate(f"cornerlaw.seek({time})")
    shown = page.screenshot()
    compare(name, shown)
    page.evaluate(f"cornerlaw.seek({start['end']})")
    assert page.screenshot() != shown
    page.evaluate("cornerlaw.play()")
    opened.until("cornerlaw.state().playing && cornerlaw.state().time !== cornerlaw.state().end")
    page.evaluate("cornerlaw.pause()")
    for body in [b["name"] for b in sol.scene["bodies"] if b["role"] == "body"][-1:]:
        page.evaluate(f"cornerlaw.seek({time})")
        opened.follow(body)
        assert opened.state["follow"] == body
    page.evaluate(f"cornerlaw.seek({time})")
    page.keyboard.press("d")
    assert opened.state["dark"]
    assert not alike(pixels(page.screenshot()), pixels(shown))


def test_the_comparison_notices_a_body_that_moves() -> None:
    picture = np.full((400, 640, 3), 246.0)
    picture[180:220, 200:240] = (75.0, 156.0, 211.0)
    moved = np.roll(picture, 40, axis=1)
    assert not alike(moved, picture)
    assert alike(np.roll(picture, 1, axis=1), picture)


def test_contact_colours_are_the_states_of_the_run(opened: Any, html: Any) -> None:
    sol = many_balls(300, 600)
    opened.open(html(sol) + "#panel=0")
    states = np.array([sol.array(f"ball {k}-floor.state") for k in range(300)])
    for row in (0, 200, 599):
        opened.page.evaluate(f"cornerlaw.seek({float(sol.t[row])!r})")
        shown = opened.page.evaluate("cornerlaw.contactStates()")
        assert shown[2:] == [int((states[:, row] == k).sum()) for k in (2, 4)]
