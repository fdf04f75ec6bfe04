"""Drives that are controlled over time, and what they say about controls that they cannot take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import ModelError

PACK = drives.DiscPack(area=1e-3, spring=100.0, radius=0.05, faces=4, static=0.14)
ROADS = (cl.EventDriven(rtol=1e-10, max_step=1e-2), cl.Moreau(dt=1e-4))


def pair() -> tuple[cl.Rotor, cl.Rotor]:
    return cl.Rotor("a", inertia=0.1, speed=50.0), cl.Rotor("b", inertia=0.1)


def ramp(t: float) -> float:
    return 5e5 * min(t / 0.2, 1.0)


@pytest.mark.parametrize("method", ROADS, ids=("event-driven", "Moreau"))
def test_a_pressure_as_function_is_that_of_its_table(method: Any) -> None:
    found = []
    for pressure in (ramp, cl.Table([0.0, 0.2], [0.0, 5e5])):
        a, b = pair()
        model = cl.Model(a, b, drives.disc_clutch("c", a, b, PACK, pressure))
        sol = cl.simulate(model, 0.3, method=method)
        found.append(sol["a.speed"][-1])
        opens = PACK.spring / PACK.area / 5e5 * 0.2
        slope = PACK.static * PACK.radius * PACK.faces * PACK.area * 5e5 / 0.2
        # J u' = -slope (t - t_0) until the pressure is full, then -capacity
        exact = 50.0 - 10.0 * (0.5 * slope * (0.2 - opens) ** 2 + 0.1 * PACK.capacity(5e5))
        assert sol["a.speed"][-1] == pytest.approx(exact, rel=1e-4)
    assert found[0] == pytest.approx(found[1], rel=1e-8)
    rotor = cl.Rotor("r", inertia=0.1, speed=50.0)
    brake = drives.disc_brake("d", rotor, PACK, ramp)
    assert cl.simulate(cl.Model(rotor, brake), 0.3, method=method)["r.speed"][-1] < 47.0


def test_throttle_and_cut_over_time() -> None:
    """With a flat map lag M' = opening(t) M_full - M: a sine behind a first-order lag."""
    lag, w = 0.1, 8.0

    def opening(t: float) -> float:
        return math.sin(w * t)

    rotor = cl.Rotor("crank", inertia=1e6)
    full = {"speeds": (0.0, 300.0), "torques": (80.0, 80.0), "lag": lag}
    t = np.linspace(0.0, 1.0, 101)
    exact = (np.sin(w * t) - lag * w * (np.cos(w * t) - np.exp(-t / lag))) / (1.0 + (lag * w) ** 2)
    sol = cl.simulate(
        cl.Model(rotor, drives.engine("e", rotor, throttle=opening, cut=0.25, **full)), 1.0,
        t_eval=t, method=cl.RungeKutta8(rtol=1e-10, max_step=0.01),
    )  # fmt: skip
    assert sol["e.torque"] == pytest.approx(0.75 * 80.0 * exact, abs=1e-7)
    shut = cl.Table([0.4, 0.4001], [0.0, 1.0])
    engine = drives.engine("e", rotor, cut=shut, start=80.0, **full)
    sol = cl.simulate(cl.Model(rotor, engine), 1.0, t_eval=t, method=cl.RungeKutta4(dt=1e-4))
    falls = 80.0 * np.exp(-np.maximum(t - 0.4, 0.0) / lag)
    assert sol["e.torque"] == pytest.approx(falls, abs=0.1)


def test_voltage_over_time_is_that_of_the_motor_of_the_core() -> None:
    def voltage(t: float) -> float:
        return 24.0 * math.sin(30.0 * t)

    given = {"resistance": 1.0, "inductance": 0.01, "constant": 0.2}
    speeds = []
    for fed in (voltage, None):
        rotor = cl.Rotor("rotor", inertia=0.01)
        if fed is not None:
            part: Any = drives.dc_machine("m", rotor, voltage=fed, **given)
        else:
            part = cl.Motor("m", rotor, voltage=voltage, **given)
        model = cl.Model(rotor, part)
        t = np.linspace(0.0, 0.5, 8001)
        sol = cl.simulate(model, 0.5, t_eval=t, method=cl.RungeKutta8(rtol=1e-10, max_step=1e-3))
        speeds.append(sol["rotor.speed"])
        if fed is not None:
            book = drives.audit(sol, model)
            assert book.gap < 1e-6 and book.dissipated["m"] > 0.1 * book.turnover
    assert speeds[0] == pytest.approx(speeds[1], abs=1e-8)


