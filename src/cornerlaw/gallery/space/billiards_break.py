"""Billiards break: a cue ball hits a rack of fifteen balls that all touch.

Thirty contacts are closed when the cue ball arrives, and more impacts than can be counted follow.
What must hold, whatever the law: balls lose as much momentum along the table as its friction takes,
none at all in the impacts; energy never grows; what is symmetric stays so.

Newton's law for all contacts at once, without friction between the balls and with one coefficient
e, has one solution for the velocities: gamma+ + e gamma- >= 0, Lambda >= 0, complementary, which is
the non-negative least-squares problem

    min 1/2 Lambda^T G Lambda + (1 + e) Lambda^T gamma-    over Lambda >= 0,

solved here a second time by scipy. The run begins at the moment of the impact, so that the first
time step solves this problem; the cloth adds what sliding friction does in one step. Later impacts
are those of balls that have moved: in time steps the rack is then no longer tight, since balls that
sink into each other by up to a step's way are pushed apart.

Event by event a rack of six balls is broken, by Newton's and by Poisson's law (compression and
expansion). With more contacts than freedoms Poisson's result is one of several, and only momentum,
energy and the absence of penetration are compared.

A rack of real balls has gaps of some micrometres and breaks in one of very many ways; touching
balls and one law for all are the idealisation. All numbers are chosen.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Billiards break"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "impact laws of the literature"
DOF = 96

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """A cue ball, fifteen balls in a triangle, and the cloth."""

    rows: int = parameter(5, "1", "chosen: the usual triangle")
    mass: float = parameter(0.17, "kg", "chosen: a pool ball")
    radius: float = parameter(0.0286, "m", "chosen: a pool ball, 2 1/4 inch")
    speed: float = parameter(8.0, "m/s", "chosen: a strong break")
    eps_N: float = parameter(0.9, "1", "chosen: phenolic resin")
    mu: float = parameter(0.2, "1", "chosen: ball on cloth")
    dt: float = parameter(5e-4, "s", "chosen: 4 mm of the cue ball per step")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # the solvers keep twelve digits
    "largest growth of energy in a step over the first": Reference(0.0, 1e-12, "passive law"),
    "momentum lost other than to the cloth [N s]": Reference(0.0, 1e-10, "action and reaction"),
    # the cloth slows the balls for the hundred-millionth of a second of the run
    "event-driven, Newton: away from least squares [m/s]": Reference(0.0, 1e-7, "same law"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"eps_N": 0.72},
    {"speed": 9.6},
    {"mass": 0.204},
    {"mu": 0.24},
)


def places(p: Parameters) -> Floats:
    """Return the centres of the racked balls, row by row, the first one at the origin."""
    step = 2.0 * p.radius
    return np.array(
        [
            (row * step * math.sqrt(0.75), (k - 0.5 * row) * step, p.radius)
            for row in range(p.rows)
            for k in range(row + 1)
        ]
    )


def build(p: Parameters, gap: float = 0.0) -> cl.Model:
    """Return the cloth, the rack and the cue ball, which touches it but for a gap."""
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
    ball("cue", (-2.0 * p.radius - gap, 0.0, p.radius), p.speed)
    rule = cl.AllContacts("bumps", among=("balls",), against=("balls",), eps_N=p.eps_N)
    return cl.Model(*items, rule, gravity=(0.0, 0.0, -p.gravity), name="billiards break")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run the break and a little more, in time steps."""
    if "t_end" not in options:
        options["t_end"] = 0.15
    options.setdefault("method", cl.Moreau(dt=p.dt))
    return cl.simulate(build(p), **options)


def names(p: Parameters) -> list[str]:
    """Return the names of all balls, the cue ball last."""
    return [*(f"ball {k + 1}" for k in range(len(places(p)))), "cue"]


def velocities(sol: cl.Solution, p: Parameters, row: int) -> Floats:
    """Return the velocities of all balls."""
    return np.array([sol[name].velocity[row] for name in names(p)])


