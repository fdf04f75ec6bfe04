"""Drives whose throttle, voltage or pressure a controller sets while the run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives

PACK = drives.DiscPack(area=1e-3, spring=100.0, radius=0.05, faces=4, static=0.14)
FULL: dict[str, Any] = {"speeds": (0.0, 300.0), "torques": (80.0, 80.0), "lag": 0.1}
DC: dict[str, Any] = {"resistance": 1.0, "inductance": 0.01, "constant": 0.2}


def test_throttle_and_cut_are_set_step_by_step() -> None:
    """With a flat map the torque is a chain of exponentials towards opening (1 - cut) M_full."""
    crank = cl.Rotor("crank", inertia=1e6)
    gas, less = cl.Input("gas", 0.2), cl.Input("less")
    model = cl.Model(crank, drives.engine("e", crank, throttle=gas, cut=less, **FULL))
    sim = cl.Simulation(model, method=cl.RungeKutta4(dt=1e-3), dt=0.05)
    expected, decay = 0.0, np.exp(-0.05 / FULL["lag"])
    for throttle, cut in ((0.2, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)):
        sim.set_input("gas", throttle)
        sim.set_input("less", cut)
        sim.step()
        want = 80.0 * throttle * (1.0 - cut)
        expected = want + (expected - want) * decay
        assert sim["e.torque"] == pytest.approx(expected, rel=1e-8)
    sim.reset()
    assert sim.inputs == {"gas": 0.2, "less": 0.0}
    sim.step()
    assert sim["e.torque"] == pytest.approx(16.0 * (1.0 - decay), rel=1e-8)


def test_voltage_is_set_step_by_step_and_comes_back_with_a_state() -> None:
    """Current and speed are a linear system: its exponential, for a voltage that jumps."""
    rotor = cl.Rotor("rotor", inertia=0.01)
    model = cl.Model(rotor, drives.dc_machine("m", rotor, voltage=cl.Input("U"), **DC))
    sim = cl.Simulation(model, method=cl.RungeKutta4(dt=1e-4), dt=0.02)
    A = np.array([[-100.0, -20.0], [20.0, 0.0]])
    values, vectors = np.linalg.eig(A)
    step = (vectors * np.exp(0.02 * values)) @ np.linalg.inv(vectors)
    state = np.zeros(2)

    def go(voltage: float) -> None:
        steady = np.array([0.0, voltage / DC["constant"]])
        state[:] = (steady + step @ (state - steady)).real
        sim.step()
        found = [sim["m.current"], sim["rotor.speed"]]
        assert found == pytest.approx(state, rel=1e-7)

    for voltage in (24.0, -12.0, 6.0):
        sim.set_input("U", voltage)
        go(voltage)
    kept, before = sim.get_state(), state.copy()
    sim.set_input("U", 24.0)
    go(24.0)
    assert sim["m.supply"] == pytest.approx(24.0 * sim["m.current"], rel=1e-12)
    sim.set_state(kept)
    state[:] = before
    assert sim.inputs["U"] == 6.0
    go(6.0)


def test_pressure_is_set_step_by_step() -> None:
    """Slipping rotors change their speeds by capacity times time; a spring holds the discs open."""
    a, b = cl.Rotor("a", inertia=0.1, speed=50.0), cl.Rotor("b", inertia=0.1)
    c = cl.Rotor("c", inertia=0.1, speed=50.0)
    p = cl.Input("p")
    model = cl.Model(
        a, b, c, drives.disc_clutch("clutch", a, b, PACK, p), drives.disc_brake("brake", c, PACK, p)
    )
    sim = cl.Simulation(model, method=cl.Moreau(dt=1e-3), dt=0.05)
    speed = 50.0
    for pressure in (0.0, 0.9e5, 3e5, 1e5, 5e5):
        sim.set_input("p", pressure)
        sim.step()
        speed -= 0.05 / 0.1 * PACK.capacity(pressure)
        assert sim["a.speed"] == pytest.approx(speed, rel=1e-9)
        assert sim["b.speed"] == pytest.approx(50.0 - speed, rel=1e-9, abs=1e-12)
        assert sim["c.speed"] == pytest.approx(speed, rel=1e-9)
    assert PACK.capacity(0.9e5) == 0.0 < PACK.capacity(3e5)


@pytest.mark.parametrize("method", [cl.EventDriven(), cl.Moreau(dt=1e-4)])
def test_inputs_of_a_run_are_its_numbers(method: Any) -> None:
    """simulate(inputs=...) gives what the same numbers in the parts give."""

    def run(gas: Any, p: Any, **options: Any) -> cl.Solution:
        a, b = cl.Rotor("a", inertia=0.1), cl.Rotor("b", inertia=0.3)
        model = cl.Model(
            a, b, drives.engine("e", a, throttle=gas, **FULL),
            drives.disc_clutch("c", a, b, PACK, p),
        )  # fmt: skip
        return cl.simulate(model, 0.2, method=method, t_eval=np.linspace(0.0, 0.2, 21), **options)

    numbers = run(0.7, 3e5)
    inputs = run(cl.Input("gas"), cl.Input("p"), inputs={"gas": 0.7, "p": 3e5})
    # the capacity is rounded in another order, which a chosen step length notices
    for name in ("a.speed", "b.speed", "e.torque"):
        assert inputs[name] == pytest.approx(numbers[name], rel=1e-8, abs=1e-9)
    assert inputs["b.speed"][-1] > 1.0


def test_level_of_a_wet_clutch_is_set_step_by_step() -> None:
    """Behind the full stroke the oil follows p' = E G (level - p) / V."""
    a, b = cl.Rotor("a", inertia=0.2, speed=100.0), cl.Rotor("b", inertia=1.0)
    given: dict[str, Any] = {"conductance": 2e-10, "volume": 2e-5, "modulus": 3e8}
    parts = drives.wet_clutch(
        "w", a, b, PACK, level=cl.Input("level", 6e5), rise=1e-4, mass=0.5, clearance=1e-5, **given
    )
    sim = cl.Simulation(cl.Model(a, b, *parts), method=cl.Moreau(dt=2e-6), dt=2e-3)
    for _ in range(5):
        sim.step()
    assert sim["w.cylinder.pressure"] == pytest.approx(6e5, rel=1e-6)
    sim.set_input("level", 2e5)
    sim.step()
    rate = given["modulus"] * given["conductance"] / given["volume"]
    expected = 2e5 + 4e5 * np.exp(-rate * 2e-3)
    # first order in the step: rate * dt = 6e-3 of the change, here e^-6 of it is left
    assert sim["w.cylinder.pressure"] == pytest.approx(expected, abs=1e-3 * 4e5)
    assert sim["w.cylinder.command"] == 2e5


