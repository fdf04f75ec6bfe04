"""Super ball in space: three bounces between floor and table turn velocity and spin around.

A solid ball (radius r, J = k m r^2) hits a wall with the unit normal n. Its contact point moves
with the tangential velocity s = (v - r omega x n)_T. As long as it sticks, the laws of Newton in
normal and tangential direction turn v_N into -e_N v_N and s into -e_T s,

    v+ = v - (1 + e_N) v_N n - k / (1 + k) (1 + e_T) s,
    omega+ = omega - (1 + e_T) / ((1 + k) r) s x n,

for any direction of s; the spin about n stays. Energy lost with e_N = 1 is
k m (1 - e_T^2) s^2 / (2 (1 + k)). The ball is thrown under a table with a slanted spin: floor,
table and floor. With e_T = 1 all energy is kept and, without spin, the velocity along the floor
comes back as -333/343 of what it was (Garwin 1969). The same throw is run event by event and in
time steps; the impact law is Moreau's, restitution in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Super ball in space"
TOPIC = "space"
SPEC: tuple[str, ...] = ("E8",)
SOURCE = "Garwin 1969"
DOF = 12

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Two balls between the floor and the underside of a table, too fast for gravity to matter."""

    mass: float = parameter(0.1, "kg", "chosen: results do not depend on it")
    radius: float = parameter(0.03, "m", "chosen: a toy")
    shape: float = parameter(0.4, "1", "derived: J / (m r^2) of a solid ball")
    speed: float = parameter(1.0, "m/s", "chosen: along the floor, the unit of the closed form")
    fall: float = parameter(5.0, "m/s", "chosen: steep enough to stick")
    spin_x: float = parameter(20.0, "rad/s", "chosen: a slanted spin of the second ball")
    spin_y: float = parameter(-15.0, "rad/s", "chosen: a slanted spin of the second ball")
    spin_z: float = parameter(10.0, "rad/s", "chosen: a slanted spin of the second ball")
    mu: float = parameter(0.8, "1", "chosen: sticks in every impact")
    eps_N: float = parameter(1.0, "1", "chosen: the ideal super ball")
    eps_T: float = parameter(1.0, "1", "chosen: the ideal super ball")
    table: float = parameter(0.7, "m", "chosen: height of the underside")
    height: float = parameter(0.3, "m", "chosen: of the ball's centre at the start")


_SOURCE = "closed form, Garwin 1969"
REFERENCE = {
    "plain: v after three bounces over v": Reference(-333 / 343, 1e-12, _SOURCE),
    "plain: r omega after three bounces over v": Reference(130 / 343, 1e-12, _SOURCE),
    "energy kept": Reference(1.0, 1e-12, "e_N = e_T = 1"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"eps_T": 0.8},
    {"eps_N": 0.8},
    {"shape": 0.48},
    {"spin_x": 24.0},
    {"mu": 0.1},
)


def starts(p: Parameters) -> dict[str, tuple[Floats, Floats]]:
    """Return velocity and spin of the balls at the start."""
    v = np.array([p.speed, 0.0, -p.fall])
    # the plain ball is thrown along a slanted line of the floor
    slanted = np.array([0.6 * p.speed, 0.8 * p.speed, -p.fall])
    return {
        "plain": (slanted, np.zeros(3)),
        "spinning": (v, np.array([p.spin_x, p.spin_y, p.spin_z])),
    }


