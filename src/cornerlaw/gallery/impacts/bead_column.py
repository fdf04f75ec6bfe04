"""Column of beads: ten touching beads fall on the floor and rebound as one.

Ten equal beads stand on each other and fall together. The floor returns all of their speed
(eps_N = 1), the contacts between them nothing (eps_N = 0). When the lowest bead arrives, all ten
contacts are closed and take part in one impact; Newton's law then lets the whole column turn round
without opening a contact, the floor with the impulse 2 N m v and the k-th contact above it with
2 (N - k) m v. The motion is that of a single bead of the mass N m with eps_N = 1:

    t_1 = sqrt(2 h / g),  t_(k+1) = t_k + 2 t_1.

Although nothing moves between the beads, the impact couples all of them, and solvers that take the
contacts one after the other need many rounds for it.

The example BeadColumnED of Siconos with its numbers; its published table is compared in the tests.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.impacts._laws import Floats, impacts_of, law_of, law_parameter, worst

TITLE = "Column of beads"
TOPIC = "impacts"
SPEC: tuple[str, ...] = ()
SOURCE = "Siconos, BeadColumnED"
DOF = 30


@dataclass(frozen=True)
class Parameters:
    """Equal beads in a column above the floor."""

    radius: float = parameter(0.005, "m", "chosen: as in the example of Siconos")
    drop: float = parameter(0.05, "m", "chosen: as in the example of Siconos")
    mass: float = parameter(1.0, "kg", "chosen: the motion does not depend on it")
    eps_floor: float = parameter(1.0, "1", "chosen: as in the example of Siconos")
    eps_beads: float = parameter(0.0, "1", "chosen: as in the example of Siconos")
    gravity: float = parameter(9.81, "m/s^2", "chosen: as in the example of Siconos")
    beads: int = parameter(10, "1", "chosen: as in the example of Siconos")
    law: str = law_parameter("newton", "chosen: as in the example of Siconos")


_TABLE = "Siconos, BeadColumnED with Newton's law"
REFERENCE = {
    "first impact [s]": Reference(0.1009637554692307, 1e-12, _TABLE),
    "second impact [s]": Reference(0.3028912664076844, 1e-9, _TABLE),
    "speed of the column after it [m/s]": Reference(0.990454441153150, 1e-9, _TABLE),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"eps_floor": 0.8},
    {"gravity": 7.848},
    {"drop": 0.06},
    {"eps_beads": 1.0, "law": "sequential"},
)


def build(p: Parameters) -> cl.Model:
    """Return the beads, touching, with the lowest one above the floor."""
    beads = [
        cl.Disk(
            f"bead {k + 1}", mass=p.mass, radius=p.radius,
            position=(0.0, p.drop + p.radius * (1.0 + 2.0 * k)),
        )
        for k in range(p.beads)
    ]  # fmt: skip
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contacts = [cl.Contact(beads[0], floor, eps_N=p.eps_floor)]
    contacts += [
        cl.Contact(above, below, eps_N=p.eps_beads) for below, above in itertools.pairwise(beads)
    ]
    return cl.Model(floor, *beads, *contacts, gravity=(0.0, -p.gravity), name="bead column")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run over two impacts, as long as the published table."""
    options.setdefault("t_end", 0.493)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 494))
    options.setdefault("method", cl.EventDriven(impact=law_of(p.law)))
    return cl.simulate(build(p), **options)


def column(sol: cl.Solution, p: Parameters) -> tuple[Floats, Floats]:
    """Return heights and vertical velocities of all beads over time."""
    names = [f"bead {k + 1}" for k in range(p.beads)]
    heights = [np.asarray(sol[name].position)[:, 1] for name in names]
    speeds = [np.asarray(sol[name].velocity)[:, 1] for name in names]
    return np.stack(heights, axis=1), np.stack(speeds, axis=1)


def exact(p: Parameters, t: Floats) -> Floats:
    """Return the height of the lowest bead's centre: parabolas of the period 2 t_1."""
    first = math.sqrt(2.0 * p.drop / p.gravity)
    s = np.mod(t + first, 2.0 * first) - first
    return np.asarray(p.radius + p.drop - 0.5 * p.gravity * s**2)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare impacts, impulses and the motion of all beads with the closed form."""
    heights, speeds = column(sol, p)
    floor = impacts_of(sol, "bead 1-floor")
    times = [e.time for e in floor[:2]] + [math.nan] * (2 - min(2, len(floor)))
    after = speeds[np.flatnonzero(sol.t <= times[0])[-1]] if floor else np.full(p.beads, math.nan)
    impact = {e.name: e.data["Lambda_N"] for e in impacts_of(sol) if e.time == times[0]}
    names = ["bead 1-floor", *(f"bead {k + 1}-bead {k}" for k in range(1, p.beads))]
    speed = math.sqrt(2.0 * p.gravity * p.drop)
    expected = 2.0 * p.mass * speed * np.arange(p.beads, 0, -1)
    found = [impact.get(name, math.nan) for name in names]
    change = sum(e.data["energy"] for e in impacts_of(sol))
    shape = heights - 2.0 * p.radius * np.arange(p.beads)
    return [
        check_reference("first impact [s]", times[0], REFERENCE),
        check_reference("second impact [s]", times[1], REFERENCE),
        check_reference("speed of the column after it [m/s]", float(after[0]), REFERENCE),
        # impulses of some 20 Ns
        compare("impulses of the first impact [N*s]", worst(found, expected), 0.0, 1e-11),
        compare("heights of all beads [m]", worst(shape, exact(p, sol.t)[:, None]), 0.0, 1e-9),
        compare("difference of speeds [m/s]", float(np.ptp(speeds, axis=1).max()), 0.0, 1e-9),
        compare("energy change [J]", change, 0.0, 1e-9),
    ]


def show(sol: cl.Solution, p: Parameters = Parameters()) -> Any:
    """Draw the heights of all beads over time."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    heights, _ = column(sol, p)
    with house_style():
        figure = new_figure(6.0, 3.8)
        axes = figure.subplots()
        for k in range(p.beads):
            # the lowest and the highest one have a name, those between are alike
            end = {0: "lowest bead", p.beads - 1: "highest bead"}.get(k)
            colour = COLOURS[int(k > 0)] if end else "0.6"
            axes.plot(1e3 * sol.t, 1000.0 * heights[:, k], color=colour, label=end)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
        axes.set_xlabel(axis_label("time", "ms"))
        axes.set_ylabel(axis_label("height", "mm"))
    return figure
