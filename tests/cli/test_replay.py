"""`cornerlaw replay`: every solver on a saved problem."""

import json
from pathlib import Path

import pytest
from contact_problems import set_a, set_b

from cornerlaw.cli import main
from cornerlaw.io import write_fclib

DATA = Path(__file__).resolve().parents[1] / "data" / "fclib"
Captured = pytest.CaptureFixture[str]


def test_table_names_every_solver(tmp_path: Path, capsys: Captured) -> None:
    set_a(3, 5).problem().save(tmp_path / "p.h5")
    assert main(["replay", str(tmp_path / "p.h5")]) == 0
    out = capsys.readouterr().out
    for name in ("auto", "lemke", "pivoting", "gauss-seidel", "jacobi", "newton", "admm"):
        assert name in out


def test_json_agrees_for_both_formats(tmp_path: Path, capsys: Captured) -> None:
    problem = set_a(3, 5).problem()
    problem.save(tmp_path / "own.h5")
    write_fclib(problem, tmp_path / "fclib.hdf5")
    found = []
    for name in ("own.h5", "fclib.hdf5"):
        assert main(["replay", str(tmp_path / name), "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["rows"] == problem.n
        found.append([(r["solver"], r["status"]) for r in record["solvers"]])
    assert found[0] == found[1]
    assert ("auto", "solved") in found[0]


def test_text_of_siconos_is_read(capsys: Captured) -> None:
    path = DATA / "OneObject-i1028-138.hdf5.dat.gz"
    assert main(["replay", str(path), "--json"]) == 0
    solvers = {r["solver"]: r for r in json.loads(capsys.readouterr().out)["solvers"]}
    assert solvers["auto"]["residual"] <= 1e-10


def test_infeasible_problem_is_reported_as_such(tmp_path: Path, capsys: Captured) -> None:
    set_b(1).save(tmp_path / "p.h5")
    assert main(["replay", str(tmp_path / "p.h5"), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["solvers"][0]
    assert (first["solver"], first["status"]) == ("auto", "infeasible")


def test_other_files_are_refused(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a.txt").write_text("hello")
    for name in ("a.txt", "missing.h5"):
        assert main(["replay", str(tmp_path / name)]) == 2
        err = capsys.readouterr().err
        assert err.startswith("cornerlaw: ") and err.count("\n") == 1 and name in err
