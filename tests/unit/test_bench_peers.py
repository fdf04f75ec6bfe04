"""Peers of the bench are limited in seconds of the processor: beside other work they only wait."""

from __future__ import annotations

import importlib.util
import os
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
