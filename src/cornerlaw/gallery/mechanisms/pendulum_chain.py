"""Chain of n pendulums: uniform links on revolute joints, released from one side.

In the absolute angles phi_i from hanging down, with masses m and lengths l,

    sum_j M_ij [cos(phi_i - phi_j) phi_ddot_j + sin(phi_i - phi_j) phi_dot_j^2]
        + k_i sin(phi_i) = 0,
    M_ii = m l^2 (1/3 + n - i),   M_ij = m l^2 (1/2 + n - max(i, j)),   k_i = m g l (1/2 + n - i),

i = 1 at the top. Small swings have the frequencies of det(K - omega^2 M) = 0, for one link
omega^2 = 3 g / (2 l). The model itself uses relative joint angles, so that both are independent.
Every number is chosen; the equations are those of any textbook.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Chain of n pendulums"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("M1.4",)
SOURCE = "textbook"
DOF = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Equal uniform links."""

    n: int = parameter(5, "1", "chosen: enough links to be chaotic")
    mass: float = parameter(0.4, "kg", "chosen: mass of a link")
    length: float = parameter(0.3, "m", "chosen: length of a link")
    angle: float = parameter(1.2, "rad", "chosen: all links start parallel at this angle")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # local errors of 1e-11 over some thousand steps
    "energy drift": Reference(0.0, 1e-8, "no friction: drift over the largest kinetic energy"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"n": 4},
    {"mass": 0.48},
    {"length": 0.36},
    {"gravity": 7.85},
)


def build(p: Parameters, angles: Floats | None = None) -> cl.Model:
    """Return the chain at rest, at the given angles from the vertical or parallel."""
    start = np.full(p.n, p.angle) if angles is None else angles
    relative = np.diff(start, prepend=0.0)
    carrier: cl.Ground | cl.Body = cl.Ground()
    at = (0.0, 0.0)
    joints = []
    for i in range(p.n):
        link = cl.Body(
            f"link_{i + 1}",
            mass=p.mass,
            inertia=p.mass * p.length**2 / 12.0,
            com=(0.0, -0.5 * p.length),
        )
        angle = float(relative[i])
        joints.append(cl.Revolute(f"joint_{i + 1}", carrier, link, at=at, angle=angle, speed=0.0))
        carrier, at = link, (0.0, -p.length)
    return cl.Model(*joints, gravity=(0.0, -p.gravity), name="pendulum-chain")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for three seconds."""
    options.setdefault("t_end", 3.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 601))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def matrices(p: Parameters) -> tuple[Floats, Floats]:
    """Return M_ij and k_i of the equations in absolute angles."""
    below = p.n - np.arange(1, p.n + 1)
    M = p.mass * p.length**2 * (0.5 + np.minimum.outer(below, below))
    M[np.diag_indices(p.n)] = p.mass * p.length**2 * (1.0 / 3.0 + below)
    return M, np.asarray(p.mass * p.gravity * p.length * (0.5 + below), dtype=np.float64)


def frequencies(p: Parameters) -> tuple[Floats, Floats]:
    """Return the angular frequencies of small swings, slowest first, and the shapes as columns."""
    M, k = matrices(p)
    # with M = L L^T the problem becomes symmetric
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    squares, vectors = np.linalg.eigh(inverse @ np.diag(k) @ inverse.T)
    return np.sqrt(squares), np.asarray(inverse.T @ vectors, dtype=np.float64)


def _equation_error(sol: cl.Solution, p: Parameters) -> float:
    """Return the largest violation of the equations in absolute angles over the largest moment."""
    M, k = matrices(p)
    names = [f"link_{i + 1}" for i in range(p.n)]
    if any(f"{name}.angle" not in sol.channels.names for name in names):
        return math.inf  # a chain with fewer links
    phi, rate, acceleration = (
        np.column_stack([sol[f"{name}.{quantity}"] for name in names])
        for quantity in ("angle", "angular_velocity", "angular_acceleration")
    )
    apart = phi[:, :, None] - phi[:, None, :]
    moment = np.einsum("ij,tij,tj->ti", M, np.cos(apart), acceleration)
    moment = moment + np.einsum("ij,tij,tj->ti", M, np.sin(apart), rate**2)
    return float(np.max(np.abs(moment + k * np.sin(phi)))) / float(np.max(np.abs(moment)))


def _frequency_error(p: Parameters, mode: int) -> float:
    """Return the largest departure of a small swing from its mode, relative to the amplitude."""
    omega, shapes = frequencies(p)
    amplitude = 1e-4
    shape = amplitude * shapes[:, mode] / np.max(np.abs(shapes[:, mode]))
    times = np.linspace(0.0, 4.0 * math.pi / omega[mode], 65)
    method = cl.RungeKutta8(rtol=1e-11, atol=1e-15)
    sol = cl.simulate(build(p, shape), float(times[-1]), t_eval=times, method=method)
    last = sol[f"link_{p.n}.angle"]
    return float(np.max(np.abs(last - shape[-1] * np.cos(omega[mode] * times)))) / amplitude


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the run with the equations in absolute angles, and small swings with the modes."""
    energy, kinetic = sol["energy.total"], sol["energy.kinetic"]
    drift = float(np.max(np.abs(energy - energy[0]))) / float(np.max(kinetic))
    one = replace(p, n=1)
    start = -p.mass * p.gravity * p.length * math.cos(p.angle) * 0.5 * p.n**2
    checks = [
        check_reference("energy drift", drift, REFERENCE),
        # rounding
        compare("energy at the start [J]", float(energy[0]), start, 1e-12 * abs(start) + 1e-14),
        # rounding, amplified by the condition of M, which grows as n^2
        compare("equations in absolute angles", _equation_error(sol, p), 0.0, 1e-11),
        compare(
            "frequency of one link [rad/s]",
            float(frequencies(one)[0][0]),
            math.sqrt(1.5 * p.gravity / p.length),
            1e-12,
        ),
        # the square of the amplitude, over two periods
        compare("small swings of one link", _frequency_error(one, 0), 0.0, 1e-7),
    ]
    for mode in range(p.n):
        far = _frequency_error(p, mode)
        checks.append(compare(f"small swings, mode {mode + 1}", far, 0.0, 1e-6))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the angles of all links."""
    from cornerlaw.plots import plot

    names = [name for name in sol.channels.names if name[:5] == "link_" and name[-6:] == ".angle"]
    return plot(sol, *names, title=TITLE)
