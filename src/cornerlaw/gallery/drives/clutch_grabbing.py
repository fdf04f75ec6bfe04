"""Clutch grabbing: a slipping clutch with a falling characteristic shakes the car.

Engine, clutch disc with gearbox, and vehicle are three inertias; the drive shafts are a spring. At
the start of a car the clutch slips. Where its friction falls with the slip speed, the disc has
negative damping: with M(s) the torque over the slip speed s and J the disc between engine and
spring,

    J_2 x'' + d x' + c x = M(s),   s = engine speed - x',   damping d + M'(s) < 0,

so that it vibrates by itself with about sqrt(c / J), 6 to 15 Hz in a car. The amplitude grows until
the disc catches up with the engine and sticks in every cycle. With constant friction nothing
happens.

Small vibrations have the eigenvalue of the linearised equations. A cycle that sticks is no longer
a sine: while both stick they swing as one mass on the spring, and the friction works over a wide
range of slip. So the whole run, its moments of sticking and breaking loose, frequency and range of
the twist are compared with the two smooth phases, integrated one after the other by another program
and joined where the slip vanishes and where the torque reaches that of rest.

Source: the clutch grabbing of 6 to 15 Hz with three or four masses and a falling characteristic;
parameters are not printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Grabbing clutch"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A7", "clutch grabbing")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 3


@dataclass(frozen=True)
class Parameters:
    """Engine, disc and gearbox, vehicle; values at the speed of the clutch in first gear."""

    engine: float = parameter(0.2, "kg*m^2", "chosen: four cylinders with flywheel")
    disc: float = parameter(0.04, "kg*m^2", "chosen: disc and gearbox")
    vehicle: float = parameter(3.0, "kg*m^2", "chosen: 3000 kg uphill, first gear")
    stiffness: float = parameter(180.0, "N*m/rad", "chosen: 10 Hz")
    damping: float = parameter(0.15, "N*m*s/rad", "chosen: 3 % of critical")
    torque: float = parameter(100.0, "N*m", "chosen: brisk start")
    kinetic: float = parameter(0.4, "1", "chosen: part of the friction that is left at high slip")
    fall: float = parameter(30.0, "rad/s", "chosen: slip speed over which it falls")
    speed: float = parameter(60.0, "rad/s", "chosen: just above idle")


REFERENCE = {
    "lowest frequency of grabbing [Hz]": Reference(6.0, 0.0, "A7"),
    "highest frequency of grabbing [Hz]": Reference(15.0, 0.0, "A7"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"kinetic": 1.0},  # constant friction
    {"stiffness": 30.0},
    {"fall": 400.0},
)


def build(p: Parameters) -> cl.Model:
    """Return the three inertias; the engine is held at its speed by its torque."""
    engine = cl.Rotor("engine", inertia=p.engine, speed=p.speed)
    disc = cl.Rotor("disc", inertia=p.disc)  # the shafts are slack when the clutch closes
    vehicle = cl.Rotor("vehicle", inertia=p.vehicle)
    law = None
    if p.kinetic != 1.0:
        law = cl.Stribeck(static=1.0, kinetic=p.kinetic, velocity=p.fall)
    return cl.Model(
        engine, disc, vehicle,
        cl.Clutch("clutch", engine, disc, capacity=p.torque, characteristic=law),
        drives.shaft("shafts", disc, vehicle, stiffness=p.stiffness, damping=p.damping),
        cl.Torque("idle control", engine, value=p.torque * level(p, p.speed)),
        name="clutch grabbing",
    )  # fmt: skip


def level(p: Parameters, slip: float) -> float:
    """Return the friction at a slip speed over that at rest."""
    return p.kinetic + (1.0 - p.kinetic) * math.exp(-abs(slip) / p.fall)


def eigenvalue(p: Parameters, slip: float) -> complex:
    """Return the eigenvalue of the vibration about steady slip, of engine, disc and vehicle."""
    slope = -p.torque * (1.0 - p.kinetic) / p.fall * math.exp(-slip / p.fall)
    M = np.diag([p.engine, p.disc, p.vehicle])
    # torque of the clutch on the disc: M(s), s = engine - disc; minus that on the engine
    D = np.array([[slope, -slope, 0.0], [-slope, slope, 0.0], [0.0, 0.0, 0.0]])
    D[1:, 1:] += p.damping * np.array([[1.0, -1.0], [-1.0, 1.0]])
    K = np.zeros((3, 3))
    K[1:, 1:] = p.stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    values = np.linalg.eigvals(A)
    return complex(values[np.argmax(values.imag)])


@dataclass(frozen=True, eq=False)
class Phases:
    """The run as a chain of smooth phases: when they begin, and the twist of the shafts."""

    stick: list[float]
    slip: list[float]
    twist: Any  # at the times that were asked for


def phase_by_phase(p: Parameters, times: Any) -> Phases:
    """Integrate slip and stick in turn with SciPy; y = (twist, engine, disc, vehicle speed)."""
    from scipy.integrate import solve_ivp

    drive = p.torque * level(p, p.speed)

    def shaft(y: Any) -> float:
        return float(p.stiffness * y[0] + p.damping * (y[2] - y[3]))

    def needed(t: float, y: Any) -> float:
        """Return the torque that keeps engine and disc together."""
        return float(drive - p.engine * (drive - shaft(y)) / (p.engine + p.disc))

    def rate(t: float, y: Any, sticks: bool) -> list[float]:
        slip = y[1] - y[2]
        torque = needed(t, y) if sticks else math.copysign(p.torque * level(p, slip), slip)
        return [
            y[2] - y[3], (drive - torque) / p.engine, (torque - shaft(y)) / p.disc,
            shaft(y) / p.vehicle,
        ]  # fmt: skip

    def caught(t: float, y: Any, sticks: bool) -> float:
        return float(y[1] - y[2])

    def broken(t: float, y: Any, sticks: bool) -> float:
        return p.torque - abs(needed(t, y))

    caught.terminal = broken.terminal = True  # type: ignore[attr-defined]
    caught.direction = broken.direction = -1.0  # type: ignore[attr-defined]
    t, y, sticks = 0.0, np.array([0.0, p.speed, 0.0, 0.0]), False
    found = Phases([], [], np.zeros(len(times)))
    while t < times[-1]:
        run = solve_ivp(
            rate, (t, times[-1]), y, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True,
            events=broken if sticks else caught, args=(sticks,),
        )  # fmt: skip
        inside = (times >= t) & (times <= run.t[-1])
        found.twist[inside] = run.sol(times[inside])[0]
        t, y = float(run.t[-1]), run.y[:, -1].copy()
        if run.status == 1:
            sticks = not sticks
            (found.stick if sticks else found.slip).append(t)
            y[1] = y[2]  # equal at both kinds of events
            if not sticks:
                # the slope of the slip is that of the excess torque: a hair beyond the event
                y[1] += 1e-12
    return found


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run one and a half seconds of a start."""
    options.setdefault("t_end", 1.5)
    options.setdefault("t_eval", np.linspace(0.0, 1.5, 3001))
    options.setdefault("method", cl.EventDriven(rtol=1e-9))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def swing(sol: cl.Solution, p: Parameters) -> Any:
    """Return the twist of the shafts."""
    return sol["disc"].angle - sol["vehicle"].angle


