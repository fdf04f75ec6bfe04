"""Press fit in a drive train: micro slip softens it and damps it, more at larger torques.

A hub sits on a shaft by friction. Pieces of the seat slip one after the other, which is a row of
Jenkins elements (Masing's model). Two inertias joined by it swing freely. At the turning points the
kinetic energy of the swing vanishes, so that the amplitudes follow from energies alone: the first
one from the curve of first loading, the next from Masing's doubled curve,

    1/2 J v^2 = int_0^{a_1} F(x) dx,    int_{a_1}^{-a_2} (F(a_1) - 2 F((a_1 - x) / 2)) dx = 0.

Source: the press fit of a 4 MW Diesel train whose stiffness falls by nearly 25 %; no
parameters are printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Press fit with micro slip"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("S-05", "press fit")
SOURCE = "Pfeiffer 2008, 2.6.3"
DOF = 2


@dataclass(frozen=True)
class Parameters:
    """Two inertias and the seat between them."""

    engine: float = parameter(300.0, "kg*m^2", "chosen: 4 MW engine, part near the seat")
    propeller: float = parameter(900.0, "kg*m^2", "chosen: heavy side")
    stiffness: float = parameter(6e6, "N*m/rad", "chosen: seat without slip")
    torque: float = parameter(8e4, "N*m", "chosen: everything slips")
    elements: int = parameter(8, "1", "chosen: fine enough for a smooth loop")
    speed: float = parameter(1.35, "rad/s", "chosen: secant falls by a quarter")


REFERENCE = {
    "softening of the first swing": Reference(0.25, 0.02, "book: nearly 25 %"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"speed": 0.8},
    {"torque": 1.2e5},
    {"elements": 2},
)


def seat(p: Parameters) -> drives.Masing:
    """Return the Jenkins model of the seat."""
    return drives.press_fit(stiffness=p.stiffness, torque=p.torque, elements=p.elements)


def build(p: Parameters) -> cl.Model:
    """Return both inertias, without momentum together."""
    share = p.propeller / (p.engine + p.propeller)
    engine = cl.Rotor("engine", inertia=p.engine, speed=p.speed * share)
    propeller = cl.Rotor("propeller", inertia=p.propeller, speed=-p.speed * (1.0 - share))
    return cl.Model(engine, propeller, seat(p).element("seat", engine, propeller), name="press fit")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run a few swings."""
    options.setdefault("t_end", 0.2)
    options.setdefault("t_eval", np.linspace(0.0, 0.2, 20001))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-10, atol=1e-13, max_step=5e-5))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def amplitudes(p: Parameters) -> tuple[float, float]:
    """Return the first two amplitudes from energies."""
    from scipy.integrate import quad
    from scipy.optimize import brentq

    joint = seat(p)
    J = p.engine * p.propeller / (p.engine + p.propeller)
    kinks = [h / k for h, k in zip(joint.limit, joint.stiffness, strict=True)]

    def work(curve: Any, a: float, b: float, points: list[float]) -> float:
        inside = sorted(x for x in points if min(a, b) < x < max(a, b))
        return float(quad(curve, a, b, points=inside or None, limit=400)[0])

    top = 2.0 * p.speed / math.sqrt(p.stiffness / J) + 2.0 * max(kinks)
    first = brentq(lambda a: work(joint.backbone, 0.0, a, kinks) - 0.5 * J * p.speed**2, 1e-9, top)
    doubled = [first - 2.0 * x for x in kinks]
    second = brentq(
        lambda a: work(lambda x: joint.branch(x, first), first, -a, doubled), 1e-9, first
    )
    return float(first), float(second)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare turning points with the energies, the loop with its closed form, and the audit."""
    twist = sol["engine"].angle - sol["propeller"].angle
    first, second = amplitudes(p)
    k = int(np.argmax(twist[sol.t < 0.06]))
    back = int(np.argmin(twist))
    ref = REFERENCE["softening of the first swing"]
    joint = seat(p)
    softer = 1.0 - joint.secant(float(twist[k])) / p.stiffness
    book = drives.audit(sol, build(p))
    small, large = joint.secant(0.2 * first), joint.secant(first)
    return [
        # rows 10 us apart miss a turning point by (omega dt)^2 / 8 at most
        compare("first amplitude", twist[k] / first, 1.0, 1e-6),
        compare("second amplitude", -twist[back] / second, 1.0, 1e-6),
        compare("softening of the first swing", softer, ref.value, ref.tolerance),
        compare("secant falls, loop grows", float(
            large < small and joint.loop(first) > 4.0 * joint.loop(0.5 * first)), 1.0, 0.0),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw the swing and its hysteresis."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    twist = sol["engine"].angle - sol["propeller"].angle
    force = sol.array("seat.force")
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(1e3 * sol.t, 1e3 * twist, color=COLOURS[0])
        left.set_xlabel(axis_label("time", "ms"))
        left.set_ylabel(axis_label("twist", "mrad"))
        right.plot(1e3 * twist, 1e-3 * force, color=COLOURS[1], lw=0.9)
        right.set_xlabel(axis_label("twist", "mrad"))
        right.set_ylabel(axis_label("torque", "kN m"))
    return figure
