"""Store, line and cylinder: what the compressibility of a chamber does, and what it does not.

A store of constant pressure moves a piston against a spring through a line. With a rigid chamber
the oil of the line and the piston are one oscillator,

    (m + rho L A_P^2 / A_L) x'' + d x' + c x = p A_P,   d = 32 mu L A_P^2 / (d_L^2 A_L),

which has a closed form. With an elastic chamber the motion is the same but for a ripple of the
pressure with omega^2 = (E / V) (A_L / (rho L) + A_P^2 / m). The chamber may cavitate, and the
piston starts at its stop: both are unilateral rows of one problem.

Source: Pfeiffer 2008, section 4.1; the book gives 15 bar and E = 10^9 Pa, everything else is
chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.gallery.contract import Check, Reference, check_reference, compare, parameter
from cornerlaw.hydraulics import Cylinder, Fluid, Junction, Line, Network, Source
from cornerlaw.hydraulics.audit import audit_energy, audit_volume

TITLE = "Store, line and cylinder"
TOPIC = "hydraulics"
SPEC: tuple[str, ...] = ("SYS-1", "AT-03")
SOURCE = "Pfeiffer 2008, 4.1"
DOF = 2

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameters:
    """Store, line, piston and oil."""

    pressure: float = parameter(15e5, "Pa", "book")
    length: float = parameter(2.0, "m", "chosen: a common line")
    bore: float = parameter(8e-3, "m", "chosen: a common line")
    density: float = parameter(860.0, "kg/m^3", "chosen: mineral oil")
    viscosity: float = parameter(46e-6, "m^2/s", "chosen: ISO VG 46 at 40 degrees")
    bulk: float = parameter(1e9, "Pa", "book")
    piston: float = parameter(40e-3, "m", "chosen: a common cylinder")
    mass: float = parameter(1.0, "kg", "chosen: the piston")
    stiffness: float = parameter(20e3, "N/m", "chosen: 94 mm of travel at rest")
    volume: float = parameter(20e-6, "m^3", "chosen: dead volume of the chamber")
    compressible: bool = parameter(False, "1", "chosen: the rigid chamber is the model")


REFERENCE = {
    "end of the slow motion [m]": Reference(0.0963781, 1e-6, "closed form at 0.15 s"),
    "ripple [Hz]": Reference(1427.24, 0.01, "sqrt((E / V)(A_L / (rho L) + A_P^2 / m)) / 2 pi"),
}

MUTATIONS: tuple[dict[str, Any], ...] = (
    {"density": 1000.0},
    {"bore": 9e-3},
    {"piston": 42e-3},
    {"viscosity": 90e-6},
    {"stiffness": 22e3},
)


def first_pressure(p: Parameters) -> float:
    """Return the pressure in a rigid chamber at the start [Pa]: oil and piston share the push."""
    A_L, A_P = 0.25 * math.pi * p.bore**2, 0.25 * math.pi * p.piston**2
    return p.pressure * p.mass / (p.mass + p.density * p.length * A_P**2 / A_L)


def network(p: Parameters) -> Network:
    """Return the network; an elastic chamber starts at a pressure that lets it ripple a little."""
    start = 1.5 * first_pressure(p)
    kind = "compressible" if p.compressible else "cavitating"
    return Network(
        Source("store", p.pressure),
        Line("line", "store", "chamber", p.length, p.bore),
        Junction("chamber", kind, volume=p.volume, pressure=start),
        Cylinder(
            "piston", "chamber", area=0.25 * math.pi * p.piston**2, mass=p.mass,
            stiffness=p.stiffness, lower=0.0,
        ),
        fluid=Fluid(density=p.density, viscosity=p.viscosity, bulk=p.bulk),
        name="store, line and cylinder",
    )  # fmt: skip


def build(p: Parameters) -> cl.Model:
    """Return the model."""
    return network(p).model()


def simulate(p: Parameters, **options: Any) -> cl.Solution:
    """Run the first stroke."""
    options.setdefault("t_end", 0.15)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 601))
    options.setdefault("method", cl.EventDriven(rtol=1e-10, atol=1e-13))
    options.setdefault("progress", False)
    return cl.simulate(build(p), **options)


def rigid_motion(p: Parameters, t: Floats) -> Floats:
    """Return the closed form of the position with a rigid chamber."""
    A_L, A_P = 0.25 * math.pi * p.bore**2, 0.25 * math.pi * p.piston**2
    m = p.mass + p.density * p.length * A_P**2 / A_L
    d = 32.0 * p.density * p.viscosity * p.length * A_P**2 / (p.bore**2 * A_L)
    delta, rest = 0.5 * d / m, p.pressure * A_P / p.stiffness
    w = math.sqrt(p.stiffness / m - delta**2)
    fade = np.exp(-delta * t)
    return np.asarray(rest * (1.0 - fade * (np.cos(w * t) + delta / w * np.sin(w * t))))


def ripple(p: Parameters) -> float:
    """Return the frequency of the ripple at the start [Hz]."""
    A_L, A_P = 0.25 * math.pi * p.bore**2, 0.25 * math.pi * p.piston**2
    square = p.bulk / p.volume * (A_L / (p.density * p.length) + A_P**2 / p.mass)
    return math.sqrt(square) / (2.0 * math.pi)


def counted_ripple(p: Parameters) -> float:
    """Return the frequency of the first few waves of the pressure in an elastic chamber [Hz]."""
    t = np.linspace(0.0, 3e-3, 3001)
    sol = simulate(p, t_end=float(t[-1]), t_eval=t)
    pressure = network(p).read(sol)["chamber"].pressure
    middle = pressure[1:-1]
    tops = sol.t[1:-1][(middle > pressure[:-2]) & (middle >= pressure[2:])]
    return float((len(tops) - 1) / (tops[-1] - tops[0])) if len(tops) > 1 else math.nan


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare with the closed form, with the elastic chamber, and balance oil and energy."""
    net = network(p)
    x = sol["piston"].position
    fast = counted_ripple(replace(p, compressible=True))
    short = {"t_end": 0.05, "t_eval": np.linspace(0.0, 0.05, 201)}
    soft = simulate(replace(p, compressible=True), **short)
    energy = audit_energy(net, sol, net.model())
    error = float(np.max(np.abs(x - rigid_motion(p, sol.t))))
    gives = float(np.max(np.abs(soft["piston"].position - rigid_motion(p, soft.t))))
    pressure = net.read(sol)["chamber"].pressure
    return [
        check_reference("end of the slow motion [m]", float(x[-1]), REFERENCE),
        check_reference("ripple [Hz]", ripple(p), REFERENCE),
        compare("deviation from the closed form [m]", error, 0.0, 1e-8),
        # the chamber grows by a per cent meanwhile
        compare("counted ripple over the formula", fast / ripple(p), 1.0, 0.01),
        compare("elastic against rigid motion", gives / float(x.max()), 0.0, 2e-3),
        compare("oil out of balance", audit_volume(net, sol).relative, 0.0, 1e-9),
        compare("energy out of balance", energy.relative, 0.0, 1e-6),
        compare("pressure below cavitation [Pa]", max(0.0, -float(pressure.min())), 0.0, 1e-3),
    ]  # fmt: skip


