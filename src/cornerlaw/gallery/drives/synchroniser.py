"""Synchroniser: the sleeve presses a cone, waits until the speeds agree, then slides through.

The sleeve turns with the output shaft and is pushed by the shift fork. Its teeth meet the chamfers
of the synchroniser ring, which is dragged to one side by the friction of its cone and blocks them:
the fork then presses the ring onto the cone of the gear. With the half cone angle alpha the cone
torque and the torque by which the chamfers (half angle beta) try to turn the ring back are

    T_cone = mu F R / sin(alpha),     T_index = F r / tan(beta).

While T_cone > T_index the sleeve is blocked. The gear follows in the time J dw / T_cone; at equal
speeds the cone only sticks, the chamfers turn the ring with the gear and the sleeve passes.
All of this follows from two contacts with friction; no phase is prescribed.

Source: the synchroniser; data are not printed. Closed forms of the phases are the references.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Synchroniser"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A5", "synchroniser")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 5


@dataclass(frozen=True)
class Parameters:
    """Gear to be synchronised, ring, sleeve and their geometry."""

    gear: float = parameter(0.01, "kg*m^2", "chosen: gears and clutch disc")
    output: float = parameter(100.0, "kg*m^2", "chosen: the vehicle")
    ring: float = parameter(2e-4, "kg*m^2", "chosen: ring of 0.1 kg")
    ring_mass: float = parameter(0.1, "kg", "chosen: ring")
    sleeve: float = parameter(0.4, "kg", "chosen: sleeve and fork")
    force: float = parameter(400.0, "N", "chosen: shift force")
    slip: float = parameter(100.0, "rad/s", "chosen: difference of speeds")
    mu: float = parameter(0.1, "1", "chosen: molybdenum on steel")
    alpha: float = parameter(0.122, "rad", "chosen: 7 degrees")
    cone: float = parameter(0.035, "m", "chosen: mean radius of the cone")
    beta: float = parameter(1.0, "rad", "chosen: chamfers of 57 degrees block")
    pitch: float = parameter(0.04, "m", "chosen: radius of the chamfers")
    play: float = parameter(0.02, "rad", "chosen: turn of the ring to either side")
    way: float = parameter(1e-3, "m", "chosen: way of the sleeve to the chamfers")
    guide: float = parameter(100.0, "N*s/m", "chosen: grease between sleeve and hub")


REFERENCE = {
    "cone torque [N m]": Reference(11.50, 0.01, "mu F R / sin(alpha)"),
    "torque of the chamfers [N m]": Reference(10.27, 0.01, "F r / tan(beta)"),
    # the fork pushes fully once the sleeve rests; before that its speed loads the cone
    "time of synchronising [s]": Reference(0.0869, 0.0026, "J slip / T_cone"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"beta": 0.7},  # blunt chamfers: the sleeve breaks through
    {"mu": 0.2},
    {"slip": 130.0},
)


def unit(p: Parameters) -> drives.Synchroniser:
    """Return the synchroniser between gear and output."""
    return drives.Synchroniser(
        ring_inertia=p.ring, ring_mass=p.ring_mass, sleeve_mass=p.sleeve, friction=p.mu,
        cone_angle=p.alpha, cone_radius=p.cone, chamfer_angle=p.beta, chamfer_radius=p.pitch,
        play=p.play, way=p.way, guide=p.guide,
    )  # fmt: skip


def build(p: Parameters) -> cl.Model:
    """Return gear, output shaft and the synchroniser between them."""
    output = cl.Rotor("output", inertia=p.output)
    gear = cl.Rotor("gear", inertia=p.gear, speed=p.slip)
    parts = unit(p).parts("sync", gear, output, force=p.force)
    return cl.Model(output, gear, *parts, name="synchroniser")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run until the sleeve is through."""
    options.setdefault("t_end", 0.15)
    options.setdefault("method", cl.EventDriven(rtol=1e-10, max_step=1e-4))
    options.setdefault("t_eval", np.linspace(0.0, 0.15, 15001))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def times(sol: cl.Solution, p: Parameters) -> dict[str, float]:
    """Return when the sleeve is blocked, when the speeds agree, and when the sleeve is through."""
    x = sol["sync.sleeve"].position
    slip = sol["gear"].speed - sol["sync.ring"].speed
    through = p.way + 1.9 * p.pitch * p.play / math.tan(p.beta)
    moments = {}
    for name, holds in (
        ("blocked", x > 0.999 * p.way), ("equal", np.abs(slip) < 1e-3 * p.slip),
        ("through", x > through),
    ):  # fmt: skip
        moments[name] = float(sol.t[np.argmax(holds)]) if holds.any() else math.nan
    return moments


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the phases with their closed forms, and close the energy audit."""
    found, book = times(sol, p), drives.audit(sol, build(p))
    torque, index, duration = REFERENCE.values()
    T = unit(p).cone_torque(p.force)
    J = p.gear * p.output / (p.gear + p.output)
    inside = (sol.t > found["blocked"] + 0.01) & (sol.t < found["equal"] - 0.005)
    rate = np.polyfit(sol.t[inside], sol["gear"].speed[inside], 1)[0] if inside.sum() > 9 else 0.0
    still = float(np.ptp(sol["sync.sleeve"].position[inside])) if inside.any() else math.nan
    k = int(np.searchsorted(sol.t, found["equal"])) if found["equal"] == found["equal"] else 0
    left = float(sol["gear"].speed[k] - sol["output"].speed[k])
    return [
        compare("cone torque [N m]", T, torque.value, torque.tolerance),
        compare(
            "torque of the chamfers [N m]", unit(p).index_torque(p.force), index.value,
            index.tolerance,
        ),
        compare("slowing down of the gear", -rate * p.gear / T, 1.0, 1e-3),
        compare(
            "time of synchronising [s]", found["equal"] - found["blocked"], duration.value,
            duration.tolerance,
        ),
        compare(
            "time of synchronising over its closed form",
            (found["equal"] - found["blocked"]) / unit(p).duration(p.force, p.slip, J), 1.0, 0.03,
        ),
        compare("sleeve moves while it is blocked [m]", still, 0.0, 1e-6),
        compare("through after the speeds agree", float(found["through"] > found["equal"]), 1.0, 0),
        compare("from equal speeds to through [s]", found["through"] - found["equal"], 0.0, 0.03),
        compare("slip when the ring lets go [rad/s]", left, 0.0, 0.01 * p.slip),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        # impacts of a ring that rests at its stop are rounding
        compare("energy created", book.created, 0.0, 1e-15),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw speeds and the way of the sleeve."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 4.6)
        top, low = figure.subplots(2, 1, sharex=True)
        for k, name in enumerate(("gear", "sync.ring", "output")):
            top.plot(1e3 * sol.t, sol[name].speed, color=COLOURS[k], label=name)
        top.set_ylabel(axis_label("speed", "rad/s"))
        top.legend()
        low.plot(1e3 * sol.t, 1e3 * sol["sync.sleeve"].position, color=COLOURS[3])
        low.set_ylabel(axis_label("sleeve", "mm"))
        low.set_xlabel(axis_label("time", "ms"))
    return figure
