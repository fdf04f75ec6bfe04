"""A progress bar on the terminal for runs that last longer than two seconds."""

from __future__ import annotations

import sys
import time
from typing import Any

DELAY = 2.0  # seconds before a bar appears


class Progress:
    """Shows how far a run has come; silent off a terminal unless asked for."""

    def __init__(self, t_start: float, t_end: float, wanted: bool | None) -> None:
        self.t_start, self.t_end = t_start, t_end
        self.wanted = sys.stderr.isatty() if wanted is None else wanted
        self.delay = 0.0 if wanted else DELAY
        self.began = time.perf_counter()
        self.bar: Any = None
        self.task: Any = None

    def show(self, t: float) -> None:
        """Move the bar to time t."""
        if not self.wanted or time.perf_counter() - self.began < self.delay:
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self.bar = Bar(
                TextColumn("simulating"),
                BarColumn(),
                TextColumn("t = {task.completed:.3g} of {task.total:.3g} s"),
                TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            self.task = self.bar.add_task("", total=self.t_end - self.t_start)
            self.bar.start()
        self.bar.update(self.task, completed=t - self.t_start)

    def close(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.stop()
