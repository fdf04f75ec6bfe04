"""Friction that grows from nothing with the speed acts on what starts at rest.

Event by event such a contact was taken for one without friction, for the whole run.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import cornerlaw as cl


def creeping(speed: float) -> float:
    """Return a coefficient of 0.3 that begins at zero."""
    return 0.3 * math.tanh(abs(speed) / 0.1)


def final_speed(push: float) -> float:
    """Return the speed at which friction balances a push of a mass of 1 kg."""
    return 0.1 * math.atanh(push / (0.3 * 9.81))


@pytest.mark.parametrize("law", [None, cl.KelvinVoigt(stiffness=1e4, damping=200.0)])
def test_in_the_plane(law: cl.KelvinVoigt | None) -> None:
    given = {} if law is None else {"normal": law}
    start = 0.0 if law is None else -9.81 / 1e4
    block = cl.PointMass("block", mass=1.0, position=(0.0, start))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(
        block,
        floor,
        cl.Contact(block, floor, mu=creeping, name="contact", **given),
        cl.Force("push", block, value=(1.0, 0.0)),
        gravity=(0.0, -9.81),
    )
    sol = cl.simulate(model, 2.0, method=cl.EventDriven())
    assert sol["block.velocity.x"][-1] == pytest.approx(final_speed(1.0), abs=1e-9)


def test_in_space() -> None:
    block = cl.PointMass("block", mass=1.0, position=(0.0, 0.0, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    model = cl.Model(
        block,
        floor,
        cl.Contact(block, floor, mu=creeping, name="contact"),
        cl.Force("push", block, value=(0.6, 0.8, 0.0)),
        gravity=(0.0, 0.0, -9.81),
    )
    sol = cl.simulate(model, 2.0, method=cl.EventDriven())
    velocity = sol["block"].velocity[-1]
    assert np.linalg.norm(velocity) == pytest.approx(final_speed(1.0), abs=1e-9)
    assert np.allclose(velocity[:2] / np.linalg.norm(velocity), (0.6, 0.8), atol=1e-9)
