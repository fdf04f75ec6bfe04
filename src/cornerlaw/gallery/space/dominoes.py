"""Dominoes: a row topples, and how fast the wave runs depends on the spacing.

Equal pieces (height h, thickness d) stand with gaps s between them. The first is pushed; every
piece turns about its lower front edge, hits the next without restitution and goes on leaning on it:

    h sin(theta_i - theta_(i+1)) = (s + d) cos(theta_(i+1)) - d.

Without friction between the pieces and without slip of the feet the falling row is a system with
one degree of freedom, the angle of its head. The integration of that system is the reference: the
energy is kept between hits, and at a hit the momentum along the motion after it,

    sum_i w_i (omega_i+ - omega_i-) = 0,    w_i = d theta_i / d theta_head.

The steady wave runs at some 1.5 to 2 times sqrt(g h), faster where the pieces stand closer (but
there it takes more pieces to become steady), which is the published trend: experiments of McLachlan
et al. 1983, Phys. Teacher 21; theory of van Leeuwen, Am. J. Phys. 78 (2010), whose model this is.
Friction makes real rows slower.

Here the pieces are boxes in space on a floor rough enough that the feet do not slip, mu > h / (3 d)
at least. The reference has ideal hinges; the boxes may lift off and rattle, and their contacts are
found at the ends of steps, so that times agree to about a step. All numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.space._solids import box_corners, draw_solids

TITLE = "Dominoes"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "van Leeuwen 2010; McLachlan et al. 1983"
DOF = 60

Floats = NDArray[np.float64]
# of the height
SPACINGS = (0.5, 0.8)


@dataclass(frozen=True)
class Parameters:
    """A row of equal pieces."""

    pieces: int = parameter(10, "1", "chosen: at these spacings the wave is steady after some five")
    height: float = parameter(0.048, "m", "chosen: a usual domino")
    thickness: float = parameter(0.0075, "m", "chosen: a usual domino")
    width: float = parameter(0.024, "m", "chosen: a usual domino; cancels out")
    spacing: float = parameter(0.5, "1", "chosen: free gap over the height")
    mass: float = parameter(0.01, "kg", "chosen: cancels out")
    mu_floor: float = parameter(5.0, "1", "chosen: the feet do not slip")
    mu: float = parameter(0.0, "1", "chosen: between the pieces, as in the reference")
    push: float = parameter(15.0, "rad/s", "chosen: angular velocity of the first piece")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "thin pieces, angle of the first hit [rad]": Reference(math.pi / 6.0, 1e-12, "asin(s / h)"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mu_floor": 0.2},
    {"gravity": 4.9},
    {"spacing": 0.6},
    {"mu": 0.4},
)


def chain(p: Parameters, head: float, count: int) -> tuple[Floats, Floats]:
    """Return the angles of a falling row from its head back, and their rates by the head's."""
    h, d = p.height, p.thickness
    pitch = p.spacing * h + d
    angles, rates = np.zeros(count), np.zeros(count)
    angles[0], rates[0] = head, 1.0
    for k in range(1, count):
        before = angles[k - 1]
        x = (pitch * math.cos(before) - d) / h
        angles[k] = before + math.asin(x)
        slope = -pitch * math.sin(before) / h / math.sqrt(1.0 - x * x)
        rates[k] = rates[k - 1] * (1.0 + slope)
    return angles, rates


@cache
def hit_times(p: Parameters) -> Floats:
    """Return when each piece is hit, by integrating the row of ideal hinges; the first is 0."""
    h, d = p.height, p.thickness
    moment = p.mass * (h * h + d * d) / 3.0

    def level(angles: Floats) -> float:
        """Return the potential energy of pieces that stand on their front edges."""
        return float(0.5 * p.mass * p.gravity * np.sum(h * np.cos(angles) + d * np.sin(angles)))

    last = math.asin(p.spacing)  # the head's angle when it meets the next piece
    times, rate = [0.0], p.push
    for count in range(1, p.pieces):
        angles, rates = chain(p, 0.0, count)
        energy = level(angles) + 0.5 * moment * float(rates @ rates) * rate**2
        # midpoints of small steps of the head's angle; dt = d theta / rate
        grid = np.linspace(0.0, last, 801)
        time = 0.0
        for theta in 0.5 * (grid[:-1] + grid[1:]):
            a, w = chain(p, float(theta), count)
            kinetic = energy - level(a)
            if kinetic <= 0.0:
                return np.array(times)
            time += (grid[1] - grid[0]) / math.sqrt(2.0 * kinetic / (moment * float(w @ w)))
        a, w = chain(p, last, count)
        before = math.sqrt(2.0 * (energy - level(a)) / (moment * float(w @ w))) * w
        times.append(times[-1] + time)
        _, w = chain(p, 0.0, count + 1)
        # the new head stood still; all others go on with a new rate
        rate = float(w[1:] @ before) / float(w @ w)
    return np.array(times)


