"""The helper process of the first compilation: started once, only with a core to spare."""

from pathlib import Path

import pytest

from cornerlaw.kernels import _numba
from cornerlaw.simulate import precompile


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Record what would be started, with an empty cache folder."""
    commands: list[list[str]] = []
    monkeypatch.setattr(_numba, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(
        precompile.subprocess, "Popen", lambda command, **_: commands.append(command)
    )
    return commands


def test_helper_starts_once(started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    precompile.start_helper()
    precompile.start_helper()
    assert len(started) == 1
    assert "precompile" in started[0][-1]


def test_no_helper_on_one_core(started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile.os, "sched_getaffinity", lambda _: {0}, raising=False)
    precompile.start_helper()
    assert started == []
