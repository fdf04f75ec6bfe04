"""Euler's disc: a coin rolls on its rim, ever lower and ever faster, and stops all at once.

A thin disc of mass m and radius r (A = m r^2 / 4 across, C = m r^2 / 2 about its axis) rolls on a
level floor, inclined by alpha, its centre nearly at rest. The point of contact runs round the rim
at the rate Omega, and steady rolling needs

    Omega^2 sin(alpha) = 4 g / r,      E = 3/2 m g r sin(alpha),

so that Omega grows without bound as the energy E goes to zero. What takes the energy decides how
alpha vanishes. If the power is P = c alpha^(1/2 - k), then alpha' ~ -alpha^(1/2 - k) and

    alpha ~ (t_end - t)^p,      p = 2 / (1 + 2 k).

Resistance to rolling with a constant arm ("rolling" of a contact) acts against the horizontal part
Omega sin(alpha) cos(alpha) of the angular velocity: k = 0, p = 2, and

    alpha' = -4/3 (arm / r) sqrt(g / r) sqrt(sin(alpha)),     t_end = 3/2 (r / arm) sqrt(alpha r/g).

Dry contour friction acts against the speed r Omega of the contact point along the rim: k = 1 and
p = 2/3, t_end = alpha^(3/2) sqrt(r / g) / (2 kappa). Viscous contour friction has k = 3/2, p = 1/2,
and the viscous air under the disc k = 5/2, p = 1/3; drilling alone (k = -1) never ends.

The spin omega_3 about the axis follows from (C + m r^2) omega_3' = m r^2 Omega sin(alpha) alpha' +
T_3, T_3 being the torque of resistance about the axis; with 5/9 sqrt(g / r) alpha^(3/2) it vanishes
at the end for both laws. Any rest of it would need friction of m r Omega omega_3 without bound: the
disc would slip. The run starts that way and ends before the singularity, where alpha is a
thousandth of its start; time stepping goes beyond it, to the disc that lies on the floor.

Sources: Moffatt 2000, "Euler's disk and its finite-time singularity", Nature 404, 833-834 (steady
rolling, air); Leine 2009, "Experimental and theoretical investigation of the energy dissipation of
a rolling disk during its final stage of motion", Arch. Appl. Mech. 79, 1063-1082 (laws of contour
friction and their exponents). The exponent for a constant arm is derived above. Size after the toy
(75 mm, 0.4 kg), resistance chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.space import _one_contact as body

TITLE = "Euler's disc"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "Moffatt 2000, Leine 2009"
DOF = 6


@dataclass(frozen=True)
class Parameters:
    """A thin disc, what resists it, and its start."""

    mass: float = parameter(0.4, "kg", "book: the toy")
    radius: float = parameter(0.0375, "m", "book: the toy")
    tilt: float = parameter(0.1, "rad", "chosen: small angles")
    arm: float = parameter(0.0015, "m", "chosen: resistance to rolling, a short run")
    contour: float = parameter(3e-4, "1", "chosen: dry contour friction of the run that compares")
    mu: float = parameter(1.0, "1", "chosen: no slip")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # alpha sways by the nutation of the start, some per cent
    "exponent, resistance to rolling": Reference(2.0, 0.02, "p = 2 / (1 + 2 k) with k = 0"),
    "exponent, contour friction": Reference(2.0 / 3.0, 0.01, "Leine 2009, k = 1"),
    # integrations with 1e-10 and 1e-11
    "rotations against the reduced equations": Reference(0.0, 1e-8, "integration with scipy"),
    "slip [m/s]": Reference(0.0, 1e-11, "friction holds"),
    "growth of energy [1/s]": Reference(0.0, 1e-9, "resistance takes energy"),
    "tilt after the end, time stepping [rad]": Reference(0.0, 1e-9, "lies on the floor"),
    "energy after the end, time stepping": Reference(0.0, 1e-9, "at rest"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"arm": 0.0018},
    {"radius": 0.045},
    {"gravity": 7.85},
    {"tilt": 0.12},
)


def end_time(p: Parameters, law: str = "rolling") -> float:
    """Return when a disc lies on the floor, by slow change of steady rolling at small angles."""
    tick = math.sqrt(p.radius / p.gravity)
    if law == "rolling":
        return 1.5 * p.radius / p.arm * tick * math.sqrt(p.tilt)
    return p.tilt * math.sqrt(p.tilt) * tick / (2.0 * p.contour)


def _start(p: Parameters, law: str) -> dict[str, Any]:
    """Return the start on the slowly changing state of steady rolling; contact below +y of it."""
    s, c, k = math.sin(p.tilt), math.cos(p.tilt), math.sqrt(p.gravity / p.radius)
    spin = 5.0 / 9.0 * k * p.tilt**1.5
    # 3/2 omega_3 Omega s - 1/4 Omega^2 s c + g/r c = 0
    turn = (1.5 * spin + math.sqrt(2.25 * spin**2 + k**2 * c**2 / s)) / (0.5 * c)
    fall = -4.0 / 3.0 * k * (p.arm / p.radius * s**0.5 if law == "rolling" else p.contour / s**0.5)
    tilted = cl.rotation.about((1.0, 0.0, 0.0), p.tilt)
    return body.pose(tilted, body.rim(p.radius), (fall, turn * s, spin))


def _inertia(p: Parameters) -> tuple[float, float, float]:
    across = 0.25 * p.mass * p.radius**2
    return (across, across, 2.0 * across)


def build(p: Parameters, law: str = "rolling") -> cl.Model:
    """Return the disc on the floor; `law` is "rolling" or "contour"."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    disc = cl.Body("disc", mass=p.mass, inertia=_inertia(p), **_start(p, law))
    rim = cl.Ring("rim", disc, radius=p.radius)
    arm = p.arm if law == "rolling" else 0.0
    items = [floor, disc, rim, cl.Contact(rim, floor, name="contact", mu=p.mu, rolling=arm)]
    if law == "contour":
        moment = p.contour * p.mass * p.gravity * p.radius

        def resist(t, r, v, A, Omega):  # type: ignore[no-untyped-def]
            c = A[2, 2]
            square = 1.0 - c * c
            # the horizontal direction h square to the tangent is (c n - e3) / sin(alpha)
            x, y = -A[0, 2] / square, -A[1, 2] / square
            push = -moment if Omega[0] * x + Omega[1] * y > 0.0 else moment
            return push * x, push * y, 0.0

        items.append(cl.Torque("contour", disc, value=resist))
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="euler-disc")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the tilt is about a thousandth of its start."""
    options.setdefault("t_end", 0.97 * end_time(p))
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 401))
    options.setdefault("method", cl.EventDriven(rtol=1e-10, atol=1e-13))
    return cl.simulate(build(p), **options)


@cache
def rolling(p: Parameters, t_end: float, rows: int) -> body.Floats:
    """Return the motion by the equations of a rolling disc with resistance of a constant arm."""

    def resistance(s: body.Vec, n: body.Vec, w: body.Vec, N: float) -> body.Vec:
        level = body.add(w, n, -body.dot(n, w))
        factor = -p.arm * N / math.sqrt(body.dot(level, level))
        return (factor * level[0], factor * level[1], factor * level[2])

    return body.roll(
        _start(p, "rolling"), np.linspace(0.0, t_end, rows), body.rim(p.radius), mass=p.mass,
        inertia=np.diag(_inertia(p)), gravity=p.gravity, resistance=resistance,
    )  # fmt: skip


def tilt(sol: cl.Solution) -> body.Floats:
    """Return the inclination alpha of the disc against the floor."""
    A = sol["disc"].rotation
    return np.asarray(np.arcsin(np.minimum(np.hypot(A[:, 2, 0], A[:, 2, 1]), 1.0)))


def power_of_end(t: body.Floats, alpha: body.Floats, guess: float) -> tuple[float, float]:
    """Fit log alpha = a + p log(t_end - t) and return p and t_end; nan where the guess is past."""
    from scipy.optimize import least_squares

    rest = guess - t[-1]
    if rest <= 0.0 or np.min(alpha) <= 0.0:
        return math.nan, math.nan
    y = np.log(alpha)

    def misfit(z: Any) -> Any:
        x = np.log(t[-1] + rest * np.exp(z[2]) - t)
        return z[0] + z[1] * x - y

    found = least_squares(misfit, (y[0], 1.0, 0.0)).x
    return float(found[1]), float(t[-1] + rest * math.exp(found[2]))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare exponents and times of the end, the run itself, and what comes after the end."""
    t = np.asarray(sol.t)
    times = np.linspace(0.0, float(t[-1]), 401)
    rows = np.searchsorted(t, times - 1e-9)
    true = rolling(p, float(t[-1]), len(rows))
    off = np.abs(sol["disc"].rotation[rows].reshape(-1, 9) - true[:, :9]).max()
    power, end = power_of_end(t[rows], tilt(sol)[rows], end_time(p))
    last = 0.97 * end_time(p, "contour")
    other = cl.simulate(
        build(p, "contour"), t_end=last, t_eval=np.linspace(0.0, last, 401), progress=False,
        method=cl.EventDriven(rtol=1e-8),
    )  # fmt: skip
    power_c, end_c = power_of_end(np.asarray(other.t), tilt(other), end_time(p, "contour"))
    after = cl.simulate(
        build(p), t_end=1.05 * end_time(p), t_eval=[0.0, 1.05 * end_time(p)], progress=False,
        method=cl.Moreau(dt=2e-4),
    )  # fmt: skip
    energy = after["energy.total"]
    found = {
        "exponent, resistance to rolling": power,
        "exponent, contour friction": power_c,
        "rotations against the reduced equations": float(off),
        "slip [m/s]": float(np.abs(sol["contact[0]"].gamma_T).max()),
        "growth of energy [1/s]": body.growth(sol),
        "tilt after the end, time stepping [rad]": float(tilt(after)[-1]),
        "energy after the end, time stepping": float(energy[-1] / energy[0]),
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in found.items()]
    # slow change and small angles: both leave out terms of the size of alpha
    for name, value, law in (("rolling", end, "rolling"), ("contour friction", end_c, "contour")):
        expected = end_time(p, law)
        checks.append(compare(f"time of the end, {name} [s]", value, expected, 0.01 * expected))
    kinetic, potential = (np.asarray(sol[f"energy.{name}"]) for name in ("kinetic", "potential"))
    ratio = float(np.mean((kinetic / potential)[rows]))
    checks.append(compare("kinetic over potential energy", ratio, 0.5, 0.01))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the root of the tilt, a straight line to the end, and the rate that grows."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    alpha = tilt(sol)
    level = np.linalg.norm(sol["disc"].angular_velocity[:, :2], axis=1)
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, np.sqrt(alpha), color=COLOURS[0])
        left.set_ylim(bottom=0.0)
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("root of the tilt", "rad$^{1/2}$"))
        left.set_title("Resistance to rolling: a straight line to the end")
        rate = level / (np.sin(alpha) * np.cos(alpha)) / (2.0 * math.pi)
        right.semilogy(sol.t, rate, color=COLOURS[1])
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("turns of the point of contact", "1/s"))
    return figure
