"""Impulsive control of a friction oscillator: how to reach a position in spite of dry friction.

A mass on a spring with set-valued friction (Stribeck, equal values at the transition) is to be
brought to a position. The spring's force there is fed forward, K = k + k_P holds the rest.

    "pd"         the mass sticks where |K e| <= mu_s N: an error remains
    "pid"        the integral breaks it loose again and again: hunting, a limit cycle
    "impulsive"  PD, and a short pulse whenever the mass sticks away from its goal

Sliding over the error e against the friction mu_k N with the help of the restoring force takes

    m v_0^2 / 2 = mu_k N |e| - K e^2 / 2,

so that a pulse of one sample h with the force m v_0 / h, the friction and the restoring force
compensated, brings the mass to rest near its goal. What wrong estimates of mass and friction leave
over is the error of the next pulse: the errors shrink from pulse to pulse instead of piling up.

The force does not follow the command at once: the actuator is a coil with inductance,

    T f_dot + f = command,

so that a pulse arrives late and rounded, with all of its impulse. It is modelled as a coordinate
of its own, whose velocity is the current.

Source: Schindler, Mayet and Seiwald (PD steady-state error, PID hunting limit cycle,
impulsive feed-forward when sticking neither, also with uncertain mass and static friction, with
actuator dynamics). No numbers are printed; the values are chosen and the statements are checked as
properties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Impulsive control of a friction oscillator"
TOPIC = "friction"
SPEC: tuple[str, ...] = ("G1",)
SOURCE = "Schindler, Mayet and Seiwald, GAMM 2015"
DOF = 2
HIDDEN = ("coil",)  # in the viewer: its position is an impulse, not a place


@dataclass(frozen=True)
class Parameters:
    """Mass, spring, friction, controller and the errors of its estimates."""

    control: str = parameter("impulsive", "1", "chosen: pd, pid or impulsive")  # type: ignore[arg-type]
    mass: float = parameter(1.0, "kg", "chosen: unit")
    stiffness: float = parameter(20.0, "N/m", "chosen: slow against the controller")
    load: float = parameter(10.0, "N", "chosen: pressed on the guide")
    static: float = parameter(0.5, "1", "chosen: dry surfaces")
    kinetic: float = parameter(0.3, "1", "chosen: dry surfaces")
    fall: float = parameter(0.01, "m/s", "chosen: transition of the Stribeck law")
    target: float = parameter(0.5, "m", "chosen: the goal")
    kp: float = parameter(30.0, "N/m", "chosen: soft, the error of PD is easily seen")
    kd: float = parameter(8.0, "N*s/m", "chosen: well damped")
    ki: float = parameter(60.0, "N/(m*s)", "chosen: below the limit of stability, some seconds")
    lag: float = parameter(2e-3, "s", "chosen: time constant T of the actuator")
    sample: float = parameter(5e-3, "s", "chosen: a pulse lasts some time constants")
    tolerance: float = parameter(1e-4, "m", "chosen: no pulse within it")
    mass_estimate: float = parameter(1.0, "1", "chosen: factor of the controller's mass")
    friction_estimate: float = parameter(1.0, "1", "chosen: factor of the controller's friction")


REFERENCE = {
    "largest error of PD [m]": Reference(0.1, 1e-12, "mu_s N / (k + k_P)"),
    # rows show the mean velocity of a step, the scheme takes that at its start
    "lag of the force [s]": Reference(2e-3, 1e-5, "integral of command - f over the change of f"),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"control": "pd"},
    {"control": "pid"},
    {"target": 0.6},
    {"lag": 2.4e-3},
    {"static": 0.6, "friction_estimate": 0.1},
)


def restoring(p: Parameters) -> float:
    """Return K = k + k_P."""
    return p.stiffness + p.kp


def pulse(p: Parameters) -> Any:
    """Return the sampled law of the pulses, which it writes as a command to the coil."""
    K, h, goal, small = restoring(p), p.sample, p.target, p.tolerance
    m = p.mass_estimate * p.mass
    friction = p.friction_estimate * p.kinetic * p.load

    def height(q: float, u: float) -> float:
        e = goal - q
        if abs(u) > 1e-9 or abs(e) <= small:
            return 0.0
        energy = friction * abs(e) - 0.5 * K * e * e
        if energy <= 0.0:  # the restoring force is enough
            return 0.0
        v = min(math.sqrt(2.0 * energy / m), abs(e) / h)  # short ways end within the pulse
        return math.copysign(m * v / h + friction, e) - K * e

    def law(t, r, A, v, Omega, q, u, x, par, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        Q[1] = height(q[0], u[0])

    return cl.Sampled(law, h)


def _control(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    """Write the force of the coil, and the command to it; x is the integral of the error."""
    Q[0] = u[1]
    Q[1] = p[0] + p[1] * (p[4] - q[0]) + p[2] * x[0] - p[3] * u[0]
    x_dot[0] = p[4] - q[0]


def _command(t, r, A, v, Omega, q, u, x, p):  # type: ignore[no-untyped-def]
    return p[0] + p[1] * (p[4] - q[0]) + p[2] * x[0] - p[3] * u[0]


def build(p: Parameters) -> cl.Model:
    """Return the oscillator with its actuator and controller."""
    if p.control not in ("pd", "pid", "impulsive"):
        raise ValueError(f"control must be pd, pid or impulsive, got {p.control!r}")
    mass = cl.Slider("mass", mass=p.mass)
    # T f_dot + f = command, with f as a velocity
    coil = cl.Slider("coil", mass=p.lag)
    both = ("mass.position", "coil.position")
    gains = {
        "forward": p.stiffness * p.target,
        "kp": p.kp,
        "ki": p.ki if p.control == "pid" else 0.0,
        "kd": p.kd,
        "target": p.target,
    }
    law = cl.Stribeck(static=p.static, kinetic=p.kinetic, velocity=p.fall)
    items: list[Any] = [
        mass,
        coil,
        cl.TorsionSpring("spring", mass, stiffness=p.stiffness),
        cl.TorsionSpring("resistance", coil, stiffness=0.0, damping=1.0),
        cl.JointFriction("friction", mass, mu=law, load=p.load),
        cl.ForceElement(
            "controller", coordinates=both, law=_control, parameters=gains,
            states={"integral": 0.0}, outputs={"command": _command},
        ),
    ]  # fmt: skip
    if p.control == "impulsive":
        items.append(cl.ForceElement("pulses", coordinates=both, law=pulse(p)))
    return cl.Model(*items, name="impulsive control")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run 20 s by time stepping."""
    options.setdefault("t_end", 20.0)
    options.setdefault("method", cl.Moreau(dt=1e-3))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def error(sol: cl.Solution, p: Parameters) -> float:
    """Return the distance from the goal at the end."""
    return abs(float(sol["mass"].position[-1]) - p.target)


