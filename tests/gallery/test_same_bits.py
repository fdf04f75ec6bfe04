"""Runs with contacts have the same bits, whatever ran before them in the process.

A run that meets a problem which the quick solver cannot solve keeps to a stronger one from there
on. That is a part of its state: a run that begins again begins with the quick one, and a run that
goes on goes on with the one it had come to.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import contact_cases as cases
import numpy as np
import pytest
from contact_laws import allow
from run_hash import run_hash

import cornerlaw as cl
from cornerlaw.gallery.space import arch
from cornerlaw.simulate.methods import Runner
from cornerlaw.simulate.reruns import Reruns

PROGRAM = str(Path(cases.__file__))
NAMES = tuple(cases.CASES)
EVERYDAY = ("falling arch", "woodpecker", "rolling sphere", "rocking block")
RARE = [pytest.param(name, marks=() if name in EVERYDAY else pytest.mark.verify) for name in NAMES]
each = pytest.mark.parametrize("name", RARE)
pytestmark = [
    pytest.mark.trust("TR-R-01", "TR-R-02"),
    pytest.mark.contact_laws(skip="the gallery's own tests check the laws"),
]


def stepped(name: str) -> cl.Simulation:
    """Return a case to be stepped."""
    method = cases.CASES[name].method
    return cl.Simulation(cases.build(name), method, dt=getattr(method, "dt", 0.01))


def arch_of(margin: float) -> cl.Model:
    """Return an arch so much thicker than the thinnest one that stands."""
    return arch.build(arch.Parameters(margin=margin))


def bits(sim: cl.Simulation) -> list[bytes]:
    """Return all of a state."""
    s = sim.get_state()
    parts = (s.q, s.u, s.x, s.z, s.memory, s.corners, np.array([s.t, s.dt, s.solver]))
    return [part.tobytes() for part in parts]


def test_the_falling_arch_comes_to_a_stronger_solver() -> None:
    sol = cases.run("falling arch", every=1000)
    assert sol.final.solver == 1
    assert sol.statistics["unsolved_problems"] == 0


@each
def test_runs_of_one_process_are_the_same_also_after_others(name: str) -> None:
    with allow(skip="the gallery's own tests check the laws"):
        wanted = run_hash(cases.run(name))
        cases.run("tower")
        assert run_hash(cases.run(name)) == wanted
        runs = Reruns(cases.CASES[name].t_end, method=cases.CASES[name].method)
        model = cases.build(name)
        assert [run_hash(runs(model)) for _ in range(3)] == [wanted] * 3


@pytest.mark.parametrize("names", [EVERYDAY, pytest.param(NAMES, marks=pytest.mark.verify)])
def test_another_process_computes_the_same_in_another_order(names: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, *reversed(names)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    with allow(skip="the gallery's own tests check the laws"):
        assert done.stdout.split()[::-1] == [run_hash(cases.run(name)) for name in names]


@each
def test_how_a_run_is_cut_into_calls_changes_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock decides it."""
    whole, run = cases.run(name), Runner.run

    def short(self: Any, *given: Any) -> int:
        return run(self, *given[:-1], min(given[-1], 3))

    monkeypatch.setattr(Runner, "run", short)
    with allow(skip="the gallery's own tests check the laws"):
        assert run_hash(cases.run(name)) == run_hash(whole)


@each
def test_a_simulation_begins_again_with_the_same_bits(name: str) -> None:
    sim = stepped(name)
    steps = round(cases.CASES[name].t_end / sim.dt)
    begin = bits(sim)
    sim.step(steps)
    wanted = bits(sim)
    for _ in range(2):
        sim.reset()
        assert bits(sim) == begin
        sim.step(steps)
        assert bits(sim) == wanted


@each
def test_a_state_holds_everything_that_the_next_steps_depend_on(name: str) -> None:
    sim = stepped(name)
    steps = round(cases.CASES[name].t_end / sim.dt)
    sim.step(steps // 2)
    half = sim.get_state()
    sim.step(steps - steps // 2)
    wanted, end = bits(sim), sim.get_state()
    sim.step(5)
    fresh = stepped(name)
    for other in (sim, fresh, sim):
        other.set_state(half)
        other.step(steps - steps // 2)
        assert bits(other) == wanted
    # a state behind the change of the solver, for a simulation that has not come to it
    sim.set_state(end)
    sim.step(5)
    fresh.reset()
    fresh.set_state(end)
    fresh.step(5)
    assert bits(fresh) == bits(sim)


@each
def test_a_state_from_elsewhere_goes_on_without_the_past(name: str) -> None:
    """Positions and velocities of another run: what the contacts remember is not of them."""
    other = cl.simulate(cases.build(name), 0.01, method=cl.Moreau(dt=5e-4), progress=False).final
    ends = []
    for before in (0, 20):
        sim = stepped(name)
        sim.step(before)
        sim.set_state(other)
        sim.step(10)
        ends.append(bits(sim))
    assert ends[0] == ends[1]


@each
def test_asking_changes_nothing(name: str) -> None:
    quiet, asked = stepped(name), stepped(name)
    for _ in range(40):
        quiet.step()
        asked.step()
        assert np.isfinite(asked["energy.total"])
    assert bits(quiet) == bits(asked)


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.verify)])
def test_a_sweep_has_the_bits_of_single_runs(workers: int) -> None:
    """The first run comes to the stronger solver, the second one begins with the quick one."""
    margins = [-0.2, 0.05, -0.1, -0.2]
    names = [f"block 4.position.{axis}" for axis in "xz"]
    found = cl.sweep(
        arch_of, {"margin": margins}, names, t_end=0.44, method=cases.MOREAU, workers=workers
    )
    for k, margin in enumerate(margins):
        single = cl.simulate(arch_of(margin), 0.44, method=cases.MOREAU, progress=False)
        for name in names:
            assert float(found[name].values[k]) == single[name][-1]


def test_a_run_goes_on_with_the_solver_it_had_come_to(tmp_path: Path) -> None:
    """Also by way of a file."""
    with allow(skip="the gallery's own tests check the laws"):
        whole = cases.run("falling arch", t_end=0.48)
        part = cases.run("falling arch")
        part.save(tmp_path / "part.nc")
        for initial in (part, cl.load(tmp_path / "part.nc")):
            rest = cases.run("falling arch", t_end=0.48, initial=initial)
            assert rest.final.u.tobytes() == whole.final.u.tobytes()
            assert rest.final.corners.tobytes() == whole.final.corners.tobytes()
            assert rest.final.solver == 1
