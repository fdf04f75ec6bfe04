# mypy: allow-untyped-defs
"""Ship turning gear: the astern wheel of a reversing gear rattles while the ship goes ahead.

A Diesel engine drives through a rubber coupling the pinion of a reversing gear. Ahead, the pinion
drives a wheel and by a long shaft the propeller. The astern wheel is in mesh, too, but its clutch
is open: only the drag of the discs holds it back. At low speed the ignitions shake the pinion; the
astern wheel is thrown between its flanks and its impacts knock the loaded pair off its flank.

Both meshes are rigid, with backlash and Newton's law. An impact of the astern wheel shows a corner
law at work: while the ahead flanks are closed, an impact that pushes the pinion forwards has to
move the ahead wheel, too, one that pushes it backwards opens them and feels the pinion alone,

    Lambda = (1 + e) gamma / (r_A^2 / J_A + r_P^2 / J),   J = J_P + J_W (r_P / r_W)^2  or  J_P.

Source: the ship turning gear (A4), named without numbers; data are those of a small marine Diesel
engine at manoeuvring speed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Reference, compare, parameter

TITLE = "Ship turning gear"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("A4", "ship turning gear")
SOURCE = "Pfeiffer and Glocker 1996, named without data"
DOF = 5
FLYING = 1e-9  # gap [m] above which the ahead flanks count as open


@dataclass(frozen=True)
class Parameters:
    """Engine, coupling, gear and propeller."""

    engine: float = parameter(30.0, "kg*m^2", "chosen: six cylinders with flywheel")
    mean: float = parameter(2000.0, "N*m", "chosen: manoeuvring, a sixth of the rated torque")
    third: float = parameter(4000.0, "N*m", "chosen: third order, twice the mean torque")
    speed: float = parameter(65.0, "rad/s", "chosen: 620 rpm")
    coupling: float = parameter(1e5, "N*m/rad", "chosen: rubber, 80 rad/s")
    coupling_damping: float = parameter(300.0, "N*m*s/rad", "chosen: rubber")
    pinion: float = parameter(3.0, "kg*m^2", "chosen: with the ahead clutch")
    ahead: float = parameter(20.0, "kg*m^2", "chosen: wheel")
    astern: float = parameter(1.5, "kg*m^2", "chosen: wheel with the outer discs")
    radius_pinion: float = parameter(0.12, "m", "chosen: base radius")
    radius_ahead: float = parameter(0.30, "m", "chosen: ratio 2.5")
    radius_astern: float = parameter(0.15, "m", "chosen: base radius")
    backlash: float = parameter(3e-4, "m", "chosen: both meshes")
    restitution: float = parameter(0.4, "1", "chosen: teeth with oil")
    calm: float = parameter(1e-4, "m/s", "chosen: the oil swallows slower impacts")
    drag: float = parameter(0.4, "N*m*s/rad", "chosen: oil between the open discs, 20 N m")
    shaft: float = parameter(4e5, "N*m/rad", "chosen: propeller shaft of 8 m")
    shaft_damping: float = parameter(200.0, "N*m*s/rad", "chosen: bearings")
    propeller: float = parameter(60.0, "kg*m^2", "chosen: with the water that moves along")


REFERENCE = {
    "torque of the propeller [N m]": Reference(4958.4, 0.1, "(mean torque - drag) times the ratio"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"restitution": 0.6},
    {"astern": 1.7},
    {"drag": 0.5},
    {"pinion": 3.3},
    {"ahead": 24.0},
    {"radius_astern": 0.16},
)


def _water(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -p[0] * u[0] * abs(u[0])


def _water_loss(t, r, A, v, Omega, q, u, x, p):
    return p[0] * abs(u[0]) ** 3


def water_torque(p: Parameters) -> float:
    """Return the mean torque of the propeller: what the drag of the astern wheel leaves."""
    ratio = p.radius_pinion / p.radius_astern
    return (p.mean - ratio**2 * p.drag * p.speed) * p.radius_ahead / p.radius_pinion


def build(p: Parameters) -> cl.Model:
    """Return the train at its mean speed, twisted by its mean torque, all flanks closed."""
    half = 0.5 * p.backlash
    to_ahead, to_astern = p.radius_pinion / p.radius_ahead, p.radius_pinion / p.radius_astern
    slow = p.speed * to_ahead
    engine = cl.Rotor("engine", inertia=p.engine, angle=p.mean / p.coupling, speed=p.speed)
    pinion = cl.Rotor("pinion", inertia=p.pinion, angle=0.0, speed=p.speed)
    # way = r_P q_P - r q = s / 2: the pinion pushes
    ahead = cl.Rotor("ahead", inertia=p.ahead, angle=-half / p.radius_ahead, speed=slow)
    astern = cl.Rotor(
        "astern", inertia=p.astern, angle=-half / p.radius_astern, speed=p.speed * to_astern
    )
    torque = water_torque(p)
    propeller = cl.Rotor(
        "propeller",
        inertia=p.propeller,
        angle=-half / p.radius_ahead - torque / p.shaft,
        speed=slow,
    )
    return cl.Model(
        engine, pinion, ahead, astern, propeller,
        drives.engine_orders("gas", engine, mean=p.mean, orders={3.0: p.third}),
        drives.shaft("coupling", engine, pinion, stiffness=p.coupling, damping=p.coupling_damping),
        drives.shaft("shaft", ahead, propeller, stiffness=p.shaft, damping=p.shaft_damping),
        cl.ForceElement(
            "water", coordinates=("propeller.angle",), law=_water,
            parameters={"drag": torque / slow**2}, outputs={"loss": _water_loss},
        ),
        cl.TorsionSpring("discs", astern, damping=p.drag),
        *drives.gear_flanks(
            "loaded", pinion, ahead, radius_1=p.radius_pinion, radius_2=p.radius_ahead,
            backlash=p.backlash, internal=True, eps_N=0.0,
        ),
        *drives.gear_flanks(
            "loose", pinion, astern, radius_1=p.radius_pinion, radius_2=p.radius_astern,
            backlash=p.backlash, internal=True, eps_N=p.restitution,
            eps_speed=p.calm,
        ),
        name="ship turning gear",
    )  # fmt: skip


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run half a second, sixteen ignitions."""
    end = float(options.setdefault("t_end", 0.5))
    options.setdefault("method", cl.EventDriven(rtol=1e-10, atol=1e-12))
    options.setdefault("t_eval", np.linspace(0.0, end, 5001))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def masses(p: Parameters) -> tuple[float, float]:
    """Return what an impact of the astern wheel feels [kg]: pinion alone, and with the wheel."""
    with_wheel = p.pinion + p.ahead * (p.radius_pinion / p.radius_ahead) ** 2
    alone, both = (
        1.0 / (p.radius_astern**2 / p.astern + p.radius_pinion**2 / J)
        for J in (p.pinion, with_wheel)
    )
    return alone, both


