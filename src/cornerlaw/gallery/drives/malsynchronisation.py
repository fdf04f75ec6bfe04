"""Malsynchronisation: a generator is connected to a grid whose phase it leads by 120 degrees.

The set of the generator fault, at rated speed and rated voltage without load, is put on the grid
too early. The air-gap torque has a decaying part of grid frequency, twisted into the shaft, and a
slow part that pulls the rotor into step. At constant speed Park's equations are linear; over all
angles the closed form has its largest peak near 130 degrees and vanishes in phase.

Source: overload of gears by malsynchronisation (A2); data are not printed, those of the machine are
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
SOURCE = "named system A2, no data"
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


def build(p: Parameters) -> cl.Model:
    """Return turbine, shaft and generator on the grid."""
    return fault.build(p)


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run three tenths of a second from the moment of connection."""
    return fault.simulate(p, **options)


def peaks(p: Parameters, angles: Any, times: Any) -> Any:
    """Return the largest torque at constant speed over the angle, over the rated torque."""
    made = fault.machine(p)
    torques = [made.short_circuit(times, grid=p.grid, angle=float(a)) for a in angles]
    return np.array([np.abs(torque).max() for torque in torques]) / made.rated_torque


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
    angles = np.radians([0.0, 60.0, 120.0, 180.0])
    over = peaks(p, angles, t)
    bolted = float(peaks(replace(p, grid=0.0), [0.0], t)[0])
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
        compare("angle of the largest peak [deg]", float(60.0 * np.argmax(over)), 120.0, 0.0),
        compare("worse than a short circuit", float(over[2] / bolted > 1.5), 1.0, 0.0),
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
