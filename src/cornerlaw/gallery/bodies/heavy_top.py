"""Heavy symmetric top (gyroscope): steady precession and nutation.

Two equal tops spin about fixed points. Both lean by theta from the vertical and have the same
spin omega_3 about their axes. The first starts with the precession Omega that makes its motion
steady,

    C omega_3 Omega - A Omega^2 cos(theta) = m g l    (slow root),

A being the transverse inertia about the fixed point. The second is released without precession:
its axis falls, with cos(theta) between u_0 = cos(theta) and the root u_1 < u_0 of

    beta (1 - u^2) = b^2 (u_0 - u),    beta = 2 m g l / A,    b = C omega_3 / A,

and rises to a cusp again after the nutation period 4 K(k^2) / sqrt(beta (u_2 - u_1)) with k^2 =
(u_0 - u_1) / (u_2 - u_1), where u_2 > 1 is the other root. Energy, the angular momentum about the
vertical and the one about the axis are constant. The laws are those of Lagrange's top in any
textbook of mechanics; all numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Heavy symmetric top"
TOPIC = "bodies"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook"
DOF = 6


@dataclass(frozen=True)
class Parameters:
    """A disc on a thin axle, spinning about a fixed point."""

    mass: float = parameter(0.5, "kg", "chosen: a demonstration gyroscope")
    distance: float = parameter(0.08, "m", "chosen: fixed point to centre of mass")
    axial: float = parameter(6e-4, "kg*m^2", "chosen: inertia about the axis of symmetry")
    transverse: float = parameter(
        4e-4, "kg*m^2", "chosen: inertia across the axis at the centre of mass"
    )
    lean: float = parameter(0.6, "rad", "chosen: angle of the axis to the vertical")
    spin: float = parameter(150.0, "rad/s", "chosen: fast enough for steady precession")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "nutation of the steady top [rad]": Reference(0.0, 1e-8, "steady motion: the lean is constant"),
    "energy drift": Reference(0.0, 1e-9, "no friction: the total energy is constant"),
    "drift of the vertical momentum": Reference(0.0, 1e-9, "the weight has no vertical moment"),
    "drift of the axial momentum": Reference(0.0, 1e-9, "no moment about the axis of symmetry"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"mass": 0.6},
    {"distance": 0.096},
    {"axial": 7.2e-4},
    {"spin": 180.0},
    {"gravity": 7.848},
)


def inertia_at_tip(p: Parameters) -> float:
    """Return A, the transverse inertia about the fixed point."""
    return p.transverse + p.mass * p.distance**2


def precession(p: Parameters) -> float:
    """Return the slow rate of steady precession."""
    A, c = inertia_at_tip(p), math.cos(p.lean)
    L, weight = p.axial * p.spin, p.mass * p.gravity * p.distance
    # the form without cancellation of 2 A c Omega = L - sqrt(L^2 - 4 A m g l c)
    return 2.0 * weight / (L + math.sqrt(L * L - 4.0 * A * weight * c))


def nutation(p: Parameters) -> tuple[float, float]:
    """Return the largest lean and the period of the top released without precession."""
    from scipy.special import ellipk

    A = inertia_at_tip(p)
    beta, b = 2.0 * p.mass * p.gravity * p.distance / A, p.axial * p.spin / A
    u0, ratio = math.cos(p.lean), b * b / beta
    # u^2 - ratio u + (ratio u_0 - 1) = 0
    u2 = 0.5 * (ratio + math.sqrt(ratio * ratio - 4.0 * (ratio * u0 - 1.0)))
    u1 = (ratio * u0 - 1.0) / u2
    period = 4.0 * float(ellipk((u0 - u1) / (u2 - u1))) / math.sqrt(beta * (u2 - u1))
    return math.acos(u1), period


def build(p: Parameters) -> cl.Model:
    """Return both tops; their axes are the body axes z, both lean about the x axis."""
    turn = cl.rotation.about((1.0, 0.0, 0.0), p.lean)
    rate = precession(p)
    starts = {
        # in body axes: the vertical is (0, sin, cos) there
        "steady": (0.0, rate * math.sin(p.lean), p.spin),
        "released": (0.0, 0.0, p.spin),
    }
    joints = []
    for k, (name, omega) in enumerate(starts.items()):
        top = cl.Body(
            name,
            mass=p.mass,
            inertia=(p.transverse, p.transverse, p.axial),
            com=(0.0, 0.0, p.distance),
        )
        joints.append(
            cl.Spherical(
                f"{name} tip",
                cl.Ground(),
                top,
                at=(0.5 * k, 0.0, 0.0),
                rotation=turn,
                angular_velocity=omega,
            )
        )
    return cl.Model(*joints, gravity=(0.0, 0.0, -p.gravity), name="heavy top")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for one turn of the steady precession."""
    options.setdefault("t_end", 2.0 * math.pi / precession(p))
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 4001))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-12, atol=1e-13))
    return cl.simulate(build(p), **options)


