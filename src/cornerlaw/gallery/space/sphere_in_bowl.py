"""Ball in a bowl: it rolls to and fro like a pendulum, and sideways when it spins.

A ball (radius r, J = k m r^2) rolls without slip in a hollow sphere of radius R. With L = R - r,
the unit vector e from the centre of the bowl to that of the ball, and the spin s = omega . e, which
never changes,

    (1 + k) L e x e'' = k r s e' + e x g.

Without spin and sideways motion this is the pendulum of length (1 + k) L: the period of an
amplitude theta_0 is

    T = 4 sqrt((1 + k) L / g) K(sin(theta_0 / 2))    (complete elliptic integral, by quadrature).

"swing" does that. "spin" is released at rest with a spin: the spin turns its path aside, into a
rosette, compared with an integration of the equation above. "cone" runs on a horizontal circle at
the angle theta with the rate nu,

    (1 + k) L nu^2 cos(theta) - k r s nu = g.

Textbook problem (Routh 1884); all numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Ball in a bowl"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook: Routh 1884"
DOF = 18

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Three equal balls in one bowl, which do not touch each other."""

    mass: float = parameter(0.2, "kg", "chosen: cancels out")
    radius: float = parameter(0.05, "m", "chosen: of the balls")
    bowl: float = parameter(0.4, "m", "chosen: radius of the bowl")
    shape: float = parameter(0.4, "1", "derived: J / (m r^2) of a solid ball")
    amplitude: float = parameter(0.8, "rad", "chosen: far beyond small angles")
    spin: float = parameter(60.0, "rad/s", "chosen: of the second and third ball")
    cone: float = parameter(0.6, "rad", "chosen: angle of the third ball")
    mu: float = parameter(1.0, "1", "chosen: enough to roll")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "energy drift": Reference(0.0, 1e-9, "rolling: the contact point is at rest, no work"),
    "slip [m/s]": Reference(0.0, 1e-9, "rolling"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"amplitude": 0.96},
    {"shape": 0.48},
    {"bowl": 0.48},
    {"gravity": 7.85},
    {"spin": 72.0},
    {"mu": 0.1},
)


