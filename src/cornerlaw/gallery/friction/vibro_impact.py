"""Vibro-impact oscillator: a driven mass on a spring knocks against a stop.

    m x'' + c x' + k x = F cos(Omega t),   x <= clearance,   x'+ = -eps x'- at the stop

Between impacts the motion is linear, so that every periodic orbit with one impact per n periods of
the force has a closed form: with the flow over n periods and the steady oscillation known, the
phase of the impact and the speed before it follow from x = clearance at both ends and the law of
restitution at the impact, two linear equations for cos and sin of the phase. Stability follows from
the map of (phase, speed) to the next impact, so that the frequencies where period one doubles are
known. Beyond them the orbits double, become chaotic, and graze. With the stop at the position of
rest the free mass hits it every half turn, so that the orbit is strongest at twice its frequency.

Period one doubles where an eigenvalue of the map is -1: with the flow E over a period, the
saltation S of the impact and det(E S) = eps^2 exp(-c T / m)

    1 + tr(E S) + eps^2 exp(-2 pi c / (m Omega)) = 0,

with a stop at the position of rest whatever the force is. The model's orbit there, found by
shooting, must have the multiplier -1. The bifurcation diagram is drawn by the map of the impacts
(`_impact_map`), with which every impact of a run is compared.

Source: the classical impact oscillator (Shaw and Holmes 1983, Thompson and Stewart); no printed
numbers are used, the references are the closed forms of the linear pieces.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.gallery.friction import _impact_map

TITLE = "Vibro-impact oscillator"
TOPIC = "friction"
SPEC: tuple[str, ...] = ("vibro-impact oscillator",)
SOURCE = "Shaw and Holmes 1983"
DOF = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Mass, spring, damper, force and the stop."""

    mass: float = parameter(1.0, "kg", "chosen: unit")
    stiffness: float = parameter(1.0, "N/m", "chosen: unit frequency")
    damping: float = parameter(0.1, "N*s/m", "chosen: 5 % of critical")
    force: float = parameter(1.0, "N", "chosen: unit deflection")
    frequency: float = parameter(2.0, "rad/s", "chosen: one impact per period, stable")
    clearance: float = parameter(0.0, "m", "chosen: the stop at the position of rest")
    restitution: float = parameter(0.8, "1", "chosen: hard stop")


REFERENCE = {
    "static deflection [m]": Reference(1.0, 1e-12, "F / k"),
    "frequency of doubling [rad/s]": Reference(
        2.6588845466848358, 1e-8, "root of the formula above with 30 digits"
    ),
}
DOUBLING = "frequency of doubling [rad/s]"

MUTATIONS: tuple[dict[str, float], ...] = (
    {"restitution": 0.64},
    {"mass": 1.2},
    {"force": 1.2},
    {"frequency": 2.4},
    {"damping": 0.12},
)


def steady(p: Parameters) -> complex:
    """Return the complex amplitude X of the steady oscillation Re(X exp(i Omega t))."""
    w = p.frequency
    return p.force / (p.stiffness - p.mass * w * w + 1j * p.damping * w)


def flow(p: Parameters, t: float) -> Floats:
    """Return the matrix that takes (x, x') of the free oscillation over the time t."""
    delta = 0.5 * p.damping / p.mass
    w = math.sqrt(p.stiffness / p.mass - delta**2)
    c, s = math.cos(w * t), math.sin(w * t) / w
    fade = math.exp(-delta * t)
    return fade * np.array([[c + delta * s, s], [-p.stiffness / p.mass * s, c - delta * s]])


@dataclass(frozen=True)
class Orbit:
    """A periodic orbit with one impact: its phase, the speed before it and its stability."""

    phase: float  # Omega t at the impact, from 0 to 2 pi
    speed: float  # before the impact
    multiplier: float  # largest modulus of the map's eigenvalues


