"""A wet clutch with its piston, and the lock-up of a converter: phases, closed forms, energy."""

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import ModelError

PACK = drives.DiscPack(
    area=4e-3, spring=400.0, radius=0.06, faces=8, static=0.12, kinetic=0.1, speed=20.0
)
OIL = {
    "level": 6e5, "start": 0.01, "rise": 0.1, "conductance": 2e-10, "volume": 2e-5, "modulus": 3e8,
    "mass": 0.5, "clearance": 5e-4,
}  # fmt: skip
J_1, J_2, SLIP = 0.2, 1.0, 200.0


def wet(**changes) -> cl.Model:
    engine, car = cl.Rotor("engine", inertia=J_1, speed=SLIP), cl.Rotor("car", inertia=J_2)
    clutch = drives.wet_clutch("wet", engine, car, PACK, **{**OIL, **changes})
    return cl.Model(engine, car, *clutch)


@pytest.fixture(scope="module")
def run() -> cl.Solution:
    t = np.linspace(0.0, 0.6, 12001)
    return cl.simulate(wet(), 0.6, method=cl.EventDriven(rtol=1e-10, max_step=1e-3), t_eval=t)


def test_wet_clutch_fills_closes_slips_and_sticks(run) -> None:
    """The piston moves under the force of its spring: the valve fills the clearance."""
    G, F, A = OIL["conductance"], PACK.spring, PACK.area
    slope = OIL["level"] / OIL["rise"]
    opened = OIL["start"] + F / A / slope  # the pressure before the valve holds the spring
    fill = np.sqrt(2.0 * A * OIL["clearance"] / (G * slope))
    closed = next(e.time for e in run.events if e.kind == "impact" and e.name == "wet.discs")
    # oil is compressed by 1 / 300 of this volume, and the piston has to be moved
    assert closed == pytest.approx(opened + fill, abs=0.01 * fill)
    stuck = next(e.time for e in run.events if e.kind == "stick" and e.name == "wet.discs")
    assert closed < stuck < 0.5
    late = run.t > stuck + 1e-6
    assert np.abs(run["engine.speed"] - run["car.speed"])[late].max() < 1e-9
    assert run["car.speed"][-1] == pytest.approx(J_1 * SLIP / (J_1 + J_2), rel=1e-9)


def test_pressure_lags_by_volume_over_modulus_and_conductance(run) -> None:
    """On a ramp before the valve the pressure is late by T = V / (E G)."""
    lag = OIL["volume"] / (OIL["modulus"] * OIL["conductance"])
    closed = next(e.time for e in run.events if e.kind == "impact" and e.name == "wet.discs")
    ramp = (run.t > closed + 30.0 * lag) & (run.t < OIL["start"] + OIL["rise"])
    late = OIL["level"] / OIL["rise"] * lag
    assert ramp.sum() > 100
    assert run["wet.cylinder.command"][ramp] - run["wet.cylinder.pressure"][ramp] == pytest.approx(
        late, rel=1e-6
    )
    assert run["wet.cylinder.pressure"][-1] == pytest.approx(OIL["level"], rel=1e-9)


def test_wet_clutch_carries_the_torque_of_its_pressure(run) -> None:
    """While it slips, J slip' = -M(p, slip), and what it dissipates is the energy of the slip."""
    stuck = next(e.time for e in run.events if e.kind == "stick" and e.name == "wet.discs")
    closed = next(e.time for e in run.events if e.kind == "impact" and e.name == "wet.discs")
    slips = (run.t > closed + 0.01) & (run.t < stuck - 1e-6)
    slip = (run["engine.speed"] - run["car.speed"])[slips]
    factor = PACK.kinetic / PACK.static
    factor = factor + (1.0 - factor) * np.exp(-slip / PACK.speed)
    capacity = np.array([PACK.capacity(p) for p in run["wet.cylinder.pressure"][slips]])
    torque = -PACK.radius * run["wet.discs.lam_T"][slips]
    assert torque == pytest.approx(capacity * factor, rel=1e-6)
    book = drives.audit(run, wet())
    reduced = J_1 * J_2 / (J_1 + J_2)
    assert book.gap < 1e-6 and book.created == 0.0
    # the piston meets the discs while they slip: a small part is lost in this impact
    lost = book.dissipated["wet.discs"] + book.impacts["wet.discs"]
    assert book.impacts["wet.discs"] < 1e-4 * lost
    assert lost == pytest.approx(0.5 * reduced * SLIP**2, rel=1e-5)
    assert book.dissipated["wet.cylinder"] > 0.0


def test_air_in_the_oil_delays_the_clutch_and_keeps_the_balance(run) -> None:
    t = np.linspace(0.0, 0.15, 6001)
    model = wet(air=0.05)
    sol = cl.simulate(model, 0.15, method=cl.EventDriven(rtol=1e-10, max_step=1e-3), t_eval=t)
    first, second = (
        next(e.time for e in s.events if e.kind == "impact" and e.name == "wet.discs")
        for s in (run, sol)
    )
    assert second > first + 1e-3
    assert drives.audit(sol, model).gap < 1e-6


