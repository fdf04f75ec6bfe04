"""SIGKILL at any moment: every record stays readable and right, and goes on to the same bits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "kill_points.py"
FACTOR = int(os.environ.get("CORNERLAW_SOAK", "1"))  # 10 in `make soak`


def kill(count, seed):
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(count), str(seed)], capture_output=True, text=True,
        timeout=3000, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["killed"] == found["readable"] == found["right"] == count
    assert found["resumed"] == found["equal"] == count
    return found


@pytest.mark.trust("TR-R-04")
def test_twenty_kill_points(figure):
    assert kill(20, 1)["in_write"] > 0
    figure("kills, each readable, right and resumed to the same bits", 20)


@pytest.mark.verify
@pytest.mark.trust("TR-R-04")
def test_two_hundred_kill_points(figure):
    assert kill(200 * FACTOR, 2)["in_write"] > 20 * FACTOR
    figure("kills, each readable, right and resumed to the same bits", 200 * FACTOR)