def wave_speed(p: Parameters, times: Floats) -> float:
    """Return the mean speed of the wave over the second half of the row, over sqrt(g h)."""
    half = len(times) // 2
    way = (p.spacing * p.height + p.thickness) * (len(times) - 1 - half)
    return float(way / (times[-1] - times[half]) / math.sqrt(p.gravity * p.height))


def build(p: Parameters) -> cl.Model:
    """Return the pieces along x; the first turns about its front edge."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [floor]
    size = (p.thickness, p.width, p.height)
    pitch = p.spacing * p.height + p.thickness
    before: Any = None
    for k in range(p.pieces):
        spin = p.push if k == 0 else 0.0
        body = cl.Body(
            f"piece {k}", mass=p.mass, inertia=cl.inertia.box(p.mass, size),
            position=(k * pitch, 0.0, 0.5 * p.height),
            velocity=(0.5 * spin * p.height, 0.0, 0.5 * spin * p.thickness),
            angular_velocity=(0.0, spin, 0.0),
        )  # fmt: skip
        hull = cl.Box(f"hull {k}", body, size=size)
        items += [body, hull, cl.Contact(hull, floor, name=f"foot {k}", mu=p.mu_floor)]
        if before is not None:
            items.append(cl.Contact(before, hull, name=f"hit {k}", mu=p.mu))
        before = hull
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="dominoes")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the last piece is hit, in steps of half a millisecond."""
    options.setdefault("t_end", 0.4)
    if "t_eval" not in options:
        options.setdefault("every", 10)
    options.setdefault("method", cl.Moreau(dt=5e-4))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def first_hits(sol: cl.Solution, p: Parameters) -> Floats:
    """Return when each piece is hit first, nan for one that is not."""
    times = [0.0]
    for k in range(1, p.pieces):
        found = [e.time for e in sol.events
                 if e.kind == "impact" and e.name.split("[")[0] == f"hit {k}"]  # fmt: skip
        times.append(min(found) if found else math.nan)
    return np.array(times)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the hits with the row of hinges, at two spacings; closer rows are faster."""
    ideal, found = hit_times(p), first_hits(sol, p)
    wide = replace(p, spacing=SPACINGS[1])
    slow = first_hits(simulate(wide, t_end=0.5), wide)
    speeds = [wave_speed(p, found), wave_speed(wide, slow)]
    models = [wave_speed(p, ideal), wave_speed(wide, hit_times(wide))]
    name = "thin pieces, angle of the first hit [rad]"
    return [
        compare(name, math.asin(p.spacing), REFERENCE[name].value, REFERENCE[name].tolerance),
        compare("first hit [s]", found[1], ideal[1], 1e-3),
        compare("close: wave speed over sqrt(g h)", speeds[0], models[0], 0.03 * models[0]),
        compare("wide: wave speed over sqrt(g h)", speeds[1], models[1], 0.03 * models[1]),
        compare("wide over close, below 1", float(speeds[1] < speeds[0]), 1.0, 0.0),
        compare("pieces that fell", float(np.isfinite(found).sum()), p.pieces, 0.0),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the row in the middle of the run, the hits, and the wave speed over the spacing."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    p = Parameters()
    names = [name for name in sol.parts if name.startswith("piece ")]
    corners = box_corners((p.thickness, p.width, p.height))
    with house_style():
        figure = new_figure(9.0, 4.6)
        grid = figure.add_gridspec(2, 2, height_ratios=(1, 2))
        top = figure.add_subplot(grid[0, :])
        draw_solids(top, sol, dict.fromkeys(names, corners), len(sol.t) // 2, colours=COLOURS[:2])
        left, right = figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])
        left.plot(first_hits(sol, p), "o", color=COLOURS[0], label="boxes")
        left.plot(hit_times(p), color="#222222", label="ideal hinges")
        left.set_xlabel(axis_label("piece", "1"))
        left.set_ylabel(axis_label("hit at", "s"))
        add_legend(left)
        spacings = np.linspace(0.2, 0.8, 7)
        rows = [replace(p, spacing=float(s), pieces=40) for s in spacings]
        right.plot(spacings, [wave_speed(row, hit_times(row)) for row in rows], color="#222222",
                   label="ideal hinges, 40 pieces")  # fmt: skip
        right.plot(p.spacing, wave_speed(p, hit_times(p)), "+", color="#222222", ms=12,
                   label=f"ideal hinges, {p.pieces} pieces")  # fmt: skip
        right.plot(p.spacing, wave_speed(p, first_hits(sol, p)), "o", color=COLOURS[0],
                   label="boxes")  # fmt: skip
        right.set_xlabel(axis_label("gap over height", "1"))
        right.set_ylabel(axis_label("wave speed / sqrt(g h)", "1"))
        add_legend(right)
    return figure
