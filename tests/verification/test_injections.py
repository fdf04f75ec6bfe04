"""Values that are no numbers, or hardly numbers, put in everywhere; laws that misbehave."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

STEPS = cl.RungeKutta4(dt=0.01)
BAD = (math.nan, math.inf, -math.inf)
ODD = (1e300, -1e300, 5e-324)


def driven(value: Any) -> cl.Model:
    rotor = cl.Rotor("rotor", inertia=1.0, speed=1.0)
    return cl.Model(rotor, cl.Torque("motor", rotor, value=value))


def run(model: cl.Model, **options: Any) -> cl.Solution:
    return cl.simulate(model, 0.2, method=STEPS, progress=False, **options)


def parameter(value: float) -> Any:
    return run(cl.Model(cl.Rotor("rotor", inertia=value)))


def speed(value: float) -> Any:
    return run(cl.Model(cl.Rotor("rotor", inertia=1.0, speed=value)))


def state(value: float) -> Any:
    final = run(driven(0.0)).final
    return run_from(replace(final, t=0.0, u=np.array([value])))


def run_from(final: Any) -> Any:
    return cl.simulate(driven(0.0), 0.2, method=STEPS, initial=final, progress=False)


def law(value: float) -> Any:
    return run(driven(lambda t: value if t > 0.1 else 0.0))


def called(value: float) -> Any:
    return run(driven(cl.Interpreted(lambda t: value if t > 0.1 else 0.0)))


def table(value: float) -> Any:
    return run(driven(cl.Table([0.0, 0.1, 0.2], [0.0, value, 0.0])))


def control(value: float) -> Any:
    return run(driven(cl.Input("u", 0.0)), inputs={"u": value})


def stepped(value: float) -> Any:
    sim = cl.Simulation(driven(cl.Input("u", 0.0)), STEPS)
    sim.step(3)
    sim.set_input("u", value)
    sim.step(3)
    return sim


def time_step(value: float) -> Any:
    return cl.simulate(driven(0.0), 0.2, method=cl.RungeKutta4(dt=value), progress=False,
                       max_steps=100)  # fmt: skip


def mesh(value: float) -> Any:
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    corners = np.array(box.vertices)
    corners[0, 0] = value
    body = cl.Body("rock", mass=1.0, inertia=(1.0, 1.0, 1.0))
    solid = trimesh.Trimesh(corners, box.faces, process=False)
    return cl.Model(body, cl.Mesh("stone", body, source=solid, decompose=True))


# what is put in where, and the word of the message that says where it came from
PLACES: dict[Callable[[float], Any], str] = {
    parameter: "inertia", speed: "speed", state: "rate|state", law: "motor", called: "motor",
    table: "Table: y", control: "Input 'u'", stepped: "Input 'u'", time_step: "dt",
    mesh: "vertices",
}  # fmt: skip


@pytest.mark.trust("TR-N-15")
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("value", BAD)
def test_what_is_no_number_is_named(place: Callable[[float], Any], value: float) -> None:
    with pytest.raises(cl.CornerlawError, match=PLACES[place]) as caught:
        place(value)
    part = getattr(caught.value, "solution", None)
    if place in (law, called):
        # within the step in which it appeared, and what came before is there
        assert part is not None and 0.09 <= part.final.t <= 0.11 + 1e-9
        assert np.isfinite(part.q).all() and np.isfinite(part.u).all()


@pytest.mark.trust("TR-N-15")
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("value", ODD)
def test_what_is_hardly_a_number_never_becomes_none(
    place: Callable[[float], Any], value: float
) -> None:
    """1e300 and the smallest number: refused in one sentence, or a result of finite numbers."""
    try:
        found = place(value)
    except cl.CornerlawError as error:
        assert "\n" not in str(error)
        part = getattr(error, "solution", None)
        assert part is None or np.isfinite(part.q).all()
        return
    if isinstance(found, cl.Solution):
        assert np.isfinite(found.q).all() and np.isfinite(found.u).all()
    elif isinstance(found, cl.Simulation):
        assert np.isfinite(found.q).all()


# laws that misbehave


def writes(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = p[0]
    q[0] = 5.0
    u[0] = 7.0


def keeps(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    p[0] += 11.0
    Q[0] = p[0]


def reads(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = p[0]


def element(function: Any) -> cl.Model:
    rotor = cl.Rotor("rotor", inertia=1.0, speed=1.0)
    pump = cl.ForceElement(
        "pump", coordinates=("rotor.angle",), law=function, parameters={"torque": 2.0}
    )
    return cl.Model(rotor, pump)


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize("wrap", [lambda f: f, cl.Interpreted], ids=["compiled", "called"])
def test_a_law_that_writes_into_its_arguments_changes_nothing(wrap: Any) -> None:
    one, two = run(element(wrap(writes))), run(element(wrap(reads)))
    assert one.q.tobytes() == two.q.tobytes() and one.u.tobytes() == two.u.tobytes()


@pytest.mark.trust("TR-N-16")
def test_a_law_that_writes_into_its_parameters_is_refused() -> None:
    """The next call would see what this one has written."""
    with pytest.raises(cl.CompileError, match="'pump': law writes into its parameters 'p'"):
        run(element(keeps))
    # what is called gets a copy
    a, b = run(element(cl.Interpreted(keeps))), run(element(cl.Interpreted(reads)))
    assert a["rotor.speed"][-1] - 1.0 == pytest.approx(6.5 * (b["rotor.speed"][-1] - 1.0))


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize("wrap", [lambda f: f, cl.Interpreted], ids=["compiled", "called"])
def test_a_law_may_print(wrap: Any, capfd: pytest.CaptureFixture[str]) -> None:
    def noisy(t: float) -> float:
        print("noise", t)
        return 1.0

    sol = run(driven(wrap(noisy)))
    assert sol.ok and sol["rotor.speed"][-1] == pytest.approx(1.2, abs=1e-12)
    assert "noise" in capfd.readouterr().out


@pytest.mark.trust("TR-N-16")
def test_a_slow_law_slows_its_run_only_and_can_be_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four calls per step of 5 ms each; Ctrl-C is heard at the end of the step."""
    calls = []

    def slow(t: float) -> float:
        calls.append(t)
        time.sleep(5e-3)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return 1.0

    began = time.monotonic()
    sol = cl.simulate(driven(cl.Interpreted(slow)), 100.0, method=STEPS, progress=False)
    assert sol.status == "interrupted" and len(calls) <= 30 + 4  # the step comes to its end
    assert time.monotonic() - began < 30.0
    assert 1 < len(sol) <= 8 and np.isfinite(sol.q).all()


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize("value", [(1.0, 2.0), 1j, "x", None, [1.0]], ids=repr)
def test_wrong_shapes_and_types_name_the_law_and_the_time(value: Any) -> None:
    with pytest.raises(cl.CornerlawError, match=r"Torque 'motor': value .*t = 0 s"):
        run(driven(cl.Interpreted(lambda t: value)))
    with pytest.raises(cl.CornerlawError, match="Torque 'motor': value"):
        run(driven(lambda t: value))
