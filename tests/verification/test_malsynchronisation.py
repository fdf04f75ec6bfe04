"""A2: torque over the angle of synchronisation, against the closed form of frozen rotor fluxes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cornerlaw.gallery.drives import generator_fault as fault
from cornerlaw.gallery.drives import malsynchronisation as wrong_phase

ANGLES = np.radians(np.arange(0.0, 361.0, 5.0))
TIMES = np.linspace(0.0, 0.04, 801)


def test_without_resistance_park_is_the_closed_form() -> None:
    """Both for a round rotor and for the axes of the machine, over the whole turn."""
    p = wrong_phase.Parameters()
    salient = replace(fault.machine(p), r_a=1e-9, r_f=1e-9, r_D=1e-9, r_Q=1e-9)
    even = wrong_phase.round_machine(p)
    assert even.subtransient()[0] == pytest.approx(even.subtransient()[1], rel=1e-12)
    for machine in (salient, even):
        worst = 0.0
        for angle in ANGLES:
            found = machine.short_circuit(TIMES, grid=1.0, angle=float(angle))
            exact = wrong_phase.frozen(machine, float(angle), TIMES)
            worst = max(worst, float(np.abs(found / machine.rated_torque - exact).max()))
        # resistances of 1e-9 act for 13 rad of the grid on torques of 17
        assert worst < 5e-6
        print(f"\nlossless Park against the closed form, error / rated torque: {worst:.1e}")


def test_peak_over_the_angle_of_a_round_rotor() -> None:
    """(sin a + 2 sin(a / 2)) / x from 0 to 180 degrees, symmetric beyond."""
    machine = wrong_phase.round_machine(wrong_phase.Parameters())
    x = machine.subtransient()[0]
    fine = np.linspace(0.0, 0.04, 8001)
    for angle in np.radians(np.arange(0.0, 181.0, 5.0)):
        peak = (math.sin(angle) + 2.0 * math.sin(0.5 * angle)) / x
        for side in (angle, -angle):
            torque = machine.short_circuit(fine, grid=1.0, angle=float(side))
            found = float(np.abs(torque).max()) / machine.rated_torque
            assert found == pytest.approx(peak, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("degrees", [30.0, 90.0, 120.0, 133.0, 180.0, 240.0])
def test_run_at_constant_speed_follows_the_closed_form(degrees: float) -> None:
    """The whole torque over time of the element in a model, not its peak only."""
    p = replace(wrong_phase.Parameters(), angle=math.radians(degrees))
    run = fault.simulate(fault.stiff_speed(p), t_end=0.04, t_eval=TIMES)
    exact = fault.machine(p).short_circuit(TIMES, grid=1.0, angle=p.angle)
    error = float(np.abs(run["machine"].torque - exact).max() / np.abs(exact).max())
    print(f"\nangle {degrees:g} deg: error of the torque over its peak {error:.1e}")
    assert error < 1e-6  # steps of 1e-9, and a rotor of 1e9 kg m^2 that gives way by 1e-7


def test_short_circuit_peak_at_constant_speed() -> None:
    """Issue: within 0.1 % of the closed form."""
    p = fault.Parameters()
    run = fault.simulate(fault.stiff_speed(p), t_end=0.04, t_eval=TIMES)
    exact = float(np.abs(fault.machine(p).short_circuit(TIMES)).max())
    share = float(np.abs(run["machine"].torque).max()) / exact
    print(f"\npeak of the short circuit over the closed form: 1 {share - 1.0:+.1e}")
    assert share == pytest.approx(1.0, abs=1e-3)
