"""Four-bar linkage: a crank-rocker that turns freely under gravity.

Crank a, coupler b, rocker c and ground d are uniform bars with a + d < b + c (Grashof: the crank
revolves). The loop closes in closed form (Freudenstein): with the crank at theta the rocker
stands at

    A cos psi + B sin psi + C = 0,
    A = 2 c (d - a cos theta),   B = -2 a c sin theta,
    C = a^2 + c^2 + d^2 - b^2 - 2 a d cos theta,

hence psi = atan2(B, A) + acos(-C / sqrt(A^2 + B^2)) on the branch of the open linkage. With psi'
and the coupler's rate phi' per crank angle the linkage has one inertia J(theta), and the energy
gives the crank's speed

    theta_dot^2 = 2 (E - V(theta)) / J(theta).

The equations are those of any textbook on mechanisms; every number is chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Four-bar linkage"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("E", "S4.2")
SOURCE = "textbook"
DOF = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Uniform bars between four parallel pins."""

    crank: float = parameter(0.3, "m", "chosen: shortest bar, so that it revolves")
    coupler: float = parameter(0.9, "m", "chosen: no dead centre")
    rocker: float = parameter(0.7, "m", "chosen: no dead centre")
    ground: float = parameter(1.0, "m", "chosen: distance of the bearings")
    density: float = parameter(2.0, "kg/m", "chosen: mass per length of the moving bars")
    angle: float = parameter(1.0, "rad", "chosen: start away from special positions")
    speed: float = parameter(8.0, "rad/s", "chosen: fast enough to revolve")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # local errors of 1e-11 over some hundred steps
    "energy drift": Reference(0.0, 1e-9, "no friction: drift over the largest kinetic energy"),
    "constraint error": Reference(0.0, 1e-10, "the loop stays closed, relative to the size"),
    "degrees of freedom": Reference(1.0, 0.0, "Gruebler: 3 * 3 - 2 * 4"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"coupler": 0.8},
    {"rocker": 0.84},
    {"speed": 9.6},
    {"gravity": 7.85},
)


def build(p: Parameters) -> cl.Model:
    """Return the linkage in the open branch; the bars' angles count from the ground bar."""

    def bar(name: str, length: float) -> cl.Body:
        mass = p.density * length
        return cl.Body(name, mass=mass, inertia=mass * length**2 / 12.0, com=(0.5 * length, 0.0))

    ground = cl.Ground()
    crank, coupler = bar("crank", p.crank), bar("coupler", p.coupler)
    rocker = bar("rocker", p.rocker)
    psi = float(rocker_angle(p, np.array([p.angle]))[0])
    return cl.Model(
        cl.Revolute("A", ground, crank, angle=p.angle, speed=p.speed),
        cl.Revolute("B", crank, coupler, at=(p.crank, 0.0)),
        cl.Revolute("D", ground, rocker, at=(p.ground, 0.0), angle=psi),
        cl.Revolute(
            "C", coupler, rocker, at=(p.coupler, 0.0), at_second=(p.rocker, 0.0), closure=True
        ),
        gravity=(0.0, -p.gravity),
        name="four-bar",
    )


def rocker_angle(p: Parameters, theta: Floats) -> Floats:
    """Return the rocker's angle in the open branch (Freudenstein)."""
    a, b, c, d = p.crank, p.coupler, p.rocker, p.ground
    A = 2.0 * c * (d - a * np.cos(theta))
    B = -2.0 * a * c * np.sin(theta)
    C = a**2 + c**2 + d**2 - b**2 - 2.0 * a * d * np.cos(theta)
    # A cos psi + B sin psi + C = 0; the sum of both arcs is the branch above the ground
    return np.asarray(np.arctan2(B, A) + np.arccos(-C / np.hypot(A, B)))


def _coupler_angle(p: Parameters, theta: Floats, psi: Floats) -> Floats:
    x = p.ground + p.rocker * np.cos(psi) - p.crank * np.cos(theta)
    y = p.rocker * np.sin(psi) - p.crank * np.sin(theta)
    return np.asarray(np.arctan2(y, x))


