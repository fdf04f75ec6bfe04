"""Results of the bench: figures with date, versions and kind of machine; no names, no places."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "results"
PEERS = Path(__file__).resolve().parent / "peers"
# interpreters that have the peers; Siconos comes with the system's own Python on Debian
PYTHON = os.environ.get("CORNERLAW_BENCH_PYTHON", sys.executable)
SYSTEM_PYTHON = os.environ.get("CORNERLAW_BENCH_SICONOS", "/usr/bin/python3")
NOT_MEASURED = "not measured"


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
    """Write the figures of one run of a scene; the newest one counts."""
    from cornerlaw.results import installed_versions
    from cornerlaw.results.atomic import whole_file

    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    content = {
        "scene": name,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": installed_versions(),
        "peers": peers,
        "table": table,
        "result": result,
    }
    with whole_file(path) as file:
        file.write(json.dumps(content, indent=1, default=float).encode() + b"\n")
    return path


def run_peer(
    script: str, *arguments: str, python: str | None = None, timeout: float = 900.0
) -> dict[str, Any] | str:
    """Return what a peer in its own process prints as JSON, or why it was not measured."""
    command = [python or PYTHON, str(PEERS / script), *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return f"{NOT_MEASURED}: over {timeout:g} s"
    except OSError as error:
        return f"{NOT_MEASURED}: {error.strerror}"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["failed"])[-1]
        return f"{NOT_MEASURED}: {last}"
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
