"""Steps at rest keep factors; restart data hold them, and looking at energies leaves them alone."""

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.space import box_on_slope as slope

METHOD = cl.Moreau(dt=1.0 / 1024.0)


def stores(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    F[0, 0] = 0.0 * x[0]
    x_dot[0] = -x[0]


def energy(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * x[0] * x[0]


def model_of(with_energy: bool) -> cl.Model:
    """A box at rest whose eight corners make problems above the size of the dense solvers."""
    model = slope.build(slope.Parameters())
    body = next(part for part in model.bodies if part.ROLE == "body")
    element = cl.ForceElement(
        "store",
        frames=(body,),
        law=stores,
        states={"charge": 1.0},
        energy=energy if with_energy else None,
    )
    return cl.Model(*model.parts, element, gravity=model.gravity, name=model.name)


@pytest.mark.parametrize("with_energy", [False, True])
@pytest.mark.parametrize("middle", [64, 256])
def test_a_run_that_goes_on_has_the_same_bits(middle: int, with_energy: bool) -> None:
    model = model_of(with_energy)
    end = 2.0 * middle / 1024.0
    whole = cl.simulate(model, end, method=METHOD, progress=False)
    first = cl.simulate(model, 0.5 * end, method=METHOD, progress=False)
    second = cl.simulate(model, end, method=METHOD, initial=first.final, progress=False)
    for name in ("q", "u"):
        found, expected = getattr(second.final, name), getattr(whole.final, name)
        assert np.array_equal(found, expected), np.abs(found - expected).max()
    assert np.array_equal(second.final.corners, whole.final.corners, equal_nan=True)