def impacts(sol: cl.Solution, p: Parameters) -> dict[str, Any]:
    """Return impulses of the astern wheel against their closed form, and how often each kind is.

    error   largest error of an impulse by the mass it feels, over the largest impulse
    bounce  largest error of a speed after it over the largest speed; impacts that the oil
            swallows are left out
    net     sum of the impulses, forwards minus backwards [N s]
    alone, both   number of impacts on the pinion alone, and on pinion and ahead wheel
    """
    alone, both = masses(p)
    errors, sizes, bounces, speeds = [0.0], [1e-300], [0.0], [1e-300]
    net, kinds = 0.0, {"alone": 0, "both": 0}
    for event in sol.events:
        if event.kind != "impact" or not event.name.startswith("loose"):
            continue
        forwards = event.name.endswith("1")
        row = int(np.searchsorted(sol.t, event.time))
        # backwards the wheel pushes the pinion on, against the ahead wheel
        joined = not forwards and sol["loaded.1"].gap[row] < FLYING
        joined = joined or (forwards and sol["loaded.2"].gap[row] < FLYING)
        kinds["both" if joined else "alone"] += 1
        before, after = -event.data["gamma_N_minus"], event.data["gamma_N_plus"]
        impulse = event.data["Lambda_N"]
        sizes.append((before + after) * (both if joined else alone))
        errors.append(abs(impulse - sizes[-1]))
        if after > FLYING:
            bounces.append(abs(after - p.restitution * before))
            speeds.append(before)
        net += impulse if forwards else -impulse
    error, bounce = max(errors) / max(sizes), max(bounces) / max(speeds)
    return {"error": error, "bounce": bounce, "net": net, **kinds}