def bounce(p: Parameters, v: Floats, omega: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return velocity and spin after a bounce that sticks; n points away from the wall."""
    point = v - p.radius * np.cross(omega, n)
    s = point - (point @ n) * n
    share = p.shape / (1.0 + p.shape)
    turned = (1.0 + p.eps_T) / ((1.0 + p.shape) * p.radius) * np.cross(s, n)
    return v - (1.0 + p.eps_N) * (v @ n) * n - share * (1.0 + p.eps_T) * s, omega - turned


def expected(p: Parameters, name: str) -> tuple[Floats, Floats]:
    """Return velocity and spin after floor, table and floor."""
    v, omega = starts(p)[name]
    for up in (1.0, -1.0, 1.0):
        v, omega = bounce(p, v, omega, np.array([0.0, 0.0, up]))
    return v, omega


def build(p: Parameters) -> cl.Model:
    """Return two balls between floor and table."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    table = cl.Ground("table", normal=(0.0, 0.0, -1.0), at=(0.0, 0.0, p.table))
    items: list[Any] = [floor, table]
    moment = p.shape * p.mass * p.radius**2
    for k, (name, (v, omega)) in enumerate(starts(p).items()):
        ball = cl.Body(
            name, mass=p.mass, inertia=(moment, moment, moment), position=(0.0, 0.5 * k, p.height),
            velocity=tuple(v), angular_velocity=tuple(omega),
        )  # fmt: skip
        skin = cl.Sphere(f"skin {name}", ball, radius=p.radius)
        items += [ball, skin]
        items += [
            cl.Contact(skin, wall, name=f"{name} {wall.name}", mu=p.mu, eps_N=p.eps_N,
                       eps_T=p.eps_T)
            for wall in (floor, table)
        ]  # fmt: skip
    return cl.Model(*items, name="super ball in space")


def duration(p: Parameters) -> float:
    """Return a time after the third bounce and before the fourth."""
    path = p.height - p.radius + 2.0 * (p.table - 2.0 * p.radius) + 0.2
    return path / p.fall


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run over the bounces on floor, table and floor, event by event."""
    if "t_end" not in options:
        options["t_end"] = duration(p)
        options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 101))
    options.setdefault("method", cl.EventDriven(rtol=1e-12, atol=1e-14, impact=cl.NewtonBoth()))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare three bounces with the closed form on both roads."""
    along = sol["plain"].velocity[-1] @ [0.6, 0.8, 0.0] / p.speed
    # the spin whose contact point moves along the throw
    turn = p.radius * sol["plain"].angular_velocity[-1] @ [0.8, -0.6, 0.0] / p.speed
    energy = sol["energy.kinetic"]
    found = {
        "plain: v after three bounces over v": along,
        "plain: r omega after three bounces over v": turn,
        "energy kept": energy[-1] / energy[0],
    }
    checks = [check_reference(name, float(value), REFERENCE) for name, value in found.items()]
    impacts = [e for e in sol.events if e.kind == "impact"]
    checks.append(compare("bounces of both balls", float(len(impacts)), 6.0, 0.0))
    given = Parameters(**{**vars(p), "eps_T": 0.6})  # a ball that is less than ideal
    stepped = simulate(
        given, t_end=duration(p), method=cl.Moreau(dt=1e-3, impact=cl.NewtonBoth()), progress=False
    )
    for road, run, values in (("event-driven", sol, p), ("stepping, e_T = 0.6", stepped, given)):
        for name in starts(p):
            v, omega = expected(values, name)
            worst = max(
                float(np.abs(run[name].velocity[-1] - v).max()),
                p.radius * float(np.abs(run[name].angular_velocity[-1] - omega).max()),
            )
            # velocities jump by rational factors and are constant between the bounces
            checks.append(compare(f"{name}, {road}: worst [m/s]", worst, 0.0, 1e-10))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the paths of the balls between floor and table in space, and their spins."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left = figure.add_subplot(1, 2, 1, projection="3d")
        right = figure.add_subplot(1, 2, 2)
        for colour, name in zip(COLOURS, ("plain", "spinning"), strict=False):
            left.plot(*sol[name].position.T, color=colour, label=name)
        left.set_xlabel(axis_label("x", "m"))
        left.set_ylabel(axis_label("y", "m"))
        left.set_zlabel(axis_label("z", "m"))
        left.locator_params(nbins=4)
        spin = sol["spinning"].angular_velocity
        for colour, k, axis in zip(COLOURS, range(3), "xyz", strict=False):
            right.plot(sol.t, spin[:, k], color=colour, label=f"about {axis}")
        # axes in space do not count the name of their third one
        figure.get_layout_engine().set(wspace=0.1)
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("spin of the second ball", "rad/s"))
        add_legend(right)
    return figure