def orbits(p: Parameters, n: int = 1) -> list[Orbit]:
    """Return the orbits with one impact in n periods, whose gap stays open between impacts.

    With a = Re X e^{i theta} and b = Re i Omega X e^{i theta} at the phase theta of the impact the
    free part starts at (clearance - a, -eps v - b), and the flow over n periods takes it to
    (clearance - a, v - b). This is linear in a, b and v; |X|^2 = a^2 + (b / Omega)^2 closes the
    system with a quadratic.
    """
    X, w = steady(p), p.frequency
    E = flow(p, n * 2.0 * math.pi / w)
    # z+ = (d - a, -e v - b), z- = (d - a, v - b), z- = E z+: a and b are linear in v
    A = np.eye(2) - E
    gain = np.linalg.solve(A, np.array([0.0, 1.0]) + p.restitution * E[:, 1])
    # (d - a, -b) = -gain v
    d = p.clearance
    quadratic = np.array(
        [gain[0] ** 2 + (gain[1] / w) ** 2, 2.0 * d * gain[0], d * d - abs(X) ** 2]
    )
    found = []
    for v in np.roots(quadratic):
        if abs(v.imag) > 1e-12 or v.real <= 0.0:
            continue
        speed = float(v.real)
        a, b = d + gain[0] * speed, gain[1] * speed
        phase = float(np.angle((a - 1j * b / w) / X)) % (2.0 * math.pi)
        orbit = Orbit(phase, speed, _multiplier(p, phase, speed, E))
        if _stays_open(p, orbit, n):
            found.append(orbit)
    return found


def _multiplier(p: Parameters, phase: float, speed: float, E: Floats) -> float:
    """Return the largest eigenvalue of E S, S the saltation matrix of the impact."""
    drive = p.force * math.cos(phase)
    before = (drive - p.damping * speed - p.stiffness * p.clearance) / p.mass
    after = (drive + p.damping * p.restitution * speed - p.stiffness * p.clearance) / p.mass
    e = p.restitution
    saltation = np.array([[-e, 0.0], [(after + e * before) / speed, -e]])
    return float(np.max(np.abs(np.linalg.eigvals(E @ saltation))))


def _stays_open(p: Parameters, orbit: Orbit, n: int) -> bool:
    """Tell whether the mass stays off the stop between two impacts."""
    X, w = steady(p), p.frequency
    period = n * 2.0 * math.pi / w
    here = X * np.exp(1j * orbit.phase)
    start = np.array([p.clearance - here.real, -p.restitution * orbit.speed - (1j * w * here).real])
    times = np.linspace(0.0, period, 2001)[1:-1]
    free = np.array([(flow(p, float(t)) @ start)[0] for t in times])
    forced = (here * np.exp(1j * w * times)).real
    return bool(np.all(free + forced < p.clearance))


def doubling(p: Parameters, low: float, high: float) -> float:
    """Return the frequency between two at which the orbit with one impact loses stability."""
    from scipy.optimize import brentq

    def excess(frequency: float) -> float:
        return orbits(replace(p, frequency=frequency))[0].multiplier - 1.0

    return float(brentq(excess, low, high, xtol=1e-9))


def multiplier_at(p: Parameters, frequency: float) -> float:
    """Return the multiplier of the model's orbit at a frequency that is nearest to -1.

    By shooting from impact to impact and differences of neighbours; nan if there is no orbit.
    """
    if not math.isfinite(frequency):
        return math.nan
    now = replace(p, frequency=frequency)
    section = cl.Section(event=("stop.upper", "impact"), period=2.0 * math.pi / frequency)
    try:
        orbit = cl.periodic_orbit(build(now), section, transient=30)
    except cl.CornerlawError:
        return math.nan
    values = np.asarray(orbit.multipliers)
    return float(values[np.argmin(np.abs(values + 1.0))].real)


def deviation(sol: cl.Solution, p: Parameters) -> float:
    """Return the largest error of an impact against the map from the one before.

    Of its phase, and of its speed over F / sqrt(k m).
    """
    hits = [e for e in sol.events if e.kind == "impact"]
    scale = p.force / math.sqrt(p.stiffness * p.mass)
    worst = 0.0 if len(hits) > 1 else math.nan
    for before, now in pairwise(hits):
        # the last of a pile of impacts, which are summed up, leaves nothing
        stays = before.data["gamma_N_plus"] == 0.0
        leaves = 0.0 if stays else -p.restitution * before.data["gamma_N_minus"]
        expected = _impact_map.next_impact(p, before.time, leaves)
        late = p.frequency * abs(now.time - expected.time)
        worst = max(worst, late, abs(-now.data["gamma_N_minus"] - expected.speed) / scale)
    return worst


