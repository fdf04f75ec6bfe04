"""A user's law in a file of its own is edited between two runs: the second has the new physics."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cornerlaw as cl

HELPER = "import numba\n\n{decorator}\ndef strength(t):\n    return {strength}\n"
MIDDLE = """
import numba, helper

{decorator}
def doubled(t):
    def twice(x):
        return 2.0 * helper.strength(x)
    return twice(t)
"""
LAWS = (
    "import numba\nfrom middle import doubled\n\n{decorator}\ndef push(t):\n    return doubled(t)\n"
)
RUN = """
import cornerlaw as cl
from laws import push
{before}
mass = cl.PointMass("mass", mass=2.0)
model = cl.Model(mass, cl.Force("f", mass, value=(push, 0.0)))
sol = cl.simulate(model, 1.0, method=cl.RungeKutta4(dt=0.1), progress=False)
print(sol["mass.velocity.x"][-1])
"""
CACHED = "@numba.njit(cache=True)"


def run(folder: Path, before: str = "") -> float:
    """Return the speed after a second: the strength, as twice of it drives two kilograms."""
    path = os.pathsep.join([str(folder), str(Path(cl.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(before=before)], capture_output=True, text=True,
        timeout=600, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return float(done.stdout)


def write(folder: Path, decorator: str, strength: str) -> None:
    for name, text in (("helper", HELPER), ("middle", MIDDLE), ("laws", LAWS)):
        text = text.format(decorator=decorator, strength=strength)
        path = folder / f"{name}.py"
        if not path.exists() or path.read_text() != text:  # only the helper is ever edited
            path.write_text(text)


@pytest.mark.trust("TR-R-12")
@pytest.mark.parametrize("decorator", ["@numba.njit", CACHED], ids=["compiled", "cached"])
def test_a_law_that_calls_an_edited_file_is_new(decorator: str, tmp_path: Path) -> None:
    """Numba's own cache would go on with the old text of a helper in another file."""
    write(tmp_path, decorator, "3.0")
    assert run(tmp_path) == pytest.approx(3.0, rel=1e-12)
    assert run(tmp_path) == pytest.approx(3.0, rel=1e-12)  # the cache is warm
    write(tmp_path, decorator, "50.0")
    assert run(tmp_path) == pytest.approx(50.0, rel=1e-12)
    write(tmp_path, decorator, "3.0")
    os.utime(tmp_path / "helper.py", (1e9, 1e9))  # as a checkout of an older state
    assert run(tmp_path) == pytest.approx(3.0, rel=1e-12)


@pytest.mark.trust("TR-R-12")
def test_a_law_that_was_called_before_the_run_is_new(tmp_path: Path) -> None:
    """Then Numba has loaded the old code already."""
    called = "old = push(0.0)"
    write(tmp_path, CACHED, "3.0")
    assert run(tmp_path, called) == pytest.approx(3.0, rel=1e-12)
    write(tmp_path, CACHED, "50.0")
    # that the stale code is there: otherwise this test shows nothing
    told = "old = push(0.0)\nassert old == 6.0, old"
    assert run(tmp_path, told) == pytest.approx(50.0, rel=1e-12)
