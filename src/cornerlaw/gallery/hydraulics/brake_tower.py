"""Free-fall tower: the safety brake of 28 cylinders, opened against their springs.

The brake blocks of a free-fall tower are closed by springs and opened by cylinders: seven modules
stacked up the tower, four cylinders each, all fed by one riser. Lines to the cylinders differ in
length, so that cylinders reach their stops one after the other, and every stop is an impact of the
whole network that makes its pressure jump. Restrictors at the inlets slow the first ones down. With
waves in the lines the model has some thousand degrees of freedom; the default has rigid lines.

Where bores meet, half a diameter of each belongs to the junction, and a chamber starts as high as
its port is wide. Which junctions are elastic follows from these volumes by the criterion of
`Network.advice` for the motion of the brake: the chambers, which are compressed together when the
last pistons move, and most tees of the riser. `band=0` makes all of them rigid.

Source: Pfeiffer 2008, section 4.4.1. The book gives seven modules of four cylinders, about 1,000
degrees of freedom and, for its tower, 0.37 s until the last stop; none of its dimensions. All
numbers here are chosen, and nothing is fitted to the 0.37 s.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.hydraulics import (
    Cylinder,
    Group,
    Junction,
    Line,
    Network,
    Orifice,
    Source,
    WaveLine,
)
from cornerlaw.hydraulics.audit import audit_volume

TITLE = "Safety brake of a free-fall tower"
TOPIC = "hydraulics"
SPEC: tuple[str, ...] = ("SYS-2", "AT-06")
SOURCE = "Pfeiffer 2008, 4.4.1"
DOF = 91

SIDES = ("1", "2", "3", "4")


@dataclass(frozen=True)
class Parameters:
    """Supply, riser, lines, cylinders and restrictors."""

    modules: int = parameter(7, "1", "book")
    modes: int = parameter(0, "1", "chosen: rigid lines; 34 make a thousand degrees of freedom")
    supply: float = parameter(120e5, "Pa", "chosen: a common supply")
    riser: float = parameter(2.0, "m", "chosen: between modules")
    riser_bore: float = parameter(25e-3, "m", "chosen: half the flow's loss")
    line: float = parameter(1.5, "m", "chosen: the shortest line to a cylinder")
    longer: float = parameter(1.0, "m", "chosen: each cylinder of a module this much farther")
    bore: float = parameter(8e-3, "m", "chosen: a common line")
    restrictor: float = parameter(12e-6, "m^2", "chosen: a third of the line")
    area: float = parameter(1.2e-3, "m^2", "chosen: a cylinder of 40 mm")
    mass: float = parameter(12.0, "kg", "chosen: block and piston")
    travel: float = parameter(0.03, "m", "chosen: clears the blade")
    stiffness: float = parameter(60e3, "N/m", "chosen: 150 % of preload at the stop")
    preload: float = parameter(3600.0, "N", "chosen: brakes with 30 bar")
    band: float = parameter(12.5, "Hz", "derived: one over the time of opening; 0: all is rigid")


REFERENCE = {
    "cylinders at their stops": Reference(28.0, 0.0, "seven modules of four"),
    "order of the stops": Reference(1.0, 0.0, "that of the lengths of the lines, in each module"),
    "order up the tower": Reference(1.0, 0.0, "equal lines, ever longer risers"),
}
BOOK_STOP = 0.37  # [s], last stop of the book's tower, shown beside; its data are not known

MUTATIONS: tuple[dict[str, float], ...] = (
    {"longer": -0.3},
    {"supply": 35e5},
    {"modules": 6},
)


def meeting(*bores: float) -> float:
    """Return the volume where bores meet [m^3]: half a diameter of each reaches into it."""
    return sum(0.125 * math.pi * bore**3 for bore in bores)


def module(p: Parameters) -> Group:
    """Return four cylinders behind lines of different lengths and equal restrictors."""
    parts: list[Any] = []
    for k, side in enumerate(SIDES):
        length = p.line + k * p.longer
        parts += [
            Junction(f"inlet {side}", "cavitating", volume=meeting(p.bore, p.bore)),
            Orifice(
                f"restrictor {side}", "tee", f"inlet {side}", 0.3, p.bore, opening=p.restrictor
            ),
            WaveLine(
                f"line {side}", f"inlet {side}", f"chamber {side}", length, p.bore, modes=p.modes,
                pressure=30e5,
            )
            if p.modes
            else Line(f"line {side}", f"inlet {side}", f"chamber {side}", length, p.bore),
            # the bore of the line opens into the chamber below the piston
            Junction(f"chamber {side}", "cavitating", volume=meeting(p.bore) + p.area * p.bore),
            Cylinder(
                f"ram {side}", f"chamber {side}", area=p.area, mass=p.mass, lower=0.0,
                upper=p.travel, stiffness=p.stiffness, preload=p.preload,
            ),
        ]  # fmt: skip
    return Group("module", *parts)


@cache
def network(p: Parameters) -> Network:
    """Return the tower: the riser feeds one module after the other.

    Junctions are elastic where the criterion says so, those that must be for motions within 1 %.
    """
    one = module(p)
    parts: list[Any] = [Source("supply", p.supply)]
    below = "supply"
    for k in range(1, p.modules + 1):
        bores = (p.riser_bore, *[p.riser_bore] * (k < p.modules), *[p.bore] * len(SIDES))
        parts += [
            Junction(f"tee {k}", "cavitating", volume=meeting(*bores)),
            Line(f"riser {k}", below, f"tee {k}", p.riser, p.riser_bore, friction="turbulent"),
            one.again(f"{k}", {"tee": f"tee {k}"}),
        ]
        below = f"tee {k}"
    whole = Network(*parts, name="safety brake of a free-fall tower")
    return whole.advised(p.band) if p.band else whole


def build(p: Parameters) -> cl.Model:
    """Return the model."""
    return network(p).model()


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Open the brake, by time stepping."""
    options.setdefault("t_end", 0.4)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 801))
    options.setdefault("method", cl.Moreau(dt=2e-5 if p.modes else 1e-4))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def stops(sol: cl.Solution, p: Parameters) -> dict[str, float]:
    """Return the time at which each cylinder reaches its stop [s]; nan where it does not."""
    found = {}
    for k in range(1, p.modules + 1):
        for side in SIDES:
            name = f"{k}.ram {side}"
            at = np.flatnonzero(sol[name].position >= p.travel - 1e-7)
            found[name] = float(sol.t[at[0]]) if len(at) else math.nan
    return found


