"""Bricard's mechanism, an IFToMM benchmark: six revolute joints, redundant and yet mobile.

Five uniform bars and the ground form a closed chain along six edges of a cube, P0 (0,0,0), P1
(1,0,0), P2 (1,-1,0), P3 (1,-1,1), P4 (0,-1,1), P5 (0,0,1), the ground being the edge from P5 to
P0. Every joint axis is normal to the two bars it joins. Gruebler's count gives 5 * 6 - 6 * 5 = 0
degrees of freedom, but the chain moves: one of the five rows that close the loop follows from the
others.

The threefold symmetry allows a closed form. The turns at P0, P2, P4 are equal (alpha), those at
P1, P3, P5 too (beta), and with all lengths equal the loop closes for

    sin(alpha) + sin(beta) + sin(alpha) sin(beta) = 0   (signs as the joints count here),

cos(theta) + cos(phi) + cos(theta) cos(phi) = 0 with theta = pi/2 - alpha in the literature on
threefold-symmetric linkages (Chen, You, Tarnai 2005). With it the energy gives the speed at every
angle.

Lengths of 1 m, masses of 1 kg, the square section of 0.1 m, gravity along -y and ten seconds from
rest are those of the benchmark (problem A04 of the library).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Bricard's mechanism"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("IFToMM-A04", "TR-N-11")
SOURCE = "IFToMM benchmark A04"
DOF = 1

Floats = NDArray[np.float64]
# from P0 to P5: direction of the bar and axis of the joint at its start
BARS = (
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
)


@dataclass(frozen=True)
class Parameters:
    """Equal uniform bars of square section."""

    length: float = parameter(1.0, "m", "book")
    mass: float = parameter(1.0, "kg", "book")
    section: float = parameter(0.1, "m", "book")
    gravity: float = parameter(9.81, "m/s^2", "book")


REFERENCE = {
    "degrees of freedom": Reference(1.0, 0.0, "IFToMM benchmark"),
    "Gruebler count": Reference(0.0, 0.0, "5 * 6 - 6 * 5"),
    # local errors of 1e-10 over some hundred steps
    "energy drift": Reference(0.0, 1e-9, "no friction: drift over the largest kinetic energy"),
    "constraint error": Reference(0.0, 1e-10, "the loop stays closed, relative to the size"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"length": 1.2},
    {"mass": 1.2},
    {"gravity": 7.85},
    {"section": 0.12},
)


def build(p: Parameters) -> cl.Model:
    """Return the bars along the edges of a cube, at rest."""
    ground = cl.Ground()
    carrier: cl.Ground | cl.Body = ground
    at = (0.0, 0.0, 0.0)
    joints = []
    for k, (direction, axis) in enumerate(BARS):
        x, y, z = (p.length * c for c in direction)
        size = tuple(p.length if c else p.section for c in direction)
        bar = cl.Body(
            f"bar_{k + 1}",
            inertia=cl.inertia.box(p.mass, size),
            com=(0.5 * x, 0.5 * y, 0.5 * z),
        )
        joints.append(cl.Revolute(f"P{k}", carrier, bar, at=at, axis=axis, angle=0.0, speed=0.0))
        carrier, at = bar, (x, y, z)
    last = cl.Revolute(
        "P5",
        carrier,
        ground,
        at=at,
        at_second=(0.0, 0.0, p.length),
        axis=(1.0, 0.0, 0.0),
        closure=True,
    )
    return cl.Model(*joints, last, gravity=(0.0, -p.gravity, 0.0), name="bricard")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for the ten seconds of the benchmark."""
    options.setdefault("t_end", 10.0)
    options.setdefault("method", cl.RungeKutta8(rtol=1e-10, atol=1e-12))
    return cl.simulate(build(p), **options)


def second_angle(alpha: Floats) -> Floats:
    """Return beta of sin(alpha) + sin(beta) + sin(alpha) sin(beta) = 0 next to the cube."""
    sine = np.sin(alpha)
    return np.asarray(-np.arcsin(sine / (1.0 + sine)))


def one_inertia(p: Parameters, alpha: float) -> tuple[float, float]:
    """Return the inertia J of T = J alpha_dot^2 / 2 and the potential energy."""
    beta = float(second_angle(np.array(alpha)))
    ratio = -math.cos(alpha) * (1.0 + math.sin(beta)) / (math.cos(beta) * (1.0 + math.sin(alpha)))
    A, omega = np.eye(3), np.zeros(3)
    r, v = np.zeros(3), np.zeros(3)
    inertia, potential = 0.0, 0.0
    for k, (direction, axis) in enumerate(BARS):
        angle, rate = (alpha, 1.0) if k % 2 == 0 else (beta, ratio)
        u = np.array(axis)
        turn = math.cos(angle) * np.eye(3) + (1.0 - math.cos(angle)) * np.outer(u, u)
        turn = turn + math.sin(angle) * np.cross(np.eye(3), u)
        omega = omega + rate * A @ u
        A = A @ turn
        bar = p.length * A @ np.array(direction)
        # a thin bar: thirds of the squared end velocities and their product; then its section
        w = v + np.cross(omega, bar)
        inertia += p.mass / 3.0 * float(v @ v + v @ w + w @ w)
        spin = float(omega @ bar) / p.length
        inertia += p.mass * p.section**2 / 12.0 * (float(omega @ omega) + spin**2)
        potential += p.mass * p.gravity * float(r[1] + 0.5 * bar[1])
        r, v = r + bar, w
    return inertia, potential


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare counts, the shape of the loop and the speed with the closed form."""
    turns = np.column_stack([sol[f"P{k}.angle"] for k in range(6)])
    alpha, beta = turns[:, 0], turns[:, 1]
    symmetry = max(np.max(np.abs(turns[:, k] - turns[:, k % 2])) for k in range(2, 6))
    reduced = np.array([one_inertia(p, float(a)) for a in alpha])
    energy = one_inertia(p, 0.0)[1]
    kinetic = 0.5 * reduced[:, 0] * sol["P0.speed"] ** 2
    error = float(np.max(np.abs(kinetic + reduced[:, 1] - energy)))
    total, largest = sol["energy.total"], float(np.max(sol["energy.kinetic"]))
    drift = float(np.max(np.abs(total - total[0]))) / largest
    violation = float(np.max(np.abs(sol["constraints.position_error"])))
    facts = build(p).describe()
    return [
        check_reference("degrees of freedom", float(facts.degrees_of_freedom), REFERENCE),
        check_reference("Gruebler count", float(facts.gruebler), REFERENCE),
        compare("redundant rows", float(facts.rows - facts.rank), 1.0, 0.0),
        compare("loop named as redundant", float(facts.redundant == ("P5",)), 1.0, 0.0),
        check_reference("energy drift", drift, REFERENCE),
        check_reference("constraint error", violation, REFERENCE),
        # rounding in the projection, amplified near the turning point alpha = pi
        compare("threefold symmetry [rad]", float(symmetry), 0.0, 1e-10),
        compare(
            "closed form of the loop [rad]",
            float(np.max(np.abs(beta - second_angle(alpha)))),
            0.0,
            1e-10,
        ),
        # rounding
        compare("energy of the cube [J]", float(total[0]), energy, 1e-12 * abs(energy)),
        # as the energy drift, in the closed form of the loop instead of the bodies
        compare("energy in closed form [J]", error, 0.0, 1e-9 * largest),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw both angles and the energies over time."""
    from cornerlaw.plots import plot

    return plot(sol, "P0.angle", "P1.angle", "energy.kinetic", "energy.potential", title=TITLE)
