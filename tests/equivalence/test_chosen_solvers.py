"""A run with a solver of the user's choice: the same motion, or a refusal by name."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import gallery

SOLVERS = [
    cl.Lemke(),
    cl.Pivoting(),
    cl.GaussSeidel(),
    cl.Jacobi(),
    cl.AcceleratedGradient(),
    cl.SemismoothNewton(),
    cl.SemismoothNewton(variant="fischer-burmeister"),
    cl.SemismoothNewton(variant="homotopy"),
    cl.InteriorPoint(),
    cl.ADMM(),
    cl.Auto(tolerance=1e-11),
]


def stack() -> cl.Model:
    """Return three boxes on a floor, pushed sideways; the lowest slides, all rub."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[Any] = [floor]
    below: Any = floor
    corners = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
    for k in range(3):
        body = cl.Body(
            f"box {k}", mass=1.0, inertia=0.04 / 6.0, position=(0.0, 0.1 + 0.2 * k),
            velocity=(0.3 - 0.2 * k, 0.0),
        )  # fmt: skip
        shape = cl.Polygon(f"shape {k}", body, vertices=corners)
        parts += [body, shape, cl.Contact(shape, below, mu=0.1, name=f"contact {k}")]
        below = shape
    return cl.Model(*parts, gravity=(0.0, -9.81))


def woodpecker() -> cl.Model:
    """Return the woodpecker of the gallery, built from bodies."""
    system = gallery.find("woodpecker-bodies")
    model: cl.Model = system.build(system.parameters())
    return model


SCENES = {"stack": (stack, 0.1, 1e-3), "woodpecker": (woodpecker, 0.05, 1e-4)}


@cache
def run(scene: str, solver: Any = None) -> cl.Solution:
    build, t_end, dt = SCENES[scene]
    return cl.simulate(build(), t_end, method=cl.Moreau(dt=dt, solver=solver), progress=False)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_every_solver_gives_the_same_run(solver: Any, scene: str) -> None:
    """Velocities differ by what the tolerance of 1e-10 leaves in every step, positions by less."""
    if isinstance(solver, cl.InteriorPoint | cl.ADMM) and scene == "woodpecker":
        pytest.skip("a program of the interpreter in each of 500 steps; the stack has 100")
    sol, auto = run(scene, solver), run(scene)
    assert sol.status == "done"
    assert sol.statistics["unsolved_problems"] == 0
    assert sol.statistics["worst_residual"] <= 1e-10
    assert sol.t == pytest.approx(auto.t)
    assert np.abs(sol.states["q"] - auto.states["q"]).max() < 1e-8
    assert np.abs(sol.states["u"] - auto.states["u"]).max() < 1e-6


def ball() -> cl.Model:
    """Return a ball that slides on a plane in space."""
    body = cl.Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.1),
                   velocity=(1.0, 0.5, 0.0))  # fmt: skip
    sphere = cl.Sphere("shape", body, radius=0.1)
    plane = cl.Plane("plane", cl.Ground("ground"), normal=(0.0, 0.0, 1.0))
    touch = cl.Contact(sphere, plane, mu=0.3, name="foot")
    return cl.Model(body, touch, gravity=(0.0, 0.0, -9.81))


@pytest.mark.parametrize("solver", [cl.Lemke(), cl.Pivoting()], ids=lambda solver: solver.name)
def test_solvers_of_the_plane_refuse_cones_by_name(solver: Any) -> None:
    name = type(solver).__name__
    with pytest.raises(cl.UsageError, match=f"{name} knows .* plane .*'foot.*GaussSeidel"):
        cl.simulate(ball(), 0.01, method=cl.Moreau(dt=1e-3, solver=solver), progress=False)


def test_other_solvers_take_cones() -> None:
    auto = cl.simulate(ball(), 0.05, method=cl.Moreau(dt=1e-3), progress=False)
    for solver in (cl.GaussSeidel(), cl.SemismoothNewton()):
        method = cl.Moreau(dt=1e-3, solver=solver)
        sol = cl.simulate(ball(), 0.05, method=method, progress=False)
        assert np.abs(sol.states["u"] - auto.states["u"]).max() < 1e-7


