"""Malsynchronisation: a generator is connected to a grid whose phase it leads by 120 degrees.

The set of the generator fault, at rated speed and rated voltage without load, is put on the grid
too early. The air-gap torque has a decaying part of grid frequency, twisted into the shaft, and a
slow part that pulls the rotor into step. At constant speed Park's equations are linear and have a
closed form. While the fluxes of the rotor stay as they are, a machine with equal reactances x in
both axes gives, at the angle a by which it leads,

    torque / rated torque = -(sin a (1 - cos w t) + (1 - cos a) sin w t) / x,
    peak                  = (sin a + 2 sin(a / 2)) / x,

which is largest at 120 degrees, 3 sqrt(3) / 2 = 2.6 times that of a short circuit, and vanishes in
phase. Here the q axis is weaker and its damper soon lets the flux go: the worst angle is near 130.

Source: overload of gears by malsynchronisation; data are not printed, those of the machine are
typical per-unit values of a turbogenerator, as in the short circuit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.drives import generator_fault as fault

TITLE = "Generator connected in wrong phase"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A2", "wrong phase")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 2


@dataclass(frozen=True)
class Parameters(fault.Parameters):
    """The set of the short circuit, on a live grid."""

    grid: float = parameter(1.0, "1", "chosen: rated voltage")
    angle: float = parameter(math.radians(120.0), "rad", "chosen: the phases in wrong order")


REFERENCE = {
    "rated torque [N m]": Reference(31830.99, 0.01, "power * pole pairs / frequency"),
    "peak at constant speed over the closed form": Reference(1.0, 1e-3, "matrix exponential"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"angle": math.radians(60.0)},
    {"grid": 0.9},
    {"leakage": 0.14},
    {"power": 5.5e6},
)


TINY = 1e-9  # resistance of windings that keep their fluxes


def build(p: Parameters) -> cl.Model:
    """Return turbine, shaft and generator on the grid."""
    return fault.build(p, "malsynchronisation")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run three tenths of a second from the moment of connection."""
    return fault.simulate(p, name="malsynchronisation", **options)


def peaks(p: Parameters, angles: Any, times: Any) -> Any:
    """Return the largest torque at constant speed over the angle, over the rated torque."""
    made = fault.machine(p)
    torques = [made.short_circuit(times, grid=p.grid, angle=float(a)) for a in angles]
    return np.array([np.abs(torque).max() for torque in torques]) / made.rated_torque


def frozen(made: drives.SynchronousMachine, angle: float, times: Any) -> Any:
    """Return the torque over the rated one while the fluxes of the rotor stay. (T-20.40)"""
    x_d, x_q = made.subtransient()
    v_d, v_q = math.sin(angle), math.cos(angle)
    c, s = np.cos(made.frequency * times), np.sin(made.frequency * times)
    psi_d = v_q + (1.0 - v_q) * c + v_d * s
    psi_q = v_d * (c - 1.0) - (1.0 - v_q) * s
    return psi_q * (1.0 / x_d + psi_d * (1.0 / x_q - 1.0 / x_d))


def round_machine(p: Parameters) -> drives.SynchronousMachine:
    """Return the machine with the same damping in both axes, whose windings hardly resist."""
    made = fault.machine(p)
    leakage = made.x_d - made.x_ad
    # of the damper in the q axis, so that both subtransient reactances agree
    damper = 1.0 / (1.0 / (made.subtransient()[0] - leakage) - 1.0 / made.x_aq)
    return replace(made, x_Q=made.x_aq + damper, r_a=TINY, r_f=TINY, r_D=TINY, r_Q=TINY)


def worst(angles: Any, heights: Any) -> tuple[float, float]:
    """Return place and height of the largest of equally spaced values, by a parabola."""
    k = int(np.argmax(heights))
    a, b, c = heights[k - 1 : k + 2]
    shift = 0.5 * (a - c) / (a - 2.0 * b + c)
    return float(angles[k] + shift * (angles[1] - angles[0])), float(b - 0.25 * (a - c) * shift)


