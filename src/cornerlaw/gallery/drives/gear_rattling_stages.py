# mypy: allow-untyped-defs
"""Gear rattling in a change-over gear: a shaking input shaft and several loose stages behind it.

The input gear moves by A sin(omega t). It hits the flanks of the counter shaft, the counter shaft
those of a loose gear on the main shaft, and this those of the reverse idler. In every stage drag
and oil hold the gear back, in every mesh Newton's law acts between both flanks. With the ways W_k
of the gears along their lines of contact and the ratio r_k of the two gears on a shaft

    x_k = r_(k-1) W_(k-1) - W_k,   |x_k| <= s_k / 2,   W_k'' = -b W_k' - g_k   between impacts,

so that every flight has a closed form, and an impact changes the two gears of its mesh. What is
heard is a mean value: the power lost in impacts. Over amplitude and backlash it is a map with a
sharp border. With m_k = J_k / r^2 and R_k = r_1 ... r_(k-1) the flanks of mesh k stay closed while

    A omega sqrt(omega^2 + b^2) sum R_j^2 m_j < sum R_j m_j g_j,   j = k, k + 1, ...;

below the least of these amplitudes a train that moves as one goes on so and nothing rattles; one
that rattles already may go on below the border. The mean impulse of a mesh has a closed form, too:
it carries the drag of all stages behind it.

Source: gear rattling with several stages and its mean values over parameters (A3); no numbers are
printed, the references are the closed forms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter
from cornerlaw.gallery.drives import _rattle_stages as stages

Floats = NDArray[np.float64]

TITLE = "Gear rattling, several stages"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A3", "gear rattling stages")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 3
PERIODS = 10
SETTLE = 0.25  # part of a run that mean values leave out


def _stages(values: tuple[float, ...], unit: str, origin: str) -> Any:
    return parameter(values, unit, origin)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Parameters:
    """Input shaft, and for each stage its gear; ways along the line of contact."""

    amplitude: float = parameter(1e-4, "m", "chosen: 0.1 mm at the teeth")
    frequency: float = parameter(200.0, "rad/s", "chosen: 32 Hz, second order at 950 rpm")
    restitution: float = parameter(0.8, "1", "chosen: steel with a film of oil")
    oil: float = parameter(2.0, "1/s", "chosen: fades in half a second")
    radius: float = parameter(0.04, "m", "chosen: base radius of every driven gear")
    backlash: tuple[float, ...] = _stages((2e-4, 1.5e-4, 1.5e-4), "m", "chosen: per mesh")
    inertia: tuple[float, ...] = _stages(
        (1.6e-3, 4e-4, 2e-4), "kg*m^2", "chosen: counter shaft, loose gear, reverse idler"
    )
    drag: tuple[float, ...] = _stages((1.0, 1.4, 1.2), "m/s^2", "chosen: a third of A omega^2")
    ratio: tuple[float, ...] = _stages(
        (1.2, 0.9), "1", "chosen: driving over driven radius of counter shaft and loose gear"
    )


REFERENCE = {
    "amplitude at which rattling begins [m]": Reference(
        2.626379e-5, 1e-11, "drag over inertia of all three stages, over omega sqrt(omega^2 + b^2)"
    ),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"restitution": 0.78},
    {"drag": (1.0, 1.5, 1.2)},
    {"backlash": (2e-4, 1.5e-4, 1.6e-4)},
    {"inertia": (1.6e-3, 4.4e-4, 2e-4)},
    {"ratio": (1.25, 0.9)},
    {"oil": 4.0},
)


def _shake(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    """One gear in axes that shake as it would without backlash: r q = R A sin(omega t) - W."""
    speed = p[6] * p[0] * p[1] * math.cos(p[1] * t) - p[4] * u[0]
    push = -p[6] * p[0] * p[1] ** 2 * math.sin(p[1] * t) + p[3] * speed + p[2]
    Q[0] = p[5] * push / p[4]


def _start(p: Parameters, together: bool) -> tuple[list[float], list[float]]:
    """Return angles and speeds: gears at rest amid their backlash, or all on their flanks."""
    R = stages.leads(p)
    if not together:
        return [0.0] * len(R), (R * p.amplitude * p.frequency / p.radius).tolist()
    ways = [0.5 * p.backlash[0]]
    for play, ratio in zip(p.backlash[1:], p.ratio, strict=True):
        ways.append(0.5 * play + ratio * ways[-1])
    return [way / p.radius for way in ways], [0.0] * len(R)


def build(p: Parameters, together: bool = False) -> cl.Model:
    """Return the loose gears, each against its shaking axes, and the flanks of all meshes."""
    R = stages.leads(p)
    angles, speeds = _start(p, together)
    gears = [
        cl.Rotor(f"gear {k + 1}", inertia=J, angle=angles[k], speed=speeds[k])
        for k, J in enumerate(p.inertia)
    ]
    parts: list[Any] = list(gears)
    for k, gear in enumerate(gears):
        parts.append(
            cl.ForceElement(
                f"shake {k + 1}",
                coordinates=(f"{gear.name}.angle",),
                law=_shake,
                parameters={
                    "amplitude": p.amplitude, "frequency": p.frequency, "drag": p.drag[k],
                    "oil": p.oil, "radius": p.radius, "inertia": p.inertia[k], "lead": R[k],
                },
            )
        )  # fmt: skip
        if k:
            parts += drives.gear_flanks(
                f"mesh {k + 1}", gear, gears[k - 1], radius_1=p.radius,
                radius_2=p.ratio[k - 1] * p.radius, backlash=p.backlash[k],
                eps_N=p.restitution, internal=True,
            )  # fmt: skip
        else:
            parts += [
                cl.UserContact(
                    f"mesh 1.{i}", on=gear, gap=0.5 * p.backlash[0], normal=(-sign * p.radius,),
                    eps_N=p.restitution,
                )
                for i, sign in ((1, 1.0), (2, -1.0))
            ]  # fmt: skip
    return cl.Model(*parts, name="gear rattling, several stages")


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run ten periods of the input shaft."""
    end = PERIODS * 2.0 * math.pi / p.frequency
    options.setdefault("t_end", end)
    options.setdefault("method", cl.EventDriven(rtol=1e-12, atol=1e-15, zeno=1e-9))
    options.setdefault("t_eval", np.linspace(0.0, end, 4001))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def threshold(p: Parameters) -> float:
    """Return the amplitude at which the first flank is left by a train that moved as one."""
    mass, R = np.asarray(p.inertia) / p.radius**2, stages.leads(p)
    pressed, thrown = R * mass * np.asarray(p.drag), R**2 * mass
    behind = [pressed[k:].sum() / thrown[k:].sum() for k in range(len(R))]
    return float(min(behind) / (p.frequency * math.hypot(p.frequency, p.oil)))


