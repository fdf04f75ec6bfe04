"""Stack of boxes: it stands, it is shaken, and it is left alone.

n equal boxes lie on each other on a plate. At rest joint k carries the weight of the n - k boxes
above it, and nothing may creep or sink, whatever the number of steps. Then the plate is shaken
sideways by a short burst,

    x(t) = A sin(w (t - t0)) exp(-((t - t0) / tau)^2),

with the peak acceleration a. No joint slides as long as a < mu g, and no part of the stack tips as
long as a < g b / H, with the breadth b and the height H of the whole stack, the tallest part. Below
both, the stack follows the plate like one body: joint k transmits the horizontal force
m (n - k) x''(t), and its centre of pressure lies (n - k) h / 2 x'' / g off the middle.

Source: statics. The numbers are chosen; 20 boxes are those of the usual test of engines, of which
the penalty-based ones creep by micrometres per second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.space._solids import box_corners, draw_solids

TITLE = "Stack of boxes"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "statics"
DOF = 120

Floats = NDArray[np.float64]
DT = 1e-3


@dataclass(frozen=True)
class Parameters:
    """Equal boxes on a plate that is shaken along x."""

    boxes: int = parameter(20, "1", "chosen: the usual test")
    breadth: float = parameter(0.2, "m", "chosen: edges along x and y")
    height: float = parameter(0.1, "m", "chosen: of one box")
    mass: float = parameter(1.0, "kg", "chosen: of one box")
    mu: float = parameter(0.5, "1", "chosen: wood")
    shake: float = parameter(0.08, "1", "chosen: peak acceleration over g, tips from 0.1 on")
    frequency: float = parameter(12.0, "Hz", "chosen: of the burst")
    middle: float = parameter(0.15, "s", "chosen: time of the burst")
    length: float = parameter(0.04, "s", "chosen: of the burst; over after 0.2 s more")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "acceleration that tips the stack over g": Reference(0.1, 1e-12, "breadth over height"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"shake": 0.2},
    {"mass": 1.2},
    {"mu": 0.05},
    {"gravity": 7.85},
)


def way(p: Parameters) -> Any:
    """Return the motion of the plate as a function of time."""
    w = 2.0 * math.pi * p.frequency
    # the second derivative at the middle of the burst vanishes; its peak is found on a fine grid
    s = np.linspace(-4.0 * p.length, 4.0 * p.length, 40001)
    unit = np.sin(w * s) * np.exp(-((s / p.length) ** 2))
    peak = float(np.abs(np.gradient(np.gradient(unit, s), s)).max())
    size, t0, tau = p.shake * p.gravity / peak, p.middle, p.length
    return lambda t: size * math.sin(w * (t - t0)) * math.exp(-(((t - t0) / tau) ** 2))


def build(p: Parameters) -> cl.Model:
    """Return the stack on its plate."""
    moves = way(p)
    plate = cl.MovingFrame(
        "plate", position=(moves, lambda t: 0.0, lambda t: 0.0), normal=(0.0, 0.0, 1.0)
    )
    items: list[Any] = [plate]
    size = (p.breadth, p.breadth, p.height)
    below: Any = plate
    for k in range(p.boxes):
        body = cl.Body(
            f"box {k}", mass=p.mass, inertia=cl.inertia.box(p.mass, size),
            position=(moves(0.0), 0.0, (k + 0.5) * p.height),
        )  # fmt: skip
        hull = cl.Box(f"hull {k}", body, size=size)
        items += [body, hull, cl.Contact(hull, below, name=f"joint {k}", mu=p.mu)]
        below = hull
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="box stack")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run through the burst and a while beyond, in steps of a millisecond; two make a row."""
    options.setdefault("t_end", 0.5)
    if "t_eval" not in options:
        options.setdefault("every", 2)
    options.setdefault("method", cl.Moreau(dt=DT))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def places(sol: cl.Solution, p: Parameters) -> Floats:
    """Return the positions of all boxes against the plate, by row."""
    moves = way(p)
    plate = np.array([(moves(t), 0.0, 0.0) for t in sol.t])
    return np.stack([sol[f"box {k}"].position - plate for k in range(p.boxes)], axis=1)


def creep(sol: cl.Solution, p: Parameters, since: float) -> float:
    """Return the largest mean speed of a box against the plate from a time to the end [m/s]."""
    k = int(np.searchsorted(sol.t, since - 1e-9))
    found = places(sol, p)
    ways = np.linalg.norm(found[-1] - found[k], axis=1)
    return float(ways.max() / (sol.t[-1] - sol.t[k]))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare forces and centres of pressure with statics; nothing may creep, slide or sink."""
    moves, found = way(p), places(sol, p)
    t = sol.t
    v = np.array([(moves(x + 1e-6) - moves(x - 1e-6)) / 2e-6 for x in t])
    # forces are means over a row, as is this acceleration
    a = np.concatenate([[0.0], np.diff(v) / np.diff(t)])
    k = int(np.argmax(np.abs(a)))
    peak = p.shake * p.gravity
    ends = [sol[f"joint {j}"] for j in (0, p.boxes // 2)]
    checks = [
        compare(
            "acceleration that tips the stack over g", p.breadth / (p.boxes * p.height),
            REFERENCE["acceleration that tips the stack over g"].value, 1e-12,
        ),
        # within a step the plate is dt^2 a ahead of boxes that have its velocity at the ends
        compare("moved against the plate [m]", np.abs(found - found[0]).max(), 0.0, 1e-5),
        compare("creep after the burst [m/s]", creep(sol, p, 0.4), 0.0, 1e-12),
        compare("penetration [m]", sol.statistics["worst_penetration"], 0.0, 1e-9),
    ]  # fmt: skip
    for j, joint in zip((0, p.boxes // 2), ends, strict=True):
        above = (p.boxes - j) * p.mass
        rest = joint.force[-1, 2]
        checks += [
            compare(f"joint {j}: weight at rest [N]", rest, above * p.gravity, 1e-8),
            # the steps of a row see the motion of the plate at their ends
            compare(
                f"joint {j}: force of the burst [N]", joint.force[k, 0], above * a[k],
                0.01 * above * peak,
            ),
        ]  # fmt: skip
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the stack at the end, and the forces of three joints over time."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    p = Parameters()
    names = [name for name in sol.parts if name.startswith("box ")]
    corners = box_corners((p.breadth, p.breadth, p.height))
    with house_style():
        figure = new_figure(9.0, 4.2)
        left, right = figure.subplots(1, 2, width_ratios=(1, 3))
        draw_solids(left, sol, dict.fromkeys(names, corners), -1, colours=COLOURS[:2])
        left.set_xticks([0.0])
        for colour, j in zip(COLOURS, (0, len(names) // 2, len(names) - 1), strict=False):
            force = sol[f"joint {j}"].force[1:, 0]
            right.plot(sol.t[1:], force, color=colour, label=f"joint {j}")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("horizontal force", "N"))
        add_legend(right)
    return figure
