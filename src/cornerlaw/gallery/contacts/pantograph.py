"""Pantograph: a current collector follows a wavy contact wire, and loses it where it falls away.

Two equal arms stand on each other as a knee that only opens and closes (the upper angle is coupled
to the lower one), a collector head sits on top, and a constant torque presses it against the wire
from below. The height of the head is z = 2 l sin(phi), the wire passes as z_w(t) = z_0 + A sin(W
t). While they touch, the wire prescribes phi(t), and the contact force is what is missing in the
equation of motion

    lam_N 2 l cos(phi) = T - M(phi) phi_dd - M'(phi) phi_d^2 / 2 - V'(phi),

    M = m_a l^2 (1/3 + 1/12 + sin^2/4 + 9 cos^2/4) + 4 m_h l^2 cos^2,   V = 2 g l (m_a + m_h) sin.

The head leaves at the first root of lam_N, flies, and hits the wire again; with a small wave it
never leaves.

Source: Pfeiffer and Glocker 1996, 5.4, which names mechanism, contact force and detachment, and
gives no numbers; all are chosen in the range of railway pantographs. The equation is derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Pantograph on a contact wire"
TOPIC = "contacts"
SPEC: tuple[str, ...] = ("E3",)
SOURCE = "Pfeiffer and Glocker 1996, 5.4"
DOF = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Two arms, a head, the torque of the drive, and the wave of the wire."""

    length: float = parameter(1.2, "m", "chosen: each arm")
    arm: float = parameter(10.0, "kg", "chosen: each arm, uniform")
    head: float = parameter(8.0, "kg", "chosen: collector head")
    lift: float = parameter(70.0, "N", "chosen: contact force at rest, a usual value")
    height: float = parameter(1.4, "m", "chosen: of the wire above the base")
    wave: float = parameter(0.03, "m", "chosen: amplitude of the wire, enough to lose it")
    frequency: float = parameter(2.5, "Hz", "chosen: hangers of the wire pass in 0.4 s")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    # the forces of an index-1 problem on positions that are kept by projection
    "contact force against the closed form": Reference(
        0.0, 1e-6, "derived, over the force at rest"
    ),
    # an event fires when the force is 1e-9 of the largest one below zero
    "time of the first detachment": Reference(0.0, 1e-8, "root of the closed form, relative"),
    "small wave: detachments": Reference(0.0, 0.0, "closed form stays positive"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"arm": 12.0},
    {"head": 9.6},
    {"lift": 84.0},
    {"wave": 0.036},
    {"frequency": 3.0},
)


def wire(p: Parameters, t: Any) -> tuple[Floats, Floats, Floats]:
    """Return height, velocity and acceleration of the wire."""
    w = 2.0 * math.pi * p.frequency
    s, c = np.sin(w * np.asarray(t)), np.cos(w * np.asarray(t))
    return p.height + p.wave * s, p.wave * w * c, -p.wave * w * w * s


def torque(p: Parameters) -> float:
    """Return the torque that presses with `lift` at rest at the mean height."""
    cosine = math.sqrt(1.0 - (0.5 * p.height / p.length) ** 2)
    weight = 2.0 * p.gravity * p.length * (p.arm + p.head) * cosine
    return weight + p.lift * 2.0 * p.length * cosine


def contact_force(p: Parameters, t: Any) -> Floats:
    """Return the contact force while the head follows the wire."""
    z, v, a = wire(p, t)
    sine = 0.5 * z / p.length
    cosine = np.sqrt(1.0 - sine**2)
    rate = 0.5 * v / (p.length * cosine)
    change = (0.5 * a / p.length + sine * rate**2) / cosine
    square = p.length**2
    inertia = p.arm * square * (5.0 / 12.0 + 0.25 * sine**2 + 2.25 * cosine**2)
    inertia += 4.0 * p.head * square * cosine**2
    # derivative of the inertia with respect to phi
    slope = -(4.0 * p.arm + 8.0 * p.head) * square * sine * cosine
    weight = 2.0 * p.gravity * p.length * (p.arm + p.head) * cosine
    rest = torque(p) - inertia * change - 0.5 * slope * rate**2 - weight
    return np.asarray(rest / (2.0 * p.length * cosine))


def detach_time(p: Parameters) -> float:
    """Return the first root of the contact force, nan if there is none."""
    times = np.linspace(0.0, 1.0 / p.frequency, 2001)
    values = contact_force(p, times)
    if not (values < 0.0).any():
        return math.nan
    k = int(np.argmax(values < 0.0))
    return float(brentq(lambda t: float(contact_force(p, t)), times[k - 1], times[k], xtol=1e-15))