def test_what_a_chosen_solver_leaves_is_unsolved(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other solver steps in: the run ends and says whose fault it is, or is degraded."""
    monkeypatch.setenv("CORNERLAW_PROBLEM_DIR", str(tmp_path))
    hasty = cl.GaussSeidel(max_sweeps=1)
    with pytest.raises(cl.SimulationError, match="GaussSeidel brought the contact problem"):
        cl.simulate(stack(), 0.02, method=cl.Moreau(dt=1e-3, solver=hasty), progress=False)
    assert list(tmp_path.glob("contact-problem-*.h5"))
    method = cl.Moreau(dt=1e-3, solver=hasty, on_unconverged="accept")
    sol = cl.simulate(stack(), 0.02, method=method, progress=False)
    assert sol.status == "degraded"
    assert sol.statistics["worst_residual"] > 1e-10


class Liar:
    """A solver that returns nonsense and calls it solved."""

    name = "liar"
    tolerance = 1e-10

    def run(self, problem: cl.ContactProblem, x: Any) -> Any:
        result = problem.solve()
        return cl.ContactResult("solved", 2.0 * result.x, result.gamma, 0.0, 1, self.name)


def test_a_solver_that_lies_is_caught(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The residual is measured by other code, whatever the solver says."""
    monkeypatch.setenv("CORNERLAW_PROBLEM_DIR", str(tmp_path))
    with pytest.raises(cl.SimulationError, match="Liar brought the contact problem"):
        cl.simulate(stack(), 0.02, method=cl.Moreau(dt=1e-3, solver=Liar()), progress=False)


def test_what_is_no_solver_is_refused() -> None:
    for wrong in ("lemke", 3, cl.Lemke):
        with pytest.raises(cl.UsageError, match="solver must be an object such as Lemke"):
            cl.Moreau(dt=1e-3, solver=wrong)


def test_a_run_with_a_chosen_solver_goes_on_from_its_checkpoint(tmp_path: Any) -> None:
    folder, method = tmp_path / "run", cl.Moreau(dt=1e-3, solver=cl.GaussSeidel())
    options: dict[str, Any] = {"method": method, "checkpoint": folder, "checkpoint_every": 0.0}
    cl.simulate(stack(), 0.02, progress=False, **options)
    again = cl.resume(folder, stack())
    assert again.status == "done"
    assert "GaussSeidel" in again.info.method


def test_a_solver_of_ones_own_cannot_be_recorded(tmp_path: Any) -> None:
    """A file names classes of this package only; nothing is left of the record that was begun."""
    method = cl.Moreau(dt=1e-3, solver=Liar())
    with pytest.raises(cl.UsageError, match="checkpoint: Liar is not a part of cornerlaw"):
        cl.simulate(stack(), 0.02, method=method, checkpoint=tmp_path / "run", progress=False)
    options: dict[str, Any] = {"method": cl.Moreau(dt=1e-3), "checkpoint": tmp_path / "run"}
    assert cl.simulate(stack(), 0.02, progress=False, **options).status == "done"


class Refuses:
    """A solver that answers with no number, or ends with an error of its own."""

    name = "refuses"
    tolerance = 1e-10

    def __init__(self, error: cl.CornerlawError | None = None) -> None:
        self.error = error

    def run(self, problem: cl.ContactProblem, x: Any) -> Any:
        if self.error is not None:
            raise self.error
        result = problem.solve()
        return cl.ContactResult("solved", result.x + np.nan, result.gamma, 0.0, 1, self.name)


def test_answers_that_are_no_numbers_are_not_taken_for_solved() -> None:
    method = cl.Moreau(dt=1e-3, solver=Refuses(), on_unconverged="accept")
    sol = cl.simulate(stack(), 0.005, method=method, progress=False)
    assert sol.status == "degraded"
    assert sol.statistics["worst_residual"] == np.inf


def test_no_answer_is_called_that(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORNERLAW_PROBLEM_DIR", str(tmp_path))
    with pytest.raises(cl.SimulationError, match=r"Refuses brought the contact problem .* nowhere"):
        cl.simulate(stack(), 0.005, method=cl.Moreau(dt=1e-3, solver=Refuses()), progress=False)


def test_an_error_of_the_solver_reaches_the_user() -> None:
    method = cl.Moreau(dt=1e-3, solver=Refuses(cl.UsageError("my setting is wrong")))
    with pytest.raises(cl.UsageError, match="my setting is wrong"):
        cl.simulate(stack(), 0.005, method=method, progress=False)


def test_a_chosen_solver_harms_no_model_without_contacts() -> None:
    model = cl.Model(cl.Disk("ball", mass=1.0, radius=0.1), gravity=(0.0, -9.81))
    method = cl.Moreau(dt=1e-3, solver=cl.GaussSeidel())
    assert cl.simulate(model, 0.01, method=method, progress=False).status == "done"


def test_a_simulation_refuses_a_chosen_solver() -> None:
    with pytest.raises(cl.UsageError, match="picks its solvers itself"):
        cl.Simulation(stack(), method=cl.Moreau(dt=1e-3, solver=cl.Lemke()))
