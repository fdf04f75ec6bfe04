"""Options around a run: output times, stops, restart, inputs, interruption, replace."""

import math
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()


def pendulum(angle=1.0, **options):
    bob = cl.Body("bob", mass=2.0, inertia=0.1, com=(0.0, -0.5))
    joint = cl.Revolute("pin", GROUND, bob, angle=angle)
    motor = cl.Torque("motor", joint, value=cl.Input("torque", 0.0))
    return cl.Model(joint, motor, gravity=(0.0, -9.81), **options)


def falling():
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 10.0), velocity=(2.0, 0.0))
    return cl.Model(ball, gravity=(0.0, -9.81))


def test_t_eval_rows_are_exact():
    times = np.array([0.0, 0.1, 0.123, 0.9, 1.0])
    sol = cl.simulate(falling(), 1.0, t_eval=times)
    assert np.array_equal(sol.t, times)
    # a parabola is exact in any method of order 2 and more
    np.testing.assert_allclose(sol["ball.position.y"], 10.0 - 4.905 * times**2, atol=1e-12)


@pytest.mark.parametrize("method", [cl.RungeKutta4(dt=0.01), cl.RungeKutta8(), cl.Radau()])
def test_t_eval_does_not_change_the_motion(method):
    plain = cl.simulate(pendulum(), 0.5, method=method)
    dense = cl.simulate(pendulum(), 0.5, method=method, t_eval=np.linspace(0.0, 0.5, 7))
    assert np.array_equal(plain.q[-1], dense.q[-1])


def test_every_keeps_first_and_last():
    full = cl.simulate(pendulum(), 1.005, method=cl.RungeKutta4(dt=0.01))
    thin = cl.simulate(pendulum(), 1.005, method=cl.RungeKutta4(dt=0.01), every=10)
    assert len(full) == 102
    assert thin.t[0] == 0.0 and thin.t[-1] == 1.005
    assert np.array_equal(thin.q[:11], full.q[0:101:10])


def test_t_start_shifts_time():
    sol = cl.simulate(falling(), 3.0, t_start=2.0)
    assert sol.t[0] == 2.0
    assert sol["ball.position.y"][-1] == pytest.approx(10.0 - 4.905, abs=1e-12)


@pytest.mark.parametrize("options", [
    {"t_eval": [0.5, 0.1]}, {"t_eval": [0.0, 2.0]}, {"t_eval": [math.nan]}, {"t_eval": [-1.0]},
    {"t_start": 2.0}, {"stop": "now"}, {"method": "RK4"}, {"initial": None, "inputs": {"x": 1.0}},
    {"stop": cl.Stop("s", "bal.position_x", above=1.0)},
])  # fmt: skip
def test_wrong_options(options):
    with pytest.raises(cl.CornerlawError):
        cl.simulate(falling(), 1.0, **options)


def test_stop_conditions_are_located():
    stop = cl.Stop("floor", "ball.position_y", below=0.0)
    sol = cl.simulate(falling(), 10.0, stop=stop)
    fall = math.sqrt(2.0 * 10.0 / 9.81)
    assert sol.status == "stopped"
    assert sol.t[-1] == pytest.approx(fall, abs=1e-12)  # the root of a parabola
    assert sol["ball.position.x"][-1] == pytest.approx(2.0 * fall, abs=1e-11)
    assert [event.name for event in sol.events] == ["floor"]


def test_first_of_several_stops_wins_and_direction_counts():
    rise = cl.Stop("late", "t", above=5.0)
    turn = cl.Stop("turn", "pin.speed", above=0.0)
    sol = cl.simulate(pendulum(), 10.0, stop=(rise, turn))
    # released at rest the speed goes down first; it crosses zero upwards after half a period
    omega2 = 9.81 / 0.6
    k = math.sin(0.5) ** 2
    a, b = 1.0, math.sqrt(1.0 - k)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    half = math.pi / (a * math.sqrt(omega2))
    assert sol.events[0].name == "turn"
    assert sol.t[-1] == pytest.approx(half, rel=1e-8)  # rtol 1e-9 of the method over some steps


