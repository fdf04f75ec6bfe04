"""Passive dynamic walker with toroidal feet: it rocks and walks down a slope without a motor.

Two rigid legs are hinged at the hip, 7 degrees of freedom in space. Each foot is the lowest part of
a torus whose axis points forward: its large radius is that of rocking to the side, its section that
of rolling forward. A foot that stands rolls without slip (three rows); the other one swings until
it strikes the ground, without rebound, and the one behind leaves it. Slope feeds what the strikes
take.

A stride is a map from one strike of the left foot to the next. Its fixed point, found by shooting,
is the limit cycle; the eigenvalues of its derivative say that a free walker comes back to it. A
weak torsion spring between the legs makes them swing faster, and the walker too.

With a compliant ground, force and damping of the normal

    k / eps,  d / sqrt(eps)        and sticking by  mu(c) = mu min(1, c / (c_0 eps)),  c the slip,

the motion tends to that of the rigid one: the strikes last as long as sqrt(eps), and so the source
has the bound ||q_rigid - q_compliant|| <= K sqrt(eps).

Source: Deppler et al., GAMM 2015: a walker with 7 degrees of freedom, toroidal feet on an incline,
stable limit cycle, faster with a leg spring, bound of convergence. It prints no numbers. Here size
and foot radii are like those of the walker of Tedrake, Zhang, Fong and Seung 2004, "Actuating a
simple 3D passive dynamic walker", ICRA (hip at 0.23 m, lateral radius 0.5 m above the centre of
mass, about 1.5 strides a second); masses, the place of the feet and the slope were searched until
all multipliers were inside the unit circle. The source replaces a foot by a grid of points with
drilling and rolling resistance; here it is one point of an exact torus and has none. What a "leg
spring" is, is not described: the one between the legs is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Passive walker with toroidal feet"
TOPIC = "space"
SPEC: tuple[str, ...] = ("G11",)
SOURCE = "Deppler et al., GAMM 2015"
DOF = 14

Floats = NDArray[np.float64]
WALKERS = ("free", "sprung")
APART = 1.6  # distance of the two walkers, more than the rings of their feet are wide [m]
STIFFNESS, DAMPING, CREEP = 2e5, 1.5e3, 0.02  # of the compliant ground at eps = 1


@dataclass(frozen=True)
class Parameters:
    """Legs, feet, slope, and a start on the left foot, near the cycle."""

    slope: float = parameter(0.088, "rad", "chosen: stable walking, 5 deg")
    mass: float = parameter(1.6, "kg", "chosen: of a leg, as Tedrake 2004")
    inertia_forward: float = parameter(0.0062, "kg m^2", "chosen: of a leg, stable walking")
    inertia_across: float = parameter(0.0216, "kg m^2", "chosen: of a leg, stable walking")
    inertia_up: float = parameter(0.0156, "kg m^2", "chosen: of a leg, stable walking")
    below: float = parameter(0.075, "m", "chosen: centre of mass below the hip")
    side: float = parameter(0.12, "m", "chosen: centre of mass beside the middle")
    hip: float = parameter(0.25, "m", "chosen: height of the hip, as Tedrake 2004")
    ring: float = parameter(0.48, "m", "chosen: radius of the torus")
    section: float = parameter(0.194, "m", "chosen: below the height of the hip")
    stance: float = parameter(0.0305, "m", "chosen: foot beside the middle")
    ahead: float = parameter(0.014, "m", "chosen: foot before the hip")
    mu: float = parameter(1.0, "1", "chosen: rubber, feet do not slip")
    spring: float = parameter(0.06, "N m/rad", "chosen: 5 % of the weight of a leg on its arm")
    gravity: float = parameter(9.81, "m/s^2", "chosen: standard")
    yaw: float = parameter(0.05, "rad", "chosen: near the cycle")
    pitch: float = parameter(0.055, "rad", "chosen: near the cycle")
    roll: float = parameter(-0.265, "rad", "chosen: near the cycle")
    swing: float = parameter(0.27, "rad", "chosen: near the cycle")
    roll_rate: float = parameter(-0.62, "rad/s", "chosen: near the cycle")
    pitch_rate: float = parameter(1.37, "rad/s", "chosen: near the cycle")
    yaw_rate: float = parameter(-0.3, "rad/s", "chosen: near the cycle")
    swing_rate: float = parameter(-2.3, "rad/s", "chosen: near the cycle")


REFERENCE = {
    "magnitude of the largest multiplier, free": Reference(0.5, 0.5, "stable, says the source"),
    "magnitude of the largest multiplier, sprung": Reference(0.5, 0.5, "stable, says the source"),
    "loss in strikes over work of the slope, free": Reference(1.0, 1e-7, "energy of a cycle"),
    "loss in strikes over work of the slope, sprung": Reference(1.0, 1e-7, "energy of a cycle"),
    # time stepping is of first order, and where in a step a strike falls scatters it
    "order of time stepping": Reference(1.0, 0.4, "both roads lead to one motion"),
    # at least 1/2; what is left of first order once the strikes are short
    "order of the compliant ground in eps": Reference(0.8, 0.3, "bound of K sqrt(eps)"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"spring": 0.0},
    {"slope": 0.0704},
    {"ring": 0.4},
    {"gravity": 7.848},
    {"mass": 1.92},
)


def _start(p: Parameters, eps: float) -> dict[str, Any]:
    """Return the start of the left leg: its foot stands on the ground and rolls."""
    about, multiply = cl.rotation.about, cl.rotation.multiply
    turn = multiply(about((0.0, 0.0, 1.0), p.yaw), about((0.0, 1.0, 0.0), p.pitch))
    A = np.array(multiply(turn, about((1.0, 0.0, 0.0), p.roll)))
    up = np.array((0.0, 0.0, 1.0))
    # the contact point lies below the lowest point of the middle circle of the torus
    across = up - A[:, 0] * A[2, 0]
    centre = A @ np.array((p.ahead, p.stance, p.ring + p.section - p.hip))
    foot = centre - p.ring * across / np.linalg.norm(across) - p.section * up
    omega = A @ np.array((p.roll_rate, p.pitch_rate, p.yaw_rate))
    sunk = 2.0 * p.mass * p.gravity * eps / STIFFNESS  # by its weight
    # smooth friction has no force to begin with where there is no slip
    slip = np.array((0.0, 0.5 * CREEP * eps, 0.0))
    return {
        "position": (0.0, 0.0, -float(foot[2]) - sunk),
        "rotation": tuple(map(tuple, A.tolist())),
        "velocity": tuple((np.cross(foot, omega) + slip).tolist()),
        "angular_velocity": tuple(omega.tolist()),
    }


def _law(p: Parameters, eps: float) -> dict[str, Any]:
    """Return the contact law of a foot, rigid for eps = 0."""
    if eps == 0.0:
        return {"mu": p.mu}
    ground = cl.KelvinVoigt(STIFFNESS / eps, DAMPING / math.sqrt(eps))
    creeping = cl.Table((0.0, CREEP * eps, 10.0), (0.0, p.mu, p.mu))
    return {"mu": creeping, "normal": ground}


def build(p: Parameters, names: Sequence[str] = WALKERS, eps: float = 0.0) -> cl.Model:
    """Return walkers beside each other; x is downhill, z the normal of the slope."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    items: list[Any] = [floor]
    inertia = (p.inertia_forward, p.inertia_across, p.inertia_up)
    for k, name in enumerate(names):
        start = _start(p, eps)
        x, y, z = start.pop("position")
        legs = []
        for side, sign in (("left", 1.0), ("right", -1.0)):
            placed = {"position": (x, y - APART * k, z), **start} if side == "left" else {}
            leg = cl.Body(
                f"{name} {side}", mass=p.mass, inertia=inertia,
                com=(0.0, sign * p.side, -p.below), **placed,
            )  # fmt: skip
            foot = cl.Torus(
                f"{name} {side} foot", leg, radius=p.ring, section=p.section,
                at=(p.ahead, sign * p.stance, p.ring + p.section - p.hip), axis=(1.0, 0.0, 0.0),
            )  # fmt: skip
            contact = cl.Contact(foot, floor, name=f"{name} {side} contact", **_law(p, eps))
            legs.append(leg)
            items += [leg, foot, contact]
        hip = cl.Revolute(
            f"{name} hip", *legs, axis=(0.0, 1.0, 0.0), angle=p.swing, speed=p.swing_rate
        )
        items.append(hip)
        if name == "sprung":
            items.append(cl.TorsionSpring("leg spring", on=hip, stiffness=p.spring))
    down = (p.gravity * math.sin(p.slope), 0.0, -p.gravity * math.cos(p.slope))
    return cl.Model(*items, gravity=down, name="passive walker")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run some fifteen strides of both walkers."""
    options.setdefault("t_end", 10.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 1001))
    options.setdefault("method", cl.EventDriven(rtol=1e-8, atol=1e-10))
    return cl.simulate(build(p), **options)


def strikes(sol: cl.Solution, name: str) -> tuple[Floats, Floats]:
    """Return times of the strikes of the left foot and how far downhill the hip is then."""
    # other feet that stand take part in the same impact without an approach
    t = np.array([
        e.time for e in sol.events
        if (e.name, e.kind) == (f"{name} left contact[0]", "impact")
        and e.data["gamma_N_minus"] < -1e-6
    ])  # fmt: skip
    rows = np.searchsorted(sol.t, t - 1e-9)
    return t, np.asarray(sol[f"{name} left"].position[rows, 0])


@cache
def cycle(p: Parameters, name: str) -> Any:
    """Return the limit cycle of a walker, by shooting from strike to strike of the left foot."""
    section = cl.Section(event=(f"{name} left contact[0]", "impact"), max_time=5.0)
    return cl.periodic_orbit(
        build(p, (name,)), section, transient=6, tolerance=1e-8,
        method=cl.EventDriven(rtol=1e-10, atol=1e-12),
    )  # fmt: skip


def stride(p: Parameters, name: str) -> tuple[float, float]:
    """Return time and length of a stride of the limit cycle."""
    orbit = cycle(p, name)
    return float(orbit.period), float(orbit.drift[f"{name} left.position_x"])


def _motion(model: cl.Model, method: Any, t: Floats) -> Floats:
    """Return position and rotation of a leg and the angle of the hip of a free walker."""
    sol = cl.simulate(model, t_end=float(t[-1]), t_eval=t, method=method, progress=False)
    rows = np.searchsorted(sol.t, t - 1e-9)
    leg, hip = sol["free left"], sol["free hip"]
    turns = np.asarray(leg.rotation[rows]).reshape(-1, 9)
    return np.column_stack((leg.position[rows], turns, hip.angle[rows]))


@cache
def roads(p: Parameters, steps: tuple[float, ...] = (5e-4, 2.5e-4, 1.25e-4)) -> Floats:
    """Return how far time stepping is from the event-driven road within two strides."""
    t, free = np.linspace(0.0, 1.36, 137), build(p, ("free",))
    true = _motion(free, cl.EventDriven(rtol=1e-10, atol=1e-12), t)
    return np.array([np.abs(_motion(free, cl.Moreau(dt=h), t) - true).max() for h in steps])


@cache
def softening(p: Parameters, values: tuple[float, ...] = (4.0, 1.0, 0.25)) -> Floats:
    """Return how far the walker on compliant ground is from the rigid one within a stride."""
    t = np.linspace(0.0, 0.68, 69)
    method = cl.EventDriven(rtol=1e-7, atol=1e-9)
    true = _motion(build(p, ("free",)), method, t)
    found = [_motion(build(p, ("free",), eps), method, t) for eps in values]
    return np.array([np.abs(motion - true).max() for motion in found])


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the last strides with the cycles, and the roads and grounds with each other."""
    found: dict[str, float] = {}
    checks, speed = [], {}
    for name in WALKERS:
        orbit, (period, length) = cycle(p, name), stride(p, name)
        t, x = strikes(sol, name)
        if len(t) < 4:
            return [compare(f"strides of the {name} walker", float(len(t)), 14.0, 2.0)]
        speed[name] = float((x[-1] - x[-4]) / (t[-1] - t[-4]))
        # fifteen strides leave a tenth of the distance of the start from the cycle
        checks += [
            compare(f"last stride, {name} [s]", float(t[-1] - t[-2]), period, 2e-3),
            compare(f"length of the last stride, {name} [m]", float(x[-1] - x[-2]), length, 3e-3),
        ]
        loss = -sum(e.data["energy"] for e in orbit.events if e.kind == "impact")
        work = 2.0 * p.mass * p.gravity * math.sin(p.slope) * length
        found[f"magnitude of the largest multiplier, {name}"] = orbit.radius
        found[f"loss in strikes over work of the slope, {name}"] = loss / work
    away, soft = roads(p), softening(p)
    found["order of time stepping"] = math.log(away[0] / away[-1]) / math.log(4.0)
    found["order of the compliant ground in eps"] = math.log(soft[0] / soft[-1]) / math.log(16.0)
    checks += [check_reference(name, value, REFERENCE) for name, value in found.items()]
    weight = p.mass * p.gravity
    lost = -sum(e.data["energy"] for e in sol.events if e.kind == "impact") / weight
    way = sum(float(sol[f"{name} left"].position[-1, 0]) for name in WALKERS)
    slips = sum(e.kind == "slip" for e in sol.events)
    checks += [
        # kinetic energy at the end is not that of the start
        compare("height lost in strikes [m]", lost, 2.0 * way * math.sin(p.slope), 0.05),
        compare("feet slip, times", float(slips), 0.0, 0.0),
        compare("spring raises the speed", float(speed["sprung"] > 1.05 * speed["free"]), 1.0, 0.0),
    ]
    return checks


