"""The stepping interface: steps, inputs, states, channels, determinism."""

import math

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()


def arm(angle=0.3):
    body = cl.Body("arm", mass=2.0, inertia=0.1, com=(0.0, -0.5))
    joint = cl.Revolute("pin", GROUND, body, angle=angle)
    return cl.Model(
        joint, cl.Torque("motor", joint, value=cl.Input("torque", 0.0)), gravity=(0.0, -9.81)
    )


def four_bar():
    a, b, c = (
        cl.Body(name, mass=1.0, inertia=0.1, com=(length / 2.0, 0.0))
        for name, length in (("a", 1.0), ("b", 2.0), ("c", 1.5))
    )
    return cl.Model(
        cl.Revolute("A", GROUND, a, angle=1.0, speed=2.0),
        cl.Revolute("B", a, b, at=(1.0, 0.0)),
        cl.Revolute("C", b, c, at=(2.0, 0.0), at_second=(1.5, 0.0)),
        cl.Revolute("D", GROUND, c, at=(2.0, 0.0)),
        gravity=(0.0, -9.81),
    )


def test_steps_equal_a_run():
    sim = cl.Simulation(arm(), method=cl.RungeKutta4(dt=1e-3))
    for _ in range(200):
        sim.step()
    sol = cl.simulate(arm(), 0.2, method=cl.RungeKutta4(dt=1e-3))
    assert sim.t == pytest.approx(0.2, abs=1e-15)
    # only the last step of the run is cut to end at t_end exactly: one rounding of t
    assert sim["pin.angle"] == pytest.approx(sol["pin.angle"][-1], abs=1e-14)
    assert sim["pin.speed"] == pytest.approx(sol["pin.speed"][-1], abs=1e-13)


def test_step_counts_and_durations():
    one, many = cl.Simulation(arm()), cl.Simulation(arm())
    for _ in range(50):
        one.step()
    many.step(50)
    assert np.array_equal(one.q, many.q) and np.array_equal(one.u, many.u)
    assert one.t == many.t
    coarse = cl.Simulation(arm(), dt=0.01)
    coarse.step(5)
    assert np.array_equal(coarse.q, one.q)
    timed = cl.Simulation(arm())
    timed.step(duration=0.0205)
    assert timed.t == 0.0205
    uneven = cl.Simulation(arm(), method=cl.RungeKutta4(dt=0.004), dt=0.01)
    uneven.step()
    assert uneven.t == pytest.approx(0.01)


def test_adaptive_methods_need_an_interval():
    with pytest.raises(cl.UsageError, match="give dt"):
        cl.Simulation(arm(), method=cl.RungeKutta8())
    sim = cl.Simulation(arm(), method=cl.RungeKutta8(rtol=1e-10), dt=0.05)
    sim.step(10)
    sol = cl.simulate(arm(), 0.5, method=cl.RungeKutta8(rtol=1e-12))
    assert sim.t == pytest.approx(0.5)
    assert sim["pin.angle"] == pytest.approx(sol["pin.angle"][-1], abs=1e-8)  # rtol over some steps


def test_inputs_hold_and_act_at_once():
    sim = cl.Simulation(arm(angle=0.0))
    assert dict(sim.inputs) == {"torque": 0.0}
    sim.step(10)
    assert sim["pin.speed"] == 0.0
    sim.set_input("torque", 3.0)
    # J u_dot = torque right away, not one step later
    assert sim["pin.speed_rate"] == pytest.approx(3.0 / 0.6, rel=1e-12)
    sim.step()
    fresh = cl.Simulation(arm(angle=0.0))
    fresh.set_input("torque", 3.0)
    fresh.step()
    # the step from 0.01 s to 0.011 s is 1e-3 s up to the rounding of time
    np.testing.assert_allclose(sim.u, fresh.u, rtol=1e-12)
    with pytest.raises(cl.UnknownNameError, match="torque"):
        sim.set_input("torqe", 1.0)
    with pytest.raises(cl.UsageError, match="finite"):
        sim.set_input("torque", math.nan)


