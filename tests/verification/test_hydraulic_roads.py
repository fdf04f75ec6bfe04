"""Both roads agree on hydraulic systems, and time stepping converges to the other one."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.hydraulics import brake_tower, servo_cylinder, store_line_cylinder

pytestmark = pytest.mark.verify


def _positions(module: ModuleType, name: str, t: Any, **options: Any) -> Any:
    sol = module.simulate(module.Parameters(), t_end=float(t[-1]), **options)
    rows = np.unique(sol.t, return_index=True)[1]
    return np.interp(t, sol.t[rows], sol[name].position[rows])


@pytest.mark.parametrize(
    ("module", "name", "end", "steps", "tolerance"),
    [
        (store_line_cylinder, "piston", 0.15, (4e-5, 2e-5), 1e-4),
        (servo_cylinder, "trolley", 0.16, (4e-6, 2e-6), 2e-4),
    ],
)
def test_both_roads_agree(
    module: ModuleType, name: str, end: float, steps: tuple[float, float], tolerance: float
) -> None:
    t = np.linspace(0.0, end, 301)
    reference = _positions(module, name, t)
    scale = float(np.ptp(reference))
    errors = [
        float(np.max(np.abs(_positions(module, name, t, method=cl.Moreau(dt=dt)) - reference)))
        for dt in steps
    ]
    print(f"\n{module.TITLE}: roads apart {[f'{e / scale:.1e}' for e in errors]} of the travel")
    assert errors[1] < tolerance * scale
    assert errors[1] < 0.65 * errors[0]  # order one


# AT-06
def test_restrictors_lower_the_impact_speed_of_the_brake_tower() -> None:
    speeds, times = [], []
    for opening in (20e-6, 12e-6, 8e-6):
        p = brake_tower.Parameters(restrictor=opening)
        sol = brake_tower.simulate(p, t_end=0.15)
        speeds.append(max(brake_tower.impact_speeds(sol, p).values()))
        times.append(max(brake_tower.stops(sol, p).values()))
    print(f"\nAT-06: impact speeds {speeds} m/s, last stops {times} s")
    assert speeds[2] < 0.85 * speeds[1] < 0.75 * speeds[0]
    assert times[2] < 1.2 * times[0]  # at little cost of time
