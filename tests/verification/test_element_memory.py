"""Memory of force elements: delays with their history, and accept at the end of steps."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cut_runs import cut_run
from run_hash import run_hash

import cornerlaw as cl
from cornerlaw.simulate.methods import Runner

ROTOR = cl.Rotor("wheel", inertia=1.0, speed=1.0)


def speed(t, r, A, v, Omega, q, u, x, p):
    return u[0]


def brake(t, r, A, v, Omega, q, u, x, d, p, F, M, Q, x_dot):
    Q[0] = -p[0] * d[0]


def seen(t, r, A, v, Omega, q, u, x, d, p):
    return d[0]


def delayed(delay: float = 1.0, gain: float = 1.0, **options: Any) -> cl.Model:
    """A rotor braked by what its speed was: u'(t) = -gain u(t - delay)."""
    element = cl.ForceElement(
        "brake", coordinates=("wheel.angle",), law=brake, parameters={"gain": gain},
        delays={"speed": cl.Delay(speed, delay, **options)}, outputs={"seen": seen},
    )  # fmt: skip
    return cl.Model(ROTOR, element)


def exact(t: Any) -> Any:
    """u' = -u(t - 1) with u = 1 before the start, by the method of steps."""
    terms = (
        (-1.0) ** k * np.maximum(t - k + 1.0, 0.0) ** k / math.factorial(k) for k in range(1, 6)
    )
    return 1.0 + sum(terms)


@pytest.mark.parametrize(
    "method",
    [cl.RungeKutta8(), cl.Radau(rtol=1e-9, atol=1e-12), cl.RungeKutta4(dt=0.02), cl.EventDriven()],
    ids=lambda method: type(method).__name__,
)
def test_delay_equation_with_a_known_solution(method: Any) -> None:
    """Up to t = 4 what is delayed are cubics, which the history keeps exactly."""
    sol = cl.simulate(delayed(), 4.0, method=method)
    # that of the methods; speeds are of the order of one
    assert np.abs(sol["wheel.speed"] - exact(sol.t)).max() < 1e-8
    assert np.abs(sol["brake.seen"] - exact(sol.t - 1.0)).max() < 1e-8
    # a history makes neither events nor limits
    assert not len(sol.events)
    assert not sol.side.any()


def test_output_between_the_points() -> None:
    t = np.linspace(0.0, 4.0, 331)
    sol = cl.simulate(delayed(points=7), 4.0, t_eval=t)
    assert np.array_equal(sol.t, t)
    assert np.abs(sol["wheel.speed"] - exact(t)).max() < 1e-10


def test_history_converges_with_order_four() -> None:
    """u' = -u(t - pi/2) keeps u = cos t, if that is what the history before it was."""

    def clock(t, r, A, v, Omega, q, u, x, p):
        return math.cos(t)

    errors = []
    for points in (8, 16, 32):
        element = cl.ForceElement(
            "brake", coordinates=("wheel.angle",), law=brake, parameters={"gain": 1.0},
            delays={"speed": cl.Delay(clock, 0.5 * math.pi, points=points, before=0.0)},
            outputs={"seen": seen},
        )  # fmt: skip
        t = np.linspace(2.0, 6.0, 401)
        sol = cl.simulate(cl.Model(ROTOR, element), 6.0, t_eval=t)
        errors.append(np.abs(sol["brake.seen"] - np.sin(t)).max())
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.abs(orders - 4.0).max() < 0.3, (errors, orders)


def test_value_before_the_start_and_units() -> None:
    """With zero before the start nothing brakes for one delay."""
    pint = pytest.importorskip("pint")
    model = delayed(1.0 * pint.UnitRegistry().second, before=0.0)
    sol = cl.simulate(model, 1.5)
    assert np.abs(sol["wheel.speed"] - np.where(sol.t < 1.0, 1.0, 2.0 - sol.t)).max() < 1e-10