def _state(sol: cl.Solution, p: Parameters, row: int) -> tuple[Floats, Floats]:
    """Return ways and speeds of the gears at a row."""
    shake, rate = stages.drive(p, float(sol.t[row]))
    R = stages.leads(p)
    names = [f"gear {k + 1}" for k in range(len(R))]
    angle = np.array([sol[name].angle[row] for name in names])
    speed = np.array([sol[name].speed[row] for name in names])
    return R * shake - p.radius * angle, R * rate - p.radius * speed


def deviation(sol: cl.Solution, p: Parameters) -> dict[str, float]:
    """Return the largest errors of the impacts, each predicted from the state after the last one.

    phase of the impact, speeds after it over the largest speed of the input gear, and how far a
    flank was passed on the way, over half the backlash.
    """
    worst = {"phase": 0.0, "speed": 0.0, "passed": 0.0}
    t_0, (W, V) = 0.0, _state(sol, p, 0)
    top = p.amplitude * p.frequency
    for event in sol.events:
        if event.kind != "impact":
            continue
        mesh, flank = int(event.name[5:-2]) - 1, 1.0 if event.name.endswith("1") else -1.0
        time = stages.meet(p, t_0, W, V, event.time, (mesh, flank))
        worst["phase"] = max(worst["phase"], abs(time - event.time) * p.frequency / (2 * math.pi))
        worst["passed"] = max(worst["passed"], stages.passed(p, t_0, W, V, time))
        expected = stages.bounce(p, mesh, stages.flight(p, t_0, W, V, time)[1], time)
        t_0 = event.time
        W, V = _state(sol, p, int(np.searchsorted(sol.t, t_0, side="right")) - 1)
        worst["speed"] = max(worst["speed"], float(np.abs(expected - V).max()) / top)
    return worst


def impulses(sol: cl.Solution, p: Parameters) -> Floats:
    """Return the impulse that every mesh passed on, forwards minus backwards [N s]."""
    total = np.zeros(len(p.inertia))
    for event in sol.events:
        if event.kind == "impact":
            sign = 1.0 if event.name.endswith("1") else -1.0
            total[int(event.name[5:-2]) - 1] += sign * float(event.data["Lambda_N"])
    return total