def exact_speed(p: Parameters, theta: Floats) -> Floats:
    """Return the crank's speed at the angles theta from the energy of the start."""

    def one_inertia(angle: Floats) -> tuple[Floats, Floats]:
        psi = rocker_angle(p, angle)
        phi = _coupler_angle(p, angle, psi)
        # velocities per crank speed: both sides of the loop along the other bar's normal
        turn = np.sin(psi - phi)
        psi_rate = p.crank * np.sin(angle - phi) / (p.rocker * turn)
        phi_rate = p.crank * np.sin(angle - psi) / (p.coupler * turn)
        m_a, m_b, m_c = (p.density * length for length in (p.crank, p.coupler, p.rocker))
        x = -p.crank * np.sin(angle) - 0.5 * p.coupler * np.sin(phi) * phi_rate
        y = p.crank * np.cos(angle) + 0.5 * p.coupler * np.cos(phi) * phi_rate
        inertia = m_a * p.crank**2 / 3.0 + m_c * p.rocker**2 / 3.0 * psi_rate**2
        inertia = inertia + m_b * (x**2 + y**2 + p.coupler**2 / 12.0 * phi_rate**2)
        height = 0.5 * m_a * p.crank * np.sin(angle) + 0.5 * m_c * p.rocker * np.sin(psi)
        height = height + m_b * (p.crank * np.sin(angle) + 0.5 * p.coupler * np.sin(phi))
        return inertia, p.gravity * height

    start_inertia, start_potential = one_inertia(np.array([p.angle]))
    energy = 0.5 * start_inertia * p.speed**2 + start_potential
    inertia, potential = one_inertia(theta)
    return np.asarray(np.sqrt(np.maximum(2.0 * (energy - potential) / inertia, 0.0)))


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for three seconds, some four revolutions of the crank."""
    options.setdefault("t_end", 3.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 1201))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare positions and speeds with the closed forms."""
    theta = sol["A.angle"]
    psi = rocker_angle(p, theta)
    coupler = _coupler_angle(p, theta, psi)
    # the crank takes the coupler's joint angle round with it
    turn = sol["coupler.angle"] - coupler
    energy, kinetic = sol["energy.total"], sol["energy.kinetic"]
    drift = float(np.max(np.abs(energy - energy[0]))) / float(np.max(kinetic))
    violation = float(np.max(np.abs(sol["constraints.position_error"])))
    rate = float(np.max(np.abs(sol["A.speed"] - exact_speed(p, theta))))
    mobility = float(build(p).describe().degrees_of_freedom)
    return [
        compare("rocker [rad]", float(np.max(np.abs(sol["D.angle"] - psi))), 0.0, 1e-11),
        compare("coupler [rad]", float(np.max(np.abs(np.sin(0.5 * turn)))), 0.0, 1e-11),
        # the drift of the energy over the kinetic energy at the slowest position
        compare("crank speed from the energy [rad/s]", rate, 0.0, 1e-8),
        check_reference("energy drift", drift, REFERENCE),
        check_reference("constraint error", violation, REFERENCE),
        check_reference("degrees of freedom", mobility, REFERENCE),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw crank and rocker over time and the rocker's phase portrait."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        over_time, speeds = figure.subplots(1, 2)
        over_time.plot(sol.t, sol["D.angle"], color=COLOURS[0], label="rocker")
        turn = np.mod(sol["A.angle"], 2.0 * math.pi)
        ends = 1 + np.flatnonzero(np.diff(turn) < 0.0)  # of a revolution: the line begins anew
        turn, t = np.insert(turn, ends, np.nan), np.insert(sol.t, ends, np.nan)
        over_time.plot(t, turn, color=COLOURS[1], label="crank, modulo 2π")
        over_time.set_xlabel(axis_label("time", "s"))
        over_time.set_ylabel(axis_label("angle", "rad"))
        add_legend(over_time)
        speeds.plot(sol["D.angle"], sol["D.speed"], color=COLOURS[2])
        speeds.set_xlabel(axis_label("rocker angle", "rad"))
        speeds.set_ylabel(axis_label("rocker speed", "rad/s"))
    return figure
