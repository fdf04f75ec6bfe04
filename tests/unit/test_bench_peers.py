"""Peers of the bench: their limits, and the checks by which one with another scene is not measured.

Limits count seconds of the processor: beside other work peers only wait.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
FILE = FOLDER / "_results.py"

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


def test_a_peer_gets_no_more_memory_than_it_may_have(results: Any, tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text("kept = b'1' * 4_000_000_000\nprint('{}')\n")
    found = results.run_peer("peer.py", python=sys.executable, memory=1_000_000_000)
    assert found == "not measured: MemoryError"


# a pile of balls that lie where they are, and the exact motion of one that slides and then rolls
BALLS = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from _peer import lie

MU, MASS, FASTEST, INERTIA = {mu}, {mass}, {fastest}, {inertia}

class Pile:
    def __init__(self, scene, speed=0.0):
        self.scene, self.speed, self.t = scene, speed, 0.0
        self.start = np.array(scene["places"])
    def places(self):
        g, x = self.scene["gravity"], self.start.copy()
        if self.speed:
            slides = min(self.t, self.speed / (MU * g * (1.0 + 1.0 / INERTIA)))
            x[:, 0] += self.speed * slides - 0.5 * MU * g * slides**2
            x[:, 0] += (self.speed - MU * g * slides) * (self.t - slides)
        else:
            x[:, 1] += FASTEST * self.t
        return x
    def energy(self):
        return MASS * self.scene["gravity"] * self.places()[:, 2].sum()
    def mass(self):
        return MASS * len(self.start)
    def contacts(self):
        return 7
    def run(self, steps):
        self.t += steps * self.scene["dt"]

lie(Pile)
"""
RIGHT = {"mu": 0.3, "mass": 2500.0 * 4.0 / 3.0 * math.pi * 0.05**3, "fastest": 0.0, "inertia": 0.4}


def _scene(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module of a scene; its own imports come from the folder of the bench."""
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pile(results: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return what the scene "spheres" with 30 balls finds of a peer with such a pile."""
    spheres = _scene("spheres", monkeypatch)
    results.PYTHON = sys.executable
    monkeypatch.setattr(spheres, "run_peer", results.run_peer)

    def found(**changes: float) -> Any:
        given = {**RIGHT, **changes, "folder": str(FOLDER / "peers")}
        (tmp_path / "spheres_ideal.py").write_text(BALLS.format(**given))
        return spheres.peer("ideal", 30)

    return found


def test_a_peer_with_the_pile_is_measured(pile: Any) -> None:
    found = pile()
    assert found["contacts"] == 7 and found["settled"] == 750 and found["speed"] == 0.0
    assert len(found["check"]) == 4
    # the lattice of the start is open: no two balls touch
    assert found["penetration"] == 0.0


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"mu": 0.32}, "its slide is"),
        ({"mu": 0.28}, "its slide is"),
        ({"inertia": 0.45}, "its roll is"),
        ({"mass": 1.31}, "its energy is"),
    ],
)
def test_a_peer_with_other_balls_is_not(pile: Any, changes: dict[str, float], word: str) -> None:
    found = pile(**changes)
    assert found.startswith("not measured: another scene, ") and word in found


def test_a_pile_that_still_moves_is_not_timed(pile: Any) -> None:
    # a ball is as fast after a step of falling, 0.0196 m/s
    assert pile(fastest=0.021).startswith("not measured: its balls move at 0.021 m/s after 750 of")
    assert pile(fastest=0.019)["speed"] == pytest.approx(0.019)


def test_overlaps_follow_from_the_places(results: Any, tmp_path: Path) -> None:
    places = [[0.0, 0.0, 0.05], [0.0, 0.098, 0.05], [0.96, 0.0, 0.2], [0.0, 0.0, 0.149]]
    # more balls than are compared at once, far from each other
    places += [[0.0, 0.2 * k - 60.0, 5.0] for k in range(600)]
    code = (
        "import sys\nsys.path.insert(0, sys.argv[1])\n"
        "from _peer import answer, depth, read_scene\nscene = read_scene()\n"
        "class Pile:\n    def places(self):\n        return scene['places']\n"
        "answer(deep=depth(Pile(), scene))\n"
    )
    (tmp_path / "peer.py").write_text(code)
    expected = {100.0: 0.002, 1.0: 0.002, 1.005: 0.002}
    # the wall at 1 m is 0.04 m away from a centre: 0.01 m inside
    expected[1.0] = 0.01
    for half, deep in expected.items():
        near = places if half == 100.0 else places[:4]
        scene = {"half": half, "radius": 0.05, "places": near}
        found = results.run_peer(
            "peer.py", str(FOLDER / "peers"), scene=scene, python=sys.executable
        )
        assert found["deep"] == pytest.approx(max(deep, 0.96 + 0.05 - half), abs=1e-12)


def test_every_measured_peer_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    spheres = _scene("spheres", monkeypatch)
    ours = {"min": 1.0, "penetration": 1e-4}
    row = {"n": 1000, "one core": ours, "both cores": ours, "floor": "not measured"}
    row |= {name: {"min": 2.1, "penetration": 1.1e-3} for name in spheres.PEERS}
    row["drake"] = "not measured: no reason"
    row["siconos"] = {"min": 1.9, "penetration": 1.1e-3}
    row["dart matrix-free"] = {"min": 2.1, "penetration": 0.9e-3}
    lines = spheres._goals(row, {"valid": True, "peer": "PyBullet"})
    # one line for the floor, which was not measured either
    assert len(lines) == len(spheres.PEERS) + 1
    assert sum("OPEN" in line for line in lines) == 2
    missed = [line for line in lines if "MISSED" in line]
    assert [("siconos" in line, "dart matrix-free" in line) for line in missed] == [
        (False, True), (True, False),
    ]  # fmt: skip


def test_cardillo_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    woodpecker = _scene("woodpecker", monkeypatch)
    monkeypatch.setitem(woodpecker.INTERPRETERS, "cardillo", sys.executable)
    if importlib.util.find_spec("cardillo") is None:
        found = woodpecker.run_one("cardillo", np.zeros(50))
        assert found == "not measured: cardillo cannot be imported"


def test_a_peer_with_another_toy_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    woodpecker = _scene("woodpecker", monkeypatch)
    exact = np.linspace(-1e-3, -5e-2, 50)
    answers = {
        "times": [2.0, 1.0], "heights": exact.tolist(), "warm-up": 0.1,
        "check": {"kinetic energy": 0.0004985898348245625},
    }  # fmt: skip

    def answer(script: str, *given: str, python: str) -> Any:
        return json.loads(json.dumps(answers))

    monkeypatch.setattr(woodpecker, "run_peer", answer)
    found = woodpecker.run_one("siconos", exact)
    assert found["min"] == 1.0 and found["median"] == 1.5 and found["error"] == 0.0
    answers["heights"][woodpecker.JAMMED] *= 1.02
    assert "its height of the first jam is" in woodpecker.run_one("siconos", exact)
    answers["heights"][woodpecker.JAMMED] /= 1.02
    answers["check"]["kinetic energy"] *= 1.001
    assert "its kinetic energy is" in woodpecker.run_one("siconos", exact)


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
