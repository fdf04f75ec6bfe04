"""The same runs on another version of Python, in an environment of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scenes

ROOT = Path(__file__).parents[2]
HOME = ROOT / "build" / "other-python"  # kept: making it takes minutes
SMOOTH = ("bricard", "heavy-top", "quarter-car")
NONSMOOTH = ("rocking-block", "cradle", "vibro-impact", "stick-slip-transition", "box-on-slope")


def candidates() -> list[str]:
    """Return interpreters of other versions, the newest first."""
    given = os.environ.get("CORNERLAW_OTHER_PYTHON")
    if given:
        return [given]
    pyenv = sorted(Path.home().glob(".pyenv/versions/3.1[1-9]*/bin/python"), reverse=True)
    names = [shutil.which(f"python3.{minor}") or "" for minor in range(15, 10, -1)]
    return [*names, *map(str, pyenv)]


def version_of(python: str) -> tuple[int, int]:
    """Return the version of an interpreter; (0, 0) if it does not run."""
    try:
        done = subprocess.run([python, "--version"], capture_output=True, text=True, timeout=60)
    except OSError:
        return 0, 0
    found = re.search(r"3\.(\d+)", done.stdout) if done.returncode == 0 else None
    return (3, int(found[1])) if found else (0, 0)


def environment() -> str:
    """Return an interpreter of another version with all that cornerlaw needs, or skip."""
    mine = sys.version_info[:2]
    ready = HOME / "bin" / "python"
    if version_of(str(ready)) > (3, 10) and version_of(str(ready)) != mine:
        return str(ready)
    known = {python: version_of(python) for python in candidates() if python}
    others = [python for python, version in known.items() if version > (3, 10) and version != mine]
    if not others:
        pytest.skip("there is one version of Python on this machine")
    chosen = max(others, key=known.__getitem__)
    subprocess.run([chosen, "-m", "venv", "--clear", str(HOME)], check=True, timeout=300)
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    done = subprocess.run(
        [str(ready), "-m", "pip", "install", "--quiet", *needed], capture_output=True, text=True,
        timeout=1800,
    )  # fmt: skip
    if done.returncode:
        shutil.rmtree(HOME)
        pytest.skip(f"cannot install what is needed: {done.stderr.splitlines()[-1][:200]}")
    return str(ready)


def report(python: str) -> dict[str, Any]:
    """Run the scenes by an interpreter, with the sources of this checkout."""
    import cornerlaw

    source = str(Path(cornerlaw.__file__).parents[1])
    done = subprocess.run(
        [python, scenes.__file__, "report", *SMOOTH, *NONSMOOTH], capture_output=True, text=True,
        timeout=2400, env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.verify
@pytest.mark.trust("TR-R-03")
def test_another_python_gives_the_same_motion(
    record_property: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = report(sys.executable), report(environment())
    assert here["versions"]["python"] != there["versions"]["python"]
    differences = {}
    for name in (*SMOOTH, *NONSMOOTH):
        mine, other = here[name], there[name]
        worst = 0.0
        for key in ("t", "q", "u"):
            a, b = np.array(mine[key]), np.array(other[key])
            assert a.shape == b.shape, name
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-300)))
        differences[name] = 0.0 if mine["hash"] == other["hash"] else worst
        if name in SMOOTH:
            assert worst <= 1e-12, (name, worst)
        else:
            # the order of events, and their times as far as a rounding may move them
            assert [e[1:] for e in mine["events"]] == [e[1:] for e in other["events"]], name
            times = np.array([[a[0], b[0]] for a, b in zip(mine["events"], other["events"],
                              strict=True)]).reshape(-1, 2)  # fmt: skip
            assert np.abs(times[:, 0] - times[:, 1]).max(initial=0.0) <= 1e-9, name
    text = f"{here['versions']} and {there['versions']}: largest differences {differences}"
    record_property("difference", text)
    with capsys.disabled():
        print(f"\n{text}")
