"""Arch of blocks: how thin a semicircular arch may be before it falls.

A semicircle of n equal voussoirs (centreline radius r, thickness t) stands on two abutments without
mortar. It carries its own weight as long as a line of thrust fits into it. The thinnest arch that
stands follows from the safe theorem of limit analysis (Heyman): forces in the joints that balance
every block, without tension and within friction, must exist. For blocks with plane joints these
are linear conditions on the forces at the two edges of every joint, and the thinnest arch is found
by a linear program in them: t / r = 0.1021, 0.1056, 0.1072 for n = 9, 17, 31, and 0.1075 for many
(Milankovitch 1907: 0.1075). Heyman's 0.106 (1969) measures the weight along the centreline, whose
centre of mass is not that of a block; it is an approximation, shown but not compared.

Weights and centres of mass of blocks are those of sectors of the ring, so that joints are all that
is discrete; the blocks that touch are polyhedra with the corners of the sectors. The joints open
and close by themselves: with the thrust at an edge one of them becomes a hinge.

The arch is 1 % thicker than the limit, or thinner: then it must fall. Wide joints with little
friction slide instead; the linear program says from which mu on they do.

Source: limit analysis as in Heyman, The safety of masonry arches, Int. J. Mech. Sci. 11 (1969);
Milankovitch, Z. Math. Phys. 55 (1907). All other numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.space._solids import draw_solids

TITLE = "Arch of blocks"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook: Heyman, Milankovitch"
DOF = 54

Floats = NDArray[np.float64]
HEYMAN = 0.106


@dataclass(frozen=True)
class Parameters:
    """A semicircular arch; `margin` is how much thicker it is than the thinnest that stands."""

    blocks: int = parameter(9, "1", "book")
    radius: float = parameter(1.0, "m", "chosen: lengths scale")
    width: float = parameter(0.2, "m", "chosen: across the plane of the arch; cancels out")
    margin: float = parameter(0.01, "1", "chosen: within 1 % of the limit")
    mu: float = parameter(0.7, "1", "chosen: rough stone, no joint slides")
    density: float = parameter(2000.0, "kg/m^3", "chosen: sandstone; cancels out")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "thinnest arch of 9 over radius": Reference(0.1021, 5e-5, "limit analysis, published"),
    "thinnest arch of 17 over radius": Reference(0.1056, 5e-5, "limit analysis, published"),
    "thinnest arch of 31 over radius": Reference(0.1072, 5e-5, "limit analysis, published"),
    "thinnest arch of 201 over radius": Reference(0.1075, 5e-5, "Milankovitch 1907"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"margin": -0.01},
    {"mu": 0.2},
    {"gravity": 7.85},
    {"density": 2400.0},
)


@cache
def forces(n: int, thickness: float, mu: float) -> Floats | None:
    """Return thrusts at the inner and outer edges of all joints that carry an arch, or None.

    Radius, weight per angle and radius are 1. Columns: inner and outer normal force, shear; the
    joints go from the right abutment over the top to the left one.
    """
    from scipy.optimize import linprog

    inner, outer = 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness
    angles = np.linspace(0.0, math.pi, n + 1)
    half = 0.5 * math.pi / n
    # the sector's area over its angle and thickness is 1, its centre of mass lies on this radius
    centre = 2.0 / 3.0 * (outer**3 - inner**3) / (outer**2 - inner**2) * math.sin(half) / half
    weight = 2.0 * half
    balance = np.zeros((3 * n, 3 * (n + 1)))
    loads = np.zeros(3 * n)
    for k in range(n):
        middle = 0.5 * (angles[k] + angles[k + 1])
        loads[3 * k : 3 * k + 3] = 0.0, weight, weight * centre * math.cos(middle)
        for joint, sign in ((k, 1.0), (k + 1, -1.0)):
            a = angles[joint]
            radial = np.array([math.cos(a), math.sin(a)])
            along = np.array([-math.sin(a), math.cos(a)])
            # acting on block k: the joint before pushes along, the one behind against the angle
            for column, (way, lever) in enumerate(((along, inner), (along, outer), (radial, 0.0))):
                force = sign * way
                place = 3 * joint + column
                balance[3 * k : 3 * k + 2, place] = force
                # a radial force through the axis of the arch has no moment about it
                balance[3 * k + 2, place] = sign * lever
    rows = np.zeros((2 * (n + 1), 3 * (n + 1)))
    for joint in range(n + 1):
        for s, sign in enumerate((1.0, -1.0)):
            rows[2 * joint + s, 3 * joint : 3 * joint + 3] = -mu, -mu, sign
    found = linprog(
        np.zeros(3 * (n + 1)), A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=balance, b_eq=loads,
        bounds=[(0.0, None), (0.0, None), (None, None)] * (n + 1), method="highs",
    )  # fmt: skip
    return np.asarray(found.x).reshape(n + 1, 3) if found.status == 0 else None


@cache
def thinnest(n: int, mu: float) -> float:
    """Return thickness over centreline radius of the thinnest arch that stands, nan if none does.

    Thicker arches stand if thinner ones do, so that the linear programs are bisected to 1e-8.
    """
    low, high = 0.0, 0.5
    if forces(n, high, mu) is None:
        return math.nan
    while high - low > 1e-8:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if forces(n, middle, mu) is not None else (middle, high)
    return high


def thickness(p: Parameters) -> float:
    """Return the thickness of the arch [m], measured on the limit for joints that do not slide."""
    return (1.0 + p.margin) * thinnest(p.blocks, 10.0) * p.radius


def corners(p: Parameters) -> list[Floats]:
    """Return the corners of every block in the axes of the world."""
    t, angles = thickness(p), np.linspace(0.0, math.pi, p.blocks + 1)
    found = []
    for before, after in pairwise(angles):
        found.append(
            np.array([
                (r * math.cos(a), y, r * math.sin(a))
                for a in (before, after)
                for r in (p.radius - 0.5 * t, p.radius + 0.5 * t)
                for y in (-0.5 * p.width, 0.5 * p.width)
            ])
        )  # fmt: skip
    return found


def block_inertia(p: Parameters) -> tuple[float, Floats, float]:
    """Return mass, principal moments (tangential, y, radial at mid-angle) and radius of the centre.

    All of a sector of the ring.
    """
    t = thickness(p)
    inner, outer, half = p.radius - 0.5 * t, p.radius + 0.5 * t, 0.5 * math.pi / p.blocks
    area = half * (outer**2 - inner**2)
    mass = p.density * area * p.width
    centre = 2.0 / 3.0 * (outer**3 - inner**3) / (outer**2 - inner**2) * math.sin(half) / half
    fourth = (outer**4 - inner**4) / 4.0
    # integrals of the squares of the coordinates along the radius and across it
    along = fourth * (half + 0.5 * math.sin(2.0 * half)) / area - centre**2
    across = fourth * (half - 0.5 * math.sin(2.0 * half)) / area
    wide = p.width**2 / 12.0
    return mass, mass * np.array([along + wide, along + across, across + wide]), centre


def build(p: Parameters) -> cl.Model:
    """Return the blocks between two abutments, which are halves of the level ground."""
    ground = cl.Ground("abutments", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [ground]
    mass, moments, centre = block_inertia(p)
    angles = np.linspace(0.0, math.pi, p.blocks + 1)
    before: Any = ground
    for k, points in enumerate(corners(p)):
        middle = 0.5 * (angles[k] + angles[k + 1])
        # body axes: x across the radius, y, z along the radius
        turn = 0.5 * math.pi - middle
        c, s = math.cos(turn), math.sin(turn)
        axes = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        place = centre * p.radius * np.array([math.cos(middle), 0.0, math.sin(middle)]) / p.radius
        body = cl.Body(
            f"block {k}", mass=mass, inertia=tuple(moments), position=tuple(place),
            rotation=axes,
        )  # fmt: skip
        local = (points - place) @ axes
        hull = cl.Polyhedron(f"stone {k}", body, vertices=tuple(map(tuple, local)))
        items += [body, hull, cl.Contact(hull, before, name=f"joint {k}", mu=p.mu)]
        before = hull
    items.append(cl.Contact(before, ground, name=f"joint {p.blocks}", mu=p.mu))
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="arch")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run half a second in steps of a millisecond; 50 make a row."""
    if "t_end" not in options:
        options["t_end"] = 0.5
    if "t_eval" not in options:
        options.setdefault("every", 50)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def sag(sol: cl.Solution, p: Parameters) -> float:
    """Return how far the block farthest from its place has moved [m]."""
    ways = [sol[f"block {k}"].position for k in range(p.blocks)]
    return float(max(np.linalg.norm(way[-1] - way[0]) for way in ways))


