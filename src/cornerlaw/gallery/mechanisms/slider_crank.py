"""Slider-crank in relative, Cartesian and natural coordinates: three sets of equations, one motion.

A crank a and a coupler b, both uniform thin bars, move a slider along x; gravity acts along -y and
nothing else drives them. The parameter `formulation` chooses the coordinates:

    "relative"   crank angle, coupler angle, slider displacement; the loop closes at B (2 rows)
    "absolute"   position and angle of each of the three bodies; every joint is rows (9 - 8)
    "natural"    the points A and B; both bars are rods without coordinates of their own, with the
                 exact mass matrix [[m/3, m/6], [m/6, m/3]] on their end points (4 - 3)

All must give the same motion with one degree of freedom, and the slider stands at x = a
cos(theta) + sqrt(b^2 - a^2 sin^2(theta)); the energy then gives the speed at every crank angle.

The source (a chapter on teaching multibody dynamics) gives the equations but no numbers,
so all values are chosen. Its slips, corrected here, stand in ERRATA.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.errors import UsageError
from cornerlaw.gallery.contract import (
    Check,
    Erratum,
    Reference,
    check_reference,
    compare,
    parameter,
)

TITLE = "Slider-crank in three sets of coordinates"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("E", "E1")
SOURCE = "Ambrosio (ed.) 2005, chapter on education"
DOF = 1

Floats = NDArray[np.float64]
FORMULATIONS = ("relative", "absolute", "natural")


@dataclass(frozen=True)
class Parameters:
    """Two uniform thin bars and a slider."""

    formulation: str = parameter("relative", "", "chosen: relative, absolute or natural")  # type: ignore[arg-type]
    crank: float = parameter(0.2, "m", "chosen: shorter than the coupler, so that it revolves")
    coupler: float = parameter(0.5, "m", "chosen: longer than the crank")
    crank_mass: float = parameter(1.0, "kg", "chosen: a bench model")
    coupler_mass: float = parameter(1.5, "kg", "chosen: a bench model")
    slider_mass: float = parameter(2.0, "kg", "chosen: a bench model")
    angle: float = parameter(0.7, "rad", "chosen: start away from the dead centres")
    speed: float = parameter(12.0, "rad/s", "chosen: fast enough to revolve")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "degrees of freedom": Reference(1.0, 0.0, "the source: one, whatever the coordinates"),
    # local errors of 1e-11 over some two hundred steps
    "energy drift": Reference(0.0, 1e-9, "no friction: drift over the largest kinetic energy"),
    "constraint error": Reference(0.0, 1e-10, "all constraints hold, relative to the size"),
}

ERRATA = (
    Erratum(
        "(10), (11)",
        "the revolute joint at A0 joins bodies 1 and 4",
        "it joins the ground and the crank",
        "the mechanism as drawn",
    ),
    Erratum(
        "(16)",
        "7 Cartesian constraints",
        "8: the slider's orientation phi_4 = 0 is missing",
        "9 coordinates and one degree of freedom",
    ),
    Erratum(
        "(17)",
        "the second row of the rotation with other signs",
        "(sin, +cos)",
        "a rotation is orthogonal, with determinant 1",
    ),
    Erratum("(30)", "last block J_3", "J_nb", "the blocks run over all bodies"),
    Erratum("(32)", "tau with a delta", "tau without", "it is a force, not a variation"),
    Erratum("(37)", "the roles of a and r_ddot mixed", "as in the equations", "the sentence only"),
    Erratum(
        "(47)",
        "gamma - 2 alpha Psi - beta Psi_dot",
        "gamma - 2 alpha Psi_dot - beta^2 Psi",
        "Baumgarte's equation is a damped oscillator in Psi",
    ),
    Erratum("(56)", "p", "v", "the name of the velocities everywhere else"),
    Erratum("(61)", "+V^T M V_dot v_dot", "-V^T M V_dot v_dot", "q_ddot = V v_ddot + V_dot v_dot"),
)

MUTATIONS: tuple[dict[str, float], ...] = (
    {"crank": 0.24},
    {"coupler": 0.6},
    {"coupler_mass": 1.8},
    {"speed": 14.4},
    {"gravity": 7.85},
)


def displacement(p: Parameters, theta: Floats) -> Floats:
    """Return the slider's position at the crank angles theta."""
    return np.asarray(
        p.crank * np.cos(theta) + np.sqrt(p.coupler**2 - (p.crank * np.sin(theta)) ** 2)
    )


def exact_speed(p: Parameters, theta: Floats) -> Floats:
    """Return the crank's speed at the angles theta from the energy of the start."""
    a, b = p.crank, p.coupler

    def one_inertia(angle: Floats) -> tuple[Floats, Floats]:
        height = a * np.sin(angle)
        # slope of the slider's position, and the velocity of A, per crank speed
        slope = -height - height * a * np.cos(angle) / np.sqrt(b**2 - height**2)
        x, y = -height, a * np.cos(angle)
        # a thin bar: a third of the squared end velocities and of their product
        coupler = p.coupler_mass / 3.0 * (x**2 + y**2 + x * slope + slope**2)
        inertia = p.crank_mass * a**2 / 3.0 + coupler + p.slider_mass * slope**2
        return inertia, 0.5 * (p.crank_mass + p.coupler_mass) * p.gravity * height

    start_inertia, start_potential = one_inertia(np.array([p.angle]))
    energy = 0.5 * start_inertia * p.speed**2 + start_potential
    inertia, potential = one_inertia(theta)
    return np.asarray(np.sqrt(np.maximum(2.0 * (energy - potential) / inertia, 0.0)))