def build(p: Parameters) -> cl.Model:
    """Return the mechanism with its head on the wire, moving with it."""
    a, z0, wave, w = p.length, p.height, p.wave, 2.0 * math.pi * p.frequency
    phi = math.asin(0.5 * z0 / a)
    rate = 0.5 * wave * w / (a * math.cos(phi))
    ground = cl.Ground("ground")
    lower = cl.Body("lower", mass=p.arm, inertia=p.arm * a**2 / 12.0, com=(0.5 * a, 0.0))
    upper = cl.Body("upper", mass=p.arm, inertia=p.arm * a**2 / 12.0, com=(0.5 * a, 0.0))
    # the head does not turn: its inertia does not matter
    head = cl.Body("head", mass=p.head, inertia=0.1)
    base = cl.Revolute("base", ground, lower, angle=phi, speed=rate)
    knee = cl.Revolute(
        "knee", lower, upper, at=(a, 0.0), angle=math.pi - 2.0 * phi, speed=-2.0 * rate
    )
    # the head keeps upright: it turns back what both arms turn
    top = cl.Revolute("top", upper, head, at=(a, 0.0), angle=phi - math.pi, speed=rate)
    both = cl.Coupling("knee follows", terms=((base, 2.0), (knee, 1.0)))
    level = cl.Coupling("head level", terms=((base, 1.0), (top, -1.0)))
    drive = cl.Torque("drive", base, value=torque(p))
    strip = cl.ContactPoint("strip", head)
    # what of the head is seen: it hangs below its strip, and touches by this point alone
    b, h = 0.2 * a, 0.06 * a
    shape = cl.Polygon("shoe", head, vertices=((-b, -h), (b, -h), (b, 0.0), (-b, 0.0)))
    line = cl.MovingFrame(
        "wire", position=(0.0, lambda t: z0 + wave * math.sin(w * t)), normal=(0.0, -1.0)
    )
    contact = cl.Contact(strip, line, name="contact")
    return cl.Model(
        base, knee, top, both, level, drive, strip, shape, line, contact,
        gravity=(0.0, -p.gravity), name="pantograph",
    )  # fmt: skip


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for one and a half periods of the wire, event by event."""
    options.setdefault("t_end", 1.5 / p.frequency)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 301))
    options.setdefault("method", cl.EventDriven(rtol=1e-10, atol=1e-12))
    return cl.simulate(build(p), **options)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the contact force up to the detachment, its time, and a wave that keeps contact."""
    leaves = [e.time for e in sol.events if e.kind == "detach"]
    first = leaves[0] if leaves else math.nan
    rows = (sol.t > 0.0) & (sol.t < (first if leaves else sol.t[-1]))
    error = np.asarray(sol["contact.lam_N"])[rows] - contact_force(p, sol.t[rows])
    gentle = replace(p, wave=0.5 * p.wave)
    small = simulate(gentle, progress=False)
    found = {
        "contact force against the closed form": float(np.max(np.abs(error), initial=0.0) / p.lift),
        "time of the first detachment": first / detach_time(p) - 1.0,
        "small wave: detachments": float(sum(e.kind == "detach" for e in small.events)),
    }
    checks = [check_reference(name, value, REFERENCE) for name, value in found.items()]
    lowest = float(np.min(contact_force(gentle, np.linspace(0.0, 1.0, 500))))
    checks.append(compare("small wave: smallest force is positive", float(lowest > 0.0), 1.0, 0.0))
    # the strip never passes the wire
    checks.append(
        compare("penetration [m]", min(float(np.min(sol["contact.gap"])), 0.0), 0.0, 1e-9)
    )
    again = [e.time for e in sol.events if e.kind == "impact" and leaves and e.time > first]
    checks.append(compare("hits the wire again", float(bool(again)), 1.0, 0.0))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the gap and the contact force."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, 1e3 * np.asarray(sol["contact.gap"]), color=COLOURS[0])
        left.set_ylabel(axis_label("gap to the wire", "mm"))
        right.plot(sol.t, sol["contact.lam_N"], color=COLOURS[1])
        right.set_ylabel(axis_label("contact force", "N"))
        for axes in (left, right):
            axes.set_xlabel(axis_label("time", "s"))
    return figure
