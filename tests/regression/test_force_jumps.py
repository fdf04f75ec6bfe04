"""Rows before an event at which a force is lost at once, where a contact runs over a corner.

A disc that slides over the edge of a table has the force of its weight up to the edge. There the
curvature of its path jumps; held on the edge it would need m g - m v^2 / R, and flies if that is
negative. The row before the event was the state behind the jump, with that negative force.
"""

from __future__ import annotations

import numpy as np
import pytest

import cornerlaw as cl

R, MASS, G, X = 0.06, 0.7, 9.81, -0.1  # the edge of the table is at x = 0


def slide(v: float) -> cl.Solution:
    """Let a disc slide along a table without friction and over its edge."""
    disc = cl.Disk("disc", mass=MASS, radius=R, position=(X, R), velocity=(v, 0.0))
    ground = cl.Ground()
    corners = ((-1.0, -0.5), (0.0, -0.5), (0.0, 0.0), (-1.0, 0.0))
    table = cl.Polygon("table", ground, vertices=corners)
    model = cl.Model(
        disc, ground, table, cl.Contact(disc, table, name="contact"), gravity=(0.0, -G)
    )
    return cl.simulate(
        model, 1.5 * abs(X) / v, method=cl.EventDriven(rtol=1e-9, atol=1e-11), progress=False
    )


@pytest.mark.parametrize("v", [0.8, 1.0, 2.0, 7.0])
def test_a_disc_has_its_weight_up_to_the_edge_that_it_flies_from(v: float) -> None:
    assert v * v > G * R
    sol = slide(v)
    event = next(event for event in sol.events if event.kind == "detach")
    # where the contact is found to be on the edge the disc is located to a rounding of its place
    assert event.time == pytest.approx(-X / v, rel=1e-12)
    before = np.flatnonzero((sol.t == event.time) & (sol.side <= 0))
    assert before.size
    np.testing.assert_allclose(sol["contact.lam_N"][before], MASS * G, rtol=1e-12)
    behind = np.flatnonzero((sol.t == event.time) & (sol.side == 1))
    assert not sol["contact.lam_N"][behind].any()


def test_a_slow_disc_turns_about_the_edge_and_leaves_where_its_force_ends() -> None:
    """From the edge on m g cos a - m v^2 / R with v^2 = v_0^2 + 2 g R (1 - cos a) falls to zero."""
    v = 0.5
    sol = slide(v)
    event = next(event for event in sol.events if event.kind == "detach")
    angle = np.arccos((v * v / (G * R) + 2.0) / 3.0)
    row = np.flatnonzero((sol.t == event.time) & (sol.side == -1))[0]
    assert sol["disc.position"][row, 0] == pytest.approx(R * np.sin(angle), rel=1e-7)
    assert abs(sol["contact.lam_N"][row]) < 1e-8 * MASS * G