def impact_speeds(sol: cl.Solution, p: Parameters) -> dict[str, float]:
    """Return the speed of each cylinder just before its stop [m/s]."""
    found = {}
    for name, t in stops(sol, p).items():
        before = sol[name].velocity[(sol.t < t) & (sol.t > t - 3e-3)]
        found[name] = float(before.max()) if len(before) else math.nan
    return found


def in_order(reached: dict[str, float], chains: list[list[str]]) -> bool:
    """Tell whether the cylinders of every chain reach their stops one after the other."""
    times = [[reached.get(name, math.nan) for name in chain] for chain in chains]
    return all(a < b for chain in times for a, b in itertools.pairwise(chain))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Check the order of the stops, the pressure's jump and the balance of oil."""
    net = network(p)
    levels = range(1, p.modules + 1)
    known = [name for name in (f"{k}.ram {s}" for k in range(1, 8) for s in SIDES) if name in sol]
    reached = stops(sol, p) if len(known) == 28 else {}
    order = in_order(reached, [[f"{k}.ram {s}" for s in SIDES] for k in levels])
    upward = in_order(reached, [[f"{k}.ram {s}" for k in levels] for s in SIDES])
    checks = [
        check_reference(
            "cylinders at their stops",
            float(sum(math.isfinite(t) for t in reached.values())),
            REFERENCE,
        ),
        check_reference("order of the stops", float(order), REFERENCE),
        check_reference("order up the tower", float(upward), REFERENCE),
    ]
    if order and upward:  # and every one of them has a time
        r = net.read(sol)
        last = max(reached, key=lambda name: reached[name])
        chamber = r[last.replace("ram", "chamber")].pressure
        around = np.abs(sol.t - reached[last]) < 4e-3
        before = chamber[(sol.t > reached[last] - 8e-3) & (sol.t < reached[last] - 4e-3)]
        lowest = min(float(r[name].pressure.min()) for name in net.junctions())
        checks += [
            compare("pressure jumps at the last stop",
                    float(chamber[around].max() > 1.5 * before.mean()), 1.0, 0.0),
            compare("oil out of balance", audit_volume(net, sol).relative, 0.0, 1e-9),
            compare("pressure below cavitation [Pa]", max(0.0, -lowest), 0.0, 1e-3),
        ]  # fmt: skip
    return checks


def show(sol: cl.Solution, p: Parameters | None = None) -> Any:
    """Draw all cylinders, and the pressure of the last one."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters() if p is None else p
    reached = stops(sol, p)
    last = max(reached, key=lambda name: reached[name])
    pressure = network(p).read(sol)[last.replace("ram", "chamber")].pressure
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for name in reached:
            left.plot(
                sol.t, 1e3 * sol[name].position, color=COLOURS[int(name[-1]) - 1], linewidth=0.8
            )
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("opening of the 28 blocks", "mm"))
        right.plot(sol.t, pressure / 1e5, color=COLOURS[0], linewidth=0.8)
        # in rigid lines the stop is an impulse, drawn as a spike of one step
        right.set_ylim(0.0, 2.0 * p.supply / 1e5)
        right.axvline(BOOK_STOP, color="0.6", linestyle="--")
        words = "last stop of \nthe book's tower "
        right.text(BOOK_STOP, 0.1 * p.supply / 1e5, words, ha="right")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label(f"pressure at {last}", "bar"))
    return figure
