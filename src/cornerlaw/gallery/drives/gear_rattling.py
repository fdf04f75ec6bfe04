# mypy: allow-untyped-defs
"""Gear rattling: a loose gear is thrown to and fro between the teeth of a shaking one.

A gear that carries no load is driven by one whose speed oscillates; only drag and oil hold it back.
Its teeth hit both flanks, by Newton's law since the forces are small. Between impacts the flight
has a closed form, so that all motions are known by a map from impact to impact, with its Jacobian
and from this the Lyapunov exponent. Small backlash rattles chaotically, larger backlash
periodically with two and more impacts per period.

Source: the one-stage rattling gear of Pfeiffer and co-workers (A3); no numbers are printed, the
references are the closed forms of the flight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.drives import _rattle_map as rattle

TITLE = "Gear rattling, one stage"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A3", "gear rattling")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 1


@dataclass(frozen=True)
class Parameters:
    """The shaking gear, the play and the loose gear; ways along the line of contact."""

    amplitude: float = parameter(1e-4, "m", "chosen: 0.1 mm at the teeth")
    frequency: float = parameter(200.0, "rad/s", "chosen: 32 Hz, second order at 950 rpm")
    backlash: float = parameter(1e-4, "m", "chosen: the amplitude; chaotic for 1,000 impacts")
    restitution: float = parameter(0.9, "1", "chosen: steel, with a thin film of oil")
    drag: float = parameter(1.2, "m/s^2", "chosen: 30 % of amplitude * frequency^2")
    oil: float = parameter(2.0, "1/s", "chosen: fades in half a second")
    radius: float = parameter(0.04, "m", "chosen: base radius of the loose gear")
    inertia: float = parameter(4e-4, "kg*m^2", "chosen: gear of 0.5 kg")


REFERENCE = {
    "largest acceleration of the flanks [m/s^2]": Reference(4.0, 1e-12, "amplitude frequency^2"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"restitution": 0.88},
    {"drag": 1.3},
    {"backlash": 1.1e-4},
    {"amplitude": 1.1e-4},
    {"oil": 4.0},
)


def _shake(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    """The loose gear in axes that turn with the other one: r q = A sin(omega t) - w."""
    speed = p[0] * p[1] * math.cos(p[1] * t) - p[4] * u[0]
    push = -p[0] * p[1] ** 2 * math.sin(p[1] * t) + p[3] * speed + p[2]
    Q[0] = p[5] * push / p[4]


def build(p: Parameters) -> cl.Model:
    """Return the loose gear, its angle against the shaking one, and both flanks."""
    loose = cl.Rotor(
        "loose", inertia=p.inertia, angle=0.0, speed=p.amplitude * p.frequency / p.radius
    )
    shake = cl.ForceElement(
        "shake",
        coordinates=("loose.angle",),
        law=_shake,
        parameters={
            "amplitude": p.amplitude, "frequency": p.frequency, "drag": p.drag, "oil": p.oil,
            "radius": p.radius, "inertia": p.inertia,
        },
    )  # fmt: skip
    stops = cl.Limit(
        "flanks", loose, lower=-0.5 * p.backlash / p.radius, upper=0.5 * p.backlash / p.radius,
        eps_N=p.restitution,
    )  # fmt: skip
    return cl.Model(loose, shake, stops, name="gear rattling")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run twenty periods of the shaking gear."""
    end = 20.0 * 2.0 * math.pi / p.frequency
    options.setdefault("t_end", end)
    options.setdefault("method", cl.EventDriven(rtol=1e-12, atol=1e-15, zeno=1e-9))
    options.setdefault("t_eval", np.linspace(0.0, end, 2001))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def impacts(sol: cl.Solution, p: Parameters) -> list[rattle.Impact]:
    """Return the impacts of a run, ways along the line of contact."""
    found = []
    for event in sol.events:
        if event.kind == "impact":
            flank = 1.0 if event.name.endswith("upper") else -1.0
            speed = -flank * event.data["gamma_N_minus"] * p.radius
            found.append(rattle.Impact(event.time, flank, speed))
    return found