def build(p: Parameters) -> cl.Model:
    """Return the mechanism in the coordinates of `formulation`."""
    if p.formulation not in FORMULATIONS:
        raise UsageError(
            f"slider-crank: formulation must be one of {', '.join(FORMULATIONS)}, "
            f"got {p.formulation!r}"
        )
    return _natural(p) if p.formulation == "natural" else _bodies(p)


def _bodies(p: Parameters) -> cl.Model:
    """Return three bodies with four joints; the joints are tree joints or rows."""
    a, b = p.crank, p.coupler
    lean = -math.asin(a * math.sin(p.angle) / b)
    pin = (a * math.cos(p.angle), a * math.sin(p.angle))
    slider_at = (pin[0] + b * math.cos(lean), 0.0)
    absolute = p.formulation == "absolute"

    def start(position: tuple[float, float], rotation: float) -> dict[str, Any]:
        return {"position": position, "rotation": rotation} if absolute else {}

    crank = cl.Body(
        "crank",
        mass=p.crank_mass,
        inertia=p.crank_mass * a**2 / 12.0,
        com=(0.5 * a, 0.0),
        angular_velocity=p.speed,
        **start((0.0, 0.0), p.angle),
    )
    coupler = cl.Body(
        "coupler",
        mass=p.coupler_mass,
        inertia=p.coupler_mass * b**2 / 12.0,
        com=(0.5 * b, 0.0),
        **start(pin, lean),
    )
    # the slider does not turn: its inertia about z does not matter
    slider = cl.Body(
        "slider", mass=p.slider_mass, inertia=0.01 * p.slider_mass * a**2, **start(slider_at, 0.0)
    )
    ground = cl.Ground()
    # in absolute coordinates the bodies say where they are
    here = (None, None, None) if absolute else (p.angle, lean - p.angle, slider_at[0])
    return cl.Model(
        cl.Revolute("A0", ground, crank, angle=here[0]),
        cl.Revolute("A", crank, coupler, at=(a, 0.0), angle=here[1]),
        cl.Prismatic("guide", ground, slider, axis=(1.0, 0.0), displacement=here[2]),
        cl.Revolute("B", coupler, slider, at=(b, 0.0), closure=True),
        gravity=(0.0, -p.gravity),
        coordinates="absolute" if absolute else "relative",
        name=f"slider-crank ({p.formulation})",
    )


def _natural(p: Parameters) -> cl.Model:
    """Return the points A (without a mass of its own) and B, joined by rods with mass."""
    a, b = p.crank, p.coupler
    x, y = a * math.cos(p.angle), a * math.sin(p.angle)
    pin = cl.PointMass("A", mass=0.0, position=(x, y), velocity=(-y * p.speed, x * p.speed))
    slider = cl.PointMass(
        "B", mass=p.slider_mass, position=(float(displacement(p, np.array(p.angle))), 0.0)
    )
    ground = cl.Ground()
    return cl.Model(
        pin,
        slider,
        cl.Rod("crank", ground, pin, length=a, mass=p.crank_mass),
        cl.Rod("coupler", pin, slider, length=b, mass=p.coupler_mass),
        cl.Prismatic("guide", ground, slider, axis=(1.0, 0.0), closure=True),
        gravity=(0.0, -p.gravity),
        name="slider-crank (natural)",
    )


def motion(sol: cl.Solution) -> tuple[Floats, Floats, Floats]:
    """Return crank angle, crank speed and slider position of a run in any coordinates."""
    if "slider.position" in sol.channels.names:
        return sol["crank.angle"], sol["crank.angular_velocity"], sol["slider.position"][:, 0]
    x, y = sol["A.position"].T
    vx, vy = sol["A.velocity"].T
    theta = np.unwrap(np.arctan2(y, x))
    return theta, (x * vy - y * vx) / (x * x + y * y), sol["B.position"][:, 0]


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for one second, some two revolutions."""
    options.setdefault("t_end", 1.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 501))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare with the closed forms, and with runs in the other coordinates."""
    theta, speed, x = motion(sol)
    energy, kinetic = sol["energy.total"], sol["energy.kinetic"]
    drift = float(np.max(np.abs(energy - energy[0]))) / float(np.max(kinetic))
    violation = float(np.max(np.abs(sol["constraints.position_error"])))
    place = float(np.max(np.abs(x - displacement(p, theta))))
    rate = float(np.max(np.abs(speed - exact_speed(p, theta))))
    checks = [
        # the projection leaves rounding only
        compare("slider position [m]", place, 0.0, 1e-12),
        # the drift of the energy over the kinetic energy at the slowest position
        compare("crank speed from the energy [rad/s]", rate, 0.0, 1e-8),
        check_reference("energy drift", drift, REFERENCE),
        check_reference("constraint error", violation, REFERENCE),
    ]
    for name in FORMULATIONS:
        other = replace(p, formulation=name)
        mobility = float(build(other).describe().degrees_of_freedom)
        expected = REFERENCE["degrees of freedom"]
        checks.append(
            compare(f"degrees of freedom ({name})", mobility, expected.value, expected.tolerance)
        )
        if name == p.formulation:
            continue
        same = simulate(other, t_end=float(sol.t[-1]), t_eval=sol.t)
        # errors of both runs, integrated over a second
        far = float(np.max(np.abs(motion(same)[2] - x)))
        checks.append(compare(f"slider against {name} coordinates [m]", far, 0.0, 1e-9))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the slider's position and the crank's speed over the crank angle."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    theta, speed, x = motion(sol)
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(theta, x, color=COLOURS[0])
        left.set_ylabel(axis_label("slider position", "m"))
        right.plot(theta, speed, color=COLOURS[1])
        right.set_ylabel(axis_label("crank speed", "rad/s"))
        for axes in (left, right):
            axes.set_xlabel(axis_label("crank angle", "rad"))
    return figure
