"""Twenty scenes from a record at a random step on: the same bits in this process and in another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scenes
from contact_laws import allow
from cut_runs import cut
from run_hash import run_hash

import cornerlaw as cl

PROGRAM = str(Path(scenes.__file__))
REST = 1000  # steps that a run goes on for at least
EVERYDAY = ("rocking-block", "cradle")


def program(*arguments: str, **environment: str) -> list[str]:
    """Return the hashes that another process prints."""
    done = subprocess.run(
        [sys.executable, PROGRAM, *arguments], capture_output=True, text=True, timeout=1800,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.split()


def snapshot(name: str, folder: Path) -> int:
    """Record a scene and cut it off at a random step; return how many steps are left."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    steps = int(rng.integers(50, scenes.STEPS - REST))
    assert cut(lambda **more: scenes.run(name, **more), folder, 1, steps)
    before = int(cl.load(folder).statistics["steps"])
    assert 0 < before <= steps
    return scenes.STEPS - before


def check(name: str, place: Path) -> None:
    with allow(skip="the gallery's own tests check the laws"):
        left = snapshot(name, place / "record")
        for k in range(3):
            shutil.copytree(place / "record", place / f"copy-{k}")
        whole = scenes.run(name)  # this process has stepped beyond the snapshot
        assert whole.statistics["steps"] - (scenes.STEPS - left) >= REST
        wanted = run_hash(whole)
        for k in range(2):
            assert run_hash(scenes.resume(str(place / f"copy-{k}"), name)) == wanted
        assert program("resume", str(place / "copy-2"), name) == [wanted]


@pytest.mark.trust("TR-R-01")
@pytest.mark.parametrize("name", EVERYDAY)
def test_two_scenes_go_on_to_the_same_bits(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


@pytest.mark.verify
@pytest.mark.trust("TR-R-01")
@pytest.mark.parametrize("name", [name for name in scenes.SCENES if name not in EVERYDAY])
def test_all_scenes_go_on_to_the_same_bits(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


@pytest.mark.verify
@pytest.mark.trust("TR-R-01")
@pytest.mark.parametrize("name", [n for n, m in scenes.SCENES.items() if hasattr(m, "dt")])
def test_a_state_is_restored_twice_after_extra_steps(name: str) -> None:
    """The same by get_state and set_state of a stepped simulation."""
    sim = cl.Simulation(scenes.model_of(name), scenes.SCENES[name])
    sim.step(137)
    state = sim.get_state()
    sim.step(REST)
    wanted = [sim.q.tobytes(), sim.u.tobytes(), sim.x.tobytes()]
    sim.step(211)
    for _ in range(2):
        sim.set_state(state)
        sim.step(REST)
        assert [sim.q.tobytes(), sim.u.tobytes(), sim.x.tobytes()] == wanted
    fresh = cl.Simulation(scenes.model_of(name), scenes.SCENES[name])
    fresh.set_state(state)
    fresh.step(REST)
    assert [fresh.q.tobytes(), fresh.u.tobytes(), fresh.x.tobytes()] == wanted


class Load:
    """Processes that keep all cores busy."""

    def __enter__(self) -> None:
        spin = [sys.executable, "-c", "while True: pass"]
        self._processes = [subprocess.Popen(spin) for _ in range(os.cpu_count() or 2)]

    def __exit__(self, *error: Any) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


def threads(count: int) -> dict[str, str]:
    """Return the settings of the environment for so many threads of everything."""
    names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return dict.fromkeys(names, str(count))


def check_surroundings(names: list[str], rounds: int) -> None:
    """Run scenes with one and two threads, alone and beside others, and compare the hashes."""
    wanted = program("run", *names, **threads(1))
    assert len(wanted) == len(names)
    for k in range(rounds):
        settings = threads(1 + k % 2)
        settings["OPENBLAS_NUM_THREADS"] = str(1 + k // 2 % 2)
        if k % 3 == 2:
            with Load():
                found = program("run", *names, **settings)
        else:
            found = program("run", *names, **settings)
        assert found == wanted, (k, settings)


@pytest.mark.trust("TR-R-02")
def test_threads_and_load_change_no_bit() -> None:
    check_surroundings(["rocking-block", "cradle"], 2)


@pytest.mark.verify
@pytest.mark.trust("TR-R-02")
def test_threads_and_load_change_no_bit_of_any_scene() -> None:
    check_surroundings(list(scenes.SCENES), 10)


@pytest.mark.trust("TR-R-02")
def test_a_thread_of_the_program_is_as_good_as_the_main_one() -> None:
    found = []
    worker = threading.Thread(target=lambda: found.append(run_hash(scenes.run("cradle"))))
    with allow(skip="the gallery's own tests check the laws"):
        worker.start()
        worker.join()
        assert found == [run_hash(scenes.run("cradle"))]