@pytest.mark.parametrize("method", [
    cl.RungeKutta4(dt=0.01), cl.RungeKutta5(), cl.RungeKutta8(), cl.Radau(),
    cl.GeneralisedAlpha(dt=0.01), cl.SemiImplicitEuler(dt=0.01),
])  # fmt: skip
def test_restart_is_bitwise_equal_to_an_uninterrupted_run(method):
    """A run ended by max_steps and one begun at its final state make the same steps."""
    whole = cl.simulate(pendulum(), 1.0, method=method)
    with pytest.raises(cl.SimulationError, match="max_steps") as caught:
        cl.simulate(pendulum(), 1.0, method=method, max_steps=7)
    half = caught.value.solution
    assert 0.0 < half.final.t < 1.0
    rest = cl.simulate(pendulum(), 1.0, method=method, initial=half.final)
    k = len(whole) - len(rest)
    assert np.array_equal(whole.t[k:], rest.t)
    assert np.array_equal(whole.q[k:], rest.q)
    assert np.array_equal(whole.u[k:], rest.u)


def rolling_and_bouncing() -> cl.Model:
    """Return a disc that bounces with spin and a box that slides to rest."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    box = cl.Body("box", mass=1.0, inertia=0.1, position=(5.0, 0.2), velocity=(1.0, 0.0))
    corners = ((-0.5, -0.2), (0.5, -0.2), (0.5, 0.2), (-0.5, 0.2))
    hull = cl.Polygon("hull", box, vertices=corners)
    contacts = [cl.Contact(part, floor, mu=0.3, eps_N=0.5) for part in (ball, hull)]
    return cl.Model(floor, ball, box, hull, *contacts, gravity=(0.0, -9.81))


@pytest.mark.parametrize("steps", [7, 20])
@pytest.mark.parametrize("method", [cl.Moreau(dt=0.01), cl.EventDriven()])
def test_restart_with_contacts_is_bitwise_equal(method, steps, tmp_path):
    model = rolling_and_bouncing()
    whole = cl.simulate(model, 1.0, method=method)
    with pytest.raises(cl.SimulationError, match="max_steps") as caught:
        cl.simulate(model, 1.0, method=method, max_steps=steps)
    half = caught.value.solution
    assert 0.0 < half.final.t < 1.0
    half.save(tmp_path / "half.nc")
    rest = cl.simulate(model, 1.0, method=method, initial=cl.load(tmp_path / "half.nc").final)
    a, b = whole.t > half.final.t, rest.t > half.final.t
    names = ["t", "q", "u"]
    names += [f"{c}.{lam}" for c in ("ball-floor", "hull-floor[0]") for lam in ("lam_N", "lam_T")]
    for name in names:
        found = [sol[name] if "." in name else getattr(sol, name) for sol in (whole, rest)]
        assert np.array_equal(found[0][a], found[1][b]), name
    later = [event for event in whole.events if event.time > half.final.t]
    assert [(e.time, e.kind, e.name) for e in later] == [
        (e.time, e.kind, e.name) for e in rest.events if e.time > half.final.t
    ]


def test_restart_survives_a_file(tmp_path):
    first = cl.simulate(pendulum(), 0.5, method=cl.RungeKutta4(dt=0.01))
    first.save(tmp_path / "run.nc")
    loaded = cl.load(tmp_path / "run.nc")
    a = cl.simulate(pendulum(), 1.0, method=cl.RungeKutta4(dt=0.01), initial=first)
    b = cl.simulate(pendulum(), 1.0, method=cl.RungeKutta4(dt=0.01), initial=loaded.final)
    assert np.array_equal(a.q, b.q)


def test_inputs_of_a_run():
    sol = cl.simulate(pendulum(angle=0.0), 0.01, inputs={"torque": 3.0})
    assert sol["pin.speed_rate"][0] == pytest.approx(5.0, rel=1e-12)
    calm = cl.simulate(pendulum(angle=0.0), 0.01)
    assert calm["pin.speed"][-1] == 0.0
    with pytest.raises(cl.UnknownNameError, match="torque"):
        cl.simulate(pendulum(), 0.01, inputs={"torqe": 1.0})


def test_inputs_may_change_at_a_restart():
    """The first step after the restart already feels the new value."""
    method = cl.RungeKutta4(dt=0.01)
    first = cl.simulate(pendulum(angle=0.0), 0.1, method=method)
    pushed = cl.simulate(pendulum(angle=0.0), 0.11, method=method, initial=first,
                         inputs={"torque": 3.0})  # fmt: skip
    fresh = cl.simulate(pendulum(angle=0.0), 0.01, method=method, inputs={"torque": 3.0})
    assert pushed["pin.speed"][-1] == pytest.approx(fresh["pin.speed"][-1], rel=1e-12)


def test_interruption_returns_what_was_computed(monkeypatch):
    from cornerlaw.simulate.methods import Runner

    calls = []
    run = Runner.run

    def interrupted(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return run(self, *arguments)

    monkeypatch.setattr(Runner, "run", interrupted)
    sol = cl.simulate(pendulum(), 1e6, method=cl.RungeKutta4(dt=1e-3))
    assert sol.status == "interrupted"
    assert not sol.ok
    assert len(sol) > 1
    assert sol.final.t == sol.t[-1]
    monkeypatch.undo()
    more = cl.simulate(pendulum(), sol.final.t + 0.1, method=cl.RungeKutta4(dt=1e-3), initial=sol)
    whole = cl.simulate(pendulum(), sol.final.t + 0.1, method=cl.RungeKutta4(dt=1e-3))
    assert np.array_equal(more.q[-1], whole.q[-1])


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a single process there")
def test_ctrl_c_in_a_real_process():
    script = textwrap.dedent(
        """
        import cornerlaw as cl
        bob = cl.Body("bob", mass=2.0, inertia=0.1, com=(0.0, -0.5))
        model = cl.Model(cl.Revolute("pin", cl.Ground(), bob, angle=1.0), gravity=(0.0, -9.81))
        cl.simulate(model, 0.01, method=cl.RungeKutta4(dt=1e-3))
        print("ready", flush=True)
        sol = cl.simulate(model, 1e9, method=cl.RungeKutta4(dt=1e-3), every=100000)
        print(sol.status, len(sol) > 0, sol.final.t > 0.0, flush=True)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
        # a shell starts what it puts into the background deaf to Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    answer, _ = process.communicate(timeout=60)
    assert answer.split() == ["interrupted", "True", "True"]
    assert process.returncode == 0


