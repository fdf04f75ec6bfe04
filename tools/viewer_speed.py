"""How fast the page of many bodies is: size, time to open, pictures per second, contacts drawn.

    python tools/viewer_speed.py [--bodies 1000] [--frames 2000]

A browser without a window draws in software (SwiftShader) at 800 x 600. Pictures are counted in two
ways: as the page plays by itself (requestAnimationFrame, with the beat of the screen and without),
and in a loop that shows frame after frame and waits until each is drawn (a pixel is read back).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from many_bodies import many_balls
from playwright.sync_api import sync_playwright

from cornerlaw.viewer.browser import find_browser
from cornerlaw.viewer.touching import contact_parts

SIZE = {"width": 800, "height": 600}
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
UNTIMED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
FORCED = """(count) => {
  const gl = document.getElementById("scene").getContext("webgl2"), pixel = new Uint8Array(4);
  const { start, end } = cornerlaw.state(), began = performance.now();
  for (let k = 0; k < count; k++) {
    cornerlaw.seek(start + ((end - start) * k) / count);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  }
  return (1000 * count) / (performance.now() - began);
}"""
PLAYED = """(seconds) => new Promise((done) => {
  let count = 0, began = 0;
  const beat = (now) => {
    if (!began) began = now; else count++;
    if (now - began > 1000 * seconds) { cornerlaw.pause(); done((1000 * count) / (now - began)); }
    else requestAnimationFrame(beat);
  };
  cornerlaw.play();
  requestAnimationFrame(beat);
})"""


def launch(engine: Any, switches: list[str]) -> Any:
    """Return a browser that draws in software."""
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return engine.chromium.launch(
        executable_path=find_browser(), args=[*SOFTWARE, *switches, *root]
    )


def open_page(browser: Any, address: str) -> tuple[Any, float]:
    """Return the page and the seconds until its first picture."""
    page = browser.new_context(viewport=SIZE).new_page()
    page.set_default_timeout(120_000)
    began = time.perf_counter()
    page.goto(address + "#panel=0")
    while not page.evaluate("Boolean(window.cornerlaw)"):
        time.sleep(0.02)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page, time.perf_counter() - began


def dropped_contacts(page: Any, sol: Any, moments: int) -> int:
    """Return how many contacts have another colour than their state, over some frames."""
    states = np.array([sol.array(f"{name}.state") for name in contact_parts(sol)])
    wrong = 0
    for row in np.linspace(0, len(sol.t) - 1, moments).astype(int):
        page.evaluate(f"cornerlaw.seek({float(sol.t[row])!r})")
        shown = page.evaluate("cornerlaw.contactStates()")
        slip, stick = (int(np.isin(states[:, row], k).sum()) for k in ((2, 3, 5), (4,)))
        wrong += abs(shown[2] - slip) + abs(shown[3] - stick)
    return wrong


def measure(bodies: int, frames: int, seconds: float = 5.0) -> dict[str, float]:
    """Return the figures of one page."""
    sol = many_balls(bodies, frames)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        file = Path(folder) / "run.html"
        sol.to_html(file, frames=frames)
        found: dict[str, float] = {"megabytes": file.stat().st_size / 1e6}
        for name, switches in (("screen", []), ("untimed", UNTIMED)):
            browser = launch(engine, switches)
            page, opened = open_page(browser, file.as_uri())
            found[f"opens in, {name} [s]"] = opened
            found[f"played, {name} [1/s]"] = page.evaluate(PLAYED, seconds)
            if name == "untimed":
                found["forced [1/s]"] = page.evaluate(FORCED, 200)
                found["frames"] = page.evaluate("cornerlaw.state().frames")
                found["wrong contacts"] = dropped_contacts(page, sol, 20)
            browser.close()
    found["load of the machine"] = os.getloadavg()[0]
    return found


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description="Measure the page of many bodies.")
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=2000)
    options = parser.parse_args()
    found = measure(options.bodies, options.frames)
    print(json.dumps({key: round(value, 2) for key, value in found.items()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
