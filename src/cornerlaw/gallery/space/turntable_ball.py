"""Ball on a turntable: it rolls without slip and runs on a circle that is not about the axis.

A ball with J = k m r^2 rolls on a plane that turns at Omega about its normal n. Eliminating the
friction force F = m v' (plus the weight along a tilted plane) from m v' = F, J omega' = -r n x F
and the rolling condition v + r n x omega = Omega n x r_C gives

    v' = k / (1 + k) Omega n x v + g_t / (1 + k),

with the weight's part g_t along the plane. On a level table the centre runs on a circle with the
angular velocity k / (1 + k) Omega, 2/7 Omega for a solid ball, whatever its start: a charge in a
magnetic field. On a tilted one the circle drifts across the slope, never down, with

    v_d = |g_t| / (k Omega) = 5 g sin(alpha) / (2 Omega).

The spin about the normal does not change. Two tables: "level" and "tilted". Closed form: Weltner
1979 and Burns 1981, American Journal of Physics; all numbers are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Ball on a turntable"
TOPIC = "space"
SPEC: tuple[str, ...] = ()
SOURCE = "Weltner 1979, Burns 1981"
DOF = 12

APART = 2.0  # distance of the two tables [m]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Two equal balls on two tables that turn alike, the second about a tilted axis."""

    mass: float = parameter(0.1, "kg", "chosen: cancels out")
    radius: float = parameter(0.02, "m", "chosen: does not matter for the path")
    shape: float = parameter(0.4, "1", "derived: J / (m r^2) of a solid ball")
    turn: float = parameter(7.0, "rad/s", "chosen: a little over one turn per second")
    distance: float = parameter(0.3, "m", "chosen: of the start from the axis")
    speed: float = parameter(0.5, "m/s", "chosen: at the start, inertial")
    spin: float = parameter(3.0, "rad/s", "chosen: about the normal, to show that it stays")
    tilt: float = parameter(0.02, "rad", "chosen: a table that is not quite level")
    mu: float = parameter(0.3, "1", "chosen: enough to roll")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")


REFERENCE = {
    "angular velocity over that of the table": Reference(2 / 7, 1e-9, "closed form"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"turn": 8.4},
    {"shape": 0.48},
    {"tilt": 0.024},
    {"mu": 0.05},
    {"spin": 3.6},
)


def axes(p: Parameters, name: str) -> Floats:
    """Return the axes of a table that does not turn: x level, y up the slope, z its normal."""
    return np.array(cl.rotation.about((1.0, 0.0, 0.0), p.tilt if name == "tilted" else 0.0))


def path(p: Parameters, name: str, t: Floats) -> Floats:
    """Return the centre of a ball in the axes of its table, relative to the point of the axis.

    With complex numbers x + i y: v' = i w v + a, v = v_0 exp(i w t) + (a / (i w)) (exp(i w t) - 1).
    """
    w = p.shape / (1.0 + p.shape) * p.turn
    tilt = p.tilt if name == "tilted" else 0.0
    drift = -1j * p.gravity * math.sin(tilt) / (1.0 + p.shape) / (1j * w)
    turned = (np.exp(1j * w * t) - 1.0) / (1j * w)
    z = p.distance + (1j * p.speed + drift) * turned - drift * t
    return np.stack([z.real, z.imag, np.full_like(t, p.radius)], axis=1)


