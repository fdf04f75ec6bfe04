"""Walls of boxes: a fixed point of the time step at rest, and solved when something hits them.

Contacts of a wall are redundant: four points for every two boxes. What rounding leaves of their
gaps contradicts itself, and a step that asked for all of it to vanish loaded the wall with stresses
of its own until friction stood at its bound. Impulses that were merely accepted let velocities grow
by a tenth per step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.arrays.compact import POSED_LARGE

BOX, MASS, MU, DT = (0.4, 0.2, 0.2), 10.0, 0.6, 2e-3


def build(rows: int, *more: Any) -> cl.Model:
    """Return boxes in running bond, 1 mm between neighbours, and what else there is."""
    parts: list[Any] = [cl.Ground("ground", normal=(0.0, 0.0, 1.0))]
    for row in range(rows):
        for k in range(rows):
            x = (k - 0.5 * (rows - 1) + 0.125 * (-1) ** row) * (BOX[0] + 1e-3)
            at = (x, 0.0, (row + 0.5) * BOX[2])
            name = f"box {row}.{k}"
            body = cl.Body(name, mass=MASS, inertia=cl.inertia.box(MASS, BOX), position=at)
            parts += [body, cl.Box(f"hull {row}.{k}", body, size=BOX)]
    parts += [*more, cl.AllContacts("all", mu=MU)]
    return cl.Model(*parts, gravity=(0.0, 0.0, -9.81), name="wall")


def test_a_wall_at_rest_is_a_fixed_point() -> None:
    sim = cl.Simulation(build(5), method=cl.Moreau(dt=DT))
    k = sim._system.work.k
    sim.step(50)
    fastest = 0.0
    for _ in range(40):
        sim.step(10)
        k = sim._system.work.k
        assert k.compact.posed[0] == POSED_LARGE
        # nothing was factored anew: the last impulses hold, or one step with old factors mends them
        assert k.solver.iterations[0] == 0
        fastest = max(fastest, float(np.abs(sim._state.u).max()))
    # a step of gravity is 0.02 m/s; the tolerance of the problem would allow 2e-12 m/s
    assert fastest < 2e-14


def test_a_ball_that_hits_a_wall_goes_on() -> None:
    ball = cl.Body(
        "ball",
        mass=50.0,
        inertia=(0.8,) * 3,
        position=(0.07, 0.32, 0.53),
        velocity=(0.0, -5.0, 0.0),
    )
    model = build(5, ball, cl.Sphere("shell", ball, radius=0.2))
    sol = cl.simulate(model, 0.1, method=cl.Moreau(dt=DT), every=5, progress=False)
    assert sol.status == "done"
    assert sol.statistics["unsolved_problems"] == 0
    # boxes are thrown, and none is inside another by more than a thousandth of its height
    assert np.abs(sol["box 2.2"].velocity[-1]).max() > 0.5
    assert sol.statistics["worst_penetration"] < 1e-3 * BOX[2]
