"""Turbine blade with a friction damper: resonance curves between free and stuck.

A blade (one mode, mass m, stiffness k, small damping d) is held by a damper that rubs on the
platform: a light piece on a spring k_d, pressed on by the centrifugal force N. Without load the
damper slides freely and the blade resonates at sqrt(k / m); under a large load it sticks and the
resonance moves to sqrt((k + k_d) / m). Both peaks are high; between them there is a load with the
lowest peak.

Source: the blade damper with stick and slip; data are not printed. The two limits and the
amplitude of the stuck damper have closed forms; in between the energy of the friction is compared
with that of the force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Turbine blade with friction damper"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A6", "blade damper", "friction oscillator with two masses")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 2

LOADS = (5.0, 20.0, 60.0, 150.0, 400.0)
POINTS = 13  # of a resonance curve from the free to the stuck resonance; one more on either side


@dataclass(frozen=True)
class Parameters:
    """Blade mode, damper, friction and excitation."""

    mass: float = parameter(0.5, "kg", "chosen: modal mass")
    stiffness: float = parameter(2e5, "N/m", "chosen: 100 Hz")
    damping: float = parameter(3.0, "N*s/m", "chosen: half a percent of critical")
    piece: float = parameter(0.005, "kg", "chosen: one percent of the blade")
    damper: float = parameter(1e5, "N/m", "chosen: stuck resonance 22 % higher")
    mu: float = parameter(0.3, "1", "chosen: dry steel")
    load: float = parameter(60.0, "N", "chosen: sticks and slips")
    force: float = parameter(10.0, "N", "chosen: excitation")
    frequency: float = parameter(680.0, "rad/s", "chosen: between the resonances")


REFERENCE = {
    "free resonance [rad/s]": Reference(632.4555, 1e-4, "sqrt(k / m)"),
    "stuck resonance [rad/s]": Reference(774.5967, 1e-4, "sqrt((k + k_d) / m)"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mu": 0.1},
    {"damper": 3e4},
    {"force": 1.0},
)


def build(p: Parameters) -> cl.Model:
    """Return blade and damper piece."""
    blade = cl.Slider("blade", mass=p.mass)
    piece = cl.Slider("piece", mass=p.piece)
    return cl.Model(
        blade, piece,
        cl.TorsionSpring("root", blade, stiffness=p.stiffness, damping=p.damping),
        drives.shaft("spring", blade, piece, stiffness=p.damper, damping=0.02 * p.damping),
        cl.Brake("rubbing", piece, capacity=p.mu * p.load),
        drives.harmonic("drive", blade, amplitude=p.force, frequency=p.frequency),
        name="blade damper",
    )  # fmt: skip


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run sixty periods of the force."""
    end = 60.0 * 2.0 * math.pi / p.frequency
    options.setdefault("t_end", end)
    options.setdefault("t_eval", np.linspace(0.0, end, 24001))
    options.setdefault("method", cl.EventDriven(rtol=1e-9))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def curve(p: Parameters, load: float, frequencies: Any, **options: Any) -> drives.Response:
    """Return the resonance curve of the blade under a load on the damper."""
    options.setdefault("method", cl.EventDriven(rtol=1e-6, atol=1e-10))
    # the free blade fades by half a percent of critical: exp(-0.005 * 2 pi * 150) is left
    options.setdefault("settle", 150)
    model = build(replace(p, load=load))
    return drives.frequency_response(model, "blade.position", frequencies, keep=2, **options)


@cache
def curves(p: Parameters) -> tuple[drives.Response, ...]:
    """Return the resonance curves for some loads, from below the free to above the stuck one."""
    free, stuck = (ref.value for ref in REFERENCE.values())
    step = (stuck - free) / (POINTS - 1)
    places = np.linspace(free - step, stuck + step, POINTS + 2)
    return tuple(curve(p, load, places) for load in LOADS)


def stuck_amplitude(p: Parameters, frequency: float) -> float:
    """Return the amplitude while the damper sticks all the time."""
    k = p.stiffness + p.damper
    d = 1.02 * p.damping
    return p.force / math.hypot(k - p.mass * frequency**2, d * frequency)


