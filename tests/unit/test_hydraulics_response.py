"""Rest and small motions of networks: equilibrium, and the answer to a ripple of the supply."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import SimulationError, UnknownNameError, UsageError
from cornerlaw.hydraulics import Cylinder, Fluid, Junction, Line, Network, Source, WaveLine
from cornerlaw.hydraulics.response import frequency_response
from cornerlaw.hydraulics.steady import steady_state

AREA, STIFFNESS, MASS, VOLUME = 1.2e-3, 2e5, 1.0, 20e-6
PRESSURE = 150e5


def network() -> Network:
    rest = PRESSURE * AREA / STIFFNESS
    return Network(
        Source("store", PRESSURE),
        Line("line", "store", "chamber", 2.0, 8e-3),
        Junction("chamber", "compressible", volume=VOLUME, pressure=PRESSURE),
        Cylinder("ram", "chamber", area=AREA, mass=MASS, stiffness=STIFFNESS, position=rest),
        fluid=Fluid(bulk=1e9),
    )


def test_ripple_of_the_supply_by_closed_form() -> None:
    net = network()
    line = net.topology.coordinates["line.position"]
    A_L = 0.25 * math.pi * 8e-3**2
    friction = 32.0 * net.fluid.dynamic_viscosity * 2.0 * A_L / 8e-3**2
    rest = PRESSURE * AREA / STIFFNESS
    k = net.fluid.bulk_modulus(PRESSURE) / (VOLUME + AREA * rest)
    areas = np.array([A_L, -AREA])
    frequencies = (0.5, 7.0, 40.0, 150.0, 900.0)
    expected = []
    for f in frequencies:
        s = 2j * math.pi * f
        matrix = np.diag([line.mass * s**2 + friction * s, MASS * s**2 + STIFFNESS])
        x = np.linalg.solve(matrix + k * np.outer(areas, areas), [A_L, 0.0])
        expected.append((k * areas @ x, A_L * s * x[0], x[1]))
    expected_p, expected_flow, expected_x = np.array(expected).T
    # compression is taken to first order of p / E = 1.5 %
    assert frequency_response(net, "store", "chamber", frequencies) == pytest.approx(
        expected_p, rel=0.03
    )
    assert frequency_response(net, "store", "line", frequencies) == pytest.approx(
        expected_flow, rel=0.03
    )
    assert frequency_response(net, "store", "ram", frequencies) == pytest.approx(
        expected_x, rel=0.03
    )


@pytest.mark.parametrize("pieces", [1, 50])
def test_a_line_in_pieces_answers_as_one(pieces: int) -> None:
    """Many rigid junctions are sets of the time steps; the response knows them as constraints."""
    names = ["store", *[f"joint {k}" for k in range(pieces - 1)], "chamber"]
    rest = PRESSURE * AREA / STIFFNESS
    net = Network(
        Source("store", PRESSURE),
        *[Junction(name, "incompressible") for name in names[1:-1]],
        *[
            Line(f"line {k}", names[k], names[k + 1], 2.0 / pieces, 8e-3)
            for k in range(pieces)
        ],
        Junction("chamber", "compressible", volume=VOLUME, pressure=PRESSURE),
        Cylinder("ram", "chamber", area=AREA, mass=MASS, stiffness=STIFFNESS, position=rest),
        fluid=Fluid(bulk=1e9),
    )  # fmt: skip
    frequencies = (0.5, 7.0, 40.0)
    expected = frequency_response(network(), "store", "ram", frequencies)
    # the same equations: mass and friction of the pieces add up
    assert frequency_response(net, "store", "ram", frequencies) == pytest.approx(expected, rel=1e-9)


def test_line_with_waves_resonates_at_a_quarter_wave() -> None:
    net = Network(
        Source("store", 50e5),
        WaveLine("line", "store", "end", 5.0, 0.01, modes=20, pressure=50e5),
        Junction("end", "compressible", volume=1e-7, pressure=50e5),
    )
    quarter = net.fluid.wave_speed / 20.0
    f = np.linspace(0.5, 1.5, 401) * quarter
    size = np.abs(frequency_response(net, "store", "end", f))
    # the small volume at the end lengthens the line by half a per cent
    assert f[int(size.argmax())] == pytest.approx(quarter, rel=0.02)
    assert size.max() > 5.0


def test_piston_rests_where_pressure_and_spring_balance() -> None:
    net = Network(
        Source("store", PRESSURE),
        Line("line", "store", "chamber", 2.0, 8e-3),
        Junction("chamber", "incompressible"),
        Cylinder("ram", "chamber", area=AREA, mass=MASS, stiffness=STIFFNESS, position=0.05),
    )
    rest = cl.equilibrium(net.model())
    assert rest["ram.position"][0] == pytest.approx(PRESSURE * AREA / STIFFNESS, rel=1e-9)
    assert net.read(rest)["chamber"].pressure[0] == pytest.approx(PRESSURE, rel=1e-9)


def test_many_rigid_junctions_are_sets_that_equilibrium_does_not_see() -> None:
    """The search ends after its first start, with the name of what it does not see."""
    names = ["store", *[f"joint {k}" for k in range(45)], "chamber"]
    net = Network(
        Source("store", PRESSURE),
        *[Junction(name, "incompressible") for name in names[1:]],
        *[Line(f"line {k}", names[k], names[k + 1], 0.1, 8e-3) for k in range(46)],
        Cylinder("ram", "chamber", area=AREA, mass=MASS, stiffness=STIFFNESS, position=0.05),
    )
    with pytest.raises(SimulationError, match=r"'line \d+\.position'.*the corner law 'joint \d+'"):
        cl.equilibrium(net.model())
    found = steady_state(net)
    assert found.position["ram"] == pytest.approx(PRESSURE * AREA / STIFFNESS, rel=1e-8)


def test_names_that_do_not_exist() -> None:
    with pytest.raises(UnknownNameError, match="'tank' is no source"):
        frequency_response(network(), "tank", "ram", (1.0,))
    with pytest.raises(UnknownNameError, match="'piston' is no branch"):
        frequency_response(network(), "store", "piston", (1.0,))


def test_small_motion_of_a_large_network_needs_constraints() -> None:
    parts = [
        Source("store", PRESSURE),
        *[Junction(name, "incompressible") for name in ("first", "second")],
        WaveLine("a", "store", "first", 2.0, 8e-3, modes=40),
        WaveLine("b", "first", "second", 2.0, 8e-3, modes=40),
        WaveLine("c", "second", "store", 2.0, 8e-3, modes=40),
    ]
    with pytest.raises(UsageError, match=r"UserSet 'first'.*net\.model\(constraints=True\)"):
        cl.linearise(Network(*parts).model())
    found = cl.linearise(Network(*parts).model(constraints=True))
    # a line of 6 m between two pressures that stay
    lowest = min(f for f in found.frequencies if f > 10.0)
    assert lowest == pytest.approx(Fluid().wave_speed / 12.0, rel=0.01)
