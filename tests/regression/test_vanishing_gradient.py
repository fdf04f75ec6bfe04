"""Constraints without a direction to act in, which once ran on for minutes in tiny steps."""

from collections.abc import Callable
from typing import Any

import pytest

import cornerlaw as cl

GROUND = cl.Ground()


def hanging(**length: float) -> cl.Model:
    ball = cl.PointMass("p", mass=1.0, position=(0.0, 0.0))
    return cl.Model(ball, cl.Distance("d", GROUND, ball, **length), gravity=(0.0, -9.81))


def tips(kind: Any) -> cl.Model:
    """Two bars on one bearing whose tips lie on each other."""
    a, b = (cl.Body(name, mass=1.0, inertia=0.1, com=(0.5, 0.0)) for name in "ab")
    tie = kind("d", a, b, at=(1.0, 0.0), at_second=(1.0, 0.0))
    joints = (cl.Revolute("A", GROUND, a, speed=1.0), cl.Revolute("B", GROUND, b))
    return cl.Model(*joints, tie, gravity=(0.0, -9.81))


@pytest.mark.parametrize(
    "solve",
    [
        cl.assemble,
        cl.equilibrium,
        cl.Simulation,
        lambda model: cl.simulate(model, 0.1),
        lambda model: cl.simulate(model, 0.1, method=cl.Radau()),
        lambda model: cl.simulate(model, 0.1, method=cl.Moreau(dt=1e-3)),
    ],
)
def test_an_initial_distance_of_zero_is_refused(solve: Callable[[cl.Model], Any]) -> None:
    with pytest.raises(
        cl.AssemblyError, match=r"the points of 'd' coincide at the start.*Revolute"
    ):
        solve(hanging())


@pytest.mark.parametrize("kind", [cl.Distance, cl.Rod])
def test_tips_that_lie_on_each_other(kind: Any) -> None:
    with pytest.raises(cl.AssemblyError, match="the points of 'd' coincide at the start"):
        cl.simulate(tips(kind), 0.1)


def test_points_that_coincide_although_a_length_is_given() -> None:
    with pytest.raises(cl.AssemblyError, match="'d' stays open by 1"):
        cl.assemble(hanging(length=1.0))
