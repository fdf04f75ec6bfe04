"""A car with an automatic gearbox drives off and shifts from first to third gear.

Engine with lag, torque converter by its maps, three planetary sets with the clutches A, D, E and
the freewheel FL, cardan shaft, final drive, tyres and vehicle. In first gear FL holds the shaft Y.
Brake E takes over for second gear, so that FL runs free; for third gear D closes while E opens. The
engine never stops pushing.

Source: the drive train of section 5.1 with its shift table; tooth numbers reconstructed from the
published ratios. Inertias, maps and vehicle data are not printed and chosen here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check, Erratum, Reference, compare, parameter
from cornerlaw.gallery.drives._five_speed import gearbox, ratio

TITLE = "Car shifting from rest to third gear"
TOPIC = "drives"
SPEC: tuple[str, ...] = ("SYS-4", "AT-10", "automatic gearbox")
SOURCE = "Pfeiffer 2008, 5.1"
DOF = 6

ERRATA = (
    Erratum(
        "(5.35)",
        "torques of the clutches with the signs of the speeds in (5.48)",
        "both reversed: J_E phi_T'' = M_T - sum M_i / i_iE, J_A phi_A'' = sum i_iA M_i - M_W",
        "as printed a slipping clutch creates energy, and the freewheel would have to pull",
    ),
)

SHAFTS = ("X", "Y", "V", "U", "output")


@dataclass(frozen=True)
class Parameters:
    """Engine, gearbox, train, vehicle, and the times of the shifts."""

    engine: float = parameter(0.25, "kg*m^2", "chosen: engine with pump")
    turbine: float = parameter(0.05, "kg*m^2", "chosen: turbine")
    gears: float = parameter(0.01, "kg*m^2", "chosen: each shaft of the gearbox")
    wheels: float = parameter(3.0, "kg*m^2", "chosen: four wheels and differential")
    mass: float = parameter(1800.0, "kg", "chosen: upper class car")
    radius: float = parameter(0.31, "m", "chosen: tyre")
    final_drive: float = parameter(3.0, "1", "chosen: axle ratio")
    shaft_stiffness: float = parameter(3000.0, "N*m/rad", "chosen: shafts, at the gearbox")
    shaft_damping: float = parameter(30.0, "N*m*s/rad", "chosen: a few percent")
    tyre_stiffness: float = parameter(4e4, "N*m/rad", "chosen: two driven wheels")
    tyre_damping: float = parameter(400.0, "N*m*s/rad", "chosen: a few percent")
    torque: float = parameter(300.0, "N*m", "chosen: full load in the middle of the speeds")
    lag: float = parameter(0.1, "s", "chosen: T_M of the engine")
    drag_area: float = parameter(0.66, "m^2", "chosen: 0.3 times 2.2")
    rolling: float = parameter(0.012, "1", "chosen: road tyre")
    second: float = parameter(3.0, "s", "chosen: begin of the first shift")
    third: float = parameter(6.0, "s", "chosen: begin of the second shift")
    end: float = parameter(8.0, "s", "chosen: shows all phases")


REFERENCE = {
    "ratio in second gear": Reference(2.2, 5e-4, "published: 2.200"),
    "ratio in third gear": Reference(1.505, 5e-4, "published: 1.505"),
    "ratio in first gear": Reference(3.571, 5e-4, "published: 3.571"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"third": 12.0},
    {"second": 4.5},
    {"torque": 120.0},
)

WAIT = 0.1  # from the sticking of a brake on until the oscillation is judged [s]

PACK = drives.DiscPack(area=8e-3, spring=800.0, radius=0.07, faces=8, static=0.13)


def pump_torque(nu: float) -> float:
    """Return the torque the pump takes at the reference speed."""
    return 180.0 * max(0.0, 1.0 - max(nu, 0.0) ** 4)


def torque_ratio(nu: float) -> float:
    """Return turbine torque over pump torque: two at rest, one from the coupling point on."""
    return max(1.0, 2.0 - 1.2 * nu) if nu < 1.0 else 1.0


def pressures(p: Parameters) -> dict[str, cl.Table]:
    """Return the pressures at E and D behind their valves."""
    high = 8e5
    return {
        "E": drives.lagged_pressure(
            (0.0, p.second, p.second, p.second + 0.6, p.third, p.third + 0.35, p.end + 5.0),
            (0.0, 0.0, 1.6e5, high, high, 0.0, 0.0), lag=0.05,
        ),
        "D": drives.lagged_pressure(
            (0.0, p.third, p.third, p.third + 0.6, p.end + 5.0), (0.0, 0.0, 1.6e5, high, high),
            lag=0.05,
        ),
    }  # fmt: skip


def build(p: Parameters) -> cl.Model:
    """Return the whole train."""
    idle = 90.0
    engine = cl.Rotor("engine", inertia=p.engine, speed=idle)
    turbine = cl.Rotor("turbine", inertia=p.turbine)
    shafts = {name: cl.Rotor(name, inertia=p.gears) for name in SHAFTS}
    wheels = cl.Rotor("wheels", inertia=p.wheels)
    car = cl.Slider("car", mass=p.mass)
    closed = pressures(p)
    speeds = (80.0, 200.0, 350.0, 500.0, 650.0)
    shape = (0.7, 0.9, 1.0, 0.98, 0.85)
    return cl.Model(
        engine, turbine, *shafts.values(), wheels, car,
        drives.engine(
            "gas", engine, speeds=speeds, torques=[p.torque * s for s in shape], lag=p.lag
        ),
        drives.converter(
            "converter", engine, turbine, reference=200.0, pump_torque=pump_torque,
            torque_ratio=torque_ratio,
        ),
        cl.Clutch("A", turbine, shafts["X"], capacity=2000.0),
        *[part for part in gearbox().couplings("gearbox", {**shafts, "turbine": turbine})],
        cl.Freewheel("FL", shafts["Y"]),
        drives.disc_brake("E", shafts["V"], PACK, closed["E"]),
        drives.disc_brake("D", shafts["U"], PACK, closed["D"]),
        drives.shaft(
            "cardan", shafts["output"], wheels, stiffness=p.shaft_stiffness,
            damping=p.shaft_damping, ratio=p.final_drive,
        ),
        drives.tyre(
            "tyres", wheels, car, radius=p.radius, stiffness=p.tyre_stiffness,
            damping=p.tyre_damping,
        ),
        *drives.road_load("road", car, mass=p.mass, drag_area=p.drag_area, rolling=p.rolling),
        name="car shifting",
    )  # fmt: skip


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run the car from rest at full throttle."""
    options.setdefault("t_end", p.end)
    options.setdefault("t_eval", np.linspace(0.0, p.end, 4001))
    options.setdefault("method", cl.EventDriven(rtol=1e-8, atol=1e-10))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def first_stick(sol: cl.Solution, name: str, after: float) -> float:
    """Return when a brake has caught its shaft for good after a time, nan if never."""
    stuck = [e.time for e in sol.events if e.name == name and e.kind == "stick" and e.time > after]
    return stuck[0] if stuck else math.nan


