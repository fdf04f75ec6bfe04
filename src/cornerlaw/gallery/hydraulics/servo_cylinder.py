"""Servo cylinder: a valve moves a piston to its stop, and a load hits it on the way.

A 4-way valve feeds a differential cylinder. A trolley rolls against the piston and bounces off:
oil columns, chambers, piston and trolley share one impact, solved with the junctions as unilateral
rows. Then the piston meets its mechanical stop with the valve open: its chambers and columns stop
with it in a second impact, in which the rod chamber tears its oil off and the other one jumps.

Source: Pfeiffer 2008, sections 4.2.2.4 and 4.3.2 for valve and impacts; all numbers are chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.hydraulics import Cylinder, Junction, Network, Source, servo_valve
from cornerlaw.hydraulics.audit import audit_energy, audit_volume
from cornerlaw.hydraulics.reduction import hydraulic_impact

TITLE = "Servo cylinder with stop and load"
TOPIC = "hydraulics"
SPEC: tuple[str, ...] = ("servo cylinder", "H-08", "H-15")
SOURCE = "Pfeiffer 2008, 4.2 and 4.3"
DOF = 4


@dataclass(frozen=True)
class Parameters:
    """Supply, valve, cylinder and trolley."""

    supply: float = parameter(70e5, "Pa", "chosen: a common supply")
    tank: float = parameter(1e5, "Pa", "chosen: the atmosphere")
    area: float = parameter(1e-3, "m^2", "chosen: a cylinder of 36 mm")
    rod_area: float = parameter(6e-4, "m^2", "chosen: a rod of 23 mm")
    mass: float = parameter(50.0, "kg", "chosen: piston and slide")
    width: float = parameter(0.01, "m", "chosen: edges around the spool")
    spool: float = parameter(5e-4, "m", "chosen: 5 mm^2 open")
    opens: float = parameter(0.01, "s", "chosen: a fast spool")
    travel: float = parameter(0.04, "m", "chosen: from start to stop")
    trolley: float = parameter(20.0, "kg", "chosen: lighter than the piston")
    speed: float = parameter(0.6, "m/s", "chosen: twice the piston's speed")
    gap: float = parameter(0.02, "m", "chosen: hits before the stop")
    restitution: float = parameter(0.4, "1", "chosen: steel with a pad")


REFERENCE = {
    "impacts": Reference(
        2.0, 0.0, "one of the trolley, one at the stop; cavities close more gently"
    ),
    "piston at rest [m]": Reference(0.04, 1e-9, "the stop"),
    "time of the stop [s]": Reference(
        0.1143, 2e-4, "time stepping with steps of 1 us, rows of 0.1 ms"
    ),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"spool": 4e-4},
    {"travel": 0.045},
    {"supply": 60e5},
    {"rod_area": 7e-4},
)


def network(p: Parameters) -> Network:
    """Return valve and cylinder."""
    spool = cl.Table((0.0, p.opens, 10.0), (-0.1 * p.spool, -p.spool, -p.spool))
    return Network(
        Source("P", p.supply),
        Source("T", p.tank),
        Junction("A", "cavitating"),
        Junction("B", "cavitating"),
        servo_valve(
            "valve", supply="P", a="A", tank="T", b="B", spool=spool, width=p.width, length=0.4,
            diameter=0.01,
        ),
        Cylinder(
            "piston", "A", area=p.area, rod_chamber="B", rod_area=p.rod_area, mass=p.mass,
            lower=0.0, upper=p.travel,
        ),
        name="servo cylinder",
    )  # fmt: skip


def build(p: Parameters) -> cl.Model:
    """Return network, trolley and the contact between them."""
    trolley = cl.Slider("trolley", mass=p.trolley, position=p.gap, velocity=-p.speed)
    touch = cl.UserContact(
        "touch", coordinates=("trolley.position", "piston.position"), gap=0.0, normal=(1.0, -1.0),
        eps_N=p.restitution,
    )  # fmt: skip
    return network(p).model(trolley, touch)


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run until the piston rests at its stop."""
    options.setdefault("t_end", 0.16)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 1601))
    options.setdefault("method", cl.EventDriven(rtol=1e-8, atol=1e-11))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def first_impact(sol: cl.Solution, p: Parameters) -> tuple[float, float]:
    """Return the piston's speed after the blow of the trolley: of the run, and by linear algebra.

    Newton's law with restitution on the touching row; the chambers do not bounce, and may tear.
    """
    net = network(p)
    times = [e.time for e in sol.events if e.kind == "impact"]
    names = [f"{c.slider}.velocity" for c in net.topology.coordinates.values()]
    before = np.array([sol.left(times[0], name) for name in [*names, "trolley.velocity"]])
    after = float(np.asarray(sol.right(times[0], "piston.velocity")))
    M = np.diag([*net.masses(), p.trolley])
    # spool backward: edges 2 and 4 are closed; rows of chambers are scaled to the piston's speed
    closed = np.vstack((net.rows(closed=("valve.2", "valve.4")), np.zeros(2)))
    piston = list(net.coordinates).index("piston.position")
    rows = np.zeros((len(before), 3))
    rows[:-1, :2] = net.rows("A", "B") / (p.area, p.rod_area)
    rows[-1, 2], rows[piston, 2] = 1.0, -1.0
    bounce = np.array([0.0, 0.0, p.restitution])
    return after, float(
        hydraulic_impact(M, before, closed, rows, restitution=bounce).velocity[piston]
    )


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Check impacts, stop, balances and the pressures."""
    net = network(p)
    r = net.read(sol)
    impacts = [e for e in sol.events if e.kind == "impact"]
    solid = [e for e in impacts if e.name in ("touch", "piston.stop.upper")]
    strong = [e for e in solid if e.data["gamma_N_minus"] < -0.1]
    x = r["piston"].position
    stops = [e.time for e in strong if e.name == "piston.stop.upper"]
    energy = audit_energy(net, sol, build(p))
    found, expected = first_impact(sol, p)
    lowest = min(float(r[name].pressure.min()) for name in "AB")
    return [
        check_reference("impacts", float(len(strong)), REFERENCE),
        check_reference("piston at rest [m]", float(x[-1]), REFERENCE),
        check_reference("time of the stop [s]", stops[0] if stops else np.nan, REFERENCE),
        compare("piston after the blow [m/s]", found, expected, 1e-8),
        compare("oil out of balance", audit_volume(net, sol).relative, 0.0, 1e-9),
        compare("energy out of balance", energy.relative, 0.0, 1e-6),
        compare("pressure below cavitation [Pa]", max(0.0, -lowest), 0.0, 1e-2),
    ]


def show(sol: cl.Solution, p: Parameters | None = None) -> Any:
    """Draw positions and pressures."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters() if p is None else p
    r = network(p).read(sol)
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, 1e3 * r["piston"].position, color=COLOURS[0], label="piston")
        left.plot(sol.t, 1e3 * sol["trolley"].position, color=COLOURS[1], label="trolley")
        left.axhline(1e3 * p.travel, color="0.6", linestyle="--")
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("position", "mm"))
        left.legend()
        for name, colour in (("A", COLOURS[0]), ("B", COLOURS[1])):
            right.plot(sol.t, r[name].pressure / 1e5, color=colour, label=f"chamber {name}")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("pressure", "bar"))
        right.legend()
    return figure
