"""The rocking block against quadrature, Housner's formulas, and its accumulation point."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from contact_laws import assert_contact_laws
from figures import Figure
from scipy.integrate import solve_ivp

import cornerlaw as cl
from cornerlaw.gallery.contacts import rocking_block as block

P = block.Parameters()


@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.4])
@pytest.mark.parametrize("tilt", [0.3, 0.9])
def test_quadrature_against_an_integration(alpha: float, tilt: float) -> None:
    p = replace(P, alpha=alpha, tilt=tilt)
    k = 0.75 * p.gravity / p.radius

    def hit(t: float, y: np.ndarray) -> float:
        return float(y[0])

    hit.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(
        lambda t, y: [y[1], -k * math.sin(alpha - y[0])],
        (0.0, 10.0),
        [tilt * alpha, 0.0],
        events=hit,
        rtol=1e-12,
        atol=1e-14,
    )
    # the tolerance of the integration over a second
    assert block.fall_time(p, tilt * alpha) == pytest.approx(found.t_events[0][0], rel=1e-9)
    speed = abs(found.y_events[0][0][1])
    assert block.impact_speed(p, tilt * alpha) == pytest.approx(speed, rel=1e-9)
    assert block.next_tilt(p, speed) == pytest.approx(tilt * alpha, rel=1e-8)


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("tilt", [0.2, 0.8])
def test_half_periods_and_velocity_ratio(alpha: float, tilt: float, figure: Figure) -> None:
    p = replace(P, alpha=alpha, tilt=tilt)
    expected = block.impact_times(p, 5)
    sol = block.simulate(p, t_end=1.01 * expected[-1], progress=False)
    times, before, after = block.hits(sol)
    half = np.diff(expected, prepend=0.0)
    ratio = after[:5] / before[:5] / (1.0 - 1.5 * math.sin(alpha) ** 2)
    found = np.diff(times[:5], prepend=0.0)
    figure("half-periods off the quadrature", float(np.abs(found / half - 1.0).max()), 1e-6)
    figure("velocity ratio off its formula", float(np.abs(ratio - 1.0).max()), 1e-9)
    np.testing.assert_allclose(np.diff(times[:5], prepend=0.0), half, rtol=1e-6)
    np.testing.assert_allclose(after[:5] / before[:5], 1.0 - 1.5 * math.sin(alpha) ** 2, rtol=1e-9)
    assert_contact_laws(sol, block.build(p))
    loss = sum(e.data["energy"] for e in sol.events if e.kind == "impact")
    inertia = 4.0 / 3.0 * p.mass * p.radius**2
    assert loss == pytest.approx(0.5 * inertia * np.sum(after**2 - before**2), rel=1e-9)


def test_gap_to_housner_falls_with_the_square_of_alpha(figure: Figure) -> None:
    gaps = block.gap_to_housner(P, np.array([0.2, 0.1, 0.05, 0.025]))
    ratios = gaps[:-1] / gaps[1:]
    figure("gap to Housner over that of half the angle", " ".join(f"{r:.4f}" for r in ratios))
    # four, but for terms of order alpha^4
    np.testing.assert_allclose(ratios, 4.0, rtol=0.02)
    # the whole first integral: both friction and shape of the block are as Housner has them
    assert abs(gaps[-1]) < 1e-3


@pytest.mark.trust("TR-N-07")
def test_impacts_end_at_the_accumulation_point() -> None:
    """A squat block comes to rest: the sum of all half-periods, and it stands level afterwards."""
    p = replace(P, alpha=0.5)
    end = block.rest_time(p)
    # impacts slower than `zeno` are taken as rest: what is left out takes about zeno / (1 m/s^2)
    method = cl.EventDriven(rtol=1e-11, atol=1e-14, zeno=1e-7)
    sol = block.simulate(p, t_end=end + 1.0, method=method, progress=False)
    impacts = sorted({e.time for e in sol.events if e.kind == "impact"})
    assert 20 <= len(impacts) <= 500
    # the anchor of TR-N-07
    assert impacts[-1] == pytest.approx(end, abs=1e-6)
    assert abs(sol["block.angle"][-1]) <= 1e-12
    assert abs(sol["block.angular_velocity"][-1]) <= 1e-12
    gaps = np.array([sol[f"shape-floor[{k}].gap"] for k in (0, 1)])
    assert gaps.min() >= -1e-9
    assert np.abs(gaps[:, -1]).max() <= 1e-12


@pytest.mark.verify
def test_time_stepping_converges_to_the_quadrature(figure: Figure) -> None:
    p = replace(P, tilt=0.6)
    expected = block.impact_times(p, 3)
    end = 0.5 * (expected[1] + expected[2])
    exact = block.simulate(p, t_end=end, progress=False)["block.angle"][-1]
    steps = 2e-3 / 2.0 ** np.arange(6)
    errors = []
    for dt in steps:
        worst = 0.0
        # where in a step the impacts fall changes the error many times, so it is the largest of
        # eight lengths up to the next halving
        for part in range(8):
            n = math.ceil(end / dt * 2.0 ** (part / 8.0))
            sol = block.simulate(p, t_end=end, method=cl.Moreau(dt=end / n), progress=False)
            worst = max(worst, abs(sol["block.angle"][-1] - exact))
        errors.append(worst)
    order = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    figure("order of time stepping", order)
    # first order: halving the step halves the error on the average
    assert order == pytest.approx(1.0, abs=0.25)
    assert all(b < a for a, b in itertools.pairwise(errors[::2]))
