"""Ball on a ball: it slides or rolls off a fixed sphere, and leaves it.

A ball (radius r, J = k m r^2) starts at rest at the angle theta_0 from the top of a fixed sphere of
radius R. With L = R + r and theta measured at the centre of the sphere, as long as they touch

    L theta'' = g sin(theta) - F / m,   N = m g cos(theta) - m L theta'^2,   k m r omega' = F,

and they part where N = 0. Without friction F = 0 and cos(theta) = 2/3 cos(theta_0). While the ball
rolls, F = k / (1 + k) m g sin(theta); if it did so to the end, it would leave at

    cos(theta) = 2 cos(theta_0) / (3 + k),    10/17 cos(theta_0) for a solid ball.

That is a limit: the normal force vanishes at the end and friction is at most mu N, so that every
ball slips before it leaves, and the angle is approached as mu grows. With finite mu the three
phases (rolling, sliding, flight) are compared with an integration of the reduced equations; the
start of slip has a closed form, k / (1 + k) sin(theta) = mu ((3 + k) cos(theta) - 2 cos(theta_0))
/ (1 + k).

Three balls run off one sphere in three directions: "smooth" (mu = 0), "rough" (mu = 1000) and
"real". Textbook problem; all numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Ball runs off a sphere"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "textbook"
DOF = 18

# where the balls start, seen from above
WAYS = {"smooth": (0.6, 0.8), "rough": (-1.0, 0.0), "real": (0.0, -1.0)}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Three equal balls on one fixed sphere."""

    mass: float = parameter(0.2, "kg", "chosen: cancels out")
    radius: float = parameter(0.03, "m", "chosen: of the balls")
    sphere: float = parameter(0.5, "m", "chosen: radius of the fixed sphere")
    shape: float = parameter(0.4, "1", "derived: J / (m r^2) of a solid ball")
    start: float = parameter(0.2, "rad", "chosen: angle from the top at the start")
    mu: float = parameter(0.3, "1", "chosen: of the real ball")
    rough: float = parameter(1000.0, "1", "chosen: nearly never slips")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "smooth: cos of departure over that of the start": Reference(2 / 3, 1e-9, "closed form"),
    # for large mu the ball slips in the last part of some 1/mu of the way
    "rough: cos of departure over that of the start": Reference(10 / 17, 2e-5, "closed form"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"start": 0.24},
    {"shape": 0.48},
    {"mu": 0.36},
    {"radius": 0.036},
    {"gravity": 7.85},
    {"rough": 0.5},
)


def friction_of(p: Parameters) -> dict[str, float]:
    """Return the coefficients of friction of the balls."""
    return {"smooth": 0.0, "rough": p.rough, "real": p.mu}


def slip_angle(p: Parameters, mu: float) -> float:
    """Return the angle at which a rolling ball begins to slip.

    k sin(theta) = mu ((3 + k) cos(theta) - 2 cos(theta_0)): with a phase, one sine.
    """
    k, a = p.shape, mu * (3.0 + p.shape)
    phase = math.atan2(a, k)
    return phase - math.asin(2.0 * mu * math.cos(p.start) / math.hypot(a, k))


def departure(p: Parameters, mu: float) -> dict[str, float]:
    """Return angle, time, slip time and spin of the departure, from the reduced equations."""
    from scipy.integrate import solve_ivp

    big, r, k, g = p.sphere + p.radius, p.radius, p.shape, p.gravity
    accurate: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14, "method": "DOP853"}
    y = np.array([p.start, 0.0, 0.0])  # theta, theta', omega
    begin = 0.0
    if mu > 0.0:
        end = slip_angle(p, mu)

        def rolling(t: float, y: Floats) -> list[float]:
            rate = g * math.sin(y[0]) / (1.0 + k) / big
            return [y[1], rate, rate * big / r]

        def slips(t: float, y: Floats) -> float:
            return float(y[0] - end)

        slips.terminal = True  # type: ignore[attr-defined]
        run = solve_ivp(rolling, (0.0, 100.0), y, events=slips, **accurate)
        begin, y = float(run.t_events[0][0]), run.y_events[0][0]

    def normal(y: Floats) -> float:
        return float(g * math.cos(y[0]) - big * y[1] ** 2)

    def sliding(t: float, y: Floats) -> list[float]:
        friction = mu * normal(y)
        return [y[1], (g * math.sin(y[0]) - friction) / big, friction / (k * r)]

    def leaves(t: float, y: Floats) -> float:
        return normal(y)

    leaves.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(sliding, (begin, 100.0), y, events=leaves, **accurate)
    theta, _, spin = run.y_events[0][0]
    return {"angle": theta, "time": float(run.t_events[0][0]), "slip": begin, "spin": spin}


