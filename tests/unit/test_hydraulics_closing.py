"""Orifices that close to constraints, by time and by a spool: impacts, balances, what floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import ModelError
from cornerlaw.hydraulics import (
    CheckValve,
    Cylinder,
    Edge,
    Fluid,
    Junction,
    Line,
    Network,
    Orifice,
    Pump,
    Source,
    WaveLine,
    ball_valve,
    servo_valve,
)
from cornerlaw.hydraulics.audit import audit_energy, audit_pressure, audit_volume
from cornerlaw.hydraulics.openings import seat_area
from cornerlaw.hydraulics.reduction import hydraulic_impact
from cornerlaw.simulate.corner_log import CornerRows

KINDS = ("incompressible", "cavitating", "compressible")
EXACT = cl.EventDriven(rtol=1e-9, atol=1e-12)
SHUTS = cl.Table((0.0, 0.005, 0.006, 1.0), (1e-5, 1e-5, 0.0, 0.0))


def run(net: Network, t_end: float, method: Any = EXACT, **options: Any) -> Any:
    return cl.simulate(net.model(), t_end=t_end, method=method, progress=False, **options)


def spool(velocity: float = 0.05) -> Cylinder:
    """Return a spool on its way, which closes edges at 0.4 mm."""
    return Cylinder("spool", "tank", area=1e-5, mass=0.05, velocity=velocity, lower=0.0, upper=1e-3)


def edge(closes: bool = True) -> Edge:
    return Edge("spool", width=0.01, sign=-1.0, overlap=-4e-4, closes=closes)


def throttled(kind: str, closes: bool = True) -> Network:
    """Return a junction that a spool cuts off from its supply while oil flows."""
    return Network(
        Source("supply", 100e5), Source("tank", 1e5), spool(),
        Junction("middle", kind, volume=1e-5, pressure=50e5),
        Orifice("in", "supply", "middle", 0.3, 0.01, opening=edge(closes)),
        Orifice("out", "middle", "tank", 0.3, 0.01, opening=1e-6),
    )  # fmt: skip


# H-04, H-15
@pytest.mark.parametrize("kind", KINDS)
def test_spool_that_closes_stops_the_oil_and_balances(kind: str) -> None:
    net = throttled(kind)
    sol = run(net, 0.015)
    r = net.read(sol)
    shut = np.flatnonzero(sol["in.losses.shut_active"] > 0.5)
    assert r["in"].flow.max() > 1e-5
    # its impact is at the first of these rows, which shows the flow before; then nothing flows
    assert np.max(np.abs(r["in"].flow[sol.t > sol.t[shut[0]]])) < 1e-18
    assert all(np.isfinite(r["middle"].pressure))
    assert audit_volume(net, sol).relative < 1e-9
    assert audit_energy(net, sol, net.model()).relative < 1e-9


def test_spool_that_does_not_close_leaks() -> None:
    sol = run(throttled("incompressible", closes=False), 0.02)
    # both orifices in series: 1 % of the bore and 1 mm^2, from 100 bar to 1 bar
    areas = 0.01 * 0.25 * math.pi * 0.01**2, 1e-6
    loss = 0.5 * 860.0 * sum((0.65 * a) ** -2 for a in areas)
    assert sol["in"].velocity[-1] * 0.25 * math.pi * 0.01**2 == pytest.approx(
        math.sqrt(99e5 / loss), rel=1e-3
    )


def test_time_stepping_closes_an_edge_like_event_by_event() -> None:
    net = throttled("cavitating")
    ends = []
    for method in (EXACT, cl.Moreau(dt=1e-5)):
        sol = run(net, 0.015, method)
        r = net.read(sol)
        assert abs(r["in"].flow[-1]) < 1e-15
        ends.append(float(r["in"].volume[-1]))
    assert ends[1] == pytest.approx(ends[0], rel=5e-3)


# H-15: the impulses of the whole network, beside the projection
@pytest.mark.parametrize(
    ("kind", "by"),
    # at a cavitating junction time closes a lock, within 0.1 us and not in an impact
    [("incompressible", "time"), ("incompressible", "spool"), ("cavitating", "spool")],
)
def test_impulse_of_a_closing_valve_is_that_of_the_projection(kind: str, by: str) -> None:
    shuts = cl.Table((0.0, 0.002, 0.003, 1.0), (2e-5, 2e-5, 0.0, 0.0))
    opening: Any = shuts if by == "time" else edge()
    net = Network(
        Source("in", 5e5), Source("tank", 1e5), Junction("middle", kind), spool(),
        Line("a", "in", "middle", 3.0, 0.01, flow=4e-4),
        Line("b", "middle", "tank", 1.0, 0.008, flow=3e-4),
        Orifice("c", "middle", "tank", 2.0, 0.006, opening=opening, flow=1e-4, smallest=0.05),
    )  # fmt: skip
    sol = run(net, 0.01)
    r = net.read(sol)
    row = int(np.argmax(r["middle"].impulse))
    names = [c.slider for c in net.topology.coordinates.values()]
    before = np.array([sol[name].velocity[row - 1] for name in names])
    expected = hydraulic_impact(np.diag(net.masses()), before, net.rows("middle", closed=("c",)))
    after = [sol[name].velocity[row] for name in names]
    assert after == pytest.approx(expected.velocity, rel=1e-9, abs=1e-12)
    assert expected.bilateral[0] > 100.0
    assert r["middle"].impulse[row] == pytest.approx(expected.bilateral[0], rel=1e-9)


def test_impulse_of_an_incompressible_junction_needs_events() -> None:
    net = throttled("incompressible")
    sol = run(net, 0.001, cl.Moreau(dt=1e-5))
    with pytest.raises(ModelError, match="Junction 'middle': time stepping does not tell"):
        _ = net.read(sol)["middle"].impulse


def at_stop(kind: str) -> Network:
    """Return a cylinder that is at its stop when its only valve closes."""
    return Network(
        Source("supply", 100e5), Junction("chamber", kind),
        Orifice("valve", "supply", "chamber", 0.1, 0.01, opening=SHUTS),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, lower=0.0, upper=0.002, force=-100.0),
    )  # fmt: skip


# all valves closed, a piston at its stop: the pressure between them is one of many
@pytest.mark.trust("TR-N-22")
@pytest.mark.parametrize("kind", ["incompressible", "cavitating"])
@pytest.mark.parametrize("method", [EXACT, cl.Moreau(dt=1e-5)], ids=["events", "steps"])
def test_pressure_between_stop_and_closed_valve_is_finite_and_named(kind: str, method: Any) -> None:
    net = at_stop(kind)
    sol = run(net, 0.02, method)
    r = net.read(sol)
    assert r["ram"].position[-1] == pytest.approx(0.002, abs=1e-8)
    # whatever it is, it carries the load, and the supply has not more
    assert 0.99e5 <= r["chamber"].pressure[-1] <= 100.01e5
    assert set(r.undetermined()) == {"chamber", "valve", "ram"}
    assert r.undetermined(0.004) == ()  # at its stop, with the valve open
    assert r.undetermined(0.001) == ()  # on its way
    assert net.undetermined() == ()  # which does not know where the piston is


@pytest.mark.trust("TR-N-22")
@pytest.mark.parametrize("kind", ["incompressible", "cavitating"])
@pytest.mark.parametrize("by", ["time", "spool"])
def test_oil_between_two_closed_valves_is_named(kind: str, by: str) -> None:
    opening: Any = SHUTS if by == "time" else edge()
    net = Network(
        Source("supply", 100e5), Source("tank", 1e5), spool(), Junction("middle", kind),
        Orifice("left", "supply", "middle", 0.1, 0.01, opening=opening),
        Orifice("right", "middle", "tank", 0.1, 0.01, opening=opening),
    )  # fmt: skip
    sol = run(net, 0.02)
    r = net.read(sol)
    assert 0.0 <= r["middle"].pressure[-1] <= 100e5
    assert set(r.undetermined()) == {"left", "middle", "right"}
    assert r.undetermined(0.001) == ()


def test_stuck_piston_leaves_its_pressure_open() -> None:
    net = Network(
        Source("supply", 20e5), Junction("chamber", "cavitating"),
        CheckValve("valve", "supply", "chamber", 0.2, 0.01),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, dry=5000.0, force=-500.0),
    )  # fmt: skip
    sol = run(net, 0.01)
    r = net.read(sol)
    assert set(r.undetermined()) == {"valve", "chamber", "ram"}


# two given flows: the pressure between the pumps is one of many
@pytest.mark.parametrize("kind", ["incompressible", "cavitating"])
def test_junction_between_pumps_is_named(kind: str) -> None:
    net = Network(
        Source("tank", 1e5), Junction("middle", kind),
        Pump("first", "tank", "middle", 0.5, 0.01, flow=1e-4),
        Pump("second", "middle", "tank", 0.5, 0.01, flow=1e-4),
    )  # fmt: skip
    assert set(net.undetermined()) == {"first", "middle", "second"}
    sol = cl.simulate(net.model(constraints=False), t_end=0.01, method=cl.Moreau(dt=1e-4),
                      progress=False)  # fmt: skip
    r = net.read(sol)
    assert np.isfinite(r["middle"].pressure).all()
    assert set(r.undetermined()) == {"first", "middle", "second"}


def test_void_has_a_pressure() -> None:
    # the piston flies on behind its oil: a cavity is no undetermined pressure
    net = Network(
        Source("tank", 1e5), Junction("chamber", "cavitating", void=1e-5),
        Orifice("valve", "tank", "chamber", 0.1, 0.01, opening=0.0),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, lower=0.0),
    )  # fmt: skip
    r = net.read(run(net, 0.01))
    assert r["chamber"].pressure[-1] == 0.0
    assert r.undetermined() == ()


def test_pull_of_an_incompressible_junction_is_reported() -> None:
    net = Network(
        Source("tank", 1e5), Junction("chamber", "incompressible"),
        Line("line", "tank", "chamber", 5.0, 0.006),
        Cylinder("ram", "chamber", area=1e-3, mass=1.0, force=3000.0),
    )  # fmt: skip
    sol = run(net, 0.01, cl.RungeKutta8())
    found = audit_pressure(net, sol)
    assert found.node == "chamber" and found.lowest < -1e6
    assert found.lowest == pytest.approx(float(net.read(sol)["chamber"].pressure.min()), rel=1e-12)
    free = [Junction(p.name, "cavitating") if isinstance(p, Junction) else p
            for p in net.hydraulic_parts]  # fmt: skip
    torn = Network(*free)
    assert audit_pressure(torn, run(torn, 0.01)).lowest >= 0.0


def test_servo_valve_on_a_cylinder_closes_to_constraints() -> None:
    net = Network(
        Source("P", 70e5), Source("tank", 1e5), Junction("A"), Junction("B"),
        Cylinder("spool", "tank", area=1e-5, mass=0.1, position=-5e-4, stiffness=4e3, preload=-1e-5,
                 lower=-5e-4, upper=0.0),
        servo_valve("valve", supply="P", a="A", tank="tank", b="B", spool="spool", width=0.01,
                    overlap=1e-4, length=0.3, closes=True),
        Cylinder("ram", "A", area=1e-3, rod_chamber="B", rod_area=6e-4, mass=50.0, position=0.1),
    )  # fmt: skip
    sol = run(net, 0.06, cl.Moreau(dt=1e-5))
    x = net.read(sol)["ram"].position
    assert x.max() > 0.1002  # it has moved out
    late = sol.t > 0.03
    assert np.ptp(x[late]) < 1e-12  # and stands: a leaking valve would let it creep


# 6.133 to 6.137
BALL: dict[str, Any] = {
    "radius": 2.5e-3, "half_angle": math.radians(45.0), "lift": 0.6e-3, "stiffness": 5000.0,
    "preload": 0.25, "mass": 4e-5,
}  # fmt: skip
BEHIND = cl.Table((0.0, 4e-3, 5e-3, 1.0), (1e5, 1e5, 6e5, 6e5))


def ball(**more: Any) -> tuple[Network, Any]:
    net = Network(
        Source("supply", 3e5), Source("chamber", BEHIND),
        ball_valve("valve", supply="supply", chamber="chamber", **{**BALL, **more}),
    )  # fmt: skip
    t = np.linspace(0.0, 8e-3, 3201)  # the work of the table is summed over rows
    return net, run(net, 8e-3, cl.EventDriven(rtol=1e-8, atol=1e-12), t_eval=t)


def test_ball_opens_flows_by_its_seat_and_closes() -> None:
    net, sol = ball(damping=1.0)
    r = net.read(sol)
    row = int(np.searchsorted(sol.t, 3.9e-3))
    lift = float(r["valve.ball"].position[row])
    circle = math.pi * (2.5e-3 * math.cos(math.radians(45.0))) ** 2
    assert lift == pytest.approx((circle * 2e5 - 0.25) / 5000.0, rel=1e-6)
    area = seat_area(lift, 2.5e-3, math.radians(45.0))
    flow = 0.65 * area * math.sqrt(2.0 * 2e5 / 860.0)
    assert r["valve.seat"].flow[row] == pytest.approx(flow, rel=1e-3)
    assert r["valve.ball"].position[-1] == pytest.approx(0.0, abs=1e-12)
    assert r["valve.seat"].flow[-1] == 0.0
    assert audit_energy(net, sol, net.model()).relative < 1e-6


# HT-07
def test_damping_on_the_way_back_delays_the_closing_only() -> None:
    def times(**more: float) -> tuple[float, float]:
        net, sol = ball(damping=0.5, **more)
        x = net.read(sol)["valve.ball"].position
        opens = float(sol.t[np.argmax(x > 2e-4)])
        return opens, float(sol.t[np.flatnonzero(x > 1e-6)[-1]])

    same, slow = times(), times(damping_back=4.0)
    assert slow[0] == pytest.approx(same[0], abs=3e-5)
    assert slow[1] > same[1] + 3e-4


def test_oil_of_a_line_with_waves_weighs() -> None:
    rise, length = 3.0, 5.0
    for shapes in ("harmonic", "spline"):
        net = Network(
            Source("low", 10e5), Source("high", 10e5),
            WaveLine("line", "low", "high", length, 0.01, modes=4, shapes=shapes, pressure=10e5,
                     rise=rise),
            fluid=Fluid(viscosity=1e-9),
        )  # fmt: skip
        sol = run(net, 0.01, cl.RungeKutta8())
        assert sol["line"].velocity[-1] == pytest.approx(-9.81 * rise / length * 0.01, rel=1e-4)
        # all of the line falls alike: no mode is excited
        assert abs(sol["line.mode 1"].position).max() < 1e-12


# an event at the end of a step but for a rounding leaves an interval without a mean
def test_intervals_of_a_rounding_have_no_force_of_their_own() -> None:
    t = np.array([0.0, 0.01, np.nextafter(0.01, 1.0), 0.02])
    rows = CornerRows(
        status=np.zeros((4, 1), np.int8), Lambda=np.array([[0.0], [0.02], [5.0], [0.03]]),
        side=np.zeros(4, np.int8), stepping=True,
    )  # fmt: skip
    assert rows.forces(t)[:, 0] == pytest.approx([0.0, 2.0, 2.0, 3.0])
