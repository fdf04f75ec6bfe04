"""A7: small vibrations have the eigenvalue, large ones the cycle of slip and stick in turn."""

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


def _cycle(p: clutch_grabbing.Parameters, start: dict[str, float]) -> tuple[float, float, float]:
    """Return frequency, range of the twist and largest speed of the disc in the last cycles."""
    t = np.linspace(0.0, 4.0, 8001)
    model = clutch_grabbing.build(p).replace(start)
    sol = cl.simulate(model, 4.0, t_eval=t, method=cl.EventDriven(rtol=1e-10, max_step=2e-3))
    loose = np.array([time for time in clutch_grabbing.releases(sol) if time > 3.0])
    late = sol.t > 3.0
    frequency = 1.0 / float(np.diff(loose).mean()) if len(loose) > 1 else 0.0
    twist = clutch_grabbing.swing(sol, p)[late]
    return frequency, float(np.ptp(twist)), float(sol["disc"].speed[late].max())


def test_limit_cycle_does_not_remember_its_start() -> None:
    """Engine and vehicle too heavy to move: one cycle, whose height is the speed of the engine."""
    p = replace(clutch_grabbing.Parameters(), engine=1e8, vehicle=1e8)
    torque = p.torque * clutch_grabbing.level(p, p.speed)
    rest = _cycle(p, {})
    small = _cycle(p, {"disc.angle": torque / p.stiffness, "disc.speed": 10.0})
    exact = clutch_grabbing.phase_by_phase(p, np.linspace(0.0, 4.0, 8001))
    loose = np.array(exact.slip)
    expected = 1.0 / float(np.diff(loose[loose > 3.0]).mean())
    linear = clutch_grabbing.eigenvalue(p, p.speed).imag / (2.0 * np.pi)
    print(f"\nlimit cycle {rest[0]:.6f} Hz, from small {small[0]:.6f}, phases {expected:.6f}, "
          f"linear {linear:.3f} Hz, range {rest[1]:.6f} and {small[1]:.6f} rad")  # fmt: skip
    assert 6.0 < rest[0] < linear  # sticking lengthens the cycle
    assert rest[0] == pytest.approx(expected, rel=1e-6)
    assert small[0] == pytest.approx(expected, rel=1e-5)
    # the largest of 2000 rows per second misses a turning point by (w dt)^2 / 8 at most
    assert small[1] == pytest.approx(rest[1], rel=1e-3)
    for _, _, fastest in (rest, small):
        assert fastest == pytest.approx(p.speed, rel=1e-6)  # it catches up, and sticks
    calm = _cycle(replace(p, kinetic=1.0), {})
    print(f"with constant friction {calm[0]:g} Hz, range {calm[1]:.2e} rad")
    assert calm[0] == 0.0 and calm[1] < 0.01 * rest[1]
