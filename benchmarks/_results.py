"""Results of the bench: figures with date, versions and kind of machine; no names, no places."""

from __future__ import annotations

import json
import math
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

if os.name == "posix":
    import resource

FOLDER = Path(__file__).resolve().parent / "results"
WAITING = 4.0  # times as long as that on the clock a peer may take, beside other work
PEERS = Path(__file__).resolve().parent / "peers"
ENVIRONMENT = Path(__file__).resolve().parents[1] / ".venv-bench"
# Siconos comes with the system's own Python on Debian
SYSTEM_PYTHON = os.environ.get("CORNERLAW_BENCH_SICONOS", "/usr/bin/python3")
NOT_MEASURED = "not measured"
PACKAGES = ("pin", "mujoco", "pybullet", "drake", "dartpy", "exudyn")
# variables that make scenes smaller, for trials
SMALLER = (
    "CORNERLAW_BENCH_WALL", "CORNERLAW_BENCH_WALL_HIT", "CORNERLAW_BENCH_SEEDS",
    "CORNERLAW_BENCH_CROWD", "CORNERLAW_BENCH_COLD",
)  # fmt: skip


def peer_python() -> Path:
    """Return the interpreter of the environment that the set-up step makes."""
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


# the interpreter that has the peers
PYTHON = os.environ.get(
    "CORNERLAW_BENCH_PYTHON", str(peer_python()) if peer_python().exists() else sys.executable
)
# cardillo, which the set-up step cannot install, may be in an environment of its own
CARDILLO_PYTHON = os.environ.get("CORNERLAW_BENCH_CARDILLO", PYTHON)


def machine() -> dict[str, Any]:
    """Return the kind of machine: processor, cores, memory, system, and how busy it is."""
    model = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    found: dict[str, Any] = {
        "processor": model, "cores": os.cpu_count(), "system": platform.system(),
    }  # fmt: skip
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        found["memory [GB]"] = round(pages / 1e9)
    if hasattr(os, "getloadavg"):
        # above the number of cores, times on the clock say little
        found["load"] = round(os.getloadavg()[0], 1)
    return found


def write_result(name: str, result: dict[str, Any], table: str, peers: bool) -> Path:
    """Write the figures of one run of a scene to NAME.json, or to NAME.lesser.json.

    The newest run counts, but for one that says less than what is there: of a smaller scene,
    without peers, or on a busy machine.
    """
    from cornerlaw.results import installed_versions
    from cornerlaw.results.atomic import whole_file

    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    content = {
        "scene": name,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": {**installed_versions(), **(peer_versions() if peers else {})},
        "whole": not any(key in os.environ for key in SMALLER),
        "peers": peers,
        "table": table,
        "result": result,
    }
    if path.exists() and _worth(content) < _worth(json.loads(path.read_text(encoding="utf-8"))):
        path = path.with_suffix(".lesser.json")
    with whole_file(path) as file:
        file.write(json.dumps(content, indent=1, default=float).encode() + b"\n")
    return path


def is_busy(found: dict[str, Any]) -> bool:
    """Tell whether a machine was busy with other work, so that times on the clock say little."""
    return bool(found.get("load", 0.0) > 1.5 * (found["cores"] or 1))


def _worth(content: dict[str, Any]) -> tuple[bool, bool, bool]:
    """Return what makes a run count more than another one, the most important first."""
    return content.get("whole", True), content["peers"], not is_busy(content["machine"])


def peer_versions() -> dict[str, str]:
    """Return the versions of the other software: of the environment of the peers, and Debian's."""
    found = {}
    for package in PACKAGES:
        asked = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
        found[package] = _said([PYTHON, "-c", asked, package])
    found["siconos"] = _said(["dpkg-query", "--show", "--showformat=${Version}", "python3-siconos"])
    compiler = _said(["cc", "--version"])
    found["cc"] = compiler.splitlines()[0] if compiler else ""
    return {name: version for name, version in found.items() if version}