def over_angles(p: Parameters, angles: Any, times: Any) -> float:
    """Return the largest error of the peaks of runs at constant speed, over the closed form."""
    errors = []
    for angle, exact in zip(angles, peaks(p, angles, times), strict=True):
        heavy = fault.stiff_speed(replace(p, angle=float(angle)))
        run = fault.simulate(heavy, t_end=times[-1], t_eval=times)
        found = np.abs(run["machine"].torque).max() / fault.machine(p).rated_torque
        errors.append(abs(found / exact - 1.0))
    return float(max(errors))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the peak with the closed form at constant speed, and the angles with each other."""
    rated = REFERENCE["rated torque [N m]"]
    share = REFERENCE["peak at constant speed over the closed form"]
    t = np.linspace(0.0, 0.04, 801)
    # the run's own data on a rotor so heavy that its speed stays
    heavy = fault.simulate(
        fault.stiff_speed(p), t_end=t[-1], t_eval=t,
    )  # fmt: skip
    exact = float(np.abs(fault.machine(p).short_circuit(t, grid=p.grid, angle=p.angle)).max())
    angles = np.arange(0.0, 181.0)
    over = peaks(p, np.radians(angles), t)
    bolted = float(peaks(replace(p, grid=0.0), [0.0], t)[0])
    even = round_machine(p)
    theory = [np.abs(even.short_circuit(t, grid=1.0, angle=float(a))).max() / even.rated_torque
              for a in np.radians(angles)]  # fmt: skip
    turn, height = worst(angles, np.array(theory))
    held = np.array(
        [np.abs(frozen(fault.machine(p), float(a), t)).max() for a in np.radians(angles)]
    )
    kept = replace(fault.machine(p), r_a=TINY, r_f=TINY, r_D=TINY, r_Q=TINY)
    lossless = np.array(
        [np.abs(kept.short_circuit(t, grid=1.0, angle=float(a))).max() / kept.rated_torque
         for a in np.radians(angles)]
    )  # fmt: skip
    book = drives.audit(sol, build(p))
    found = np.abs(sol["machine"].torque)
    return [
        compare("rated torque [N m]", fault.machine(p).rated_torque, rated.value, rated.tolerance),
        compare(
            "peak at constant speed over the closed form",
            float(np.abs(heavy["machine"].torque).max()) / exact, share.value, share.tolerance,
        ),
        # a real rotor gives way a little while the torque rises
        compare("peak of the run over the closed form", found.max() / exact, 1.0, 2e-3),
        compare("in phase nothing happens", float(over[0]), 0.0, 1e-9),
        # every fifteen degrees, where the torque is not small
        compare(
            "largest error of peaks over the angle",
            over_angles(p, np.radians(np.arange(15.0, 181.0, 15.0)), t), 0.0, 1e-3,
        ),
        # 400 samples per wave see a peak to 3e-5
        compare("worst angle with equal axes [deg]", turn, 120.0, 0.2),
        compare(
            "worst peak with equal axes times reactance", height * even.subtransient()[0],
            1.5 * math.sqrt(3.0), 2e-4,
        ),
        # the same samples; resistances of 1e-9 change a peak by 5e-6, a degree off it is 2e-3 lower
        compare(
            "worst angle without resistance [deg]", worst(angles, lossless)[0],
            worst(angles, held)[0], 1e-2,
        ),
        compare("worse than a short circuit", float(over.max() / bolted > 1.5), 1.0, 0.0),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw torques over time, and the peak of the closed form over the angle."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters()
    rated = fault.machine(p).rated_torque
    with house_style():
        figure = new_figure(9.0, 5.0)
        top, low = figure.subplots(2, 1)
        top.plot(sol.t, sol["machine"].torque / rated, color=COLOURS[0], lw=0.9, label="air gap")
        top.plot(sol.t, -sol["shaft"].torque / rated, color=COLOURS[1], label="shaft")
        top.set_xlabel(axis_label("time", "s"))
        top.set_ylabel(axis_label("torque / rated torque", "1"))
        top.legend()
        angles = np.radians(np.linspace(0.0, 180.0, 61))
        low.plot(
            np.degrees(angles), peaks(p, angles, np.linspace(0.0, 0.04, 801)), color=COLOURS[2]
        )
        low.set_xlabel(axis_label("angle by which the rotor leads", "deg"))
        low.set_ylabel(axis_label("peak / rated torque", "1"))
    return figure
