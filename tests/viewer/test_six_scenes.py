"""Six systems, served or as a file: everything a person does with a page, on each of them."""

from typing import Any

import pytest
from many_bodies import heap_of_balls, many_balls

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.viewer.payload import EVENTS

# name of the system, seconds to run, a parameter to change and by how much
SERVED: dict[str, tuple[str, float, str, float]] = {
    "woodpecker": ("woodpecker", 0.3, "mu", 1.1),
    "walker": ("passive-walker", 0.5, "slope", 1.05),
    "conveyor": ("conveyor", 0.1, "frequency", 1.1),
    "tower": ("tower", 0.3, "frequency", 1.1),
    "hydraulics": ("store-line-cylinder", 0.02, "pressure", 1.1),
}
# all of them have something to jump to; grains keep no list of events
WITH_EVENTS = ("woodpecker", "walker", "conveyor", "tower", "hydraulics")


def jump_to_an_event(opened: Any, sol: cl.Solution) -> None:
    """Click the first event and the third, or the last one; the clock goes to their times."""
    page = opened.page
    for k in {0, min(2, len(sol.events) - 1)}:
        page.evaluate(f"cornerlaw.seek({float(sol.t[-1])!r})")
        page.locator("#events").evaluate("(list) => { list.scrollTop = 0; }")
        page.wait_for_timeout(50)
        item, event = page.locator("#events .item").nth(k), sol.events[k]
        assert event.name in item.inner_text() and event.kind in item.inner_text()
        item.click()
        assert opened.state["time"] == pytest.approx(event.time, abs=1e-12)


def use_everything(opened: Any, sol: cl.Solution, has_events: bool) -> None:
    """Play, scrub, jump to an event, pick a signal, follow a body, switch the theme."""
    page, start = opened.page, opened.state
    assert not start["playing"] and start["time"] == start["start"]
    page.locator("#stage").focus()
    page.keyboard.press("Space")
    opened.until(f"cornerlaw.state().playing && cornerlaw.state().time > {start['start']}")
    page.keyboard.press("Space")
    assert not opened.state["playing"]
    middle = 0.5 * (start["start"] + start["end"])
    page.locator("#scrub").fill(str(middle))
    assert opened.state["time"] == pytest.approx(middle, rel=1e-6)
    assert start["events"] == min(len(sol.events), EVENTS)
    assert bool(start["events"]) is has_events
    if has_events:
        jump_to_an_event(opened, sol)
    chosen = next(n for n in sol.channels.names if n.partition(".")[0] in sol.parts)
    page.locator("#signal").fill(chosen.replace(".", " "))
    page.locator(".menu div").first.click()
    opened.until("cornerlaw.state().curves.some((c) => !c.startsWith('energy.'))")
    bodies = page.locator("#follow option")
    if bodies.count() > 1:
        page.locator("#follow").select_option(index=1)
        assert opened.state["follow"] == bodies.nth(1).text_content()
    page.locator("#stage").focus()
    page.keyboard.press("d")
    assert opened.state["dark"] is not start["dark"]
    for key, option in (("t", "trails"), ("e", "frames"), ("j", "joints"), ("n", "names")):
        page.keyboard.press(key)
        assert opened.state["options"][option] is not start["options"][option]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("]")


def run_again(opened: Any, viewer: Any, setting: str, factor: float) -> None:
    """Change a parameter in the panel and wait for the new run."""
    box, before = opened.page.locator(f'input[data-setting="{setting}"]'), viewer.solution
    changed = factor * float(box.input_value())
    box.fill(repr(changed))
    opened.page.locator("#rerun").click()
    opened.until("document.getElementById('rerun-note').textContent === 'done'")
    assert viewer.solution is not before
    box = opened.page.locator(f'input[data-setting="{setting}"]')
    assert float(box.input_value()) == pytest.approx(changed)


@pytest.mark.parametrize("name", SERVED)
def test_a_served_system(opened: Any, name: str) -> None:
    system, t_end, setting, factor = SERVED[name]
    sol = gallery.find(system).run(options={"t_end": t_end})
    with sol.view(browser=False) as viewer:
        opened.open(viewer.url)
        use_everything(opened, sol, name in WITH_EVENTS)
        run_again(opened, viewer, setting, factor)


def test_a_thousand_spheres(opened: Any) -> None:
    sol = heap_of_balls(1000, 0.3, 60)
    with sol.view(browser=False) as viewer:
        opened.open(viewer.url)
        assert opened.state["bodies"] == 1000
        use_everything(opened, sol, has_events=False)
        for row in (1, 30, 59):
            # between two rows the states are those of the first one
            opened.page.evaluate(f"cornerlaw.seek({float(sol.t[row : row + 2].mean())!r})")
            state = sol["balls"].contact_state[row]
            assert opened.page.evaluate("cornerlaw.contactStates()")[2:] == [
                int((state == k).sum()) for k in (5, 4)
            ]
        run_again(opened, viewer, "mu", 0.5)


def test_a_page_that_plays_too_slowly_is_sharp_again_when_it_stops(opened: Any, html: Any) -> None:
    opened.open(html(many_balls(300, 60)) + "#panel=0")
    page = opened.page
    full = page.evaluate("document.getElementById('scene').width")
    # a page that is kept busy: every picture comes late
    page.evaluate(
        """(() => {
          const late = () => {
            const end = performance.now() + 60;
            while (performance.now() < end);
            if (cornerlaw.state().playing) requestAnimationFrame(late);
          };
          cornerlaw.play();
          requestAnimationFrame(late);
        })()"""
    )
    opened.until("cornerlaw.sharpness() < 1")
    assert page.evaluate("document.getElementById('scene').width") < full
    page.evaluate("cornerlaw.seek(1.0)")
    assert page.evaluate("cornerlaw.sharpness()") == 1
    assert page.evaluate("document.getElementById('scene').width") == full