def ratio_at(sol: cl.Solution, time: float) -> float:
    """Return turbine speed over output speed at a time."""
    k = min(int(np.searchsorted(sol.t, time)), len(sol.t) - 1)
    return float(sol["turbine"].speed[k] / sol["output"].speed[k])


def jump_of_acceleration(sol: cl.Solution, p: Parameters) -> float:
    """Return the largest jump of the car's acceleration at a clutch event, over the largest one.

    Clutch torques act on shafts of the gearbox; tyre and shaft forces are continuous, so that the
    car must not feel a jump.
    """
    rate = sol["car"].velocity_rate
    doubled = np.flatnonzero(np.diff(sol.t) == 0.0)
    doubled = doubled[sol.t[doubled] > 0.5]
    return float(np.abs(rate[doubled + 1] - rate[doubled]).max(initial=0.0) / np.abs(rate).max())


def bound(sol: cl.Solution, p: Parameters, name: str) -> tuple[float, float]:
    """Return how far a brake goes beyond its capacity, over the largest, and what it may lose.

    The heat that the law allows is the capacity times the speed of the slip, over time [J].
    """
    table = PACK.table(pressures(p)[name])
    capacity = np.interp(sol.t, table.x, table.y)
    excess = float((np.abs(sol[name].lam_T) - capacity).max() / max(capacity.max(), 1.0))
    return excess, drives.integral(sol.t, capacity * np.abs(sol[name].gamma_T))