def period(p: Parameters) -> float:
    """Return the period of the swing, by quadrature of the elliptic integral."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    phi = 0.25 * math.pi * (1.0 + nodes)
    modulus = math.sin(0.5 * p.amplitude) ** 2
    integral = 0.25 * math.pi * float(weights @ (1.0 / np.sqrt(1.0 - modulus * np.sin(phi) ** 2)))
    return 4.0 * math.sqrt((1.0 + p.shape) * (p.bowl - p.radius) / p.gravity) * integral


def cone_rate(p: Parameters) -> float:
    """Return the rate of the steady circle, the positive root."""
    a = (1.0 + p.shape) * (p.bowl - p.radius) * math.cos(p.cone)
    b = p.shape * p.radius * p.spin
    return (b + math.sqrt(b * b + 4.0 * a * p.gravity)) / (2.0 * a)


def rosette(p: Parameters, t: Floats) -> Floats:
    """Return e of the spinning ball over time, from the reduced equation.

    e'' has the part -|e'|^2 e along e and (k r s e' x e + g - (g . e) e) / ((1 + k) L) across.
    """
    from scipy.integrate import solve_ivp

    stiff = (1.0 + p.shape) * (p.bowl - p.radius)
    g = np.array([0.0, 0.0, -p.gravity])

    def rate(t: float, y: Floats) -> Floats:
        e, v = y[:3], y[3:]
        across = p.shape * p.radius * p.spin * np.cross(v, e) + g - (g @ e) * e
        return np.concatenate([v, across / stiff - (v @ v) * e])

    start = [math.sin(p.amplitude), 0.0, -math.cos(p.amplitude), 0.0, 0.0, 0.0]
    run = solve_ivp(
        rate, (0.0, t[-1]), start, method="DOP853", rtol=1e-12, atol=1e-14, t_eval=np.unique(t)
    )
    return np.asarray(run.y[:3].T)


def build(p: Parameters) -> cl.Model:
    """Return the bowl and three balls that roll from the start."""
    ground = cl.Ground("ground")
    bowl = cl.Sphere("bowl", ground, radius=p.bowl, inside=True)
    items: list[Any] = [ground, bowl]
    moment = p.shape * p.mass * p.radius**2
    far = p.bowl - p.radius
    for name, angle, spin, rate in (
        ("swing", p.amplitude, 0.0, 0.0),
        ("spin", p.amplitude, p.spin, 0.0),
        ("cone", p.cone, p.spin, cone_rate(p)),
    ):
        e = np.array([math.sin(angle), 0.0, -math.cos(angle)])
        v = np.array([0.0, far * rate * math.sin(angle), 0.0])
        # rolling: the point at r e from the centre is at rest
        omega = spin * e - np.cross(e, v) / p.radius
        ball = cl.Body(
            name, mass=p.mass, inertia=(moment, moment, moment), position=tuple(far * e),
            velocity=tuple(v), angular_velocity=tuple(omega),
        )  # fmt: skip
        skin = cl.Sphere(f"skin {name}", ball, radius=p.radius)
        items += [ball, skin, cl.Contact(skin, bowl, name=f"{name} contact", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="sphere in bowl")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for a little more than two periods of the swing."""
    if "t_end" not in options:
        options["t_end"] = 3.2
        options.setdefault("t_eval", np.linspace(0.0, 3.2, 641))
    options.setdefault("method", cl.EventDriven(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def crossings(sol: cl.Solution) -> Floats:
    """Return the times at which the swing passes the bottom, with the cubic through its motion."""
    t, x, v = sol.t, sol["swing"].position[:, 0], sol["swing"].velocity[:, 0]
    found = []
    for k in np.flatnonzero(x[:-1] * x[1:] < 0.0):
        h = t[k + 1] - t[k]
        a, b, c, d = x[k], h * v[k], x[k + 1], h * v[k + 1]
        cubic = np.poly1d([2 * a + b - 2 * c + d, -3 * a - 2 * b + 3 * c - d, b, a])
        inside = [s.real for s in cubic.roots if abs(s.imag) < 1e-9 and 0.0 <= s.real <= 1.0]
        found.append(t[k] + h * inside[0])
    return np.array(found)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare period, rosette and steady circle; energy, slip and spin stay as they are."""
    far = p.bowl - p.radius
    energy = sol["energy.total"]
    scale = p.mass * p.gravity * far
    names = ("swing", "spin", "cone")
    slip = max(float(np.abs(sol[f"{name} contact"].gamma_T).max()) for name in names)
    drift = float(np.abs(energy - energy[0]).max() / scale)
    checks = [
        check_reference("energy drift", drift, REFERENCE),
        check_reference("slip [m/s]", slip, REFERENCE),
    ]
    # the cubic between rows 5 ms apart is good to some 1e-9 s
    at = crossings(sol)
    found = at[2] - at[0] if len(at) > 2 else math.nan
    checks.append(compare("period of the swing [s]", float(found), period(p), 1e-8))
    e = sol["spin"].position / far
    expected = rosette(p, sol.t)
    _, rows = np.unique(sol.t, return_index=True)
    # two integrations with 1e-11 and 1e-12 over more than two swings
    gap = np.abs(e[rows] - expected).max()
    checks.append(compare("rosette against the reduced equation [rad]", float(gap), 0.0, 1e-8))
    e = sol["cone"].position / far
    azimuth = np.unwrap(np.arctan2(e[:, 1], e[:, 0]))
    angle = np.arctan2(np.hypot(e[:, 0], e[:, 1]), -e[:, 2])
    checks += [
        compare("rate of the circle [rad/s]", float(azimuth[-1] / sol.t[-1]), cone_rate(p), 1e-8),
        compare("angle of the circle [rad]", float(np.abs(angle - p.cone).max()), 0.0, 1e-8),
    ]
    for name in names[1:]:
        normal = sol[name].position / np.linalg.norm(sol[name].position, axis=1)[:, None]
        spin = np.einsum("ta,ta->t", sol[name].angular_velocity, normal)
        change = float(np.abs(spin - p.spin).max())
        # after 200 rad some 1e-9 of the orientation turn an angular velocity of 60 rad/s
        checks.append(compare(f"{name}: change of the spin [rad/s]", change, 0.0, 1e-6))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the paths from above and the height of the balls."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2, width_ratios=(2, 3))
        for colour, name in zip(COLOURS, ("swing", "spin", "cone"), strict=False):
            r = sol[name].position
            left.plot(r[:, 0], r[:, 1], color=colour, label=name)
            right.plot(sol.t, r[:, 2], color=colour, label=name)
        left.set_aspect("equal")
        left.set_xlabel(axis_label("x", "m"))
        left.set_ylabel(axis_label("y", "m"))
        left.set_title("From above")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("height of the centre", "m"))
        add_legend(right)
    return figure