def _doubling_near(p: Parameters) -> float:
    """Return the frequency of doubling within a tenth of the reference, nan if it is elsewhere."""
    known = REFERENCE[DOUBLING].value
    try:
        return doubling(p, 0.95 * known, 1.05 * known)
    except (ValueError, IndexError):  # no change of stability there, or no orbit at an end
        return math.nan


def sweep(
    p: Parameters, frequencies: Sequence[float], *, settle: int = 60, keep: int = 24
) -> list[tuple[float, Floats]]:
    """Return what `diagram` does by the map of the impacts, some hundred times as fast."""
    found = []
    last = _impact_map.Impact(0.0, p.force / math.sqrt(p.stiffness * p.mass))
    for w in frequencies:
        now, turn = replace(p, frequency=float(w)), 2.0 * math.pi
        # the phase goes on, the period changes
        last = replace(last, time=(last.time % (turn / w)))
        hits = _impact_map.orbit(now, last, (settle + keep) * turn / w)
        late = [impact.speed for impact in hits if impact.time > settle * turn / w]
        found.append((now.frequency, np.array(late)))
        last = replace(hits[-1], time=(hits[-1].time * w) % turn / w)
    return found


def build(p: Parameters, position: float = -1.0, velocity: float = 0.0) -> cl.Model:
    """Return mass, spring, damper, force and stop."""
    F, Omega = p.force, p.frequency

    def drive(t: float, q: float, u: float) -> float:
        return F * math.cos(Omega * t)

    mass = cl.Slider("mass", mass=p.mass, position=position, velocity=velocity)
    spring = cl.TorsionSpring("spring", mass, stiffness=p.stiffness, damping=p.damping)
    push = cl.Torque("push", mass, value=drive)
    stop = cl.Limit("stop", mass, upper=p.clearance, eps_N=p.restitution)
    return cl.Model(mass, spring, push, stop, name="vibro-impact oscillator")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run 80 periods of the force."""
    options.setdefault("t_end", 80.0 * 2.0 * math.pi / p.frequency)
    options.setdefault("method", cl.EventDriven(rtol=1e-11, atol=1e-13))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def impacts(sol: cl.Solution, p: Parameters) -> tuple[Floats, Floats]:
    """Return the phases of all impacts and the speeds before them."""
    events = [e for e in sol.events if e.kind == "impact"]
    phase = np.array([p.frequency * e.time for e in events]) % (2.0 * math.pi)
    speed = np.array([-e.data["gamma_N_minus"] for e in events])
    return phase, speed


def diagram(
    p: Parameters, frequencies: Sequence[float], *, settle: int = 80, keep: int = 30, **options: Any
) -> list[tuple[float, Floats]]:
    """Return the speeds of the last impacts at every frequency, the run of one after the other."""
    options.setdefault("method", cl.EventDriven(rtol=1e-9))
    found = []
    position, velocity = -1.0, 0.0
    for w in frequencies:
        now = replace(p, frequency=float(w))
        period = 2.0 * math.pi / now.frequency
        sol = cl.simulate(
            build(now, position, velocity), t_end=(settle + keep) * period,
            t_eval=np.array([0.0, (settle + keep) * period]), progress=False, **options,
        )  # fmt: skip
        late = [
            -e.data["gamma_N_minus"]
            for e in sol.events
            if e.kind == "impact" and e.time > settle * period
        ]
        found.append((now.frequency, np.array(late)))
        position = min(float(sol["mass"].position[-1]), p.clearance)
        velocity = float(sol["mass"].velocity[-1])
    return found


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the last impacts with the closed form, and balance the energy of all of them."""
    ran = ran or p  # runs of its own have the parameters of the given one
    phase, speed = impacts(sol, p)
    limit = _doubling_near(p)
    stable = [orbit for orbit in orbits(p) if orbit.multiplier < 1.0]
    gap = sol["stop.upper"].gap
    found = (phase[-1], speed[-1]) if len(speed) else (math.nan, math.nan)
    times = [e.time for e in sol.events if e.kind == "impact"]
    interval = times[-1] - times[-2] if len(times) > 1 else math.nan
    static = REFERENCE["static deflection [m]"]
    checks = [
        compare("static deflection [m]", ran.force / ran.stiffness, static.value, static.tolerance),
        check_reference(DOUBLING, _doubling_near(ran), REFERENCE),
        # by differences of neighbours, with which multipliers are known to some 1e-7
        compare("multiplier of the run at the doubling", multiplier_at(ran, limit), -1.0, 1e-6),
        compare("stable orbits with one impact", float(len(stable)), 1.0, 0.0),
        # local errors of 1e-11 over a flight
        compare("impacts against their map", deviation(sol, p), 0.0, 1e-8),
    ]  # fmt: skip
    if stable:
        orbit = stable[0]
        fade = orbit.multiplier ** len(speed)
        # the transient fades with the multiplier, local errors of 1e-11 add up over a period
        slack = 1e-8 + 10.0 * fade
        checks += [
            compare("phase of the impact [rad]", found[0], orbit.phase, slack),
            compare("speed before the impact [m/s]", found[1], orbit.speed, slack),
            compare("time between impacts [s]", interval, 2.0 * math.pi / p.frequency, slack),
        ]
    loss = sum(e.data["energy"] for e in sol.events if e.kind == "impact")
    expected = -0.5 * p.mass * (1.0 - p.restitution**2) * float(np.sum(speed**2))
    checks += [
        compare("energy lost at the stop", loss / expected if expected else math.nan, 1.0, 1e-12),
        compare("largest overlap [m]", max(0.0, -float(gap.min())), 0.0, 1e-9),
    ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the last periods, the phase plane and the bifurcation diagram over the frequency."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    late = sol.t > 0.8 * sol.t[-1]
    with house_style():
        figure = new_figure(9.0, 7.0)
        grid = figure.add_gridspec(2, 2, height_ratios=(1.0, 1.5))
        left, right = (figure.add_subplot(grid[0, k]) for k in range(2))
        left.plot(sol.t[late], sol["mass"].position[late], color=COLOURS[0])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("position", "m"))
        right.plot(sol["mass"].position[late], sol["mass"].velocity[late], color=COLOURS[1])
        right.set_xlabel(axis_label("position", "m"))
        right.set_ylabel(axis_label("velocity", "m/s"))
        _draw_diagram(figure.add_subplot(grid[1, :]), Parameters())
    return figure


def _draw_diagram(axes: Any, p: Parameters) -> None:
    """Draw the speeds of the last impacts, and the closed form of one impact per period."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label

    frequencies = np.linspace(2.2, 4.0, 181)
    rows = sweep(p, frequencies.tolist())
    x = np.concatenate([np.full(len(speeds), w) for w, speeds in rows])
    y = np.concatenate([speeds for _, speeds in rows])
    axes.plot(x, y, ".", ms=1.5, color=COLOURS[2], label="last impacts")
    few = np.sort(np.append(frequencies[::5], REFERENCE[DOUBLING].value))
    branch = [(w, o) for w in few for o in orbits(replace(p, frequency=float(w)))]
    for stable, style in ((True, "-"), (False, "--")):
        here = [(w, o.speed) for w, o in branch if (o.multiplier < 1.0) == stable]
        name = "one impact per period, " + ("stable" if stable else "unstable")
        axes.plot(*np.array(here).T, style, color=COLOURS[0], lw=1.0, label=name)
    axes.axvline(REFERENCE[DOUBLING].value, color="0.5", lw=0.6)
    axes.set_xlabel(axis_label("frequency", "rad/s"))
    axes.set_ylabel(axis_label("speed before the impact", "m/s"))
    add_legend(axes)
