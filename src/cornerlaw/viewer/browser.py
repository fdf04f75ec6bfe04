"""A browser without a window that draws the page: Chromium, spoken to through two pipes."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cornerlaw.errors import CornerlawError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 120.0  # seconds for one answer; drawing in software takes its time
SWITCHES = (
    "--headless=new", "--remote-debugging-pipe", "--hide-scrollbars", "--mute-audio",
    "--no-first-run", "--disable-extensions", "--disable-background-networking",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
    "--force-color-profile=srgb", "--disable-dev-shm-usage",
)  # fmt: skip

# a browser reads commands from descriptor 3 and answers on 4
STARTER = """
import fcntl, os, sys
pipes = [fcntl.fcntl(int(x), fcntl.F_DUPFD, 10) for x in sys.argv[1:3]]
os.dup2(pipes[0], 3)
os.dup2(pipes[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class BrowserError(CornerlawError):
    """The browser cannot draw the page."""


def find_browser() -> str | None:
    """Return the program, or None where there is none; only POSIX systems have such pipes."""
    if os.name != "posix":
        return None
    wanted = os.environ.get("CORNERLAW_CHROMIUM")
    if wanted:
        return shutil.which(wanted)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Tab:
    """One page of a browser."""

    def __init__(self, sink: int, source: int) -> None:
        self._sink, self._source = sink, source
        self._buffer = b""
        self._number = 0
        self._session = ""

    def attach(self) -> None:
        """Open an empty page and talk to it from now on."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        self.call("Page.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Send one command and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        try:
            os.write(self._sink, json.dumps(message).encode() + b"\0")
        except OSError:
            raise BrowserError("The browser that draws pictures ended.") from None
        until = time.monotonic() + PATIENCE
        while True:
            answer = json.loads(self._read(until))
            if answer.get("id") == self._number:
                break
        if "error" in answer:
            raise BrowserError(f"The browser refused {method}: {answer['error']['message']}.")
        return answer["result"]

    def _read(self, until: float) -> bytes:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._source], [], [], max(0.0, until - time.monotonic()))
            chunk = os.read(self._source, 1 << 20) if ready else b""
            if not chunk:
                raise BrowserError("The browser that draws pictures does not answer.")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        return message

    def run(self, script: str) -> Any:
        """Return the value of an expression of the page."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            raise BrowserError(f"The page failed: {found['exceptionDetails'].get('text', '')}.")
        return found["result"].get("value")

    def picture(self, kind: str = "png") -> bytes:
        """Return what the page shows."""
        options: dict[str, Any] = {"format": kind}
        if kind == "jpeg":
            options["quality"] = 92
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])


@contextlib.contextmanager
def open_page(page: str, width: int, height: int, theme: str) -> Iterator[Tab]:
    """Show a page in a browser of the given size; everything is gone afterwards."""
    program = find_browser()
    if program is None:
        raise BrowserError(
            "There is no Chromium on this machine to draw the page; install it, or ask for "
            'renderer="drawing".'
        )
    with tempfile.TemporaryDirectory(prefix="cornerlaw-") as folder:
        file = Path(folder) / "run.html"
        file.write_text(page, encoding="utf-8")
        with _running(program, folder, width, height) as tab:
            tab.attach()
            tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=False)  # fmt: skip
            tab.call("Page.navigate", url=f"{file.as_uri()}#bare=1&theme={theme}")
            _until_ready(tab)
            yield tab


def _until_ready(tab: Tab) -> None:
    until = time.monotonic() + PATIENCE
    while not tab.run("Boolean(window.cornerlaw)"):
        if time.monotonic() > until:
            raise BrowserError("The page did not open in the browser.")
        time.sleep(0.05)


@contextlib.contextmanager
def _running(program: str, folder: str, width: int, height: int) -> Iterator[Tab]:
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    switches = [*SWITCHES, f"--user-data-dir={folder}/profile", f"--window-size={width},{height}"]
    if os.geteuid() == 0:
        switches.append("--no-sandbox")  # Chromium refuses its sandbox to root
    quiet = {**os.environ, "LANG": "C.UTF-8"}
    process = subprocess.Popen(
        [sys.executable, "-ISc", STARTER, str(read_in), str(write_out), program, *switches],
        pass_fds=(read_in, write_out), env=quiet, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read_in)
    os.close(write_out)
    tab = Tab(write_in, read_out)
    try:
        yield tab
    finally:
        _end(process, tab)
        os.close(write_in)
        os.close(read_out)


def _end(process: subprocess.Popen[bytes], tab: Tab) -> None:
    """Ask the browser to close, and end it if it does not."""
    tab._session = ""
    with contextlib.suppress(CornerlawError, ValueError):
        tab.call("Browser.close")
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
