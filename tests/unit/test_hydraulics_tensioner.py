"""Parts of a hydraulic tensioner: the ball of its check valve, and the variants it is built in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cornerlaw as cl
from cornerlaw.gallery.hydraulics import chain_tensioner
from cornerlaw.hydraulics import (
    CheckValve,
    Cylinder,
    Edge,
    Fluid,
    Gap,
    Junction,
    Line,
    Network,
    Orifice,
    Source,
)

BALL = math.pi * 2e-3**2  # seat of a ball of 5 mm
RATE, PRELOAD = 5000.0, 0.25
PRESSURE = cl.Table((0.0, 4e-3, 5e-3, 1.0), (1e5, 1e5, 6e5, 6e5))  # behind the valve


def valve(mass: float, damping: float) -> Network:
    """Return a spring-loaded ball between a supply and a given pressure."""
    width = 2.0 * math.pi * 2.5e-3 * 0.5  # half angle of 45 degrees
    return Network(
        Source("supply", 3e5),
        Source("chamber", PRESSURE),
        Cylinder(
            "ball", "supply", area=BALL, rod_chamber="chamber", rod_area=BALL, mass=mass,
            stiffness=RATE, preload=PRELOAD, damping=damping, lower=0.0, upper=0.6e-3,
        ),
        Orifice(
            "seat", "supply", "chamber", 0.02, 4e-3, opening=Edge("ball", width), smallest=0.05
        ),
    )  # fmt: skip


def lift(mass: float, damping: float) -> tuple[Any, Any]:
    t = np.linspace(0.0, 8e-3, 801)
    sol = cl.simulate(valve(mass, damping).model(), t_end=8e-3, t_eval=t, progress=False,
                      method=cl.EventDriven(rtol=1e-8, atol=1e-12))  # fmt: skip
    t, rows = np.unique(sol.t, return_index=True)
    return t, sol["ball"].position[rows]


def massless(damping: float, t: Any) -> Any:
    """Return the lift of a ball without mass: the damper carries all force, down to the seat."""

    def rate(time: float, x: Any) -> Any:
        drop = 3e5 - np.interp(time, PRESSURE.x, PRESSURE.y)
        speed = (BALL * drop - PRELOAD - RATE * x[0]) / damping
        return [max(speed, 0.0) if x[0] <= 0.0 else speed]

    found = solve_ivp(rate, (0.0, t[-1]), [0.0], t_eval=t, max_step=1e-5, rtol=1e-8, atol=1e-12)
    return np.maximum(found.y[0], 0.0)


# HT-07
def test_light_ball_moves_like_one_without_mass() -> None:
    errors = []
    for mass in (4e-5, 1e-5):
        t, x = lift(mass, 2.0)
        errors.append(float(np.max(np.abs(x - massless(2.0, t)))) / float(x.max()))
    print(f"\nHT-07: lift of balls of 0.04 and 0.01 g from that without mass {errors}")
    assert errors[1] < 0.05 and errors[1] < 0.5 * errors[0]


def test_damping_delays_the_closing() -> None:
    closing = []
    for damping in (1.0, 4.0):
        t, x = lift(4e-5, damping)
        late = (t > 4e-3) & (x < 1e-6)
        closing.append(float(t[late][0]))
    assert closing[1] > closing[0] + 1e-4


# HT-07
def test_slow_ball_delays_the_rise_of_the_pressure() -> None:
    # the piston begins to move in while the ball is open: oil flows back until it has closed
    def chamber_at_start(damping: float) -> float:
        net = Network(
            Source("supply", 3e5),
            Junction("chamber", "compressible", volume=3e-6, pressure=3e5),
            Cylinder(
                "ball", "supply", area=BALL, rod_chamber="chamber", rod_area=BALL, mass=4e-5,
                stiffness=RATE, preload=PRELOAD, damping=damping, lower=0.0, upper=0.6e-3,
                position=0.15e-3,
            ),
            Orifice(
                "seat", "supply", "chamber", 0.02, 4e-3,
                opening=Edge("ball", 2.0 * math.pi * 2.5e-3 * 0.5), smallest=0.05,
            ),
            Cylinder("piston", "chamber", area=1.5e-4, mass=5.0, velocity=-0.2),
            fluid=Fluid(air=0.005, viscosity=30e-6),
        )  # fmt: skip
        t = np.linspace(0.0, 1e-3, 61)
        sol = cl.simulate(net.model(), t_end=1e-3, t_eval=t, progress=False,
                          method=cl.EventDriven(rtol=1e-7, atol=1e-11))  # fmt: skip
        return float(net.read(sol)["chamber"].pressure[-1])

    quick, slow = chamber_at_start(0.5), chamber_at_start(100.0)
    assert slow < 0.9 * quick


def variant(*more: Any, valve: bool = True, **gap: Any) -> Network:
    """Return a tensioner; `more` adds to it."""
    parts: list[Any] = [
        Source("supply", 3e5),
        Source("engine", 1e5),
        Junction("chamber", "compressible", volume=3e-6, pressure=3e5),
        Cylinder("piston", "chamber", area=1.5e-4, mass=0.05, stiffness=2000.0, force=-60.0,
                 lower=-5e-3, upper=5e-3),
        Gap("leak", "chamber", "engine", 0.02, 0.014, on="piston", height=40e-6, **gap),
    ]  # fmt: skip
    if valve:
        parts.append(CheckValve("valve", "supply", "chamber", 0.01, 4e-3, opening=6e-6))
    else:
        parts.append(Line("bore", "supply", "chamber", 0.01, 2e-3))
    return Network(*parts, *more, fluid=Fluid(air=0.02, viscosity=30e-6))


VARIANTS = {
    "plain": lambda: variant(),
    "progressive": lambda: variant(inner=(0.0, 0.02), outer=(-0.01, 0.015)),
    "relief": lambda: variant(
        CheckValve("relief", "chamber", "engine", 0.01, 3e-3, opening=3e-6, preload=40e5)
    ),
    "reflux": lambda: variant(
        Orifice("reflux", "chamber", "supply", 0.02, 2e-3, opening=2e-7),
    ),
    "second chamber": lambda: variant(
        Junction("second", "compressible", volume=2e-6, pressure=3e5),
        Orifice("channel", "chamber", "second", 0.02, 2e-3, opening=1e-6),
    ),
    "no check valve": lambda: variant(valve=False),
}


# HT-08
@pytest.mark.parametrize("name", VARIANTS)
def test_variants_are_composed_of_parts(name: str) -> None:
    net = VARIANTS[name]()
    assert net.undetermined() == ()
    method = cl.EventDriven(rtol=1e-7, atol=1e-10)
    sol = cl.simulate(net.model(), t_end=1e-3, method=method, progress=False)
    assert sol.ok
    pressure = net.read(sol)["chamber"].pressure
    assert np.isfinite(pressure).all() and pressure.min() > 0.0


def loops(**changes: float) -> Any:
    """Return the work per cycle, warm and cold, at 20, 60 and 100 Hz, of oil without mass."""
    p = replace(chain_tensioner.Parameters(), **changes)
    return np.array(
        [
            [
                chain_tensioner.without_inertia(replace(p, frequency=f, viscosity=nu)).work
                for f in (20.0, 60.0, 100.0)
            ]
            for nu in (chain_tensioner.WARM, chain_tensioner.COLD)
        ]
    )


# HT-06
def test_loops_widen_with_frequency_and_cold_where_the_gap_leaks_fast() -> None:
    warm, cold = loops(**chain_tensioner.LEAKY)
    assert np.all(np.diff(warm) > 0.0)
    assert np.all(np.diff(cold) > 0.0)
    assert np.all(cold > warm)


# HT-06
def test_loops_narrow_where_the_chamber_relaxes_slowly() -> None:
    warm, cold = loops()
    assert np.all(warm > 0.0)
    assert np.all(cold > 0.0)  # loops, all of them
    assert np.all(np.diff(cold) < 0.0)
    assert np.all(cold < warm)
