"""A browser without a window for the tests of the page, and runs to look at."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import leave, need_browser, need_page

import cornerlaw as cl

SWITCHES = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
# frames are drawn when they are ready: a busy machine would miss every second beat of a screen
UNTIMED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
PATIENCE = 60_000  # milliseconds; a loaded machine is slow


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start one browser for all tests."""
    program = need_browser()
    try:
        from playwright import sync_api as playwright
    except ImportError:
        leave("Playwright is not installed")
    switches = [*SWITCHES, *UNTIMED]
    if os.geteuid() == 0:
        switches.append("--no-sandbox")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=program, args=switches)
        yield browser
        browser.close()


class Opened:
    """A page of the viewer and everything its console said."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, url: str) -> None:
        self.page.goto(url)
        self.until("Boolean(window.cornerlaw)")

    def until(self, script: str) -> None:
        """Wait for an expression; the page's own policy forbids to let it wait by itself."""
        for _ in range(PATIENCE // 50):
            if self.page.evaluate(script):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{script} did not become true; {self.complaints}")

    def follow(self, body: str) -> None:
        """Choose a body to follow, also where the panel is hidden."""
        self.page.evaluate(f"cornerlaw.follow({body!r})")

    @property
    def state(self) -> dict[str, Any]:
        return dict(self.page.evaluate("cornerlaw.state()"))


@pytest.fixture
def opened(chromium: Any) -> Iterator[Opened]:
    """Give an empty page that must not complain."""
    context = chromium.new_context(viewport={"width": 1000, "height": 640})
    found = Opened(context.new_page())
    yield found
    with contextlib.suppress(Exception):
        context.close()
    assert found.complaints == []


@pytest.fixture(scope="session")
def bounce() -> cl.Solution:
    """A ball that bounces, with a name no page may take for HTML."""
    ball = cl.Disk(
        "<script>alert(1)", mass=1.0, radius=0.1, position=(0.0, 0.6), velocity=(0.5, 0.0)
    )
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(ball, floor, name="touch", mu=0.3, eps_N=0.6)
    model = cl.Model(ball, floor, contact, gravity=(0.0, -9.81), name='<img src=x onerror="1">')
    return cl.simulate(model, t_end=1.5, method=cl.EventDriven())


@pytest.fixture(scope="session")
def woodpecker() -> cl.Solution:
    """The toy of the gallery, half a second of it."""
    from cornerlaw import gallery

    return gallery.find("woodpecker-bodies").run(options={"t_end": 0.5})


@pytest.fixture
def html(tmp_path: Path) -> Any:
    """Return a function that writes a run as a page and gives its address."""

    def write(sol: cl.Solution, **options: Any) -> str:
        need_page()
        path = tmp_path / "run.html"
        sol.to_html(path, **options)
        return path.as_uri()

    return write