def newton_impact(p: Parameters) -> Floats:
    """Return the velocities after the cue ball has hit the rack, by least squares."""
    from scipy.optimize import nnls

    r = np.vstack([places(p), [-2.0 * p.radius, 0.0, p.radius]])
    rows = []
    for i in range(len(r)):
        for j in range(i):
            if np.linalg.norm(r[i] - r[j]) < 2.001 * p.radius:
                row = np.zeros((len(r), 3))
                row[i] = (r[i] - r[j]) / np.linalg.norm(r[i] - r[j])
                row[j] = -row[i]
                rows.append(row.ravel())
    W = np.array(rows)
    u = np.zeros(3 * len(r))
    u[-3] = p.speed
    # min |W^T x + (1 + e) u|^2 has the gradient of the problem above, all masses being equal
    x, _ = nnls(W.T, -(1.0 + p.eps_N) * u)
    return np.asarray((u + W.T @ x).reshape(-1, 3))


@cache
def small_rack(p: Parameters, law: cl.ImpactLaw) -> Floats:
    """Return the velocities of six balls and the cue ball after the impact, event-driven."""
    few = replace(p, rows=3)
    method = cl.EventDriven(impact=law)
    sol = cl.simulate(build(few, gap=1e-9), t_end=1e-8, method=method, progress=False)
    return velocities(sol, few, -1)


def asymmetry(sol: cl.Solution, p: Parameters, row: int) -> float:
    """Return the largest difference between the velocities of a ball and of its mirror image."""
    v = velocities(sol, p, row)
    mirror = [n * (n + 1) // 2 + n - k for n in range(p.rows) for k in range(n + 1)]
    return float(np.abs(v - v[[*mirror, len(v) - 1]] * [1.0, -1.0, 1.0]).max())


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Check momentum, energy and symmetry, and the first impact on both roads."""
    energy = sol["energy.kinetic"]
    growth = max(0.0, float(np.diff(energy).max() / energy[0]))
    taken = sum(sol[f"{name} cloth"].impulse.sum(axis=0) for name in names(p))
    first, last = velocities(sol, p, 0), velocities(sol, p, -1)
    loss = float(np.abs((p.mass * (last - first).sum(axis=0) - taken)[:2]).max())
    slowed = float(np.abs(sol["cue cloth"].impulse[1, 0]))
    step = p.mu * p.gravity * p.dt
    rack = float(np.abs(velocities(sol, p, 1) - newton_impact(p)).max())
    checks = [
        check_reference("largest growth of energy in a step over the first", growth, REFERENCE),
        check_reference("momentum lost other than to the cloth [N s]", loss, REFERENCE),
        compare("cloth on the cue ball in one step [N s]", slowed, p.mass * step, 1e-12),
        # friction of one step, passed on through the rack
        compare("after the first step: away from least squares [m/s]", rack, 0.0, 2.0 * step),
        compare("asymmetry after the first step [m/s]", asymmetry(sol, p, 1), 0.0, 1e-10),
    ]
    few = replace(p, rows=3)
    found, momentum = small_rack(p, cl.Newton()), p.mass * p.speed
    away = float(np.abs(found - newton_impact(few)).max())
    checks.append(
        check_reference("event-driven, Newton: away from least squares [m/s]", away, REFERENCE)
    )
    for law in (cl.Newton(), cl.Poisson()):
        v, name = small_rack(p, law), type(law).__name__
        gain = max(0.0, float((v**2).sum()) / p.speed**2 - 1.0)
        moved = float(p.mass * v[:, 0].sum())
        checks += [
            compare(f"event-driven, {name}: momentum kept [N s]", moved, momentum, 1e-6),
            compare(f"event-driven, {name}: gain of energy", gain, 0.0, 1e-12),
        ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the paths from above and the kinetic energy."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        turn = np.linspace(0.0, 2.0 * math.pi, 60)
        balls = [name for name in sol.parts if name == "cue" or re.fullmatch(r"ball \d+", name)]
        for k, name in enumerate(balls):
            r, colour = sol[name].position, COLOURS[k % len(COLOURS)]
            radius = r[0, 2]
            left.plot(r[:, 0], r[:, 1], color=colour, lw=1.0)
            left.fill(
                r[-1, 0] + radius * np.cos(turn), r[-1, 1] + radius * np.sin(turn),
                facecolor="#ffffff" if name == "cue" else colour, edgecolor="#222222", alpha=0.8,
            )  # fmt: skip
        left.set_aspect("equal")
        left.set_xlabel(axis_label("x", "m"))
        left.set_ylabel(axis_label("y", "m"))
        left.set_title("From above; the cue ball is white")
        right.plot(sol.t, sol["energy.kinetic"], color=COLOURS[0])
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("kinetic energy", "J"))
    return figure
