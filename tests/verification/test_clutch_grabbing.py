"""A7: about steady slip the clutch vibrates with the eigenvalue of its linearised equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.drives import clutch_grabbing


@pytest.mark.parametrize("fall", [20.0, 30.0, 60.0])
def test_small_vibrations_grow_with_the_eigenvalue(fall: float) -> None:
    """A vehicle too heavy to move: slip and twist are steady, and all else is a small wave."""
    p = replace(clutch_grabbing.Parameters(), vehicle=1e8, fall=fall)
    torque = p.torque * clutch_grabbing.level(p, p.speed)
    start = {"disc.angle": torque / p.stiffness, "disc.speed": 1e-4}
    value = clutch_grabbing.eigenvalue(p, p.speed)
    assert 6.0 < value.imag / (2.0 * np.pi) < 15.0
    t = np.linspace(0.0, 1.0, 20001)
    model = clutch_grabbing.build(p).replace(start)
    sol = cl.simulate(
        model, 1.0, t_eval=t, method=cl.EventDriven(rtol=1e-11, atol=1e-14, max_step=1e-3)
    )
    assert not [event for event in sol.events if event.kind == "stick"]
    # the wave of the disc is a damped sine; engine and offset hardly move
    twist = sol["disc.angle"] - sol["vehicle.angle"] - torque / p.stiffness
    inner = (twist[1:-1] - twist[:-2]) * (twist[2:] - twist[1:-1]) < 0.0
    tops = np.flatnonzero(inner) + 1
    heights, times = np.abs(np.diff(twist[tops])), 0.5 * (sol.t[tops][1:] + sol.t[tops][:-1])
    growth = np.polyfit(times, np.log(heights), 1)[0]
    half = float(np.mean(np.diff(sol.t[tops])))
    assert np.pi / half == pytest.approx(value.imag, rel=2e-3)
    assert growth == pytest.approx(value.real, abs=1e-3)
