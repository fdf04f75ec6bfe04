"""Every stage of the solver of large problems alone, on small steps that are posed as large ones.

In a run the stages follow each other, and what one gets wrong the next one mends.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba.core import config

import cornerlaw as cl
from cornerlaw.arrays.compact import POSED_LARGE
from cornerlaw.arrays.problem import SOLVED
from cornerlaw.arrays.solver_scratch import TOLERANCE
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse import solve as stages
from cornerlaw.kernels.complementarity.sparse.newton import iterate_newton, write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.rows import prepare, reference_of
from cornerlaw.kernels.complementarity.sparse.sweeps import sweep_contacts
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.kernels.corners.compact import assemble_compact

V_REF = 1e-9
SQUARE = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
SIZE = (0.4, 0.2, 0.2)
# compiled they are parts of one kernel, and as functions of their own would be compiled anew
plain = pytest.mark.skipif(not config.DISABLE_JIT, reason="stages of a kernel, as plain Python")


def plane(mu: float) -> cl.Model:
    """Return boxes on each other that slide, each in contact with all others if they meet."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[cl.Part] = [floor]
    others: list[cl.Part] = [floor]
    for k in range(4):
        body = cl.Body(f"box {k}", mass=1.0 + 0.3 * k, inertia=0.01, position=(0.0, 0.1 + 0.2 * k),
                       velocity=(0.3 * (-1.0) ** k, 0.0))  # fmt: skip
        shape = cl.Polygon(f"shape {k}", body, vertices=SQUARE)
        parts += [body, shape]
        parts += [cl.Contact(shape, x, mu=mu, name=f"c{k}-{i}") for i, x in enumerate(others)]
        others.append(shape)
    return cl.Model(*parts, gravity=(0.0, -9.81))


def space() -> cl.Model:
    """Return two boxes on each other that slide and turn."""
    ground = cl.Ground("ground", normal=(0.0, 0.0, 1.0))
    parts: list[cl.Part] = [ground]
    below: cl.Part = ground
    for k in range(2):
        body = cl.Body(f"box {k}", mass=10.0, inertia=cl.inertia.box(10.0, SIZE),
                       position=(0.02 * k, 0.0, 0.1 + 0.2 * k), velocity=(0.3 - 0.5 * k, 0.1, 0.0),
                       angular_velocity=(0.0, 0.0, 0.4 * k))  # fmt: skip
        hull = cl.Box(f"hull {k}", body, size=SIZE)
        parts += [body, hull, cl.Contact(hull, below, mu=0.4, name=f"c{k}")]
        below = hull
    return cl.Model(*parts, gravity=(0.0, 0.0, -9.81))


SCENES = {"plane": lambda: plane(0.2), "space": space, "smooth": lambda: plane(0.0)}


class Posed:
    """The problem of a step of a scene, posed as a large one."""

    def __init__(self, scene: str) -> None:
        method = cl.Moreau(dt=1e-3, stabilise=False)
        self.sim = cl.Simulation(SCENES[scene](), method=method)
        self.system = self.sim._system
        k = self.system.work.k
        k.compact.posed[1:] = 0
        self.sim.step(2)
        assert k.compact.posed[0] == POSED_LARGE
        self.k, self.problem = k, k.problem
        self.m, self.w = self.system.m, self.system.w
        self.n = int(k.problem.n[0])

    def begin(self) -> tuple[Any, Any, float]:
        """Forget the solution and make ready for a stage."""
        p, c = self.w.k.problem, self.w.k.compact
        self.problem.x[: self.n] = 0.0
        reference = float(reference_of(p, V_REF))
        prepare(self.m, p, c)
        order_velocities(self.m, p, c)
        write_masses(self.m, c)
        return p, c, reference

    def check(self, limit: float = 1e-10) -> None:
        """Judge the multipliers by both checks, the second one by the whole matrix."""
        first = float(residual_sparse(self.m, self.w, V_REF))
        gamma = self.problem.gamma[: self.n].copy()
        assemble_compact(self.m, self.w)
        second = float(residual(Bundle(self.problem), V_REF))
        assert first == pytest.approx(second, rel=1e-6, abs=1e-14)
        assert second <= limit
        assert np.abs(self.problem.gamma[: self.n] - gamma).max() <= 1e-12


