"""N four-bar linkages in a row, through the flat positions: the IFToMM benchmark.

N + 1 equal pillars stand on the ground one length apart, and N couplers join their tips. All
links have the same length, so the pillars stay parallel and the whole has one degree of freedom,
although every time the links lie flat (twice per revolution) the constraints lose N of their 2 N
rows and every loop could turn into its antiparallelogram. With parallel pillars the motion is
that of a pendulum,

    J theta_ddot = -K g cos(theta),
    J = (N + 1) m l^2 / 3 + N m l^2,   K = (N + 1) m l / 2 + N m l,

started upright with the speed v of the tips. It revolves: with am the amplitude of Jacobi,

    theta = -pi / 2 - 2 am(omega_b (t - T / 2) / 2 | mu),   T = 4 / omega_b K(mu),
    omega_b^2 = (v / l)^2 + 4 K g / J,   mu = 4 K g / (J omega_b^2),

K(mu) being the complete elliptic integral of the first kind (mu the parameter, not the modulus).

Links of 1 m and 1 kg, gravity, the upright start and the speed of 1 m/s are those of the benchmark
(problem A02 of the library, with N = 40); N is chosen smaller here, so that a run takes seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "N four-bar linkages through flat positions"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("IFToMM-A02",)
SOURCE = "IFToMM benchmark A02"
DOF = 1

REVOLUTIONS = 4


@dataclass(frozen=True)
class Parameters:
    """Equal uniform links."""

    n: int = parameter(10, "1", "chosen: enough loops to be singular, short enough to run at once")
    length: float = parameter(1.0, "m", "book")
    mass: float = parameter(1.0, "kg", "book")
    speed: float = parameter(1.0, "m/s", "book")
    gravity: float = parameter(9.81, "m/s^2", "book")


REFERENCE = {
    # local errors of 1e-10 over some three hundred steps
    "energy drift": Reference(0.0, 1e-8, "no friction: drift over the range of potential energy"),
    "constraint error": Reference(0.0, 1e-10, "loops stay closed, relative to the size"),
    "degrees of freedom": Reference(1.0, 0.0, "IFToMM benchmark: one away from flat positions"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"length": 1.2},
    {"speed": 1.2},
    {"gravity": 7.85},
    {"n": 8},
)


def _moments(p: Parameters) -> tuple[float, float]:
    """Return the inertia J about the pillars' feet and the first moment K of all masses."""
    pillars, couplers = (p.n + 1) * p.mass, p.n * p.mass
    inertia = (pillars / 3.0 + couplers) * p.length**2
    return inertia, (pillars / 2.0 + couplers) * p.length


def energy_scale(p: Parameters) -> float:
    """Return the difference of potential energy between upright and hanging pillars."""
    return 2.0 * _moments(p)[1] * p.gravity


def _pendulum(p: Parameters) -> tuple[float, float]:
    """Return the largest angular speed omega_b and the parameter mu of the equal pendulum."""
    inertia, moment = _moments(p)
    lift = 4.0 * moment * p.gravity / inertia
    fastest = math.sqrt((p.speed / p.length) ** 2 + lift)
    return fastest, lift / fastest**2


def exact_period(p: Parameters) -> float:
    """Return the duration of one revolution."""
    from scipy.special import ellipk

    fastest, mu = _pendulum(p)
    return 4.0 / fastest * float(ellipk(mu))


def exact_angle(p: Parameters, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return theta(t) = -pi / 2 - 2 am(omega_b (t - T / 2) / 2), turning clockwise from upright."""
    from scipy.special import ellipj

    fastest, mu = _pendulum(p)
    amplitude = ellipj(0.5 * fastest * (t - 0.5 * exact_period(p)), mu)[3]
    return np.asarray(-0.5 * math.pi - 2.0 * amplitude)


def build(p: Parameters) -> cl.Model:
    """Return the upright pillars with their couplers; angles count from the horizontal."""
    inertia = p.mass * p.length**2 / 12.0
    middle, tip = (0.5 * p.length, 0.0), (p.length, 0.0)

    def link(name: str) -> cl.Body:
        return cl.Body(name, mass=p.mass, inertia=inertia, com=middle)

    ground = cl.Ground()
    pillars = [link(f"pillar_{i}") for i in range(p.n + 1)]
    couplers = [link(f"coupler_{i}") for i in range(p.n)]
    turn = -p.speed / p.length
    joints = [
        cl.Revolute(
            f"A_{i}", ground, pillar, at=(i * p.length, 0.0), angle=0.5 * math.pi, speed=turn
        )
        for i, pillar in enumerate(pillars)
    ]
    for i, coupler in enumerate(couplers):
        joints.append(
            cl.Revolute(f"B_{i}", pillars[i], coupler, at=tip, angle=-0.5 * math.pi, speed=-turn)
        )
        joints.append(
            cl.Revolute(f"C_{i}", coupler, pillars[i + 1], at=tip, at_second=tip, closure=True)
        )
    return cl.Model(*joints, gravity=(0.0, -p.gravity), name="n-four-bar")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for four revolutions, eight times through the flat position."""
    options.setdefault("t_end", REVOLUTIONS * exact_period(p))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-10, atol=1e-12))
    return cl.simulate(build(p), **options)


def drift(sol: cl.Solution, p: Parameters) -> float:
    """Return the largest change of energy over the range of potential energy."""
    energy = sol["energy.total"]
    return float(np.max(np.abs(energy - energy[0]))) / energy_scale(p)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare with the pendulum that the linkage is as long as all pillars stay parallel."""
    names = [name for name in sol.channels.names if name[:2] == "A_" and name[-6:] == ".angle"]
    angles = np.column_stack([sol[name] for name in names])
    violation = float(np.max(np.abs(sol["constraints.position_error"])))
    mobility = float(build(p).describe().degrees_of_freedom)
    return [
        check_reference("energy drift", drift(sol, p), REFERENCE),
        check_reference("constraint error", violation, REFERENCE),
        check_reference("degrees of freedom", mobility, REFERENCE),
        # an antiparallelogram turns its pillars against each other
        compare("spread of the pillars [rad]", float(np.max(np.ptp(angles, axis=1))), 0.0, 1e-8),
        # errors of 1e-10 per step in speed, over some 12 s
        compare(
            "angle against the pendulum [rad]",
            float(np.max(np.abs(angles[:, 0] - exact_angle(p, sol.t)))),
            0.0,
            1e-6,
        ),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the angle of the first pillar and the energies."""
    from cornerlaw.plots import plot

    return plot(sol, "A_0.angle", "energy.kinetic", "energy.potential", title=TITLE)
