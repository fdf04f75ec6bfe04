"""Slider-crank whose pin has play: the journal hits the bore, rests in it and leaves it again.

A crank that turns at constant speed drives a slider through a connecting rod. The pin between rod
and slider is a journal of radius R - c in a bore of radius R: it moves freely within the clearance
c, and touches the bore with impacts and Coulomb friction. While the slider is pulled or pushed, the
journal slides and rolls along one side; where the force between them passes through zero it loses
the bore, flies a short way, hits it again in a series of impacts that dies out, and goes on along
the other side. It leaves by some percent of the clearance only: the rod swings sideways as fast as
the slider lags behind.

The eccentricity of the journal never exceeds c, and the slider stays within c, and what a sideways
c changes, of the mechanism with an ideal pin. Time stepping converges to the event-driven run
across the first impacts.

Source: the classical example of clearance joints (Flores, Ambrosio 2004, "Revolute joints with
clearance in multibody systems"); here rigid with the corner laws. Sizes are chosen.
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

TITLE = "Slider-crank with a clearance joint"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("clearance",)
SOURCE = "after Flores and Ambrosio 2004"
DOF = 2

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Crank, rod, slider, and a journal in its bore."""

    crank: float = parameter(0.05, "m", "chosen: as in the literature on clearance joints")
    rod: float = parameter(0.12, "m", "chosen: as in the literature on clearance joints")
    rod_mass: float = parameter(0.21, "kg", "chosen: as in the literature on clearance joints")
    rod_inertia: float = parameter(2.5e-4, "kg*m^2", "chosen: as in the literature")
    slider_mass: float = parameter(0.14, "kg", "chosen: as in the literature on clearance joints")
    bore: float = parameter(0.01, "m", "chosen: radius of the bore in the slider")
    clearance: float = parameter(0.0005, "m", "chosen: as in the literature on clearance joints")
    mu: float = parameter(0.05, "1", "chosen: lubricated")
    eps_N: float = parameter(0.4, "1", "chosen: impacts that die out within a stroke")
    speed: float = parameter(100.0, "rad/s", "chosen: inertia far above the weight")
    angle: float = parameter(0.3, "rad", "chosen: the journal rests on the bore at the start")


REFERENCE = {
    # journal and bore are closed by events: rounding of positions of 0.1 m
    "largest eccentricity over the clearance": Reference(1.0, 1e-7, "the journal stays inside"),
    "largest gap over the clearance": Reference(0.5, 0.49, "contact is lost: more than a percent"),
    "slider from the ideal mechanism over the clearance": Reference(0.0, 1.5, "c (1 + c/l)"),
    "order of time stepping": Reference(1.0, 0.3, "scheme of first order, up to the third impact"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"clearance": 0.0006},
    {"crank": 0.06},
    {"rod": 0.144},
)


def ideal(p: Parameters, theta: Any) -> Floats:
    """Return the slider's position with an ideal pin."""
    height = p.crank * np.sin(theta)
    return np.asarray(p.crank * np.cos(theta) + np.sqrt(p.rod**2 - height**2))


def ideal_velocity(p: Parameters, theta: float) -> tuple[float, float]:
    """Return the slider's velocity and the rod's angular velocity with an ideal pin."""
    lean = -math.asin(p.crank * math.sin(theta) / p.rod)
    turn = -p.crank * p.speed * math.cos(theta) / (p.rod * math.cos(lean))
    x = -p.crank * p.speed * math.sin(theta) - p.rod * turn * math.sin(lean)
    return x, turn


