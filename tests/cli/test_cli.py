"""The command line: what it prints, what it writes, how it refuses."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cornerlaw as cl
from cornerlaw.cli import main

ROOT = Path(__file__).resolve().parents[2]
Captured = pytest.CaptureFixture[str]


def fail(arguments: list[str], capsys: Captured, *fragments: str) -> None:
    """Expect exit code 2 and one sentence on stderr with the fragments, nothing on stdout."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cornerlaw: ") and err.count("\n") == 1, err
    for fragment in fragments:
        assert fragment in err


def test_help_imports_no_numba() -> None:
    program = (
        "import sys; from cornerlaw.cli import main; code = main(['--help']);"
        "assert code == 0; assert 'numba' not in sys.modules and 'scipy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for command in ("list", "run", "check", "plot", "info", "warmup", "bench"):
        assert command in done.stdout


def test_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "cornerlaw", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == f"cornerlaw {cl.__version__}"
    assert done.returncode == 0


def test_errors_reach_the_shell_as_exit_code_and_one_line() -> None:
    command = [sys.executable, "-m", "cornerlaw", "run", "pendulom"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert "did you mean 'pendulum'" in done.stderr


def test_list_shows_every_system(capsys: Captured) -> None:
    from cornerlaw import gallery

    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert out.split("\n")[0].split() == ["ids", "name", "topic", "dof", "source", "title"]
    for system in gallery.systems():
        line = next(line for line in out.splitlines() if f" {system.name} " in line)
        freedom = system.degrees_of_freedom
        assert system.source in line and f" {'-' if freedom is None else freedom} " in line
    assert main(["list", "--topic", "basics", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {record["topic"] for record in records} == {"basics"}
    pendulum = next(record for record in records if record["name"] == "pendulum")
    assert {"name": "mass", "default": 2.0, "unit": "kg"}.items() <= pendulum["parameters"][
        0
    ].items()


def test_list_counts_degrees_of_freedom(capsys: Captured) -> None:
    assert main(["list", "--topic", "basics", "--dof", "--json"]) == 0
    records = {record["name"]: record for record in json.loads(capsys.readouterr().out)}
    assert records["pendulum"]["degrees_of_freedom"] == 1
    assert records["pendulum"]["source"] == "textbook"


def test_run_tells_the_time_of_every_stage_and_the_memory(capsys: Captured) -> None:
    base = ["run", "pendulum", "--t-end", "0.05", "--profile"]
    assert main(base) == 0
    out = capsys.readouterr().out
    table = dict(line.split() for line in out.split("profile [s]\n")[1].splitlines())
    # in the plane one recursion does all without forces of elements
    assert {"compile", "assemble", "integrate", "rates"} <= set(table)
    assert list(map(float, table.values())) == sorted(map(float, table.values()), reverse=True)
    assert re.search(r"^ *memory +\S+ MB$", out, re.MULTILINE)
    assert main([*base, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert set(record["profile"]) == set(table) and record["memory"] > 0


def test_run_saves_draws_and_reports(tmp_path: Path, capsys: Captured) -> None:
    out, picture = tmp_path / "run.nc", tmp_path / "run.png"
    arguments = ["run", "Pendulum", "--set", "mass=3", "--set", "amplitude=0.5", "--t-end", "1.5"]
    arguments += ["--out", str(out), "--plot", str(picture), "--json"]
    assert main(arguments) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["parameters"]["mass"] == 3.0 and record["parameters"]["amplitude"] == 0.5
    assert record["status"] == "done" and record["t_end"] == 1.5
    assert record["files"] == [str(out), str(picture)]
    assert picture.read_bytes().startswith(b"\x89PNG")
    solution = cl.load(out)
    # released from rest: the first row is the initial condition
    assert solution["bearing.angle"][0] == pytest.approx(0.5, abs=1e-12)
    assert solution.t[-1] == 1.5

    drawing = tmp_path / "angle.svg"
    assert main(["plot", str(out), "bearing.angle", "energy", "--out", str(drawing)]) == 0
    assert "<svg" in drawing.read_text(encoding="utf-8")
    assert main(["plot", str(out), "bearing.angle", "--out", str(tmp_path / "angle.pdf")]) == 0
    assert (tmp_path / "angle.pdf").read_bytes().startswith(b"%PDF")


def test_run_takes_methods_by_name(capsys: Captured) -> None:
    base = ["run", "pendulum", "--t-end", "0.05", "--json"]
    for extra, expected in (
        (["--rtol", "1e-6"], "RungeKutta8(rtol=1e-06"),
        (["--method", "RungeKutta5"], "RungeKutta5("),
        (["--method", "runge-kutta-4", "--dt", "0.01"], "RungeKutta4(dt=0.01)"),
        (["--method", "semi_implicit_euler", "--dt", "0.01"], "SemiImplicitEuler(dt=0.01)"),
    ):
        assert main([*base, *extra]) == 0
        assert json.loads(capsys.readouterr().out)["method"].startswith(expected)


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        (["run"], ["name"]),
        (["run", "pendulum", "--bogus"], ["--bogus"]),
        (["run", "pendulum", "--set", "mas=1"], ["'mas'", "did you mean 'mass'"]),
        (["run", "pendulum", "--set", "mass"], ["KEY=VALUE"]),
        (["run", "pendulum", "--set", "mass=x"], ["mass", "number in kg"]),
        (["run", "pendulum", "--set", "mass=1", "--set", "mass=2"], ["twice"]),
        (["run", "pendulum", "--set", "mass=-1"], ["rod", "mass", "-1"]),
        (["run", "pendulum", "--method", "radaw"], ["did you mean 'radau'"]),
        (["run", "pendulum", "--method", "runge-kutta-4"], ["--dt"]),
        (["run", "pendulum", "--method", "radau", "--dt", "0.1"], ["--rtol"]),
        (["run", "pendulum", "--dt", "0.1"], ["--method"]),
        (["run", "pendulum", "--rtol", "-1"], ["rtol"]),
        (["run", "pendulum", "--t-end", "0"], ["--t-end"]),
        (["run", "pendulum", "--t-end", "soon"], ["--t-end"]),
        (["run", "pendulum", "--out", "run.txt"], [".nc"]),
        (["run", "pendulum", "--out", "missing/run.nc"], ["missing"]),
        (["run", "pendulum", "--plot", "run.gif"], [".png"]),
        (["check"], ["--all"]),
        (["check", "pendulum", "--all"], ["--all"]),
        (["check", "pendulum", "squezer"], ["squezer"]),
        (["list", "--topic", "basic"], ["did you mean 'basics'"]),
        (["plot", "none.nc", "rod"], ["none.nc"]),
        (["bench", "chian"], ["chian"]),
        (["dance"], ["dance"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_input_is_one_sentence_and_writes_nothing(
    arguments: list[str],
    fragments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    monkeypatch.chdir(tmp_path)
    fail(arguments, capsys, *fragments)
    assert os.listdir(tmp_path) == []


def test_plot_refuses_what_is_no_result(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run.nc"
    file.write_text("not a result")
    fail(["plot", str(file), "rod"], capsys, "run.nc")
    assert os.listdir(tmp_path) == ["run.nc"]


def test_plot_names_what_there_is(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "run.nc"
    assert main(["run", "pendulum", "--t-end", "0.1", "--out", str(file)]) == 0
    capsys.readouterr()
    fail(["plot", str(file)], capsys, "bearing.angle")
    fail(["plot", str(file), "bearing.angel"], capsys, "angle")
    assert os.listdir(tmp_path) == ["run.nc"]


def test_check_passes_and_fails(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    from cornerlaw import gallery

    assert main(["check", "pendulum"]) == 0
    out = capsys.readouterr().out
    assert "period [s]" in out and "all pass" in out
    module = gallery.find("pendulum").module
    monkeypatch.setattr(module, "exact_period", lambda p: 1.0)
    assert main(["check", "pendulum", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["ok"] is False
    failed = [check["name"] for check in record["systems"][0]["checks"] if not check["ok"]]
    assert failed == ["period [s]"]


def test_check_reports_a_run_that_fails(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    from cornerlaw import gallery

    def stumble(*arguments: object, **options: object) -> None:
        raise cl.SimulationError("the step became too small")

    monkeypatch.setattr(gallery.find("pendulum").module, "simulate", stumble)
    assert main(["check", "pendulum"]) == 1
    assert "the step became too small" in capsys.readouterr().out


def test_info_names_versions_and_cache(capsys: Captured) -> None:
    assert main(["info", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["cornerlaw"] == cl.__version__
    assert Path(record["cache"]["folder"]).is_dir()
    assert record["cores"] >= 1
    assert main(["info"]) == 0
    assert record["cache"]["folder"] in capsys.readouterr().out


def test_bench_compares_accelerations_with_the_peer() -> None:
    from cornerlaw.cli.bench import find_folder, load_scene

    scene = load_scene(find_folder(), "chain")
    result = scene.measure(peers=True, sizes=(3, 10), repeats=2)
    text = scene.format_result(result)
    assert [row["n"] for row in result["rows"]] == [3, 10]
    assert all(row["cornerlaw"]["min"] > 0.0 for row in result["rows"])
    # the chain in the plane beside a program in C, after 2 s of a motion that is not chaotic yet
    assert [row["n"] for row in result["planar"]["rows"]] == [10]
    assert all(row.get("difference", 0.0) < 1e-9 for row in result["planar"]["rows"])
    assert "goal" not in text  # sizes 50, 100 and 1000 were not measured
    if "pinocchio" in result["rows"][0]:
        # both solve the same well-conditioned equations in double precision
        assert max(row["difference"] for row in result["rows"]) < 1e-11
    else:
        assert "not measured" in text


def test_bench_fails_where_a_floor_is_none(tmp_path: Path) -> None:
    """A peer that comes too near to a floor makes the bench fail; one not measured does not."""
    from cornerlaw.cli.bench import check_floors, find_folder, load_scene
    from cornerlaw.errors import UsageError

    validity = load_scene(find_folder(), "_validity")
    good = validity.judge(1e-6, 30e-6, "Peer", 20.0)
    bad = validity.judge(1e-6, 10e-6, "Peer", 20.0)
    open_ = validity.judge(1e-6, None, "Peer", 20.0)
    assert [x["valid"] for x in (good, bad, open_)] == [True, False, None]
    assert "NOT VALID" in validity.verdict(bad) and "not measured" in validity.verdict(open_)
    check_floors({"scene": {"validity": [good, open_]}, "other": {}})
    with pytest.raises(UsageError, match="floor of the scene 'scene' is not valid"):
        check_floors({"scene": {"validity": [good, bad]}})


SCENE = """
def measure(*, peers):
    return {{"seconds": 1.0}}

def format_result(result):
    return "{name}: one step\\n  goal: at most 2 s: {word} (1.00)"
"""


@pytest.mark.parametrize("as_json", [False, True], ids=["table", "json"])
@pytest.mark.parametrize("words", [("met", "met"), ("MISSED", "met"), ("met", "MISSED")])
def test_bench_fails_where_a_goal_is_missed(
    words: tuple[str, str], as_json: bool, tmp_path: Path, capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Exit code 1 and the goal on stderr, but all scenes are measured and written before."""
    from cornerlaw.cli import bench

    real = bench.find_folder()
    for name, word in zip(("one", "two"), words, strict=True):
        (tmp_path / f"{name}.py").write_text(SCENE.format(name=name, word=word))
    shutil.copy(real / "_results.py", tmp_path / "_results.py")
    monkeypatch.setattr(bench, "find_folder", lambda: tmp_path)
    code = main(["bench", *(["--json"] if as_json else [])])
    out, err = capsys.readouterr()
    assert code == (1 if "MISSED" in words else 0)
    for name, word in zip(("one", "two"), words, strict=True):
        assert (f"{name}: goal: at most 2 s: MISSED (1.00)" in err) == (word == "MISSED")
        stored = json.loads((tmp_path / "results" / f"{name}.json").read_text())
        assert word in stored["table"]
    if as_json:
        assert json.loads(out) == {"one": {"seconds": 1.0}, "two": {"seconds": 1.0}}


def test_every_scene_says_missed_in_the_same_word() -> None:
    """The command finds goals by this word: a scene that judges without it would go unnoticed."""
    from cornerlaw.cli.bench import find_folder

    for path in sorted(find_folder().glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"\bgoal: |[\"'](met|kept)[\"'] if", text):
            assert '"MISSED"' in text or "'MISSED'" in text, path.name


def test_goals_are_met_missed_or_open() -> None:
    """A goal over a floor that no peer has judged is open, as one over a peer not measured is."""
    from cornerlaw.cli.bench import find_folder, load_scene

    goals = load_scene(find_folder(), "_goals")
    valid, open_ = {"valid": True, "peer": "Peer"}, {"valid": None, "peer": "Peer"}
    lines = {
        "met": goals.floor_goal("time", 2.0, 1.5, valid),
        "MISSED": goals.floor_goal("time", 2.0, 2.5, valid),
        "OPEN": goals.floor_goal("time", 2.0, 1.5, open_),
    }
    for word, line in lines.items():
        assert line.startswith(f"goal: time: {word} ("), line
    assert "OPEN" in goals.floor_goal("time", 2.0, None, open_)
    assert goals.why_not("DART", "not measured: too slow") == "DART not measured: too slow"


def test_bench_draws_accuracy_against_cost(tmp_path: Path) -> None:
    from cornerlaw.cli.bench import find_folder, load_scene

    points = [
        {"program": name, "seconds": seconds, "accuracy": accuracy, "measure": "error [m]"}
        for name, seconds, accuracy in (("ours", 1e-7, 1e-4), ("peer", 1e-5, 1e-3), ("c", 1e-8, 0))
    ]
    path = load_scene(find_folder(), "_plot").plot_points("scene", points, tmp_path / "scene.png")
    assert path.stat().st_size > 5_000


def test_bench_of_an_installed_package_says_where_the_scenes_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Captured
) -> None:
    package = tmp_path / "lib" / "site-packages" / "cornerlaw"
    monkeypatch.setattr(cl, "__file__", str(package / "__init__.py"))
    fail(["bench", "chain"], capsys, "not part of the installed package")


def test_demo_writes_pictures_and_a_page(tmp_path: Path, capsys: Captured) -> None:
    from cornerlaw.gallery.demo import main as run_demo

    assert run_demo(["pendulum", "--out", str(tmp_path / "demo")]) == 0
    out = capsys.readouterr().out
    assert "period [s]" in out and "3 of 3 checks pass" in out
    page = (tmp_path / "demo" / "index.html").read_text(encoding="utf-8")
    assert "Physical pendulum" in page and "data:image" in page
    assert (tmp_path / "demo" / "pendulum.png").stat().st_size > 10_000


@pytest.mark.verify
def test_warmup_leaves_nothing_to_compile(tmp_path: Path) -> None:
    from cornerlaw import gallery
    from cornerlaw.gallery.demo import LONG

    surroundings = {**os.environ, "CORNERLAW_CACHE_DIR": str(tmp_path)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cornerlaw", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=surroundings)
        assert done.returncode == 0, done.stderr
        return done

    first = run("warmup")
    assert "compiling 1/" in first.stderr and "all kernels are compiled" in first.stdout
    compiled = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.nb[ic]")}
    assert compiled
    run("check", *(system.name for system in gallery.systems() if system.name not in LONG))
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.nb[ic]")} == compiled


def test_without_arguments_there_is_the_help_alone(capsys: Captured) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert "Usage: cornerlaw" in out + err and "cornerlaw: " not in err


def test_a_python_file_is_to_be_run_with_python(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "my model.py"
    file.write_text("print(1)\n")
    for name in ("my_model.py", str(file)):
        for command in ("run", "view"):
            assert main([command, name]) == 2
            err = capsys.readouterr().err
            assert "run a file with: python " in err and err.count("\n") == 1
    assert f"python '{file}'" in err


def test_help_of_view_has_units_and_names_are_completed(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["view", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("\u2502", " ").split())
    assert "Time of the picture, in s; the end if not given." in shown
    monkeypatch.setenv("_CORNERLAW_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "cornerlaw view pend")
    monkeypatch.setenv("COMP_CWORD", "2")
    done = subprocess.run([sys.executable, "-c", "from cornerlaw.cli import main; main()"],
                          capture_output=True, text=True)  # fmt: skip
    assert "pendulum" in done.stdout.split()


def test_one_system_is_not_called_systems(capsys: Captured) -> None:
    assert main(["check", "pendulum"]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("1 system, ") and last.endswith(" checks: all pass")