@pytest.mark.parametrize("scene", SCENES)
def test_a_problem_is_solved_from_nothing(scene: str) -> None:
    posed = Posed(scene)
    posed.check()
    posed.problem.x[: posed.n] = 0.0
    assert stages.solve_sparse(posed.m, posed.w) == SOLVED
    posed.check()


@pytest.mark.parametrize("scene", SCENES)
def test_both_checks_agree_on_what_is_wrong(scene: str) -> None:
    """Also where rows or masses have changed since the last time, and where nothing has."""
    posed = Posed(scene)
    rng = np.random.default_rng(1)
    posed.problem.x[: posed.n] += 1e-3 * rng.normal(size=posed.n)
    posed.check(math.inf)
    compact, work = posed.k.compact, posed.system.work
    judged = compact.mobility[: posed.n].copy()
    G = np.array(posed.problem.G[: posed.n, : posed.n])
    np.testing.assert_allclose(judged, np.diag(G), rtol=1e-12)
    compact.mobility[: posed.n] = 7.0
    residual_sparse(posed.m, posed.w, V_REF)
    assert (compact.mobility[: posed.n] == 7.0).all()  # rows that are alike are not looked at
    for change in (compact.W, compact.inverse):
        kept = change.copy()
        change *= 1.5
        residual_sparse(posed.m, posed.w, V_REF)
        assert not (compact.mobility[: posed.n] == 7.0).any()
        change[:] = kept
        compact.mobility[: posed.n] = 7.0
        compact.n_judged[0] = -1
        residual_sparse(posed.m, posed.w, V_REF)
        np.testing.assert_allclose(compact.mobility[: posed.n], judged, rtol=1e-12)
        compact.mobility[: posed.n] = 7.0
    assert work.k.n_active[0] == posed.n


@plain
@pytest.mark.parametrize(("scene", "stage"), [
    ("plane", "_solve_compliant"), ("space", "_solve_compliant"), ("plane", "_solve_rounds"),
    ("space", "_solve_rounds"), ("smooth", "_solve_stiffer"), ("plane", "_polish"),
    ("space", "_polish"), ("smooth", "_polish"),
])  # fmt: skip
def test_every_stage_alone_gets_to_a_solution(scene: str, stage: str) -> None:
    posed = Posed(scene)
    p, c, reference = posed.begin()
    best = posed.k.y
    least = stages._check(posed.m, posed.w, math.inf, best)
    assert least > 1e-3
    if stage == "_polish":
        # near the solution: from a convex problem with some compliance
        stages.start_rounds(posed.m, p, c)
        stages.take_round(posed.m, p, c, reference, 1e-4, 1.0)
        size, least = stages._polish(posed.m, posed.w, reference, least, best)
        assert size <= 1e-6
    elif stage == "_solve_rounds":
        least = stages._solve_rounds(posed.m, posed.w, reference, 0.01, least, best)
    else:
        least = getattr(stages, stage)(posed.m, posed.w, reference, least, best)
    assert least <= posed.k.solver.options[TOLERANCE]
    posed.problem.x[: posed.n] = best[: posed.n]
    posed.check()


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_sweeps_come_nearer_and_newton_ends_there(scene: str) -> None:
    posed = Posed(scene)
    p, c, reference = posed.begin()
    sizes = []
    for _ in range(3):
        sweep_contacts(posed.m, p, c, reference, 60, 1e-14)
        sizes.append(float(residual_sparse(posed.m, posed.w, V_REF)))
    assert sizes[2] < sizes[0] < 0.1
    assert iterate_newton(posed.m, p, c, reference, 60, 1e-12, True) <= 1e-11
    posed.check()
