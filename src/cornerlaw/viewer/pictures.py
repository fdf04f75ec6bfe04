"""Pictures and videos of a run on a machine without a display.

The page itself draws them in a Chromium without a window, where there is one; else matplotlib does.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cornerlaw.errors import UsageError
from cornerlaw.results import Solution
from cornerlaw.results.atomic import whole_file
from cornerlaw.results.channels import short
from cornerlaw.results.extras import require
from cornerlaw.viewer.browser import BrowserError, find_browser, open_page
from cornerlaw.viewer.drawing import THEMES, Drawing
from cornerlaw.viewer.page import BUILT, offline_page
from cornerlaw.viewer.payload import build_payload
from cornerlaw.viewer.sampling import MOST

RENDERERS = ("auto", "browser", "drawing")
LENGTH = 10.0  # [s] of a video whose speed is not given
SIZE = (960, 640)
LONGEST = 20_000  # frames of a video
Painter = Callable[[float], bytes]


class Picture:
    """One moment of a run; `save` writes it, a notebook shows it."""

    def __init__(self, png: bytes, t: float) -> None:
        self.png, self.t = png, t

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as PNG, whole or not at all."""
        target = Path(path)
        if target.suffix.lower() != ".png":
            raise UsageError(f'"{target}" must end in .png.')
        with whole_file(target) as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<Picture at t = {self.t:g} s, {len(self.png)} bytes>"


def frame(
    sol: Solution,
    t: float,
    *,
    size: tuple[int, int] = SIZE,
    theme: str = "light",
    renderer: str = "auto",
) -> Picture:
    """Return the picture of one moment; `save` writes it as PNG.

    size      width and height in pixels
    theme     "light" or "dark"
    renderer  "browser" draws the page in a Chromium without a window, "drawing" uses matplotlib,
              "auto" takes the first that is there
    """
    moment = _moment(sol, t)
    with _painter(sol, size, theme, renderer, "png", MOST) as paint:
        return Picture(paint(moment), moment)


def to_video(
    sol: Solution,
    path: str | os.PathLike[str],
    *,
    fps: int = 30,
    speed: float | None = None,
    size: tuple[int, int] = SIZE,
    theme: str = "light",
    renderer: str = "auto",
) -> None:
    """Write the run as a video (.mp4), without a display; needs the extra "video".

    fps    pictures per second
    speed  seconds of the run per second of the video; else the video lasts about ten seconds
    """
    target = Path(path)
    if target.suffix.lower() != ".mp4":
        raise UsageError(f'"{target}" must end in .mp4.')
    if isinstance(fps, bool) or not isinstance(fps, int) or not 1 <= fps <= 120:
        raise UsageError(f"fps must be a whole number from 1 to 120, got {fps!r}.")
    writer = require("imageio_ffmpeg", "video", "A video")
    width, height = _checked_size(size)
    width, height = width - width % 2, height - height % 2  # the format has no odd sizes
    times = _video_times(sol, fps, speed)
    with _painter(sol, (width, height), theme, renderer, "jpeg", max(MOST, len(times))) as paint:
        _write_video(writer, target, (width, height), fps, (paint(t) for t in times))


def _video_times(sol: Solution, fps: int, speed: float | None) -> Any:
    span = float(sol.t[-1] - sol.t[0]) if len(sol.t) else 0.0
    pace = span / LENGTH if speed is None else float(speed)
    if not (math.isfinite(pace) and pace >= 0.0) or (speed is not None and pace == 0.0):
        raise UsageError(f"speed must be a positive number, got {speed!r}.")
    count = 2 if pace == 0.0 else max(2, round(fps * span / pace) + 1)
    if count > LONGEST:
        raise UsageError(
            f"The video would have {count} pictures, more than {LONGEST}; raise speed or lower fps."
        )
    return np.linspace(sol.t[0], sol.t[-1], count)


def _write_video(
    writer: Any, target: Path, size: tuple[int, int], fps: int, images: Iterator[bytes]
) -> None:
    """Encode pictures; the file appears whole or not at all."""
    part = target.with_name(f".{target.stem}.part.mp4")
    options = {"fps": fps, "codec": "libx264", "macro_block_size": 2, "quality": 7}
    try:
        sink = writer.write_frames(str(part), size, pix_fmt_in="rgb24", **options)
        sink.send(None)
        try:
            for image in images:
                sink.send(_pixels(image, size))
        finally:
            sink.close()
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _pixels(image: bytes, size: tuple[int, int]) -> bytes:
    """Decode a picture into rows of red, green and blue."""
    import io

    pillow = require("PIL.Image", "video", "A video")
    with pillow.open(io.BytesIO(image)) as opened:
        plain = opened.convert("RGB")
    if plain.size != size:
        plain = plain.resize(size)
    return bytes(plain.tobytes())


@contextlib.contextmanager
def _painter(
    sol: Solution, size: tuple[int, int], theme: str, renderer: str, kind: str, frames: int
) -> Iterator[Painter]:
    """Yield a function from time to picture."""
    if renderer not in RENDERERS:
        raise UsageError(f"renderer must be one of {', '.join(RENDERERS)}, got {renderer!r}.")
    if theme not in THEMES:
        raise UsageError(f"theme must be light or dark, got {theme!r}.")
    width, height = _checked_size(size)
    payload = build_payload(sol, frames=frames)
    if renderer == "drawing" or (renderer == "auto" and not _has_browser()):
        yield Drawing(payload, width, height, theme).at
        return
    with contextlib.ExitStack() as stack:
        try:
            tab = stack.enter_context(open_page(offline_page(payload), width, height, theme))
        except BrowserError:
            if renderer == "browser":
                raise
            tab = None  # a browser that does not start is no reason to have no picture
        if tab is None:
            yield Drawing(payload, width, height, theme).at
            return

        def paint(t: float) -> bytes:
            tab.run(f"window.cornerlaw.seek({float(t)!r})")
            return tab.picture(kind)

        yield paint


def _has_browser() -> bool:
    return BUILT.is_file() and find_browser() is not None


def _checked_size(size: Any) -> tuple[int, int]:
    try:
        width, height = (int(x) for x in size)
    except (TypeError, ValueError):
        raise UsageError(f"size must be width and height in pixels, got {size!r}.") from None
    if not (64 <= width <= 8000 and 64 <= height <= 8000):
        raise UsageError(f"size must be from 64 to 8000 pixels, got {width} x {height}.")
    return width, height


def _moment(sol: Solution, t: Any) -> float:
    try:
        # a quantity would lose its unit in float
        moment = float(t.to("s").magnitude if hasattr(t, "to") else t)
    except Exception:  # the object is the user's
        moment = math.nan
    if not len(sol.t):
        raise UsageError("This run holds no rows, so there is nothing to show.")
    if not sol.t[0] <= moment <= sol.t[-1]:
        raise UsageError(
            f"t must lie between {sol.t[0]:g} s and {sol.t[-1]:g} s, where the run is, "
            f"got {short(t)}."
        )
    return moment


__all__ = ["Picture", "frame", "to_video"]
