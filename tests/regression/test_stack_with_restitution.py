"""Stacks that were struck come to rest in time stepping although their contacts give back.

The speed that forces make in a step was once taken from the gap alone. In a stack all boxes fall
alike and it vanished: every rattle then counted as an impact, an edge that left for a step let the
weight fall on the other, and the boxes rocked for ever, at twice the step.
"""

from __future__ import annotations

import numpy as np
import pytest

import cornerlaw as cl


# the ball enters the lowest brick by up to v dt before it is found there; pushing it out turns that
# brick a little under the next one
@pytest.mark.contact_laws(gap_tol=1e-5)
@pytest.mark.parametrize("eps_N", [0.1, 0.5])
def test_bricks_struck_by_a_ball_come_to_rest(eps_N: float) -> None:
    size = (0.2, 0.1, 0.06)
    parts: list[cl.Part] = [cl.Ground("floor", normal=(0.0, 0.0, 1.0))]
    for k in range(3):
        brick = cl.Body(
            f"brick {k}", inertia=cl.inertia.box(1.0, size), position=(0.0, 0.0, 0.03 + 0.06 * k)
        )
        parts += [brick, cl.Box(f"sides {k}", brick, size=size)]
    ball = cl.Body(
        "ball",
        inertia=cl.inertia.sphere(0.5, 0.03),
        position=(-0.2, 0.0, 0.03),
        velocity=(3.0, 0.0, 0.0),
    )
    parts += [ball, cl.Sphere("skin", ball, radius=0.03)]
    model = cl.Model(*parts, cl.AllContacts("all", mu=0.4, eps_N=eps_N), gravity=(0.0, 0.0, -9.81))
    sol = cl.simulate(model, 0.6, method=cl.Moreau(dt=5e-4))
    late = sol.t > 0.5
    for k in range(3):
        assert np.abs(sol[f"brick {k}"].velocity[late]).max() < 1e-9
        assert np.abs(sol[f"brick {k}"].angular_velocity[late]).max() < 1e-8


def test_a_shaken_stack_of_ten_comes_to_rest() -> None:
    """Ten boxes in the plane with random velocities; they rock, slide and settle."""
    rng = np.random.default_rng(3)
    ground = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[cl.Part] = [ground]
    below: cl.Part = ground
    for k in range(10):
        box = cl.Body(
            f"box {k}",
            mass=1.0,
            inertia=1.0 / 6.0 * 0.01,
            position=(0.0, 0.05 + 0.1 * k),
            velocity=(0.02 * rng.normal(), 0.0),
        )
        sides = cl.Polygon(
            f"sides {k}", box, vertices=[(-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05)]
        )
        parts += [box, sides, cl.Contact(below, sides, mu=0.5, eps_N=0.3)]
        below = sides
    model = cl.Model(*parts, gravity=(0.0, -9.81))
    sol = cl.simulate(model, 1.0, method=cl.Moreau(dt=1e-3))
    late = sol.t > 0.8
    for k in range(10):
        assert np.abs(sol[f"box {k}"].velocity[late]).max() < 1e-9
