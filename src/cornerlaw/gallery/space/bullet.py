"""Bullets and a thin wall: what would pass it between two time steps is stopped all the same.

Bullets of 1 cm fly at 300 m/s against a wall of 1 mm; in a time step of 1 ms each moves 30 cm,
three hundred walls. Steps are taken in parts where a pair approaches so fast that it could pass
through, so that no bullet does, wherever in a step it arrives:

    with e = 0 it stops at the wall,  with e > 0 it returns with -e v,
    a free plate of mass M and a bullet that hits its middle go on together, with m v / (m + M).

Eight balls that stop and eight that bounce start at distances spread over the way of one step;
"cube" hits with a face, "pusher" hits the free plate. Closed forms of textbooks; all numbers are
chosen, those of the issue of bullets through walls in simulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Bullets and a thin wall"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "closed forms"
DOF = 114

SHOTS = 8


@dataclass(frozen=True)
class Parameters:
    """Bullets, wall and the time step."""

    size: float = parameter(0.01, "m", "chosen: diameter and edge of the bullets")
    mass: float = parameter(0.004, "kg", "chosen: 4 g")
    speed: float = parameter(300.0, "m/s", "chosen: a pistol")
    wall: float = parameter(0.001, "m", "chosen: thickness, a sheet of metal")
    plate: float = parameter(0.4, "kg", "chosen: mass of the free plate")
    eps_N: float = parameter(0.5, "1", "chosen: of the bullets that bounce")
    dt: float = parameter(1e-3, "s", "chosen: three hundred walls per step")


REFERENCE = {
    "bullets behind the wall": Reference(0.0, 0.0, "a wall is a wall"),
    "deepest penetration at the end [m]": Reference(0.0, 1e-9, "rigid bodies"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"eps_N": 0.6},
    {"speed": 360.0},
    {"plate": 0.48},
)


def distances(p: Parameters) -> list[float]:
    """Return the gaps of the bullets at the start, spread over the way of one step."""
    way = p.speed * p.dt
    return [way * (1.0 + (k + 0.37) / SHOTS) for k in range(SHOTS)]


def build(p: Parameters) -> cl.Model:
    """Return the wall in the plane x = 0, bullets in front of it, and the free plate beside."""
    ground = cl.Ground("ground")
    wall = cl.Box("wall", ground, size=(p.wall, 4.0, 4.0))
    items: list[Any] = [ground, wall]
    half = 0.5 * p.size

    def shoot(name: str, gap: float, at: float, up: float, target: Any, eps: float) -> None:
        place = (-0.5 * p.wall - half - gap, at, up)
        box = name == "cube"
        tensor = cl.inertia.box(p.mass, (p.size,) * 3) if box else cl.inertia.sphere(p.mass, half)
        body = cl.Body(name, inertia=tensor, position=place, velocity=(p.speed, 0.0, 0.0))
        skin: Any = (
            cl.Box(f"skin {name}", body, size=(p.size,) * 3)
            if box
            else cl.Sphere(f"skin {name}", body, radius=half)
        )
        items.extend([body, skin, cl.Contact(skin, target, name=f"{name} hit", eps_N=eps)])

    for k, gap in enumerate(distances(p)):
        shoot(f"stop {k}", gap, 0.1 * k, 0.0, wall, 0.0)
        shoot(f"bounce {k}", gap, 0.1 * k, 0.2, wall, p.eps_N)
    shoot("cube", 0.41, 0.0, 0.5, wall, 0.0)
    size = (p.wall, 0.5, 0.5)
    free = cl.Body("plate", inertia=cl.inertia.box(p.plate, size), position=(0.0, 5.0, 0.0))
    sheet = cl.Box("sheet", free, size=size)
    items += [free, sheet]
    shoot("pusher", 0.43, 5.0, 0.0, sheet, 0.0)
    return cl.Model(*items, name="bullet")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until all have hit, in steps that are much too long."""
    options.setdefault("t_end", 6.0 * p.dt)
    options.setdefault("method", cl.Moreau(dt=p.dt))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Check that nothing passes, stops where it should and bounces as fast as it should."""
    reach = 0.5 * (p.wall + p.size)
    at_wall = [*(f"stop {k}" for k in range(SHOTS)), "cube"]
    bouncing = [f"bounce {k}" for k in range(SHOTS)]
    behind = sum(bool(np.any(sol[n].position[:, 0] > 0.0)) for n in (*at_wall, *bouncing))
    x = np.array([sol[name].position[-1, 0] for name in at_wall])
    v = np.array([sol[name].velocity[-1, 0] for name in at_wall])
    back = np.array([sol[name].velocity[-1, 0] for name in bouncing])
    pushed = sol["plate"].velocity[-1, 0], sol["pusher"].velocity[-1, 0]
    common = p.mass * p.speed / (p.mass + p.plate)
    turning = max(
        float(np.abs(sol[name].angular_velocity[-1]).max())
        for name in (*at_wall, *bouncing, "plate", "pusher")
    )
    return [
        check_reference("bullets behind the wall", float(behind), REFERENCE),
        check_reference(
            "deepest penetration at the end [m]", float(np.max(x + reach, initial=0.0)), REFERENCE
        ),
        # a step that ends in front of the wall may stop short of it by what a part of a step covers
        compare("farthest stop from the wall [m]", float(np.max(-reach - x)), 0.0, 0.5 * p.size),
        compare("fastest bullet after the stop [m/s]", float(np.abs(v).max()), 0.0, 1e-9),
        compare("slowest return [m/s]", float(back.max()), -p.eps_N * p.speed, 1e-9),
        compare("fastest return [m/s]", float(back.min()), -p.eps_N * p.speed, 1e-9),
        compare("speed of the plate [m/s]", pushed[0], common, 1e-9),
        compare("speed of its bullet [m/s]", pushed[1], common, 1e-9),
        compare("fastest turn after central hits [rad/s]", turning, 0.0, 1e-6),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the way of the bullets over time, row by row."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(7.0, 3.8)
        axes = figure.subplots()
        look = {"marker": ".", "lw": 1.0}
        kinds = (("stop", COLOURS[0]), ("bounce", COLOURS[1]))
        for kind, colour in kinds:
            for k in range(SHOTS):
                label = {"label": f"{SHOTS} bullets, {kind}"} if k == 0 else {}
                x = sol[f"{kind} {k}"].position[:, 0]
                axes.plot(1e3 * sol.t, x, color=colour, **look, **label)
        axes.plot(1e3 * sol.t, sol["plate"].position[:, 0], color=COLOURS[2], label="free plate")
        axes.axhline(0.0, color="#222222", lw=1.5, label="wall")
        axes.set_xlabel(axis_label("time", "ms"))
        axes.set_ylabel(axis_label("x", "m"))
        add_legend(axes)
    return figure
