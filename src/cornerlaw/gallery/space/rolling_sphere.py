"""Balls and a cylinder thrown with slip and spin: when, where and how fast they begin to roll.

A round body with the radius r and J = k m r^2 (2/5 for a solid ball, 1/2 for a solid cylinder) is
set on a level plane with the velocity v and the spin omega. Its lowest point slips with

    s = v + r e_z x omega.

Friction keeps the direction of s, for any direction of the spin, and takes

    ds/dt = -mu g (1 + 1/k) s / |s|,    dv/dt = -mu g s / |s|,

so that rolling begins at t* = k |s| / ((1 + k) mu g) with the velocity v* = v - k / (1 + k) s,
5/7 v for a ball without spin, 2/3 v for a cylinder. Up to there the path is a parabola (the masse
shot of billiards), from there a straight line. The spin about the vertical does not change, and
k / (2 (1 + k)) m s^2 is lost.

"plain" is thrown without spin, "oblique" with a spin about a slanted axis, "back" with so much
backspin that it returns, "cylinder" rolls on its side. Closed forms: Euler 1758 and Coriolis 1835,
in any textbook; all numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Balls and a cylinder begin to roll"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook: Euler, Coriolis"
DOF = 24

NAMES = ("oblique", "plain", "back", "cylinder")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Three equal balls and a cylinder on one floor."""

    mass: float = parameter(0.17, "kg", "chosen: a billiard ball; cancels out but for the energy")
    radius: float = parameter(0.0286, "m", "chosen: a billiard ball")
    shape: float = parameter(0.4, "1", "derived: J / (m r^2) of a solid ball")
    length: float = parameter(0.1, "m", "chosen: of the cylinder")
    speed: float = parameter(1.5, "m/s", "chosen: a shot of medium force")
    side: float = parameter(40.0, "rad/s", "chosen: spin of the oblique ball about its path")
    vertical: float = parameter(25.0, "rad/s", "chosen: spin of the oblique ball, vertical")
    backspin: float = parameter(180.0, "rad/s", "chosen: more than 5/2 v / r, the ball returns")
    mu: float = parameter(0.2, "1", "chosen: ball on cloth")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "speed of the plain ball over its first": Reference(5 / 7, 1e-9, "closed form, textbook"),
    "speed of the cylinder over its first": Reference(2 / 3, 1e-9, "closed form, textbook"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mu": 0.24},
    {"shape": 0.48},
    {"radius": 0.0343},
    {"gravity": 7.85},
    {"side": 48.0},
    {"mass": 0.2},
)


@dataclass(frozen=True)
class Throw:
    """Shape and start of one of the bodies."""

    shape: float
    velocity: Floats
    spin: Floats


def throws(p: Parameters) -> dict[str, Throw]:
    """Return the starts of all bodies."""
    v = np.array([p.speed, 0.0, 0.0])
    return {
        "oblique": Throw(p.shape, v, np.array([p.side, 0.0, p.vertical])),
        "plain": Throw(p.shape, v, np.zeros(3)),
        "back": Throw(p.shape, v, np.array([0.0, -p.backspin, 0.0])),
        "cylinder": Throw(0.5, v, np.zeros(3)),
    }


def slip(p: Parameters, throw: Throw) -> Floats:
    """Return the velocity of the lowest point at the start."""
    turning = p.radius * np.cross([0.0, 0.0, 1.0], throw.spin)
    return np.asarray(throw.velocity + turning, dtype=np.float64)


def rolls_at(p: Parameters, throw: Throw) -> float:
    """Return the time at which rolling begins."""
    k = throw.shape
    return float(k * np.linalg.norm(slip(p, throw)) / ((1.0 + k) * p.mu * p.gravity))


def velocity_at(p: Parameters, throw: Throw, t: float) -> Floats:
    """Return the velocity of the centre at a time."""
    s = slip(p, throw)
    t = min(t, rolls_at(p, throw))
    return np.asarray(throw.velocity - p.mu * p.gravity * t * s / np.linalg.norm(s))


def way_at(p: Parameters, throw: Throw, t: float) -> Floats:
    """Return how far the centre is from its start at a time: a parabola, then a straight line."""
    change = min(t, rolls_at(p, throw))
    mean = 0.5 * (throw.velocity + velocity_at(p, throw, change))
    return np.asarray(mean * change + velocity_at(p, throw, t) * (t - change))


