"""Stiegelmeyr's scheme knows no restitution: it says so, and its log holds what happened."""

import numpy as np
import pytest

import cornerlaw as cl


def ball() -> cl.Model:
    """Return a ball above a floor."""
    disk = cl.Disk("body", mass=1.0, radius=0.1, position=(0.0, 0.5))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(disk, floor, eps_N=0.5, mu=0.3, name="stop")
    return cl.Model(disk, floor, contact, gravity=(0.0, -9.81))


def slider() -> cl.Model:
    """Return the same fall on a coordinate, whose rows are constant."""
    body = cl.Slider("body", mass=1.0, position=0.4)
    weight = cl.Torque("weight", body, value=-9.81)
    return cl.Model(body, weight, cl.Limit("stop", body, lower=0.0, eps_N=0.5))


@pytest.mark.parametrize(
    ("model", "speed"), [(ball(), "body.velocity.y"), (slider(), "body.velocity")]
)
def test_the_log_of_an_impact_holds_its_velocities(model: cl.Model, speed: str) -> None:
    sol = cl.simulate(model, 0.45, method=cl.Stiegelmeyr(dt=1e-3), progress=False)
    (event,) = (e for e in sol.events if e.kind == "impact")
    row = int(np.argmin(np.abs(sol.t - event.time)))
    before, after = sol[speed][row - 1], sol[speed][row]
    assert before < -2.7
    # the gap is closed at the end of the step, what is left of the approach is over in the next
    assert event.data["gamma_N_minus"] == pytest.approx(before, rel=1e-12)
    assert event.data["gamma_N_plus"] == pytest.approx(after, abs=1e-9)
    impulse = event.data["Lambda_N"]
    assert event.data["energy"] == pytest.approx(0.5 * (before + after) * impulse, rel=1e-9)
    assert sol.statistics["impact_loss"] == pytest.approx(-event.data["energy"], rel=1e-12)
    assert abs(sol[speed][-1]) < 1e-9


@pytest.mark.parametrize("model", [ball(), slider()])
def test_a_coefficient_without_effect_is_named(model: cl.Model) -> None:
    sol = cl.simulate(model, 0.01, method=cl.Stiegelmeyr(dt=1e-3), progress=False)
    assert any("eps_N of 'stop" in text and "plastic" in text for text in sol.info.warnings)
    for method in (cl.Moreau(dt=1e-3), cl.EventDriven()):
        run = cl.simulate(model, 0.01, method=method, progress=False)
        assert not run.info.warnings
    rest = model.replace({"stop.eps_N": 0.0})
    assert not cl.simulate(rest, 0.01, method=cl.Stiegelmeyr(dt=1e-3), progress=False).info.warnings
