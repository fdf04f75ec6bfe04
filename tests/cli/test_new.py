"""`cornerlaw new`: the file it writes runs, and nothing is ever overwritten."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.cli import main
from cornerlaw.cli.completion import complete_system

Captured = pytest.CaptureFixture[str]


def test_the_written_model_runs(tmp_path: Path, capsys: Captured) -> None:
    target = tmp_path / "my_model.py"
    assert main(["new", str(target)]) == 0
    assert f"python {target}" in capsys.readouterr().out
    assert "python my_model.py --view" in target.read_text(encoding="utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, str(target)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "hit  impact" in done.stdout and "the block slid" in done.stdout
    sol = cl.load(target.with_suffix(".nc"))
    # it slides and comes to rest, with friction 0.3 and after a hit of one direction
    assert sol["block"].position[-1, 0] > sol["block"].position[0, 0] + 0.1
    assert abs(sol["block"].velocity[-1]).max() < 1e-9
    assert target.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_the_hit_of_the_template_obeys_its_restitution(tmp_path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "model", "__file__": str(tmp_path / "model.py")}
    source = (Path(cl.__file__).parent / "cli" / "template.py").read_text(encoding="utf-8")
    exec(compile(source, "template.py", "exec"), namespace)
    model = namespace["build"]()  # type: ignore[operator]
    sol = cl.simulate(model, t_end=0.45, method=cl.EventDriven(), progress=False)
    hit = next(event for event in sol.events if event.name == "hit")
    assert hit.data["gamma_N_plus"] == pytest.approx(-0.4 * hit.data["gamma_N_minus"], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "fragments"),
    [
        ("model.txt", [".py"]),
        ("missing/model.py", ["missing"]),
        ("numpy.py", ["hide", "numpy"]),
        ("math.py", ["hide", "math"]),
    ],
)
def test_bad_names_are_refused(
    name: str, fragments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["new", name]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    for fragment in fragments:
        assert fragment in err
    assert not list(tmp_path.iterdir())


def test_a_file_is_never_overwritten(tmp_path: Path, capsys: Captured) -> None:
    target = tmp_path / "mine.py"
    target.write_text("precious", encoding="utf-8")
    assert main(["new", str(target)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "precious"


def test_completion_knows_every_system() -> None:
    assert sorted(complete_system("")) == sorted(system.name for system in gallery.systems())
    assert "woodpecker" in complete_system("wood") and "pendulum" not in complete_system("wood")


def test_the_shell_completes_names_of_systems() -> None:
    environment = {
        **os.environ,
        "_CORNERLAW_COMPLETE": "complete_bash",
        "COMP_WORDS": "cornerlaw run woodp",
        "COMP_CWORD": "2",
    }
    code = "import sys; from cornerlaw.cli import main; sys.exit(main([]))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert "woodpecker" in done.stdout.split(), done.stderr