def build(p: Parameters) -> cl.Model:
    """Return the four bodies, side by side, on one floor."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [floor]
    moment = p.shape * p.mass * p.radius**2
    for k, (name, throw) in enumerate(throws(p).items()):
        start: dict[str, Any] = {
            "mass": p.mass, "position": (0.0, 0.3 * k, p.radius),
            "velocity": tuple(throw.velocity), "angular_velocity": tuple(throw.spin),
        }  # fmt: skip
        shape: Any
        if name == "cylinder":
            tensor = cl.inertia.cylinder(p.mass, p.radius, p.length, axis="y")
            body = cl.Body(name, inertia=tensor, **start)
            shape = cl.Cylinder(
                f"hull {name}", body, radius=p.radius, length=p.length, axis=(0.0, 1.0, 0.0)
            )
        else:
            body = cl.Body(name, inertia=(moment, moment, moment), **start)
            shape = cl.Sphere(f"hull {name}", body, radius=p.radius)
        items += [body, shape, cl.Contact(shape, floor, name=f"{name} contact", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="rolling sphere")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until all bodies roll, event by event."""
    if "t_end" not in options:
        # a fixed time covers all of the listed changes
        options["t_end"] = 1.5
        options.setdefault("t_eval", np.linspace(0.0, 1.5, 301))
    options.setdefault("method", cl.EventDriven(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def begin_of_rolling(sol: cl.Solution, name: str) -> float:
    """Return the time of the last event after which a body sticks, nan without one."""
    times = [e.time for e in sol.events if e.kind == "stick" and e.name.startswith(f"{name} ")]
    return max(times) if times else math.nan


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare times, velocities, paths, spins and the lost energy with the closed forms."""
    found = {
        "speed of the plain ball over its first": sol["plain"].velocity[-1, 0] / p.speed,
        "speed of the cylinder over its first": sol["cylinder"].velocity[-1, 0] / p.speed,
    }
    checks = [check_reference(name, float(value), REFERENCE) for name, value in found.items()]
    lost = 0.0
    for name, throw in throws(p).items():
        body, end = sol[name], float(sol.t[-1])
        velocity = float(np.abs(body.velocity[-1] - velocity_at(p, throw, end)).max())
        way = body.position[-1] - body.position[0] - way_at(p, throw, end)
        turn = body.angular_velocity[-1, 2] - throw.spin[2]
        k = throw.shape
        lost += 0.5 * p.mass * k / (1.0 + k) * float(np.sum(slip(p, throw) ** 2))
        # events lie on roots of velocities that are linear in time: rounding is all there is
        checks += [
            compare(f"{name}: rolls at [s]", begin_of_rolling(sol, name), rolls_at(p, throw), 1e-9),
            compare(f"{name}: velocity against the closed form [m/s]", velocity, 0.0, 1e-9),
            compare(f"{name}: way against the closed form [m]", np.abs(way).max(), 0.0, 1e-9),
            compare(f"{name}: change of the vertical spin [rad/s]", turn, 0.0, 1e-9),
        ]
    energy = sol["energy.total"]
    checks.append(compare("lost energy [J]", float(energy[0] - energy[-1]), lost, 1e-9))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the paths from above and the speeds."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for colour, name in zip(COLOURS, NAMES, strict=False):
            r, v = sol[name].position, sol[name].velocity
            left.plot(r[:, 0], r[:, 1], color=colour, label=name)
            begin = begin_of_rolling(sol, name)
            k = int(np.searchsorted(sol.t, begin)) if math.isfinite(begin) else 0
            left.plot(r[k, 0], r[k, 1], color=colour, marker="o", ls="none")
            right.plot(sol.t, np.linalg.norm(v[:, :2], axis=1), color=colour, label=name)
        left.set_aspect("equal")
        left.set_xlabel(axis_label("x", "m"))
        left.set_ylabel(axis_label("y", "m"))
        left.set_title("From above; dots: rolling begins")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("speed", "m/s"))
        # room above the curves for their names
        right.set_ylim(top=1.35 * right.get_ylim()[1])
        add_legend(right)
    return figure
