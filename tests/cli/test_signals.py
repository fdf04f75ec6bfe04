"""SIGINT and SIGTERM at a command: what was computed is kept, and how to go on is said."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import cornerlaw as cl
from cornerlaw.cli import main
from cornerlaw.cli.run import resume_command
from cornerlaw.simulate.methods import Runner

LONG = ["run", "pendulum", "--method", "runge-kutta-4", "--dt", "1e-5"]
PATIENCE = 2.0  # seconds until a run has ended


def begin(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "cornerlaw", *LONG, *arguments], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, float]:
    """Send a signal; return exit code, errors and the seconds until the end."""
    began = time.monotonic()
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors, time.monotonic() - began


def speed() -> float:
    """Return how much slower than alone this machine is at the moment."""
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < 0.3:
        pass
    return max((time.monotonic() - began) / 0.3, 1.0)


@pytest.mark.trust("TR-R-05")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_with_a_record(number: signal.Signals, code: int, tmp_path: Path) -> None:
    folder = tmp_path / "my run"
    process = begin("--t-end", "5000", "--checkpoint", str(folder), "--checkpoint-every", "0.05")
    limit = time.monotonic() + 300.0
    while not (folder / "000001.seg").exists():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)
    # other tests come and go: the slower of the times before and after counts
    before = speed()
    found, errors, seconds = end(process, number)
    assert found == code
    assert seconds <= PATIENCE * max(before, speed())
    part = cl.load(folder)
    assert part.status == "interrupted" and part.final.t > 0.0
    command = next(line for line in errors.splitlines() if "go on with: " in line)
    words = shlex.split(command.partition("go on with: ")[2])
    assert words[0] == "cornerlaw" and words[words.index("--resume") + 1] == str(folder)
    # the command goes on: it computes more before it is interrupted again
    again = subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.PIPE,
                             stdout=subprocess.DEVNULL, text=True)  # fmt: skip
    last = max(folder.glob("*.seg")).name
    limit = time.monotonic() + 300.0
    while max(folder.glob("*.seg")).name == last:
        assert again.poll() is None and time.monotonic() < limit
        time.sleep(0.02)
    assert end(again, number)[0] == code
    assert cl.load(folder).final.t > part.final.t


@pytest.mark.trust("TR-R-05")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_without_a_record_saves_what_it_has(
    number: signal.Signals, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    # a shell that starts the tests in the background lets them ignore SIGINT
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    out = tmp_path / "run.nc"
    original, calls = Runner.run, []

    def interrupted(self: Any, *arguments: Any) -> int:
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), number)
        return original(self, *arguments)

    monkeypatch.setattr(Runner, "run", interrupted)
    try:
        assert main([*LONG, "--t-end", "5000", "--out", str(out)]) == code
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL  # nothing stays behind
    assert "interrupted; a run with --checkpoint could be resumed" in capsys.readouterr().err
    part = cl.load(out)
    assert part.status == "interrupted" and 0.0 < part.final.t < 5000.0


def test_the_command_to_go_on_is_the_one_that_began() -> None:
    given = ["run", "pendulum", "--set", "amplitude=3", "--checkpoint", "my run"]
    assert resume_command(given) == ("cornerlaw run pendulum --set amplitude=3 --resume 'my run'")
    assert resume_command(["run", "x", "--checkpoint=c"]) == "cornerlaw run x --resume=c"
    assert resume_command(["run", "x", "--resume", "c"]) == "cornerlaw run x --resume c"


def test_the_command_to_go_on_has_the_arguments_of_main(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not those of the program that calls it."""
    original, calls = Runner.run, []

    def interrupted(self: Any, *arguments: Any) -> int:
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return original(self, *arguments)

    monkeypatch.setattr(Runner, "run", interrupted)
    monkeypatch.setattr(sys, "argv", ["other", "program"])
    given = [*LONG, "--t-end", "5000", "--checkpoint", str(tmp_path / "c")]
    assert main(given) == 130
    assert f"go on with: {resume_command(given)}\n" in capsys.readouterr().err
