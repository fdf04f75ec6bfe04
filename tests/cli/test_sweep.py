"""`cornerlaw sweep`: values, tables, files and refusals."""

import json
from pathlib import Path

import pytest

import cornerlaw as cl
from cornerlaw.cli import main
from cornerlaw.cli.sweep import read_values

Captured = pytest.CaptureFixture[str]
PENDULUM = ["sweep", "pendulum", "--workers", "0", "--t-end", "0.1"]
QUICK = ["--method", "runge-kutta-4", "--dt", "1e-2"]


def test_rows_are_those_of_single_runs(tmp_path: Path, capsys: Captured) -> None:
    from cornerlaw import gallery

    out = tmp_path / "study"
    command = [*PENDULUM, *QUICK, "--vary", "length=0.5:1.5:3", "--set", "amplitude=0.3"]
    command += ["--measure", "bearing.angle", "--out", str(out), "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["runs"] == 3 and found["failed"] == 0
    assert [row["length"] for row in found["rows"]] == [0.5, 1.0, 1.5]
    options = {"method": cl.RungeKutta4(dt=1e-2), "t_end": 0.1}
    for row in found["rows"]:
        sol = gallery.find("pendulum").run(options=options, length=row["length"], amplitude=0.3)
        assert row["bearing.angle"] == sol["bearing.angle"][-1]
    # a second time nothing is left to run, and the table says the same
    assert main([*command[:-1]]) == 0
    text = capsys.readouterr().out
    assert "3 runs, 0 failed" in text and "sweep.nc" in text
    assert (out / "sweep.nc").is_file()


def test_the_run_of_the_system_itself_and_a_failure(capsys: Captured) -> None:
    command = [*PENDULUM, "--vary", "mass=1,-1", "--measure", "max(bearing.angle)"]
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert "2 runs, 1 failed" in out
    assert "mass" in err


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["--vary", "leng=1:2:3", "--measure", "x"], "did you mean 'length'"),
        (["--vary", "length=1:2", "--measure", "x"], "first:last:count"),
        (["--vary", "length=1:2:2", "--measure", "beering.angle"], "measure 'beering.angle'"),
        (["--vary", "length=1:2:2", "--set", "length=1", "--measure", "x"], "both"),
        (["--vary", "length=1:2:2"], "--measure"),
        (["--vary", "length=1:2:2", "--measure", "x", "--engine", "mpi"], "engine must be"),
    ],
)
def test_refusals(arguments: list[str], fragment: str, capsys: Captured) -> None:
    assert main([*PENDULUM, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and fragment in err


def test_values() -> None:
    assert read_values("a", "0:1:3") == [0.0, 0.5, 1.0]
    assert read_values("a", "2:2:1") == [2.0]
    assert read_values("a", "1, 2.5") == [1.0, 2.5]
    assert read_values("a", "yes,no") == ["yes", "no"]