def at_stick(sol: cl.Solution, p: Parameters, name: str, time: float) -> tuple[float, float]:
    """Return the torque of a brake before and behind the moment it sticks, over its capacity."""
    rows = np.flatnonzero(np.abs(sol.t - time) < 1e-12)
    if len(rows) < 2:
        return math.nan, math.nan
    table = PACK.table(pressures(p)[name])
    capacity = float(np.interp(time, table.x, table.y))
    torque = sol[name].lam_T
    sign = math.copysign(1.0, torque[rows[0]])
    return sign * float(torque[rows[0]]) / capacity, sign * float(torque[rows[-1]]) / capacity


def swing(sol: cl.Solution, time: float) -> float:
    """Return the range of the output torque over its mean, its slow fall taken off.

    From a tenth to six tenths of a second behind a time.
    """
    late = (sol.t > time + WAIT) & (sol.t < time + 0.6)
    if late.sum() < 9:
        return math.nan
    t, torque = sol.t[late], sol["cardan"].torque[late]
    level = np.polyval(np.polyfit(t - time, torque, 2), t - time)
    return float(np.ptp(torque - level) / torque.mean())


def slowest_decay(p: Parameters, gearbox: float) -> float:
    """Return the smallest decay [1/s] of gearbox, wheels and car between shaft and tyres.

    gearbox   inertia of all that turns with the output [kg m^2]
    """
    i = p.final_drive
    K = np.array(
        [[p.shaft_stiffness, -i * p.shaft_stiffness, 0.0],
         [-i * p.shaft_stiffness, i**2 * p.shaft_stiffness + p.tyre_stiffness, -p.tyre_stiffness],
         [0.0, -p.tyre_stiffness, p.tyre_stiffness]]
    )  # fmt: skip
    # both dampers have the same time, so that the modes are those without damping
    ratio = min(p.shaft_damping / p.shaft_stiffness, p.tyre_damping / p.tyre_stiffness)
    J = np.array([gearbox, p.wheels, p.mass * p.radius**2])
    squared = np.sort(np.linalg.eigvals(K / J[:, None]).real)[1]  # the first one is driving
    return float(0.5 * ratio * squared)


def decayed(sol: cl.Solution, p: Parameters, time: float) -> float:
    """Return what `swing` may be: the step of the torque at sticking, to both sides, decayed.

    The converter, which damps as well, is left out.
    """
    late = (sol.t > time + WAIT) & (sol.t < time + 0.6)
    if late.sum() < 9:
        return math.nan
    k = np.flatnonzero(late)[-1]
    speeds = np.array([sol[name].speed[k] for name in ("turbine", *SHAFTS)])
    inertias = np.array([p.turbine, *[p.gears] * len(SHAFTS)])
    gearbox = float(inertias @ speeds**2 / sol["output"].speed[k] ** 2)
    mean = float(sol["cardan"].torque[late].mean())
    step = abs(float(np.interp(time, sol.t, sol["cardan"].torque)) - mean)
    return 2.0 * step / mean * math.exp(-WAIT * slowest_decay(p, gearbox))