def passed_on(sol: cl.Solution, p: Parameters) -> float:
    """Return the impulse that momentum and drag of the astern wheel ask of its mesh [N s]."""
    wheel = sol["astern"]
    gained = p.astern * (wheel.speed[-1] - wheel.speed[0])
    return float(gained + p.drag * (wheel.angle[-1] - wheel.angle[0])) / p.radius_astern


def pressed(sol: cl.Solution) -> float:
    """Return the impulse of forces in the astern mesh while its flanks rest on each other [N s]."""
    return sum(
        sign * drives.integral(sol.t, sol[f"loose.{k}"].lam_N) for k, sign in ((1, 1.0), (2, -1.0))
    )


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare impulses with their closed forms, momentum, threshold and energy."""
    torque = REFERENCE["torque of the propeller [N m]"]
    found, book = impacts(sol, p), drives.audit(sol, build(p))
    needed = passed_on(sol, p)
    # the drag presses the astern wheel on while J_A times its acceleration is below it
    calm = simulate(replace(p, third=0.0), t_end=0.1)
    force = min(
        float(sol[f"{mesh}.{k}"].lam_N.min()) for mesh in ("loaded", "loose") for k in (1, 2)
    )
    return [
        compare("torque of the propeller [N m]", water_torque(p), torque.value, torque.tolerance),
        compare("impulses over the mass they feel", found["error"], 0.0, 1e-8),
        compare("rebound against Newton's law", found["bounce"], 0.0, 1e-8),
        compare("impacts on the pinion alone", float(found["alone"] > 10), 1.0, 0.0),
        compare("impacts on pinion and wheel", float(found["both"] > 3), 1.0, 0.0),
        # resting flanks pass on 6e-6 N s each time that the loaded pair closes, which are no events
        compare("impulses against momentum and drag", (found["net"] + pressed(sol)) / needed, 1.0,
                2e-6),
        compare("the loaded pair hammers", float(any(
            e.kind == "impact" and e.name.startswith("loaded") for e in sol.events)), 1.0, 0.0),
        compare("impacts without ignitions", float(sum(
            e.kind == "impact" for e in calm.events)), 0.0, 0.0),
        compare("least force of a flank over the mean", min(force, 0.0) * p.radius_pinion / p.mean,
                0.0, 1e-8),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 1e-12),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw the way of both meshes and the impulses of the astern wheel."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters()
    with house_style():
        figure = new_figure(9.0, 5.4)
        top, low = figure.subplots(2, 1, sharex=True)
        for k, mesh in enumerate(("loose", "loaded")):
            way = 0.5 * p.backlash - sol[f"{mesh}.1"].gap
            top.plot(sol.t, 1e3 * way, color=COLOURS[k], lw=0.9, label=mesh)
        top.set_ylabel(axis_label("way", "mm"))
        top.legend(loc="lower right", ncols=2)
        for k, mesh in enumerate(("loose", "loaded")):
            hits = [e for e in sol.events if e.kind == "impact" and e.name.startswith(mesh)]
            size = [(1 if e.name.endswith("1") else -1) * e.data["Lambda_N"] for e in hits]
            low.vlines([e.time for e in hits], 0.0, size, color=COLOURS[k])
        low.axhline(0.0, color="0.5", lw=0.6)
        low.set_ylabel(axis_label("impulse", "N s"))
        low.set_xlabel(axis_label("time", "s"))
    return figure
