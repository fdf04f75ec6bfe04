"""The path of rounded laws gets large problems with friction near to their solutions.

tests/data/wall_fall.npz holds a step of `benchmarks/wall.py`, 1.03 s after the ball was let go: 381
contacts of boxes that fall. From the last impulses, Newton's method and rounds with compliant
contacts end at a residual of 6e-8; from the end of the path they get below 1e-8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from saved_walls import load, residual

from cornerlaw.arrays.problem import BALL, INTERVAL, new_problem
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse.convex import start_rounds
from cornerlaw.kernels.complementarity.sparse.newton import write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.path import follow_path, has_coulomb_only
from cornerlaw.kernels.complementarity.sparse.proximal import ENOUGH, next_compliance, take_step
from cornerlaw.kernels.complementarity.sparse.rows import prepare

ACCEPTED = 1e-8  # residual at which a problem counts as solved


def test_the_path_and_compliant_contacts_solve_a_wall_that_falls() -> None:
    model, p, c, _ = load("wall_fall.npz")
    m, problem, rows = Bundle(model), Bundle(p), Bundle(c)
    reference = float(np.abs(p.c).max())
    prepare(m, problem, rows)
    order_velocities(m, problem, rows)
    write_masses(m, rows)
    assert has_coulomb_only(problem)
    size = follow_path(m, problem, rows, reference, 120)
    # the map is taken row by row, the residual contact by contact
    assert residual(p, c) <= np.sqrt(3.0) * size < 4e-3
    start_rounds(m, problem, rows)
    point, eta, ahead = np.zeros(p.c.size), ENOUGH, 0.0
    for _ in range(200):
        found = take_step(m, problem, rows, reference, eta, ahead, size, point)
        eta, ahead = next_compliance(eta, ahead, found, size)
        size = found if found < np.inf else size
        if found <= ACCEPTED:
            break
    assert residual(p, c) <= np.sqrt(3.0) * ACCEPTED


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"kind": (1, INTERVAL), "lower_1": (1, -0.5)}, True),
        ({"kind": (1, INTERVAL), "lower_1": (1, -0.4)}, False),  # another bound at the other side
        ({"upper_0": (1, 2.0)}, False),  # friction without a load
        ({"upper_0": (0, 2.0)}, False),  # a load with a limit
        ({"lower_0": (0, -np.inf)}, False),  # a bilateral row
    ],
)
def test_rounded_laws_are_those_of_contacts_alone(changes: Any, expected: bool) -> None:
    p = new_problem(0, 2)
    p.n[0] = p.n_sets[0] = 2
    p.start[:], p.size[:], p.master[:] = (0, 1), 1, (-1, 0)
    p.kind[:] = (INTERVAL, BALL)
    p.lower_0[:], p.upper_0[:] = 0.0, (np.inf, 0.0)
    p.lower_1[:], p.upper_1[:] = 0.0, (0.0, 0.5)
    for name, (k, value) in changes.items():
        getattr(p, name)[k] = value
    assert has_coulomb_only(Bundle(p)) == expected
