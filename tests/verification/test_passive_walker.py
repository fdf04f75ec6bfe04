"""The limit cycle of the passive walker on both roads, and what perturbations of it do."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.space import passive_walker as walker


@pytest.mark.verify
@pytest.mark.parametrize("name", walker.WALKERS)
def test_time_stepping_walks_the_same_cycle(name: str) -> None:
    """Strides of time stepping that has settled, against the cycle of the event-driven road.

    The error is of first order: what is left at 0.125 ms, 0.7 and 0.6 %, is half of that at 0.25 ms
    and a quarter of that at 0.5 ms, and extrapolation to no step at all leaves some 0.1 %.
    """
    p = walker.Parameters()
    period, length = walker.stride(p, name)
    model = walker.build(p, (name,))
    off = []
    for dt in (5e-4, 2.5e-4, 1.25e-4):
        sol = cl.simulate(
            model, t_end=20.0, method=cl.Moreau(dt=dt), progress=False,
            t_eval=np.linspace(0.0, 20.0, 2001),
        )  # fmt: skip
        t, _ = walker.strikes(sol, name)
        # rows are 10 ms apart, in which it walks a third of a per cent of eight strides
        x = np.interp(t, sol.t, sol[f"{name} left"].position[:, 0])
        off.append((x[-1] - x[-9]) / (t[-1] - t[-9]) * period / length - 1.0)
    print(f"\n{name}: speed over that of the cycle - 1: {off}", end="")
    # a half but for terms of second order
    assert 0.4 < off[1] / off[0] < 0.65, off
    assert 0.4 < off[2] / off[1] < 0.65, off
    assert abs(off[1]) < 0.02, off
    assert abs(off[2]) < 0.01, off
    # without the term of first order, a tenth of it is left
    assert abs(2.0 * off[2] - off[1]) < 0.1 * abs(off[0]), off


@pytest.mark.verify
def test_a_disturbed_walker_comes_back_as_its_multipliers_say() -> None:
    p = walker.Parameters()
    orbit = walker.cycle(p, "free")
    sol = walker.simulate(p, t_end=20.0, progress=False)
    t, _ = walker.strikes(sol, "free")
    away = np.abs(np.diff(t) - orbit.period)
    early, late = away[:5].max(), away[-5:].max()
    # twenty strides; a factor of five for the directions that the start excites
    assert late < 5.0 * orbit.radius ** (len(away) - 5) * early
    assert late < 1e-4


@pytest.mark.verify
def test_feet_that_work_against_each_other_come_to_rest() -> None:
    """A heavier walker ends with both feet on the ground, one of them sliding to its stop.

    Near the stop the direction of sliding is below the error of a step, and at some directions the
    forces of both feet have a pole: negative normal forces of 1e7 N and a hundred changes between
    stick and slip followed. All stored rows obey the laws of contact, which every test checks.
    """
    p = replace(walker.Parameters(), mass=1.92)
    sol = cl.simulate(
        walker.build(p, ("free",)), t_end=10.0, t_eval=np.linspace(0.0, 10.0, 1001),
        method=cl.EventDriven(rtol=1e-8, atol=1e-10), progress=False,
    )  # fmt: skip
    kinds = Counter(event.kind for event in sol.events)
    assert kinds["slip"] < 10, kinds
    feet = [sol[f"free {side} contact"] for side in ("left", "right")]
    weight = 2.0 * p.mass * p.gravity * np.cos(p.slope)
    after = sol.t > 9.0
    down = sum(np.asarray(foot.force)[after, 2] for foot in feet)
    assert all(np.asarray(foot.force)[:, 2].min() >= -1e-6 * weight for foot in feet)
    assert np.abs(down).max() < 10.0 * weight
