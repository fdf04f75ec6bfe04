"""Super ball: an elastic ball that gives back what it stores along the surface.

A solid ball with the radius r and J = 2/5 m r^2 hits the floor while it spins. As long as it sticks
in compression, the velocity s = v + r omega of its lowest point turns into -e_T s (with e_N = 1),

    v+ = v - 2/7 (1 + e_T) s,  r omega+ = r omega - 5/7 (1 + e_T) s,  loss = m (1 - e_T^2) s^2 / 7.

With e_T = 1 nothing is lost. Thrown under a table the ball comes back: floor, underside of the
table and floor turn (v, r omega) = (1, 0) into (-333, 130) / 343, nearly along its own path. A
ball without tangential restitution goes on forward.

Example of section 8.13 of Pfeiffer and Glocker 1996; the throw under the table
is Garwin's (1969); every number is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.impacts._laws import (
    Floats,
    delassus,
    impacts_of,
    law_of,
    law_parameter,
    velocity_after,
    worst,
)

TITLE = "Super ball under a table"
TOPIC = "impacts"
SPEC: tuple[str, ...] = ("E8",)
SOURCE = "Pfeiffer and Glocker 1996, 8.13"
DOF = 3


@dataclass(frozen=True)
class Parameters:
    """A ball between the floor and the underside of a table, too fast for gravity to matter."""

    mass: float = parameter(0.1, "kg", "chosen: results do not depend on it")
    radius: float = parameter(0.03, "m", "chosen: a toy")
    shape: float = parameter(0.4, "1", "derived: J / (m r^2) of a solid ball")
    v_x: float = parameter(1.0, "m/s", "chosen: the unit of the closed form")
    v_y: float = parameter(-5.0, "m/s", "chosen: steep enough to stick")
    spin: float = parameter(0.0, "rad/s", "chosen: thrown without spin")
    mu: float = parameter(0.8, "1", "chosen: sticks in every impact")
    eps_N: float = parameter(1.0, "1", "book")
    eps_T: float = parameter(1.0, "1", "book")
    table: float = parameter(0.7, "m", "chosen: height of the underside")
    height: float = parameter(0.3, "m", "chosen: of the ball's centre at the start")
    law: str = law_parameter("poisson new", "chosen: the old variant gives the same")


_SOURCE = "closed form, Garwin 1969"
REFERENCE = {
    "v_x after three bounces over v_x": Reference(-333 / 343, 1e-12, _SOURCE),
    "r omega after three bounces over v_x": Reference(130 / 343, 1e-12, _SOURCE),
    "v_x after the first bounce over v_x": Reference(3 / 7, 1e-12, _SOURCE),
    "r omega after the first bounce over v_x": Reference(-10 / 7, 1e-12, _SOURCE),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"eps_T": 0.8},
    {"shape": 0.48},
    {"eps_N": 0.8},
    {"law": "poisson coulomb"},
)


def build(p: Parameters) -> cl.Model:
    """Return the ball between floor and table."""
    ball = cl.Disk(
        "ball", mass=p.mass, radius=p.radius, inertia=p.shape * p.mass * p.radius**2,
        position=(0.0, p.height), velocity=(p.v_x, p.v_y), spin=p.spin,
    )  # fmt: skip
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    table = cl.Ground("table", normal=(0.0, -1.0), at=(0.0, p.table))
    contacts = [
        cl.Contact(ball, wall, mu=p.mu, eps_N=p.eps_N, eps_T=p.eps_T) for wall in (floor, table)
    ]
    return cl.Model(ball, floor, table, *contacts, name="super ball")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run over the bounces on floor, table and floor."""
    # down, up, down between the walls, and a little more
    path = p.height - p.radius + 2.0 * (p.table - 2.0 * p.radius) + 0.2
    options.setdefault("t_end", path / abs(p.v_y))
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 201))
    options.setdefault("method", cl.EventDriven(impact=law_of(p.law)))
    return cl.simulate(build(p), **options)


def bounce(p: Parameters, v: float, spin: float, side: float = 1.0) -> tuple[float, float, float]:
    """Return v, r omega after a sticking bounce and the loss over m; side is -1 at the table."""
    slip = v + side * spin
    share = p.shape / (1.0 + p.shape)  # 2/7 of a solid ball
    change = (1.0 + p.eps_T) * slip
    loss = 0.5 * share * (1.0 - p.eps_T**2) * slip**2
    return v - share * change, spin - side * (1.0 - share) * change, loss


def one_bounce(p: Parameters, v: float, spin: float, law: cl.ImpactLaw, eps_T: float) -> Floats:
    """Return v, v_y, r omega and energy change over m after an impact given by its matrices."""
    W, M = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), np.array([1.0, 1.0, p.shape])
    u = np.array([v, p.v_y, spin])
    impact = cl.solve_impact(delassus(W, M), W @ u, law, mu=p.mu, eps_N=p.eps_N, eps_T=eps_T)
    return np.array([*(u + W.T @ impact.Lambda / M), impact.energy_change])


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the three bounces and single ones with the closed forms."""
    ran = ran or p  # runs of its own have the parameters of the given one
    first, last = (velocity_after(sol, "ball", n) / p.v_x for n in (0, 2))
    events = impacts_of(sol)
    found = {
        "v_x after three bounces over v_x": last[0],
        "r omega after three bounces over v_x": p.radius * last[2],
        "v_x after the first bounce over v_x": first[0],
        "r omega after the first bounce over v_x": p.radius * first[2],
    }
    checks = [check_reference(name, float(value), REFERENCE) for name, value in found.items()]
    v, spin = p.v_x, p.radius * p.spin
    for side in (1.0, -1.0, 1.0):
        v, spin, _ = bounce(p, v, spin, side)
    gains = sum(e.data["energy"] for e in events)
    checks += [
        compare("bounces", float(len(events)), 3.0, 0.0),
        compare("run against the closed form [m/s]", worst(last[0] * p.v_x, v), 0.0, 1e-12),
        compare("energy change over m v_x^2", gains / (p.mass * p.v_x**2), 0.0, 1e-12),
    ]
    for name in ("poisson old", "poisson new"):
        for eps_T in (0.0, 0.6, 1.0):
            given = Parameters(**{**vars(p), "eps_T": eps_T})
            v, spin, loss = bounce(given, 0.5, 0.3)
            after = one_bounce(ran, 0.5, 0.3, law_of(name), eps_T)
            expected = [v, -p.eps_N * p.v_y, spin, -loss]
            label = f"bounce with {name}, eps_T = {eps_T}"
            checks.append(compare(label, worst(after, expected), 0.0, 1e-12))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the path of the ball between floor and table."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    position = np.asarray(sol["ball"].position)
    with house_style():
        figure = new_figure(6.0, 3.8)
        axes = figure.subplots()
        axes.plot(position[:, 0], position[:, 1], color=COLOURS[0])
        axes.set_xlabel(axis_label("x", "m"))
        axes.set_ylabel(axis_label("height of the centre", "m"))
    return figure
