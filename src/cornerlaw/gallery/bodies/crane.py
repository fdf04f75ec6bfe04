"""Overhead crane: a trolley with a load on a rope, pushed by a short pulse of force.

A trolley of mass M runs on a level rail and carries the load m on a massless rope of length l. A
pulse

    F(t) = F_0 sin^2(pi t / T) for t < T, else 0

pushes the trolley. Afterwards, without outer horizontal forces, the momentum is constant at F_0 T
/ 2, the centre of mass moves at constant speed, and load and trolley swing against each other;
for small angles at

    omega^2 = (1 + m / M) g / l,

with the rope's tension returning to the weight of the load. The source uses cranes for servo
constraints (inverse problems); this is their forward model. All numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Overhead crane"
TOPIC = "bodies"
SPEC: tuple[str, ...] = ("G5",)
SOURCE = "Yang, Betsch and Altmann, GAMM 2015"
DOF = 2


@dataclass(frozen=True)
class Parameters:
    """A workshop crane with a light push, so that the swings stay small."""

    trolley: float = parameter(400.0, "kg", "chosen: a workshop crane")
    load: float = parameter(600.0, "kg", "chosen: heavier than the trolley, strong coupling")
    rope: float = parameter(5.0, "m", "chosen: a workshop crane")
    push: float = parameter(60.0, "N", "chosen: swings below 0.01 rad")
    pulse: float = parameter(1.0, "s", "chosen: short against the swing")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "energy drift after the pulse": Reference(0.0, 1e-9, "no force does work after the pulse"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"trolley": 480.0},
    {"load": 720.0},
    {"rope": 6.0},
    {"push": 72.0},
    {"gravity": 7.848},
)


def swing_period(p: Parameters) -> float:
    """Return the period of small swings of load against trolley."""
    return 2.0 * math.pi / math.sqrt((1.0 + p.load / p.trolley) * p.gravity / p.rope)


def build(p: Parameters) -> cl.Model:
    """Return trolley and load; the rope hangs down at angle 0."""
    trolley = cl.Body("trolley", mass=p.trolley)
    # a point mass at the end of the rope: no inertia of its own
    load = cl.Body("load", mass=p.load, com=(0.0, -p.rope))
    push, pulse = p.push, p.pulse

    def force(t: float) -> float:
        return push * math.sin(math.pi * t / pulse) ** 2 if t < pulse else 0.0

    return cl.Model(
        cl.Prismatic("rail", cl.Ground(), trolley, axis=(1.0, 0.0), displacement=0.0, velocity=0.0),
        cl.Revolute("hook", trolley, load, angle=0.0, speed=0.0),
        cl.Frame("hoist", load, at=(0.0, -p.rope)),
        cl.Force("drive", trolley, value=(force, 0.0)),
        gravity=(0.0, -p.gravity),
        name="crane",
    )


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for six swings after the pulse."""
    options.setdefault("t_end", p.pulse + 6.0 * swing_period(p))
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 2001))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-12, atol=1e-14))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare momentum, centre of mass, swing period and rope force with their closed forms."""
    from scipy.interpolate import CubicHermiteSpline

    after = sol.t >= p.pulse
    t = sol.t[after]
    momentum = 0.5 * p.push * p.pulse
    carried = float(np.max(np.abs(sol["system.momentum"][after, 0] - momentum)))
    speed = momentum / (p.trolley + p.load)
    # by symmetry of the pulse its mean acts at T / 2
    travelled = speed * (sol.t[-1] - 0.5 * p.pulse)
    centre = sol["system.centre_of_mass"][:, 0]
    angle, rate = sol["hook"].angle[after], sol["hook"].speed[after]
    crossings = CubicHermiteSpline(t, angle, rate).roots(extrapolate=False)
    period = (
        2.0 * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
        if len(crossings) > 2
        else math.nan
    )
    exact = swing_period(p)
    largest = float(np.max(np.abs(angle)))
    energy = sol["energy.total"][after]
    drift = float(np.max(np.abs(energy - energy[0])) / np.max(sol["energy.kinetic"]))
    # the rope pulls along itself only: the force in the hook is m (a - g) projected on the rope
    a = sol["hoist"].acceleration + np.array([0.0, p.gravity])
    along = np.column_stack([np.sin(sol["hook"].angle), -np.cos(sol["hook"].angle)])
    tension = -p.load * np.einsum("ta,ta->t", a, along)
    rope = np.linalg.norm(sol["hook"].force, axis=1)
    return [
        compare("largest error of momentum [N s]", carried, 0.0, 1e-9 * momentum),
        compare("way of the centre of mass [m]", centre[-1] - centre[0], travelled, 1e-9),
        # a swing of amplitude a lasts longer by a^2 / 16 and less with a coupled trolley
        compare("swing period [s]", period, exact, max(largest**2, 1e-6) * exact),
        compare(
            "force in the hook against tension [N]",
            float(np.max(np.abs(rope - tension))),
            0.0,
            1e-8 * p.load * p.gravity,
        ),
        check_reference("energy drift after the pulse", drift, REFERENCE),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the ways of trolley, load and centre of mass, and the angle of the rope."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    ways = {
        "trolley": sol["trolley"].position[:, 0],
        "load": sol["hoist"].position[:, 0],
        "centre of mass": sol["system.centre_of_mass"][:, 0],
    }
    with house_style():
        figure = new_figure(7.0, 5.0)
        way, swing = figure.subplots(2, 1, sharex=True)
        for colour, (name, values) in zip(COLOURS, ways.items(), strict=False):
            way.plot(sol.t, values, color=colour, label=name)
        way.set_ylabel(axis_label("way", "m"))
        way.set_title("One push: the centre of mass goes straight on")
        add_legend(way)
        swing.plot(sol.t, 1e3 * sol["hook"].angle, color=COLOURS[3])
        swing.set_ylabel(axis_label("rope angle", "mrad"))
        swing.set_xlabel(axis_label("time", "s"))
    return figure
