"""Hammered line: a valve shuts off a flow, and the pressure runs to and fro.

Oil flows from a store through a long line and a valve to a tank. The valve closes in a fraction of
the time a wave takes. The oil at its end stands still at once and its pressure rises by rho c dv
(Joukowsky); the wave comes back from the store after 2 L / c and turns the rise into a fall below
the pressure of the store. The closed valve is a constraint, the junction in front of it a corner
law: had the oil been faster, it would have torn there.

Source: Pfeiffer 2008, sections 4.2.2.1 and 4.2.3 for line and valve; the case is the classical
water hammer, with chosen numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.hydraulics import Fluid, Junction, Network, Orifice, Source, WaveLine
from cornerlaw.hydraulics.audit import audit_volume

TITLE = "Hammered line"
TOPIC = "hydraulics"
SPEC: tuple[str, ...] = ("hammered line", "AT-05")
SOURCE = "Pfeiffer 2008, 4.2"
DOF = 42


@dataclass(frozen=True)
class Parameters:
    """Store, line, valve and oil."""

    pressure: float = parameter(10e5, "Pa", "chosen: no cavitation in the trough")
    flow: float = parameter(2.5e-4, "m^3/s", "chosen: 0.8 m/s")
    length: float = parameter(20.0, "m", "chosen: waves of 19 ms")
    bore: float = parameter(20e-3, "m", "chosen: a common line")
    density: float = parameter(860.0, "kg/m^3", "chosen: mineral oil")
    viscosity: float = parameter(10e-6, "m^2/s", "chosen: thin oil, little friction")
    bulk: float = parameter(1e9, "Pa", "book")
    modes: int = parameter(40, "1", "chosen: converged to a per cent")
    shuts: float = parameter(2e-3, "s", "chosen: when the valve begins to close")
    takes: float = parameter(4e-4, "s", "chosen: a fiftieth of the wave's travel")


REFERENCE = {
    "rise of the pressure [bar]": Reference(7.38, 0.2, "rho c dv with dv = Q / A"),
    "half period [ms]": Reference(37.09, 0.7, "2 L / c"),
}

MUTATIONS: tuple[dict[str, float], ...] = (
    {"bulk": 1.3e9},
    {"length": 25.0},
    {"flow": 2.2e-4},
    {"bore": 22e-3},
)


def network(p: Parameters) -> Network:
    """Return the network; the valve is open as far as the flow needs."""
    fluid = Fluid(density=p.density, viscosity=p.viscosity, bulk=p.bulk)
    area = 0.25 * math.pi * p.bore**2
    # steady: the store pays for the friction of the line and for the valve
    steady = 32.0 * fluid.dynamic_viscosity * p.length * p.flow / (area * p.bore**2)
    opening = p.flow / (0.65 * math.sqrt(2.0 * (p.pressure - 1e5 - steady) / p.density))
    closing = cl.Table((0.0, p.shuts, p.shuts + p.takes, 10.0), (opening, opening, 0.0, 0.0))
    return Network(
        Source("store", p.pressure),
        Source("tank", 1e5),
        WaveLine(
            "line", "store", "end", p.length, p.bore, modes=p.modes, pressure=p.pressure,
            flow=p.flow,
        ),
        Junction("end", "cavitating"),
        Orifice("valve", "end", "tank", 0.2, p.bore, opening=closing, flow=p.flow, smallest=0.05),
        fluid=fluid,
        name="hammered line",
    )  # fmt: skip


def build(p: Parameters) -> cl.Model:
    """Return the model."""
    return network(p).model()


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run two passages of the wave, by time stepping."""
    options.setdefault("t_end", 0.06)
    options.setdefault("t_eval", np.arange(0.0, options["t_end"], 2e-5))
    options.setdefault("method", cl.Moreau(dt=1e-5))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def half_period(sol: cl.Solution, p: Parameters) -> float:
    """Return the time between rise and fall of the pressure through that of the store [s]."""
    # a wave is a step that few modes round off: means over 1 ms decide
    pressure = network(p).read(sol)["end"].pressure
    width = 51
    smooth = np.convolve(pressure, np.ones(width) / width, mode="same")
    above = smooth > p.pressure
    inside = (sol.t > 6e-4) & (sol.t < sol.t[-1] - 6e-4)
    crossings = np.flatnonzero((above[1:] != above[:-1]) & inside[1:])
    if len(crossings) < 2:
        return math.nan
    return float(sol.t[crossings[1]] - sol.t[crossings[0]])


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare rise, period and rest with the closed forms of waves."""
    net = network(p)
    r = net.read(sol)
    pressure, t = r["end"].pressure, sol.t
    travel = p.length / net.fluid.wave_speed
    plateau = (t > p.shuts + 0.2 * travel) & (t < p.shuts + 1.8 * travel)
    closed = t > p.shuts + p.takes
    rise = float(np.mean(pressure[plateau]) - np.mean(pressure[(t > 1e-4) & (t < p.shuts)]))
    return [
        # while the wave runs up, the pressure that friction had cost packs the line a little
        check_reference("rise of the pressure [bar]", rise / 1e5, REFERENCE),
        check_reference("half period [ms]", 1e3 * half_period(sol, p), REFERENCE),
        compare("flow through the closed valve [m^3/s]",
                float(np.max(np.abs(r["valve"].flow[closed]))), 0.0, 1e-9),
        compare("oil out of balance", audit_volume(net, sol).relative, 0.0, 1e-9),
        compare("pressure below cavitation [Pa]", max(0.0, -float(pressure.min())), 0.0, 1e-3),
    ]  # fmt: skip


def show(sol: cl.Solution, p: Parameters | None = None) -> Any:
    """Draw the pressure at the valve, and Joukowsky's levels."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters() if p is None else p
    net = network(p)
    level = p.density * net.fluid.wave_speed * p.flow / (0.25 * math.pi * p.bore**2)
    with house_style():
        figure = new_figure(7.0, 3.8)
        axes = figure.subplots()
        axes.plot(1e3 * sol.t, net.read(sol)["end"].pressure / 1e5, color=COLOURS[0], linewidth=0.8)
        levels = {"store less rho c dv": -1.0, "store": 0.0, "store and rho c dv": 1.0}
        for name, sign in levels.items():
            height = (p.pressure + sign * level) / 1e5
            axes.axhline(height, color="0.6", linestyle="--")
            # above the line, where the pressure is far from it
            place = 5.0 if sign <= 0.0 else 60.0
            side = "left" if sign <= 0.0 else "right"
            axes.text(place, height + 0.25, name, color="0.35", ha=side, va="bottom")
        axes.set_xlabel(axis_label("time", "ms"))
        axes.set_ylabel(axis_label("pressure at the valve", "bar"))
    return figure