def _said(command: list[str]) -> str:
    """Return what a command prints, nothing where it cannot be run."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=_environment()
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def half_of_memory() -> int | None:
    """Return half of the memory of the machine in bytes, None where it is not known."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _limit(seconds: float, memory: int | None) -> None:
    """End this process by a signal when it has used so many seconds of a processor.

    More memory than given is refused to it.
    """
    if memory is not None:
        there = resource.getrlimit(resource.RLIMIT_AS)[1]
        memory = memory if there == resource.RLIM_INFINITY else min(memory, there)
        resource.setrlimit(resource.RLIMIT_AS, (memory, there))
    most, limit = math.ceil(seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]
    if limit != resource.RLIM_INFINITY:
        most = min(most, limit - 1)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))


def run_peer(
    script: str,
    *arguments: str,
    scene: dict[str, Any] | None = None,
    python: str | None = None,
    timeout: float = 900.0,
    memory: int | None = None,
) -> dict[str, Any] | str:
    """Return what a peer in its own process prints as JSON, or why it was not measured.

    `timeout` counts seconds of the processor: beside other work a peer gets its part later. A peer
    that asks for more than `memory` bytes does not get them.
    """
    command = [python or PYTHON, str(PEERS / script), *arguments]
    try:
        done = subprocess.run(
            command, input=json.dumps(scene) + "\n", capture_output=True, text=True,
            timeout=WAITING * timeout, check=False, env=_environment(),
            preexec_fn=partial(_limit, timeout, memory) if os.name == "posix" else None,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{NOT_MEASURED}: over {WAITING * timeout:g} s on the clock"
    except OSError as error:
        return f"{NOT_MEASURED}: {error.strerror}"
    if os.name == "posix" and done.returncode == -signal.SIGXCPU:
        return f"{NOT_MEASURED}: over {timeout:g} s of the processor"
    if done.returncode:
        return f"{NOT_MEASURED}: {_last_line(done.stderr)}"
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


class Peer:
    """A peer that takes turns with ours: it stays alive and answers line by line.

    `why` says why it is not measured, if it is not: it could not start, it failed, or an answer
    took longer than `timeout` seconds.
    """

    def __init__(self, script: str, scene: dict[str, Any], timeout: float = 900.0) -> None:
        self.why, self._late = "", False
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the peer)
        self._process = subprocess.Popen(
            [PYTHON, str(PEERS / script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, text=True, env=_environment(),
        )  # fmt: skip
        self._timeout = timeout
        self.start = self.ask(json.dumps(scene))

    def ask(self, line: str | int) -> dict[str, Any] | None:
        """Send a line and return the answer, None if there is none."""
        if self.why:
            return None
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(self._timeout, self._end)
        timer.daemon = True
        timer.start()
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            answered = self._process.stdout.readline()
            while answered and not answered.startswith("{"):
                answered = self._process.stdout.readline()  # what it has to say of itself
            found: dict[str, Any] = json.loads(answered)
        except (OSError, ValueError):
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            last = f"over {self._timeout:g} s" if self._late else _last_line(self._errors.read())
            self.why = f"{NOT_MEASURED}: {last}"
            return None
        finally:
            timer.cancel()
        return found

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _end(self) -> None:
        self._late = True
        self._process.kill()


def check_scene(found: dict[str, Any] | str, expected: dict[str, tuple[float, float]]) -> Any:
    """Return what was found, or that the peer simulates another scene.

    Its own figures of the scene under "check" must be those expected, each up to a relative
    tolerance.
    """
    if isinstance(found, str):
        return found
    for name, (value, tolerance) in expected.items():
        is_there = found["check"][name]
        if not abs(is_there - value) <= tolerance * abs(value):
            return f"{NOT_MEASURED}: another scene, its {name} is {is_there:g} and not {value:g}"
    return found


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    # Exudyn's own switch for its build without range checks
    return {**kept, "EXUDYN_MODULE": "fast"}


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["failed"])[-1]