def releases(sol: cl.Solution) -> list[float]:
    """Return the times at which the clutch breaks loose."""
    return [event.time for event in sol.events if event.kind == "slip" and event.name == "clutch"]


def frequency(sol: cl.Solution) -> float:
    """Return the frequency at which the clutch breaks loose, 0 where it does not."""
    times = [time for time in releases(sol) if time > 0.0]
    return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 2 else 0.0


def _apart(found: list[float], exact: list[float]) -> float:
    """Return the largest distance between times, infinite where their numbers differ."""
    if len(found) != len(exact):
        return math.inf
    return float(np.abs(np.array(found) - np.array(exact)).max(initial=0.0))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare frequency and limit of the vibration; the same car with constant friction is calm."""
    f = frequency(sol)
    low, high = (ref.value for ref in REFERENCE.values())
    sticks = [
        event.time for event in sol.events if event.kind == "stick" and event.name == "clutch"
    ]
    slips = releases(sol)
    x = swing(sol, p)
    exact = phase_by_phase(p, np.unique(sol.t))
    apart = np.interp(sol.t, np.unique(sol.t), exact.twist) - x
    cycle = np.diff(exact.slip).mean() if len(exact.slip) > 1 else math.inf
    book = drives.audit(sol, build(p))
    unstable = eigenvalue(p, p.speed - float(np.mean(sol["disc"].speed[sol.t < 0.3])))
    calm = Parameters(**{**vars(p), "kinetic": 1.0})
    still = simulate(calm)
    late, early = (sol.t > 0.7) & (sol.t < 1.0), (sol.t > 0.4) & (sol.t < 0.7)
    waves = (sol.t < 0.1, (sol.t > 0.2) & (sol.t < 0.3))
    swings = [float(np.ptp(sol["disc"].speed[wave])) for wave in waves]
    begin = (still.t > 0.1) & (still.t < 0.4)
    later = (still.t > 0.7) & (still.t < 1.0)
    twist = swing(still, calm)
    fade = float(np.ptp(twist[later]) / np.ptp(twist[begin]))
    # the largest range of a window is that of its first wave, 0.6 s apart
    expected = math.exp(0.6 * eigenvalue(calm, calm.speed).real)
    return [
        compare("within 6 to 15 Hz", float(low <= f <= high), 1.0, 0.0),
        compare("frequency [Hz]", f, 1.0 / float(cycle), 1e-5),
        # located to rounding, behind an integration of 1e-9
        compare("sticking and breaking loose, largest error [s]", _apart(
            [*sticks, *(time for time in slips if time > 0.0)], [*exact.stick, *exact.slip]),
            0.0, 1e-8),
        compare("twist, largest error over its range", float(
            np.abs(apart).max() / np.ptp(x)), 0.0, 1e-7),
        compare("steady slip is unstable", float(unstable.real > 0.0), 1.0, 0.0),
        compare("grows until it sticks", float(len(sticks) >= 3 and len(slips) >= 2), 1.0, 0.0),
        compare("grows from wave to wave", float(swings[1] > 1.3 * swings[0]), 1.0, 0.0),
        # what limits it: the disc never overtakes the engine, it sticks
        compare("slip below zero over the speed", max(0.0, -float(
            (sol["engine"].speed - sol["disc"].speed).min()) / p.speed), 0.0, 1e-9),
        compare("limited amplitude", float(np.ptp(x[late])) / float(np.ptp(x[early])), 1.0, 0.35),
        compare("constant friction fades as it must", fade / expected, 1.0, 0.1),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw the speeds and the torque of the clutch."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 4.6)
        top, low = figure.subplots(2, 1, sharex=True)
        for k, name in enumerate(("engine", "disc", "vehicle")):
            top.plot(sol.t, sol[name].speed, color=COLOURS[k], label=name)
        top.set_ylabel(axis_label("speed", "rad/s"))
        top.legend(loc="lower right")
        low.plot(sol.t, -sol["clutch"].lam_T, color=COLOURS[3])
        low.set_ylabel(axis_label("clutch torque", "N m"))
        low.set_xlabel(axis_label("time", "s"))
    return figure
