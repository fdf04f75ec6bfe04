"""Stiegelmeyr's scheme: plastic impacts close the gap, others bounce; the log holds what happened.

Each on general rows and on constant ones, which have a loop of their own.
"""

import numpy as np
import pytest

import cornerlaw as cl


def ball(eps_N: float) -> cl.Model:
    """Return a ball above a floor."""
    disk = cl.Disk("body", mass=1.0, radius=0.1, position=(0.0, 0.5))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(disk, floor, eps_N=eps_N, mu=0.3, name="stop")
    return cl.Model(disk, floor, contact, gravity=(0.0, -9.81))


def slider(eps_N: float) -> cl.Model:
    """Return the same fall on a coordinate, whose rows are constant."""
    body = cl.Slider("body", mass=1.0, position=0.4)
    weight = cl.Torque("weight", body, value=-9.81)
    return cl.Model(body, weight, cl.Limit("stop", body, lower=0.0, eps_N=eps_N))


MODELS = [(ball, "body.velocity.y"), (slider, "body.velocity")]


@pytest.mark.parametrize(("model", "speed"), MODELS)
def test_the_log_of_an_impact_holds_its_velocities(model, speed: str) -> None:  # type: ignore[no-untyped-def]
    sol = cl.simulate(model(0.0), 0.45, method=cl.Stiegelmeyr(dt=1e-3), progress=False)
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


@pytest.mark.parametrize("stabilise", [True, False])
@pytest.mark.parametrize("dt", [1e-2, 1.7e-3, 1e-3])
@pytest.mark.parametrize(("model", "speed"), MODELS)
def test_restitution_is_exact_at_any_step(model, speed: str, dt: float, stabilise: bool) -> None:  # type: ignore[no-untyped-def]
    method = cl.Stiegelmeyr(dt=dt, stabilise=stabilise)
    sol = cl.simulate(model(0.8), 1.5, method=method, progress=False)
    assert not sol.info.warnings
    impacts = [e.data for e in sol.events if e.kind == "impact"]
    fast = [e for e in impacts if e["gamma_N_minus"] < -4.0 * 9.81 * dt]
    assert len(fast) >= 2
    for data in fast:
        assert data["gamma_N_plus"] / data["gamma_N_minus"] == pytest.approx(-0.8, abs=1e-12)
    name = "stop" if model is ball else "stop.lower"
    assert sol[name].gap.min() > -1e-9


def test_a_bounce_comes_to_rest() -> None:
    """The last bounces are below the resolution of the step, and the gap closes exactly."""
    sol = cl.simulate(ball(0.5), 3.0, method=cl.Stiegelmeyr(dt=1e-3), progress=False)
    assert abs(sol["stop"].gap[-1]) < 1e-12
    assert abs(sol["body"].velocity[-1, 1]) < 1e-12
    assert sol["stop"].lam_N[-1] == pytest.approx(9.81, rel=1e-9)


@pytest.mark.parametrize("eps_N", [0.0, 0.7, 1.0])
def test_impacts_of_many_gain_no_energy(eps_N: float) -> None:
    """Masses in a row with backlash between them, all bouncing."""
    parts: list[cl.Part] = []
    for k in range(4):
        parts.append(cl.Slider(f"ball {k}", mass=1.0 + k, position=0.1 * k, velocity=(-1.0) ** k))
    for k in range(3):
        parts.append(cl.Backlash(f"pair {k}", f"ball {k}", f"ball {k + 1}", gap=0.5, eps_N=eps_N))
    sol = cl.simulate(cl.Model(*parts), 2.0, method=cl.Stiegelmeyr(dt=1e-3), progress=False)
    impacts = [e for e in sol.events if e.kind == "impact"]
    assert impacts
    assert max(e.data["energy"] for e in impacts) < 1e-9
    energy = sol["energy.kinetic"]
    assert np.diff(energy).max() < 1e-9
    if eps_N == 1.0:
        assert energy[-1] == pytest.approx(energy[0], rel=1e-9)
