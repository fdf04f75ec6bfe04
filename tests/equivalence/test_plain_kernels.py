"""Kernels as plain Python give the numbers of the machine code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_models import DT, scene

import cornerlaw as cl

TESTS = Path(__file__).parents[1]
SEEDS = (0, 3, 4, 8)  # plane and space, both roads
STEPS = 5
PROGRAM = """
import json, sys, warnings
import plain_kernels
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
from test_plain_kernels import final
print(json.dumps([final(seed) for seed in map(int, sys.argv[2:])]))
"""


def final(seed: int) -> list[float]:
    """Return the last state of a random model after a few steps."""
    model, how = scene(seed)
    sol = cl.simulate(model, STEPS * DT, method=how, progress=False)
    return [*map(float, sol.final.q), *map(float, sol.final.u)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.contact_laws(skip="of both the same")
def test_plain_python_and_machine_code_agree() -> None:
    path = os.pathsep.join([str(Path(cl.__file__).parents[1]), str(TESTS)])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), *map(str, SEEDS)],
        capture_output=True, text=True, timeout=600,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    for seed, plain in zip(SEEDS, json.loads(done.stdout), strict=True):
        compiled = final(seed)
        # rounding differs where machine code fuses products and sums; a few steps amplify little
        assert np.allclose(plain, compiled, rtol=1e-8, atol=1e-9), seed


def test_what_runs_as_plain_python_only() -> None:
    """Stages inside of a kernel are tested nowhere else, and `make mutants` relies on them."""
    names = "sparse_stages", "sparse_decisions", "islands", "path_pieces"
    files = [f"tests/unit/test_{name}.py" for name in names]
    path = os.pathsep.join([str(Path(cl.__file__).parents[1]), str(TESTS)])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "plain_kernels", "-n", "0", "-q", "--tb=short",
         "-p", "no:cacheprovider", *files],
        capture_output=True, text=True, timeout=600, cwd=TESTS.parent,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout[-500:]
