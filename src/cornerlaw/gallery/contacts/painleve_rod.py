"""Painlevé's rod: a rod that slides on its tip, for which no contact force exists.

A homogeneous rod of half-length l leans with the angle theta over the floor, its tip slides with
the speed v towards the side of its centre. While it slides, the normal acceleration of the tip is

    gamma_N_dot = A lam_N + b,  A = (1 + 3 cos^2 - 3 mu sin cos) / m,  b = l omega^2 sin - g

(sine and cosine of theta). Above mu_c = (1 + 3 cos^2) / (3 sin cos), 4/3 at tan(theta) = 2, the
factor A is negative: with b < 0 no force keeps the tip from penetrating, with b > 0 there are
several (none, or -b/A, or an impulse). In the first case the only way out is an impact without
collision: the tip, which does not approach, is stopped at once by

    Lambda_T = mu_c Lambda_N,  Lambda_N = m |v| / ((1 + 3 sin^2) mu_c - 3 sin cos),

with the loss |v| Lambda_T / 2. In the second case the event-driven road lets the tip leave, and so
does time stepping: of several solutions the one without force is taken where it exists.

Source: mu_c and A are those of any text on Painlevé's paradox; the impulse follows from the mass
matrix of the rod, sticking and no normal velocity after it. Sizes are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Painlevé's rod"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("TR-N-06",)
SOURCE = "Painlevé 1895"
DOF = 3

TAN_2 = math.atan(2.0)


@dataclass(frozen=True)
class Parameters:
    """Rod and its state: the tip slides to the left, the rod leans to the right."""

    mass: float = parameter(1.0, "kg", "chosen: impulses scale with it")
    half_length: float = parameter(1.0, "m", "chosen: impulses do not depend on it")
    theta: float = parameter(TAN_2, "rad", "chosen: tan(theta) = 2, where mu_c = 4/3")
    mu: float = parameter(1.6, "1", "chosen: above 4/3")
    speed: float = parameter(1.0, "m/s", "chosen: impulses scale with it")
    omega: float = parameter(0.0, "rad/s", "chosen: with 0 no force exists")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "critical mu at tan(theta) = 2": Reference(4.0 / 3.0, 1e-12, "A = 0"),
    "events that report it": Reference(1.0, 0.0, "one sliding contact without a force"),
    # an approach of 1e-6 of the sliding speed selects the impulse
    "Lambda_N [N*s]": Reference(0.3, 1e-9, "mass matrix of the rod at tan(theta) = 2"),
    "Lambda_T [N*s]": Reference(0.4, 1e-9, "mass matrix of the rod at tan(theta) = 2"),
    "energy of the impact [J]": Reference(-0.2, 1e-9, "half the sliding speed times Lambda_T"),
    "Lambda_N by time stepping over the impact": Reference(1.0, 0.02, "event-driven impulse"),
    "order of time stepping": Reference(1.0, 0.1, "scheme of first order"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"theta": 0.9},
    {"mass": 1.2},
    {"speed": 1.2},
    {"mu": 1.28},
    {"omega": 5.0},
)


def critical_mu(p: Parameters) -> float:
    """Return the coefficient above which A is negative."""
    s, c = math.sin(p.theta), math.cos(p.theta)
    return (1.0 + 3.0 * c * c) / (3.0 * s * c)


def coefficients(p: Parameters) -> tuple[float, float]:
    """Return A and b of the normal acceleration while the tip slides."""
    s, c = math.sin(p.theta), math.cos(p.theta)
    A = (1.0 + 3.0 * c * c - 3.0 * p.mu * s * c) / p.mass
    return A, p.half_length * p.omega**2 * s - p.gravity


def impulse(p: Parameters) -> tuple[float, float]:
    """Return Lambda_N and Lambda_T that stop a sliding tip which does not approach."""
    s, c = math.sin(p.theta), math.cos(p.theta)
    mu_c = critical_mu(p)
    normal = p.mass * p.speed / ((1.0 + 3.0 * s * s) * mu_c - 3.0 * s * c)
    return normal, mu_c * normal


def build(p: Parameters) -> cl.Model:
    """Return the rod with its tip on the floor."""
    s, c, a = math.sin(p.theta), math.cos(p.theta), p.half_length
    rod = cl.Body(
        "rod",
        mass=p.mass,
        inertia=p.mass * a * a / 3.0,
        position=(a * c, a * s),
        rotation=p.theta,
        velocity=(-p.speed - p.omega * a * s, p.omega * a * c),
        angular_velocity=p.omega,
    )
    tip = cl.ContactPoint("tip", rod, at=(-a, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(tip, floor, mu=p.mu)
    return cl.Model(rod, tip, floor, contact, gravity=(0.0, -p.gravity), name="painleve-rod")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for 0.1 s, event by event."""
    options.setdefault("t_end", 0.1)
    options.setdefault("method", cl.EventDriven())
    return cl.simulate(build(p), **options)


