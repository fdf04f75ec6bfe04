"""Rocking block: a slender block tips from corner to corner until it stands still.

A homogeneous block of half-width b and half-height h stands tilted on one of its lower corners and
is released. With R^2 = b^2 + h^2, tan(alpha) = b / h and the tilt theta

    theta_dd = -k sin(alpha - |theta|) sign(theta),  k = 3 g / (4 R),

until the other corner hits the floor. Impacts are without restitution and without slip: the corner
that carried the block leaves freely, the other one stops, and angular momentum about the new corner
gives

    omega_plus / omega_minus = 1 - 3/2 sin^2(alpha).

The time between two impacts is an integral over the tilt. For small angles it is Housner's
(2 / sqrt(k)) arccosh(1 / (1 - theta / alpha)), which leaves out terms of relative size alpha^2.
Half-periods shrink to zero: infinitely many impacts end in finite time.

Source: Housner 1963, "The behavior of inverted pendulum structures during earthquakes", which gives
the equation, the ratio and the small-angle formula. The integral is that of the pendulum. Size and
start are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Rocking block"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("TR-N-07",)
SOURCE = "Housner 1963"
DOF = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Half-diagonal, slenderness and start of the block."""

    mass: float = parameter(100.0, "kg", "chosen: cancels out")
    radius: float = parameter(1.0, "m", "chosen: distance from centre to corner")
    alpha: float = parameter(0.2, "rad", "chosen: a slender block, five times as high as wide")
    tilt: float = parameter(0.5, "1", "chosen: start over alpha, half way to tipping over")
    mu: float = parameter(1.0, "1", "chosen: no corner slips")
    eps_N: float = parameter(0.0, "1", "chosen: Housner assumes no bouncing")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # integration with 1e-11 over seven half-periods, root location to rounding
    "half-periods against quadrature": Reference(0.0, 1e-6, "quadrature of the nonlinear equation"),
    "velocity ratio at impacts": Reference(0.0, 1e-9, "Housner 1963: 1 - 3/2 sin^2(alpha)"),
    "power of alpha in the gap to Housner": Reference(2.0, 0.05, "expansion in small angles"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"alpha": 0.24},
    {"radius": 1.2},
    {"eps_N": 0.2},
    {"gravity": 7.85},
    {"mu": 0.05},
)


def ratio(p: Parameters) -> float:
    """Return the angular velocity after an impact over that before."""
    return 1.0 - 1.5 * math.sin(p.alpha) ** 2


def fall_time(p: Parameters, tilt: float) -> float:
    """Return the time from rest at a tilt [rad] to the impact, by quadrature.

    With theta = tilt - s^2 the integrand is smooth: 1/2 omega^2 = k (cos(alpha - tilt) -
    cos(alpha - theta)) = 2 k sin(alpha - tilt + s^2/2) sin(s^2/2).
    """
    k = 0.75 * p.gravity / p.radius
    nodes, weights = np.polynomial.legendre.leggauss(60)
    end = math.sqrt(tilt)
    s = 0.5 * end * (1.0 + nodes)
    half = 0.5 * s**2
    speed = np.sqrt(4.0 * k * np.sin(p.alpha - tilt + half) * np.sin(half))
    return float(0.5 * end * weights @ (2.0 * s / speed))


def impact_speed(p: Parameters, tilt: float) -> float:
    """Return |omega| at the impact after rest at a tilt [rad]."""
    k = 0.75 * p.gravity / p.radius
    return 2.0 * math.sqrt(k * math.sin(p.alpha - 0.5 * tilt) * math.sin(0.5 * tilt))


def next_tilt(p: Parameters, speed: float) -> float:
    """Return the tilt at which a block stops that leaves an impact with |omega| = speed.

    The energy gives cos(alpha - tilt) = cos(alpha) + speed^2 / (2 k). With small tilts the
    difference of cosines would cancel: sin(tilt/2) solves a quadratic equation instead.
    """
    k = 0.75 * p.gravity / p.radius
    # 2 sin(alpha - tilt/2) sin(tilt/2) = speed^2 / (2 k), Newton from the small-angle value
    wanted = speed**2 / (4.0 * k)
    tilt = wanted * 2.0 / math.sin(p.alpha)
    for _ in range(50):
        value = math.sin(p.alpha - 0.5 * tilt) * math.sin(0.5 * tilt) - wanted
        step = value / (0.5 * math.sin(p.alpha - tilt))
        tilt -= step
        if abs(step) <= 1e-16 * tilt:
            break
    return tilt


