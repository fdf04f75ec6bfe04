"""Tolerances of drive systems in the gallery have a reason, and their checks can fail."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.contract import Check
from cornerlaw.gallery.drives import car_shifting as car
from cornerlaw.gallery.drives import gear_hammering as hammering
from cornerlaw.gallery.drives import malsynchronisation as wrong_phase


def test_distance_of_fitted_peaks_is_exceeded_once_in_a_hundred() -> None:
    """Of 4000 fits by chance 40 +- 19, three standard deviations; with 1.63 there is none."""
    rng, n = np.random.default_rng(5), 46  # as many strokes as the run has
    distances = np.array([hammering.distance(rng.weibull(1.7, n)) for _ in range(4000)])
    beyond = int((distances * math.sqrt(n) > hammering.FITTED).sum())
    assert abs(beyond - 40) <= 19


class _Wrong:
    """A run in which one channel of one part has another value."""

    def __init__(self, sol: cl.Solution, part: str, channel: str, value: Any) -> None:
        self._sol, self._part, self._changed = sol, part, {channel: value}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __getitem__(self, name: str) -> Any:
        found = self._sol[name]
        return _WrongPart(found, self._changed) if name == self._part else found


class _WrongPart:
    def __init__(self, part: Any, changed: dict[str, Any]) -> None:
        self._part, self._changed = part, changed

    def __getattr__(self, name: str) -> Any:
        return self._changed[name] if name in self._changed else getattr(self._part, name)


def failed(checks: list[Check]) -> list[str]:
    return [item.name for item in checks if not item.ok]


def test_checks_of_the_shifting_car_notice_heat_and_swing(monkeypatch: pytest.MonkeyPatch) -> None:
    p = car.Parameters()
    sol = car.simulate(p)
    assert failed(car.check(sol, p)) == []
    # a freewheel that drags with 1e-6 N m while it runs free
    dragging: Any = _Wrong(sol, "FL", "lam_N", sol["FL"].lam_N + 1e-6)
    assert failed(car.check(dragging, p)) == ["heat in freewheel FL [J]"]
    # an oscillation of 3 % of the torque that does not decay
    torque = sol["cardan"].torque * (1.0 + 0.03 * np.sin(50.0 * sol.t))
    swinging: Any = _Wrong(sol, "cardan", "torque", torque)
    assert [name for name in failed(car.check(swinging, p)) if "swing" in name] == [
        "swing of the output torque behind E, over its mean",
        "swing of the output torque behind D, over its mean",
    ]
    book = drives.audit(sol, car.build(p))
    book.dissipated["A"] = 1e-6
    monkeypatch.setattr(drives, "audit", lambda *_: book)
    assert failed(car.check(sol, p)) == ["heat in clutch A [J]"]


def test_slowest_decay_is_that_of_the_model() -> None:
    """Against the eigenvalues of the same three inertias, linearised."""
    p = car.Parameters()
    output, wheels = cl.Rotor("output", inertia=0.3), cl.Rotor("wheels", inertia=p.wheels)
    body = cl.Slider("car", mass=p.mass)
    train = cl.Model(
        output, wheels, body,
        drives.shaft("cardan", output, wheels, stiffness=p.shaft_stiffness,
                     damping=p.shaft_damping, ratio=p.final_drive),
        drives.tyre("tyres", wheels, body, radius=p.radius, stiffness=p.tyre_stiffness,
                    damping=p.tyre_damping),
    )  # fmt: skip
    moving = [-x.real for x in cl.linearise(train).eigenvalues if abs(x) > 1.0]
    assert car.slowest_decay(p, 0.3) == pytest.approx(min(moving), rel=1e-6)


def test_worst_angle_is_compared_with_the_closed_form() -> None:
    """Within a hundredth of a degree; the angle of the real machine is two degrees away."""
    p = wrong_phase.Parameters()
    checks = {item.name: item for item in wrong_phase.check(wrong_phase.simulate(p), p)}
    found = checks["worst angle without resistance [deg]"]
    assert found.ok and found.tolerance <= 1e-2
    t, angles = np.linspace(0.0, 0.04, 801), np.arange(100.0, 160.0)
    real, _ = wrong_phase.worst(angles, wrong_phase.peaks(p, np.radians(angles), t))
    assert abs(real - found.reference) > 100.0 * found.tolerance