def build(p: Parameters) -> cl.Model:
    """Return crank, rod and slider; the journal touches the bore on the side it is pushed to."""
    start, omega, ground = p.angle, p.speed, cl.Ground("ground")
    lean = -math.asin(p.crank * math.sin(start) / p.rod)
    velocity, turn = ideal_velocity(p, start)
    crank = cl.Body("crank", mass=0.3, inertia=1e-4)
    rod = cl.Body("rod", mass=p.rod_mass, inertia=p.rod_inertia, com=(0.5 * p.rod, 0.0))
    slider = cl.Body("slider", mass=p.slider_mass)
    shaft = cl.Revolute("shaft", ground, crank, drive=lambda t: start + omega * t)
    pin = cl.Revolute("pin", crank, rod, at=(p.crank, 0.0), angle=lean - start, speed=turn - omega)
    # the crank is past its outer dead centre and pulls the slider: the journal rests inwards
    guide = cl.Prismatic(
        "guide", ground, slider, axis=(1.0, 0.0),
        displacement=float(ideal(p, start)) + p.clearance, velocity=velocity,
    )  # fmt: skip
    journal = cl.Circle("journal", rod, radius=p.bore - p.clearance, at=(p.rod, 0.0))
    bore = cl.Circle("bore", slider, radius=p.bore, inside=True)
    play = cl.Contact(journal, bore, mu=p.mu, eps_N=p.eps_N, name="play")
    return cl.Model(
        crank, rod, slider, shaft, pin, guide, journal, bore, play, name="clearance-slider-crank"
    )


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for two revolutions, event by event."""
    turn = 2.0 * math.pi / p.speed
    options.setdefault("t_end", 2.0 * turn)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 801))
    options.setdefault("method", cl.EventDriven())
    return cl.simulate(build(p), **options)


def eccentricity(sol: cl.Solution, p: Parameters) -> Floats:
    """Return the distance of the journal's centre from that of the bore, (n, 2)."""
    angle = np.asarray(sol["rod.angle"])
    centre = np.asarray(sol["rod.position"]) + p.rod * np.stack(
        [np.cos(angle), np.sin(angle)], axis=1
    )
    return np.asarray(centre - sol["slider.position"])


def impacts(sol: cl.Solution) -> Floats:
    """Return the times of the impacts."""
    return np.array([e.time for e in sol.events if e.kind == "impact"])


@cache
def order(p: Parameters, levels: int = 6) -> tuple[float, Floats]:
    """Return the fitted order of time stepping and its errors after the third impact."""
    exact = simulate(p, progress=False)
    hits = impacts(exact)
    end = 0.5 * (hits[2] + hits[3]) if len(hits) > 3 else 0.01
    steps = end / (200.0 * 2.0 ** np.arange(levels))
    fine = simulate(p, t_end=end, t_eval=np.array([0.0, end]), progress=False)
    x = float(fine["guide.displacement"][-1])
    errors = []
    for dt in steps:
        sol = simulate(
            p, t_end=end, t_eval=np.array([0.0, end]), method=cl.Moreau(dt=dt), progress=False
        )
        errors.append(abs(float(sol["guide.displacement"][-1]) - x))
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0]), np.array(errors)


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare eccentricity, contact loss, the ideal mechanism and the other road."""
    ran = ran or p  # runs of its own have the parameters of the given one
    e = np.linalg.norm(eccentricity(sol, p), axis=1) / p.clearance
    theta = p.angle + p.speed * sol.t
    away = (np.asarray(sol["guide.displacement"]) - ideal(p, theta)) / p.clearance
    kinds = [event.kind for event in sol.events]
    found = {
        "largest eccentricity over the clearance": float(e.max()),
        "largest gap over the clearance": float(np.max(sol["play.gap"])) / p.clearance,
        "slider from the ideal mechanism over the clearance": float(np.abs(away).max()),
        "order of time stepping": order(ran)[0],
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in found.items()]
    checks.append(compare("impacts in two turns", float(kinds.count("impact") >= 4), 1.0, 0.0))
    checks.append(compare("contact lost in two turns", float("detach" in kinds), 1.0, 0.0))
    gain = sum(event.data["energy"] for event in sol.events if event.kind == "impact")
    checks.append(compare("impacts lose energy", float(gain < 0.0), 1.0, 0.0))
    return checks


def show(sol: cl.Solution, p: Parameters = Parameters()) -> Any:
    """Draw the path of the journal in its bore and the contact force over time."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    e = eccentricity(sol, p)
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(1e3 * e[:, 0], 1e3 * e[:, 1], color=COLOURS[0])
        left.set_aspect("equal")
        left.set_xlabel(axis_label("journal in the bore, along", "mm"))
        left.set_ylabel(axis_label("across", "mm"))
        right.plot(sol.t, sol["play.lam_N"], color=COLOURS[1])
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("force between impacts", "N"))
    return figure
