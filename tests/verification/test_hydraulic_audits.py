"""Volume, energy and pressures of every network of the gallery, from independent sums.

Each element integrates its own power. Event by event the balances close to the tolerance of the
run, in time stepping with the order of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.hydraulics import (
    brake_tower,
    chain_tensioner,
    hammered_line,
    servo_cylinder,
    shift_control,
    store_line_cylinder,
)
from cornerlaw.hydraulics.audit import audit_energy, audit_volume


def tower() -> tuple[Any, Any, cl.Solution]:
    p = brake_tower.Parameters()
    method = cl.EventDriven(rtol=1e-8, atol=1e-11)
    rows = np.linspace(0.0, 0.1, 101)
    return brake_tower, p, brake_tower.simulate(p, t_end=0.1, t_eval=rows, method=method)


def tensioner() -> tuple[Any, Any, cl.Solution]:
    # the work of the cam is summed over rows: 5,000 in a cycle
    p = chain_tensioner.Parameters()
    rows = np.linspace(0.0, 4.0 / p.frequency, 20001)
    return chain_tensioner, p, chain_tensioner.simulate(p, t_eval=rows)


def hammer() -> tuple[Any, Any, cl.Solution]:
    # the valve rubs the last flow off within 0.1 us: rows that see it
    p = hammered_line.Parameters()
    shut = p.shuts + 0.95 * p.takes
    rows = np.union1d(np.linspace(0.0, 0.06, 601), np.linspace(shut - 1e-9, shut + 2e-7, 201))
    method = cl.EventDriven(rtol=1e-8, atol=1e-12)
    return hammered_line, p, hammered_line.simulate(p, t_eval=rows, method=method)


def servo() -> tuple[Any, Any, cl.Solution]:
    p = servo_cylinder.Parameters()
    return servo_cylinder, p, servo_cylinder.simulate(p)


def store() -> tuple[Any, Any, cl.Solution]:
    p = store_line_cylinder.Parameters()
    return store_line_cylinder, p, store_line_cylinder.simulate(p)


def elastic_store() -> tuple[Any, Any, cl.Solution]:
    p = store_line_cylinder.Parameters(compressible=True)
    return store_line_cylinder, p, store_line_cylinder.simulate(p, t_end=0.05, t_eval=(0.0, 0.05))


def shift() -> tuple[Any, Any, cl.Solution]:
    # until the clutch begins to fill; pump and pilots do work that is summed over rows
    p = shift_control.Parameters()
    rows = np.linspace(shift_control.START, 2.86, 6001)
    method = cl.EventDriven(rtol=1e-7, atol=1e-10)
    return shift_control, p, shift_control.simulate(p, t_end=2.86, t_eval=rows, method=method)


RUNS: dict[str, Callable[[], tuple[Any, Any, cl.Solution]]] = {
    "SYS-1": store, "SYS-1 elastic": elastic_store, "SYS-2": tower, "SYS-3": shift,
    "chain tensioner": tensioner, "hammered line": hammer, "servo cylinder": servo,
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_oil_and_energy_of_the_gallery_are_accounted_for(name: str) -> None:
    module, p, sol = RUNS[name]()
    net = module.network(p)
    volume, energy = audit_volume(net, sol).relative, audit_energy(net, sol, module.build(p))
    r = net.read(sol)
    highest = max(float(r[node].pressure.max()) for node in net.junctions())
    lowest = min(float(r[node].pressure.min()) for node in net.junctions())
    print(f"\n{name}: volume {volume:.1e}, energy {energy.relative:.1e}, "
          f"pressure over cavitation {lowest - net.fluid.cavitation:.3g} Pa")  # fmt: skip
    assert volume < 1e-9
    assert energy.relative < 1e-6
    for node in net.junctions():
        # rows at an event have the pressure that ended a state, located to rounding of the time
        assert r[node].pressure.min() >= net.fluid.cavitation - 1e-7 * highest, node


# every step is stored: a spool at its stop swings within 10 um from step to step
@pytest.mark.contact_laws(gap_tol=1e-5)
def test_energy_of_the_whole_shift_is_accounted_for() -> None:
    # time stepping: plates that meet strike the oil of the whole network, and rub off 38 J at once
    p, dt, end = shift_control.Parameters(), 2e-5, 3.36
    rows = np.linspace(shift_control.START, end, round((end - shift_control.START) / dt) + 1)
    method = cl.Theta(dt=dt, theta=1.0)
    sol = shift_control.simulate(p, t_end=end, t_eval=rows, method=method)
    assert any(e.kind == "impact" and e.data["energy"] < -10.0 for e in sol.events)
    net, model = shift_control.network(p), shift_control.build(p)
    volume, energy = audit_volume(net, sol).relative, audit_energy(net, sol, model)
    print(f"\nSYS-3, whole shift: volume {volume:.1e}, energy {energy.relative:.2e}")
    assert volume < 1e-9
    assert energy.relative < 1e-6
    assert energy.supplied > 1e4  # engine, road and pump
