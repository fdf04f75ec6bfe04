"""How fast the page of many bodies is: size, time to open, pictures per second, contacts drawn.

    python tools/viewer_speed.py [--bodies 1000] [--frames 2000] [--heap]

A browser without a window draws in software (SwiftShader) at 800 x 600. Pictures are counted in two
ways: as the page plays by itself (with the beat of the screen and without; a pixel is read back
after each, so that only pictures that were really drawn count), and in a loop that shows frame
after frame as fast as they are drawn. The balls are made up, hop about and touch a floor; those of
`--heap` come from a run of Grains that fall into a box, with three times as many contacts.

Other programs make all of these slower. Processor time tells what the page itself needs: that of
all processes of the browser per picture (Linux only), and that of the page's script alone. Two
cores reach 30 pictures a second when a picture needs less than 33 ms, even one after the other.
An empty canvas that is only cleared tells what the browser takes for itself.
Where pictures come too slowly the page draws fewer pixels while it plays: "sharpness" is the share
of the width that was left at the end, 1 where nothing was lost.
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
from many_bodies import heap_of_balls, many_balls
from playwright.sync_api import sync_playwright

from cornerlaw.viewer.browser import find_browser
from cornerlaw.viewer.touching import contact_parts

SIZE = {"width": 800, "height": 600}
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
UNTIMED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
FORCED = """(count) => {
  const gl = document.getElementById("scene").getContext("webgl2"), pixel = new Uint8Array(4);
  const { start, end } = cornerlaw.state(), began = performance.now();
  let script = 0;
  for (let k = 0; k < count; k++) {
    const before = performance.now();
    cornerlaw.seek(start + ((end - start) * k) / count);
    script += performance.now() - before;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  }
  return [(1000 * count) / (performance.now() - began), script / count];
}"""
PLAYED = """([seconds, least]) => new Promise((done) => {
  const gl = document.getElementById("scene").getContext("webgl2"), pixel = new Uint8Array(4);
  let first = 0, began = 0;
  const beat = (now) => {
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    const count = cornerlaw.pictures() - first;
    if (!began) { began = now; first = cornerlaw.pictures(); }
    else if (now - began > 1000 * seconds && count >= least) {
      const found = [count, (1000 * count) / (now - began), cornerlaw.sharpness()];
      cornerlaw.pause();
      done(found);
      return;
    }
    requestAnimationFrame(beat);
  };
  cornerlaw.play();
  requestAnimationFrame(beat);
})"""

EMPTY = """([width, height, count]) => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  document.body.append(canvas);
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: false });
  let began = 0, k = 0;
  return new Promise((done) => {
    const beat = (now) => {
      if (!began) began = now;
      if (k === count) { done((1000 * count) / (now - began)); return; }
      gl.clearColor(k++ % 2, 0.5, 0.5, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      requestAnimationFrame(beat);
    };
    requestAnimationFrame(beat);
  });
}"""


def processor_seconds() -> float:
    """Return the processor time of all processes that this one started, NaN where unknown."""
    try:
        entries = [entry for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        return float("nan")
    spent: dict[int, float] = {}
    children: dict[int, list[int]] = {}
    for entry in entries:
        try:
            # the name of a program may hold blanks; what follows its bracket does not
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        spent[int(entry)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        children.setdefault(int(fields[1]), []).append(int(entry))
    total, waiting = 0.0, [os.getpid()]
    while waiting:
        found = children.get(waiting.pop(), [])
        total += sum(spent[child] for child in found)
        waiting += found
    return total


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


def contact_states(sol: Any) -> Any:
    """Return the states of all contacts, a row for each."""
    if "balls.contact_state" in sol.channels:
        return sol.array("balls.contact_state").T
    return np.array([sol.array(f"{name}.state") for name in contact_parts(sol)])


def dropped_contacts(page: Any, sol: Any, moments: int) -> int:
    """Return how many contacts have another colour than their state, over some frames."""
    states = contact_states(sol)
    wrong = 0
    for row in np.linspace(0, len(sol.t) - 1, moments).astype(int):
        page.evaluate(f"cornerlaw.seek({float(sol.t[row])!r})")
        shown = page.evaluate("cornerlaw.contactStates()")
        slip, stick = (int(np.isin(states[:, row], k).sum()) for k in ((2, 3, 5), (4,)))
        wrong += abs(shown[2] - slip) + abs(shown[3] - stick)
    return wrong


def measure(sol: Any, frames: int, seconds: float = 5.0) -> dict[str, float]:
    """Return the figures of the page of a run."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        file = Path(folder) / "run.html"
        sol.to_html(file, frames=frames)
        found: dict[str, float] = {"megabytes": file.stat().st_size / 1e6}
        for name, switches in (("screen", []), ("untimed", UNTIMED)):
            browser = launch(engine, switches)
            page, opened = open_page(browser, file.as_uri())
            found[f"opens in, {name} [s]"] = opened
            # first pictures wait for the shaders
            page.evaluate(PLAYED, [0.5, 20])
            before = processor_seconds()
            count, rate, sharpness = page.evaluate(PLAYED, [seconds, 60])
            found[f"played, {name} [1/s]"] = rate
            found[f"processor per picture, {name} [ms]"] = (
                1e3 * (processor_seconds() - before) / count
            )
            found[f"sharpness, {name}"] = sharpness
            bare = browser.new_context(viewport=SIZE).new_page()
            before = processor_seconds()
            found[f"empty canvas, {name} [1/s]"] = bare.evaluate(EMPTY, [*SIZE.values(), 100])
            spent = processor_seconds() - before
            found[f"processor per picture, empty canvas, {name} [ms]"] = 10.0 * spent
            bare.close()
            if name == "untimed":
                before = processor_seconds()
                found["forced [1/s]"], found["script per picture [ms]"] = page.evaluate(FORCED, 200)
                found["processor per picture, forced [ms]"] = (
                    1e3 * (processor_seconds() - before) / 200
                )
                found["frames"] = page.evaluate("cornerlaw.state().frames")
                found["contacts, most"] = int((contact_states(sol) > 0).sum(axis=0).max())
                found["wrong contacts"] = dropped_contacts(page, sol, 20)
            browser.close()
    found["load of the machine"] = os.getloadavg()[0]
    return found


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description="Measure the page of many bodies.")
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--heap", action="store_true", help="a run of Grains")
    options = parser.parse_args()
    count, frames = options.bodies, options.frames
    sol = heap_of_balls(count, 2.0, frames - 1) if options.heap else many_balls(count, frames)
    found = measure(sol, frames)
    print(json.dumps({key: round(value, 2) for key, value in found.items()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
