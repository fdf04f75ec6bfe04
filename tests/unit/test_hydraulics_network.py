"""Hydraulic networks: rows, junctions, valves, impacts, balances and singular cases."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import DuplicateNameError, ModelError, UnknownNameError
from cornerlaw.hydraulics import (
    Accumulator,
    CheckValve,
    Cylinder,
    Fluid,
    Gap,
    Group,
    Junction,
    Line,
    Network,
    Orifice,
    Pump,
    Source,
    WaveLine,
    servo_valve,
)
from cornerlaw.hydraulics.audit import _drive_impulse, audit_energy, audit_volume
from cornerlaw.hydraulics.reduction import (
    hydraulic_impact,
    minimal_velocities,
    recover_pressures,
    unilateral_matrix,
)
from cornerlaw.hydraulics.waves import joukowsky
from cornerlaw.simulate import RedundantConstraintWarning

AREA = 0.25 * math.pi * 0.04**2


def run(net: Network, t_end: float, method: Any = None, **options: Any) -> Any:
    model = net.model()
    kind = cl.EventDriven if model.corners else cl.RungeKutta8
    method = kind(rtol=1e-10, atol=1e-13) if method is None else method
    return cl.simulate(model, t_end=t_end, method=method, progress=False, **options)


def assert_balanced(net: Network, sol: Any, energy: float = 1e-6) -> None:
    volume = audit_volume(net, sol)
    assert volume.relative < 1e-9, volume
    found = audit_energy(net, sol, net.model())
    assert found.relative < energy, found


def store_and_cylinder(kind: str, volume: float = 20e-6, **more: Any) -> Network:
    return Network(
        Source("store", 15e5),
        Line("line", "store", "chamber", 2.0, 8e-3, friction="none"),
        Junction("chamber", kind, volume=volume, pressure=1e5),
        Cylinder("piston", "chamber", area=AREA, mass=1.0, stiffness=20e3, **more),
        fluid=Fluid(bulk=1e9),
    )


def test_three_kinds_of_junctions_move_alike() -> None:
    ends = {}
    for kind in ("incompressible", "cavitating", "compressible"):
        net = store_and_cylinder(kind, lower=0.0)
        sol = run(net, 0.1)
        assert_balanced(net, sol)
        ends[kind] = net.read(sol)["piston"].position[-1]
    assert ends["cavitating"] == pytest.approx(ends["incompressible"], rel=1e-12)
    # the chamber of 20 to 100 cm^3 gives by a share of p / E
    assert ends["compressible"] == pytest.approx(ends["incompressible"], rel=3e-3)


# AT-03
def test_ripple_and_slow_mode_have_their_frequencies() -> None:
    # a large volume at the reference pressure: difference quotients stay clear of cavitation
    volume, stiffness = 20e-3, 20e3
    net = store_and_cylinder("compressible", volume=volume)
    line = net.topology.coordinates["line.position"]
    A_L = 0.25 * math.pi * 8e-3**2
    areas, masses = np.array([A_L, -AREA]), np.array([line.mass, 1.0])
    K = 1e9 / volume * np.outer(areas, areas) + np.diag([0.0, stiffness])
    expected = np.sqrt(np.linalg.eigvals(K / masses[:, None])) / (2.0 * math.pi)
    modes = np.sort(cl.linearise(net.model()).frequencies)[-2:]
    print(f"\nAT-03: slow mode and ripple over closed form {modes / np.sort(expected).real}")
    assert modes == pytest.approx(np.sort(expected), rel=1e-5)
    ripple = math.sqrt(1e9 / volume * (A_L**2 / line.mass + AREA**2)) / (2.0 * math.pi)
    assert net.natural_frequency("chamber") == pytest.approx(ripple, rel=1e-12)
    inertia = 1.0 + line.mass * (AREA / A_L) ** 2
    rigid = cl.linearise(store_and_cylinder("incompressible").model()).frequencies.max()
    assert rigid == pytest.approx(math.sqrt(stiffness / inertia) / (2.0 * math.pi), rel=1e-9)


def test_compressible_motion_converges_to_the_rigid_one() -> None:
    def shifted(bulk: float) -> float:
        parts = store_and_cylinder("compressible").hydraulic_parts
        sol = run(Network(*parts, fluid=Fluid(bulk=bulk)), 0.02)
        return float(sol["piston"].position[-1])

    rigid = float(run(store_and_cylinder("incompressible"), 0.02)["piston"].position[-1])
    errors = [abs(shifted(bulk) - rigid) for bulk in (1e9, 1e10)]
    assert errors[1] < 0.2 * errors[0]


# AT-04
def test_check_valve_and_cavity_are_complementary() -> None:
    # a piston that is shaken sucks through one check valve and delivers through another
    net = Network(
        Source("tank", 1e5),
        Source("load", 8e5),
        CheckValve("suction", "tank", "chamber", 0.2, 8e-3),
        CheckValve("delivery", "chamber", "load", 0.2, 8e-3, opening=2e-5, preload=1e5),
        Junction("chamber", "cavitating"),
        Cylinder("piston", "chamber", area=AREA, mass=2.0, position=0.02, stiffness=2e4),
    )
    push = cl.Torque("push", "piston", value=lambda t: 1200.0 * math.sin(40.0 * t))
    model = net.model(push)
    sol = cl.simulate(model, t_end=0.5, method=cl.EventDriven(rtol=1e-10, atol=1e-13),
                      progress=False)  # fmt: skip
    r = net.read(sol)
    for name in ("suction", "delivery"):
        flow, back = r[name].flow, sol[f"{name}.seat.lam_N"] / r[name]._part.area
        assert flow.min() > -1e-12 and back.min() > -1e-7 * back.max()
        assert np.max(np.abs(flow * back)) < 1e-10 * np.max(np.abs(flow)) * np.max(back)
        assert r[name].volume[-1] > 1e-5  # both have worked
    chamber = r["chamber"]
    assert chamber.pressure.min() >= -1e-9 * chamber.pressure.max()
    assert chamber.void.min() > -1e-12
    product = np.abs(chamber.void * chamber.pressure)
    print(f"\nAT-04: void times pressure at most {product.max():.1e} J")
    assert product.max() <= 1e-10 * max(chamber.void.max(), 1e-9) * chamber.pressure.max()
    assert audit_volume(net, sol).relative < 1e-9


# AT-04
def test_power_of_valves_and_cavities_is_balanced() -> None:
    # as above; the push integrates its own power, like every other element
    net = Network(
        Source("tank", 1e5),
        Source("load", 8e5),
        CheckValve("suction", "tank", "chamber", 0.2, 8e-3),
        CheckValve("delivery", "chamber", "load", 0.2, 8e-3, opening=2e-5, preload=1e5),
        Junction("chamber", "cavitating"),
        Cylinder("piston", "chamber", area=AREA, mass=2.0, position=0.02, stiffness=2e4),
    )

    def push(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        Q[0] = 1200.0 * math.sin(40.0 * t)
        x_dot[0] = -Q[0] * u[0]

    model = net.model(
        cl.ForceElement("push", coordinates=("piston.position",), law=push, states={"taken": 0.0})
    )
    sol = cl.simulate(model, t_end=0.5, method=cl.EventDriven(rtol=1e-12, atol=1e-14),
                      progress=False)  # fmt: skip
    found = audit_energy(net, sol, model)
    print(f"\nAT-04: power balance {found.relative:.1e}")
    assert abs(found.supplied) > 10.0
    assert found.relative < 1e-10


def test_rigid_junctions_as_constraints_or_as_sets() -> None:
    net = Network(
        Source("supply", 50e5), Source("tank", 1e5),
        Junction("a", "incompressible"), Junction("b", "incompressible"),
        Line("in", "supply", "a", 1.0, 0.02), Line("between", "a", "b", 0.5, 0.01),
        Line("left", "a", "tank", 1.0, 0.004), Line("right", "b", "tank", 2.0, 0.004),
        Orifice("shut", "b", "tank", 0.1, 0.01, opening=0.0),
    )  # fmt: skip
    found = {}
    for constraints in (True, False):
        model = net.model(constraints=constraints)
        assert bool(model.corners) is not constraints
        sol = cl.simulate(model, t_end=0.02, method=cl.Moreau(dt=1e-5), progress=False)
        r = net.read(sol)
        found[constraints] = [r[n].pressure[-1] for n in "ab"] + [r["left"].flow[-1]]
        assert audit_volume(net, sol).relative < 1e-9
        assert abs(r["shut"].volume[-1]) < 1e-15
    # pressures of sets are means over the last step, those of constraints values at its end
    assert found[False] == pytest.approx(found[True], rel=5e-5)


def test_large_networks_have_sets_by_themselves() -> None:
    parts: list[Any] = [Source("supply", 50e5)]
    for k in range(41):
        parts += [Junction(f"n{k}", "incompressible"),
                  Line(f"l{k}", f"n{k - 1}" if k else "supply", f"n{k}", 1.0, 0.01)]  # fmt: skip
    assert len(Network(*parts).model().corners) == 41
    assert not Network(*parts[:-2]).model().corners


def pumped(volume: Any = None) -> Network:
    return Network(
        Source("tank", 1e5), Pump("pump", "tank", "rail", 0.5, 0.012, flow=2e-4, volume=volume),
        Junction("rail", "cavitating"), Line("line", "rail", "chamber", 1.0, 0.008, flow=1e-4),
        Orifice("bleed", "rail", "tank", 0.2, 0.01, opening=1e-5, flow=1e-4),
        Junction("chamber", "cavitating"),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, velocity=0.1, lower=0.0, upper=0.02,
                 force=-1000.0),
    )  # fmt: skip


def test_pump_that_is_struck_balances_event_by_event() -> None:
    # the piston meets its stop while the pump delivers: cavities close on a column that is driven
    net, end = pumped(), 0.02
    model = net.model()
    method = cl.EventDriven(rtol=1e-10, atol=1e-13)
    rows = np.linspace(0.0, end, 401)
    sol = cl.simulate(model, t_end=end, method=method, t_eval=rows, progress=False)
    assert any(e.kind == "impact" and e.name == "rail" for e in sol.events)
    assert net.read(sol)["pump"].volume[-1] == pytest.approx(2e-4 * end, rel=1e-9)
    assert audit_volume(net, sol).relative < 1e-9
    energy = audit_energy(net, sol, model)
    assert energy.supplied > 1.0
    assert energy.relative < 1e-6


def test_pump_as_constraint_or_as_set_in_time_steps() -> None:
    net, found, errors = pumped(), {}, {}
    end = 0.02
    for constraints in (True, False):
        model = net.model(constraints=constraints)
        assert any(part.name == "pump.drive" for part in model.corners) is not constraints
        for dt in (4e-6, 2e-6):
            rows = np.linspace(0.0, end, round(end / dt) + 1)
            sol = cl.simulate(model, t_end=end, method=cl.Moreau(dt=dt), t_eval=rows,
                              progress=False)  # fmt: skip
            r = net.read(sol)
            # a set holds its speed, as far as problems are solved; a constraint its position
            assert r["pump"].volume[-1] == pytest.approx(2e-4 * end, rel=1e-5)
            assert audit_volume(net, sol).relative < 1e-9
            energy = audit_energy(net, sol, model)
            assert energy.supplied > 1.0
            errors[constraints, dt] = energy.relative
            found[constraints] = [r["ram"].position[-1], r["bleed"].flow[-1]]
    print("\nenergy of a pumped network in time steps:", errors)
    assert max(errors.values()) < 2e-4
    for constraints in (True, False):  # of first order
        ratio = errors[constraints, 2e-6] / errors[constraints, 4e-6]
        assert 0.4 < ratio < 0.6
    assert found[False] == pytest.approx(found[True], rel=1e-4, abs=1e-9)


def held_back(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = -p[0] * u[0]


def test_impulse_of_a_pump_is_unknown_where_an_element_acts_on_its_column() -> None:
    net = pumped()
    rows = np.linspace(0.0, 1e-3, 251)
    brake = cl.ForceElement("brake", coordinates=("pump.position",), law=held_back,
                            parameters={"d": 5.0})  # fmt: skip
    for others in ((), (brake,)):
        model = net.model(*others, constraints=True)
        sol = cl.simulate(model, t_end=1e-3, method=cl.Moreau(dt=4e-6), t_eval=rows, progress=False)
        impulse = _drive_impulse(net, sol, model, "pump.position")
        assert (impulse is None) is bool(others)


def test_pump_with_a_given_volume_as_a_set() -> None:
    def volume(t: Any) -> Any:
        return 2e-4 * t + 1e-6 * (1.0 - np.cos(200.0 * t))

    net = pumped(volume)
    method = cl.EventDriven(rtol=1e-10, atol=1e-13)
    sol = cl.simulate(net.model(constraints=False), t_end=0.01, method=method, progress=False)
    expected = 2e-4 + 200e-6 * np.sin(200.0 * sol.t)
    assert net.read(sol)["pump"].flow == pytest.approx(expected, rel=1e-8)


def test_large_networks_with_a_pump_have_no_constraints() -> None:
    parts: list[Any] = [Source("tank", 1e5), Pump("pump", "tank", "n0", 0.5, 0.02, flow=1e-3)]
    for k in range(120):
        parts += [Junction(f"n{k}"), Line(f"out{k}", f"n{k}", "tank", 1.0, 0.004, flow=1e-3 / 120)]
        if k:
            parts.append(Line(f"l{k}", f"n{k - 1}", f"n{k}", 1.0, 0.01, flow=1e-3 * (1 - k / 120)))
    large, small = Network(*parts).model(), Network(*parts[:4]).model()
    assert any(part.name == "pump.drive" for part in large.corners)
    assert not any(part.name == "pump.drive" for part in small.corners)


def test_motion_of_a_set_needs_both_ends() -> None:
    with pytest.raises(ModelError, match="UserSet 'drive': motion needs both lower and upper"):
        cl.UserSet("drive", coordinates=("a.position",), coefficients=(1.0,), lower=0.0,
                   motion=lambda t: t)  # fmt: skip


# AT-05
def test_closing_valve_projects_the_momentum_of_the_network() -> None:
    # two columns from a junction into two others; one is closed while oil flows
    net = Network(
        Source("in", 5e5), Source("out", 1e5), Junction("middle", "incompressible"),
        Line("a", "in", "middle", 3.0, 0.01, flow=4e-4),
        Line("b", "middle", "out", 1.0, 0.008, flow=3e-4),
        Line("c", "middle", "out", 2.0, 0.006, flow=1e-4),
    )  # fmt: skip
    M, v = np.diag(net.masses()), np.array([c.velocity for c in net.topology.coordinates.values()])
    W = net.rows("middle", closed=("c",))
    impact = hydraulic_impact(M, v, W)
    J = minimal_velocities(W).J
    assert np.allclose(J.T @ M @ impact.velocity, J.T @ M @ v, rtol=1e-13)
    assert np.allclose(W.T @ impact.velocity, 0.0, atol=1e-15)
    # impulses: momentum lost by column c is the impulse of valve and junction on it
    assert np.allclose(M @ (impact.velocity - v), W @ impact.bilateral, rtol=1e-10)
    assert impact.bilateral[0] > 0.0  # the junction's pressure jumps up
    # less energy after than before
    assert impact.velocity @ M @ impact.velocity < v @ M @ v


def closing(seconds: float, **line: Any) -> Network:
    return Network(
        Source("store", 10e5), Source("tank", 1e5), Junction("end", "cavitating"),
        WaveLine("line", "store", "end", 20.0, 0.02, pressure=10e5, flow=3e-4, **line)
        if line else Line("line", "store", "end", 20.0, 0.02, friction="none", flow=3e-4),
        Orifice("valve", "end", "tank", 0.1, 0.02, opening=cl.Table((0.0, 0.01, 0.01 + seconds,
                1.0), (1.1e-5, 1.1e-5, 0.0, 0.0)), flow=3e-4),
    )  # fmt: skip


def test_time_stepping_closes_a_valve_like_the_impact() -> None:
    net = closing(1e-6)
    sol = cl.simulate(net.model(), t_end=0.02, method=cl.Moreau(dt=1e-5), progress=False)
    r = net.read(sol)
    assert r["valve"].flow[-1] == pytest.approx(0.0, abs=1e-12)
    assert r["line"].flow[-1] == pytest.approx(0.0, abs=1e-12)
    before = r["line"].flow[sol.t < 0.00999][-1]
    impulse = np.sum(r["end"].pressure[1:] * np.diff(sol.t))
    # the column's momentum, and the store that pushes on for the whole time
    momentum = 860.0 * 20.0 * before / (0.25 * math.pi * 0.02**2)
    expected = momentum + np.sum(np.where(sol.t[1:] > 0.01, 10e5, 0.0) * np.diff(sol.t))
    steady = np.sum(r["end"].pressure[1:] * np.where(sol.t[1:] < 0.00999, np.diff(sol.t), 0.0))
    assert impulse - steady == pytest.approx(expected, rel=2e-3)


def test_line_with_waves_hammers_by_joukowsky() -> None:
    net = closing(2e-4, modes=60, shapes="harmonic", frequency_dependent=True)
    t = np.arange(0.0, 0.0246, 2e-5)
    sol = cl.simulate(net.model(), t_end=t[-1], t_eval=t, method=cl.Moreau(dt=1e-5), progress=False)
    r = net.read(sol)
    t = sol.t  # and the two limits where the valve closes
    before = r["line"].flow[t < 0.009].mean() / (0.25 * math.pi * 0.02**2)
    level = r["end"].pressure[(t > 0.014) & (t < 0.024)].mean() - 10e5
    print(f"\nAT-05: pressure over rho c dv {level / joukowsky(net.fluid, before):.4f}")
    assert level == pytest.approx(joukowsky(net.fluid, before), rel=0.05)


# HT-05
@pytest.mark.trust("TR-N-22")
def test_redundant_rows_are_reduced_by_rank() -> None:
    # a ring of four junctions and four lines without a boundary: rank 3 (a servo valve's core)
    names = "PATB"
    net = Network(
        *(Junction(name, "incompressible") for name in names),
        *(Line(f"{k}", names[k], names[(k + 1) % 4], 0.1, 0.01, flow=1e-4) for k in range(4)),
    )
    W = net.rows(*names)
    reduction = minimal_velocities(W)
    assert reduction.rank == 3 and reduction.J.shape == (4, 1)
    assert np.allclose(W.T @ reduction.J, 0.0, atol=1e-15)
    assert net.undetermined() == tuple(names)
    # pressures up to a constant: the least ones
    p = recover_pressures(W, W @ np.array([1e5, 3e5, 2e5, 2e5]))
    assert p == pytest.approx([-1e5, 1e5, 0.0, 0.0], abs=1e-6)
    with pytest.warns(RedundantConstraintWarning):
        sol = run(net, 0.01)
    assert np.isfinite(net.read(sol)["P"].pressure).all()
    v = [sol[f"{k}"].velocity[-1] for k in range(4)]
    assert v == pytest.approx([v[0]] * 4, rel=1e-10) and 0.0 < v[0] < 1e-4 / 7.85e-5


def test_matrix_of_the_cavities_is_positive_semidefinite() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        W, U = rng.normal(size=(9, 4)), rng.normal(size=(9, 5))
        W[:, 3] = W[:, 0] - W[:, 1]  # dependent
        M = np.diag(rng.uniform(0.1, 3.0, 9))
        reduction = minimal_velocities(W)
        assert reduction.rank == 3
        A = unilateral_matrix(M, reduction, U)
        assert np.linalg.eigvalsh(0.5 * (A + A.T)).min() > -1e-12


def test_impact_with_cavities_and_given_flows() -> None:
    # a pump delivers into a junction whose outlet is shut: nothing can satisfy that
    W = np.array([[-1e-4, 0.0], [1e-4, 1e-4]])
    with pytest.raises(ModelError, match="contradict"):
        minimal_velocities(np.array([[1e-4, 2e-4]]), np.array([1e-5, 0.0]))
    # a column that comes to a standstill leaves a void behind it rather than pulling the other
    M, v = np.diag([0.1, 0.5]), np.array([1.0, 1.0])
    room = np.array([[-1e-4], [1e-4]])
    stopped = hydraulic_impact(M, v, np.array([[1e-4], [0.0]]), room)
    assert stopped.velocity == pytest.approx([0.0, 1.0]) and stopped.unilateral[0] == 0.0
    pushed = hydraulic_impact(M, v, np.array([[0.0], [1e-4]]), room)
    assert pushed.velocity == pytest.approx([0.0, 0.0], abs=1e-12)
    assert pushed.unilateral[0] == pytest.approx(0.1 / 1e-4)
    assert W.shape == (2, 2)


def test_groups_nest_and_repeat() -> None:
    unit = Group(
        "unit",
        Junction("node", "cavitating"),
        Line("feed", "supply", "node", 1.0, 0.006),
        Cylinder("ram", "node", area=3e-4, mass=0.5, stiffness=1e4, lower=0.0, upper=0.02),
    )
    module = Group("module", unit, unit.again("twin"), ports={"supply": "rail"})
    net = Network(
        Source("rail", 30e5), module, module.again("other", {"supply": "far"}), Source("far", 10e5)
    )
    names = {p.name for p in net.hydraulic_parts}
    assert {"module.unit.ram", "module.twin.ram", "other.twin.feed"} <= names
    sol = run(net, 0.012)
    r = net.read(sol)
    assert np.array_equal(r["module.unit.ram"].position, r["module.twin.ram"].position)
    assert r["module.unit.ram"].position[-1] > r["other.unit.ram"].position[-1]
    assert_balanced(net, sol)


def test_piston_with_seal_friction_depends_on_the_pressure() -> None:
    def held(pressure: float, force: float) -> bool:
        net = Network(
            Source("in", pressure),
            Line("line", "in", "chamber", 1.0, 0.008),
            Junction("chamber", "cavitating"),
            Cylinder("ram", "chamber", area=1e-3, mass=1.0, position=0.1, seal=1e-4, force=force),
        )
        sol = run(net, 0.01)
        return bool(abs(net.read(sol)["ram"].velocity[-1]) < 1e-9)

    # 10 bar push with 1000 N, the seal holds 100 N of difference, and 50 N at 5 bar
    assert held(10e5, -950.0) and held(10e5, -1050.0)
    assert not held(10e5, -850.0) and not held(10e5, -1150.0)
    assert held(5e5, -460.0) and not held(5e5, -420.0)


def test_gap_leaks_as_its_formula() -> None:
    from cornerlaw.hydraulics.gaps import AnnularGap

    net = Network(
        Source("high", 20e5), Source("low", 1e5),
        Cylinder("ram", "high", area=1e-4, mass=1.0, force=-200.0, lower=-1.0),
        Gap("leak", "high", "low", 0.02, 0.014, on="ram", height=30e-6, eccentricity=0.5),
    )  # fmt: skip
    sol = run(net, 0.001, cl.EventDriven(rtol=1e-8, atol=1e-11))
    formula = AnnularGap(7e-3, 7.03e-3, 0.02, net.fluid.dynamic_viscosity, 0.5)
    speed = sol["ram"].velocity[-1]
    assert net.read(sol)["leak"].flow[-1] == pytest.approx(
        formula.plane_flow(19e5, inner=speed), rel=1e-4
    )
    assert_balanced(net, sol)


def test_accumulator_and_turbulent_line_balance() -> None:
    net = Network(
        Accumulator("store", volume=1e-3, pressure=60e5, polytropic=1.3),
        Line("line", "store", "chamber", 3.0, 0.01, friction="turbulent", zeta=2.0),
        Junction("chamber", "compressible", volume=1e-5, pressure=1e5),
        Cylinder("ram", "chamber", area=1e-3, mass=50.0, damping=200.0, upper=0.15, lower=0.0),
        fluid=Fluid(air=0.005),
    )
    sol = run(net, 0.2)
    assert_balanced(net, sol)
    assert net.read(sol)["ram"].position[-1] == pytest.approx(0.15, abs=1e-6)
    assert any(event.kind == "impact" for event in sol.events)


def test_pump_delivers_its_flow() -> None:
    net = Network(
        Source("tank", 1e5),
        Pump("pump", "tank", "rail", 0.5, 0.012, flow=2e-4),
        Junction("rail", "incompressible"),
        CheckValve("relief", "rail", "tank", 0.2, 0.01, preload=50e5, opening=3e-5, flow=2e-4),
        Line("line", "rail", "chamber", 1.0, 0.008),
        Junction("chamber", "cavitating"),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, lower=0.0, upper=0.02, force=-1000.0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sol = run(net, 0.3)
    r = net.read(sol)
    assert r["pump"].volume[-1] == pytest.approx(2e-4 * 0.3, rel=1e-9)
    stopped = r["ram"].position >= 0.02 - 1e-9
    assert stopped.any() and sol.t[stopped][0] > 0.09
    # at the stop all oil passes the relief valve
    assert r["relief"].flow[-1] == pytest.approx(2e-4, rel=1e-6)
    assert r["rail"].pressure[-1] > 51e5
    assert audit_volume(net, sol).relative < 1e-9


# singular cases
@pytest.mark.trust("TR-N-22")
def test_all_valves_closed() -> None:
    net = Network(
        Source("supply", 100e5),
        Orifice("valve", "supply", "chamber", 0.1, 0.01, opening=0.0),
        Junction("chamber", "incompressible"),
        Cylinder("ram", "chamber", area=1e-3, mass=5.0, position=0.1, force=-4000.0),
    )
    sol = run(net, 0.05)
    r = net.read(sol)
    assert r["ram"].position[-1] == pytest.approx(0.1, abs=1e-12)
    assert r["chamber"].pressure == pytest.approx(np.full(len(sol.t), 40e5), rel=1e-9)
    assert net.undetermined() == ()


def test_floating_junctions_are_named() -> None:
    net = Network(
        Source("supply", 100e5),
        Orifice("left", "supply", "middle", 0.1, 0.01, opening=0.0),
        Junction("middle", "incompressible"),
        Orifice("right", "middle", "end", 0.1, 0.01, opening=0.0),
        Junction("end", "incompressible"),
        Line("line", "end", "tank", 1.0, 0.01),
        Source("tank", 1e5),
    )
    assert set(net.undetermined()) == {"left", "middle", "right"}
    with pytest.warns(RedundantConstraintWarning):
        sol = run(net, 0.01)
    assert np.isfinite(net.read(sol)["middle"].pressure).all()
    assert net.read(sol)["end"].pressure[-1] == pytest.approx(1e5, rel=1e-6)


@pytest.mark.trust("TR-N-22")
@pytest.mark.parametrize(("kind", "constraints"), [("incompressible", False), ("cavitating", True)])
def test_floating_ring_by_time_stepping(kind: str, constraints: bool) -> None:
    # no source anywhere: the level of the pressures is undetermined, the decay of the flow is not
    names = "PATB"
    net = Network(
        *(Junction(name, kind) for name in names),
        *(Line(f"{k}", names[k], names[(k + 1) % 4], 0.1, 0.01, flow=1e-4) for k in range(4)),
    )
    assert net.undetermined() == tuple(names)
    model = net.model(constraints=constraints)
    sol = cl.simulate(model, t_end=0.01, method=cl.Moreau(dt=1e-5), progress=False)
    r = net.read(sol)
    rate = 32.0 * net.fluid.viscosity / 0.01**2
    for k in range(4):
        assert r[f"{k}"].flow[-1] == pytest.approx(1e-4 * math.exp(-0.01 * rate), rel=1e-3)
    assert all(np.isfinite(r[name].pressure).all() for name in names)


@pytest.mark.trust("TR-N-22")
def test_cavity_opens_and_closes_with_an_impact() -> None:
    # a piston pulled fast draws a void; let go, it comes back and hits the oil
    net = Network(
        Source("tank", 1e5),
        Line("line", "tank", "chamber", 5.0, 0.006),
        Junction("chamber", "cavitating"),
        Cylinder("ram", "chamber", area=1e-3, mass=1.0, velocity=4.0, stiffness=4e3, preload=100.0),
    )
    sol = run(net, 0.08)
    chamber = net.read(sol)["chamber"]
    assert chamber.void.max() > 1e-5
    impacts = [event for event in sol.events if event.kind == "impact"]
    assert impacts and impacts[0].time > 0.01
    assert chamber.impulse.max() > 0.0
    # no pressure before the void is filled
    assert np.all(chamber.pressure[chamber.void > 1e-9] == 0.0)
    assert_balanced(net, sol)


@pytest.mark.trust("TR-N-22")
def test_elastic_chamber_tears_at_the_cavitation_pressure() -> None:
    net = Network(
        Source("tank", 1e5),
        Line("line", "tank", "chamber", 5.0, 0.006),
        Junction("chamber", "compressible", volume=2e-5, pressure=1e5),
        Cylinder("ram", "chamber", area=1e-3, mass=1.0, velocity=2.0, stiffness=4e3, lower=-0.01),
        fluid=Fluid(cavitation=2e3),
    )
    sol = run(net, 0.03)
    pressure = net.read(sol)["chamber"].pressure
    assert pressure.min() == 2e3 and np.sum(pressure == 2e3) > 10
    assert_balanced(net, sol)


@pytest.mark.trust("TR-N-22")
def test_zero_volume_is_refused_by_name() -> None:
    parts = (Source("s"), Line("l", "s", "n", 1.0, 0.01), Junction("n", "compressible"))
    with pytest.raises(ModelError, match="Junction 'n': a compressible junction needs a volume"):
        Network(*parts).model()
    # without a volume it is rigid: a dead end
    net = Network(*parts[:2], Junction("n", "incompressible"))
    sol = run(net, 0.01)
    assert net.read(sol)["n"].pressure == pytest.approx(np.full(len(sol.t), 1e5), rel=1e-9)
    assert net.advice(100.0) == {"n": "cavitating"}


def test_errors_name_the_culprit() -> None:
    with pytest.raises(UnknownNameError, match="Line 'l': second names no junction"):
        Network(Source("s"), Line("l", "s", "m", 1.0, 0.01))
    with pytest.raises(DuplicateNameError, match="'s'"):
        Network(Source("s"), Source("s"))
    with pytest.raises(ModelError, match="Junction 'n': nothing is connected"):
        Network(Junction("n"))
    with pytest.raises(ModelError, match="first and second are both"):
        Line("l", "s", "s", 1.0, 0.01)
    with pytest.raises(ModelError, match="opening must be >= 0"):
        Orifice("o", "a", "b", 1.0, 0.01, opening=-1.0)


@pytest.mark.trust("TR-N-22")
def test_servo_valve_moves_a_cylinder_both_ways() -> None:
    spool = cl.Table((0.0, 0.02, 0.1, 0.12, 0.2, 0.22, 0.3), (0.0, -5e-4, -5e-4, 0.0, 0.0, 5e-4,
                     5e-4))  # fmt: skip
    net = Network(
        Source("P", 70e5), Source("T", 1e5), Junction("A"), Junction("B"),
        servo_valve("valve", supply="P", a="A", tank="T", b="B", spool=spool, width=0.01,
                    overlap=2e-5, length=0.3, smallest=0.05),
        Cylinder("ram", "A", area=1e-3, rod_chamber="B", rod_area=6e-4, mass=50.0, position=0.1),
    )  # fmt: skip
    sol = cl.simulate(net.model(), t_end=0.3, method=cl.Moreau(dt=5e-6), progress=False)
    r = net.read(sol)
    x = r["ram"].position
    at = [float(np.interp(t, sol.t, x)) for t in (0.0, 0.11, 0.13, 0.19, 0.3)]
    assert at[1] > at[0] + 0.01  # backward spool: supply to A, the piston moves out
    assert at[3] == pytest.approx(at[2], abs=1e-9)  # closed edges hold it
    assert at[4] < at[3] - 0.01
    for name in ("A", "B"):
        assert r[name].pressure.min() >= -1e-9 * r[name].pressure.max()
    assert audit_volume(net, sol).relative < 1e-9


def test_second_stage_follows_the_spool_of_the_first() -> None:
    # a pilot valve over time moves a cylinder, the spool of the main valve, against its spring
    pilot = cl.Table((0.0, 0.005, 1.0), (0.0, -3e-4, -3e-4))
    net = Network(
        Source("P", 70e5), Source("T", 1e5), Junction("x"), Junction("A"), Junction("B"),
        Orifice("pilot", "P", "x", 0.2, 0.005, opening=cl.Table(pilot.x, [-0.002 * s for s in
                pilot.y]), smallest=0.05),
        Line("bleed", "x", "T", 1.0, 0.001),
        Cylinder("spool", "x", area=5e-5, mass=0.05, stiffness=2e4, preload=20.0, damping=20.0,
                 lower=0.0, upper=1e-3),
        servo_valve("main", supply="P", a="A", tank="T", b="B", spool="spool", width=0.01,
                    overlap=1e-4, length=0.3),
        Cylinder("ram", "A", area=1e-3, rod_chamber="B", rod_area=6e-4, mass=50.0, position=0.1),
    )  # fmt: skip
    sol = cl.simulate(net.model(), t_end=0.08, method=cl.Moreau(dt=5e-6), progress=False)
    r = net.read(sol)
    assert r["spool"].position.max() > 5e-4
    # forward it joins the supply to B and A to the tank: the ram moves in, after the spool
    moved = 0.1 - r["ram"].position
    assert moved[-1] > 1e-3
    assert sol.t[np.argmax(moved > 1e-4)] > sol.t[np.argmax(r["spool"].position > 1e-4)]
    assert audit_volume(net, sol).relative < 1e-9
