"""Boxes on slopes: one that rests, and four that hold, slide, stand and tip by a hair.

A box of length 2 b along the slope and height 2 h above it, inclined by alpha, slides if
tan(alpha) > mu and tips over its lower edge if tan(alpha) > b / h, whichever comes first. "rest"
lies on 10 degrees with mu = 0.5 and must do nothing at all: no creep, no sinking (regularised
contacts creep by micrometres per second). The resultant of its four corners stands under the centre
of mass, h tan(alpha) down the slope from the middle of the face.

"holds" and "slides" are flat boxes a hair below and above atan(mu), "stands" and "tips" tall ones a
hair below and above atan(b / h). The sliding box moves with g (sin(alpha) - mu cos(alpha)), the
tipping one turns about its edge as a pendulum does that falls from rest at the angle
alpha - atan(b / h),

    phi'' = 3 g / (4 R) sin(phi),   R^2 = b^2 + h^2,

integrated independently. Textbook problem; 10 degrees and mu = 0.5 are the common test of rigid
contact, all other numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Boxes on slopes"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook"
DOF = 30

NAMES = ("rest", "holds", "slides", "stands", "tips")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """A resting box and four at the limits."""

    slope: float = parameter(math.radians(10.0), "rad", "chosen: the common test, 10 deg")
    mu: float = parameter(0.5, "1", "chosen: the common test")
    mass: float = parameter(1.0, "kg", "chosen: cancels out")
    flat_length: float = parameter(0.4, "m", "chosen: of the flat boxes, along the slope")
    flat_height: float = parameter(0.2, "m", "chosen: b / h = 2, slides before it tips")
    tall_length: float = parameter(0.15, "m", "chosen: of the tall boxes, along the slope")
    tall_height: float = parameter(0.5, "m", "chosen: b / h = 0.3, tips before it slides")
    width: float = parameter(0.3, "m", "chosen: across the slope")
    hair: float = parameter(1e-4, "rad", "chosen: distance from the limit angles")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "rest: creep from 1 s to the end [m/s]": Reference(0.0, 1e-12, "a box at rest rests"),
    "rest: deepest penetration [m]": Reference(0.0, 1e-9, "rigid bodies"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mu": 0.4},
    {"slope": math.radians(12.0)},
    {"tall_length": 0.18},
    {"tall_height": 0.6},
    {"gravity": 7.85},
    {"hair": -1e-4},
)


def boxes(p: Parameters) -> dict[str, tuple[float, float, float]]:
    """Return length, height and inclination of all boxes."""
    flat, tall = (p.flat_length, p.flat_height), (p.tall_length, p.tall_height)
    slides, tips = math.atan(p.mu), math.atan(p.tall_length / p.tall_height)
    return {
        "rest": (*flat, p.slope),
        "holds": (*flat, slides - p.hair),
        "slides": (*flat, slides + p.hair),
        "stands": (*tall, tips - p.hair),
        "tips": (*tall, tips + p.hair),
    }


def build(p: Parameters, names: tuple[str, ...] = NAMES) -> cl.Model:
    """Return boxes, each on a slope of its own; x points down, z out of the slope."""
    ground = cl.Ground("ground")
    items: list[Any] = [ground]
    for k, name in enumerate(names):
        length, height, angle = boxes(p)[name]
        normal = math.sin(angle), 0.0, math.cos(angle)
        plane = cl.Plane(f"slope {name}", ground, normal=normal, at=(0.0, 1.0 * k, 0.0))
        size = length, p.width, height
        body = cl.Body(
            name, inertia=cl.inertia.box(p.mass, size),
            position=(0.5 * height * normal[0], 1.0 * k, 0.5 * height * normal[2]),
            rotation=cl.rotation.about((0.0, 1.0, 0.0), angle),
        )  # fmt: skip
        hull = cl.Box(f"hull {name}", body, size=size)
        items += [body, plane, hull, cl.Contact(hull, plane, name=f"{name} base", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="box on slope")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run in time steps until the tipping box has turned by a quarter of a radian or so."""
    options.setdefault("t_end", 1.6)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    return cl.simulate(build(p), **options)


@cache
def by_events(p: Parameters) -> cl.Solution:
    """Return the run event by event of the boxes that begin no slow slip."""
    model = build(p, ("rest", "holds", "stands", "tips"))
    # a box a hair beyond its limit begins so slowly that every error at its beginning grows with it
    method = cl.EventDriven(rtol=1e-11, atol=1e-14)
    return cl.simulate(model, t_end=1.6, method=method, progress=False)


