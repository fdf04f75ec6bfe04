"""The shift of an automatic transmission as the literature tells it. (AT-08)"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.hydraulics import shift_control as system
from cornerlaw.results import Solution

pytestmark = pytest.mark.verify


@cache
def _run() -> tuple[system.Parameters, Solution]:
    p = system.Parameters()
    return p, system.simulate(p)


# AT-08
def test_shift_runs_in_the_published_sequence() -> None:
    p, sol = _run()
    main, at = system.pressure(sol, p, "main"), system.moments(sol, p)
    before, after = np.interp((2.798, 2.84), sol.t, main)
    assert before == pytest.approx(8e5, abs=0.1e5)
    assert after == pytest.approx(13.5e5, abs=0.1e5)
    # the line to the clutch is still shut while the system pressure rises
    assert np.max(np.abs(sol["E"].position[sol.t < at["KVE moves"]])) < 1e-5
    # EDS5 fills, but KVE waits for its preload and dry friction
    moves = int(np.searchsorted(sol.t, at["KVE moves"]))
    pilot, level = system.pressure(sol, p, "pilot"), (p.clutch_preload + p.clutch_dry) / 1e-4
    assert at["KVE moves"] > 2.85
    assert pilot[moves - 2] < level < pilot[moves]
    times = [at[name] for name in system.ORDER]
    assert np.all(np.diff(times) > 0.0)
    # the ramp stays far below the system pressure, to which HVE then lifts the clutch
    held = system.pressure(sol, p, "clutch")
    assert np.interp(at["E sticks"], sol.t, held) < 0.55 * after
    assert held[-1] == pytest.approx(main[-1], rel=0.01)


# AT-08
def test_torque_of_the_plates_is_that_of_the_pack() -> None:
    p, sol = _run()
    at, pack = system.moments(sol, p), system.pack(p)
    slips = (sol.t > at["FL opens"]) & (sol.t < at["E sticks"] - 2e-3)
    slip = sol["turbine"].speed[slips] - sol["second"].speed[slips]
    falls = p.kinetic + (p.static - p.kinetic) * np.exp(-slip / pack.speed)
    held = system.pressure(sol, p, "clutch")[slips]
    capacity = np.array([pack.capacity(x) for x in held]) * falls / p.static
    # the piston's dry friction may carry 40 N of some 2,000 N
    assert system.torque(sol, p)[slips] == pytest.approx(capacity, rel=0.02)


# AT-08
def test_shift_event_by_event() -> None:
    """Both roads show the same shift: every moment of it within three rows, and the same ratios."""
    p, sol = _run()
    other = system.simulate(p, method=cl.EventDriven())
    assert other.info.status == "done"
    expected, found = system.moments(sol, p), system.moments(other, p)
    for name in system.ORDER:
        assert found[name] == pytest.approx(expected[name], abs=3.1e-3), name
    for name in ("E", "KVE", "HVE"):
        x = np.interp(sol.t, other.t, other[name].position)
        assert np.abs(x - sol[name].position).max() < 0.03 * np.ptp(sol[name].position)
    assert other["turbine"].speed[-1] / other["output"].speed[-1] == pytest.approx(system.RATIO_2)