def deviation(found: Sequence[rattle.Impact], p: Parameters) -> tuple[float, float]:
    """Return the largest error of a phase and of a speed, each impact predicted from the last one.

    Relative to a period and to the largest speed of the flanks.
    """
    phase = speed = 0.0
    t, w, v = 0.0, 0.0, 0.0
    for now in found:
        expected = rattle.next_impact(p, t, w, v)
        phase = max(phase, abs(expected.time - now.time) * p.frequency / (2.0 * math.pi))
        speed = max(speed, abs(expected.speed - now.speed) / (p.amplitude * p.frequency))
        w, v = rattle.after(p, now)
        t = now.time
    return phase, speed


def diagram(
    p: Parameters, ratios: Sequence[float], *, settle: int = 200, keep: int = 100
) -> list[tuple[float, list[rattle.Impact], float]]:
    """Return backlash over amplitude, the last impacts and their Lyapunov exponent, by the map."""
    found = []
    for ratio in ratios:
        now = replace(p, backlash=float(ratio) * p.amplitude)
        late = rattle.orbit(now, settle + keep)[settle:]
        found.append((float(ratio), late, rattle.lyapunov(now, late)))
    return found


def distinct(late: Sequence[rattle.Impact], p: Parameters, digits: float = 1e-5) -> int:
    """Return how many different speeds the impacts of an orbit have."""
    speeds = sorted(impact.speed / (p.amplitude * p.frequency) for impact in late)
    return 1 + sum(b - a > digits for a, b in pairwise(speeds))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare every impact with the map, the losses with the speeds, and the energy audit."""
    found = impacts(sol, p)
    phase, speed = deviation(found, p)
    book = drives.audit(sol, build(p))
    # of the reduced mass J / r^2, at speeds along the line of contact
    mass = p.inertia / p.radius**2
    lost = sum(0.5 * mass * (1.0 - p.restitution**2) * impact.speed**2 for impact in found)
    top = REFERENCE["largest acceleration of the flanks [m/s^2]"]
    gap = min(float(sol[f"flanks.{end}"].gap.min()) for end in ("lower", "upper"))
    return [
        compare(
            "largest acceleration of the flanks [m/s^2]",
            p.amplitude * p.frequency**2, top.value, top.tolerance,
        ),
        compare("impacts in twenty periods", float(len(found) > 40), 1.0, 0.0),
        compare("phase of an impact against the map", phase, 0.0, 1e-8),
        compare("speed of an impact against the map", speed, 0.0, 1e-8),
        compare("energy lost in impacts", sum(book.impacts.values()) / lost, 1.0, 1e-9),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("largest overlap [rad]", max(0.0, -gap), 0.0, 1e-9),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw the way of the loose gear and the bifurcation diagram over the backlash."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters()
    with house_style():
        figure = new_figure(9.0, 5.6)
        top, middle, low = figure.subplots(3, 1, height_ratios=(1.0, 1.6, 0.8))
        early = sol.t < 0.3 * sol.t[-1]
        top.plot(1e3 * sol.t[early], 1e3 * p.radius * sol["loose"].angle[early], color=COLOURS[0])
        top.set_xlabel(axis_label("time", "ms"))
        top.set_ylabel(axis_label("way", "mm"))
        rows = diagram(p, np.linspace(0.6, 3.5, 73).tolist(), settle=120, keep=60)
        scale = p.amplitude * p.frequency
        for ratio, late, _ in rows:
            speeds = [impact.speed / scale for impact in late]
            middle.plot([ratio] * len(speeds), speeds, ".", ms=1.5, color=COLOURS[1])
        middle.set_ylabel(axis_label("speed / A ω", "1"))
        low.plot([row[0] for row in rows], [row[2] for row in rows], color=COLOURS[2], lw=0.9)
        low.axhline(0.0, color="0.5", lw=0.6)
        low.set_ylabel(axis_label("exponent", "1/s"))
        low.set_xlabel(axis_label("backlash / amplitude", "1"))
    return figure
