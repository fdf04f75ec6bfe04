"""Bouncing ball: infinitely many impacts in finite time, on a level, a tilted and a moving floor.

A ball falls from the height h and loses the part 1 - e of its speed in every impact. The impacts
follow each other in times that shrink by the factor e,

    t_1 = sqrt(2 h / g),  t_(k+1) = t_k + 2 e^k t_1,  t_rest = t_1 (1 + e) / (1 - e),

and pile up at t_rest, from where the ball rests; the apex after k impacts is e^(2k) h. On a smooth
slope the same holds along its normal with g cos(alpha), so that the times are those of the level
floor with h the vertical distance from the slope. On a floor that moves as a sin(omega t) only the
equation of each next impact is known; it is solved here root by root.

Textbook; the numbers are those of a much used test of event handling,
which some programs fail by letting the ball fall through the floor behind t_rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.impacts._laws import Floats, impacts_of, worst

TITLE = "Bouncing ball"
TOPIC = "impacts"
SPEC: tuple[str, ...] = ("TR-N-07",)
SOURCE = "textbook"
DOF = 2

IMPACTS = 20  # impact times that are compared


@dataclass(frozen=True)
class Parameters:
    """A point mass above a floor."""

    height: float = parameter(1.0, "m", "chosen: the usual test of accumulating impacts")
    eps_N: float = parameter(0.8, "1", "chosen: the usual test of accumulating impacts")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")
    mass: float = parameter(1.0, "kg", "chosen: the motion does not depend on it")
    slope: float = parameter(math.radians(20.0), "rad", "chosen: visibly tilted")
    amplitude: float = parameter(0.02, "m", "chosen: small against the height")
    frequency: float = parameter(1.0, "Hz", "chosen: 0.79 m/s^2, the ball comes to rest")


_SOURCE = "closed form for h = 1 m, e = 0.8, g = 9.81 m/s^2"
REFERENCE = {
    "first impact [s]": Reference(0.451523640985731, 1e-12, _SOURCE),
    "twentieth impact [s]": Reference(4.011655637318495, 1e-12, _SOURCE),
    "rest [s]": Reference(4.063712768871579, 1e-9, _SOURCE),
    "apex after the first impact [m]": Reference(0.64, 1e-6, "e^2 h"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"eps_N": 0.64},
    {"gravity": 7.848},
    {"height": 1.2},
)


def build(p: Parameters) -> cl.Model:
    """Return the ball above the level floor."""
    return _above(p, cl.Ground("floor", normal=(0.0, 1.0)))


def build_tilted(p: Parameters) -> cl.Model:
    """Return the ball above a smooth slope through the origin."""
    return _above(p, cl.Ground("floor", normal=(-math.sin(p.slope), math.cos(p.slope))))


def build_moving(p: Parameters) -> cl.Model:
    """Return the ball above a floor at the height a sin(omega t)."""
    a, omega = p.amplitude, 2.0 * math.pi * p.frequency
    motion = (0.0, lambda t: a * math.sin(omega * t))
    return _above(p, cl.MovingFrame("floor", position=motion, normal=(0.0, 1.0)))


def _above(p: Parameters, floor: Any) -> cl.Model:
    ball = cl.PointMass("ball", mass=p.mass, position=(0.0, p.height))
    contact = cl.Contact(ball, floor, eps_N=p.eps_N)
    return cl.Model(ball, floor, contact, gravity=(0.0, -p.gravity), name="bouncing ball")


def impact_times(p: Parameters, count: int = IMPACTS) -> Floats:
    """Return the times of the first impacts on the level floor and on the slope."""
    first = math.sqrt(2.0 * p.height / p.gravity)
    return np.asarray(first * (1.0 + 2.0 * np.cumsum([0.0, *p.eps_N ** np.arange(1, count)])))


def rest_time(p: Parameters) -> float:
    """Return where the impacts pile up."""
    return math.sqrt(2.0 * p.height / p.gravity) * (1.0 + p.eps_N) / (1.0 - p.eps_N)


def moving_impact_times(p: Parameters, count: int = IMPACTS) -> Floats:
    """Return the times of the first impacts on the moving floor, each found as a root.

    A flight is sampled 2000 times per period of the floor; the first change of sign of the gap is
    bisected to rounding. The gap counts from its value at the start of the flight, which is zero.
    """
    from scipy.optimize import brentq

    omega, dt = 2.0 * math.pi * p.frequency, 5e-4 / p.frequency
    t_0, start, speed, found = 0.0, p.height, 0.0, []
    for _ in range(count):

        def gap(s: float, t_0: float = t_0, start: float = start, speed: float = speed) -> float:
            rise = 2.0 * math.cos(omega * (t_0 + 0.5 * s)) * math.sin(0.5 * omega * s)
            return start + s * (speed - 0.5 * p.gravity * s) - p.amplitude * rise

        a = 1e-6 * dt
        while gap(a + dt) > 0.0:
            a += dt
        s = brentq(gap, a, a + dt, xtol=1e-16, rtol=1e-15)
        t_0 += s
        floor = p.amplitude * omega * math.cos(omega * t_0)
        speed = floor - p.eps_N * (speed - p.gravity * s - floor)
        start = 0.0
        found.append(t_0)
    return np.array(found)


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run to one second after the impacts have piled up."""
    options.setdefault("t_end", rest_time(p) + 1.0)
    options.setdefault("method", cl.EventDriven(rtol=1e-12, atol=1e-14))
    return cl.simulate(build(p), **options)