def driven():
    """A model with a user's functions in a drive, a torque and a force element."""
    a = cl.Body("a", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    b = cl.Body("b", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    first = cl.Revolute("first", GROUND, a, drive=lambda t: math.sin(t))
    second = cl.Revolute("second", a, b, at=(1.0, 0.0))

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[0] = -p[0] * q[0] ** 3

    return cl.Model(
        first,
        second,
        cl.Torque("push", second, value=lambda t: 0.3 * t),
        cl.ForceElement("duffing", coordinates=("second.angle",), law=law, parameters={"k": 2.0}),
        gravity=(0.0, -9.81),
    )


def test_replace_compiles_nothing(monkeypatch):
    """Other numbers in the same model: no kernel, no slot is compiled, and they take effect."""
    from numba.core.dispatcher import Dispatcher

    from cornerlaw.compile import functions

    model = driven()
    before = cl.simulate(model, 0.2)
    slots = set(functions._slots)
    compiled = []
    compile_ = Dispatcher.compile

    def watch(self, signature):
        if tuple(signature) not in self.overloads:
            compiled.append((self.py_func.__name__, signature))
        return compile_(self, signature)

    monkeypatch.setattr(Dispatcher, "compile", watch)
    changed = model.replace(
        {"a.mass": 1.7, "b.com": (0.4, 0.1), "duffing.parameters.k": 5.0, "second.angle": 0.2}
    )
    after = cl.simulate(changed, 0.2)
    assert compiled == []
    assert set(functions._slots) == slots
    assert abs(after["second.angle"][-1] - before["second.angle"][-1]) > 1e-3


def test_output_times_with_units():
    """Times with units are converted, a wrong dimension is refused."""
    import pint

    u = pint.UnitRegistry()
    sol = cl.simulate(driven(), 0.01, t_eval=np.array([0.0, 2.0, 10.0]) * u.ms)
    assert np.allclose(sol.t, [0.0, 0.002, 0.01], rtol=0.0, atol=1e-15)
    with pytest.raises(cl.UnitError, match="t_eval"):
        cl.simulate(driven(), 0.01, t_eval=np.array([0.0, 2.0]) * u.mm)


@pytest.mark.parametrize("options", [
    {"initial": {"q": 0.0}}, {"stop": lambda t: t}, {"inputs": [1.0]}, {"t_eval": "soon"},
])  # fmt: skip
def test_options_of_the_wrong_kind(options):
    with pytest.raises(cl.UsageError, match=next(iter(options))):
        cl.simulate(driven(), 0.01, **options)


def test_profile_by_stage():
    """Every stage of the loop has its share, and the shares are disjoint parts of the run."""
    plain, sol = cl.simulate(driven(), 0.2), cl.simulate(driven(), 0.2, profile=True)
    own = set(sol.profile) - set(plain.profile)
    assert sum(sol.profile[name] for name in own) < sol.profile["integrate"]
    assert np.array_equal(sol.t, plain.t)
    stages = {"kinematics", "forces", "rates"}  # in the plane one recursion does the rest
    assert stages | {"compile", "assemble", "integrate"} <= set(sol.profile)
    assert all(sol.profile[name] > 0.0 for name in stages)
    assert "kinematics" not in plain.profile


def test_memory_of_a_run_grows_with_its_rows(tmp_path):
    few, many = cl.simulate(driven(), 0.2, t_eval=[0.2]), cl.simulate(driven(), 0.2, every=1)
    width = few.final.q.size + few.final.u.size + few.final.x.size + 1
    rows = len(many) - len(few)
    # times, coordinates and the side of an event; stored impulses come on top
    assert many.memory - few.memory >= 8 * rows * width
    assert few.memory > 0 and "MB" in str(few)
    # a file is that of the result, whatever machine and process made it
    few.save(tmp_path / "run.nc")
    assert cl.load(tmp_path / "run.nc").memory == 0


def test_profile_by_stage_in_space():
    arm = cl.Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0.0, 0.0))
    hinge = cl.Revolute("hinge", GROUND, arm, axis=(0.0, 1.0, 0.0))
    sol = cl.simulate(cl.Model(hinge, gravity=(0.0, 0.0, -9.81)), 0.2, profile=True)
    assert all(sol.profile[name] > 0.0 for name in ("kinematics", "factor", "accelerate"))