def spring(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = p[1] - p[0] * q[0]


def test_own_elements_read_inputs_as_parameters(tmp_path: Path) -> None:
    """By name, in a submodel, through a file; an input scaled by a line as well."""
    force = cl.Input("force", 2.0)
    slider = cl.Slider("s", mass=1.0)
    own = cl.ForceElement(
        "own", coordinates=("s.position",), law=spring,
        parameters={"k": 4.0, "F": cl.ScaledInput(force, 3.0, -1.0, lowest=0.0)},
    )  # fmt: skip
    model = cl.Model(slider, own)
    model.save(tmp_path / "m.toml")
    again = cl.Model.load(tmp_path / "m.toml", trust=True)
    inner = cl.Model(cl.Submodel(slider, own, prefix="box"))
    for made, prefix in ((model, ""), (again, ""), (inner, "box.")):
        sim = cl.Simulation(made, method=cl.RungeKutta4(dt=1e-3), dt=0.5)
        sim.step()
        # from rest under F - k x with k = 4: x = F / 4 (1 - cos 2 t)
        assert sim[f"{prefix}s.position"] == pytest.approx(1.25 * (1.0 - np.cos(1.0)), rel=1e-9)
        sim.reset()
        sim.set_input(f"{prefix}force", 0.1)  # below the cut: no force
        sim.step()
        assert sim[f"{prefix}s.position"] == 0.0


def test_wrong_scaled_inputs_are_named() -> None:
    with pytest.raises(cl.ModelError, match="ScaledInput: source must be an Input, got 3"):
        cl.ScaledInput(3.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(cl.ModelError, match="ScaledInput: factor must be finite"):
        cl.ScaledInput(cl.Input("p"), float("nan"))
    rotor = cl.Rotor("r", inertia=0.1)
    with pytest.raises(cl.ModelError, match="capacity must be >= 0, got -2"):
        cl.Brake("b", rotor, capacity=cl.ScaledInput(cl.Input("p", 1.0), -2.0))


def _unit() -> drives.Synchroniser:
    return drives.Synchroniser(
        ring_inertia=2e-4, ring_mass=0.1, sleeve_mass=0.4, friction=0.1, cone_angle=0.122,
        cone_radius=0.035, chamfer_angle=1.0, chamfer_radius=0.04, play=0.02, way=1e-3, guide=100.0,
    )  # fmt: skip


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_fork_of_a_synchroniser_is_an_input(side: float) -> None:
    """Pushed, it takes J slip / T_cone; the other way round everything is mirrored."""
    unit = _unit()
    assert unit.blocks
    gear = cl.Rotor("gear", inertia=0.01, speed=side * 100.0)
    shaft = cl.Rotor("shaft", inertia=100.0)
    parts = unit.parts("sync", gear, shaft, force=cl.Input("fork"), side=side)
    sim = cl.Simulation(cl.Model(gear, shaft, *parts), method=cl.Moreau(dt=1e-5), dt=0.01)
    sim.step(2)
    assert sim["gear.speed"] == side * 100.0  # nothing touches
    sim.set_input("fork", 400.0)
    sim.step(6)
    assert sim["sync.sleeve.position"] == pytest.approx(unit.way, rel=1e-2)  # blocked
    before = sim["gear.speed"]
    sim.step()
    rate = (sim["gear.speed"] - before) / 0.01
    assert rate == pytest.approx(-side * unit.cone_torque(400.0) / 0.01, rel=1e-3)
    sim.step(6)
    assert unit.duration(400.0, 100.0, 0.01) == pytest.approx(0.087, abs=1e-3)
    assert sim["sync.sleeve.position"] == pytest.approx(unit.travel, rel=1e-3)  # through
    # the chamfers have turned the ring and the gear by both plays on their way
    assert abs(sim["gear.speed"] - sim["shaft.speed"]) < 0.1 * 100.0


def _times(side: float, angle: float, speed: float, joint: bool) -> list[float]:
    """Return when the speeds agree and when the sleeve is through, and the slip in between."""
    unit = _unit()
    gear = cl.Rotor("gear", inertia=0.01, speed=speed + side * 100.0)
    shaft = cl.Rotor("shaft", inertia=0.5, angle=angle, speed=speed)
    output = "shaft.angle" if joint else shaft
    start = {"angle": angle, "speed": speed} if joint else {}
    parts = unit.parts("sync", gear, output, force=400.0, side=side, **start)
    sol = cl.simulate(
        cl.Model(gear, shaft, *parts), 0.12, method=cl.EventDriven(rtol=1e-10, max_step=2e-4),
        t_eval=np.linspace(0.0, 0.12, 12001), progress=False,
    )  # fmt: skip
    slip = np.abs(sol["gear"].speed - sol["shaft"].speed)
    through = sol["sync.sleeve"].position > 0.99 * unit.travel
    assert through.any()
    k, through_at = int(np.argmax(slip < 0.5)), int(np.argmax(through))
    return [sol.t[k], sol.t[through_at], slip[k // 2]]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_synchroniser_of_turning_shafts(side: float) -> None:
    """A common speed and another angle of both shafts change neither times nor slip."""
    at_rest = _times(side, 0.0, 0.0, False)
    assert 0.08 < at_rest[0] < at_rest[1] < 0.12
    for angle, speed, joint in ((0.0, 100.0, False), (0.7, -250.0, False), (0.7, 100.0, True)):
        # rows lie 1e-5 s apart
        assert _times(side, angle, speed, joint) == pytest.approx(at_rest, rel=1e-6, abs=1.1e-5)


def test_synchroniser_needs_the_start_of_its_shaft() -> None:
    gear = cl.Rotor("gear", inertia=0.01)
    message = "Synchroniser 's': angle and speed of the shaft at the start must be given"
    with pytest.raises(cl.ModelError, match=message):
        _unit().parts("s", gear, "shaft.angle", force=1.0, angle=0.0)
    shaft = cl.Rotor("shaft", inertia=0.01)
    with pytest.raises(cl.ModelError, match="Synchroniser 's': speed must be finite"):
        _unit().parts("s", gear, shaft, force=1.0, speed=float("inf"))
