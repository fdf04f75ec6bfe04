"""Tippe-top: a ball with its weight below the middle spins, turns over, and lifts its weight.

A sphere of radius R, centre of mass G the distance a off its centre, spins fast about its axis of
symmetry on a rough floor, G below the centre. Sliding friction makes the axis tip over until G is
above the centre. Whatever the friction at the contact point, s the vector from G to it, Jellett's
quantity

    J = -L . s = constant        as long as no torque acts at the contact,

so that a top whose axis is upright before and after has the spins

    omega_after / omega_before = (R - a) / (R + a),

and it turns over completely if 1 - a/R < A/C < 1 + a/R and it is fast enough. Energy only falls:
the weight is lifted at the cost of the spin.

Three laws of friction: "smooth" is mu(c) = mu c / (c + creep), which vanishes with the slip c, and
keeps J; "dry" is Coulomb's law coupled with drilling (Contensou), in which a spinning contact
resists slow sliding as a viscous one does, and J falls by the torque of drilling; Coulomb's law
alone ends the sliding within a few hundredths of a second, the top rolls and does not turn over.
The first two run side by side and are compared with independent integrations of the equations of a
sliding sphere; the third is a short run of its own.

Source: Leine and Glocker 2003, "A set-valued force law for spatial Coulomb-Contensou friction",
Eur. J. Mech. A/Solids 22, 193-216, for the body of the top and its start and for what the three
laws do; Ueda, Sasaki and Watanabe 2005, "Motion of the tippe top", SIAM J. Appl. Dyn. Syst. 4,
1159-1194, for the smooth law and for the condition of complete inversion. The stem is left out,
and the moment of inertia across the axis is chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.space import _one_contact as body

TITLE = "Tippe-top"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "Leine and Glocker 2003"
DOF = 12

APART = 0.2  # distance of the two tops [m]


@dataclass(frozen=True)
class Parameters:
    """An eccentric sphere, its laws of friction and its start."""

    mass: float = parameter(6e-3, "kg", "book")
    radius: float = parameter(0.015, "m", "book: sphere")
    offset: float = parameter(0.003, "m", "book: G below the centre")
    inertia_axis: float = parameter(7e-7, "kg m^2", "book: about the axis")
    inertia_across: float = parameter(7e-7, "kg m^2", "chosen: the book has 8e-7, slow at the end")
    tilt: float = parameter(0.1, "rad", "book: start")
    spin: float = parameter(180.0, "rad/s", "book: start, about the axis")
    mu: float = parameter(0.3, "1", "book")
    creep: float = parameter(0.01, "m/s", "chosen: slip at which smooth friction is half of mu")
    drilling: float = parameter(2e-4, "m", "chosen: a contact of a few tenths of a millimetre")
    gravity: float = parameter(9.81, "m/s^2", "book")


REFERENCE = {
    # the run has 1e-9 a step, and errors grow in the fast nutation of 2.2 s
    "rotations against the reduced equations": Reference(0.0, 1e-6, "integration with scipy"),
    "spins against the reduced equations [rad/s]": Reference(0.0, 1e-5, "integration with scipy"),
    "paths against the reduced equations [m]": Reference(0.0, 1e-8, "integration with scipy"),
    "change of Jellett's constant": Reference(0.0, 1e-8, "Jellett 1872"),
    "loss of Jellett's constant by drilling": Reference(0.0, 1e-5, "torque times height of G"),
    # the approach to the upside-down position is exponential and ends at about 0.1 rad
    "rise of G over 2 a, smooth": Reference(1.0, 0.01, "complete inversion"),
    "rise of G over 2 a, dry": Reference(1.0, 0.01, "complete inversion"),
    "spin after over before": Reference(0.0, 0.01, "(R - a) / (R + a), from Jellett's constant"),
    "largest tilt of Coulomb's law alone [rad]": Reference(0.05, 0.051, "Leine and Glocker 2003"),
    "slip of Coulomb's law alone [m/s]": Reference(0.0, 1e-9, "Leine and Glocker 2003: it rolls"),
    "growth of energy [1/s]": Reference(0.0, 1e-9, "friction takes energy"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"offset": 0.0024},
    {"inertia_across": 8.4e-7},
    {"mu": 0.24},
    {"creep": 0.012},
    {"drilling": 2.4e-4},
    {"spin": 60.0},
)


def _start(p: Parameters) -> dict[str, Any]:
    """Return the start: spin about the tilted axis, G at rest."""
    A = np.array(cl.rotation.about((1.0, 0.0, 0.0), p.tilt))
    centre = np.array((0.0, 0.0, p.radius))
    return {
        "position": tuple((centre - p.offset * A[:, 2]).tolist()),
        "rotation": tuple(map(tuple, A.tolist())),
        "velocity": (0.0, 0.0, 0.0),
        "angular_velocity": tuple((p.spin * A[:, 2]).tolist()),
    }


def _laws(p: Parameters) -> dict[str, dict[str, Any]]:
    mu, creep = p.mu, p.creep
    return {
        "smooth": {"mu": lambda c: mu * c / (c + creep)},
        "dry": {"mu": mu, "drilling": p.drilling},
        "coulomb": {"mu": mu},
    }


def build(p: Parameters, names: tuple[str, ...] = ("smooth", "dry")) -> cl.Model:
    """Return tops that differ by their friction, some way apart; the axis is z of the body."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [floor]
    inertia = (p.inertia_across, p.inertia_across, p.inertia_axis)
    for k, name in enumerate(names):
        start = _start(p)
        x, y, z = start.pop("position")
        top = cl.Body(name, mass=p.mass, inertia=inertia, position=(x + APART * k, y, z), **start)
        ball = cl.Sphere(f"{name} ball", top, radius=p.radius, at=(0.0, 0.0, p.offset))
        items += [top, ball, cl.Contact(ball, floor, name=f"{name} contact", **_laws(p)[name])]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="tippe-top")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until both tops stand on their heads."""
    options.setdefault("t_end", 2.2)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 441))
    options.setdefault("method", cl.EventDriven(rtol=1e-9, atol=1e-12))
    return cl.simulate(build(p), **options)


@cache
def sliding(p: Parameters, name: str, t_end: float, rows: int) -> body.Floats:
    """Return the motion of a top by the equations of a sliding sphere."""

    def smooth(c: float, _: float) -> tuple[float, float]:
        return p.mu / (c + p.creep), 0.0

    def dry(c: float, spin: float) -> tuple[float, float]:
        f = p.mu / math.hypot(c, p.drilling * spin)
        return f, f * p.drilling**2

    ball = body.ellipsoid((p.radius,) * 3, (0.0, 0.0, p.offset))
    return body.slide(
        _start(p), np.linspace(0.0, t_end, rows), ball, smooth if name == "smooth" else dry,
        mass=p.mass, inertia=np.diag([p.inertia_across, p.inertia_across, p.inertia_axis]),
        gravity=p.gravity, rtol=1e-10,
    )  # fmt: skip


def jellett(sol: cl.Solution, name: str, p: Parameters) -> body.Floats:
    """Return -L . s, with the angular momentum L about G and s from G to the contact point."""
    A, spin = sol[name].rotation, body.spins(sol, name)
    L = spin * (p.inertia_across, p.inertia_across, p.inertia_axis)
    s = -p.radius * A[:, 2, :] + (0.0, 0.0, p.offset)
    return np.asarray(-np.einsum("ti,ti->t", L, s))


def _drilled(sol: cl.Solution, p: Parameters) -> float:
    """Return the loss of Jellett's quantity by the torque of drilling, integrated over the run."""
    contact, top = sol["dry contact"], sol["dry"]
    spin = top.angular_velocity[:, 2]
    slip = np.linalg.norm(contact.gamma_T[:, :2], axis=1)
    torque = p.mu * p.drilling * contact.lam_N / np.hypot(slip / (p.drilling * spin), 1.0)
    from scipy.integrate import simpson

    return float(simpson(torque * top.position[:, 2], x=sol.t))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare with the sliding sphere, Jellett's constant, the inversion and the failure of it."""
    goals = np.linspace(0.0, float(sol.t[-1]), 441)
    rows = np.searchsorted(sol.t, goals - 1e-9)
    off = np.zeros(3)
    for k, name in enumerate(("smooth", "dry")):
        true = sliding(p, name, float(sol.t[-1]), len(goals))
        A = sol[name].rotation[rows].reshape(-1, 9)
        spin = body.spins(sol, name)[rows]
        path = sol[name].position[rows, :2] - (APART * k, 0.0)
        errors = A - true[:, :9], spin - true[:, 9:12], path - true[:, 15:]
        off = np.maximum(off, [np.abs(e).max() for e in errors])
    J = {name: jellett(sol, name, p) for name in ("smooth", "dry")}
    rise = {
        name: float(sol[name].position[-1, 2] - (p.radius - p.offset)) / (2.0 * p.offset)
        for name in J
    }
    spin = np.linalg.norm(sol["smooth"].angular_velocity, axis=1)
    ratio = (p.radius - p.offset) / (p.radius + p.offset)
    rolls = cl.simulate(
        build(p, ("coulomb",)), t_end=0.3, progress=False, t_eval=np.linspace(0.0, 0.3, 61),
        method=cl.EventDriven(rtol=1e-8),
    )  # fmt: skip
    end = np.argmax(rolls.t > 0.1)
    found = {
        "rotations against the reduced equations": off[0],
        "spins against the reduced equations [rad/s]": off[1],
        "paths against the reduced equations [m]": off[2],
        "change of Jellett's constant": np.ptp(J["smooth"]) / J["smooth"][0],
        "loss of Jellett's constant by drilling": (J["dry"][0] - J["dry"][-1] - _drilled(sol, p))
        / J["dry"][0],
        "rise of G over 2 a, smooth": rise["smooth"],
        "rise of G over 2 a, dry": rise["dry"],
        "spin after over before": spin[-1] / spin[0] - ratio,
        "largest tilt of Coulomb's law alone [rad]": np.arccos(rolls["coulomb"].rotation[:, 2, 2])
        .max(),
        "slip of Coulomb's law alone [m/s]": np.abs(rolls["coulomb contact"].gamma_T[end:]).max(),
        "growth of energy [1/s]": body.growth(sol),
    }  # fmt: skip
    checks = [check_reference(name, float(value), REFERENCE) for name, value in found.items()]
    balance = (
        1.0 - p.offset / p.radius < p.inertia_across / p.inertia_axis < 1.0 + p.offset / p.radius
    )
    checks.append(compare("condition of complete inversion holds", float(balance), 1.0, 0.0))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the tilts of the axes and the energies of the top that turns over."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        for colour, name in zip(COLOURS, ("smooth", "dry"), strict=False):
            tilt = np.arccos(np.clip(sol[name].rotation[:, 2, 2], -1.0, 1.0))
            left.plot(sol.t, np.degrees(tilt), color=colour, label=name)
        left.axhline(180.0, color="#888888", lw=0.8)
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("tilt of the axis", "deg"))
        add_legend(left)
        top = sol["smooth"]
        for k, name in enumerate(("kinetic_energy", "potential_energy")):
            energy = 1e3 * getattr(top, name)
            right.plot(sol.t, energy, color=COLOURS[k + 2], label=name.replace("_", " "))
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("energy, smooth", "mJ"))
        add_legend(right)
    return figure
