"""Large contact problems that stay unsolved: shorter steps first, then a file with the problem.

The run that ended at a problem of 1,242 rows had no way out, and left nothing to look at.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from contact_problems import set_a

import cornerlaw as cl
from cornerlaw.arrays.compact import MOST_FALLBACK, POSED_LARGE
from cornerlaw.arrays.problem import NOT_SOLVED
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.late import address_of, call
from cornerlaw.problems.storage import load
from cornerlaw.simulate import failures, large_problem

BOX, MASS, DT = (0.4, 0.2, 0.2), 10.0, 2e-3


def piles() -> cl.Model:
    """Return 50 piles of two boxes at rest: 1,200 rows."""
    parts: list[Any] = [cl.Ground("ground", normal=(0.0, 0.0, 1.0))]
    for k in range(100):
        at = (0.5 * (k // 2), 0.0, 0.1 + 0.2 * (k % 2))
        body = cl.Body(f"box {k}", mass=MASS, inertia=cl.inertia.box(MASS, BOX), position=at)
        parts += [body, cl.Box(f"hull {k}", body, size=BOX)]
    return cl.Model(*parts, cl.AllContacts("all", mu=0.6), gravity=(0.0, 0.0, -9.81))


class Weak:
    """A large solver that fails as often as it is told, then does what it did before."""

    def __init__(self, sim: cl.Simulation, failures: int) -> None:
        system = sim._system
        self.left = left = np.array([failures])
        place, original = int(left.ctypes.data), system.arrays.stages.solve_large
        from cornerlaw.kernels.stopwatch import _integers

        def solve(m: Any, w: Any) -> Any:
            count = numba.carray(_integers(place), (1,))
            status = call(original, m, w)
            if count[0] > 0:
                count[0] -= 1
                return NOT_SOLVED
            return status

        self.code = numba.njit(solve)
        kinds = tuple(Bundle(x)._numba_type for x in (system.arrays, system.work))
        stages = system.arrays.stages._replace(solve_large=address_of(self.code, kinds))
        system.rebind(stages=stages)


def start() -> cl.Simulation:
    """Return the piles after two steps, with all their contacts closed."""
    sim = cl.Simulation(piles(), method=cl.Moreau(dt=DT))
    sim.step(2)
    k = sim._system.work.k
    assert k.compact.posed[0] == POSED_LARGE and k.problem.n[0] > MOST_FALLBACK
    return sim


def test_a_step_whose_problem_stays_unsolved_is_taken_in_parts() -> None:
    sim, usual = start(), start()
    weak = Weak(sim, failures=2)
    sim.step(1)
    usual.step(1)
    assert weak.left[0] == 0
    assert sim.t == pytest.approx(usual.t, abs=1e-15)
    # what rests, rests in any part of a step
    np.testing.assert_allclose(sim._state.u, 0.0, atol=1e-12)
    np.testing.assert_allclose(sim._state.q, usual._state.q, atol=1e-14)


def test_a_large_problem_is_saved_with_its_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sim = start()
    weak = Weak(sim, failures=10**6)
    with pytest.raises(cl.SimulationError, match="rows large") as caught:
        sim.step(1)
    assert weak.left[0] < 10**6
    name = re.search(r"cornerlaw replay (\S+)`", str(caught.value))
    assert name, caught.value
    problem, guess = load(tmp_path / name[1])
    k = sim._system.work.k
    assert problem.n == k.problem.n[0] and guess is not None
    # the best point of the run is a solution of what was saved
    assert problem.residual(k.problem.x[: problem.n]) <= 1e-8


def test_what_is_too_large_is_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_problem, "MOST_SAVED", 100)
    assert large_problem.large_problem(start()._system) is None
    assert "more than" in failures._keep(None)


def test_small_problems_are_saved_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = set_a(3, 5).problem()
    assert "replay" in failures._keep((problem, np.zeros(problem.n)))
    assert len(list(tmp_path.iterdir())) == 1