def show(sol: cl.Solution, p: Parameters | None = None) -> Any:
    """Draw position and pressure, rigid and elastic."""
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    p = Parameters() if p is None else p
    other = replace(p, compressible=not p.compressible)
    end = 0.03
    second = simulate(other, t_end=end, t_eval=np.linspace(0.0, end, 3001))
    early = sol.t <= end
    with house_style():
        figure = new_figure(9.0, 3.8)
        left, right = figure.subplots(1, 2)
        left.plot(sol.t, 1e3 * sol["piston"].position, color=COLOURS[0], label="rigid chamber")
        left.plot(second.t, 1e3 * second["piston"].position, color=COLOURS[1], label="elastic")
        left.set_xlabel(axis_label("time", "s"))
        left.set_ylabel(axis_label("position", "mm"))
        left.legend()
        soft = network(other).read(second)["chamber"].pressure
        right.plot(second.t, soft / 1e5, color=COLOURS[1], linewidth=0.7, label="elastic")
        rigid = network(p).read(sol)["chamber"].pressure
        right.plot(sol.t[early], rigid[early] / 1e5, color=COLOURS[0], label="rigid chamber")
        right.set_xlabel(axis_label("time", "s"))
        right.set_ylabel(axis_label("pressure", "bar"))
        right.legend()
    return figure