def test_both_roads_agree_on_the_wet_clutch(run) -> None:
    t = np.linspace(0.0, 0.15, 151)
    # states are stepped explicitly: a step must be short against the oil column, 45 us
    sol = cl.simulate(wet(), 0.15, method=cl.Moreau(dt=2e-6), t_eval=t)
    assert sol["engine.speed"][-1] < 0.9 * SLIP
    exact = np.interp(t, run.t, run["engine.speed"])
    assert np.abs(sol["engine.speed"] - exact).max() < 1e-3 * SLIP


MAPS = {
    "reference": 200.0, "pump_torque": lambda nu: 150.0 * max(0.0, 1.0 - nu * nu),
    "torque_ratio": lambda nu: max(2.0 - nu, 1.0),
}  # fmt: skip


def locked() -> cl.Model:
    pump, turbine = cl.Rotor("pump", inertia=0.3, speed=150.0), cl.Rotor("turbine", inertia=0.4)
    pressure = cl.Table((0.0, 0.5, 0.7, 1.2), (0.0, 0.0, 5e5, 5e5))
    return cl.Model(
        pump, turbine,
        *drives.lockup_converter("tc", pump, turbine, **MAPS, pack=PACK, pressure=pressure),
        cl.Torque("gas", pump, value=80.0), cl.Torque("load", turbine, value=-60.0),
    )  # fmt: skip


def test_lock_up_opens_slips_and_closes() -> None:
    model = locked()
    t = np.linspace(0.0, 1.2, 12001)
    sol = cl.simulate(model, 1.2, method=cl.EventDriven(rtol=1e-10, max_step=2e-3), t_eval=t)
    lam, loss = sol["tc.lockup.lam_T"], sol["tc.loss"]
    slip = sol["pump.speed"] - sol["turbine.speed"]
    stuck = next(e.time for e in sol.events if e.kind == "stick" and e.name == "tc.lockup")
    opened = PACK.spring / PACK.area / 5e5 * 0.2 + 0.5
    assert np.abs(lam[sol.t < opened]).max() < 1e-9 and slip[sol.t < opened].min() > 1.0
    slides = (sol.t > opened + 1e-4) & (sol.t < stuck - 1e-6)
    assert slides.sum() > 20 and lam[slides].max() < 0.0
    # closed: nothing slips, the oil dissipates nothing and the clutch carries what the oil did
    late = sol.t > stuck + 1e-6
    assert np.abs(slip[late]).max() < 1e-9 and loss[late].max() < 1e-6
    rate = (80.0 - 60.0) / 0.7
    assert lam[late] == pytest.approx(-(80.0 - 0.3 * rate), rel=1e-6)
    book = drives.audit(sol, model)
    assert book.gap < 1e-6 and book.created == 0.0
    assert book.dissipated["tc"] > 100.0 and book.dissipated["tc.lockup"] > 1.0


def test_lock_up_refuses_maps_that_lose_torque_at_equal_speeds() -> None:
    pump, turbine = cl.Rotor("pump", inertia=0.3), cl.Rotor("turbine", inertia=0.4)
    with pytest.raises(ModelError, match="15 N m more than the turbine gives"):
        drives.lockup_converter(
            "tc", pump, turbine, reference=200.0, pump_torque=lambda nu: 150.0,
            torque_ratio=lambda nu: 0.9, pack=PACK, pressure=1e5,
        )  # fmt: skip


def test_steps_too_long_for_the_oil_do_not_look_successful() -> None:
    """Piston and oil swing up above m G / A^2: no pressure means anything, the energy is none."""
    mass = 4.0
    limit = mass * OIL["conductance"] / PACK.area**2
    model = wet(mass=mass, volume=1e-4, clearance=5e-3)
    fine = cl.simulate(model, 0.05, method=cl.Moreau(dt=0.8 * limit))
    assert fine.info.status == "done" and fine.info.warnings == ()
    assert fine["wet.cylinder.pressure"].min() > -1e4
    coarse = cl.simulate(model, 0.05, method=cl.Moreau(dt=2.0 * limit))
    assert not np.isfinite(coarse["wet.cylinder.energy"]).all()
    assert coarse.info.status == "degraded" and not coarse.ok
    assert "the energy of 'wet.cylinder' is not finite at t = 0.0" in coarse.info.message
    assert any("'wet.cylinder'" in text for text in coarse.info.warnings)
    with pytest.raises(cl.SimulationError, match=r"'wet.cylinder' is not finite"):
        cl.simulate(model, 0.05, method=cl.Moreau(dt=2.0 * limit), strict=True)


def test_energies_of_long_runs_are_looked_at_in_some_rows(monkeypatch) -> None:
    from cornerlaw.simulate import finite

    monkeypatch.setattr(finite, "BUDGET", 1)
    method = cl.Moreau(dt=2.0 * 4.0 * OIL["conductance"] / PACK.area**2)
    sol = cl.simulate(wet(mass=4.0, volume=1e-4, clearance=5e-3), 0.05, method=method)
    assert sol.info.status == "degraded" and "of 100 rows" in sol.info.message
