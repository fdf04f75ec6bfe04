"""Inverted double pendulum on a cart, in three formulations (MC, S-MC-2).

A cart of mass m runs on a level rail under the force F. Two links of lengths l_1, l_2 carry the
masses m_1, m_2 (with inertias J_1, J_2) at their tips; theta_1, theta_2 count from the upward
vertical, so x_1 = x + l_1 sin(theta_1), y_1 = l_1 cos(theta_1) and so on. The minimal model is

    M = [[m + m_1 + m_2, (m_1 + m_2) l_1 c_1,         m_2 l_2 c_2                   ],
         [.            , (m_1 + m_2) l_1^2 + J_1,     m_2 l_1 l_2 cos(th_1 - th_2)  ],
         [.            , .                      ,     m_2 l_2^2 + J_2               ]]
    rhs = [F + (m_1 + m_2) l_1 s_1 th_1'^2 + m_2 l_2 s_2 th_2'^2,
           (m_1 + m_2) g l_1 s_1 - m_2 l_1 l_2 sin(th_1 - th_2) th_2'^2,
           m_2 g l_2 s_2 + m_2 l_1 l_2 sin(th_1 - th_2) th_1'^2].

One description yields all formulations of the source: "joint" (3 coordinates x, beta_6, beta_7
and no multipliers), "absolute" (9 coordinates, 6 multipliers) and "mixed" (x_1, y_1, th_1, x_2,
y_2, th_2, x with 4 multipliers). Their trajectories must be identical, and with F = 0 the energy
is constant. The source prints no numbers; all are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter

TITLE = "Inverted double pendulum on a cart"
TOPIC = "bodies"
SPEC: tuple[str, ...] = ("MC", "S-MC-2")
SOURCE = "McPhee 2005"
DOF = 3

FORMULATIONS = ("joint", "absolute", "mixed")


@dataclass(frozen=True)
class Parameters:
    """A laboratory rig, released near the upright position."""

    cart: float = parameter(1.5, "kg", "chosen: a laboratory rig")
    mass_1: float = parameter(0.4, "kg", "chosen: a laboratory rig")
    mass_2: float = parameter(0.3, "kg", "chosen: a laboratory rig")
    length_1: float = parameter(0.5, "m", "chosen: a laboratory rig")
    length_2: float = parameter(0.4, "m", "chosen: a laboratory rig")
    inertia_1: float = parameter(0.002, "kg*m^2", "chosen: a bob of 0.1 m")
    inertia_2: float = parameter(0.001, "kg*m^2", "chosen: a bob of 0.08 m")
    angle_1: float = parameter(0.1, "rad", "chosen: off the upright position")
    angle_2: float = parameter(-0.2, "rad", "chosen: the other way")
    gravity: float = parameter(9.81, "m/s^2", "chosen: near the Earth's surface")
    formulation: str = parameter("joint", "1", "book: joint, absolute or mixed")  # type: ignore[arg-type]


REFERENCE = {
    "energy drift": Reference(0.0, 1e-9, "F = 0 and no friction"),
    "largest constraint residual": Reference(0.0, 1e-12, "rows hold on position level"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"cart": 1.8},
    {"mass_1": 0.48},
    {"length_2": 0.48},
    {"inertia_1": 0.0024},
    {"gravity": 7.848},
)


def mass_matrix(p: Parameters, q: Any) -> Any:
    """Return M of the minimal model, coordinates (x, theta_1, theta_2)."""
    m12, l1, l2 = p.mass_1 + p.mass_2, p.length_1, p.length_2
    a, b = m12 * l1 * math.cos(q[1]), p.mass_2 * l2 * math.cos(q[2])
    c = p.mass_2 * l1 * l2 * math.cos(q[1] - q[2])
    return np.array(
        [
            [p.cart + m12, a, b],
            [a, m12 * l1**2 + p.inertia_1, c],
            [b, c, p.mass_2 * l2**2 + p.inertia_2],
        ]
    )


def right_side(p: Parameters, q: Any, u: Any, force: float = 0.0) -> Any:
    """Return the right-hand side of the minimal model."""
    m12, l1, l2, g = p.mass_1 + p.mass_2, p.length_1, p.length_2, p.gravity
    s1, s2, s = math.sin(q[1]), math.sin(q[2]), math.sin(q[1] - q[2])
    c = p.mass_2 * l1 * l2 * s
    return np.array(
        [
            force + m12 * l1 * s1 * u[1] ** 2 + p.mass_2 * l2 * s2 * u[2] ** 2,
            m12 * g * l1 * s1 - c * u[2] ** 2,
            p.mass_2 * g * l2 * s2 + c * u[1] ** 2,
        ]
    )


def integrate(p: Parameters, times: Any) -> Any:
    """Return x, theta_1, theta_2 of the minimal model, integrated independently."""
    from scipy.integrate import solve_ivp

    def rates(_: float, z: Any) -> Any:
        return np.concatenate(
            [z[3:], np.linalg.solve(mass_matrix(p, z[:3]), right_side(p, z[:3], z[3:]))]
        )

    start = [0.0, p.angle_1, p.angle_2, 0.0, 0.0, 0.0]
    span = (times[0], times[-1])
    run = solve_ivp(rates, span, start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times)
    return run.y[:3].T


def build(p: Parameters) -> cl.Model:
    """Return the model; body angles turn against theta, whose sense is clockwise."""
    if p.formulation not in FORMULATIONS:
        known = ", ".join(FORMULATIONS)
        raise cl.UsageError(f"cart-double-pendulum: formulation must be one of {known}")
    mixed = p.formulation == "mixed"
    l1, l2, th1, th2 = p.length_1, p.length_2, p.angle_1, p.angle_2
    tip_1 = (l1 * math.sin(th1), l1 * math.cos(th1))
    tip_2 = (tip_1[0] + l2 * math.sin(th2), tip_1[1] + l2 * math.cos(th2))
    rest: dict[str, Any] = {"velocity": (0.0, 0.0), "angular_velocity": 0.0}
    # body frames sit in the tips, where the masses are
    links = [
        cl.Body(
            "link 1", mass=p.mass_1, inertia=p.inertia_1, position=tip_1, rotation=-th1, **rest
        ),
        cl.Body(
            "link 2", mass=p.mass_2, inertia=p.inertia_2, position=tip_2, rotation=-th2, **rest
        ),
    ]
    # the cart never turns; absolute coordinates still ask for an inertia
    cart = cl.Body("cart", mass=p.cart, inertia=0.01 * p.cart, **rest)
    return cl.Model(
        cl.Prismatic("s8", cl.Ground(), cart, axis=(1.0, 0.0), displacement=0.0),
        *(links if mixed else ()),
        cl.Revolute("h6", cart, links[0], at_second=(0.0, -l1), closure=mixed),
        cl.Revolute("h7", links[0], links[1], at_second=(0.0, -l2), closure=mixed),
        gravity=(0.0, -p.gravity),
        coordinates="absolute" if p.formulation == "absolute" else "relative",
        name="cart double pendulum",
    )


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run through the fall of both links."""
    options.setdefault("t_end", 3.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 601))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-12, atol=1e-13))
    return cl.simulate(build(p), **options)


