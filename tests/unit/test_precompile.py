"""Helpers of a first compilation: started with a core to spare, each kernel compiled by one."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import cornerlaw as cl
from cornerlaw.kernels import _claims, _numba
from cornerlaw.simulate import precompile

posix = pytest.mark.skipif(sys.platform == "win32", reason="claims are locks of POSIX systems")


def a_kernel(x: float) -> float:
    """Stand for a kernel: a name in a module."""
    return x


JOBS = [(a_kernel, ()), (a_kernel, ()), (a_kernel, ())]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[list[str]]]:
    """Record what would be started, with an empty cache folder."""
    commands: list[list[str]] = []

    def start(command: list[str], **_: Any) -> Any:
        commands.append(command)
        return SimpleNamespace(poll=lambda: None)

    monkeypatch.setattr(_numba, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(precompile, "_helpers", [])
    monkeypatch.setattr(precompile.subprocess, "Popen", start)
    yield commands
    _claims.release(tmp_path / precompile.LOCK)


@posix
@pytest.mark.parametrize(("cores", "helpers"), [(1, 0), (2, 1), (3, 2), (64, 2)])
def test_helpers_where_there_are_cores_and_jobs(
    cores: int, helpers: int, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        precompile.os, "sched_getaffinity", lambda _: set(range(cores)), raising=False
    )
    precompile.start_helpers(JOBS)
    assert len(started) == helpers
    assert all("precompile" in command[-1] for command in started)


@posix
def test_no_second_crew_while_the_first_works(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompile.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    precompile.start_helpers(JOBS)
    precompile.start_helpers(JOBS)
    assert len(started) == 1
    precompile._helpers[0].poll = lambda: 0  # type: ignore[method-assign]
    precompile.start_helpers(JOBS)
    assert len(started) == 2


HOLD = """
import sys, time
from pathlib import Path
from cornerlaw.kernels import _claims
assert _claims.take(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@posix
def test_a_claim_is_respected_and_freed_by_death(tmp_path: Path) -> None:
    claim = tmp_path / "kernel.nbi.tmp.0"
    source = str(Path(cl.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source}
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(claim)],
        stdout=subprocess.PIPE, env=environment, text=True,
    )  # fmt: skip
    try:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        assert _claims.is_taken(claim)
        assert not _claims.take(claim, patience=0.0)
    finally:
        other.kill()
        other.wait()
    assert not _claims.is_taken(claim)
    assert _claims.take(claim)
    assert not _claims.take(claim), "a claim that is held is not taken again"
    assert not _claims.is_taken(claim), "one's own claim is in nobody's way"
    _claims.release(claim)
    assert not claim.exists()


def test_jobs_that_others_are_at_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def job(name: str) -> Any:
        cache = SimpleNamespace(claim_of=lambda kinds: Path(name))
        return SimpleNamespace(_cache=cache, compile=lambda kinds: compiled.append(name)), ()

    monkeypatch.setattr(_claims, "is_taken", lambda path: path.name == "b")
    monkeypatch.setattr(_claims, "share", lambda: None)
    monkeypatch.setattr(precompile, "start_helpers", lambda jobs: None)
    precompile.compile_together([job("a"), job("b"), job("c")], [job("results")])
    assert compiled == ["a", "c", "b"], "results are left to helpers, and to who asks for them"


def test_jobs_name_all_that_a_run_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages, driver and results are jobs; what a process has looked for once it knows."""
    from cornerlaw.compile import compile_model

    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    model = cl.Model(cl.Revolute("hinge", cl.Ground(), arm, angle=0.3), gravity=(0.0, -9.81))
    compiled = compile_model(model)
    parts = compiled.arrays, compiled.workspace(), cl.RungeKutta8()
    monkeypatch.setattr(precompile, "_known", set())
    monkeypatch.setattr(precompile, "_missing", lambda jobs: jobs)
    jobs, later = precompile.missing_jobs(*parts)
    names = [function.__name__ for function, _ in jobs]
    assert names[0] == "run_explicit"
    assert {"enter_rates", "enter_projection", "eval_kinematics", "solve_planar_rates"} <= {*names}
    assert [function.__name__ for function, _ in later] == ["run_outputs"]
    assert precompile.missing_jobs(*parts) == ([], [])


def test_waiting_for_a_claim_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_claims, "_lock", lambda path: None)
    began = time.monotonic()
    assert not _claims.take(tmp_path / "x.nbi.tmp.0", patience=0.05)
    assert time.monotonic() - began < 30.0