def build(p: Parameters) -> cl.Model:
    """Return the fixed sphere and three balls around its top."""
    ground = cl.Ground("ground")
    dome = cl.Sphere("dome", ground, radius=p.sphere)
    items: list[Any] = [ground, dome]
    moment = p.shape * p.mass * p.radius**2
    for name, mu in friction_of(p).items():
        (x, y), far = WAYS[name], p.sphere + p.radius
        side, up = far * math.sin(p.start), far * math.cos(p.start)
        ball = cl.Body(
            name, mass=p.mass, inertia=(moment, moment, moment),
            position=(side * x, side * y, up),
        )  # fmt: skip
        skin = cl.Sphere(f"skin {name}", ball, radius=p.radius)
        items += [ball, skin, cl.Contact(skin, dome, name=f"{name} contact", mu=mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="sphere on sphere")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until all balls have left."""
    if "t_end" not in options:
        options["t_end"] = 0.9
        options.setdefault("t_eval", np.linspace(0.0, 0.9, 181))
    options.setdefault("method", cl.EventDriven(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def when(sol: cl.Solution, name: str, kind: str) -> float:
    """Return the time of the last event of a kind at the contact of a ball, nan without one."""
    times = [e.time for e in sol.events if e.kind == kind and e.name == f"{name} contact"]
    return times[-1] if times else math.nan


def state_at(sol: cl.Solution, name: str, t: float) -> tuple[Floats, Floats, Floats]:
    """Return position, velocity and angular velocity of a ball at the time of an event."""
    k = int(np.argmin(np.abs(sol.t - t))) if math.isfinite(t) else -1
    body = sol[name]
    return body.position[k], body.velocity[k], body.angular_velocity[k]


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare the departures with closed forms and with the integrated reduced equations."""
    checks = []
    for name, mu in friction_of(p).items():
        time = when(sol, name, "detach")
        r, _, omega = state_at(sol, name, time)
        angle = math.acos(r[2] / float(np.linalg.norm(r)))
        expected = departure(p, mu)
        key = f"{name}: cos of departure over that of the start"
        if key in REFERENCE:
            checks.append(check_reference(key, math.cos(angle) / math.cos(p.start), REFERENCE))
        # two integrations with 1e-11 and 1e-12
        checks += [
            compare(f"{name}: departs at [s]", time, expected["time"], 1e-8),
            compare(f"{name}: departs at [rad]", angle, expected["angle"], 1e-8),
            compare(f"{name}: spin [rad/s]", float(np.linalg.norm(omega)), expected["spin"], 1e-6),
        ]
        if mu > 0.0:
            checks.append(compare(f"{name}: slips from [s]", when(sol, name, "slip"),
                                  expected["slip"], 1e-8))  # fmt: skip
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the paths beside the sphere and the normal forces."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        first = sol["smooth"].position[0]
        touching = float(np.linalg.norm(first))
        arc = np.linspace(0.0, 0.5 * math.pi, 91)
        left.plot(touching * np.sin(arc), touching * np.cos(arc), color="#999999", lw=1.0,
                  label="centre of a ball that touches")  # fmt: skip
        for colour, name in zip(COLOURS, WAYS, strict=False):
            r = sol[name].position
            low = r[:, 2] > 0.0
            left.plot(np.hypot(r[low, 0], r[low, 1]), r[low, 2], color=colour, label=name)
            right.plot(sol.t, sol[f"{name} contact"].lam_N, color=colour, label=name)
        left.set_aspect("equal")
        left.set_xlabel(axis_label("distance from the axis", "m"))
        left.set_ylabel(axis_label("height", "m"))
        add_legend(left)
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("normal force", "N"))
        add_legend(right)
    return figure