def test_runs_of_models_with_the_same_law_do_not_disturb_each_other() -> None:
    models = [delayed(0.5), delayed(0.8, points=9)]
    sims = [cl.Simulation(model, method=cl.RungeKutta4(dt=0.01)) for model in models]
    for _ in range(150):
        for sim in sims:
            sim.step()
    for model, sim in zip(models, sims, strict=True):
        alone = cl.Simulation(model, method=cl.RungeKutta4(dt=0.01))
        alone.step(150)
        assert alone["wheel.speed"] == sim["wheel.speed"]
        assert alone["brake.seen"] == sim["brake.seen"]


def test_a_state_of_a_simulation_carries_its_history() -> None:
    sim = cl.Simulation(delayed(0.5), method=cl.RungeKutta4(dt=0.01))
    sim.step(77)
    kept = sim.get_state()
    sim.step(60)
    first = sim["wheel.speed"]
    sim.set_state(kept)
    sim.step(60)
    assert sim["wheel.speed"] == first


def test_an_interrupted_run_leaves_nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any, *arguments: Any) -> int:
        raise KeyboardInterrupt

    sim = cl.Simulation(delayed(before=5.0), method=cl.RungeKutta4(dt=0.01))
    with monkeypatch.context() as patch:
        patch.setattr(Runner, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sim.step()
    # a query sees what the element measures now, not what was held for the run
    assert sim.query().accelerations()["wheel.speed"] == -1.0


def test_nothing_is_delayed_outside_runs() -> None:
    assert cl.assemble(delayed())["brake.seen"][0] == 1.0
    with pytest.raises(cl.UsageError, match="'brake' has delays, which no finite set"):
        cl.linearise(delayed())
    with pytest.raises(cl.UsageError, match="'brake' has delays, which sections and orbits"):
        cl.poincare(delayed(), cl.Section(crossing="wheel.angle"), 1)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: cl.Delay(speed, 0.0), "Delay: delay must be > 0, got 0"),
        (lambda: cl.Delay(3.0, 1.0), "Delay: function must be a function, got 3"),
        (lambda: cl.Delay(speed, 1.0, points=3), "Delay: points must be from 4 to 4096, got 3"),
        (lambda: cl.Delay(cl.Sampled(speed, 0.1), 1.0), "Delay: function is measured at points"),
        (
            lambda: cl.ForceElement("f", law=brake, delays={"a": speed}),
            r"ForceElement 'f': delays\[a\] must be a Delay",
        ),
        (lambda: cl.ForceElement("f", law=brake, accept=speed), "accept needs discrete states"),
    ],
)
def test_wrong_input(make: Any, text: str) -> None:
    with pytest.raises(cl.ModelError, match=text):
        make()


def test_a_measurement_that_fails_is_named() -> None:
    def root(t, r, A, v, Omega, q, u, x, p):
        return math.sqrt(0.5 - t)

    model = delayed().replace({"brake.delays.speed": cl.Delay(root, 0.2)})
    with pytest.raises(
        cl.SimulationError, match=r"ForceElement 'brake': delays\[speed\] .*t = 0.5"
    ):
        cl.simulate(model, 1.0)


