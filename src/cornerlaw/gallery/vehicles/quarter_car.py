"""Quarter car on a rough road: comfort, safety and the damper between them.

A wheel of mass m_1 on a tyre of stiffness k_t carries a body of mass m_2 through a spring k and a
damper d. At constant speed the height of the road is integrated white noise: its rate has the
intensity q, E[zeta'(t) zeta'(s)] = q delta(t - s). With M = m_1 + m_2 the stationary variances
are

    comfort, body acceleration    q (k_t d^2 + k^2 M) / (2 d m_2^2)
    safety, dynamic wheel load    k_t^2 q / 2 (d M^2 / (k_t m_2^2)
                                  + (k^2 M^3 / (k_t m_2)^2 - 2 k m_1 M / (k_t m_2) + m_1) / d)
    suspension travel             q M / (2 d).

They follow from the Lyapunov equation A P + P A^T + q b b^T = 0 of the linear model. Both comfort
and safety have an optimal damper; between the two lies the Pareto front, where one gains what the
other loses.

The run is the answer to a step of the road. Since white noise in the velocity is a row of small
steps, each variance is also q times the integral of the squared answer to a unit step: the run,
the Lyapunov equation of the linearised model and the closed forms must agree. The source states
the task and the method without numbers; the values are those of a middle-class car on a class B
road of ISO 8608.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Quarter car with covariance analysis"
TOPIC = "vehicles"
SPEC: tuple[str, ...] = ("G7",)
SOURCE = "Schiehlen, GAMM 2015"
DOF = 2

STEP = 0.01  # height of the step of the road [m]; the model is linear
TYRE, STRUT = 0.3, 0.5  # unloaded lengths of tyre and strut [m]


@dataclass(frozen=True)
class Parameters:
    """A quarter of a middle-class car; deviations from its rest position, so no weight."""

    wheel: float = parameter(40.0, "kg", "chosen: wheel, brake and half the axle")
    body: float = parameter(300.0, "kg", "chosen: a quarter of the body")
    spring: float = parameter(18000.0, "N/m", "chosen: body frequency of 1.2 Hz")
    damper: float = parameter(1400.0, "N*s/m", "chosen: between comfort and safety")
    tyre: float = parameter(180000.0, "N/m", "chosen: ten times the spring")
    roughness: float = parameter(64e-6, "m^3", "book: ISO 8608 class B at 0.1 1/m")
    speed: float = parameter(25.0, "m/s", "chosen: 90 km/h")


@dataclass(frozen=True)
class Deviations:
    """Standard deviations of body acceleration, dynamic wheel load and suspension travel."""

    acceleration: float  # [m/s^2]
    load: float  # [N]
    travel: float  # [m]


REFERENCE: dict[str, Reference] = {}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"wheel": 48.0},
    {"body": 360.0},
    {"spring": 21600.0},
    {"damper": 1680.0},
    {"tyre": 216000.0},
)


def intensity(p: Parameters) -> float:
    """Return q: (2 pi n)^2 G v is the one-sided spectrum per Hz of the rate, q half of it."""
    return 0.5 * (2.0 * math.pi * 0.1) ** 2 * p.roughness * p.speed


def exact_deviations(p: Parameters) -> Deviations:
    """Return the closed forms."""
    m1, m2, k, d, kt, q = p.wheel, p.body, p.spring, p.damper, p.tyre, intensity(p)
    M = m1 + m2
    acceleration = q * (kt * d * d + k * k * M) / (2.0 * d * m2 * m2)
    squeeze = (
        k * k * M**3 / (kt * m2) ** 2 - 2.0 * k * m1 * M / (kt * m2) + m1
    ) / d + d * M * M / (kt * m2 * m2)
    return Deviations(
        math.sqrt(acceleration), kt * math.sqrt(0.5 * q * squeeze), math.sqrt(0.5 * q * M / d)
    )


def optimal_dampers(p: Parameters) -> tuple[float, float]:
    """Return the dampers of best comfort and of best safety in closed form."""
    m1, m2, k, kt = p.wheel, p.body, p.spring, p.tyre
    M = m1 + m2
    rest = k * k * M**3 / (kt * m2) ** 2 - 2.0 * k * m1 * M / (kt * m2) + m1
    return k * math.sqrt(M / kt), m2 / M * math.sqrt(kt * rest)


def build(p: Parameters) -> cl.Model:
    """Return wheel and body on vertical guides, at rest behind a step of the road."""
    ground = cl.Ground()
    road = cl.MovingFrame("road", position=(0.0, STEP))
    wheel = cl.Body("wheel", mass=p.wheel)
    body = cl.Body("body", mass=p.body)
    up = (0.0, 1.0)
    return cl.Model(
        road,
        cl.Prismatic(
            "wheel guide", ground, wheel, axis=up, at=(0.0, TYRE), displacement=0.0, velocity=0.0
        ),
        cl.Prismatic(
            "body guide",
            ground,
            body,
            axis=up,
            at=(0.0, TYRE + STRUT),
            displacement=0.0,
            velocity=0.0,
        ),
        cl.Spring("tyre", road, wheel, stiffness=p.tyre, rest=TYRE),
        cl.Spring("strut", wheel, body, stiffness=p.spring, damping=p.damper, rest=STRUT),
        name="quarter car",
    )


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run until the answer to the step has died out."""
    options.setdefault("t_end", 8.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 8001))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-11, atol=1e-13))
    return cl.simulate(build(p), **options)


