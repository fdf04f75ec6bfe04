"""Spinning coin: spun on its edge it stands while it is fast, then falls and wobbles to the end.

A thin coin (A = m r^2 / 4 across, C = m r^2 / 2 about its axis) spins upright about the vertical
at the rate n, its edge on a rough floor. If the point of contact cannot slip, a small lean phi
obeys

    (A + m r^2) phi'' + ((A + m r^2) n^2 - m g r) phi = 0,

so that the coin stands for n^2 > n_c^2 = 4 g / (5 r), sways at sqrt(n^2 - n_c^2), and falls with
exp(sqrt(n_c^2 - n^2) t) otherwise. (Lean and roll about the axis are coupled, omega_3 = -2/3 n
phi.)

The main run is a coin spun one and a half times as fast as that, with friction that couples sliding
with drilling, and resistance to rolling. It is braked, leans over, and ends as Euler's disc does:
the point of contact runs round the rim at Omega with

    Omega^2 sin(alpha) = 4 g / r

on average over the nutation, faster and faster as the inclination alpha goes to zero, while the
turning of the coin itself dies out. It is compared with an independent integration of the equations
of a sliding disc.

A second model has coins without losses: "fast" and "slow" on both sides of n_c for the formulas
above, and "row", a twin of the slow one whose contact is the nonholonomic constraint of a rolling
disc instead of a contact that sticks; both must fall alike.

Equations of any textbook of rigid body mechanics, for the end Moffatt 2000, "Euler's disk and its
finite-time singularity", Nature 404, 833-834; all numbers are chosen.
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

TITLE = "Spinning coin"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook"
DOF = 6

PUSH = 1e-5  # rate of lean that disturbs the coins without losses [rad/s]
WINDOW = 0.35  # time in which their lean stays small [s]
FALL = 1.0  # time in which the slow one falls [s]


@dataclass(frozen=True)
class Parameters:
    """A coin, its friction, and how fast it is spun."""

    mass: float = parameter(0.006, "kg", "chosen: cancels out")
    radius: float = parameter(0.0125, "m", "chosen: a coin")
    fast: float = parameter(1.5, "1", "chosen: spin over the critical one, also of the main run")
    slow: float = parameter(0.7, "1", "chosen: spin over the critical one")
    lean: float = parameter(0.05, "rad", "chosen: start of the main run")
    lean_rate: float = parameter(0.5, "rad/s", "chosen: start of the main run")
    mu: float = parameter(0.2, "1", "chosen: a coin on a table")
    drilling: float = parameter(5e-4, "m", "chosen: size of the contact")
    arm: float = parameter(2e-4, "m", "chosen: resistance to rolling")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # tolerances of 1e-9 and 1e-10 a step
    "rotations against the reduced equations": Reference(0.0, 1e-6, "integration with scipy"),
    # mean over some ten nutations of about a third
    "Omega^2 sin(alpha) r / (4 g) at the end": Reference(1.0, 0.05, "Moffatt 2000"),
    "turning of the coin, end over start": Reference(0.0, 0.2, "the coin itself hardly turns"),
    "contact that sticks against a rolling row": Reference(0.0, 1e-7, "the same constraint"),
    "growth of energy [1/s]": Reference(0.0, 1e-9, "friction takes energy"),
    "energy without losses [1/s]": Reference(0.0, 1e-9, "a contact at rest does no work"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"radius": 0.015},
    {"drilling": 6e-4},
    {"arm": 2.4e-4},
    {"mu": 0.24},
    {"fast": 1.8},
    {"gravity": 7.85},
)


def critical_spin(p: Parameters) -> float:
    """Return n_c, the spin above which an upright coin stands."""
    return math.sqrt(0.8 * p.gravity / p.radius)


def _coin(name: str, p: Parameters, start: dict[str, Any], x: float = 0.0) -> cl.Body:
    across = 0.25 * p.mass * p.radius**2
    place = start["position"]
    return cl.Body(
        name, mass=p.mass, inertia=(across, across, 2.0 * across),
        **{**start, "position": (place[0] + x, place[1], place[2])},
    )  # fmt: skip


def _start(p: Parameters) -> dict[str, Any]:
    """Return the start of the main run; the point of contact is at rest."""
    A = np.array(cl.rotation.about((1.0, 0.0, 0.0), 0.5 * math.pi - p.lean))
    spin = A.T @ np.array((-p.lean_rate, 0.0, p.fast * critical_spin(p)))
    return body.pose(A, body.rim(p.radius), tuple(spin.tolist()))


def build(p: Parameters) -> cl.Model:
    """Return the coin with friction; its axis is z of the body."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    coin = _coin("coin", p, _start(p))
    rim = cl.Ring("rim", coin, radius=p.radius)
    contact = cl.Contact(rim, floor, name="contact", mu=p.mu, drilling=p.drilling, rolling=p.arm)
    return cl.Model(floor, coin, rim, contact, gravity=(0.0, 0.0, -p.gravity), name="spinning-coin")


def build_without_losses(p: Parameters) -> cl.Model:
    """Return upright coins whose contact cannot slip: fast, slow, and a twin of the slow one."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [floor]
    upright = cl.rotation.about((1.0, 0.0, 0.0), 0.5 * math.pi)
    spins = {"fast": p.fast, "slow": p.slow, "row": p.slow}
    for k, (name, ratio) in enumerate(spins.items()):
        spin = (PUSH, ratio * critical_spin(p), 0.0)
        coin = _coin(name, p, body.pose(upright, body.rim(p.radius), spin), 4.0 * k * p.radius)
        items.append(coin)
        if name == "row":
            items.append(cl.Rolling("rolling", coin, floor, radius=p.radius, kind="disc"))
        else:
            rim = cl.Ring(f"{name} rim", coin, radius=p.radius)
            items += [rim, cl.Contact(rim, floor, name=f"{name} contact", mu=2.0)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="spinning-coin, no losses")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the coin is nearly flat."""
    options.setdefault("t_end", 1.5)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 601))
    options.setdefault("method", cl.EventDriven(rtol=1e-9, atol=1e-12))
    return cl.simulate(build(p), **options)