def swing(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
    Q[0] = -q[0] - 0.2 * z[0] * u[0]


def remember(t, r, A, v, Omega, q, u, x, z, p):
    z[0] = max(z[0], abs(q[0]))  # the largest deflection so far
    z[1] += 1.0


def swinging(accept: Any = remember) -> cl.Model:
    wheel = cl.Rotor("wheel", inertia=1.0, speed=1.0)
    element = cl.ForceElement(
        "wear", coordinates=("wheel.angle",), law=swing, discrete={"peak": 0.0, "steps": 0.0},
        accept=accept,
    )  # fmt: skip
    return cl.Model(wheel, element)


@pytest.mark.parametrize(
    "method",
    [cl.RungeKutta5(max_step=0.05), cl.Radau(), cl.RungeKutta4(dt=0.01), cl.Moreau(dt=0.01)],
    ids=lambda method: type(method).__name__,
)
def test_accept_sees_every_step_once(method: Any) -> None:
    sol = cl.simulate(swinging(), 6.0, method=method)
    assert sol["wear.steps"][-1] == sol.info.statistics["steps"]
    assert np.array_equal(sol["wear.steps"], np.arange(sol.t.size))
    assert np.array_equal(sol["wear.peak"], np.maximum.accumulate(np.abs(sol["wheel.angle"])))


def test_accept_in_a_simulation_and_with_a_full_record() -> None:
    sim = cl.Simulation(swinging(), method=cl.RungeKutta4(dt=0.01))
    sim.step(300)
    dense = cl.simulate(
        swinging(), 3.0, method=cl.RungeKutta4(dt=0.01), t_eval=np.linspace(0.0, 3.0, 10001)
    )
    assert sim["wear.steps"] == dense["wear.steps"][-1] == 300.0
    # times of a simulation are sums of steps, those of a run are not
    assert abs(sim["wheel.angle"] - dense["wheel.angle"][-1]) < 1e-12


def test_accept_may_not_make_states_jump() -> None:
    def wrong(t, r, A, v, Omega, q, u, x, z, p):
        x[0] += 1.0

    def law(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
        x_dot[0] = 1.0

    element = cl.ForceElement(
        "f", coordinates=("wheel.angle",), law=law, states={"a": 0.0}, discrete={"b": 0.0},
        accept=wrong,
    )  # fmt: skip
    with pytest.raises(cl.SimulationError, match=r"'f': accept at t = .* writes to x"):
        cl.simulate(cl.Model(ROTOR, element), 1.0)


def both() -> cl.Model:
    """A delay and a memory in one model."""
    slow = delayed(0.3)
    return cl.Model(*slow.parts, *swinging().replace({"wheel.speed": 0.4}).parts[1:])


@pytest.mark.parametrize("method", [cl.RungeKutta8(), cl.RungeKutta4(dt=0.01)], ids=["8", "4"])
@pytest.mark.parametrize("options", [{}, {"t_eval": np.linspace(0.0, 1.5, 40)}], ids=["steps", "t"])
def test_a_resumed_run_has_the_same_bits(method: Any, options: Any, tmp_path: Path) -> None:
    more = {"t_end": 1.5, "method": method, **options}
    whole = cl.simulate(both(), **more)
    cut_run(both(), tmp_path / "run", 60, **more)
    rest = cl.resume(tmp_path / "run", both())
    assert run_hash(rest) == run_hash(whole)
    for name in ("wear.peak", "wear.steps", "brake.seen"):
        assert np.array_equal(rest[name], whole[name])


def test_a_run_goes_on_from_the_end_of_another_with_its_history() -> None:
    """The end lies between two points of the history, so that steps differ, but not the motion."""
    method = cl.RungeKutta8()
    first = cl.simulate(delayed(0.5), 0.9, method=method)
    rest = cl.simulate(delayed(0.5), 2.0, method=method, initial=first)
    whole = cl.simulate(delayed(0.5), 2.0, method=method)
    assert abs(rest["wheel.speed"][-1] - whole["wheel.speed"][-1]) < 1e-9
    # with the history forgotten it would be another motion
    fresh = cl.simulate(delayed(0.5), 2.0, method=method, initial=first, t_start=0.9)
    assert abs(fresh["wheel.speed"][-1] - whole["wheel.speed"][-1]) > 1e-3


def test_a_delay_in_a_model_file(tmp_path: Path) -> None:
    model = delayed(0.25, points=12, before=0.5)
    model.save(tmp_path / "model.toml")
    with pytest.raises(cl.FileError, match="trust"):
        cl.Model.load(tmp_path / "model.toml")
    again = cl.Model.load(tmp_path / "model.toml", trust=True)
    assert again.part("brake").delays == model.part("brake").delays
