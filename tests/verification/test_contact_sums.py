"""Sums of contact forces over all points of a pair."""

import numpy as np
import pytest

import cornerlaw as cl


def test_a_box_at_rest_on_a_slope_is_carried() -> None:
    """The sum of normal and friction forces at all corners is the weight, straight up."""
    angle, mass, g = 0.2, 3.0, 9.81
    normal = (-np.sin(angle), np.cos(angle))
    ground = cl.Ground("slope", normal=normal)
    at = tuple(0.1 * x for x in normal)
    box = cl.Body("box", mass=mass, inertia=0.1, position=at, rotation=angle)
    corners = ((-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))
    hull = cl.Polygon("hull", box, vertices=corners)
    model = cl.Model(box, cl.Contact(hull, ground, mu=0.5), gravity=(0.0, -g))
    sol = cl.simulate(model, t_end=0.1, method=cl.Moreau(dt=1e-2))
    # the problem of the step is solved to 1e-10 of the velocities
    np.testing.assert_allclose(sol["hull-slope.impulse"][5], (0.0, mass * g * 1e-2), atol=1e-8)
    single = [sol[f"hull-slope[{k}].Lambda_N"][5] for k in range(4)]
    assert np.sum(single) == pytest.approx(mass * g * 1e-2 * np.cos(angle), abs=1e-8)
    assert min(single) >= 0.0 and single[2] == single[3] == 0.0
