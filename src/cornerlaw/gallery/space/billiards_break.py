"""Billiards break: a cue ball hits a rack of fifteen balls that all touch.

Thirty contacts are closed when the cue ball arrives, and more impacts than can be counted follow.
What must hold, whatever the law: balls lose as much momentum along the table as its friction takes,
none at all in the impacts; energy never grows; what is symmetric stays so.

Newton's law for all contacts at once, without friction between the balls and with one coefficient
e, has one solution for the velocities: gamma+ + e gamma- >= 0, Lambda >= 0, complementary, which is
the non-negative least-squares problem

    min 1/2 Lambda^T G Lambda + (1 + e) Lambda^T gamma-    over Lambda >= 0,

solved here a second time by scipy. Poisson's law (compression and expansion) exists on the
event-driven road and is run over the first impact; with more contacts than freedoms its result is
one of several, and only momentum, energy and the absence of penetration are compared.

A rack of real balls has gaps of some micrometres and breaks in one of very many ways; touching
balls and one law for all are the idealisation. All numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, parameter

TITLE = "Billiards break"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "impact laws of the literature"
DOF = 96

BALLS = 15
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """A cue ball, fifteen balls in a triangle, and the cloth."""

    mass: float = parameter(0.17, "kg", "chosen: a pool ball")
    radius: float = parameter(0.0286, "m", "chosen: a pool ball, 2 1/4 inch")
    speed: float = parameter(8.0, "m/s", "chosen: a strong break")
    distance: float = parameter(0.05, "m", "chosen: gap in front of the rack")
    eps_N: float = parameter(0.9, "1", "chosen: phenolic resin")
    mu: float = parameter(0.2, "1", "chosen: ball on cloth")
    dt: float = parameter(5e-4, "s", "chosen: 4 mm of the cue ball per step")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # the solvers keep twelve digits
    "largest growth of energy in a step over the first": Reference(0.0, 1e-12, "passive law"),
    "momentum lost other than to the cloth [N s]": Reference(0.0, 1e-10, "action and reaction"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"eps_N": 0.72},
    {"speed": 9.6},
    {"mass": 0.204},
    {"mu": 0.24},
)


def places(p: Parameters) -> Floats:
    """Return the centres of the racked balls: five rows, the first one at the origin."""
    step = 2.0 * p.radius
    return np.array(
        [
            (row * step * math.sqrt(0.75), (k - 0.5 * row) * step, p.radius)
            for row in range(5)
            for k in range(row + 1)
        ]
    )


def build(p: Parameters) -> cl.Model:
    """Return the cloth, the rack and the cue ball."""
    cloth = cl.Ground("cloth", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [cloth]
    tensor = cl.inertia.sphere(p.mass, p.radius)

    def ball(name: str, place: Any, speed: float) -> None:
        body = cl.Body(
            name, inertia=tensor, position=tuple(map(float, place)), velocity=(speed, 0.0, 0.0)
        )
        skin = cl.Sphere(f"skin {name}", body, radius=p.radius, group="balls")
        # in the slip of a strong break the cue ball does not roll yet
        items.extend([body, skin, cl.Contact(skin, cloth, name=f"{name} cloth", mu=p.mu)])

    for k, place in enumerate(places(p)):
        ball(f"ball {k + 1}", place, 0.0)
    ball("cue", (-2.0 * p.radius - p.distance, 0.0, p.radius), p.speed)
    rule = cl.AllContacts("bumps", among=("balls",), against=("balls",), eps_N=p.eps_N)
    return cl.Model(*items, rule, gravity=(0.0, 0.0, -p.gravity), name="billiards break")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:  # noqa: B008
    """Run the break and a little more, in time steps."""
    if "t_end" not in options:
        options["t_end"] = 0.15
    options.setdefault("method", cl.Moreau(dt=p.dt))
    return cl.simulate(build(p), **options)


def names() -> list[str]:
    """Return the names of all balls, the cue ball last."""
    return [*(f"ball {k + 1}" for k in range(BALLS)), "cue"]


def velocities(sol: cl.Solution, row: int) -> Floats:
    """Return the velocities of all balls."""
    return np.array([sol[name].velocity[row] for name in names()])


def newton_impact(p: Parameters, speed: float) -> Floats:
    """Return the velocities after the cue ball has hit the rack, by least squares."""
    from scipy.optimize import nnls

    r = np.vstack([places(p), [-2.0 * p.radius, 0.0, p.radius]])
    rows = []
    for i in range(BALLS + 1):
        for j in range(i):
            if np.linalg.norm(r[i] - r[j]) < 2.001 * p.radius:
                row = np.zeros((BALLS + 1, 3))
                row[i] = (r[i] - r[j]) / np.linalg.norm(r[i] - r[j])
                row[j] = -row[i]
                rows.append(row.ravel())
    W = np.array(rows)
    u = np.zeros(3 * (BALLS + 1))
    u[-3] = speed
    # min |W^T x / sqrt(m) + sqrt(m) (1 + e) u|^2 has the same gradient as the problem above
    x, _ = nnls(W.T, -(1.0 + p.eps_N) * u)
    return np.asarray((u + W.T @ x).reshape(-1, 3))


def first_impact(p: Parameters, law: cl.ImpactLaw) -> tuple[Floats, Floats, float]:
    """Return velocities before and after the first impact and its energy change, event-driven.

    The cue ball slides on the cloth until it arrives, a hundredth of a millimetre away.
    """
    near = Parameters(**{**vars(p), "distance": 1e-5})
    sol = cl.simulate(build(near), t_end=3e-6, method=cl.EventDriven(impact=law), progress=False)
    hits = [e for e in sol.events if e.kind == "impact"]
    k = int(np.searchsorted(sol.t, hits[0].time)) if hits else 0
    change = sum(float(e.data["energy"]) for e in hits if e.time == hits[0].time)
    return velocities(sol, k), velocities(sol, -1), change


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Check momentum, energy, symmetry and penetration, and the first impact by two laws."""
    energy = sol["energy.kinetic"]
    growth = float(np.diff(energy).max() / energy[0])
    taken = sum(sol[f"{name} cloth"].impulse.sum(axis=0) for name in names())
    change = p.mass * (velocities(sol, -1) - velocities(sol, 0)).sum(axis=0)
    loss = float(np.abs((change - taken)[:2]).max())
    checks = [
        check_reference("largest growth of energy in a step over the first", growth, REFERENCE),
        check_reference("momentum lost other than to the cloth [N s]", loss, REFERENCE),
    ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the paths from above and the kinetic energy."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        turn = np.linspace(0.0, 2.0 * math.pi, 60)
        for k, name in enumerate(names()):
            r, colour = sol[name].position, COLOURS[k % len(COLOURS)]
            radius = r[0, 2]
            left.plot(r[:, 0], r[:, 1], color=colour, lw=1.0)
            left.fill(
                r[-1, 0] + radius * np.cos(turn), r[-1, 1] + radius * np.sin(turn),
                color="#222222" if name == "cue" else colour, alpha=0.8,
            )  # fmt: skip
        left.set_aspect("equal")
        left.set_xlabel(axis_label("x", "m"))
        left.set_ylabel(axis_label("y", "m"))
        left.set_title("From above; the cue ball is black")
        right.plot(sol.t, sol["energy.kinetic"], color=COLOURS[0])
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("kinetic energy", "J"))
    return figure