def _drift(values: Any) -> float:
    """Return the largest change relative to the largest value."""
    return float(np.max(np.abs(values - values[0])) / np.max(np.abs(values)))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare precession, nutation and conserved quantities with their closed forms."""
    from scipy.interpolate import CubicHermiteSpline

    axis = sol["steady"].rotation[:, :, 2]
    azimuth = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    rate = (azimuth[-1] - azimuth[0]) / (sol.t[-1] - sol.t[0])
    wobble = float(np.max(np.abs(np.arccos(axis[:, 2]) - p.lean)))

    e3, omega = sol["released"].rotation[:, :, 2], sol["released"].angular_velocity
    A = inertia_at_tip(p)
    spin = np.einsum("ta,ta->t", omega, e3)
    vertical = A * omega[:, 2] + (p.axial - A) * spin * e3[:, 2]
    slope = omega[:, 0] * e3[:, 1] - omega[:, 1] * e3[:, 0]
    # turning points of cos(theta): every second root of its rate is a lowest position
    bend = np.gradient(slope, sol.t, edge_order=2)
    turns = CubicHermiteSpline(sol.t, slope, bend).roots(extrapolate=False)
    height = CubicHermiteSpline(sol.t, e3[:, 2], slope)
    lowest = turns[height(turns) < 0.5 * (e3[:, 2].max() + e3[:, 2].min())]
    period = (lowest[-1] - lowest[0]) / (len(lowest) - 1) if len(lowest) > 1 else math.nan
    lean = float(np.arccos(np.min(height(turns))))
    deepest, exact_period = nutation(p)
    return [
        # the runs keep ten digits; one turn of the azimuth is known to as many
        compare("precession [rad/s]", rate, precession(p), 1e-8 * precession(p)),
        check_reference("nutation of the steady top [rad]", wobble, REFERENCE),
        # cubic interpolation between about thirty rows in a nutation
        compare("largest lean of the released top [rad]", lean, deepest, 1e-5),
        compare("nutation period [s]", period, exact_period, 1e-4 * exact_period),
        check_reference("energy drift", _drift(sol["energy.total"]), REFERENCE),
        check_reference("drift of the vertical momentum", _drift(vertical), REFERENCE),
        check_reference("drift of the axial momentum", _drift(p.axial * spin), REFERENCE),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the paths of both axes from above and their lean over time."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        above, lean = figure.subplots(1, 2, width_ratios=(2, 3))
        for colour, name in zip(COLOURS, ("steady", "released"), strict=False):
            e3 = sol[name].rotation[:, :, 2]
            above.plot(e3[:, 0], e3[:, 1], color=colour, label=name)
            lean.plot(sol.t, np.arccos(e3[:, 2]), color=colour, label=name)
        above.set_aspect("equal")
        above.set_xlabel(axis_label("axis x", "1"))
        above.set_ylabel(axis_label("axis y", "1"))
        above.set_title("Axes from above")
        lean.set_xlabel(axis_label("time", "s"))
        lean.set_ylabel(axis_label("lean", "rad"))
        lean.set_title("Steady precession and nutation")
        add_legend(lean)
    return figure
