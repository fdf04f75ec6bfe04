"""Jenkins elements on methods with fixed steps: no force beyond its limit, convergence, energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.simulate.jumps import element_that_jumps
from cornerlaw.simulate.states import place

STIFFNESS, LIMIT = (100.0, 60.0), (1.0, 2.0)
WINDOW = 0.4
FIXED = (cl.RungeKutta4, cl.SemiImplicitEuler, cl.Moreau, cl.Theta)
PHASES = (4, 5, 6, 7)  # quarters of the number of steps: a limit is met anywhere in a step


def swinging() -> cl.Model:
    """Return a rotor that swings on a spring, four turning points, beside two elements."""
    rotor = cl.Rotor("rotor", inertia=0.1, speed=5.0)
    hold = cl.TorsionSpring("hold", rotor, stiffness=200.0)
    return cl.Model(rotor, hold, drives.Masing(STIFFNESS, LIMIT).element("joint", rotor))


@pytest.mark.parametrize("method", FIXED, ids=lambda method: method.__name__)
def test_one_element_brakes_with_its_limit(method: Any) -> None:
    """A spring until the limit is reached at q = h / k, then h alone: both in closed form."""
    J, k, h, v, end = 0.1, 100.0, 1.0, 5.0, 0.3
    w = math.sqrt(k / J)
    begin = math.asin(h / k * w / v) / w
    exact = math.sqrt(v**2 - h**2 / (k * J)) - h / J * (end - begin)
    rotor = cl.Rotor("rotor", inertia=J, speed=v)
    model = cl.Model(rotor, drives.Masing((k,), (h,)).element("joint", rotor))
    sol = cl.simulate(model, end, method=method(dt=1e-4))
    # steps of 1e-4 s know the moment to a step, in which the force changes by h / J
    assert sol["rotor.speed"][-1] == pytest.approx(exact, abs=h / J * 1e-4)
    assert np.abs(sol["joint.force"]).max() <= h
    assert sol["joint.loss"].max() <= h * v


@pytest.mark.parametrize("method", FIXED, ids=lambda method: method.__name__)
def test_swings_converge_to_the_event_driven_road(method: Any) -> None:
    """First order in five halvings: a limit is noticed at the end of a step."""
    model, t = swinging(), np.linspace(0.0, WINDOW, 41)
    fine = cl.EventDriven(rtol=1e-11, atol=1e-13, max_step=1e-4)
    exact = cl.simulate(model, WINDOW, method=fine, t_eval=t)["rotor.angle"]
    assert np.abs(exact).max() > 2.0 * LIMIT[1] / STIFFNESS[1]  # both slide
    errors = []
    for halving in range(6):
        found = []
        for quarters in PHASES:
            steps = 50 * quarters * 2**halving
            sol = cl.simulate(model, WINDOW, method=method(dt=WINDOW / steps), t_eval=t)
            rows = np.interp(t, sol.t, sol["rotor.angle"])
            found.append(float(np.abs(rows - exact).max()) * quarters / PHASES[0])
            assert np.abs(sol["joint.force"]).max() <= sum(LIMIT)
            assert drives.audit(sol, model).created == 0.0
        errors.append(max(found))
    order = -np.polyfit(np.arange(6), np.log2(errors), 1)[0]
    assert 0.9 < order < 1.2, errors


def test_audit_closes_with_the_step() -> None:
    """What a cut-off spring holds is counted, so that only the error of the scheme is left."""
    gaps = []
    for dt in (4e-4, 2e-4, 1e-4):
        model = swinging()
        book = drives.audit(cl.simulate(model, WINDOW, method=cl.RungeKutta4(dt=dt)), model)
        gaps.append(book.gap)
        assert book.dissipated["joint"] > 0.1 * book.turnover
    assert gaps[2] < 1e-5 and gaps[2] < 0.5 * gaps[0]


def test_implicit_steps_over_a_limit_are_refused_with_the_name() -> None:
    """A limit makes the rate of a spring jump: no end of the step agrees with its own rate."""
    with pytest.raises(cl.SimulationError, match="the rates of 'joint' jump within it") as caught:
        cl.simulate(swinging(), WINDOW, method=cl.GeneralisedAlpha(dt=1e-3))
    assert "smaller step" not in str(caught.value) and "RungeKutta8" in str(caught.value)
    sim = cl.Simulation(swinging(), method=cl.GeneralisedAlpha(dt=1e-3))
    with pytest.raises(cl.SimulationError, match="the rates of 'joint' jump within it"):
        sim.step(100)
    # what it names instead goes over the same limits
    fine = cl.EventDriven(rtol=1e-11, atol=1e-13, max_step=1e-4)
    exact = cl.simulate(swinging(), WINDOW, method=fine)["rotor.angle"][-1]
    for method in (cl.Radau(rtol=1e-8), cl.RungeKutta8(rtol=1e-8)):
        found = cl.simulate(swinging(), WINDOW, method=method)["rotor.angle"][-1]
        # only the choice of the steps notices a limit
        assert found == pytest.approx(exact, abs=1e-4)


def steep(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    x_dot[0] = 2.0 - math.tanh(1e4 * (x[0] - 1.01))
    x_dot[1] = 1.0


def jumping(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    x_dot[0] = 1.0
    x_dot[1] = 3.0 if x[1] < 1.01 else 1.0


@pytest.mark.parametrize(("law", "name"), [(steep, ""), (jumping, "own")])
def test_a_steep_rate_is_no_jump(law: Any, name: str) -> None:
    """A rate that turns within 1e-4 of a state is smooth, and not taken for a jump."""
    rotor = cl.Rotor("rotor", inertia=0.1, speed=5.0)
    own = cl.ForceElement("own", coordinates=("rotor.angle",), law=law, states={"a": 1.0, "b": 1.0})
    placed = place(cl.Model(rotor, own))
    found = element_that_jumps(placed.system, 0.0, placed.q, placed.u, placed.x, 0.01)
    assert found == name
