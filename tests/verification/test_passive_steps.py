"""Steps of impacts with several contacts lose energy, whatever the contacts give back."""

from __future__ import annotations

import numpy as np
import pytest

import cornerlaw as cl


def row_of_balls(
    masses: list[float], speeds: list[float], eps: list[float], last_gap: float = 0.0
) -> cl.Model:
    """Return balls on a line that touch, the last one perhaps not; every contact has its eps."""
    items: list[cl.Part] = []
    skins: list[cl.Sphere] = []
    for k, (mass, speed) in enumerate(zip(masses, speeds, strict=True)):
        x = 0.1 * k + (last_gap if k == len(masses) - 1 else 0.0)
        ball = cl.Body(
            f"ball {k}", inertia=cl.inertia.sphere(mass, 0.05), position=(x, 0.0, 0.0),
            velocity=(speed, 0.0, 0.0),
        )  # fmt: skip
        skins.append(cl.Sphere(f"skin {k}", ball, radius=0.05))
        items += [ball, skins[-1]]
    items += [
        cl.Contact(skins[k], skins[k + 1], name=f"contact {k}", eps_N=e) for k, e in enumerate(eps)
    ]
    return cl.Model(*items, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("eps", [(0.9, 0.9), (0.1, 1.0), (0.2, 0.8)])
def test_a_ball_thrown_back_at_the_one_it_leaves_gains_nothing(eps: tuple[float, float]) -> None:
    """A ball is hit in one step and thrown back by a heavy one in the next."""
    model = row_of_balls([1.0, 1.0, 4.0], [8.0, 0.0, 0.0], list(eps), last_gap=1e-3)
    sol = cl.simulate(model, 0.02, method=cl.Moreau(dt=5e-4), progress=False)
    energy = sol["energy.kinetic"]
    assert np.diff(energy).max() <= 1e-12 * energy[0]
    # three impacts of two balls each
    first, second = 4.0 * (1.0 - eps[0]), 4.0 * (1.0 + eps[0])
    back = second * (1.0 - 4.0 * eps[1]) / 5.0
    last = 0.5 * (first + back) + 0.5 * eps[0] * (first - back)
    assert sol["ball 1"].velocity[-1, 0] == pytest.approx(last, abs=1e-12)
    assert sol["ball 2"].velocity[-1, 0] == pytest.approx(second * (1.0 + eps[1]) / 5.0, abs=1e-12)


@pytest.mark.trust("TR-N-20")
def test_random_rows_of_balls_never_gain_energy() -> None:
    rng = np.random.default_rng(4)
    for _ in range(25):
        masses = list(np.exp(rng.uniform(-1.5, 1.5, 4)))
        speeds, eps = list(rng.normal(0.0, 3.0, 4)), list(rng.uniform(0.0, 1.0, 3))
        model = row_of_balls(masses, speeds, eps)
        sol = cl.simulate(model, 0.01, method=cl.Moreau(dt=5e-4), progress=False)
        energy = sol["energy.kinetic"]
        assert np.diff(energy).max() <= 1e-12 * energy[0], (masses, speeds, eps)


def test_an_impact_goes_through_balls_at_rest_that_touch_but_for_a_rounding() -> None:
    """The gap of the last two balls is a rounding above zero; without restitution all stay one."""
    assert (0.1 * 3 - 0.1 * 2) - 0.1 > 0.0
    model = row_of_balls([1.0] * 4, [1.0, 0.0, 0.0, 0.0], [0.0] * 3)
    sol = cl.simulate(model, 5e-4, method=cl.Moreau(dt=5e-4), progress=False)
    speeds = [sol[f"ball {k}"].velocity[-1, 0] for k in range(4)]
    assert speeds == pytest.approx([0.25] * 4, abs=1e-14)
