"""Thirty random trees and loops without losses keep their energy, those adrift their momentum."""

import warnings

import numpy as np
import pytest
from random_models import Drawing, close, joint_between

import cornerlaw as cl


def conservative(seed: int) -> cl.Model:
    """Return a random linkage under weight and springs, every third with a loop."""
    d = Drawing(seed)
    loop = seed % 3 == 0
    d.loops = int(loop)
    bodies, points = [d.ground], [np.zeros(d.n)]
    for _ in range(int(d.rng.integers(3 if loop else 1, 5))):
        where = d.vector(0.6)
        body = d.body(where)
        joint_between(d, bodies[-1], body, where + d.vector(0.3), dressed=False)
        bodies.append(body)
        points.append(where + d.vector(0.4))
        d.add(cl.Spring(d.name("spring"), d.ground, body, at=tuple(d.vector(1.0)),
                        at_second=d.at(body, points[-1]), stiffness=50.0))  # fmt: skip
    if loop:
        close(d, bodies, points)
    return cl.Model(*d.parts, gravity=tuple(-9.81 * d.up))


@pytest.mark.trust("TR-N-20")
@pytest.mark.parametrize("seed", range(30))
def test_energy_stays(seed: int) -> None:
    """RungeKutta8 at rtol 1e-9: what a run of a second loses is a few times that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sol = cl.simulate(conservative(seed), 0.5, method=cl.RungeKutta8(), progress=False)
    assert sol.status == "done"
    total = np.ravel(sol.energy.total)
    scale = np.abs(sol.energy.kinetic).max() + np.ptp(sol.energy.potential)
    assert np.abs(total - total[0]).max() <= 1e-7 * scale + 1e-12


def adrift(seed: int) -> cl.Model:
    """Return a random linkage in free space with springs between its bodies."""
    d = Drawing(seed)
    start = {
        "velocity": tuple(d.vector(1.0)),
        "angular_velocity": tuple(d.vector(2.0)) if d.n == 3 else 1.5,
    }
    bodies = [d.add(d.body(np.zeros(d.n), **start))]
    d.above[bodies[0].name] = []
    for _ in range(int(d.rng.integers(1, 4))):
        where = d.vector(0.6)
        body = d.body(where)
        joint_between(d, bodies[-1], body, where + d.vector(0.3), dressed=False)
        d.add(cl.Spring(d.name("spring"), bodies[0], body, at=tuple(d.vector(0.3)),
                        at_second=tuple(d.vector(0.3)), stiffness=50.0))  # fmt: skip
        bodies.append(body)
    return cl.Model(*d.parts)


@pytest.mark.trust("TR-N-20")
@pytest.mark.parametrize("seed", range(30))
def test_momentum_stays(seed: int) -> None:
    """Nothing acts from outside: what is left is the error of RungeKutta8 at rtol 1e-9."""
    sol = cl.simulate(adrift(seed), 0.5, method=cl.RungeKutta8(), progress=False)
    assert sol.status == "done"
    for name in ("momentum", "angular_momentum"):
        values = np.asarray(sol[f"system.{name}"]).reshape(len(sol), -1)
        assert np.abs(values[0]).max() > 1e-3
        assert np.abs(values - values[0]).max() <= 1e-7 * np.abs(values).max()
