"""Parabola against a straight line: distance, contour rate and curvature terms in closed form.

A body with the contour y = kappa x^2 / 2 turns with the constant speed omega while its apex falls
towards a straight line. At the angle phi the nearest point of the contour is at x = -tan(phi) /
kappa, where the curvature is kappa cos^3(phi), so that

    g       = Y - sin^2(phi) / (2 kappa cos(phi)),
    s_dot   = -omega / (kappa cos^3(phi)),
    g_dot   = Y_dot - omega sin(phi) (1 + cos^2(phi)) / (2 kappa cos^2(phi)),
    g_ddot  = Y_ddot - omega^2 (cos^4(phi) + cos^2(phi) + 2 sin^2(phi)) / (2 kappa cos^3(phi))

with the height Y of the apex and the arc length s of the contact point. The second derivative holds
the curvature term of acceleration level: without it, g_ddot would be that of the material point.

Example of section 4.6 of Pfeiffer and Glocker 1996; every number is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Parabola against a straight line"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("E1",)
SOURCE = "Pfeiffer and Glocker 1996, 4.6"
DOF = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """A body with a parabolic contour above a line."""

    curvature: float = parameter(3.0, "1/m", "chosen: at the apex, a radius of a third of a metre")
    mass: float = parameter(1.0, "kg", "chosen: no influence on a free flight")
    inertia: float = parameter(0.1, "kg*m^2", "chosen: no influence on a free flight")
    height: float = parameter(1.0, "m", "chosen: no contact during the flight")
    angle: float = parameter(-0.9, "rad", "chosen: the contact point runs over both sides")
    spin: float = parameter(4.0, "rad/s", "chosen: curvature terms of the size of gravity")
    lift: float = parameter(0.5, "m/s", "chosen: upwards at the start")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # positions of the integrator with local errors of 1e-12
    "distance [m]": Reference(0.0, 1e-10, "closed form of the distance"),
    "contact point [m]": Reference(0.0, 1e-10, "x = -tan(phi) / kappa on the contour"),
    "gap rate [m/s]": Reference(0.0, 1e-9, "closed form, derivative of the distance"),
    # differences of sixth order over steps of 1 ms
    "contour rate [m/s]": Reference(0.0, 1e-7, "s_dot = -omega / curvature"),
    "gap acceleration [m/s^2]": Reference(0.0, 1e-7, "g_ddot with its curvature term"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"curvature": 3.6},
    {"spin": 4.8},
    {"height": 1.2},
    {"angle": -0.72},
)


def build(p: Parameters) -> cl.Model:
    """Return the body, its contour and the line."""
    body = cl.Body(
        "body",
        mass=p.mass,
        inertia=p.inertia,
        position=(0.0, p.height),
        rotation=p.angle,
        velocity=(0.0, p.lift),
        angular_velocity=p.spin,
    )
    parabola = cl.Parabola("parabola", body, curvature=p.curvature)
    line = cl.Ground("line", normal=(0.0, 1.0))
    return cl.Model(
        body, cl.Contact(parabola, line), gravity=(0.0, -p.gravity), name="parabola-line"
    )


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for 0.4 s of free flight."""
    options.setdefault("t_end", 0.4)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 401))
    options.setdefault("method", cl.EventDriven(rtol=1e-12))
    return cl.simulate(build(p), **options)


def exact(p: Parameters, t: Floats) -> dict[str, Floats]:
    """Return angle, gap and its two derivatives, contact point and contour rate."""
    phi = p.angle + p.spin * t
    s, c, k = np.sin(phi), np.cos(phi), p.curvature
    height = p.height + p.lift * t - 0.5 * p.gravity * t**2
    curved = p.spin**2 * (c**4 + c**2 + 2.0 * s**2) / (2.0 * k * c**3)
    return {
        "phi": phi,
        "gap": height - s**2 / (2.0 * k * c),
        "rate": p.lift - p.gravity * t - p.spin * s * (1.0 + c**2) / (2.0 * k * c**2),
        "acceleration": -p.gravity - curved,
        "x": -s / (c * k),
        "contour rate": -p.spin / (k * c**3),
    }


def _differences(values: Floats, dt: float) -> Floats:
    """Return the derivative by central differences of sixth order, three rows fewer at each end."""
    n = len(values)
    shifted = [values[3 + k : n - 3 + k] for k in (-3, -2, -1, 1, 2, 3)]
    weights = (-1.0, 9.0, -45.0, 45.0, -9.0, 1.0)
    return np.asarray(sum(w * v for w, v in zip(weights, shifted, strict=True)) / (60.0 * dt))


def arc_length(p: Parameters, x: Floats) -> Floats:
    """Return the length of the parabola from its apex to x."""
    z = p.curvature * x
    return np.asarray((z * np.hypot(1.0, z) + np.arcsinh(z)) / (2.0 * p.curvature))


def contact_place(sol: cl.Solution) -> Floats:
    """Return x of the contact point in the axes of the body."""
    offset = sol["parabola-line.point"] - sol["body.position"]
    angle = sol["body.angle"]
    return np.asarray(np.cos(angle) * offset[:, 0] + np.sin(angle) * offset[:, 1])


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare distance, rates and accelerations with the closed forms."""
    form, dt = exact(p, sol.t), float(sol.t[1] - sol.t[0])
    inner = slice(3, -3)
    x = contact_place(sol)
    contour_rate = _differences(arc_length(p, x), dt)
    acceleration = _differences(sol["parabola-line.gamma_N"], dt)
    errors = {
        "distance [m]": sol["parabola-line.gap"] - form["gap"],
        "contact point [m]": x - form["x"],
        "gap rate [m/s]": sol["parabola-line.gamma_N"] - form["rate"],
        "contour rate [m/s]": contour_rate - form["contour rate"][inner],
        "gap acceleration [m/s^2]": acceleration - form["acceleration"][inner],
    }
    checks = [
        check_reference(name, float(np.max(np.abs(error))), REFERENCE)
        for name, error in errors.items()
    ]
    return [*checks, compare("no event in free flight", float(len(sol.events)), 0.0, 0.0)]


def show(sol: cl.Solution) -> Any:
    """Draw the gap and its rate, and the contact point on the contour."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        gaps, places = figure.subplots(1, 2)
        gaps.plot(sol.t, sol["parabola-line.gap"], color=COLOURS[0], label="gap [m]")
        gaps.plot(sol.t, sol["parabola-line.gamma_N"], color=COLOURS[1], label="rate [m/s]")
        gaps.set_xlabel(axis_label("time", "s"))
        add_legend(gaps)
        places.plot(sol.t, contact_place(sol), color=COLOURS[2])
        places.set_xlabel(axis_label("time", "s"))
        places.set_ylabel(axis_label("contact point on the contour", "m"))
    return figure