def minimal(sol: cl.Solution) -> Any:
    """Return x, theta_1, theta_2 of a run in any formulation."""
    columns = (sol["cart"].position[:, 0], -sol["link 1"].angle, -sol["link 2"].angle)
    return np.column_stack(columns)


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare all formulations with the minimal model and with each other."""
    reference = integrate(p, sol.t)
    values = minimal(sol)
    checks = [
        # the motion amplifies errors by about a thousand until the end
        compare(
            f"{name}, largest difference from the minimal model [{unit}]",
            float(np.max(np.abs(values[:, k] - reference[:, k]))),
            0.0,
            1e-7,
        )
        for k, (name, unit) in enumerate((("x", "m"), ("theta_1", "rad"), ("theta_2", "rad")))
    ]
    residual, sizes = 0.0, {"absolute": 9, "mixed": 7}
    for formulation, size in sizes.items():
        other = simulate(replace(p, formulation=formulation), t_end=sol.t[-1], t_eval=sol.t)
        difference = float(np.max(np.abs(minimal(other) - values)))
        name = f"{formulation} against the run, largest difference [m or rad]"
        checks.append(compare(name, difference, 0.0, 1e-7))
        checks.append(compare(f"{formulation}, coordinates", other.q.shape[1], size, 0.0))
        residual = max(residual, float(np.max(np.abs(other["constraints.position_error"]))))
    energy = sol["energy.total"]
    drift = float(np.max(np.abs(energy - energy[0])) / np.max(sol["energy.kinetic"]))
    return [
        *checks,
        check_reference("largest constraint residual", residual, REFERENCE),
        check_reference("energy drift", drift, REFERENCE),
    ]


def show(sol: cl.Solution) -> Any:
    """Draw the coordinates over time and the paths of both tips."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    values = minimal(sol)
    with house_style():
        figure = new_figure(9.0, 3.8)
        over_time, paths = figure.subplots(1, 2)
        for k, name in enumerate(("x [m]", "theta 1 [rad]", "theta 2 [rad]")):
            over_time.plot(sol.t, values[:, k], color=COLOURS[k], label=name)
        over_time.set_xlabel(axis_label("time", "s"))
        over_time.set_title("Fall from the upright position")
        add_legend(over_time)
        for k, name in enumerate(("link 1", "link 2")):
            r = sol[name].position
            paths.plot(r[:, 0], r[:, 1], color=COLOURS[k + 1], label=f"tip of {name}")
        paths.set_aspect("equal")
        paths.set_xlabel(axis_label("x", "m"))
        paths.set_ylabel(axis_label("y", "m"))
        add_legend(paths)
    return figure