def phases(sol: cl.Solution, p: Parameters) -> dict[str, list[str]]:
    """Return what the brakes do from the first shift on, in their order."""
    return {
        name: [e.kind for e in sol.events if e.name == name and e.time > p.second]
        for name in ("E", "D")
    }


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare ratios, order of the phases, continuity and the energy audit."""
    book = drives.audit(sol, build(p))
    let_go = [e.time for e in sol.events if e.name == "E" and e.kind == "slip"]
    caught = [first_stick(sol, "E", p.second), first_stick(sol, "D", p.third)]
    # the jerk of the start may lift FL for a moment
    free = (sol["Y"].speed > 1e-6) & (sol.t > 1.0)
    loose = float(sol.t[free][0]) if free.any() else math.nan
    order = p.second < loose <= caught[0] < p.third < let_go[-1] < caught[1] < p.end
    pushes = sol["cardan"].torque[sol.t > 0.3]
    checks = [
        compare(
            f"ratio in {word} gear, of the run", ratio_at(sol, time), ratio(gear), 1e-6
        )
        for word, gear, time in (
            ("first", "1", p.second - 0.05), ("second", "2", p.third - 0.05), ("third", "3", p.end),
        )
    ]  # fmt: skip
    checks += [
        compare(name, ratio(gear), reference.value, reference.tolerance)
        for gear, (name, reference) in zip("231", REFERENCE.items(), strict=True)
    ]
    heat = {name: book.dissipated[name] for name in ("E", "D")}
    bounds = {name: bound(sol, p, name) for name in heat}
    return [
        *checks,
        compare("FL frees, E catches, E lets go, D catches, in this order", float(order), 1.0, 0.0),
        compare("E sticks and slips once, D sticks once", float(
            phases(sol, p) == {"E": ["stick", "slip"], "D": ["stick"]}), 1.0, 0.0),
        # at sticking the torque falls from the capacity to what is needed, never above
        *(compare(f"torque of {name} beyond its capacity", max(bounds[name][0], 0.0), 0.0, 1e-8)
          for name in heat),
        *(compare(f"torque of {name} before it sticks, over its capacity",
                  at_stick(sol, p, name, caught[k])[0], 1.0, 1e-6) for k, name in enumerate(heat)),
        # what is left is what the train asks for, less than the capacity and of the same sign
        *(compare(f"torque of {name} falls when it sticks", float(
            0.0 < at_stick(sol, p, name, caught[k])[1] < 1.0), 1.0, 0.0)
          for k, name in enumerate(heat)),
        *(compare(f"heat in {name} [J], by capacity and slip", heat[name], bounds[name][1],
                  1e-6 * max(bounds[name][1], 1.0)) for name in heat),
        # A never slips; FL bears a load or turns, never both: what is left is rounding
        compare("heat in clutch A [J]", book.dissipated["A"], 0.0, 1e-12 * heat["E"]),
        compare("heat in freewheel FL [J]", drives.integral(
            sol.t, np.abs(sol["FL"].lam_N * sol["FL"].gamma_N)), 0.0, 1e-12 * heat["E"]),
        # small oscillations, which the dampers of shaft and tyres have let decay
        *(compare(f"swing of the output torque behind {name}, over its mean", swing(sol, time), 0.0,
                  decayed(sol, p, time)) for name, time in zip(heat, caught, strict=True)),
        compare("torque is never interrupted", float(pushes.min() > 0.0), 1.0, 0.0),
        compare("jump of the car's acceleration", jump_of_acceleration(sol, p), 0.0, 1e-6),
        compare("speed at the end above 15 m/s", float(sol["car"].velocity[-1] > 15.0), 1.0, 0.0),
        compare("heat in the clutches over the energy of the car", float(
            0.0 < sum(heat.values()) < 0.1 * book.turnover), 1.0, 0.0),
        compare("gap of the energy audit", book.gap, 0.0, 1e-6),
        compare("energy created", book.created, 0.0, 0.0),
    ]  # fmt: skip


def show(sol: cl.Solution) -> Any:
    """Draw speeds and torque over time."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    with house_style():
        figure = new_figure(9.0, 6.0)
        top, middle, low = figure.subplots(3, 1, sharex=True)
        for k, name in enumerate(("engine", "turbine", "output")):
            top.plot(sol.t, sol[name].speed, color=COLOURS[k], label=name)
        top.set_ylabel(axis_label("speed", "rad/s"))
        top.legend(loc="upper left")
        middle.plot(sol.t, sol["cardan"].torque, color=COLOURS[3])
        middle.set_ylabel(axis_label("output torque", "N m"))
        for k, (name, brake) in enumerate((("Y", ""), ("V", "E"), ("U", "D"))):
            label = name
            if brake:
                power = np.abs(sol[brake].lam_T * sol[brake].gamma_T)
                label = f"{name}, {1e-3 * drives.integral(sol.t, power):.1f} kJ in {brake}"
            low.plot(sol.t, sol[name].speed, color=COLOURS[k], label=label)
        low.legend(loc="lower right")
        low.set_ylabel(axis_label("speed", "rad/s"))
        low.set_xlabel(axis_label("time", "s"))
    return figure