def step_deviations(sol: cl.Solution, q: float) -> Deviations:
    """Return the deviations from the integrals of the squared answer to a step."""
    from scipy.integrate import simpson

    y1, y2 = sol["wheel guide"].displacement, sol["body guide"].displacement
    a2 = sol["body guide"].velocity_rate
    load = sol["tyre"].tension
    values = [math.sqrt(q * float(simpson(y**2, x=sol.t))) / STEP for y in (a2, load, y2 - y1)]
    return Deviations(*values)


def linear_model(p: Parameters) -> tuple[Any, Any]:
    """Return A and b of z' = A z + b zeta', z = (tyre squeeze, wheel, travel, body velocity).

    The accelerations of the model are evaluated in unit states; they are linear, so the differences
    are exact up to rounding.
    """
    model = build(p)

    def accelerations(squeeze: float, v1: float, travel: float, v2: float) -> Any:
        state = {
            "wheel guide.displacement": STEP + squeeze,
            "wheel guide.velocity": v1,
            "body guide.displacement": STEP + squeeze + travel,
            "body guide.velocity": v2,
        }
        sol = cl.simulate(model.replace(state), 0.0, t_eval=[0.0])
        return np.array([sol["wheel guide"].velocity_rate[0], sol["body guide"].velocity_rate[0]])

    A, size = np.zeros((4, 4)), 0.01
    A[0, 1], A[2, 1], A[2, 3] = 1.0, -1.0, 1.0
    for k in range(4):
        z = [0.0] * 4
        z[k] = size
        A[[1, 3], k] = (accelerations(*z) - accelerations(0.0, 0.0, 0.0, 0.0)) / size
    return A, np.array([-1.0, 0.0, 0.0, 0.0])


def covariance(A: Any, b: Any, p: Parameters) -> Deviations:
    """Return the deviations from the Lyapunov equation A P + P A^T + q b b^T = 0."""
    from scipy.linalg import solve_continuous_lyapunov

    P = solve_continuous_lyapunov(A, -intensity(p) * np.outer(b, b))
    return Deviations(math.sqrt(A[3] @ P @ A[3]), p.tyre * math.sqrt(P[0, 0]), math.sqrt(P[2, 2]))


def trade_off(p: Parameters, dampers: Any) -> list[Deviations]:
    """Return the deviations over the damper by the Lyapunov equation.

    The damper enters A linearly, so two linearised models tell all.
    """
    A1, b = linear_model(p)
    A0, _ = linear_model(replace(p, damper=0.0))
    return [covariance(A0 + d / p.damper * (A1 - A0), b, p) for d in dampers]


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare run, Lyapunov equation and closed forms, and the ends of the Pareto front."""
    q, exact = intensity(p), exact_deviations(p)
    run = step_deviations(sol, q)
    lyapunov = covariance(*linear_model(p), p)
    comfort, safety = optimal_dampers(p)
    dampers = np.geomspace(0.4 * min(comfort, safety), 2.5 * max(comfort, safety), 81)
    table = trade_off(p, dampers)
    a = np.array([entry.acceleration for entry in table])
    f = np.array([entry.load for entry in table])
    # on the front: no other damper is better in both
    front = [not ((a < a[k]) & (f < f[k])).any() for k in range(len(dampers))]
    ends = dampers[np.flatnonzero(front)[[0, -1]]]
    grid = dampers[1] / dampers[0]
    checks = []
    units = {"acceleration": "m/s^2", "load": "N", "travel": "m"}
    for name, unit in units.items():
        value = getattr(exact, name)
        # Simpson's rule over 1 ms against 67 rad/s of the wheel
        checks.append(
            compare(f"{name} from the run [{unit}]", getattr(run, name), value, 1e-6 * value)
        )
        # differences of 1e-2 in forces of 1e3 leave ten digits
        checks.append(
            compare(f"{name} by Lyapunov [{unit}]", getattr(lyapunov, name), value, 1e-8 * value)
        )
    lower, upper = min(comfort, safety), max(comfort, safety)
    return [
        *checks,
        # the front is known to one cell of the grid
        compare("front begins at [N s/m]", ends[0], lower, (grid - 1.0) * lower),
        compare("front ends at [N s/m]", ends[1], upper, (grid - 1.0) * upper),
    ]


def show(sol: cl.Solution, p: Parameters = Parameters()) -> Any:
    """Draw the answer to the step and comfort against safety over the damper."""
    from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

    comfort, safety = optimal_dampers(p)
    dampers = np.geomspace(0.4 * min(comfort, safety), 2.5 * max(comfort, safety), 81)
    table = [exact_deviations(replace(p, damper=float(d))) for d in dampers]
    with house_style():
        figure = new_figure(9.0, 3.8)
        answer, front = figure.subplots(1, 2)
        for colour, name in zip(COLOURS, ("wheel", "body"), strict=False):
            motion = 1e3 * sol[f"{name} guide"].displacement
            answer.plot(sol.t, motion, color=colour, label=name)
        answer.set_xlim(0.0, 2.5)
        answer.set_xlabel(axis_label("time", "s"))
        answer.set_ylabel(axis_label("displacement", "mm"))
        answer.set_title("Answer to a step of 10 mm")
        add_legend(answer)
        front.plot(
            [entry.acceleration for entry in table], [entry.load for entry in table], color="0.6"
        )
        inside = [
            entry
            for d, entry in zip(dampers, table, strict=True)
            if min(comfort, safety) <= d <= max(comfort, safety)
        ]
        front.plot(
            [entry.acceleration for entry in inside],
            [entry.load for entry in inside],
            color=COLOURS[2],
            linewidth=3.0,
            label="Pareto front",
        )
        front.set_xlabel(axis_label("deviation of body acceleration", "m/s^2"))
        front.set_ylabel(axis_label("deviation of wheel load", "N"))
        front.set_title("Comfort against safety")
        add_legend(front)
    return figure