def unrest(sol: cl.Solution) -> float:
    """Return how far the mass still moves in the second half of a run."""
    late = sol.t > 0.5 * sol.t[-1]
    return float(np.ptp(sol["mass"].position[late]))


def lag_of(sol: cl.Solution, p: Parameters) -> float:
    """Return the time constant of the actuator, from the start, where no pulse is needed.

    T f_dot = command - f, integrated as the scheme does: positions in the middle of a step,
    velocities and so the force at its start.
    """
    rows = sol.t < 0.1
    force, command = sol["coil"].velocity[rows], sol["controller"].command[rows]
    middle = command[:-1] - 0.5 * p.kp * np.diff(sol["mass"].position[rows])
    wait = float(np.sum((middle - force[:-1]) * np.diff(sol.t[rows])))
    return wait / float(force[-1] - force[0])


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the three controllers: error, hunting, neither; and wrong estimates."""
    ran = ran or p  # runs of its own have the parameters of the given one
    bound = p.static * p.load / restoring(p)
    known = REFERENCE["largest error of PD [m]"]
    pd = simulate(replace(ran, control="pd"))
    pid = simulate(replace(ran, control="pid"), t_end=60.0)
    miss = pid["mass"].position[pid.t > 30.0] - p.target
    sides = min(float(miss.max()), float(-miss.min()))  # beyond the goal on both sides
    held = restoring(p) * (p.target - float(pd["mass"].position[-1]))
    checks = [
        compare(
            "largest error of PD [m]",
            ran.static * ran.load / restoring(ran),
            known.value,
            known.tolerance,
        ),
        compare("impulsive: error within the tolerance [m]", error(sol, p), 0.0, p.tolerance),
        compare("impulsive: motion of the second half [m]", unrest(sol), 0.0, 1e-12),
        compare("PD: an error remains", float(p.tolerance < error(pd, p) <= bound), 1.0, 0.0),
        compare("PD: motion of the second half [m]", unrest(pd), 0.0, 1e-12),
        # at rest friction balances the restoring force
        compare("PD: friction at rest [N]", float(pd["friction"].lam_T[-1]), -held, 1e-9),
        compare("PID: hunting on both sides", float(sides > 10.0 * p.tolerance), 1.0, 0.0),
    ]
    checks.append(check_reference("lag of the force [s]", lag_of(sol, p), REFERENCE))
    for mass, friction in ((0.8, 0.8), (1.2, 1.2), (1.2, 0.8)):
        wrong = replace(ran, control="impulsive", mass_estimate=mass, friction_estimate=friction)
        run = simulate(wrong)
        name = f"impulsive, estimates {mass:g} and {friction:g}"
        checks += [
            compare(f"{name}: error [m]", error(run, p), 0.0, p.tolerance),
            compare(f"{name}: motion of the second half [m]", unrest(run), 0.0, 1e-12),
        ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw position and friction force over time."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        position = sol["mass"].position
        # until it has arrived, and as long again; the rest of the run is still
        there = np.abs(position - position[-1]) < 1e-3 * float(np.ptp(position))
        end = min(2.0 * float(sol.t[np.argmax(there)]), float(sol.t[-1]))
        left.plot(sol.t, position, color=COLOURS[0])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("position", "m"))
        # pulses are closer than points of the figure: some of them tell more than a solid bar
        right.plot(1e3 * sol.t, sol["friction"].lam_T, color=COLOURS[1])
        right.set_xlabel(axis_label("time", "ms"))
        right.set_ylabel(axis_label("friction force", "N"))
        left.set_xlim(0.0, end)
        right.set_xlim(0.0, 40.0 * end)
    return figure
