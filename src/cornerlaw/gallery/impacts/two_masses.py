"""Impact of two point masses: every law gives Newton's textbook formula.

Two masses meet on a line. Momentum and the coefficient of restitution fix what happens,

    u_1+ = c - m_2 e (u_1 - u_2) / (m_1 + m_2),  u_2+ = c + m_1 e (u_1 - u_2) / (m_1 + m_2)

with the velocity c of the common centre of mass, and the energy that is lost is

    1/2 m_1 m_2 / (m_1 + m_2) (1 - e^2) (u_1 - u_2)^2.

With one contact and no friction all impact laws must agree: Newton's, Poisson's in all variants,
the cradle's and the sequential one.

Example of section 7.4 of Pfeiffer and Glocker 1996; every number is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.impacts._laws import (
    LAWS,
    Floats,
    delassus,
    impacts_of,
    law_of,
    law_parameter,
    worst,
)

TITLE = "Impact of two point masses"
TOPIC = "impacts"
SPEC: tuple[str, ...] = ("E6",)
SOURCE = "Pfeiffer and Glocker 1996, 7.4"
DOF = 6

RADIUS = 0.1  # of the discs that stand for the points, so that they can touch


@dataclass(frozen=True)
class Parameters:
    """Two masses on a line, the second ahead."""

    m_1: float = parameter(2.0, "kg", "chosen: the heavier one")
    m_2: float = parameter(0.5, "kg", "chosen: the lighter one")
    u_1: float = parameter(3.0, "m/s", "chosen: they approach each other")
    u_2: float = parameter(-1.0, "m/s", "chosen: they approach each other")
    eps_N: float = parameter(0.35, "1", "chosen: between plastic and elastic")
    distance: float = parameter(1.0, "m", "chosen: between the masses at the start")
    law: str = law_parameter("newton", "chosen: any law gives the same")


REFERENCE = {
    # the formulas above in whole numbers: c = 2.2, u_1 - u_2 = 4, m_1 m_2 / (m_1 + m_2) = 0.4
    "u_1 after [m/s]": Reference(1.92, 1e-12, "closed form for the default parameters"),
    "u_2 after [m/s]": Reference(3.32, 1e-12, "closed form for the default parameters"),
    "energy lost [J]": Reference(2.808, 1e-12, "closed form for the default parameters"),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"eps_N": 0.42}, {"m_1": 2.4}, {"u_2": -1.2}, {"distance": 1.2},
)  # fmt: skip


def build(p: Parameters) -> cl.Model:
    """Return two discs that meet centrally, without gravity."""
    first = cl.Disk("first", mass=p.m_1, radius=RADIUS, velocity=(p.u_1, 0.0))
    ahead = (2.0 * RADIUS + p.distance, 0.0)
    second = cl.Disk("second", mass=p.m_2, radius=RADIUS, position=ahead, velocity=(p.u_2, 0.0))
    contact = cl.Contact(second, first, eps_N=p.eps_N)
    return cl.Model(first, second, contact, name="two masses")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run over the impact."""
    options.setdefault("t_end", 2.0 * p.distance / (p.u_1 - p.u_2))
    options.setdefault("method", cl.EventDriven(impact=law_of(p.law)))
    return cl.simulate(build(p), **options)


def closed_form(p: Parameters) -> tuple[Floats, float]:
    """Return both velocities after the impact and the energy that is lost."""
    total, approach = p.m_1 + p.m_2, p.u_1 - p.u_2
    centre = (p.m_1 * p.u_1 + p.m_2 * p.u_2) / total
    after = centre + p.eps_N * approach * np.array([-p.m_2, p.m_1]) / total
    return after, 0.5 * p.m_1 * p.m_2 / total * (1.0 - p.eps_N**2) * approach**2


def by_matrices(p: Parameters, law: cl.ImpactLaw) -> tuple[Floats, float]:
    """Return the same from the impact given by its matrices."""
    W, M, u = np.array([[-1.0, 1.0]]), np.array([p.m_1, p.m_2]), np.array([p.u_1, p.u_2])
    impact = cl.solve_impact(delassus(W, M), W @ u, law, eps_N=p.eps_N)
    return u + W.T @ impact.Lambda / M, -impact.energy_change


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare run and matrices with the closed form, for all laws."""
    ran = ran or p  # runs of its own have the parameters of the given one
    found = [float(np.asarray(sol[name].velocity)[-1, 0]) for name in ("first", "second")]
    events = impacts_of(sol)
    expected, lost = closed_form(p)
    values = {
        "u_1 after [m/s]": found[0],
        "u_2 after [m/s]": found[1],
        "energy lost [J]": -sum(e.data["energy"] for e in events),
    }
    checks = [
        compare(name, value, REFERENCE[name].value, REFERENCE[name].tolerance)
        for name, value in values.items()
    ]
    checks.append(compare("impacts", float(len(events)), 1.0, 0.0))
    time = p.distance / (p.u_1 - p.u_2)
    checks.append(compare("time of impact [s]", events[0].time if events else -1.0, time, 1e-12))
    for name, law in LAWS.items():
        after, loss = by_matrices(ran, law)
        checks.append(compare(f"velocities, {name} [m/s]", worst(after, expected), 0.0, 1e-12))
        checks.append(compare(f"energy lost, {name} [J]", loss, lost, 1e-12))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw both positions over time, with their common centre of mass."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(6.0, 3.8)
        axes = figure.subplots()
        for colour, name in zip(COLOURS, ("first", "second"), strict=False):
            axes.plot(sol.t, np.asarray(sol[name].position)[:, 0], color=colour, label=name)
        axes.set_xlabel(axis_label("time", "s"))
        axes.set_ylabel(axis_label("position of the centre", "m"))
        add_legend(axes)
    return figure
