"""The set-up step of the bench: an environment for the peers, `.venv-bench`, beside the checkout's.

Peers need not agree with each other or with our own environment, so they get one of their own. Each
is optional: one that cannot be installed is reported and left out. Siconos has no package for pip;
on Debian it comes with the system's Python, which only root can add it to. cardillo has none;
it is only looked for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from _results import CARDILLO_PYTHON, ENVIRONMENT, SYSTEM_PYTHON, peer_python

ROOT = Path(__file__).resolve().parents[1]
SICONOS = "python3-siconos"
# what a runner imports; the others are called as their package
MODULES = {"pin": "pinocchio", "drake": "pydrake.all"}


def packages() -> dict[str, str]:
    """Return requirement by name of the peers: the extra `bench`."""
    given = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = given["project"]["optional-dependencies"]["bench"]
    return {requirement.partition(">=")[0]: requirement for requirement in found}


def set_up() -> dict[str, str]:
    """Make the environment, add what is missing, and return what became of every peer."""
    if not peer_python().exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    found = {"scipy": _install("scipy", "scipy")}
    for name, requirement in packages().items():
        found[name] = _install(requirement, MODULES.get(name, name))
    return {**found, "siconos": _install_siconos(), "cardillo": _find_cardillo()}


def _install(requirement: str, module: str) -> str:
    """Install one package unless it is there."""
    python = str(peer_python())
    if _imports(python, module):
        return "there"
    pip = [python, "-m", "pip", "install", "--quiet", "--prefer-binary", requirement]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"left out: {_last_line(done.stderr)}"
    return "installed" if _imports(python, module) else "left out: it cannot be imported"


def _install_siconos() -> str:
    """Install Debian's Siconos where that is possible."""
    if _imports(SYSTEM_PYTHON, "siconos.kernel"):
        return "there"
    if not shutil.which("apt-get"):
        return "left out: there is no apt-get"
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return f"left out: run `apt-get install {SICONOS}` as root"
    done = subprocess.run(
        ["apt-get", "install", "--yes", SICONOS], capture_output=True, text=True, check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip
    if done.returncode:
        return f"left out: {_last_line(done.stderr)}"
    return "installed" if _imports(SYSTEM_PYTHON, "siconos.kernel") else "left out: not importable"


def _find_cardillo() -> str:
    """Say whether cardillo is there; no package index has it."""
    if _imports(CARDILLO_PYTHON, "cardillo"):
        return "there"
    return "left out: no package index has it; CORNERLAW_BENCH_CARDILLO names a Python that does"


def _imports(python: str, module: str) -> bool:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    try:
        done = subprocess.run(
            [python, "-c", f"import {module}"], capture_output=True, check=False, env=environment
        )
    except OSError:
        return False
    return done.returncode == 0


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["failed"])[-1]
