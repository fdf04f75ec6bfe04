"""Cam and follower: an eccentric disc lifts a roller that a spring presses on it.

A disc of radius R turns with the speed Omega about an axis at the distance e from its centre. The
roller of radius r follows on a guide through the axis. With the angle theta = Omega t of the centre
from the horizontal the follower is at

    y = e sin theta + sqrt((R + r)^2 - e^2 cos^2 theta),

the normal is inclined by sin psi = -e cos theta / (R + r), and without friction the force is

    lam_N = (m (y'' + g) + k (y - y_0)) / cos psi,

y_0 the position of the relaxed spring. The roller lifts off where it vanishes, first at the top;
above that critical speed the follower jumps and hits the cam again.

Source: classical kinematics of cams; the force is a closed form, so that the contact of the circle,
of the same circle as a parametric curve and of a spline through its points can be compared with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Cam and follower"
TOPIC = "friction"
SPEC: tuple[str, ...] = ("cam and follower",)
SOURCE = "textbook: kinematics of cams"
DOF = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Eccentric disc, roller, spring."""

    radius: float = parameter(0.04, "m", "chosen: a cam for small engines")
    eccentricity: float = parameter(0.01, "m", "chosen: 20 mm lift")
    roller: float = parameter(0.01, "m", "chosen: a quarter of the cam")
    mass: float = parameter(0.2, "kg", "chosen: follower with its roller")
    stiffness: float = parameter(1000.0, "N/m", "chosen: lifts off near 106 rad/s")
    preload: float = parameter(5.0, "N", "chosen: spring force in the lowest position")
    gravity: float = parameter(9.81, "m/s^2", "chosen: standard")
    speed: float = parameter(60.0, "rad/s", "chosen: no lift-off")
    restitution: float = parameter(0.3, "1", "chosen: steel with oil")


REFERENCE = {
    "lift [m]": Reference(0.02, 1e-12, "2 e"),
    "critical speed [rad/s]": Reference(
        105.991, 5e-4, "m Omega^2 e (1 + e / (R + r)) = m g + 2 k e + preload at the top"
    ),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"eccentricity": 0.012},
    {"mass": 0.24},
    {"stiffness": 1200.0},
    {"speed": 72.0},
    {"roller": 0.012},
)


def lift(p: Parameters, theta: Floats) -> tuple[Floats, Floats]:
    """Return y and y'' of the follower over the angle of the cam."""
    c = p.radius + p.roller
    s, k = np.sin(theta), np.cos(theta)
    root = np.sqrt(c**2 - (p.eccentricity * k) ** 2)
    y = p.eccentricity * s + root
    half = p.eccentricity**2 * s * k / root  # d root / d theta
    bend = p.eccentricity**2 * (k * k - s * s) / root - half**2 / root
    return y, p.speed**2 * (-p.eccentricity * s + bend)


def force(p: Parameters, theta: Floats) -> Floats:
    """Return the contact force while the roller stays on the cam."""
    y, acceleration = lift(p, theta)
    tilt = -p.eccentricity * np.cos(theta) / (p.radius + p.roller)
    lowest = p.radius + p.roller - p.eccentricity
    load = p.mass * (acceleration + p.gravity) + p.stiffness * (y - lowest) + p.preload
    return np.asarray(load / np.sqrt(1.0 - tilt**2))


def critical_speed(p: Parameters) -> float:
    """Return the speed of the cam at which the roller first lifts off."""
    from scipy.optimize import brentq

    theta = np.linspace(0.0, 2.0 * math.pi, 7201)

    def least(speed: float) -> float:
        return float(np.min(force(replace(p, speed=speed), theta)))

    top = 1.0
    while least(top) > 0.0:
        top *= 1.5
    return float(brentq(least, 0.0, top, xtol=1e-10))


def cam(p: Parameters, kind: str, shaft: cl.MovingFrame) -> Any:
    """Return the contour of the cam: "circle", "curve" or "spline"."""
    R, e = p.radius, p.eccentricity
    if kind == "circle":
        return cl.Circle("cam", shaft, radius=R, at=(e, 0.0))

    def outline(s: float) -> tuple[float, float]:
        return e + R * math.cos(s), R * math.sin(s)

    if kind == "curve":
        return cl.Curve("cam", shaft, function=outline, s=(0.0, 2.0 * math.pi), closed=True)
    points = tuple(outline(2.0 * math.pi * i / 120) for i in range(120))
    return cl.SplineCurve("cam", shaft, points=points, closed=True)


def build(p: Parameters, kind: str = "circle") -> cl.Model:
    """Return cam, follower on its guide and spring; the cam starts at theta = 0."""
    Omega = p.speed
    shaft = cl.MovingFrame("shaft", position=(0.0, 0.0), angle=lambda t: Omega * t)
    y0 = math.sqrt((p.radius + p.roller) ** 2 - p.eccentricity**2)
    v0 = p.speed * p.eccentricity
    ground = cl.Ground()
    follower = cl.Body("follower", mass=p.mass, inertia=1e-4)
    guide = cl.Prismatic("guide", ground, follower, axis=(0.0, 1.0), displacement=y0, velocity=v0)
    lowest = p.radius + p.roller - p.eccentricity
    spring = cl.TorsionSpring(
        "spring", guide, stiffness=p.stiffness, rest=lowest - p.preload / p.stiffness
    )
    wheel = cl.Circle("roller", follower, radius=p.roller)
    contact = cl.Contact(
        wheel, cam(p, kind, shaft), name="contact", eps_N=p.restitution, eps_speed=1e-3
    )
    return cl.Model(
        shaft, follower, guide, spring, wheel, contact, gravity=(0.0, -p.gravity), name="cam"
    )


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run three turns of the cam."""
    if "t_end" not in options:
        options["t_end"] = 6.0 * math.pi / p.speed
        options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 601))
    options.setdefault("method", cl.EventDriven())
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare lift, force and critical speed with the closed forms."""
    ran = ran or p  # runs of its own have the parameters of the given one
    theta = p.speed * sol.t
    y, _ = lift(p, theta)
    expected = force(p, theta)
    lam, found = sol["contact"].lam_N, sol["guide"].displacement
    scale = float(np.max(expected))
    checks = [
        # the contact holds the roller on the cam to rounding, 1e-9 per step at the worst
        compare("lift [m]", float(np.ptp(found)), REFERENCE["lift [m]"].value, 1e-6),
        compare("position over the angle [m]", float(np.max(np.abs(found - y))), 0.0, 1e-9),
        compare("contact force, of the largest", float(np.max(np.abs(lam - expected))) / scale,
                0.0, 1e-7),
    ]  # fmt: skip
    limit = critical_speed(p)
    known = REFERENCE["critical speed [rad/s]"]
    checks.append(
        compare("critical speed [rad/s]", critical_speed(ran), known.value, known.tolerance)
    )
    lifted = []
    for factor in (0.995, 1.005):
        turn = simulate(replace(ran, speed=factor * limit))
        lifted.append(float(any(event.kind == "detach" for event in turn.events)))
    checks += [
        compare("lift-off below the critical speed", lifted[0], 0.0, 0.0),
        compare("lift-off above the critical speed", lifted[1], 1.0, 0.0),
    ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw lift and contact force over time."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, 1e3 * sol["guide"].displacement, color=COLOURS[0])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("position", "mm"))
        right.plot(sol.t, sol["contact"].lam_N, color=COLOURS[1])
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("contact force", "N"))
    return figure