def show(sol: cl.Solution, p: Parameters = Parameters()) -> Any:
    """Draw the strides as they come to the cycle, the rocking, and the compliant ground."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(11.0, 3.6)
        left, middle, right = figure.subplots(1, 3)
        for colour, name in zip(COLOURS, WALKERS, strict=False):
            _, x = strikes(sol, name)
            left.plot(np.arange(1, len(x)), np.diff(x), "o-", ms=3, color=colour, label=name)
            left.axhline(stride(p, name)[1], color=colour, ls="--", lw=0.8)
            A = np.asarray(sol[f"{name} left"].rotation)
            roll = np.degrees(np.arctan2(A[:, 2, 1], A[:, 2, 2]))
            late = sol.t > sol.t[-1] - 2.0
            hip = np.degrees(sol[f"{name} hip"].angle)
            middle.plot(roll[late], hip[late], color=colour, lw=1.0, label=name)
        left.set_xlabel("number of the stride")
        left.set_ylabel(axis_label("length of a stride", "m"))
        add_legend(left)
        middle.set_xlabel(axis_label("roll of the left leg", "deg"))
        middle.set_ylabel(axis_label("angle between the legs", "deg"))
        add_legend(middle)
        eps = np.array((4.0, 1.0, 0.25))
        error = softening(p)
        right.loglog(eps, error, "o-", color=COLOURS[2], label="compliant ground")
        right.loglog(eps, error[0] * np.sqrt(eps / eps[0]), color="0.5", ls="--", label="sqrt(eps)")
        right.set_xticks(eps, [f"{x:g}" for x in eps])
        right.set_xticks([], minor=True)
        right.set_xlabel(axis_label("eps", "1"))
        right.set_ylabel(axis_label("distance from the rigid motion", "1"))
        add_legend(right)
    return figure