def times_of(sol: cl.Solution, count: int = IMPACTS) -> Floats:
    """Return the first impact times of a run, nan where there are fewer."""
    found = [e.time for e in impacts_of(sol)][:count]
    return np.array(found + [math.nan] * (count - len(found)))


def rest_of(sol: cl.Solution) -> float:
    """Return the time from which the ball rests, nan if it does not."""
    return next((e.time for e in sol.events if e.kind == "rest"), math.nan)


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare impact times and rest on the three floors."""
    ran = ran or p  # runs of its own have the parameters of the given one
    times, rest = times_of(sol), rest_of(sol)
    heights = np.asarray(sol["ball"].position)[:, 1]
    speeds = np.asarray(sol["ball"].velocity)[:, 1]
    after = sol.t > rest
    # the apex is where the run says, from the state right behind the first impact
    behind = np.flatnonzero(sol.t <= times[0])[-1]
    apex = heights[behind] + 0.5 * speeds[behind] ** 2 / p.gravity
    lost = -sum(e.data["energy"] for e in impacts_of(sol))
    tilted, moving = _relatives(ran)
    return [
        check_reference("first impact [s]", float(times[0]), REFERENCE),
        check_reference("twentieth impact [s]", float(times[-1]), REFERENCE),
        check_reference("rest [s]", rest, REFERENCE),
        check_reference("apex after the first impact [m]", float(apex), REFERENCE),
        compare("impact times, level [s]", worst(times, impact_times(p)), 0.0, 1e-12),
        # rounding of the gap, some 1e-16 m
        compare("lowest height [m]", float(heights.min()), 0.0, 1e-9),
        compare("height at rest [m]", worst(heights[after], 0.0), 0.0, 1e-12),
        compare("speed at rest [m/s]", worst(speeds[after], 0.0), 0.0, 1e-12),
        compare("energy lost [J]", lost, p.mass * p.gravity * p.height, 1e-9),
        compare("impact times, tilted [s]", worst(times_of(tilted), impact_times(p)), 0.0, 1e-12),
        # behind t_rest the ball has moved 40 m: the gap is rounded to 1e-14 m
        compare("rest, tilted [s]", rest_of(tilted), rest_time(p), 1e-9),
        compare(
            "impact times, moving [s]", worst(times_of(moving), moving_impact_times(p)), 0.0, 1e-12
        ),
    ]


@cache
def _relatives(p: Parameters) -> tuple[cl.Solution, cl.Solution]:
    """Run the ball on the slope and on the moving floor."""
    # bounces below 1 mm/s are summed up: an impact at v is located to rounding of the gap over v
    method = cl.EventDriven(rtol=1e-12, atol=1e-14, zeno=1e-3)
    t_end = rest_time(p) + 0.5
    first, second = (
        cl.simulate(model, t_end=t_end, method=method, progress=False)
        for model in (build_tilted(p), build_moving(p))
    )
    return first, second


def show(sol: cl.Solution) -> Any:
    """Draw height and speed over time."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    heights = np.asarray(sol["ball"].position)[:, 1]
    speeds = np.asarray(sol["ball"].velocity)[:, 1]
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(*_flights(sol.t, heights, speeds), color=COLOURS[0])
        left.set_ylabel(axis_label("height", "m"))
        right.plot(sol.t, speeds, color=COLOURS[1])
        right.set_ylabel(axis_label("speed", "m/s"))
        for axes in (left, right):
            axes.set_xlabel(axis_label("time", "s"))
    return figure


def _flights(t: Floats, y: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Return times and heights with the parabolas between the stored states filled in."""
    theta = np.linspace(0.0, 1.0, 25)[:-1]
    step = np.diff(t)[:, None]
    times = t[:-1, None] + theta * step
    # the cubic through states and speeds is the parabola itself
    a, b = y[:-1, None], y[1:, None]
    rise = theta**2 * (3.0 - 2.0 * theta)
    slopes = theta * (1.0 - theta) * ((1.0 - theta) * v[:-1, None] - theta * v[1:, None])
    heights = a + rise * (b - a) + step * slopes
    return times.ravel(), heights.ravel()
