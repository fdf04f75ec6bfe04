"""Steps that nobody looks at give the same numbers as steps whose rows are stored."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

DT = 0.01


def swing(**options: Any) -> cl.Model:
    """Return a damped pendulum on a driven slider, with a state of its own."""
    ground = cl.Ground("ground")
    slider = cl.Body("slider", mass=1.0)
    rod = cl.Body("rod", mass=0.5, inertia=0.01, com=(0.0, -0.4))
    return cl.Model(
        cl.Prismatic("slide", ground, slider, axis=(1.0, 0.0), drive=cl.Motion(_drive)),
        cl.Revolute("hinge", slider, rod, angle=0.3),
        gravity=(0.0, -9.81),
        **options,
    )


def _drive(t: float) -> float:
    return 0.1 * math.sin(3.0 * t)


def run(**options: Any) -> cl.Solution:
    return cl.simulate(swing(), t_end=2.005, method=cl.SemiImplicitEuler(dt=DT), **options)


def test_rows_apart_are_the_same_bits() -> None:
    every = run()
    apart = run(every=37)
    chosen = np.isin(every.t, apart.t)
    assert 5 < apart.t.size < 9
    for name in ("hinge.angle", "hinge.speed", "slide.displacement"):
        assert np.array_equal(every[name][chosen], apart[name])
    assert every.statistics["steps"] == apart.statistics["steps"] == 201
    assert every.statistics["evaluations"] == apart.statistics["evaluations"]


def test_times_asked_for_are_the_same_bits() -> None:
    times = np.array([0.013, 0.5, 1.234567, 1.99, 2.005])
    dense = run(t_eval=np.union1d(times, np.arange(0.0, 2.0, 0.0025)))
    few = run(t_eval=times)
    chosen = np.isin(dense.t, times)
    assert np.array_equal(dense["hinge.angle"][chosen], few["hinge.angle"])


def test_a_run_in_two_parts() -> None:
    first = cl.simulate(swing(), t_end=1.0, method=cl.SemiImplicitEuler(dt=DT), every=1000)
    whole = cl.simulate(swing(), t_end=2.0, method=cl.SemiImplicitEuler(dt=DT), every=1000)
    second = cl.simulate(
        swing(), t_end=2.0, method=cl.SemiImplicitEuler(dt=DT), every=1000, initial=first
    )
    # the grid begins anew at 1 s: times differ by rounding
    assert second["hinge.angle"][-1] == pytest.approx(whole["hinge.angle"][-1], rel=1e-11)


def test_a_stop_is_found_between_rows() -> None:
    stop = cl.Stop("down", "hinge.angle", below=0.0)
    sol = run(every=1000, stop=stop)
    assert sol.status == "stopped"
    assert abs(sol["hinge.angle"][-1]) < 1e-12


def test_what_grows_beyond_all_numbers_ends_at_the_last_good_state() -> None:
    mass = cl.PointMass("mass", mass=1.0, position=(1.0, 0.0))
    push = cl.Force("push", mass, value=lambda t, r, v: (1e9 * r[0] ** 3, 0.0))
    model = cl.Model(mass, push)
    found = []
    for every in (1, 10_000):
        with pytest.raises(cl.CornerlawError) as caught:
            cl.simulate(model, t_end=10.0, method=cl.SemiImplicitEuler(dt=DT), every=every)
        found.append(caught.value.solution.final)  # type: ignore[attr-defined]
    assert found[0].t == found[1].t
    assert np.array_equal(found[0].q, found[1].q)
    assert np.isfinite(found[0].q).all()