@cache
def sliding(p: Parameters, t_end: float, rows: int) -> body.Floats:
    """Return the main run by the equations of a sliding disc."""

    def traction(c: float, spin: float) -> tuple[float, float]:
        f = p.mu / math.hypot(c, p.drilling * spin)
        return f, f * p.drilling**2

    across = 0.25 * p.mass * p.radius**2
    return body.slide(
        _start(p), np.linspace(0.0, t_end, rows), body.rim(p.radius), traction, mass=p.mass,
        inertia=np.diag((across, across, 2.0 * across)), gravity=p.gravity, arm=p.arm, rtol=1e-10,
    )  # fmt: skip


def inclination(sol: cl.Solution, name: str = "coin") -> body.Floats:
    """Return the angle between coin and floor, a right angle at first."""
    return np.asarray(np.arccos(np.clip(sol[name].rotation[:, 2, 2], -1.0, 1.0)))


def contact_rate(sol: cl.Solution, name: str = "coin") -> body.Floats:
    """Return Omega, the rate at which the lowest point runs round the coin and the floor."""
    A, w = sol[name].rotation, sol[name].angular_velocity
    n = A[:, 2, :]
    # the component of the angular velocity along the line of steepest ascent of the coin
    steep = np.einsum("tij,tj->ti", A[:, :, :2], n[:, :2])
    return np.asarray(np.einsum("ti,ti->t", steep, w) / np.einsum("ti,ti->t", n[:, :2], n[:, :2]))


def _small_leans(sol: cl.Solution, p: Parameters) -> tuple[float, float]:
    """Return frequency of the fast and growth of the slow coin, as long as leans are small."""
    from scipy.optimize import brentq, curve_fit

    n = critical_spin(p)
    rows = sol.t <= WINDOW
    lean = 0.5 * math.pi - inclination(sol, "fast")[rows]
    scale = float(np.abs(lean).max())
    guess = n * math.sqrt(max(p.fast**2 - 1.0, 0.01))
    fitted, _ = curve_fit(
        lambda t, a, nu: a * np.sin(nu * t), sol.t[rows], lean / scale, p0=(-1.0, guess)
    )
    last = int(np.flatnonzero(rows)[-1])
    t, reached = float(sol.t[last]), abs(0.5 * math.pi - inclination(sol, "slow")[last])
    if not reached > 1.0001 * PUSH * t:
        return float(abs(fitted[1])), math.nan
    growth = brentq(lambda x: PUSH / x * math.sinh(x * t) - reached, 1e-3, 100.0)
    return float(abs(fitted[1])), float(growth)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare with the sliding disc, the end with Euler's disc, small leans with closed forms."""
    times = np.linspace(0.0, float(sol.t[-1]), 601)
    rows = np.searchsorted(sol.t, times - 1e-9)
    true = sliding(p, float(sol.t[-1]), len(rows))
    off = np.abs(sol["coin"].rotation[rows].reshape(-1, 9) - true[:, :9]).max()
    late = rows[len(rows) // 2 :]
    steady = contact_rate(sol)[late] ** 2 * np.sin(inclination(sol)[late])
    turning = sol["coin"].angular_velocity[:, 2]
    free = cl.simulate(
        build_without_losses(p), t_end=FALL, t_eval=np.linspace(0.0, FALL, 401), progress=False,
        method=cl.EventDriven(rtol=1e-11, atol=1e-15),
    )  # fmt: skip
    twins = np.abs(free["slow"].rotation - free["row"].rotation).max()
    energy = np.asarray(free["energy.total"])
    found = {
        "rotations against the reduced equations": off,
        "Omega^2 sin(alpha) r / (4 g) at the end": steady.mean() * p.radius / (4.0 * p.gravity),
        "turning of the coin, end over start": turning[-1] / turning[0],
        "contact that sticks against a rolling row": twins,
        "growth of energy [1/s]": body.growth(sol),
        "energy without losses [1/s]": np.ptp(energy) / np.max(free["energy.kinetic"]) / FALL,
    }
    checks = [check_reference(name, float(value), REFERENCE) for name, value in found.items()]
    swaying, growing = _small_leans(free, p)
    nu = critical_spin(p) * math.sqrt(max(p.fast**2 - 1.0, 0.0))
    lam = critical_spin(p) * math.sqrt(max(1.0 - p.slow**2, 0.0))
    fallen = np.abs(0.5 * math.pi - inclination(free, "slow")).max()
    # leans of 1e-7 against rounding of 1e-15 in the rotation, and of 1e-4 at the end
    checks += [
        compare("frequency of the fast coin [rad/s]", swaying, nu, 1e-4 * nu),
        compare("growth of the slow coin [1/s]", growing, lam, 1e-5 * lam),
        compare("the slow coin falls", float(fallen > 0.5), 1.0, 0.0),
    ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the inclination, and the rates of the coin and of its point of contact."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, np.degrees(inclination(sol)), color=COLOURS[0])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("inclination", "deg"))
        left.set_ylim(bottom=0.0)
        turning = sol["coin"].angular_velocity[:, 2]
        right.plot(sol.t, contact_rate(sol), color=COLOURS[1], label="point of contact")
        right.plot(sol.t, turning, color=COLOURS[2], label="coin")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("rate about the vertical", "rad/s"))
        add_legend(right)
    return figure