@pytest.mark.parametrize("method", [cl.RungeKutta4(dt=1e-3), cl.SemiImplicitEuler(dt=1e-3),
                                    cl.GeneralisedAlpha(dt=1e-3)])  # fmt: skip
def test_state_is_complete(method):
    """Going back to a state and on again gives the same bits, inputs included."""
    sim = cl.Simulation(arm(), method=method)
    sim.set_input("torque", 1.0)
    sim.step(20)
    state = sim.get_state()
    sim.step(30)
    first = sim.get_state()
    sim.set_input("torque", -5.0)
    sim.step(7)
    sim.set_state(state)
    assert sim.t == state.t and sim.inputs["torque"] == 1.0
    sim.step(30)
    second = sim.get_state()
    for name in ("q", "u", "x", "memory"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    other = cl.Simulation(arm(), method=method)
    other.set_state(state)
    other.step(30)
    assert np.array_equal(other.q, first.q)


def test_reset_is_deterministic():
    sim = cl.Simulation(four_bar())
    sim.step(100)
    first = sim.q
    sim.reset()
    assert sim.t == 0.0 and sim["A.angle"] == 1.0
    sim.step(100)
    assert np.array_equal(sim.q, first)


def test_asking_changes_nothing():
    """Channels, joint forces and queries between steps leave the motion untouched."""
    quiet, asked = cl.Simulation(four_bar()), cl.Simulation(four_bar())
    for _ in range(50):
        quiet.step()
        asked.step()
        asked["C.force"], asked["energy.total"]
        asked.query().mass_matrix()
    assert np.array_equal(quiet.q, asked.q) and np.array_equal(quiet.u, asked.u)


def test_channels_by_name():
    sim = cl.Simulation(four_bar())
    sim.step(200)
    sol = cl.simulate(four_bar(), sim.t, method=cl.RungeKutta4(dt=1e-3))
    for name in ("b.position", "C.force", "A.speed_rate", "energy.total", "b.position.x"):
        # the end of the run differs by one rounding of the last step
        np.testing.assert_allclose(sim[name], sol[name][-1], rtol=1e-10, atol=1e-10)
    with pytest.raises(cl.UnknownNameError, match="did you mean"):
        sim["A.angel"]
    assert "A.angle" in str(sim) and "Simulation" in repr(sim)


def test_a_state_of_a_simulation_starts_a_run():
    sim = cl.Simulation(arm(), method=cl.RungeKutta4(dt=1e-3))
    sim.step(100)
    sol = cl.simulate(arm(), 0.2, method=cl.RungeKutta4(dt=1e-3), initial=sim.get_state())
    sim.step(100)
    assert sol.t[0] == pytest.approx(0.1)
    assert sol["pin.angle"][-1] == pytest.approx(sim["pin.angle"], abs=1e-14)


@pytest.mark.parametrize("call", [
    lambda s: s.step(-1), lambda s: s.step(0.5), lambda s: s.step(duration=-1.0),
    lambda s: s.step(duration=math.inf), lambda s: s.set_state(3),
    lambda s: s.set_state(cl.simulate(four_bar(), 0.01).final),
])  # fmt: skip
def test_wrong_calls(call):
    with pytest.raises(cl.UsageError):
        call(cl.Simulation(arm()))


def test_a_step_is_one_compiled_call(monkeypatch):
    """A step rebuilds nothing: exactly one call of the driver."""
    from cornerlaw.simulate.methods import Runner

    sim = cl.Simulation(arm())
    sim.step(10)
    calls = []
    run = Runner.run
    monkeypatch.setattr(Runner, "run", lambda self, *a: calls.append(1) or run(self, *a))
    for _ in range(5):
        sim.step()
    assert len(calls) == 5
