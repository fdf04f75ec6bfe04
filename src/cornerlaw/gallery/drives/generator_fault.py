"""Generator faults: short circuit and malsynchronisation overload the gears of a drive train.

A turbine drives a synchronous generator through a shaft and a gear. At t = 0 the terminals of the
generator, which ran without load, are short-circuited, or connected to a grid whose phase is wrong.
Park's equations with field and damper windings give the air-gap torque: it swings with the
frequency of the grid at several times the rated torque, and twists the shaft. At constant speed the
equations are linear, their solution is a matrix exponential; a rotor of large inertia must follow
it. A grid that is connected in opposite phase hurts more than the short circuit.

Source: overload of gears by short circuit and malsynchronisation; data are not printed, those
of the machine are typical per-unit values of a turbogenerator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Generator short circuit"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A2", "short circuit")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 2


@dataclass(frozen=True)
class Parameters:
    """Machine per unit, train in SI units."""

    power: float = parameter(5e6, "VA", "chosen: 5 MVA set with a gear")
    frequency: float = parameter(100.0 * math.pi, "rad/s", "chosen: 50 Hz")
    pole_pairs: int = parameter(2, "1", "chosen: 1500 rpm")
    x_d: float = parameter(2.0, "1", "chosen: turbogenerator")
    x_q: float = parameter(1.9, "1", "chosen: turbogenerator")
    leakage: float = parameter(0.12, "1", "chosen: of the stator")
    field_leakage: float = parameter(0.15, "1", "chosen: transient reactance 0.26")
    damper_leakage: float = parameter(0.08, "1", "chosen: subtransient reactance 0.17")
    r_a: float = parameter(0.005, "1", "chosen: turbogenerator")
    r_f: float = parameter(0.001, "1", "chosen: open-circuit time constant 6 s")
    r_D: float = parameter(0.02, "1", "chosen: damper winding")
    generator: float = parameter(150.0, "kg*m^2", "chosen: rotor")
    turbine: float = parameter(600.0, "kg*m^2", "chosen: seen at the generator")
    stiffness: float = parameter(4e6, "N*m/rad", "chosen: 29 Hz")
    damping: float = parameter(400.0, "N*m*s/rad", "chosen: 1 % of critical")
    grid: float = parameter(0.0, "1", "chosen: short circuit")
    angle: float = parameter(0.0, "rad", "chosen: in phase")


REFERENCE = {
    "rated torque [N m]": Reference(31830.99, 0.01, "power * pole pairs / frequency"),
    "largest error of the peak": Reference(0.0, 1e-3, "matrix exponential at constant speed"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"leakage": 0.14},
    {"r_a": 0.02},
    {"power": 5.5e6},
    {"damper_leakage": 0.1},
    {"stiffness": 3e6},
)


def machine(p: Parameters) -> drives.SynchronousMachine:
    """Return the machine from its leakages."""
    x_ad, x_aq = p.x_d - p.leakage, p.x_q - p.leakage
    return drives.SynchronousMachine(
        p.power, p.frequency, p.pole_pairs, p.x_d, p.x_q, x_ad, x_aq, x_ad + p.field_leakage,
        x_ad + p.damper_leakage, x_aq + p.damper_leakage, p.r_a, p.r_f, p.r_D, p.r_D,
    )  # fmt: skip


def build(p: Parameters, name: str = "generator fault") -> cl.Model:
    """Return turbine, shaft and generator."""
    speed = p.frequency / p.pole_pairs
    turbine = cl.Rotor("turbine", inertia=p.turbine, speed=speed)
    generator = cl.Rotor("generator", inertia=p.generator, speed=speed)
    return cl.Model(
        turbine, generator,
        drives.shaft("shaft", turbine, generator, stiffness=p.stiffness, damping=p.damping),
        machine(p).element("machine", generator, grid=p.grid, angle=p.angle),
        name=name,
    )  # fmt: skip


def simulate(p: Parameters, *, name: str = "generator fault", **options: Any) -> cl.Solution:
    """Run three tenths of a second from the fault."""
    options.setdefault("t_end", 0.3)
    options.setdefault("t_eval", np.linspace(0.0, 0.3, 6001))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-9, atol=1e-12))
    options.setdefault("progress", False)
    return cl.simulate(build(p, name), **options)


def stiff_speed(p: Parameters) -> Parameters:
    """Return the same set with a rotor so heavy that its speed stays."""
    return replace(p, generator=1e9, turbine=1e9)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare torque and twist with closed forms, and the faults with each other."""
    rated = REFERENCE["rated torque [N m]"]
    steady = simulate(stiff_speed(p))
    exact = machine(p).short_circuit(steady.t, grid=p.grid, angle=p.angle)
    found = sol["machine"].torque
    peak = float(np.abs(exact).max())
    t = sol.t
    wrong = machine(p).short_circuit(t, grid=1.0, angle=math.radians(120.0))
    # twist of the shaft by the torque that was found, a convolution independent of the run
    J = p.generator * p.turbine / (p.generator + p.turbine)
    w, delta = math.sqrt(p.stiffness / J), 0.5 * p.damping / J
    wd = math.sqrt(w**2 - delta**2)
    kernel = np.exp(-delta * t) * np.sin(wd * t) / wd
    twist = np.convolve(found, kernel)[: len(t)] * (t[1] - t[0]) / p.generator
    twist -= 0.5 * (t[1] - t[0]) * (found[0] * kernel + found * kernel[0]) / p.generator
    run = sol["turbine"].angle - sol["generator"].angle
    book = drives.audit(sol, build(p))
    return [
        compare("rated torque [N m]", machine(p).rated_torque, rated.value, rated.tolerance),
        compare(
            "torque at constant speed, error over the peak",
            float(np.abs(steady["machine"].torque - exact).max()) / peak, 0.0, 1e-3,
        ),
        # the rotor slows by less than a thousandth in the first half wave
        compare("peak of the run over the closed form", np.abs(found).max() / peak, 1.0, 2e-3),
        compare("peak over rated torque", float(peak / rated.value > 4.0), 1.0, 0.0),
        compare("wrong phase over short circuit", float(np.abs(wrong).max() > peak), 1.0, 0.0),
        # trapezoids of 50 us, ten samples per radian of the fastest wave: second order
        compare(
            "twist against a convolution", float(np.abs(run + twist).max() / np.abs(run).max()),
            0.0, 1e-3,
        ),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw torque of the air gap and of the shaft."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    rated = REFERENCE["rated torque [N m]"].value
    with house_style():
        figure = new_figure(9.0, 4.0)
        axes = figure.subplots()
        axes.plot(sol.t, sol["machine"].torque / rated, color=COLOURS[0], lw=0.9, label="air gap")
        axes.plot(sol.t, -sol["shaft"].torque / rated, color=COLOURS[1], label="shaft")
        axes.set_xlabel(axis_label("time", "s"))
        axes.set_ylabel(axis_label("torque / rated torque", "1"))
        axes.legend()
    return figure
