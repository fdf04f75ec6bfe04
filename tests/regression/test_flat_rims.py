"""Solids that hit a plane flat with a circular rim: all of the rim is hit, not three points of it.

The three points that hold a rim leave room between them. A can that lands flat, slides and is
tipped by friction was held by two of them, while the rim between moved into the plane; its extreme
point then ran along the rim without bound, with forces of 1e13 N.
"""

from __future__ import annotations

import numpy as np
import pytest

import cornerlaw as cl

R, H, MASS, G = 0.05, 0.12, 2.0, 9.81
THROWS = ((0.5, 0.2, -0.3), (-0.3, 0.8, -0.5), (0.0, -1.0, -0.2), (0.7, -0.7, -0.4))


def thrown(velocity: tuple[float, ...], mu: float) -> cl.Solution:
    """Let a can fall flat on a floor."""
    body = cl.Body(
        "body", mass=MASS, inertia=(0.006, 0.004, 0.0025), position=(0.0, 0.0, 0.5 * H + 1e-3),
        velocity=velocity,
    )  # fmt: skip
    can = cl.Cylinder("can", body, radius=R, length=H)
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    contact = cl.Contact(can, floor, mu=mu, name="contact")
    model = cl.Model(body, can, floor, contact, gravity=(0.0, 0.0, -G))
    return cl.simulate(
        model, 0.05, method=cl.EventDriven(rtol=1e-8, atol=1e-10), progress=False, max_steps=2000
    )


def rim(sol: cl.Solution, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Return heights and vertical velocities of many points of the lower rim."""
    angle = np.linspace(0.0, 2.0 * np.pi, 3601)
    local = np.stack([R * np.cos(angle), R * np.sin(angle), np.full(angle.size, -0.5 * H)])
    arms = sol["body.rotation"][row] @ local
    rates = np.cross(sol["body.angular_velocity"][row], arms.T)
    return sol["body.position"][row, 2] + arms[2], sol["body.velocity"][row, 2] + rates[:, 2]


@pytest.mark.parametrize("velocity", THROWS)
def test_no_point_of_a_rim_that_lands_flat_moves_into_the_floor(
    velocity: tuple[float, float, float],
) -> None:
    sol = thrown(velocity, mu=0.8)
    row = int(np.flatnonzero(sol.side == 1)[0])
    _, speeds = rim(sol, row)
    # friction tips this can; an impulse ends when its point stands to 1e-9 of the fall
    assert speeds.max() > 0.01
    assert speeds.min() > -1e-8


@pytest.mark.parametrize("velocity", THROWS)
@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_a_can_that_lands_flat_has_forces_of_its_weight_and_stays_above_the_floor(
    velocity: tuple[float, float, float], mu: float
) -> None:
    sol = thrown(velocity, mu)
    forces = np.stack([sol[f"contact[{j}].lam_N"] for j in range(6)])
    assert forces.min() >= -1e-8 * MASS * G
    assert forces.max() < 3.0 * MASS * G
    for row in range(len(sol.t)):
        assert rim(sol, row)[0].min() > -1e-9