def tilt_of(p: Parameters, t: Floats) -> Floats:
    """Return how far the tipping box has turned at given times, by an integration of its own."""
    from scipy.integrate import solve_ivp

    length, height, angle = boxes(p)["tips"]
    rate = 1.5 * p.gravity / math.hypot(length, height)
    start = angle - math.atan(length / height)
    run = solve_ivp(
        lambda _, y: [y[1], rate * math.sin(y[0])], (0.0, t[-1]), [start, 0.0], method="DOP853",
        rtol=1e-12, atol=1e-15, t_eval=t,
    )  # fmt: skip
    return np.asarray(run.y[0] - start)


def tilt(sol: cl.Solution, name: str) -> Floats:
    """Return the angle by which a box has turned about y since the start."""
    A = sol[name].rotation
    angle = np.arctan2(A[:, 0, 2], A[:, 2, 2])
    return np.asarray(angle - angle[0])


def creep(sol: cl.Solution, name: str, since: float = 1.0) -> float:
    """Return the mean velocity of a box from a time to the end."""
    k = int(np.searchsorted(sol.t, since - 1e-9))
    r = sol[name].position
    return float(np.linalg.norm(r[-1] - r[k]) / (sol.t[-1] - sol.t[k]))


def deepest(sol: cl.Solution, name: str) -> float:
    """Return the deepest penetration of the corners of a box, 0 without any."""
    gaps = [sol[f"{name} base[{k}]"].gap.min() for k in range(8)]
    return float(max(0.0, -min(gaps)))


def way(sol: cl.Solution, p: Parameters, name: str) -> Floats:
    """Return how far a box has moved down its slope."""
    angle = boxes(p)[name][2]
    r = sol[name].position
    return np.asarray((r - r[0]) @ [math.cos(angle), 0.0, -math.sin(angle)])


def check_road(sol: cl.Solution, p: Parameters, road: str, accuracy: float) -> list[Check]:
    """Compare the boxes at their limits."""
    end = float(sol.t[-1])
    tips = float(tilt_of(p, np.array([0.0, end]))[-1])
    still = [float(np.abs(way(sol, p, name)).max()) for name in ("holds", "stands")]
    lean = float(np.abs(tilt(sol, "stands")).max())
    turned = float(tilt(sol, "tips")[-1])
    return [
        compare(f"{road}, holds: moves by [m]", still[0], 0.0, 1e-11),
        compare(f"{road}, stands: moves by [m]", still[1], 0.0, 1e-11),
        compare(f"{road}, stands: leans by [rad]", lean, 0.0, 1e-11),
        compare(f"{road}, tips: angle over that of the pendulum", turned / tips, 1.0, accuracy),
    ]


def slid(sol: cl.Solution, p: Parameters) -> float:
    """Return the way of the sliding box over a t^2 / 2."""
    angle = boxes(p)["slides"][2]
    a = p.gravity * (math.sin(angle) - p.mu * math.cos(angle))
    return 2.0 * float(way(sol, p, "slides")[-1]) / (a * float(sol.t[-1]) ** 2)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Check that the box at rest rests and the others do what they must, on both roads."""
    checks = [
        check_reference("rest: creep from 1 s to the end [m/s]", creep(sol, "rest"), REFERENCE),
        check_reference("rest: deepest penetration [m]", deepest(sol, "rest"), REFERENCE),
    ]
    force = sol["rest base"].force[-1]
    weight = p.mass * p.gravity
    checks.append(
        compare("rest: force against the weight [N]", np.abs(force - [0, 0, weight]).max(), 0, 1e-9)
    )
    down = np.array([math.cos(p.slope), 0.0, -math.sin(p.slope)])
    pressure = float(sol["rest base"].centre_of_pressure[-1] @ down)
    checks.append(
        compare("rest: centre of pressure [m]", pressure,
                0.5 * p.flat_height * math.tan(p.slope), 1e-9)
    )  # fmt: skip
    checks.append(compare("stepping, slides: way over a t^2 / 2", slid(sol, p), 1.0, 1e-9))
    # of order 1 or better: the step over the time in which the tilt grows
    checks += check_road(sol, p, "stepping", 1e-3)
    checks += check_road(by_events(p), p, "events", 1e-6)
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the creep of the resting box, and way and tilt of those that move."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for colour, name in zip(COLOURS, ("rest", "holds", "slides"), strict=False):
            r = sol[name].position
            moved = np.linalg.norm(r - r[0], axis=1)
            left.semilogy(sol.t, np.maximum(moved, 1e-18), color=colour, label=name)
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("way from the start", "m"))
        add_legend(left)
        for colour, name in zip(COLOURS[3:], ("stands", "tips"), strict=False):
            right.plot(sol.t, np.degrees(tilt(sol, name)), color=colour, label=name)
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("tilt", "deg"))
        add_legend(right)
    return figure
