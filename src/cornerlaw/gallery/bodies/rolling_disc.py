"""Disc that rolls without slip: steady circles, and when rolling straight on is stable.

A thin uniform disc of mass m and radius r (A = m r^2 / 4 across, C = m r^2 / 2 about its axis)
rolls on a level plane. Three discs run side by side in one model.

"circle": the axis makes the angle theta with the vertical and turns about it at Omega. The motion
is steady for the spin omega_3 (the component of the angular velocity along the axis) with

    (C + m r^2) omega_3 Omega sin(theta) - A Omega^2 sin(theta) cos(theta) + m g r cos(theta) = 0;

the centre runs on a circle of radius r |omega_3 / Omega|, the contact carries the weight and the
centripetal force.

"fast" and "slow": upright discs that roll straight on and receive a tiny rate of lean.
Linearised,

    (A + m r^2) beta'' + (C (C + m r^2) omega^2 / A - m g r) beta = 0,

so rolling is stable for omega^2 > g / (3 r): the fast disc sways, the slow one falls. Both
equations are those of any textbook of rigid body mechanics; all numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Rolling disc"
TOPIC = "bodies"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook"
DOF = 9

PUSH = 1e-6  # rate of lean that disturbs the straight rolling discs [rad/s]
WINDOW = 1.5  # time in which the growth stays linear [s]


@dataclass(frozen=True)
class Parameters:
    """A thin disc; the spins of the straight rolling ones lie on both sides of the critical one."""

    mass: float = parameter(1.2, "kg", "chosen: a large coin")
    radius: float = parameter(0.3, "m", "chosen: a large coin")
    tilt: float = parameter(1.2, "rad", "chosen: angle of the axis to the vertical, circle")
    turn: float = parameter(1.5, "rad/s", "chosen: rate of the axis about the vertical, circle")
    fast: float = parameter(5.0, "rad/s", "chosen: 1.5 times the critical spin")
    slow: float = parameter(1.65, "rad/s", "chosen: half the critical spin")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "change of tilt on the circle [rad]": Reference(0.0, 1e-8, "steady motion"),
    "energy drift": Reference(0.0, 1e-9, "the contact point is at rest: no work, no loss"),
    "slip [m/s]": Reference(0.0, 1e-10, "rolling: the material point in contact is at rest"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mass": 1.44},
    {"radius": 0.36},
    {"gravity": 7.848},
    {"turn": 1.8},
    {"fast": 6.0},
)


def critical_spin(p: Parameters) -> float:
    """Return the spin above which rolling straight on is stable."""
    return math.sqrt(p.gravity / (3.0 * p.radius))


def circle_spin(p: Parameters) -> float:
    """Return omega_3 of steady rolling on a circle."""
    s, c = math.sin(p.tilt), math.cos(p.tilt)
    square = 0.25 * p.turn**2 * s * c - p.gravity / p.radius * c
    return square / (1.5 * p.turn * s)


def square_of_exponent(p: Parameters, spin: float) -> float:
    """Return lambda^2 of small leans exp(lambda t) of the upright disc."""
    return 0.8 * (p.gravity / p.radius - 3.0 * spin**2)


def _disc(name: str, p: Parameters, **start: Any) -> tuple[cl.Body, cl.Rolling]:
    m, r = p.mass, p.radius
    inertia = (0.25 * m * r * r, 0.25 * m * r * r, 0.5 * m * r * r)
    body = cl.Body(name, mass=m, inertia=inertia, **start)
    return body, cl.Rolling(f"{name} contact", body, cl.Ground(), radius=r, kind="disc")


def build(p: Parameters) -> cl.Model:
    """Return the three discs; the body axis z is the axis of each disc."""
    parts: list[Any] = []
    # circle: e1 = x horizontal, e2 = up along the disc, e3 = axis
    A = np.array(cl.rotation.about((1.0, 0.0, 0.0), p.tilt))
    spin = circle_spin(p)
    omega = A @ np.array([0.0, p.turn * math.sin(p.tilt), spin])
    parts += _disc(
        "circle",
        p,
        position=(0.0, 0.0, p.radius * math.sin(p.tilt)),
        rotation=tuple(map(tuple, A.tolist())),
        velocity=(-p.radius * spin, 0.0, 0.0),
        angular_velocity=tuple(omega.tolist()),
    )
    upright = cl.rotation.about((1.0, 0.0, 0.0), 0.5 * math.pi)  # the axis points along -y
    for k, (name, rate) in enumerate((("fast", p.fast), ("slow", p.slow))):
        parts += _disc(
            name,
            p,
            position=(0.0, 3.0 + k, p.radius),
            rotation=upright,
            velocity=(-p.radius * rate, -p.radius * PUSH, 0.0),
            angular_velocity=(PUSH, -rate, 0.0),
        )
    return cl.Model(*parts, gravity=(0.0, 0.0, -p.gravity), name="rolling disc")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the slow disc leans visibly."""
    options.setdefault("t_end", 2.5)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 1001))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-12, atol=1e-15))
    return cl.simulate(build(p), **options)


