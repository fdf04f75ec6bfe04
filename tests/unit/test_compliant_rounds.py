"""Rounds with compliant contacts solve the problem of a wall that a ball hits.

tests/data/wall_hit.npz holds a step of `benchmarks/wall.py`, 0.77 s after the ball was let go: 472
contacts of tilted boxes, 1,416 rows of which 563 are independent, eigenvalues down to 2e-9 of the
largest. Newton's method, sweeps and convex problems with held loads end at residuals of 6e-7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from saved_walls import load, residual

from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse.convex import start_rounds
from cornerlaw.kernels.complementarity.sparse.newton import write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.proximal import (
    ENOUGH,
    FURTHEST,
    SOFTEST,
    next_compliance,
    take_step,
)
from cornerlaw.kernels.complementarity.sparse.rows import prepare

ACCEPTED = 1e-8  # residual at which a problem counts as solved
MOST = 400  # rounds that the solver takes


def test_a_wall_that_is_hit_is_solved() -> None:
    model, p, c, guess = load("wall_hit.npz")
    m, problem, rows = Bundle(model), Bundle(p), Bundle(c)
    n, reference = guess.size, float(np.abs(p.c).max())
    prepare(m, problem, rows)
    order_velocities(m, problem, rows)
    write_masses(m, rows)
    p.x[:] = guess
    assert residual(p, c) > 1e-2  # the first guess is no solution
    start_rounds(m, problem, rows)
    point, size, eta, ahead = np.zeros(n), 1.0, SOFTEST, 0.0
    for _ in range(MOST):
        found = take_step(m, problem, rows, reference, eta, ahead, size, point)
        eta, ahead = next_compliance(eta, ahead, found, size)
        size = found if found < np.inf else size
        if found <= ACCEPTED:
            break
    # the map is taken row by row, the residual contact by contact
    assert residual(p, c) <= np.sqrt(3.0) * ACCEPTED


@pytest.mark.parametrize(
    ("given", "following"),
    [
        ((SOFTEST, 0.0, 0.1, 1.0), (0.7 * SOFTEST, 0.0)),
        ((SOFTEST, 0.0, np.inf, 1.0), (2.0 * SOFTEST, 0.0)),
        ((ENOUGH, 0.0, 1e-6, 1e-6), (ENOUGH, 1.0)),
        ((ENOUGH, 3.0, 1e-6, 1e-6), (ENOUGH, FURTHEST)),
        ((ENOUGH, FURTHEST, 1e-6, 1e-6), (0.5 * ENOUGH, 3.0)),
        ((ENOUGH, FURTHEST, np.inf, 1e-6), (ENOUGH, 1.0)),
        ((ENOUGH, FURTHEST, 1e-5, 1e-6), (ENOUGH, 0.0)),
    ],
)
def test_rounds_get_stiffer_or_further(given: Any, following: Any) -> None:
    assert next_compliance(*given) == pytest.approx(following)
