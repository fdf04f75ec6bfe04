"""Chaotic motions part on the two roads; what they have in common is their statistics.

Rates of impacts and of powers of their speeds are taken over parts of a long run; the scatter of
the parts is the band within which the roads, and the closed-form map of the impacts, must agree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.drives import _rattle_map as rattle
from cornerlaw.gallery.drives import gear_rattling

# chaotic for as long as it was followed, exponent 35 1/s: nothing is remembered after a second
CHAOTIC = gear_rattling.Parameters(backlash=1.2e-4)
SETTLED, END, PARTS = 1.0, 41.0, 20
Band = tuple[Any, Any]


def band(impacts: list[rattle.Impact]) -> Band:
    """Return impacts, their speeds and squared speeds per second, and the standard errors."""
    times = np.array([impact.time for impact in impacts])
    speeds = np.abs([impact.speed for impact in impacts])
    edges = np.linspace(SETTLED, END, PARTS + 1)
    sums = [np.histogram(times, edges, weights=speeds**power)[0] for power in range(3)]
    rates = np.array(sums) / np.diff(edges)
    return rates.mean(axis=1), rates.std(axis=1, ddof=1) / np.sqrt(PARTS)


def apart(one: Band, two: Band) -> Any:
    """Return the distances of two statistics over the width of both bands."""
    return np.abs(one[0] - two[0]) / np.hypot(one[1], two[1])


def followed(p: gear_rattling.Parameters, method: Any) -> Band:
    sol = gear_rattling.simulate(p, t_end=END, method=method, t_eval=np.linspace(0.0, END, 401))
    assert sol.ok
    return band(gear_rattling.impacts(sol, p))


@pytest.mark.verify
def test_statistics_of_chaotic_rattling_agree_on_all_roads() -> None:
    exact = band(rattle.orbit(CHAOTIC, 6000))
    assert (exact[1] < 0.01 * exact[0]).all()  # some 3,900 impacts: narrow bands
    events = followed(CHAOTIC, cl.EventDriven(rtol=1e-10, atol=1e-13, zeno=1e-9))
    steps = followed(CHAOTIC, cl.Moreau(dt=1e-5))
    # three standard errors, on each of three statistics
    assert (apart(events, exact) < 3.0).all()
    assert (apart(steps, exact) < 3.0).all()
    assert (apart(steps, events) < 3.0).all()
    # narrow enough to tell gears that rebound 2 % slower
    softer = followed(replace(CHAOTIC, restitution=0.88), cl.Moreau(dt=1e-5))
    assert apart(softer, exact).max() > 3.0
    # a single speed at the end has nothing in common
    runs = [
        gear_rattling.simulate(CHAOTIC, t_end=2.0, t_eval=[2.0], method=method)["loose.speed"][-1]
        for method in (cl.EventDriven(rtol=1e-10, atol=1e-13, zeno=1e-9), cl.Moreau(dt=1e-5))
    ]
    scale = CHAOTIC.amplitude * CHAOTIC.frequency / CHAOTIC.radius
    assert abs(runs[0] - runs[1]) > 1e-3 * scale
