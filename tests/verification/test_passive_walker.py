"""The limit cycle of the passive walker on both roads, and what perturbations of it do."""

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.space import passive_walker as walker


@pytest.mark.verify
@pytest.mark.parametrize("name", walker.WALKERS)
def test_time_stepping_walks_the_same_cycle(name: str) -> None:
    """Strides of time stepping that has settled, against the cycle of the event-driven road."""
    p = walker.Parameters()
    period, length = walker.stride(p, name)
    model = walker.build(p, (name,))
    off = []
    for dt in (5e-4, 2.5e-4):
        sol = cl.simulate(
            model, t_end=20.0, method=cl.Moreau(dt=dt), progress=False,
            t_eval=np.linspace(0.0, 20.0, 2001),
        )  # fmt: skip
        t, x = walker.strikes(sol, name)
        speed = (x[-1] - x[-9]) / (t[-1] - t[-9])
        off.append(abs(speed * period / length - 1.0))
    # first order: an error of some per cent that falls with the step
    assert off[1] < 0.7 * off[0], off
    assert off[1] < 0.05, off


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
