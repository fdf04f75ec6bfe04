"""Peers of the bench are limited in seconds of the processor: beside other work they only wait."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "_results.py"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of the processor are POSIX")


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The module that runs peers, which are scripts of this folder."""
    spec = importlib.util.spec_from_file_location("bench_results", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PEERS", tmp_path)
    return module


def test_a_peer_that_only_waits_is_measured(results: Any, tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text("import time\ntime.sleep(1.3)\nprint('{\"min\": 1.0}')\n")
    results.WAITING = 600.0  # whatever else the machine does
    assert results.run_peer("peer.py", python=sys.executable, timeout=1.0) == {"min": 1.0}


def test_a_peer_that_computes_for_too_long_is_not(results: Any, tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text("while True:\n    pass\n")
    results.WAITING = 600.0  # whatever else the machine does
    found = results.run_peer("peer.py", python=sys.executable, timeout=1.0)
    assert found == "not measured: over 1 s of the processor"


def test_the_clock_of_a_limited_peer_is_fine(results: Any, tmp_path: Path) -> None:
    """Under a limit `time.process_time` moves by ticks of 4 ms; no loop may take nothing."""
    shutil.copy(FILE.parent / "peers" / "_clock.py", tmp_path)
    (tmp_path / "peer.py").write_text(
        "import json\n"
        "from _clock import processor_seconds\n"
        "times = []\n"
        "for _ in range(40):\n"
        "    began = processor_seconds()\n"
        "    sum(range(20_000))\n"
        "    times.append(processor_seconds() - began)\n"
        "print(json.dumps({'times': times}))\n"
    )
    times = results.run_peer("peer.py", python=sys.executable, timeout=60.0)["times"]
    assert min(times) > 0.0
    # ticks of 4 ms would be nothing nearly always and 4 ms now and then
    assert sorted(times)[len(times) // 2] < 3.5e-3


@pytest.mark.parametrize(
    ("better", "worse"),
    [({"peers": True}, {"peers": False}), ({"load": 0.1}, {"load": 9.0}), ({}, {"small": "1"})],
    ids=["peers", "idle", "whole"],
)
def test_a_lesser_run_leaves_the_stored_figures_alone(
    better: dict[str, Any], worse: dict[str, Any], results: Any, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Figures of a smaller scene, without peers or from a busy machine go to a file beside."""
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    monkeypatch.setattr(results, "peer_versions", dict)

    def write(table: str, peers: bool = True, load: float = 0.1, small: str = "") -> Path:
        monkeypatch.setattr(results, "machine", lambda: {"cores": 2, "load": load})
        for key in results.SMALLER:
            monkeypatch.delenv(key, raising=False)
        if small:
            monkeypatch.setenv(results.SMALLER[0], small)
        path: Path = results.write_result("scene", {}, table, peers)
        return path

    assert write("bad", **worse).name == "scene.json"
    assert write("good", **better).name == "scene.json"
    assert write("bad again", **worse).name == "scene.lesser.json"
    assert write("newer", **better).name == "scene.json"
    assert "newer" in (tmp_path / "results" / "scene.json").read_text()