def build(p: Parameters) -> cl.Model:
    """Return two turning planes, each with a ball that rolls from the start."""
    turn = p.turn
    tables = [
        cl.MovingFrame(
            f"{name} table", position=(at, 0.0, 0.0), angles=(tilt, 0.0, lambda t: turn * t),
            normal=(0.0, 0.0, 1.0),
        )
        for name, at, tilt in (("level", 0.0, 0.0), ("tilted", APART, p.tilt))
    ]  # fmt: skip
    items: list[Any] = [*tables]
    moment = p.shape * p.mass * p.radius**2
    for name, table, at in (("level", tables[0], 0.0), ("tilted", tables[1], APART)):
        A = axes(p, name)
        r, v = np.array([p.distance, 0.0, p.radius]), np.array([0.0, p.speed, 0.0])
        n = np.array([0.0, 0.0, 1.0])
        # rolling: r n x omega is the velocity of the table less that of the centre
        missing = p.turn * np.cross(n, r) - v
        omega = -np.cross(n, missing) / p.radius + p.spin * n
        ball = cl.Body(
            name, mass=p.mass, inertia=(moment, moment, moment),
            position=tuple(A @ r + [at, 0.0, 0.0]), velocity=tuple(A @ v),
            angular_velocity=tuple(A @ omega),
        )  # fmt: skip
        skin = cl.Sphere(f"skin {name}", ball, radius=p.radius)
        items += [ball, skin, cl.Contact(skin, table, name=f"{name} contact", mu=p.mu)]
    return cl.Model(*items, gravity=(0.0, 0.0, -p.gravity), name="turntable ball")


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for one round of the ball on its circle, three and a half of the table."""
    if "t_end" not in options:
        options["t_end"] = math.pi
        options.setdefault("t_eval", np.linspace(0.0, math.pi, 401))
    options.setdefault("method", cl.EventDriven(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def seen(sol: cl.Solution, p: Parameters, name: str, channel: str) -> Floats:
    """Return a vector of a ball over time in the axes of its table that do not turn."""
    value = np.asarray(getattr(sol[name], channel))
    if channel == "position" and name == "tilted":
        value = value - [APART, 0.0, 0.0]
    return np.asarray(value @ axes(p, name))


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare angular velocity, paths, drift, friction and spins with the closed forms."""
    v = seen(sol, p, "level", "velocity")
    heading = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
    rate = float((heading[-1] - heading[0]) / (sol.t[-1] - sol.t[0]))
    checks = [
        check_reference("angular velocity over that of the table", rate / p.turn, REFERENCE),
        compare("speed does not change [m/s]", np.ptp(np.linalg.norm(v, axis=1)), 0.0, 1e-9),
    ]
    for name in ("level", "tilted"):
        gap = np.abs(seen(sol, p, name, "position") - path(p, name, sol.t)).max()
        spin = seen(sol, p, name, "angular_velocity")[:, 2] - p.spin
        slip = np.abs(sol[f"{name} contact"].gamma_T).max()
        # hundreds of steps with an error of 1e-11 each; some 1e-9 of the orientation, after 400
        # rad, turn an angular velocity of 100 rad/s
        checks += [
            compare(f"{name}: path against the closed form [m]", float(gap), 0.0, 1e-9),
            compare(f"{name}: change of spin [rad/s]", float(np.abs(spin).max()), 0.0, 2e-6),
            compare(f"{name}: slip [m/s]", float(slip), 0.0, 1e-9),
        ]
    force = sol["level contact"].force
    needed = p.mass * p.shape / (1.0 + p.shape) * p.turn * p.speed
    checks.append(
        compare("friction force on the level table [N]",
                float(np.linalg.norm(force[:, :2], axis=1).mean()), needed, 1e-8)
    )  # fmt: skip
    # one round of the circle leaves the drift alone: across the slope, not down
    if abs(sol.t[-1] * 2.0 / 7.0 * p.turn - 2.0 * math.pi) < 1e-9:
        moved = np.ptp(seen(sol, p, "tilted", "position")[[0, -1]], axis=0) / sol.t[-1]
        drift = p.gravity * math.sin(p.tilt) / (p.shape * p.turn)
        checks += [
            compare("drift across the slope [m/s]", float(moved[0]), drift, 1e-8),
            compare("drift down the slope [m/s]", float(moved[1]), 0.0, 1e-8),
        ]
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw both paths from above."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 3.8)
        panels = figure.subplots(1, 2)
        for k, (name, at) in enumerate((("level", 0.0), ("tilted", APART))):
            r = sol[name].position
            panels[k].plot(r[:, 0] - at, r[:, 1], color=COLOURS[k])
            panels[k].plot(0.0, 0.0, color="#222222", marker="+", ls="none", label="axis")
            panels[k].plot(
                r[0, 0] - at, r[0, 1], color=COLOURS[k], marker="o", ls="none", label="start"
            )
            panels[k].set_aspect("equal")
            panels[k].margins(0.08)
            panels[k].set_xlabel(axis_label("x", "m"))
            panels[k].set_ylabel(axis_label("y", "m"))
            panels[k].set_title(f"{name.capitalize()} table, from above")
        panels[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    return figure
