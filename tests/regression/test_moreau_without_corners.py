"""Time stepping of models in which nothing can open, close, stick or slip: they once crashed."""

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl


@pytest.mark.parametrize(
    "method", [cl.Moreau(dt=1e-3), cl.HalfExplicit(dt=1e-3), cl.Theta(dt=1e-3)]
)
def test_a_spring_and_a_mass(method: Any) -> None:
    slider = cl.Slider("s", mass=1.0, position=1.0)
    model = cl.Model(slider, cl.TorsionSpring("k", slider, stiffness=4.0))
    sol = cl.simulate(model, t_end=1.0, method=method)
    assert np.abs(sol["s"].position - np.cos(2.0 * sol.t)).max() < 5e-3


def test_a_pendulum_with_a_loop_joint() -> None:
    ground = cl.Ground()
    bob = cl.PointMass("bob", mass=1.0, position=(1.0, 0.0))
    model = cl.Model(bob, cl.Distance("rod", ground, bob, length=1.0), gravity=(0.0, -9.81))
    sol = cl.simulate(model, t_end=1.0, method=cl.Moreau(dt=1e-3))
    assert np.abs(np.linalg.norm(sol["bob"].position, axis=1) - 1.0).max() < 1e-9
    # a step loses (angle of the step)^2 / 2 of the kinetic energy: in all a hundredth of 9.8 J
    assert np.min(sol.energy.total) > -0.1 and np.max(sol.energy.total) < 1e-9
