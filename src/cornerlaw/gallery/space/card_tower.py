"""Card tower: pairs of leaning cards in storeys; enough friction holds it, less lets it collapse.

A storey is a row of pairs of cards that lean against each other by the angle theta and carry a
sheet, on which the next storey stands with one pair less. A pair with the load P on each card of
weight w pushes its feet apart with about (P + w / 2) tan(theta) and presses on the floor with
P + w: it stands if

    mu > tan(theta) (P + w / 2) / (P + w),

tan(theta) / 2 for the uppermost storey and nearly tan(theta) below a high tower. The exact limit,
with the thickness of the cards, is that of limit analysis: the smallest mu for which forces exist
that balance every card, without tension and within friction, a linear program. Above it the tower
stands, without creep; below it no forces balance and it collapses.

Simplified: the upper ends of the cards are cut so that pairs meet in a small vertical face; the
horizontal cards of a storey are one sheet; cards are stiff. 5 storeys are the usual tower, the
default has 2 so that it runs in seconds.

Source: limit analysis as for masonry (Heyman 1969; Livesley 1978). All numbers are chosen.
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
from cornerlaw.gallery.space._solids import draw_solids

TITLE = "Card tower"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "limit analysis"
DOF = 42

Floats = NDArray[np.float64]
OVERHANG = 0.01  # [m] of the sheets
CLEAR = 0.002  # [m] between neighbouring feet


@dataclass(frozen=True)
class Parameters:
    """Storeys of leaning cards."""

    storeys: int = parameter(2, "1", "chosen: 5 is the usual tower, 2 run fast")
    length: float = parameter(0.09, "m", "chosen: a playing card")
    width: float = parameter(0.06, "m", "chosen: a playing card")
    thickness: float = parameter(0.001, "m", "chosen: a stiff card")
    lean: float = parameter(math.radians(20.0), "rad", "chosen: against the vertical")
    density: float = parameter(800.0, "kg/m^3", "chosen: cardboard; cancels out")
    margin: float = parameter(0.05, "1", "chosen: friction above the limit, relative")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "thin cards, one storey: limit over tan(lean) / 2": Reference(1.0, 2e-3, "formula above"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"margin": -0.1},
    {"density": 960.0},
    {"gravity": 7.85},
)


@dataclass(frozen=True)
class Solid:
    """A card: its name, profile in the plane (x, z) of the world, centre of mass and moments."""

    name: str
    profile: Floats
    area: float
    centre: Floats
    second: Floats  # integrals of x^2 and z^2 about the centre, over the area


def solid(name: str, profile: Floats) -> Solid:
    """Return a card with the moments of its polygon, whose corners go round counterclockwise."""
    x, z = profile.T
    x1, z1 = np.roll(x, -1), np.roll(z, -1)
    cross = x * z1 - x1 * z
    area = 0.5 * float(cross.sum())
    centre = np.array([((x + x1) * cross).sum(), ((z + z1) * cross).sum()]) / (6.0 * area)
    u, v = x - centre[0], z - centre[1]
    u1, v1 = np.roll(u, -1), np.roll(v, -1)
    again = u * v1 - u1 * v
    second = np.array([((u * u + u * u1 + u1 * u1) * again).sum(),
                       ((v * v + v * v1 + v1 * v1) * again).sum()]) / 12.0  # fmt: skip
    return Solid(name, profile, area, centre, second)


def leg(p: Parameters) -> tuple[Floats, float, float]:
    """Return the profile of a card that leans to the right, apex at x = 0, and its reach."""
    s, c = math.sin(p.lean), math.cos(p.lean)
    u, n = np.array([s, c]), 0.5 * p.thickness * np.array([c, -s])
    top = p.length * u - n
    corner = p.length * u + n - p.thickness / math.tan(p.lean) * u
    profile = np.array([-n, n, corner, top])
    profile = profile - [top[0], n[1]]
    return profile, float(-profile[1, 0]), float(profile[3, 1])


@cache
def cards(p: Parameters) -> tuple[tuple[Solid, ...], tuple[tuple[str, str, Any, Any], ...]]:
    """Return all cards, and their contacts: names, points and the normal towards the first."""
    profile, base, high = leg(p)
    mirror = (profile * [-1.0, 1.0])[::-1]
    pitch = 2.0 * (base + p.thickness * math.cos(p.lean)) + CLEAR
    found: list[Solid] = []
    touching: list[tuple[str, str, Any, Any]] = []
    up, right = (0.0, 1.0), (1.0, 0.0)
    below = "floor"
    for storey in range(p.storeys):
        pairs = p.storeys - storey
        level = storey * (high + p.thickness)
        sheet = f"sheet {storey}" if pairs > 1 else ""
        for j in range(pairs):
            apex = np.array([(j - 0.5 * (pairs - 1)) * pitch, level])
            names = [f"{side} {storey}.{j}" for side in ("left", "right")]
            found += [solid(names[0], profile + apex), solid(names[1], mirror + apex)]
            face = (profile[3] + apex, profile[2] + apex)
            touching.append((names[1], names[0], face, right))
            for name, sign in zip(names, (-1.0, 1.0), strict=True):
                touching.append((name, below, (apex + np.array([sign * base, 0.0]),), up))
                if sheet:
                    touching.append((sheet, name, (face[0],), up))
        if sheet:
            half = 0.5 * (pairs - 1) * pitch + OVERHANG
            z = level + high
            box = [(-half, z), (half, z), (half, z + p.thickness), (-half, z + p.thickness)]
            found.append(solid(sheet, np.array(box)))
            below = sheet
    return tuple(found), tuple(touching)


def stands(p: Parameters, mu: float) -> bool:
    """Tell whether forces exist that balance all cards, by a linear program."""
    from scipy.optimize import linprog

    solids, touching = cards(p)
    index = {item.name: k for k, item in enumerate(solids)}
    scale = max(item.area for item in solids)
    columns, rows = [], []
    for first, second, points, normal in touching:
        n = np.array(normal)
        for point in points:
            for way in (n, np.array([n[1], -n[0]])):
                column = np.zeros(3 * len(solids))
                for name, sign in ((first, 1.0), (second, -1.0)):
                    if name in index:
                        k = index[name]
                        arm = (point - solids[k].centre) / p.length
                        turn = arm[0] * way[1] - arm[1] * way[0]
                        column[3 * k : 3 * k + 3] += sign * np.array([*way, turn])
                columns.append(column)
            rows.append(len(columns) - 2)
    count = len(columns)
    cone = np.zeros((2 * len(rows), count))
    bounds: list[Any] = [(None, None)] * count
    for i, k in enumerate(rows):
        bounds[k] = (0.0, None)
        cone[2 * i, k], cone[2 * i, k + 1] = -mu, 1.0
        cone[2 * i + 1, k], cone[2 * i + 1, k + 1] = -mu, -1.0
    loads = np.zeros(3 * len(solids))
    loads[1::3] = [item.area / scale for item in solids]
    answer = linprog(
        np.zeros(count), A_ub=cone, b_ub=np.zeros(len(cone)), A_eq=np.array(columns).T, b_eq=loads,
        bounds=bounds, method="highs",
    )  # fmt: skip
    return bool(answer.status == 0)


@cache
def limit(p: Parameters) -> float:
    """Return the smallest coefficient of friction with which the tower stands."""
    low, high = 0.0, 2.0
    while high - low > 1e-7:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if stands(p, middle) else (middle, high)
    return high


def friction(p: Parameters) -> float:
    """Return the coefficient of friction of the tower."""
    return (1.0 + p.margin) * limit(replace(p, margin=0.0))


def solids_of(p: Parameters) -> dict[str, Floats]:
    """Return the corners of all cards about their centres of mass."""
    found = {}
    for item in cards(replace(p, margin=0.0))[0]:
        flat = item.profile - item.centre
        found[item.name] = np.array(
            [(x, y, z) for x, z in flat for y in (-0.5 * p.width, 0.5 * p.width)]
        )
    return found


def build(p: Parameters) -> cl.Model:
    """Return the tower on the floor."""
    q = replace(p, margin=0.0)
    mu = friction(p)
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    hulls: dict[str, Any] = {"floor": floor}
    items: list[Any] = [floor]
    corners = solids_of(p)
    for item in cards(q)[0]:
        mass = p.density * item.area * p.width
        xx, zz = p.density * p.width * item.second
        yy = mass * p.width**2 / 12.0
        product = p.density * p.width * _product(item)
        tensor = ((yy + zz, 0.0, -product), (0.0, xx + zz, 0.0), (-product, 0.0, xx + yy))
        body = cl.Body(
            item.name, mass=mass, inertia=tensor, position=(item.centre[0], 0.0, item.centre[1])
        )
        hull: Any
        points = corners[item.name]
        hull = cl.Polyhedron(f"hull {item.name}", body, vertices=tuple(map(tuple, points)))
        hulls[item.name] = hull
        items += [body, hull]
    for first, second, _, _ in cards(q)[1]:
        name = f"{first} on {second}"
        items.append(cl.Contact(hulls[first], hulls[second], name=name, mu=mu))
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="card tower")


def _product(item: Solid) -> float:
    """Return the integral of x z about the centre, over the area."""
    x, z = (item.profile - item.centre).T
    x1, z1 = np.roll(x, -1), np.roll(z, -1)
    cross = x * z1 - x1 * z
    return float(((x * z1 + 2.0 * x * z + 2.0 * x1 * z1 + x1 * z) * cross).sum() / 24.0)


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run three tenths of a second in steps of a millisecond; ten make a row."""
    options.setdefault("t_end", 0.3)
    if "t_eval" not in options:
        options.setdefault("every", 10)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def moved(sol: cl.Solution, since: float = 0.0) -> float:
    """Return the longest way of a card from a time to the end [m]."""
    k = int(np.searchsorted(sol.t, since - 1e-9))
    names = [name for name in sol.parts if name.startswith(("left ", "right ", "sheet "))
             and " on " not in name]  # fmt: skip
    return float(max(np.linalg.norm(sol[n].position[-1] - sol[n].position[k]) for n in names))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare limits, the standing tower with statics, and let one with less friction collapse."""
    thin = replace(p, storeys=1, thickness=1e-5, margin=0.0)
    name = "thin cards, one storey: limit over tan(lean) / 2"
    ratio = limit(thin) / (0.5 * math.tan(p.lean))
    feet = [c for c in sol.parts if c.endswith(" on floor") and f"{c}.force" in sol]
    load = sum(sol[c].force[-1, 2] for c in feet)
    weight = p.density * p.gravity * p.width * sum(s.area for s in cards(replace(p, margin=0.0))[0])
    weak = simulate(replace(p, margin=-p.margin))
    return [
        compare(name, ratio, REFERENCE[name].value, REFERENCE[name].tolerance),
        compare("moved [m]", moved(sol), 0.0, 1e-9),
        compare("creep [m/s]", moved(sol, 0.1) / (sol.t[-1] - 0.1), 0.0, 1e-12),
        compare("unsolved contact problems", sol.statistics["unsolved_problems"], 0.0, 0.0),
        compare("penetration [m]", sol.statistics["worst_penetration"], 0.0, 1e-9),
        compare("weight on the floor [N]", load, weight, 1e-6 * weight),
        compare("less friction: collapses", float(moved(weak) > 0.1 * p.length), 1.0, 0.0),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the tower at the end, and the limit of friction over the number of storeys."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters()
    solids = {name: points for name, points in solids_of(p).items() if name in sol.parts}
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        draw_solids(left, sol, solids, -1)
        left.set_title("At the end")
        counts = [1, 2, 3, 4, 5]
        limits = [limit(replace(p, storeys=n, margin=0.0)) for n in counts]
        right.plot(counts, limits, "o-", color=COLOURS[0], label="linear program")
        slope = math.tan(p.lean)
        right.axhline(0.5 * slope, color="#222222", ls=":", label="tan(lean) / 2")
        right.axhline(slope, color="#222222", ls="--", label="tan(lean)")
        right.set_xlabel(axis_label("storeys", "1"))
        right.set_ylabel(axis_label("friction it needs", "1"))
        right.set_xticks(counts)
        right.legend(loc="lower right", bbox_to_anchor=(1.0, 0.12))
    return figure
