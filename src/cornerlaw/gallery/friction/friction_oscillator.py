"""Friction oscillator: a mass on a spring rides on a moving belt, sticks and slips.

The mass m rests on a belt of speed v and is held back by a spring of stiffness k; x is the
stretch of the spring. While it sticks, x' = v until the spring wins at

    x_s = mu_s m g / k.

Then it slips against the coefficient mu(v_rel). If mu dropped at once to mu_k, the mass would
swing about x_k = mu_k m g / k with omega^2 = k / m, and with d = x_s - x_k it would stick again at
x_k - d, so that

    T = 2 d / v + (2 pi - 2 atan(omega d / v)) / omega.

Such a jump is no law that a set-valued friction has as a limit of slow sliding; the coefficient
falls here from mu_s to mu_k within the small speed `fall`, equal to mu_s at rest (Stribeck). The
period then differs from the formula by terms of the size of `fall`. With mu_k = mu_s (Coulomb) the
limit is the harmonic motion of amplitude v / omega that touches the belt speed once per turn.

Source: the classical stick-slip oscillator; the formula follows from the two phases. The period of
the Stribeck law is compared with an independent integration of the slip phase.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Friction oscillator on a belt"
TOPIC = "friction"
SPEC: tuple[str, ...] = ("friction oscillator",)
SOURCE = "textbook: stick-slip oscillator"
DOF = 2


@dataclass(frozen=True)
class Parameters:
    """Mass, spring, belt and the friction between mass and belt."""

    mass: float = parameter(1.0, "kg", "chosen: unit")
    stiffness: float = parameter(100.0, "N/m", "chosen: 10 rad/s")
    belt: float = parameter(0.1, "m/s", "chosen: stick and slip of similar length")
    gravity: float = parameter(9.81, "m/s^2", "chosen: standard")
    static: float = parameter(0.4, "1", "chosen: dry surfaces")
    kinetic: float = parameter(0.3, "1", "chosen: dry surfaces")
    fall: float = parameter(1e-3, "m/s", "chosen: one hundredth of the belt speed")


REFERENCE = {
    "stretch at release [m]": Reference(0.03924, 1e-9, "mu_s m g / k"),
    "period of a jump [s]": Reference(
        0.669357, 5e-7, "2 d / v + (2 pi - 2 atan(omega d / v)) / omega"
    ),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"static": 0.48},
    {"kinetic": 0.24},
    {"stiffness": 120.0},
    {"belt": 0.12},
    {"mass": 1.2},
    {"static": 0.3},  # plain Coulomb friction
)


def omega(p: Parameters) -> float:
    """Return the angular frequency of mass and spring."""
    return math.sqrt(p.stiffness / p.mass)


def release(p: Parameters) -> float:
    """Return the stretch at which the mass begins to slip."""
    return p.static * p.mass * p.gravity / p.stiffness


def jump_period(p: Parameters) -> float:
    """Return the period if the coefficient dropped to mu_k at once."""
    d = release(p) - p.kinetic * p.mass * p.gravity / p.stiffness
    return 2.0 * d / p.belt + (2.0 * math.pi - 2.0 * math.atan(omega(p) * d / p.belt)) / omega(p)


def slip_phase(p: Parameters) -> tuple[float, float]:
    """Return length and end of the slip phase by a direct integration of x.

    x'' = -omega^2 x + mu(v - x') g from x = x_s, x' = v until x' = v again.
    """
    from scipy.integrate import solve_ivp

    def rate(t: float, y: Any) -> tuple[float, float]:
        # while x' < v the belt drives the mass
        slow = max(p.belt - y[1], 0.0)
        mu = p.kinetic + (p.static - p.kinetic) * math.exp(-slow / p.fall)
        return y[1], -(omega(p) ** 2) * y[0] + mu * p.gravity

    def caught(t: float, y: Any) -> float:
        return float(y[1]) - p.belt

    caught.terminal, caught.direction = True, 1.0  # type: ignore[attr-defined]
    # a thousandth of a period beyond the start, where x' - v = -omega^2 v t^2 / 2 + ...
    first = solve_ivp(
        rate, (0.0, 0.1 / omega(p)), (release(p), p.belt), "Radau", rtol=1e-11, atol=1e-14
    )
    rest = solve_ivp(
        rate, (first.t[-1], 10.0 / omega(p)), first.y[:, -1], "Radau",
        events=caught, rtol=1e-11, atol=1e-14,
    )  # fmt: skip
    return float(rest.t_events[0][0]), float(rest.y_events[0][0][0])


def build(p: Parameters, law: Any = None) -> cl.Model:
    """Return mass, spring and belt; `law` replaces the falling coefficient."""
    if law is None:
        law = p.static
        if p.static > p.kinetic:
            law = cl.Stribeck(static=p.static, kinetic=p.kinetic, velocity=p.fall)
    mass = cl.PointMass("mass", mass=p.mass, velocity=(p.belt, 0.0))
    floor = cl.Ground("belt", normal=(0.0, 1.0))
    spring = cl.Spring(
        "spring", floor, mass, at=(-1.0, 0.0), stiffness=p.stiffness, rest=1.0
    )  # tension k x
    contact = cl.Contact(mass, floor, name="friction", mu=law, surface_speed=p.belt)
    return cl.Model(
        mass, floor, spring, contact, gravity=(0.0, -p.gravity), name="friction oscillator"
    )


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run six periods from rest on the belt."""
    options.setdefault("t_end", 5.0)
    options.setdefault("method", cl.EventDriven(rtol=1e-10))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def phases(sol: cl.Solution) -> dict[str, float]:
    """Return period, stretch at release and at sticking, and stick time, of the last cycle."""
    slips = [e.time for e in sol.events if e.kind == "slip"]
    sticks = [e.time for e in sol.events if e.kind == "stick"]
    x = sol["mass"].position[:, 0]
    if len(slips) < 3 or len(sticks) < 2:
        nothing = math.nan
        return {"period": nothing, "release": nothing, "stick": nothing, "catch": nothing}
    catch = max(time for time in sticks if time < slips[-1])
    return {
        "period": slips[-1] - slips[-2],
        "release": float(np.interp(slips[-1], sol.t, x)),
        "stick": slips[-1] - catch,
        "catch": float(np.interp(catch, sol.t, x)),
    }


def check(sol: cl.Solution, p: Parameters, ran: Parameters | None = None) -> list[Check]:
    """Compare the limit cycle with both phases, and plain friction with the harmonic motion."""
    ran = ran or p  # runs of its own have the parameters of the given one
    found = phases(sol)
    length, end = slip_phase(p)
    stick = (release(p) - end) / p.belt
    formula = REFERENCE["period of a jump [s]"]
    contact = sol["friction"]
    loose = contact.state == 2.0  # slower than nothing: never ahead of the belt by friction
    checks = [
        compare("stretch at release [m]", found["release"], release(p), 1e-9),
        # both integrations keep 1e-10 per step, over some hundred steps
        compare("stretch at sticking [m]", found["catch"], end, 1e-8),
        compare("stick time [s]", found["stick"], stick, 1e-7),
        compare("period [s]", found["period"], stick + length, 1e-7),
        compare("period of a jump [s]", jump_period(ran), formula.value, formula.tolerance),
        # mu_k is reached at some `fall`, of v = 100 `fall`
        compare("period over that of a jump", found["period"] / jump_period(p), 1.0, 0.03),
        compare("normal force [N]", float(np.ptp(contact.lam_N)), 0.0, 1e-9),
        compare("rows ahead of the belt", float(np.sum(loose & (contact.gamma_T > 1e-9))), 0.0, 0),
    ]
    plain = cl.simulate(
        build(ran, ran.static), t_end=4.0, method=cl.EventDriven(rtol=1e-10), progress=False,
        t_eval=np.linspace(0.0, 4.0, 4001),
    )  # fmt: skip
    late = plain.t > 4.0 - 2.0 * math.pi / omega(p)
    x = plain["mass"].position[late, 0]
    checks.append(
        # the largest of samples 1 ms apart is below the amplitude by (omega dt)^2 / 8
        compare(
            "amplitude of plain friction [m]", 0.5 * float(np.ptp(x)), p.belt / omega(p),
            2e-5 * p.belt / omega(p),
        )
    )  # fmt: skip
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw stretch and friction force over time, and the cycle in its phase plane."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, sol["friction"].lam_T, color=COLOURS[0])
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("friction force", "N"))
        right.plot(sol["mass"].position[:, 0], sol["mass"].velocity[:, 0], color=COLOURS[1])
        right.set_xlabel(axis_label("stretch", "m"))
        right.set_ylabel(axis_label("velocity", "m/s"))
    return figure
