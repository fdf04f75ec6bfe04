"""The progress bar: on a terminal only, after two seconds of work, and gone at the end."""

from __future__ import annotations

import io
import threading
import warnings
from types import SimpleNamespace
from typing import Any

import pytest

import cornerlaw as cl
from cornerlaw.simulate import progress
from cornerlaw.simulate.progress import DELAY, Progress

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # of the cursor, as terminals know it


class Screen(io.StringIO):
    """What a program writes to a terminal, or to a pipe."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


class Clock:
    """A clock that goes on by a stated time at every look, or when it is told to."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 100.0, tick

    def perf_counter(self) -> float:
        self.now += self.tick
        return self.now


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal in place of stderr."""
    # rich asks the environment as well
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return put(Screen(terminal=True), monkeypatch)


def put(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Let progress bars take this for stderr; pytest itself changes that of the process."""
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))
    return screen


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


def test_a_bar_appears_after_two_seconds(screen: Screen, clock: Clock) -> None:
    bar = Progress(1.0, 5.0, None)
    assert DELAY == 2.0
    clock.now += 1.99
    bar.show(2.0)
    assert bar.bar is None and screen.getvalue() == ""
    clock.now += 0.02
    bar.show(3.0)
    assert bar.bar is not None
    # the time that has passed since the start of the run, of the time that it takes
    (task,) = bar.bar.tasks
    assert (task.completed, task.total) == (2.0, 4.0)
    bar.close()
    text = screen.getvalue()
    assert "simulating" in text and "t = 2 of 4 s" in text


def test_what_is_no_terminal_gets_no_bar(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    pipe = put(Screen(terminal=False), monkeypatch)
    bar = Progress(0.0, 1.0, None)
    clock.now += 100.0
    bar.show(0.5)
    bar.close()
    assert bar.bar is None and pipe.getvalue() == ""


def test_a_bar_that_is_asked_for_is_there_at_once(screen: Screen, clock: Clock) -> None:
    bar = Progress(0.0, 1.0, True)
    bar.show(0.5)
    assert bar.bar is not None
    bar.close()


def test_a_bar_that_is_refused_never_comes(screen: Screen, clock: Clock) -> None:
    bar = Progress(0.0, 1.0, False)
    clock.now += 100.0
    bar.show(0.5)
    bar.close()
    assert bar.bar is None and screen.getvalue() == ""


def assert_cleaned_up(screen: Screen) -> None:
    """Check that the cursor is back, the line of the bar wiped, and nothing draws any more."""
    text = screen.getvalue()
    assert "simulating" in text
    assert text.rfind(SHOW) > text.rfind(HIDE) >= 0
    # the last thing is to wipe the line on which the bar was
    assert text.rfind("\x1b[2K") > text.rfind("simulating")
    for thread in threading.enumerate():
        if "Refresh" in type(thread).__name__:
            thread.join(10.0)  # it is told to end, not waited for
            assert not thread.is_alive()


def falling(**options: Any) -> cl.Model:
    return cl.Model(cl.PointMass("mass", mass=1.0), gravity=(0.0, -9.81), **options)


def test_a_run_that_ends_takes_its_bar_away(screen: Screen, clock: Clock) -> None:
    clock.tick = 1.0  # whatever is done takes seconds
    sol = cl.simulate(falling(), 1.0, method=cl.RungeKutta4(dt=1e-3))
    assert sol.ok
    assert_cleaned_up(screen)


def test_a_quick_run_shows_none(screen: Screen, clock: Clock) -> None:
    cl.simulate(falling(), 1.0, method=cl.RungeKutta4(dt=1e-3))
    assert screen.getvalue() == ""


def blows_up(t: float) -> float:
    return 1.0 if t < 0.5 else float("nan")


def test_a_run_that_fails_takes_its_bar_away(screen: Screen, clock: Clock) -> None:
    clock.tick = 1.0
    mass = cl.PointMass("mass", mass=1.0)
    model = cl.Model(mass, cl.Force("push", mass, value=(blows_up, 0.0)))
    with warnings.catch_warnings(), pytest.raises(cl.SimulationError, match="gives nan"):
        warnings.simplefilter("ignore")
        cl.simulate(model, 1.0, method=cl.RungeKutta4(dt=1e-4))
    assert_cleaned_up(screen)


def test_a_run_that_is_interrupted_takes_its_bar_away(
    screen: Screen, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.tick = 1.0
    show = Progress.show

    def interrupted(self: Progress, t: float) -> None:
        show(self, t)
        if self.bar is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "show", interrupted)
    sol = cl.simulate(falling(), 1.0, method=cl.RungeKutta4(dt=1e-4))
    assert sol.status == "interrupted"
    assert_cleaned_up(screen)