def test_maps_of_a_converter_may_be_tables() -> None:
    nu = np.linspace(0.0, 1.1, 12)
    torque, ratio = 50.0 * (1.0 - nu**2), np.maximum(2.0 - nu, 1.0)
    a, b = pair()
    tables = drives.converter(
        "c", a, b, reference=100.0, pump_torque=cl.Table(nu, torque),
        torque_ratio=cl.Table(nu, ratio),
    )  # fmt: skip
    functions = drives.converter(
        "c", a, b, reference=100.0, pump_torque=lambda x: 50.0 * (1.0 - x**2),
        torque_ratio=lambda x: max(2.0 - x, 1.0),
    )  # fmt: skip
    assert tables.parameters == pytest.approx(functions.parameters)
    fluid, clutch = drives.lockup_converter(
        "c", a, b, reference=100.0, pump_torque=cl.Table(nu, torque),
        torque_ratio=cl.Table(nu, ratio), pack=PACK, pressure=ramp,
    )  # fmt: skip
    assert fluid.name == "c" and clutch.name == "c.lockup"


def test_fingerprints_do_not_tell_where_a_function_lies() -> None:
    """Two equal controls are the same model, another one is not: a record can be resumed."""

    def made(factor: float) -> str:
        rotor = cl.Rotor("rotor", inertia=0.01)
        machine = drives.dc_machine(
            "m", rotor, voltage=lambda t: factor * t, resistance=1.0, inductance=0.01, constant=0.2
        )
        return cl.simulate(cl.Model(rotor, machine), 1e-3).info.fingerprint

    assert made(2.0) == made(2.0) != made(3.0)


def _refused() -> list[tuple[Any, str]]:
    a, b = pair()
    full = {"speeds": (0.0, 300.0), "torques": (80.0, 80.0), "lag": 0.1}
    dc = {"resistance": 1.0, "inductance": 0.01, "constant": 0.2}
    cubic = cl.Table([0.0, 0.5, 1.0], [0.0, 1.0, 1.0], kind="cubic")

    def converter(**maps: Any) -> Any:
        given = {"pump_torque": lambda x: 1.0 - x, "torque_ratio": lambda x: 1.0, **maps}
        return drives.converter("c", a, b, reference=100.0, **given)

    return [
        (lambda: drives.disc_brake("c", a, PACK, "5 bar"),
         r"disc_brake 'c': pressure must be a number, a function of t, a Table over time or an"),
        (lambda: drives.disc_clutch("c", a, b, PACK, cubic),
         r"pressure must be a Table of the kind"),
        (lambda: drives.disc_clutch("c", a, b, PACK, cl.Interpreted(ramp)),
         r"pressure must be a function that can be compiled, not Interpreted"),
        (lambda: drives.disc_clutch("c", a, b, PACK, math.nan), r"pressure must be finite"),
        (lambda: drives.engine("e", a, cut=None, **full), r"engine 'e': cut must be a number, a"),
        (lambda: drives.dc_machine("m", a, voltage=cl.Sampled(ramp, 0.1), **dc),
         r"voltage must be a function that can be compiled, not Sampled; give an Input and set it"),
        (lambda: converter(pump_torque=([0.0, 1.0], [1.0, 0.0])),
         r"converter 'c': pump_torque must be a function of nu or a Table, got"),
        (lambda: converter(torque_ratio=lambda x: None),
         r"converter 'c': torque_ratio must return a number at nu = 0, but"),
    ]  # fmt: skip


@pytest.mark.parametrize("case", range(8))
def test_other_controls_are_refused_in_a_sentence(case: int) -> None:
    make, text = _refused()[case]
    with pytest.raises(ModelError, match=text):
        make()
