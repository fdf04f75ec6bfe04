"""What starting up imports: names are lazy, and only solves need the compiler.

Times are measured by tools/startup.py, alone on a machine, and never here.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.simulate import system as system_module

HEAVY = ("numba", "llvmlite", "numpy", "scipy", "h5py", "matplotlib", "xarray", "pandas", "sympy")

MODEL = """
import cornerlaw as cl
arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
hinge = cl.Revolute("hinge", cl.Ground(), arm, angle=0.3)
model = cl.Model(hinge, cl.Torque("push", hinge, value=lambda t: 2.0 * t), gravity=(0.0, -9.81))
"""

# an import of the compiler fails as it does where it is not installed
WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
"""


def imported_by(script: str) -> set[str]:
    """Run a script in a fresh interpreter and return which of the heavy packages it imported."""
    report = f"\nimport sys\nprint('imported', *[m for m in {HEAVY!r} if sys.modules.get(m)])"
    found = run(script + report).splitlines()[-1].split()
    assert found[0] == "imported"
    return set(found[1:])


def run(script: str, *arguments: str) -> str:
    """Run a script in a fresh interpreter and return what it prints."""
    source = str(Path(cl.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_light() -> None:
    assert imported_by("import cornerlaw") == set()


def test_listing_the_names_is_light() -> None:
    assert imported_by("import cornerlaw; assert 'simulate' in dir(cornerlaw)") == set()


def test_models_need_no_compiler() -> None:
    assert imported_by(MODEL) == set()


def test_model_files_need_no_compiler(tmp_path: Path) -> None:
    script = f"""
import cornerlaw as cl
arm = cl.Body("arm", mass=1.0, inertia=0.1)
model = cl.Model(cl.Revolute("hinge", cl.Ground(), arm))
model.save({str(tmp_path / "model.toml")!r})
assert cl.Model.load({str(tmp_path / "model.toml")!r}).bodies[0].mass == 1.0
"""
    assert not imported_by(script) & {"numba", "llvmlite", "scipy", "matplotlib"}


def test_errors_are_light() -> None:
    assert imported_by("import cornerlaw as cl; cl.SimulationError('text')") == set()


@pytest.mark.parametrize("arguments", [["--help"], ["list"]])
def test_the_command_line_answers_without_compiler(arguments: list[str]) -> None:
    script = f"""
import contextlib
from cornerlaw.cli import main
with contextlib.suppress(SystemExit):
    main({arguments!r})
"""
    assert not imported_by(script) & {"numba", "llvmlite", "matplotlib"}


def test_a_run_imports_no_optional_package() -> None:
    found = imported_by(MODEL + "\ncl.simulate(model, 0.01)")
    assert "numba" in found
    assert not found & {"matplotlib", "xarray", "pandas", "sympy"}


def test_a_run_imports_linear_algebra_only_if_a_function_uses_it() -> None:
    """Numba's own import of it is put off, and comes when the user's function needs it."""
    script = (
        MODEL
        + """
cl.simulate(model, 0.01)
import sys
assert "scipy.linalg" not in sys.modules
import numba
import numpy as np
assert numba.njit(lambda x: np.dot(x, x))(np.arange(3.0)) == 5.0
assert numba.njit(lambda x: np.linalg.solve(x, x[0]))(np.diag([2.0, 4.0]))[0] == 1.0
assert np.array_equal(numba.njit(lambda x: np.convolve(x, x))(np.ones(2)), [1.0, 2.0, 1.0])
print("all", "scipy.linalg" in sys.modules)
"""
    )
    assert run(script).split() == ["all", "True"]


def test_results_load_without_numba(tmp_path: Path) -> None:
    """A machine without the compiler sees the same numbers."""
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    hinge = cl.Revolute("hinge", cl.Ground(), arm, angle=0.3)
    solution = cl.simulate(cl.Model(hinge, gravity=(0.0, -9.81)), 0.3)
    path = tmp_path / "run.nc"
    solution.save(path)
    script = f"""{WITHOUT_NUMBA}
import cornerlaw as cl
sol = cl.load({str(path)!r})
print(repr(float(sol["hinge"].angle[-1])), repr(float(sol["energy.total"][0])), sol.t.size)
"""
    angle, energy, size = run(script).split()
    assert float(angle) == solution["hinge"].angle[-1]
    assert float(energy) == solution["energy.total"][0]
    assert int(size) == solution.t.size
    # the energy is that of a rod at rest: m g times the height of its centre
    assert abs(float(energy) - 9.81 * 0.5 * np.sin(0.3)) < 1e-12


def test_cold_compilation_is_announced_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cornerlaw.kernels import _numba

    monkeypatch.setattr(_numba, "is_cold", lambda: True)
    system_module.announce_compilation()
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert "compiling" in text
    monkeypatch.setattr(_numba, "is_cold", lambda: False)
    system_module.announce_compilation()
    assert capsys.readouterr() == ("", "")
