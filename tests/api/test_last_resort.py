"""Contact problems that the compiled solvers fail at: the run goes on, or says where they are."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.cli import main
from cornerlaw.simulate.complementarity import Auto
from cornerlaw.simulate.complementarity.result import NOT_SOLVED, not_applicable
from cornerlaw.simulate.last_resort import LastResort
from cornerlaw.simulate.system import System

ROADS = {"stepping": cl.Moreau(dt=2e-2), "events": cl.EventDriven()}


def sliding_box() -> cl.Model:
    """Return a box that slides to rest on its two lower corners."""
    box = cl.Body("box", mass=1.0, inertia=0.1, position=(0.0, 0.2), velocity=(1.0, 0.0))
    corners = ((-0.5, -0.2), (0.5, -0.2), (0.5, 0.2), (-0.5, 0.2))
    hull = cl.Polygon("hull", box, vertices=corners)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(hull, floor, mu=0.3)
    return cl.Model(box, hull, floor, contact, gravity=(0.0, -9.81))


def run(road: str) -> cl.Solution:
    return cl.simulate(sliding_box(), 0.4, method=ROADS[road], progress=False)


@pytest.fixture
def helpless(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the compiled solvers of every run fail; return a list that counts the problems."""
    from cornerlaw.kernels import stages
    from cornerlaw.kernels.complementarity import auto

    begin, asked = System.__init__, []

    def failing(system: System) -> int:
        """Return the address of a solver that solves nothing."""
        stand_in = LastResort(system.work.k)
        monkeypatch.setattr(stand_in, "_answer", lambda: asked.append(1) or 1)
        return stand_in.address

    def weakened(self: System, *arguments: Any) -> None:
        begin(self, *arguments)
        address = failing(self)

        def bind(m: Any, w: Any = None) -> Any:
            return m._replace(stages=m.stages._replace(solve=address))

        self.rebind(stages=bind(self.arrays).stages)
        monkeypatch.setattr(stages, "bind_cascade", bind)

    monkeypatch.setattr(System, "__init__", weakened)
    monkeypatch.setattr(auto, "solve_auto", lambda p, s: 1)
    return asked


@pytest.mark.parametrize("road", ROADS)
def test_a_run_goes_on_with_what_the_other_solvers_find(
    road: str, helpless: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sol = run(road)
    assert sol.status == "done"
    assert helpless, "the compiled solvers were asked first"
    assert sol.statistics["worst_residual"] <= 1e-8
    monkeypatch.undo()
    usual = run(road)
    # both solve to 1e-10 of the velocities
    np.testing.assert_allclose(sol.q[-1], usual.q[-1], atol=1e-9)
    assert list(tmp_path.iterdir()) == []


def fail_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the other solvers fail as well."""

    def give_up(self: Auto, problem: Any, x: Any) -> Any:
        from dataclasses import replace

        # far from any solution
        return replace(not_applicable(problem, x, self.name), x=x + 1e3, status=NOT_SOLVED)

    monkeypatch.setattr(Auto, "run", give_up)


@pytest.mark.parametrize("road", ROADS)
def test_what_nobody_solves_is_saved_and_can_be_replayed(
    road: str,
    helpless: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        fail_at(patch)
        with pytest.raises(cl.SimulationError, match="'hull-floor") as caught:
            run(road)
        name = re.search(r"cornerlaw replay (\S+)`", str(caught.value))
        assert name, caught.value
        path = tmp_path / name[1]
        assert [path] == list(tmp_path.iterdir())
        stamp = path.stat().st_mtime_ns
        # the same problem has the same name, and what is there is not written again
        with pytest.raises(cl.SimulationError, match=path.name):
            run(road)
        assert [path] == list(tmp_path.iterdir()) and path.stat().st_mtime_ns == stamp
        # another folder
        patch.setenv("CORNERLAW_PROBLEM_DIR", str(tmp_path / "kept" / "here"))
        with pytest.raises(cl.SimulationError, match="here"):
            run(road)
        assert (tmp_path / "kept" / "here" / path.name).exists()
    assert main(["replay", name[1]]) == 0
    assert "solved" in capsys.readouterr().out
    problem = cl.ContactProblem.load(path)
    assert problem.solve().solved


def test_a_problem_that_cannot_be_saved_is_still_reported(
    helpless: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    fail_at(monkeypatch)
    monkeypatch.setenv("CORNERLAW_PROBLEM_DIR", str(tmp_path / "file"))
    with pytest.raises(cl.SimulationError, match="cannot be saved"):
        run("stepping")


def test_an_interrupt_in_a_solver_ends_the_run(
    helpless: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Auto, problem: Any, x: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Auto, "run", interrupted)
    assert run("stepping").status == "interrupted"


def test_steps_one_by_one_go_on_as_well(helpless: list[int]) -> None:
    simulation = cl.Simulation(sliding_box(), method=ROADS["stepping"])
    simulation.step(duration=0.1)
    assert simulation.t == pytest.approx(0.1)


def test_accepted_problems_degrade_the_run(
    helpless: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With on_unconverged="accept" the run goes on with what there is, and says so.

    What some solver solves is not accepted but solved: all of them are asked first.
    """
    method = cl.Moreau(dt=2e-3, on_unconverged="accept")
    assert cl.simulate(sliding_box(), 0.01, method=method, progress=False).status == "done"
    fail_at(monkeypatch)
    sol = cl.simulate(sliding_box(), 0.01, method=method, progress=False)
    assert sol.status.startswith("degraded")
    assert sol.statistics["unsolved_problems"] > 0