def impact_times(p: Parameters, count: int) -> Floats:
    """Return the times of the first impacts after release at rest."""
    tilt = p.tilt * p.alpha
    times = [fall_time(p, tilt)]
    for _ in range(count - 1):
        tilt = next_tilt(p, ratio(p) * impact_speed(p, tilt))
        times.append(times[-1] + 2.0 * fall_time(p, tilt))
    return np.array(times)


def rest_time(p: Parameters) -> float:
    """Return the time at which infinitely many impacts have ended.

    Late half-periods shrink as the velocity ratio, so that the rest is a geometric series.
    """
    times = impact_times(p, 400)
    steps = np.diff(times)
    late = int(np.argmax(steps < 1e-8 * times[0])) or len(steps) - 1
    return float(times[late + 1] + steps[late] * ratio(p) / (1.0 - ratio(p)))


def housner(p: Parameters) -> float:
    """Return Housner's time from release to the first impact."""
    k = 0.75 * p.gravity / p.radius
    return math.acosh(1.0 / (1.0 - p.tilt)) / math.sqrt(k)


def build(p: Parameters) -> cl.Model:
    """Return the block, tilted on its right corner, and the floor."""
    b, h = p.radius * math.sin(p.alpha), p.radius * math.cos(p.alpha)
    lean = p.alpha - p.tilt * p.alpha
    # the right corner is at the origin, the centre above it to the left
    block = cl.Body(
        "block",
        mass=p.mass,
        inertia=p.mass * p.radius**2 / 3.0,
        position=(-p.radius * math.sin(lean), p.radius * math.cos(lean)),
        rotation=-p.tilt * p.alpha,
    )
    shape = cl.Polygon("shape", block, vertices=((-b, -h), (b, -h), (b, h), (-b, h)))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(shape, floor, mu=p.mu, eps_N=p.eps_N)
    return cl.Model(block, shape, floor, contact, gravity=(0.0, -p.gravity), name="rocking-block")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for seven impacts, event by event."""
    options.setdefault("t_end", 5.2 * math.sqrt(p.radius))
    options.setdefault("method", cl.EventDriven(rtol=1e-11, atol=1e-14))
    # the steps between impacts are too far apart for a smooth curve
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 401))
    return cl.simulate(build(p), **options)


def hits(sol: cl.Solution) -> tuple[Floats, Floats, Floats]:
    """Return times of the impacts and the angular velocities before and after."""
    times = np.unique([e.time for e in sol.events if e.kind == "impact"])
    spin = np.asarray(sol["block.angular_velocity"])
    before = np.searchsorted(sol.t, times, side="left")
    after = np.searchsorted(sol.t, times, side="right") - 1
    return times, spin[before], spin[after]


def gap_to_housner(p: Parameters, alphas: Floats) -> Floats:
    """Return how far the first impact time of short runs is from Housner's formula, relative."""
    gaps = []
    for alpha in alphas:
        thin = replace(p, alpha=float(alpha))
        sol = simulate(thin, t_end=1.2 * housner(thin), progress=False)
        gaps.append(hits(sol)[0][0] / housner(thin) - 1.0)
    return np.array(gaps)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare half-periods, velocity ratios, and how Housner's formula is approached."""
    times, before, after = hits(sol)
    n = min(len(times), 7)
    expected = impact_times(p, 7)
    steps = np.diff(times[:n], prepend=0.0) / np.diff(expected[:n], prepend=0.0) - 1.0
    ratios = after[:n] / before[:n] / ratio(p) - 1.0
    alphas = p.alpha / np.array([1.0, 2.0, 4.0, 8.0])
    gaps = np.abs(gap_to_housner(p, alphas))
    worst = {
        "half-periods against quadrature": float(np.abs(steps).max(initial=0.0)),
        "velocity ratio at impacts": float(np.abs(ratios).max(initial=0.0)),
        "power of alpha in the gap to Housner": float(
            np.polyfit(np.log(alphas), np.log(gaps), 1)[0]
        ),
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in worst.items()]
    checks.append(compare("impacts found", float(n), 7.0, 0.0))
    slip = max(
        float(np.abs(sol[f"shape-floor[{k}].gamma_T"][sol[f"shape-floor[{k}].state"] > 0]).max())
        for k in (0, 1)
    )
    checks.append(compare("slip of closed corners [m/s]", slip, 0.0, 1e-9))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the tilt over time and the spiral of the motion in the phase plane."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    angle, spin = np.asarray(sol["block.angle"]), np.asarray(sol["block.angular_velocity"])
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, angle, color=COLOURS[0])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("tilt", "rad"))
        right.plot(angle, spin, color=COLOURS[1])
        right.set_xlabel(axis_label("tilt", "rad"))
        right.set_ylabel(axis_label("angular velocity", "rad/s"))
    return figure