def creep(sol: cl.Solution, p: Parameters, since: float) -> float:
    """Return the largest mean speed of a block from a time to the end [m/s]."""
    k = int(np.searchsorted(sol.t, since - 1e-12))
    ways = [sol[f"block {i}"].position for i in range(p.blocks)]
    return float(max(np.linalg.norm(w[-1] - w[k]) for w in ways) / (sol.t[-1] - sol.t[k]))


def falls(p: Parameters, **options: Any) -> bool:
    """Tell whether an arch falls: a block moves by half the thickness."""
    options.setdefault("t_end", 0.8)
    sol = simulate(p, **options)
    return sag(sol, p) > 0.5 * thickness(p)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the linear program, the standing arch, and one that is as much too thin."""
    checks = [
        check_reference(f"thinnest arch of {n} over radius", thinnest(n, 10.0), REFERENCE)
        for n in (9, 17, 31, 201)
    ]
    thin = replace(p, margin=-p.margin)
    weight = p.blocks * block_inertia(p)[0] * p.gravity
    feet = sum(sol[f"joint {k}"].force[-1, 2] for k in (0, p.blocks))
    checks += [
        compare("the arch: moved from its place [m]", sag(sol, p), 0.0, 1e-6 * p.radius),
        compare("the arch: creep [m/s]", creep(sol, p, 0.5 * sol.t[-1]), 0.0, 1e-12),
        compare("weight on the abutments, relative", feet / weight, 1.0, 1e-9),
        compare("unsolved contact problems", sol.statistics["unsolved_problems"], 0.0, 0.0),
        compare("penetration [m]", sol.statistics["worst_penetration"], 0.0, 1e-9),
        # 1 % below the limit a block is lost within a second
        compare("1 % thinner than the limit: falls", float(falls(thin)), 1.0, 0.0),
    ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the arch at the end with the edges the thrust leans on, and the limits over n."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    p = Parameters()
    centre = block_inertia(p)[2]
    solids = {}
    for k, points in enumerate(corners(p)):
        if f"block {k}.position" not in sol:
            continue
        middle = (k + 0.5) * math.pi / p.blocks
        turn = 0.5 * math.pi - middle
        c, s = math.cos(turn), math.sin(turn)
        axes = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        place = centre * np.array([math.cos(middle), 0.0, math.sin(middle)])
        solids[f"block {k}"] = (points - place) @ axes
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        draw_solids(left, sol, solids, -1, colours=COLOURS[:2])
        for k in range(p.blocks + 1):
            if f"joint {k}.force" in sol:
                place = sol[f"joint {k}"].centre_of_pressure[-1]
                left.plot(place[0], place[2], color="#222222", marker="o", ms=4)
        left.set_title("At the end; dots: thrust in the joints")
        counts = [5, 7, 9, 13, 17, 23, 31, 45]
        right.plot(counts, [thinnest(n, 10.0) for n in counts], "o-", color=COLOURS[0],
                   label="linear program")  # fmt: skip
        right.axhline(0.1075, color="#222222", ls=":", label="many blocks, Milankovitch")
        right.axhline(HEYMAN, color=COLOURS[1], ls="--", label="Heyman, approximation")
        right.set_xlabel(axis_label("blocks", "1"))
        right.set_ylabel(axis_label("thinnest arch over radius", "1"))
        add_legend(right)
    return figure
