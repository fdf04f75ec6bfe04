"""Double impact on a rod: Newton and Poisson differ, with and without friction.

A rod of half length a lies with its left end on the floor and falls on its right end. Both ends
are closed then, the left one without moving, and with alpha = a^2/J + 1/m, beta = a^2/J - 1/m,

    G = [[alpha, -beta], [-beta, alpha]],  gamma- = (0, -v),  d = alpha^2 - beta^2.

For beta > 0 the blow presses the resting end down. Newton's law keeps it there, gamma+ =
(0, e_2 v), since nothing approached that could be reversed. Poisson's law has stored the impulses
(beta, alpha) v / d in compression and gives back the parts e_1 and e_2 of them:

    e_1 <= e_2                        (0, e_2 v)
    e_1 > e_2, alpha^2 e_2 >= beta^2 e_1   (alpha beta (e_1 - e_2), alpha^2 e_2 - beta^2 e_1) v / d
    otherwise                         (e_1 beta / alpha v, 0)

For beta < 0, a dumbbell, the resting end is lifted by the blow. With Coulomb friction and both ends
approaching, the rod slides through both phases, (G_NN - mu G_NT) Lambda_N = -(1 + e) gamma_N, or
sticks in both. In no case does the energy grow.

Example of sections 7.5, 8.11, 8.12 and 8.14 of Pfeiffer and Glocker 1996; every
number is chosen.
"""

from __future__ import annotations

import math
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

TITLE = "Double impact on a rod"
TOPIC = "impacts"
SPEC: tuple[str, ...] = ("E7",)
SOURCE = "Pfeiffer and Glocker 1996, 7.5 and 8.11 to 8.14"
DOF = 3


@dataclass(frozen=True)
class Parameters:
    """A rod on its left end, and the throws with friction."""

    mass: float = parameter(1.0, "kg", "chosen: velocities do not depend on it")
    half: float = parameter(1.0, "m", "chosen: velocities over v do not depend on it")
    inertia_ratio: float = parameter(1 / 3, "1", "derived: J / (m a^2) of a thin rod")
    eps_left: float = parameter(0.7, "1", "chosen: above eps_right, so that the laws differ")
    eps_right: float = parameter(0.5, "1", "chosen: below eps_left")
    angle: float = parameter(0.1, "rad", "chosen: of the rod at the start")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")
    height: float = parameter(0.2, "m", "chosen: of the centre above the ends, with friction")
    mu_slide: float = parameter(0.15, "1", "chosen: slides through both phases")
    mu_stick: float = parameter(2.0, "1", "chosen: sticks in both phases")
    law: str = law_parameter("poisson coulomb", "book")


_SOURCE = "closed form for a thin rod, eps = 0.7 and 0.5"
REFERENCE = {
    # alpha = 4, beta = 2, d = 12
    "left end after the impact over v": Reference(2.0 / 15.0, 1e-12, _SOURCE),
    "right end after the impact over v": Reference(13.0 / 30.0, 1e-12, _SOURCE),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"law": "newton"},
    {"eps_left": 0.56},
    {"eps_right": 0.6},
    {"inertia_ratio": 0.4},
    {"gravity": 7.848},
    {"height": 0.24},
    {"mu_slide": 0.18},
)

# both ends approach: one throw slides through, one sticks
SLIDING = np.array([30.0, -1.0, -0.2])
STICKING = np.array([0.4, -1.0, 0.3])


def build(p: Parameters) -> cl.Model:
    """Return the rod with its left end on a smooth floor and its right end above it."""
    ends = (-p.half, 0.0), (p.half, 0.0)
    centre = (0.0, p.half * math.sin(p.angle))
    rod = cl.Body("rod", mass=p.mass, inertia=_inertia(p), position=centre, rotation=p.angle)
    return _on_floor(p, rod, ends, 0.0, (p.eps_left, p.eps_right))


def build_throw(
    p: Parameters, u: Floats, mu: float, eps: tuple[float, float], order: int = 1
) -> cl.Model:
    """Return the rod with both ends at the floor and the velocities u = (v_x, v_y, omega).

    With `order` = -1 the contact of the right end comes first.
    """
    ends = (-p.half, -p.height), (p.half, -p.height)
    rod = cl.Body(
        "rod", mass=p.mass, inertia=_inertia(p), position=(0.0, p.height),
        velocity=(float(u[0]), float(u[1])), angular_velocity=float(u[2]),
    )  # fmt: skip
    return _on_floor(p, rod, ends, mu, eps, order)


