"""What campaigns of random models have found: every case is replayed."""

import warnings

import numpy as np
import pytest

import cornerlaw as cl

DOWN = (0.0, -9.81)


def test_a_brake_beside_a_stop_carries_no_more_than_its_capacity() -> None:
    """Both hold the arm: the forces are not unique, but the brake has a bound."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    pin = cl.Revolute("pin", cl.Ground(), arm)
    tip = cl.ContactPoint("tip", arm, at=(1.0, 0.0))
    brake = cl.Brake("brake", pin, capacity=0.3)
    model = cl.Model(floor, pin, tip, cl.Contact(tip, floor, name="c"), brake, gravity=DOWN)
    for method in (cl.EventDriven(), cl.Moreau(dt=1e-3)):
        sol = cl.simulate(model, 0.01, method=method, progress=False)
        assert np.abs(sol["brake.lam_T"]).max() <= 0.3 * (1.0 + 1e-9)
        # moments about the pin: brake and floor carry the weight together
        moment = sol["brake.lam_T"] + sol["c.lam_N"]
        assert np.allclose(moment[1:], 0.5 * 9.81, rtol=1e-9)


def locked_by_a_rod(part: str) -> cl.Model:
    """Return two links whose hinge a rod locks, with a corner on the hinge that cannot move."""
    first = cl.Body("first", mass=1.0, inertia=0.1, com=(0.3, 0.0))
    second = cl.Body("second", mass=1.0, inertia=0.1, com=(0.3, 0.0))
    stops = {"limits": (0.0, 0.6), "eps_N": 0.5} if part == "stop" else {}
    low = cl.Revolute("low", cl.Ground(), first, angle=0.3)
    hinge = cl.Revolute("hinge", first, second, at=(0.6, 0.1), **stops)
    rod = cl.Rod("rod", first, second, at=(0.1, 0.4), at_second=(0.3, 0.2))
    more = [cl.Freewheel("wheel", hinge, direction=-1.0)] if part == "wheel" else []
    return cl.Model(low, hinge, rod, *more, gravity=DOWN)


@pytest.mark.parametrize("part", ["stop", "wheel"])
def test_a_corner_on_a_coordinate_that_cannot_move(part: str) -> None:
    """The mobility of its row is zero but for rounding: nothing pushes, and nothing fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sol = cl.simulate(locked_by_a_rod(part), 0.1, method=cl.Moreau(dt=2e-3), progress=False)
    assert sol.status == "done"
    name = "wheel" if part == "wheel" else "hinge.lower"
    assert sol[f"{name}.lam_N"].min() >= -1e-9
