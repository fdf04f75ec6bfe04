"""Physical pendulum: a uniform rod that swings far beyond small angles.

The rod hangs on a revolute joint and is released from rest at the angle A from the vertical. With
omega_0^2 = m g s / (I + m s^2) = 3 g / (2 l) its period is known in closed form,

    T = 4 / omega_0 K(sin^2(A / 2)),

K being the complete elliptic integral of the first kind (parameter, not modulus); near the inverted
position it is several times that of small swings. At the lowest point the bearing carries
m g (1 + 3/2 (1 - cos A)). Every number is chosen; the laws are those of any textbook of mechanics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Physical pendulum with large swings"
TOPIC = "basics"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook"
DOF = 1


@dataclass(frozen=True)
class Parameters:
    """A uniform rod on a frictionless bearing."""

    mass: float = parameter(2.0, "kg", "chosen: a hand-held rod")
    length: float = parameter(0.8, "m", "chosen: a hand-held rod")
    amplitude: float = parameter(2.5, "rad", "chosen: far beyond small angles, short of inverted")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "energy drift": Reference(0.0, 1e-9, "no friction: the total energy is constant"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mass": 2.4},
    {"length": 0.96},
    {"amplitude": 2.0},
    {"gravity": 7.85},
)


def small_period(p: Parameters) -> float:
    """Return the period of small swings 2 pi / omega_0."""
    return 2.0 * math.pi * math.sqrt(2.0 * p.length / (3.0 * p.gravity))


def exact_period(p: Parameters) -> float:
    """Return the period at the amplitude of the parameters."""
    from scipy.special import ellipk

    return small_period(p) * 2.0 / math.pi * float(ellipk(math.sin(0.5 * p.amplitude) ** 2))


def build(p: Parameters) -> cl.Model:
    """Return the rod on its bearing, released from rest; the angle counts from hanging down."""
    rod = cl.Body(
        "rod",
        mass=p.mass,
        inertia=p.mass * p.length**2 / 12.0,
        com=(0.0, -0.5 * p.length),
    )
    bearing = cl.Revolute("bearing", cl.Ground(), rod, angle=p.amplitude, speed=0.0)
    return cl.Model(bearing, gravity=(0.0, -p.gravity), name="pendulum")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for three periods."""
    options.setdefault("t_end", 3.0 * exact_period(p))
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 1501))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-11))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare period, bearing force and energy with their closed forms."""
    from scipy.interpolate import CubicHermiteSpline

    swing = CubicHermiteSpline(sol.t, sol["bearing"].angle, sol["bearing"].speed)
    # two crossings per period
    crossings = swing.roots(extrapolate=False)
    span = crossings[-1] - crossings[0] if len(crossings) > 1 else math.nan
    period = 2.0 * span / (len(crossings) - 1) if len(crossings) > 1 else math.nan
    exact = exact_period(p)
    force = float(np.max(sol["bearing"].force[:, 1]))
    heaviest = p.mass * p.gravity * (1.0 + 1.5 * (1.0 - math.cos(p.amplitude)))
    energy = sol["energy.total"]
    scale = float(np.max(sol["energy.kinetic"]))
    drift = float(np.max(np.abs(energy - energy[0]))) / scale
    return [
        # cubic interpolation over 5 ms, (omega dt)^4 / 384
        compare("period [s]", period, exact, 1e-7 * exact),
        # the lowest point may lie 2.5 ms from the nearest row, (omega dt)^2 / 2
        compare("largest bearing force [N]", force, heaviest, 3e-4 * heaviest),
        check_reference("energy drift", drift, REFERENCE),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw angle and speed over time and the phase portrait."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    angle, speed = sol["bearing"].angle, sol["bearing"].speed
    with house_style():
        figure = new_figure(9.0, 3.8)
        over_time, portrait = figure.subplots(1, 2, width_ratios=(3, 2))
        over_time.plot(sol.t, angle, color=COLOURS[0], label="angle [rad]")
        over_time.plot(sol.t, speed, color=COLOURS[1], label="speed [rad/s]")
        over_time.set_xlabel(axis_label("time", "s"))
        over_time.set_title("Far from a sine")
        over_time.set_ylim(top=1.5 * float(abs(speed).max()))
        add_legend(over_time)
        portrait.plot(angle, speed, color=COLOURS[2])
        portrait.set_xlabel(axis_label("angle", "rad"))
        portrait.set_ylabel(axis_label("speed", "rad/s"))
        portrait.set_title("Phase portrait")
    return figure