def _inertia(p: Parameters) -> float:
    return p.inertia_ratio * p.mass * p.half**2


def _on_floor(
    p: Parameters, rod: cl.Body, ends: Any, mu: float, eps: tuple[float, float], order: int = 1
) -> cl.Model:
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    points = [
        cl.ContactPoint(name, rod, at=at) for name, at in zip(("left", "right"), ends, strict=True)
    ]
    contacts = [
        cl.Contact(point, floor, mu=mu, eps_N=e) for point, e in zip(points, eps, strict=True)
    ]
    return cl.Model(
        rod, *points, floor, *contacts[::order], gravity=(0.0, -p.gravity), name="rod"
    )  # fmt: skip


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run from rest to a little behind the impact of the right end."""
    # a gravity torque that is at least that of the start
    rate = p.gravity * math.cos(p.angle) / (p.half * (1.0 + p.inertia_ratio))
    options.setdefault("t_end", 1.2 * math.sqrt(2.0 * p.angle / rate))
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 201))
    options.setdefault("method", cl.EventDriven(rtol=1e-12, atol=1e-14, impact=law_of(p.law)))
    return cl.simulate(build(p), **options)


def delassus_of_ends(p: Parameters) -> tuple[float, float]:
    """Return alpha and beta of a rod with m = 1, a = 1."""
    return 1.0 / p.inertia_ratio + 1.0, 1.0 / p.inertia_ratio - 1.0


def impact_speed(p: Parameters) -> float:
    """Return the speed of the right end when it arrives: the centre falls along a vertical."""
    omega = math.sqrt(2.0 * p.gravity * math.sin(p.angle) / (p.half * (1.0 + p.inertia_ratio)))
    return 2.0 * p.half * omega


def by_newton(p: Parameters, eps: tuple[float, float]) -> list[float]:
    """Return the velocities of both ends over v, Newton's law."""
    alpha, beta = delassus_of_ends(p)
    return [0.0 if beta >= 0.0 else -beta * (1.0 + eps[1]) / alpha, eps[1]]


def by_poisson(p: Parameters, eps: tuple[float, float]) -> list[float]:
    """Return the velocities of both ends over v, Poisson's law."""
    alpha, beta = delassus_of_ends(p)
    d = alpha**2 - beta**2
    if beta < 0.0 or eps[0] <= eps[1]:
        return by_newton(p, eps)
    if alpha**2 * eps[1] >= beta**2 * eps[0]:
        lifted = alpha * beta * (eps[0] - eps[1]) / d
        return [lifted, (alpha**2 * eps[1] - beta**2 * eps[0]) / d]
    return [eps[0] * beta / alpha, 0.0]


def ends_after(sol: cl.Solution, p: Parameters) -> Floats:
    """Return the normal velocities of both ends right after the impact of a run."""
    _, v, omega = velocity_after(sol, "rod", 0)
    return np.array([v - p.half * omega, v + p.half * omega])


def rows(p: Parameters) -> tuple[Floats, Floats]:
    """Return the rows N, T of the left and the right end, and the diagonal of M."""
    a, h = p.half, p.height
    W = np.array([[0, 1, -a], [1, 0, h], [0, 1, a], [1, 0, h]], dtype=float)
    return W, np.array([p.mass, p.mass, _inertia(p)])


def slide_through(p: Parameters, eps: float) -> Floats:
    """Return u after both ends slid through the whole impact in +x, one eps for both."""
    W, M = rows(p)
    G, gamma = delassus(W, M), W @ SLIDING
    normal = -(1.0 + eps) * np.linalg.solve(
        G[::2, ::2] - p.mu_slide * G[::2, 1::2], gamma[::2]
    )  # fmt: skip
    impulse = np.ravel(np.column_stack([normal, -p.mu_slide * normal]))
    return np.asarray(SLIDING + W.T @ impulse / M)


def stick(p: Parameters, eps: tuple[float, float]) -> Floats:
    """Return u after both ends stuck in both phases of Poisson's law.

    Two ends that stick share one tangential impulse: three rows describe the rod.
    """
    W, M = rows(p)
    W = W[[0, 2, 1]]
    G = delassus(W, M)
    normal = np.array(eps) * -np.linalg.solve(G, W @ STICKING)[:2]
    tangential = -G[2, :2] @ normal / G[2, 2]
    # compression ends with all three rows at rest, which means the rod at rest
    return np.asarray(W.T @ np.array([*normal, tangential]) / M)