def _lean(sol: cl.Solution, name: str) -> Any:
    return np.arcsin(sol[name].rotation[:, 2, 2])


def _frequency(t: Any, lean: Any, guess: float) -> float:
    """Fit amplitude and frequency of beta = a sin(nu t)."""
    from scipy.optimize import curve_fit

    scale = np.max(np.abs(lean))
    found, _ = curve_fit(
        lambda t, a, nu: a * np.sin(nu * t), t, lean / scale, p0=(np.sign(lean[5]), guess)
    )
    return float(abs(found[1]))


def _growth(t: Any, lean: Any) -> float:
    """Return lambda of beta = PUSH / lambda sinh(lambda t) from the end of the window."""
    from scipy.optimize import brentq

    k = int(np.searchsorted(t, WINDOW - 1e-9))
    reached = float(abs(lean[k]))
    if not reached > PUSH * t[k] * 1.0001:
        return math.nan
    return float(brentq(lambda x: PUSH / x * math.sinh(x * t[k]) - reached, 1e-3, 30.0))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the circle, its forces and the stability of rolling with the closed forms."""
    spin = circle_spin(p)
    path = p.radius * abs(spin / p.turn)
    e3 = sol["circle"].rotation[:, :, 2]
    azimuth = np.unwrap(np.arctan2(e3[:, 1], e3[:, 0]))
    turn = (azimuth[-1] - azimuth[0]) / (sol.t[-1] - sol.t[0])
    v, a = sol["circle"].velocity, sol["circle"].acceleration
    curve = float(np.mean(np.einsum("ta,ta->t", v, v) / np.linalg.norm(a, axis=1)))
    force = sol["circle contact"].force
    slip = 0.0
    for name in ("circle", "fast", "slow"):
        axis, omega = sol[name].rotation[:, :, 2], sol[name].angular_velocity
        steep = np.array([0.0, 0.0, 1.0]) - axis[:, 2:] * axis
        arm = -p.radius * steep / np.linalg.norm(steep, axis=1)[:, None]
        speed = np.linalg.norm(sol[name].velocity + np.cross(omega, arm), axis=1)
        slip = max(slip, float(np.max(speed)))
    nu = math.sqrt(max(-square_of_exponent(p, p.fast), 0.0))
    lam = math.sqrt(max(square_of_exponent(p, p.slow), 0.0))
    swaying = _frequency(sol.t, _lean(sol, "fast"), nu)
    growing = _growth(sol.t, _lean(sol, "slow"))
    # the squares of the exponents are linear in spin^2: their zero is the critical spin
    weight = growing**2 / (growing**2 + swaying**2)
    critical = math.sqrt(p.slow**2 + weight * (p.fast**2 - p.slow**2))
    energy = sol["energy.total"]
    drift = float(np.max(np.abs(energy - energy[0])) / energy[0])
    centripetal = p.mass * path * p.turn**2
    return [
        check_reference(
            "change of tilt on the circle [rad]",
            float(np.max(np.abs(np.arccos(e3[:, 2]) - p.tilt))),
            REFERENCE,
        ),
        # the run keeps about ten digits
        compare("turn rate on the circle [rad/s]", turn, p.turn, 1e-8),
        compare("radius of the circle [m]", curve, path, 1e-8),
        compare("normal force [N]", float(np.mean(force[:, 2])), p.mass * p.gravity, 1e-8 * p.mass),
        compare(
            "friction force [N]",
            float(np.mean(np.linalg.norm(force[:, :2], axis=1))),
            centripetal,
            1e-7 * centripetal,
        ),
        # a lean of PUSH / lambda against rounding of 1e-15 in the rotation leaves seven digits
        compare("frequency of the fast disc [rad/s]", swaying, nu, 1e-5 * nu),
        compare("growth of the slow disc [1/s]", growing, lam, 1e-5 * lam),
        compare("critical spin [rad/s]", critical, critical_spin(p), 1e-5 * critical_spin(p)),
        check_reference("energy drift", drift, REFERENCE),
        check_reference("slip [m/s]", slip, REFERENCE),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the path on the circle and the leans of the straight rolling discs."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        path, lean = figure.subplots(1, 2, width_ratios=(2, 3))
        r = sol["circle"].position
        path.plot(r[:, 0], r[:, 1], color=COLOURS[0])
        path.set_aspect("equal")
        path.set_xlabel(axis_label("x", "m"))
        path.set_ylabel(axis_label("y", "m"))
        path.set_title("Centre of the circling disc")
        for colour, name in zip(COLOURS[1:], ("fast", "slow"), strict=False):
            lean.semilogy(sol.t, np.abs(_lean(sol, name)) + 1e-16, color=colour, label=name)
        lean.set_xlabel(axis_label("time", "s"))
        lean.set_ylabel(axis_label("|lean|", "rad"))
        lean.set_ylim(bottom=1e-10)
        lean.set_title("Straight on: stable above the critical spin")
        add_legend(lean)
    return figure
