"""Ctrl-C and SIGTERM during a run that writes checkpoints: heard between two compiled calls.

So the run ends at a state that belongs together, writes it and returns. A second Ctrl-C ends it at
once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_last = [int(signal.SIGINT)]  # the signal that ended the last interrupted run


def interrupted_by() -> int:
    """Return the number of the signal that interrupted the last interrupted run."""
    return _last[0]


def _terminate(number: int, frame: FrameType | None) -> None:
    _last[0] = int(number)
    raise KeyboardInterrupt


@contextmanager
def sigterm_heard() -> Iterator[None]:
    """Let SIGTERM end what is done meanwhile as Ctrl-C does; for commands."""
    _last[0] = int(signal.SIGINT)
    free = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    )
    if free:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if free:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Signals:
    """Remembers a signal instead of raising an exception in the midst of a step."""

    def __init__(self) -> None:
        self.received = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        # only the main thread of a program may set handlers
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if number == signal.SIGTERM and signal.getsignal(number) not in (
                    signal.SIG_DFL,
                    _terminate,
                ):
                    continue  # the program has its own plans
                self._before[number] = signal.signal(number, self._hear)
        return self

    def _hear(self, number: int, frame: FrameType | None) -> None:
        _last[0] = int(number)
        if self.received:
            raise KeyboardInterrupt
        self.received = number

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