def stepped_impulse(p: Parameters, dt: float) -> tuple[float, float]:
    """Return Lambda_N and Lambda_T of the first step of time stepping."""
    sol = cl.simulate(build(p), t_end=2.0 * dt, method=cl.Moreau(dt=dt), progress=False)
    return float(sol["tip-floor.Lambda_N"][1]), float(sol["tip-floor.Lambda_T"][1])


def energy(sol: cl.Solution) -> Any:
    """Return kinetic and potential energy of the rod."""
    return np.asarray(sol["rod.kinetic_energy"]) + np.asarray(sol["rod.potential_energy"])


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the impact without collision with its closed form, on both roads."""
    ran = ran or p  # runs of its own have the parameters of the given one
    hits = [e for e in sol.events if e.kind == "impact"]
    jump = hits[0].data if hits else {}
    steps = 1e-3 / 2.0 ** np.arange(6)
    normal = np.array([stepped_impulse(ran, dt)[0] for dt in steps])
    error = np.abs(normal - impulse(p)[0])
    found = {
        "critical mu at tan(theta) = 2": critical_mu(replace(p, theta=TAN_2)),
        "events that report it": float(sum(e.kind == "painleve" for e in sol.events)),
        "Lambda_N [N*s]": jump.get("Lambda_N", math.nan),
        "Lambda_T [N*s]": jump.get("Lambda_T", math.nan),
        "energy of the impact [J]": jump.get("energy", math.nan),
        "Lambda_N by time stepping over the impact": normal[-1] / jump.get("Lambda_N", math.nan),
        "order of time stepping": float(np.polyfit(np.log(steps), np.log(error), 1)[0]),
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in found.items()]
    total = energy(sol)
    # an integration with 1e-9 of some joule
    rise = float(np.max(np.diff(total), initial=0.0))
    checks.append(compare("rise of energy [J]", rise, 0.0, 1e-8))
    below = simulate(replace(ran, mu=0.99 * critical_mu(ran)), t_end=1e-3, progress=False)
    names = [e.kind for e in below.events]
    checks.append(compare("reports below the critical mu", float("painleve" in names), 0.0, 0.0))
    return checks


def show(sol: cl.Solution, p: Parameters = Parameters()) -> Any:
    """Draw where no force exists, what the impact does, and the motion of the tip after it."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    theta = np.radians(np.linspace(5.0, 85.0, 161))
    limit = np.array([critical_mu(replace(p, theta=float(angle))) for angle in theta])
    normal = np.array([impulse(replace(p, theta=float(angle)))[0] for angle in theta])
    first = next((e.data for e in sol.events if e.kind == "impact"), None)
    with house_style():
        figure = new_figure(12.0, 3.8)
        region, jump, motion = figure.subplots(1, 3)
        region.plot(np.degrees(theta), limit, color=COLOURS[0])
        region.fill_between(np.degrees(theta), limit, 4.0, color=COLOURS[0], alpha=0.15)
        region.plot([math.degrees(p.theta)], [p.mu], "o", color=COLOURS[1])
        region.annotate("no force", (45.0, 3.2), ha="center")
        region.set_ylim(0.0, 4.0)
        region.set_xlabel(axis_label("lean", "deg"))
        region.set_ylabel(axis_label("coefficient of friction", "1"))
        jump.plot(np.degrees(theta), normal, color=COLOURS[0], label="closed form")
        if first is not None:
            jump.plot(
                [math.degrees(p.theta)], [first["Lambda_N"]], "o", color=COLOURS[1], label="run"
            )
        add_legend(jump)
        jump.set_xlabel(axis_label("lean", "deg"))
        jump.set_ylabel(axis_label("normal impulse", "N*s"))
        # the tip slides, is stopped at once and sticks while the rod falls over it
        t = np.concatenate([[-0.2 * sol.t[-1], 0.0], sol.t])
        centre = np.asarray(sol["rod.velocity"])[:, 0]
        before = np.full(2, -p.speed - p.omega * p.half_length * math.sin(p.theta))
        motion.plot(t, np.concatenate([before, centre]), color=COLOURS[0], label="centre")
        tip = np.concatenate([np.full(2, -p.speed), np.asarray(sol["tip-floor.gamma_T"])])
        motion.plot(t, tip, color=COLOURS[1], label="tip")
        add_legend(motion)
        motion.set_xlabel(axis_label("time", "s"))
        motion.set_ylabel(axis_label("horizontal velocity", "m/s"))
    return figure
