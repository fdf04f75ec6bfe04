"""Arrows, flashes and ropes as pixels of the page, measured against the run itself."""

import io
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

# colours of the light theme (viewer/src/theme.ts)
FORCE, FLASH, LINE = (0xD5, 0x5E, 0x00), (0xD9, 0x91, 0x00), (0x4A, 0x55, 0x63)
NEAR = 6  # of 255: less than between any two colours of the page
BOB = 15.0  # pixels, more than the diameter of a point mass
PIXEL = 2.0  # by which an end may be off: lines are smoothed at their edges


def spots(opened: Any, colour: tuple[int, int, int], time: float) -> Any:
    """Return column and row of all pixels of a colour at a time."""
    opened.page.evaluate(f"cornerlaw.seek({time!r})")
    # smoothed letters have all kinds of grey
    opened.page.evaluate(
        "document.querySelectorAll('#title, #clock, #legend, canvas.above')"
        ".forEach((e) => { e.style.visibility = 'hidden'; })"
    )
    opened.page.wait_for_timeout(100)
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(opened.page.screenshot()))
    pixels = np.asarray(image.convert("RGB"), dtype=int)
    rows, columns = np.nonzero((np.abs(pixels - np.array(colour)) <= NEAR).all(axis=2))
    return np.column_stack([columns, rows])


@pytest.fixture
def pressed() -> cl.Solution:
    """A disc that an ever larger force presses on the floor."""
    disc = cl.Disk("disc", mass=1.0, radius=0.1, position=(0.0, 0.1))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    press = cl.Force("press", disc, value=(0.0, lambda t: -20.0 * t))
    contact = cl.Contact(disc, floor, name="touch")
    model = cl.Model(disc, floor, press, contact, gravity=(0.0, -10.0))
    return cl.simulate(model, t_end=1.0, method=cl.EventDriven(), t_eval=np.linspace(0, 1, 101))


def test_an_arrow_is_as_long_as_its_force_is_large(
    opened: Any, html: Any, pressed: cl.Solution
) -> None:
    opened.page.set_viewport_size({"width": 640, "height": 640})
    opened.open(html(pressed) + "#bare=1&theme=light")
    lengths, forces = [], []
    for time in (0.05, 0.2, 0.35, 0.5):
        found = spots(opened, FORCE, time)
        lengths.append(float(np.ptp(found[:, 1])))
        forces.append(pressed.at(time, "touch.lam_N"))
        assert forces[-1] == pytest.approx(10.0 + 20.0 * time)
        assert np.ptp(found[:, 0]) < 0.2 * lengths[-1]  # it stands upright
    assert lengths[0] > 50.0
    scale = lengths[-1] / forces[-1]
    assert lengths == pytest.approx([scale * force for force in forces], abs=2.0 * PIXEL)
    opened.page.keyboard.press("f")
    assert len(spots(opened, FORCE, 0.5)) == 0


def test_an_impact_flashes_until_it_is_switched_off(
    opened: Any, html: Any, bounce: cl.Solution
) -> None:
    opened.open(html(bounce) + "#bare=1&theme=light")
    hit = bounce.events.filter(kind="impact")[0].time
    assert len(spots(opened, FLASH, 0.5 * hit)) == 0
    bright = spots(opened, FLASH, hit + 0.01)
    assert len(bright) > 50
    opened.page.keyboard.press("i")
    assert not opened.state["options"]["flashes"]
    assert len(spots(opened, FLASH, hit + 0.01)) == 0
    opened.page.keyboard.press("i")
    assert len(spots(opened, FLASH, hit + 0.01)) == len(bright)


@pytest.fixture
def tied() -> cl.Solution:
    """A bob thrown on a rope before a wall: slack at first, then tight."""
    bob = cl.PointMass("bob", mass=1.0, position=(0.6, -0.2), velocity=(0.3, 0.0))
    rope = cl.Rope("rope", cl.Ground(), bob, length=1.0)
    # nothing touches it: what it fills must not hide the rope
    wall = cl.Ground("wall", normal=(0.0, 1.0), at=(0.0, 0.2))
    return cl.simulate(
        cl.Model(bob, rope, wall, gravity=(0.0, -10.0)),
        t_end=0.6, method=cl.EventDriven(), t_eval=np.linspace(0.0, 0.6, 121),
    )  # fmt: skip


def test_a_rope_is_straight_when_it_is_tight_and_hangs_when_it_is_slack(
    opened: Any, html: Any, tied: cl.Solution
) -> None:
    opened.open(html(tied) + "#bare=1&theme=light")
    state = tied["rope"].state
    assert state[1] == 0 and state[-1] != 0
    lengths = {}
    for name, time in (("slack", float(tied.t[1])), ("tight", float(tied.t[-1]))):
        found = spots(opened, LINE, time).astype(float)
        assert len(found) > 50
        middle = found - found.mean(axis=0)
        along, across = np.linalg.svd(middle, full_matrices=False)[2]
        way = middle @ along
        lengths[name] = np.ptp(way)
        # the edge of the bob has such pixels, too
        inner = np.abs(way - 0.5 * (way.min() + way.max())) < 0.5 * lengths[name] - BOB
        depth = np.ptp((middle @ across)[inner])
        # a slack rope hangs through by 15 % of the distance of its ends
        limit = 2.0 * PIXEL if name == "tight" else 0.08 * lengths[name]
        assert bool(depth < limit) is (name == "tight")
    distances = {
        name: np.linalg.norm(tied["bob"].position[row])
        for name, row in (("slack", 1), ("tight", -1))
    }
    assert distances["tight"] == pytest.approx(1.0, abs=1e-9)
    ratio = distances["tight"] / distances["slack"]
    assert lengths["tight"] / lengths["slack"] == pytest.approx(ratio, rel=0.05)