def carried(sol: cl.Solution, p: Parameters) -> Floats:
    """Return the impulse that momentum, drag and oil ask of every mesh, without looking at impacts.

    m_k (V_k' + b V_k + g_k) integrated over the run, for the gear behind the mesh and with the
    ratios for all gears further on.
    """
    (W_0, V_0), (W, V) = _state(sol, p, 0), _state(sol, p, len(sol.t) - 1)
    mass = np.asarray(p.inertia) / p.radius**2
    need = mass * (V - V_0 + p.oil * (W - W_0) + np.asarray(p.drag) * sol.t[-1])
    for k in range(len(need) - 2, -1, -1):
        need[k] += p.ratio[k] * need[k + 1]
    return np.asarray(need, dtype=np.float64)


def mean_power(p: Parameters, *, periods: int = 40, steps: int = 400) -> float:
    """Return the mean power lost in impacts, over m_1 A^2 omega^3, by time stepping.

    The train starts as one. Resting flanks and infinitely many impacts in finite time are no
    obstacle there. The first quarter of the run is left out.
    """
    period = 2.0 * math.pi / p.frequency
    end = periods * period
    sol = cl.simulate(
        build(p, together=True), end, method=cl.Moreau(dt=period / steps),
        t_eval=np.array([0.0, end]), progress=False,
    )  # fmt: skip
    late = [e for e in sol.events if e.kind == "impact" and e.time > SETTLE * end]
    lost = -sum(float(event.data["energy"]) for event in late)
    scale = p.inertia[0] / p.radius**2 * p.amplitude**2 * p.frequency**3
    return lost / ((1.0 - SETTLE) * end) / scale


def mean_map(p: Parameters, amplitudes: Sequence[float], plays: Sequence[float]) -> Floats:
    """Return the mean power over the amplitude (rows) and a common factor of all backlashes."""
    return np.array(
        [
            [
                mean_power(
                    replace(p, amplitude=a, backlash=tuple(f * s for s in p.backlash)),
                    periods=40, steps=200,
                )
                for f in plays
            ]
            for a in amplitudes
        ]
    )  # fmt: skip


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare every impact with the closed forms, impulses with the drag, and mean values."""
    begins = REFERENCE["amplitude at which rattling begins [m]"]
    errors = deviation(sol, p)
    book = drives.audit(sol, build(p))
    hits = [sum(e.name.startswith(f"mesh {k}") for e in sol.events) for k in (1, 2, 3)]
    given, needed = impulses(sol, p), carried(sol, p)
    quiet = replace(p, amplitude=0.99 * threshold(p))
    loud = replace(p, amplitude=1.2 * threshold(p))
    return [
        compare("amplitude at which rattling begins [m]", threshold(p), begins.value,
                begins.tolerance),
        compare("every mesh rattles", float(min(hits) >= PERIODS), 1.0, 0.0),
        compare("phase of an impact against its closed form", errors["phase"], 0.0, 1e-8),
        compare("speeds after it", errors["speed"], 0.0, 1e-8),
        compare("flank passed between impacts", errors["passed"], 0.0, 1e-8),
        compare("impulses against drag and oil",
                float(np.abs(given - needed).max() / np.abs(needed).max()), 0.0, 1e-8),
        compare("mean power below the border", mean_power(quiet, periods=12), 0.0, 1e-6),
        compare("mean power above it", float(mean_power(loud, periods=12) > 1e-3), 1.0, 0.0),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw the ways in the meshes and the map of the mean power over amplitude and backlash."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters()
    with house_style():
        figure = new_figure(9.0, 5.6)
        axes = figure.subplots(2, 1)
        early = sol.t < 0.3 * sol.t[-1]
        for k in range(len(p.inertia)):
            way = 0.5 * p.backlash[k] - sol[f"mesh {k + 1}.1"].gap[early]
            axes[0].plot(1e3 * sol.t[early], 1e3 * way, color=COLOURS[k], label=f"mesh {k + 1}")
        axes[0].set_xlabel(axis_label("time", "ms"))
        axes[0].set_ylabel(axis_label("way", "mm"))
        axes[0].legend(loc="lower right", ncols=3)
        amplitudes, plays = np.linspace(1e-5, 1.7e-4, 9), np.linspace(0.4, 2.2, 6)
        power = mean_map(p, amplitudes.tolist(), plays.tolist())
        drawn = axes[1].pcolormesh(1e3 * amplitudes, plays, power.T, shading="nearest")
        axes[1].axvline(1e3 * threshold(p), color="white", lw=0.9)
        axes[1].set_xlabel(axis_label("amplitude", "mm"))
        axes[1].set_ylabel(axis_label("factor of all backlashes", "1"))
        figure.colorbar(drawn, ax=axes[1], label="mean power / m A² ω³")
    return figure
