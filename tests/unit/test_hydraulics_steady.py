"""Steady states of networks: flows that go on, pistons at rest, valves open or closed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import SimulationError
from cornerlaw.hydraulics import (
    Accumulator,
    CheckValve,
    Cylinder,
    Gap,
    Junction,
    Line,
    Network,
    Orifice,
    Pump,
    Source,
    WaveLine,
)
from cornerlaw.hydraulics.openings import orifice_drop
from cornerlaw.hydraulics.response import frequency_response
from cornerlaw.hydraulics.steady import held_at, steady_state


def pumped(kind: str) -> Network:
    return Network(
        Source("tank", 1e5),
        Pump("pump", "tank", "rail", 0.5, 0.012, flow=2e-4),
        Junction("rail", kind, volume=1e-5),
        CheckValve("relief", "rail", "tank", 0.2, 0.01, preload=50e5, opening=3e-5),
        CheckValve("shut", "tank", "rail", 0.2, 0.01),
        Orifice("bleed", "rail", "tank", 0.2, 0.01, opening=1e-6),
        Line("line", "rail", "chamber", 1.0, 0.008),
        Junction("chamber", kind, volume=1e-5),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, lower=0.0, upper=0.05, stiffness=2e5),
        Cylinder("full", "chamber", area=1e-3, mass=5.0, lower=0.0, upper=0.01, stiffness=2e5),
    )


@pytest.mark.parametrize("kind", ["incompressible", "cavitating", "compressible"])
def test_pump_relief_valve_bleed_and_pistons(kind: str) -> None:
    found = steady_state(pumped(kind))
    over = found.pressure["rail"] - 1e5
    # the pump's flow divides as the characteristics of the two openings say
    assert found.flow["relief"] + found.flow["bleed"] == pytest.approx(2e-4, rel=1e-9)
    assert orifice_drop(found.flow["bleed"], 1e-6, 0.65, 860.0) == pytest.approx(over, rel=1e-8)
    through = 50e5 + orifice_drop(found.flow["relief"], 3e-5, 0.65, 860.0)
    assert through == pytest.approx(over, rel=1e-8)
    assert found.flow["shut"] == pytest.approx(0.0, abs=1e-12)
    assert found.flow["line"] == pytest.approx(0.0, abs=1e-12)
    assert found.position["ram"] == pytest.approx(found.pressure["rail"] * 1e-3 / 2e5, rel=1e-8)
    assert found.position["full"] == pytest.approx(0.01, abs=1e-9)  # at its stop


def test_network_starts_in_its_steady_state() -> None:
    net = Network(
        Source("supply", 80e5), Source("tank", 1e5),
        Orifice("a", "supply", "mid", 0.1, 0.01, opening=2e-6),
        Junction("mid", "compressible", volume=2e-4),
        WaveLine("b", "mid", "gas", 3.0, 0.004, modes=4, pressure=20e5),
        Accumulator("gas", volume=1e-4, pressure=10e5), Line("c", "gas", "tank", 3.0, 0.004),
    )  # fmt: skip
    found = steady_state(net)
    again = steady_state(found.network)
    assert again.pressure == pytest.approx(found.pressure, rel=1e-7)
    # two equal laminar lines halve the pressure
    middle = 0.5 * (found.pressure["mid"] + 1e5)
    assert found.pressure["gas"] == pytest.approx(middle, rel=1e-8)


def test_ripple_about_a_flow_by_closed_form() -> None:
    V = 2e-4
    net = Network(
        Source("supply", 80e5), Source("tank", 1e5),
        Orifice("a", "supply", "mid", 0.1, 0.01, opening=2e-6),
        Junction("mid", "compressible", volume=V),
        Orifice("b", "mid", "tank", 0.1, 0.01, opening=3e-6),
    )  # fmt: skip
    found = steady_state(net)
    p, Q = found.pressure["mid"], found.flow["a"]
    # equal flows: drops as the inverse squares of the openings, 9 : 4
    assert p == pytest.approx(1e5 + 79e5 * 4.0 / 13.0, rel=1e-9)
    frequencies = (0.1, 5.0, 50.0, 300.0)
    inertance, capacity = 860.0 * 0.1 / (0.25 * math.pi * 1e-4), V / net.fluid.bulk_modulus(p)
    expected = []
    for f in frequencies:
        s = 2j * math.pi * f
        first, second = (2.0 * drop / Q + s * inertance for drop in (80e5 - p, p - 1e5))
        expected.append(1.0 / first / (1.0 / first + 1.0 / second + s * capacity))
    # compression is taken to first order of p / E = 0.25 %
    response = frequency_response(found.network, "supply", "mid", frequencies)
    assert response == pytest.approx(np.array(expected), rel=0.01)


def test_what_is_given_over_time_is_held() -> None:
    spool = cl.Table((0.0, 1.0, 2.0), (0.0, 0.0, 4e-6))

    def volume(t: Any) -> Any:
        return 1e-5 * t * t

    net = Network(
        Source("tank", cl.Table((0.0, 2.0), (1e5, 3e5))),
        Pump("pump", "tank", "rail", 0.5, 0.012, volume=volume), Junction("rail", "cavitating"),
        Orifice("timed", "rail", "tank", 0.2, 0.01, opening=spool),
        Orifice("bleed", "rail", "tank", 0.2, 0.01, opening=1e-6),
    )  # fmt: skip
    parts = {part.name: part for part in held_at(net, 2.0).hydraulic_parts}
    assert parts["tank"].pressure == 3e5  # type: ignore[attr-defined]
    assert parts["pump"].flow == pytest.approx(4e-5, rel=1e-6)  # type: ignore[attr-defined]
    closed, opened = steady_state(net, t=1.0), steady_state(net, t=2.0)
    assert closed.flow["timed"] == pytest.approx(0.0, abs=1e-12)
    assert closed.flow["bleed"] == pytest.approx(2e-5, rel=1e-6)
    assert opened.flow["timed"] == pytest.approx(0.8 * 4e-5, rel=1e-6)  # 4 of 5 mm^2


def test_piston_without_an_end_is_named() -> None:
    net = Network(
        Source("supply", 20e5), Orifice("in", "supply", "chamber", 0.2, 0.01, opening=1e-6),
        Junction("chamber", "cavitating"), Cylinder("ram", "chamber", area=1e-3, mass=5.0),
    )  # fmt: skip
    with pytest.raises(SimulationError, match=r"its piston goes on moving \('ram'"):
        steady_state(net)


def creeping(stiffness: float = 1e5) -> Network:
    return Network(
        Source("supply", 50e5), Source("tank", 0.0),
        Line("large", "supply", "tank", 10.0, 0.05),
        Junction("chamber", "cavitating"),
        Gap("leak", "supply", "chamber", 0.05, 0.02, on="ram", height=3e-6),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, lower=0.0, stiffness=stiffness),
    )  # fmt: skip


def test_piston_that_creeps_arrives() -> None:
    found = steady_state(creeping())
    assert found.pressure["chamber"] == pytest.approx(50e5, rel=1e-6)
    assert found.position["ram"] == pytest.approx(0.05, rel=1e-6)


def starved(flow: float) -> Network:
    return Network(
        Source("tank", 1e5), Orifice("in", "tank", "suction", 0.2, 0.01, opening=1e-6),
        Junction("suction", "cavitating"), Line("out", "rail", "tank", 1.0, 0.01),
        Pump("pump", "suction", "rail", 0.5, 0.012, flow=flow), Junction("rail", "cavitating"),
    )  # fmt: skip


def test_void_that_goes_on_growing_is_named() -> None:
    found = steady_state(starved(5e-6))
    assert found.flow["in"] == pytest.approx(5e-6, rel=1e-8)
    with pytest.raises(SimulationError, match=r"at 'suction' 0\.00019 m\^3/s more flows out"):
        steady_state(starved(2e-4))


@pytest.mark.parametrize("kind", ["cavitating", "compressible", "incompressible"])
@pytest.mark.parametrize("drawn", [1e-4, -1e-4])
def test_pumps_that_contradict_each_other_are_named(kind: str, drawn: float) -> None:
    net = Network(
        Source("tank", 1e5), Junction("rail", kind, volume=1e-5),
        Pump("one", "tank", "rail", 0.5, 0.012, flow=2e-4),
        Pump("two", "rail", "tank", 0.5, 0.012, flow=drawn),
    )  # fmt: skip
    with pytest.raises(SimulationError, match=r"Pump 'one': it cannot deliver 0\.0002 m"):
        steady_state(net)


def test_void_at_the_start_is_filled_in_the_end() -> None:
    parts = [replace(part, void=1e-6) if part.name == "rail" else part
             for part in starved(5e-6).hydraulic_parts]  # fmt: skip
    found = steady_state(Network(*parts))
    there = {part.name: part for part in found.network.hydraulic_parts}
    assert there["rail"].void == 0.0  # type: ignore[attr-defined]
    again = steady_state(found.network)
    assert again.pressure == pytest.approx(found.pressure, rel=1e-7)


def test_void_that_stays_is_kept() -> None:
    # behind a valve that is shut nothing fills it
    net = Network(
        Source("tank", 1e5), CheckValve("shut", "pocket", "tank", 0.2, 0.01),
        Junction("pocket", "cavitating", void=1e-6),
    )  # fmt: skip
    found = steady_state(net)
    assert found.pressure["pocket"] == 0.0
    pocket = {part.name: part for part in found.network.hydraulic_parts}["pocket"]
    assert pocket.void == pytest.approx(1e-6, rel=1e-9)  # type: ignore[attr-defined]
