"""Rattleback: a stone shaped as a boat that turns round only when spun the wrong way.

An ellipsoid rolls without slip on a plane. Its centre of mass lies below the centre of the
ellipsoid, and its principal axes of inertia are turned a little against those of the surface,
about the vertical. Two equal stones run side by side in one model: "back" starts with a spin of
one sign, begins to rattle, and soon spins the other way; "forth" starts the other way and goes on.
Friction holds the point of contact at rest, so that neither loses energy.

The runs are compared with an independent integration of the nonholonomic equations of a rolling
ellipsoid, and must keep their energy. Body axes: x along the longest, z along the shortest half
axis, up.

Source: Kane and Levinson 1982, "Realistic mathematical modeling of the rattleback", Int. J.
Non-Linear Mechanics 17, 175-186: shape, inertia (per unit of mass), tilts of half a degree and the
spin of 5 rad/s; without the damping torque used there. Friction and the length of the run are
chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, parameter
from cornerlaw.gallery.space import _one_contact as body

TITLE = "Rattleback"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "Kane and Levinson 1982"
DOF = 12

STONES = {"back": -1.0, "forth": 1.0}


@dataclass(frozen=True)
class Parameters:
    """Ellipsoid, inertia and start of the stones."""

    length: float = parameter(0.20, "m", "book: longest half axis")
    width: float = parameter(0.03, "m", "book: middle half axis")
    height: float = parameter(0.02, "m", "book: shortest half axis")
    depth: float = parameter(0.01, "m", "book: centre of mass below the centre of the ellipsoid")
    mass: float = parameter(1.0, "kg", "chosen: cancels out")
    inertia_x: float = parameter(2e-4, "m^2", "book: moment of inertia over mass")
    inertia_y: float = parameter(16e-4, "m^2", "book: moment of inertia over mass")
    inertia_z: float = parameter(17e-4, "m^2", "book: moment of inertia over mass")
    inertia_xy: float = parameter(-0.2e-4, "m^2", "book: entry of the tensor over mass")
    tilt: float = parameter(math.radians(0.5), "rad", "book: start, about both x and y")
    spin: float = parameter(5.0, "rad/s", "book: about z of the stone")
    mu: float = parameter(1.0, "1", "chosen: the stone never slips")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # two integrations with tolerances of 1e-10 and 1e-11 over 5 s of a motion that is not chaotic
    "spins against the reduced equations [rad/s]": Reference(0.0, 1e-5, "integration with scipy"),
    "rotations against the reduced equations": Reference(0.0, 1e-7, "integration with scipy"),
    "paths against the reduced equations [m]": Reference(0.0, 1e-9, "integration with scipy"),
    "stones that turn round": Reference(1.0, 0.0, "Kane and Levinson 1982"),
    "stones that turn round, wrong way": Reference(0.0, 0.0, "Kane and Levinson 1982"),
    "slip [m/s]": Reference(0.0, 1e-11, "rolling: the material point in contact is at rest"),
    "growth of energy [1/s]": Reference(0.0, 1e-9, "a contact at rest does no work"),
    "loss of energy [1/s]": Reference(0.0, 1e-9, "a contact at rest does no work"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"inertia_xy": 0.2e-4},
    {"inertia_xy": 0.0},
    {"depth": 0.012},
    {"mu": 0.4},
    {"gravity": 7.85},
)


def _tensor(p: Parameters) -> tuple[tuple[float, ...], ...]:
    m = p.mass
    return (
        (m * p.inertia_x, m * p.inertia_xy, 0.0),
        (m * p.inertia_xy, m * p.inertia_y, 0.0),
        (0.0, 0.0, m * p.inertia_z),
    )


def _start(p: Parameters, sign: float) -> tuple[dict[str, Any], body.Contact]:
    """Return the start of a stone and its geometry."""
    contact = body.ellipsoid((p.length, p.width, p.height), (0.0, 0.0, p.depth))
    tilted = cl.rotation.cardan(p.tilt, p.tilt, 0.0)
    return body.pose(tilted, contact, (0.0, 0.0, sign * p.spin)), contact


def build(p: Parameters) -> cl.Model:
    """Return two stones on one floor, half a metre apart."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [floor]
    for k, (name, sign) in enumerate(STONES.items()):
        start, _ = _start(p, sign)
        x, y, z = start.pop("position")
        stone = cl.Body(
            name, mass=p.mass, inertia=_tensor(p), position=(x, y + 0.5 * k, z), **start
        )
        axes = (p.length, p.width, p.height)
        hull = cl.Ellipsoid(f"{name} hull", stone, axes=axes, at=(0.0, 0.0, p.depth))
        items += [stone, hull, cl.Contact(hull, floor, name=f"{name} contact", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="rattleback")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the one stone has turned round."""
    options.setdefault("t_end", 4.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 401))
    options.setdefault("method", cl.EventDriven(rtol=1e-10, atol=1e-13))
    return cl.simulate(build(p), **options)


@cache
def rolling(p: Parameters, sign: float, t_end: float, rows: int) -> body.Floats:
    """Return rotation, spin and path of a stone by the equations of a rolling ellipsoid."""
    start, contact = _start(p, sign)
    return body.roll(
        start, np.linspace(0.0, t_end, rows), contact,
        mass=p.mass, inertia=_tensor(p), gravity=p.gravity,
    )  # fmt: skip


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare both stones with the reduced equations; one turns round, none loses energy."""
    rows = np.searchsorted(sol.t, np.linspace(0.0, float(sol.t[-1]), 401) - 1e-9)
    off = np.zeros(3)
    turned = []
    slip = 0.0
    for k, (name, sign) in enumerate(STONES.items()):
        true = rolling(p, sign, float(sol.t[-1]), len(rows))
        spin = body.spins(sol, name)
        A = sol[name].rotation[rows].reshape(-1, 9)
        path = sol[name].position[rows, :2] - (0.0, 0.5 * k)
        errors = A - true[:, :9], spin[rows] - true[:, 9:12], path - true[:, 12:]
        off = np.maximum(off, [np.abs(e).max() for e in errors])
        turned.append(spin[-1, 2] * spin[0, 2] < 0.0 and abs(spin[-1, 2]) > 0.4 * p.spin)
        slip = max(slip, float(np.abs(sol[f"{name} contact"].gamma_T).max()))
    energy = np.asarray(sol["energy.total"])
    loss = (energy[0] - energy.min()) / float(np.max(sol["energy.kinetic"])) / sol.t[-1]
    found = {
        "spins against the reduced equations [rad/s]": off[1],
        "rotations against the reduced equations": off[0],
        "paths against the reduced equations [m]": off[2],
        "stones that turn round": float(turned[0]),
        "stones that turn round, wrong way": float(turned[1]),
        "slip [m/s]": slip,
        "growth of energy [1/s]": body.growth(sol),
        "loss of energy [1/s]": float(loss),
    }
    return [check_reference(name, float(value), REFERENCE) for name, value in found.items()]


def show(sol: cl.Solution) -> Any:
    """Draw the spins of both stones, and how the one that turns round pitches and rolls."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for colour, name in zip(COLOURS, STONES, strict=False):
            left.plot(sol.t, body.spins(sol, name)[:, 2], color=colour, label=name)
        left.axhline(0.0, color="#888888", lw=0.8)
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("spin", "rad/s"))
        left.set_title("One of two stones turns round")
        add_legend(left)
        up = sol["back"].rotation[:, 2, :]
        for k, name in enumerate(("pitch", "roll")):
            right.plot(sol.t, np.degrees(np.arcsin(up[:, k])), color=COLOURS[k + 2], label=name)
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("tilt of the stone that turns round", "deg"))
        add_legend(right)
    return figure