def balls(**change):
    """Return a few balls that fall on a floor."""
    k = np.arange(8)
    places = 0.11 * np.column_stack([k % 2, k // 2 % 2, k // 4 + 0.6])
    places += np.random.default_rng(0).uniform(-0.004, 0.004, places.shape)
    given = {"position": places, "radius": 0.05, **change}
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    grains = cl.Grains("balls", **given)
    return cl.Model(grains, floor, cl.AllContacts("all", mu=0.3), gravity=(0.0, 0.0, -9.81))


GRANULAR = cl.Granular(dt=2e-3)


@pytest.mark.parametrize(("options", "sentence"), [
    ({"stop": 3}, "stop must be Stop conditions, got int"),
    ({"stop": cl.Stop("end", "t", above=0.1)}, "no coordinates that a Stop could watch"),
    ({"inputs": {"nonsense": 1}}, "no Input named 'nonsense'"),
    ({"inputs": [1.0]}, "inputs must be a dict"),
    ({"initial": "x"}, "initial must be a Solution or its .final, got str"),
    ({"max_steps": 0}, "max_steps must be a whole number"),
    ({"penetration": "refuse"}, "is not known to Grains"),
    ({"penetration": "maybe"}, "must be 'project' or 'refuse'"),
    ({"limits": cl.Limits(residual=1.0)}, "neither checkpoints nor limits"),
    ({"t_eval": [0.0, 0.5]}, "t_eval must lie between"),
    ({"t_eval": [0.1, 0.1]}, "strictly increasing"),
    ({"t_eval": [0.0, 0.0013]}, "whole multiples"),
    ({"t_start": 1.0}, "lies before the start"),
    ({"profile": 1}, "profile must be True or False"),
])  # fmt: skip
def test_options_that_grains_do_not_know_are_refused(options, sentence):
    with pytest.raises(cl.CornerlawError, match=sentence):
        cl.simulate(balls(), 0.2, method=GRANULAR, **options)


def test_grains_end_after_max_steps_and_go_on_with_the_same_bits(tmp_path):
    whole = cl.simulate(balls(), 0.2, method=GRANULAR)
    with pytest.raises(cl.SimulationError, match="max_steps = 37 steps") as caught:
        cl.simulate(balls(), 0.2, method=GRANULAR, max_steps=37)
    half = caught.value.solution
    assert half.statistics["steps"] == 37 and half.info.status == "failed" and len(half) == 38
    half.save(tmp_path / "half.nc")
    rest = cl.simulate(balls(), 0.2, method=GRANULAR, initial=cl.load(tmp_path / "half.nc").final)
    assert len(rest) == len(whole) - 37
    assert np.array_equal(whole.t[37:], rest.t)
    assert np.array_equal(whole.q[37:], rest.q)
    assert np.array_equal(whole.u[37:], rest.u)
    # without the impulses of the contacts, which another method does not take over, bits differ
    cold = cl.simulate(balls(), whole.t[-1], method=cl.Granular(dt=2e-3, push=0.9), initial=half)
    assert not np.array_equal(cold.q[-1], whole.q[-1])
    with pytest.raises(cl.UsageError, match="the initial state has 24 positions"):
        few = balls(position=[[0.0, 0.0, 1.0]])
        cl.simulate(few, 0.2, method=GRANULAR, initial=half)


@pytest.mark.trust("TR-R-10")
def test_strange_states_of_grains_are_refused():
    """A motion that is no number, or contacts that lead out of their arrays."""
    half = cl.simulate(balls(), 0.3, method=GRANULAR).final
    n, used = 8, int(half.memory[8])
    assert used > 0 and half.memory.size == n + 1 + 5 * used

    def begin(**change):
        with pytest.raises(cl.UsageError) as caught:
            cl.simulate(balls(), 0.5, method=GRANULAR, initial=replace(half, **change))
        return str(caught.value)

    q = half.q.copy()
    q[4] = np.nan
    assert "not finite" in begin(q=q)
    for place, value, word in (
        (0, 1.0, "start"), (n, 1e9, "need"), (n, np.nan, "start"), (n, np.inf, "start"),
        (2, 1e6, "start"), (3, 0.5, "start"), (n + 1, -1.0, "partner"), (n + 1, 1e9, "partner"),
        (n + 1, np.nan, "partner"), (-1, np.nan, "impulse"),
    ):  # fmt: skip
        memory = half.memory.copy()
        memory[place] = value
        assert word in begin(memory=memory), (place, value)
    assert "need" in begin(memory=half.memory[:-1])


def test_grains_begin_at_another_time_and_run_to_the_end():
    sol = cl.simulate(balls(), 1.2, method=GRANULAR, t_start=1.0, t_eval=[1.0, 1.1])
    assert np.allclose(sol.t, [1.0, 1.1], rtol=0.0, atol=1e-12)
    assert sol.statistics["steps"] == 100
    plain = cl.simulate(balls(), 0.2, method=GRANULAR, t_eval=[0.0, 0.1])
    assert np.array_equal(sol.q, plain.q)


def test_strict_runs_of_grains_are_all_right_or_an_error():
    few = cl.Granular(dt=2e-3, sweeps=1, tolerance=1e-9, on_unconverged="accept")
    assert cl.simulate(balls(), 0.2, method=few).status == "degraded"
    with pytest.raises(cl.SimulationError, match=r"strict: .* steps stayed above the tolerance"):
        cl.simulate(balls(), 0.2, method=few, strict=True)
    assert cl.simulate(balls(), 0.2, method=GRANULAR, strict=True).ok


def test_profile_of_grains_by_stage():
    """Every stage has its share, the shares are parts of the run, and a clock changes no bit."""
    plain = cl.simulate(balls(), 0.2, method=GRANULAR)
    sol = cl.simulate(balls(), 0.2, method=GRANULAR, profile=True)
    assert set(plain.profile) == {"assemble", "compile", "integrate"}
    own = set(sol.profile) - set(plain.profile)
    assert own >= {"move", "pairs", "order", "sweeps", "residual", "keep"}
    assert all(sol.profile[name] > 0.0 for name in own)
    assert sum(sol.profile[name] for name in own) < sol.profile["integrate"]
    assert np.array_equal(sol.q, plain.q)