def balanced_amplitude(p: Parameters) -> float:
    """Return the amplitude by harmonic balance: the damper as a Jenkins element without mass."""
    from scipy.optimize import brentq

    h, w = p.mu * p.load, p.frequency

    def excess(a: float) -> float:
        angle = math.acos(1.0 - 2.0 * min(1.0, h / (p.damper * a)))
        k = p.damper / math.pi * (angle - 0.5 * math.sin(2.0 * angle))
        loss = 4.0 * h * max(0.0, a - h / p.damper) / (math.pi * a * a)
        return math.hypot(p.stiffness + k - p.mass * w * w, p.damping * w + loss) * a - p.force

    return float(brentq(excess, 1e-7, 1e-1))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare both limits, the peaks in between, the balance of a cycle and the audit."""
    free, stuck = (ref.value for ref in REFERENCE.values())
    book = drives.audit(sol, build(p))
    peaks = [found.peak for found in curves(p)]
    heights = [height for _, height in peaks]
    best = int(np.argmin(heights))
    # both resonances are points of the curves, and so is one beyond each of them
    inside = all(free * (1.0 - 1e-12) <= w <= stuck * (1.0 + 1e-12) for w, _ in peaks)
    falls = all(a > b for a, b in pairwise(heights[: best + 1]))
    rises = all(a < b for a, b in pairwise(heights[best:]))
    slow = curve(p, 4000.0, [0.9 * free], settle=250).amplitude[0]
    late = sol.t > sol.t[-1] - 4.0 * math.pi / p.frequency
    found = 0.5 * float(np.ptp(sol["blade"].position[late]))
    kinds = {e.kind for e in sol.events if e.name == "rubbing"}
    return [
        compare("free resonance [rad/s]", math.sqrt(p.stiffness / p.mass), free, 1e-4),
        compare(
            "stuck resonance [rad/s]", math.sqrt((p.stiffness + p.damper) / p.mass), stuck, 1e-4
        ),
        compare("sticks and slips", float({"stick", "slip"} <= kinds), 1.0, 0.0),
        # the first harmonic of a stick-slip loop, and a damper without mass: a few percent
        compare("amplitude by harmonic balance", found / balanced_amplitude(p), 1.0, 0.08),
        compare("peaks between free and stuck", float(inside), 1.0, 0.0),
        compare("best load is inside", float(0 < best < len(LOADS) - 1), 1.0, 0.0),
        compare("peaks fall up to it and rise behind it", float(falls and rises), 1.0, 0.0),
        compare("best peak is less than half", float(
            heights[best] < 0.5 * min(heights[0], heights[-1])), 1.0, 0.0),
        compare("amplitude of the stuck damper", slow / stuck_amplitude(p, 0.9 * free), 1.0, 0.01),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw the resonance curves for some loads, and the closed forms of both limits."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters()
    free = REFERENCE["free resonance [rad/s]"].value
    with house_style():
        figure = new_figure(9.0, 4.2)
        axes = figure.subplots()
        for k, (load, found) in enumerate(zip(LOADS, curves(p), strict=True)):
            axes.plot(
                found.frequency / free,
                1e3 * found.amplitude,
                color=COLOURS[k],
                marker="o",
                markersize=3,
                label=f"N = {load:g} N",
            )
        places = np.linspace(curves(p)[0].frequency[0], curves(p)[0].frequency[-1], 600)
        for word, line, stiffness, damping in (
            ("damper slides freely", ":", p.stiffness, p.damping),
            ("damper sticks", "--", p.stiffness + p.damper, 1.02 * p.damping),
        ):
            height = p.force / np.hypot(stiffness - p.mass * places**2, damping * places)
            axes.plot(places / free, 1e3 * height, color="0.5", linestyle=line, label=word)
        axes.set_xlabel(axis_label("frequency / free resonance", "1"))
        axes.set_ylabel(axis_label("amplitude", "mm"))
        axes.legend()
    return figure
