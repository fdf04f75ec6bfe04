"""Words and numbers on the page: units, ticks, the method, the number of events, MuJoCo's keys."""

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import gallery


@pytest.fixture
def piling() -> cl.Solution:
    """A ball whose bounces come closer and closer before it rests."""
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(ball, floor, eps_N=0.4)
    model = cl.Model(ball, floor, contact, gravity=(0.0, -9.81))
    return cl.simulate(model, t_end=1.0, method=cl.EventDriven())


@pytest.mark.parametrize("speed", [0.02, 3.0, 30.0, 3e4])
def test_ticks_differ_from_each_other(opened: Any, html: Any, speed: float) -> None:
    # the energy of a load that drag hardly slows: large, small, and nearly constant
    load = cl.PointMass("load", mass=600.0, position=(0.0, 1.0), velocity=(speed, 0.0))
    drag = cl.Drag("air", load, coefficient=1e-3 / speed)
    sol = cl.simulate(cl.Model(load, drag), t_end=5.0)
    energy = sol.array("energy.total")
    assert 0.0 < np.ptp(energy) < 1e-4 * energy.max()
    opened.open(html(sol))
    opened.page.evaluate("cornerlaw.seek(1.0)")
    ticks = opened.page.evaluate("cornerlaw.ticks()")
    assert len(ticks) > 1 and len(set(ticks)) == len(ticks), ticks


def test_units_and_method_are_written_as_people_do(opened: Any, html: Any) -> None:
    sol = gallery.find("pendulum").run(options={"t_end": 0.1})
    opened.open(html(sol))
    assert "m/s²" in opened.page.locator("#settings").inner_text()
    shown = opened.page.locator("#title div").first
    assert shown.inner_text() == "RungeKutta8(rtol=1e-11, atol=1e-12)"
    assert shown.get_attribute("title") == sol.info.method  # the rest


def test_the_number_of_events_is_that_of_the_new_run(opened: Any) -> None:
    sol = gallery.find("bouncing-ball").run(options={"t_end": 1.0})
    with sol.view(browser=False) as viewer:
        opened.open(viewer.url)
        title = opened.page.locator("h2", has_text="Events")
        assert title.inner_text().lower() == f"events ({len(sol.events)})"
        opened.page.locator('input[data-setting="height"]').fill("0.05")
        opened.page.locator("#rerun").click()
        opened.until("document.getElementById('rerun-note').textContent === 'done'")
        assert len(viewer.solution.events) > len(sol.events)
        assert title.inner_text().lower() == f"events ({len(viewer.solution.events)})"


def test_keys_of_mujoco(opened: Any, html: Any, bounce: cl.Solution) -> None:
    opened.open(html(bounce))
    page = opened.page
    page.locator("#stage").focus()
    for key, option in (("F6", "frames"), ("F7", "names"), ("c", "contacts"), ("j", "joints")):
        before = opened.state["options"][option]
        page.keyboard.press(key)
        assert opened.state["options"][option] is not before
    start = opened.state["target"]
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(420, 260, steps=4)
    page.mouse.up()
    opened.until(f"cornerlaw.state().target[0] !== {start[0]!r}")
    page.keyboard.press("Control+a")
    assert opened.state["target"] == pytest.approx(start)
    page.keyboard.press("Backspace")
    assert opened.state["time"] == opened.state["start"]


def test_events_close_to_each_other_have_different_times(
    opened: Any, html: Any, piling: cl.Solution
) -> None:
    times = [event.time for event in piling.events]
    assert 0.0 < np.min(np.diff(sorted(set(times)))) < 1e-6
    opened.open(html(piling))
    page = opened.page
    shown: dict[str, float] = {}
    for top in range(0, 22 * len(times), 150):
        page.evaluate(f"document.getElementById('events').scrollTop = {top}")
        page.wait_for_timeout(50)
        for text in page.locator("#events .item em:first-child").all_inner_texts():
            shown[text] = float(text.removesuffix(" s"))
    # as many texts as moments, each of at least four decimals
    assert len(shown) == len(set(times))
    for text, time in zip(shown, sorted(set(times)), strict=True):
        digits = len(text.removesuffix(" s").partition(".")[2])
        assert digits >= 4 and text == f"{time:.{digits}f} s"


def test_the_clock_of_a_short_run_moves(opened: Any, html: Any) -> None:
    mass = cl.PointMass("mass", mass=1.0, position=(0.0, 1.0))
    sol = cl.simulate(cl.Model(mass, gravity=(0.0, -9.81)), t_end=2e-5)
    opened.open(html(sol))
    opened.page.evaluate("cornerlaw.seek(1.5e-5)")
    opened.until("document.getElementById('time').innerText === '0.00001500 s'")