def throw(
    p: Parameters, u: Floats, mu: float, eps: tuple[float, float], law: str, order: int = 1
) -> tuple[Floats, float]:
    """Return u after a run that begins with the impact of both ends, and the energy change."""
    sol = cl.simulate(
        build_throw(p, u, mu, eps, order),
        t_end=1e-3,
        method=cl.EventDriven(impact=law_of(law)),
        progress=False,
    )
    return velocity_after(sol, "rod", 0), sum(e.data["energy"] for e in impacts_of(sol))


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare runs and matrices with the closed forms of both laws."""
    ran = ran or p  # runs of its own have the parameters of the given one
    v = impact_speed(p)
    found = ends_after(sol, p) / v
    events = impacts_of(sol)
    approach = next((-e.data["gamma_N_minus"] for e in events if e.name == "right-floor"), 0.0)
    change = sum(e.data["energy"] for e in events)
    checks = [
        check_reference("left end after the impact over v", float(found[0]), REFERENCE),
        check_reference("right end after the impact over v", float(found[1]), REFERENCE),
        compare("speed of the right end at the impact [m/s]", approach, v, 1e-9),
        compare("energy gained in impacts [J]", max(change, 0.0), 0.0, 1e-12),
    ]
    eps = (p.eps_left, p.eps_right)
    other = simulate(Parameters(**{**vars(ran), "law": "newton"}), progress=False)
    error = worst(ends_after(other, p) / v, by_newton(p, eps))
    checks.append(compare("run with Newton's law over v", error, 0.0, 1e-12))
    checks += _matrices(p, ran)
    # energies of some hundred joules, velocities of some ten metres per second
    W, M = rows(ran)
    for name, u, mu, e, expected in (
        ("slides", SLIDING, ran.mu_slide, (0.4, 0.4), slide_through(p, 0.4)),
        ("sticks", STICKING, ran.mu_stick, (0.5, 0.3), stick(p, (0.5, 0.3))),
    ):
        after, change = throw(ran, u, mu, e, "poisson coulomb")
        loss = 0.5 * float(rows(p)[1] @ (expected**2 - u**2))
        impact = cl.solve_impact(
            delassus(W, M), W @ u, law_of("poisson coulomb"), mu=mu, eps_N=e
        )  # fmt: skip
        by_matrices = u + W.T @ impact.Lambda / M
        checks += [
            compare(f"rod that {name}, run [m/s]", worst(after, expected), 0.0, 1e-12),
            compare(f"rod that {name}, matrices [m/s]", worst(by_matrices, expected), 0.0, 1e-12),
            compare(f"energy change of the rod that {name} [J]", change, loss, 1e-12),
            compare(f"rod that {name} gains [J]", max(change, 0.0), 0.0, 0.0),
        ]
    return checks


def _matrices(p: Parameters, ran: Parameters) -> list[Check]:
    """Compare impacts given by matrices with all branches of both laws."""
    fixed = [((a, b), (a, b)) for a, b in ((0.3, 0.7), (0.7, 0.3), (0.5, 0.5), (1.0, 0.0))]
    own = (p.eps_left, p.eps_right), (ran.eps_left, ran.eps_right)
    error_N = error_P = gain = 0.0
    for ratio in (1 / 3, 0.8, 1.5):
        given = Parameters(**{**vars(p), "inertia_ratio": ratio})
        alpha, beta = delassus_of_ends(given)
        G = np.array([[alpha, -beta], [-beta, alpha]])
        for eps, used in (*fixed, own):
            newton, poisson = (
                cl.solve_impact(G, [0.0, -1.0], law, eps_N=used)
                for law in (cl.Newton(), cl.Poisson())
            )
            error_N = max(error_N, worst(newton.gamma_plus, by_newton(given, eps)))
            error_P = max(error_P, worst(poisson.gamma_plus, by_poisson(given, eps)))
            gain = max(gain, newton.energy_change, poisson.energy_change)
    return [
        compare("all branches, Newton", error_N, 0.0, 1e-12),
        compare("all branches, Poisson", error_P, 0.0, 1e-12),
        compare("largest energy gain, frictionless", gain, 0.0, 1e-15),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the gaps of both ends over time."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(6.0, 3.8)
        axes = figure.subplots()
        for colour, name in zip(COLOURS, ("left", "right"), strict=False):
            axes.plot(sol.t, sol[f"{name}-floor"].gap, color=colour, label=f"{name} end")
        axes.set_xlabel(axis_label("time", "s"))
        axes.set_ylabel(axis_label("gap", "m"))
        add_legend(axes)
    return figure
