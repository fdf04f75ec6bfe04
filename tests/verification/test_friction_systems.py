"""Systems of the gallery that stick, slip and knock, against closed forms and on both roads."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from contact_laws import assert_contact_laws

import cornerlaw as cl
from cornerlaw.gallery import registry
from cornerlaw.gallery.friction import (
    cam_follower,
    conveyor,
    friction_oscillator,
    impulsive_control,
    vibro_impact,
)

NAMES = (
    "cam-follower",
    "chattering-chalk",
    "conveyor",
    "friction-oscillator",
    "impulsive-control",
    "vibro-impact",
)


@pytest.mark.verify
@pytest.mark.parametrize("name", NAMES)
def test_every_mutation_is_caught(name: str) -> None:
    for mutation in registry.find(name).mutations():
        assert mutation.caught, mutation.change


def test_plain_friction_settles_to_the_largest_harmonic() -> None:
    """With mu constant the mass ends at the amplitude v / omega, whatever it starts with."""
    p = friction_oscillator.Parameters()
    model = friction_oscillator.build(p, p.static)
    sol = cl.simulate(model, 5.0, method=cl.EventDriven(rtol=1e-10), progress=False)
    assert_contact_laws(sol, model)
    w = friction_oscillator.omega(p)
    x, v = sol["mass"].position[:, 0], sol["mass"].velocity[:, 0]
    late = sol.t > 1.0
    radius = np.hypot(x[late] - friction_oscillator.release(p), v[late] / w)
    assert np.allclose(radius, p.belt / w, rtol=0.0, atol=1e-9)


def test_period_tends_to_that_of_a_jump() -> None:
    """The narrower the fall of the coefficient, the nearer the formula of the jump."""
    p = friction_oscillator.Parameters()
    gaps = []
    for fall in (4e-3, 2e-3, 1e-3, 5e-4):
        now = replace(p, fall=fall)
        length, end = friction_oscillator.slip_phase(now)
        period = length + (friction_oscillator.release(now) - end) / now.belt
        gaps.append(period - friction_oscillator.jump_period(now))
    assert np.all(np.diff(gaps) < 0.0)
    assert 0.0 < gaps[-1] < 0.01 * friction_oscillator.jump_period(p)


def test_laws_hold_on_stick_and_slip() -> None:
    p = friction_oscillator.Parameters()
    for method in (cl.EventDriven(), cl.Moreau(dt=1e-3)):
        sol = friction_oscillator.simulate(p, t_end=2.0, method=method)
        assert_contact_laws(sol, friction_oscillator.build(p))
    states = set(sol["friction"].state)
    assert {3.0, 4.0} <= states  # slower than the belt, and stuck to it


@pytest.mark.parametrize("frequency", [1.6, 2.0, 2.4, 2.5])
def test_impacts_of_period_one(frequency: float) -> None:
    p = replace(vibro_impact.Parameters(), frequency=frequency)
    (orbit,) = vibro_impact.orbits(p)
    assert orbit.multiplier < 1.0
    sol = vibro_impact.simulate(p)
    assert_contact_laws(sol, vibro_impact.build(p))
    phase, speed = vibro_impact.impacts(sol, p)
    assert abs(speed[-1] - orbit.speed) < 1e-7
    assert abs(phase[-1] - orbit.phase) < 1e-7


@pytest.mark.verify
def test_bifurcation_diagram() -> None:
    """One branch while the closed form is stable, two right after it doubles, many beyond."""
    p = vibro_impact.Parameters()
    limit = vibro_impact.doubling(p, 2.6, 2.8)
    assert 2.65 < limit < 2.7
    frequencies = [2.2, 2.5, limit - 0.02, limit + 0.02, 2.8]
    branches = [
        len(np.unique(np.round(speeds, 3)))
        for _, speeds in vibro_impact.diagram(p, frequencies, settle=200)
    ]
    assert branches[:3] == [1, 1, 1], branches
    assert branches[3] == 2, branches
    assert branches[4] > 8, branches


def test_frequency_of_doubling_with_thirty_digits() -> None:
    """The reference of the gallery, from 1 + tr(E S) + det(E S) = 0 with a matrix exponential."""
    m, k, c, e = mp.mpf(1), mp.mpf(1), mp.mpf("0.1"), mp.mpf("0.8")

    def condition(w: Any) -> Any:
        E = mp.expm(mp.matrix([[0, 1], [-k / m, -c / m]]) * 2 * mp.pi / w)
        # a speed of one before the impact; a and b are place and speed of the steady oscillation
        a, b = mp.lu_solve(mp.eye(2) - E, mp.matrix([0, 1]) + E * mp.matrix([0, e]))
        force = (k - m * w**2) * a + c * b
        M = E * mp.matrix([[-e, 0], [(1 + e) * force / m, -e]])
        return 1 + M[0, 0] + M[1, 1] + mp.det(M)

    with mp.workdps(30):
        exact = float(mp.findroot(condition, (2.64, 2.68), solver="anderson"))
    known = vibro_impact.REFERENCE[vibro_impact.DOUBLING]
    assert abs(exact - known.value) < 1e-14
    assert abs(vibro_impact.doubling(vibro_impact.Parameters(), 2.6, 2.7) - exact) < 1e-8


@pytest.mark.parametrize("change", [{"restitution": 0.64}, {"damping": 0.12}])
def test_doubling_of_the_run_notices_mutations(change: dict[str, float]) -> None:
    p = vibro_impact.Parameters()
    ran = replace(p, **change)
    checks = vibro_impact.check(vibro_impact.simulate(ran), p, ran)
    rows = {check.name: check.ok for check in checks}
    assert not rows["multiplier of the run at the doubling"]
    assert not rows["impacts against their map"]


@pytest.mark.parametrize("frequency", [2.8, 2.85, 3.1])
def test_chaotic_impacts_follow_their_map(frequency: float) -> None:
    """At 2.85 rad/s and above the mass also comes to rest at the stop and leaves it again."""
    p = replace(vibro_impact.Parameters(), frequency=frequency)
    # flights of the run are integrated to 1e-11; a slow impact is located to this over its speed
    assert vibro_impact.deviation(vibro_impact.simulate(p), p) < 1e-8


def test_sweep_is_the_diagram() -> None:
    """The map finds the branches of the run: one, two, and chaos."""
    p = vibro_impact.Parameters()
    frequencies = (2.3, 2.5, 2.7, 2.8)
    runs, maps = vibro_impact.diagram(p, frequencies), vibro_impact.sweep(p, frequencies, keep=30)
    for (w, run), (_, found) in zip(runs[:3], maps[:3], strict=True):
        # 80 and 60 periods leave less than 1e-6 of the transients
        assert run.min() == pytest.approx(found.min(), abs=1e-4), w
        assert run.max() == pytest.approx(found.max(), abs=1e-4), w
    assert len(np.unique(np.round(maps[3][1], 3))) > 8


@pytest.mark.parametrize("kind", ["circle", "curve", "spline"])
def test_force_on_the_cam(kind: str) -> None:
    p = cam_follower.Parameters()
    times = np.linspace(0.0, 4.0 * math.pi / p.speed, 201)
    model = cam_follower.build(p, kind)
    sol = cl.simulate(model, times[-1], method=cl.EventDriven(), t_eval=times, progress=False)
    assert_contact_laws(sol, model)
    expected = cam_follower.force(p, p.speed * sol.t)
    # a spline through 120 points bends like the circle to (2 pi / 120)^2 / 12 only
    slack = 1e-8 if kind != "spline" else 2e-2
    # the start is on the circle, some nanometres off the spline
    late = sol.t > 0.1 * sol.t[-1]
    miss = np.abs(sol["contact"].lam_N - expected)[late]
    assert np.max(miss) < slack * np.max(expected)


# without position correction the part sinks in by what it travels in a step
@pytest.mark.contact_laws(gap_tol=1e-6)
def test_part_does_not_move_below_the_threshold() -> None:
    p = conveyor.Parameters()
    first = min(conveyor.thresholds(p).values())
    for factor, moves in ((0.98, False), (1.05, True)):
        now = replace(p, amplitude=factor * first)
        sol = conveyor.simulate(now, t_end=0.2, method=cl.Moreau(dt=1e-4, stabilise=False))
        way = sol["part 0"].position[:, 0][::200]  # once per period
        assert (abs(way[-1] - way[0]) > 1e-3 * now.amplitude) == moves, (factor, way)


@pytest.mark.verify
def test_number_of_parts_hardly_matters() -> None:
    """Averages over 10 s of chaotic hopping; single runs of this length scatter by some 20 %.

    At 2 mm, where they hop over a quarter of their height, boxes in a row get into each other's
    way; that is a property of the chosen shape and not asserted.
    """
    p = conveyor.Parameters()
    one = conveyor.hopping(p, (1.2e-3,), t_end=10.0)[0]
    four = conveyor.hopping(p, (1.2e-3,), parts=4, t_end=10.0)[0]
    assert one > 0.0
    assert abs(four / one - 1.0) < 0.4, (one, four)


def test_pd_rests_where_friction_holds_it() -> None:
    p = replace(impulsive_control.Parameters(), control="pd")
    for method in (cl.EventDriven(), cl.Moreau(dt=1e-3)):
        sol = impulsive_control.simulate(p, method=method, t_end=10.0)
        error = p.target - sol["mass"].position[-1]
        assert p.tolerance < abs(error) < p.static * p.load / impulsive_control.restoring(p)
        balance = sol["friction"].lam_T[-1] + impulsive_control.restoring(p) * error
        assert abs(balance) < 1e-8
